"""The scale of a measure: how the values of topics are tested and summarised.

Most measures are averaged. A geometric mean is a mean of logarithms, so logarithms are tested; a number of documents is
added up over topics, so its differences and intervals are those of the sums.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen


class Scale(Frozen):
    """How the values of topics are tested and summarised."""

    name: str
    """Of the summary, in messages."""
    transform: Callable[[FloatArray], FloatArray]
    """Values of shape (..., n_topics) -> tested values, whose mean determines the summary."""
    of_sum: Callable[[FloatArray, int | FloatArray], FloatArray]
    """Sums over topics of tested values, shape (...), and numbers of topics -> summaries."""
    is_linear: bool = True
    """Whether the summary of a difference is the difference of the summaries."""

    def of_mean(self, means: FloatArray, n_topics: int) -> FloatArray:
        """Turn means over topics of tested values, shape (...), into summaries."""
        return self.of_sum(means * n_topics, n_topics)

    def summarise(self, tested: FloatArray) -> FloatArray:
        """Return the summaries of tested values of shape (..., n_topics), as the evaluator prints them."""
        n_topics = tested.shape[-1]
        return self.of_sum(np.add.accumulate(tested, axis=-1)[..., -1], n_topics)


def _unchanged(values: FloatArray) -> FloatArray:
    return values


def _means(sums: FloatArray, n_topics: int | FloatArray) -> FloatArray:
    return sums / n_topics


def _sums(sums: FloatArray, n_topics: int | FloatArray) -> FloatArray:
    return sums


MEAN = Scale("mean", _unchanged, _means)
TOTAL = Scale("sum", _unchanged, _sums)

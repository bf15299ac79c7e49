"""The scale of a measure: on what its topics are tested, and how they become the number that is printed for all.

Most measures are averaged. A geometric mean is a mean of logarithms, so these are what is tested; a number of
documents is added up over topics, so its differences and intervals are those of the sums.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen


class Scale(Frozen):
    """How the values of topics are tested and summarised.

    Parameters
    ----------
    name : what the summary is called in messages.
    transform : turns values of shape (..., n_topics) into those that are tested, of the same shape, of which the
        summary is a function of the mean.
    of_sum : turns sums over topics of tested values, shape (...), and the number of topics, which may be one for each
        sum, into summaries.
    is_linear : whether the summary of a difference is the difference of the summaries.
    """

    name: str
    transform: Callable[[FloatArray], FloatArray]
    of_sum: Callable[[FloatArray, int | FloatArray], FloatArray]
    is_linear: bool = True

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

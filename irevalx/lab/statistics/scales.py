"""The scale of a measure: on what its topics are tested, and how they become the number that is printed for all.

Most measures are averaged. A geometric mean is a mean of logarithms, so these are what is tested; a number of
documents is added up over topics, so its differences and intervals are those of the sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.measures.declare import Measure
from irevalx.measures.summary import Summary, geometric_mean, mean, relevant_total, total, total_of_all_judged


@dataclass(frozen=True)
class Scale:
    """How the values of topics are tested and summarised.

    Parameters
    ----------
    name : what the summary is called in messages.
    transform : turns values of shape (..., n_topics) into those that are tested, of the same shape, of which the
        summary is a function of the mean.
    of_sum : turns sums over topics of tested values, shape (...), and the number of topics, which may be one for each
        sum, into summaries.
    """

    name: str
    transform: Callable[[FloatArray], FloatArray]
    of_sum: Callable[[FloatArray, int | FloatArray], FloatArray]

    def of_mean(self, means: FloatArray, n_topics: int) -> FloatArray:
        """Turn means over topics of tested values, shape (...), into summaries."""
        return self.of_sum(means * n_topics, n_topics)

    def summarise(self, tested: FloatArray) -> FloatArray:
        """Return the summaries of tested values of shape (..., n_topics), as the evaluator prints them."""
        n_topics = tested.shape[-1]
        return self.of_sum(np.add.accumulate(tested, axis=-1)[..., -1], n_topics)


def without_undefined(values: FloatArray) -> FloatArray:
    """Return values of shape (n_runs, n_topics) without the topics for which some run has no finite value."""
    return values[:, np.isfinite(values).all(axis=0)]


def _unchanged(values: FloatArray) -> FloatArray:
    return values


def _logarithms(values: FloatArray) -> FloatArray:
    return np.asarray(geometric_mean.scale(values.ravel()), np.float64).reshape(values.shape)


def _exponentials(sums: FloatArray, n_topics: int | FloatArray) -> FloatArray:
    return np.array([math.exp(mean) for mean in (sums / n_topics).ravel().tolist()]).reshape(sums.shape)


def _means(sums: FloatArray, n_topics: int | FloatArray) -> FloatArray:
    return sums / n_topics


def _sums(sums: FloatArray, n_topics: int | FloatArray) -> FloatArray:
    return sums


MEAN = Scale("mean", _unchanged, _means)
GEOMETRIC_MEAN = Scale("geometric mean", _logarithms, _exponentials)
TOTAL = Scale("sum", _unchanged, _sums)

_SCALES: dict[Summary, Scale] = {
    mean: MEAN,
    geometric_mean: GEOMETRIC_MEAN,
    total: TOTAL,
    total_of_all_judged: TOTAL,
    relevant_total: TOTAL,
}


def scale_named(name: str) -> Scale:
    """Return the scale of the measure with this printed name, such as ``P_5`` or ``gm_map:skip``."""
    from irevalx.measures import MEASURES

    bare = name.partition(":")[0]
    return next((scale_of(measure) or MEAN for measure in MEASURES if measure.name == bare), MEAN)


def scale_of(measure: Measure) -> Scale | None:
    """Return the scale of a measure; None where its summary is not made of the values of topics."""
    return None if measure.summary is None else _SCALES.get(measure.summary)

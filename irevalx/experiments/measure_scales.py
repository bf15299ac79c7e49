"""The scale on which each measure is tested: that of its summary."""

from __future__ import annotations

import math

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.measures.declare import Measure
from irevalx.measures.summary import Summary, geometric_mean, mean, relevant_total, total, total_of_all_judged
from irevalx.statistics.scales import MEAN, TOTAL, Scale


def _logarithms(values: FloatArray) -> FloatArray:
    return np.asarray(geometric_mean.scale(values.ravel()), np.float64).reshape(values.shape)


def _exponentials(sums: FloatArray, n_topics: int | FloatArray) -> FloatArray:
    return np.array([math.exp(mean) for mean in (sums / n_topics).ravel().tolist()]).reshape(sums.shape)


GEOMETRIC_MEAN = Scale("geometric mean", _logarithms, _exponentials, is_linear=False)

_SCALES: dict[Summary, Scale] = {
    mean: MEAN,
    geometric_mean: GEOMETRIC_MEAN,
    total: TOTAL,
    total_of_all_judged: TOTAL,
    relevant_total: TOTAL,
}


def scale_named(name: str) -> Scale:
    """Return the scale of the measure with this printed name, such as ``P_5`` or ``gm_map:skip``."""
    from irevalx.measures import every_measure

    bare = name.partition(":")[0]
    return next((scale_of(measure) or MEAN for measure in every_measure() if measure.name == bare), MEAN)


def scale_of(measure: Measure) -> Scale | None:
    """Return the scale of a measure; None where its summary is not made of the values of topics."""
    return None if measure.summary is None else _SCALES.get(measure.summary)

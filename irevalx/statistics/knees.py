"""Knees: the least levels from which on a curve stays above a threshold.

Bompada et al., SIGIR 2007, Tables 3 and 5, take the first level that exceeds it, as ``first_places`` does.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray

THRESHOLD = 0.9
"""The value that a knee exceeds."""


def knee_places(values: FloatArray, threshold: float = THRESHOLD) -> IntArray:
    """Return the places of the knees of curves of shape (n_levels, ...), levels ascending; n_levels if there is none.

    nan exceeds nothing.
    """
    exceeds_to_the_end = np.logical_and.accumulate(values[::-1] > threshold, axis=0)
    return np.asarray(len(values) - np.count_nonzero(exceeds_to_the_end, axis=0), np.int64)


def first_places(values: FloatArray, threshold: float = THRESHOLD) -> IntArray:
    """Return the first crossings of curves of shape (n_levels, ...); n_levels if there is none."""
    has_exceeded = np.logical_or.accumulate(values > threshold, axis=0)
    return np.asarray(len(values) - np.count_nonzero(has_exceeded, axis=0), np.int64)


def knee_interval(places: IntArray, n_levels: int, alpha: float) -> tuple[int | None, int | None]:
    """Return the alpha/2 and 1 - alpha/2 quantiles of the knees of draws, without interpolation.

    None beyond all levels.
    Draws without a knee (n_levels) are beyond all levels.
    """
    low, high = np.quantile(places, [alpha / 2, 1 - alpha / 2], method="inverted_cdf").tolist()
    return tuple(None if place == n_levels else place for place in (low, high))  # type: ignore[return-value]

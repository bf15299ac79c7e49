"""Verdicts on differences by their intervals: whether something is not worse than another by more than a margin."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.statistics.intervals import Ends, t_intervals
from irevalx.statistics.paired_power import least_effect

NOT_WORSE, WORSE, CANNOT_TELL = "not worse", "worse", "cannot tell"
"""The verdicts."""


def intervals_with_margins(d: FloatArray, alpha: float) -> Ends:
    """Return t intervals of mean differences; without width where all topics have the same difference.

    Parameters
    ----------
    d : shape (n_pairs, n_topics), with one topic at least.
    alpha : an interval covers the mean with a probability of 1 - alpha.

    Returns
    -------
    The ends; nan with a single topic, unless it has no difference.
    """
    [(low, high)] = t_intervals(d, [1 - alpha])
    same = (d == d[:, :1]).all(axis=1) & (d.shape[1] > 1) | ~d.any(axis=1)
    return np.where(same, d[:, 0], low), np.where(same, d[:, 0], high)


def verdict(low: float, high: float, margin: float) -> str:
    """Return what the interval of an improvement says of a margin.

    ``NOT_WORSE`` if low > -margin, else ``WORSE`` if high < 0, else ``CANNOT_TELL``. Both can hold of a loss that is
    certain and smaller than the margin: not worse. What is equal for all topics (low = high = 0) is not worse.

    Parameters
    ----------
    low, high : the ends of the interval; nan for none.
    margin : from 0 on.
    """
    if low > -margin or low == high == 0:
        return NOT_WORSE
    return WORSE if high < 0 else CANNOT_TELL


def least_margins(d: FloatArray, alpha: float) -> FloatArray:
    """Return the margins by which something equal on average would be found not worse with a probability of 0.8.

    Parameters
    ----------
    d, alpha : as for ``intervals_with_margins``.

    Returns
    -------
    Shape (n_pairs,); nan with a single topic.
    """
    n_topics = d.shape[1]
    if n_topics < 2:
        return np.full(len(d), np.nan)
    return np.asarray(d.std(axis=1, ddof=1) * least_effect(n_topics, alpha=alpha, two_sided=False), np.float64)

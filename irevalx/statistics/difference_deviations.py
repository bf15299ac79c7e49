"""How much differences of runs vary over topics: the standard deviations of all pairs, and how far they are known."""

from __future__ import annotations

import math

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen
from irevalx.statistics.significance import ALPHA, differences, pairs_of_runs


class Deviation(Frozen):
    """A standard deviation and its interval; nan where that is not defined."""

    value: float
    low: float
    high: float


def median_and_greatest(values: FloatArray, alpha: float = ALPHA) -> tuple[Deviation, Deviation, tuple[int, int]]:
    """Return the standard deviation of the difference of two runs: its median over pairs, the greatest, and its pair.

    The median is that of the variances.

    The interval of a variance is that of chi-square, of which normal differences have n - 1 degrees of freedom. Those
    of topics are not normal, and a median is of many pairs: the degrees of freedom are 2 over the variance of the
    logarithm of the variance, which is estimated by leaving out one topic after the other.

    Parameters
    ----------
    values : shape (n_runs, n_topics), of two runs and two topics at least.
    alpha : intervals cover the deviation over all topics there are with a probability of 1 - alpha.

    Notes
    -----
    Source: the median (and the greatest) is ours; the jackknife of log variances is that of Miller, Jackknifing
    Variances, Annals of Mathematical Statistics 1968. Average precision of the runs of two collections, 100 samples of
    12, 25 and 50 topics each: nominal 95 % intervals of the median covered 0.81 to 0.93, 0.96 and 0.90 to 0.94; those
    of the greatest, which is that of the pair that happens to vary most, 0.70 to 0.85.
    """
    first, second = pairs_of_runs(len(values))
    d = differences(values[first], values[second])
    squares = (d - d.mean(axis=1, keepdims=True)) ** 2
    n_topics, sums = d.shape[1], squares.sum(axis=1)
    of_median, of_greatest = (
        _deviation(
            float(np.sqrt(pick(sums) / (n_topics - 1))),
            np.array([pick(sums - square * n_topics / (n_topics - 1)) for square in squares.T]),
            alpha,
        )
        for pick in (np.median, np.max)
    )
    pair = int(np.argmax(d.std(axis=1, ddof=1)))
    return of_median, of_greatest, (int(first[pair]), int(second[pair]))


def _deviation(value: float, without_topic: FloatArray, alpha: float) -> Deviation:
    """Return a deviation with its interval.

    Parameters
    ----------
    without_topic : sums of squares without each topic in turn.
    """
    from scipy import special

    n_topics = len(without_topic)
    if n_topics < 3 or without_topic.min() <= 1e-12 * max(1.0, without_topic.max()):
        return Deviation(value, math.nan, math.nan)
    logarithms = np.log(without_topic)
    variance = (n_topics - 1) * float(logarithms.var())
    if variance == 0:
        return Deviation(value, value, value)
    freedom = 2 / variance
    low, high = (math.sqrt(freedom / float(special.chdtri(freedom, tail))) for tail in (alpha / 2, 1 - alpha / 2))
    return Deviation(value, value * low, value * high)

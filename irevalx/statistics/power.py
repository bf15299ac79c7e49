"""Power of the paired t test, and the standard deviation of differences over topics.

The effect size is the mean difference divided by the standard deviation of the differences over topics. For n topics,
the t statistic follows the noncentral t distribution with n - 1 degrees of freedom and the noncentrality parameter
effect * sqrt(n). If topics are clustered, a ``ClusterDesign`` determines the degrees of freedom, and n is divided by
the design effect.

Source: Sakai, Topic Set Size Design, Information Retrieval Journal 2016, sections 3.1 and 3.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen, replace
from irevalx.statistics.clusters import INDEPENDENT, ClusterDesign, Clusters
from irevalx.statistics.significance import ALPHA, differences, pairs_of_runs


class Deviation(Frozen):
    """The standard deviation of differences over topics, and its interval. The bounds are nan if they are undefined."""

    value: float
    low: float
    high: float
    design: ClusterDesign = INDEPENDENT
    """The dependence between the topics of the differences."""


def median_and_greatest(
    values: FloatArray, alpha: float = ALPHA, clusters: Clusters | None = None
) -> tuple[Deviation, Deviation, tuple[int, int]]:
    """Return the median and maximum standard deviation of differences over pairs, and the pair with the maximum.

    The median is computed from standard deviations, not from variances. There must be at least two runs and two topics.
    The shape of ``values`` is (n_runs, n_topics).

    The interval of a variance is computed from a chi-square distribution with 2 / v degrees of freedom, where v is the
    jackknife variance of the log variance over topics or clusters [Miller, Jackknifing Variances, Annals of
    Mathematical Statistics 1968]. The jackknife is used because the differences of topics are not normally distributed.
    The pair with the largest deviation among C pairs usually varies less on other topics, so the lower bound of its
    interval is at 1 - alpha/C (Bonferroni).

    Coverage of nominal 95% intervals (average precision, two collections, 100 samples of 12, 25 and 50 topics): the
    median 0.81 to 0.93, 0.96 and 0.90 to 0.94; the maximum (300 samples; map, P.10 and ndcg_cut.10; 4, 8 and all runs)
    0.95 to 1.00, and 0.92 to 0.97 of 1,000 in the worst case, in which all pairs of 3 to 12 normal runs vary alike.
    Without the jackknife and without Bonferroni's correction, the coverage was 0.60 to 0.94.
    """
    first, second = pairs_of_runs(len(values))
    d = differences(values[first], values[second])
    squares = (d - d.mean(axis=1, keepdims=True)) ** 2
    n_topics, sums = d.shape[1], squares.sum(axis=1)
    pair = int(np.argmax(sums))
    without_topic = np.maximum(sums - squares.T * n_topics / (n_topics - 1), 0)
    if clusters is not None:
        without_topic = np.array([d[:, clusters.codes != code].var(axis=1, ddof=1) for code in range(clusters.number)])
    of_median, of_greatest = (
        _deviation(math.sqrt(pick(sums) / (n_topics - 1)), np.array([*map(pick, without_topic)]), alpha, n_compared)
        for pick, n_compared in ((lambda of: float(np.median(np.sqrt(of))) ** 2, 1), (lambda of: of[pair], len(d)))
    )
    of_median, of_greatest = (
        replace(deviation, design=ClusterDesign.of(clusters, of_pairs))
        for deviation, of_pairs in ((of_median, d), (of_greatest, d[[pair]]))
    )
    return of_median, of_greatest, (int(first[pair]), int(second[pair]))


def _deviation(value: float, without_topic: FloatArray, alpha: float, n_compared: int) -> Deviation:
    """Return the standard deviation ``value`` with its interval, if it is the largest of ``n_compared`` deviations.

    The array ``without_topic`` contains variances, up to a common factor, each computed without one topic or, if topics
    are clustered, without one cluster.
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
    tails = (alpha / 2 / n_compared, 1 - alpha / 2)
    low, high = (math.sqrt(freedom / float(special.chdtri(freedom, tail))) for tail in tails)
    return Deviation(value, value * low, value * high)


POWER = 0.8
"""The default power."""

MOST_TOPICS = 2**30
"""The maximum number of topics in a result. A result above this number becomes infinite."""


def t_quantile(freedom: float, alpha: float) -> float:
    """Return the value that a t statistic with ``freedom`` degrees of freedom exceeds with probability alpha/2."""
    from scipy import special

    return -float(special.stdtrit(freedom, alpha / 2))


def power_of_t(
    n_topics: int, effect: float, alpha: float = ALPHA, *, two_sided: bool = True, design: ClusterDesign = INDEPENDENT
) -> float:
    """Return the power of the two-sided t test. If ``two_sided`` is false, only the correct direction counts."""
    from scipy import special

    if not (freedom := design.freedom(n_topics)):
        return 0.0
    critical, shift = t_quantile(freedom, alpha), effect * design.root(n_topics)
    upper, lower = (float(special.nctdtr(freedom, shift, end)) for end in (critical, -critical))
    upper, lower = (0.0 if math.isnan(tail) else tail for tail in (upper, lower))  # nan for some tails below 1e-12
    return 1 - upper + lower * two_sided


def least_effect(
    n_topics: int,
    power: float = POWER,
    alpha: float = ALPHA,
    *,
    two_sided: bool = True,
    design: ClusterDesign = INDEPENDENT,
) -> float:
    """Return the smallest effect that the t test detects with a power, or NaN if there are no degrees of freedom."""
    from scipy import optimize

    if not design.freedom(n_topics):
        return math.nan

    def lacking(effect: float) -> float:
        return power_of_t(n_topics, effect, alpha, two_sided=two_sided, design=design) - power

    most = 1.0
    while lacking(most) < 0:
        most *= 2
    return float(optimize.brentq(lacking, 0.0, most, xtol=1e-13, rtol=1e-12))


def topics_to_find(
    effect: float, power: float = POWER, alpha: float = ALPHA, *, design: ClusterDesign = INDEPENDENT
) -> float:
    """Return the smallest number of topics for which the t test detects an effect with a given power, or infinity."""
    return _least(
        lambda n_topics: (
            effect > 0
            and bool(design.freedom(n_topics))
            and (math.isinf(effect) or power_of_t(n_topics, effect, alpha, design=design) >= power)
        )
    )


def half_width(n_topics: int, alpha: float = ALPHA, *, design: ClusterDesign = INDEPENDENT) -> float:
    """Return the expected half-width of the t interval of a mean, in standard deviations.

    The result is NaN if there are no degrees of freedom.
    """
    if not (freedom := design.freedom(n_topics)):
        return math.nan
    # The expected standard deviation (with divisor n - 1) of n normal values is sigma c4(n).
    c4 = math.sqrt(2 / freedom) * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    return t_quantile(freedom, alpha) * c4 / design.root(n_topics)


def topics_for_width(width: float, alpha: float = ALPHA, *, design: ClusterDesign = INDEPENDENT) -> float:
    """Return the smallest number of topics for intervals of the given width, in standard deviations, or infinity."""
    return _least(lambda n_topics: half_width(n_topics, alpha, design=design) <= width / 2)


def _least(is_enough: Callable[[int], bool]) -> float:
    """Return the smallest sufficient number of topics, or infinity if it is above ``MOST_TOPICS``.

    If a number of topics is sufficient, every larger number must be sufficient too.
    """
    enough = 2
    while not is_enough(enough):
        enough *= 2
        if enough > MOST_TOPICS:
            return math.inf
    too_few = enough // 2 if enough > 2 else 1
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if is_enough(middle) else (middle, enough)
    return enough

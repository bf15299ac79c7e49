"""Topic bootstrap of agreement, agreement about the top runs, and knees of curves.

A resample contains n of the n topics, drawn with replacement, and is shared by all runs, scorings and statistics. A
quantile interval extends from the alpha/2 quantile to the 1 - alpha/2 quantile of a statistic over the resamples, with
linear interpolation between order statistics.

Quantile intervals are valid for the RMS error and the bias, but not for tau: scores on a topic sample are noisier than
scores on the topic population, and scores on a resample are noisier still. The quantiles are therefore too low,
especially for runs with similar scores. ``correlation_intervals`` inverts a test instead: the interval contains the
population values of tau that are compatible with the observed sample.

Scores have the shape (..., n_runs), and the result has one value for each row of runs, as in ``correlations``.

Bompada et al., SIGIR 2007, Tables 3 and 5, report the first level that exceeds the threshold, like ``first_places``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.statistics import correlations as agreement
from irevalx.statistics.correlations import ranks, tau_b_over
from irevalx.statistics.significance import ALPHA, MEAN, Scale, generator, without_noise

FEW_TOPICS = 20
"""The number of topics below which bootstrap intervals are noticeably too short."""

STATISTICS: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "tau": agreement.tau,
    "tau_b": agreement.tau_b,
    "tau_ap": agreement.tau_ap,
    "rms": agreement.rms,
    "bias": agreement.bias,
    "tau_ap_b": agreement.tau_ap_b,
}
"""The functions of x and y that compute statistics of agreement. The topic bootstrap provides intervals for each."""

_BATCH = 4_000_000
"""The maximum number of pairs of runs that are compared in memory at a time."""

_POPULATIONS = 41
"""The number of populations in the series of ``correlation_intervals``."""

_LEAST_SIGNAL = 0.05
"""The minimum ratio between the variance of scores without noise and the variance of scores. Smaller ratios are
replaced by this minimum."""

_EQUAL = 1e-12
"""If the difference of two correlations is below this value, they are treated as equal."""


class TopicDraws(Frozen):
    """Bootstrap resamples of topics, which are drawn with replacement."""

    topics: IntArray
    """The 0-based indices of the drawn topics. The shape is (n_draws, n_topics)."""

    @classmethod
    def of(cls, n_topics: int, resamples: int, seed: int = 0) -> TopicDraws:
        """Draw bootstrap resamples: n of the n topics with replacement, ``resamples`` times."""
        return cls(generator(seed).integers(0, max(1, n_topics), (resamples, n_topics)))

    def means(self, values: FloatArray) -> FloatArray:
        """Return the mean of values over the topics of each resample. The shape of the result is (n_draws, ...).

        The shape of ``values`` is (..., n_topics).
        """
        shares = self.counts / self.topics.shape[1]
        return np.moveaxis(values @ shares.T, -1, 0)

    def summaries(self, values: FloatArray, scale: Scale = MEAN) -> FloatArray:
        """Return the summary of each resample. The shape of the result is (n_draws, ..., n_runs).

        The shape of ``values`` is (..., n_runs, n_topics).
        """
        # Topics for which the value of a run is nan are excluded.
        has_value: BoolArray = np.asarray(~np.isnan(values).any(axis=-2))
        if has_value.all():
            return scale.of_mean(self.means(values), self.topics.shape[1])
        known = np.where(has_value[..., np.newaxis, :], values, 0.0)
        sums: FloatArray = np.moveaxis(known @ self.counts.T, -1, 0)
        n_topics = np.moveaxis(has_value.astype(np.float64) @ self.counts.T, -1, 0)[..., np.newaxis]
        return np.where(n_topics > 0, scale.of_sum(sums, np.maximum(n_topics, 1.0)), np.nan)

    @property
    def counts(self) -> FloatArray:
        """The number of times that each topic is drawn. The shape is (n_draws, n_topics)."""
        n_draws, n_topics = self.topics.shape
        draw = np.repeat(np.arange(n_draws), n_topics)
        counts = np.bincount(draw * n_topics + self.topics.ravel(), minlength=n_draws * n_topics)
        return counts.reshape(n_draws, n_topics).astype(np.float64)

    def batches(self, size: int) -> Iterator[TopicDraws]:
        """Split the resamples into batches of the given size, and yield the batches."""
        for start in range(0, len(self.topics), size):
            yield TopicDraws(self.topics[start : start + size])


def agreement_draws(
    values_x: FloatArray,
    values_y: FloatArray,
    draws: TopicDraws,
    scales: tuple[Scale, Scale] = (MEAN, MEAN),
) -> dict[str, FloatArray]:
    """Return the values of each statistic in the resamples, or NaN for undefined resamples."""
    n_runs = values_y.shape[-2]
    n_scorings = max(values_x[..., 0, 0].size, values_y[..., 0, 0].size)
    parts: dict[str, list[FloatArray]] = {name: [] for name in STATISTICS}
    for batch in draws.batches(max(1, _BATCH // (n_scorings * n_runs * n_runs))):
        x, y = (batch.summaries(values, scale) for scale, values in zip(scales, (values_x, values_y), strict=True))
        x = x.reshape(len(x), *(1,) * (y.ndim - x.ndim), *x.shape[1:])
        defined = ~(np.isnan(x).any(axis=-1) | np.isnan(y).any(axis=-1))
        for name, statistic in STATISTICS.items():
            parts[name].append(np.where(defined, statistic(x, y), np.nan))
    return {name: np.concatenate(batches) for name, batches in parts.items()}


def quantile_interval(of_draws: FloatArray, alpha: float = ALPHA) -> tuple[FloatArray, FloatArray]:
    """Return the alpha/2 and 1 - alpha/2 quantiles over the first axis of ``of_draws``, which is the axis of draws."""
    # Undefined resamples are excluded. The quantiles are undefined if more than half of the resamples are undefined.
    undefined = np.isnan(of_draws).mean(axis=0) > 0.5 if len(of_draws) else np.ones(of_draws.shape[1:], np.bool_)
    known = np.where(undefined, 0.0, of_draws) if len(of_draws) else np.zeros((1, *of_draws.shape[1:]))
    low, high = np.nanquantile(known, [alpha / 2, 1 - alpha / 2], axis=0)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


Correlations: TypeAlias = Callable[[FloatArray, FloatArray], Mapping[str, FloatArray]]
"""A function that computes several correlations between scores of shape (..., n_runs), each of shape (...), by name."""


def correlation_intervals(
    correlations: Correlations,
    scores: tuple[FloatArray, FloatArray],
    drawn: tuple[FloatArray, FloatArray],
    alpha: float = ALPHA,
) -> dict[str, tuple[float, float]]:
    """Return a confidence interval for each correlation between two scorings over the topic population.

    The interval inverts a test. In a series of populations, y changes from the reverse of x, through the observed y, to
    x itself. The variance between runs excludes topic sampling variance, and the noise of a sample is the noise of the
    resamples. The interval contains a population if two probabilities are above alpha/2: the probability that a sample
    of the population has at most the observed correlation, and the probability that a sample has at least the observed
    correlation. The interval also contains the quantiles of the resamples. In a simulation, the interval is
    conservative (docs/agreement.md).

    The result is a dictionary that maps the name of each correlation to its bounds. The shape of ``scores`` is
    (n_runs,) for x and for y, and the shape of ``drawn`` is (n_draws, n_runs). The bounds are NaN if the correlation,
    or more than half of its resamples, are undefined.
    """
    x, y = (side - side.mean() for side in scores)
    observed = correlations(*scores)
    inside: dict[str, list[float]] = {}
    for name, of_draws in _in_batches(correlations, *drawn).items():
        low, high = (float(end) for end in quantile_interval(of_draws, alpha))
        inside[name] = [] if math.isnan(float(observed[name])) or math.isnan(low) else [low, high]
    noise_x, noise_y = (of_draws - side for of_draws, side in zip(drawn, scores, strict=True))
    size_x, size_y = (float(np.sqrt((side * side).sum())) for side in (x, y))
    varied = bool(size_x and size_y)
    if varied:
        shrunk_x, share_y = x * _share_of_signal(x, noise_x), _share_of_signal(y, noise_y)
    for step in np.linspace(-1, 1, _POPULATIONS) if varied else ():
        mixed = (1 - abs(step)) * y / size_y + step * x / size_x
        size = float(np.sqrt((mixed * mixed).sum()))
        if not size:
            continue
        population = mixed * size_y / size
        of_population = correlations(x, population)
        for name, samples in _in_batches(correlations, shrunk_x + noise_x, share_y * population + noise_y).items():
            known = samples[~np.isnan(samples)]
            as_low, as_high = known <= observed[name] + _EQUAL, known >= observed[name] - _EQUAL
            if inside[name] and known.size and min(as_low.mean(), as_high.mean()) > alpha / 2:
                inside[name].append(float(of_population[name]))
    return {name: (min(ends, default=np.nan), max(ends, default=np.nan)) for name, ends in inside.items()}


def _share_of_signal(centred: FloatArray, noise: FloatArray) -> float:
    """Return the factor by which differences between runs shrink when topic sampling variance is removed."""
    of_noise = noise - noise.mean(axis=1, keepdims=True)
    added = float((of_noise * of_noise).sum(axis=1).mean()) / float((centred * centred).sum())
    return math.sqrt(max(_LEAST_SIGNAL, 1 - added))


def _in_batches(correlations: Correlations, x: FloatArray, y: FloatArray) -> dict[str, FloatArray]:
    size = max(1, _BATCH // 4 // x.shape[1] ** 2)  # fits the processor's cache
    batches = (slice(start, start + size) for start in range(0, len(x), size))
    parts = [correlations(*(np.asfortranarray(side[batch]) for side in (x, y))) for batch in batches]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


TOP_STATISTICS = ("top_tau_b", "top_overlap", "loss")
"""The names of the statistics that the function ``at_the_top`` provides."""


def are_best(scores: FloatArray, k: int) -> BoolArray:
    """Return a mask that selects the k best runs and all runs tied with rank k. The shape is (..., n_runs)."""
    return ranks(scores) <= k


def top_tau_b(x: FloatArray, y: FloatArray, k: int) -> FloatArray:
    """Return tau-b over the k runs that are best in x, in [-1, 1], or NaN if these runs are all tied in x or in y."""
    return tau_b_over(x, y, are_best(x, k))


def top_overlap(x: FloatArray, y: FloatArray, k: int) -> FloatArray:
    """Return the fraction of the k best runs that x and y have in common, in [0, 1]."""
    of_x, of_y = are_best(x, k), are_best(y, k)  # more than k runs if there are ties at rank k
    most = np.maximum(np.count_nonzero(of_x, axis=-1), np.count_nonzero(of_y, axis=-1))
    return np.asarray(np.count_nonzero(of_x & of_y, axis=-1) / most, np.float64)


def loss(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the score in x that is lost when the best run in y is chosen instead of the best run in x.

    The loss is at least 0. If several runs are best in y, the run with the lowest score in x is chosen.
    """
    x, y = np.broadcast_arrays(x, y)
    worst = np.where(are_best(y, 1), x, np.inf).min(axis=-1)
    return np.asarray(without_noise(x.max(axis=-1) - worst), np.float64)


def at_the_top(k: int) -> dict[str, Callable[[FloatArray, FloatArray], FloatArray]]:
    """Return the function of x and y that computes each statistic in ``TOP_STATISTICS``, by name."""
    functions = (partial(top_tau_b, k=k), partial(top_overlap, k=k), loss)
    return dict(zip(TOP_STATISTICS, functions, strict=True))


def top_intervals(
    k: int, scores: tuple[FloatArray, FloatArray], drawn: tuple[FloatArray, FloatArray], alpha: float = ALPHA
) -> dict[str, tuple[float, float]]:
    """Return intervals for the statistics in ``TOP_STATISTICS``. The best runs are determined anew in each sample."""

    def values(x: FloatArray, y: FloatArray) -> dict[str, FloatArray]:
        return {name: function(x, y) for name, function in at_the_top(k).items()}

    return correlation_intervals(values, scores, drawn, alpha)


THRESHOLD = 0.9
"""The default threshold of knees. The knee of a curve is the first level from which the curve stays above the
threshold."""


def knee_places(values: FloatArray, threshold: float = THRESHOLD) -> IntArray:
    """Return the index of each curve's knee, or n_levels for no knee. The shape of ``values`` is (n_levels, ...)."""
    exceeds_to_the_end = np.logical_and.accumulate(values[::-1] > threshold, axis=0)
    return np.asarray(len(values) - np.count_nonzero(exceeds_to_the_end, axis=0), np.int64)


def first_places(values: FloatArray, threshold: float = THRESHOLD) -> IntArray:
    """Return the first index at which each curve exceeds the threshold, or n_levels if there is no such index."""
    has_exceeded = np.logical_or.accumulate(values > threshold, axis=0)
    return np.asarray(len(values) - np.count_nonzero(has_exceeded, axis=0), np.int64)


def knee_interval(places: IntArray, n_levels: int, alpha: float) -> tuple[int | None, int | None]:
    """Return the alpha/2 and 1 - alpha/2 quantiles of knees over resamples, or None if a bound is beyond all levels."""
    low, high = np.quantile(places, [alpha / 2, 1 - alpha / 2], method="inverted_cdf").tolist()
    return tuple(None if place == n_levels else place for place in (low, high))  # type: ignore[return-value]

"""The topic bootstrap: what other topics might have said of how two scorings agree.

A draw has n of the n topics, with replacement; it is the same for all runs, scorings and statistics. A quantile
interval reaches from the alpha/2 to the 1 - alpha/2 quantile of a statistic over the draws, linear between order
statistics.

Quantiles are right for the RMS error and the bias. Those of tau say how it moves when topics are drawn again, and do
not cover the tau of all topics there are: the scores of a sample of topics are noisier than those of all of them, and
those of a resample noisier still, so they lie too low, by more the closer the runs are. ``correlation_intervals`` asks
from which tau of all topics samples like the one observed come, and covers it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.statistics import correlations as agreement
from irevalx.statistics.scales import MEAN, Scale
from irevalx.statistics.significance import ALPHA, generator

FEW_TOPICS = 20
"""With fewer topics bootstrap intervals are noticeably too short."""

STATISTICS: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "tau": agreement.tau,
    "tau_b": agreement.tau_b,
    "tau_ap": agreement.tau_ap,
    "rms": agreement.rms,
    "bias": agreement.bias,
    "tau_ap_b": agreement.tau_ap_b,
}
"""The statistics of agreement that have intervals, functions of x and y, by name."""

_BATCH = 4_000_000
"""How many comparisons of two runs are in memory at a time."""


_POPULATIONS = 41
"""How many populations an interval of a correlation is looked for among."""

_LEAST_SIGNAL = 0.05
"""The share of the variance of scores that is not noise, at least."""

_EQUAL = 1e-12
"""Correlations nearer than this are equal."""


class TopicDraws(Frozen):
    """Topics drawn with replacement.

    Parameters
    ----------
    topics : shape (n_draws, n_topics); 0-based.
    """

    topics: IntArray

    @classmethod
    def of(cls, n_topics: int, resamples: int, seed: int = 0) -> TopicDraws:
        """Draw n of n topics, ``resamples`` times."""
        return cls(generator(seed).integers(0, max(1, n_topics), (resamples, n_topics)))

    def means(self, values: FloatArray) -> FloatArray:
        """Return the means over the drawn topics.

        Parameters
        ----------
        values : shape (..., n_topics).

        Returns
        -------
        Shape (n_draws, ...).
        """
        shares = self._counts / self.topics.shape[1]
        means: FloatArray = np.moveaxis(values @ shares.T, -1, 0)
        return means

    def summaries(self, values: FloatArray, scale: Scale = MEAN) -> FloatArray:
        """Return the summaries over those of the drawn topics that have values.

        Parameters
        ----------
        values : shape (..., n_runs, n_topics); tested values. A topic for which some run has nan is left out.
        scale : of the measure.

        Returns
        -------
        Shape (n_draws, ..., n_runs); nan where no topic with a value is drawn.
        """
        has_value: BoolArray = np.asarray(~np.isnan(values).any(axis=-2))
        if has_value.all():
            return scale.of_mean(self.means(values), self.topics.shape[1])
        known = np.where(has_value[..., np.newaxis, :], values, 0.0)
        sums: FloatArray = np.moveaxis(known @ self._counts.T, -1, 0)
        n_topics = np.moveaxis(has_value.astype(np.float64) @ self._counts.T, -1, 0)[..., np.newaxis]
        return np.where(n_topics > 0, scale.of_sum(sums, np.maximum(n_topics, 1.0)), np.nan)

    @property
    def _counts(self) -> FloatArray:
        """How often each topic is drawn: shape (n_draws, n_topics)."""
        n_draws, n_topics = self.topics.shape
        draw = np.repeat(np.arange(n_draws), n_topics)
        counts = np.bincount(draw * n_topics + self.topics.ravel(), minlength=n_draws * n_topics)
        return counts.reshape(n_draws, n_topics).astype(np.float64)

    def batches(self, size: int) -> Iterator[TopicDraws]:
        """Yield the draws in batches."""
        for start in range(0, len(self.topics), size):
            yield TopicDraws(self.topics[start : start + size])


def agreement_draws(
    values_x: FloatArray,
    values_y: FloatArray,
    draws: TopicDraws,
    scales: tuple[Scale, Scale] = (MEAN, MEAN),
) -> dict[str, FloatArray]:
    """Return each of ``STATISTICS`` for every draw of topics.

    Parameters
    ----------
    values_x, values_y : shape (..., n_runs, n_topics); tested values of both scorings, which broadcast. A topic with
        nan in one of them is left out of it.
    scales : of the two scorings.

    Returns
    -------
    Of shape (n_draws, ...) each; nan where a statistic is not defined.
    """
    n_runs = values_y.shape[-2]
    n_scorings = max(values_x[..., 0, 0].size, values_y[..., 0, 0].size)
    parts: dict[str, list[FloatArray]] = {name: [] for name in STATISTICS}
    for batch in draws.batches(max(1, _BATCH // (n_scorings * n_runs * n_runs))):
        x, y = (batch.summaries(values, scale) for scale, values in zip(scales, (values_x, values_y), strict=True))
        x = x.reshape(len(x), *(1,) * (y.ndim - x.ndim), *x.shape[1:])
        defined = ~(np.isnan(x).any(axis=-1) | np.isnan(y).any(axis=-1))
        for name, statistic in STATISTICS.items():
            parts[name].append(np.where(defined, statistic(x, y), np.nan))
    return {name: np.concatenate(found) for name, found in parts.items()}


def quantile_interval(of_draws: FloatArray, alpha: float = ALPHA) -> tuple[FloatArray, FloatArray]:
    """Return the alpha/2 and 1 - alpha/2 quantiles over draws; draws in which a statistic is not defined are left out.

    Parameters
    ----------
    of_draws : shape (n_draws, ...).

    Returns
    -------
    The lower and the upper ends, shape (...) each; nan where more than half of the draws are not defined.
    """
    undefined = np.isnan(of_draws).mean(axis=0) > 0.5 if len(of_draws) else np.ones(of_draws.shape[1:], np.bool_)
    known = np.where(undefined, 0.0, of_draws) if len(of_draws) else np.zeros((1, *of_draws.shape[1:]))
    low, high = np.nanquantile(known, [alpha / 2, 1 - alpha / 2], axis=0)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


Correlations: TypeAlias = Callable[[FloatArray, FloatArray], Mapping[str, FloatArray]]
"""From scores of shape (..., n_runs) to several correlations by name, shape (...) each."""


def correlation_intervals(
    correlations: Correlations,
    scores: tuple[FloatArray, FloatArray],
    drawn: tuple[FloatArray, FloatArray],
    alpha: float = ALPHA,
) -> dict[str, tuple[float, float]]:
    """Return intervals of the correlations that two scorings have over all topics there are.

    They are found by inverting a test. Populations of topics are set up in which y goes by steps from the reverse of x
    to x itself, through what was observed; runs are as far apart in them as the variance that the topics add leaves,
    and the noise of a sample is that of the draws. The interval has the correlation of each population from which
    samples come whose correlation is as low as the one observed in more than alpha/2 of draws, and as high in more than
    alpha/2; and what lies between the quantiles of the draws themselves. Draws without a correlation are left out.

    In a simulation it covers more often than it promises, as docs/lab.md shows.

    Parameters
    ----------
    scores : of x and y, shape (n_runs,) each.
    drawn : the same for draws of topics, shape (n_draws, n_runs) each.

    Returns
    -------
    The ends by name; nan where the correlation or more than half of its draws are not defined.
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
    """Return by how much the differences of runs shrink without the variance that the topics add to them."""
    of_noise = noise - noise.mean(axis=1, keepdims=True)
    added = float((of_noise * of_noise).sum(axis=1).mean()) / float((centred * centred).sum())
    return math.sqrt(max(_LEAST_SIGNAL, 1 - added))


def _in_batches(correlations: Correlations, x: FloatArray, y: FloatArray) -> dict[str, FloatArray]:
    size = max(1, _BATCH // x.shape[1] ** 2)
    parts = [correlations(x[start : start + size], y[start : start + size]) for start in range(0, len(x), size)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def bootstrap_warnings(n_topics: int) -> list[str]:
    """Return a line if there are too few topics for a bootstrap; otherwise none."""
    if n_topics >= FEW_TOPICS:
        return []
    return [f"a bootstrap interval of so few topics ({n_topics}) is too short"]

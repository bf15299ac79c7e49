"""Confidence intervals of mean differences between runs, for each pair on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.lab.statistics.scales import Scale
from irevalx.lab.statistics.significance import RESAMPLES, batch_of, differences, generator, mean, without_noise

INTERVALS = ("bca", "t")
"""How intervals are made: by a bias-corrected and accelerated bootstrap, or from Student's t distribution."""

Ends: TypeAlias = tuple[FloatArray, FloatArray]
"""The lower and the upper ends of intervals, shape (n_pairs,) each."""


def bca_intervals(
    d: FloatArray, confidences: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> list[Ends]:
    """Return bootstrap intervals of the mean difference, bias-corrected and accelerated.

    The topics are resampled, for each pair alike; one set of resamples serves all confidence levels. Where all
    differences are the same, with a single topic above all, the interval is that difference.

    Parameters
    ----------
    d : shape (n_pairs, n_topics), with one topic at least.
    confidences : the probabilities with which intervals cover the difference, in (0, 1).
    resamples : at least 1.
    seed : of the random numbers.

    Returns
    -------
    The ends for each confidence.

    Notes
    -----
    Source: Efron, Better Bootstrap Confidence Intervals, JASA 1987, as ``scipy.stats.bootstrap`` computes them.

    Few topics make them too short. Of 4,000 samples of 5, 10, 20 and 50 normal differences, nominal 95 % intervals (999
    resamples) covered the mean in 0.83, 0.90, 0.93 and 0.94 (``t_intervals``: 0.95 each); of exponential ones in 0.79,
    0.88, 0.91 and 0.94 (0.87, 0.91, 0.92, 0.94).
    """
    varied = (d != d[:, :1]).any(axis=1)
    return _bootstrap((d,), varied, d[:, 0], mean, confidences, resamples=resamples, seed=seed)


def bca_intervals_of_summaries(
    x: FloatArray,
    y: FloatArray,
    scale: Scale,
    confidences: Sequence[float],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Ends]:
    """Return bootstrap intervals of the difference of two summaries; topics are resampled in pairs.

    Parameters
    ----------
    x, y : shape (n_pairs, n_topics), with one topic at least; tested values of two runs.
    scale : of the measure.
    """
    n_topics = x.shape[1]

    def difference(x: FloatArray, y: FloatArray, axis: int) -> FloatArray:
        first, second = (scale.of_mean(np.mean(values, axis=axis), n_topics) for values in (x, y))
        return without_noise(second - first)

    varied = ((x != x[:, :1]) | (y != y[:, :1])).any(axis=1) & differences(x, y).any(axis=1)
    observed = difference(x, y, axis=1)
    return _bootstrap((x, y), varied, observed, difference, confidences, resamples=resamples, seed=seed)


def t_intervals(d: FloatArray, confidences: Sequence[float]) -> list[Ends]:
    """Return intervals from Student's t distribution: mean -+ t(1 - alpha/2, n - 1) s / sqrt(n).

    Parameters
    ----------
    d : shape (n_pairs, n_topics).

    Returns
    -------
    The ends for each confidence; nan with fewer than two topics.
    """
    from scipy import special

    n_pairs, n_topics = d.shape
    if n_topics < 2:
        return [(np.full(n_pairs, np.nan), np.full(n_pairs, np.nan)) for _ in confidences]
    constant = (d == d[:, :1]).all(axis=1)
    error = np.where(constant, 0.0, d.std(axis=1, ddof=1) / np.sqrt(n_topics))
    middle = np.where(constant, d[:, 0], d.mean(axis=1))
    halves = [special.stdtrit(n_topics - 1, (1 + confidence) / 2) * error for confidence in confidences]
    return [(middle - half, middle + half) for half in halves]


def _bootstrap(
    samples: tuple[FloatArray, ...],
    varied: BoolArray,
    observed: FloatArray,
    statistic: Callable[..., FloatArray],
    confidences: Sequence[float],
    *,
    resamples: int,
    seed: int,
) -> list[Ends]:
    """Return bootstrap intervals where the samples vary, and the statistic itself elsewhere."""
    from scipy import stats

    ends = [(observed.copy(), observed.copy()) for _ in confidences]
    if not varied.any():
        return ends
    rows = tuple(sample[varied] for sample in samples)
    found: Any = None
    for (low, high), confidence in zip(ends, confidences, strict=True):
        found = stats.bootstrap(
            rows,
            statistic,
            axis=1,
            paired=True,
            vectorized=True,
            n_resamples=resamples if found is None else 0,
            batch=batch_of(rows[0]),
            confidence_level=confidence,
            method="BCa",
            bootstrap_result=found,
            rng=generator(seed),
        )
        low[varied], high[varied] = found.confidence_interval.low, found.confidence_interval.high
    return ends

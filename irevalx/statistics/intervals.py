"""Per-comparison confidence intervals of mean differences between runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.process.workers import in_order
from irevalx.statistics.scales import Scale
from irevalx.statistics.significance import RESAMPLES, batch_of, differences, generator, mean, without_noise

INTERVALS = ("bca", "t")
"""How intervals are made: by a bias-corrected and accelerated bootstrap, or from Student's t distribution."""

_WORTH_SHARING = 100_000_000
"""From this number of values of resamples on, forking processes is worth it."""

Ends: TypeAlias = tuple[FloatArray, FloatArray]
"""The lower and the upper ends of intervals, shape (n_pairs,) each."""


def bca_intervals(
    d: FloatArray, confidences: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0, processes: int = 1
) -> list[Ends]:
    """Return BCa bootstrap intervals of mean differences of shape (n_pairs, n_topics), for each confidence.

    Pairs share resamples, as do confidence levels; ends do not depend on ``processes``. The ends are nan if all
    differences are the same, for example with one topic. Source: Efron, Better Bootstrap Confidence Intervals, JASA
    1987, as ``scipy.stats.bootstrap`` computes them.

    With few topics intervals are too short. Of 20,000 samples of 5, 10, 20 and 50 normal differences, nominal 95 %
    intervals (999 resamples) covered the mean in 0.84, 0.90, 0.93 and 0.94 (``t_intervals``: 0.95 each); of exponential
    ones in 0.80, 0.87, 0.91 and 0.93 (0.88, 0.90, 0.92, 0.93).
    """
    varied = (d != d[:, :1]).any(axis=1)
    options = {"resamples": resamples, "seed": seed, "processes": processes}
    return _bootstrapped((d,), mean, varied, np.full(len(d), np.nan), confidences, options)


def bca_intervals_of_summaries(
    x: FloatArray,
    y: FloatArray,
    scale: Scale,
    confidences: Sequence[float],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    processes: int = 1,
) -> list[Ends]:
    """Return BCa bootstrap intervals of differences of two summaries, as ``bca_intervals``.

    Topics are resampled in pairs.
    """
    options = {"resamples": resamples, "seed": seed, "processes": processes}
    n_topics = x.shape[1]

    def difference(x: FloatArray, y: FloatArray, axis: int) -> FloatArray:
        first, second = (scale.of_mean(np.mean(values, axis=axis), n_topics) for values in (x, y))
        return without_noise(second - first)

    varied = ((x != x[:, :1]) | (y != y[:, :1])).any(axis=1) & differences(x, y).any(axis=1)
    observed = difference(x, y, axis=1)
    return _bootstrapped((x, y), difference, varied, observed, confidences, options)


def t_intervals(d: FloatArray, confidences: Sequence[float]) -> list[Ends]:
    """Return t intervals of differences of shape (n_pairs, n_topics), for each confidence.

    mean -+ t(1 - alpha/2, n - 1) s / sqrt(n); nan if all differences are the same, for example with one topic.
    """
    from scipy import stats

    varied = (d != d[:, :1]).any(axis=1)
    ends = [(np.full(len(d), np.nan), np.full(len(d), np.nan)) for _ in confidences]
    if varied.any():
        results = stats.ttest_1samp(d[varied], 0.0, axis=1)
        for (low, high), confidence in zip(ends, confidences, strict=True):
            low[varied], high[varied] = results.confidence_interval(confidence)
    return ends


def _bootstrapped(
    samples: tuple[FloatArray, ...],
    statistic: Callable[..., FloatArray],
    varied: BoolArray,
    observed: FloatArray,
    confidences: Sequence[float],
    options: Mapping[str, int],
) -> list[Ends]:
    """Return intervals of a statistic of samples (n_pairs, n_topics) for pairs that vary, else ``observed``."""
    from scipy import stats  # before there are other processes, which would each import it

    ends = [(observed.copy(), observed.copy()) for _ in confidences]
    n_varied = int(np.count_nonzero(varied))
    if not n_varied:
        return ends
    rows = tuple(sample[varied] for sample in samples)
    shared = rows[0].size * options["resamples"] >= _WORTH_SHARING
    parts = np.array_split(np.arange(n_varied), min(options["processes"], n_varied) if shared else 1)

    def work(pairs: IntArray) -> FloatArray:
        chosen, of_pairs = tuple(row[pairs] for row in rows), []
        result: Any = None
        for confidence in confidences:
            result = stats.bootstrap(
                chosen,
                statistic,
                axis=1,
                paired=True,
                vectorized=True,
                n_resamples=options["resamples"] if result is None else 0,
                batch=batch_of(chosen[0]),
                confidence_level=confidence,
                method="BCa",
                bootstrap_result=result,
                rng=generator(options["seed"]),
            )
            of_pairs.append((result.confidence_interval.low, result.confidence_interval.high))
        return np.array(of_pairs, np.float64)

    ends_of_varied = np.concatenate(list(in_order(work, lambda: parts, len(parts))), axis=-1)
    for (low, high), (low_of_varied, high_of_varied) in zip(ends, ends_of_varied, strict=True):
        low[varied], high[varied] = low_of_varied, high_of_varied
    return ends

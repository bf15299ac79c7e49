"""Comparisons of pairs of runs: difference, interval, effect size, wins and losses, and corrected p-values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.lab.statistics.significance import RESAMPLES, TESTS, batch_of, differences, generator, mean


@dataclass(frozen=True)
class Comparison:
    """The comparison of a run with another.

    Parameters
    ----------
    first, second : the rows of the runs.
    mean_first, mean_second : their mean scores.
    difference : mean_second - mean_first.
    low, high : the ends of the bootstrap interval of the difference.
    effect_size : Cohen's d of the paired differences; nan where it is not defined.
    wins, ties, losses : topics for which the second run is better than, equal to, worse than the first.
    p : the p-value of the test, before correction.
    corrected : the p-value corrected for the number of comparisons.
    """

    first: int
    second: int
    mean_first: float
    mean_second: float
    difference: float
    low: float
    high: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    p: float
    corrected: float


def compare(
    values: FloatArray,
    pairs: Sequence[tuple[int, int]],
    *,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    seed: int = 0,
) -> list[Comparison]:
    """Compare pairs of runs.

    Parameters
    ----------
    values : shape (n_runs, n_topics), with one topic at least.
    pairs : rows of the runs to compare.
    test : one of ``TESTS``.
    correction : one of ``CORRECTIONS``.
    alpha : the interval covers the mean difference with a probability of 1 - alpha; in (0, 1).
    seed : of the bootstrap and the permutation test.
    """
    if not pairs:
        return []
    first, second = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    d = differences(values[first], values[second])
    p = TESTS[test](d, seed)
    corrected = CORRECTIONS[correction](p)
    low, high = interval(d, confidence=1 - alpha, seed=seed)
    # The means are those that the evaluator prints: added from left to right.
    means, effect = np.add.accumulate(values, axis=1)[:, -1] / values.shape[1], effect_size(d)
    return [
        Comparison(
            first=one,
            second=other,
            mean_first=float(means[one]),
            mean_second=float(means[other]),
            difference=float(means[other] - means[one]),
            low=float(low[row]),
            high=float(high[row]),
            effect_size=float(effect[row]),
            wins=int(np.count_nonzero(d[row] > 0)),
            ties=int(np.count_nonzero(d[row] == 0)),
            losses=int(np.count_nonzero(d[row] < 0)),
            p=float(p[row]),
            corrected=float(corrected[row]),
        )
        for row, (one, other) in enumerate(pairs)
    ]


def interval(d: FloatArray, *, confidence: float = 0.95, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper ends of bootstrap intervals of the mean, shape (n_pairs,) each.

    Bias-corrected and accelerated, from 9,999 resamples of the topics, the same for each pair. Where all differences
    are the same, with a single topic above all, the interval is that difference.

    Parameters
    ----------
    d : shape (n_pairs, n_topics), with one topic at least.
    """
    from scipy import stats

    low, high = d[:, 0].copy(), d[:, 0].copy()
    varied = (d != d[:, :1]).any(axis=1)
    if varied.any():
        rows = d[varied]
        found = stats.bootstrap(
            (rows,),
            mean,
            axis=1,
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=batch_of(rows),
            confidence_level=confidence,
            method="BCa",
            rng=generator(seed),
        ).confidence_interval
        low[varied], high[varied] = found.low, found.high
    return low, high


def effect_size(d: FloatArray) -> FloatArray:
    """Cohen's d of paired differences: their mean in units of their standard deviation (n - 1).

    0 where all differences are zero; nan where they are all the same otherwise, or with a single topic.

    Parameters
    ----------
    d : shape (..., n_topics), with one topic at least.
    """
    constant = (d == d[..., :1]).all(axis=-1)
    deviation = np.ones(constant.shape) if d.shape[-1] < 2 else d.std(axis=-1, ddof=1)
    size: FloatArray = d.mean(axis=-1) / np.where(constant, 1.0, deviation)
    return np.where(constant & (d[..., 0] != 0), np.nan, size)


def bonferroni(p: FloatArray) -> FloatArray:
    """Multiply each p by their number: the chance of any false difference is bounded."""
    return np.minimum(1.0, p * p.size)


def holm(p: FloatArray) -> FloatArray:
    """Bonferroni's bound, step by step: the i-th smallest p counts n - i + 1 times [Holm 1979]."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Bound the share of false ones among the differences found [Benjamini & Hochberg 1995]."""
    from scipy import stats

    return stats.false_discovery_control(p, method="bh")


def uncorrected(p: FloatArray) -> FloatArray:
    """Leave each p as it is."""
    return p


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "benjamini-hochberg": benjamini_hochberg,
    "none": uncorrected,
}
"""Corrections of p-values of shape (n,) for many comparisons, by the name that ``--correction`` takes."""

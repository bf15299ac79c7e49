"""Significance of differences: paired tests over topics, and decisions about all pairs of runs.

A test takes differences of shape (..., n_topics) and gives a two-sided p-value for each row of topics, shape (...).
``differences`` are free of rounding errors, so that 0.3 - 0.2 and 0.2 - 0.1 are equal, as a test by ranks needs them.
Without topics, with one topic, and where all differences are zero, p is 1.

scipy is imported where it is used: importing it takes longer than most of the commands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, ratio

DECIMALS = 12
"""The decimals of a difference that count; what differs behind them is taken for rounding error."""

ALPHA = 0.05
"""A p-value below this is significant."""

RESAMPLES = 9999
"""How many resamples a random test or interval draws."""

_ENUMERABLE = 13
"""Up to so many topics all ways of flipping their signs are tried."""

_EXACT = 50
"""Up to so many topics without ties the distribution of Wilcoxon's statistic is computed; above, it is normal."""

Test: TypeAlias = Callable[[FloatArray, int], FloatArray]
"""Differences of shape (..., n_topics) and a seed -> p-values of shape (...)."""


def differences(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return y - x, rounded to 12 decimals: equal differences are equal numbers, and none is 0.0 exactly."""
    return without_noise(y - x)


def without_noise(x: FloatArray) -> FloatArray:
    """Round to 12 decimals: what differs by the order of additions alone is equal, and nothing is -0.0."""
    rounded: FloatArray = np.round(x, DECIMALS)
    return rounded + 0.0


def pairs_of_runs(n_runs: int) -> tuple[IntArray, IntArray]:
    """Return the first and the second run of every pair: (0, 1), (0, 2), ..., (1, 2), ..."""
    first, second = np.triu_indices(n_runs, 1)
    return first, second


def paired_t(d: FloatArray, seed: int = 0) -> FloatArray:
    """Student's t test of whether the mean difference is zero.

    Differences that are all the same leave no doubt: p is 0, or 1 where they are all zero.

    Parameters
    ----------
    d : shape (..., n_topics); differences between two runs.
    seed : not used.
    """
    from scipy import special

    n_topics = d.shape[-1]
    if n_topics < 2:
        return np.ones(d.shape[:-1])
    constant = (d == d[..., :1]).all(axis=-1)
    error = np.where(constant, 1.0, d.std(axis=-1, ddof=1) / np.sqrt(n_topics))
    p: FloatArray = 2 * special.stdtr(n_topics - 1, -np.abs(d.mean(axis=-1) / error))
    return np.where(constant, np.where(d[..., 0] == 0, 1.0, 0.0), p)


def wilcoxon(d: FloatArray, seed: int = 0) -> FloatArray:
    """Wilcoxon's signed rank test of whether the differences are symmetric about zero.

    What ``scipy.stats.wilcoxon`` gives for each row on its own: topics without a difference are left out, tied
    differences share their mean rank, nothing is corrected for continuity. Up to 13 topics every way of flipping their
    signs is tried; up to 50 topics without a tie or a zero the exact distribution is computed; otherwise the normal
    distribution stands for it.

    Parameters
    ----------
    d : shape (..., n_topics); differences between two runs.
    seed : not used.
    """
    from scipy import special, stats

    n_topics = d.shape[-1]
    if n_topics == 0:
        return np.ones(d.shape[:-1])
    zero = d == 0
    ranks = np.where(zero, 0.0, stats.rankdata(np.abs(d), axis=-1) - np.count_nonzero(zero, axis=-1)[..., np.newaxis])
    upper = np.where(d > 0, ranks, 0.0).sum(axis=-1)
    if n_topics <= _ENUMERABLE:
        return _by_enumeration(ranks, upper)
    squares = (ranks * ranks).sum(axis=-1)
    excess = 2 * upper - ranks.sum(axis=-1)
    p: FloatArray = 2 * special.ndtr(-np.abs(ratio(excess, np.sqrt(squares))))
    if n_topics <= _EXACT:
        untied = squares == n_topics * (n_topics + 1) * (2 * n_topics + 1) // 6
        lower = np.minimum(upper, n_topics * (n_topics + 1) // 2 - upper)
        p = np.where(untied, _untied(n_topics)[np.where(untied, lower, 0).astype(np.int64)], p)
    return p


def sign_flips(d: FloatArray, seed: int = 0) -> FloatArray:
    """Permutation test: the chance of a mean as far from zero when signs are flipped at random.

    Every way of flipping them is tried up to 13 topics, else 9,999 of them, the same for each row.

    Parameters
    ----------
    d : shape (..., n_topics); differences between two runs.
    seed : of the random numbers.
    """
    from scipy import stats

    if d.shape[-1] < 2:
        return np.ones(d.shape[:-1])
    rows = d.reshape(-1, d.shape[-1])
    result = stats.permutation_test(
        (rows,),
        mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=batch_of(rows),
        axis=1,
        rng=generator(seed),
    )
    p: FloatArray = np.asarray(result.pvalue, np.float64).reshape(d.shape[:-1])
    return np.where((d == 0).all(axis=-1), 1.0, p)


TESTS: dict[str, Test] = {"t": paired_t, "wilcoxon": wilcoxon, "permutation": sign_flips}
"""The paired tests, by the name that ``--test`` takes."""


def generator(seed: int) -> np.random.Generator:
    """Return random numbers that are the same on every platform."""
    return np.random.Generator(np.random.PCG64([int(seed < 0), abs(seed)]))


def mean(x: FloatArray, axis: int) -> FloatArray:
    """Return means of differences, rounded: which of them are equal must not depend on how a processor adds."""
    return without_noise(np.asarray(np.mean(x, axis=axis), np.float64))


def batch_of(rows: AnyArray) -> int:
    """Return how many resamples of rows may be in memory at a time."""
    return max(1, 1_000_000 // max(1, rows.size))


def decisions(values: FloatArray) -> BoolArray:
    """Decide for every pair of runs whether they differ: Wilcoxon's test at 0.05 [Bompada et al. 2007, section 4].

    Parameters
    ----------
    values : shape (..., n_runs, n_topics).

    Returns
    -------
    Shape (..., n_pairs), pairs in the order of ``pairs_of_runs``. Runs that are equal for all topics do not differ.
    """
    first, second = pairs_of_runs(values.shape[-2])
    return wilcoxon(differences(values[..., second, :], values[..., first, :])) < ALPHA


@dataclass(frozen=True)
class Confusion:
    """Decisions under reduced judgments against those under full judgments [Bompada et al. 2007, section 4].

    Parameters
    ----------
    both_equal : C[1,1]; pairs of runs that are "not different" under both.
    only_full_equal : C[1,2]; "not different" under full, "different" under reduced judgments.
    only_reduced_equal : C[2,1]; "different" under full, "not different" under reduced judgments.
    both_different : C[2,2]; pairs that are "different" under both.
    """

    both_equal: int
    only_full_equal: int
    only_reduced_equal: int
    both_different: int

    @property
    def accuracy(self) -> float:
        """The share of decisions that stay as they were, in [0, 1]; 0 without any pair."""
        total = self.both_equal + self.only_full_equal + self.only_reduced_equal + self.both_different
        return _share(self.both_equal + self.both_different, total)

    @property
    def g_mean(self) -> float:
        """The geometric mean of recall and precision of "not different", in [0, 1]; 0 where one counts nothing."""
        recall = _share(self.both_equal, self.both_equal + self.only_full_equal)
        precision = _share(self.both_equal, self.both_equal + self.only_reduced_equal)
        return float(np.sqrt(recall * precision))


def confusion(full: BoolArray, reduced: BoolArray) -> Confusion:
    """Count how decisions change.

    Parameters
    ----------
    full, reduced : shape (n_pairs,); whether the runs of a pair differ under full and under reduced judgments.
    """
    return Confusion(
        int(np.count_nonzero(~full & ~reduced)),
        int(np.count_nonzero(~full & reduced)),
        int(np.count_nonzero(full & ~reduced)),
        int(np.count_nonzero(full & reduced)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _by_enumeration(ranks: FloatArray, upper: FloatArray) -> FloatArray:
    """Return Wilcoxon's p from all ways of flipping signs; sums of halves and integers are exact."""
    null = ranks @ _all_signs(ranks.shape[-1])
    below = np.count_nonzero(null <= upper[..., np.newaxis], axis=-1)
    above = np.count_nonzero(null >= upper[..., np.newaxis], axis=-1)
    p: FloatArray = np.minimum(1.0, 2 * np.minimum(below, above) / null.shape[-1])
    return p


@cache
def _all_signs(n: int) -> FloatArray:
    """Return all choices among n topics, shape (n, 2**n)."""
    choice = np.arange(2**n)
    bits: FloatArray = (choice >> np.arange(n)[:, np.newaxis] & 1).astype(np.float64)
    return bits


@cache
def _untied(n: int) -> FloatArray:
    """Return p by the smaller rank sum of n differences without ties, from how many subsets of 1..n have each sum."""
    ways = np.ones(1)
    for rank in range(1, n + 1):
        with_rank = np.concatenate((np.zeros(rank), ways))
        ways = with_rank + np.concatenate((ways, np.zeros(rank)))
    return np.minimum(1.0, 2 * np.cumsum(ways) / 2.0**n)

"""Significance of differences: paired tests over topics.

A paired test takes differences of shape (..., n_topics) and gives a two-sided p-value for each row of topics, shape
(...). ``differences`` are free of rounding errors, so that 0.3 - 0.2 and 0.2 - 0.1 are equal, as rank tests require.
Without topics, with one topic, and if all differences are zero, p is 1.

scipy is imported where it is used: importing it takes longer than most of the commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen

DECIMALS = 12
"""Decimals of a difference that count; the rest is taken for rounding error."""

ALPHA = 0.05
"""A p-value below this is significant."""

RESAMPLES = 9999
"""Default number of resamples of a random test or interval."""

FEW_TOPICS = 5
"""With fewer topics, or fewer that differ, there is no interval and no significance."""

_ENUMERABLE = 13
"""Up to this number of topics Wilcoxon's test enumerates all sign flips, which scipy does row by row."""

_EXACT = 50
"""Up to this number of topics without ties the distribution of Wilcoxon's statistic is exact; above it is normal."""


def differences(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return y - x, rounded to 12 decimals: equal differences are equal numbers, and none is 0.0 exactly."""
    return without_noise(y - x)


def without_noise(x: FloatArray) -> FloatArray:
    """Round to 12 decimals, so that the order of additions does not matter; nothing is -0.0."""
    rounded: FloatArray = np.round(x, DECIMALS)
    return rounded + 0.0


def in_units(x: FloatArray) -> FloatArray:
    """Return x in units of the last decimal that counts: integers, whose sums are exact in any order."""
    return np.rint(x * 10.0**DECIMALS)


def pairs_of_runs(n_runs: int) -> tuple[IntArray, IntArray]:
    """Return the first and the second run of every pair: (0, 1), (0, 2), ..., (1, 2), ..."""
    first, second = np.triu_indices(n_runs, 1)
    return first, second


def mean(x: FloatArray, axis: int) -> FloatArray:
    """Return rounded means of differences: which of them are equal must not depend on how a processor adds."""
    return without_noise(np.asarray(np.mean(x, axis=axis), np.float64))


def generator(seed: int, stream: int = 0) -> np.random.Generator:
    """Return a random generator with the same numbers on every platform; streams are independent."""
    return np.random.Generator(np.random.PCG64([int(seed < 0), abs(seed), *([stream] if stream else [])]))


def batch_of(rows: AnyArray) -> int:
    """Return the number of resamples of rows that are in memory at a time."""
    return max(1, 1_000_000 // max(1, rows.size))


def paired_t(d: FloatArray, resamples: int = RESAMPLES, seed: int = 0) -> FloatArray:
    """Student's t test of whether the mean difference is zero, of differences of shape (..., n_topics).

    If all differences are the same, p is that of sign flips: 2 of 2^n ways, 1 if they are zero.
    """
    from scipy import stats

    if d.shape[-1] < 2:
        return np.ones(d.shape[:-1])
    varied = (d != d[..., :1]).any(axis=-1)
    p = np.where(d[..., 0] == 0, 1.0, 2.0 ** (1 - d.shape[-1]))
    if varied.any():
        p[varied] = stats.ttest_1samp(d[varied], 0.0, axis=-1).pvalue
    return p


def wilcoxon(d: FloatArray, resamples: int = RESAMPLES, seed: int = 0) -> FloatArray:
    """Wilcoxon's signed rank test of whether differences of shape (..., n_topics) are symmetric about zero.

    As ``scipy.stats.wilcoxon`` for each row: topics without a difference are left out, tied differences share their
    mean rank, without continuity correction. Up to 13 topics all sign flips are counted; up to 50 topics without ties
    and zeros the distribution is exact; otherwise it is normal.
    """
    from scipy import stats

    n_topics = d.shape[-1]
    if n_topics <= _ENUMERABLE:
        return _by_enumeration(d)
    p = np.ones(d.shape[:-1])
    varied = d.any(axis=-1)
    if varied.any():
        p[varied] = stats.wilcoxon(d[varied], axis=-1, method="approx").pvalue
    if n_topics <= _EXACT:
        sizes = np.sort(np.abs(d), axis=-1)
        untied = (sizes[..., 0] > 0) & (np.diff(sizes, axis=-1) > 0).all(axis=-1)
        if untied.any():
            p[untied] = stats.wilcoxon(d[untied], axis=-1, method="exact").pvalue
    return p


def sign_flips(d: FloatArray, resamples: int = RESAMPLES, seed: int = 0) -> FloatArray:
    """Permutation test: the probability of a mean as far from zero if signs are flipped at random.

    If there are at most ``resamples`` ways of flipping signs, p is the share of those with a mean as far from zero as
    observed. Otherwise that many are drawn, the same for each row of the differences, shape (..., n_topics), and p is
    (1 + count)/(1 + resamples), as the observed signs are one more way.

    Source: Smucker, Allan and Carterette, CIKM 2007; Phipson and Smyth, Permutation p-values should never be zero,
    Statistical Applications in Genetics and Molecular Biology 2010.
    """
    n_topics = d.shape[-1]
    if n_topics < 2:
        return np.ones(d.shape[:-1])
    whole = in_units(d).reshape(-1, n_topics)
    as_observed = np.abs(whole.sum(axis=1)) - n_topics  # thirds, say, are rounded by up to half a unit a topic
    as_far = np.zeros(len(whole), np.int64)
    for signs in _sign_vectors(n_topics, resamples, seed, batch=max(1, 4_000_000 // (n_topics + len(whole)))):
        as_far += np.count_nonzero(np.abs(signs @ whole.T) >= as_observed, axis=0)
    p = as_far / 2**n_topics if _all_signs_fit(n_topics, resamples) else (1 + as_far) / (1 + resamples)
    return p.reshape(d.shape[:-1])


def without_spread(d: FloatArray) -> BoolArray:
    """Return whether fewer than ``FEW_TOPICS`` topics differ, or all by the same amount: shape (n_pairs,).

    There is no t test and no interval then; the p-value is that of ``exact_sign_flips``.
    """
    return np.asarray((d == d[:, :1]).all(axis=1) | (np.count_nonzero(d, axis=1) < FEW_TOPICS))


def exact_sign_flips(d: FloatArray) -> float:
    """Return the exact p-value of sign flips if at most 13 topics differ, or all by the same amount; 1 if none does.

    Topics without a difference change no sum. 2 of the 2^n ways are as far from zero as n equal differences.
    """
    few = d[d != 0]
    if not few.size:
        return 1.0
    return float(2.0 ** (1 - few.size)) if (few == few[0]).all() else float(sign_flips(few))


def _all_signs_fit(n_topics: int, resamples: int) -> bool:
    return n_topics < resamples.bit_length()  # 2**n_topics <= resamples


def _sign_vectors(n_topics: int, resamples: int, seed: int, batch: int) -> Iterator[FloatArray]:
    """Yield all vectors of n_topics signs, or random ones, in batches of shape (n, n_topics)."""
    every = _all_signs_fit(n_topics, resamples)
    random = generator(seed)
    total = 2**n_topics if every else resamples
    for start in range(0, total, batch):
        rows = min(batch, total - start)
        if every:
            bits = np.arange(start, start + rows)[:, np.newaxis] >> np.arange(n_topics) & 1
        else:
            bits = random.integers(0, 2, (rows, n_topics))
        yield np.where(bits, -1.0, 1.0)


def _least_t(n_topics: int, resamples: int) -> float:
    return 0.0 if n_topics > 1 else 1.0


def _least_wilcoxon(n_topics: int, resamples: int) -> float:
    """Return p of all differences of one sign and of different sizes."""
    if n_topics <= _EXACT:
        return 2.0 ** min(0, 1 - n_topics)
    return float(wilcoxon(np.arange(1.0, n_topics + 1)))


def _least_sign_flips(n_topics: int, resamples: int) -> float:
    return 2.0 ** min(0, 1 - n_topics) if _all_signs_fit(n_topics, resamples) else 1 / (1 + resamples)


class PairedTest(Frozen):
    """A paired test over topics."""

    words: str
    """Its name in help and notes."""
    p_values: Callable[[FloatArray, int, int], FloatArray]
    """Differences of shape (..., n_topics), resamples and seed -> p-values of shape (...)."""
    least_p: Callable[[int, int], float]
    """Numbers of topics and resamples -> the least possible p-value."""
    resampled: bool = False
    """Whether the test draws resamples if there are many topics."""


TESTS: dict[str, PairedTest] = {
    "t": PairedTest("Student's t test", paired_t, _least_t),
    "wilcoxon": PairedTest("Wilcoxon's signed rank test", wilcoxon, _least_wilcoxon),
    "permutation": PairedTest("a permutation test of flipped signs", sign_flips, _least_sign_flips, resampled=True),
}
"""The paired tests, by the name that ``--test`` takes."""


def _by_enumeration(d: FloatArray) -> FloatArray:
    """Return Wilcoxon's p from all sign flips, counted once for all rows with the same ranks."""
    from scipy import stats

    n_topics = d.shape[-1]
    if n_topics == 0:
        return np.ones(d.shape[:-1])
    rows = d.reshape(-1, n_topics)
    zero = rows == 0
    ranks = np.where(zero, 0.0, stats.rankdata(np.abs(rows), axis=-1) - np.count_nonzero(zero, axis=-1)[:, np.newaxis])
    doubled = np.rint(2 * ranks).astype(np.int64)  # tied differences have ranks of halves
    upper = np.where(rows > 0, doubled, 0).sum(axis=-1)
    place = (2 * n_topics + 1) ** np.arange(n_topics)
    ascending = np.sort(doubled, axis=-1)
    _, first, group = np.unique(ascending @ place, return_index=True, return_inverse=True)
    up_to = np.stack([_ways_up_to(tuple(ranked)) for ranked in ascending[first].tolist()])
    total = 2**n_topics
    below, above = up_to[group, upper + 1], total - up_to[group, upper]
    p: FloatArray = np.minimum(1.0, 2 * np.minimum(below, above) / total)
    return p.reshape(d.shape[:-1])


@lru_cache(maxsize=2**13)
def _ways_up_to(numbers: tuple[int, ...]) -> IntArray:
    """Return the number of subsets of n doubled ranks with a sum below s, for s from 0 to n (n + 1) + 1."""
    ways = np.zeros(len(numbers) * (len(numbers) + 1) + 1, np.int64)
    ways[0] = 1
    for number in numbers:
        ways[number:] = ways[number:] + ways[: ways.size - number]
    up_to = np.append(0, np.cumsum(ways))
    up_to.setflags(write=False)
    return up_to

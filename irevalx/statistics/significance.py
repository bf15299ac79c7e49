"""Paired significance tests over topics, and the scales on which measures are tested.

Most measures are averaged. A geometric mean is a mean of logarithms, so logarithms are tested. Numbers of documents are
summed over topics, so differences and intervals refer to the sums.

A paired test receives differences of shape (..., n_topics) and returns two-sided p-values of shape (...), one for each
row of topics. The function ``differences`` removes rounding errors, so that 0.3 - 0.2 and 0.2 - 0.1 are equal, as rank
tests require. The p-value is 1 if there is at most one topic, or if all differences are zero.

scipy is imported where it is used, because importing it takes longer than most of the commands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen


class Scale(Frozen):
    """The scale on which the values of topics are tested and summarised."""

    name: str
    """The name of the summary in messages, for example mean."""
    transform: Callable[[FloatArray], FloatArray]
    """A function that converts values of shape (..., n_topics) to tested values, whose mean determines the summary."""
    of_sum: Callable[[FloatArray, int | FloatArray], FloatArray]
    """A function that converts sums of tested values over topics to summaries, given the numbers of topics. The shape
    of the sums is (...)."""
    is_linear: bool = True
    """Whether the summary of a difference is the difference of the summaries."""

    def __reduce__(self) -> tuple[Any, ...]:
        return scale_with, tuple(vars(self).values())  # the same object, because scales are compared by identity

    def of_mean(self, means: FloatArray, n_topics: int) -> FloatArray:
        """Convert means of tested values over topics to summaries. The shapes are (...)."""
        return self.of_sum(means * n_topics, n_topics)

    def summarise(self, tested: FloatArray) -> FloatArray:
        """Summarise tested values like the evaluator. The shape of ``tested`` is (..., n_topics)."""
        n_topics = tested.shape[-1]
        return self.of_sum(np.add.accumulate(tested, axis=-1)[..., -1], n_topics)


def _unchanged(values: FloatArray) -> FloatArray:
    return values


def _means(sums: FloatArray, n_topics: int | FloatArray) -> FloatArray:
    return sums / n_topics


def _sums(sums: FloatArray, n_topics: int | FloatArray) -> FloatArray:
    return sums


_SCALES: dict[str, Scale] = {}


def scale_with(name: str, *parts: Any) -> Scale:
    """Return the named scale. Each scale is created once, because scales are compared by identity."""
    return _SCALES.setdefault(name, Scale(name, *parts))


MEAN = scale_with("mean", _unchanged, _means)
TOTAL = scale_with("sum", _unchanged, _sums)


DECIMALS = 12
"""The number of significant decimals of a difference. Further decimals are treated as rounding error."""

ALPHA = 0.05
"""The significance level, below which a p-value is significant."""

RESAMPLES = 9999
"""The default number of resamples for random tests and bootstrap intervals."""

FEW_TOPICS = 5
"""The minimum number of topics, and of topics with a difference, for which intervals and significance are reported."""

_ENUMERABLE = 13
"""The maximum number of topics for which Wilcoxon's test enumerates all sign flips, faster than scipy."""

_SAME = 1e-9
"""The amount up to which differences are treated as equal, because rounding errors add up."""

_EXACT = 50
"""The maximum number of topics for which Wilcoxon's distribution is exact if there are no ties. If there are more
topics, the normal approximation is used."""


def differences(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return y - x, rounded to 12 decimals, so that equal differences are equal numbers, and zero is exactly 0.0."""
    return without_noise(y - x)


def without_noise(x: FloatArray) -> FloatArray:
    """Round to 12 decimals, so that the order of additions does not matter. Replace -0.0 by 0.0."""
    rounded: FloatArray = np.round(x, DECIMALS)
    return rounded + 0.0


def in_units(x: FloatArray) -> FloatArray:
    """Return x in units of the last significant decimal. The sums of these integers are exact in any order."""
    return np.rint(x * 10.0**DECIMALS)


def pairs_of_runs(n_runs: int) -> tuple[IntArray, IntArray]:
    """Return the first and the second run of every pair: (0, 1), (0, 2), ..., (1, 2), ..."""
    first, second = np.triu_indices(n_runs, 1)
    return first, second


def mean(x: FloatArray, axis: int) -> FloatArray:
    """Return means of differences, rounded so that equal means are equal numbers on every processor."""
    return without_noise(np.asarray(np.mean(x, axis=axis), np.float64))


def generator(seed: int, stream: int = 0) -> np.random.Generator:
    """Create a random generator with the same numbers on every platform. Different streams are independent."""
    return np.random.Generator(np.random.PCG64([int(seed < 0), abs(seed), *([stream] if stream else [])]))


def batch_of(rows: AnyArray) -> int:
    """Return the number of resamples of ``rows`` that are held in memory at a time."""
    return max(1, 1_000_000 // max(1, rows.size))


def mean_and_error(d: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of each row and the standard error of the mean. The shape of ``d`` is (..., n_topics)."""
    return d.mean(axis=-1), np.sqrt(d.var(axis=-1, ddof=1) / d.shape[-1])


def paired_t(
    d: FloatArray, resamples: int = RESAMPLES, seed: int = 0, least: float = 0.0, greatest: float = 1.0
) -> FloatArray:
    """Test whether the mean difference is zero by Student's t test. The shape of ``d`` is (..., n_topics).

    To save time, a p-value below ``least`` is returned as 0, and a p-value above ``greatest`` as 1.
    """
    from scipy import special  # importing scipy.stats takes most of the time of a small comparison

    if d.shape[-1] < 2:
        return np.ones(d.shape[:-1])
    varied = (d != d[..., :1]).any(axis=-1)
    p = np.where(d[..., 0] == 0, 1.0, 2.0 ** (1 - d.shape[-1]))  # of sign flips, if all differences are equal
    if varied.any():
        centre, error = mean_and_error(np.ascontiguousarray(d) if d.ndim == 2 and varied.all() else d[varied])
        df, t = d.shape[-1] - 1, -np.abs(centre / error)
        low = special.stdtrit(df, least / 2) if least > 0 else -math.inf
        high = special.stdtrit(df, greatest / 2) if greatest < 1 else 0.0
        of_varied, is_between = np.where(t < low, 0.0, 1.0), (t >= low) & (t <= high)
        of_varied[is_between] = 2 * special.stdtr(df, t[is_between])
        p[varied] = of_varied
    return p


def wilcoxon(d: FloatArray, resamples: int = RESAMPLES, seed: int = 0) -> FloatArray:
    """Test whether differences are symmetric about zero by Wilcoxon's signed rank test.

    The result equals the result of ``scipy.stats.wilcoxon`` for each row: topics that have no difference are excluded,
    tied differences share their mean rank, and no continuity correction is applied. For up to 13 topics, all sign flips
    are enumerated. For up to 50 topics with neither ties nor zeros, the distribution is exact. In other cases, the
    distribution is approximated by a normal distribution. The shape of ``d`` is (..., n_topics).
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
    """Test whether the mean difference is zero by flipping signs at random.

    The p-value is the fraction of the ways of flipping signs for which the mean is at least as far from zero as the
    observed mean. The p-value is exact if there are at most ``resamples`` ways of flipping signs, or if the means have
    at most ``resamples`` different values (``steps_of``), as for measures that count documents. If the p-value is not
    exact, ``resamples`` random sign vectors are drawn, which are the same for all rows, and the p-value is (1 +
    count)/(1 + resamples), which includes the observed signs. The shape of ``d`` is (..., n_topics). Source: Smucker,
    Allan and Carterette, CIKM 2007; Phipson and Smyth, Permutation p-values should never be zero, Statistical
    Applications in Genetics and Molecular Biology 2010.
    """
    n_topics = d.shape[-1]
    if n_topics < 2:
        return np.ones(d.shape[:-1])
    rows, is_enumerated = d.reshape(-1, n_topics), _all_signs_fit(n_topics, resamples)
    p = np.array([math.nan if is_enumerated else _exact_p(steps_of(row, resamples)) for row in rows])
    rest = np.isnan(p)
    whole = in_units(rows[rest])
    as_far = np.zeros(len(whole), np.int64)
    runs = _runs_of_pairs(in_units(rows)) if np.count_nonzero(rest) > math.isqrt(2 * len(rows)) else None
    # Rounding errors are at most half a unit per topic, or one and a half if values of runs are subtracted.
    as_observed = np.abs(whole.sum(axis=1)) - (n_topics if runs is None else 2 * n_topics)
    summed, groups = whole, [np.arange(len(whole))]
    if runs is not None:
        summed, (first, second) = runs, (side[rest] for side in pairs_of_runs(len(runs)))
        groups = np.split(groups[0], np.flatnonzero(np.diff(first)) + 1)  # the pairs of each first run
    for signs in _sign_vectors(n_topics, resamples, seed, batch=max(1, 2_000_000 // (n_topics + len(summed)))):
        sums = summed @ signs.T
        for pairs in groups:
            flipped = sums if runs is None else sums[second[pairs]] - sums[first[pairs[0]]]
            as_far[pairs] += np.count_nonzero(np.abs(flipped) >= as_observed[pairs, np.newaxis], axis=1)
    p[rest] = as_far / 2**n_topics if is_enumerated else (1 + as_far) / (1 + resamples)
    return p.reshape(d.shape[:-1])


def _runs_of_pairs(whole: FloatArray) -> FloatArray | None:
    """Return the values of the runs, minus the values of the first run, if the rows are differences of all pairs.

    Return None if the rows are not differences of all pairs, up to rounding, or if sums of the values are not exact.
    The shape of ``whole`` is (n_pairs, n_topics), and the shape of the result is (n_runs, n_topics).
    """
    n_runs = (1 + math.isqrt(1 + 8 * len(whole))) // 2
    first, second = pairs_of_runs(n_runs)
    if first.size != len(whole):
        return None
    runs = np.concatenate([np.zeros((1, whole.shape[1])), whole[: n_runs - 1]])
    are_differences = (np.abs(runs[second] - runs[first] - whole) <= 1).all()
    return runs if are_differences and np.abs(runs).sum(axis=1).max() < 2**53 else None


def steps_of(d: FloatArray, resamples: int) -> IntArray | None:
    """Divide the differences of a pair by their greatest common divisor. Return integers of shape (n_topics,).

    If the sums of flipped differences take more than ``resamples`` values, return None.
    """
    total, unit = float(np.abs(d).sum()), 0.0
    for size in np.unique(np.abs(d[d != 0])).tolist():
        unit, rest = size, abs(math.remainder(unit, size))
        while rest > _SAME:  # Euclid's algorithm
            unit, rest = rest, abs(math.remainder(unit, rest))
        if unit * resamples <= total:
            return None
    steps = np.rint(d / (unit or 1.0)).astype(np.int64)
    return None if np.abs(d - steps * unit).max(initial=0.0) > 10 * _SAME else steps


def _exact_p(steps: IntArray | None) -> float:
    """Return the exact p-value of flipping the signs of integer differences, or NaN if ``steps`` is None."""
    if steps is None:
        return math.nan
    sums = _subset_sums(np.abs(steps[steps != 0]).tolist())
    return min(1.0, 2 * float(sums[: (sums.size - 1 - abs(int(steps.sum()))) // 2 + 1].sum()))


def _exact_rows(d: FloatArray, resamples: int) -> BoolArray:
    """Return whether each pair's p-value of ``sign_flips`` is exact. The shape of ``d`` is (n_pairs, n_topics)."""
    fit = _all_signs_fit(d.shape[1], resamples)
    return np.array([fit or steps_of(row, resamples) is not None for row in d], np.bool_)


def without_spread(d: FloatArray) -> BoolArray:
    """Return whether the differences of a pair are all equal, or fewer than ``FEW_TOPICS`` of them are not 0.

    The shape of ``d`` is (n_pairs, n_topics).
    """
    return np.asarray((d == d[:, :1]).all(axis=1) | (np.count_nonzero(d, axis=1) < FEW_TOPICS))


def exact_sign_flips(d: FloatArray) -> float:
    """Return the p-value of a sign-flip test, which is exact for up to 13 differences or for equal differences."""
    few = d[d != 0]  # zero differences do not change any sum
    if not few.size:
        return 1.0
    return float(2.0 ** (1 - few.size)) if (few == few[0]).all() else float(sign_flips(few))


def paired_p_values(
    test: str, d: FloatArray, resamples: int = RESAMPLES, seed: int = 0, least: float = 0.0, greatest: float = 1.0
) -> FloatArray:
    """Compute the p-values of a test in ``TESTS``. Sign flips replace the t test for pairs ``without_spread``.

    See ``paired_t`` for ``least`` and ``greatest``. The other tests ignore them.
    """
    if test != "t":
        return TESTS[test].p_values(d, resamples, seed)
    p = paired_t(d, least=least, greatest=greatest)
    for row in np.flatnonzero(without_spread(d)) if d.shape[1] else ():
        p[row] = exact_sign_flips(d[row])
    return p


def _all_signs_fit(n_topics: int, resamples: int) -> bool:
    return n_topics < resamples.bit_length()  # 2**n_topics <= resamples


def _sign_vectors(n_topics: int, resamples: int, seed: int, batch: int) -> Iterator[FloatArray]:
    """Yield all sign vectors, or random sign vectors if there are too many, in batches of shape (n, n_topics)."""
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


def _least_wilcoxon(n_topics: int, resamples: int) -> float:
    """Return the lowest p-value of Wilcoxon's test, for differences with equal signs and distinct absolute values."""
    if n_topics <= _EXACT:
        return 2.0 ** min(0, 1 - n_topics)
    return float(wilcoxon(np.arange(1.0, n_topics + 1)))


def _least_sign_flips(n_topics: int, resamples: int) -> float:
    return 2.0 ** min(0, 1 - n_topics) if _all_signs_fit(n_topics, resamples) else 1 / (1 + resamples)


class PairedTest(Frozen):
    """A paired significance test over topics."""

    words: str
    """The description of the test in help texts and notes."""
    p_values: Callable[[FloatArray, int, int], FloatArray]
    """A function that computes p-values of shape (...) from differences of shape (..., n_topics), resamples and a seed.
    """
    least_p: Callable[[int, int], float]
    """A function that returns the lowest p-value that is not ``exact``, given the numbers of topics and resamples."""
    exact: Callable[[FloatArray, int], BoolArray] | None = None
    """A function that returns whether each row's p-value is exact, or None if the test is never random."""
    with_systems: bool = False
    """Whether the test can compare systems with several runs, whose variance comes partly from the runs."""


TESTS: dict[str, PairedTest] = {
    "t": PairedTest("Student's t test", paired_t, lambda n_topics, _: float(n_topics < 2), with_systems=True),
    "wilcoxon": PairedTest("Wilcoxon's signed rank test", wilcoxon, _least_wilcoxon),
    "permutation": PairedTest("a permutation test of flipped signs", sign_flips, _least_sign_flips, _exact_rows),
}
"""The paired tests, which have the names of the values of ``--test``."""


def _by_enumeration(d: FloatArray) -> FloatArray:
    """Compute Wilcoxon's p-values from all sign flips. Rows with the same ranks share the enumeration."""
    from scipy import stats

    n_topics = d.shape[-1]
    if n_topics == 0:
        return np.ones(d.shape[:-1])
    rows = d.reshape(-1, n_topics)
    zero = rows == 0
    ranks = np.where(zero, 0.0, stats.rankdata(np.abs(rows), axis=-1) - np.count_nonzero(zero, axis=-1)[:, np.newaxis])
    doubled = np.rint(2 * ranks).astype(np.int64)  # doubled, because tied differences can have ranks that end in .5
    upper = np.where(rows > 0, doubled, 0).sum(axis=-1)
    place = (2 * n_topics + 1) ** np.arange(n_topics)
    ascending = np.sort(doubled, axis=-1)
    _, first, group = np.unique(ascending @ place, return_index=True, return_inverse=True)
    up_to = np.stack([_subset_shares(tuple(ranked)) for ranked in ascending[first].tolist()])
    below, above = up_to[group, upper + 1], 1 - up_to[group, upper]
    p: FloatArray = np.minimum(1.0, 2 * np.minimum(below, above))
    return p.reshape(d.shape[:-1])


@lru_cache(maxsize=2**13)
def _subset_shares(numbers: tuple[int, ...]) -> FloatArray:
    """Return the fraction of subsets of n doubled ranks whose sum is below s, for s from 0 to n (n + 1) + 1."""
    up_to = np.append(0.0, np.cumsum(_subset_sums(numbers)))
    up_to = np.append(up_to, np.ones(len(numbers) * (len(numbers) + 1) + 2 - up_to.size))
    up_to.setflags(write=False)
    return up_to


def _subset_sums(numbers: Iterable[int]) -> FloatArray:
    """Return the probability of each sum of a random subset. The sums are 0 to the sum of all numbers."""
    shares = np.ones(1)
    for number in numbers:
        shares = np.concatenate([shares, np.zeros(number)]) / 2
        shares[number:] += shares[: shares.size - number].copy()
    return shares

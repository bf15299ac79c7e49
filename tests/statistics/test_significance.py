"""Significance tests and corrections of p-values, against scipy, statsmodels, literal loops and hand-computed values."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from examples.made_runs import random_values
from hypothesis import example, given
from hypothesis import strategies as st
from references import statistics as reference
from references.judges import judge
from running import examples
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.statistics.corrections import CORRECTIONS, correction_named
from irevalx.statistics.significance import (
    TESTS,
    differences,
    exact_sign_flips,
    pairs_of_runs,
    sign_flips,
    steps_of,
    wilcoxon,
    without_spread,
)

SETTINGS = examples(100)

STEPS = st.one_of(st.integers(-3, 3), st.integers(-1000, 1000))
"""Differences of which some are zero and some tied."""

MANY = st.integers(0, 2**32 - 1)


def p_of(test: str, d: FloatArray, seed: int = 0, resamples: int = 9999) -> FloatArray:
    """What a test says."""
    return TESTS[test].p_values(d, resamples, seed)


# Differences


def test_differences_are_free_of_rounding() -> None:
    """0.3 - 0.2 is 0.2 - 0.1, and what rounding leaves of nothing is nothing."""
    x, y = np.array([0.2, 0.1, 0.3, 0.5]), np.array([0.3, 0.2, 0.1 + 0.2, 0.5 - 1e-15])
    result = differences(x, y)
    assert result[0] == result[1] != 0
    assert result.tolist()[2:] == [0.0, 0.0]
    assert not np.signbit(result).any()


def test_a_test_by_ranks_sees_ties() -> None:
    """Tied differences share a rank however the numbers come to be tied."""
    x, y = np.array([0.2, 0.1, 0.7, 0.3]), np.array([0.3, 0.2, 0.6, 0.8])
    assert float(wilcoxon(differences(x, y))) == float(reference.wilcoxon_exact([1, 1, -1, 5]))


# Wilcoxon's test


@SETTINGS
@given(st.lists(STEPS, min_size=1, max_size=10))
@example([0, 0, 0])
@example([5])
def test_wilcoxon_tries_all_signs_of_few_topics(steps: list[int]) -> None:
    """Up to 13 topics p is the share of all ways of flipping signs, ties and zeros or not."""
    assert float(wilcoxon(np.array(steps, np.float64))) == pytest.approx(float(reference.wilcoxon_exact(steps)))


@pytest.mark.slow
@examples(40)
@given(MANY, st.sampled_from([2, 5, 13, 14, 30, 50, 51, 100]), st.sampled_from([1, 2, 9]))
def test_wilcoxon_is_that_of_scipy_pair_by_pair(seed: int, n_topics: int, decimals: int) -> None:
    """Every pair has the p that scipy gives for it alone, by the method that scipy chooses."""
    values = random_values(seed, 3, n_topics, decimals)
    first, second = pairs_of_runs(3)
    d = differences(values[second], values[first])
    expected = [float(stats.wilcoxon(row).pvalue) if row.any() else 1.0 for row in d]
    assert wilcoxon(d).tolist() == pytest.approx(expected, rel=1e-10, abs=1e-14)


def test_wilcoxon_of_published_data() -> None:
    """Darwin's 15 pairs of maize plants: p = 0.04126 [the docstring of scipy.stats.wilcoxon; Hollander & Wolfe]."""
    maize = np.array([6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75], np.float64)
    assert float(wilcoxon(maize)) == pytest.approx(0.04125976562)


# The other tests


def test_each_test_says_what_it_is_and_has_a_reference() -> None:
    """Whoever adds a test adds words for help and notes, and a literal reference here."""
    references = {
        "t": stats.ttest_1samp,
        "wilcoxon": reference.wilcoxon_exact,
        "permutation": reference.sign_flips_exact,
    }
    assert TESTS.keys() == references.keys(), "a test must have a reference"
    assert all(test.words for test in TESTS.values())


@SETTINGS
@given(MANY, st.sampled_from([2, 3, 10, 60]), st.sampled_from([1, 2, 9]))
def test_t_is_that_of_scipy(seed: int, n_topics: int, decimals: int) -> None:
    """The p-value is that of scipy's paired t test; of equal differences it is that of flipped signs."""
    x, y = random_values(seed, 2, n_topics, decimals)
    d = differences(x, y)
    if len(set(d.tolist())) == 1:
        assert float(p_of("t", d, 0)) == (2.0 ** (1 - n_topics) if d[0] else 1.0)
    else:
        assert float(p_of("t", d, 0)) == pytest.approx(float(stats.ttest_rel(x, y).pvalue), rel=1e-6, abs=1e-12)


def test_sign_flips_are_random_where_there_are_too_many() -> None:
    """One more than the resamples: 16 ways are tried if 16 may be, and 15 random ones if 15 may be."""
    d = np.array([0.3, 0.1, 0.2, -0.1000001])
    assert float(sign_flips(d, 16)) == 6 / 16
    assert (float(sign_flips(d, 15, 4)) * 16) % 1 == 0
    assert len({float(sign_flips(d, 15, seed)) for seed in range(9)}) > 1


def test_sign_flips_of_zeros_and_ones_are_binomial() -> None:
    """18 topics against 2, and 30 equal ones: exact, whatever the seed."""
    d = np.repeat([1.0, -1.0, 0.0], [18, 2, 30])
    expected = float(stats.binomtest(2, 20).pvalue)
    assert f"{expected:.6f}" == "0.000402"
    for seed in range(3):
        assert float(sign_flips(d, seed=seed)) == pytest.approx(expected, rel=1e-12)
    assert float(sign_flips(d, 20, 1)) != pytest.approx(expected)  # 21 values of the sums


@SETTINGS
@given(st.lists(st.integers(-20, 20), min_size=8, max_size=9), st.sampled_from([1, 3, 7, 10]))
def test_sign_flips_of_few_values_are_exact(steps: list[int], divisor: int) -> None:
    """If the sums take at most as many values as there are resamples, p is that of all ways, which are more."""
    d = differences(np.zeros(len(steps)), np.array(steps) / divisor)
    assert float(sign_flips(d, 200)) == pytest.approx(float(reference.sign_flips_exact(steps)), rel=1e-12)


def test_sign_flips_of_few_values_as_in_scipy() -> None:
    """All ways of flipping the signs of 15 differences."""
    d = np.random.default_rng(2).integers(-5, 7, 15) / 10
    theirs = stats.permutation_test((np.rint(10 * d),), np.sum, permutation_type="samples", n_resamples=10**6)
    assert float(sign_flips(differences(np.zeros(15), d))) == pytest.approx(float(theirs.pvalue), rel=1e-12)


def test_mixed_rows_of_sign_flips() -> None:
    """A pair without few values has the p-value that it has alone; real differences have no common unit."""
    rng = np.random.default_rng(3)
    d = np.stack([rng.normal(size=40), rng.integers(-3, 4, 40) / 10, np.round(rng.normal(size=40), 12)])
    d = differences(np.zeros(d.shape), d)
    assert [row is not None for row in (steps_of(row, 9999) for row in d)] == [False, True, False]
    assert sign_flips(d, seed=5).tolist() == [float(sign_flips(row, seed=5)) for row in d]
    assert float(sign_flips(d[1], seed=5)) == float(sign_flips(d[1], seed=6))


@SETTINGS
@given(st.lists(STEPS, min_size=1, max_size=8), st.sampled_from([1, 3, 6, 7, 10, 15]))
@example([0, 0], 1)
@example([1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2], 10)
@example([-2, 1, 1, 2], 6)
def test_sign_flips_of_few_topics_are_all_tried(steps: list[int], divisor: int) -> None:
    """A third and two sixths are equal, although the decimals of the one and of the others are not, nor are sums."""
    d = differences(np.zeros(len(steps)), np.array(steps) / divisor)
    assert float(sign_flips(d)) == float(reference.sign_flips_exact(steps))


def test_sign_flips_of_many_topics() -> None:
    """Of many topics a sample of the ways is tried: near the t test, the same for a seed and for a pair on its own."""
    values = random_values(5, 3, 40, 9)
    d = np.stack((differences(values[0], values[1]), differences(values[0], values[2])))
    result = p_of("permutation", d, 7)
    assert result == pytest.approx(p_of("t", d), abs=0.03)
    expected = [float(stats.permutation_test((row,), np.mean, permutation_type="samples", rng=3).pvalue) for row in d]
    assert result == pytest.approx(expected, abs=0.03)
    assert p_of("permutation", d[1], 7) == result[1]
    assert (p_of("permutation", d, 8) != result).any()
    assert p_of("permutation", d, -7).shape == (2,)


@examples(30)
@given(MANY, st.integers(3, 7), st.sampled_from([6, 7, 10]), st.integers(1, 40))
def test_sign_flips_of_all_pairs(seed: int, n_runs: int, divisor: int, highest: int) -> None:
    """All pairs of runs, some of them exact, have the p-values of a loop over signs and pairs; sums are often tied."""
    steps = np.random.default_rng(seed).integers(0, highest, (n_runs, 9), endpoint=True)
    first, second = pairs_of_runs(n_runs)
    result = sign_flips(differences(steps[second] / divisor, steps[first] / divisor), 60, seed)
    bits = np.random.Generator(np.random.PCG64([0, seed])).integers(0, 2, (60, 9)).tolist()
    for p, a, b in zip(result.tolist(), steps[first].tolist(), steps[second].tolist(), strict=True):
        d = [x - y for x, y in zip(a, b, strict=True)]
        if sum(map(abs, d)) >= 60 * np.gcd.reduce(d) > 0:  # the sums take too many values
            flipped = [sum(-x if bit else x for bit, x in zip(row, d, strict=True)) for row in bits]
            assert p == (1 + sum(abs(total) >= abs(sum(d)) for total in flipped)) / 61
        else:
            assert p == pytest.approx(float(reference.sign_flips_exact(d)), rel=1e-12)


@pytest.mark.parametrize("resamples", [20, 999])
@pytest.mark.parametrize("n_topics", [0, 1, 2, 5, 9, 51, 70])
@pytest.mark.parametrize("test", TESTS)
def test_least_p(test: str, n_topics: int, resamples: int) -> None:
    """No test gives less than it says, and different differences of one sign give as little."""
    least = TESTS[test].least_p(n_topics, resamples)
    d = np.arange(1.0, n_topics + 1)
    if test == "t":
        assert 0 <= float(p_of(test, np.append(np.ones(n_topics), 1 + 1e-9)[1:])) - least < 1e-9 or n_topics < 2
    elif test == "wilcoxon" or n_topics not in {5, 9}:
        assert float(p_of(test, d, resamples=resamples)) == pytest.approx(least, rel=1e-12)
    else:  # few random sign vectors may be as far
        assert float(p_of(test, d, resamples=resamples)) >= least
    for seed in range(5):
        assert (
            float(p_of(test, d * np.random.default_rng(seed).choice([-1, 1], n_topics), resamples=resamples)) >= least
        )


@pytest.mark.parametrize("test", TESTS)
def test_degenerate_data_show_nothing(test: str) -> None:
    """One topic, or no difference at all, gives p = 1."""
    assert float(p_of(test, np.array([0.5]), 1)) == 1
    assert p_of(test, np.zeros((2, 20)), 1).tolist() == [1, 1]
    assert p_of(test, np.zeros((3, 0)), 1).tolist() == [1, 1, 1]


@pytest.mark.parametrize("test", TESTS)
@SETTINGS
@given(seed=MANY, n_topics=st.sampled_from([4, 20]))
def test_the_order_of_two_runs_does_not_matter(test: str, seed: int, n_topics: int) -> None:
    """The tests are two-sided."""
    x, y = random_values(seed, 2, n_topics, 1)
    forward, other = p_of(test, differences(x, y), 1), p_of(test, differences(y, x), 1)
    assert float(forward) == pytest.approx(float(other), abs=0.02 if test == "permutation" else 1e-12)


# What few topics show


@pytest.mark.parametrize(
    ("d", "expected"),
    [([0.1] * 3, 2 / 8), ([0.1] * 10, 2.0**-9), ([0.0, 0.0], 1.0), ([0.1, 0, 0, -0.3, 0.2, 0, 0.2], 14 / 16)],
    ids=str,
)
def test_exact_sign_flips(d: list[float], expected: float) -> None:
    """Equal differences and few of them: 2 of 2^n ways; topics without a difference do not count."""
    result = exact_sign_flips(np.array(d))
    assert without_spread(np.array([d])).all()
    assert result == expected
    assert result == pytest.approx(
        float(reference.sign_flips_exact([round(10 * step) for step in d if step])) if any(d) else 1
    )


def test_without_spread() -> None:
    """Five topics that differ have an interval, unless they are all and equal."""
    rows = [[0.1] * 4 + [0.0], [0.1] * 5, [0.1] * 4 + [0.2], [0.0] * 5]
    assert without_spread(np.array(rows)).tolist() == [True, True, False, True]
    assert not without_spread(np.array([[0.1] * 5 + [0.0]])).any()


@examples(100)
@given(st.lists(st.fractions(0, 1, max_denominator=50), min_size=1, max_size=8))
def test_corrections(p: list[Fraction]) -> None:
    """Holm's and Hommel's are the loops', Bonferroni's the product; all stay within [p, 1]."""
    given_p = np.array([float(value) for value in p])
    assert CORRECTIONS["holm"](given_p).tolist() == pytest.approx([float(value) for value in reference.holm(p)])
    assert CORRECTIONS["bonferroni"](given_p).tolist() == pytest.approx(
        [float(min(Fraction(1), value * len(p))) for value in p]
    )
    assert CORRECTIONS["hommel"](given_p).tolist() == pytest.approx([float(value) for value in reference.hommel(p)])
    assert CORRECTIONS["none"](given_p).tolist() == given_p.tolist()
    for correct in CORRECTIONS.values():
        assert (correct(given_p) >= given_p - 1e-15).all()
        assert (correct(given_p) <= 1).all()
    ascending = ("none", "benjamini-hochberg", "hommel", "holm", "bonferroni")
    for smaller, larger in pairwise(CORRECTIONS[name](given_p) for name in ascending):
        assert (smaller <= larger + 1e-15).all()


def test_corrections_of_four() -> None:
    """What statsmodels 0.15.0 has for 0.001, 0.02, 0.03, 0.2."""
    p = np.array([0.001, 0.02, 0.03, 0.2])
    assert CORRECTIONS["holm"](p).tolist() == pytest.approx([0.004, 0.06, 0.06, 0.2])
    assert CORRECTIONS["hommel"](p).tolist() == pytest.approx([0.004, 0.045, 0.06, 0.2])
    assert CORRECTIONS["bonferroni"](p).tolist() == pytest.approx([0.004, 0.08, 0.12, 0.8])
    assert CORRECTIONS[correction_named("bh")](p).tolist() == pytest.approx([0.004, 0.04, 0.04, 0.2])


@pytest.mark.judges
@examples(100)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_corrections_are_those_of_statsmodels(p: list[float]) -> None:
    """Where statsmodels is installed."""
    multitest = judge("statsmodels.stats.multitest")
    for name in CORRECTIONS:
        if name == "none":
            continue
        theirs = {"benjamini-hochberg": "fdr_bh"}.get(name, name)
        expected = multitest.multipletests(p, method=theirs)[1]
        assert CORRECTIONS[name](np.array(p)).tolist() == pytest.approx(expected.tolist())

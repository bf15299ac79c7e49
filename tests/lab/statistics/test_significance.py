"""Tests of significance and what is decided by them: as scipy has it, as the literal loops have it, and by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import reference_lab as reference
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.lab.statistics import comparison, significance
from irevalx.lab.statistics.comparison import CORRECTIONS, compare
from irevalx.lab.statistics.significance import TESTS, confusion, decisions, differences, pairs_of_runs, wilcoxon

SETTINGS = settings(deadline=None, max_examples=100)

STEPS = st.one_of(st.integers(-3, 3), st.integers(-1000, 1000))
"""Differences of which some are zero and some tied."""

MANY = st.integers(0, 2**32 - 1)


def random_values(seed: int, n_runs: int, n_topics: int, decimals: int) -> FloatArray:
    """Return values of shape (n_runs, n_topics); the fewer decimals, the more ties and zeros."""
    rng = np.random.default_rng(seed)
    ease = rng.random(n_topics)
    values = np.clip(ease + rng.normal(0, 0.1, (n_runs, n_topics)), 0, 1)
    return np.round(values, decimals).astype(np.float64)


# Differences


def test_differences_are_free_of_rounding() -> None:
    """0.3 - 0.2 is 0.2 - 0.1, and what rounding leaves of nothing is nothing."""
    x, y = np.array([0.2, 0.1, 0.3, 0.5]), np.array([0.3, 0.2, 0.1 + 0.2, 0.5 - 1e-15])
    found = differences(x, y)
    assert found[0] == found[1] != 0
    assert found.tolist()[2:] == [0.0, 0.0]
    assert not np.signbit(found).any()


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


@settings(deadline=None, max_examples=40)
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


def test_decisions() -> None:
    """Runs that are equal for all topics do not differ, nor do few topics; a constant gain for many topics decides."""
    base = np.linspace(0.1, 0.4, 30)
    assert decisions(np.stack((base, base, base + 0.1))).tolist() == [False, True, True]
    assert decisions(np.stack((base, base + 0.1))[:, :5]).tolist() == [False]


@SETTINGS
@given(MANY)
def test_decisions_about_many_samples_at_once(seed: int) -> None:
    """A stack of values is decided sample by sample, pairs in the order of ``pairs_of_runs``."""
    stack = np.stack([random_values(seed + sample, 4, 20, 2) for sample in range(3)])
    found = decisions(stack)
    assert found.shape == (3, 6)
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    for sample, row in zip(stack, found, strict=True):
        expected = [float(stats.wilcoxon(np.round(sample[i] - sample[j], 9)).pvalue) < 0.05 for i, j in pairs]
        assert row.tolist() == expected


# Confusion


@SETTINGS
@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12))
@example([])
@example([(True, True)])
def test_confusion(pairs: list[tuple[bool, bool]]) -> None:
    """Counts, accuracy and g-mean are those of the definition; 0/0 is 0."""
    full, reduced = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = confusion(np.array(full, np.bool_), np.array(reduced, np.bool_))
    cells = reference.confusion(full, reduced)
    assert found.both_equal == cells[1, 1]
    assert found.only_full_equal == cells[1, 2]
    assert found.only_reduced_equal == cells[2, 1]
    assert found.both_different == cells[2, 2]
    assert found.accuracy == pytest.approx(reference.accuracy(full, reduced))
    assert found.g_mean == pytest.approx(reference.g_mean(full, reduced))


def test_confusion_by_hand() -> None:
    """C11 = 3, C12 = 1, C21 = 2, C22 = 4: accuracy 7/10, recall 3/4, precision 3/5."""
    full = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1], np.bool_)
    reduced = np.array([0, 0, 0, 1, 0, 0, 1, 1, 1, 1], np.bool_)
    found = confusion(full, reduced)
    assert found.accuracy == pytest.approx(0.7)
    assert found.g_mean == pytest.approx((3 / 4 * 3 / 5) ** 0.5)


# The other tests


@SETTINGS
@given(MANY, st.sampled_from([2, 3, 10, 60]), st.sampled_from([1, 2, 9]))
def test_t_is_that_of_scipy(seed: int, n_topics: int, decimals: int) -> None:
    """The p-value is that of scipy's paired t test; where all differences are the same it is 0, or 1 if they are zero."""
    x, y = random_values(seed, 2, n_topics, decimals)
    d = differences(x, y)
    if len(set(d.tolist())) == 1:
        assert float(TESTS["t"](d, 0)) == (0.0 if d[0] else 1.0)
    else:
        assert float(TESTS["t"](d, 0)) == pytest.approx(float(stats.ttest_rel(x, y).pvalue), rel=1e-6, abs=1e-12)


@SETTINGS
@given(st.lists(STEPS, min_size=2, max_size=9))
@example([0, 0])
def test_sign_flips_of_few_topics_are_all_tried(steps: list[int]) -> None:
    """Up to 13 topics p is the share of all ways of flipping signs."""
    found = float(TESTS["permutation"](np.array(steps, np.float64), 3))
    assert found == pytest.approx(float(reference.sign_flips_exact(steps)))


def test_sign_flips_of_many_topics() -> None:
    """Of many topics a sample of the ways is tried: near the t test, the same for a seed and for a pair on its own."""
    values = random_values(5, 3, 40, 3)
    d = np.stack((differences(values[0], values[1]), differences(values[0], values[2])))
    found = TESTS["permutation"](d, 7)
    assert found == pytest.approx(TESTS["t"](d, 0), abs=0.03)
    assert TESTS["permutation"](d[1], 7) == found[1]
    assert (TESTS["permutation"](d, 8) != found).any()
    assert TESTS["permutation"](d, -7).shape == (2,)


@pytest.mark.parametrize("test", TESTS)
def test_degenerate_data_show_nothing(test: str) -> None:
    """One topic, or no difference at all, gives p = 1."""
    assert float(TESTS[test](np.array([0.5]), 1)) == 1
    assert TESTS[test](np.zeros((2, 20)), 1).tolist() == [1, 1]
    assert TESTS[test](np.zeros((3, 0)), 1).tolist() == [1, 1, 1]


@pytest.mark.parametrize("test", TESTS)
@SETTINGS
@given(seed=MANY, n_topics=st.sampled_from([4, 20]))
def test_the_order_of_two_runs_does_not_matter(test: str, seed: int, n_topics: int) -> None:
    """The tests are two-sided."""
    x, y = random_values(seed, 2, n_topics, 1)
    one, other = TESTS[test](differences(x, y), 1), TESTS[test](differences(y, x), 1)
    assert float(one) == pytest.approx(float(other), abs=0.02 if test == "permutation" else 1e-12)


# Comparing two runs


def test_compare_by_hand() -> None:
    """Six topics: four won, one tied, one lost; sum 1.0, and the sum of squares 0.30."""
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.5])
    y = np.array([0.3, 0.5, 0.6, 0.7, 0.5, 0.4])
    [found] = compare(np.stack((x, y)), [(0, 1)], test="wilcoxon", correction="none")
    assert (found.first, found.second) == (0, 1)
    assert (found.wins, found.ties, found.losses) == (4, 1, 1)
    assert found.mean_first == pytest.approx(2 / 6)
    assert found.mean_second == pytest.approx(3 / 6)
    assert found.difference == pytest.approx(1 / 6)
    # differences 0.2 0.3 0.3 0.3 0 -0.1: variance (0.32 - 1/6) / 5
    assert found.effect_size == pytest.approx((1 / 6) / ((0.32 - 1 / 6) / 5) ** 0.5)
    # ranks without the zero: 2, 4, 4, 4 up and 1 down; of 32 ways of flipping, those with at most 1 down are 2
    assert found.p == found.corrected == pytest.approx(4 / 32)
    assert found.low < found.difference < found.high


def test_interval_is_that_of_scipy() -> None:
    """The interval is scipy's bootstrap with the same random numbers, for each pair as if it were alone."""
    values = random_values(3, 3, 30, 12)
    d = np.stack((differences(values[0], values[1]), differences(values[0], values[2])))
    low, high = comparison.interval(d, confidence=0.9, seed=4)
    for row in range(2):
        expected = stats.bootstrap(
            (d[row],), np.mean, confidence_level=0.9, n_resamples=9999, rng=significance.generator(4)
        ).confidence_interval
        assert low[row] == pytest.approx(expected.low)
        assert high[row] == pytest.approx(expected.high)
    wide = comparison.interval(d, confidence=0.99, seed=4)
    assert (wide[0] < low).all()
    assert (wide[1] > high).all()


def test_interval_does_not_depend_on_how_means_are_added() -> None:
    """Resamples whose mean is that of the sample are counted as such, next to other pairs or alone."""
    values = random_values(3, 3, 30, 1)
    d = np.stack((differences(values[0], values[1]), differences(values[0], values[2])))
    low, high = comparison.interval(d, seed=4)
    for row in range(2):
        alone = comparison.interval(d[row : row + 1], seed=4)
        assert (alone[0][0], alone[1][0]) == (low[row], high[row])


@SETTINGS
@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=1, max_size=5))
@example([0.0, 0.0])
@example([0.5])
@example([0.5, 0.5])
@example([0.0, 1.0])
def test_interval_of_hardly_any_topics(steps: list[float]) -> None:
    """There is always an interval, within the differences."""
    [[low], [high]] = comparison.interval(np.array([steps]), seed=1)
    assert min(steps) <= low <= high <= max(steps)


@pytest.mark.parametrize(
    ("steps", "expected"), [([0.0, 0.0], 0.0), ([0.5, 0.5], np.nan), ([0.5], np.nan), ([0.0], 0.0)]
)
def test_effect_size_without_spread(steps: list[float], expected: float) -> None:
    """Differences that do not vary have no effect size, unless there is no effect."""
    assert float(comparison.effect_size(np.array(steps))) == pytest.approx(expected, nan_ok=True)


@SETTINGS
@given(st.lists(st.fractions(0, 1, max_denominator=50), min_size=1, max_size=8))
def test_corrections(p: list[Fraction]) -> None:
    """Holm's is the loop's, Bonferroni's the product, Benjamini and Hochberg's scipy's; all stay within [p, 1]."""
    given_p = np.array([float(one) for one in p])
    assert CORRECTIONS["holm"](given_p).tolist() == pytest.approx([float(one) for one in reference.holm(p)])
    assert CORRECTIONS["bonferroni"](given_p).tolist() == pytest.approx(
        [float(min(Fraction(1), one * len(p))) for one in p]
    )
    assert CORRECTIONS["none"](given_p).tolist() == given_p.tolist()
    for correct in CORRECTIONS.values():
        assert (correct(given_p) >= given_p - 1e-15).all()
        assert (correct(given_p) <= 1).all()
    assert (CORRECTIONS["benjamini-hochberg"](given_p) <= CORRECTIONS["holm"](given_p) + 1e-15).all()


def test_corrections_by_hand() -> None:
    """Five tests, worked out on paper."""
    p = np.array([0.04, 0.01, 0.03, 0.005, 0.5])
    # ascending: 0.005·5, 0.01·4, 0.03·3, 0.04·2 (not below 0.09), 0.5·1
    assert CORRECTIONS["holm"](p).tolist() == pytest.approx([0.09, 0.04, 0.09, 0.025, 0.5])
    assert CORRECTIONS["bonferroni"](p).tolist() == pytest.approx([0.2, 0.05, 0.15, 0.025, 1.0])
    # ascending: 0.005·5/1, 0.01·5/2, 0.03·5/3, 0.04·5/4, 0.5·5/5, each at most the next
    assert CORRECTIONS["benjamini-hochberg"](p).tolist() == pytest.approx([0.05, 0.025, 0.05, 0.025, 0.5])


def test_compare_corrects_for_the_pairs_that_are_compared() -> None:
    """Three pairs count three times, one pair once, none not at all."""
    values = random_values(9, 3, 25, 2)
    pairs = [(0, 1), (0, 2), (1, 2)]
    found = compare(values, pairs, correction="bonferroni")
    assert [one.corrected for one in found] == pytest.approx([min(1, 3 * one.p) for one in found])
    [alone] = compare(values, pairs[:1], correction="bonferroni")
    assert alone.corrected == alone.p == found[0].p
    assert compare(values, []) == []

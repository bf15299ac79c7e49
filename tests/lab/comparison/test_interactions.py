"""Interactions of differences with groups of topics: as scipy and statsmodels have them, and how often they are wrong."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from references.judges import judge
from scipy import stats

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.lab.comparison.interactions import Interactions, interactions


def places(*sizes: int) -> list[IntArray]:
    """Return the places of groups of these sizes, one after the other."""
    return np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])


def result_of(*groups: FloatArray, resamples: int = 9999, seed: int = 0) -> Interactions:
    """Return the test of one pair."""
    return interactions(np.concatenate(groups)[np.newaxis], places(*map(len, groups)), resamples, seed)


def literal_f(*groups: FloatArray) -> float:
    """Welch's F from its definition; a variance below 1e-12 counts as that."""
    k = len(groups)
    weights = [len(group) / max(float(np.var(group, ddof=1)), 1e-12) for group in groups]
    middle = sum(w * float(np.mean(group)) for w, group in zip(weights, groups, strict=True)) / sum(weights)
    between = sum(w * (float(np.mean(group)) - middle) ** 2 for w, group in zip(weights, groups, strict=True)) / (k - 1)
    spread = sum((1 - w / sum(weights)) ** 2 / (len(group) - 1) for w, group in zip(weights, groups, strict=True))
    return between / (1 + 2 * (k - 2) / (k**2 - 1) * spread)


def test_two_groups_have_the_square_of_welchs_t() -> None:
    """F is the square of t, with the same degrees of freedom."""
    random = np.random.default_rng(1)
    first, second = random.normal(0.1, 0.1, 12), random.normal(0, 0.3, 7)
    expected = stats.ttest_ind(first, second, equal_var=False)
    result = result_of(first, second)
    assert [result.f[0], result.within[0]] == pytest.approx([expected.statistic**2, expected.df])


@pytest.mark.parametrize("sizes", [(5, 9), (4, 8, 20), (2, 3, 5, 7, 11)], ids=str)
def test_f_as_statsmodels(sizes: tuple[int, ...]) -> None:
    """``anova_oneway`` with unequal variances."""
    oneway = judge("statsmodels.stats.oneway")
    random = np.random.default_rng(len(sizes))
    groups = [random.normal(0.05 * place, 0.1 + 0.1 * place, size) for place, size in enumerate(sizes)]
    expected, result = oneway.anova_oneway(groups, use_var="unequal"), result_of(*groups)
    assert [result.f[0], result.within[0]] == pytest.approx([expected.statistic, expected.df[1]])


@pytest.mark.parametrize("sizes", [(2, 2), (3, 4), (5, 6), (2, 3, 2), (3, 3, 2)], ids=str)
@pytest.mark.parametrize("decimals", [1, 9])
def test_all_labellings_as_scipy(sizes: tuple[int, ...], decimals: int) -> None:
    """Few topics: the share of all distinct labellings with as great a statistic, with ties or without."""
    random = np.random.default_rng(sum(sizes))
    groups = [np.round(random.normal(0.2 * place, 0.2, size), decimals) for place, size in enumerate(sizes)]
    result = result_of(*groups)
    expected = stats.permutation_test(groups, literal_f, vectorized=False, n_resamples=10**6, alternative="greater")
    assert not result.is_random
    assert result.f[0] == pytest.approx(literal_f(*groups))
    assert (result.labellings, result.p[0]) == (len(expected.null_distribution), pytest.approx(expected.pvalue))


def test_labellings_by_a_literal_loop() -> None:
    """Six topics in groups of four and two: 720 orders say what 15 labellings say."""
    d = np.array([0.3, 0.1, 0.2, 0.25, -0.1, 0.0])
    least = literal_f(d[:4], d[4:]) * (1 - 1e-9)
    as_great = [literal_f(np.array(order[:4]), np.array(order[4:])) >= least for order in permutations(d.tolist())]
    result = result_of(d[:4], d[4:])
    assert (result.labellings, result.p[0]) == (15, pytest.approx(np.mean(as_great)))


def test_random_labellings() -> None:
    """One more than the resamples; the same for a seed, whatever other pairs there are, and near scipy's."""
    random = np.random.default_rng(3)
    d = random.normal(0, 0.1, (3, 40)) + np.where(np.arange(40) < 15, 0.08, 0)
    result = interactions(d, places(15, 25), 999, 5)
    assert (result.is_random, result.labellings) == (True, 1000)
    assert np.allclose(result.p * 1000, np.rint(result.p * 1000))
    assert interactions(d[1:2], places(15, 25), 999, 5).p[0] == result.p[1]
    assert (interactions(d, places(15, 25), 999, 6).p != result.p).any()
    for row, p in zip(d, result.p.tolist(), strict=True):
        expected = stats.permutation_test(
            (row[:15], row[15:]), literal_f, vectorized=False, n_resamples=999, alternative="greater", rng=1
        )
        assert p == pytest.approx(expected.pvalue, abs=0.05)


def test_order_of_topics_and_groups() -> None:
    """Neither the order of the topics nor that of the groups matters where all labellings are taken."""
    d = np.random.default_rng(4).normal(0, 0.1, 9)
    groups = [np.array([0, 4, 8]), np.array([1, 2]), np.array([7, 3, 6, 5])]
    result = interactions(d[np.newaxis], groups)
    other = interactions(d[np.newaxis], [groups[2][::-1], groups[0], groups[1][::-1]])
    assert result.p[0] == pytest.approx(other.p[0])
    assert result.f[0] == pytest.approx(other.f[0])


def test_not_defined() -> None:
    """One group, or no difference but one; groups without variance are tested."""
    assert np.isnan(interactions(np.array([[0.1, 0.2]]), places(2)).p).all()
    assert np.isnan(result_of(np.full(3, 0.1), np.full(4, 0.1)).p).all()
    result = result_of(np.full(4, 0.1), np.full(4, 0.3))
    assert result.p[0] == 2 / 70


@pytest.mark.parametrize(("size", "n_groups"), [(2, 30), (3, 20), (10, 5)])
def test_level(size: int, n_groups: int) -> None:
    """Random groups of differences with many zeros: at most some 5 % are significant; F's own distribution has 0.9."""
    random, n_significant = np.random.default_rng(size), 0
    for _ in range(200):
        d = np.round(random.laplace(0, 0.1, size * n_groups), 1)
        n_significant += (
            interactions(d[np.newaxis], places(*[size] * n_groups), 99, int(random.integers(9**9))).p[0] < 0.05
        )
    assert n_significant / 200 <= 0.085


def test_power() -> None:
    """One of five groups of ten that is better by a standard deviation is found in about half of the samples."""
    random, n_significant = np.random.default_rng(8), 0
    for _ in range(100):
        d = random.normal(0, 0.1, 50) + np.where(np.arange(50) < 10, 0.1, 0)
        n_significant += interactions(d[np.newaxis], places(*[10] * 5), 199, int(random.integers(9**9))).p[0] < 0.05
    assert 0.35 <= n_significant / 100 <= 0.75

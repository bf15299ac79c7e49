"""Comparisons of runs: by hand, and each measure on its own scale."""

from __future__ import annotations

import math
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from examples.made_runs import random_values
from scipy import stats

from irevalx.experiments.ranked_runs import GEOMETRIC_MEAN
from irevalx.statistics import paired_comparisons as comparison
from irevalx.statistics import randomised_tukey
from irevalx.statistics.paired_comparisons import (
    Comparisons,
    Method,
    least_corrected_p,
    share_arrangements,
)
from irevalx.statistics.significance import MEAN, TOTAL, generator

PAIRS = [(0, 1), (0, 2), (1, 2)]


def test_compare_by_hand() -> None:
    """Six topics: four won, one tied, one lost; sum 1.0, and the sum of squares 0.30."""
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.5])
    y = np.array([0.3, 0.5, 0.6, 0.7, 0.5, 0.4])
    result = Comparisons(np.stack((x, y)), [(0, 1)], Method("wilcoxon", "none"))
    assert (result.first.tolist(), result.second.tolist()) == ([0], [1])
    assert (result.wins.tolist(), result.ties.tolist(), result.losses.tolist()) == ([4], [1], [1])
    assert result.summaries == pytest.approx([2 / 6, 3 / 6])
    assert result.difference == pytest.approx([1 / 6])
    # differences 0.2 0.3 0.3 0.3 0 -0.1: variance (0.32 - 1/6) / 5
    assert result.effect_size == pytest.approx([(1 / 6) / ((0.32 - 1 / 6) / 5) ** 0.5])
    # ranks without the zero: 2, 4, 4, 4 up and 1 down; of 32 ways of flipping, those with at most 1 down are 2
    assert result.p == result.corrected_p == pytest.approx([4 / 32])
    [low], [high] = result.interval
    assert low < result.difference[0] < high
    assert np.isnan(result.simultaneous_interval).all()


@pytest.mark.parametrize(
    ("steps", "expected"), [([0.0, 0.0], 0.0), ([0.5, 0.5], np.nan), ([0.5], np.nan), ([0.0], 0.0)]
)
def test_effect_size_without_spread(steps: list[float], expected: float) -> None:
    """Differences that do not vary have no effect size, unless there is no effect."""
    assert float(comparison.effect_size(np.array(steps))) == pytest.approx(expected, nan_ok=True)


def test_compare_corrects_for_the_pairs_that_are_compared() -> None:
    """Three pairs count three times, one pair once, none not at all."""
    values = random_values(9, 3, 25)
    method = Method(correction="bonferroni")
    result = Comparisons(values, PAIRS, method)
    assert result.corrected_p == pytest.approx(np.minimum(1, 3 * result.p))
    alone = Comparisons(values, PAIRS[:1], method)
    assert alone.corrected_p == alone.p == result.p[:1]
    nothing = Comparisons(values, [])
    assert nothing.corrected_p.size == nothing.p.size == nothing.wins.size == nothing.interval[0].size == 0


def test_tukey_is_over_all_runs() -> None:
    """The example of three runs, whichever pairs are asked for; p before correction is that of the test."""
    values = np.array([[0.6, 0.8], [0.4, 0.5], [0.1, 0.2]])
    method = Method("permutation", "tukey", alpha=0.2)
    result = Comparisons(values, [(2, 0)], method)
    assert (result.p.tolist(), result.corrected_p.tolist()) == ([0.5], [6 / 36])
    assert result.half_width == pytest.approx(0.45)
    assert np.concatenate(result.simultaneous_interval) == pytest.approx([0.1, 1.0])
    sums = Comparisons(10 * values, [(2, 0)], method, TOTAL)
    assert sums.half_width == pytest.approx(9)
    assert sums.corrected_p.tolist() == [6 / 36]
    assert np.concatenate(sums.simultaneous_interval) == pytest.approx([2, 20])


def test_measures_share_arrangements() -> None:
    """Arrangements are drawn once for measures of one shape; sums over topics are added up one by one here."""
    rng, method = np.random.default_rng(8), Method(correction="tukey", resamples=29, seed=5)
    of_measures = [np.round(rng.random((4, n_topics)), 3) for n_topics in (12, 12, 7)]
    every = [Comparisons(values, PAIRS, method) for values in of_measures]
    with patch.object(randomised_tukey, "generator", wraps=generator) as drawn:
        share_arrangements(every)
        half_widths = [each.half_width for each in every]
    assert [call.args for call in drawn.call_args_list] == [(5, 0)] * 2
    for values, half_width in zip(of_measures, half_widths, strict=True):
        arrangements = generator(5, 0).permuted(np.stack([values] * 29), axis=1)
        ranges = []
        for arrangement in [values, *arrangements]:
            means = [math.fsum(of_run) / values.shape[1] for of_run in arrangement.tolist()]
            ranges.append(max(means) - min(means))
        assert half_width == pytest.approx(sorted(ranges)[-2], abs=1e-12)  # 5 % of 30, rounded up
    share_arrangements([Comparisons(of_measures[0], PAIRS, Method())])  # nothing to share


def test_tukey_of_thirds_is_the_permutation_test() -> None:
    """Two runs: 1/3 against 1/6 for four topics; the two arrangements of 16 that are as far are the observed ones."""
    values = np.array([[1 / 3] * 4, [1 / 6] * 4])
    result = Comparisons(values, [(1, 0)], Method("permutation", "tukey"))
    assert (result.p.tolist(), result.corrected_p.tolist()) == ([2 / 16], [2 / 16])
    [low], [high] = result.simultaneous_interval
    assert low == 0.0
    assert high == pytest.approx(1 / 3)


def test_tukey_intervals_and_decisions_belong_together() -> None:
    """A difference that is as great as the half width has an interval that ends at 0, and is not found different."""
    values = np.array([[0.6, 0.8], [0.4, 0.5], [0.1, 0.2]])
    for alpha in (0.15, 0.2, 0.5, 0.67, 0.7, 0.9):
        result = Comparisons(values, PAIRS, Method(correction="tukey", alpha=alpha))
        low, high = result.simultaneous_interval
        assert (result.corrected_p < alpha).tolist() == ((low > 0) | (high < 0)).tolist()


@pytest.mark.parametrize("interval", ["bca", "t"])
def test_simultaneous_intervals(interval: str) -> None:
    """Under Bonferroni's correction intervals of 1 - alpha/3 for each of three pairs; under the others there are none."""
    values = random_values(2, 3, 25)
    wide = Comparisons(values, PAIRS, Method("t", "none", interval, alpha=0.1 / 3, seed=1)).interval
    result = Comparisons(values, PAIRS, Method("t", "bonferroni", interval, alpha=0.1, seed=1))
    assert np.array(result.simultaneous_interval) == pytest.approx(np.array(wide))
    assert (result.simultaneous_interval[0] < result.interval[0]).all()
    for correction in ("holm", "bh", "none"):
        assert np.isnan(Comparisons(values, PAIRS, Method("t", correction, interval)).simultaneous_interval).all()


@pytest.mark.parametrize("n_topics", [5, 12, 50])
def test_t_and_its_intervals_agree(n_topics: int) -> None:
    """The interval leaves out 0 exactly where the test rejects; Bonferroni's simultaneous one where runs differ."""
    for seed in range(20):
        result = Comparisons(
            random_values(seed, 6, n_topics), list(combinations(range(6), 2)), Method("t", "bonferroni")
        )
        for p, (low, high) in ((result.p, result.interval), (result.corrected_p, result.simultaneous_interval)):
            is_finite = np.isfinite(low)
            assert ((p < 0.05) & is_finite).tolist() == ((low > 0) | (high < 0)).tolist()
            assert is_finite.tolist() == (~result.without_spread).tolist()


def test_few_topics_are_not_certain() -> None:
    """Three topics, each +0.1: p is 2/8 by scipy's permutation test, nothing differs, and there is no interval."""
    values = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]])
    result = Comparisons(values, [(0, 1)], Method("t", "none"))
    d = values[1] - values[0]
    expected = stats.permutation_test((d.round(9),), np.mean, permutation_type="samples").pvalue
    assert result.p.tolist() == [expected] == [0.25]
    assert np.isnan(result.interval).all()
    assert np.isnan(Comparisons(values, [(0, 1)], Method(interval="bca")).interval).all()
    two = np.array([[0.1, 0.11], [0.9, 0.92]])
    assert not Comparisons(two, [(0, 1)], Method("t", "tukey", alpha=0.9)).differ.any()


def test_few_topics_that_differ_are_not_certain() -> None:
    """Of fifty topics four have a difference: p is that of their signs, 2 of 16 ways; five are enough for t."""
    values = np.zeros((2, 50))
    values[1, :4] = [0.1, 0.1, 0.11, 0.1]
    result = Comparisons(values, [(0, 1)])
    assert result.p.tolist() == [2 / 16]
    assert np.isnan(result.interval).all()
    values[1, 4] = 0.1
    five = Comparisons(values, [(0, 1)])
    assert five.p == pytest.approx([stats.ttest_rel(*values).pvalue])
    assert np.isfinite(five.interval).all()


def test_geometric_means() -> None:
    """AP 0.5 and 0 against 0.25 and 0.1: gm_map 0.002236 and 0.158114, and what is tested are logarithms."""
    values = np.array([[0.5, 0.0], [0.25, 0.1]])
    result = Comparisons(values, [(0, 1)], Method("permutation", interval="bca"), GEOMETRIC_MEAN)
    assert result.summaries == pytest.approx([0.002236, 0.158114], abs=1e-6)
    assert result.difference == pytest.approx([0.158114 - 0.002236], abs=1e-6)
    d = np.log([0.25, 0.1]) - np.log([0.5, 0.00001])
    assert result.effect_size == pytest.approx([d.mean() / d.std(ddof=1)])
    assert (result.wins.tolist(), result.losses.tolist(), result.p.tolist()) == ([1], [1], [1.0])
    [low], [high] = result.interval
    assert -0.25 <= low <= high <= result.difference[0] + 1e-12
    assert np.isnan(result.simultaneous_interval).all()
    values = random_values(4, 3, 30)
    tukey = Comparisons(values, PAIRS, Method(correction="tukey", resamples=99), GEOMETRIC_MEAN)
    logs = Comparisons(np.log(np.maximum(values, 1e-5)), PAIRS, Method(correction="tukey", resamples=99))
    assert tukey.corrected_p.tolist() == logs.corrected_p.tolist()
    assert math.isnan(tukey.half_width)
    assert np.isnan(Comparisons(values, PAIRS, Method(interval="t"), GEOMETRIC_MEAN).interval).all()


def test_sums() -> None:
    """Sums, their differences and intervals are n times those of the means; the tests are the same."""
    values = np.round(100 * random_values(5, 3, 20))
    for interval in ("bca", "t"):
        method = Method("t", "bonferroni", interval)
        result, means = (Comparisons(values, PAIRS, method, scale) for scale in (TOTAL, MEAN))
        assert result.summaries.tolist() == values.sum(axis=1).tolist()
        assert result.difference == pytest.approx(20 * means.difference)
        assert np.array(result.interval) == pytest.approx(20 * np.array(means.interval))
        assert np.array(result.simultaneous_interval) == pytest.approx(20 * np.array(means.simultaneous_interval))
        for name in ("p", "corrected_p", "effect_size"):
            assert np.array_equal(getattr(result, name), getattr(means, name))


def test_discriminative_power() -> None:
    """Of three pairs one differs after correction and two before; and nothing differs of no pairs."""
    values = np.array([[0.6] * 6, [0.5, 0.5, 0.5, 0.5, 0.5, 0.9], [0.1, 0.1, 0.1, 0.1, 0.2, 0.2]])
    p = [stats.ttest_rel(values[first], values[other]).pvalue for first, other in PAIRS]
    result = Comparisons(values, PAIRS, Method("t", "none"))
    assert result.p == pytest.approx(p)
    assert [result.power, result.power_uncorrected] == [np.mean(np.array(p) < 0.05)] * 2
    holm = Comparisons(values, PAIRS, Method("t", "bonferroni", alpha=0.001))
    assert [holm.power, holm.power_uncorrected] == [np.mean(times * np.array(p) < 0.001) for times in (3, 1)]
    assert Comparisons(values, []).power == Comparisons(values, []).power_uncorrected == 0


@pytest.mark.parametrize(
    ("method", "sizes", "least"),
    [
        (Method("permutation", "holm"), (4, 5, 6), 6 / 16),
        (Method("permutation", "bonferroni", resamples=9999), (23, 50, 253), 253 / 10000),
        (Method("permutation", "hommel"), (23, 50, 253), 1 / 10000),
        (Method("permutation", "bh"), (23, 50, 253), 1 / 10000),
        (Method("wilcoxon", "holm"), (3, 5, 3), 3 / 16),
        (Method("t", "holm"), (3, 2, 3), 0),
        (Method("t", "none"), (3, 1, 3), 1),
        (Method("t", "tukey"), (3, 2, 3), 1 / 6),
        (Method("t", "tukey", resamples=99), (30, 50, 435), 1 / 100),
    ],
)
def test_least_corrected_p(method: Method, sizes: tuple[int, int, int], least: float) -> None:
    """What numbers of topics and pairs allow."""
    n_runs, n_topics, n_pairs = sizes
    assert least_corrected_p(method, n_runs, n_topics, n_pairs) == pytest.approx(least)

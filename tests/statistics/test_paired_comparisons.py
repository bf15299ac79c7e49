"""Comparisons of runs: by hand, and each measure on its own scale."""

from __future__ import annotations

import math
from dataclasses import astuple, replace

import numpy as np
import pytest

from irevalx.arrays.segments import FloatArray
from irevalx.experiments.measure_scales import GEOMETRIC_MEAN
from irevalx.statistics import paired_comparisons as comparison
from irevalx.statistics.paired_comparisons import (
    Method,
    by_achieved_significance,
    compare,
    comparison_warnings,
    discriminative_power,
    least_corrected_p,
)
from irevalx.statistics.scales import MEAN, TOTAL

PAIRS = [(0, 1), (0, 2), (1, 2)]


def random_values(seed: int, n_runs: int, n_topics: int) -> FloatArray:
    """Values of shape (n_runs, n_topics), in steps of 0.01."""
    rng = np.random.default_rng(seed)
    values = np.clip(rng.random(n_topics) + rng.normal(0, 0.1, (n_runs, n_topics)), 0, 1)
    return np.round(values, 2).astype(np.float64)


def test_compare_by_hand() -> None:
    """Six topics: four won, one tied, one lost; sum 1.0, and the sum of squares 0.30."""
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.5])
    y = np.array([0.3, 0.5, 0.6, 0.7, 0.5, 0.4])
    [found] = compare(np.stack((x, y)), [(0, 1)], Method("wilcoxon", "none")).pairs
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
    assert math.isnan(found.simultaneous_low)


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
    found = compare(values, PAIRS, method).pairs
    assert [one.corrected for one in found] == pytest.approx([min(1, 3 * one.p) for one in found])
    [alone] = compare(values, PAIRS[:1], method).pairs
    assert alone.corrected == alone.p == found[0].p
    assert compare(values, []).pairs == ()


def test_tukey_is_over_all_runs() -> None:
    """The example of three runs, whichever pairs are asked for; p before correction is that of the test."""
    values = np.array([[0.6, 0.8], [0.4, 0.5], [0.1, 0.2]])
    method = Method("permutation", "tukey", alpha=0.2)
    found = compare(values, [(2, 0)], method)
    [one] = found.pairs
    assert (one.p, one.corrected) == (0.5, 6 / 36)
    assert found.half_width == pytest.approx(0.45)
    assert [one.simultaneous_low, one.simultaneous_high] == pytest.approx([0.1, 1.0])
    sums = compare(10 * values, [(2, 0)], method, TOTAL)
    assert sums.half_width == pytest.approx(9)
    assert astuple(sums.pairs[0])[-3:] == pytest.approx((6 / 36, 2, 20))


def test_tukey_of_thirds_is_the_permutation_test() -> None:
    """Two runs: 1/3 against 1/6 for four topics; the two arrangements of 16 that are as far are the observed ones."""
    values = np.array([[1 / 3] * 4, [1 / 6] * 4])
    [one] = compare(values, [(1, 0)], Method("permutation", "tukey")).pairs
    assert (one.p, one.corrected) == (2 / 16, 2 / 16)
    assert one.simultaneous_low == 0.0
    assert one.simultaneous_high == pytest.approx(1 / 3)


def test_tukey_intervals_and_decisions_belong_together() -> None:
    """A difference that is as great as the half width has an interval that ends at 0, and is not found different."""
    values = np.array([[0.6, 0.8], [0.4, 0.5], [0.1, 0.2]])
    for alpha in (0.15, 0.2, 0.5, 0.67, 0.7, 0.9):
        for one in compare(values, PAIRS, Method(correction="tukey", alpha=alpha)).pairs:
            assert (one.corrected < alpha) == (one.simultaneous_low > 0 or one.simultaneous_high < 0)


def test_simultaneous_intervals() -> None:
    """Under Bonferroni's and Holm's correction intervals of 1 - alpha/3 for each of three pairs; else none."""
    values = random_values(2, 3, 25)
    wide = compare(values, PAIRS, Method(correction="none", alpha=0.1 / 3, seed=1))
    for correction in ("holm", "bonferroni"):
        found = compare(values, PAIRS, Method(correction=correction, alpha=0.1, seed=1))
        for one, other in zip(found.pairs, wide.pairs, strict=True):
            assert (one.simultaneous_low, one.simultaneous_high) == (other.low, other.high)
            assert one.simultaneous_low < one.low
    for correction in ("bh", "none"):
        [one, *_] = compare(values, PAIRS, Method(correction=correction)).pairs
        assert math.isnan(one.simultaneous_low)
        assert math.isnan(one.simultaneous_high)
    [one, *_] = compare(values, PAIRS, Method(correction="holm", interval="t", alpha=0.1)).pairs
    [other, *_] = compare(values, PAIRS, Method(correction="none", interval="t", alpha=0.1 / 3)).pairs
    assert (one.simultaneous_low, one.simultaneous_high) == pytest.approx((other.low, other.high))


def test_geometric_means() -> None:
    """AP 0.5 and 0 against 0.25 and 0.1: gm_map 0.002236 and 0.158114, and what is tested are logarithms."""
    values = np.array([[0.5, 0.0], [0.25, 0.1]])
    [found] = compare(values, [(0, 1)], Method("permutation"), GEOMETRIC_MEAN).pairs
    assert found.mean_first == pytest.approx(0.002236, abs=1e-6)
    assert found.mean_second == pytest.approx(0.158114, abs=1e-6)
    assert found.difference == pytest.approx(0.158114 - 0.002236, abs=1e-6)
    d = np.log([0.25, 0.1]) - np.log([0.5, 0.00001])
    assert found.effect_size == pytest.approx(d.mean() / d.std(ddof=1))
    assert (found.wins, found.losses, found.p) == (1, 1, 1.0)
    assert -0.25 <= found.low <= found.high <= found.difference + 1e-12
    assert math.isnan(found.simultaneous_low)
    values = random_values(4, 3, 30)
    tukey = compare(values, PAIRS, Method(correction="tukey", resamples=99), GEOMETRIC_MEAN)
    logs = compare(np.log(np.maximum(values, 1e-5)), PAIRS, Method(correction="tukey", resamples=99))
    assert [one.corrected for one in tukey.pairs] == [one.corrected for one in logs.pairs]
    assert math.isnan(tukey.half_width)
    [one, *_] = compare(values, PAIRS, Method(interval="t"), GEOMETRIC_MEAN).pairs
    assert math.isnan(one.low)


def test_sums() -> None:
    """Sums, their differences and intervals are n times those of the means; the tests are the same."""
    values = np.round(100 * random_values(5, 3, 20))
    for interval in ("bca", "t"):
        method = Method(interval=interval)
        found, means = (compare(values, PAIRS, method, scale) for scale in (TOTAL, MEAN))
        for one, other in zip(found.pairs, means.pairs, strict=True):
            assert one.mean_first == float(values[one.first].sum())
            assert one.difference == pytest.approx(20 * other.difference)
            assert [one.low, one.high] == pytest.approx([20 * other.low, 20 * other.high])
            assert one.simultaneous_low == pytest.approx(20 * other.simultaneous_low)
            assert (one.p, one.corrected, one.effect_size) == (other.p, other.corrected, other.effect_size)


def test_discriminative_power() -> None:
    """P 0.001, 0.02, 0.03, 0.2: power 0.75 uncorrected and under BH, 0.25 under Holm."""
    [one] = compare(random_values(1, 2, 9), [(0, 1)]).pairs
    for corrected, power in (((0.004, 0.06, 0.06, 0.2), 0.25), ((0.004, 0.04, 0.04, 0.2), 0.75)):
        rows = [
            replace(one, p=p, corrected=c)
            for p, c in zip(
                (0.02, 0.2, 0.001, 0.03), (corrected[1], corrected[3], corrected[0], corrected[2]), strict=True
            )
        ]
        found = comparison.Comparisons(tuple(rows))
        counted = discriminative_power(found, 0.05)
        assert (counted.pairs, counted.power, counted.power_uncorrected) == (4, power, 0.75)
        assert [row.p for row in by_achieved_significance(found)] == [0.001, 0.02, 0.03, 0.2]
    assert discriminative_power(comparison.Comparisons(())).power == 0


@pytest.mark.parametrize(
    ("method", "sizes", "least"),
    [
        (Method("permutation", "holm"), (4, 5, 6), 6 / 16),
        (Method("permutation", "bonferroni", resamples=9999), (23, 50, 253), 253 / 10000),
        (Method("permutation", "bh"), (23, 50, 253), 1 / 10000),
        (Method("wilcoxon", "holm"), (3, 5, 3), 3 / 16),
        (Method("t", "holm"), (3, 2, 3), 0),
        (Method("t", "none"), (3, 1, 3), 1),
        (Method("t", "tukey"), (3, 2, 3), 1 / 6),
        (Method("t", "tukey", resamples=99), (30, 50, 435), 1 / 100),
    ],
)
def test_least_corrected_p(method: Method, sizes: tuple[int, int, int], least: float) -> None:
    """What so many topics and pairs allow."""
    n_runs, n_topics, n_pairs = sizes
    assert least_corrected_p(method, n_runs, n_topics, n_pairs) == pytest.approx(least)


@pytest.mark.parametrize(
    ("method", "sizes", "words"),
    [
        (Method("permutation"), (4, 5, 6), ["corrected p", "only more topics", "0.375"]),
        (Method("permutation", resamples=99), (4, 50, 6), ["corrected p", "more --resamples", "0.06"]),
        (Method("t", "tukey", resamples=9), (4, 50, 6), ["corrected p", "more --resamples", "0.1"]),
        (Method("t", "tukey"), (3, 2, 3), ["corrected p", "only more topics"]),
        (Method("t", "tukey"), (4, 50, 3), ["all pairs of the 4 runs"]),
        (Method(), (4, 19, 6), ["interval", "--interval t"]),
        (Method(resamples=999), (10, 50, 45), ["--resamples 999", "simultaneous intervals of 45 pairs"]),
        (Method(), (4, 20, 6), []),
        (Method(interval="t"), (4, 5, 6), []),
    ],
)
def test_warnings(method: Method, sizes: tuple[int, int, int], words: list[str]) -> None:
    """What cannot be found, and which intervals cannot be trusted, is said."""
    n_runs, n_topics, n_pairs = sizes
    lines = comparison_warnings(method, MEAN, "map", n_runs=n_runs, n_topics=n_topics, n_pairs=n_pairs)
    assert all(word in " ".join(lines) for word in words)
    assert bool(lines) == bool(words)


def test_warnings_name_summaries_that_are_no_means() -> None:
    """One line for geometric means and for sums."""
    for scale, word in ((GEOMETRIC_MEAN, "logarithms"), (TOTAL, "sums")):
        [line] = comparison_warnings(Method(), scale, "it", n_runs=2, n_topics=50, n_pairs=1)
        assert word in line

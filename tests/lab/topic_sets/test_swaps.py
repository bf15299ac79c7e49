"""Swap rates, by size and by difference, and their extrapolation, against loops, scipy and hand-computed values."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from statistics import stdev

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS
from hypothesis import given
from hypothesis import strategies as st
from references import statistics as reference
from running import examples, lab
from scipy.stats import beta, multivariate_normal

import irevalx
from irevalx.errors import ArgumentError
from irevalx.experiments.ranked_runs import GEOMETRIC_MEAN
from irevalx.lab.topic_sets.swap_rate import SwapRates
from irevalx.lab.topic_sets.swaps import (
    SwapBin,
    default_sizes,
    extrapolated_rates,
    least_reliable,
    own_sets,
    swap_bins,
    swap_rate,
    topic_sets,
)
from irevalx.statistics.significance import TOTAL, generator

SETTINGS = examples(100)


@SETTINGS
@given(st.data(), st.integers(1, 30))
def test_rates_are_those_of_the_loops(data: st.DataObject, draws: int) -> None:
    """Swaps and ties are counted pair by pair; sums that are equal but for rounding are ties."""
    n_topics = data.draw(st.integers(2, 8))
    row = st.lists(st.integers(0, 4), min_size=n_topics, max_size=n_topics)
    values = data.draw(st.lists(row, min_size=2, max_size=4))
    size, seed = data.draw(st.integers(1, n_topics // 2)), data.draw(st.integers(-5, 5))
    sets = topic_sets(n_topics, size, draws=draws, seed=seed)
    result = swap_rate(np.array(values) / 10, sets)
    assert (result.comparisons, result.swaps, result.ties) == reference.swaps(values, sets.tolist())


@SETTINGS
@given(st.integers(2, 9), st.data(), st.integers(1, 60))
def test_topic_sets(n_topics: int, data: st.DataObject, draws: int) -> None:
    """Pairs are disjoint, of the size asked for, and different; all there are, if there are no more than asked for."""
    size = data.draw(st.integers(1, n_topics // 2))
    possible = reference.all_pairs_of_sets(n_topics, size)
    result = topic_sets(n_topics, size, draws=draws, seed=3)
    pairs = {frozenset((frozenset(first), frozenset(other))) for first, other in result.tolist()}
    assert result.shape == (len(pairs), 2, size)
    assert pairs <= possible
    assert len(pairs) == min(draws, len(possible))


def test_topic_sets_depend_on_the_seed_alone() -> None:
    """The same seed gives the same sets everywhere: those of the written rule. Another seed gives others."""
    result = topic_sets(40, 10, draws=50, seed=1)
    assert topic_sets(40, 10, draws=50, seed=1).tolist() == result.tolist()
    assert topic_sets(40, 10, draws=50, seed=2).tolist() != result.tolist()
    assert topic_sets(40, 10, draws=20, seed=1).tolist() == result[:20].tolist()
    assert result[0].tolist() == reference.drawn_sets(40, 10, "1 swap-rate 0")
    assert result[49].tolist() == reference.drawn_sets(40, 10, "1 swap-rate 49")


def test_topics_are_drawn_evenly() -> None:
    """Every topic is in as many sets as the others, but for chance: 1000 · 2 · 5 / 20 = 500 ± 4 standard deviations."""
    counts = np.bincount(topic_sets(20, 5, draws=1000, seed=6).ravel(), minlength=20)
    assert (abs(counts - 500) < 4 * (1000 * 0.5 * 0.5) ** 0.5).all()


def test_default_sizes() -> None:
    """They end with half the topics, which is what the paper reports."""
    assert default_sizes(100) == (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50)
    assert default_sizes(7) == (1, 2, 3)
    assert default_sizes(1) == ()


def test_ties_are_no_agreement() -> None:
    """Ties count as half a swap, or are left out; the interval is over pairs of topic sets: a literal loop."""
    values = np.array([[0.1, 0.3, 0.2, 0.2], [0.2, 0.2, 0.2, 0.2], [0.3, 0.3, 0.0, 0.1]])
    sets = np.array([[[0], [1]], [[0], [2]], [[1], [3]]])
    of_draws, swaps, ties = [], 0, 0
    for left, other in sets[:, :, 0].tolist():
        rates = []
        for first, second in ((0, 1), (0, 2), (1, 2)):
            a, b = (values[second, t] - values[first, t] for t in (left, other))
            rates.append(0.5 if a * b == 0 else float(a * b < 0))
            swaps, ties = swaps + (a * b < 0), ties + (a * b == 0)
        of_draws.append(sum(rates) / 3)
    rate = swap_rate(values, sets)
    assert (rate.swaps, rate.ties) == (swaps, ties) != (0, 0)
    assert rate.share_tied == pytest.approx(ties / 9)
    assert rate.rate_with_half_ties == pytest.approx(sum(of_draws) / 3)
    assert rate.rate_without_ties == pytest.approx(swaps / (9 - ties))
    assert rate.error == pytest.approx(stdev(of_draws) / 3**0.5)
    assert np.isnan(swap_rate(values, sets[:1]).interval).all()
    assert np.isnan(swap_rate(np.zeros((2, 2)), sets[:1]).rate_without_ties)


def test_no_interval_where_all_sets_are_compared() -> None:
    """Nothing was drawn, so nothing varies over draws; with one pair of sets less there is an interval."""
    values = np.array([[0.1, 0.3, 0.2, 0.2], [0.2, 0.2, 0.2, 0.2], [0.3, 0.3, 0.0, 0.1]])
    for size, n_pairs in ((1, 6), (2, 3)):
        sets = topic_sets(4, size)
        assert len(sets) == n_pairs
        shared, own = swap_rate(values, sets), swap_rate(values, own_sets(values, size))
        assert (own.swaps, own.ties, own.comparisons) == (shared.swaps, shared.ties, shared.comparisons)
        bins = [row for of in (sets, own_sets(values, size)) for row in swap_bins(values, of, Fraction("0.2"))]
        assert np.isnan([row.interval for row in (shared, own, *bins)]).all()
        assert not np.isnan(swap_rate(values, sets[1:]).interval).any()


def test_each_pair_of_runs_on_its_own_sets() -> None:
    """A literal loop over pairs, of which each has other sets; the pairs are independent of each other."""
    values = np.random.default_rng(3).integers(0, 4, (4, 14)).astype(np.float64)
    result = swap_rate(values, own_sets(values, 3, draws=30, seed=5))
    swaps = ties = 0
    variance, seen = 0.0, set()
    for pair, (first, second) in enumerate(combinations(range(4), 2)):
        sets = topic_sets(14, 3, draws=30, seed=5, pair=pair).tolist()
        seen.add(str(sets))
        halves = []
        for left, other in sets:
            a, b = (sum(values[second, t] - values[first, t] for t in side) for side in (left, other))
            swaps, ties = swaps + (a * b < 0), ties + (a * b == 0)
            halves.append(0.5 if a * b == 0 else float(a * b < 0))
        variance += stdev(halves) ** 2 / 30 / 36
    assert len(seen) == 6
    assert (result.comparisons, result.swaps, result.ties) == (180, swaps, ties)
    assert result.error == pytest.approx(variance**0.5)


def test_by_hand() -> None:
    """One pair of runs, four topics, sets of one: differences 0.1 0.2 -0.1 0.3."""
    # By topics: 1|3 1|2 1|4 2|3 2|4 3|4, each way; swaps are those with topic 3. 0.1 and -0.1 are in the first bin, each
    # against three others.
    values = np.array([[0.5, 0.6, 0.3, 0.7], [0.4, 0.4, 0.4, 0.4]])
    low, high = swap_bins(values, topic_sets(4, 1), Fraction("0.2"))
    assert (low.least, low.limit, low.comparisons, low.swaps) == (0, 0.2, 6, 4)
    assert (high.least, high.limit, high.comparisons, high.swaps) == (0.2, 0.4, 6, 2)
    assert high.rate == pytest.approx(1 / 3)
    # The runs score 0.525 and 0.4, whose standard deviation is 0.125 / sqrt(2).
    assert high.percent == pytest.approx(100 * 0.2 / 0.525)
    assert high.sigmas == pytest.approx(0.2 / (0.125 / 2**0.5))
    assert (low.percent, low.sigmas) == (0, 0)
    assert least_reliable([low, high]) is None


@examples(100)
@given(st.data(), st.integers(1, 4))
def test_bins_are_those_of_the_loops(data: st.DataObject, width: int) -> None:
    """Whatever the differences; on the edge of a bin exact decimals decide."""
    n_topics = data.draw(st.integers(2, 8))
    row = st.lists(st.integers(0, 9), min_size=n_topics, max_size=n_topics)
    values = data.draw(st.lists(row, min_size=2, max_size=4))
    size = data.draw(st.sampled_from([size for size in (1, 2, 4) if size <= n_topics // 2]))
    sets = topic_sets(n_topics, size, draws=20, seed=1)
    result = swap_bins(np.array(values) / 10, sets, Fraction(width, 10 * size))
    pairs = [(first.tolist(), other.tolist()) for first, other in sets]
    expected = reference.swap_bins(values, pairs, width)
    assert {round(row.least * 10 * size / width): (row.comparisons, row.swaps) for row in result} == expected
    assert [row.least for row in result] == sorted(row.least for row in result)
    sums = swap_bins(np.array(values) / 10, sets, Fraction(width, 10), TOTAL)
    assert [(row.comparisons, row.swaps) for row in sums] == [(row.comparisons, row.swaps) for row in result]
    shares = [share for row in result for share in (row.percent, row.sigmas)]  # the unit makes no difference
    assert [share for row in sums for share in (row.percent, row.sigmas)] == pytest.approx(shares, nan_ok=True)


def test_geometric_means() -> None:
    """Differences of geometric means, found from logarithms."""
    values = np.array([[0.5, 0.2, 0.4], [0.1, 0.4, 0.0]])
    tested = GEOMETRIC_MEAN.transform(values)
    result = swap_bins(tested, topic_sets(3, 1), Fraction("0.3"), GEOMETRIC_MEAN)
    assert [(row.least, row.comparisons, row.swaps) for row in result] == [(0, 2, 2), (0.3, 4, 2)]


def test_nothing_to_compare_with() -> None:
    """Runs that score alike have no standard deviation; where all score 0 there is no percentage."""
    [result] = swap_bins(np.zeros((2, 4)), topic_sets(4, 2), Fraction("0.1"))
    assert math.isnan(result.percent)
    assert math.isnan(result.sigmas)
    assert (result.comparisons, result.swaps) == (6, 0)


def a_bin(least: float, comparisons: int, swaps: int, ties: int = 0) -> SwapBin:
    """Return a bin of which only these are known."""
    return SwapBin(least=least, limit=1, percent=0, sigmas=0, comparisons=comparisons, swaps=swaps, ties=ties)


def test_least_reliable_difference() -> None:
    """From there on every bin's rate is at most 5 %, with ties as half swaps; bins of few comparisons are ignored."""
    bins = [a_bin(number / 10, 100, swaps) for number, swaps in enumerate((30, 5, 6, 5, 0))]
    assert [least_reliable(subset) for subset in (bins, bins[:2], bins[:3], [])] == [0.3, 0.1, None, None]
    of = [(100, 30), (100, 4), (29, 29), (100, 1), (3, 3)]
    bins = [a_bin(number / 10, *counts) for number, counts in enumerate(of)]
    assert [row.is_small for row in bins] == [False, False, True, False, True]
    assert [least_reliable(subset) for subset in (bins, bins[-1:])] == [0.1, None]
    assert [least_reliable([a_bin(0.1, 100, 1, ties=ties)]) for ties in (8, 10)] == [0.1, None]


def test_bins_on_sets_of_each_pair_alone() -> None:
    """Each pair of runs is compared on topic sets drawn for it alone: the loops over each pair, added up."""
    values = [[3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8], [1, 6, 1, 8, 0, 3, 3, 9]]
    expected: dict[int, list[tuple[list[int], list[int], list[int]]]] = {}
    for pair, (first, second) in enumerate(combinations(values, 2)):
        sets = topic_sets(8, 2, draws=30, seed=5, pair=pair).tolist()
        counts: dict[int, tuple[list[int], list[int], list[int]]] = {}
        for draw, sides in enumerate(sets):
            d = [sum(second[topic] - first[topic] for topic in side) for side in sides]
            for row, other in (d, d[::-1]):
                compared, swapped, tied = counts.setdefault(abs(row) // 3, ([0] * 30, [0] * 30, [0] * 30))
                compared[draw] += 1
                swapped[draw] += row * other < 0
                tied[draw] += row * other == 0
        for number, of_pair in counts.items():
            expected.setdefault(number, []).append(of_pair)
    result = swap_bins(np.array(values) / 10, own_sets(np.array(values) / 10, 2, draws=30, seed=5), Fraction(3, 20))
    assert [round(row.least / 0.15) for row in result] == sorted(expected)
    for row, of_pairs in zip(result, (expected[number] for number in sorted(expected)), strict=True):
        sums = tuple(sum(sum(of_pair[kind]) for of_pair in of_pairs) for kind in range(3))
        assert (row.comparisons, row.swaps, row.ties) == sums
        rate = (sums[1] + sums[2] / 2) / sums[0]
        assert row.rate_with_half_ties == rate
        variance = sum(
            30 * np.var([s + t / 2 - rate * c for c, s, t in zip(*of_pair, strict=True)], ddof=1)
            for of_pair in of_pairs
        )
        assert row.error == pytest.approx(math.sqrt(variance) / sums[0])
    shared = swap_bins(np.array(values) / 10, topic_sets(8, 2, draws=30, seed=5), Fraction(3, 20))
    assert [(row.swaps, row.ties) for row in shared] != [(row.swaps, row.ties) for row in result]


REPLAYS = int(os.environ.get("SWAP_REPLAYS", "0"))


@given(st.data())
@examples(30)
def test_intervals_are_of_the_number_of_independent_comparisons(data: st.DataObject) -> None:
    """A loop over draws, and scipy's quantiles of the beta distribution; half a tie is half a swap."""
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    values = random.integers(0, data.draw(st.integers(2, 9)), (3, 9)) / 10
    sets = topic_sets(9, 2, draws=25, seed=data.draw(st.integers(0, 99)))
    for result in swap_bins(values, sets, Fraction("0.1")):
        rows = []
        for two in sets.tolist():
            n, y = 0, Fraction(0)
            for x, z in combinations(np.rint(values * 10).astype(int).tolist(), 2):
                d = [sum(z[topic] - x[topic] for topic in side) for side in two]
                for a, b in (d, d[::-1]):
                    if abs(a) // 2 == round(result.least * 10):
                        n, y = n + 1, y + (Fraction(1) if a * b < 0 else Fraction(a * b == 0, 2))
            rows.append((n, y))
        n = sum(row[0] for row in rows)
        p = Fraction(sum(row[1] for row in rows)) / n
        v = Fraction(25, 24) * sum((y - p * k) ** 2 for k, y in rows) / n**2
        independent = p * (1 - p) / v if v and 0 < p < 1 else Fraction(sum(k > 0 for k, _ in rows))
        independent = min(max(Fraction(1), independent), Fraction(n))
        x, rest = float(p * independent), float((1 - p) * independent)
        low = beta.ppf(0.025, x, rest + 1) if x else 0.0
        high = beta.ppf(0.975, x + 1, rest) if rest else 1.0
        assert result.interval == pytest.approx((low, high), abs=1e-9)


def test_intervals_cover_the_rate_over_all_splits() -> None:
    """The truth is exact: all 17,325 pairs of sets of 4 of 12 topics. A share of 0 has an interval, too.

    Of 150 replays with 100 draws on robust03 (map, sets of 25, bins of 0.02) 0.94 to 1.00 were covered in each bin up
    to 0.30; 60 replays with 1,000 draws: 0.93 to 1.00.
    """
    values = generator(3).normal(np.linspace(0.1, 0.8, 6)[:, np.newaxis], 0.15, (6, 12))
    width = Fraction("0.1")
    truth = {row.least: row.rate_with_half_ties for row in swap_bins(values, topic_sets(12, 4, draws=17_325), width)}
    covered: dict[float, list[bool]] = {}
    for seed in range(REPLAYS or 60):
        for row in swap_bins(values, topic_sets(12, 4, draws=100, seed=seed), width):
            low, high = row.interval
            covered.setdefault(row.least, []).append(low <= truth[row.least] <= high)
            assert low < high
    assert min(truth.values()) < 0.001
    assert all(sum(flags) >= 0.85 * len(flags) for flags in covered.values())
    every = [flag for flags in covered.values() for flag in flags]
    assert sum(every) >= 0.92 * len(every)


def test_table_marks_bins_with_few_comparisons_and_says_what_intervals_are_over() -> None:
    """Nothing is said about intervals where all pairs of sets were compared."""
    call: tuple[str | Path, ...] = ("swap-rate", QRELS, *RUNS, "-m", "map", "--seed", "1")
    text = lab(*call, "--sizes", "5", "--draws", "50", "--bins", "0.1").stdout.decode()
    marked = [line for line in text.splitlines() if line.startswith("map") and " few " in line]
    assert [float(line.split()[2]) for line in marked] == [0.4]
    assert "over all splits of these topics" in text
    assert b"intervals" not in lab(*call, "--sizes", "1").stdout


def normal_rate(variance: float, size: int) -> float:
    """Return the probability that two sets differ in sign, by scipy's bivariate normal distribution."""
    r = size * variance / (1 + size * variance)
    return 1 - 2 * float(multivariate_normal.cdf([0, 0], mean=[0, 0], cov=[[1, r], [r, 1]]))


@pytest.mark.parametrize("variance", [0.02, 0.3, 2.0])
def test_normal_differences(variance: float) -> None:
    """Rates that follow the model are extrapolated exactly."""
    sizes, larger = (1, 2, 5, 10), (20, 50)
    rates = extrapolated_rates(sizes, [normal_rate(variance, size) for size in sizes], larger)
    assert rates == pytest.approx([normal_rate(variance, size) for size in larger], abs=1e-5)


@pytest.mark.slow
def test_observed_rates_of_robust03(robust03: Path) -> None:
    """Rates of 20 topics, extrapolated to 50, are near the rates observed on all 100 topics; means of 12 samples."""
    runs = sorted((robust03 / "runs").iterdir())
    scores = irevalx.evaluate(robust03 / "qrels.gz", runs, ["map", "RankEff"], complete=True)
    topics = sorted({topic for run in scores.runs for topic in scores.topics(run)})
    values = {
        measure: {
            run: dict(zip(scores.topics(run), scores.per_topic(measure, run).tolist(), strict=True))
            for run in scores.runs
        }
        for measure in ("map", "RankEff")
    }

    def given(chosen: list[str]) -> irevalx.Scores:
        rows = [
            {"run": run, "topic": topic, "measure": measure, "value": of_topics.get(topic, 0.0)}
            for measure, of_runs in values.items()
            for run, of_topics in of_runs.items()
            for topic in chosen
        ]
        pandas = pytest.importorskip("pandas")
        return irevalx.Scores.from_frame(pandas.DataFrame(rows))

    observed = {
        row.measure: row.with_half_ties for row in irevalx.lab.swap_rate(given(topics), sizes=[50], seed=1).rows
    }
    estimates: dict[str, list[float]] = {"map": [], "RankEff": []}
    for seed in range(12):
        chosen = np.random.default_rng(seed).choice(len(topics), 20, replace=False).tolist()
        few = given([topics[number] for number in chosen])
        result = irevalx.lab.swap_rate(few, draws=150, seed=seed, extrapolate=[50])
        assert isinstance(result, SwapRates)
        for row in result.extrapolated:
            estimates[row.measure].append(row.with_half_ties)
    for measure, of_samples in estimates.items():
        assert np.mean(of_samples) == pytest.approx(observed[measure], abs=0.04)


def test_range_of_extrapolated_rates() -> None:
    """The range is of the rates from each size alone: r = cos(pi rate) = nv/(1 + nv), solved for v."""
    result = irevalx.lab.swap_rate(QRELS, [*RUNS], "map", sizes=[2, 3, 5], seed=1, extrapolate=[10, 20])
    assert isinstance(result, SwapRates)
    for row in result.extrapolated:
        alone = []
        for of_size in result.rows:
            r = math.cos(math.pi * of_size.with_half_ties)
            signal = row.topics * r / (of_size.topics * (1 - r))
            alone.append(math.acos(signal / (1 + signal)) / math.pi)
        assert [row.low, row.high] == pytest.approx([min(alone), max(alone)], abs=1e-6)
        assert min(alone) <= row.with_half_ties <= max(alone)
    printed = lab("swap-rate", QRELS, *RUNS, "-m", "map", "--sizes", "2 3", "--seed", "1", "--extrapolate", "10").words
    assert "They are not a confidence interval" in printed


def test_refusals() -> None:
    """Sets of more than five times the largest observed size are refused, and bins."""
    with pytest.raises(ArgumentError, match="must be at most 15 for map, 5 times the largest topic set"):
        irevalx.lab.swap_rate(QRELS, [*RUNS], "map", sizes=[1, 3], seed=1, extrapolate=[5, 16])
    with pytest.raises(ArgumentError, match="bins"):
        irevalx.lab.swap_rate(QRELS, [*RUNS], "map", seed=1, extrapolate=[5], bins=0.1)

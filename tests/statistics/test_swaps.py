"""Swap rates: a case solved by hand, the literal loops, and topic sets that are what they are said to be."""

from __future__ import annotations

from itertools import combinations
from statistics import stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references import statistics as reference

from irevalx.statistics.swap_rates import default_sizes, own_sets, swap_rate, topic_sets

SETTINGS = settings(deadline=None, max_examples=100)


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
    assert result.size == size


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
        assert np.isnan(swap_rate(values, sets).interval).all()
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
    assert (result.size, result.comparisons, result.swaps, result.ties) == (3, 180, swaps, ties)
    assert result.error == pytest.approx(variance**0.5)


def test_own_sets_of_all_there_are() -> None:
    """Where all pairs of sets are compared they are the same for all pairs of runs, and nothing is drawn."""
    values = np.random.default_rng(4).random((3, 5))
    own, shared = swap_rate(values, own_sets(values, 2)), swap_rate(values, topic_sets(5, 2))
    assert (own.swaps, own.ties, own.comparisons) == (shared.swaps, shared.ties, shared.comparisons)
    assert np.isnan(own.interval).all()

"""Swap rates for each size of topic sets, and for each size of the difference between runs.

Two disjoint topic sets are treated as two experiments with the same runs. In a swap, a run is better than another run
on one topic set and worse on the other [Ahlgren & Grönqvist 2008, section 6.1; Voorhees & Buckley, SIGIR 2002].

Source: Voorhees and Buckley, The Effect of Topic Set Size on Retrieval Experiment Error, SIGIR 2002; Ahlgren and
Grönqvist, IP&M 2008, section 6.1 and Tables 5 to 7.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from hashlib import shake_256
from itertools import combinations
from math import comb
from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.statistics.significance import DECIMALS, MEAN, Scale, differences, in_units, pairs_of_runs

DRAWS = 1000
"""The default number of pairs of topic sets."""

_NOISE = 1e-12
"""The largest standard error, and twice the largest difference, that are treated as rounding errors."""

_TAIL = 0.025
"""The probability that a value is beyond one of the two bounds of an interval."""

_SIZES = (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)


class Swaps(Frozen, kw_only=True):
    """The number of comparisons in which two topic sets disagree on which of two runs is better."""

    comparisons: int
    """The number of comparisons: the number of pairs of runs times the number of pairs of topic sets. The number is at
    least 1."""
    swaps: int
    """The number of comparisons in which each of the two runs is better on one of the two sets."""
    ties: int = 0
    """The number of comparisons in which the runs are tied on a set, which are not swaps."""
    error: float = math.nan
    """The standard error of the swap rate with half ties over drawn pairs of sets, or nan if there is a single pair or
    all pairs are compared."""
    draws: int = 1
    """The number of pairs of topic sets on which runs are compared."""

    @property
    def rate(self) -> float:
        """The share of swaps among all comparisons including ties, in [0, 1]."""
        return self.swaps / self.comparisons

    @property
    def share_tied(self) -> float:
        """The share of comparisons that are ties."""
        return self.ties / self.comparisons

    @property
    def rate_with_half_ties(self) -> float:
        """The share of swaps if each tie counts as half a swap, as if tied runs were ordered at random."""
        return (self.swaps + self.ties / 2) / self.comparisons

    @property
    def rate_without_ties(self) -> float:
        """The share of swaps among comparisons without ties, or nan if all comparisons are ties."""
        decided = self.comparisons - self.ties
        return self.swaps / decided if decided else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of ``rate_with_half_ties`` over all pairs of topic sets of the size, or nan if unknown."""
        rate, error = self.rate_with_half_ties, self.error
        if math.isnan(error):
            return math.nan, math.nan
        # A Clopper-Pearson interval for as many independent comparisons as have this error has a width even without
        # swaps.
        spread = rate * (1 - rate)
        independent = spread / error**2 if spread > 0 and error > _NOISE else self.draws
        return share_interval(rate, min(max(1.0, independent), self.comparisons))


def share_interval(share: float, n: float) -> tuple[float, float]:
    """Return the Clopper-Pearson 95% interval for a share of ``n`` comparisons, where ``n`` can be fractional."""
    from scipy.special import betaincinv

    x = share * n
    low = float(betaincinv(x, n - x + 1, _TAIL)) if x > 0 else 0.0
    high = float(betaincinv(x + 1, n - x, 1 - _TAIL)) if n - x > 0 else 1.0
    return low, high


def default_sizes(n_topics: int) -> tuple[int, ...]:
    """Return the default sizes of two disjoint topic sets, of which the largest is half the number of topics."""
    half = n_topics // 2
    smaller = tuple(size for size in _SIZES if size < half)
    return (*smaller, half) if half else ()


def own_sets(
    values: FloatArray, size: int, *, draws: int = DRAWS, seed: int = 0
) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yield the values of each pair of runs, and the topic sets that are drawn for the pair.

    The shape of the values is (2, n_topics).
    """
    for pair, runs in enumerate(combinations(range(len(values)), 2)):
        yield values[list(runs)], topic_sets(values.shape[1], size, draws=draws, seed=seed, pair=pair)


TopicSets: TypeAlias = "IntArray | Iterable[tuple[FloatArray, IntArray]]"
"""The topic sets on which runs are compared: sets that all pairs of runs share (``topic_sets``), or sets for each pair
of runs (``own_sets``). The shape of shared sets is (n_pairs, 2, size)."""


def runs_on_sets(values: FloatArray, sets: TopicSets) -> Iterable[tuple[FloatArray, IntArray]]:
    """Return the topic sets, and the values of the runs that are compared on these sets."""
    return [(values, sets)] if isinstance(sets, np.ndarray) else sets


def swap_rate(values: FloatArray, sets: TopicSets) -> Swaps:
    """Compare all pairs of runs on pairs of topic sets. The shape of ``values`` is (n_runs, n_topics)."""
    n_topics, comparisons, swaps, ties, draws = values.shape[1], 0, 0, 0, 0
    errors = []
    for compared, their_sets in runs_on_sets(values, sets):
        first, second = (compared @ averaging_matrix(their_sets[:, side], n_topics) for side in range(2))
        counts, n_pairs = (
            np.zeros((2, len(their_sets))),
            comb(len(compared), 2),
        )  # of swaps and ties on each pair of sets
        for run in range(1, len(compared)):
            gaps = first[:run] - first[run], second[:run] - second[run]
            tied = (np.abs(gaps[0]) <= _NOISE / 2) | (np.abs(gaps[1]) <= _NOISE / 2)
            counts += np.count_nonzero((gaps[0] * gaps[1] < 0) & ~tied, axis=0), np.count_nonzero(tied, axis=0)
        of_draws = (counts[0] + counts[1] / 2) / n_pairs
        was_drawn = is_sample(n_topics, their_sets)
        errors.append(float(of_draws.std(ddof=1) / math.sqrt(of_draws.size)) if was_drawn else math.nan)
        comparisons += n_pairs * len(their_sets)
        swaps += int(counts[0].sum())
        ties += int(counts[1].sum())
        draws += len(their_sets)
    error = math.hypot(*errors) / len(errors)
    return Swaps(comparisons=comparisons, swaps=swaps, ties=ties, error=error, draws=draws)


FARTHEST = 5
"""The maximum size of an extrapolated topic set, relative to the largest size with an observed rate. Simulations on
robust03 checked the extrapolation up to this ratio."""


def extrapolated_rates(sizes: Sequence[int], rates: Sequence[float], larger: Sequence[int]) -> FloatArray:
    """Extrapolate swap rates to larger topic sets from the rates of observed sizes.

    The true differences of the pairs of runs, in standard deviations of the differences over topics, are assumed to be
    normally distributed with mean 0 and variance v. The means over two sets of n topics then have the correlation r =
    nv/(1 + nv), and have different signs with the probability arccos(r)/pi. The variance v is estimated by least
    squares. The shape is (n_larger,).
    """
    from scipy.optimize import minimize_scalar

    def rates_for(log_variance: float, of_sizes: Sequence[int]) -> FloatArray:
        signal = np.exp(log_variance) * np.asarray(of_sizes, np.float64)
        return np.asarray(np.arccos(signal / (1 + signal)) / np.pi, np.float64)

    def error(log_variance: float) -> float:
        return float(((rates_for(log_variance, sizes) - rates) ** 2).sum())

    return rates_for(
        float(minimize_scalar(error, bounds=(-20, 20), method="bounded", options={"xatol": 1e-9}).x), larger
    )


def is_sample(n_topics: int, sets: IntArray) -> bool:
    """Return whether at least two, but not all possible, pairs of topic sets were drawn."""
    return 1 < len(sets) < _number_of_pairs(n_topics, sets.shape[2])


def topic_sets(n_topics: int, size: int, *, draws: int = DRAWS, seed: int = 0, pair: int | None = None) -> IntArray:
    """Return different pairs of disjoint topic sets, in which topics are indices in ascending order.

    If there are at most ``draws`` pairs, all of them are returned. If there are more, pairs are drawn at random. Draw i
    hashes the text ``"SEED swap-rate i"`` with SHAKE-256 and sorts the topics by the resulting 64-bit little-endian
    numbers. If sets are drawn for each pair of runs, the text is ``"SEED swap-rate PAIR i"``. The first topics form one
    set, and the next topics form the other set. Repeated pairs of sets are replaced. The shape is (n_pairs, 2, size).
    """
    if _number_of_pairs(n_topics, size) <= draws:
        return np.array(list(_all_pairs(n_topics, size)), np.int64)
    drawn: dict[tuple[tuple[int, ...], ...], None] = {}  # used as an ordered set, so that the result is reproducible
    drawn_for = "" if pair is None else f"{pair} "
    draw = 0
    while len(drawn) < draws:
        digest = shake_256(f"{seed} swap-rate {drawn_for}{draw}".encode()).digest(8 * n_topics)
        order = np.argsort(np.frombuffer(digest, "<u8"), kind="stable").tolist()
        both = (tuple(sorted(order[:size])), tuple(sorted(order[size : 2 * size])))
        drawn[tuple(sorted(both))] = None
        draw += 1
    return np.array(list(drawn), np.int64)


def _number_of_pairs(n_topics: int, size: int) -> int:
    """Return the number of possible pairs of disjoint topic sets of the given size."""
    return comb(n_topics, size) * comb(n_topics - size, size) // 2


def _all_pairs(n_topics: int, size: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for first in combinations(range(n_topics), size):
        rest = sorted(set(range(first[0], n_topics)) - set(first))  # the other set begins with a later topic
        for second in combinations(rest, size):
            yield first, second


def averaging_matrix(sets: IntArray, n_topics: int) -> FloatArray:
    """Return a matrix of shape (n_topics, n_sets) that averages values over topic sets.

    The shape of ``sets`` is (n_sets, size).
    """
    shares = np.zeros((n_topics, len(sets)))
    shares[sets, np.arange(len(sets))[:, np.newaxis]] = 1 / sets.shape[1]
    return shares


TOLERATED = 0.05
"""The maximum swap rate for differences that are called reliable."""

WIDEST = 1_000_000
"""The maximum width of a bin. The largest differences are numbers of documents."""

_VARIANCE_NOISE = 1e-12
"""The relative size, compared with its terms, below which a variance is treated as a rounding error."""

FEWEST = 30
"""The minimum number of comparisons in a bin with a reliable rate."""


class SwapBin(Swaps, kw_only=True):
    """The comparisons in which the difference between two runs on one of two topic sets falls into a bin.

    Each set of a pair is used once for the assignment.
    """

    least: float
    """The smallest absolute difference that belongs to the bin."""
    limit: float
    """The smallest absolute difference that belongs to the next bin."""
    percent: float
    """The field ``least`` as a percentage of the best run's score over all topics, or nan if the score is at most 0."""
    sigmas: float
    """The field ``least`` in standard deviations (n - 1) of the runs' scores over all topics, or nan if the deviation
    is 0. For a sum, scores are scaled to the number of topics in a set."""

    @property
    def is_small(self) -> bool:
        """Whether the bin contains fewer than ``FEWEST`` comparisons."""
        return self.comparisons < FEWEST


def swap_bins(values: FloatArray, sets: TopicSets, width: Fraction, scale: Scale = MEAN) -> list[SwapBin]:
    """Compare all pairs of runs on pairs of topic sets, and group the comparisons into bins by difference.

    A bin contains the comparisons with similar differences on either set. Empty bins are omitted.
    """
    totals: dict[int, FloatArray] = {}
    size, was_drawn = 0, False
    for compared, their_sets in runs_on_sets(values, sets):
        size, was_drawn = their_sets.shape[2], is_sample(values.shape[1], their_sets)
        for number, sums in _sums_by_bin(compared, their_sets, (width * 10**DECIMALS).numerator, scale):
            totals[number] = totals.get(number, 0.0) + sums
    sums = np.add.accumulate(values, axis=1)[:, -1]  # from left to right, regardless of the memory layout
    scores = scale.of_mean(sums / values.shape[1], size)
    best, deviation = float(scores.max()), float(scores.std(ddof=1))
    bins = []
    for number, (comparisons, swaps, ties, *rest) in sorted(totals.items()):
        *spread, draws = rest
        rate = (swaps + ties / 2) / comparisons
        terms = np.array([spread[0], -2 * rate * spread[1], rate**2 * spread[2]])
        variance = float(terms.sum()) if abs(terms.sum()) > _VARIANCE_NOISE * np.abs(terms).sum() else 0.0
        bins.append(
            SwapBin(
                least=float(number * width),
                limit=float((number + 1) * width),
                percent=100 * float(number * width) / best if best > 0 else math.nan,
                sigmas=float(number * width) / deviation if deviation > 0 else math.nan,
                comparisons=int(comparisons),
                swaps=int(swaps),
                ties=int(ties),
                error=math.sqrt(max(0.0, variance)) / comparisons if was_drawn else math.nan,
                draws=int(draws),
            )
        )
    return bins


def _sums_by_bin(values: FloatArray, sets: IntArray, units: int, scale: Scale) -> Iterator[tuple[int, FloatArray]]:
    """Yield the index of each bin, with seven sums over pairs of topic sets.

    The sums are the numbers of comparisons, swaps and ties; the variance of swaps with half the ties, their covariance
    with comparisons, and the variance of comparisons; and the number of pairs of topic sets with comparisons. ``units``
    is the width of a bin in units of the last significant decimal.
    """
    first, second = (_differences(values, sets[:, side], scale) for side in range(2))
    product = np.tile(np.sign(first) * np.sign(second), (2, 1))
    numbers, place = np.unique(np.concatenate((np.abs(first), np.abs(second))) // units, return_inverse=True)
    n_draws = len(sets)
    cells, of_cell = np.unique(place.reshape(product.shape) * n_draws + np.arange(n_draws), return_inverse=True)
    compared, swapped, tied = (
        np.bincount(of_cell.ravel(), weights=which.ravel())
        for which in (np.full(product.shape, True), product < 0, product == 0)
    )
    wrong = swapped + tied / 2
    rows = (compared, swapped, tied, wrong, wrong * wrong, wrong * compared, compared * compared)
    *counts, of_wrong, both, mixed, squares = (np.bincount(cells // n_draws, weights=row) for row in rows)
    scaled = n_draws / max(1, n_draws - 1)
    spread = [
        scaled * (both - of_wrong * of_wrong / n_draws),
        scaled * (mixed - of_wrong * counts[0] / n_draws),
        scaled * (squares - counts[0] * counts[0] / n_draws),
    ]
    yield from zip(numbers.tolist(), np.stack([*counts, *spread, np.bincount(cells // n_draws)], axis=1), strict=True)


def least_reliable(bins: Sequence[SwapBin]) -> float | None:
    """Return the smallest difference from which the rate never exceeds ``TOLERATED``, or None if there is none."""
    # bins with few comparisons are ignored
    reliable = None
    for each in reversed([each for each in bins if not each.is_small]):
        if each.rate_with_half_ties > TOLERATED:
            break
        reliable = each.least
    return reliable


def _differences(values: FloatArray, sets: IntArray, scale: Scale) -> IntArray:
    """Return the differences of all pairs of runs on all sets, as integers in units of the last significant decimal."""
    first, second = pairs_of_runs(len(values))
    scores = scale.of_mean(values @ averaging_matrix(sets, values.shape[1]), sets.shape[1])
    return in_units(differences(scores[second], scores[first])).astype(np.int64)

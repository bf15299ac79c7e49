"""Swap rates by the size of the difference: how large it must be on one topic set to hold on another.

Source: Voorhees and Buckley, The Effect of Topic Set Size on Retrieval Experiment Error, SIGIR 2002; Ahlgren and
Grönqvist, IP&M 2008, section 6.1 and Tables 5 to 7.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.statistics.scales import MEAN, Scale
from irevalx.statistics.significance import DECIMALS, differences, in_units, pairs_of_runs
from irevalx.statistics.swaps import Swaps, TopicSets, averaging_matrix, is_sample, runs_on_sets

TOLERATED = 0.05
"""Greatest reliable error rate."""

WIDEST = 1_000_000
"""The widest bin; the greatest differences are numbers of documents."""

_NOISE = 1e-12
"""A variance below this, relative to its terms, is rounding error."""

FEWEST = 30
"""Bins with fewer comparisons are not reliable."""


class SwapBin(Swaps, kw_only=True):
    """Comparisons with so large a difference of two runs on one topic set; each set of a pair is that set once."""

    least: float
    """Least absolute difference of the bin."""
    limit: float
    """The next bin's least difference."""
    percent: float
    """``least`` in percent of the best run's score for all topics; nan unless that is above 0."""
    sigmas: float
    """``least`` in standard deviations (n - 1) of the runs' scores for all topics (of as many as a set has, for sums);
    nan if 0."""

    @property
    def is_small(self) -> bool:
        """Whether it has fewer than ``FEWEST`` comparisons."""
        return self.comparisons < FEWEST


def swap_bins(values: FloatArray, sets: TopicSets, width: Fraction, scale: Scale = MEAN) -> list[SwapBin]:
    """Compare all pairs of runs on two topic sets, by the difference on either.

    Return the bins with comparisons, ascending.
    Tested values have shape (n_runs, n_topics), two runs at least; ``width`` of a bin is at most ``WIDEST``, with at
    most 12 decimals.
    """
    totals: dict[int, FloatArray] = {}
    size, was_drawn = 0, False
    for compared, their_sets in runs_on_sets(values, sets):
        size, was_drawn = their_sets.shape[2], is_sample(values.shape[1], their_sets)
        for number, sums in _sums_by_bin(compared, their_sets, (width * 10**DECIMALS).numerator, scale):
            totals[number] = totals.get(number, 0.0) + sums
    sums = np.add.accumulate(values, axis=1)[:, -1]  # from left to right, whatever the layout in memory
    scores = scale.of_mean(sums / values.shape[1], size)
    best, deviation = float(scores.max()), float(scores.std(ddof=1))
    bins = []
    for number, (comparisons, swaps, ties, *rest) in sorted(totals.items()):
        *spread, draws = rest
        rate = (swaps + ties / 2) / comparisons
        terms = np.array([spread[0], -2 * rate * spread[1], rate**2 * spread[2]])
        variance = float(terms.sum()) if abs(terms.sum()) > _NOISE * np.abs(terms).sum() else 0.0
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
    """Yield the number of each bin of ``units`` (last decimals that count) and seven sums over pairs of topic sets.

    Comparisons, swaps and ties; variance of swaps with half the ties, covariance with comparisons, variance of
    comparisons; pairs of topic sets with comparisons.
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


def least_reliable(bins: Sequence[SwapBin], tolerated: float = TOLERATED) -> float | None:
    """Return the least difference from which on no bin's rate exceeds ``tolerated``; None if the last bin's does.

    A tie counts as half a swap; bins with few comparisons are ignored.
    """
    reliable = None
    for each in reversed([each for each in bins if not each.is_small]):
        if each.rate_with_half_ties > tolerated:
            break
        reliable = each.least
    return reliable


def _differences(values: FloatArray, sets: IntArray, scale: Scale) -> IntArray:
    """Return the differences of all pairs of runs on all sets, in units of the last decimal that counts."""
    first, second = pairs_of_runs(len(values))
    scores = scale.of_mean(values @ averaging_matrix(sets, values.shape[1]), sets.shape[1])
    return in_units(differences(scores[second], scores[first])).astype(np.int64)

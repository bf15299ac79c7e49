"""Error rates by the size of the difference: how large it must be on some topics to be believed on others.

Source: Voorhees and Buckley, The Effect of Topic Set Size on Retrieval Experiment Error, SIGIR 2002; Ahlgren and
Grönqvist, IP&M 2008, section 6.1 and Tables 5 to 7.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.statistics.scales import MEAN, Scale
from irevalx.statistics.significance import DECIMALS, differences, in_units, pairs_of_runs
from irevalx.statistics.swaps import averaging_matrix

TOLERATED = 0.05
"""An error rate of at most this is taken for reliable."""

FEWEST = 30
"""A bin with fewer comparisons says little, and decides nothing."""


class SwapBin(Frozen):
    """The comparisons in which two runs differ by so much on one set of topics.

    Parameters
    ----------
    least, limit : the difference on the one set is at least the one and below the other, whichever run is better.
    percent : ``least`` in percent of the best run's score for all topics; nan unless that is above 0.
    sigmas : ``least`` in units of the standard deviation (n - 1) of the runs' scores for all topics; nan if that is 0.
        The score of a sum is for as many topics as are in a set.
    comparisons : pairs of runs times pairs of topic sets, each of the two sets being the one; at least 1.
    swaps : those in which the other run is better on the other set.
    """

    least: float
    limit: float
    percent: float
    sigmas: float
    comparisons: int
    swaps: int

    @property
    def rate(self) -> float:
        """The share of swaps among all comparisons, those included in which the runs tie on the other set."""
        return self.swaps / self.comparisons

    @property
    def is_small(self) -> bool:
        """Whether it has fewer than ``FEWEST`` comparisons."""
        return self.comparisons < FEWEST


def swap_bins(values: FloatArray, sets: IntArray, width: Fraction, scale: Scale = MEAN) -> list[SwapBin]:
    """Compare all pairs of runs on each of two topic sets, by the size of the difference on the one.

    Parameters
    ----------
    values : shape (n_runs, n_topics); tested values.
    sets : shape (n_pairs, 2, size); 0-based topics, as ``topic_sets`` returns them.
    width : of a bin, above 0, with at most 12 decimals.
    scale : of the measure.

    Returns
    -------
    The bins that have comparisons, ascending.

    Raises
    ------
    ValueError : there are fewer than two runs, or the width is none.
    """
    if len(values) < 2:
        raise ValueError(f"a swap rate must have two runs at least, but got {len(values)}")
    units = width * 10**DECIMALS
    if units <= 0 or units.denominator != 1:
        raise ValueError(f"a bin must be wider than 0, with at most {DECIMALS} decimals, but got {width}")
    one, other = (_differences(values, sets[:, side], scale) for side in range(2))
    bins = np.concatenate((np.abs(one), np.abs(other))) // units.numerator
    swapped = np.tile(np.sign(one) * np.sign(other) < 0, 2)
    numbers, place = np.unique(bins, return_inverse=True)
    comparisons = np.bincount(place)
    swaps = np.bincount(place, weights=swapped).astype(np.int64)
    scores = scale.of_mean(values.mean(axis=1), sets.shape[2])
    best, deviation = float(scores.max()), float(scores.std(ddof=1))
    return [
        SwapBin(
            least=float(number * width),
            limit=float((number + 1) * width),
            percent=100 * float(number * width) / best if best > 0 else math.nan,
            sigmas=float(number * width) / deviation if deviation > 0 else math.nan,
            comparisons=of_bin,
            swaps=swapped_in_bin,
        )
        for number, of_bin, swapped_in_bin in zip(numbers.tolist(), comparisons.tolist(), swaps.tolist(), strict=True)
    ]


def least_reliable(bins: Sequence[SwapBin], tolerated: float = TOLERATED) -> float | None:
    """Return the least difference from which on every bin's rate is at most so much; None if the last bin's is more.

    Bins with few comparisons do not count.
    """
    reliable = None
    for one in reversed([one for one in bins if not one.is_small]):
        if one.rate > tolerated:
            break
        reliable = one.least
    return reliable


def _differences(values: FloatArray, sets: IntArray, scale: Scale) -> IntArray:
    """Return the differences of all pairs of runs on all sets, flat, in units of the last decimal that counts."""
    first, second = pairs_of_runs(len(values))
    scores = scale.of_mean(values @ averaging_matrix(sets, values.shape[1]), sets.shape[1])
    return in_units(differences(scores[second], scores[first])).astype(np.int64).ravel()

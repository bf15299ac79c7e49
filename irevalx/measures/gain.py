"""Gain-based measures: what a document is worth depends on its grade."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from irevalx.arrays.codes import OUTSIDE
from irevalx.arrays.segments import FloatArray, IntArray, Segments
from irevalx.frozen import Frozen
from irevalx.measures.declare import (
    NO_GAIN,
    NOTHING,
    OUTSIDE_GAIN,
    POOLED_GAIN,
    UNDEFINED,
    Gain,
    Gains,
    measure,
)
from irevalx.measures.precision import CUTOFFS
from irevalx.measures.summary import mean
from irevalx.ranking.rounding import log2_of
from irevalx.ranking.topics import Topics
from irevalx.trec_eval.merge_sort import merge_sort
from irevalx.trec_eval.numbers import truncate_to_int

MOST_LEVELS = 1000
"""Up to this grade every level below a topic's highest grade has an entry in its table of gains, as in trec_eval; above
it only the grades that occur."""


def looks_outside(pairs: tuple[Any, ...]) -> bool:
    """Tell whether documents outside the pool have a gain."""
    return any(pair.level == OUTSIDE for pair in pairs)


class Gained(Frozen):
    """What the retrieved documents of the topics gain, and what the best possible ranking would.

    Parameters
    ----------
    gain : flat over ``t.rows``.
    ideal : per topic, the documents of the best possible ranking as far as their gain is above 0.
    ideal_gain : flat over ``ideal``.
    discount : flat over ``t.rows``; log2(rank + 1).
    """

    gain: FloatArray
    ideal: Segments
    ideal_gain: FloatArray
    rows: Segments
    discount: FloatArray

    @classmethod
    def of(cls, t: Topics, pairs: Sequence[Gain], *, scaled: bool = False) -> Gained:
        """Look up the gains.

        Parameters
        ----------
        pairs : gains by level; a grade without one is its own gain, and an unjudged document has none.
        scaled : bring each topic's gains to 0..1, if they are not there already.
        """
        levels = tuple((pair.level, pair.value) for pair in pairs if pair.level is not None)
        if not levels and not scaled:
            return cls(np.maximum(t.grade, 0).astype(np.float64), t.ideal, t.ideal_grade, t.rows, t.discount)
        gain = np.zeros(t.rows.size)
        ideals: list[FloatArray] = []
        for topic in range(t.rows.n):
            where, grades = t.rows.slice(topic), t.pool_grade[t.pool.slice(topic)]
            counts = Counter(grades[grades >= 0].tolist())
            every = tuple(sorted(counts))
            if every and every[-1] <= MOST_LEVELS:
                every = tuple(range(every[-1] + 1))
            table = _gain_table(levels, every, scaled)
            gain[where] = [table.by_level.get(grade, 0.0) for grade in t.grade[where].tolist()]
            ideals.append(table.ideal(counts))
        ideal = Segments.of_lengths([len(gains) for gains in ideals])
        return cls(gain, ideal, np.concatenate((np.empty(0), *ideals)), t.rows, t.discount)

    @cached_property
    def discounted(self) -> FloatArray:
        """Flat over the rows: gain / log2(rank + 1)."""
        return np.where(self.gain != 0, self.gain / self.discount, 0.0)

    @cached_property
    def ideal_discounted(self) -> FloatArray:
        """Flat over ``ideal``: gain / log2(rank + 1)."""
        return self.ideal_gain / log2_of(self.ideal.position + 2)

    @cached_property
    def dcg(self) -> FloatArray:
        """Per topic: discounted cumulative gain of the ranking."""
        return self.rows.sum(self.discounted)

    @cached_property
    def ideal_dcg(self) -> FloatArray:
        """Per topic: discounted cumulative gain of the best possible ranking."""
        return self.ideal.sum(self.ideal_discounted)


class _GainTable(Frozen):
    """The levels of a topic with their gains, in trec_eval's idea of ascending gain."""

    entries: tuple[tuple[int, float, bool], ...]
    """Level, gain, and whether the documents of this level are counted here (a level may be given twice)."""

    @cached_property
    def by_level(self) -> dict[int, float]:
        """The gain of a grade; the first entry counts."""
        return {level: gain for level, gain, _ in reversed(self.entries)}

    def ideal(self, counts: Mapping[int, int]) -> FloatArray:
        """Return the gains of the best possible ranking, given how many documents each level has.

        It ends at the first gain that is not above 0. trec_eval looks at the last entry before it looks at counts.
        """
        gains: list[float] = []
        if not self.entries or not self.entries[-1][1] > 0:
            return np.empty(0)
        for level, gain, counted in reversed(self.entries):
            count = counts.get(level, 0) if counted else 0
            if count and not gain > 0:
                break
            gains.extend([gain] * count)
        return np.array(gains)


@lru_cache(maxsize=256)
def _gain_table(given: tuple[tuple[int, float], ...], every: tuple[int, ...], scaled: bool) -> _GainTable:
    entries: list[tuple[int, float, bool]] = []
    named: set[int] = set()
    for level, gain in given:
        entries.append((level, gain, level not in named))
        named.add(level)
    entries += [(level, float(level), True) for level in every if level not in named]
    # trec_eval compares gains by their difference cut to an integer, so that close ones may end up in the wrong order.
    entries = merge_sort(entries, lambda x, y: truncate_to_int(x[1] - y[1]))
    if scaled:
        low = min([0.0, *(gain for _, gain, _ in entries)])
        high = max([0.0, *(gain for _, gain, _ in entries)])
        if low < 0 or high > 1:
            entries = [(level, (gain - low) / (high - low), counted) for level, gain, counted in entries]
    return _GainTable(tuple(entries))


@measure(
    "ndcg",
    summary=mean,
    kind=Gains(),
    needs_all=looks_outside,
    uses_level=False,
    pooled=POOLED_GAIN,
    outside=OUTSIDE_GAIN,
)
def ndcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain.

    dcg divided by ideal_dcg, over all retrieved documents; 0 where ideal_dcg is 0. The gain of a document is its grade
    unless given as LEVEL=GAIN.

    Formula: dcg/ideal_dcg.
    Range: 0 to 1.
    Source: Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 2002; trec_eval discounts
    the first rank too.
    """
    gained = Gained.of(t, pairs)
    return np.where(gained.ideal_dcg > 0, gained.dcg / gained.ideal_dcg, 0.0)


@measure(
    "dcg",
    summary=mean,
    kind=Gains(),
    needs_all=looks_outside,
    uses_level=False,
    pooled=POOLED_GAIN,
    outside=OUTSIDE_GAIN,
)
def dcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Discounted cumulative gain.

    What the retrieved documents gain, each the less the deeper it stands. The gain of a document is its grade unless
    given as LEVEL=GAIN. 0 where nothing was retrieved that has a gain.

    Formula: sum over retrieved of gain/log2(k + 1).
    Range: from 0 up.
    Source: Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 2002.
    """
    return Gained.of(t, pairs).dcg


@measure(
    "ideal_dcg",
    summary=mean,
    kind=Gains(),
    scores=False,
    uses_level=False,
    pooled=NOTHING,
    outside=NOTHING,
    without_results="the same as any other (0 with --compat 9)",
)
def ideal_dcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Discounted cumulative gain of the best possible ranking.

    That is: all judged documents, the highest gain first. 0 where none has a gain above 0.

    Formula: sum over all k of ideal(k)/log2(k + 1).
    Range: from 0 up.
    Source: Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 2002.
    """
    return Gained.of(t, pairs).ideal_dcg


@measure("ndcg_cut", summary=mean, kind=CUTOFFS, uses_level=False, pooled=NO_GAIN, outside=NO_GAIN)
def ndcg_cut(t: Topics, k: int) -> FloatArray:
    """Normalised discounted cumulative gain of the first K documents.

    The discounted gains of the first K documents, divided by those of the best possible ranking; 0 where nothing has a
    grade above 0. The gain of a document is its grade. Known as nDCG@K.

    Formula: (sum over retrieved with k <= K of gain/log2(k + 1)) / (sum over k <= K of ideal(k)/log2(k + 1)).
    Range: 0 to 1.
    Source: Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 2002.
    """
    gained = Gained.of(t, ())
    found = t.rows.sum(np.where(t.rank <= k, gained.discounted, 0.0))
    best = gained.ideal.sum(np.where(gained.ideal.position < k, gained.ideal_discounted, 0.0))
    return np.where(best == 0, found, found / best)


@measure(
    "ndcg_rel",
    summary=mean,
    kind=Gains(),
    needs_all=looks_outside,
    uses_level=False,
    pooled=POOLED_GAIN,
    outside=OUTSIDE_GAIN,
)
def ndcg_rel(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain, averaged over the documents that have a gain.

    dcg / ideal_dcg is taken at each retrieved document with a gain above 0, and once at the end for each document of
    the best possible ranking beyond those; the mean of these values. 0 where nothing has a gain above 0.

    Formula: (1/I) (sum over retrieved with gain > 0 of dcg(k)/ideal_dcg(k) + (I - i) dcg/ideal_dcg), i = how many those
    are.
    Range: 0 to 1.
    Source: trec_eval.
    """
    gained = Gained.of(t, pairs)
    so_far = t.rows.running_sum(gained.discounted)
    ideal_so_far = gained.ideal.running_sum(gained.ideal_discounted)
    reached = np.minimum(t.rank, t.rows.spread(gained.ideal.lengths))
    best = np.zeros(t.rows.size)
    some = reached > 0
    best[some] = ideal_so_far[gained.ideal.at(t.rows.ids[some], reached[some] - 1)]
    counted = gained.gain > 0
    total = t.rows.sum(np.where(counted, so_far / best, 0.0))
    n_ideal = gained.ideal.lengths
    total = total + (n_ideal - t.rows.count(counted)) * gained.dcg / gained.ideal_dcg
    return np.where(total > 0, total / n_ideal, 0.0)


@measure("Rndcg", summary=mean, kind=Gains(), needs_all=looks_outside, pooled=POOLED_GAIN, outside=OUTSIDE_GAIN)
def r_ndcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain, averaged over the ranks where the ideal gain changes.

    In the best possible ranking, gains fall in steps; dcg / ideal_dcg of the documents above each step (and once more
    at the end of a longer list), averaged. 0 where nothing is relevant; undefined (-nan) where something is but no gain
    is above 0.

    Formula: mean over steps k of dcg(k)/ideal_dcg(k).
    Range: 0 to 1.
    Source: trec_eval.
    """
    gained = Gained.of(t, pairs)
    ideal, gains = gained.ideal, gained.ideal_gain
    last = ideal.position == ideal.spread(ideal.lengths) - 1
    step = last | (gains != np.append(gains[1:], 0.0))
    # A step behind rank p of the best possible ranking compares what both rankings have gained up to rank p.
    above = t.rows.upto(t.rank, ideal.position + 1, ideal)
    so_far = t.rows.running_sum(gained.discounted)
    found = np.zeros(ideal.size)
    found[above > 0] = so_far[t.rows.at(ideal.ids[above > 0], above[above > 0] - 1)]
    total = ideal.sum(np.where(step, found / ideal.running_sum(gained.ideal_discounted), 0.0))
    steps = ideal.count(step)
    longer = (steps > 0) & (t.n_ret > ideal.lengths + 1)
    total = np.where(longer, total + gained.dcg / gained.ideal_dcg, total)
    averaged = np.where(steps > 0, total / (steps + longer), UNDEFINED)
    return np.where(t.n_rel > 0, averaged, 0.0)


@measure("binG", summary=mean)
def binary_g(t: Topics) -> FloatArray:
    """G with binary gains.

    Each relevant document retrieved counts the less the more nonrelevant ones stand above it; the sum is divided by the
    number of relevant documents. 0 where none was retrieved.

    Formula: (1/R) sum over relevant retrieved of 1/log2(2 + k - 1 - r).
    Range: 0 to 1.
    Source: trec_eval; see G.
    """
    weights = np.zeros(t.rows.size)
    weights[t.hit] = 1.0 / log2_of(t.rank[t.hit] + 2 - t.hits_so_far[t.hit])
    return np.where(t.n_hits > 0, t.rows.sum(weights) / t.n_rel, 0.0)


@measure(
    "G", summary=mean, kind=Gains(), needs_all=looks_outside, uses_level=False, pooled=POOLED_GAIN, outside=OUTSIDE_GAIN
)
def g(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Gain discounted by how far the ranking lags behind the best possible one.

    The gain of each retrieved document, discounted by the lag at its rank, divided by the gains of the best possible
    ranking. The lag is what the best possible ranking has gained up to there (at least 1 a document) less what this one
    has. 0 where no gain is above 0.

    Formula: (sum over retrieved of gain/log2(2 + lag)) / (sum over all k of ideal(k)), lag = sum over j <= k of
    (max(ideal(j), 1) - gain(j)).
    Range: 0 to 1.
    Source: trec_eval.
    """
    gained = Gained.of(t, pairs)
    ideal = gained.ideal
    gained_so_far = t.rows.running_sum(gained.gain)
    cost_so_far = ideal.running_sum(np.where(gained.ideal_gain >= 1.0, gained.ideal_gain, 1.0))
    reached = np.minimum(t.rank, t.rows.spread(ideal.lengths))
    cost = np.zeros(t.rows.size)
    cost[reached > 0] = cost_so_far[ideal.at(t.rows.ids[reached > 0], reached[reached > 0] - 1)]
    cost = _add_ones(cost, t.rank - reached)
    counted = gained.gain != 0
    lag = ((2.0 + cost) - gained_so_far)[counted]
    worth = np.zeros(t.rows.size)
    worth[counted] = gained.gain[counted] / _log2(lag)
    best = ideal.sum(gained.ideal_gain)
    return np.where(best > 0, t.rows.sum(worth) / best, 0.0)


def _add_ones(x: FloatArray, times: IntArray) -> FloatArray:
    """Add 1.0 so many times, with the rounding of as many additions.

    Below 2**53 an addition is exact until the sum passes a power of two, so there is one rounding for each of those.
    From there on the first addition may make a difference, by rounding to even, and the others none.
    """
    x, left = x.copy(), times.astype(np.float64)
    while (left > 0).any():
        exact = x < 2.0**53
        room = np.maximum(np.ceil(np.ldexp(1.0, np.frexp(x)[1]) - x), 1.0)
        step = np.minimum(left, np.where(exact, room, 1.0))
        x, left = x + step, np.where(exact, left - step, 0.0)
    return x


def _log2(x: FloatArray) -> FloatArray:
    """Return log2 as the C library computes it; ``np.log2`` may differ in the last bit."""
    logs: dict[float, float] = {}
    values = x.tolist()
    for value in values:
        if value not in logs:
            logs[value] = math.log2(value) if value > 0 else (-math.inf if value == 0 else UNDEFINED)
    return np.array([logs[value] for value in values], np.float64)

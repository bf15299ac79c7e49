"""Graded relevance: discounted cumulative gain and related measures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, Segments
from irevalx.frozen import Frozen, cached_property
from irevalx.measures.declaration import (
    FROM_ZERO,
    NO_EXPECTATION,
    NO_FORMULA,
    UNDEFINED,
    ZERO_TO_ONE,
    UnjudgedEffect,
    c_log,
    measure,
)
from irevalx.measures.parameter_kinds import CutoffsAndGains, Gain, Gains
from irevalx.measures.precision import CUTOFFS
from irevalx.ranking.expected_values import ExpectedTopic, ExpectedTopics, TiedTopics
from irevalx.ranking.topics import RankedTopic, Topics, computed_once, log2_of
from irevalx.settings import EXPECTED, PROBABILITY, REAL
from irevalx.trec_eval import merge_sort, truncate_to_int

MOST_LEVELS = 1000
"""The maximum highest grade of a topic at which the table of gains contains all lower grades, as in trec_eval. Above
this grade, the table contains only the grades that occur."""


class GainsOfTopics(Frozen):
    """The gains in the ranking and in the ideal ranking of each topic."""

    gain: FloatArray
    """The gain of each document of ``rows``. If ``rows`` contains possible ranks of tied documents, the gain is the
    mean over the documents that can occupy the rank."""
    ideal: Segments
    """The documents of each ideal ranking that have a gain above 0."""
    ideal_gain: FloatArray
    """The gains of the documents of ``ideal``, in descending order for each topic."""
    rows: Segments
    """The retrieved documents of each topic."""
    discount: FloatArray
    """The discount log2(rank + 1) of each document of ``rows``."""
    of_pool: Callable[[Any, Callable[[], Any]], Any] = lambda key, compute: compute()
    """A function that computes a value. If the gains are the grades, this is ``Topics.of_pool``, which caches the
    value."""

    @classmethod
    def of(cls, t: Topics, pairs: Sequence[Gain], *, scaled: bool = False) -> GainsOfTopics:
        """Return the gains of topics. The default gain of a document is its grade, or 0 if the document is unjudged.

        If ``scaled`` is true, gains are scaled to the range 0 to 1.
        """
        levels = tuple((pair.level, pair.value) for pair in pairs if pair.level is not None)
        key = "gains", levels, scaled
        if key not in t.cached:
            t.cached[key] = cls._of_levels(t, levels, scaled)
        gains: GainsOfTopics = t.cached[key]
        return gains

    @classmethod
    def _of_levels(cls, t: Topics, levels: tuple[tuple[float, float], ...], scaled: bool) -> GainsOfTopics:
        is_real = t.pool_grade.dtype.kind == "f"
        if not levels and not scaled:
            by_grade = np.maximum(t.grade, 0).astype(np.float64)
            once = partial(computed_once, t.known_of_pool)  # a method of t would be a reference cycle: t contains gains
            return cls(t.over_ranks(by_grade), t.ideal, t.ideal_grade, t.rows, t.discount, once)
        gain = np.zeros(t.documents.size)
        ideals: list[FloatArray] = []
        for topic in range(t.rows.n):
            where, grades = t.documents.slice(topic), t.pool_grade[t.pool.slice(topic)]
            counts = Counter(grades[grades >= 0].tolist())
            every = tuple(sorted(counts))
            if every and every[-1] <= MOST_LEVELS and not is_real:
                every = tuple(range(every[-1] + 1))
            table = _gain_table(levels, every, scaled, is_real)
            gain[where] = [table.by_level.get(grade, 0.0) for grade in t.grade[where].tolist()]
            ideals.append(table.ideal(counts))
        ideal = Segments.of_lengths([len(gains) for gains in ideals])
        return cls(t.over_ranks(gain), ideal, np.concatenate((np.empty(0), *ideals)), t.rows, t.discount)

    @cached_property
    def discounted(self) -> FloatArray:
        """The discounted gain of each document of ``rows``: gain / log2(rank + 1)."""
        return np.where(self.gain != 0, self.gain / self.discount, 0.0)

    @cached_property
    def ideal_discounted(self) -> FloatArray:
        """The discounted gain of each document of ``ideal``: gain / log2(rank + 1)."""
        discounted: FloatArray = self.of_pool(
            "ideal_discounted", lambda: self.ideal_gain / log2_of(self.ideal.position + 2)
        )
        return discounted

    @cached_property
    def dcg(self) -> FloatArray:
        """The discounted cumulative gain of the ranking of each topic."""
        return self.rows.sum(self.discounted)

    @cached_property
    def ideal_dcg(self) -> FloatArray:
        """The discounted cumulative gain of the ideal ranking of each topic."""
        dcg: FloatArray = self.of_pool("ideal_dcg", lambda: self.ideal.sum(self.ideal_discounted))
        return dcg

    def ideal_dcg_within(self, k: int) -> FloatArray:
        """Return the discounted cumulative gain of the first k documents in the ideal ranking of each topic."""

        def compute() -> FloatArray:
            return self.ideal.sum(np.where(self.ideal.position < k, self.ideal_discounted, 0.0))

        dcg: FloatArray = self.of_pool(("ideal_dcg", k), compute)
        return dcg


class _GainTable(Frozen):
    """The grades of a topic and their gains, in ascending order of gains. Gains are compared as in trec_eval."""

    entries: tuple[tuple[float, float, bool], ...]
    """The entries of the table: a grade, its gain, and whether the entry counts documents of this grade. If a grade has
    several entries, only one of them counts documents."""

    @cached_property
    def by_level(self) -> dict[float, float]:
        """The gain of each grade. If a grade has several entries, the first entry is used."""
        return {level: gain for level, gain, _ in reversed(self.entries)}

    def ideal(self, counts: Mapping[float, int]) -> FloatArray:
        """Return the positive gains of the ideal ranking in descending order.

        ``counts`` contains the number of documents of each grade.
        """
        gains: list[float] = []
        if not self.entries or not self.entries[-1][1] > 0:  # checked before the counts, as in trec_eval
            return np.empty(0)
        for level, gain, counted in reversed(self.entries):
            count = counts.get(level, 0) if counted else 0
            if count and not gain > 0:
                break
            gains.extend([gain] * count)
        return np.array(gains)


@lru_cache(maxsize=256)
def _gain_table(
    given: tuple[tuple[float, float], ...], every: tuple[float, ...], scaled: bool, is_real: bool
) -> _GainTable:
    """Return the table of a topic's grades and gains. The gains in ``given`` replace the default gains."""
    entries: list[tuple[float, float, bool]] = []
    named: set[float] = set()
    for level, gain in given:
        entries.append((level, gain, level not in named))
        named.add(level)
    entries += [(level, float(level), True) for level in every if level not in named]
    # trec_eval truncates the difference of two gains to an integer, so that similar gains can be sorted incorrectly.
    if is_real:
        entries.sort(key=lambda entry: entry[1])
    else:
        entries = merge_sort(entries, lambda x, y: truncate_to_int(x[1] - y[1]))
    if scaled:
        low = min([0.0, *(gain for _, gain, _ in entries)])
        high = max([0.0, *(gain for _, gain, _ in entries)])
        if low < 0 or high > 1:
            entries = [(level, (gain - low) / (high - low), counted) for level, gain, counted in entries]
    return _GainTable(tuple(entries))


_gain_measure = partial(
    measure, kind=Gains(), pooled=UnjudgedEffect.GAIN_FOR_POOLED, outside=UnjudgedEffect.GAIN_FOR_OUTSIDE
)


def _ideal_dcg_of(counts: IntArray) -> FloatArray:
    """Return the discounted cumulative gains of ideal rankings with 1, 2, ... relevant documents."""
    return np.add.accumulate(1.0 / log2_of(counts + 1))


def _probable_ndcg(t: ExpectedTopics, pairs: Sequence[Gain]) -> FloatArray:
    return t.each(lambda topic: topic.mean(1.0 / log2_of(topic.rank + 1), 1.0 / _ideal_dcg_of(topic.counts)))


def _probable_ndcg_at(t: ExpectedTopics, k: int, pairs: Sequence[Gain]) -> FloatArray:
    def of(topic: ExpectedTopic) -> float:
        best = _ideal_dcg_of(topic.counts)[np.minimum(topic.counts, k) - 1]
        return topic.mean((topic.rank <= k) / log2_of(topic.rank + 1), 1.0 / best)

    return t.each(of)


def _ndcg_of_topic(topic: RankedTopic, pairs: Sequence[Gain]) -> float:
    best = topic.judged.ideal_gain()
    return topic.gain() / best if best > 0 else 0.0


def _ndcg_at_of_topic(topic: RankedTopic, k: int, pairs: Sequence[Gain]) -> float:
    gained, best = topic.gain(k), topic.judged.ideal_gain(k)
    return gained if best == 0 else gained / best


@_gain_measure("ndcg", ZERO_TO_ONE, uses_level=False, formulas={PROBABILITY: _probable_ndcg}, of_topic=_ndcg_of_topic)
def ndcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain.

    dcg divided by ideal_dcg, over all documents retrieved. The value is 0 if ideal_dcg is 0. The gain of a document is
    its grade; parameters LEVEL=GAIN replace the gain of a grade.

    Formula: dcg/ideal_dcg.
    Source: [jarvelin-kekalainen-2002]; trec_eval discounts the first rank too.
    """
    gains = GainsOfTopics.of(t, pairs)
    return np.where(gains.ideal_dcg > 0, gains.dcg / gains.ideal_dcg, 0.0)


@_gain_measure("dcg", FROM_ZERO, uses_level=False)
def dcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Discounted cumulative gain.

    The sum of the gains of the documents retrieved, each divided by the logarithm of its rank plus 1. The gain of a
    document is its grade; parameters LEVEL=GAIN replace the gain of a grade. The value is 0 if no document retrieved
    has a gain.

    Formula: sum over retrieved of gain/log2(k + 1).
    Source: [jarvelin-kekalainen-2002].
    """
    return GainsOfTopics.of(t, pairs).dcg


@measure(
    "ideal_dcg",
    FROM_ZERO,
    kind=Gains(),
    higher_is_better=False,
    uses_level=False,
    unjudged=UnjudgedEffect.NOTHING,
    formulas={PROBABILITY: lambda t, _: t.each(lambda topic: float(topic.chances @ _ideal_dcg_of(topic.counts)))},
    without_results="its value, as for any other topic (0 with --compat 9)",
)
def ideal_dcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Discounted cumulative gain of the ideal ranking.

    The ideal ranking contains all judged documents in descending order of gain. The value is 0 if no gain is above 0.

    Formula: sum over all k of ideal(k)/log2(k + 1).
    Source: [jarvelin-kekalainen-2002].
    """
    return GainsOfTopics.of(t, pairs).ideal_dcg


@measure(
    "ndcg_cut",
    ZERO_TO_ONE,
    kind=CutoffsAndGains(CUTOFFS.default),
    uses_level=False,
    unjudged=UnjudgedEffect.NO_GAIN,
    formulas={PROBABILITY: _probable_ndcg_at},
    of_topic=_ndcg_at_of_topic,
)
def ndcg_cut(t: Topics, k: int, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain at cutoff K.

    The discounted cumulative gain of the first K documents, divided by the value of the ideal ranking. The value is 0
    if no gain is above 0. The gain of a document is its grade; a request such as 'nDCG(gains={1:3,2:9})@K' replaces the
    gains of grades. Known as nDCG@K.

    Formula: (sum over retrieved with k <= K of gain/log2(k + 1)) / (sum over k <= K of ideal(k)/log2(k + 1)).
    Source: [jarvelin-kekalainen-2002].
    """
    gains = GainsOfTopics.of(t, pairs)
    gained = t.rows.sum(np.where(t.rank <= k, gains.discounted, 0.0))
    best = gains.ideal_dcg_within(k)
    return np.where(best == 0, gained, gained / best)


@_gain_measure(
    "ndcg_rel",
    ZERO_TO_ONE,
    uses_level=False,
    refuses={EXPECTED: f"the expected value of such ratios {NO_FORMULA}", **NO_EXPECTATION},
)
def ndcg_rel(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain, averaged over the ranks of documents with a gain.

    The mean of dcg / ideal_dcg, computed at the rank of each document retrieved with a gain above 0, and once at the
    end of the ranking for each such document that was not retrieved. The value is 0 if no gain is above 0.

    Formula: (1/I) (sum over retrieved with gain > 0 of dcg(k)/ideal_dcg(k) + (I - i) dcg/ideal_dcg), i = how many those
    are.
    Source: trec_eval.
    """
    gains = GainsOfTopics.of(t, pairs)
    so_far = t.rows.running_sum(gains.discounted)
    reached = np.minimum(t.rank, t.rows.spread(gains.ideal.lengths))
    best = _down_to(gains.ideal, gains.ideal.running_sum(gains.ideal_discounted), t.rows.ids, reached)
    counted = gains.gain > 0
    total = t.rows.sum(np.where(counted, so_far / best, 0.0))
    n_ideal = gains.ideal.lengths
    total = total + (n_ideal - t.rows.count(counted)) * gains.dcg / gains.ideal_dcg
    return np.where(total > 0, total / n_ideal, 0.0)


@_gain_measure("Rndcg", ZERO_TO_ONE, refuses=NO_EXPECTATION)
def r_ndcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain, averaged over the ranks where the ideal gain changes.

    In the ideal ranking, gains decrease in steps. The measure is the mean of dcg / ideal_dcg at the last ranks
    of all steps and, if the run is longer, at its last rank. The value is 0 if the topic has no relevant documents, and
    undefined (-nan) if it has some but no gain is above 0.

    Formula: mean over steps k of dcg(k)/ideal_dcg(k).
    Source: trec_eval.
    """
    gains = GainsOfTopics.of(t, pairs)
    ideal, ideal_gain = gains.ideal, gains.ideal_gain
    last = ideal.position == ideal.spread(ideal.lengths) - 1
    step = last | (ideal_gain != np.append(ideal_gain[1:], 0.0))
    # If a step ends at rank p of the ideal ranking, the cumulative gains of both rankings are compared at rank p.
    above = t.rows.upto(t.rank, ideal.position + 1, ideal)
    gained = _down_to(t.rows, t.rows.running_sum(gains.discounted), ideal.ids, above)
    total = ideal.sum(np.where(step, gained / ideal.running_sum(gains.ideal_discounted), 0.0))
    steps = ideal.count(step)
    longer = (steps > 0) & (t.n_ret > ideal.lengths + 1)
    total = np.where(longer, total + gains.dcg / gains.ideal_dcg, total)
    averaged = np.where(steps > 0, total / (steps + longer), UNDEFINED)
    return np.where(t.n_rel > 0, averaged, 0.0)


def _expected_binary_g(t: TiedTopics) -> FloatArray:
    """Return the expected value of binG for each topic, with random tie-breaking."""
    others = t.size - t.hits_of_groups
    above = t.number_above(t.hit, others, t.before - t.above_groups(t.hits_of_groups))
    return np.where(t.n_hits > 0, above.rows.sum(above.chance * (1.0 / log2_of(above.number + 2))) / t.n_rel, 0.0)


@measure("binG", ZERO_TO_ONE, refuses=NO_EXPECTATION, formulas={EXPECTED: _expected_binary_g})
def binary_g(t: Topics) -> FloatArray:
    """G with binary gains.

    Each relevant document retrieved contributes less, the more nonrelevant documents are ranked above it. The sum of
    the contributions is divided by the number of relevant documents. The value is 0 if no relevant document was
    retrieved.

    Formula: (1/R) sum over relevant retrieved of 1/log2(2 + k - 1 - r).
    Source: trec_eval; see G.
    """
    weights = np.zeros(t.rows.size)
    weights[t.hit] = 1.0 / log2_of(t.rank[t.hit] + 2 - t.hits_so_far[t.hit])
    return np.where(t.n_hits > 0, t.rows.sum(weights) / t.n_rel, 0.0)


@_gain_measure(
    "G",
    ZERO_TO_ONE,
    uses_level=False,
    refuses={
        REAL: "its lag counts the gain of each relevant document as at least 1",
        EXPECTED: f"the expected value of such discounts {NO_FORMULA}",
        **NO_EXPECTATION,
    },
)
def g(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Gain discounted by the lag behind the ideal ranking.

    The sum of the gains of the documents retrieved, each discounted by the lag at its rank, divided by the total gain
    of the ideal ranking. The lag at a rank is the cumulative gain of the ideal ranking (counting at least 1 per
    document) minus the cumulative gain of the ranking. The value is 0 if no gain is above 0.

    Formula: (sum over retrieved of gain/log2(2 + lag)) / (sum over all k of ideal(k)), lag = sum over j <= k of
    (max(ideal(j), 1) - gain(j)).
    Source: trec_eval.
    """
    gains = GainsOfTopics.of(t, pairs)
    ideal = gains.ideal
    gained_so_far = t.rows.running_sum(gains.gain)
    cost_so_far = ideal.running_sum(np.where(gains.ideal_gain >= 1.0, gains.ideal_gain, 1.0))
    reached = np.minimum(t.rank, t.rows.spread(ideal.lengths))
    cost = _add_ones(_down_to(ideal, cost_so_far, t.rows.ids, reached), t.rank - reached)
    counted = gains.gain != 0
    lag = ((2.0 + cost) - gained_so_far)[counted]
    worth = np.zeros(t.rows.size)
    worth[counted] = gains.gain[counted] / _log2(lag)
    best = ideal.sum(gains.ideal_gain)
    return np.where(best > 0, t.rows.sum(worth) / best, 0.0)


def _down_to(lists: Segments, running_sum: FloatArray, row: IntArray, n: IntArray) -> FloatArray:
    """Return the running sum of the given rows of ``lists`` at the n-th element, or 0 if n is 0."""
    sums = np.zeros(n.size)
    inside = n > 0
    sums[inside] = running_sum[lists.at(row[inside], n[inside] - 1)]
    return sums


def _add_ones(x: FloatArray, times: IntArray) -> FloatArray:
    """Add 1.0 to each element of x ``times`` times, with rounding after each addition. The shapes are equal."""
    # Below 2**53, an addition is rounded only if the sum passes a power of two. From 2**53 on, only the first addition
    # can change the sum, because of rounding to even.
    x, left = x.copy(), times.astype(np.float64)
    while (left > 0).any():
        exact = x < 2.0**53
        room = np.maximum(np.ceil(np.ldexp(1.0, np.frexp(x)[1]) - x), 1.0)
        step = np.minimum(left, np.where(exact, room, 1.0))
        x, left = x + step, np.where(exact, left - step, 0.0)
    return x


def _log2(x: FloatArray) -> FloatArray:
    """Return log2 of each element, computed by the C library.

    ``np.log2`` can differ from the C function in the last bit.
    """
    values = x.tolist()
    logs = {value: c_log(value, math.log2) for value in set(values)}
    return np.array([logs[value] for value in values], np.float64)

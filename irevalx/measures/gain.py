"""Gains by grade."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.measures.declare import (
    FROM_ZERO,
    NO_EXPECTATION,
    NO_FORMULA,
    UNDEFINED,
    ZERO_TO_ONE,
    UnjudgedEffect,
    measure,
)
from irevalx.measures.gains_of_topics import GainsOfTopics
from irevalx.measures.parameter_kinds import CutoffsAndGains, Gain, Gains
from irevalx.measures.precision import CUTOFFS
from irevalx.measures.summary import mean
from irevalx.ranking.probable_topics import ExpectedTopic, ExpectedTopics
from irevalx.ranking.rounding import log2_of
from irevalx.ranking.tied_topics import TiedTopics
from irevalx.ranking.topics import Topics
from irevalx.settings import EXPECTED, PROBABILITY, REAL

_gain_measure = partial(
    measure, summary=mean, kind=Gains(), pooled=UnjudgedEffect.GAIN_FOR_POOLED, outside=UnjudgedEffect.GAIN_FOR_OUTSIDE
)


def _ideal_dcg_of(counts: IntArray) -> FloatArray:
    """Return the discounted cumulative gain of 1, 2, ... relevant documents in the ideal ranking."""
    return np.add.accumulate(1.0 / log2_of(counts + 1))


def _probable_ndcg(t: ExpectedTopics, pairs: Sequence[Gain]) -> FloatArray:
    return t.each(lambda topic: topic.mean(1.0 / log2_of(topic.rank + 1), 1.0 / _ideal_dcg_of(topic.counts)))


def _probable_ndcg_at(t: ExpectedTopics, k: int, pairs: Sequence[Gain]) -> FloatArray:
    def of(topic: ExpectedTopic) -> float:
        best = _ideal_dcg_of(topic.counts)[np.minimum(topic.counts, k) - 1]
        return topic.mean((topic.rank <= k) / log2_of(topic.rank + 1), 1.0 / best)

    return t.each(of)


def _probable_ideal_dcg(t: ExpectedTopics, pairs: Sequence[Gain]) -> FloatArray:
    return t.each(lambda topic: float(topic.chances @ _ideal_dcg_of(topic.counts)))


@_gain_measure("ndcg", ZERO_TO_ONE, uses_level=False, formulas={PROBABILITY: _probable_ndcg})
def ndcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain.

    dcg divided by ideal_dcg, over all retrieved documents; 0 where ideal_dcg is 0. The gain of a document is its grade
    unless given as LEVEL=GAIN.

    Formula: dcg/ideal_dcg.
    Source: [jarvelin-kekalainen-2002]; trec_eval discounts the first rank too.
    """
    gains = GainsOfTopics.of(t, pairs)
    return np.where(gains.ideal_dcg > 0, gains.dcg / gains.ideal_dcg, 0.0)


@_gain_measure("dcg", FROM_ZERO, uses_level=False)
def dcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Discounted cumulative gain.

    What the retrieved documents gain, each the less the deeper it stands. The gain of a document is its grade unless
    given as LEVEL=GAIN. 0 where nothing was retrieved that has a gain.

    Formula: sum over retrieved of gain/log2(k + 1).
    Source: [jarvelin-kekalainen-2002].
    """
    return GainsOfTopics.of(t, pairs).dcg


@measure(
    "ideal_dcg",
    FROM_ZERO,
    summary=mean,
    kind=Gains(),
    higher_is_better=False,
    uses_level=False,
    unjudged=UnjudgedEffect.NOTHING,
    formulas={PROBABILITY: _probable_ideal_dcg},
    without_results="the same as any other (0 with --compat 9)",
)
def ideal_dcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Discounted cumulative gain of the best possible ranking.

    That is: all judged documents, the highest gain first. 0 where none has a gain above 0.

    Formula: sum over all k of ideal(k)/log2(k + 1).
    Source: [jarvelin-kekalainen-2002].
    """
    return GainsOfTopics.of(t, pairs).ideal_dcg


@measure(
    "ndcg_cut",
    ZERO_TO_ONE,
    summary=mean,
    kind=CutoffsAndGains(CUTOFFS.default),
    uses_level=False,
    unjudged=UnjudgedEffect.NO_GAIN,
    formulas={PROBABILITY: _probable_ndcg_at},
)
def ndcg_cut(t: Topics, k: int, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain of the first K documents.

    The discounted gains of the first K documents, divided by those of the best possible ranking; 0 where nothing has a
    gain above 0. The gain of a document is its grade unless given as in 'nDCG(gains={1:3,2:9})@K'. Known as nDCG@K.

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
    refuses={EXPECTED: f"the mean of such ratios {NO_FORMULA}", **NO_EXPECTATION},
)
def ndcg_rel(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain, averaged over the documents that have a gain.

    dcg / ideal_dcg is taken at each retrieved document with a gain above 0, and once at the end for each document of
    the best possible ranking beyond those; the mean of these values. 0 where nothing has a gain above 0.

    Formula: (1/I) (sum over retrieved with gain > 0 of dcg(k)/ideal_dcg(k) + (I - i) dcg/ideal_dcg), i = how many those
    are.
    Source: trec_eval.
    """
    gains = GainsOfTopics.of(t, pairs)
    so_far = t.rows.running_sum(gains.discounted)
    ideal_so_far = gains.ideal.running_sum(gains.ideal_discounted)
    reached = np.minimum(t.rank, t.rows.spread(gains.ideal.lengths))
    best = np.zeros(t.rows.size)
    inside = reached > 0
    best[inside] = ideal_so_far[gains.ideal.at(t.rows.ids[inside], reached[inside] - 1)]
    counted = gains.gain > 0
    total = t.rows.sum(np.where(counted, so_far / best, 0.0))
    n_ideal = gains.ideal.lengths
    total = total + (n_ideal - t.rows.count(counted)) * gains.dcg / gains.ideal_dcg
    return np.where(total > 0, total / n_ideal, 0.0)


@_gain_measure("Rndcg", ZERO_TO_ONE, refuses=NO_EXPECTATION)
def r_ndcg(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain, averaged over the ranks where the ideal gain changes.

    In the best possible ranking, gains fall in steps; dcg / ideal_dcg of the documents above each step (and once more
    at the end of a longer list), averaged. 0 where nothing is relevant; undefined (-nan) where something is but no gain
    is above 0.

    Formula: mean over steps k of dcg(k)/ideal_dcg(k).
    Source: trec_eval.
    """
    gains = GainsOfTopics.of(t, pairs)
    ideal, ideal_gain = gains.ideal, gains.ideal_gain
    last = ideal.position == ideal.spread(ideal.lengths) - 1
    step = last | (ideal_gain != np.append(ideal_gain[1:], 0.0))
    # A step after rank p of the best possible ranking compares what both rankings have gained up to rank p.
    above = t.rows.upto(t.rank, ideal.position + 1, ideal)
    so_far = t.rows.running_sum(gains.discounted)
    gained = np.zeros(ideal.size)
    gained[above > 0] = so_far[t.rows.at(ideal.ids[above > 0], above[above > 0] - 1)]
    total = ideal.sum(np.where(step, gained / ideal.running_sum(gains.ideal_discounted), 0.0))
    steps = ideal.count(step)
    longer = (steps > 0) & (t.n_ret > ideal.lengths + 1)
    total = np.where(longer, total + gains.dcg / gains.ideal_dcg, total)
    averaged = np.where(steps > 0, total / (steps + longer), UNDEFINED)
    return np.where(t.n_rel > 0, averaged, 0.0)


def _expected_binary_g(t: TiedTopics) -> FloatArray:
    """Per topic: binG, expected over the number of other documents above each hit."""
    others = t.size - t.hits_of_groups
    above = t.number_above(t.hit, others, t.before - t.above_groups(t.hits_of_groups))
    return np.where(t.n_hits > 0, above.rows.sum(above.chance * (1.0 / log2_of(above.number + 2))) / t.n_rel, 0.0)


@measure("binG", ZERO_TO_ONE, summary=mean, refuses=NO_EXPECTATION, formulas={EXPECTED: _expected_binary_g})
def binary_g(t: Topics) -> FloatArray:
    """G with binary gains.

    Each relevant document retrieved counts the less the more nonrelevant ones stand above it; the sum is divided by the
    number of relevant documents. 0 where none was retrieved.

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
        REAL: "its lag takes the gain of each relevant document for 1 at least",
        EXPECTED: f"the mean of such discounts {NO_FORMULA}",
        **NO_EXPECTATION,
    },
)
def g(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Gain discounted by how far the ranking lags behind the best possible one.

    The gain of each retrieved document, discounted by the lag at its rank, divided by the gains of the best possible
    ranking. The lag is what the best possible ranking has gained up to there (at least 1 a document) less what this one
    has. 0 where no gain is above 0.

    Formula: (sum over retrieved of gain/log2(2 + lag)) / (sum over all k of ideal(k)), lag = sum over j <= k of
    (max(ideal(j), 1) - gain(j)).
    Source: trec_eval.
    """
    gains = GainsOfTopics.of(t, pairs)
    ideal = gains.ideal
    gained_so_far = t.rows.running_sum(gains.gain)
    cost_so_far = ideal.running_sum(np.where(gains.ideal_gain >= 1.0, gains.ideal_gain, 1.0))
    reached = np.minimum(t.rank, t.rows.spread(ideal.lengths))
    cost = np.zeros(t.rows.size)
    cost[reached > 0] = cost_so_far[ideal.at(t.rows.ids[reached > 0], reached[reached > 0] - 1)]
    cost = _add_ones(cost, t.rank - reached)
    counted = gains.gain != 0
    lag = ((2.0 + cost) - gained_so_far)[counted]
    worth = np.zeros(t.rows.size)
    worth[counted] = gains.gain[counted] / _log2(lag)
    best = ideal.sum(gains.ideal_gain)
    return np.where(best > 0, t.rows.sum(worth) / best, 0.0)


def _add_ones(x: FloatArray, times: IntArray) -> FloatArray:
    """Return x with 1.0 added ``times`` times, rounded after each addition; both have the same shape.

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
    """Return log2 of each element as the C library computes it; ``np.log2`` may differ in the last bit."""
    logs: dict[float, float] = {}
    values = x.tolist()
    for value in values:
        if value not in logs:
            logs[value] = math.log2(value) if value > 0 else (-math.inf if value == 0 else UNDEFINED)
    return np.array([logs[value] for value in values], np.float64)

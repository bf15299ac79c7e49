"""Precision and recall.

Measures computed from the number of relevant documents at one or more ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ratio
from irevalx.measures.declaration import (
    NO_EXPECTATION,
    NO_FORMULA,
    NONREL,
    UNDEFINED,
    ZERO_TO_ONE,
    Range,
    UnjudgedEffect,
    UpperBound,
    measure,
)
from irevalx.measures.parameter_kinds import Cutoffs, RealCutoffs, Reals
from irevalx.ranking.expected_values import ExpectedTopics, TiedTopics
from irevalx.ranking.topics import RankedTopic, Topics, truncate
from irevalx.settings import EXPECTED, PROBABILITY

CUTOFFS = Cutoffs((5, 10, 15, 20, 30, 100, 200, 500, 1000))
NO_MEAN_OF_GREATEST = {EXPECTED: f"the expected highest precision {NO_FORMULA}", **NO_EXPECTATION}
ELEVEN_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def _share_of_relevant(topic: RankedTopic, k: int) -> float:
    return topic.hits_within(k) / topic.judged.n_rel if topic.judged.n_rel else 0.0


@measure(
    "P", ZERO_TO_ONE, kind=CUTOFFS, upper_bound=UpperBound.ALWAYS, of_topic=lambda topic, k: topic.hits_within(k) / k
)
def precision(t: Topics, k: int) -> FloatArray:
    """Precision at cutoff K.

    The number of relevant documents among the first K, divided by K even if fewer than K documents were retrieved.

    Formula: rel(K)/K.
    Source: [manning-2008], section 8.4.
    """
    return t.hits_within(k) / k


def probable_recall(t: ExpectedTopics, k: float = np.inf) -> FloatArray:
    """Return each topic's expected recall at cutoff k (default: at the last rank) under relevance probabilities."""
    return t.each(lambda topic: topic.mean(topic.rank <= k, 1.0 / topic.counts))


@measure("recall", ZERO_TO_ONE, kind=CUTOFFS, formulas={PROBABILITY: probable_recall}, of_topic=_share_of_relevant)
def recall(t: Topics, k: int) -> FloatArray:
    """Recall at cutoff K.

    The number of relevant documents among the first K, divided by the number of relevant documents. The value is 0 if
    the topic has no relevant documents.

    Formula: rel(K)/R.
    Source: [manning-2008], section 8.3.
    """
    return ratio(t.hits_within(k), t.n_rel)


def _probable_relative_precision(t: ExpectedTopics, k: int) -> FloatArray:
    return t.each(lambda topic: topic.mean(topic.rank <= k, 1.0 / np.minimum(k, topic.counts)))


@measure("relative_P", ZERO_TO_ONE, kind=CUTOFFS, formulas={PROBABILITY: _probable_relative_precision})
def relative_precision(t: Topics, k: int) -> FloatArray:
    """Precision at cutoff K, relative to the maximum possible.

    The number of relevant documents among the first K, divided by K or by the number of relevant documents, whichever
    is smaller. The value is 0 if the topic has no relevant documents.

    Formula: rel(K)/min(K, R).
    Source: trec_eval.
    """
    return ratio(t.hits_within(k), np.minimum(k, t.n_rel))


def _expected_success(t: TiedTopics, k: int) -> FloatArray:
    """Return the probability that a relevant document is among the first k documents of each topic."""
    first, without = t.first_hit()
    return np.asarray(first.rows.max(np.where(first.number <= k, 1.0 - without, 0.0), empty=0.0))


def _probable_success(t: ExpectedTopics, k: int) -> FloatArray:
    return t.rows.sum(np.where(t.rank <= k, t.first_chance, 0.0))


@measure(
    "success",
    Range(0, 1, only_bounds=True),
    kind=Cutoffs((1, 5, 10)),
    upper_bound=UpperBound.ALWAYS,
    formulas={EXPECTED: _expected_success, PROBABILITY: _probable_success},
    of_topic=lambda topic, k: float(topic.hits_within(k) > 0),
)
def success(t: Topics, k: int) -> FloatArray:
    """Success at cutoff K.

    1 if a relevant document is among the first K, otherwise 0. The `all` row contains the fraction of topics with
    success.

    Formula: 1 if rel(K) > 0, otherwise 0.
    Source: trec_eval.
    """
    return (t.hits_within(k) > 0).astype(np.float64)


share_of_judged = partial(
    measure,
    kind=Cutoffs((5, 10, 20)),
    treatments=NONREL,
    higher_is_better=False,
    uses_level=False,
    unjudged=UnjudgedEffect.UNJUDGED,
)
"""The decorator for measures of the fraction of judged or unjudged documents."""


@share_of_judged("unj", ZERO_TO_ONE, lower_is_better=True)
def unjudged(t: Topics, k: int) -> FloatArray:
    """Fraction of unjudged documents at cutoff K.

    The number of unjudged documents among the first K, pooled or not, divided by K. With -J the value is 0.

    Formula: (min(K, ret) - judged(K))/K.
    Source: trec_eval 10.0.
    """
    return (np.minimum(t.n_ret, k) - t.judged_within(k)) / k


@measure(
    "Rprec",
    ZERO_TO_ONE,
    formulas={PROBABILITY: lambda t: t.each(lambda topic: topic.within_their_number())},
    of_topic=lambda topic: _share_of_relevant(topic, topic.judged.n_rel),
)
def r_precision(t: Topics) -> FloatArray:
    """R-precision: precision at rank R.

    R is the number of relevant documents of the topic. The divisor is R even if fewer than R documents were retrieved.
    The value is 0 if the topic has no relevant documents.

    Formula: rel(R)/R.
    Source: [manning-2008], section 8.4.
    """
    return ratio(t.hits_within(t.n_rel), t.n_rel)


def _expected_reciprocal_rank(t: TiedTopics, k: float = np.inf) -> FloatArray:
    """Return the expected reciprocal rank of each topic's first relevant document, counting 0 for ranks beyond k."""
    first, _ = t.first_hit()
    return first.rows.sum(np.where(first.number <= k, first.chance / first.number, 0.0))


def _probable_reciprocal_rank(t: ExpectedTopics, k: float = np.inf) -> FloatArray:
    return t.rows.sum(np.where(t.rank <= k, t.first_chance / t.rank, 0.0))


_rank_measure = partial(
    measure,
    upper_bound=UpperBound.ALWAYS,
    formulas={EXPECTED: _expected_reciprocal_rank, PROBABILITY: _probable_reciprocal_rank},
)


@_rank_measure("recip_rank", ZERO_TO_ONE, of_topic=lambda topic: 1.0 / topic.hits[0] if topic.hits else 0.0)
def reciprocal_rank(t: Topics) -> FloatArray:
    """Reciprocal rank of the first relevant document.

    1 divided by the rank of the first relevant document, or 0 if no relevant document was retrieved. The mean over
    topics (the `all` row) is known as MRR.

    Formula: max over relevant retrieved of 1/k.
    Source: [voorhees-1999].
    """
    best = t.rows.max(np.where(t.hit, 1.0 / t.rank, 0.0), empty=0.0)
    return np.asarray(best, np.float64)


@_rank_measure("recip_rank_cut", ZERO_TO_ONE, kind=Cutoffs((10,)))
def reciprocal_rank_at(t: Topics, k: int) -> FloatArray:
    """Reciprocal rank of the first relevant document at cutoff K.

    1 divided by the rank of the first relevant document, or 0 if no relevant document is among the first K. The mean
    over topics (the `all` row) is known as MRR@K.

    Formula: max over relevant retrieved with k <= K of 1/k.
    Source: [voorhees-1999]; trec_eval -M K -m recip_rank.
    """
    best = t.rows.max(np.where(t.hit & (t.rank <= k), 1.0 / t.rank, 0.0), empty=0.0)
    return np.asarray(best, np.float64)


@measure("iprec_at_recall", ZERO_TO_ONE, kind=RealCutoffs(ELEVEN_POINTS), refuses=NO_MEAN_OF_GREATEST)
def interpolated_precision(t: Topics, levels: Sequence[float]) -> list[FloatArray]:
    """Interpolated precision at recall X.

    The highest precision at any rank at or after the rank at which recall X is reached, or 0 if it is not reached.
    trec_eval 9 and 10 (--compat) differ in how they round X times the number of relevant documents to an integer. If no
    document was retrieved, recall levels that round to 0 documents are undefined (-nan).

    Formula: max over all k with rel(k) >= X R, rounded, of rel(k)/k.
    Source: [manning-2008], section 8.4.
    """
    return [value for value, _ in _interpolate(t, levels)]


@measure("11pt_avg", ZERO_TO_ONE, kind=Reals(ELEVEN_POINTS), refuses=NO_MEAN_OF_GREATEST)
def eleven_point_average(t: Topics, *levels: float) -> FloatArray:
    """Interpolated precision averaged over recall levels.

    The mean of iprec_at_recall at recall levels 0.0, 0.1, ..., 1.0, or at the levels given as parameters, in ascending
    order.

    Formula: mean over all X of iprec_at_recall_X.
    Source: [manning-2008], section 8.4.
    """
    total = np.zeros(t.rows.n)
    for value, reached in reversed(_interpolate(t, levels)):
        total = np.where(reached, total + value, total)
    return total / len(levels)


@measure(
    "Rprec_mult",
    ZERO_TO_ONE,
    kind=RealCutoffs((0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)),
    refuses=NO_EXPECTATION,
)
def multiple_r_precision(t: Topics, multiples: Sequence[float]) -> list[FloatArray]:
    """Precision at a multiple of R documents.

    Precision at rank X R, where X is the parameter and R is the number of relevant documents. A rank with a fractional
    part of at least 0.1 is rounded up. The value is 0 if the topic has no relevant documents.

    Formula: rel(j)/j, j = X R rounded.
    Source: trec_eval.
    """
    values: list[FloatArray] = []
    walk = _Walk(t.n_ret)
    for multiple in reversed(multiples):
        cutoff = truncate(np.multiply(multiple, t.n_rel, dtype=np.float64) + 0.9)
        beyond = walk.skips(cutoff)
        inside = walk.stops_at(cutoff)
        # If the level is below 0, unjudged documents are hits, and the surplus is subtracted from the first hits.
        n_hits = np.maximum(t.hits_within(cutoff) - (t.n_hits - t.n_rel_ret), 0)
        values.append(np.where(beyond, ratio(t.n_rel_ret, cutoff), np.where(inside, ratio(n_hits, cutoff), 0.0)))
    return values[::-1]


class _Walk:
    """An emulation of how trec_eval compares ranks with a list of cutoffs, from the last cutoff to the first.

    trec_eval first skips cutoffs greater than ``start``, and then advances to the preceding cutoff whenever a cutoff is
    reached. If trec_eval cannot reach a cutoff (because the cutoff is below 1 or out of order), it reaches none of the
    preceding cutoffs.
    """

    def __init__(self, start: IntArray) -> None:
        self._limit = start
        self._skipping: BoolArray = np.ones(start.shape, np.bool_)
        self._stuck: BoolArray = np.zeros(start.shape, np.bool_)

    def skips(self, cutoff: IntArray) -> BoolArray:
        """Return whether each topic's next cutoff is skipped because it exceeds ``start``."""
        self._skipping = self._skipping & (cutoff > self._limit)
        return self._skipping

    def stops_at(self, cutoff: IntArray) -> BoolArray:
        """Return whether each topic reaches ``cutoff``. ``skips`` must have been called with the same cutoff."""
        met = ~self._skipping & ~self._stuck & (cutoff >= 1) & (cutoff <= self._limit)
        self._stuck = self._stuck | ~(self._skipping | met)
        self._limit = np.where(met, cutoff, self._limit)
        return met


def _interpolate(t: Topics, levels: Sequence[float]) -> list[tuple[FloatArray, BoolArray]]:
    """Return, for each recall level, the interpolated precision of each topic and whether the level is reached.

    If the level is not reached, the precision is 0.0.
    """
    # If the level is below 0, there are more hits than n_rel_ret. The surplus is subtracted from the first hits.
    n_hits = t.hits_so_far - t.rows.spread(t.n_hits - t.n_rel_ret)
    is_hit = t.hit & (n_hits > 0)
    hits, n_hits, precision = t.rows.keep(is_hit), n_hits[is_hit], (n_hits / t.rank)[is_hit]
    overall = np.where(t.n_ret > 0, t.n_rel_ret / t.n_ret, UNDEFINED)
    results: list[tuple[FloatArray, BoolArray]] = []
    walk = _Walk(t.n_rel_ret)
    for needed in t.documents_for_recall(np.array(levels)[:, np.newaxis])[::-1]:
        reached = ~walk.skips(needed)
        from_here = np.where(walk.stops_at(needed), needed, 0)
        best = hits.max(np.where(n_hits >= hits.spread(from_here), precision, 0.0), empty=0.0)
        results.append((np.where(reached, np.where(best > overall, best, overall), 0.0), reached))
    return results[::-1]

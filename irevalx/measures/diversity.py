"""Novelty and diversity: the measures of ndeval, for topics with subtopics (-R subtopics).

Each subtopic starts with a weight of 1, and every document that is relevant to it multiplies the weight by 1 - alpha.
The novelty gain of a document is the sum of the weights of the subtopics to which it is relevant, in ascending order of
subtopics. top(k) = N (1 - alpha)^(k - 1) is the gain at rank k of a hypothetical list whose documents are all relevant
to all N subtopics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, Segments, ratio
from irevalx.declarations import number
from irevalx.measures.declaration import MOSTLY_ZERO_TO_ONE, NONREL, ZERO_TO_ONE, measure
from irevalx.measures.parameter_kinds import Cutoffs, CutoffsAndReals, MeasureParameter, NamedReals
from irevalx.ranking.topics import log2_of, powers

if TYPE_CHECKING:
    from irevalx.ranking.topic_kinds import TopicsWithSubtopics

ALPHA = MeasureParameter("alpha", 0.5, number(least=0, most=1))
"""The parameter alpha. Each document that is relevant to a subtopic multiplies the gain of lower-ranked documents for
the same subtopic by 1 - alpha."""

BETA = MeasureParameter("beta", 0.5, ALPHA.declaration)
"""The parameter beta, which is the persistence of the user."""

CUTOFFS = Cutoffs((5, 10, 20))
WITH_ALPHA = CutoffsAndReals(CUTOFFS.default, "K,K,...,alpha=ALPHA", (ALPHA,))
WITH_BETA = NamedReals((ALPHA, BETA))

_subtopic_measure = partial(measure, formats=frozenset({"subtopics"}), treatments=NONREL)


@_subtopic_measure("ERR_IA", ZERO_TO_ONE, kind=WITH_ALPHA)
def err_ia(t: TopicsWithSubtopics, k: int, alpha: float) -> FloatArray:
    """Intent-aware expected reciprocal rank.

    The sum of the novelty gain of each of the first K documents divided by its rank, normalised by the value of a list
    whose documents are all relevant to every subtopic. The value is 0 if the topic has no relevant documents. alpha
    defaults to 0.5.

    Formula: (sum over retrieved with k <= K of new/k) / (sum over k <= K of top(k)/k).
    Source: [clarke-2011]; ndeval.
    """
    return ratio(_by_rank(t.rows, t.rank, t.gain(alpha), k), t.subtopics.lengths * _top(k, alpha, float))


@_subtopic_measure("nERR_IA", MOSTLY_ZERO_TO_ONE, kind=WITH_ALPHA)
def nerr_ia(t: TopicsWithSubtopics, k: int, alpha: float) -> FloatArray:
    """Normalised intent-aware expected reciprocal rank.

    Like ERR_IA, but normalised by the value of the ideal list. The ideal list is built greedily, so it is not always
    optimal. alpha defaults to 0.5.

    Formula: (sum over retrieved with k <= K of new/k) / (sum over k <= K of best(k)/k).
    Source: [clarke-2011]; ndeval.
    """
    ideal, gain = t.ideal(alpha)
    return ratio(_by_rank(t.rows, t.rank, t.gain(alpha), k), _by_rank(ideal, ideal.position + 1, gain, k))


@_subtopic_measure("alpha_DCG", ZERO_TO_ONE, kind=WITH_ALPHA)
def alpha_dcg(t: TopicsWithSubtopics, k: int, alpha: float) -> FloatArray:
    """Discounted cumulative novelty gain.

    The sum of the discounted novelty gains of the first K documents, normalised by the value of a list whose documents
    are all relevant to every subtopic. The value is 0 if the topic has no relevant documents. alpha defaults to 0.5.

    Formula: (sum over retrieved with k <= K of new/log2(k + 1)) / (sum over k <= K of top(k)/log2(k + 1)).
    Source: [clarke-2008]; ndeval.
    """
    return ratio(
        _by_logarithm(t.rows, t.rank, t.gain(alpha), k),
        t.subtopics.lengths * _top(k, alpha, lambda rank: math.log2(rank + 1)),
    )


@_subtopic_measure("alpha_nDCG", MOSTLY_ZERO_TO_ONE, kind=WITH_ALPHA)
def alpha_ndcg(t: TopicsWithSubtopics, k: int, alpha: float) -> FloatArray:
    """Normalised discounted cumulative novelty gain.

    Like alpha_DCG, but normalised by the value of the ideal list. The ideal list is built greedily, so it is not always
    optimal: each step adds the judged document with the highest gain, and ties are broken in favour of the document
    that is last in byte order. alpha defaults to 0.5.

    Formula: (sum over retrieved with k <= K of new/log2(k + 1)) / (sum over k <= K of best(k)/log2(k + 1)).
    Source: [clarke-2008]; ndeval.
    """
    ideal, gain = t.ideal(alpha)
    return ratio(_by_logarithm(t.rows, t.rank, t.gain(alpha), k), _by_logarithm(ideal, ideal.position + 1, gain, k))


@_subtopic_measure("NRBP", ZERO_TO_ONE, kind=WITH_BETA)
def nrbp(t: TopicsWithSubtopics, alpha: float, beta: float) -> FloatArray:
    """Novelty- and rank-biased precision.

    The sum of the novelty gains of all documents, discounted by a factor of beta per rank. The value is 0 if the topic
    has no relevant documents. alpha and beta default to 0.5.

    Formula: ((1 - (1 - alpha) beta)/S) sum over retrieved of new beta^(k - 1).
    Source: [clarke-2009]; ndeval.
    """
    return _rank_biased(t, t.rows, t.rank, t.gain(alpha), alpha, beta)


@_subtopic_measure("nNRBP", MOSTLY_ZERO_TO_ONE, kind=WITH_BETA)
def nnrbp(t: TopicsWithSubtopics, alpha: float, beta: float) -> FloatArray:
    """Normalised novelty- and rank-biased precision.

    NRBP divided by the NRBP of the ideal list, which is built greedily. The value is 0 if the topic has no relevant
    documents. alpha and beta default to 0.5.

    Formula: (sum over retrieved of new beta^(k - 1)) / (sum over all k of best(k) beta^(k - 1)).
    Source: [clarke-2009]; ndeval.
    """
    if (1.0 - alpha) * beta == 1.0:
        return np.zeros(t.rows.n)  # NRBP of every list is 0, including the ideal list
    ideal, gain = t.ideal(alpha)
    biased = _rank_biased(t, t.rows, t.rank, t.gain(alpha), alpha, beta)
    return ratio(biased, _rank_biased(t, ideal, ideal.position + 1, gain, alpha, beta))


@_subtopic_measure("MAP_IA", ZERO_TO_ONE)
def map_ia(t: TopicsWithSubtopics) -> FloatArray:
    """Intent-aware mean average precision.

    The mean of average precision over the subtopics that have a relevant document. For each subtopic, only documents
    relevant to it count as relevant. The value is 0 if the topic has no relevant documents.

    Formula: (1/S) sum over the subtopics of (1/R_t) sum over retrieved relevant for it of rel_t(k)/k.
    Source: [agrawal-2009]; ndeval.
    """
    precision = (t.seen_before + 1) / t.part_rank
    of_subtopic = np.bincount(t.subtopic, precision, t.subtopics.size) / t.n_relevant
    return ratio(t.subtopics.sum(of_subtopic), t.subtopics.lengths)


@_subtopic_measure("P_IA", ZERO_TO_ONE, kind=CUTOFFS)
def p_ia(t: TopicsWithSubtopics, k: int) -> FloatArray:
    """Intent-aware precision at cutoff K.

    The mean of precision at cutoff K over the subtopics that have a relevant document. The value is 0 if the topic has
    no relevant documents.

    Formula: (sum over the subtopics of rel_t(K))/(K S).
    Source: [agrawal-2009]; ndeval.
    """
    return ratio(t.rows.sum(np.where(t.rank <= k, t.parts.lengths, 0.0)), float(k) * t.subtopics.lengths)


@_subtopic_measure("strec", ZERO_TO_ONE, kind=CUTOFFS)
def subtopic_recall(t: TopicsWithSubtopics, k: int) -> FloatArray:
    """Subtopic recall at cutoff K.

    The fraction of subtopics that are covered by a relevant document among the first K. Subtopics without relevant
    documents are ignored. The value is 0 if the topic has no relevant documents.

    Formula: seen(K)/S.
    Source: [zhai-2003]; ndeval.
    """
    first = (t.seen_before == 0) & (t.part_rank <= k)
    return ratio(t.rows.sum(t.parts.count(first).astype(np.float64)), t.subtopics.lengths)


def _by_rank(lists: Segments, rank: IntArray, gain: FloatArray, k: int) -> FloatArray:
    """Return the sum of gain/rank over the first k documents of each list."""
    return lists.sum(np.where(rank <= k, gain / rank, 0.0))


def _by_logarithm(lists: Segments, rank: IntArray, gain: FloatArray, k: int) -> FloatArray:
    """Return the sum of gain/log2(rank + 1) over the first k documents of each list."""
    return lists.sum(np.where(rank <= k, gain / log2_of(rank + 1), 0.0))


def _rank_biased(
    t: TopicsWithSubtopics, lists: Segments, rank: IntArray, gain: FloatArray, alpha: float, beta: float
) -> FloatArray:
    """Return NRBP for each list. Operations are in the same order as in ndeval, which determines the last digit."""
    discounted = lists.sum(gain * powers(beta, int(rank.max(initial=0)))[rank - 1])
    return discounted * ratio(np.full(t.rows.n, 1.0 - (1.0 - alpha) * beta), t.subtopics.lengths)


@lru_cache
def _top(k: int, alpha: float, discount: Callable[[int], float]) -> float:
    """Return the sum of (1 - alpha)**(rank - 1)/discount(rank) over the ranks from 1 to k."""
    total, power = 0.0, 1.0
    for rank in range(1, k + 1):
        total += power / discount(rank)
        power *= 1.0 - alpha
        if power == 0.0:
            break
    return total

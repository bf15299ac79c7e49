"""Novelty and diversity: measures for topics with subtopics, as ndeval prints them.

Every subtopic of a topic has a weight of 1, which each document that is relevant for it multiplies by 1 - alpha. The
gain of a document is the sum of the weights of the subtopics that it is relevant for, by ascending subtopic. top(k) =
N (1 - alpha)^(k - 1) is the gain at rank k of a list, no real one, of documents that are relevant for all N subtopics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, Segments, ratio
from irevalx.ranking.divided_topics import DividedTopics, powers
from irevalx.ranking.rounding import log2_of


def err_ia(t: DividedTopics, k: int, alpha: float) -> FloatArray:
    """ERR, intent-aware."""
    return ratio(_by_rank(t.rows, t.rank, t.gain(alpha), k), t.subtopics.lengths * _top_by_rank(k, alpha))


def nerr_ia(t: DividedTopics, k: int, alpha: float) -> FloatArray:
    """ERR_IA, normalised."""
    ideal, gain = t.ideal(alpha)
    return ratio(_by_rank(t.rows, t.rank, t.gain(alpha), k), _by_rank(ideal, ideal.position + 1, gain, k))


def alpha_dcg(t: DividedTopics, k: int, alpha: float) -> FloatArray:
    """alpha-DCG."""
    return ratio(_by_logarithm(t.rows, t.rank, t.gain(alpha), k), t.subtopics.lengths * _top_by_logarithm(k, alpha))


def alpha_ndcg(t: DividedTopics, k: int, alpha: float) -> FloatArray:
    """alpha-nDCG."""
    ideal, gain = t.ideal(alpha)
    return ratio(_by_logarithm(t.rows, t.rank, t.gain(alpha), k), _by_logarithm(ideal, ideal.position + 1, gain, k))


def nrbp(t: DividedTopics, alpha: float, beta: float) -> FloatArray:
    """Novelty- and rank-biased precision."""
    found = _rank_biased(t.rows, t.rank, t.gain(alpha), beta)
    return ratio((1.0 - (1.0 - alpha) * beta) * found, t.subtopics.lengths)


def nnrbp(t: DividedTopics, alpha: float, beta: float) -> FloatArray:
    """NRBP, normalised."""
    if (1.0 - alpha) * beta == 1.0:
        return np.zeros(t.rows.n)  # NRBP is 0 for all lists, the ideal one among them
    ideal, gain = t.ideal(alpha)
    found = _rank_biased(t.rows, t.rank, t.gain(alpha), beta)
    return ratio(found, _rank_biased(ideal, ideal.position + 1, gain, beta))


def map_ia(t: DividedTopics) -> FloatArray:
    """Average precision, intent-aware."""
    precision = (t.seen_before + 1) / t.part_rank
    of_subtopic = np.bincount(t.subtopic, precision, t.subtopics.size) / t.n_relevant
    return ratio(t.subtopics.sum(of_subtopic), t.subtopics.lengths)


def p_ia(t: DividedTopics, k: int) -> FloatArray:
    """Precision, intent-aware."""
    return ratio(t.rows.sum(np.where(t.rank <= k, t.parts.lengths, 0.0)), float(k) * t.subtopics.lengths)


def subtopic_recall(t: DividedTopics, k: int) -> FloatArray:
    """Subtopic recall."""
    first = (t.seen_before == 0) & (t.part_rank <= k)
    return ratio(t.rows.sum(t.parts.count(first).astype(np.float64)), t.subtopics.lengths)


def _by_rank(lists: Segments, rank: IntArray, gain: FloatArray, k: int) -> FloatArray:
    """Per list: the sum of gain/rank over the first k."""
    return lists.sum(np.where(rank <= k, gain / rank, 0.0))


def _by_logarithm(lists: Segments, rank: IntArray, gain: FloatArray, k: int) -> FloatArray:
    """Per list: the sum of gain/log2(rank + 1) over the first k."""
    return lists.sum(np.where(rank <= k, gain / log2_of(rank + 1), 0.0))


def _rank_biased(lists: Segments, rank: IntArray, gain: FloatArray, beta: float) -> FloatArray:
    """Per list: the sum of gain beta**(rank - 1)."""
    return lists.sum(gain * powers(beta, int(rank.max(initial=0)))[rank - 1])


@lru_cache
def _top_by_rank(k: int, alpha: float) -> float:
    return _top(k, alpha, float)


@lru_cache
def _top_by_logarithm(k: int, alpha: float) -> float:
    return _top(k, alpha, lambda rank: math.log2(rank + 1))


def _top(k: int, alpha: float, discount: Callable[[int], float]) -> float:
    """Return the sum of (1 - alpha)**(rank - 1)/discount(rank) over the first k."""
    total, power = 0.0, 1.0
    for rank in range(1, k + 1):
        total += power / discount(rank)
        power *= 1.0 - alpha
        if power == 0.0:
            break
    return total

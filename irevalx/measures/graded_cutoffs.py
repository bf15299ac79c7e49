"""What users of graded judgments ask for at a cutoff: ERR, nDCG with exponential gains, MRR@K."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments, ratio
from irevalx.ranking.rounding import log2_of
from irevalx.ranking.topics import Topics

HIGHEST_GRADE = 4
"""The grade that always satisfies, or nearly so, unless told otherwise."""

FARTHEST = 2000
"""Of powers of 2 that lie farther apart than this the smaller one is 0 beside the greater."""


def has_gain(t: Topics) -> BoolArray:
    """Return, per topic, whether any document has a grade above 0."""
    return t.ideal.lengths > 0


def expected_reciprocal_rank(t: Topics, k: int, highest: int) -> FloatArray:
    """Expected reciprocal rank.

    A user goes down the list and is satisfied by a document with the probability p = (2^gain - 1)/2^max, the gain being
    its grade: the expectation of 1/rank of the document at which this happens, 0 if it is not among the first K. A
    topic in which nothing has a grade above 0 has no value.

    Formula: sum over retrieved with k <= K of (p/k) product over those above it of (1 - p).
    Range: 0 to below 1.
    Source: Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance, CIKM 2009; gdeval.
    """
    gains = (t.grade > 0) & (t.rank <= k)
    rows = t.rows.keep(gains)
    satisfied = exponential_gain(t.grade[gains], np.array(highest))
    reached = rows.previous(rows.running_product(1.0 - satisfied), none=1.0)
    return rows.sum(reached * satisfied / t.rank[gains])


def ndcg_burges(t: Topics, k: int) -> FloatArray:
    """Normalised discounted cumulative gain of the first K documents, with exponential gains.

    As ndcg_cut, but the gain of a document is 2^grade - 1, and 0 for grades of 0 and below. A topic in which nothing
    has a grade above 0 has no value.

    Formula: (sum over retrieved with k <= K of (2^gain - 1)/log2(k + 1)) / (sum over k <= K of (2^ideal(k) - 1)/log2(k
    + 1)).
    Range: 0 to 1.
    Source: Burges and others, Learning to Rank Using Gradient Descent, ICML 2005; gdeval.
    """
    highest = t.ideal.max(t.ideal_grade, empty=0.0)
    found = exponential_dcg(t.rows, t.rank, t.grade, highest, k)
    return ratio(found, exponential_dcg(t.ideal, t.ideal.position + 1, t.ideal_grade, highest, k))


def reciprocal_rank_cut(t: Topics, k: int) -> FloatArray:
    """Reciprocal rank of the first relevant document, if it is among the first K.

    1 divided by its rank; 0 where none of the first K documents is relevant. The `all` row is known as MRR@K.

    Formula: max over relevant retrieved with k <= K of 1/k.
    Range: 0 to 1.
    Source: Voorhees, The TREC-8 Question Answering Track Report (1999).
    """
    best = t.rows.max(np.where(t.hit & (t.rank <= k), 1.0 / t.rank, 0.0), empty=0.0)
    return np.asarray(best, np.float64)


def exponential_dcg(lists: Segments, rank: IntArray, grade: AnyArray, highest: AnyArray, k: int) -> FloatArray:
    """Return, per list, the sum of (2**grade - 1)/2**highest/log2(rank + 1) over the first k; of positive grades alone.

    Division by a power of 2 changes no digit, and lets grades be as high as they like.

    Parameters
    ----------
    rank, grade : flat over ``lists``.
    highest : per list; no grade is above it.
    """
    gains = (grade > 0) & (rank <= k)
    gaining = lists.keep(gains)
    return gaining.sum(exponential_gain(grade[gains], gaining.spread(highest)) / log2_of(rank[gains] + 1))


def exponential_gain(grade: AnyArray, highest: AnyArray) -> FloatArray:
    """Return (2**grade - 1)/2**highest, of whole numbers from 0 up."""
    power = np.clip(grade - highest, -FARTHEST, FARTHEST).astype(np.int64)
    one = np.maximum(-highest, -FARTHEST).astype(np.int64)
    gain: FloatArray = np.ldexp(1.0, power) - np.ldexp(1.0, one)
    return gain

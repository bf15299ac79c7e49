"""Graded relevance with exponential gains, at a cutoff: the measures of gdeval."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments, ratio
from irevalx.checks import ValueType, read_real
from irevalx.declarations import Parameter
from irevalx.measures.declaration import NONREL_AND_SKIP, ZERO_TO_ONE, Range, UnjudgedEffect, measure
from irevalx.measures.parameter_kinds import Cutoffs, CutoffsAndReals, MeasureParameter, Parameters
from irevalx.ranking.expected_values import TiedTopics
from irevalx.ranking.topics import Topics, log2_of
from irevalx.settings import EXPECTED, PROBABILITY

HIGHEST_GRADE = 4
"""The default highest grade. A document with the highest grade almost always satisfies the user."""


def _at_least_1(x: float) -> float:
    if x < 1 or x != int(x):
        raise ValueError(x)
    return x


MAX = MeasureParameter(
    "max", HIGHEST_GRADE, Parameter(kind=ValueType("an integer of at least 1", _at_least_1, read_real))
)

CUTOFFS = (5, 10, 20)

NO_CERTAIN_VALUE = {
    PROBABILITY: "topics without relevant documents have no value, and probabilities do not tell which topics these are"
}

FARTHEST = 2000
"""The maximum difference between the exponents of two powers of 2 at which the smaller power is not negligible."""


def has_gain(t: Topics) -> BoolArray:
    """Return whether each topic has a document with a grade above 0."""
    return t.ideal.lengths > 0


def too_high(t: Topics, parameters: Parameters) -> str | None:
    """Return an error if a judgment has a grade above the highest grade of ERR, or None if all grades are valid."""
    _, [highest] = parameters.values
    grade = t.pool_grade.max(initial=0)
    if grade <= highest:
        return None
    allowed = math.ceil(grade)
    return f"grade {grade} is above {highest:g}, the highest grade of ERR; use ERR.max={allowed}"


_exponential_measure = partial(
    measure,
    treatments=NONREL_AND_SKIP,
    has_value=has_gain,
    refuses=NO_CERTAIN_VALUE,
    uses_level=False,
    unjudged=UnjudgedEffect.NO_GAIN,
)


def _expected_over_orders(t: TiedTopics, k: int, highest: float) -> FloatArray:
    satisfaction = t.reached(np.where(t.grade > 0, exponential_gain(t.grade, np.array(highest)), 0.0), k)
    gains = satisfaction > 0
    return _reciprocal_rank(t.rows.keep(gains), satisfaction[gains], t.rank[gains])


@_exponential_measure(
    "ERR",
    Range(0, 1, wording="0 to below 1"),
    kind=CutoffsAndReals(CUTOFFS, "K,K,...,max=GRADE", (MAX,)),
    why_unsupported=too_high,
    formulas={EXPECTED: _expected_over_orders},
)
def expected_reciprocal_rank(t: Topics, k: int, highest: float) -> FloatArray:
    """Expected reciprocal rank.

    A user reads down the list and stops at each document with probability p, which depends on its grade and on the
    highest possible grade (max, default 4). ERR is the expected value of 1/rank of the document at which the user
    stops, counting 0 if the user does not stop among the first K. Judgments with a grade above max are an error. A
    topic without grades above 0 has no value.

    Formula: sum over retrieved with k <= K of (p/k) times the product over those above of (1 - p), p = (2^gain -
    1)/2^max.
    Source: [chapelle-2009]; gdeval.
    """
    gains = (t.grade > 0) & (t.rank <= k)
    return _reciprocal_rank(t.rows.keep(gains), exponential_gain(t.grade[gains], np.array(highest)), t.rank[gains])


def _reciprocal_rank(rows: Segments, satisfied: FloatArray, rank: IntArray) -> FloatArray:
    """Return each topic's expected reciprocal rank of the document that satisfies the user."""
    reached = rows.previous(rows.running_product(1.0 - satisfied), none=1.0)
    return rows.sum(reached * satisfied / rank)


def _expected_ndcg(t: TiedTopics, k: int) -> FloatArray:
    highest = t.ideal.max(t.ideal_grade, empty=0.0)
    gain = np.where(t.grade > 0, exponential_gain(t.grade, t.documents.spread(highest)), 0.0)
    dcg = t.rows.sum(np.where(t.rank <= k, t.over_ranks(gain) / t.discount, 0.0))
    return ratio(dcg, exponential_dcg(t.ideal, t.ideal.position + 1, t.ideal_grade, highest, k))


@_exponential_measure("ndcg_burges", ZERO_TO_ONE, kind=Cutoffs(CUTOFFS), formulas={EXPECTED: _expected_ndcg})
def ndcg_burges(t: Topics, k: int) -> FloatArray:
    """Normalised discounted cumulative gain at cutoff K, with exponential gains.

    Like ndcg_cut, but the gain of a document is 2^grade - 1, and 0 for grades of 0 or less. A topic without grades
    above 0 has no value.

    Formula: (sum over retrieved with k <= K of (2^gain - 1)/log2(k + 1)) / (sum over k <= K of (2^ideal(k) - 1)/log2(k
    + 1)).
    Source: [burges-2005]; gdeval.
    """
    highest = t.ideal.max(t.ideal_grade, empty=0.0)
    dcg = exponential_dcg(t.rows, t.rank, t.grade, highest, k)
    return ratio(dcg, exponential_dcg(t.ideal, t.ideal.position + 1, t.ideal_grade, highest, k))


def exponential_dcg(lists: Segments, rank: IntArray, grade: AnyArray, highest: AnyArray, k: int) -> FloatArray:
    """Return DCG with exponential gains for the first k documents of each list, divided by 2**highest."""
    # Dividing by a power of 2 is exact. It prevents overflow, because no grade exceeds ``highest``.
    gains = (grade > 0) & (rank <= k)
    gaining = lists.keep(gains)
    return gaining.sum(exponential_gain(grade[gains], gaining.spread(highest)) / log2_of(rank[gains] + 1))


def exponential_gain(grade: AnyArray, highest: AnyArray) -> FloatArray:
    """Return (2**grade - 1)/2**highest for grades of at least 0. The result is exact if both arguments are integers."""
    return _power_of_2(grade - highest) - _power_of_2(-highest)


def _power_of_2(x: AnyArray) -> FloatArray:
    near = np.clip(x, -FARTHEST, FARTHEST)
    whole = np.floor(near)
    power: FloatArray = np.ldexp(np.exp2(near - whole), whole.astype(np.int64))
    return power

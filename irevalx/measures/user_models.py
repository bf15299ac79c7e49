"""User models.

The user continues from each document to the next with a probability that is fixed or depends on the gains so far.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import AnyArray, FloatArray, IntArray, Segments, ordered_sum, ratio
from irevalx.declarations import number
from irevalx.measures.declaration import (
    NO_EXPECTATION,
    NO_FORMULA,
    NONREL,
    ZERO_TO_ONE,
    UnjudgedEffect,
    UpperBound,
    measure,
)
from irevalx.measures.exponential_gain import NO_CERTAIN_VALUE, has_gain
from irevalx.measures.gain import GainsOfTopics
from irevalx.measures.parameter_kinds import Gain, Gains, MeasureParameter, NamedReals
from irevalx.ranking.topics import Topics, powers
from irevalx.settings import EXPECTED, EXPECTED_OF_FIRST

DEPTH = 1000
"""The number of ranks that compatibility compares, as in the program of its authors."""

P = MeasureParameter("p", 0.95, number(above=0, below=1))
GOAL = MeasureParameter("T", 1.0, number(least=1))
MAX = MeasureParameter("max", None, number(above=0))


@measure(
    "rbp",
    ZERO_TO_ONE,
    kind=Gains("p=P,LEVEL=GAIN,...", sorted_like_c=False, scales_gains=True),
    uses_level=False,
    pooled=UnjudgedEffect.GAIN_FOR_POOLED,
    outside=UnjudgedEffect.GAIN_FOR_OUTSIDE,
    upper_bound=UpperBound.BINARY_GAINS,
)
def rank_biased_precision(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Rank-biased precision.

    The expected gain per document examined by a user who continues from each document to the next with probability p
    (default 0.9). The gain of a document is its grade unless gains are given. If any grade or gain of the topic is
    above 1 or below 0, gains are scaled to the range 0 to 1. The value is 0 if no document retrieved has a gain.

    Formula: (1 - p) sum over retrieved of gain p^(k-1).
    Source: [moffat-zobel-2008].
    """
    p = persistence_of(pairs)
    gain = GainsOfTopics.of(t, pairs, scaled=True).gain
    weights = gain * powers(p, int(t.n_ret.max(initial=0)))[t.rank - 1]
    return (1.0 - p) * t.rows.sum(np.where(gain != 0, weights, 0.0))


@measure(
    "rbp_resid",
    ZERO_TO_ONE,
    kind=Gains("p=P", sorted_like_c=False),
    treatments=NONREL,
    higher_is_better=False,
    lower_is_better=True,
    uses_level=False,
    unjudged=UnjudgedEffect.UNJUDGED,
    refuses={EXPECTED_OF_FIRST: f"its expected value {NO_FORMULA} if only the first documents count"},
)
def rank_biased_residual(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Residual of rank-biased precision: the contribution that unjudged documents could add.

    The increase of rbp, with persistence p (default 0.9), if every unjudged document, including all documents below the
    last one retrieved, had a gain of 1. The value is 0 if all documents retrieved are judged (like trec_eval, which
    omits the tail in this case), and with -J.

    Formula: p^ret + (1 - p) sum over unjudged retrieved of p^(k-1).
    Source: [moffat-zobel-2008].
    """
    p = persistence_of(pairs)
    decay = powers(p, int(t.n_ret.max(initial=0)) + 1)
    total, judged = np.zeros(t.rows.n), t.over_ranks(t.judged)
    for topic, n_ret in enumerate(t.n_ret.tolist()):
        where = t.rows.slice(topic)
        weights = decay[:n_ret].copy()
        left = 1.0 - judged[where]
        ranks = t.rank[where] - 1
        weights[ranks] = np.where(left > 0, weights[ranks] * left, 0.0)  # also if a weight is infinite
        total[topic] = ordered_sum(weights)
    return np.where(t.n_judged_ret < t.n_ret, decay[t.n_ret] + (1.0 - p) * total, 0.0)


def persistence_of(pairs: Sequence[Gain]) -> float:
    """Return the persistence p: the last value among the parameters, or the default 0.9."""
    return next((pair.value for pair in reversed(pairs) if pair.key == "p"), 0.9)


@measure(
    "compatibility",
    ZERO_TO_ONE,
    kind=NamedReals((P,)),
    has_value=has_gain,
    refuses={EXPECTED: f"its expected value {NO_FORMULA}", **NO_CERTAIN_VALUE},
    uses_level=False,
    unjudged=UnjudgedEffect.NO_GAIN,
)
def compatibility(t: Topics, p: float) -> FloatArray:
    """Compatibility: rank-biased overlap of the ranking with the most similar ideal ranking.

    An ideal ranking contains the documents with a grade above 0, the highest grade first. Documents with the same grade
    are ordered as in the ranking, followed by the documents that were not retrieved. The rank-biased overlap of the
    two, with persistence p (default 0.95), is divided by the overlap of the ideal ranking with itself. Only the first
    1000 ranks are compared. The order of grades counts, not their differences, so that grades can express preferences.
    A topic without grades above 0 has no value.

    Formula: (sum over k <= 1000 of p^(k-1) overlap(k)/k) / (sum over k <= 1000 of p^(k-1) min(k, I)/k).
    Source: [clarke-2021].
    """
    gains = t.grade > 0
    rows, rank = t.rows.keep(gains), t.rank[gains]
    meets = np.maximum(rank, _ideal_rank(rows, t.grade[gains], t.ideal, t.ideal_grade))
    weights = powers(p, DEPTH) / np.arange(1, DEPTH + 1)
    from_rank = np.append(np.add.accumulate(weights[::-1])[::-1], 0.0)  # sums over all ranks from a rank on

    def total(lists: Segments, first: IntArray) -> FloatArray:
        return lists.sum(from_rank[np.minimum(first, DEPTH + 1) - 1])

    return ratio(total(rows, meets), total(t.ideal, t.ideal.position + 1))


def _ideal_rank(rows: Segments, grade: AnyArray, ideal: Segments, ideal_grade: FloatArray) -> IntArray:
    """Return each document's rank in the ideal ranking, in which documents of equal grade keep their order."""
    ideal_rank = np.empty(rows.size, np.int64)
    for topic in range(rows.n):
        where = rows.slice(topic)
        of_topic = -grade[where]
        order = np.argsort(of_topic, kind="stable")
        falling = of_topic[order]
        above = np.searchsorted(-ideal_grade[ideal.slice(topic)], falling)
        ideal_rank[where][order] = above + np.arange(falling.size) - np.searchsorted(falling, falling) + 1
    return ideal_rank


@measure(
    "INST",
    ZERO_TO_ONE,
    kind=NamedReals((GOAL, MAX)),
    refuses={EXPECTED: f"its expected value {NO_FORMULA}", **NO_EXPECTATION},
    uses_level=False,
    unjudged=UnjudgedEffect.NO_GAIN,
)
def inst(t: Topics, goal: float, highest: float | None) -> FloatArray:
    """INST: expected gain per document examined by a user who looks for T relevant documents and adapts to the gains.

    The probability of continuing rises with the rank and with the gain that the user still looks for. T (default 1) is
    the expected number of relevant documents at the start. The gain of a document is its grade divided by max, and at
    most 1. max defaults to the highest grade of the topic, or to 1 if that is higher. The weights are summed over all
    ranks, including the ranks below the last document retrieved. The value is 0 if no document retrieved has a gain.

    Formula: (sum over retrieved of gain W(k)) / (sum over all k of W(k)), W(1) = 1, W(k + 1) = W(k) ((k + goal +
    goal(k) - 1)/(k + goal + goal(k)))^2.
    Source: [moffat-2015].
    """
    gains = t.grade > 0
    rows, rank = t.rows.keep(gains), t.rank[gains]
    most = np.maximum(t.ideal.max(t.ideal_grade, empty=1.0), 1.0) if highest is None else np.full(rows.n, highest)
    gain = np.minimum(t.grade[gains] / rows.spread(most), 1.0)
    # Up to the next gain, W(k) = (a/(k - 1 + c))^2, where c = 2T - G and G is the sum of gains so far. The sum of such
    # terms has a closed form.
    after = 2.0 * goal - rows.running_sum(gain)
    before = rows.previous(after, none=2.0 * goal)
    step = (rank + after - 1.0) / (rank + before - 1.0)
    scale = 2.0 * goal * rows.running_product(step)
    scale_before: FloatArray = rows.previous(scale, none=2.0 * goal)
    weight = (scale_before / (rank - 1.0 + before)) ** 2
    last_rank = rows.previous(rank, none=0)
    examined = scale_before**2 * (_inverse_squares(last_rank + before) - _inverse_squares(rank + before))
    last_gain, goal_left = rows.max(rank, empty=0), 2.0 * goal - rows.sum(gain)
    at_last = rows.sum(np.where(rank == rows.spread(last_gain), scale, 0.0))
    at_last[rows.lengths == 0] = 2.0 * goal
    examined_below = at_last**2 * _inverse_squares(last_gain + goal_left)
    return rows.sum(gain * weight) / (rows.sum(examined) + examined_below)


def _inverse_squares(x: AnyArray) -> FloatArray:
    """Return the sum over n = 0, 1, ... of 1/(x + n)^2 for x >= 1 (Abramowitz and Stegun, 6.4.12)."""
    y = x + 20.0
    rest = 1 / y + 1 / (2 * y**2) + 1 / (6 * y**3) - 1 / (30 * y**5) + 1 / (42 * y**7) - 1 / (30 * y**9)
    first: FloatArray = np.add.reduce((x[:, None] + np.arange(20)) ** -2.0, axis=1)
    return first + rest

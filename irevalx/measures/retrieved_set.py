"""The retrieved set, whatever its order."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, ratio
from irevalx.errors import EvaluationError
from irevalx.measures.declare import NO_FORMULA, ZERO_TO_ONE, Range, UnjudgedEffect, UpperBound, measure
from irevalx.measures.parameter_kinds import Reals
from irevalx.measures.summary import mean
from irevalx.ranking.probable_topics import ExpectedTopic, ExpectedTopics
from irevalx.ranking.topics import Topics
from irevalx.settings import EXPECTED_OF_FIRST, PROBABILITY

NOT_LINEAR = {EXPECTED_OF_FIRST: f"its mean {NO_FORMULA} where the first documents alone count"}


@measure("set_P", ZERO_TO_ONE, summary=mean, upper_bound=UpperBound.ALWAYS)
def set_precision(t: Topics) -> FloatArray:
    """Precision of the whole retrieved set.

    Relevant documents retrieved, divided by documents retrieved; 0 where nothing was retrieved.

    Formula: rel(ret)/ret.
    Source: [manning-2008], section 8.3.
    """
    return ratio(t.n_rel_ret, t.n_ret)


def _probable_recall(t: ExpectedTopics) -> FloatArray:
    return t.each(lambda topic: topic.mean(np.ones(topic.rank.size), 1.0 / topic.counts))


@measure(
    "set_recall",
    ZERO_TO_ONE,
    summary=mean,
    unjudged=UnjudgedEffect.NOTHING,
    formulas={PROBABILITY: _probable_recall},
)
def set_recall(t: Topics) -> FloatArray:
    """Recall of the whole retrieved set.

    Relevant documents retrieved, divided by relevant documents; 0 where nothing is relevant.

    Formula: rel(ret)/R.
    Source: [manning-2008], section 8.3.
    """
    return ratio(t.n_rel_ret, t.n_rel)


def _probable_relative_precision(t: ExpectedTopics) -> FloatArray:
    return t.each(
        lambda topic: topic.mean(np.ones(topic.rank.size), 1.0 / np.minimum(max(topic.n_ret, 1), topic.counts))
    )


@measure("set_relative_P", ZERO_TO_ONE, summary=mean, formulas={PROBABILITY: _probable_relative_precision})
def set_relative_precision(t: Topics) -> FloatArray:
    """Precision of the whole retrieved set, relative to the best possible.

    Relevant documents retrieved, divided by the number retrieved or the number relevant, whichever is less; 0 where
    that is 0.

    Formula: rel(ret)/min(ret, R).
    Source: trec_eval.
    """
    return ratio(t.n_rel_ret, np.minimum(t.n_ret, t.n_rel))


def _probable_map(t: ExpectedTopics) -> FloatArray:
    """Per topic: the expected value; the square of n is the sum of 2 i - 1 over i from 1 to n."""

    def of(topic: ExpectedTopic) -> float:
        every, share = np.ones(topic.rank.size), 1.0 / topic.counts
        squares = 2.0 * topic.running_mean(every, share) - topic.mean(every, share)
        return squares / topic.n_ret if topic.n_ret else 0.0

    return t.each(of)


@measure("set_map", ZERO_TO_ONE, summary=mean, refuses=NOT_LINEAR, formulas={PROBABILITY: _probable_map})
def set_map(t: Topics) -> FloatArray:
    """Precision times recall of the whole retrieved set.

    Average precision with the precision of the whole set at each relevant document retrieved, as a set has no order; 0
    where nothing was retrieved or nothing is relevant.

    Formula: rel(ret)^2 / (ret R).
    Source: trec_eval.
    """
    n_rel_ret = t.n_rel_ret.astype(np.float64)
    return ratio(n_rel_ret * n_rel_ret, t.n_ret.astype(np.float64) * t.n_rel)


def _probable_f(t: ExpectedTopics, x: float, *ignored: float) -> FloatArray:
    return t.each(
        lambda topic: topic.mean(np.full(topic.rank.size, x + 1.0), np.divide(1.0, x * topic.counts + topic.n_ret))
    )


@measure(
    "set_F",
    ZERO_TO_ONE,
    summary=mean,
    kind=Reals((1.0,), usage="X"),
    refuses=NOT_LINEAR,
    formulas={PROBABILITY: _probable_f},
)
def set_f(t: Topics, x: float, *ignored: float) -> FloatArray:
    """F measure of the whole retrieved set.

    Precision and recall of the retrieved set as one number; recall weighs more where the parameter is above 1, its
    usual value. 0 where no relevant document was retrieved.

    Formula: (X + 1) set_P set_recall / (X set_P + set_recall).
    Source: [van-rijsbergen-1979], chapter 7.
    """
    p = ratio(t.n_rel_ret, t.n_ret)
    r = ratio(t.n_rel_ret, t.n_rel)
    return np.where(t.n_rel_ret > 0, (x + 1.0) * p * r / (x * p + r), 0.0)


@measure(
    "utility",
    Range(),
    summary=mean,
    kind=Reals((1.0, -1.0, 0.0, 0.0), usage="A,B,C,D"),
    without_results="0 (given parameters, with --compat 10, what they make of one unjudged document)",
)
def utility(t: Topics, *weights: float) -> FloatArray:
    """Utility of the whole retrieved set.

    What the relevant documents retrieved are worth, the nonrelevant ones retrieved, the relevant ones not retrieved and
    the nonrelevant ones not retrieved: 1, -1, 0 and 0 each unless given as parameters. The last count needs the
    collection size, -N.

    Formula: A rel(ret) + B (ret - rel(ret)) + C (R - rel(ret)) + D (docs - ret - R + rel(ret)).
    Source: [hull-1998].
    """
    if len(weights) != 4:
        raise EvaluationError(f"utility must have 4 parameters (A,B,C,D), but got {len(weights)}")
    a, b, c, d = weights
    r, n, n_rel = t.n_rel_ret, t.n_ret, t.n_rel
    value: FloatArray = a * r + b * (n - r) + c * (n_rel - r) + d * (t.collection_size + r - n - n_rel)
    return value

"""Set-based measures, which ignore the order of the ranking."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, ratio
from irevalx.errors import EvaluationError
from irevalx.measures.declaration import NO_FORMULA, ZERO_TO_ONE, Range, UnjudgedEffect, UpperBound, measure
from irevalx.measures.parameter_kinds import Reals
from irevalx.measures.precision import probable_recall
from irevalx.ranking.expected_values import ExpectedTopic, ExpectedTopics
from irevalx.ranking.topics import Topics
from irevalx.settings import EXPECTED_OF_FIRST, PROBABILITY

NOT_LINEAR = {EXPECTED_OF_FIRST: f"its expected value {NO_FORMULA} if only the first documents count"}


@measure("set_P", ZERO_TO_ONE, upper_bound=UpperBound.ALWAYS)
def set_precision(t: Topics) -> FloatArray:
    """Precision of the retrieved set.

    The number of relevant documents retrieved, divided by the number of documents retrieved. The value is 0 if no
    document was retrieved.

    Formula: rel(ret)/ret.
    Source: [manning-2008], section 8.3.
    """
    return ratio(t.n_rel_ret, t.n_ret)


@measure("set_recall", ZERO_TO_ONE, unjudged=UnjudgedEffect.NOTHING, formulas={PROBABILITY: probable_recall})
def set_recall(t: Topics) -> FloatArray:
    """Recall of the retrieved set.

    The number of relevant documents retrieved, divided by the number of relevant documents. The value is 0 if the topic
    has no relevant documents.

    Formula: rel(ret)/R.
    Source: [manning-2008], section 8.3.
    """
    return ratio(t.n_rel_ret, t.n_rel)


def _probable_relative_precision(t: ExpectedTopics) -> FloatArray:
    return t.each(
        lambda topic: topic.mean(np.ones(topic.rank.size), 1.0 / np.minimum(max(topic.n_ret, 1), topic.counts))
    )


@measure("set_relative_P", ZERO_TO_ONE, formulas={PROBABILITY: _probable_relative_precision})
def set_relative_precision(t: Topics) -> FloatArray:
    """Precision of the retrieved set, relative to the maximum possible.

    The number of relevant documents retrieved, divided by the number of documents retrieved or the number of relevant
    documents, whichever is smaller. The value is 0 if the divisor is 0.

    Formula: rel(ret)/min(ret, R).
    Source: trec_eval.
    """
    return ratio(t.n_rel_ret, np.minimum(t.n_ret, t.n_rel))


def _probable_map(t: ExpectedTopics) -> FloatArray:
    """Return the expected value of set_map. n^2 is computed as the sum of 2 i - 1 over i from 1 to n."""

    def of(topic: ExpectedTopic) -> float:
        every, share = np.ones(topic.rank.size), 1.0 / topic.counts
        squares = 2.0 * topic.running_mean(every, share) - topic.mean(every, share)
        return squares / topic.n_ret if topic.n_ret else 0.0

    return t.each(of)


@measure("set_map", ZERO_TO_ONE, refuses=NOT_LINEAR, formulas={PROBABILITY: _probable_map})
def set_map(t: Topics) -> FloatArray:
    """Precision times recall of the retrieved set.

    Average precision of an unordered set: the precision of the whole set is used at each relevant document retrieved.
    The value is 0 if no document was retrieved or the topic has no relevant documents.

    Formula: rel(ret)^2 / (ret R).
    Source: trec_eval.
    """
    n_rel_ret = t.n_rel_ret.astype(np.float64)
    return ratio(n_rel_ret * n_rel_ret, t.n_ret.astype(np.float64) * t.n_rel)


def _probable_f(t: ExpectedTopics, x: float, *ignored: float) -> FloatArray:
    return t.each(
        lambda topic: topic.mean(np.full(topic.rank.size, x + 1.0), np.divide(1.0, x * topic.counts + topic.n_ret))
    )


@measure("set_F", ZERO_TO_ONE, kind=Reals((1.0,), usage="X"), refuses=NOT_LINEAR, formulas={PROBABILITY: _probable_f})
def set_f(t: Topics, x: float, *ignored: float) -> FloatArray:
    """F measure of the retrieved set.

    The weighted harmonic mean of the precision and recall of the retrieved set. The parameter (default 1) gives more
    weight to recall if it is above 1. The value is 0 if no relevant document was retrieved.

    Formula: (X + 1) set_P set_recall / (X set_P + set_recall).
    Source: [van-rijsbergen-1979], chapter 7.
    """
    p = ratio(t.n_rel_ret, t.n_ret)
    r = ratio(t.n_rel_ret, t.n_rel)
    return np.where(t.n_rel_ret > 0, (x + 1.0) * p * r / (x * p + r), 0.0)


@measure(
    "utility",
    Range(),
    kind=Reals((1.0, -1.0, 0.0, 0.0), usage="A,B,C,D"),
    without_results="0 (with parameters and --compat 10, the value of a single unjudged document)",
)
def utility(t: Topics, *weights: float) -> FloatArray:
    """Utility of the retrieved set.

    A weighted sum of four counts: relevant documents retrieved, nonrelevant documents retrieved, relevant documents not
    retrieved, and nonrelevant documents not retrieved. The weights default to 1, -1, 0 and 0. The last count requires
    the collection size (-N).

    Formula: A rel(ret) + B (ret - rel(ret)) + C (R - rel(ret)) + D (docs - ret - R + rel(ret)).
    Source: [hull-1998].
    """
    if len(weights) != 4:
        raise EvaluationError(f"utility requires 4 parameters (A,B,C,D), but has {len(weights)}")
    a, b, c, d = weights
    r, n, n_rel = t.n_rel_ret, t.n_ret, t.n_rel
    value: FloatArray = a * r + b * (n - r) + c * (n_rel - r) + d * (t.collection_size + r - n - n_rel)
    return value

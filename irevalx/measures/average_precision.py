"""Average precision."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, ratio
from irevalx.measures.declaration import NO_EXPECTATION, NO_FORMULA, ZERO_TO_ONE, Range, c_log, measure
from irevalx.measures.precision import CUTOFFS
from irevalx.measures.summaries import LEAST, geometric_mean
from irevalx.ranking.expected_values import ExpectedTopics, TiedTopics
from irevalx.ranking.topics import RankedTopic, Topics
from irevalx.settings import EXPECTED, PROBABILITY


def _expected_sum_of_precisions(t: TiedTopics, k: int | None = None) -> FloatArray:
    """Return each topic's expected sum of the precisions at hits among the first k, with random tie-breaking."""
    # In a group of n documents with r hits, the i-th document is a hit with probability r/n. Given that it is a hit,
    # each of the i - 1 documents above it in the group is a hit with probability (r - 1)/(n - 1).
    hits, size = t.hits_of_groups, t.size
    chance, others = hits / size, (hits - 1) / np.maximum(size - 1, 1)
    above = t.above_groups(hits)[t.place] + (t.rank - 1 - t.before[t.place]) * others[t.place]
    terms = chance[t.place] * ((above + 1.0) / t.rank)
    counted = hits[t.place] > 0
    return t.rows.sum(np.where(counted if k is None else counted & (t.rank <= k), terms, 0.0))


def _expected_average_precision(t: TiedTopics) -> FloatArray:
    return per_relevant(t, _expected_sum_of_precisions(t))


def _expected_average_precision_at(t: TiedTopics, k: int) -> FloatArray:
    return ratio(_expected_sum_of_precisions(t, k), t.n_rel)


def _expected_relative_average_precision_at(t: TiedTopics, k: int) -> FloatArray:
    return ratio(_expected_sum_of_precisions(t, k), np.minimum(k, t.n_rel))


def _probable_relative_average_precision_at(t: ExpectedTopics, k: int) -> FloatArray:
    return t.each(lambda topic: topic.running_mean((topic.rank <= k) / topic.rank, 1.0 / np.minimum(k, topic.counts)))


def _probable_average_precision(t: ExpectedTopics, k: float = np.inf) -> FloatArray:
    return t.each(lambda topic: topic.running_mean((topic.rank <= k) / topic.rank, 1.0 / topic.counts))


def _average_precision_of_topic(topic: RankedTopic, k: float = np.inf) -> float:
    total = 0.0
    for number, rank in enumerate(topic.hits, 1):
        if rank > k:
            break
        total += number / rank
    return total / topic.judged.n_rel if topic.hits else 0.0


@measure(
    "map",
    ZERO_TO_ONE,
    formulas={EXPECTED: _expected_average_precision, PROBABILITY: _probable_average_precision},
    of_topic=_average_precision_of_topic,
)
def average_precision(t: Topics) -> FloatArray:
    """Average precision.

    The sum of the precision at the rank of each relevant document retrieved, divided by the number of relevant
    documents. Relevant documents that were not retrieved contribute 0. The value is 0 if the topic has no relevant
    documents. The mean over topics (the `all` row) is known as MAP.

    Formula: (1/R) sum over relevant retrieved of (r + 1)/k.
    Source: [buckley-voorhees-2005], chapter 3.
    """
    return per_relevant(t, t.rows.sum(t.precision_at_hits))


@measure(
    "gm_map",
    Range(LEAST, 1),
    summary=geometric_mean,
    per_topic=False,
    refuses=NO_EXPECTATION,
    formulas={EXPECTED: _expected_average_precision},
)
def geometric_map(t: Topics) -> FloatArray:
    """Geometric mean of average precision.

    The exponential of the mean over topics of log(average precision). Values below 0.00001 are raised to 0.00001. The
    geometric mean emphasises topics with low average precision.

    Formula: exp((1/T) sum over topics of log(max(map, 0.00001))).
    Source: [robertson-2006].
    """
    return per_relevant(t, t.rows.sum(t.precision_at_hits))


@measure(
    "map_cut",
    ZERO_TO_ONE,
    kind=CUTOFFS,
    formulas={EXPECTED: _expected_average_precision_at, PROBABILITY: _probable_average_precision},
    of_topic=_average_precision_of_topic,
)
def average_precision_at(t: Topics, k: int) -> FloatArray:
    """Average precision at cutoff K.

    Like map, but relevant documents ranked below K contribute 0. The value is 0 if the topic has no relevant documents.

    Formula: (1/R) sum over relevant retrieved with k <= K of (r + 1)/k.
    Source: trec_eval.
    """
    return ratio(t.rows.sum(np.where(t.rank <= k, t.precision_at_hits, 0.0)), t.n_rel)


@measure(
    "relative_map_cut",
    ZERO_TO_ONE,
    kind=CUTOFFS,
    formulas={EXPECTED: _expected_relative_average_precision_at, PROBABILITY: _probable_relative_average_precision_at},
)
def relative_average_precision_at(t: Topics, k: int) -> FloatArray:
    """Average precision at cutoff K, relative to the maximum possible.

    Like map_cut, but the sum of precisions is divided by K or by the number of relevant documents, whichever is
    smaller, so that a ranking of K relevant documents has the value 1. Programs for recommendation and machine learning
    compute MAP@K in this way. The value is 0 if the topic has no relevant documents.

    Formula: (1/min(K, R)) sum over relevant retrieved with k <= K of (r + 1)/k.
    Source: irevalx; the divisor is that of relative_P in trec_eval.
    """
    return ratio(t.rows.sum(np.where(t.rank <= k, t.precision_at_hits, 0.0)), np.minimum(k, t.n_rel))


@measure(
    "yaap",
    Range(wording="any real number; 0 if the topic has no relevant documents"),
    refuses={EXPECTED: f"the expected value of its logarithms {NO_FORMULA}", **NO_EXPECTATION},
    without_results="log(1/(1 + R)) (0 with --compat 9)",
)
def yaap(t: Topics) -> FloatArray:
    """Yet another average precision: a logit-like transform of average precision.

    The logarithm of (1 + S)/(1 + R - S), where S is the sum of precisions that map divides by R, the number of relevant
    documents. The values are close to normally distributed over topics, which suits tests that assume normality.

    Formula: log((1 + S)/(1 + R - S)), S = sum over relevant retrieved of (r + 1)/k.
    Source: trec_eval; after [robertson-zaragoza-2007].
    """
    total = t.rows.sum(t.precision_at_hits)
    odds = (1.0 + total) / ((1.0 + t.n_rel) - total)
    return np.array([c_log(x) for x in odds.tolist()], np.float64)


def per_relevant(t: Topics, total: FloatArray) -> FloatArray:
    """Return total / n_rel for each topic, or 0.0 if no relevant document was retrieved."""
    # With a level below 0, unjudged documents can be hits even in topics without relevant documents. The value is then
    # infinite.
    return np.where(t.n_hits > 0, total / t.n_rel, 0.0)

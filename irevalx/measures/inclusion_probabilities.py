"""Estimates from samples with inclusion probabilities: the measures of statAP_MQ_eval (-R prels).

A sampled document with inclusion probability p represents 1/p documents. A document outside the sample is nonrelevant
and keeps its rank.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments, ratio
from irevalx.frozen import Frozen, cached_property
from irevalx.measures.declaration import ABOUT_ONE_AT_MOST, NONREL, ZERO_TO_ONE, Range, UnjudgedEffect, measure
from irevalx.measures.exponential_gain import exponential_dcg
from irevalx.measures.parameter_kinds import Cutoffs
from irevalx.measures.summaries import Population, Total, summary, total

if TYPE_CHECKING:
    from irevalx.ranking.topic_kinds import InclusionTopics

PRELS = frozenset({"prels"})

CUTOFFS = Cutoffs((10, 20, 50, 100))


class _Found(Frozen):
    """The retrieved documents that were sampled and judged relevant."""

    rows: Segments
    """The documents of each topic, in rank order."""
    rank: IntArray
    """The rank of each document, starting at 1."""
    place: IntArray
    """The index of each document in ``t.sample``."""
    stands_for: FloatArray
    """The inverse inclusion probability of each document."""

    @classmethod
    def of(cls, t: InclusionTopics) -> _Found:
        """Select the retrieved relevant documents of a sample."""
        relevant = t.relevant[t.place]
        place = t.place[relevant]
        return cls(t.rows.keep(relevant), t.rank[relevant], place, t.stands_for[place])

    @cached_property
    def precision(self) -> FloatArray:
        """The estimated precision at the rank of each document."""
        above = self.rows.previous(self.rows.running_sum(self.stands_for), none=0.0)
        return (1.0 + above) / self.rank

    def average_precision(self, t: InclusionTopics) -> FloatArray:
        """Return the estimated average precision of each topic."""
        return ratio(self.rows.sum(self.precision * self.stands_for), t.estimated_relevant)

    def within(self, limit: IntArray | int) -> FloatArray:
        """Return the estimated number of relevant documents of each topic down to rank ``limit``."""
        reached = self.rank <= (limit if isinstance(limit, int) else self.rows.spread(limit))
        return self.rows.sum(np.where(reached, self.stands_for, 0.0))


def can_estimate(t: InclusionTopics) -> BoolArray:
    """Return whether the sample of each topic contains a relevant document and a randomly drawn document."""
    return t.any_at_random & (t.sample.count(t.relevant) > 0)


_estimate = partial(measure, formats=PRELS, treatments=NONREL, has_value=can_estimate)
"""The decorator for measures that are estimated from a sample with inclusion probabilities."""


@summary("the sum is divided by the square of the number of all judged topics; one without results counts {missing}")
def variance_of_mean(added: Total, population: Population) -> float:
    """Return the variance of the mean over topics, given the sum of the topics' variances."""
    return added / (population.n_topics * population.n_topics or 1)


@_estimate("statAP", ABOUT_ONE_AT_MOST)
def stat_ap(t: InclusionTopics) -> FloatArray:
    """Average precision, estimated from a sample with inclusion probabilities.

    A sampled document with inclusion probability p represents 1/p documents. Documents outside the sample are
    nonrelevant and keep their ranks. A topic has no value if its sample contains no relevant document, or if none of
    its documents was sampled at random.

    Formula: (1/statR) sum over sampled relevant retrieved of (1 + c)/(k p), c = sum over those above of 1/p.
    Source: [aslam-pavlu-2007]; statAP_MQ_eval.
    """
    return _Found.of(t).average_precision(t)


@_estimate("statRprec", ABOUT_ONE_AT_MOST)
def stat_rprec(t: InclusionTopics) -> FloatArray:
    """R-precision, estimated from a sample with inclusion probabilities.

    The estimated number of relevant documents down to rank q, divided by q, where q is the estimated number of relevant
    documents of the topic, rounded. If fewer than q documents were retrieved, the divisor is the estimate before
    rounding. A topic has no value if statAP has no value for it.

    Formula: (1/q) sum over sampled relevant retrieved with k <= q of 1/p, q = statR rounded.
    Source: [aslam-pavlu-2007]; statAP_MQ_eval.
    """
    retrieved, n_rel = _Found.of(t), t.estimated_relevant
    rounded = np.floor(n_rel + 0.5).astype(np.int64)
    shorter = t.n_ret < rounded
    return ratio(retrieved.within(rounded), np.where(shorter, n_rel, rounded))


@_estimate("statP", ABOUT_ONE_AT_MOST, kind=CUTOFFS)
def stat_p(t: InclusionTopics, k: int) -> FloatArray:
    """Precision at cutoff K, estimated from a sample with inclusion probabilities.

    The estimated number of relevant documents among the first K, divided by K. A topic has no value if statAP has no
    value for it.

    Formula: (1/K) sum over sampled relevant retrieved with k <= K of 1/p.
    Source: [aslam-pavlu-2007]; statAP_MQ_eval.
    """
    return _Found.of(t).within(k) / k


@_estimate("statNDCG", ZERO_TO_ONE, kind=CUTOFFS, unjudged=UnjudgedEffect.NO_GAIN)
def stat_ndcg(t: InclusionTopics, k: int) -> FloatArray:
    """Normalised discounted cumulative gain at cutoff K of the sampled documents.

    Like ndcg_burges, but only sampled documents are treated as judged. As in the published definition, inclusion
    probabilities are not used. A topic has no value if statAP has no value for it.

    Formula: (sum over sampled retrieved with k <= K of (2^gain - 1)/log2(k + 1)) / (sum over k <= K of (2^ideal(k) -
    1)/log2(k + 1)).
    Source: [carterette-2009]; statAP_MQ_eval.
    """
    gaining = t.grade > 0
    ideal, grade = t.sample.keep(gaining), t.grade[gaining]
    grade = grade[ideal.descending(grade)]
    highest = ideal.max(grade, empty=0)
    dcg = exponential_dcg(t.rows, t.rank, t.grade[t.place], highest, k)
    return ratio(dcg, exponential_dcg(ideal, ideal.position + 1, grade, highest, k))


@_estimate(
    "statR",
    Range(1),
    summary=total,
    without_results="its value, as for any other topic",
    higher_is_better=False,
    unjudged=UnjudgedEffect.NOTHING,
)
def stat_r(t: InclusionTopics) -> FloatArray:
    """Number of relevant documents, estimated from a sample with inclusion probabilities.

    Each relevant document of the sample represents 1/p documents, whether it was retrieved or not. The `all` row
    contains the sum over topics. A topic has no value if statAP has no value for it.

    Formula: sum over sampled relevant of 1/p.
    Source: [aslam-pavlu-2007]; statAP_MQ_eval.
    """
    return t.estimated_relevant


@_estimate("statAP_var", ZERO_TO_ONE, summary=variance_of_mean, higher_is_better=False)
def stat_ap_variance(t: InclusionTopics) -> FloatArray:
    """Variance of statAP, estimated from the same sample.

    The sampling variance of statAP; the value of a topic is limited to 1. The `all` row contains the variance of the
    mean of statAP over topics: the sum of the variances divided by the square of the number of topics. A topic has no
    value if statAP has no value for it.

    Formula: min(1, (a - b/(n - 1) + t)/statR^2 times n/(s + 0.1)), a = sum over sampled relevant of (1 - p) y^2, b =
    the product of y times y over all ordered pairs of those, t = sum over sampled relevant retrieved of ((1 - p)/p^2)
    times the square of the sum over those below of 1/(k p), y = (prec - statAP)/p, prec = (1 + c)/k and 0 where not
    retrieved, c = sum over those above of 1/p, n = how many were sampled, s = how many of those were retrieved.
    Source: [aslam-pavlu-2007]; statAP_MQ_eval.
    """
    retrieved, size, p = _Found.of(t), t.sample.lengths, t.probability
    precision = np.zeros(t.sample.size)
    precision[retrieved.place] = retrieved.precision
    error = (precision - t.sample.spread(retrieved.average_precision(t))) * t.stands_for
    own = t.sample.sum((1.0 - p) * error * error)
    pairs = -t.sample.sum(error * error)  # because the errors of a topic add up to 0
    share = retrieved.stands_for / retrieved.rank
    below = retrieved.rows.spread(retrieved.rows.sum(share)) - retrieved.rows.running_sum(share)
    weight = (1.0 - p[retrieved.place]) * retrieved.stands_for * retrieved.stands_for
    total = own - ratio(pairs, size - 1) + retrieved.rows.sum(weight * below * below)
    of_mean = ratio(total, t.estimated_relevant * t.estimated_relevant)
    return np.minimum(of_mean * (size / (t.rows.lengths + 0.1)), 1.0)

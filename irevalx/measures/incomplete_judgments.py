"""Incomplete judgments.

R documents of a topic were judged relevant, and N were judged nonrelevant. Above a relevant document at rank k, r
documents were judged relevant, n were judged nonrelevant, u were pooled but not judged, and o = k - 1 - r - n - u are
outside the pool.
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ratio
from irevalx.measures.counts import COUNTED
from irevalx.measures.declaration import (
    NO_EXPECTATION,
    NO_FORMULA,
    NONREL_AND_SKIP,
    ZERO_TO_ONE,
    Range,
    UnjudgedEffect,
    measure,
)
from irevalx.measures.parameter_kinds import MeasureParameter, NamedReals
from irevalx.measures.precision import share_of_judged
from irevalx.measures.summaries import LEAST, geometric_mean
from irevalx.ranking.expected_values import TiedTopics, TieProbabilities
from irevalx.ranking.topics import RankedTopic, Topics
from irevalx.settings import EXPECTED, PARAMETERS

DEFAULT_C = 2.0
"""The constant c of infAP. If no document above a relevant document was judged, 1/c of the pooled documents above it
are assumed to be relevant."""

DEFAULT_EPSILON = 0.00001
"""The smoothing constant of infAP."""

NO_MEAN_OF_RATIO = {EXPECTED: f"the expected value of such ratios {NO_FORMULA}", **NO_EXPECTATION}

_NODES = 48
"""The number of quadrature nodes for the integral in subAP, which limits the error to 1e-13."""

_FAR = 45.0
"""The exponent that limits the integral in subAP: integration ends where the integrand is exp(-45) of its maximum."""

_skipping_measure = partial(
    measure,
    treatments=NONREL_AND_SKIP,
    needs_nonrelevant=True,
    refuses=NO_EXPECTATION,
    unjudged=UnjudgedEffect.NOT_THERE,
)
"""The decorator for measures that ignore unjudged documents."""

_pool_measure = partial(measure, treatments=NONREL_AND_SKIP)
"""The decorator for measures that distinguish pooled from unpooled documents."""


def _bpref_of_topic(topic: RankedTopic) -> float:
    most, level, total, above = topic.judged.n_rel, topic.judged.level, 0.0, 0
    if not most:
        return 0.0
    bound = min(topic.judged.n_nonrel, most)
    for grade in topic.grades:
        if grade >= level:
            total += 1.0 - min(above, most) / bound if above else 1.0
        elif grade >= 0:
            above += 1
    return total / most


@_skipping_measure(
    "bpref", ZERO_TO_ONE, formulas={EXPECTED: lambda t: _expected_bpref(t, t.n_rel)}, of_topic=_bpref_of_topic
)
def bpref(t: Topics) -> FloatArray:
    """Binary preference.

    For each relevant document, the fraction of the first R judged nonrelevant documents that are not ranked above it,
    averaged over all relevant documents. R is the number of relevant documents; if fewer than R documents were judged
    nonrelevant, all of them are used. Relevant documents that were not retrieved contribute 0. A relevant document
    contributes 1 if no judged nonrelevant document is ranked above it. The value is 0 if the topic has no relevant
    documents.

    Formula: (1/R) sum over relevant retrieved of (1 - min(n, R)/min(N, R)).
    Source: [buckley-voorhees-2004].
    """
    return _bpref(t, t.n_rel)


@_skipping_measure(
    "gm_bpref",
    Range(LEAST, 1),
    summary=geometric_mean,
    per_topic=False,
    formulas={EXPECTED: lambda t: _expected_bpref(t, t.n_rel)},
)
def geometric_bpref(t: Topics) -> FloatArray:
    """Geometric mean of binary preference.

    The exponential of the mean over topics of log(bpref). Values below 0.00001 are raised to 0.00001.

    Formula: exp((1/T) sum over topics of log(max(bpref, 0.00001))).
    Source: trec_eval; see gm_map, [robertson-2006], and bpref, [buckley-voorhees-2004].
    """
    return _bpref(t, t.n_rel)


@_skipping_measure("bpref_10", ZERO_TO_ONE, formulas={EXPECTED: lambda t: _expected_bpref(t, t.n_rel + 10)})
def bpref_10(t: Topics) -> FloatArray:
    """Binary preference over the first R + 10 nonrelevant documents.

    Like bpref, with R + 10 in place of R as the number of nonrelevant documents compared. The measure is intended for
    topics with few relevant documents. A relevant document contributes 1 if no judged nonrelevant document is ranked
    above it. The value is 0 if the topic has no relevant documents. trec_eval 7 and 8 printed this measure as
    bpref_top10pRnonrel; their bpref_10 was a different measure.

    Formula: (1/R) sum over relevant retrieved of (1 - min(n, R + 10)/min(N, R + 10)).
    Source: [buckley-voorhees-2004]; [yilmaz-aslam-2008], section 4.2.
    """
    return _bpref(t, t.n_rel + 10)


def _expected_effectiveness(t: TiedTopics) -> FloatArray:
    above = _expected_nonrelevant_above(t)
    n_nonrel = above.rows.spread(t.n_nonrel)
    return _sum_over_relevant(t, above, np.where(above.number > 0, ratio(n_nonrel - above.number, n_nonrel), 1.0))


@_skipping_measure("RankEff", ZERO_TO_ONE, formulas={EXPECTED: _expected_effectiveness})
def rank_effectiveness(t: Topics) -> FloatArray:
    """Rank effectiveness.

    For each relevant document, the fraction of judged nonrelevant documents that are ranked below it or not retrieved,
    averaged over all relevant documents. Relevant documents that were not retrieved contribute 0. A relevant document
    contributes 1 if no judged nonrelevant document is ranked above it, so the value is the recall of the run if no
    documents were judged nonrelevant. The value is 0 if the topic has no relevant documents.

    Formula: (1/R) sum over relevant retrieved of (N - n)/N.
    Source: [ahlgren-gronqvist-2008], sections 4.2 and 4.3.
    """
    n_nonrel = t.rows.spread(t.n_nonrel)
    above = t.nonrelevant_above
    return _mean_over_relevant(t, np.where(above > 0, ratio(n_nonrel - above, n_nonrel), 1.0))


@_pool_measure(
    "infAP",
    ZERO_TO_ONE,
    kind=NamedReals(
        (
            MeasureParameter("c", DEFAULT_C, PARAMETERS["infap_c"]),
            MeasureParameter("epsilon", DEFAULT_EPSILON, PARAMETERS["infap_epsilon"]),
        )
    ),
    pooled=UnjudgedEffect.LIKE_JUDGED_ABOVE,
    refuses=NO_MEAN_OF_RATIO,
)
def inferred_average_precision(t: Topics, c: float, epsilon: float) -> FloatArray:
    """Inferred average precision.

    The expected value of average precision, assuming that the judged documents are a random sample of the pool. Pooled
    documents ranked above a relevant document are assumed to be relevant at the same rate as the judged documents among
    them, smoothed by e (default 0.00001, --infap-epsilon) and c (default 2, --infap-c). If none of the documents above
    it was judged, a fraction 1/c of the pooled documents above it is assumed to be relevant. Documents outside the pool
    are nonrelevant. A relevant document at rank 1 contributes 1. The value equals map, up to e, if the whole pool was
    judged. The value is 0 if the topic has no relevant documents.

    Formula: (1/R) sum over relevant retrieved of (1/k + (d/k) (r + e)/(r + n + c e)), d = r + n + u.
    Source: [yilmaz-aslam-2006]; the constant c: [yilmaz-aslam-2008], section 4.5.4.
    """
    judged_above = t.relevant_above + t.nonrelevant_above
    pooled_above = judged_above + t.unjudged_above
    j = np.maximum(t.rank - 1, 1).astype(np.float64)
    share = (t.relevant_above + epsilon) / (judged_above + c * epsilon)
    expected = 1.0 / (j + 1.0) + j / (j + 1.0) * (pooled_above / j) * share
    return _mean_over_relevant(t, np.where(t.rank == 1, 1.0, expected))


@_pool_measure("indAP", ZERO_TO_ONE, pooled=UnjudgedEffect.NOT_THERE, refuses=NO_MEAN_OF_RATIO)
def induced_average_precision(t: Topics) -> FloatArray:
    """Induced average precision.

    Average precision of the ranking after pooled but unjudged documents are removed. Documents outside the pool remain,
    as nonrelevant. The value equals map if the whole pool was judged. With -J all unjudged documents are removed, as in
    the first form in the paper. The value is 0 if the topic has no relevant documents.

    Formula: (1/R) sum over relevant retrieved of (r + 1)/(k - u).
    Source: [yilmaz-aslam-2008], section 4.3.1.
    """
    return _mean_over_relevant(t, (t.relevant_above + 1) / (t.rank - t.unjudged_above))


@_pool_measure(
    "subAP",
    ZERO_TO_ONE,
    kind=NamedReals((MeasureParameter("p", None, PARAMETERS["sample_rate"]),)),
    pooled=UnjudgedEffect.NOT_THERE,
    outside=UnjudgedEffect.RANDOMLY_THERE,
    refuses=NO_MEAN_OF_RATIO,
)
def subcollection_average_precision(t: Topics, p: float | None) -> FloatArray:
    """Subcollection average precision.

    The expected value of average precision on a random sample of the collection: the mean over all relevant documents
    of their expected precision, where each document outside the pool is kept with probability p, and pooled but
    unjudged documents are removed. p is the sampling rate of the judgments, given by --sample-rate or as a parameter.
    By default, p is, for each topic, the number of judged documents divided by the number of pooled documents. The
    value equals map if the whole pool was judged. The value is 0 if the topic has no relevant documents.

    Formula: (1/R) sum over relevant retrieved of E[(r + 1)/(r + 1 + n + x)], x = those of o that are left.
    Source: [yilmaz-aslam-2008], section 4.4.1.
    """
    rate = t.n_judged / np.maximum(t.pool.lengths, 1) if p is None else np.full(t.rows.n, p)
    where = np.flatnonzero(t.relevant)
    relevant, nonrelevant, unjudged = (
        above[where] for above in (t.relevant_above, t.nonrelevant_above, t.unjudged_above)
    )
    outside = t.rank[where] - 1 - relevant - nonrelevant - unjudged
    terms = np.zeros(t.rows.size)
    terms[where] = _expected_precision(relevant, nonrelevant, outside, t.rows.spread(rate)[where])
    return _mean_over_relevant(t, terms)


@share_of_judged(
    "judged",
    ZERO_TO_ONE,
    formats=COUNTED,
    of_topic=lambda topic, k: sum(grade >= 0 for grade in topic.grades[:k]) / k,
)
def judged(t: Topics, k: int) -> FloatArray:
    """Fraction of judged documents at cutoff K.

    The number of judged documents among the first K, divided by K even if fewer than K documents were retrieved. If the
    value is low, other measures are not reliable for this run.

    Formula: judged(K)/K.
    Source: common practice; unj is the fraction of unjudged documents.
    """
    return t.judged_within(k) / k


def _bpref(t: Topics, most: IntArray) -> FloatArray:
    """Return bpref of each topic, computed with the first ``most`` nonrelevant documents. The shape is (n_topics,)."""
    bound = t.rows.spread(np.minimum(t.n_nonrel, most))
    above = np.minimum(t.nonrelevant_above, t.rows.spread(most))
    return _mean_over_relevant(t, np.where(above > 0, 1.0 - ratio(above, bound), 1.0))


def _expected_nonrelevant_above(t: TiedTopics) -> TieProbabilities:
    """Return the distribution of the number of nonrelevant documents above relevant documents."""
    nonrelevant = t.members.count(t.nonrelevant)
    return t.number_above(t.relevant, nonrelevant, t.above_groups(nonrelevant))


def _expected_bpref(t: TiedTopics, most: IntArray) -> FloatArray:
    """Return bpref of each topic as an expected value over random tie-breaking."""
    above = _expected_nonrelevant_above(t)
    bound = above.rows.spread(np.minimum(t.n_nonrel, most))
    number = np.minimum(above.number, above.rows.spread(most))
    return _sum_over_relevant(t, above, np.where(number > 0, 1.0 - ratio(number, bound), 1.0))


def _sum_over_relevant(t: TiedTopics, above: TieProbabilities, terms: FloatArray) -> FloatArray:
    """Return the expected mean over relevant documents. ``terms`` contains the value for each element of ``above``."""
    return ratio(above.rows.sum(above.chance * terms), t.n_rel)


def _mean_over_relevant(t: Topics, terms: FloatArray) -> FloatArray:
    """Return the sum of ``terms`` over the retrieved relevant documents of each topic, divided by ``n_rel``."""
    return ratio(t.rows.sum(np.where(t.relevant, terms, 0.0)), t.n_rel)


def _expected_precision(r: IntArray, n: IntArray, o: IntArray, p: FloatArray) -> FloatArray:
    """Return the expected value of (r + 1) / (r + 1 + n + X), where X has the binomial distribution B(o, p)."""
    # E[1 / (1 + j + X)] is the integral of t^j (1 - p + p t)^o over t from 0 to 1; s stands for 1 - t.
    j = r + n
    width = np.minimum(1.0, _FAR / np.maximum(p * o + j, _FAR))
    total = np.zeros(j.shape)
    for node, weight in _gauss_legendre():
        s = width * node
        total += weight * np.exp(j * np.log1p(-s) + o * np.log1p(-p * s))
    certain = (p == 1) | (o == 0)
    return np.where(certain, (r + 1) / (r + 1 + n + o), (r + 1) * (width * total))


@lru_cache(maxsize=1)
def _gauss_legendre() -> list[tuple[float, float]]:
    """Return the nodes and weights of Gauss-Legendre quadrature on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return [(float(node + 1) / 2, float(weight) / 2) for node, weight in zip(nodes, weights, strict=True)]

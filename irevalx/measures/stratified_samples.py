"""Stratified samples of judgments (-R sampled).

Measures for pools that were divided into strata, with a random sample of each stratum judged.

For a stratum s of a topic, D_s is the number of its documents in the pool, S_s is the number judged, and R_s is the
number judged relevant. D_s(k), S_s(k) and R_s(k) count only the first k documents of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments, ratio
from irevalx.frozen import Frozen, cached_property
from irevalx.measures.declaration import ABOUT_ONE_AT_MOST, FROM_ZERO, NONREL, ZERO_TO_ONE, UnjudgedEffect, measure
from irevalx.measures.incomplete_judgments import DEFAULT_EPSILON
from irevalx.measures.parameter_kinds import Cutoffs, Gain, GradeGains, RealCutoffs
from irevalx.measures.precision import ELEVEN_POINTS
from irevalx.measures.summaries import root_of_squares, total, total_of_all_judged
from irevalx.ranking.topics import SampledTopics, log2_of

REACHED = 1 - 1e-4
"""The fraction of a recall level at which the level counts as reached. The fraction is below 1, because smoothing
reduces estimates of recall."""

_strata_measure = partial(
    measure, formats=frozenset({"sampled"}), treatments=NONREL, pooled=UnjudgedEffect.LIKE_STRATUM
)


class _Stratum(Frozen):
    """A stratum in all topics, with the numbers of its documents and with masks that select them."""

    t: SampledTopics
    number: int
    """The index of the stratum in the judgments."""
    size: IntArray
    """The number of pooled documents of the stratum, for each topic. The shape is (n_topics,)."""
    n_judged: IntArray
    n_rel: IntArray

    @cached_property
    def inside(self) -> BoolArray:
        """Whether each document is in this stratum."""
        inside: BoolArray = self.t.stratum == self.number
        return inside

    @cached_property
    def weight(self) -> FloatArray:
        """The inverse sampling rate of the stratum in each topic, or 0 if no document was judged."""
        return ratio(self.size, self.n_judged)

    def above(self, mask: BoolArray) -> IntArray:
        """Count the documents of the stratum that ``mask`` selects and that are ranked above each document."""
        return self.upto(mask) - (self.inside & mask)

    def upto(self, mask: BoolArray) -> IntArray:
        """Count the documents of the stratum that ``mask`` selects and that are ranked at or above each document."""
        return self.t.rows.running_count(self.inside & mask)

    def within(self, mask: BoolArray) -> IntArray:
        """Count the retrieved documents of the stratum that ``mask`` selects in each topic."""
        return self.t.rows.count(self.inside & mask)


def _strata(t: SampledTopics) -> Iterator[_Stratum]:
    judged = t.pool_grade >= 0
    relevant = judged & (t.pool_grade >= t.level)
    for number in t.strata:
        pooled = t.pool_stratum == number
        counts = (t.pool.count(pooled & mask) for mask in (pooled, judged, relevant))
        yield _Stratum(t, number, *counts)


@_strata_measure("inum_rel", FROM_ZERO, summary=total_of_all_judged, higher_is_better=False)
def inferred_relevant(t: SampledTopics) -> FloatArray:
    """Number of relevant documents, estimated from a stratified sample.

    The sum over strata of the estimated number of relevant documents. The estimate for a stratum is the number of its
    documents times the fraction of relevant documents among its judged documents; a stratum without judged documents
    contributes 0. The `all` row contains the sum over all judged topics.

    Formula: sum over strata of R_s D_s/S_s.
    Source: [yilmaz-kanoulas-aslam-2008].
    """
    return _inferred_relevant(t)


@_strata_measure("inum_rel_ret", FROM_ZERO, summary=total, higher_is_better=False)
def inferred_relevant_retrieved(t: SampledTopics) -> FloatArray:
    """Number of relevant documents retrieved, estimated from a stratified sample.

    The sum over strata of the estimated number of relevant documents retrieved. The estimate for a stratum is the
    number of its documents retrieved times the fraction of relevant documents among its judged documents retrieved,
    smoothed with e = 0.00001. The `all` row contains the sum over topics.

    Formula: sum over strata of D_s(ret) (R_s(ret) + e)/(S_s(ret) + 3 e).
    Source: [yilmaz-kanoulas-aslam-2008].
    """
    return _estimated_within(t, t.rank > 0)


@_strata_measure("inum_rel_se", FROM_ZERO, summary=root_of_squares, higher_is_better=False)
def standard_error_of_relevant(t: SampledTopics) -> FloatArray:
    """Standard error of inum_rel, estimated from the same sample.

    The standard error of a total under simple random sampling without replacement within each stratum. A stratum that
    was judged completely, or not at all, contributes 0. If only one document of a larger stratum was judged, the
    fraction of relevant documents is assumed to be 1/2. The `all` row contains the standard error of the sum over all
    judged topics.

    Formula: sqrt(sum over strata of D_s^2 (1 - S_s/D_s) v/S_s), v = p (1 - p) S_s/(S_s - 1), p = R_s/S_s.
    Source: [cochran-1977], chapter 5.
    """
    variance = np.zeros(t.rows.n)
    for stratum in _strata(t):
        n_judged, unjudged = stratum.n_judged, stratum.size - stratum.n_judged
        share = ratio(stratum.n_rel, n_judged)
        of_one = np.where(n_judged == 1, 0.25, ratio(share * (1 - share) * n_judged, n_judged - 1))
        variance += ratio(stratum.size * unjudged * of_one, n_judged)
    return np.sqrt(variance)


@_strata_measure("xinfAP", ZERO_TO_ONE)
def extended_inferred_average_precision(t: SampledTopics) -> FloatArray:
    """Average precision, estimated from a stratified sample.

    The precision at a relevant document is estimated from the judged documents ranked above it, separately for each
    stratum, with smoothing by e = 0.00001. The estimates are averaged over the relevant documents of each stratum, and
    the strata are weighted by their estimated numbers of relevant documents. The value is 0 if no sampled document is
    relevant. With a single stratum, it equals infAP with c = 3.

    Formula: (1/inum_rel) sum over relevant retrieved of w (1/k + (1/k) sum over strata of D_s(k-1) (R_s(k-1) +
    e)/(S_s(k-1) + 3 e)), w = D_s/S_s of its stratum.
    Source: [yilmaz-kanoulas-aslam-2008].
    """
    everything = np.ones(t.rows.size, np.bool_)
    pooled_above = t.relevant_above + t.nonrelevant_above + t.unjudged_above
    share = np.zeros(t.rows.size)
    for stratum in _strata(t):
        size, n_judged, n_rel = (stratum.above(mask) for mask in (everything, t.judged, t.relevant))
        share += _estimated(ratio(size, pooled_above), n_judged, n_rel)
    precision = 1.0 / t.rank + pooled_above / t.rank * share
    weighted = np.zeros(t.rows.n)
    for stratum in _strata(t):
        total = t.rows.sum(np.where(stratum.inside & t.relevant, precision, 0.0))
        weighted += stratum.weight * total
    return ratio(weighted, _inferred_relevant(t))


@_strata_measure("infNDCG", ABOUT_ONE_AT_MOST, kind=GradeGains())
def inferred_ndcg(t: SampledTopics, pairs: Sequence[Gain]) -> FloatArray:
    """Normalised discounted cumulative gain, estimated from a stratified sample.

    For each stratum, the mean discounted gain of its retrieved judged documents is multiplied by the number of its
    retrieved documents. The sum over strata is divided by the discounted cumulative gain of the ideal ranking. The
    ideal ranking contains each gain as many times as estimated from the sample (rounded), and ends at the evaluation
    depth (1000 ranks, or -M). The gain of a document is its grade, or 0 if the grade is below -l; parameters LEVEL=GAIN
    assign another gain to a grade. The value is 0 if no document has a gain.

    Formula: (sum over strata of g D_s(ret)/S_s(ret)) / (sum over all k of ideal(k)/log2(k + 1)), g = sum over judged
    retrieved of the stratum of gain/log2(k + 1).
    Source: [yilmaz-kanoulas-aslam-2008].
    """
    gain = _gains(t, t.grade, pairs) / t.discount
    dcg = np.zeros(t.rows.n)
    for stratum in _strata(t):
        total = t.rows.sum(np.where(stratum.inside, gain, 0.0))
        dcg += ratio(stratum.within(t.rank > 0) * total, stratum.within(t.judged))
    ideal, gains = _ideal(t, pairs)
    best = ideal.sum(gains / log2_of(ideal.position + 2))
    return ratio(dcg, best)


@_strata_measure("iiprec_at_recall", ZERO_TO_ONE, kind=RealCutoffs(ELEVEN_POINTS))
def inferred_interpolated_precision(t: SampledTopics, recalls: Sequence[float]) -> list[FloatArray]:
    """Interpolated precision at recall levels, estimated from a stratified sample.

    The highest precision, estimated as for iP, after the last rank at which estimated recall (inum_rel_ret divided by
    inum_rel) is below X. Differences of up to 0.0001 that are due to smoothing are ignored. The value is 0 if there is
    no such rank or the topic has no relevant documents. If all documents are judged, it equals iprec_at_recall.

    Formula: max over k with r(j) >= X inum_rel for all j = k, k + 1, ... of r(k)/k, r(k) = sum over strata of D_s(k)
    (R_s(k) + e)/(S_s(k) + 3 e).
    Source: sample_eval.pl (NIST, 2010), which does not go on to the next level before it has gone back by one more
    rank, so that a value depends on the other levels.
    """
    n_relevant = np.zeros(t.rows.size)
    for stratum in _strata(t):
        n_relevant += _estimated(*(stratum.upto(mask) for mask in (t.rank > 0, t.judged, t.relevant)))
    every = _inferred_relevant(t)
    precision = np.where(t.rows.spread(every) > 0, n_relevant / t.rank, 0.0)
    columns = []
    for recall in recalls:
        short = n_relevant < t.rows.spread(recall * REACHED * every)
        after = t.rows.running_count(short) == t.rows.spread(t.rows.count(short))
        columns.append(t.rows.max(np.where(after & ~short, precision, 0.0), empty=0.0))
    return columns


@_strata_measure("iP", ZERO_TO_ONE, kind=Cutoffs((10, 50, 1000)))
def inferred_precision(t: SampledTopics, k: int) -> FloatArray:
    """Precision at cutoff K, estimated from a stratified sample.

    For each stratum, the fraction of relevant documents among the judged documents at ranks 1 to K, smoothed with e =
    0.00001, times the number of documents of the stratum at these ranks; the sum over strata is divided by K, even if
    fewer than K documents were retrieved.

    Formula: (1/K) sum over strata of D_s(K) (R_s(K) + e)/(S_s(K) + 3 e).
    Source: [yilmaz-kanoulas-aslam-2008].
    """
    return _estimated_within(t, t.rank <= k) / k


def _estimated(size: AnyArray, n_judged: IntArray, n_rel: IntArray) -> FloatArray:
    """Return a smoothed estimate of the number of relevant documents among ``size`` documents, some of them judged."""
    estimated: FloatArray = size * (n_rel + DEFAULT_EPSILON) / (n_judged + 3 * DEFAULT_EPSILON)
    return estimated


def _inferred_relevant(t: SampledTopics) -> FloatArray:
    """Return the estimated number of relevant documents in the pool of each topic."""
    return sum((ratio(s.n_rel * s.size, s.n_judged) for s in _strata(t)), np.zeros(t.rows.n))


def _estimated_within(t: SampledTopics, first: BoolArray) -> FloatArray:
    """Return the estimated number of relevant documents of each topic among those that the mask ``first`` selects."""
    estimated = np.zeros(t.rows.n)
    for stratum in _strata(t):
        counts = (stratum.within(first & mask) for mask in (t.rank > 0, t.judged, t.relevant))
        estimated += _estimated(*counts)
    return estimated


def _gains(t: SampledTopics, grades: AnyArray, pairs: Sequence[Gain]) -> FloatArray:
    """Return the gain for each of ``grades``. Without a pair, the gain is the grade, or 0 if it is below the level."""
    gains = np.where(grades >= max(t.level, 0), grades, 0).astype(np.float64)
    for pair in reversed(pairs):  # the first pair of a grade takes precedence
        gains[(grades == pair.level) & (grades >= t.level)] = pair.value
    return gains


def _ideal(t: SampledTopics, pairs: Sequence[Gain]) -> tuple[Segments, FloatArray]:
    """Return the rows of the ideal ranking down to the depth, and the gains of its documents in descending order."""
    pool_gains = _gains(t, t.pool_grade, pairs)
    ideal, gains = Segments.of_lengths(np.zeros(t.rows.n, np.int64)), np.empty(0)
    for gain in sorted(set(pool_gains[pool_gains > 0].tolist()), reverse=True):
        number = np.zeros(t.rows.n)
        for stratum in _strata(t):
            with_gain = t.pool.count((t.pool_stratum == stratum.number) & (pool_gains == gain))
            number += ratio(with_gain * stratum.size, stratum.n_judged)
        more = Segments.of_lengths(np.floor(number + 0.5).astype(np.int64))
        ideal, order = ideal.beside(more)
        gains = np.concatenate((gains, np.full(more.size, gain)))[order]
    reached = ideal.position < t.depth
    return ideal.keep(reached), gains[reached]

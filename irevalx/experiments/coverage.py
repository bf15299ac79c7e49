"""The coverage of runs by judgments, and the dependence of comparisons of runs on unjudged documents.

The coverage of a run is the share of judged documents among its top K documents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ratio
from irevalx.experiments.pools import first_documents
from irevalx.experiments.ranked_runs import GradedRuns, RankedRuns
from irevalx.frozen import Frozen, cached_property, fields, replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import PooledDocuments, with_pool
from irevalx.measures.declaration import UnjudgedEffect
from irevalx.measures.incomplete_judgments import judged
from irevalx.measures.precision import unjudged
from irevalx.measures.selection import RequestedMeasure
from irevalx.process.progress import counted
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds.runs import RunStream
from irevalx.settings import ORDERS_OF_TIES
from irevalx.statistics.clusters import FEWEST_CLUSTERS
from irevalx.statistics.corrections import CORRECTIONS, TUKEY, correction_named
from irevalx.statistics.paired_comparisons import Comparisons
from irevalx.statistics.significance import FEW_TOPICS, TESTS

DEPTH = 10
"""The rank cutoff for measures that have no cutoff, and the maximum in tests of the influence of unjudged documents."""

RELATIVE_RELEVANCE = 0.5
"""The assumed ratio of the precision of a run's unjudged documents to the precision of its judged documents."""

_AS_NONRELEVANT = {
    UnjudgedEffect.NONRELEVANT,
    UnjudgedEffect.NO_GAIN,
    UnjudgedEffect.GAIN_FOR_POOLED,
    UnjudgedEffect.GAIN_FOR_OUTSIDE,
}


COVERAGE_MEASURES = {judged, unjudged}
"""The measures that describe the coverage of the judgments. Differences in coverage are not tested."""


class UnjudgedOfRuns(Frozen):
    """The unjudged documents among the top documents of each run.

    The run files are read again when the documents are first requested.
    """

    judgments: Judgments | None
    """The judgments, or None if the object was unpickled. Documents are read before the object is pickled."""
    topics: Sequence[bytes]
    sources: Sequence[RunStream]
    rules: RankingRules
    runs: IntArray
    """The indices of the runs that have unjudged documents, in ascending order."""
    depth: int

    @cached_property
    def documents(self) -> list[tuple[IntArray, IntArray, IntArray]]:
        """Return the topic indices, the ranks and the numbers of unjudged documents for each run."""
        if self.judgments is None or not self.runs.size:
            return []
        pools = [
            PooledDocuments.joined("", first_documents(self.sources[run], self.depth, self.rules))
            for run in self.runs.tolist()
        ]
        both = with_pool(self.judgments, PooledDocuments.joined("", pools))
        place = {topic: number for number, topic in enumerate(self.topics)}
        unjudged_by_run = []
        for pool in pools:
            order = np.argsort(pool.topic, kind="stable")
            topic = pool.topic[order]
            rank = np.arange(topic.size) - np.searchsorted(topic, topic) + 1
            number = np.array([place.get(name, ABSENT) for name in pool.topics], np.int64)[topic]
            is_compared = number != ABSENT
            document = both.places_of(pool.topics, topic[is_compared], pool.docnos.take(order[is_compared]))
            unjudged = both.grades[document] < 0
            unjudged_by_run.append((number[is_compared][unjudged], rank[is_compared][unjudged], document[unjudged]))
        return unjudged_by_run

    def __getstate__(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in fields(self)},
            "judgments": None,
            "sources": (),
            "documents": self.documents,
        }


class SharedUnjudged(Frozen):
    """A function that returns the share of unjudged documents common to the top ``depth`` documents of two runs."""

    unjudged: UnjudgedOfRuns
    depth: int
    n_topics: int

    @cached_property
    def _documents(self) -> tuple[IntArray, IntArray, IntArray]:
        """The index in ``unjudged.runs``, the topic index and the number of each unjudged document."""
        parts = [
            np.stack((np.full(topic.size, place), topic, document))[:, rank <= self.depth]
            for place, (topic, rank, document) in enumerate(self.unjudged.documents)
        ]
        place, topic, document = np.concatenate(parts, axis=1)
        return place, topic, document

    @cached_property
    def _last(self) -> dict[int, FloatArray]:
        return {}  # the shares with the last first run are cached, because pairs are in the order of their first runs

    def __call__(self, first: int, second: int) -> FloatArray:
        """Return the share for each topic, given the indices of two runs."""
        of_first, of_second = np.searchsorted(self.unjudged.runs, [first, second]).tolist()
        if of_first not in self._last:
            self._last.clear()
            place, topic, document = self._documents
            is_of_first = np.zeros(document.max(initial=-1) + 1, np.bool_)
            is_of_first[document[place == of_first]] = True
            is_shared = is_of_first[document]
            shape = self.unjudged.runs.size, self.n_topics
            cell = place[is_shared] * self.n_topics + topic[is_shared]
            self._last[of_first] = np.bincount(cell, minlength=math.prod(shape)).reshape(shape) / self.depth
        shares: FloatArray = self._last[of_first][of_second]
        return shares


def _at_topics(
    shared: Callable[[int, int], FloatArray], places: IntArray | BoolArray, first: int, second: int
) -> FloatArray:
    return shared(first, second)[places]


class Coverage(Frozen, kw_only=True):
    """The shares of judged documents among the top documents of each run and topic."""

    depth: int
    """The number of top documents that are examined, K."""
    judged: FloatArray
    """The share of judged documents among the top ``depth`` documents, or 0 if there are no results. The shape is
    (n_runs, n_topics)."""
    unjudged: FloatArray
    """The values of the measure unj. The shape is (n_runs, n_topics)."""
    retrieved: FloatArray
    """The share of the first ``depth`` ranks that contain a document. The shape is (n_runs, n_topics)."""
    of_relevant_only: bool = False
    """Whether all judged documents are relevant, in which case the shares do not describe the judgments."""
    shared: Callable[[int, int], FloatArray] | None = None
    """A function that returns the share of unjudged documents that two runs have in common, or None if this share is
    unknown. The shape of the result is (n_topics,)."""

    @cached_property
    def judged_among_retrieved(self) -> list[float]:
        """The mean share of judged documents of each run over the topics with results, or 0 if a run has no results."""
        sums = np.add.accumulate(self.judged, axis=1)[:, -1]
        means: list[float] = ratio(sums, np.count_nonzero(self.retrieved, axis=1)).tolist()
        return means

    def of_topics(self, places: IntArray | BoolArray) -> Coverage:
        """Return the coverage for a subset of the topics."""
        parts = {name: getattr(self, name)[:, places] for name in ("judged", "unjudged", "retrieved")}
        return replace(self, **parts, shared=self.shared and partial(_at_topics, self.shared, places))

    def of_means(self, members: Sequence[Sequence[int]]) -> Coverage:
        """Return the coverage of systems, given the runs of each system.

        The coverage of a system is the mean over its runs. The mean of ``judged`` excludes runs without results for the
        topic.
        """
        judged = np.stack(
            [ratio(self.judged[runs].sum(axis=0), np.count_nonzero(self.retrieved[runs], axis=0)) for runs in members]
        )
        unjudged, retrieved = (
            np.stack([every[runs].mean(axis=0) for runs in members]) for every in (self.unjudged, self.retrieved)
        )
        return replace(self, judged=judged, unjudged=unjudged, retrieved=retrieved, shared=None)

    def alone(self, run: int, other: int) -> FloatArray:
        """Return the share of ranks that contain an unjudged document missing from the other run's top documents.

        The shape is (n_topics,).
        """
        share = self.unjudged[run]
        if share.any() and self.unjudged[other].any() and self.shared is not None:
            share = share - self.shared(min(run, other), max(run, other))
        return np.where(share > 1e-12, share, 0.0)

    def shift(self, run: int, against: int, mean: float, mean_against: float) -> float:
        """Return the change in a mean difference if unjudged documents were relevant, or nan if it is unknown.

        ``RELATIVE_RELEVANCE`` is the assumed relevance. The change is unknown if a run has no judged documents. Shares
        of unjudged documents are relative to the documents retrieved for a topic, like the shares in ``judged``.
        """
        change = 0.0
        for sign, (own, compared, of_run) in ((1, (run, against, mean)), (-1, (against, run, mean_against))):
            if alone := float(ratio(self.alone(own, compared), self.retrieved[own]).sum()):
                judged = float(self.judged[own].sum())
                change += sign * RELATIVE_RELEVANCE * of_run * alone / judged if judged > 0 else np.nan
        return change


def has_shift(comparisons: Comparisons, request: RequestedMeasure) -> bool:
    """Return whether irevalx can estimate how unjudged documents affect differences in a measure."""
    measure = request.measure
    is_nonrelevant = request.treatment == "nonrel" and {measure.pooled, measure.outside} <= _AS_NONRELEVANT
    return is_nonrelevant and measure.higher_is_better and comparisons.scale.is_linear


def shifts(comparisons: Comparisons, coverage: Coverage, request: RequestedMeasure) -> FloatArray:
    """Return the estimated change in the difference of each pair, on the scale on which the measure is tested.

    If the effect of unjudged documents cannot be estimated for the measure, all changes are 0. See ``Coverage.shift``.
    """
    if not has_shift(comparisons, request):
        return np.zeros(len(comparisons.pairs))
    means = comparisons.tested.mean(axis=1).tolist()
    pairs = counted(comparisons.pairs, "pairs of runs", len(comparisons.pairs))
    return np.array([coverage.shift(second, first, means[second], means[first]) for first, second in pairs], np.float64)


def why_undetermined(comparisons: Comparisons, request: RequestedMeasure | None) -> str:
    """Return the first requirement of ``conclusions_if_relevant`` that the comparisons violate, or an empty string."""
    method, of_differing = comparisons.method, f"at least {FEW_TOPICS} topics"
    if method.test != "t" or correction_named(method.correction) == TUKEY:
        return "t tests"
    if comparisons.values.shape[1] < FEW_TOPICS:
        return of_differing
    if not comparisons.scale.is_linear:
        return "a mean or a sum over topics, and not a geometric mean"
    if request is None or not request.measure.higher_is_better:
        return "a measure for which higher values are known to be better"
    if not has_shift(comparisons, request):
        return "a measure that treats unjudged documents as nonrelevant"
    if not comparisons.are_tested:
        of_differing = f"at least {FEWEST_CLUSTERS} clusters of topics"
    elif comparisons.without_spread.all():
        of_differing = f"differences on {of_differing} that are not all the same"
    else:
        of_differing = ""
    return of_differing


def is_determined(comparisons: Comparisons, request: RequestedMeasure) -> BoolArray:
    """Return whether the test of each pair can be repeated with relevant unjudged documents."""
    return ~comparisons.without_spread & (not why_undetermined(comparisons, request))


def conclusions_of(comparisons: Comparisons) -> FloatArray:
    """Return the conclusion of the test on each pair of runs. The shape is (n_pairs,).

    A conclusion is 1 if the second run is significantly better, -1 if the first run is significantly better, and
    otherwise 0.
    """
    return np.asarray(np.sign(comparisons.by_topic.mean(axis=1)) * comparisons.differ)


def conclusions_if_relevant(comparisons: Comparisons, coverage: Coverage, request: RequestedMeasure) -> FloatArray:
    """Return the conclusions of the tests if unjudged documents were relevant half as often as judged documents.

    The function ``shifts`` estimates the change in the mean difference of each pair. The t test is repeated with the
    changed mean and the same standard error. If the conclusion about a pair changes, it depends on unjudged documents.
    If a run has no judged documents, the conclusion is nan, and also depends on unjudged documents. If the comparisons
    violate a requirement (see ``why_undetermined``), the conclusions are unchanged.

    On Cranfield and robust03, the rule detected 0.91 to 1.00 of the significant differences in P_10, map and ndcg that
    deeper judgments of a new run refuted, and flagged 0.16 to 0.32 of the confirmed differences. With Holm's
    correction, the rule detected 0.94 to 1.00 and flagged 0.18 to 0.43. For P_100, the rule detected 0.64 and 0.91 at K
    = 100, and 1.00 and 0.95 at K = 10. The program ``tests/unequal_judging.py`` repeats this experiment.
    """
    method, tested, before = comparisons.method, is_determined(comparisons, request), conclusions_of(comparisons)
    if not tested.any():
        return before
    shift = np.where(tested, shifts(comparisons, coverage, request), 0.0)
    if not shift.any():
        return before
    d = comparisons.by_topic + np.nan_to_num(shift)[:, np.newaxis]
    clusters = comparisons.clusters
    t_test = TESTS["t"].p_values(d, method.resamples, method.seed) if clusters is None else clusters.t_test(d)
    p = np.where(tested, t_test, comparisons.p)
    corrected = CORRECTIONS[correction_named(method.correction)](p)
    after = np.where(shift == 0, before, np.sign(d.mean(axis=1)) * (corrected < method.alpha))
    return np.where(np.isnan(shift), np.nan, after)


def coverages(ranked: RankedRuns) -> dict[int, Coverage]:
    """Return the coverage of the runs at each rank cutoff: at DEPTH, and at the cutoffs of the requested measures.

    The result is a dictionary that maps cutoffs to coverage. If the judgments are not grades, the dictionary is empty.
    The run files are reread only to count the unjudged documents that two runs have in common.
    """
    if not isinstance(ranked, GradedRuns):
        return {}
    depths = {DEPTH, *(cutoff for request in ranked.requests for cutoff in request.cutoffs.values())}
    shape = ranked.missing.shape
    n_retrieved = np.where(ranked.missing, 0, ranked.ranking.n_ret.reshape(shape))
    counts = {depth: ranked.judged_within(depth) for depth in sorted(depths)}
    n_unjudged = {depth: np.minimum(n_retrieved, depth) - n_judged for depth, n_judged in counts.items()}
    with_unjudged = np.flatnonzero(sum(number.any(axis=1) for number in n_unjudged.values()))
    settings, of_relevant_only = ranked.settings, ranked.judgments.least_grade >= max(ranked.level, 0)
    is_known = bool(ranked.sources) and settings.tie_orders[0] not in ORDERS_OF_TIES
    rules = RankingRules.of(settings)
    unjudged = UnjudgedOfRuns(
        ranked.judgments, ranked.topics, ranked.sources, rules, runs=with_unjudged, depth=max(counts)
    )
    return {
        depth: Coverage(
            depth=depth,
            judged=ratio(n_judged, np.minimum(n_retrieved, depth)),
            unjudged=n_unjudged[depth] / depth,
            retrieved=np.minimum(n_retrieved, depth) / depth,
            of_relevant_only=of_relevant_only,
            shared=SharedUnjudged(unjudged, depth, shape[1]) if is_known else None,
        )
        for depth, n_judged in counts.items()
    }

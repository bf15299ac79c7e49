"""Runs that are ranked once and can then be evaluated with any judgments of the same documents."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import EvaluationError, NoTopicsError, RunWarnings, UsageError, Warn, quote, shown_name
from irevalx.evaluation.evaluate import unique_run_names, warn_of_copies
from irevalx.evaluation.topic_values import AssessedRanking
from irevalx.frozen import Frozen, cached_property, fields, replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Documents, Judgments
from irevalx.measures import NICKNAMES
from irevalx.measures.declaration import Measure
from irevalx.measures.selection import (
    RequestedMeasure,
    refuse_contradictions,
    select_measures,
    with_distinct_names,
)
from irevalx.measures.summaries import (
    Population,
    Summary,
    geometric_mean,
    mean,
    relevant_total,
    total,
    total_of_all_judged,
)
from irevalx.process.platform import as_bytes, as_text
from irevalx.process.progress import counted
from irevalx.process.workers import in_order, worth_sharing
from irevalx.ranking.rank import RankedRun, rank_run
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import RankingRules
from irevalx.reading.judgment_formats import QRELS
from irevalx.reading.kinds.runs import RunStream
from irevalx.settings import Settings
from irevalx.statistics.significance import MEAN, TOTAL, Scale, scale_with
from irevalx.trec_eval import Compat
from irevalx.wording import counts_by_run, is_parameter, spelled

if TYPE_CHECKING:
    pass


Topic = TypeVar("Topic")


def _logarithms(values: FloatArray) -> FloatArray:
    return np.asarray(geometric_mean.scale(values.ravel()), np.float64).reshape(values.shape)


def _exponentials(sums: FloatArray, n_topics: int | FloatArray) -> FloatArray:
    return np.array([math.exp(mean) for mean in (sums / n_topics).ravel().tolist()]).reshape(sums.shape)


GEOMETRIC_MEAN = scale_with("geometric mean", _logarithms, _exponentials, False)

_SCALES: dict[Summary, Scale] = {
    mean: MEAN,
    geometric_mean: GEOMETRIC_MEAN,
    total: TOTAL,
    total_of_all_judged: TOTAL,
    relevant_total: TOTAL,
}


def scale_named(name: str) -> Scale:
    """Return the scale of the measure with a printed name such as ``P_5`` or ``gm_map:skip``."""
    from irevalx.measures import every_measure

    bare = name.partition(":")[0]
    return next((scale_of(measure) or MEAN for measure in every_measure() if measure.name == bare), MEAN)


def scale_of(measure: Measure) -> Scale | None:
    """Return the scale of a measure, or None if the measure's summary is not computed from the values of topics."""
    return None if measure.summary is None else _SCALES.get(measure.summary)


def rank_all(
    judgments: AnyJudgments, runs: Sequence[RunStream], rules: RankingRules, *, processes: int = 1, warn: Warn
) -> Iterator[RankedRun]:
    """Rank the runs, and yield their rankings in order. Raise EvaluationError if a topic cannot be evaluated."""
    documents = judgments.documents
    documents.table.duplicates  # noqa: B018 - builds the table once, before processes are started
    sharing = min(processes, len(runs)) if worth_sharing(sum(run.size for run in runs), len(runs)) else 1
    with RunWarnings(warn) as about_runs:
        all_ranked = in_order(lambda run: rank_run(run, documents, rules), lambda: runs, sharing)
        for ranked in counted(all_ranked, "runs read", len(runs)):
            about_runs.add(ranked.warnings)
            raise_first(ranked.ranking.failures)
            yield ranked


def unique_names(ranked: Sequence[RankedRun], runs: Sequence[RunStream], warn: Warn) -> list[str]:
    """Return a unique name for each run, derived from the given name or the run tag. Warn about duplicate names."""
    tags = [
        ((ranked_run.tag or b"") if run.name is None else as_bytes(run.name), run.path)
        for ranked_run, run in zip(ranked, runs, strict=True)
    ]
    in_files = zip(ranked, runs, strict=True)
    warn_of_copies([(ranked_run.tag or b"", run.path) for ranked_run, run in in_files], warn)
    return [as_text(name) for name in unique_run_names(tags, warn)]


def raise_first(failures: Mapping[bytes, EvaluationError]) -> None:
    """Raise the error of the first topic, in byte order, that could not be evaluated."""
    if failures:
        raise failures[min(failures)]


def compared_topics(
    judged: Documents, runs: Mapping[str, RankedRun], *, complete: bool, reference: str | None = None
) -> tuple[tuple[bytes, ...], dict[str, int]]:
    """Return the evaluated topics, and for each incomplete run the number of topics for which it has no results.

    By default, judged topics are evaluated if every run has results for them. If ``complete`` is true, all judged
    topics are evaluated. If ``reference`` is given, judged topics are evaluated if this run has results for them.
    """
    results = {name: run.topics for name, run in runs.items()}
    topics, n_lacking = evaluated_topics(judged.topics, results, complete=complete, reference=reference)
    if not topics and reference is not None:
        raise NoTopicsError(f"no topic of {shown_name(judged.path)} has results of the baseline {quote(reference)}")
    if not topics:
        without = [name for name, of_run in results.items() if not of_run.intersection(judged.topics)]
        culprit = f" ({without[0]} has results for none of its topics)" if without else ""
        raise NoTopicsError(
            f"no topic of {shown_name(judged.path)} has results of every run{culprit}; {spelled('complete', True)} "
            "scores topics without results as 0"
        )
    return topics, n_lacking


def evaluated_topics(
    every: Sequence[Topic], results: Mapping[str, Container[Topic]], *, complete: bool, reference: str | None = None
) -> tuple[tuple[Topic, ...], dict[str, int]]:
    """Return the evaluated topics, and each incomplete run's number of missing topics. See ``compared_topics``."""
    of_runs = [results[reference]] if reference is not None else [] if complete else results.values()
    topics = tuple(topic for topic in every if all(topic in of_run for of_run in of_runs))
    n_lacking = {
        name: sum(topic not in of_run for topic in (every if reference in {None, name} else topics))
        for name, of_run in results.items()
    }
    return topics, {name: number for name, number in n_lacking.items() if number}


def topics_compared(
    n_topics: int,
    n_judged: int,
    lacking: Mapping[str, int],
    which: str = "judged topics",
    reference: str | None = None,
) -> str:
    """Describe the evaluated topics in a phrase for a note below a table.

    ``lacking`` maps each incomplete run to the number of judged topics for which it has no results.
    """
    if not lacking:
        return f"all {n_judged} {which}" if n_judged > 1 else f"{n_judged} {which.replace('topics', 'topic')}"
    if reference in lacking:
        others = {run: number for run, number in lacking.items() if run != reference}
        zeros = f"; topics without results count as 0 ({counts_by_run(others)})" if others else ""
        return f"{n_topics} of {n_judged} {which}, because the baseline {reference} lacks the others{zeros}"
    by_run, complete = counts_by_run(lacking), "complete"
    if n_topics == n_judged:
        return f"all {n_judged} {which}; topics without results count as 0 ({by_run})"
    return (
        f"{n_topics} of {n_judged} {which} (topics for which every run has results); topics without results, by run: "
        f"{by_run}{f' ({spelled(complete, True)} counts them as 0)' if is_parameter(complete) else ''}"
    )


MEASURES = ("map", "infAP", "indAP", "subAP", "bpref", "bpref_10", "RankEff", "ndcg")
"""The default measures."""

_AT_ONCE = 2**18
"""The maximum number of judgments that are assessed in one batch, chosen to fit the CPU cache."""


class EvaluationRules(Frozen, kw_only=True):
    """The rules for reading judgments and runs, and for selecting runs and topics."""

    settings: Settings = Settings()
    """The evaluation settings. If ``complete`` is true, all judged topics are evaluated."""
    rel_format: str = QRELS.name
    min_retrieved: float = 0.0
    """The minimum share of documents that a run must retrieve. Runs with a lower share are excluded. The share is
    relative to the maximum number of documents that any run retrieves for a topic, times the number of topics. If the
    minimum share is above 0, runs that have no results for a topic are also excluded."""
    fully_judged: int | None = None
    """The depth of judgments. A run is excluded if a top document is unjudged for a judged topic."""
    least_runs: int = 2
    """The minimum number of runs, which is 2 if runs are compared."""
    threads: int = 1
    baseline_of: Callable[[Sequence[str]], str] | None = None
    """A function that returns the name of the baseline, given the names of the runs. If ``complete`` is true, topics
    for which the baseline has no results are excluded."""

    def reference(self, runs: Sequence[str]) -> str | None:
        """Return the run that determines the evaluated topics, or None if there is no such run."""
        name = None if self.baseline_of is None or not self.settings.complete else self.baseline_of(runs)
        return name if name in runs else None

    @classmethod
    def of(cls, **keywords: Any) -> EvaluationRules:
        """Create the rules from keywords, which are fields of ``Settings`` or of this class. See ``Settings.of``."""
        own = {name: keywords.pop(name) for name in fields(cls) if name in keywords}
        return cls(settings=Settings.of(**keywords), **own)

    @property
    def of_judgments(self) -> tuple[str, str, Compat]:
        """The format of the judgments, the type of grades, and the version of trec_eval whose parsing rules apply."""
        return self.rel_format, self.settings.grades, self.settings.compat


DEFAULT_RULES = EvaluationRules()


class RankedRuns(Frozen):
    """Ranked runs, together with the judgments of their documents.

    All runs are evaluated on the same topics: the judged topics for which every run has results or, if ``complete`` is
    true, all judged topics. In the second case, a run scores 0 for a topic without results, as with the option ``-c``.
    """

    judgments: AnyJudgments
    runs: tuple[str, ...]
    """The names of the runs, which are distinct."""
    topics: tuple[bytes, ...]
    """The evaluated topics, in ascending byte order."""
    ranking: Ranking
    """The rankings of all runs. The rows are the topics of the first run, then the topics of the second run, and so
    on."""
    missing: BoolArray
    """Whether each run has no results for each topic. The shape is (n_runs, n_topics)."""
    requests: tuple[RequestedMeasure, ...]
    lacking: Mapping[str, int] = {}
    """The number of judged topics for which each incomplete run has no results."""
    sources: Sequence[RunStream] = ()
    """The runs as they were given, from which documents can be read again."""
    settings: Settings = Settings()
    notes_on_runs: tuple[str, ...] = ()
    """Notes about runs that were excluded."""
    selected: Sequence[int] = ()
    """The position of each run among the runs that were given."""
    reference: str | None = None
    """The run that determines the evaluated topics, or None if all runs determine them."""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "sources": ()}  # an unpickled result does not read runs again

    @property
    def level(self) -> float:
        """The relevance threshold."""
        return self.settings.level

    @property
    def ranking_rules(self) -> RankingRules:
        """The ranking rules that apply when runs are reread."""
        return RankingRules.of(self.settings)

    @property
    def which_topics(self) -> str:
        """A description of the evaluated topics."""
        n_judged = len(self.judgments.documents.topics)
        return topics_compared(len(self.topics), n_judged, self.lacking, reference=self.reference)

    @property
    def missing_topics(self) -> dict[str, frozenset[str]]:
        """A dictionary that maps each run to the evaluated topics for which it has no results."""
        topics = np.array([*map(as_text, self.topics)], object)
        return {run: frozenset(topics[missing]) for run, missing in zip(self.runs, self.missing, strict=True)}

    def notes(self, n_without: Sequence[int] = ()) -> tuple[str, ...]:
        """Return the notes about runs and topics that are printed below tables.

        ``n_without`` contains the number of topics for which each measure has no value.
        """
        without = notes_on_topics(self.measures, n_without, len(self.topics))
        return (*self.notes_on_runs, f"Topics: {self.which_topics}.", *without)

    @property
    def measures(self) -> tuple[str, ...]:
        """The printed names of the measures, which are distinct."""
        return tuple(name for request in self.requests for name in request.names)

    @property
    def kinds(self) -> tuple[Measure, ...]:
        """The measure that belongs to each printed name, without parameters."""
        return tuple(request.measure for request in self.requests for _ in request.names)

    @property
    def scales(self) -> tuple[Scale, ...]:
        """The scale on which the measure with each printed name is tested."""
        return tuple(scale_of(kind) or MEAN for kind in self.kinds)

    def tested(self, values: FloatArray) -> FloatArray:
        """Transform measure values to the scales on which the measures are tested.

        The array ``values`` and the result have the shape (n_measures, n_runs, n_topics).
        """
        return np.stack([scale.transform(of_measure) for scale, of_measure in zip(self.scales, values, strict=True)])

    def values(self, grades: IntArray | None = None, pooled: BoolArray | None = None) -> FloatArray:
        """Evaluate all runs. Return the values, with the shape (n_measures, n_runs, n_topics).

        If a run has no value or an infinite value for a topic, the value is nan for all runs. If ``grades`` and
        ``pooled`` are given, they replace the grades of the judgments and the pool. A negative grade means pooled but
        unjudged.
        """
        parts = [
            AssessedRanking(self.judgments, *part, self.settings, grades, pooled).numbers(self.requests)
            for part in self._parts
        ]
        values = np.concatenate(parts, axis=1).reshape(-1, *self.missing.shape)
        return np.where(np.isfinite(values).all(axis=1, keepdims=True), values, np.nan)

    @cached_property
    def _parts(self) -> list[tuple[Ranking, BoolArray]]:
        """Batches of the ranking, each with its topics without results.

        A batch has few runs, so that it fits the CPU cache.
        """
        rows = np.arange(len(self.ranking.topics))
        size = max(1, _AT_ONCE // max(1, self.judgments.documents.rows.size)) * len(self.topics)
        missing = self.missing.ravel()
        return [
            (self.ranking.take(rows[start : start + size]), missing[start : start + size])
            for start in range(0, rows.size, size)
        ]

    def scores(self, values: FloatArray) -> FloatArray:
        """Summarise measure values over topics.

        The shape of ``values`` is (n_measures, n_runs, n_topics). The shape of the result is (n_measures, n_runs).
        """
        return np.array(
            [[_score(kind, of_run) for of_run in runs] for kind, runs in zip(self.kinds, values, strict=True)],
            np.float64,
        )


def notes_on_topics(measures: Sequence[str], n_without: Sequence[int], n_topics: int) -> list[str]:
    """Return a note for each measure that has no value for some topics."""
    return [
        f"{measure}: {number} of {n_topics} topics without a value are left out."
        for measure, number in zip(measures, n_without, strict=False)
        if number
    ]


def left_out(measure: str, number: int, n_topics: int) -> str:
    """Return the warning that a measure excludes topics."""
    return f"{measure}: {number} of {n_topics} topics are left out: some run has no finite value for them"


def _score(measure: Measure, values: FloatArray) -> float | int | bytes:
    """Return the summary of one run's values over topics, or nan if the measure has no summary."""
    if not measure.summary:
        return np.nan
    values = values[~np.isnan(values)]
    return measure.summary(values, Population(tag=b"", n_topics=values.size, n_evaluated=values.size))


def requests_of(
    measures: Sequence[str],
    settings: Settings = DEFAULT_RULES.settings,
    rel_format: str = QRELS.name,
    *,
    as_requested: bool = False,
) -> tuple[RequestedMeasure, ...]:
    """Parse the names of measures one by one, so that a measure can be requested with several parameters.

    Measures of a measure set that the format does not support are omitted. With ``as_requested``, measures keep their
    requested names instead of their printed names.
    """
    if settings.judged_only:
        refuse_contradictions(measures, settings, rel_format, with_pool=False)
    requests = []
    for measure in measures:
        of_set = measure.partition(":")[0] in NICKNAMES
        selection = select_measures((measure,), settings, rel_format, strict=True)
        spellings = {printed: spelling for spelling, printed in selection.requested.items()} if as_requested else {}
        for request in selection.measures:
            problem = _problem(request.measure, rel_format)
            if problem is None:
                requests.append(replace(request, names=tuple(spellings.get(name, name) for name in request.names)))
            elif not of_set:
                raise UsageError(problem)
    if not requests:
        raise UsageError(
            f"judgments in the format {rel_format} have no default measures; request some with {spelled('measures')}"
        )
    return each_once(requests)


def each_once(requests: Sequence[RequestedMeasure]) -> tuple[RequestedMeasure, ...]:
    """Return the measures under distinct names. Raise UsageError if a measure is requested twice."""
    requests = with_distinct_names(requests)
    names = [name for request in requests for name in request.names]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"measure {quote(name)} is requested twice")
    return requests


def _problem(measure: Measure, rel_format: str) -> str | None:
    """Return the reason why a measure cannot be used with judgments in a format, or None if it can be used."""
    if measure.kernel is None or scale_of(measure) is None:
        return (
            f"measure {quote(measure.name)} cannot be compared: it needs a number for each topic, summarised by a mean "
            "or sum"
        )
    return measure.format_problem(rel_format)


class GradedRuns(RankedRuns):
    """Runs that are ranked against graded judgments. A topic has at most one judgment of each document."""

    judgments: Judgments

    @property
    def grades(self) -> IntArray:
        """The original grade of each judgment."""
        return self.judgments.grades

    @property
    def judgments_digest(self) -> str:
        """The SHA-256 digest of topics, documents and grades, which does not depend on the format of the judgments."""
        judgments = self.judgments
        rows = zip(judgments.rows.ids.tolist(), judgments.docnos.texts(), judgments.grades.tolist(), strict=True)
        lines = sorted(b"%s %s %a\n" % (judgments.topics[topic], docno, grade) for topic, docno, grade in rows)
        return hashlib.sha256(b"".join(lines)).hexdigest()

    def with_measures(self, measures: Sequence[str]) -> GradedRuns:
        """Return a copy that is evaluated with the given measures."""
        return replace(self, requests=requests_of(measures, Settings(level=self.level, grades=self.settings.grades)))

    def of_runs(self, runs: IntArray) -> GradedRuns:
        """Return a copy that contains only the runs with the given indices, in this order."""
        rows = (runs[:, np.newaxis] * len(self.topics) + np.arange(len(self.topics))).ravel()
        names = tuple(self.runs[run] for run in runs.tolist())
        return replace(self, runs=names, ranking=self.ranking.take(rows), missing=self.missing[runs])

    def judged_within(self, depth: int) -> FloatArray:
        """Return the number of judged documents among the top documents of each run.

        The shape is (n_runs, n_topics).
        """
        assessed = (AssessedRanking(self.judgments, *part, self.settings).assessed("nonrel") for part in self._parts)
        parts = [topics.judged_within(depth) for topics in assessed]
        return np.where(self.missing, 0.0, np.concatenate(parts).reshape(self.missing.shape))

    def retrieved_within(self, depth: int) -> BoolArray:
        """Return whether each run retrieves each document in its top ``depth``. The shape is (n_runs, n_judgments)."""
        within_depth = (self.ranking.rank <= depth) & (self.ranking.row >= 0)
        run = self.ranking.rows.ids[within_depth] // len(self.topics)
        retrieved = np.zeros((len(self.runs), self.judgments.rows.size), np.bool_)
        retrieved[run, self.ranking.row[within_depth]] = True
        return retrieved

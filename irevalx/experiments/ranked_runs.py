"""Many runs ranked once against the same judgments, of any format, and what measures say of them topic by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.declarations import spelled
from irevalx.errors import EvaluationError, InputError, NoTopicsError, UsageError, Warn, quote, shown_name
from irevalx.evaluation.chosen_topics import level_warnings, ranking_rules
from irevalx.evaluation.topic_values import AssessedRanking
from irevalx.experiments.measure_scales import scale_of
from irevalx.experiments.ranking_runs import compared_topics, raise_first, rank_all, topics_compared, unique_names
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments import AnyJudgments
from irevalx.measures import NICKNAMES
from irevalx.measures.declare import Measure
from irevalx.measures.select import RequestedMeasure, Selection, select_measures
from irevalx.measures.summary import Population
from irevalx.ranking.assess import assess
from irevalx.ranking.rank import RankedRun, in_topic_order
from irevalx.ranking.ranking import Ranking
from irevalx.reading.formats import QRELS
from irevalx.reading.runs import RunStream
from irevalx.settings import Grades, Settings
from irevalx.statistics.scales import MEAN, Scale

if TYPE_CHECKING:
    from typing_extensions import Self

MEASURES = ("map", "infAP", "indAP", "subAP", "bpref", "bpref_10", "RankEff", "ndcg")
"""The measures that are computed unless others are asked for."""

_AT_ONCE = 2**18
"""Of how many judgments all told runs are assessed at the same time: more would not fit into the processor's cache."""


class RunRules(Frozen, kw_only=True):
    """Which runs are evaluated, and how they are read."""

    settings: Settings = Settings()
    """With ``complete``, all judged topics are evaluated; otherwise the topics that every run has."""
    least_retrieved: float = 0.0
    """Leave out runs with less than this share of the documents they can retrieve (the maximum of any run for a topic,
    times the topics) and, if it is above 0, runs without results for a topic."""
    least_runs: int = 2
    """1, or 2 if runs are compared."""
    processes: int = 1


USUAL_RULES = RunRules()


class RankedRuns(Frozen):
    """Runs and judgments, read, ranked and looked up.

    All runs have the same topics: the judged topics for which every run has results or, if complete, all judged topics;
    a run without results then scores 0, as under ``-c``.
    """

    judgments: AnyJudgments
    runs: tuple[str, ...]
    """Their names, each once."""
    topics: tuple[bytes, ...]
    """In ascending byte order."""
    ranking: Ranking
    """Its rows are all topics of the first run, then all of the second, and so on."""
    missing: BoolArray
    """Shape (n_runs, n_topics); whether a run has no results for a topic."""
    requests: tuple[RequestedMeasure, ...]
    level: float
    """Relevance threshold."""
    lacking: Mapping[str, int] = {}
    """Number of judged topics that each run lacks, if any."""
    grades_are: Grades = "whole"
    sources: Sequence[RunStream] = ()
    """The runs, to be read again."""
    settings: Settings = Settings()

    @classmethod
    def of(
        cls,
        judgments: AnyJudgments,
        runs: Sequence[RunStream],
        requests: Sequence[RequestedMeasure],
        rules: RunRules = USUAL_RULES,
        *,
        names: Sequence[str | None] = (),
        warn: Warn = lambda line: None,
    ) -> Self:
        """Read runs, rank them and look their documents up; warns of everything that is left out or counts as 0.

        ``names`` are those of the runs; None, or nothing for all of them, for the tag in the file.
        """
        least = {1: "one run", 2: "two runs"}[rules.least_runs]
        if len(runs) < rules.least_runs:
            raise UsageError(f"at least {least} must be given, but got {len(runs)}")
        settings, documents = rules.settings, judgments.documents
        ranking_by = ranking_rules(judgments, Selection(tuple(requests)), settings, 1)
        runs = [run.allowing(settings.duplicates) for run in runs]
        ranked = list(rank_all(judgments, runs, ranking_by, processes=rules.processes, warn=warn))
        with_results = frozenset[bytes]().union(*(ranked_run.topics for ranked_run in ranked))
        judged_topics = [topic for topic in documents.topics if topic in with_results]
        if not judged_topics:
            raise NoTopicsError(f"at least one topic of {shown_name(documents.path)} must have results, but none has")
        unique = unique_names(ranked, runs, names, warn)
        sufficient = _sufficient_runs(ranked, unique, judged_topics, rules.least_retrieved, warn)
        if len(sufficient) < rules.least_runs:
            raise InputError(
                f"at least {least} must retrieve {rules.least_retrieved:.0%} of what they might, but "
                f"{len(sufficient)} do"
            )
        topics, lacking = compared_topics(
            documents, {unique[number]: ranked[number] for number in sufficient}, complete=settings.complete
        )
        raise_first(judgments.failures(topics))
        if lacking:
            warn(topics_compared(len(topics), len(documents.topics), lacking))
        fitting = _fitting(requests, judgments, settings, warn)
        for line in level_warnings(judgments, fitting, settings):
            warn(line)
        return cls(
            judgments=judgments,
            runs=tuple(unique[number] for number in sufficient),
            topics=topics,
            ranking=Ranking.joined(
                [in_topic_order(ranked[number].ranking, documents, topics, ranking_by) for number in sufficient]
            ),
            missing=np.array(
                [[topic not in ranked[number].topics for topic in topics] for number in sufficient], np.bool_
            ),
            requests=fitting,
            level=settings.level,
            lacking=lacking,
            grades_are=settings.grades,
            sources=[runs[number] for number in sufficient],
            settings=settings,
        )

    @property
    def which_topics(self) -> str:
        """Which topics the runs are evaluated for, in words."""
        return topics_compared(len(self.topics), len(self.judgments.documents.topics), self.lacking)

    def notes(self, n_without: Sequence[int] = ()) -> tuple[str, ...]:
        """Return the notes below tables: the topics, and for each measure the number of topics without a value."""
        n_topics = len(self.topics)
        without = [
            f"{measure}: {number} of {n_topics} topics without a value are left out."
            for measure, number in zip(self.measures, n_without, strict=False)
            if number
        ]
        return (f"Topics: {self.which_topics}.", *without)

    @property
    def measures(self) -> tuple[str, ...]:
        """The printed names of the measures, each once."""
        return tuple(name for request in self.requests for name in request.names)

    @property
    def scales(self) -> tuple[Scale, ...]:
        """The scales on which the measures are tested, one for each printed name."""
        return tuple(scale_of(request.measure) or MEAN for request in self.requests for _ in request.names)

    @property
    def counts(self) -> tuple[bool, ...]:
        """Whether the measures are whole numbers, such as numbers of documents, one for each printed name."""
        return tuple(request.measure.number == "integer" for request in self.requests for _ in request.names)

    @property
    def directions(self) -> tuple[int, ...]:
        """For each printed name 1 where greater values of the measure are better, -1 where smaller are, 0 elsewhere."""
        return tuple(direction_of(request.measure) for request in self.requests for _ in request.names)

    def tested(self, values: FloatArray) -> FloatArray:
        """Return values, shape (n_measures, n_runs, n_topics), on the scales on which the measures are tested."""
        return np.stack([scale.transform(of_measure) for scale, of_measure in zip(self.scales, values, strict=True)])

    def values(self, grades: IntArray | None = None, pooled: BoolArray | None = None) -> FloatArray:
        """Evaluate all runs, a few at a time: shape (n_measures, n_runs, n_topics); nan if a topic has no value.

        ``grades`` (negative is pooled but unjudged) and ``pooled`` are flat, and replace those of graded ``judgments``.
        """
        parts = [self._assessed(*part, grades, pooled).numbers(self.requests) for part in self._parts]
        return np.concatenate(parts, axis=1).reshape(-1, *self.missing.shape)

    def _assessed(
        self, ranking: Ranking, missing: BoolArray, grades: IntArray | None, pooled: BoolArray | None
    ) -> AssessedRanking:
        """Return some of the runs as measures see them."""
        settings = Settings(level=self.level, grades=self.grades_are)
        return AssessedRanking(self.judgments, ranking, missing, settings, grades, pooled)

    @cached_property
    def _parts(self) -> list[tuple[Ranking, BoolArray]]:
        """The ranking in parts of a few runs each, and where these have no results.

        More at a time would not fit into the processor's cache.
        """
        rows = np.arange(len(self.ranking.topics))
        size = max(1, _AT_ONCE // max(1, self.judgments.documents.rows.size)) * len(self.topics)
        missing = self.missing.ravel()
        return [
            (self.ranking.take(rows[start : start + size]), missing[start : start + size])
            for start in range(0, rows.size, size)
        ]

    def scores(self, values: FloatArray) -> FloatArray:
        """Summarise values, shape (n_measures, n_runs, n_topics), over topics: shape (n_measures, n_runs)."""
        measures = [request.measure for request in self.requests for _ in request.names]
        return np.array(
            [[_score(measure, of_run) for of_run in runs] for measure, runs in zip(measures, values, strict=True)],
            np.float64,
        )


def direction_of(measure: Measure) -> int:
    """Return 1 where greater values are better, -1 where smaller are, and 0 where neither are."""
    return int(measure.higher_is_better) - int(measure.lower_is_better)


def _score(measure: Measure, values: FloatArray) -> float | int | bytes:
    """Return the summary of the values of a run, of those topics that have one; nan for a measure without a summary."""
    if not measure.summary:
        return np.nan
    if measure.has_value:
        values = values[~np.isnan(values)]
    return measure.summary(values, Population(tag=b"", n_topics=values.size, n_evaluated=values.size))


def requests_of(
    measures: Sequence[str],
    settings: Settings = USUAL_RULES.settings,
    rel_format: str = QRELS.name,
    *,
    as_asked: bool = False,
) -> tuple[RequestedMeasure, ...]:
    """Read measures one at a time, so that a measure can occur with several parameters; of sets, those that fit.

    With ``as_asked``, measures are named as requested, rather than as they are printed.
    """
    requests = []
    for measure in measures:
        of_set = measure.partition(":")[0] in NICKNAMES
        selection = select_measures((measure,), settings, rel_format, strict=True)
        spellings = {printed: spelling for spelling, printed in selection.requested.items()} if as_asked else {}
        for request in selection.measures:
            problem = _problem(request.measure, rel_format)
            if problem is None:
                requests.append(replace(request, names=tuple(spellings.get(name, name) for name in request.names)))
            elif not of_set:
                raise UsageError(problem)
    if not requests:
        raise UsageError(
            f"measures of judgments in the format {rel_format} must be requested ({spelled('measures')}), but got none"
        )
    return each_once(requests)


def each_once(requests: Sequence[RequestedMeasure]) -> tuple[RequestedMeasure, ...]:
    """Return measures; raises UsageError if two have one printed name."""
    names = [name for request in requests for name in request.names]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"each measure must be asked for once, but got {quote(name)} twice")
    return tuple(requests)


def _problem(measure: Measure, rel_format: str) -> str | None:
    """Return why a measure cannot be used here; None if it can."""
    if measure.kernel is None or scale_of(measure) is None:
        return (
            "a measure must have a number for each topic and, as summary, a mean or sum of these, but got "
            f"{quote(measure.name)}"
        )
    if not measure.can_use(rel_format):
        return (
            f"judgments for the measure {quote(measure.name)} must be in the format "
            f"{' or '.join(sorted(measure.formats))} ({spelled('rel_format')}), but got {quote(rel_format)}"
        )
    return None


def _fitting(
    requests: Sequence[RequestedMeasure], judgments: AnyJudgments, settings: Settings, warn: Warn
) -> tuple[RequestedMeasure, ...]:
    """Return the measures that the judgments allow; raises EvaluationError for another that was asked for by name."""
    fitting = []
    for request in requests:
        problem = None
        if request.measure.why_unsupported:
            judged = assess(judgments, Ranking.of_nothing(judgments.documents), settings, "nonrel")
            problem = request.measure.why_unsupported(judged, request.parameters)
        if problem is None:
            fitting.append(request)
        elif request.optional:
            warn(f"{shown_name(judgments.documents.path)}: {problem}; it is left out")
        else:
            raise EvaluationError(f"{shown_name(judgments.documents.path)}: {problem}")
    return tuple(fitting)


def _sufficient_runs(
    ranked: Sequence[RankedRun], names: Sequence[str], topics: Sequence[bytes], share: float, warn: Warn
) -> list[int]:
    """Return the numbers of the runs that have retrieved enough."""
    if not share:
        return list(range(len(ranked)))
    most = len(topics) * max(int(run.ranking.n_ret.max(initial=0)) for run in ranked)
    sufficient = []
    for number, run in enumerate(ranked):
        n_retrieved = int(run.ranking.n_ret.sum())
        n_topics = len(run.topics.intersection(topics))
        if n_retrieved < share * most or n_topics < len(topics):
            of_topics = f"{n_topics} of {len(topics)} topics"
            warn(f"{names[number]} is left out: {n_retrieved} of {most} documents, for {of_topics}")
        else:
            sufficient.append(number)
    return sufficient

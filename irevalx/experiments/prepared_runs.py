"""The judgments, runs and measures of an experiment, which are read once and then ranked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from irevalx.api.inputs import Qrels
from irevalx.errors import EvaluationError, NoTopicsError, UsageError, Warn, shown_name
from irevalx.errors import warn as issue_warning
from irevalx.evaluation.topic_selection import level_warnings, ranking_rules
from irevalx.experiments.inputs import graded_judgments_of, judgments_of, measures_of, run_streams
from irevalx.experiments.ranked_runs import (
    DEFAULT_RULES,
    EvaluationRules,
    GradedRuns,
    RankedRuns,
    compared_topics,
    raise_first,
    rank_all,
    requests_of,
    topics_compared,
    unique_names,
)
from irevalx.experiments.run_selection import LEAST_RUNS, selected_runs
from irevalx.frozen import Frozen, replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.measures.selection import RequestedMeasure, Selection, refuse_contradictions
from irevalx.ranking.rank import assess, in_topic_order
from irevalx.ranking.ranking import Ranking
from irevalx.reading.formats import REL_FORMATS
from irevalx.reading.judgment_formats import QRELS
from irevalx.reading.kinds.runs import RunStream
from irevalx.settings import Settings

Ranked = TypeVar("Ranked", bound=RankedRuns)


class PreparedRuns(Frozen, kw_only=True):
    """The judgments, runs and measures of an experiment, before the runs are ranked."""

    judgments: AnyJudgments
    runs: Sequence[RunStream]
    requests: tuple[RequestedMeasure, ...]
    rules: EvaluationRules = DEFAULT_RULES

    def ranked(self, warn: Warn = issue_warning) -> RankedRuns:
        """Rank the runs against the judgments. Warn about excluded runs and topics, and about topics that score 0."""
        return self._ranked(RankedRuns, warn)

    def _ranked(self, kind: type[Ranked], warn: Warn) -> Ranked:
        rules, judgments = self.rules, self.judgments
        if len(self.runs) < rules.least_runs:
            raise UsageError(f"at least {LEAST_RUNS[rules.least_runs]} must be given, not {len(self.runs)}")
        settings, documents = rules.settings, judgments.documents
        ranking_by = ranking_rules(judgments, Selection(self.requests), settings, 1)
        runs = [run.allowing(settings.duplicates) for run in self.runs]
        ranked = list(rank_all(judgments, runs, ranking_by, processes=rules.threads, warn=warn))
        with_results = frozenset[bytes]().union(*(ranked_run.topics for ranked_run in ranked))
        judged_topics = [topic for topic in documents.topics if topic in with_results]
        if not judged_topics:
            raise NoTopicsError(f"no topic of {shown_name(documents.path)} has results")
        unique = unique_names(ranked, runs, warn)
        selected, notes = selected_runs(ranked, unique, judged_topics, judgments, rules, warn)
        by_name = {unique[number]: ranked[number] for number in selected}
        reference = rules.reference([*by_name])
        topics, lacking = compared_topics(documents, by_name, complete=settings.complete, reference=reference)
        raise_first(judgments.failures(topics))
        if lacking:
            warn(topics_compared(len(topics), len(documents.topics), lacking, reference=reference))
        fitting = _fitting(self.requests, judgments, settings, warn)
        for line in level_warnings(judgments, fitting, settings):
            warn(line)
        return kind(
            judgments=judgments,
            runs=tuple(by_name),
            topics=topics,
            ranking=Ranking.joined(
                [in_topic_order(ranked[number].ranking, documents, topics, ranking_by) for number in selected]
            ),
            missing=np.array(
                [[topic not in ranked[number].topics for topic in topics] for number in selected], np.bool_
            ),
            requests=fitting,
            lacking=lacking,
            sources=[runs[number] for number in selected],
            settings=settings,
            notes_on_runs=notes,
            selected=selected,
            reference=reference,
        )


class PreparedGradedRuns(PreparedRuns, kw_only=True):
    """The judgments, runs and measures of an experiment with graded judgments.

    A topic has at most one judgment of each document.
    """

    judgments: Judgments

    def ranked(self, warn: Warn = issue_warning) -> GradedRuns:
        """Rank the runs against the graded judgments. See ``PreparedRuns.ranked``."""
        return self._ranked(GradedRuns, warn)


def prepare_runs(
    qrels: Any, runs: Any, measures: Any, rules: EvaluationRules = DEFAULT_RULES, *, as_requested: bool = False
) -> PreparedRuns:
    """Read judgments in any format, runs and measures.

    If ``qrels`` contains judgments that were already read, their format is used, and also their type of grades unless a
    type is requested. With ``as_requested``, measures keep their requested names instead of their printed names.
    """
    if isinstance(qrels, Qrels):
        grades = qrels.grades if rules.settings.grades == "whole" else rules.settings.grades
        rules = replace(rules, settings=replace(rules.settings, grades=grades), rel_format=qrels.rel_format)
        rules.settings.check()
    settings, rel_format = rules.settings, rules.rel_format
    refuse_contradictions((), settings, rel_format, with_pool=False)
    requests = requests_of(measures_of(measures), settings, rel_format, as_requested=as_requested)
    judgments = judgments_of(qrels, *rules.of_judgments)
    opened = run_streams(runs, settings.compat)
    if isinstance(judgments, Judgments) and QRELS.name in {rel_format, REL_FORMATS[rel_format].measures_of}:
        raise_first(judgments.duplicates)
        return PreparedGradedRuns(judgments=judgments, runs=opened, requests=requests, rules=rules)
    return PreparedRuns(judgments=judgments, runs=opened, requests=requests, rules=rules)


def prepare_graded_runs(
    qrels: Any,
    runs: Any,
    measures: Any,
    rules: EvaluationRules = DEFAULT_RULES,
    parse: Callable[[Sequence[str], Settings], tuple[RequestedMeasure, ...]] = requests_of,
) -> PreparedGradedRuns:
    """Read graded judgments, runs and measures. The function ``parse`` converts the names of measures.

    The argument ``qrels`` can also be a ``Judgments`` object.
    """
    settings = rules.settings
    judgments = qrels if isinstance(qrels, Judgments) else graded_judgments_of(qrels, *rules.of_judgments)
    opened = run_streams(runs, settings.compat)
    requests = parse(measures_of(measures), settings)
    return PreparedGradedRuns(judgments=judgments, runs=opened, requests=requests, rules=rules)


def _fitting(
    requests: Sequence[RequestedMeasure], judgments: AnyJudgments, settings: Settings, warn: Warn
) -> tuple[RequestedMeasure, ...]:
    """Return the measures that can be computed from the judgments. Warn about omitted members of measure sets.

    Raise EvaluationError if a measure that was requested by name cannot be computed.
    """
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

"""Evaluation of many small runs at once: the topics of all runs are evaluated as if they belonged to one run.

An evaluation calls NumPy about a hundred times, regardless of the number of documents. Stacking the runs reduces the
number of calls to the number for a single run. Values and warnings are the same as if each run were evaluated
separately.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from irevalx.arrays.segments import IntArray
from irevalx.errors import IrevalxError, RunWarning
from irevalx.evaluation.columns import Column, Summaries
from irevalx.evaluation.evaluate import Evaluation, summaries_of
from irevalx.evaluation.run_warnings import SeenRuns
from irevalx.evaluation.topic_selection import TopicCounts, ranking_rules
from irevalx.evaluation.topic_values import AssessedRanking, TopicColumn
from irevalx.frozen import Frozen, cached_property, defaults, replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.measures.counts import runid
from irevalx.measures.declaration import ADDED
from irevalx.measures.selection import Selection
from irevalx.measures.summaries import Population
from irevalx.ranking.rank import of_these_ties, rank_results
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds.runs import Stack
from irevalx.settings import Settings

_MOST_POOLED = 1 << 20
"""The maximum number of judged documents in a stack. A document is counted once for each run."""


class StackedValues(Frozen):
    """The topic values of stacked runs."""

    stack: Stack
    begin: Sequence[int]
    """The index of each run's first topic, followed by the number of all topics."""
    every: Summaries
    """The topics of all runs and their values. The topics of a run are adjacent and in ascending byte order."""
    warnings: dict[int, list[RunWarning]]
    """The warnings about each run, as a dictionary with indices of runs as keys."""

    @property
    def sizes(self) -> list[int]:
        """The number of documents of each run."""
        rows = self.stack.results.rows
        ends = rows.offsets[np.append(0, self.stack.n_topics.cumsum())]
        sizes: list[int] = np.diff(ends).tolist()
        return sizes

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of the column with each printed name, except runid, whose value differs between runs."""
        return {column.name: place for place, column in enumerate(self.every.columns) if column.measure is not runid}


class StackedRun(Frozen):
    """The evaluation of one run of a stack, computed when it is needed."""

    values: StackedValues
    number: int

    @property
    def run(self) -> bytes:
        """The name of the run."""
        return self.values.stack.tags[self.number]

    @property
    def path(self) -> str:
        """The name of the run in messages."""
        return self.values.stack.names[self.number]

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of this run."""
        summaries = self._summaries(self.values.every.columns)
        return Evaluation(
            run=self.run,
            path=self.path,
            topics=summaries.topics,
            columns=summaries.summarised(),
            summaries=summaries,
        )

    def column(self, spellings: Iterable[str | None]) -> Column | None:
        """Return the first column whose printed name is in ``spellings``, or None if there is no such column."""
        values = self.values
        place = next((values.places[name] for name in spellings if name in values.places), None)
        if place is None or values.every.requested is not None:
            return None
        [column] = self._summaries([values.every.columns[place]]).summarised()
        return column

    def _summaries(self, columns: Sequence[TopicColumn]) -> Summaries:
        every, own = self.values.every, slice(*self.values.begin[self.number : self.number + 2])
        topics, population = every.topics[own], every.population
        n_topics = population.n_topics if every.complete else len(topics)
        return replace(
            every,
            columns=tuple([column.of_topics(own) for column in columns]),
            topics=topics,
            population=Population(self.run, n_topics, len(topics), population.n_relevant),
        )


_OF_STACKS = frozenset(
    {
        *("complete", "level", "grades", "judged_only", "max_retrieved", "collection_size", "topic", "unjudged"),
        *("ties", "duplicates", "infap_c", "infap_epsilon", "sample_rate", "compat"),
    }
)
"""The settings that do not prevent runs from being evaluated as a stack."""

_ONE_BY_ONE = {name: default for name, default in defaults(Settings).items() if name not in _OF_STACKS}
"""The defaults of the settings that stacks do not support. With any other value, runs are evaluated separately."""


def can_be_stacked(judgments: AnyJudgments, selection: Selection, settings: Settings) -> bool:
    """Return whether runs can be evaluated as a stack. Custom measures, for example, prevent stacking."""
    return (
        isinstance(judgments, Judgments)
        and not judgments.duplicates
        and settings.ties != "rank"
        and all(getattr(settings, name) == default for name, default in _ONE_BY_ONE.items())
        and not any(selected.measure.name in ADDED for selected in selection.measures)
    )


def evaluate_stack(
    judgments: Judgments, stack: Stack, selection: Selection, settings: Settings
) -> StackedValues | None:
    """Return the values of a stack of runs, or None if the runs must be evaluated separately or in smaller stacks."""
    rules = ranking_rules(judgments, selection, settings, 1)
    ranking = rank_results(stack.results, judgments, stack.names[0], rules)
    evaluated = judgments.topic_index if settings.topic is None else {settings.topic} & judgments.topic_index.keys()
    run = np.arange(len(stack.names)).repeat(stack.n_topics)
    run = run[np.array([topic in evaluated for topic in stack.results.topics], np.bool_)]
    n_ranked = np.bincount(run, minlength=len(stack.names))
    n_judged = len(judgments.topics)
    least = n_judged if settings.complete and n_judged else 1
    if n_ranked.min() < least or judgments.rows.lengths[ranking.judged_topic].sum() > _MOST_POOLED:
        return None  # a run has too few judged topics, or there are too many documents
    place = run * n_judged + ranking.judged_topic
    if np.count_nonzero(place[1:] < place[:-1]):
        ranking = ranking.take(place.argsort())
    assessed = AssessedRanking(judgments, ranking, np.zeros(run.size, np.bool_), settings)
    try:
        selection.refuse_other_formats()
        columns, unsupported = assessed.columns(selection)
    except IrevalxError:
        return None  # separate evaluations determine the error of each run
    begin = np.append(0, n_ranked.cumsum()).tolist()
    warnings = _warnings(assessed, stack, n_ranked, begin, rules, columns, unsupported, selection)
    return StackedValues(
        stack=stack,
        begin=begin,
        every=summaries_of(judgments, columns, ranking.topics, b"", selection, settings),
        warnings=warnings,
    )


def _warnings(  # noqa: PLR0917
    assessed: AssessedRanking,
    stack: Stack,
    n_ranked: IntArray,
    begin: Sequence[int],
    rules: RankingRules,
    columns: Sequence[TopicColumn],
    unsupported: Sequence[str],
    selection: Selection,
) -> dict[int, list[RunWarning]]:
    """Return the warnings about each run, by the index of the run and in the same order as in ``evaluate``."""
    judgments, settings, results = assessed.judgments, assessed.settings, stack.results
    n_judged, others = len(judgments.documents.topics), stack.n_topics - n_ranked
    ends = np.append(0, stack.n_topics.cumsum()).tolist()

    def topics_of(number: int) -> tuple[Collection[bytes], Collection[bytes]]:
        ranked = assessed.ranking.topics[slice(*begin[number : number + 2])]
        return ranked, set(results.topics[slice(*ends[number : number + 2])]).difference(ranked)

    def docnos_of(number: int, topic: bytes) -> list[bytes]:
        return results.docnos.take(results.rows.slice(results.topics.index(topic, ends[number]))).texts()

    of_scores = stack.score_warnings.items()
    by_run = defaultdict(list, {number: [*of_these_ties(warnings, rules.ties)] for number, warnings in of_scores})

    def add(number: int, warning: RunWarning) -> None:
        by_run[number].append(warning)

    seen = SeenRuns(stack.names, judgments, selection, settings, topics_of, docnos_of, add)
    incomplete = np.flatnonzero((n_ranked < n_judged) | (others > 0)).tolist()
    seen.left_out((number, TopicCounts(n_judged, int(n_ranked[number]), int(others[number]))) for number in incomplete)
    if rules.look_up and assessed.judgments.tell_little_judged:
        seen.little_judged(assessed.top_judged, assessed.ranking, begin, n_ranked.tolist())
    seen.unreached(assessed.ranking.n_ret, begin)
    seen.values(columns, unsupported, begin)
    return by_run

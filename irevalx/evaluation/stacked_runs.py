"""Many small runs evaluated together: one ranking of all their topics, assessed and computed as if it were one run.

An evaluation takes about a hundred calls of numpy, however few documents there are; runs that are stacked share them.
Values and warnings are those of each run alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from irevalx.arrays.segments import AnyArray, IntArray
from irevalx.errors import IrevalxError, shown_name
from irevalx.evaluation.chosen_topics import TopicCounts, n_relevant, ranking_rules, relevant_by_topic
from irevalx.evaluation.columns import Column, Summaries
from irevalx.evaluation.evaluate import Evaluation
from irevalx.evaluation.spellings import hardly_any_judged, pair_of_names
from irevalx.evaluation.topic_values import AssessedRanking, TopicColumn, little_judged, without_value
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.measures.added import ADDED
from irevalx.measures.counts import runid
from irevalx.measures.select import Selection
from irevalx.measures.summary import Population
from irevalx.ranking.rank import rank_results
from irevalx.reading.runs import Results
from irevalx.settings import Settings

_MOST_POOLED = 1 << 20
"""The number of judged documents, counted again for each run, that are looked at together."""


class Stack(Frozen):
    """The results of several runs: finite scores, and no document twice in a topic.

    Parameters
    ----------
    names : what each run is called, which is its path too.
    tags : the same as bytes.
    n_topics : shape (n_runs,); how many topics each run has.
    results : of the topics of the first run, then of the second.
    """

    names: Sequence[str]
    tags: Sequence[bytes]
    n_topics: IntArray
    results: Results


class StackedValues(Frozen):
    """The values of several runs.

    Parameters
    ----------
    begin : where the topics of each run begin, and where those of the last end.
    topics : those evaluated, of the first run, then of the second; of each ascending in byte order.
    columns : in print order.
    n_all : how many topics sums are divided by; None for those of each run.
    n_relevant : as ``Population`` has it.
    shared : the fields of ``Summaries`` that are the same for all runs.
    warnings : of those runs that have any, by number.
    """

    stack: Stack
    begin: Sequence[int]
    topics: tuple[bytes, ...]
    columns: tuple[TopicColumn, ...]
    n_all: int | None
    n_relevant: float | None
    shared: dict[str, Any]
    warnings: dict[int, tuple[str, ...]]

    @property
    def sizes(self) -> list[int]:
        """The number of documents of each run."""
        rows = self.stack.results.rows
        ends = rows.offsets[np.append(0, self.stack.n_topics.cumsum())]
        sizes: list[int] = np.diff(ends).tolist()
        return sizes

    @cached_property
    def places(self) -> dict[str, int]:
        """Where the column of a printed name stands, but for that of runid, which the name of a run may change."""
        return {column.name: place for place, column in enumerate(self.columns) if column.measure is not runid}

    def summaries(self, number: int, columns: Sequence[TopicColumn]) -> Summaries:
        """Return what the summaries of one of the runs are made of, under some of the measures."""
        some = slice(*self.begin[number : number + 2])
        topics = self.topics[some]
        return Summaries(
            columns=tuple([_of_topics(column, some) for column in columns]),
            topics=topics,
            population=Population(self.stack.tags[number], self.n_all or len(topics), len(topics), self.n_relevant),
            **self.shared,
        )

    def evaluation(self, number: int) -> Evaluation:
        """Return what one of the runs scores."""
        summaries = self.summaries(number, self.columns)
        return Evaluation(
            run=self.stack.tags[number],
            path=self.stack.names[number],
            topics=summaries.topics,
            columns=summaries.summarised(),
            warnings=self.warnings.get(number, ()),
            summaries=summaries,
        )


class StackedRun(Frozen):
    """One of the runs."""

    values: StackedValues
    number: int

    @property
    def run(self) -> bytes:
        """What it is called."""
        return self.values.stack.tags[self.number]

    @property
    def path(self) -> str:
        """What messages call it."""
        return self.values.stack.names[self.number]

    @property
    def evaluation(self) -> Evaluation:
        """What it scores."""
        return self.values.evaluation(self.number)

    def column(self, spellings: Iterable[str | None]) -> Column | None:
        """Return what it scores under the first of several names that is printed; None where none is."""
        values = self.values
        place = next((values.places[name] for name in spellings if name in values.places), None)
        if place is None or values.shared["asked"] is not None:
            return None
        [column] = values.summaries(self.number, [values.columns[place]]).summarised()
        return column


def _of_topics(column: TopicColumn, some: slice) -> TopicColumn:
    """Return the values of some topics."""
    return TopicColumn(
        column.name,
        column.measure,
        None if column.values is None else column.values[some],
        None if column.has_value is None else column.has_value[some],
        column.judged_with_value,
        column.of_all_judged,
        None if column.more_relevant is None else column.more_relevant[some],
    )


def can_be_stacked(judgments: AnyJudgments, selection: Selection, settings: Settings) -> bool:
    """Return whether runs can be evaluated together.

    A user's own measure is called for one run at a time, as nobody knows what it looks at.
    """
    return (
        isinstance(judgments, Judgments)
        and not judgments.duplicates
        and not settings.ignore_identical_ids
        and settings.ties != "rank"
        and not any(selected.measure.name in ADDED for selected in selection.measures)
    )


def evaluate_stack(
    judgments: Judgments, stack: Stack, selection: Selection, settings: Settings
) -> StackedValues | None:
    """Return the values of runs; None where they must be evaluated one by one, or fewer of them together.

    That is where a run has no judged topic or, under ``-c``, lacks one; where there is an error; and where there is
    much to look at.
    """
    rules = ranking_rules(judgments, selection, settings, 1)
    ranking = rank_results(stack.results, judgments, stack.names[0], rules)
    wanted = judgments.topic_index if settings.topic is None else {settings.topic} & judgments.topic_index.keys()
    run = np.arange(len(stack.names)).repeat(stack.n_topics)
    run = run[np.array([topic in wanted for topic in stack.results.topics], np.bool_)]
    n_ranked = np.bincount(run, minlength=len(stack.names))
    n_judged = len(judgments.topics)
    least = n_judged if settings.complete and n_judged else 1
    if n_ranked.min() < least or judgments.rows.lengths[ranking.judged_topic].sum() > _MOST_POOLED:
        return None
    place = run * n_judged + ranking.judged_topic
    if np.count_nonzero(place[1:] < place[:-1]):
        ranking = ranking.take(place.argsort())
    assessed = AssessedRanking(judgments, ranking, np.zeros(run.size, np.bool_), settings)
    try:
        selection.refuse_other_formats()
        columns, unsupported = assessed.columns(selection)
    except IrevalxError:
        return None
    begin = np.append(0, n_ranked.cumsum()).tolist()
    warnings: dict[int, list[str]] = {}
    for number, line in _warnings(assessed, stack, n_ranked, begin, rules.look_up):
        warnings.setdefault(number, []).append(f"{shown_name(stack.names[number])}: {line}")
    for number in range(len(stack.names)) if unsupported else ():
        warnings.setdefault(number, []).extend(f"{reason}; it is left out" for reason in unsupported)
    for number, line in _lacking_values(columns, begin):
        warnings.setdefault(number, []).append(f"{shown_name(stack.names[number])}: {line}")
    return StackedValues(
        stack=stack,
        begin=begin,
        topics=ranking.topics,
        columns=columns,
        n_all=n_judged if settings.complete else None,
        n_relevant=n_relevant(judgments, settings) if settings.complete else None,
        shared={
            "judged": judgments.topics if settings.topic is None else (),
            "relevant": relevant_by_topic(judgments, settings) if settings.complete else None,
            "zscores": selection.zscores,
            "complete": settings.complete,
            "asked": selection.asked if selection.as_asked else None,
        },
        warnings={number: tuple(lines) for number, lines in warnings.items()},
    )


def _warnings(
    assessed: AssessedRanking, stack: Stack, n_ranked: IntArray, begin: Sequence[int], look_up: bool
) -> Iterator[tuple[int, str]]:
    """Yield, by the number of the run, warnings about topics left out and about rankings of which little was judged."""
    judgments, results, n_judged = assessed.judgments.documents, stack.results, len(assessed.judgments.documents.topics)
    others = stack.n_topics - n_ranked
    incomplete = np.flatnonzero((n_ranked < n_judged) | (others > 0)).tolist()
    for number in incomplete if assessed.settings.topic is None else ():
        n_topics, n_others = int(n_ranked[number]), int(others[number])
        counts = TopicCounts(n_judged, n_judged - n_topics, n_topics + n_others, n_others)
        yield number, counts.left_out(complete=assessed.settings.complete) or ""
    if not look_up or not assessed.judgments.tell_little_judged:
        return
    top = assessed.top_judged
    without = np.flatnonzero(top.without)

    def example(number: int) -> tuple[bytes, str]:
        place = without[without.searchsorted(begin[number])]
        topic = assessed.ranking.topics[place]
        judged = judgments.docnos.take(judgments.rows.slice(judgments.topic_index[topic])).texts()
        first = int(stack.n_topics[:number].sum())
        row = results.topics.index(topic, first)
        return topic, pair_of_names(judged, results.docnos.take(results.rows.slice(row)).texts())

    n_without, n_retrieved, n_found = (
        _sums(per_topic, begin) for per_topic in (top.without.astype(np.int64), top.retrieved, top.judged)
    )
    for number, n_topics in enumerate(n_ranked.tolist()):
        lines = (
            hardly_any_judged(n_without[number], n_topics, partial(example, number)) if n_without[number] else None,
            little_judged(n_retrieved[number], n_found[number]),
        )
        yield from ((number, line) for line in lines if line)


def _sums(per_topic: AnyArray, begin: Sequence[int]) -> list[int]:
    """Return the sum of each run; where documents are counted over all orders of equal scores, without a fraction."""
    if per_topic.dtype.kind == "i":
        sums: list[int] = np.add.reduceat(per_topic, begin[:-1]).tolist()
        return sums
    return [int(per_topic[first:last].sum()) for first, last in pairwise(begin)]


def _lacking_values(columns: Sequence[TopicColumn], begin: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield, by the number of the run, warnings about topics without a value."""
    n_without = {
        place: _sums((~column.has_value).astype(np.int64), begin)
        for place, column in enumerate(columns)
        if column.has_value is not None
    }
    for number, n_topics in enumerate(np.diff(begin).tolist() if n_without else ()):
        of_run = [(columns[place].measure.name, lacking[number]) for place, lacking in n_without.items()]
        yield from ((number, line) for line in without_value(n_topics, of_run))

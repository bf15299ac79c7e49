"""The values of topics, of one run or of many, apart from any summary.

``values_of`` is the whole way from what was retrieved to values. The folds in ``measures.summary`` make the `all` row
of them, of all topics at once or of some at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray
from irevalx.errors import EvaluationError, shown_name
from irevalx.evaluation.chosen_topics import TopicCounts, choose_topics, ranking_rules
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.measures.declare import HasValue, Measure
from irevalx.measures.select import SelectedMeasure, Selection
from irevalx.measures.summary import Values, mean, relevant_total
from irevalx.process.system import as_text
from irevalx.ranking.assess import Assessed, assess
from irevalx.ranking.rank import rank_results, without_some
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics
from irevalx.reading.runs import ResultRows
from irevalx.settings import Settings, UnjudgedTreatment
from irevalx.trec_eval.versions import Compat

_TOPICS_AT_ONCE = 1 << 13
"""The number of topics that are looked at together: what measures see of them takes more room than the values."""

_RANKS_AT_ONCE = 1 << 20

TOP = 10
"""How many documents of a topic a run is known by."""


class TopicColumn(Frozen):
    """The values of n topics under one printed name. What is "of all judged topics" depends on no run.

    Parameters
    ----------
    values : one per topic; None for a measure that only the `all` row has.
    has_value : shape (n,); false where a topic has no value, whatever ``values`` has. None where all have one.
    judged_with_value : shape (n_judged,); which of all judged topics have a value, where not all have.
    of_all_judged : the values of all judged topics, where the `all` row is made of them; otherwise None.
    more_relevant : shape (n,); the documents that the reading makes relevant, where they add to the judgments that
        ``-c`` counts; otherwise None.
    """

    name: str
    measure: Measure
    values: Values | None
    has_value: BoolArray | None = None
    judged_with_value: BoolArray | None = None
    of_all_judged: Values | None = None
    more_relevant: IntArray | None = None

    @property
    def n_judged_with_value(self) -> int | None:
        """How many of all judged topics have a value; None where all have one."""
        return None if self.judged_with_value is None else int(np.count_nonzero(self.judged_with_value))


class TopJudged(Frozen):
    """How many of the first documents of topics were judged.

    Parameters
    ----------
    retrieved : shape (n,); documents among the first ten.
    judged : shape (n,); those of them that were judged.
    without : shape (n,); whether any documents were retrieved, but none that was judged.
    """

    retrieved: IntArray
    judged: IntArray
    without: BoolArray

    @property
    def mean_share(self) -> float:
        """The mean over topics of judged@10."""
        return float(np.add.reduce(self.judged)) / TOP / max(1, self.judged.size)


class TopicValues(Frozen):
    """The values of n topics: of the first run, then of the second, each with its topics in ascending byte order.

    Parameters
    ----------
    run : shape (n,); the number of the run, from 0 up.
    topics : n.
    missing : shape (n,); whether the run has nothing for the topic.
    columns : in print order; without measures that only a set asked for and that the judgments do not allow.
    unsupported : why measures were left out that the judgments do not support.
    top_judged : None where a sample was judged, or grades are not needed.
    counts : of the topics of each run.
    """

    run: IntArray
    topics: tuple[bytes, ...]
    missing: BoolArray
    columns: tuple[TopicColumn, ...]
    unsupported: tuple[str, ...]
    top_judged: TopJudged | None
    counts: tuple[TopicCounts, ...]


def values_of(
    judgments: AnyJudgments, runs: Sequence[ResultRows], selection: Selection, settings: Settings
) -> TopicValues:
    """Return the values of the topics of runs; those of each topic depend on no other topic.

    Parameters
    ----------
    runs : what each of them retrieved. Under ``-c`` and compat 10 every run has all judged topics.
    selection : what to compute; its z-scores are left to the summary.

    Raises
    ------
    EvaluationError : a measure cannot be computed from such judgments, or with such parameters; or a document occurs
        twice in a topic, of the judgments or of a run.
    """
    selection.refuse_other_formats()
    rules = ranking_rules(judgments, selection, settings, 1)
    chosen, counts = [], []
    for given in runs:
        results, _ = without_some(given, rules)
        ranking = rank_results(results, judgments.documents, as_text(results.tag or b"run"), rules)
        chosen.append(choose_topics(judgments, ranking, settings, rules))
        counts.append(TopicCounts.of(judgments.documents, ranking, len(results.topics) - len(ranking.topics)))
        if failure := chosen[-1].failure:
            raise failure
    assessed = AssessedRanking(
        judgments,
        Ranking.joined([one.ranking for one in chosen]),
        np.concatenate((np.empty(0, np.bool_), *(one.missing for one in chosen))),
        settings,
    )
    columns, unsupported = assessed.columns(selection)
    return TopicValues(
        run=np.repeat(np.arange(len(chosen)), [one.missing.size for one in chosen]),
        topics=assessed.ranking.topics,
        missing=assessed.missing,
        columns=columns,
        unsupported=unsupported,
        top_judged=assessed.top_judged if rules.look_up and judgments.tell_little_judged else None,
        counts=tuple(counts),
    )


class AssessedRanking(Frozen):
    """A ranking of evaluated topics, assessed as measures ask for it.

    Parameters
    ----------
    ranking : made with these judgments.
    missing : per topic; whether the run has nothing for it.
    grades, pooled : other grades of the judged documents, and which of them are in the pool, as ``assess`` takes them.
    """

    judgments: AnyJudgments
    ranking: Ranking
    missing: BoolArray
    settings: Settings
    grades: AnyArray | None = None
    pooled: BoolArray | None = None

    @cached_property
    def any_missing(self) -> bool:
        """Whether the run has nothing for a topic."""
        return bool(np.count_nonzero(self.missing))

    @cached_property
    def _assessed(self) -> dict[Any, Assessed]:
        return {}

    def assessed(
        self, reading: UnjudgedTreatment, level: float | None = None, by_gain: SelectedMeasure | None = None
    ) -> Any:
        """Return what measures see in a reading, at a level, with equal scores in the order of a measure's gains."""
        seen = reading, level, by_gain and (by_gain.parameters.levels, by_gain.measure.kind.scales_gains)
        if seen not in self._assessed:
            settings = self.settings if level is None else replace(self.settings, level=level)
            self._assessed[seen] = self._assess(self.ranking, settings, reading, by_gain)
        return self._assessed[seen]

    def _assess(
        self, ranking: Ranking, settings: Settings, reading: UnjudgedTreatment, by_gain: SelectedMeasure | None = None
    ) -> Assessed:
        gain = None if by_gain is None else by_gain.gains_of
        return assess(self.judgments, ranking, settings, reading, self.grades, self.pooled, gain)

    def parts(self) -> Iterator[AssessedRanking]:
        """Yield parts with as many topics as do not take much room, and the whole if it is small.

        Values of topics are the same there.
        """
        n_topics, at_once = len(self.ranking.topics), _TOPICS_AT_ONCE
        if self.ranking.tied:  # all ranks of documents with equal scores are looked at
            at_once = max(1, _RANKS_AT_ONCE * n_topics // max(1, int(self.ranking.n_ret.sum())))
        if n_topics <= at_once:
            yield self
            return
        topics = np.arange(n_topics)
        for first in range(0, n_topics, at_once):
            some = slice(first, first + at_once)
            yield replace(self, ranking=self.ranking.take(topics[some]), missing=self.missing[some])

    @property
    def top_judged(self) -> TopJudged:
        """How many of the first documents of each topic were judged; none where the run has nothing."""
        found = []
        for part in self.parts():
            topics: Topics = part.assessed("nonrel")
            retrieved, judged = np.minimum(topics.n_ret, TOP), topics.judged_within(TOP)
            without = (topics.n_judged_ret == 0) & (topics.n_ret > 0)
            if part.any_missing:
                there = ~part.missing
                retrieved, judged, without = there * retrieved, there * judged, there & without
            found.append((retrieved, judged, without))
        return TopJudged(*(found[0] if len(found) == 1 else map(np.concatenate, zip(*found, strict=True))))

    def columns(self, selection: Selection) -> tuple[tuple[TopicColumn, ...], tuple[str, ...]]:
        """Return a column for each printed name, and why measures that only a set asked for are left out.

        Raises
        ------
        EvaluationError : the judgments do not allow a measure that was asked for by name, or the kernel refuses its
            parameters.
        """
        supported, reasons = selection.measures, []
        if any(one.measure.why_unsupported for one in supported):
            reasons = [self._why_unsupported(selected) for selected in selection.measures]
            supported = tuple(one for one, reason in zip(supported, reasons, strict=True) if not reason)
        each = zip(supported, self._compute_by_parts(supported), strict=True)
        columns = tuple([column for selected, values in each for column in self._columns_of(selected, values)])
        return columns, tuple(reason for reason in reasons if reason)

    def _why_unsupported(self, selected: SelectedMeasure) -> str | None:
        """Return why the judgments do not allow a measure that is there for a set's sake alone; None if they do.

        Raises
        ------
        EvaluationError : they do not allow one that was asked for by name.
        """
        why_unsupported = selected.measure.why_unsupported
        problem = why_unsupported and why_unsupported(self._judged, selected.parameters)
        if not problem:
            return None
        message = f"{shown_name(self.judgments.documents.path)}: {problem}"
        if not selected.optional:
            raise EvaluationError(message)
        return message

    def _columns_of(self, selected: SelectedMeasure, values: Sequence[Values | None]) -> Iterator[TopicColumn]:
        """Yield a column for each name that the measure prints, given the values of the topics."""
        measure = selected.measure
        if measure.summary is mean and not measure.has_value:  # as of most: there is nothing else to know
            yield from map(TopicColumn, selected.names, repeat(measure), values)
            return
        judged = self._judged_with_value(measure.has_value) if measure.has_value else None
        has_value = None if judged is None else judged[self.ranking.judged_topic]
        of_all = self._of_all_judged(selected)
        more_relevant = self._more_relevant(selected)
        for name, column, of_all_judged in zip(selected.names, values, of_all, strict=True):
            yield TopicColumn(name, measure, column, has_value, judged, of_all_judged, more_relevant)

    def _compute_by_parts(self, measures: Sequence[SelectedMeasure]) -> Sequence[Sequence[Values | None]]:
        """Return what ``compute`` does for each of several measures."""
        found: list[list[Values | None]] = []
        n_topics = first = 0
        for part in self.parts():
            with np.errstate(all="ignore"):
                n_topics, of_part = len(part.ranking.topics), [part.compute(selected) for selected in measures]
            if n_topics == len(self.ranking.topics):
                return of_part
            if not found:
                found = [[_room_for(len(self.ranking.topics), some) for some in columns] for columns in of_part]
            for columns, of_some in zip(found, of_part, strict=True):
                for column, some in zip(columns, of_some, strict=True):
                    if column is not None and some is not None:
                        column[first : first + n_topics] = some
            first += n_topics
        return found

    def compute(self, selected: SelectedMeasure) -> Sequence[Values | None]:
        """Return the values under each name, None for a measure of the `all` row; numpy's warnings must be off."""
        measure, parameters = selected.measure, selected.parameters
        if not measure.kernel:
            return [None] * len(selected.names)
        by_gain = selected if selected.is_ordered_by_gain(self.settings.ties) else None
        values = measure.unguarded(self.assessed(selected.reading, selected.level, by_gain), parameters)
        return _blanked(values, selected, self.missing, self.settings.compat) if self.any_missing else values

    def numbers(self, measures: Sequence[SelectedMeasure]) -> FloatArray:
        """Return the values of measures that have a number for each topic, or nan: shape (n_names, n_topics)."""
        found = []
        for selected in measures:
            has_value = selected.measure.has_value
            without = None if has_value is None else ~self._judged_with_value(has_value)[self.ranking.judged_topic]
            with np.errstate(all="ignore"):
                columns = [np.array(column, np.float64) for column in self.compute(selected)]
            for column in columns if without is not None else ():
                column[without] = np.nan
            found += columns
        return np.stack(found)

    @cached_property
    def _judged(self) -> Any:
        """What measures see of all judged topics, as if nothing had been retrieved."""
        return self._assess(Ranking.of_nothing(self.judgments.documents), self.settings, "nonrel")

    @cached_property
    def _with_value(self) -> dict[HasValue, BoolArray]:
        return {}

    def _judged_with_value(self, has_value: HasValue) -> BoolArray:
        """Return which of all judged topics have a value."""
        if has_value not in self._with_value:
            self._with_value[has_value] = has_value(self._judged)
        return self._with_value[has_value]

    def _of_all_judged(self, selected: SelectedMeasure) -> Sequence[Values | None]:
        """Return the values of all judged topics under each name, as if nothing had been retrieved, where they count.

        They count where judgments are grades, and the summary wants them.
        """
        summary = selected.measure.summary
        if not summary or not summary.of_all_judged or not isinstance(self.judgments, Judgments):
            return [None] * len(selected.names)
        return selected.measure(_all_judged(self.judgments, self.settings), selected.parameters)

    def _more_relevant(self, selected: SelectedMeasure) -> IntArray | None:
        """Count the documents that the reading makes relevant where ``-c`` counts relevant ones in the judgments."""
        counted = self.settings.complete and selected.measure.summary is relevant_total
        if selected.reading != "rel" or not counted or self.judgments.n_relevant is None:
            return None
        with_more, usual = (self.assessed(reading, selected.level).n_rel for reading in ("rel", "nonrel"))
        more: IntArray = with_more - usual
        return more


def _all_judged(judgments: Judgments, settings: Settings) -> Assessed:
    """Return what measures see of all judged topics (under ``-D`` of the one), as if nothing had been retrieved.

    Raises
    ------
    DuplicateDocumentError : a document was judged twice, be it in a topic that the run lacks.
    """
    wanted = [topic for topic in judgments.topics if settings.topic in {None, topic}]
    for topic in wanted:
        if topic in judgments.duplicates:
            raise judgments.duplicates[topic]
    places = np.array([judgments.topic_index[topic] for topic in wanted], np.int64)
    return assess(judgments, Ranking.of_nothing(judgments).take(places), settings, "nonrel")


def _room_for(n_topics: int, values: Values | None) -> Values | None:
    """Return values of the kind of these for a number of topics, still to be set."""
    if values is None:
        return None
    return [b""] * n_topics if isinstance(values, list) else np.empty_like(values, shape=n_topics)


def _blanked(
    values: Sequence[Values], selected: SelectedMeasure, missing: BoolArray, compat: Compat
) -> Sequence[Values]:
    """Blank the values of topics without results where trec_eval does; elsewhere it keeps what the formula gives."""
    return [
        _without(column, missing) if compat.blank_without_results(name) else column
        for name, column in zip(selected.parameters.names, values, strict=True)
    ]


def _without(values: Values, missing: BoolArray) -> Values:
    if isinstance(values, list):
        return [b"" if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]
    return np.where(missing, 0, values)

"""The topic values of one or more runs, before summaries are computed.

``topic_values_of`` computes the values from retrieved documents. ``measures.summaries`` computes the `all` row, either
from all topics at once or from several subsets of topics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, ratio
from irevalx.errors import EvaluationError, shown_name
from irevalx.evaluation.topic_selection import TopicCounts, choose_topics, evaluated_topics, ranking_rules
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.measures.declaration import HasValue, Measure
from irevalx.measures.selection import RequestedMeasure, Selection
from irevalx.measures.summaries import Values, mean, relevant_total
from irevalx.process.platform import as_text
from irevalx.ranking.rank import Assessed, assess, rank_results, without_documents
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics
from irevalx.reading.kinds.runs import ResultRows
from irevalx.settings import BEST_AND_WORST, Settings, Ties, UnjudgedTreatment
from irevalx.trec_eval import Compat

_TOPICS_AT_ONCE = 1 << 13
"""The maximum number of topics in a batch. Batches limit memory, because the input of measures requires more memory
than the values."""

_RANKS_AT_ONCE = 1 << 20

TOP = 10
"""The number of top-ranked documents per topic in which judged documents are counted for warnings."""


class TopicColumn(Frozen):
    """The topic values of a measure under one printed name, and data about all judged topics for its summary."""

    name: str
    measure: Measure
    values: Values | None
    """The value of each topic, or None if the measure has a value only in the `all` row."""
    has_value: BoolArray | None = None
    """Whether each topic has a value, or None if all topics have a value. In ``values``, the elements of other topics
    are arbitrary. The shape is (n,)."""
    judged_with_value: BoolArray | None = None
    """Whether each judged topic has a value, or None if all judged topics have a value. The shape is (n_judged,)."""
    of_all_judged: Values | None = None
    """The values of all judged topics, or None if the `all` row does not depend on them."""
    more_relevant: IntArray | None = None
    """The number of unjudged documents that are treated as relevant and counted under ``-c``, or None. The shape is
    (n,)."""

    @property
    def n_judged_with_value(self) -> int | None:
        """The number of judged topics that have a value, or None if all judged topics have a value."""
        return None if self.judged_with_value is None else int(np.count_nonzero(self.judged_with_value))

    def of_topics(self, topics: slice | IntArray, judged: slice | IntArray = slice(None)) -> TopicColumn:
        """Return the column for a subset of topics, given indices of evaluated topics and of judged topics."""
        return TopicColumn(
            self.name,
            self.measure,
            _at(self.values, topics),
            _at(self.has_value, topics),
            _at(self.judged_with_value, judged),
            _at(self.of_all_judged, judged),
            _at(self.more_relevant, topics),
        )


def _at(values: Any, places: slice | IntArray) -> Any:
    """Return the values at the given indices, or None if ``values`` is None."""
    if isinstance(values, list) and not isinstance(places, slice):
        return [values[place] for place in places.tolist()]
    return None if values is None else values[places]


class TopJudged(Frozen):
    """Counts of judged documents among the first ten documents of n topics. Each array has the shape (n,)."""

    retrieved: IntArray
    """The number of retrieved documents among the first ten."""
    judged: IntArray
    """The number of judged documents among the first ten."""
    without: BoolArray
    """Whether documents were retrieved, but no retrieved document is judged."""

    @property
    def mean_share(self) -> float:
        """The fraction of judged documents among the first ten retrieved, averaged over topics with results."""
        shares = ratio(self.judged, self.retrieved)
        return float(np.add.reduce(shares)) / max(1, int(np.count_nonzero(self.retrieved)))


class TopicValues(Frozen):
    """The values of n topics of several runs, ordered by run and, within a run, by topic in byte order."""

    run: IntArray
    """The index of the run of each topic. The shape is (n,)."""
    topics: tuple[bytes, ...]
    missing: BoolArray
    """Whether the run has no results for each topic. The shape is (n,)."""
    columns: tuple[TopicColumn, ...]
    """The columns in print order. A member of a measure set has no column if the judgments do not support it."""
    unsupported: tuple[str, ...]
    """The explanations why members of measure sets were omitted."""
    top_judged: TopJudged | None
    """Counts of judged documents, or None if judgments are a sample or grades are not required."""
    counts: tuple[TopicCounts, ...]
    """The numbers of topics and documents of each run."""


def topic_values_of(
    judgments: AnyJudgments, runs: Sequence[ResultRows], selection: Selection, settings: Settings
) -> TopicValues:
    """Return the topic values of runs. With ``-c`` and trec_eval 10, values of missing topics are included."""
    selection.refuse_other_formats()
    rules = ranking_rules(judgments, selection, settings, 1)
    chosen, counts = [], []
    for given in runs:
        results, _ = without_documents(given, rules)
        ranking = rank_results(results, judgments.documents, as_text(results.tag or b"run"), rules)
        chosen.append(choose_topics(judgments, ranking, settings, rules))
        n_judged, n_ranked = len(judgments.documents.topics), len(ranking.topics)
        counts.append(TopicCounts(n_judged, n_ranked, len(results.topics) - n_ranked))
        if failure := chosen[-1].failure:
            raise failure
    assessed = AssessedRanking(
        judgments,
        Ranking.joined([each.ranking for each in chosen]),
        np.concatenate((np.empty(0, np.bool_), *(each.missing for each in chosen))),
        settings,
    )
    columns, unsupported = assessed.columns(selection)
    return TopicValues(
        run=np.repeat(np.arange(len(chosen)), [each.missing.size for each in chosen]),
        topics=assessed.ranking.topics,
        missing=assessed.missing,
        columns=columns,
        unsupported=unsupported,
        top_judged=assessed.top_judged if rules.look_up and judgments.tell_little_judged else None,
        counts=tuple(counts),
    )


class AssessedRanking(Frozen):
    """A ranking of the evaluated topics, with the judgments and grades from which measures are computed."""

    judgments: AnyJudgments
    ranking: Ranking
    missing: BoolArray
    """Whether the run lacks results for each topic. The shape is (n_topics,)."""
    settings: Settings
    grades: AnyArray | None = None
    """Grades that replace the grades in the judgments, or None if no grades are replaced."""
    pooled: BoolArray | None = None
    """Whether each judged document is treated as pooled, or None if all of them are. See ``Ranking.assess``."""

    @cached_property
    def any_missing(self) -> bool:
        """Whether the run has no results for at least one topic."""
        return bool(np.count_nonzero(self.missing))

    @cached_property
    def _assessed(self) -> dict[Any, Assessed]:
        return {}

    def assessed(
        self,
        treatment: UnjudgedTreatment,
        level: float | None = None,
        by_gain: RequestedMeasure | None = None,
        ties: Ties | None = None,
    ) -> Any:
        """Return the input from which measures are computed.

        The input depends on the treatment of unjudged documents, the relevance level and the tie order. If ``by_gain``
        is given, the best and worst orders sort tied documents by the gains of the measure ``by_gain``.
        """
        seen = treatment, level, by_gain and (by_gain.parameters.levels, by_gain.measure.kind.scales_gains), ties
        if seen not in self._assessed:
            settings = self.settings if level is None else replace(self.settings, level=level)
            ranking, tied = self.ranking, self.ranking.tied
            if ties and tied:
                ranking = replace(ranking, tied=replace(tied, ties=ties))
            self._assessed[seen] = self._assess(ranking, settings, treatment, by_gain)
        return self._assessed[seen]

    def _assess(
        self,
        ranking: Ranking,
        settings: Settings,
        treatment: UnjudgedTreatment,
        by_gain: RequestedMeasure | None = None,
    ) -> Assessed:
        gain = None if by_gain is None else by_gain.gains_of
        return assess(self.judgments, ranking, settings, treatment, self.grades, self.pooled, gain)

    def parts(self) -> Iterator[AssessedRanking]:
        """Yield parts of the ranking with a limited number of topics. Topic values do not depend on the division."""
        n_topics, at_once = len(self.ranking.topics), _TOPICS_AT_ONCE
        if self.ranking.tied:  # every possible rank of tied documents is evaluated
            at_once = max(1, _RANKS_AT_ONCE * n_topics // max(1, int(self.ranking.n_ret.sum())))
        if n_topics <= at_once:
            yield self
            return
        topics = np.arange(n_topics)
        for first in range(0, n_topics, at_once):
            part = slice(first, first + at_once)
            yield replace(self, ranking=self.ranking.take(topics[part]), missing=self.missing[part])

    @property
    def top_judged(self) -> TopJudged:
        """Counts of judged documents among the first documents of each topic."""
        parts = []
        for part in self.parts():
            topics: Topics = part.assessed("nonrel")
            retrieved, judged = np.minimum(topics.n_ret, TOP), topics.judged_within(TOP)
            without = (topics.n_judged_ret == 0) & (topics.n_ret > 0)
            if part.any_missing:
                there = ~part.missing
                retrieved, judged, without = there * retrieved, there * judged, there & without
            parts.append((retrieved, judged, without))
        return TopJudged(*(parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))))

    def columns(self, selection: Selection) -> tuple[tuple[TopicColumn, ...], tuple[str, ...]]:
        """Return a column for each printed name, and explanations why members of measure sets are omitted."""
        supported, reasons = selection.measures, []
        if any(selected.measure.why_unsupported for selected in supported):
            reasons = [self._why_unsupported(selected) for selected in selection.measures]
            supported = tuple(selected for selected, reason in zip(supported, reasons, strict=True) if not reason)
        each = zip(supported, self._compute_by_parts(supported), strict=True)
        columns = tuple([column for selected, values in each for column in self._columns_of(selected, values)])
        return columns, tuple(reason for reason in reasons if reason)

    def _why_unsupported(self, selected: RequestedMeasure) -> str | None:
        """Return an error if a measure does not support the judgments, or None if the judgments are supported.

        Raise EvaluationError unless the measure is optional.
        """
        why_unsupported = selected.measure.why_unsupported
        problem = why_unsupported and why_unsupported(self._judged, selected.parameters)
        if not problem:
            return None
        message = f"{shown_name(self.judgments.documents.path)}: {problem}"
        if not selected.optional:
            raise EvaluationError(message)
        return message

    def _columns_of(self, selected: RequestedMeasure, values: Sequence[Values | None]) -> Iterator[TopicColumn]:
        """Yield a column for each printed name of a measure, given the values of the topics."""
        measure = selected.measure
        if measure.summary is mean and not measure.has_value:  # most measures
            yield from map(TopicColumn, selected.names, repeat(measure), values)
            return
        judged = self._judged_with_value(measure.has_value) if measure.has_value else None
        has_value = None if judged is None else judged[self.ranking.judged_topic]
        of_all = self._of_all_judged(selected)
        more_relevant = self._more_relevant(selected)
        for name, column, of_all_judged in zip(selected.names, values, of_all, strict=True):
            yield TopicColumn(name, measure, column, has_value, judged, of_all_judged, more_relevant)

    def _compute_by_parts(self, measures: Sequence[RequestedMeasure]) -> Sequence[Sequence[Values | None]]:
        values: list[list[Values | None]] = []
        n_topics = first = 0
        for part in self.parts():
            with np.errstate(all="ignore"):
                n_topics, of_part = len(part.ranking.topics), [part.compute(selected) for selected in measures]
            if n_topics == len(self.ranking.topics):
                return of_part
            if not values:
                values = [
                    [_empty_values(len(self.ranking.topics), part_values) for part_values in columns]
                    for columns in of_part
                ]
            for columns, of_some in zip(values, of_part, strict=True):
                for column, part_values in zip(columns, of_some, strict=True):
                    if column is not None and part_values is not None:
                        column[first : first + n_topics] = part_values
            first += n_topics
        return values

    def compute(self, selected: RequestedMeasure) -> Sequence[Values | None]:
        """Return the topic values for each printed name. The values are None if the measure has no topic values.

        The caller must disable NumPy's warnings.
        """
        measure, parameters = selected.measure, selected.parameters
        if not measure.kernel:
            return [None] * len(selected.names)
        if selected.is_width:
            best, worst = (self.compute(replace(selected, ties=order, is_width=False)) for order in BEST_AND_WORST)
            return [np.asarray(high) - np.asarray(low) for high, low in zip(best, worst, strict=True)]
        by_gain = selected if selected.is_ordered_by_gain(selected.ties or self.settings.tie_orders[0]) else None
        assessed = self.assessed(selected.treatment, selected.level, by_gain, selected.ties)
        values = measure.unguarded(assessed, parameters)
        return _zero_if_missing(values, selected, self.missing, self.settings.compat) if self.any_missing else values

    def numbers(self, measures: Sequence[RequestedMeasure]) -> FloatArray:
        """Return the topic values of numeric measures. Missing values are NaN. The shape is (n_names, n_topics)."""
        rows = []
        for selected in measures:
            has_value = selected.measure.has_value
            without = None if has_value is None else ~self._judged_with_value(has_value)[self.ranking.judged_topic]
            with np.errstate(all="ignore"):
                columns = [np.array(column, np.float64) for column in self.compute(selected)]
            for column in columns if without is not None else ():
                column[without] = np.nan
            rows += columns
        return np.stack(rows)

    @cached_property
    def _judged(self) -> Any:
        """All judged topics, without results, in the form that functions of measures accept."""
        return self._assess(Ranking.of_nothing(self.judgments.documents), self.settings, "nonrel")

    @cached_property
    def _with_value(self) -> dict[HasValue, BoolArray]:
        return {}

    def _judged_with_value(self, has_value: HasValue) -> BoolArray:
        if has_value not in self._with_value:
            self._with_value[has_value] = has_value(self._judged)
        return self._with_value[has_value]

    def _of_all_judged(self, selected: RequestedMeasure) -> Sequence[Values | None]:
        """Return the values of all judged topics without results, for summaries that include all judged topics.

        The result contains an item for each printed name. The item is None if the summary includes only evaluated
        topics.
        """
        summary = selected.measure.summary
        if not summary or not summary.of_all_judged or not isinstance(self.judgments, Judgments):
            return [None] * len(selected.names)
        return selected.measure(_all_judged(self.judgments, self.settings), selected.parameters)

    def _more_relevant(self, selected: RequestedMeasure) -> IntArray | None:
        """Return how many unjudged documents are treated as relevant, or None if ``-c`` does not count them."""
        counted = self.settings.complete and selected.measure.summary is relevant_total
        if selected.treatment != "rel" or not counted or self.judgments.n_relevant is None:
            return None
        with_more, without = (self.assessed(treatment, selected.level).n_rel for treatment in ("rel", "nonrel"))
        more: IntArray = with_more - without
        return more


def _all_judged(judgments: Judgments, settings: Settings) -> Assessed:
    """Return the input of measures for a run without results, with all judged topics or the requested topic."""
    evaluated = evaluated_topics(judgments, settings)
    for topic in judgments.topics[evaluated]:
        if topic in judgments.duplicates:
            raise judgments.duplicates[topic]
    places = np.arange(len(judgments.topics))[evaluated]
    return assess(judgments, Ranking.of_nothing(judgments).take(places), settings, "nonrel")


def _empty_values(n_topics: int, values: Values | None) -> Values | None:
    """Return an array or list of the same type as ``values`` for the values of ``n_topics`` topics."""
    if values is None:
        return None
    return [b""] * n_topics if isinstance(values, list) else np.empty_like(values, shape=n_topics)


def _zero_if_missing(
    values: Sequence[Values], selected: RequestedMeasure, missing: BoolArray, compat: Compat
) -> Sequence[Values]:
    """Set values of topics without results to 0, for the measures for which trec_eval prints 0."""
    return [
        _without(column, missing)
        if compat.blank_without_results(name) or not compat.complete_evaluates_missing
        else column
        for name, column in zip(selected.parameters.names, values, strict=True)
    ]


def _without(values: Values, missing: BoolArray) -> Values:
    if isinstance(values, list):
        return [b"" if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]
    return np.where(missing, 0, values)

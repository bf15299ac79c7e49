"""A ranked run computed and summarised: one column for each printed name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray
from irevalx.errors import EvaluationError, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.kinds import AnyJudgments
from irevalx.measures.declare import HasValue, Measure
from irevalx.measures.select import SelectedMeasure
from irevalx.measures.summary import Population, Values, as_list
from irevalx.ranking.assess import Assess, Assessed
from irevalx.ranking.ranking import Ranking
from irevalx.settings import Reading, Settings
from irevalx.trec_eval.versions import Compat

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores

_TOPICS_AT_ONCE = 1 << 16
"""So many topics are looked at together: what measures see of them takes several times the room of the values."""


class Column(Frozen):
    """One printed name.

    Parameters
    ----------
    values : one a topic; None for a measure that only the `all` row has.
    summary : the value of the `all` row; None for a measure without one, and where not all topics could be evaluated.
    has_value : shape (n_topics,); false where a topic has no value, and ``values`` has nan. None where all have one.
    is_zscore : whether these are z-scores, which are real numbers whatever the values are.
    """

    name: str
    measure: Measure
    values: Values | None
    summary: float | int | bytes | None
    has_value: BoolArray | None = None
    is_zscore: bool = False

    @property
    def number(self) -> str:
        """How the values are printed: as real, integer or text."""
        return "real" if self.is_zscore else self.measure.number

    @property
    def of_topics(self) -> list[Any] | None:
        """The values as Python has them, None for a topic without; None altogether where ``values`` is."""
        if self.values is None or self.has_value is None:
            return None if self.values is None else as_list(self.values)
        pairs = zip(as_list(self.values), self.has_value.tolist(), strict=True)
        return [value if has_value else None for value, has_value in pairs]


class Columns(Frozen):
    """What columns are made of.

    Parameters
    ----------
    ranking : of the evaluated topics, made with these judgments.
    missing : per topic; whether the run has nothing for it.
    zscores : what to convert values with; None for the values themselves.
    complete : whether all topics could be evaluated, without which there is no summary.
    """

    judgments: AnyJudgments
    ranking: Ranking
    missing: BoolArray
    population: Population
    zscores: Zscores | None
    settings: Settings
    complete: bool

    @cached_property
    def _assessed(self) -> dict[tuple[Reading, int | None], Assessed]:
        return {}

    def assessed(self, reading: Reading, level: int | None = None) -> Any:
        """Return what measures see of the topics in a reading of the unjudged, at the usual level or another."""
        seen = reading, level
        if seen not in self._assessed:
            settings = self.settings if level is None else replace(self.settings, level=level)
            self._assessed[seen] = self.judgments.ask(Assess(self.ranking, settings, reading))
        return self._assessed[seen]

    def of(self, measures: Sequence[SelectedMeasure]) -> Iterator[Column]:
        """Yield one for each name that the measures print, measure by measure."""
        for selected, values in zip(measures, self._compute_by_parts(measures), strict=True):
            summary = selected.measure.summary
            of_all = self._compute_for_all_judged(selected, values) if summary and summary.of_all_judged else values
            yield from self.summarise(selected, values, of_all)

    def parts(self) -> Iterator[Columns]:
        """Yield the columns of so many topics at once as do not take much room; of all of them, if these are not more.

        Values of topics are the same there, summaries are not.
        """
        topics = np.arange(len(self.ranking.topics))
        if topics.size <= _TOPICS_AT_ONCE:
            yield self
            return
        for first in range(0, topics.size, _TOPICS_AT_ONCE):
            some = slice(first, first + _TOPICS_AT_ONCE)
            yield replace(self, ranking=self.ranking.take(topics[some]), missing=self.missing[some])

    def misfit(self, selected: SelectedMeasure) -> str | None:
        """Return why the judgments do not allow a measure that is there for a set's sake alone; None if they do.

        Raises
        ------
        EvaluationError : they do not allow one that was asked for by name.
        """
        misfit = selected.measure.misfit
        problem = misfit and misfit(self._judged, selected.parameters)
        if not problem:
            return None
        message = f"{shown_name(self.judgments.documents.path)}: {problem}"
        if not selected.optional:
            raise EvaluationError(message)
        return message

    @cached_property
    def _judged(self) -> Any:
        """What measures see of all judged topics, as if nothing had been retrieved."""
        nothing = Ranking.of_nothing(self.judgments.documents)
        return self.judgments.ask(Assess(nothing, self.settings, "nonrel"))

    @cached_property
    def _with_value(self) -> dict[HasValue, BoolArray]:
        return {}

    def _judged_with_value(self, has_value: HasValue) -> BoolArray:
        """Return which of all judged topics have a value."""
        if has_value not in self._with_value:
            self._with_value[has_value] = has_value(self._judged)
        return self._with_value[has_value]

    def _compute_by_parts(self, measures: Sequence[SelectedMeasure]) -> Sequence[Sequence[Values | None]]:
        """Return what ``compute`` does for each of several measures."""
        found: list[list[Values | None]] = []
        n_topics = first = 0
        for part in self.parts():
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
        """Return the values of the topics under each name; None for a measure that only the `all` row has."""
        measure, parameters = selected.measure, selected.parameters
        if not measure.kernel:
            return [None] * len(selected.names)
        values = measure(self.assessed(selected.reading, selected.level), parameters)
        return _blanked(values, selected, self.missing, self.settings.compat)

    def summarise(
        self, selected: SelectedMeasure, values: Sequence[Values | None], of_all: Sequence[Values | None]
    ) -> Iterator[Column]:
        """Yield the columns, as z-scores where these are asked for.

        Parameters
        ----------
        values : per name, one a topic.
        of_all : per name, the values that the `all` row is made of.
        """
        measure = selected.measure
        is_zscore = self.zscores is not None and measure.number != "text"
        has_value, population, topics = None, self._population(selected), self.ranking.topics
        if measure.has_value:
            judged = self._judged_with_value(measure.has_value)
            has_value = judged[self.ranking.judged_topic]
            population = self._population_of(judged, has_value)
            topics = tuple(topic for topic, has in zip(topics, has_value.tolist(), strict=True) if has)
            values = of_all = [None if column is None else np.asarray(column)[has_value] for column in values]
        for name, column, each in zip(selected.names, values, of_all, strict=True):
            shown, summed, summarise, summary = column, each, measure.summary, None
            if self.zscores and is_zscore:
                shown, summarise = self.zscores.of(name, column, summarise, topics)
                summed = shown
            if summarise and self.complete:
                with np.errstate(all="ignore"):
                    summary = summarise([] if summed is None else summed, population)
            if shown is not None and has_value is not None:
                shown = _spread(np.asarray(shown), has_value)
            yield Column(name, measure, shown, summary, has_value=has_value, is_zscore=is_zscore)

    def _population_of(self, judged: BoolArray, evaluated: BoolArray) -> Population:
        """Return the population of a measure that has a value for some of the judged and of the evaluated topics."""
        n_evaluated = int(np.count_nonzero(evaluated))
        n_topics = int(np.count_nonzero(judged)) if self.settings.complete else n_evaluated
        return replace(self.population, n_topics=n_topics, n_evaluated=n_evaluated)

    def _compute_for_all_judged(
        self, selected: SelectedMeasure, values: Sequence[Values | None]
    ) -> Sequence[Values | None]:
        """Return the values of all judged topics, as if nothing had been retrieved, where judgments are grades."""
        everything = self.judgments.ask(AllJudged(self.settings))
        return values if everything is None else selected.measure(everything, selected.parameters)

    def _population(self, selected: SelectedMeasure) -> Population:
        """Count the documents that the reading makes relevant where ``-c`` counts relevant ones in the judgments."""
        n_relevant = self.population.n_relevant
        if selected.reading != "rel" or n_relevant is None:
            return self.population
        with_more, usual = (self.assessed(reading, selected.level).n_rel.sum() for reading in ("rel", "nonrel"))
        grown = int(with_more - usual)
        return replace(self.population, n_relevant=n_relevant + grown)


class AllJudged(Frozen):
    """The question what measures see of all judged topics (under ``-D`` the one), as if nothing had been retrieved.

    Asking it raises DuplicateDocumentError where a document was judged twice, be it in a topic that the run lacks.
    """

    settings: Settings

    def for_grades(self, judgments: Judgments) -> Assessed:
        """Assess with grades."""
        wanted = [topic for topic in judgments.topics if self.settings.topic in {None, topic}]
        for topic in wanted:
            if topic in judgments.duplicates:
                raise judgments.duplicates[topic]
        places = np.array([judgments.topic_index[topic] for topic in wanted], np.int64)
        return judgments.ask(Assess(Ranking.of_nothing(judgments).take(places), self.settings, "nonrel"))

    def for_groups(self, judgments: object) -> None:
        """No measure of groups is over all judged topics."""

    def for_preferences(self, judgments: object) -> None:
        """No measure of preferences is over all judged topics."""

    def for_subtopics(self, judgments: object) -> None:
        """No measure of subtopics is over all judged topics."""

    def for_drawn(self, judgments: object) -> None:
        """No measure of a drawn sample is over all judged topics."""


def _room_for(n_topics: int, values: Values | None) -> Values | None:
    """Return values for so many topics, which are still to be set: of the kind of these."""
    if values is None:
        return None
    return [b""] * n_topics if isinstance(values, list) else np.empty_like(values, shape=n_topics)


def _blanked(
    values: Sequence[Values], selected: SelectedMeasure, missing: BoolArray, compat: Compat
) -> Sequence[Values]:
    """Blank the values of topics without results where trec_eval does; elsewhere it keeps what the formula gives."""
    if not np.count_nonzero(missing):
        return values
    return [
        _without(column, missing) if compat.blank_without_results(name) else column
        for name, column in zip(selected.parameters.names, values, strict=True)
    ]


def _spread(values: AnyArray, has_value: BoolArray) -> FloatArray:
    """Return one value a topic: those given where the topic has one, elsewhere nan."""
    spread = np.full(has_value.size, np.nan)
    spread[has_value] = values
    return spread


def _without(values: Values, missing: BoolArray) -> Values:
    if isinstance(values, list):
        return [b"" if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]
    return np.where(missing, 0, values)

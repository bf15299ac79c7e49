"""A ranked run computed and summarised: one column for each printed name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.arrays.segments import BoolArray
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.kinds import AnyJudgments
from irevalx.measures.declare import Measure
from irevalx.measures.select import Request
from irevalx.measures.summary import Population, Values
from irevalx.ranking.assess import Assess, Assessed
from irevalx.ranking.ranking import Ranking
from irevalx.settings import Reading, Settings
from irevalx.trec_eval.versions import Compat

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores


class Column(Frozen):
    """One printed name.

    Parameters
    ----------
    values : one a topic; None for a measure that only the `all` row has.
    summary : the value of the `all` row; None for a measure without one, and where not all topics could be evaluated.
    is_zscore : whether these are z-scores, which are real numbers whatever the values are.
    """

    name: str
    measure: Measure
    values: Values | None
    summary: float | int | bytes | None
    is_zscore: bool = False

    @property
    def number(self) -> str:
        """How the values are printed: as real, integer or text."""
        return "real" if self.is_zscore else self.measure.number


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
    def _assessed(self) -> dict[Reading, Assessed]:
        return {}

    def assessed(self, reading: Reading) -> Any:
        """Return what measures see of the topics in a reading of the unjudged."""
        if reading not in self._assessed:
            self._assessed[reading] = self.judgments.ask(Assess(self.ranking, self.settings, reading))
        return self._assessed[reading]

    def of(self, request: Request) -> Iterator[Column]:
        """Yield one for each name that the measure prints."""
        values = self.compute(request)
        of_all = values if request.measure.over == "evaluated" else self._compute_for_all_judged(request, values)
        yield from self.summarise(request, values, of_all)

    def compute(self, request: Request) -> Sequence[Values | None]:
        """Return the values of the topics under each name; None for a measure that only the `all` row has."""
        measure, parameters = request.measure, request.parameters
        if not measure.kernel:
            return [None] * len(request.names)
        values = measure(self.assessed(request.reading), parameters)
        return _blanked(values, request, self.missing, self.settings.compat)

    def summarise(
        self, request: Request, values: Sequence[Values | None], of_all: Sequence[Values | None]
    ) -> Iterator[Column]:
        """Yield the columns, as z-scores where these are asked for.

        Parameters
        ----------
        values : per name, one a topic.
        of_all : per name, the values that the `all` row is made of.
        """
        measure = request.measure
        is_zscore = self.zscores is not None and measure.number != "text"
        for name, column, each in zip(request.names, values, of_all, strict=True):
            shown, summed, summarise, summary = column, each, measure.summary, None
            if self.zscores and is_zscore:
                shown, summarise = self.zscores.of(name, column, summarise, self.ranking.topics)
                summed = shown
            if summarise and self.complete:
                with np.errstate(all="ignore"):
                    summary = summarise([] if summed is None else summed, self._population(request.reading))
            yield Column(name, measure, shown, summary, is_zscore=is_zscore)

    def _compute_for_all_judged(self, request: Request, values: Sequence[Values | None]) -> Sequence[Values | None]:
        """Return the values of all judged topics, as if nothing had been retrieved, where judgments are grades."""
        everything = self.judgments.ask(AllJudged(self.settings))
        return values if everything is None else request.measure(everything, request.parameters)

    def _population(self, reading: Reading) -> Population:
        """Count the documents that the reading makes relevant where ``-c`` counts relevant ones in the judgments."""
        n_relevant = self.population.n_relevant
        if reading != "rel" or n_relevant is None:
            return self.population
        grown = int(self.assessed("rel").n_rel.sum() - self.assessed("nonrel").n_rel.sum())
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


def _blanked(values: Sequence[Values], request: Request, missing: BoolArray, compat: Compat) -> Sequence[Values]:
    """Blank the values of topics without results where trec_eval does; elsewhere it keeps what the formula gives."""
    if not np.count_nonzero(missing):
        return values
    return [
        _without(column, missing) if compat.blank_without_results(name) else column
        for name, column in zip(request.parameters.names, values, strict=True)
    ]


def _without(values: Values, missing: BoolArray) -> Values:
    if isinstance(values, list):
        return [b"" if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]
    return np.where(missing, 0, values)

"""A ranked run assessed and computed: one column for each printed name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.measures.declare import Measure
from irevalx.measures.select import Request
from irevalx.measures.summary import Population, Values
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import SAMPLED_DEPTH, SampledTopics, Topics, round_half_away, truncate
from irevalx.settings import Options, Reading
from irevalx.trec_eval.versions import Compat

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores
    from irevalx.ranking.assessed_preferences import Preferences
    from irevalx.ranking.grouped_topics import GroupedTopics
    from irevalx.reading.formats import AnyJudgments

Seen: TypeAlias = "Topics | GroupedTopics | Preferences"
"""All that a measure may see, depending on the format of the judgments."""

INT_MAX = 2**31 - 1
"""How many documents of a topic count at most, as in trec_eval."""

_ROUNDINGS: dict[str, Callable[[FloatArray], IntArray]] = {
    "truncate(x + 0.9)": lambda x: truncate(x + 0.9),
    "half away from zero": round_half_away,
}


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
    options : level, judged_only, max_retrieved, collection_size, debug.topic and compat count here.
    complete : whether all topics could be evaluated, without which there is no summary.
    """

    judgments: AnyJudgments
    ranking: Ranking
    missing: BoolArray
    population: Population
    zscores: Zscores | None
    options: Options
    complete: bool

    @cached_property
    def _seen(self) -> dict[Reading, Seen]:
        return {}

    def seen(self, reading: Reading) -> Any:
        """Return what measures see of the topics in a reading of the unjudged."""
        if reading not in self._seen:
            self._seen[reading] = _assess(self.ranking, self.judgments, self.options, reading)
        return self._seen[reading]

    def of(self, request: Request) -> Iterator[Column]:
        """Yield one for each name that the measure prints."""
        measure, parameters = request.measure, request.parameters
        values: Sequence[Values | None] = [None] * len(request.names)
        if measure.kernel:
            computed = measure(self.seen(request.reading), parameters)
            values = _blanked(computed, request, self.missing, self.options.compat)
        summed = values
        if measure.over == "judged" and isinstance(self.judgments, Judgments):
            summed = measure(_all_judged(self.judgments, self.options), parameters)
        is_zscore = self.zscores is not None and measure.number != "text"
        for name, column, each in zip(request.names, values, summed, strict=True):
            shown, of_all, summarise, summary = column, each, measure.summary, None
            if self.zscores and is_zscore:
                shown, summarise = self.zscores.of(name, column, summarise, self.ranking.topics)
                of_all = shown
            if summarise and self.complete:
                with np.errstate(all="ignore"):
                    summary = summarise([] if of_all is None else of_all, self._population(request.reading))
            yield Column(name, measure, shown, summary, is_zscore=is_zscore)

    def _population(self, reading: Reading) -> Population:
        """Count the documents that the reading makes relevant where ``-c`` counts relevant ones in the judgments."""
        n_relevant = self.population.n_relevant
        if reading != "rel" or n_relevant is None:
            return self.population
        grown = int(self.seen("rel").n_rel.sum() - self.seen("nonrel").n_rel.sum())
        return replace(self.population, n_relevant=n_relevant + grown)


def max_retrieved(judgments: AnyJudgments, options: Options) -> int:
    """Return how many documents of a topic count."""
    if options.max_retrieved is not None:
        return options.max_retrieved
    sampled = isinstance(judgments, Judgments) and judgments.strata is not None
    return SAMPLED_DEPTH if sampled else INT_MAX


def _assess(ranking: Ranking, judgments: AnyJudgments, options: Options, reading: Reading) -> Seen:
    if not isinstance(judgments, Judgments):
        from irevalx.judgments.judgment_groups import GroupedJudgments
        from irevalx.ranking.grouped_topics import assess_by_group

        if isinstance(judgments, GroupedJudgments):
            return assess_by_group(ranking, judgments, level=options.level, reading=reading)
        from irevalx.ranking.assessed_preferences import assess_preferences

        return assess_preferences(ranking, judgments)
    topics = ranking.assess(judgments, judgments.grades, level=options.level, reading=reading)
    if isinstance(topics, SampledTopics):
        topics = replace(topics, depth=max_retrieved(judgments, options))
    return replace(
        topics,
        collection_size=options.collection_size,
        round_recall=_ROUNDINGS[options.compat.recall_rounding],
    )


def _all_judged(judgments: Judgments, options: Options) -> Seen:
    """Return all judged topics (under ``-D`` the one), as if nothing had been retrieved.

    Raises
    ------
    DuplicateDocumentError : a document was judged twice, be it in a topic that the run lacks.
    """
    wanted = [topic for topic in judgments.topics if options.debug.topic in {None, topic}]
    for topic in wanted:
        if topic in judgments.duplicates:
            raise judgments.duplicates[topic]
    places = np.array([judgments.topic_index[topic] for topic in wanted], np.int64)
    return _assess(Ranking.of_nothing(judgments).take(places), judgments, options, "nonrel")


def _blanked(values: Sequence[Values], request: Request, missing: BoolArray, compat: Compat) -> Sequence[Values]:
    """Blank the values of topics without results where trec_eval does; elsewhere it keeps what the formula gives."""
    if not missing.any():
        return values
    return [
        _without(column, missing) if compat.blank_without_results(name) else column
        for name, column in zip(request.parameters.names, values, strict=True)
    ]


def _without(values: Values, missing: BoolArray) -> Values:
    if isinstance(values, list):
        return [b"" if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]
    return np.where(missing, 0, values)

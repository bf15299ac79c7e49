"""The values of one run, summarised: one column for each printed name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.arrays.segments import BoolArray
from irevalx.evaluation.topic_values import TopicColumn
from irevalx.frozen import Frozen, replace
from irevalx.measures.declare import Measure
from irevalx.measures.summary import Population, Values, as_list

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores


class Column(Frozen):
    """One printed name.

    Parameters
    ----------
    values : one per topic; None for a measure that only the `all` row has.
    summary : the value of the `all` row; None for a measure without one, and where not all topics could be evaluated.
    has_value : shape (n_topics,); false where a topic has no value, and ``values`` has nan. None where all have one.
    is_zscore : whether these are z-scores, which are real numbers whatever the values are.
    n_averaged : how many topics the summary is over; those of them that have no value here count as missing.
    """

    name: str
    measure: Measure
    values: Values | None
    summary: float | int | bytes | None
    has_value: BoolArray | None = None
    is_zscore: bool = False
    n_averaged: int = 0

    @property
    def number(self) -> str:
        """How the values are printed: as real, integer or text; counts that are expected values as real."""
        is_real = self.measure.number == "integer" and getattr(self.values, "dtype", None) == np.float64
        return "real" if self.is_zscore or is_real else self.measure.number

    @property
    def of_topics(self) -> list[Any] | None:
        """The values as Python has them, None for a topic without; None altogether where ``values`` is."""
        if self.values is None or self.has_value is None:
            return None if self.values is None else as_list(self.values)
        pairs = zip(as_list(self.values), self.has_value.tolist(), strict=True)
        return [value if has_value else None for value, has_value in pairs]


def summarised(
    column: TopicColumn,
    topics: Sequence[bytes],
    population: Population,
    zscores: Zscores | None,
    *,
    complete: bool,
    summed: bool,
) -> Column:
    """Return the values of a run under one name with their summary, as z-scores where these are asked for.

    Parameters
    ----------
    topics : those of the values, ascending.
    population : of a measure that has a value for every topic.
    zscores : what to convert values with; None for the values themselves.
    complete : whether the summary is over all judged topics (``-c``).
    summed : whether there is to be a summary: not where some topic could not be evaluated.
    """
    measure, values, has_value = column.measure, column.values, column.has_value
    if has_value is not None:
        values = None if values is None else np.asarray(values)[has_value]
        topics = tuple(topic for topic, has in zip(topics, has_value.tolist(), strict=True) if has)
    of_all = values if column.of_all_judged is None else column.of_all_judged
    is_zscore = zscores is not None and measure.number != "text"
    summarise, summary, n_averaged = measure.summary, None, 0
    if zscores and is_zscore:
        values, summarise = zscores.of(column.name, values, summarise, topics)
        of_all = values
    if summarise and summed:
        of_these = population_of_values(
            population,
            complete=complete,
            more_relevant=0 if column.more_relevant is None else column.more_relevant.sum().item(),
            n_with_value=None if has_value is None else int(np.count_nonzero(has_value)),
            n_judged_with_value=column.n_judged_with_value,
        )
        with np.errstate(all="ignore"):
            summary, n_averaged = summarise([] if of_all is None else of_all, of_these), of_these.n_topics
    if values is not None and has_value is not None:
        found = np.full(has_value.size, np.nan)
        found[has_value] = values
        values = found
    return Column(column.name, measure, values, summary, has_value, is_zscore, n_averaged)


def population_of_values(
    population: Population,
    *,
    complete: bool,
    more_relevant: float,
    n_with_value: int | None,
    n_judged_with_value: int | None,
) -> Population:
    """Return the population of a measure, some topics of which may have no value, and whose reading may add documents.

    Parameters
    ----------
    population : of a measure that has a value for every topic.
    complete : whether all judged topics count (``-c``).
    more_relevant : how many documents the reading makes relevant, where they add to the judgments that ``-c`` counts.
    n_with_value : how many topics have a value; None where all have one.
    n_judged_with_value : how many of all judged topics have one.
    """
    if more_relevant and population.n_relevant is not None:
        population = replace(population, n_relevant=population.n_relevant + more_relevant)
    if n_with_value is None or n_judged_with_value is None:
        return population
    n_topics = n_judged_with_value if complete else n_with_value
    return replace(population, n_topics=n_topics, n_evaluated=n_with_value)


def named_as_asked(columns: Sequence[Column], asked: Mapping[str, str]) -> tuple[Column, ...]:
    """Return columns named and ordered as they were asked for (``--names asked``).

    One that was asked for by two names is there twice.

    Parameters
    ----------
    columns : one for each printed name that has a value.
    asked : as ``Selection.asked`` has it.
    """
    by_name = {column.name: column for column in columns}
    return tuple(replace(by_name[printed], name=spelling) for spelling, printed in asked.items() if printed in by_name)

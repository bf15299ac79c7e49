"""Columns: the values of a measure under one printed name, with summary and confidence interval."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError
from irevalx.evaluation.topic_values import TopicColumn
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.measures.declaration import Measure
from irevalx.measures.summaries import LEAST, Population, Values, add_up, as_list, geometric_mean, mean
from irevalx.wording import spelled

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores
    from irevalx.statistics.clusters import Clusters
    from irevalx.statistics.confidence_intervals import MeanIntervals


class Column(Frozen):
    """The topic values and the summary of a measure that are printed under one name."""

    name: str
    measure: Measure
    values: Values | None
    """The value of each topic, or None if the measure has a value only in the `all` row."""
    summary: float | int | bytes | None
    """The value in the `all` row, or None if the measure has no value in this row or a topic could not be evaluated."""
    has_value: BoolArray | None = None
    """Whether each topic has a value, or None if all topics have a value. The values of other topics are NaN. The shape
    is (n_topics,)."""
    is_zscore: bool = False
    """Whether the values are z-scores, which are real numbers even if the measure is a count."""
    n_averaged: int = 0
    """The number of topics that the summary covers, including missing topics."""

    @property
    def number(self) -> str:
        """The format for printing the values: real, integer or text. Expected values of counts are real."""
        is_real = self.measure.number == "integer" and getattr(self.values, "dtype", None) == np.float64
        return "real" if self.is_zscore or is_real else self.measure.number

    def of_topics(self, which: slice = slice(None)) -> list[Any]:
        """Return the values of topics as Python objects. The value of a topic without a value is None.

        The list is empty if the measure has no topic values.
        """
        values = [] if self.values is None else as_list(self.values[which])
        if self.has_value is None:
            return values
        return [
            value if has_value else None
            for value, has_value in zip(values, self.has_value[which].tolist(), strict=True)
        ]


def population_of_values(
    population: Population,
    *,
    complete: bool,
    more_relevant: float,
    n_with_value: int | None,
    n_judged_with_value: int | None,
) -> Population:
    """Return the population for a measure, which can have more relevant documents or fewer topics with values."""
    # ``more_relevant`` is the number of unjudged documents that the measure treats as relevant.
    if more_relevant and population.n_relevant is not None:
        population = replace(population, n_relevant=population.n_relevant + more_relevant)
    if n_with_value is None or n_judged_with_value is None:
        return population
    n_topics = n_judged_with_value if complete else n_with_value
    return replace(population, n_topics=n_topics, n_evaluated=n_with_value)


class Summaries(Frozen, kw_only=True):
    """The data from which the `all` row of a run is computed."""

    columns: tuple[TopicColumn, ...]
    """The topic values of each measure, in print order."""
    topics: tuple[bytes, ...]
    """The evaluated topics in ascending byte order."""
    judged: tuple[bytes, ...]
    """All judged topics in ascending byte order. The tuple is empty if a single topic was requested, because there are
    no groups of topics in this case."""
    population: Population
    """The population to summarise, with all evaluated topics."""
    relevant: IntArray | FloatArray | None
    """The number of relevant documents of each judged topic, or None if no summary requires it. The shape is
    (n_judged,)."""
    zscores: Zscores | None
    """The converter of values to z-scores, or None if values are not converted."""
    complete: bool
    """Whether summaries cover all judged topics (``-c``)."""
    requested: Mapping[str, str] | None
    """The printed name for each requested name, or None if columns keep their printed names."""

    def summarised(self, *, summed: bool = True) -> tuple[Column, ...]:
        """Return the columns under the requested names and in the requested order, with summaries if ``summed``."""
        with np.errstate(all="ignore"):
            columns = tuple([self._summarised(column, summed=summed) for column in self.columns])
        if self.requested is None:
            return columns
        known = {column.name: column for column in columns}
        return tuple(replace(known[printed], name=name) for name, printed in self.requested.items() if printed in known)

    def _summarised(self, column: TopicColumn, *, summed: bool) -> Column:
        """Return a column with its summary. If z-scores were requested, values are converted."""
        measure, values, has_value, topics = column.measure, column.values, column.has_value, self.topics
        if has_value is not None:
            values = None if values is None else np.asarray(values)[has_value]
            topics = tuple(compress(topics, has_value.tolist()))
        of_all = values if column.of_all_judged is None else column.of_all_judged
        is_zscore = self.zscores is not None and measure.number != "text"
        summarise, summary, n_averaged = measure.summary, None, 0
        if self.zscores and is_zscore:
            values, summarise = self.zscores.of(column.name, values, summarise, topics)
            of_all = values
        if summarise and summed:
            of_these = population_of_values(
                self.population,
                complete=self.complete,
                more_relevant=0 if column.more_relevant is None else column.more_relevant.sum().item(),
                n_with_value=None if has_value is None else int(np.count_nonzero(has_value)),
                n_judged_with_value=column.n_judged_with_value,
            )
            summary, n_averaged = summarise([] if of_all is None else of_all, of_these), of_these.n_topics
        if values is not None and has_value is not None:
            spread = np.full(has_value.size, np.nan)
            spread[has_value] = values
            values = spread
        return Column(column.name, measure, values, summary, has_value, is_zscore, n_averaged)

    @cached_property
    def _places(self) -> tuple[dict[bytes, int], dict[bytes, int]]:
        """The index of each topic among the evaluated topics, and among the judged topics, as two dictionaries."""
        evaluated, judged = (
            {topic: place for place, topic in enumerate(topics)} for topics in (self.topics, self.judged)
        )
        return evaluated, judged

    def of_group(self, group: Collection[bytes]) -> Summaries:
        """Return the data for a group of topics, as if no other topics had been judged."""
        evaluated, judged = (
            np.array(sorted(place for topic in group if (place := places.get(topic)) is not None), np.int64)
            for places in self._places
        )
        topics = tuple(self.topics[place] for place in evaluated.tolist())
        relevant = None if self.relevant is None else self.relevant[judged]
        return replace(
            self,
            columns=tuple(column.of_topics(evaluated, judged) for column in self.columns),
            topics=topics,
            judged=tuple(self.judged[place] for place in judged.tolist()),
            population=Population(
                tag=self.population.tag,
                n_topics=judged.size if self.complete else len(topics),
                n_evaluated=len(topics),
                n_relevant=None if relevant is None else add_up(0, relevant),
            ),
            relevant=relevant,
        )


Ends: TypeAlias = tuple[float, float]
"""The lower and the upper bound of an interval."""


def intervals_of(columns: Sequence[Column], how: MeanIntervals, clusters: Clusters | None = None) -> dict[str, Ends]:
    """Return the confidence interval of each summary that is a mean, as a dictionary with printed names as keys.

    Undefined bounds are NaN. ``clusters`` must contain the evaluated topics, followed by the topics without results
    that are included in means.
    """
    tested = {column.name: values for column in columns if (values := averaged_values(column)) is not None}
    proportions = {column.name for column in columns if is_proportion(column, how)}
    of_means = {} if clusters is None else {column.name: clusters_of(column, clusters) for column in columns}
    alike: dict[Any, list[str]] = {}  # the names of measures that are computed together
    for name in [name for name in tested if name not in proportions]:
        alike.setdefault(name if of_means else tested[name].size, []).append(name)
    ends: dict[str, Ends] = {}
    if proportions:
        from irevalx.statistics.proportions import UNDEFINED, proportion_interval

        for name in proportions:
            successes: FloatArray = tested[name]
            units: FloatArray = np.ones(successes.size)
            if (of_mean := of_means.get(name)) is not None:
                successes, units = of_mean.sums(successes), of_mean.sizes.astype(np.float64)
            is_known = of_mean is None or not of_mean.are_too_few
            ends[name] = proportion_interval(successes, units, how.confidence) if is_known else UNDEFINED
    for names in alike.values():
        intervals = how.of(np.stack([tested[name] for name in names]), of_means.get(names[0]))
        ends.update({name: (low, high) for name, (low, high) in zip(names, intervals.tolist(), strict=True)})
    for column in columns:  # the intervals of geometric means are logarithmic
        if column.name in ends and column.measure.summary is geometric_mean:
            low, high = np.exp(ends[column.name]).tolist()
            ends[column.name] = low, high
    return {column.name: ends[column.name] for column in columns if column.name in ends}


def clusters_of(column: Column, clusters: Clusters) -> Clusters | None:
    """Return the clusters of the topics over which a column is averaged, or None if the column has no mean.

    Raise InputError if the mean includes topics without results and the measure has no value for some topics, because
    the number of averaged topics is then unknown.
    """
    values = averaged_values(column)
    if values is None:
        return None
    is_averaged = np.ones(clusters.codes.size, np.bool_)
    if column.has_value is not None:
        is_averaged[: column.has_value.size] = column.has_value
    if np.count_nonzero(is_averaged) != values.size:
        raise InputError(
            f"{column.name} has no value for some topics, so that its cluster-robust interval cannot include topics "
            f"without results; leave out {spelled('complete', True)}"
        )
    return clusters.of_topics(is_averaged)


def is_mean(column: Column) -> bool:
    """Return whether the summary is a mean over topics. Only means have confidence intervals."""
    return column.summary is not None and column.values is not None and column.measure.summary in {mean, geometric_mean}


def is_proportion(column: Column, how: MeanIntervals) -> bool:
    """Return whether the mean is a proportion for which Wilson's interval is computed.

    By definition, the values of the measure must be 0 or 1. The result is False for z-scores, and for expected values
    (``--ties expected``, probabilities as grades) if they are fractions.
    """
    if not (how.wilson and column.measure.value_range.only_bounds) or column.is_zscore:
        return False
    values = averaged_values(column)
    return values is not None and bool(((values == 0) | (values == 1)).all())


def why_no_interval(column: Column, how: MeanIntervals) -> str | None:
    """Return why a mean over topics has no interval, or None if there is an interval or fewer than two topics."""
    values = averaged_values(column)
    if values is None or values.size < 2 or is_proportion(column, how):
        return None
    if not np.isfinite(values).all():
        return "not all values are finite"
    return f"all {values.size} topics have the same value" if (values == values[0]).all() else None


def averaged_values(column: Column) -> FloatArray | None:
    """Return the values whose mean is the summary, including missing topics, or None if it is not a mean."""
    summary = column.measure.summary
    if summary is None or not is_mean(column):
        return None
    numbers = np.asarray(column.values)[... if column.has_value is None else column.has_value]
    scaled = np.asarray(numbers if column.is_zscore else summary.scale(numbers), np.float64)
    n_missing = max(0, column.n_averaged - scaled.size)
    missing = np.log(LEAST) if summary is geometric_mean else 0.0
    return np.concatenate((scaled, np.full(n_missing, missing)))

"""The `all` rows of a run: of all of its topics, or of those of a group, with confidence intervals."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.evaluation.columns import Column, named_as_asked, summarised
from irevalx.evaluation.topic_values import TopicColumn
from irevalx.frozen import Frozen, replace
from irevalx.measures.summary import LEAST, Population, add_up, geometric_mean, mean

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores
    from irevalx.statistics.mean_intervals import MeanIntervals


class Summaries(Frozen, kw_only=True):
    """What the `all` rows of a run are made of.

    Parameters
    ----------
    columns : the values of the topics, in print order.
    topics : those evaluated, ascending in byte order.
    judged : all judged topics, likewise; none where only one was to be evaluated, which has no groups.
    population : of all topics.
    relevant : shape (n_judged,); the documents that count as relevant, where the summaries count them; otherwise None.
    zscores : what to convert values with; None for the values themselves.
    complete : whether the summaries are over all judged topics (``-c``).
    asked : what values are called as they were asked for, and the names they are printed under; None for these.
    """

    columns: tuple[TopicColumn, ...]
    topics: tuple[bytes, ...]
    judged: tuple[bytes, ...]
    population: Population
    relevant: IntArray | FloatArray | None
    zscores: Zscores | None
    complete: bool
    asked: Mapping[str, str] | None

    def summarised(self, *, summed: bool = True) -> tuple[Column, ...]:
        """Return the values with their summaries; without these, where they are not to be made."""
        found = [
            summarised(column, self.topics, self.population, self.zscores, complete=self.complete, summed=summed)
            for column in self.columns
        ]
        return tuple(found) if self.asked is None else named_as_asked(found, self.asked)

    def of_group(self, group: Container[bytes]) -> Summaries:
        """Return what the summaries of a group of topics are made of: what they would be if no other one was judged."""
        evaluated, judged = (np.array([one in group for one in some], np.bool_) for some in (self.topics, self.judged))
        topics = tuple(topic for topic in self.topics if topic in group)
        relevant = None if self.relevant is None else self.relevant[judged]
        return replace(
            self,
            columns=tuple(_of_topics(column, evaluated, judged) for column in self.columns),
            topics=topics,
            judged=tuple(topic for topic in self.judged if topic in group),
            population=Population(
                tag=self.population.tag,
                n_topics=int(judged.sum()) if self.complete else len(topics),
                n_evaluated=len(topics),
                n_relevant=None if relevant is None else add_up(0, relevant),
            ),
            relevant=relevant,
        )


def _of_topics(column: TopicColumn, evaluated: BoolArray, judged: BoolArray) -> TopicColumn:
    """Return the values of some topics.

    Parameters
    ----------
    evaluated, judged : which of the topics with values, and which of all judged topics.
    """

    def some(values: Any, which: BoolArray) -> Any:
        return list(compress(values, which.tolist())) if isinstance(values, list) else values[which]

    of = {"values": evaluated, "has_value": evaluated, "more_relevant": evaluated}
    of |= {"judged_with_value": judged, "of_all_judged": judged}
    kept = {name: some(getattr(column, name), which) for name, which in of.items() if getattr(column, name) is not None}
    return replace(column, **kept)


Ends: TypeAlias = tuple[float, float]
"""The lower and the upper end of an interval."""


def intervals_of(columns: Sequence[Column], how: MeanIntervals) -> dict[str, Ends]:
    """Return the intervals of those summaries that are means, by printed name; nan where there is none.

    Geometric means have theirs on the scale of logarithms.
    """
    tested = {column.name: values for column in columns if (values := _averaged(column)) is not None}
    by_size: dict[int, list[str]] = {}
    for name, values in tested.items():
        by_size.setdefault(values.size, []).append(name)
    ends: dict[str, Ends] = {}
    for names in by_size.values():
        found = how.of(np.stack([tested[name] for name in names]))
        ends.update({name: (low, high) for name, (low, high) in zip(names, found.tolist(), strict=True)})
    for column in columns:
        if column.name in ends and column.measure.summary is geometric_mean:
            low, high = np.exp(ends[column.name]).tolist()
            ends[column.name] = low, high
    return {column.name: ends[column.name] for column in columns if column.name in ends}


def is_mean(column: Column) -> bool:
    """Return whether the summary is a mean of the values of topics, so that it has an interval."""
    return column.summary is not None and column.values is not None and column.measure.summary in {mean, geometric_mean}


def _averaged(column: Column) -> FloatArray | None:
    """Return what the summary of a measure is the mean of: shape (n_averaged,); None where it is no mean."""
    summary = column.measure.summary
    if summary is None or not is_mean(column):
        return None
    numbers = np.asarray(column.values)[... if column.has_value is None else column.has_value]
    scaled = np.asarray(numbers if column.is_zscore else summary.scale(numbers), np.float64)
    n_missing = max(0, column.n_averaged - scaled.size)
    missing = np.log(LEAST) if summary is geometric_mean else 0.0
    return np.concatenate((scaled, np.full(n_missing, missing)))

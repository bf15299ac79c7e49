"""The evaluation of a run over several collections, computed from the evaluation on each collection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irevalx.evaluation.columns import Column, Ends, averaged_values, clusters_of
from irevalx.evaluation.evaluate import Evaluation, averaged_topics, renamed
from irevalx.measures.summaries import add_up, geometric_mean, mean, root_of_squares, run_tag
from irevalx.process.platform import as_bytes

if TYPE_CHECKING:
    from irevalx.statistics.confidence_intervals import MeanIntervals


def over_collections(run: str, parts: Mapping[str, Evaluation], *, is_complete: bool) -> Evaluation:
    """Return the evaluation of a run over collections, given the run's evaluation on each collection.

    A mean over topics is averaged over collections, so that all collections have equal weight; counts are added. If
    ``is_complete`` is false, the run is missing for a collection, and the result contains no values over collections.
    """
    name = as_bytes(run)
    parts = {collection: renamed(part, name) for collection, part in parts.items()}
    by_name: dict[str, list[Column]] = {}
    for part in parts.values():
        for column in part.columns:
            by_name.setdefault(column.name, []).append(column)
    columns = [
        Column(columns[0].name, columns[0].measure, None, _over(columns, name) if has_all else None)
        for columns in by_name.values()
        for has_all in (is_complete and len(columns) == len(parts),)
    ]
    return Evaluation(run=name, path="", topics=(), columns=tuple(columns), parts=parts)


def is_averaged(column: Column) -> bool:
    """Return whether a summary is averaged over collections. Other summaries are sums or run names."""
    return column.measure.summary in {mean, geometric_mean}


def mean_over(values: Sequence[float]) -> float:
    """Return the mean over collections, which have equal weight."""
    return math.fsum(values) / len(values)


def _over(columns: list[Column], run: bytes) -> float | int | bytes | None:
    """Combine the summaries of each collection to a summary over all collections, or None if one is missing."""
    summary = columns[0].measure.summary
    if summary is run_tag:
        return run
    values = [column.summary for column in columns if isinstance(column.summary, int | float)]
    if len(values) < len(columns):
        return None
    if is_averaged(columns[0]):
        return mean_over(values)
    if summary is root_of_squares:
        return math.hypot(*values)
    return add_up(0, np.asarray(values))


def intervals_over(evaluation: Evaluation, how: MeanIntervals) -> dict[str, Ends]:
    """Return the confidence interval of each mean over collections, by printed name. Undefined bounds are NaN.

    The intervals treat topics, but not collections, as a random sample. Geometric means have no interval.
    """
    from irevalx.statistics.collection_means import on_these_collections

    parts = evaluation.parts.values()
    of_topics = [how.clusters_of(averaged_topics(part)) for part in parts]
    ends = {}
    for column in evaluation.columns:
        if column.summary is None or column.measure.summary is not mean:
            continue
        of_parts = [next(each for each in part.columns if each.name == column.name) for part in parts]
        values = [each for of_part in of_parts if (each := averaged_values(of_part)) is not None and each.size]
        if len(values) == len(of_parts):
            clusters = [each and clusters_of(of_part, each) for of_part, each in zip(of_parts, of_topics, strict=True)]
            estimate = on_these_collections([of_part[np.newaxis] for of_part in values], clusters)
            [low], [high] = estimate.interval(1 - how.confidence)
            ends[column.name] = float(low), float(high)
    return ends

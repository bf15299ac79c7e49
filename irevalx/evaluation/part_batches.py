"""Parts of an evaluation as record batches of pyarrow, for an engine that takes them from one worker to another.

A batch of scores has the columns run, topic, values and counts. A row with a topic has its values, null where there is
none; a row without a topic has the counts of a run in a part, or of the judgments where it has no run either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray
from irevalx.evaluation.parts import N_COUNTED, Fold, NamedMeasures, Part
from irevalx.reading.tables.topic_blocks import starts

Batch: TypeAlias = Any
"""A record batch of pyarrow."""

TOPICS_AT_ONCE = 10_000
"""So many topics are in a batch of scores at most."""


def score_batches(part: Part, names: Sequence[str]) -> Iterator[Batch]:
    """Yield the scores of a part.

    Parameters
    ----------
    names : of its runs.
    """
    pa = import_module("pyarrow")
    runs = pa.array([*names, None], pa.string())
    for first in range(0, len(part.topics), TOPICS_AT_ONCE):
        some = slice(first, first + TOPICS_AT_ONCE)
        topics = pa.array(part.topics[some], pa.binary()).cast(pa.string())
        values = _lists(part.values[some], part.has_value[some])
        counts = pa.nulls(len(topics), pa.list_(pa.int64()))
        yield _batch(run=runs.take(pa.array(part.run[some])), topic=topics, values=values, counts=counts)
    counts = _lists(np.vstack((part.of_runs, part.of_judgments)))
    values = pa.nulls(len(runs), pa.list_(pa.float64()))
    yield _batch(run=runs, topic=pa.nulls(len(runs), pa.string()), values=values, counts=counts)


def total_batches(batches: Iterable[Batch], measures: NamedMeasures) -> Iterator[Batch]:
    """Yield what runs come to: a row a run with the fields of ``parts.WholeRun``, and one without run for judgments.

    Parameters
    ----------
    batches : scores of all parts, those of a run together and its topics in ascending order.
    measures : that the values are of.
    """
    pa = import_module("pyarrow")
    folds: dict[str | None, Fold] = {}
    for batch in batches:
        ends = [*starts(batch.column("run")), len(batch)]
        for first, end in zip([0, *ends], ends, strict=False):
            some = batch.slice(first, end - first)
            fold = folds.setdefault(some.column("run")[0].as_py(), Fold(measures))
            values, counts = some.column("values"), some.column("counts").flatten().to_numpy()
            of_topics = values.flatten()
            shape = len(values) - values.null_count, len(measures)
            has_value = of_topics.is_valid().to_numpy(zero_copy_only=False).reshape(shape)
            fold.add(of_topics.to_numpy(zero_copy_only=False).reshape(shape), has_value)
            fold.counts += counts.reshape(-1, N_COUNTED + len(measures)).sum(axis=0)
    every = folds.values()
    yield _batch(
        name=pa.array(list(folds), pa.string()),
        n_topics=pa.array([fold.n_topics for fold in every], pa.int64()),
        totals=pa.array([list(map(float, fold.totals)) for fold in every], pa.list_(pa.float64())),
        n_with_value=pa.array([fold.n_with_value.tolist() for fold in every], pa.list_(pa.int64())),
        counts=pa.array([fold.counts.tolist() for fold in every], pa.list_(pa.int64())),
    )


def _batch(**columns: Any) -> Batch:
    return import_module("pyarrow").RecordBatch.from_pydict(columns)


def _lists(rows: AnyArray, present: BoolArray | None = None) -> Any:
    """Return the rows of a matrix as lists; what is not present is null."""
    pa = import_module("pyarrow")
    n_rows, width = rows.shape
    flat = pa.array(rows.ravel(), mask=None if present is None else ~present.ravel())
    return pa.ListArray.from_arrays(pa.array(width * np.arange(n_rows + 1), pa.int32()), flat)

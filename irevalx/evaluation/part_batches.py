"""Parts of an evaluation as record batches of pyarrow, for an engine that takes them from one worker to another.

A batch of scores has the columns run, topic, topics, scores, counts and example. Most rows are pieces: some topics of a
run in ascending order, the first of them by name, and their scores. A row without a topic has counts and an example of
a run in a part, or of the judgments where it has no run either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import groupby, pairwise
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import AnyArray, IntArray, Segments
from irevalx.evaluation.parts import Fold, NamedMeasures, Part
from irevalx.frozen import Frozen
from irevalx.reading.tables.packed_columns import encoded, packed, starts, unpacked

Batch: TypeAlias = Any
"""A record batch of pyarrow."""

PIECE_BYTES = 4096
"""The scores of a piece take so many bytes at most, or are those of one topic."""

PIECES_AT_ONCE = 1000
"""So many pieces are put in order together, with those before them that go on."""


def score_batches(part: Part, names: Sequence[str]) -> Iterator[Batch]:
    """Yield the scores of a part.

    Parameters
    ----------
    names : of its runs.
    """
    pa = import_module("pyarrow")
    runs = pa.array([*names, None], pa.string())
    scores = Scores.of(part)
    of_runs = Segments.of_lengths(np.diff(np.append(starts(part.run), part.run.size)))
    first = np.flatnonzero(of_runs.position % max(1, PIECE_BYTES // scores.table.itemsize) == 0)
    bounds = np.append(first, part.run.size)
    topics, ends = unpacked(scores.topics)
    yield _batch(
        run=runs.take(pa.array(part.run[first])),
        topic=scores.topics.take(pa.array(first)).cast(pa.string()),
        topics=packed(topics, ends[bounds]),
        scores=packed(scores.table, bounds),
        counts=pa.nulls(first.size, pa.list_(pa.int64())),
        example=pa.nulls(first.size, pa.list_(pa.string())),
    )
    yield _batch(
        run=runs,
        topic=pa.nulls(len(runs), pa.string()),
        topics=pa.nulls(len(runs), pa.binary()),
        scores=pa.nulls(len(runs), pa.binary()),
        counts=pa.array(np.vstack((part.of_runs, part.of_judgments)).tolist(), pa.list_(pa.int64())),
        example=pa.array(part.examples, pa.list_(pa.string())),
    )


def value_batches(batches: Iterable[Batch], n_values: int) -> Iterator[Batch]:
    """Yield the values of topics: batches with the columns run, topic and values, null where there is none.

    Parameters
    ----------
    batches : scores.
    n_values : of a topic.
    """
    pa = import_module("pyarrow")
    for batch in batches:
        pieces = _pieces(batch)
        scores, rows = Scores.of_pieces(pieces, n_values)
        values = pa.array(scores.table["value"].ravel(), mask=~scores.table["has_value"].ravel())
        bounds = pa.array(n_values * np.arange(rows.size + 1), pa.int32())
        yield _batch(
            run=pieces.column("run").take(pa.array(rows.ids)),
            topic=scores.topics.cast(pa.string()),
            values=pa.ListArray.from_arrays(bounds, values),
        )


def total_batches(batches: Iterable[Batch], measures: NamedMeasures) -> Iterator[Batch]:
    """Yield what runs come to: a row a run with the fields of ``parts.WholeRun``, and one without run for judgments.

    Parameters
    ----------
    batches : scores of all parts, those of a run together and its pieces by ascending first topic.
    measures : that the values are of.
    """
    pa = import_module("pyarrow")
    folds: dict[str | None, Fold] = {}
    for run, of_run in groupby(_by_run(batches), lambda batch: batch.column("run")[0].as_py()):
        fold = folds[run] = Fold(measures)
        for some in ascending(_counted(of_run, fold), len(measures)):
            fold.add(some.table["value"], some.table["has_value"])
    every = folds.values()
    yield _batch(
        name=pa.array(list(folds), pa.string()),
        n_topics=pa.array([fold.n_topics for fold in every], pa.int64()),
        totals=pa.array([list(map(float, fold.totals)) for fold in every], pa.list_(pa.float64())),
        n_with_value=pa.array([fold.n_with_value.tolist() for fold in every], pa.list_(pa.int64())),
        counts=pa.array([fold.counts.tolist() for fold in every], pa.list_(pa.int64())),
        example=pa.array([fold.example for fold in every], pa.list_(pa.string())),
    )


def ascending(batches: Iterable[Batch], n_values: int) -> Iterator[Scores]:
    """Yield the scores of all topics in ascending order.

    No more is kept than pieces that may go on behind the beginning of others: in each part, that is one.

    Parameters
    ----------
    batches : pieces by ascending first topic.
    n_values : of a topic.
    """
    kept: list[Scores] = []
    for batch in batches:
        scores, pieces = Scores.of_pieces(batch, n_values)
        latest = sum(one.table.size for one in kept) + int(pieces.offsets[-2])
        both = Scores.joined([*kept, scores])
        order = both.ascending_order()
        # What comes with the next pieces is behind the beginning of the latest one.
        n_known = 1 + int(np.flatnonzero(order == latest)[0])
        yield both.take(order[:n_known])
        kept = [both.take(order[n_known:])]
    yield from kept


class Scores(Frozen):
    """The scores of n topics.

    Parameters
    ----------
    topics : an array of pyarrow, of bytes; length n.
    table : shape (n,), with the length of each topic, and values and whether they are there, as ``Part`` has them.
    """

    topics: Any
    table: AnyArray

    @classmethod
    def of(cls, part: Part) -> Scores:
        """Return the scores of a part."""
        pa = import_module("pyarrow")
        table = np.zeros(len(part.topics), _table_type(part.values.shape[1]))
        table["length"] = [len(topic) for topic in part.topics]
        table["value"], table["has_value"] = part.values, part.has_value
        return cls(pa.array(part.topics, pa.binary()), table)

    @classmethod
    def of_pieces(cls, pieces: Batch, n_values: int) -> tuple[Scores, Segments]:
        """Return the scores of pieces, and which of them each piece has."""
        table_type = _table_type(n_values)
        scores, ends = unpacked(pieces.column("scores"))
        table = scores.view(table_type)
        bounds = Segments.of_lengths(table["length"]).offsets
        topics, _ = unpacked(pieces.column("topics"))
        return cls(packed(topics, bounds), table), Segments(ends // table_type.itemsize)

    @classmethod
    def joined(cls, several: Sequence[Scores]) -> Scores:
        """Return the scores of several."""
        pa = import_module("pyarrow")
        return cls(pa.concat_arrays([one.topics for one in several]), np.concatenate([one.table for one in several]))

    def take(self, places: IntArray) -> Scores:
        """Return the scores of topics at some places."""
        return Scores(self.topics.take(import_module("pyarrow").array(places)), self.table[places])

    def ascending_order(self) -> IntArray:
        """Return the places of the topics in ascending byte order."""
        order: IntArray = import_module("pyarrow.compute").array_sort_indices(self.topics).to_numpy().astype(np.int64)
        return order


def _table_type(n_values: int) -> np.dtype[Any]:
    return np.dtype([("length", "<u4"), ("value", "<f8", (n_values,)), ("has_value", "?", (n_values,))])


def _by_run(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield rows of one run, some at a time."""
    for batch in batches:
        of_runs = Segments.of_lengths(np.diff(np.append(starts(encoded(batch.column("run"))[1]), batch.num_rows)))
        first = np.flatnonzero(of_runs.position % PIECES_AT_ONCE == 0).tolist()
        for begin, end in pairwise([*first, batch.num_rows]):
            yield batch.slice(begin, end - begin)


def _counted(batches: Iterable[Batch], fold: Fold) -> Iterator[Batch]:
    """Yield pieces, and add the counts in other rows to a fold."""
    for batch in batches:
        pieces = _pieces(batch)
        if n_counted := batch.num_rows - pieces.num_rows:
            counts = batch.column("counts").flatten().to_numpy().reshape(n_counted, -1)
            fold.count(counts, batch.column("example").to_pylist())
        if pieces.num_rows:
            yield pieces


def _pieces(batch: Batch) -> Batch:
    return batch.filter(batch.column("topic").is_valid())


def _batch(**columns: Any) -> Batch:
    return import_module("pyarrow").RecordBatch.from_pydict(columns)

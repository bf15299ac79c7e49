"""Rows of tables as bundles: some documents of one topic, and of one run, as one row.

An engine that takes rows one by one from place to place takes far fewer of them, and their documents come out as they
went in, without a loop over them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.segments import IntArray, Segments, distinct
from irevalx.frozen import Frozen
from irevalx.reading.tables.packed_columns import encoded, packed, starts, unpacked

Batch: TypeAlias = Any
"""A record batch of pyarrow."""

JUDGED, POOLED, RETRIEVED = range(3)
"""The kinds of rows."""

_NUMBER_COLUMNS = {JUDGED: "grade", RETRIEVED: "score"}

_DOCUMENT = np.dtype([("length", "<u4"), ("number", "<i8")])
"""What a bundle has of a document beside its name: the length of that, and a grade or the bits of a score."""

BUNDLE_SIZE = 64
"""So many documents are in a bundle at most: Spark hands ten thousand rows on at once, and these have to be small."""

ROWS_AT_ONCE = 1 << 17
"""Among so many rows those of the same topic are brought together."""


def bundles_of(batches: Iterable[Batch], kind: int, the_run: str) -> Iterator[Batch]:
    """Yield rows as bundles: batches with the columns kind, run, topic, docnos and documents.

    Parameters
    ----------
    batches : with the columns topic and docno; of judgments also grade, of int64, and of results score, of float64, and
        run if there are several. They hold no nulls.
    kind : of the rows.
    the_run : what the run is called if there is one.
    """
    pa = import_module("pyarrow")
    for batch in _many_rows(batches):
        rows, codes = _grouped(batch)
        of_topics = Segments.of_lengths(np.diff(np.append(starts(codes), codes.size)))
        first = np.flatnonzero(of_topics.position % BUNDLE_SIZE == 0)
        bounds = np.append(first, codes.size)
        docnos, ends = unpacked(rows.column("docno"))
        documents = np.zeros(codes.size, _DOCUMENT)
        documents["length"] = np.diff(ends)
        if kind in _NUMBER_COLUMNS:
            documents["number"] = rows.column(_NUMBER_COLUMNS[kind]).to_numpy().view(np.int64)
        places = pa.array(first)
        columns = {
            "kind": pa.array(np.full(first.size, kind, np.int8)),
            "run": rows.column("run").take(places) if "run" in rows.schema.names else pa.repeat(the_run, first.size),
            "topic": rows.column("topic").take(places),
            "docnos": packed(docnos, ends[bounds]),
            "documents": packed(documents, bounds),
        }
        yield pa.RecordBatch.from_pydict(columns)


def _many_rows(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield the same rows in batches of ``ROWS_AT_ONCE`` or some more."""
    pa = import_module("pyarrow")
    some: list[Batch] = []
    for batch in batches:
        some.append(batch)
        if sum(one.num_rows for one in some) >= ROWS_AT_ONCE:
            yield from pa.Table.from_batches(some).combine_chunks().to_batches()
            some.clear()
    if some:
        yield from pa.Table.from_batches(some).combine_chunks().to_batches()


def _grouped(batch: Batch) -> tuple[Batch, IntArray]:
    """Return the rows of a batch, those of each topic and run together, and for each row a number of the two."""
    topics, codes = encoded(batch.column("topic"))
    n_different = len(topics)
    if "run" in batch.schema.names:
        runs, run = encoded(batch.column("run"))
        codes = codes * len(runs) + run
        n_different = distinct(codes).size
    if starts(codes).size == n_different:
        return batch, codes
    order = codes.argsort(kind="stable")
    return batch.take(import_module("pyarrow").array(order)), codes[order]


def sizes(batch: Batch) -> IntArray:
    """Return how many documents the bundles of a batch have."""
    return np.diff(unpacked(batch.column("documents"))[1]) // _DOCUMENT.itemsize


class Documents(Frozen):
    """The documents of n bundles.

    Parameters
    ----------
    bundles : one row a bundle.
    docnos : flat.
    numbers : flat; grades, or the bits of scores.
    """

    bundles: Segments
    docnos: Names
    numbers: IntArray

    @classmethod
    def of(cls, batches: Sequence[Batch]) -> Documents:
        """Return the documents of all bundles of some batches."""
        documents = np.concatenate([unpacked(batch.column("documents"))[0].view(_DOCUMENT) for batch in batches])
        padding = np.zeros(PADDING, np.uint8)
        docnos = np.concatenate([padding, *(unpacked(batch.column("docnos"))[0] for batch in batches), padding])
        length = documents["length"].astype(np.int64)
        return cls(
            bundles=Segments.of_lengths(np.concatenate([sizes(batch) for batch in batches])),
            docnos=Names(docnos, PADDING + np.cumsum(length) - length, length),
            numbers=documents["number"].copy(),
        )

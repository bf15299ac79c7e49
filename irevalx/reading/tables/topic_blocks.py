"""Judgments, pool and runs in one table whose rows are grouped by topic: blocks of whole topics, and what is in them.

The table comes as record batches of pyarrow with the columns kind, run, topic, docno, grade and score, without nulls. A
row has what its kind needs, and anything in the other columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import AnyArray, IntArray, Segments
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import with_pool
from irevalx.reading.entries import Entries
from irevalx.reading.runs import Results
from irevalx.reading.tables.arrow_streams import batch_of_pyarrow
from irevalx.trec_eval.versions import Compat

Batch: TypeAlias = Any
"""A record batch of pyarrow."""

JUDGED, POOLED, RETRIEVED = range(3)
"""The kinds of rows."""

_NOTHING = np.empty(0, np.int64)


def starts(column: Any) -> list[int]:
    """Return the places of an array of pyarrow, but the first, that hold another value than the place before."""
    codes = column.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
    found: list[int] = (np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist()
    return found


def blocks_of_topics(batches: Iterable[Batch], least: int) -> Iterator[list[Batch]]:
    """Yield batches of whole topics: of at least so many rows, but the last, and of no more topics than that takes."""
    block: list[Batch] = []
    size, last = 0, None
    for batch in batches:
        if not batch.num_rows:
            continue
        topics = batch.column("topic")
        first = 0
        for start in [*([0] if topics[0].as_py() != last else []), *starts(topics)]:
            if size + start - first >= least:
                block.append(batch.slice(first, start - first))
                yield block
                block, size, first = [], 0, start
        block.append(batch.slice(first))
        size += batch.num_rows - first
        last = topics[-1].as_py()
    if block:
        yield block


def read_block(
    block: list[Batch], runs: Sequence[str], compat: Compat, *, strict: bool
) -> tuple[Judgments, dict[str, Results]]:
    """Return the judgments of a block, with its pool, and what runs have retrieved, by their names.

    Parameters
    ----------
    block : emptied, so that its memory is free when it has been read.
    runs : those that are returned even if they have retrieved nothing.
    strict : refuse scores that are not finite numbers.

    Raises
    ------
    OddNumberError : under ``strict``.
    """
    import pyarrow as pa

    table = pa.Table.from_batches(block)
    docnos = Names.joined([batch_of_pyarrow(batch.select(["docno"])).columns[0].all_names for batch in block])
    block.clear()
    topics, topic = _encoded(table.column("topic"))
    names, group = _encoded(table.column("run"))
    kind = table.column("kind").to_numpy()
    group = np.where(kind == RETRIEVED, RETRIEVED + group, kind).astype(np.min_scalar_type(RETRIEVED + len(names)))
    sizes = np.bincount(group, minlength=RETRIEVED + len(names))
    judged, pooled, *of_names = np.split(np.argsort(group, kind="stable"), np.cumsum(sizes)[:-1])

    def entries(path: str, rows: IntArray, numbers: AnyArray) -> Entries:
        of_rows = topic[rows]
        first = np.flatnonzero(np.append(True, of_rows[1:] != of_rows[:-1])) if rows.size else _NOTHING
        return Entries(
            path,
            tuple(topics[number].encode() for number in of_rows[first].tolist()),
            Segments.of_lengths(np.diff(np.append(first, rows.size))),
            docnos.take(rows),
            numbers,
            np.broadcast_to(np.int64(0), rows.size),
        )

    grades, scores = table.column("grade").to_numpy(), table.column("score").to_numpy()
    judgments = entries("qrels", judged, grades[judged]).judgments()
    if pooled.size:
        judgments = with_pool(judgments, entries("pool", pooled, pooled).pool())
    found = dict.fromkeys(runs, _NOTHING) | {
        name: rows for name, rows in zip(names, of_names, strict=True) if rows.size
    }
    return judgments, {
        name: entries(name, rows, scores[rows]).results(compat, name.encode(), strict=strict)
        for name, rows in found.items()
    }


def _encoded(column: Any) -> tuple[list[str], IntArray]:
    """Return the different strings of a chunked array of pyarrow, and for each row the place of its string in them."""
    encoded = column.dictionary_encode().unify_dictionaries()
    places = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    return encoded.chunk(0).dictionary.to_pylist(), places

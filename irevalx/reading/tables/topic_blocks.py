"""Judgments, pool and runs in one table whose rows are grouped by topic: blocks of whole topics, and what is in them.

The table comes as record batches of pyarrow with the columns kind, run, topic, docno, grade and score, none of them with
nulls. A row has what its kind needs, and anything in the other columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import AnyArray, IntArray
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import with_pool
from irevalx.reading.entries import Entries
from irevalx.reading.runs import Results
from irevalx.reading.tables.arrow_streams import batch_of_pyarrow, chunks_of
from irevalx.reading.tables.tables import joined, read_rows
from irevalx.trec_eval.versions import Compat

Batch: TypeAlias = Any
"""A record batch of pyarrow."""

JUDGED, POOLED, RETRIEVED = range(3)
"""The kinds of rows."""


def starts(column: Any) -> list[int]:
    """Return the places of a pyarrow array, but the first, that hold another value than the place before; or null."""
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
                yield [*block, batch.slice(first, start - first)]
                block, size, first = [], 0, start
        block.append(batch.slice(first))
        size += batch.num_rows - first
        last = topics[-1].as_py()
    if block:
        yield block


def read_block(
    block: Sequence[Batch], runs: Sequence[str], compat: Compat, *, strict: bool
) -> tuple[Judgments, dict[str, Results]]:
    """Return the judgments of a block, with its pool, and what runs have retrieved, by their names.

    Parameters
    ----------
    runs : those that are returned even if they have retrieved nothing.
    strict : refuse scores that are not finite numbers.

    Raises
    ------
    OddNumberError : under ``strict``.
    """
    import pyarrow as pa

    table = pa.Table.from_batches(block)
    kinds = ("names", "names", "grades", "scores")
    chunks = chunks_of(map(batch_of_pyarrow, block), table.column_names, ("topic", "docno", "grade", "score"), "rows")
    topics, docnos, grades, scores = joined([read_rows(chunk, kinds, slice(0, chunk.size)) for chunk in chunks], kinds)
    names, code = _encoded(table.column("run"))
    kind = table.column("kind").to_numpy()
    group = np.where(kind == RETRIEVED, RETRIEVED + code, kind).astype(np.min_scalar_type(RETRIEVED + len(names)))
    sizes = np.bincount(group, minlength=RETRIEVED + len(names))
    order = np.argsort(group, kind="stable")
    judged, pooled, *of_names = np.split(order, np.cumsum(sizes)[:-1])

    def entries(path: str, rows: IntArray, numbers: AnyArray) -> Entries:
        no_lines = np.broadcast_to(np.int64(0), rows.size)
        return Entries.of_rows(path, topics.take(rows), docnos.take(rows), numbers[rows], no_lines)

    judgments = entries("qrels", judged, grades).judgments()
    if pooled.size:
        judgments = with_pool(judgments, entries("pool", pooled, grades).pool())
    nothing = np.empty(0, np.int64)
    found = dict.fromkeys(runs, nothing) | {name: rows for name, rows in zip(names, of_names, strict=True) if rows.size}
    return judgments, {
        name: entries(name, rows, scores).results(compat, name.encode(), strict=strict) for name, rows in found.items()
    }


def _encoded(column: Any) -> tuple[list[str], IntArray]:
    """Return the different strings of a chunked array of pyarrow, and for each row the place of its string in them."""
    encoded = column.dictionary_encode().unify_dictionaries()
    code = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    return encoded.chunk(0).dictionary.to_pylist(), code

"""Runs in Arrow tables, which are read in blocks of whole topics with pyarrow.

If the rows of a table can be read only once, or are slow to read, they are spooled to a temporary file.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irevalx.arrays.segments import AnyArray, IntArray, Segments
from irevalx.errors import UnreadableFileError, shown_name
from irevalx.frozen import replace
from irevalx.reading.column_names import DOCNO, RUN, SCORE, TOPIC, ColumnSpec
from irevalx.reading.kinds.builder import Entries, TableRun
from irevalx.reading.kinds.runs import MOST_SMALL
from irevalx.reading.sources.arrow import (
    BLOCK_ROWS,
    LINE,
    ArrowTable,
    array_of,
    first_line,
    names_of,
    numbered,
    schema_of,
    table_of_arrow,
    values_of,
)

_ENOUGH = BLOCK_ROWS // 2
"""The minimum number of rows in a block."""

_TOPIC, _DOCNO = (spec.names[0] for spec in (TOPIC, DOCNO))


def arrow_runs(table: ArrowTable, name: bytes) -> list[TableRun]:
    """Return the runs in a table. Rows that can be read only once are spooled to a temporary file."""
    number = table.number_of_run()
    columns = (number, TOPIC, DOCNO)
    table.check(*columns)
    if not table.has(RUN):
        rows = SpooledRows(table, *columns).rows if table.read_once else partial(table.batches, *columns)
        return [replace(_run(name, table.path, rows, number), is_unread=table.read_once)]
    if not table.in_memory:
        table = SpooledRows(table, *columns, RUN).table()
    names, codes, lengths = numbered(batch.column(0) for batch in table.batches(RUN))
    if not names:
        return [_run(name, table.path, partial(table.batches, *columns), number)]
    ends = pairwise([0, *np.cumsum(np.bincount(codes, lengths)).astype(np.int64).tolist()])
    several: list[Callable[[], Iterator[pa.RecordBatch]]]
    if _ascends(codes):
        several = [partial(table.batches, *columns, first=first, last=last) for first, last in ends]
    else:
        every = pa.Table.from_batches(table.batches(*columns)).combine_chunks()
        order = _order(codes, lengths, len(names))
        several = [partial(_rows_at, every, order[first:last]) for first, last in ends]
    return [_run(run, table.path, rows, number) for run, rows in zip(names, several, strict=True)]


def _rows_at(rows: pa.Table, places: AnyArray) -> Iterator[pa.RecordBatch]:
    return iter(rows.take(array_of(places)).to_batches(BLOCK_ROWS))


def _run(name: bytes, path: str, rows: Callable[[], Iterator[pa.RecordBatch]], number: ColumnSpec) -> TableRun:
    """Return a run whose rows the function ``rows`` yields. The function can be called several times."""
    return TableRun(
        name, path, blocks=lambda: _blocks(rows(), path, number), again=lambda: _by_topic(rows(), path, number)
    )


def _blocks(batches: Iterable[pa.RecordBatch], path: str, number: ColumnSpec) -> Iterator[Entries]:
    """Yield at least one block of entries. If topics are contiguous, no topic is split across blocks."""
    for block in whole_topics(batches, _ENOUGH):
        yield from _by_topic(block, path, number)


def whole_topics(batches: Iterable[pa.RecordBatch], least: int) -> Iterator[list[pa.RecordBatch]]:
    """Yield at least one block of whole topics. All blocks except the last contain at least ``least`` rows.

    The caller can remove the batches from a block, so that their memory is freed.
    """
    block: list[pa.RecordBatch] = []
    size, last = 0, None
    for batch in batches:
        if not batch.num_rows:
            continue
        topics = batch.column(_TOPIC)
        ends = pc.run_end_encode(getattr(topics, "indices", topics)).run_ends
        start = ends[-2].as_py() if len(ends) > 1 else 0
        if size + start >= least and (start or topics[0].as_py() != last):
            whole, block, size = [*block, batch.slice(0, start)], [batch.slice(start)], batch.num_rows - start
            yield whole
        else:
            block.append(batch)
            size += batch.num_rows
        last = topics[-1].as_py()
    yield block


def _by_topic(batches: Iterable[pa.RecordBatch], path: str, number: ColumnSpec) -> Iterator[Entries]:
    """Group rows in any order by topic, in memory, and yield at least one block of whole topics."""
    rows = pa.Table.from_batches(batches, schema_of(number, TOPIC, DOCNO))
    topics, codes, lengths = numbered(rows[_TOPIC].chunks)
    order = None if _ascends(codes) else _order(codes, lengths, len(topics))
    lengths = np.bincount(codes, lengths, len(topics)).astype(np.int64)
    scores, lines = values_of(rows[number.names[0]]), values_of(rows[LINE])
    scores = scores if number is SCORE else -scores.astype(np.float64)
    docnos = values_of(rows[_DOCNO]) if order is None else rows[_DOCNO].combine_chunks()
    offsets = Segments.of_lengths(lengths).offsets
    firsts = offsets.searchsorted(np.arange(0, offsets[-1], BLOCK_ROWS)).tolist()
    for first, last in pairwise(dict.fromkeys((*firsts, len(topics)))) if topics else [(0, 0)]:
        begin, end = offsets[[first, last]].tolist()
        of_topics = Segments.of_lengths(lengths[first:last])
        if order is None:
            places: Any = slice(begin, end)
            named = docnos.take(places)
        else:
            places = order[begin:end]
            named = names_of([docnos.take(array_of(places))])  # contiguous strings are faster to read
        yield Entries(path, topics[first:last], of_topics, named, scores[places], lines[places])


def _ascends(codes: AnyArray) -> bool:
    return not np.any(codes[1:] < codes[:-1])


def _order(codes: AnyArray, lengths: IntArray, n_codes: int) -> IntArray:
    """Return the permutation that stably sorts rows by code, given run-length-encoded codes below ``n_codes``."""
    of_rows = (codes.astype(np.uint16) if n_codes <= MOST_SMALL else codes).repeat(lengths)
    return np.argsort(of_rows, kind="stable")


class SpooledRows:
    """Rows that are spooled to a temporary file. If the disk is full, UnreadableFileError is raised."""

    def __init__(self, unread: ArrowTable, *columns: ColumnSpec) -> None:
        self._path, self._columns = unread.path, columns
        self._written: list[pa.Buffer] = []
        self._remaining = _writing(unread, columns, self._written)
        self._begun = False

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows. This method can be called several times."""
        if self._begun:
            return self.table().batches(*self._columns)
        self._begun = True
        return self._remaining

    def table(self) -> ArrowTable:
        """Return all rows as a memory-mapped table."""
        self._begun = True
        for _ in self._remaining:
            pass
        [rows] = self._written
        with pa.ipc.open_stream(rows) as stream:
            return table_of_arrow(stream.read_all(), self._path)


def _writing(unread: ArrowTable, columns: Sequence[ColumnSpec], written: list[pa.Buffer]) -> Iterator[pa.RecordBatch]:
    """Yield rows while writing them to a temporary file. At the end, append the file's buffer to ``written``."""
    schema = schema_of(*columns)
    stored = schema.remove(schema.get_field_index(LINE))  # row numbers need not be stored
    try:
        with TemporaryFile() as file:
            with pa.ipc.new_stream(file, stored) as writer:
                for batch in unread.batches(*columns):
                    writer.write(batch.select(stored.names))
                    yield batch
            file.flush()
            # The file descriptor is used, because some systems cannot open a temporary file a second time.
            written.append(pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
    except OSError as error:
        reason = error.strerror or first_line(error)
        raise UnreadableFileError(f"cannot keep {shown_name(unread.path)} in a temporary file: {reason}") from None

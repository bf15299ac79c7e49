"""Tables as runs: rows cut between topics, and a column that names the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import NoReturn

import numpy as np

from irevalx.arrays.ids import keyed
from irevalx.arrays.segments import IntArray
from irevalx.arrays.stretches import Stretches
from irevalx.errors import ArgumentError, InputError, Warn
from irevalx.frozen import Frozen
from irevalx.reading.entries import Entries
from irevalx.reading.runs import Run, group_stretches
from irevalx.reading.source import name_of_file
from irevalx.reading.tables.column_names import RUN
from irevalx.reading.tables.kept_rows import KeptRows
from irevalx.reading.tables.run_rows import BLOCK_ROWS, COLUMNS, RunRows, rows_and_runs_of, rows_of, slices
from irevalx.reading.tables.tables import Table
from irevalx.trec_eval.versions import Compat

_ENOUGH = BLOCK_ROWS // 2
"""So many rows are a block, if the next topic begins behind them."""

_SORTED_ROWS = 1 << 18
"""About so many rows in any order are brought together by topic before they meet the others."""

_NAMES_AT_ONCE = 1 << 20
"""About so many names of runs are looked at together."""


class TableRun(Frozen):
    """A run in a table.

    Parameters
    ----------
    name : what it is called.
    path : what messages call the table.
    rows : returns the rows, some at a time and in order. It may be called again and again.
    """

    name: bytes
    path: str
    rows: Callable[[], Iterator[RunRows]]

    def opened(self, compat: Compat, *, strict: bool) -> Run:
        """Return the run, read block by block.

        Parameters
        ----------
        strict : refuse scores that are not finite numbers.

        Notes
        -----
        Reading the blocks raises ArgumentError and, under ``strict``, MalformedNumberError.
        """
        return Run(
            self.path,
            blocks=lambda: _blocks(self.rows(), self.path),
            again=lambda: _sorted_blocks(self.rows(), self.path),
            parse=lambda entries: entries.results(compat, self.name, strict=strict),
            to_its_end=False,
        )


def read_run_table(table: Table, compat: Compat, strict: bool, warn: Warn) -> Run:
    """Return the only run in a file; ArgumentError as ``runs_of_table``, and where there are several."""
    return only_run(runs_of_table(table, name_of_file(table.path)), table.path).opened(compat, strict=strict)


def only_run(runs: Sequence[TableRun], path: str) -> TableRun:
    """Return the only one of the runs of a table.

    Raises
    ------
    ArgumentError : there are others.
    """
    if len(runs) == 1:
        return runs[0]
    raise ArgumentError(f"{path}: a table must have one run here, but its column 'run' names {len(runs)}")


def failing_run(path: str, error: InputError) -> Run:
    """Return a run that raises an error as soon as it is read."""

    def fail(*_: object) -> NoReturn:
        raise error

    return Run(path, blocks=fail, again=fail, parse=fail)


def runs_of_table(table: Table, name: bytes) -> list[TableRun]:
    """Return the runs of a table, in the order of their first rows.

    A table that can be read only once, or takes long to read and has several runs, is kept in a temporary file.

    Parameters
    ----------
    name : what the run is called where no column names it, so that there is one.

    Raises
    ------
    ArgumentError : a column is not there, or what is in it is wrong, as far as that takes little time to see.
    And what reading a table raises that names runs.
    """
    table.check(*COLUMNS)
    if not table.has(RUN):
        rows = KeptRows(rows_of(table), table.path).rows if table.read_once else partial(rows_of, table)
        return [TableRun(name, table.path, rows)]
    if table.in_memory:
        rows, names = partial(rows_of, table), list(_names_of_runs(table))
    else:
        names = []
        rows = KeptRows(_without_runs(rows_and_runs_of(table), names), table.path).rows
        for _ in rows():
            pass
    of_rows = Stretches.joined(names)
    if not of_rows.size:
        return [TableRun(name, table.path, rows)]
    runs, each, order = group_stretches(of_rows.names, of_rows.starts, of_rows.size)
    if not isinstance(order, slice):
        return _runs_in_any_order(table.path, RunRows.joined(list(rows())), runs, np.split(order, each.offsets[1:-1]))
    ends = pairwise(each.offsets.tolist())
    return [
        TableRun(run, table.path, partial(rows, first, last)) for run, (first, last) in zip(runs, ends, strict=True)
    ]


def _names_of_runs(table: Table) -> Iterator[Stretches]:
    """Yield the names of the runs of all rows."""
    for chunk in table.chunks_of(RUN):
        for rows in slices(0, chunk.size, _NAMES_AT_ONCE):
            yield chunk.columns[0].stretches(rows)


def _without_runs(parts: Iterable[tuple[RunRows, Stretches]], names: list[Stretches]) -> Iterator[RunRows]:
    """Yield rows, and append the names of their runs to a list."""
    for rows, of_runs in parts:
        names.append(of_runs)
        yield rows


def _runs_in_any_order(path: str, rows: RunRows, runs: Sequence[bytes], places: Sequence[IntArray]) -> list[TableRun]:
    """Return runs whose rows do not stand together; all rows are held in memory.

    Parameters
    ----------
    places : where the rows of each run are.
    """

    def some_at_a_time(index: IntArray) -> Iterator[RunRows]:
        return (rows.take(index[some]) for some in slices(0, index.size, BLOCK_ROWS))

    return [TableRun(run, path, partial(some_at_a_time, index)) for run, index in zip(runs, places, strict=True)]


def _blocks(parts: Iterable[RunRows], path: str) -> Iterator[Entries]:
    """Yield rows in blocks that end between topics, as far as the rows of a topic stand together; at least one block.

    Parameters
    ----------
    parts : the rows, cut anywhere.
    """
    pending: list[RunRows] = []
    size = 0
    yielded = False
    for part in parts:
        if size >= _ENOUGH and (place := _start_of_last_topic(pending, part)):
            before, behind = _cut(pending, place)
            yield _entries(before, path)
            pending, size, yielded = behind, size - place, True
        pending.append(part)
        size += part.scores.size
    if pending or not yielded:
        yield _entries(pending, path)


def _start_of_last_topic(parts: Sequence[RunRows], next_part: RunRows) -> int:
    """Return how many rows come before the last topic of which there may be more; 0 where all are of it."""
    topic = next_part.topics.names.text(0)
    size = sum(part.scores.size for part in parts)
    for part in reversed(parts):
        topics = part.topics
        if topics.names.text(-1) != topic:
            return size
        size -= part.scores.size
        if topics.n > 1:
            return size + topics.starts.item(-1)
    return 0


def _cut(parts: Sequence[RunRows], place: int) -> tuple[list[RunRows], list[RunRows]]:
    """Return the rows before a place and those from there on."""
    before, behind = [], []
    for part in parts:
        size = part.scores.size
        if place >= size:
            before.append(part)
        elif place <= 0:
            behind.append(part)
        else:
            before.append(part.take(slice(place)))
            behind.append(part.take(slice(place, None)))
        place -= size
    return before, behind


def _entries(parts: Sequence[RunRows], path: str, *, with_keys: bool = False) -> Entries:
    rows = RunRows.joined(parts)
    docnos = keyed(rows.docnos) if with_keys else rows.docnos
    return Entries.of_rows(path, rows.topics, docnos, rows.scores, rows.lines)


def _sorted_blocks(parts: Iterable[RunRows], path: str) -> Iterator[Entries]:
    """Yield all rows in blocks of whole topics, whatever their order; all rows are held in memory.

    Some rows at a time are brought together by topic, while they are in the processor's cache, and then all of them.
    """
    grouped = [_entries(some, path, with_keys=True) for some in _several(parts)]
    return Entries.by_topic(path, grouped, BLOCK_ROWS)


def _several(parts: Iterable[RunRows]) -> Iterator[list[RunRows]]:
    """Yield parts that have about ``_SORTED_ROWS`` rows together."""
    several: list[RunRows] = []
    size = 0
    for part in parts:
        several.append(part)
        size += part.scores.size
        if size >= _SORTED_ROWS:
            yield several
            several, size = [], 0
    if several:
        yield several

"""Tables as runs: rows cut between topics, and a column that names the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import NoReturn

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import ArgumentError, InputError, Warn
from irevalx.frozen import Frozen
from irevalx.reading.entries import Entries
from irevalx.reading.runs import Run, group_by_topic
from irevalx.reading.source import name_of_file
from irevalx.reading.tables.column_names import DOCNO, RUN, SCORE, TOPIC
from irevalx.reading.tables.tables import Table, read_rows
from irevalx.trec_eval.versions import Compat

BLOCK_ROWS = 1 << 15
"""About so many rows are looked at together, so that what is made of them stays in the processor's cache."""

_NAMES_AT_ONCE = 1 << 20
"""About so many names of runs are looked at together."""

_COLUMNS = (SCORE, TOPIC, DOCNO)


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
        Reading the blocks raises ArgumentError and, under ``strict``, OddNumberError.
        """
        return Run(
            self.path,
            blocks=lambda: _blocks(self.rows(), self.path),
            again=lambda: _sorted_blocks(self.rows(), self.path),
            parse=lambda entries: entries.results(compat, self.name, strict=strict),
            to_its_end=False,
        )


class RunRows(Frozen):
    """Some rows of a run.

    Parameters
    ----------
    topics, docnos, scores : of each row.
    lines : the 1-based number of each row in the table.
    """

    topics: Names
    docnos: Names
    scores: FloatArray
    lines: IntArray

    @classmethod
    def joined(cls, parts: Sequence[RunRows]) -> RunRows:
        """Return the rows of several parts, one behind the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            Names.joined([part.topics for part in parts]),
            Names.joined([part.docnos for part in parts]),
            np.concatenate((np.empty(0), *(part.scores for part in parts))),
            np.concatenate((np.empty(0, np.int64), *(part.lines for part in parts))),
        )

    def take(self, index: IntArray | slice) -> RunRows:
        """Return some of the rows."""
        return RunRows(self.topics.take(index), self.docnos.take(index), self.scores[index], self.lines[index])


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

    Parameters
    ----------
    name : what the run is called where no column names it, so that there is one.

    Raises
    ------
    ArgumentError : a column is not there, or what is in it is wrong, as far as that takes little time to see.
    """
    table.check(*_COLUMNS)
    if not table.has(RUN):
        return [TableRun(name, table.path, partial(_rows_of, table, 0, None))]
    n_rows, stand_together = _runs_in(table)
    if not stand_together:
        return _runs_in_any_order(table)
    ends = np.cumsum([0, *n_rows.values()]).tolist()
    return [
        TableRun(name, table.path, partial(_rows_of, table, first, last))
        for name, (first, last) in zip(n_rows, pairwise(ends), strict=True)
    ]


def _runs_in(table: Table) -> tuple[dict[bytes, int], bool]:
    """Return how many rows each run has, and whether the rows of each stand together; in the order of first rows."""
    n_rows: dict[bytes, int] = {}
    stand_together = True
    last = None
    for chunk in table.chunks_of(RUN):
        for rows in _slices(0, chunk.size, _NAMES_AT_ONCE):
            names, each, order = group_by_topic(chunk.columns[0].names(rows))
            stand_together &= isinstance(order, slice) and not any(name in n_rows and name != last for name in names)
            for name, size in zip(names, each.lengths.tolist(), strict=True):
                n_rows[name] = n_rows.get(name, 0) + size
                last = name
    return n_rows, stand_together


def _runs_in_any_order(table: Table) -> list[TableRun]:
    """Return the runs of a table whose rows do not stand together; all rows are held in memory."""
    rows = RunRows.joined(list(_rows_of(table, 0, None)))
    [of_rows] = table.read(RUN)
    names, each, order = group_by_topic(of_rows)

    def some_at_a_time(index: IntArray) -> Iterator[RunRows]:
        return (rows.take(index[some]) for some in _slices(0, index.size, BLOCK_ROWS))

    indices = np.split(np.arange(rows.scores.size)[order], each.offsets[1:-1])
    return [
        TableRun(name, table.path, partial(some_at_a_time, index)) for name, index in zip(names, indices, strict=True)
    ]


def _rows_of(table: Table, first: int, last: int | None) -> Iterator[RunRows]:
    """Yield the rows of a run, some at a time.

    Parameters
    ----------
    first, last : the rows of the table from the first on and before the last, counted from 0; None for all that follow.
    """
    before = 0
    for chunk in table.chunks_of(*_COLUMNS):
        end = chunk.size if last is None else min(chunk.size, last - before)
        for rows in _slices(max(first - before, 0), end, BLOCK_ROWS):
            scores, topics, docnos = read_rows(chunk, [column.kind for column in _COLUMNS], rows)
            yield RunRows(topics, docnos, scores, np.arange(before + rows.start + 1, before + rows.stop + 1))
        before += chunk.size
        if last is not None and before >= last:
            return


def _blocks(parts: Iterable[RunRows], path: str) -> Iterator[Entries]:
    """Yield rows in blocks that end between topics, as far as the rows of a topic stand together; at least one block.

    Parameters
    ----------
    parts : the rows, cut anywhere.
    """
    pending: list[RunRows] = []
    size = 0
    cut: tuple[int, int] | None = None  # the part, of those that are pending, and the place in it where a topic begins
    yielded = False
    for part in parts:
        changes = np.flatnonzero(part.topics.changes())
        if changes.size:
            cut = len(pending), int(changes[-1]) + 1
        elif pending and part.topics.text(0) != pending[-1].topics.text(-1):
            cut = len(pending), 0
        pending.append(part)
        size += part.scores.size
        if cut and size >= BLOCK_ROWS:
            number, place = cut
            before, behind = pending[number].take(slice(place)), pending[number].take(slice(place, None))
            yield _entries([*pending[:number], before], path)
            pending = [behind, *pending[number + 1 :]]
            size = sum(rest.scores.size for rest in pending)
            cut, yielded = None, True
    if pending or not yielded:
        yield _entries(pending, path)


def _entries(parts: Sequence[RunRows], path: str) -> Entries:
    rows = RunRows.joined(parts)
    return Entries.of_rows(path, rows.topics, rows.docnos, rows.scores, rows.lines)


def _sorted_blocks(parts: Iterable[RunRows], path: str) -> Iterator[Entries]:
    """Yield all rows in blocks of whole topics, whatever their order; all rows are held in memory."""
    entries = _entries(list(parts), path)
    starts = np.searchsorted(entries.rows.offsets, np.arange(0, entries.rows.size, BLOCK_ROWS))
    for first, last in pairwise([*dict.fromkeys(starts.tolist()), entries.rows.n]):
        yield entries.take(first, last)


def _slices(first: int, last: int, size: int) -> Iterator[slice]:
    """Yield stretches of at most some rows."""
    return (slice(start, min(start + size, last)) for start in range(first, last, size))

"""Tables: columns of many rows, found by name and read some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.ids import Ids
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.arrays.stretches import Stretches
from irevalx.errors import ArgumentError, printable, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.reading.tables.column_names import Kind, Wanted

MOST_NAMES = 20
"""So many columns of a table are named in a message."""

NAME_RULE = "a string or a whole number"
GRADE_RULE = "a whole number of 64 bits"
SCORE_RULE = "a number of 64 bits"
NOT_MISSING = "and not missing"
"""What values must be, for messages."""


class TableColumn(Frozen):
    """A column of some rows of a table. ``rows`` are counted from its first one.

    Parameters
    ----------
    table : what messages call the table.
    name : what the table calls the column.
    first_row : the number of its first row, of which the table's first is 1.
    """

    table: str
    name: Any
    first_row: int

    def place(self, row: int) -> str:
        """Return what a message calls the value in a row."""
        return f"{shown_name(self.table)}: column {_quoted(self.name)}, row {self.first_row + row} (the first is 1)"

    def check(self, kind: Kind) -> None:
        """Look at all rows before any is read, as far as that takes little time; ArgumentError as reading them."""

    def names(self, rows: slice) -> Names:
        """Return ids as bytes; ArgumentError where one is neither a string nor a whole number."""
        raise NotImplementedError

    def ids(self, rows: slice) -> Ids:
        """Return ids as bytes, or as whole numbers where all are; ArgumentError as for names."""
        return self.names(rows)

    def stretches(self, rows: slice) -> Stretches:
        """Return ids as bytes, each once for rows on end that have the same; ArgumentError as for names."""
        return Stretches.of(self.names(rows))

    def grades(self, rows: slice) -> IntArray:
        """Return whole numbers; ArgumentError where one is missing or none."""
        raise NotImplementedError

    def scores(self, rows: slice) -> FloatArray:
        """Return numbers; ArgumentError where one is missing or none."""
        raise NotImplementedError

    def probabilities(self, rows: slice) -> FloatArray:
        """Return numbers, nan where one is missing; ArgumentError where one is none."""
        raise NotImplementedError


class Chunk(Frozen):
    """Some rows of a table.

    Parameters
    ----------
    first : how many rows of the table come before them.
    size : how many there are.
    columns : those asked for, in that order.
    """

    first: int
    size: int
    columns: tuple[TableColumn, ...]


ALL_ROWS = slice(0, None)


class Table(Frozen):
    """Rows of named columns.

    Parameters
    ----------
    path : what messages call it.
    names : of the columns, as the table has them.
    chunks : returns the rows of some columns, given by name, chunk by chunk, from the first of some rows on; which ones
        these are is said by a slice. Chunks without any of them may be left out. Raises ArgumentError where a column
        cannot be read.
    in_memory : whether all rows are in memory, so that to look through them takes little time.
    read_once : whether rows may be gone through only once, all of them.
    """

    path: str
    names: Sequence[Any]
    chunks: Callable[[Sequence[Any], slice], Iterator[Chunk]]
    in_memory: bool = False
    read_once: bool = False

    def has(self, wanted: Wanted) -> bool:
        """Return whether there is such a column."""
        return any(name in self.names for name in wanted.names)

    def find(self, wanted: Wanted) -> str:
        """Return what the table calls a column.

        Raises
        ------
        ArgumentError : there is none, or there are several.
        """
        found = next((name for name in wanted.names if name in self.names), None)
        if found is None:
            rule = (
                f"one of the columns {', '.join(wanted.names)}"
                if len(wanted.names) > 1
                else f"a column {wanted.names[0]}"
            )
            known = ", ".join(printable(str(name)) for name in self.names[:MOST_NAMES])
            more = ", ..." if len(self.names) > MOST_NAMES else ""
            raise ArgumentError(f"{shown_name(self.path)}: a table must have {rule}, but got {known + more or 'none'}")
        number = sum(name == found for name in self.names)
        if number > 1:
            raise ArgumentError(
                f"{shown_name(self.path)}: a table must have only one column {quote(found)}, but got {number}"
            )
        return found

    def chunks_of(self, *wanted: Wanted, rows: slice = ALL_ROWS) -> Iterator[Chunk]:
        """Return some columns, chunk by chunk; ArgumentError where one is not there.

        Parameters
        ----------
        rows : those that are needed.
        """
        return self.chunks([self.find(one) for one in wanted], rows)

    def check(self, *wanted: Wanted) -> None:
        """Look for columns before they are read, and through those that are in memory.

        Raises
        ------
        ArgumentError : one is not there, or what is in it is wrong, as far as that is seen in little time.
        """
        for one in wanted:
            self.find(one)
        for chunk in self.chunks_of(*wanted) if self.in_memory else ():
            for column, one in zip(chunk.columns, wanted, strict=True):
                column.check(one.kind)

    def read(self, *wanted: Wanted) -> tuple[Any, ...]:
        """Return whole columns: names, or numbers; ArgumentError where one is not there, or what is in it is wrong."""
        kinds = [one.kind for one in wanted]
        parts = [read_rows(chunk, kinds, slice(0, chunk.size)) for chunk in self.chunks_of(*wanted)]
        return joined(parts, kinds)


def read_rows(chunk: Chunk, kinds: Sequence[Kind], rows: slice) -> tuple[Any, ...]:
    """Return some rows of each column of a chunk: names, or numbers."""
    return tuple(getattr(column, kind)(rows) for column, kind in zip(chunk.columns, kinds, strict=True))


def joined(parts: Sequence[tuple[Any, ...]], kinds: Sequence[Kind]) -> tuple[Any, ...]:
    """Return columns whose rows are those of several parts, one behind the other."""
    if len(parts) == 1:
        return parts[0]
    return tuple(_joined([part[place] for part in parts], kind) for place, kind in enumerate(kinds))


def _joined(parts: Sequence[Any], kind: Kind) -> Any:
    if kind == "names":
        return Names.joined(parts)
    return np.concatenate((np.empty(0, np.int64 if kind == "grades" else np.float64), *parts))


def _quoted(name: Any) -> str:
    return quote(name) if isinstance(name, str) else printable(repr(name))

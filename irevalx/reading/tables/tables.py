"""Tables: columns of many rows, found by name, and what is read from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import AnyArray
from irevalx.errors import ArgumentError, printable, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.reading.column_names import Kind, Wanted, named

RULES: dict[Kind, str] = {
    "names": "a string or a whole number",
    "grades": "a whole number of 64 bits",
    "scores": "a number of 64 bits",
    "probabilities": "a number of 64 bits",
}
"""What the values of a column must be, for messages."""


_MOST_NAMES = 20
"""The most columns of a table that a message names."""


class Table(Frozen):
    """Rows of named columns.

    Parameters
    ----------
    path : what messages call it.
    names : of the columns, as the table has them.
    """

    path: str
    names: Sequence[Any]

    def read(self, *wanted: Wanted) -> tuple[Any, ...]:
        """Return whole columns as their kinds say, each of n rows.

        Raises
        ------
        ArgumentError : a column is not there, or what is in it is wrong.
        """
        raise NotImplementedError

    def has(self, wanted: Wanted) -> bool:
        """Return whether there is such a column."""
        return bool(named(wanted, self.names))

    def find(self, wanted: Wanted) -> Any:
        """Return what the table calls a column.

        Raises
        ------
        ArgumentError : there is none, or there are several.
        """
        found = named(wanted, self.names)
        if len(found) == 1:
            return found[0]
        if found:
            rule = f"a table must have only one column {quote(found[0])}"
            among = "" if len(set(found)) == 1 else f": {', '.join(map(quote, found))}"
            raise ArgumentError(f"{shown_name(self.path)}: {rule}, but got {len(found)}{among}")
        several = len(wanted.names) > 1
        rule = f"one of the columns {', '.join(wanted.names)}" if several else f"a column {wanted.names[0]}"
        known = ", ".join(printable(str(name)) for name in self.names[:_MOST_NAMES])
        more = ", ..." if len(self.names) > _MOST_NAMES else ""
        raise ArgumentError(f"{shown_name(self.path)}: a table must have {rule}, but got {known + more or 'none'}")

    def place(self, column: Any, row: int) -> str:
        """Return what a message calls a value.

        Parameters
        ----------
        column : as the table calls it.
        row : counted from 0.
        """
        shown = quote(column) if isinstance(column, str) else printable(repr(column))
        return f"{shown_name(self.path)}: column {shown}, row {row + 1} (the first is 1)"


class WholeTable(Table):
    """A table whose columns are read as a whole.

    Parameters
    ----------
    column : returns a column, given its name and what is read from it; raises ArgumentError where that is not in it.
    """

    column: Callable[[Any, Kind], Names | AnyArray]

    def read(self, *wanted: Wanted) -> tuple[Any, ...]:
        """Return whole columns; ArgumentError where one is not there, or what is in it is wrong."""
        columns = tuple(self.column(self.find(one), one.kind) for one in wanted)
        sizes = [column.size for column in columns]
        if len(set(sizes)) > 1:
            raise ArgumentError(f"{self.path}: the columns of a table must have the same length, but got {sizes}")
        return columns

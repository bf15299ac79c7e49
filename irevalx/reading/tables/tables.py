"""Tables: columns found by name, and their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import AnyArray
from irevalx.errors import ArgumentError, printable, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.reading.column_names import ColumnKind, ColumnSpec, named

RULES: dict[ColumnKind, str] = {
    "names": "a string or a whole number",
    "grades": "a whole number of 64 bits",
    "scores": "a number of 64 bits",
    "probabilities": "a number of 64 bits",
}
"""The rule for the values of a column in messages."""


_MOST_NAMES = 20
"""Maximum number of columns of a table in a message."""


class ColumnTable(Frozen):
    """Rows with named columns."""

    path: str  # for messages
    names: Sequence[Any]  # of the columns, as they are in the table

    def read(self, *specs: ColumnSpec) -> tuple[Any, ...]:
        """Return whole columns, n values each; a missing column or a wrong value raises ArgumentError."""
        raise NotImplementedError

    def has(self, spec: ColumnSpec) -> bool:
        """Return whether there is such a column."""
        return bool(named(spec, self.names))

    def find(self, spec: ColumnSpec) -> Any:
        """Return the table's name of a column; ArgumentError if there is none, or several."""
        matches = named(spec, self.names)
        if len(matches) == 1:
            return matches[0]
        if matches:
            rule = f"a table must have only one column {quote(matches[0])}"
            among = "" if len(set(matches)) == 1 else f": {', '.join(map(quote, matches))}"
            raise ArgumentError(f"{shown_name(self.path)}: {rule}, but got {len(matches)}{among}")
        several = len(spec.names) > 1
        rule = f"one of the columns {', '.join(spec.names)}" if several else f"a column {spec.names[0]}"
        known = ", ".join(printable(str(name)) for name in self.names[:_MOST_NAMES])
        more = ", ..." if len(self.names) > _MOST_NAMES else ""
        raise ArgumentError(f"{shown_name(self.path)}: a table must have {rule}, but got {known + more or 'none'}")

    def place(self, column: Any, row: int) -> str:
        """Return the place of a value in messages; ``row`` is counted from 0."""
        quoted = quote(column) if isinstance(column, str) else printable(repr(column))
        return f"{shown_name(self.path)}: column {quoted}, row {row + 1} (the first is 1)"


class WholeTable(ColumnTable):
    """A table whose columns are read as a whole."""

    column: Callable[[Any, ColumnKind], Names | AnyArray]
    """Returns the values of a column by name and kind; raises ArgumentError."""

    def read(self, *specs: ColumnSpec) -> tuple[Any, ...]:
        """Return whole columns; a missing column or a wrong value raises ArgumentError."""
        columns = tuple(self.column(self.find(spec), spec.kind) for spec in specs)
        sizes = [column.size for column in columns]
        if len(set(sizes)) > 1:
            raise ArgumentError(f"{self.path}: the columns of a table must have the same length, but got {sizes}")
        return columns

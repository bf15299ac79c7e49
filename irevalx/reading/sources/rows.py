"""Rows of any source, and their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from irevalx.arrays.segments import IntArray
from irevalx.errors import shown_name
from irevalx.frozen import Frozen
from irevalx.reading.column_names import ColumnSpec
from irevalx.reading.layout import Layout
from irevalx.reading.rules import Rules
from irevalx.trec_eval import MalformedNumbers

Hint: TypeAlias = Callable[[bytes, bytes, Layout], str]
"""Returns a hint about a malformed line, given the line, lines around it and the layout; "" if nothing fits."""


class Columns(Frozen):
    """The columns of some rows, by their names in layouts."""

    path: str  # for messages
    values: Mapping[str, Any]  # names, or an array of numbers; n values each
    lines: IntArray  # shape (n,); 1-based lines of a file, or numbers of rows
    malformed: tuple[MalformedNumbers, ...] = ()
    distinct: bool = False  # whether documents are known to be distinct within topics

    def __getitem__(self, column: str) -> Any:
        return self.values[column]

    def __contains__(self, column: str) -> bool:
        return column in self.values

    def where(self, row: int) -> str:
        """Return the location of a row (numbered from 0) as path:line."""
        return f"{shown_name(self.path)}:{self.lines[row]}"


class Rows(Frozen):
    """Rows of a source with the columns of a format, in blocks of whole topics if topics are contiguous."""

    path: str  # for messages
    specs: tuple[ColumnSpec, ...]  # the columns to read

    def blocks(self) -> Iterator[Any]:
        """Yield the blocks in order."""
        yield from self.again()

    def again(self) -> Iterable[Any]:
        """Return everything as blocks with disjoint topics."""
        return (None,)

    def columns(self, block: Any, rules: Rules) -> Columns:
        """Return the columns of a block."""
        raise NotImplementedError

    def about_duplicates(self) -> str:
        """Return a hint at the format of a file with duplicate documents, for messages."""
        return ""

    @property
    def is_table(self) -> bool:
        """Whether columns have names; repeated judgments are then used once, with a warning."""
        return True

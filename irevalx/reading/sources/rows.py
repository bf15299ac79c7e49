"""Rows of any source and their columns, from which judgments and runs are built in blocks or as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from irevalx.arrays.segments import IntArray
from irevalx.errors import shown_name
from irevalx.frozen import Frozen
from irevalx.reading.column_names import ColumnSpec
from irevalx.reading.layout import Layout, Rules
from irevalx.reading.sources.blocks import each_topic_once
from irevalx.trec_eval import MalformedNumbers, malformed_number_warnings

Hint: TypeAlias = Callable[[bytes, bytes, Layout], str]
"""A function that returns a hint about a malformed line, or "", given the line, lines around it and the layout."""


class Columns(Frozen):
    """The columns of some rows. The names of the columns are the names in layouts."""

    path: str  # the path shown in messages
    values: Mapping[str, Any]  # the n names or numbers of each column
    lines: IntArray  # the 1-based line or row of each value
    malformed: tuple[MalformedNumbers, ...] = ()
    distinct: bool = False  # whether documents are known to be distinct within topics

    def __getitem__(self, column: str) -> Any:
        return self.values[column]

    def __contains__(self, column: str) -> bool:
        return column in self.values

    def where(self, row: int) -> str:
        """Return the location of a row as path:line. Row numbers start at 0."""
        return f"{shown_name(self.path)}:{self.lines[row]}"


class Rows(Frozen):
    """The rows of a source with the columns of a format. Blocks contain whole topics if topics are contiguous."""

    is_table: ClassVar[bool] = True
    """Whether columns have names. In a table, a repeated judgment is used once, with a warning. In other sources, it is
    an error."""
    path: str  # the path shown in messages
    specs: tuple[ColumnSpec, ...]  # the columns to read

    def blocks(self) -> Iterator[Any]:
        """Yield the blocks in order."""
        yield from self.again()

    def again(self) -> Iterable[Any]:
        """Return all rows as blocks with disjoint topics."""
        return (None,)

    def columns(self, block: Any, rules: Rules) -> Columns:
        """Return the columns of a block."""
        raise NotImplementedError

    def about_duplicates(self) -> str:
        """Return a hint about the format of a file with duplicate documents, for messages."""
        return ""


Built = TypeVar("Built")


class _Part(Frozen, Generic[Built]):
    """The result that was built from a block, with the malformed numbers in the block."""

    built: Built
    malformed: tuple[MalformedNumbers, ...]

    @property
    def topics(self) -> tuple[bytes, ...]:
        documents: Any = self.built.documents  # type: ignore[attr-defined]
        return documents.topics  # type: ignore[no-any-return]


def parts_of(rows: Rows, rules: Rules, build: Callable[[Columns], Built]) -> list[Built]:
    """Return parts with disjoint topics. ``build`` makes each part from columns. Warn about malformed numbers."""

    def parse(block: Any) -> _Part[Built]:
        columns = rows.columns(block, rules)
        return _Part(build(columns), columns.malformed)

    blocks: Iterator[Any] = rows.blocks()
    parts = each_topic_once(map(parse, blocks), lambda: map(parse, rows.again()), blocks)
    _warn(rules, [malformed for part in parts for malformed in part.malformed])
    return [part.built for part in parts]


def whole(rows: Rows, rules: Rules) -> Columns:
    """Return the columns of all rows. Warn about malformed numbers."""
    [block] = rows.again()
    columns = rows.columns(block, rules)
    _warn(rules, columns.malformed)
    return columns


def _warn(rules: Rules, malformed: Sequence[MalformedNumbers]) -> None:
    for message in malformed_number_warnings(malformed):
        rules.warn(message)

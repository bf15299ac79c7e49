"""Rows and columns of any source. Judgments and runs are built from the columns of blocks or of all rows."""

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
"""A function that returns a hint about a malformed line or "", given the line, a sample of other lines, and the
layout."""


class Columns(Frozen):
    """The columns of several rows, under the names of columns in layouts."""

    path: str  # the path shown in messages
    values: Mapping[str, Any]  # the names or numbers in each column
    lines: IntArray  # the 1-based line or row number of each value
    malformed: tuple[MalformedNumbers, ...] = ()
    distinct: bool = False  # whether documents are known to be distinct in each topic

    def __getitem__(self, column: str) -> Any:
        return self.values[column]

    def __contains__(self, column: str) -> bool:
        return column in self.values

    def where(self, row: int) -> str:
        """Return the location of a row as path:line, given the 0-based index of the row."""
        return f"{shown_name(self.path)}:{self.lines[row]}"


class Rows(Frozen):
    """The rows of a source, in blocks. If topics are contiguous, no topic is split across blocks."""

    is_table: ClassVar[bool] = True
    """Whether the columns of the source have names. A repeated judgment is used once, with a warning, in such tables,
    but is an error in other sources."""
    path: str  # the path shown in messages
    specs: tuple[ColumnSpec, ...]  # the columns to read

    def blocks(self) -> Iterator[Any]:
        """Yield the rows in blocks, in order."""
        yield from self.again()

    def again(self) -> Iterable[Any]:
        """Return all rows again, in blocks with disjoint topics."""
        return (None,)

    def columns(self, block: Any, rules: Rules) -> Columns:
        """Return the columns of a block."""
        raise NotImplementedError

    def about_duplicates(self) -> str:
        """Return a hint for messages about duplicate documents, such as that the file has another format."""
        return ""


Built = TypeVar("Built")


class _Part(Frozen, Generic[Built]):
    """The object built from a block, with the malformed numbers in the block."""

    built: Built
    malformed: tuple[MalformedNumbers, ...]

    @property
    def topics(self) -> tuple[bytes, ...]:
        documents: Any = self.built.documents  # type: ignore[attr-defined]
        return documents.topics  # type: ignore[no-any-return]


def parts_of(rows: Rows, rules: Rules, build: Callable[[Columns], Built]) -> list[Built]:
    """Build an object from each block, and warn about malformed numbers. Topics of the objects are disjoint."""

    def parse(block: Any) -> _Part[Built]:
        columns = rows.columns(block, rules)
        return _Part(build(columns), columns.malformed)

    blocks: Iterator[Any] = rows.blocks()
    parts = each_topic_once(map(parse, blocks), lambda: map(parse, rows.again()), blocks)
    _warn(rules, [malformed for part in parts for malformed in part.malformed])
    return [part.built for part in parts]


def whole(rows: Rows, rules: Rules) -> Columns:
    """Return the columns of all rows, and warn about malformed numbers."""
    [block] = rows.again()
    columns = rows.columns(block, rules)
    _warn(rules, columns.malformed)
    return columns


def _warn(rules: Rules, malformed: Sequence[MalformedNumbers]) -> None:
    for message in malformed_number_warnings(malformed):
        rules.warn(message)

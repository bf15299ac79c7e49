"""Rows of any source, their columns, and what is built from these block by block, or as a whole."""

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

    is_table: ClassVar[bool] = True
    """Whether columns have names; repeated judgments are then used once, with a warning."""
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


Built = TypeVar("Built")


class _Part(Frozen, Generic[Built]):
    """The result for a block, with the malformed numbers in the block."""

    built: Built
    malformed: tuple[MalformedNumbers, ...]

    @property
    def topics(self) -> tuple[bytes, ...]:
        documents: Any = self.built.documents  # type: ignore[attr-defined]
        return documents.topics  # type: ignore[no-any-return]


def parts_of(rows: Rows, rules: Rules, build: Callable[[Columns], Built]) -> list[Built]:
    """Return parts with disjoint topics, which ``build`` creates from columns; warns about malformed numbers."""

    def parse(block: Any) -> _Part[Built]:
        columns = rows.columns(block, rules)
        return _Part(build(columns), columns.malformed)

    blocks: Iterator[Any] = rows.blocks()
    parts = each_topic_once(map(parse, blocks), lambda: map(parse, rows.again()), blocks)
    _warn(rules, [malformed for part in parts for malformed in part.malformed])
    return [part.built for part in parts]


def whole(rows: Rows, rules: Rules) -> Columns:
    """Return the columns of all rows; warns about malformed numbers."""
    [block] = rows.again()
    columns = rows.columns(block, rules)
    _warn(rules, columns.malformed)
    return columns


def _warn(rules: Rules, malformed: Sequence[MalformedNumbers]) -> None:
    for message in malformed_number_warnings(malformed):
        rules.warn(message)

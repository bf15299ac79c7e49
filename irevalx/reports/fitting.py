"""Fitting of tables to the width of a terminal or a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap

from irevalx.frozen import Frozen, replace
from irevalx.process.platform import displayed
from irevalx.reports.names import ShortNames, shorten
from irevalx.reports.table import Table, aligned_lines, cells_of

WIDTH = 100
"""The width to which tables and the text above them are fitted if the output is not a terminal."""

_COMMAND = ": irevalx-lab "
"""The text that precedes a command at the end of a note."""

_GAP = "  "
_LEAST_NAME = 10
"""The minimum number of characters of a shortened run name."""

_ENDS = slice(_LEAST_NAME), slice(-_LEAST_NAME, None)
"""The slices that extract the beginning and the end of a name."""


class DisplayedColumn(Frozen):
    """A table column, converted to strings."""

    name: str
    head: tuple[str, ...]  # the lines of the column heading
    cells: Sequence[str]
    is_label: bool
    length: Callable[[str], int] = len  # returns the length of a string, in average characters

    @property
    def width(self) -> int:
        """The length of the longest line in the column."""
        return max(map(self.length, (*self.head, *self.cells)))

    def head_lines(self, height: int) -> tuple[str, ...]:
        """Return the heading of the column, padded with empty lines to ``height`` lines."""
        return (*[""] * (height - len(self.head)), *self.head)

    def lines(self, height: int) -> Iterator[str]:
        """Yield the lines of the column: the heading in ``height`` lines, a rule, and the cells."""
        width, align = self.width, "<" if self.is_label else ">"
        for text in (*self.head_lines(height), "-" * width, *self.cells):
            yield f"{text:{align}{width}}"


def fitted_lines(table: Table, digits: int, width: int, *, best: str, other: str) -> tuple[list[bytes], list[str]]:
    """Fit a table to a width. Return the lines of the table, and a note that lists omitted columns.

    If the table is too wide, column headings are first split into two lines. If the table is still too wide, as few
    optional columns as possible are omitted, and finally the columns are divided into blocks, one below the other.
    """
    lines = [*aligned_lines(table, digits, layout="simple", best=best, other=other, escape=str)]
    if max(len(line.decode(errors="replace")) for line in lines) <= width + 1:
        return lines, []
    columns = columns_of(table, digits, best=best, other=other)
    if total_width(columns) > width:
        columns = in_two_lines(columns)
    blocks, notes = fitted_blocks(columns, table.optional, width, f"{width} characters")
    texts = [_lines_of(block) for block in blocks]
    return [line for number, block in enumerate(texts) for line in (*([b"\n"] if number else []), *block)], notes


def columns_of(
    table: Table, digits: int, *, best: str, other: str, length: Callable[[str], int] = len
) -> list[DisplayedColumn]:
    """Convert the columns of a table to strings."""
    heads, rows = cells_of(table, digits, best=best, other=other, escape=str)
    return [
        DisplayedColumn(name, (head,), [row[place] for row in rows], place < table.n_labels, length)
        for place, (name, head) in enumerate(zip(table.columns, heads, strict=True))
    ]


def fitted_blocks(
    columns: Sequence[DisplayedColumn], optional: Sequence[str], width: int, limit: str
) -> tuple[list[list[DisplayedColumn]], list[str]]:
    """Divide columns into blocks that fit a width. Return the blocks, and a note that lists omitted columns.

    Columns in ``optional`` are omitted first if the table is too wide. The argument ``limit`` describes the width in
    the note.
    """
    fitted = columns
    for group in optional:
        if total_width(fitted) > width:
            fitted = [column for column in fitted if column.name not in group.split()]
    remaining = {column.name for column in fitted}
    notes = []
    if omitted := [" ".join(column.head) for column in columns if column.name not in remaining]:
        notes.append(
            f"Columns omitted to fit {limit}: {', '.join(omitted)}. A wider terminal or --format csv displays them."
        )
    return [*_blocks(fitted, width)], notes


def with_short_names(
    tables: Sequence[Table], digits: int, width: int | None, *, length: Callable[[str], int] = len
) -> tuple[list[Table], str]:
    """Shorten the names of runs in tables that are too wide. Return the tables, and sentences that explain the names.

    A run has the same name in all tables and their sentences. If ``width`` is None, only tables that are always fitted
    are shortened, to ``WIDTH``.
    """
    names: dict[str, None] = {}
    most = math.inf
    for table in tables:
        columns = in_two_lines(columns_of(table, digits, best="{} ", other="{} ", length=length))
        named = [column for column in columns if column.name in table.names]
        labels = [column for column in named if column.is_label]
        names |= dict.fromkeys(cell for column in labels for cell in column.cells)
        names |= dict.fromkeys(" ".join(column.head) for column in named if not column.is_label)
        optional = " ".join(table.optional).split()
        wide = total_width([column for column in columns if column.name not in optional])
        limit = width or (WIDTH if table.fits else None)
        if named and limit and wide > limit:
            room = (limit - wide + sum(column.width for column in named)) // len(named)
            # If a table is divided into blocks, names have more room.
            most = min(most, room if room >= _LEAST_NAME else max(_LEAST_NAME, limit // (3 * len(labels or "-"))))
    long = [name for name in names if length(name) > most]
    short = shorten(_similar(long, [*names]), most, length)
    return [_renamed(table, short) for table in tables] if long else [*tables], short.key


def _similar(long: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names that begin or end like a name that is too long, because they are shortened in the same way."""
    begins, ends = ({name[part] for name in long} for part in _ENDS)
    return list(dict.fromkeys(name for name in names if name[_ENDS[0]] in begins or name[_ENDS[1]] in ends))


def _renamed(table: Table, short: ShortNames) -> Table:
    """Replace the names of runs in label cells, column headings and sentences."""
    rows = [
        tuple(
            short.of.get(value, value) if place < table.n_labels and column in table.names else value
            for place, (column, value) in enumerate(zip(table.columns, row, strict=True))
        )
        for row in table.rows
    ]
    heads = tuple(short.of.get(head, short.renamed(head)) for head in table.heads or ())
    summary, caption, notes = table.summary, table.caption, table.notes
    return replace(
        table,
        rows=rows,
        heads=heads or None,
        summary=lambda digits: [*map(short.renamed, summary(digits))],
        caption=tuple(map(short.renamed, caption)),
        notes=tuple(map(short.renamed, notes)),
    )


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a text without breaking words. A command at the end of the text stays on one line for copying."""
    text, colon, command = text.partition(_COMMAND)
    lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return [*lines[:-1], lines[-1] + ":", colon[2:] + command] if colon else lines


def total_width(columns: Sequence[DisplayedColumn]) -> int:
    """Return the total width of adjacent columns, including the gaps between them."""
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def in_two_lines(columns: Sequence[DisplayedColumn]) -> list[DisplayedColumn]:
    """Split each column heading that contains spaces into two lines."""
    return [replace(column, head=_broken(column.head[0])) for column in columns]


def _broken(head: str) -> tuple[str, ...]:
    """Split a column heading at the space that yields the shortest lines."""
    blanks = [place for place, character in enumerate(head) if character == " "]
    if not blanks:
        return (head,)
    at = min(blanks, key=lambda place: max(place, len(head) - place - 1))
    return head[:at], head[at + 1 :]


def _lines_of(columns: Sequence[DisplayedColumn]) -> list[bytes]:
    height = max(len(column.head) for column in columns)
    rows = zip(*(column.lines(height) for column in columns), strict=True)
    return [displayed(_GAP.join(row).rstrip()) + b"\n" for row in rows]


def _blocks(columns: Sequence[DisplayedColumn], width: int) -> Iterator[list[DisplayedColumn]]:
    """Divide columns into blocks that repeat the labels. Columns without a heading stay next to the previous one."""
    labels = [column for column in columns if column.is_label]
    groups: list[list[DisplayedColumn]] = []
    for column in columns[len(labels) :]:
        if groups and not any(column.head):
            groups[-1].append(column)
        else:
            groups.append([column])
    block: list[DisplayedColumn] = []
    for group in groups:
        if block and total_width([*labels, *block, *group]) > width:
            yield [*labels, *block]
            block = []
        block += group
    yield [*labels, *block]

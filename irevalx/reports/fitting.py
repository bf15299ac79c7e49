"""Fitting of tables to the width of a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from irevalx.frozen import Frozen, replace
from irevalx.process.platform import as_bytes
from irevalx.reports.names import ELLIPSIS, shorten
from irevalx.reports.table import Table, aligned_lines, cells_of

WIDTH = 100
"""Characters in a line of tables that are fitted, and of text above them, if the output is not a terminal."""

_GAP = "  "
_LEAST_NAME = 10
"""Run names are not shortened to fewer characters."""

_ENDS = slice(_LEAST_NAME), slice(-_LEAST_NAME, None)
"""The beginning and the end of a name."""


class _Column(Frozen):
    """A column of a table as text."""

    name: str
    head: tuple[str, ...]  # lines
    cells: Sequence[str]
    is_label: bool

    @property
    def width(self) -> int:
        """The number of characters in its longest line."""
        return max(map(len, (*self.head, *self.cells)))

    def lines(self, height: int) -> Iterator[str]:
        """Yield the lines of the block: the head in ``height`` lines, a rule, and the cells."""
        width, align = self.width, "<" if self.is_label else ">"
        for text in (*[""] * (height - len(self.head)), *self.head, "-" * width, *self.cells):
            yield f"{text:{align}{width}}"


def fitted_lines(table: Table, digits: int, width: int, *, best: str, other: str) -> tuple[list[bytes], list[str]]:
    """Return the lines of a table, fitted to a width if they are longer, and notes on omitted and shortened parts.

    Column heads are broken first. Then optional columns are omitted. If the table is still too wide, run names are
    shortened, then as few optional columns as possible are omitted, and finally the columns are divided into blocks
    below each other.
    """
    lines = [*aligned_lines(table, digits, layout="simple", best=best, other=other, escape=str)]
    if max(len(line.decode(errors="replace")) for line in lines) <= width + 1:
        return lines, []
    heads, rows = cells_of(table, digits, best=best, other=other, escape=str)
    columns = [
        _Column(name, (head,), [row[place] for row in rows], place < table.n_labels)
        for place, (name, head) in enumerate(zip(table.columns, heads, strict=True))
    ]
    if _total(columns) > width:
        columns = [replace(column, head=_in_two_lines(column.head[0])) for column in columns]
    fewer = [columns]  # optional columns are omitted one after the other
    for names in table.optional:
        fewer.append([column for column in fewer[-1] if column.name not in names.split()])
    fitted = next((each for each in fewer if _total(each) <= width), None)
    notes: list[str] = []
    if fitted is None:
        shortened = [_with_short_names(each, table.names, width) for each in fewer]
        fitted, notes = next((each for each in shortened if _total(each[0]) <= width), shortened[-1])
    remaining = {column.name for column in fitted}
    if omitted := [" ".join(column.head) for column in columns if column.name not in remaining]:
        notes.insert(
            0,
            f"Columns omitted to fit {width} characters: {', '.join(omitted)}. A wider terminal or --format csv "
            "displays them.",
        )
    blocks = [_lines_of(block) for block in _blocks(fitted, width)]
    return [line for number, block in enumerate(blocks) for line in (*([b"\n"] if number else []), *block)], notes


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a text without breaking words."""
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _total(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _in_two_lines(head: str) -> tuple[str, ...]:
    """Break a column head at the blank that yields the shortest lines."""
    blanks = [place for place, character in enumerate(head) if character == " "]
    if not blanks:
        return (head,)
    at = min(blanks, key=lambda place: max(place, len(head) - place - 1))
    return head[:at], head[at + 1 :]


def _lines_of(columns: Sequence[_Column]) -> list[bytes]:
    height = max(len(column.head) for column in columns)
    rows = zip(*(column.lines(height) for column in columns), strict=True)
    return [as_bytes(_GAP.join(row).rstrip()) + b"\n" for row in rows]


def _with_short_names(columns: Sequence[_Column], names: Sequence[str], width: int) -> tuple[list[_Column], list[str]]:
    """Return the columns with shortened run names in the columns ``names``, and a note on the names."""
    named = [column for column in columns if column.name in names]
    cells, heads = ([column for column in named if column.is_label is is_label] for is_label in (True, False))
    rest = _total(columns) - sum(column.width for column in named)
    short: dict[str, str] = {}
    key = ""
    for of_kind, texts in (
        (cells, [cell for column in cells for cell in column.cells]),
        (heads, [" ".join(column.head) for column in heads]),
    ):
        most = (width - rest) // max(1, len(named))
        if most < _LEAST_NAME:  # the table continues below itself, which leaves more room for names
            most = max(_LEAST_NAME, width // (3 * len(of_kind or "-")))
        shortened = shorten(_like([text for text in texts if len(text) > most], texts), most)
        short |= shortened.of
        key = key or shortened.key
    note = (
        f"{ELLIPSIS}: parts of run names that were removed to fit {width} characters. --format csv contains the whole "
        "names."
    )
    return [_renamed(column, short) if column in named else column for column in columns], [
        key or note
    ] if short else []


def _like(long: Sequence[str], names: Sequence[str]) -> list[str]:
    """Shorten long names to their beginning or to their end, in the same way for all names."""
    begins, ends = ({name[part] for name in long} for part in _ENDS)
    return list(dict.fromkeys(name for name in names if name[_ENDS[0]] in begins or name[_ENDS[1]] in ends))


def _renamed(column: _Column, short: Mapping[str, str]) -> _Column:
    """Shorten the cells of a column of labels, or the head of a column of values."""
    if column.is_label:
        return replace(column, cells=[short.get(cell, cell) for cell in column.cells])
    head = " ".join(column.head)
    return replace(column, head=(short[head],) if head in short else column.head)


def _blocks(columns: Sequence[_Column], width: int) -> Iterator[list[_Column]]:
    """Yield blocks of columns that fit the width, each with labels; headless columns stay with the previous one."""
    labels = [column for column in columns if column.is_label]
    groups: list[list[_Column]] = []
    for column in columns[len(labels) :]:
        if groups and not any(column.head):
            groups[-1].append(column)
        else:
            groups.append([column])
    block: list[_Column] = []
    for group in groups:
        if block and _total([*labels, *block, *group]) > width:
            yield [*labels, *block]
            block = []
        block += group
    yield [*labels, *block]

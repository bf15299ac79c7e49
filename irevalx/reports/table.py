"""Tables of values, and their conversion to strings."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from irevalx.errors import visible
from irevalx.frozen import Frozen, replace
from irevalx.process.platform import displayed


class Table(Frozen):
    """A table of values, with the title, the notes and the marks that are displayed with it."""

    title: str  # the title in a few words
    columns: tuple[str, ...]  # lower-case names with underscores
    rows: Sequence[Sequence[Any]]  # shape (n_rows, n_columns); a value is a string, number, boolean or None
    n_labels: int = 1  # the number of leading columns that identify a row
    probabilities: frozenset[str] = frozenset()  # columns whose values near 0 are displayed as bounds
    best: Mapping[str, Collection[int]] = {}
    """The rows with the best value, for each column in which rows compete, or no rows if none is marked."""
    heads: tuple[str, ...] | None = None  # displayed column headings; if None, underscores in names become spaces
    summary: Callable[[int], Sequence[str]] = lambda digits: ()  # paragraphs above the table, for a number of decimals
    caption: tuple[str, ...] = ()  # sentences on marks and tests: in LaTeX the caption, otherwise the first notes
    notes: tuple[str, ...] = ()  # sentences below the table
    fits: bool = False  # whether the table is fitted even if the output is not a terminal
    optional: tuple[str, ...] = ()  # columns that are omitted if the table is too wide, in this order; an item can be
    # several columns, with blanks between them
    is_matrix: bool = False  # whether rows and columns can be exchanged for display
    names: tuple[str, ...] = ("run", "against")  # columns whose cells (labels) or heads (values) are run names, which
    # are shortened if the table is too wide

    @classmethod
    def of(
        cls, title: str, kind: type[Any], rows: Iterable[Any], *, without: Collection[str] = (), **more: Any
    ) -> Table:
        """Create a table from NamedTuples, with a column for each field. A trailing underscore (``from_``) is removed.

        The fields in ``without`` have no column. The keywords ``more`` are further fields of the table.
        """
        names = [name for name in kind._fields if name not in without]
        columns = tuple(name.removesuffix("_") for name in names)
        return cls(title, columns, [tuple([getattr(row, name) for name in names]) for row in rows], **more)

    def pivot(self, index: Sequence[str], name: str, *values: str, **more: Any) -> Table:
        """Return a table with a row for each value of ``index``, and columns for each value of the column ``name``.

        For each value X of ``name``, the column X contains the first field in ``values``, and a column X_VALUE contains
        each further field. Missing values are None. If the first field in ``values`` has marks of the best values, the
        columns X have the same marks. ``more`` contains other fields of the table.
        """
        places = {column: place for place, column in enumerate(self.columns)}
        ends = ("", *(f"_{value}" for value in values[1:]))
        columns = [f"{key}{end}" for key in dict.fromkeys(row[places[name]] for row in self.rows) for end in ends]
        wide: dict[tuple[Any, ...], dict[str, Any]] = {}
        best: dict[str, set[int]] = {}
        for number, row in enumerate(self.rows):
            cells = wide.setdefault(labels := tuple(row[places[label]] for label in index), {})
            cells |= {f"{row[places[name]]}{end}": row[places[value]] for end, value in zip(ends, values, strict=True)}
            if values[0] in self.best:
                best.setdefault(str(row[places[name]]), set()).update(
                    [[*wide].index(labels)] if number in self.best[values[0]] else ()
                )
        rows = [(*labels, *map(cells.get, columns)) for labels, cells in wide.items()]
        return Table(self.title, (*index, *columns), rows, **{"n_labels": len(index), "best": best, **more})

    def transposed(self) -> Table:
        """Exchange the rows and columns of a table. Each row must have exactly one label, which must be unique."""
        first, *others = self.heads or self.columns
        names = [str(row[0]) for row in self.rows]
        rows = [(other, *cells) for other, cells in zip(others, list(zip(*self.rows, strict=True))[1:], strict=True)]
        best = {
            name: {place for place, column in enumerate(self.columns[1:]) if number in self.best.get(column, ())}
            for number, name in enumerate(names if self.best else ())
        }
        heads = (first, *names)
        return replace(self, columns=heads, heads=heads, rows=rows, best=best, names=tuple(names))

    def without_empty(self, *columns: str) -> Table:
        """Remove columns that contain no values, among the given columns or all. If there are no rows, remove none."""
        empty = {
            column
            for place, column in enumerate(self.columns)
            if column in (columns or self.columns) and all(_is_missing(row[place]) for row in self.rows)
        }
        return self.showing(*(column for column in self.columns if column not in empty)) if self.rows else self

    def showing(self, *columns: str, **more: Any) -> Table:
        """Return a table with the given columns in this order. The keywords ``more`` are other fields of the table."""
        places = [self.columns.index(column) for column in columns]
        rows = [tuple(row[place] for place in places) for row in self.rows]
        return replace(self, columns=columns, rows=rows, probabilities=self.probabilities & {*columns}, **more)

    def with_label(self, column: str, cells: Sequence[Any]) -> Table:
        """Return the table with a further column after its labels."""
        place = self.n_labels
        rows = [(*row[:place], cell, *row[place:]) for row, cell in zip(self.rows, cells, strict=True)]
        columns, heads = (
            (*names[:place], name, *names[place:])
            for names, name in ((self.columns, column), (self.heads or self.columns, column.replace("_", " ")))
        )
        return replace(self, columns=columns, rows=rows, heads=heads if self.heads else None, n_labels=place + 1)

    def in_words(self, heads: Mapping[str, str], *notes: str) -> Table:
        """Return a copy of the table with the given column headings and additional notes."""
        named = tuple(heads.get(column, column.replace("_", " ")) for column in self.columns)
        return replace(self, heads=named, notes=(*self.notes, *notes))


def aligned_lines(
    table: Table, digits: int, *, layout: str, best: str, other: str, escape: Callable[[str], str]
) -> Iterator[bytes]:
    """Yield the lines of a table. Labels are left-aligned, and values are right-aligned with ``digits`` decimals.

    The arguments ``layout``, ``best``, ``other`` and ``escape`` are fields of ``TableForPeople``.
    """
    from tabulate import tabulate

    heads, cells = cells_of(table, digits, best=best, other=other, escape=escape)
    text = tabulate(
        cells,
        headers=heads,
        tablefmt=layout,
        disable_numparse=True,
        colalign=["left"] * table.n_labels + ["right"] * (len(heads) - table.n_labels),
        preserve_whitespace=True,
    )
    for line in text.splitlines():
        yield displayed(line.rstrip()) + b"\n"


def cells_of(
    table: Table, digits: int, *, best: str, other: str, escape: Callable[[str], str]
) -> tuple[list[str], list[list[str]]]:
    """Convert the headings and cells of a table to strings. The shapes are (n_columns,) and (n_rows, n_columns)."""
    heads = table.heads or [column.replace("_", " ") for column in table.columns]
    least = [0.1**digits if column in table.probabilities else 0.0 for column in table.columns]
    cells = [
        [escape(visible(_rounded(value, digits, bound))) for value, bound in zip(row, least, strict=True)]
        for row in table.rows
    ]
    for column, best_rows in table.best.items():
        place = table.columns.index(column)
        for number, row in enumerate(cells):
            row[place] = (best if number in best_rows else other).format(row[place])
    return [escape(visible(head)) for head in heads], cells


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _rounded(value: Any, digits: int, least: float) -> str:
    """Format a value for display. A number from 0 up to ``least`` is displayed as "<" followed by ``least``."""
    if _is_missing(value):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        rounded = f"{value:.{digits}f}"
        return (
            f"<{least:.{digits}f}" if 0 <= value < least else rounded.removeprefix("-" if float(rounded) == 0 else "")
        )
    return str(value)

"""Table: rows of values; and how such tables are written for people."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from irevalx.errors import printable
from irevalx.frozen import Frozen, fields, replace
from irevalx.process.system import as_bytes

_LATEX_LINE = r"\hline"

_BOOKTABS = (r"\toprule", r"\midrule", r"\bottomrule")
"""What the package booktabs has in place of the lines above, within and below a table."""


_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\udc80-\udc9f\u2028\u2029]")
"""Control characters, as bytes of Latin 1 too, and what ends a line."""


class Table(Frozen):
    """Rows of values.

    Parameters
    ----------
    title : what it is, in a few words.
    columns : names, in small letters with underscores.
    rows : shape (n_rows, n_columns); a value is text, a number, true or false, or None where there is none.
    n_labels : how many columns, the first ones, say what a row is about.
    probabilities : columns of which people want to know how near to 0 they are.
    best : for columns in which rows compete, the places of the rows with the best value, maybe none.
    heads : what people see in place of the columns; None for the columns with blanks for underscores.
    notes : sentences that people see below it.
    for_paper : whether its lines in LaTeX are those of the package booktabs.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    n_labels: int = 1
    probabilities: frozenset[str] = frozenset()
    best: Mapping[str, Collection[int]] = {}
    heads: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    for_paper: bool = False

    @classmethod
    def of(
        cls, title: str, kind: type[Frozen], rows: Iterable[Frozen], *, without: Collection[str] = (), **more: Any
    ) -> Table:
        """Return records of one kind as a table, with a column for each field; ``from_`` is called from.

        Parameters
        ----------
        without : fields that have no column.
        more : other fields of the table.
        """
        shown = [name for name in fields(kind) if name not in without]
        columns = tuple(name.removesuffix("_") for name in shown)
        return cls(title, columns, [tuple(getattr(row, name) for name in shown) for row in rows], **more)

    def showing(self, *columns: str, **more: Any) -> Table:
        """Return the same with these columns only, in this order; ``more`` are other fields."""
        places = [self.columns.index(column) for column in columns]
        rows = [tuple(row[place] for place in places) for row in self.rows]
        return replace(self, columns=columns, rows=rows, probabilities=self.probabilities & {*columns}, **more)

    def in_words(self, heads: Mapping[str, str], *notes: str) -> Table:
        """Return the same with other heads for some columns, and sentences below it that say what they are."""
        named = tuple(heads.get(column, column.replace("_", " ")) for column in self.columns)
        return replace(self, heads=named, notes=(*self.notes, *notes))


def aligned_lines(
    table: Table, digits: int, *, layout: str, best: str, other: str, escape: Callable[[str], str]
) -> Iterator[bytes]:
    """Yield the lines of a table, labels to the left and values to the right.

    Parameters
    ----------
    digits : decimals of real numbers.
    layout, best, other, escape : as ``TableForPeople`` has them.
    """
    from tabulate import tabulate

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
    text = tabulate(
        cells,
        headers=[escape(visible(head)) for head in heads],
        tablefmt=layout,
        disable_numparse=True,
        colalign=["left"] * table.n_labels + ["right"] * (len(heads) - table.n_labels),
        preserve_whitespace=True,
    )
    rules = iter(_BOOKTABS if table.for_paper else ())
    for line in text.splitlines():
        yield as_bytes(next(rules, line) if line == _LATEX_LINE else line.rstrip()) + b"\n"


def visible(text: str) -> str:
    r"""Return text with escapes for what a terminal would obey, and for line breaks, which would tear a row.

    Letters of any encoding stay as they are.

    >>> visible("\033[31mred\n")
    '\\x1b[31mred\\n'
    """
    return _OBEYED.sub(lambda found: printable(as_bytes(found[0])), text)


def _rounded(value: Any, digits: int, least: float) -> str:
    """Return a value as people want to see it.

    Parameters
    ----------
    least : a number from 0 on below this one is shown as less than it; 0 for none.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        rounded = f"{value:.{digits}f}"
        return (
            f"<{least:.{digits}f}" if 0 <= value < least else rounded.removeprefix("-" if float(rounded) == 0 else "")
        )
    return str(value)

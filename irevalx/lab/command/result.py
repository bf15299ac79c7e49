"""What a function of the lab returns: typed rows that show themselves as the table of its command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from irevalx.errors import imported
from irevalx.frozen import Frozen, replace
from irevalx.reports.output_formats import DIGITS, OUTPUT_FORMATS
from irevalx.reports.table import Table, aligned_lines

if TYPE_CHECKING:
    import pandas as pd


FORMATS = {form.name: form for form in OUTPUT_FORMATS.values() if form.in_lab}
"""The values of ``--format``."""

DEFAULT_FORMAT = "table"
"""``--format`` unless it is given."""

FIGURE_ENDINGS = (".png", ".svg", ".pdf")
"""What the name of the file of a figure ends in, which is its format."""


class Result(Frozen, kw_only=True):
    """The base of results; each has its rows as fields. One that can be drawn has a method ``figure`` as well.

    In an interpreter and in a notebook it shows itself as the command does on a terminal.

    Parameters
    ----------
    notes : sentences that people see below the last table: which topics it is over, for one.
    """

    notes: tuple[str, ...] = ()

    titled: ClassVar[bool] = False
    """Whether people see the title of a single table too."""

    def tables(self) -> Sequence[Table]:
        """Return the tables; the first one is what was asked for, and what formats for programs have."""
        raise NotImplementedError

    def tables_for_people(self) -> Sequence[Table]:
        """Return the tables as people read them."""
        return self.tables()

    def about(self) -> dict[str, Any]:
        """Return how the values were made, for JSON: a seed, methods, notes."""
        return {"seed": getattr(self, "seed", None), "notes": list(self.notes)}

    def noted_tables(self) -> Sequence[Table]:
        """Return the tables as people read them, with the notes below the last one."""
        *tables, last = self.tables_for_people()
        return [*tables, replace(last, notes=(*last.notes, *self.notes))]

    def to_frame(self) -> pd.DataFrame:
        """Return the first table as a pandas data frame: every digit, and a column for each field of a row.

        Raises
        ------
        ImportError : pandas is not installed.
        """
        pandas, table = imported("pandas", "pandas", "to_frame"), self.tables()[0]
        frame: pd.DataFrame = pandas.DataFrame(list(table.rows), columns=list(table.columns))
        return frame

    def __repr__(self) -> str:
        lines = OUTPUT_FORMATS["table"].table_lines(self.noted_tables(), DIGITS, titled=self.titled)
        return b"".join(lines).decode(errors="replace").rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        tables = self.noted_tables()
        return "\n".join(part for table in tables for part in _html_of(table, titled=self.titled or len(tables) > 1))


def _html_of(table: Table, *, titled: bool) -> Iterator[str]:
    if titled:
        yield f"<p><b>{escape(table.title)}</b></p>"
    lines = aligned_lines(table, DIGITS, layout="unsafehtml", best="<b>{}</b>", other="{}", escape=escape)
    yield b"".join(lines).decode(errors="replace")
    for note in table.notes:
        yield f"<p>{escape(note.replace('{best}', 'Bold type'))}</p>"

"""The results of ``estimate``: tables and figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from irevalx.frozen import Frozen, replace
from irevalx.lab.command.result import Result
from irevalx.lab.estimation.estimated_rows import EstimatedRow, EstimatedScore, SampledScore
from irevalx.reports.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class EstimatedScores(Result):
    """The result of ``estimate``: ``rows``, for each measure the means of runs, then the differences of pairs."""

    rows: Sequence[EstimatedRow]
    alpha: float
    """Intervals cover the true value with probability 1 - alpha."""

    correction: str
    """Correction of the p-values."""

    kind: ClassVar[type[Frozen]] = EstimatedScore
    first_columns: ClassVar[tuple[str, ...]] = (
        "estimate",
        "low",
        "high",
        "classical",
        "classical_low",
        "classical_high",
    )
    """The columns of the first table in the terminal."""

    last_columns: ClassVar[tuple[str, ...]] = (
        *("standard_error", "lambda", "correlation"),
        *("human_topics", "machine_topics", "effective_topics"),
    )
    """The columns of the last table."""

    sources: ClassVar[str] = "from human topics alone (classical)"
    """The other estimates in the first table."""

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("estimates", self.kind, self.rows, n_labels=3, probabilities=_PROBABILITIES)]

    def tables_for_people(self) -> list[Table]:
        """Return narrower tables: estimates, tests of differences, and the benefit of the machine labels."""
        [table] = self.tables()
        of_pairs = [row for row in table.rows if row[2] is not None]
        parts = [
            (
                f"estimates with machine labels (estimate) and {self.sources}",
                self.first_columns,
                table.rows,
                (f"Each interval covers its own value with probability {1 - self.alpha:g}, not all of them together.",),
            ),
            ("differences", _OF_DIFFERENCES, of_pairs, self._notes(len(of_pairs))),
            (
                "how far machine labels help",
                self.last_columns,
                table.rows,
                (),
            ),
        ]
        return [
            _with_columns(replace(table, title=title, rows=rows, notes=notes), columns)
            for title, columns, rows, notes in parts
            if rows
        ]

    def _notes(self, n_rows: int) -> tuple[str, ...]:
        n_pairs = n_rows // len({row.measure for row in self.rows})
        notes = [
            f"p: t test of the estimate. Corrected p: {self.correction}, for the {n_pairs} differences of a measure; "
            f"differ: it is below {self.alpha:g}."
        ]
        if any(row.against is not None and row.standard_error == 0 for row in self.rows):
            notes.append("If the standard error is 0, p is from an exact sign-flip test, and there is no interval.")
        if self.correction == "bonferroni":
            notes.append(f"Simultaneous: all of them hold together with probability {1 - self.alpha:g}.")
        else:
            notes.append(f"{self.correction} has no simultaneous intervals; bonferroni has.")
        return tuple(notes)

    def figure(self, *, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw the differences with their intervals, or the means if there is one run."""
        from irevalx.lab.estimation.figures import estimated_intervals
        from irevalx.lab.plot.page import Page, style

        with style():
            return estimated_intervals(self.rows, self.alpha, Page(width, titled))


class EstimatedFromDocuments(EstimatedScores):
    """The same from human labels of a random sample of the documents of each topic."""

    rows: Sequence[SampledScore]

    kind = SampledScore
    first_columns = ("estimate", "low", "high", "classical", "classical_low", "classical_high", "machine")
    last_columns = ("standard_error", "document_error", "lambda", "topics", "documents", "effective_documents")
    sources = "from the sample alone (classical), and scores by the machine alone"


_PROBABILITIES = frozenset({"p", "corrected_p"})

_OF_DIFFERENCES = ("estimate", "p", "corrected_p", "differ", "simultaneous_low", "simultaneous_high")


def _with_columns(table: Table, columns: Sequence[str]) -> Table:
    """Return a table with its labels and these columns, except empty ones."""
    places = {name: table.columns.index(name) for name in columns}
    filled = [name for name, place in places.items() if any(row[place] is not None for row in table.rows)]
    return table.showing(*table.columns[: table.n_labels], *filled)

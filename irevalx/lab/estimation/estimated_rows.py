"""Rows of estimates, and the results that have them: what tables have, and what the figure draws."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen, replace
from irevalx.lab.command.result import Result
from irevalx.reports.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class EstimatedScore(Frozen, kw_only=True):
    """The mean of a run, or the mean difference of two runs.

    Parameters
    ----------
    against : the other run; None for the mean of a run. ``differ`` and all p-values are of differences only.
    estimate, low, high, standard_error : with machine labels; the interval is nan where the error is 0.
    lambda_ : the weight of the machine's labels.
    classical, classical_low, classical_high : from the human topics alone.
    correlation : of human and machine values over topics; nan where one of them is constant.
    human_topics, machine_topics : numbers of topics.
    effective_topics : how many human topics alone would have this standard error; nan where it is 0.
    p, corrected_p : of the difference, before and after correction for the number of comparisons of the measure.
    differ : whether the corrected p-value is below alpha.
    simultaneous_low, simultaneous_high : an interval that holds for all differences at once; nan where there is none.
    """

    measure: str
    run: str
    against: str | None
    estimate: float
    low: float
    high: float
    standard_error: float
    lambda_: float
    classical: float
    classical_low: float
    classical_high: float
    correlation: float
    human_topics: int
    machine_topics: int
    effective_topics: float
    p: float | None
    corrected_p: float | None
    differ: bool | None
    simultaneous_low: float | None
    simultaneous_high: float | None


class SampledScore(Frozen, kw_only=True):
    """The same from labels that people gave to a random sample of the documents of each topic.

    Parameters
    ----------
    against, p, corrected_p, differ, simultaneous_low, simultaneous_high : as ``EstimatedScore`` has them.
    estimate, low, high, standard_error : with machine labels; over the draws of topics and of documents.
    document_error : the part of the standard error that is over the draws of documents: all of it, if the topics are
        all that there are.
    lambda_ : the weight of the machine's labels of documents that could be drawn.
    classical, classical_low, classical_high : from the sample alone.
    machine : from the machine's labels alone.
    topics, documents : numbers of topics, and of documents that people labelled.
    effective_documents : how many documents people would have to label for this document error, if they were alone;
        nan where it is 0.
    """

    measure: str
    run: str
    against: str | None
    estimate: float
    low: float
    high: float
    standard_error: float
    document_error: float
    lambda_: float
    classical: float
    classical_low: float
    classical_high: float
    machine: float
    topics: int
    documents: int
    effective_documents: float
    p: float | None
    corrected_p: float | None
    differ: bool | None
    simultaneous_low: float | None
    simultaneous_high: float | None


EstimatedRow: TypeAlias = EstimatedScore | SampledScore


class EstimatedScores(Result):
    """Estimated means of runs, and differences of pairs.

    Parameters
    ----------
    rows : for each measure the means, then the differences.
    alpha : intervals cover the true value with probability 1 - alpha.
    correction : of the p-values.
    """

    rows: Sequence[EstimatedRow]
    alpha: float
    correction: str

    kind: ClassVar[type[Frozen]] = EstimatedScore
    shown: ClassVar[tuple[str, ...]] = ("estimate", "low", "high", "classical", "classical_low", "classical_high")
    """The columns of the first table for people."""

    helping: ClassVar[tuple[str, ...]] = (
        *("standard_error", "lambda", "correlation"),
        *("human_topics", "machine_topics", "effective_topics"),
    )
    """Those of the last one."""

    sources: ClassVar[str] = "from human topics alone (classical)"
    """What else the first table has estimates from."""

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("estimates", self.kind, self.rows, n_labels=3, probabilities=_PROBABILITIES)]

    def tables_for_people(self) -> list[Table]:
        """Return the same as tables that are less wide: estimates, tests, and how far the machine helps."""
        [table] = self.tables()
        of_pairs = [row for row in table.rows if row[2] is not None]
        parts = [
            (
                f"estimates with machine labels (estimate) and {self.sources}",
                self.shown,
                table.rows,
                (f"Each interval covers its own value with probability {1 - self.alpha:g}, not all of them together.",),
            ),
            ("differences", _OF_DIFFERENCES, of_pairs, self._notes(len(of_pairs))),
            (
                "how far machine labels help",
                self.helping,
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
    """The same from labels that people gave to a random sample of the documents of each topic."""

    rows: Sequence[SampledScore]

    kind = SampledScore
    shown = ("estimate", "low", "high", "classical", "classical_low", "classical_high", "machine")
    helping = ("standard_error", "document_error", "lambda", "topics", "documents", "effective_documents")
    sources = "from the sample alone (classical), and scores by the machine alone"


_PROBABILITIES = frozenset({"p", "corrected_p"})

_OF_DIFFERENCES = ("estimate", "p", "corrected_p", "differ", "simultaneous_low", "simultaneous_high")


def _with_columns(table: Table, columns: Sequence[str]) -> Table:
    """Return a table with its labels and some of its columns, without those in which nothing stands."""
    places = {name: table.columns.index(name) for name in columns}
    filled = [name for name, place in places.items() if any(row[place] is not None for row in table.rows)]
    return table.showing(*table.columns[: table.n_labels], *filled)


def pairs_to_compare(runs: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """Return pairs of numbers of runs; the difference is that of the first to the second.

    Raises
    ------
    UsageError : the baseline is none of the runs.
    """
    numbers = range(len(runs))
    if baseline is None:
        return list(combinations(numbers, 2))
    if baseline not in runs:
        raise UsageError(f"baseline must be one of the runs ({' '.join(runs)}), but got {quote(baseline)}")
    base = runs.index(baseline)
    return [(run, base) for run in numbers if run != base]

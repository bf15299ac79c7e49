"""The result of ``compare``, and the base class of comparisons that can be drawn as figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from irevalx.errors import ArgumentError, warn
from irevalx.frozen import replace
from irevalx.lab.command.output import FEW_PAIRS, DrawnResult
from irevalx.lab.comparison.conclusions import Conclusion
from irevalx.lab.comparison.pair_columns import default_columns, heads_of, notes_on_pairs
from irevalx.lab.comparison.pairs import LABELS, PAIR_COLUMNS, PROBABILITIES, ComparedPair, Comparison, PairInteraction
from irevalx.lab.comparison.run_tables import (
    ComparedRun,
    compared_runs,
    displayed_table_of_runs,
    pairs_on_request,
    table_of_runs,
)
from irevalx.lab.comparison.summary import summary_of
from irevalx.lab.comparison.warnings import interval_warnings
from irevalx.reports.report import JUDGED
from irevalx.reports.table import Table
from irevalx.wording import argument_error, spelled

if TYPE_CHECKING:
    from irevalx.lab.plotting.page import Page

_MOST_ROWS, MOST_PANELS, MOST_RUNS = 58, 24, 80
"""The maximum numbers of pairs in a panel of intervals, of panels with topic differences, and of runs in a matrix."""


_COVERAGE = (JUDGED, f"{JUDGED}_against", "depends_on_unjudged")
"""The columns with shares of judged documents and with cautions."""


def most_intervals(*, is_narrow: bool) -> int:
    """Return the maximum number of pairs in a figure of intervals, for a narrow or a wide page."""
    return _MOST_ROWS * (1 if is_narrow else 2)


class FigureComparison(Comparison, DrawnResult):
    """The base class of comparisons for which there are figures of pairs."""

    @property
    def shows_intervals(self) -> bool:
        """Whether the tables contain intervals, in which case warnings about intervals were already issued."""
        return False

    drawings: ClassVar[Mapping[str, str]] = {
        "intervals": "intervals",
        "topics": "topic_differences",
        "matrix": "matrix",
        "ranks": "ranks",
        "critical-differences": "critical_differences",
    }

    def drawing(self, draw: str | None, page: Page) -> str:
        """Return the kind of figure. Raise ArgumentError if the requested figure cannot be drawn.

        The default is intervals, or a matrix if there are many pairs.
        """
        if draw is not None and draw not in self.drawings:
            raise argument_error(spelled("draw"), f"one of {' '.join(self.drawings)}, or None", draw)
        has_baseline = bool(self.baselines)
        n_pairs = len(self.measures[0].comparisons.pairs)
        most = MOST_PANELS // len(self.measures) if draw == "topics" else most_intervals(is_narrow=page.is_narrow)
        if draw is None:
            draw = "intervals" if n_pairs <= most or has_baseline else "matrix"
        if draw not in {"intervals", "topics"}:
            self._check_all_pairs(draw)
        elif n_pairs > most and not has_baseline:
            what = "differences by topic" if draw == "topics" else "intervals"
            raise ArgumentError(
                f"a figure of {what} can show at most {most} pairs of runs, not {n_pairs}; "
                f"{spelled('baseline')} compares all runs with one, {spelled('draw', 'matrix')} shows which runs are "
                f"significantly different, and {spelled('discriminative_power')} draws all p-values"
            )
        if draw == "intervals" and not self.shows_intervals:
            lines = (interval_warnings(of_measure.comparisons, of_measure.name) for of_measure in self.measures)
            for line in dict.fromkeys(chain.from_iterable(lines)):
                warn(line)
        return draw

    def _check_all_pairs(self, draw: str) -> None:
        """Raise ArgumentError if a figure of all pairs (matrix, ranks or diagram) cannot be drawn."""
        option, n_runs, comparisons = spelled("draw", draw), len(self.measures[0].runs), self.measures[0].comparisons
        if self.baselines:
            raise ArgumentError(f"{option} cannot be combined with {spelled('baseline')}: the figure shows all pairs")
        if n_runs > MOST_RUNS:
            raise ArgumentError(
                f"{option} can show at most {MOST_RUNS} runs, not {n_runs}; "
                f"{spelled('discriminative_power')} draws the p-values of all pairs"
            )
        if draw != "matrix" and not comparisons.are_tested:
            raise ArgumentError(f"{option} requires tests, and differences are {comparisons.why_untested}")
        if draw == "ranks" and not any(Conclusion(of_measure).rank_sets for of_measure in self.measures):
            raise ArgumentError(
                f"{option} requires a correction that controls the familywise error rate, such as "
                f"{spelled('correction', 'holm')}, and a measure with a better direction"
            )


class ComparedPairs(FigureComparison):
    """The result of a comparison of runs, with a row for each measure and pair."""

    columns: tuple[str, ...] = ()
    """The columns to display, or an empty tuple for the default columns."""

    by: str | None = None
    """The kind of rows in tables: ``pair``, ``run`` or None. If the value is None, rows are pairs, and a table of runs
    is also displayed if there are more than two runs."""

    sort: bool = False
    """Whether tables of runs are sorted from best to worst by the first measure, instead of the order of input."""

    on_dependence: Sequence[str] = ()
    """A note on clusters of dependent topics that the topic IDs suggest, or an empty sequence."""

    factors: Mapping[str, Mapping[str, str | None]] = {}
    """A dictionary that maps the column of each displayed factor in the run names to its value for each run."""

    interactions: Sequence[PairInteraction] = ()
    """The interaction of each pair with the topic groups in each measure, or an empty sequence without groups."""

    all_columns: ClassVar[tuple[str, ...]] = PAIR_COLUMNS
    """The fields of rows that become columns of tables."""

    more_columns: ClassVar[tuple[str, ...]] = ()
    """The columns that follow ``columns`` in displayed tables."""

    @property
    def more_notes(self) -> list[str]:
        """Notes that explain ``more_columns``."""
        return []

    @property
    def rows(self) -> Sequence[ComparedPair]:
        """The comparison of each pair in each measure."""
        untested = [pair for of_measure in self.untested for pair in of_measure.untested_pairs]
        return [*self._tested_rows, *untested]

    @property
    def runs(self) -> list[ComparedRun]:
        """A row for each measure and run.

        The row contains the value of the run, whether it is the best value, and marks of significant differences.
        """
        return compared_runs(self)

    @property
    def shows_intervals(self) -> bool:
        """Whether the tables contain intervals."""
        return self.by != "run"

    @property
    def _order(self) -> Sequence[int]:
        """The indices of the runs in the order in which tables list them."""
        return self.measures[0].best_first if self.sort else range(len(self.measures[0].runs))

    @property
    def _tested_rows(self) -> list[ComparedPair]:
        return [pair for of_measure in self.measures for pair in of_measure.pairs]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, or the table of runs if ``by`` is "run"."""
        if self.by == "run":
            return [self._with_factors(table_of_runs(self, self._order))]
        table = Table.of("comparison", ComparedPair, self.rows, n_labels=3, probabilities=PROBABILITIES)
        return [self._with_factors(table.showing(*self.all_columns))]

    def _with_factors(self, table: Table) -> Table:
        """Add a column to the labels of a table for each factor and each column of run names."""
        for name, of_runs in self.factors.items():
            for run in (column for column in table.names if column in table.columns):
                column = name if run == "run" else f"{name}_{run}"
                place = table.columns.index(run)
                table = table.with_label(column, [of_runs.get(row[place]) for row in table.rows])
        return table

    def tables_for_people(self) -> list[Table]:
        """Return the displayed tables.

        For two runs, the only table is the table of pairs. For more runs, there is a table of runs and, if it was
        requested or is small, a table of pairs.
        """
        n_runs, n_pairs = len(self.measures[0].runs), len(self.measures[0].comparisons.pairs)
        if self.by != "run" and (n_runs == 2 or self.by or self.columns):
            return [replace(self._with_factors(self._displayed_pairs()), summary=partial(summary_of, self))]
        by_run = self._with_factors(displayed_table_of_runs(self, self._order, with_ranks=self.by == "run"))
        runs = replace(by_run, summary=partial(summary_of, self, with_ranks=self.by == "run"))
        if self.by == "run":
            return [replace(runs, notes=(*self.note_on_measures, *runs.notes, *self.notes_on_cautions))]
        if self.baselines or n_pairs <= FEW_PAIRS:
            return [replace(runs, notes=()), replace(self._displayed_pairs(), caption=())]
        notes = (pairs_on_request(self), *self.more_notes, *self.note_on_measures, *runs.notes, *self.notes_on_cautions)
        return [replace(runs, notes=notes)]

    @property
    def _optional(self) -> tuple[str, ...]:
        """The columns that narrow tables omit, because notes or other columns contain the same information."""
        only_measure = () if self.measures[1:] or self.untested else LABELS[:1]
        coverage = (f"{JUDGED}_against", JUDGED) if self.baseline is not None else (f"{JUDGED} {JUDGED}_against",)
        return (*coverage, *only_measure, "differ")

    def _displayed_pairs(self) -> Table:
        """Return the table of the requested columns, and notes on the columns.

        By default, the table contains all columns that are not empty.
        """
        [table], method, n_pairs = self.tables(), self.method, len(self.measures[0].comparisons.pairs)
        cautious = any(row.depends_on_unjudged for row in self.rows)
        coverage = {} if self.columns else self.coverage_heads(cautious=cautious)
        columns = self.columns
        if not columns:
            columns = (*default_columns(method, self._tested_rows, LABELS, n_pairs), *self.more_columns)
            filled = table.showing(*columns).without_empty().columns
            columns = tuple(column for column in columns if column in filled)
        heads = (*heads_of(columns, method, n_pairs), *coverage.values())
        has_coverage = not self.columns or self.is_all_judged or {*columns} & {*_COVERAGE}
        notes = (
            *notes_on_pairs(method, columns, n_pairs, "pair", "pairs", self.measures[0].comparisons.units),
            *self.more_notes,
            *self.note_on_measures,
            *(self.coverage_notes(cautious=cautious) if has_coverage else ()),
        )
        return table.showing(
            *columns,
            *coverage,
            n_labels=sum(column in LABELS for column in columns),
            heads=heads,
            caption=(self.how_tested,),
            notes=notes,
            fits=True,
            optional=() if self.columns else self._optional,
        )

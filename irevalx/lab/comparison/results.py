"""Results of a comparison: compared runs, topics, and discriminative power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from irevalx import parameters
from irevalx.declarations import spelled
from irevalx.errors import ArgumentError, warn
from irevalx.frozen import replace
from irevalx.lab.command.output import FEW_PAIRS, DrawnResult
from irevalx.lab.comparison.pairs import (
    LABELS,
    PAIR_COLUMNS,
    ComparedPair,
    Comparison,
    default_columns,
    heads_of,
    notes_on_pairs,
)
from irevalx.lab.comparison.run_tables import (
    ComparedRun,
    compared_runs,
    displayed_table_of_runs,
    pairs_on_request,
    table_of_runs,
)
from irevalx.lab.comparison.summary import LONG_NAME, summary_of
from irevalx.reports.report import JUDGED
from irevalx.reports.table import Table
from irevalx.statistics.paired_comparisons import interval_warnings

if TYPE_CHECKING:
    from irevalx.lab.plotting.page import Page

PROBABILITIES = frozenset({"p", "corrected_p"})
"""Columns that contain probabilities, printed with more digits near 0."""

_MOST_ROWS, MOST_PANELS, MOST_RUNS = 58, 24, 80
"""Maximum numbers of pairs in a panel of intervals, of panels of differences by topic, and of runs in a matrix."""


_COVERAGE = (JUDGED, f"{JUDGED}_against", "depends_on_unjudged")
"""The columns of judged documents and cautions."""


def most_intervals(*, is_narrow: bool) -> int:
    """Return the maximum number of pairs in a figure of intervals on a narrow or on a wide page."""
    return _MOST_ROWS * (1 if is_narrow else 2)


class DiscriminativePowerRow(NamedTuple):
    """The discriminative power of a measure."""

    measure: str
    pairs: int
    different: int  # significantly different pairs
    power: float  # share of significantly different pairs, in [0, 1]
    power_uncorrected: float  # before correction
    needed: float  # the smallest significant difference with tukey; nan with other corrections


class FigureComparison(Comparison, DrawnResult):
    """Comparisons of runs that can be plotted pair by pair."""

    shows_intervals: ClassVar[bool] = False
    """Whether tables have intervals, so that warnings about them have been issued."""

    drawings: ClassVar[Mapping[str, str]] = {
        "intervals": "intervals",
        "topics": "topic_differences",
        "matrix": "matrix",
    }

    def drawing(self, draw: str | None, page: Page) -> str:
        """Return the function that plots the figure: intervals, or a matrix for many pairs; raises ArgumentError."""
        if draw is not None and draw not in self.drawings:
            raise parameters.argument_error(spelled("draw"), f"one of {' '.join(self.drawings)}, or None", draw)
        has_baseline = bool(self.baselines)
        n_runs, n_pairs = len(self.measures[0].runs), len(self.measures[0].comparisons.pairs)
        most = MOST_PANELS // len(self.measures) if draw == "topics" else most_intervals(is_narrow=page.is_narrow)
        if draw is None:
            draw = "intervals" if n_pairs <= most or has_baseline else "matrix"
        if draw == "matrix":
            if has_baseline:
                raise ArgumentError(
                    f"{spelled('draw', 'matrix')} cannot be combined with {spelled('baseline')}: a matrix has all pairs"
                )
            if n_runs > MOST_RUNS:
                raise ArgumentError(
                    f"a matrix can show at most {MOST_RUNS} runs, not {n_runs}; "
                    f"{spelled('discriminative_power', True)} draws the p-values of all pairs"
                )
        elif n_pairs > most and not has_baseline:
            what = "differences by topic" if draw == "topics" else "intervals"
            raise ArgumentError(
                f"a figure of {what} can show at most {most} pairs of runs, not {n_pairs}; "
                f"{spelled('baseline')} compares all runs with one, {spelled('draw', 'matrix')} shows which runs are "
                f"significantly different, and {spelled('discriminative_power', True)} draws all p-values"
            )
        if draw == "intervals" and not self.shows_intervals:
            lines = (interval_warnings(of_measure.comparisons, of_measure.name) for of_measure in self.measures)
            for line in dict.fromkeys(chain.from_iterable(lines)):
                warn(line)
        return draw


class ComparedPairs(FigureComparison):
    """A row for each measure and pair of runs."""

    columns: tuple[str, ...] = ()
    """Columns to display; empty for the default columns."""

    by_pair: bool = False
    """Whether the pairs of many runs are displayed instead of the runs."""

    all_columns: ClassVar[tuple[str, ...]] = PAIR_COLUMNS
    """The fields of rows that tables contain."""

    shows_intervals: ClassVar[bool] = True

    more_columns: ClassVar[tuple[str, ...]] = ()
    """Columns displayed after ``columns``."""

    @property
    def more_notes(self) -> list[str]:
        """Notes on ``more_columns``."""
        return []

    @property
    def rows(self) -> Sequence[ComparedPair]:
        """A row for each measure and pair."""
        untested = [pair for of_measure in self.untested for pair in of_measure.untested_pairs]
        return [*self._tested_rows, *untested]

    @property
    def _tested_rows(self) -> list[ComparedPair]:
        return [pair for of_measure in self.measures for pair in of_measure.pairs]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        table = Table.of("comparison", ComparedPair, self.rows, n_labels=3, probabilities=PROBABILITIES)
        return [table.showing(*self.all_columns)]

    def tables_for_people(self) -> list[Table]:
        """Return the table of pairs for two runs; otherwise, the table of runs and, if requested or small, of pairs."""
        n_runs, n_pairs = len(self.measures[0].runs), len(self.measures[0].comparisons.pairs)
        if n_runs == 2 or self.by_pair or self.columns:
            return [replace(self._displayed_pairs(), summary=partial(summary_of, self))]
        runs = replace(displayed_table_of_runs(self, range(n_runs)), summary=partial(summary_of, self))
        if self.baselines or n_pairs <= FEW_PAIRS:
            return [replace(runs, notes=()), replace(self._displayed_pairs(), caption=())]
        return [replace(runs, notes=(pairs_on_request(self), *self.more_notes, *runs.notes, *self.notes_on_cautions))]

    @property
    def _optional(self) -> tuple[str, ...]:
        """Columns that are omitted from narrow tables, because notes or other columns contain their content."""
        only_measure = () if self.measures[1:] or self.untested else LABELS[:1]
        coverage = (f"{JUDGED}_against", JUDGED) if self.baseline is not None else (f"{JUDGED} {JUDGED}_against",)
        return (*coverage, *only_measure, "differ")

    def _displayed_pairs(self) -> Table:
        """Return the table with the requested columns (by default, all that are not empty), and notes on them."""
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
            *notes_on_pairs(method, columns, n_pairs, "pair", "pairs"),
            *self.more_notes,
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


class ComparedRuns(FigureComparison):
    """A row for each run: its summary values, with the best value marked, and its significant differences."""

    sort: bool = False
    """Whether tables begin with the best run under the first measure; otherwise runs have the given order."""

    @property
    def rows(self) -> list[ComparedRun]:
        """A row for each measure and run."""
        return compared_runs(self)

    @property
    def _order(self) -> Sequence[int]:
        """The runs in the order of the table."""
        return self.measures[0].best_first if self.sort else range(len(self.measures[0].runs))

    def tables(self) -> list[Table]:
        """Return a table with one row per run and, for each measure, the value (the best is marked) and the marks."""
        return [table_of_runs(self, self._order)]

    def tables_for_people(self) -> list[Table]:
        """Return the table below a summary, and notes on the marks."""
        table = displayed_table_of_runs(self, self._order)
        return [replace(table, summary=partial(summary_of, self), notes=(*table.notes, *self.notes_on_cautions))]


class ComparedTopic(NamedTuple):
    """The values of all runs for a topic."""

    measure: str
    topic: str
    values: Mapping[str, float]  # the value of each run
    differences: Mapping[str, float]  # the difference of each run from the baseline; empty without a baseline


class ComparedTopics(FigureComparison):
    """A row for each measure and topic: the values of all runs and, with a baseline, their differences from it."""

    sort: bool = False
    """Whether topics are sorted by their difference, averaged over runs, in descending order."""

    @property
    def rows(self) -> list[ComparedTopic]:
        """A row for each measure and topic."""
        rows = []
        for of_measure in (*self.measures, *self.untested):
            measured, pairs = of_measure.measured, of_measure.comparisons
            others = [measured.runs[run] for run in pairs.second] if self.baseline else []
            d = measured.values[pairs.second] - measured.values[pairs.first] if self.baseline else np.zeros((0, 1))
            order = range(len(measured.topics))
            for place in np.argsort(-d.mean(axis=0), kind="stable").tolist() if self.sort and self.baseline else order:
                values = [measured.as_printed(value) for value in measured.values[:, place].tolist()]
                differences = [measured.as_printed(value) for value in d[:, place].tolist()] if others else []
                rows.append(
                    ComparedTopic(
                        measure=of_measure.name,
                        topic=measured.topics[place],
                        values=dict(zip(measured.runs, values, strict=True)),
                        differences=dict(zip(others, differences, strict=True)),
                    )
                )
        return rows

    def tables(self) -> list[Table]:
        """Return a table with one column per run and, with a baseline, one column per difference from it."""
        rows = self.rows
        columns = ("measure", "topic", *rows[0].values, *(f"{run} - {self.baseline}" for run in rows[0].differences))
        cells = [(row.measure, row.topic, *row.values.values(), *row.differences.values()) for row in rows]
        notes = (*self.coverage_of_runs, *self.notes_on_cautions)
        table = Table("topics", columns, cells, n_labels=2, heads=columns, notes=notes, fits=True)
        # Heads of differences have two lines; shortened, they would lack the baseline.
        are_short = max(map(len, rows[0].values)) <= LONG_NAME
        return [replace(table, names=(*rows[0].values,) if are_short else columns[2:])]


class DiscriminativePower(Comparison, DrawnResult):
    """The discriminative power of each measure."""

    drawings: ClassVar[Mapping[str, str]] = {"levels": "significance_levels"}

    @property
    def rows(self) -> list[DiscriminativePowerRow]:
        """A row for each measure."""
        return [
            DiscriminativePowerRow(
                measure=of_measure.name,
                pairs=len(of_measure.comparisons.pairs),
                different=int(np.count_nonzero(of_measure.comparisons.differ)),
                power=of_measure.comparisons.power,
                power_uncorrected=of_measure.comparisons.power_uncorrected,
                needed=of_measure.comparisons.half_width,
            )
            for of_measure in self.measures
        ]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, and the pairs of each measure, sorted by p-value."""
        notes = (self.how_tested, *self.coverage_of_runs, *self.notes_on_cautions)
        tables = [Table.of("discriminative power", DiscriminativePowerRow, self.rows, notes=notes, fits=True)]
        columns = ("rank", "run", "against", "p", "corrected_p")
        for of_measure in self.measures:
            comparisons = of_measure.comparisons
            levels: list[tuple[Any, ...]] = []
            for row in np.argsort(comparisons.p, kind="stable").tolist():  # ties are in the order of pairs
                run, against = (of_measure.runs[of_pairs[row]] for of_pairs in (comparisons.second, comparisons.first))
                levels.append(
                    (len(levels) + 1, run, against, float(comparisons.p[row]), float(comparisons.corrected_p[row]))
                )
            title = "achieved significance levels" + (f": {of_measure.name}" if self.measures[1:] else "")
            tables.append(Table(title, columns, levels, n_labels=3, probabilities=PROBABILITIES, fits=True))
        return tables

    def drawing(self, draw: str | None, page: Page) -> str:
        """Return the only figure; raises ArgumentError if another one is requested."""
        if draw is not None:
            raise parameters.argument_error(
                "draw", "None: the figure of discriminative power is one of all p-values", draw
            )
        return super().drawing(draw, page)

"""Results of a comparison: compared runs, topics, and discriminative power."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from irevalx import parameters
from irevalx.declarations import spelled
from irevalx.errors import ArgumentError, warn
from irevalx.lab.command.output import DrawnResult
from irevalx.lab.comparison.pairs import (
    LABELS,
    PAIR_COLUMNS,
    ComparedPair,
    Comparison,
    default_columns,
    heads_of,
    notes_on_pairs,
)
from irevalx.reports.table import Table
from irevalx.statistics.paired_comparisons import interval_warnings

if TYPE_CHECKING:
    from irevalx.lab.plotting.page import Page

PROBABILITIES = frozenset({"p", "corrected_p"})
"""Columns that contain probabilities, printed with more digits near 0."""

_MOST_ROWS, _MOST_PANELS, MOST_RUNS = 58, 24, 80
"""Maximum numbers of pairs in a panel of intervals, of panels of differences by topic, and of runs in a matrix."""


class ComparedRun(NamedTuple):
    """The summary value of a run under a measure, and marks of significant differences."""

    run: str
    measure: str
    score: float
    best: bool  # whether no run is better; never if all values are equal, or the measure has no better direction
    groups: str  # letters, which runs that are not significantly different share; with a baseline, ``+`` or ``-`` if
    # the run is significantly better or worse, or ``>`` or ``<`` if the measure has no better direction


class DiscriminativePowerRow(NamedTuple):
    """The discriminative power of a measure."""

    measure: str
    pairs: int
    different: int  # significantly different pairs
    power: float  # share of significantly different pairs, in [0, 1]
    power_uncorrected: float  # before correction
    needed: float  # the smallest significant difference; nan with corrections other than tukey


class FigureComparison(Comparison, DrawnResult):
    """Comparisons of runs that can be drawn pair by pair."""

    shows_intervals: ClassVar[bool] = False
    """Whether tables have intervals, so that warnings about them have been issued."""

    drawings: ClassVar[Mapping[str, str]] = {
        "intervals": "intervals",
        "topics": "topic_differences",
        "matrix": "matrix",
    }

    def drawing(self, draw: str | None, page: Page) -> str:
        """Return what to draw, by default intervals, or a matrix for many pairs; raises ArgumentError if too many."""
        if draw is not None and draw not in self.drawings:
            raise parameters.argument_error(spelled("draw"), f"one of {' '.join(self.drawings)}, or None", draw)
        n_runs, n_pairs = len(self.measures[0].runs), len(self.measures[0].comparisons.pairs)
        most = _MOST_PANELS // len(self.measures) if draw == "topics" else _MOST_ROWS * (1 if page.is_narrow else 2)
        if draw is None:
            draw = "intervals" if n_pairs <= most or self.baseline else "matrix"
        if draw == "matrix":
            if self.baseline:
                raise ArgumentError(
                    f"{spelled('draw', 'matrix')} cannot be combined with {spelled('baseline')}: a matrix has all pairs"
                )
            if n_runs > MOST_RUNS:
                raise ArgumentError(
                    f"a matrix can show at most {MOST_RUNS} runs, not {n_runs}; "
                    f"{spelled('discriminative_power', True)} draws the p-values of all pairs"
                )
        elif n_pairs > most:
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
        return [pair for of_measure in self.measures for pair in of_measure.pairs]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        table = Table.of("comparison", ComparedPair, self.rows, n_labels=3, probabilities=PROBABILITIES)
        return [table.showing(*self.all_columns)]

    def tables_for_people(self) -> list[Table]:
        """Return the table with the requested columns, and notes on them."""
        [table], method, n_pairs = self.tables(), self.method, len(self.measures[0].comparisons.pairs)
        cautious = any(row.depends_on_unjudged for row in self.rows)
        coverage = {} if self.columns else self.coverage_heads(cautious=cautious)
        columns = (*(self.columns or default_columns(method, self.rows, LABELS, n_pairs)), *self.more_columns)
        heads = (*heads_of(columns, method, n_pairs), *coverage.values())
        notes = (
            self.how_tested,
            *notes_on_pairs(method, columns, n_pairs, "pair", "pairs"),
            *self.more_notes,
            *self.coverage_notes(cautious=cautious),
        )
        n_labels = sum(column in LABELS for column in columns)
        return [table.showing(*columns, *coverage, n_labels=n_labels, heads=heads, notes=notes)]


class ComparedRuns(FigureComparison):
    """A row for each run, in the given order: its summary values, the best one marked, and significant differences."""

    @property
    def rows(self) -> list[ComparedRun]:
        """A row for each measure and run."""
        rows = []
        for of_measure in self.measures:
            scores = of_measure.scores
            groups = of_measure.letters if self.baseline is None else of_measure.signs
            direction = of_measure.measured.direction
            compete = direction and len(set(scores)) > 1
            best = direction * max(direction * score for score in scores) if compete else math.nan
            rows += [
                ComparedRun(run=run, measure=of_measure.name, score=score, best=score == best, groups=group)
                for run, score, group in zip(of_measure.runs, scores, groups, strict=True)
            ]
        return rows

    def tables(self) -> list[Table]:
        """Return a table with a row for each run: for each measure the value, the best one marked, and the marks."""
        rows, runs = self.rows, self.measures[0].runs
        columns, heads, best = ["run"], ["run"], {}
        cells: list[Sequence[Any]] = [runs]
        for number, of_measure in enumerate(self.measures):
            own = rows[number * len(runs) : (number + 1) * len(runs)]
            name = of_measure.name
            if of_measure.measured.direction:
                best[name] = [place for place, row in enumerate(own) if row.best]
            columns += [name, f"{name}_{'groups' if self.baseline is None else 'differs'}"]
            heads += [name, ""]
            cells += [[row.score for row in own], [row.groups for row in own]]
        for depth, judged in self.judged_at.items():
            columns.append(f"judged_{depth}")
            heads.append(f"judged@{depth}")
            cells.append(judged)
        table = list(zip(*cells, strict=True))
        if self.baseline is None:
            marks = "Runs that share a letter are not significantly different."
        else:
            marks = (
                f"+: significantly better than {self.baseline}; -: significantly worse; no mark: not significantly "
                "different."
            )
        notes = (self.how_tested, marks, *(["{best}: the best value."] if any(best.values()) else []))
        return [Table("runs", tuple(columns), table, best=best, heads=tuple(heads), notes=notes, for_paper=True)]


class ComparedTopic(NamedTuple):
    """The values of all runs for a topic."""

    measure: str
    topic: str
    values: Mapping[str, float]  # by run
    differences: Mapping[str, float]  # from the baseline, by run; empty without a baseline


class ComparedTopics(FigureComparison):
    """A row for each measure and topic: the value of each run and, with a baseline, its difference from it."""

    sort: bool = False
    """Whether topics are sorted by their difference, averaged over runs, in descending order."""

    @property
    def rows(self) -> list[ComparedTopic]:
        """A row for each measure and topic."""
        rows = []
        for of_measure in self.measures:
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
        """Return a table with a column for each run and, with a baseline, for each difference from it."""
        rows = self.rows
        columns = ("measure", "topic", *rows[0].values, *(f"{run} - {self.baseline}" for run in rows[0].differences))
        cells = [(row.measure, row.topic, *row.values.values(), *row.differences.values()) for row in rows]
        return [Table("topics", columns, cells, n_labels=2, heads=columns, notes=tuple(self.coverage_of_runs))]


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
        """Return the table of ``rows``, and the pairs of each measure by their p-values."""
        notes = (self.how_tested, *self.coverage_of_runs)
        tables = [Table.of("discriminative power", DiscriminativePowerRow, self.rows, notes=notes)]
        columns = ("rank", "run", "against", "p", "corrected_p")
        for of_measure in self.measures:
            comparisons = of_measure.comparisons
            levels: list[tuple[Any, ...]] = []
            for row in np.argsort(comparisons.p, kind="stable").tolist():  # ties in the order of pairs
                run, against = (of_measure.runs[of_pairs[row]] for of_pairs in (comparisons.second, comparisons.first))
                levels.append(
                    (len(levels) + 1, run, against, float(comparisons.p[row]), float(comparisons.corrected_p[row]))
                )
            title = "achieved significance levels" + (f": {of_measure.name}" if self.measures[1:] else "")
            tables.append(Table(title, columns, levels, n_labels=3, probabilities=PROBABILITIES))
        return tables

    def drawing(self, draw: str | None, page: Page) -> str:
        """Return the only figure; raises ArgumentError if another one is requested."""
        if draw is not None:
            raise parameters.argument_error(
                "draw", "None: the figure of discriminative power is one of all p-values", draw
            )
        return super().drawing(draw, page)

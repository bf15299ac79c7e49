"""Tables with a row for each compared run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from irevalx.lab.comparison.conclusions import ALIKE, Conclusion
from irevalx.lab.comparison.pairs import ComparedMeasure, Comparison
from irevalx.reports.report import JUDGED, judged_among_retrieved
from irevalx.reports.table import Table
from irevalx.wording import spelled

MOST_LETTERED = 10
"""Number of runs above which displayed tables contain marks instead of letters; ``runs.js`` has the same number."""

LIKE_BEST = "ns"
"""The mark of runs that are not significantly different from the best run."""


class ComparedRun(NamedTuple):
    """The summary value of a run under a measure, and marks of significant differences."""

    run: str
    measure: str
    score: float
    best: bool  # whether no run is better; false if all values are equal, or the measure has no better direction
    groups: str  # letters, shared by runs that are not significantly different; with a baseline, ``+`` or ``-`` if
    # the run is significantly better or worse, or ``>`` or ``<`` if the measure has no better direction


def compared_runs(comparison: Comparison) -> list[ComparedRun]:
    """Return a row for each measure and run, in their order."""
    rows = []
    for of_measure in comparison.measures:
        marks = _marks_of(of_measure, comparison.baseline)
        scores, best = of_measure.scores, of_measure.marked_as_best
        rows += [
            ComparedRun(run=run, measure=of_measure.name, score=score, best=place in best, groups=mark)
            for place, (run, score, mark) in enumerate(zip(of_measure.runs, scores, marks, strict=True))
        ]
    return [
        *rows,
        *(
            ComparedRun(run=run, measure=of_measure.name, score=score, best=False, groups="")
            for of_measure in comparison.untested
            for run, score in zip(of_measure.runs, of_measure.scores, strict=True)
        ),
    ]


def table_of_runs(comparison: Comparison, order: Sequence[int]) -> Table:
    """Return one row per run, in this order, with the values and marks of each measure, then coverage."""
    marks = [_marks_of(of_measure, comparison.baseline) for of_measure in comparison.measures]
    return _table(comparison, order, marks, "groups" if comparison.baseline is None else "differs")


def _marks_of(of_measure: ComparedMeasure, baseline: str | None) -> list[str]:
    """Return the letters of the runs or, with a baseline, their signs."""
    return of_measure.letters if baseline is None else Conclusion(of_measure, baseline).signs


def displayed_table_of_runs(comparison: Comparison, order: Sequence[int]) -> Table:
    """Return ``table_of_runs`` for display, with notes on the marks; letters are omitted if there are many runs."""
    baseline, n_runs = comparison.baseline, len(order)
    of_many = baseline is None and n_runs > MOST_LETTERED
    if comparison.baselines[1:]:
        of_measures = [[""] * n_runs] * len(comparison.measures)
    else:
        of_measures = [_like_best(of_measure) for of_measure in comparison.measures] if of_many else []
    table = _table(comparison, order, of_measures, "marks") if of_measures else table_of_runs(comparison, order)
    if comparison.baselines[1:] or not comparison.measures[0].comparisons.are_tested:
        marks = ""
    elif of_many:
        marks = f"{LIKE_BEST}: not significantly different from the best run of the measure."
    elif baseline is None:
        marks = "Runs that share a letter are not significantly different."
    else:
        marks = (
            f"+: significantly better than {baseline}; -: significantly worse; no mark: not significantly different."
        )
    if any(table.best.values()):
        marks += " {best}: the best value."
    empty = [name for place, name in enumerate(table.columns) if not any(row[place] for row in table.rows)]
    omitted = {name for name in empty if name.endswith(("_differs", "_marks"))}
    heads = dict(zip(table.columns, table.heads or (), strict=True))
    notes: list[str] = []
    if comparison.is_all_judged:
        omitted |= {name for name in table.columns if name.startswith(JUDGED)}
        notes = comparison.coverage_of_runs
    remaining = [name for name in table.columns if name not in omitted]
    return table.showing(
        *remaining,
        heads=tuple(heads[name] for name in remaining),
        caption=(comparison.how_tested, *([marks.strip()] if marks else [])),
        notes=tuple(notes),
        fits=True,
        optional=tuple(name for name in reversed(remaining) if name.startswith(JUDGED)),
    )


def pairs_on_request(comparison: Comparison) -> str:
    """Return a sentence on the output that contains all pairs."""
    n_pairs = len(comparison.measures[0].comparisons.pairs)
    by_pair, matrix = spelled("by", "pair"), spelled("draw", "matrix")
    return f"{by_pair} displays all {n_pairs} pairs, and a figure with {matrix} shows which runs differ."


def _table(comparison: Comparison, order: Sequence[int], marks: Sequence[Sequence[str]], suffix: str) -> Table:
    """Return the table of runs with the given marks of each measure; ``suffix`` is appended to their column names."""
    columns, heads, best = ["run"], ["run"], {}
    cells: list[Sequence[Any]] = [comparison.measures[0].runs]
    for of_measure, of_runs in zip(comparison.measures, marks, strict=True):
        name = of_measure.name
        if of_measure.measured.direction:
            among = of_measure.marked_as_best
            best[name] = [place for place, run in enumerate(order) if run in among]
        columns += [name, f"{name}_{suffix}"]
        heads += [name, ""]
        cells += [of_measure.scores, of_runs]
    for of_measure in comparison.untested:
        columns.append(of_measure.name)
        heads.append(of_measure.name)
        cells.append(of_measure.scores)
    for depth, judged in comparison.judged_among_retrieved.items():
        columns.append(f"{JUDGED}_{depth}")
        heads.append(judged_among_retrieved(depth))
        cells.append(judged)
    rows = list(zip(*cells, strict=True))
    return Table("runs", tuple(columns), [rows[run] for run in order], best=best, heads=tuple(heads))


def _like_best(of_measure: ComparedMeasure) -> list[str]:
    """Return the marks of runs that are not significantly different from the best run."""
    if not of_measure.measured.direction:
        return [""] * len(of_measure.runs)
    best, verdicts = of_measure.marked_as_best, Conclusion(of_measure).verdicts
    return [LIKE_BEST if each == ALIKE and run not in best else "" for run, each in enumerate(verdicts)]

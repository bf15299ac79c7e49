"""The figure of ``estimate``, which shows estimates with machine labels and estimates from human labels alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.figure import Figure

from irevalx.experiments.run_pairs import reversed_pair
from irevalx.lab.estimation.results import EstimatedScores, EstimateRow
from irevalx.lab.plotting.page import COLOURS, GREY, Page
from irevalx.lab.plotting.panels import IntervalMark, IntervalPanel, draw_intervals

MOST_ROWS = 30
"""The maximum number of rows in a panel, which fill half a page."""


def estimated_intervals(result: EstimatedScores, page: Page) -> Figure:
    """Plot differences between runs, estimated with machine labels and from human labels alone.

    For a single run, plot the mean.
    """
    names = list(dict.fromkeys(row.measure for row in result.rows))
    measures = [_drawn_rows([row for row in result.rows if row.measure == name]) for name in names]
    alone = "the human sample" if result.are_sampled else "human topics"
    are_pairs = measures[0][0].against is not None
    of_measures = zip(names, measures, strict=True)
    panels = [IntervalPanel(name, [(_runs(row), _marks(row)) for row in rows]) for name, rows in of_measures]
    figure, short = draw_intervals(panels, page, zero=are_pairs)
    what = "Differences" if are_pairs else "Means"
    page.name(figure, f"{what} estimated with machine labels and from {alone} alone")
    label = "difference (first run minus second run)" if are_pairs else "mean measure value"
    page.explain(figure, label, _note(result, measures, alone), short.key)
    return figure


def _drawn_rows(rows: Sequence[EstimateRow]) -> list[EstimateRow]:
    """Return the rows of a measure that the figure shows."""
    pairs = [row for row in rows if row.against is not None]
    if not pairs:
        return list(rows)
    if len(pairs) <= MOST_ROWS:
        return pairs
    best = max((row for row in rows if row.against is None), key=lambda row: row.estimate).run
    of_best = [row if row.run == best else reversed_pair(row) for row in pairs if best in {row.run, row.against}]
    return sorted(of_best, key=lambda row: row.estimate)[:MOST_ROWS]


def _note(result: EstimatedScores, measures: Sequence[Sequence[EstimateRow]], alone: str) -> str:
    confidence = f"{100 * (1 - result.alpha):g}%"
    notes = [
        f"Filled: with machine labels. Hollow and grey: from {alone} alone.",
        f"Lines: {confidence} t intervals, per comparison.",
    ]
    if any(row.simultaneous_low is not None for row in result.rows):
        notes.append("Bars: simultaneous intervals for all pairs (Bonferroni).")
    n_pairs = sum(row.against is not None for row in result.rows) // len(measures)
    if len(measures[0]) < n_pairs:
        notes.append(f"Of {n_pairs} pairs, only the pairs with the run that has the highest estimate are drawn.")
    return " ".join(notes)


def _marks(row: EstimateRow) -> list[IntervalMark]:
    """Return the marks of the estimate with machine labels and of the classical estimate."""
    none = wide = math.nan, math.nan
    if row.simultaneous_low is not None and row.simultaneous_high is not None:
        wide = row.simultaneous_low, row.simultaneous_high
    return [
        IntervalMark(row.estimate, (row.low, row.high), wide, COLOURS[1], filled=True),
        IntervalMark(row.classical, (row.classical_low, row.classical_high), none, GREY, filled=False),
    ]


def _runs(row: EstimateRow) -> tuple[str, ...]:
    return (row.run,) if row.against is None else (row.run, row.against)

"""The figure of a comparison of many runs: which differ from which, a row and a column a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from irevalx.lab.comparison.compared_pairs import ComparedMeasure
from irevalx.lab.plot.page import COLOURS, Page

MOST_RUNS = 80
"""The runs of a matrix at most: more rows would not fit on a page."""

_ROW, _FRAME = 0.11, 0.5
"""The height of a row, and of what is above and below the rows of a panel, in inches."""

_EQUAL, _DIFFER = "0.87", COLOURS[1]

_STEPS = (1, 2, 5, 10, 20)
"""From one column that is named to the next."""

_COLUMN = 0.16
"""The width that the number of a column takes, in inches."""


def matrix(measures: Sequence[ComparedMeasure], page: Page) -> Figure:
    """Draw for each pair of runs whether they differ: a panel a measure, its best run on top.

    Parameters
    ----------
    measures : with all pairs of the same runs, at most ``MOST_RUNS``.
    """
    n_runs = len(measures[0].runs)
    n_columns = 1 if page.is_narrow else min(2, len(measures))
    n_rows = math.ceil(len(measures) / n_columns)
    figure = page.figure((_ROW * n_runs + _FRAME) * n_rows + 0.35 + 0.25 * page.titled)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    about = page.width / n_columns - 1.6
    step = next((one for one in _STEPS if about / n_runs * one >= _COLUMN), _STEPS[-1])
    for number, panel in enumerate(panels):
        panel.set_visible(number < len(measures))
        if number < len(measures):
            _draw(panel, measures[number], step)
            panel.set_title(measures[number].name if measures[1:] else "")
    page.name(figure, f"Runs that differ{'' if measures[1:] else f', by {measures[0].name}'}")
    alpha = measures[0].found.method.alpha
    dark = f"Dark: the run of the row is better than that of the column (corrected p < {alpha:g})."
    page.explain(figure, "number of the other run", f"{dark} Light: no such difference.")
    return figure


def _draw(panel: Axes, of_measure: ComparedMeasure, step: int) -> None:
    n_runs = len(of_measure.runs)
    order = of_measure.best_first
    place = {run: number for number, run in enumerate(order)}
    cells = np.full((n_runs, n_runs), math.nan)
    for (first, second), differ in zip(of_measure.found.pairs, of_measure.found.differ.tolist(), strict=True):
        better, worse = sorted((place[first], place[second]))
        cells[better, worse] = differ
    colours = ListedColormap([_EQUAL, _DIFFER])
    panel.imshow(cells, cmap=colours, vmin=0, vmax=1, aspect="auto", interpolation="none")
    panel.set_xticks(np.arange(-0.5, n_runs), minor=True)
    panel.set_yticks(np.arange(-0.5, n_runs), minor=True)
    panel.grid(visible=False)
    panel.grid(visible=True, which="minor", color="white", linewidth=0.5, alpha=1)
    panel.tick_params(which="both", length=0)
    names = [f"{of_measure.runs[run]}  {_score(of_measure.scores[run])}  {n}" for n, run in enumerate(order, start=1)]
    panel.set_yticks(range(n_runs), names, fontsize=6)
    columns = range(step - 1, n_runs, step)
    panel.set_xticks(columns, [str(number + 1) for number in columns], fontsize=6)
    panel.spines[:].set_visible(False)


def _score(score: float) -> str:
    return f"{score:.3f}" if abs(score) < 10 else f"{score:.0f}"

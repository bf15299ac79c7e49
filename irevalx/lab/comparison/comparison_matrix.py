"""The figure of a comparison of many runs: which differ from which, a row and a column a run."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from irevalx.lab.comparison.compared_pairs import ComparedMeasure, Comparison
from irevalx.lab.plot.page import COLOURS, Page, drawable

MOST_RUNS = 80
"""The runs of a matrix at most: more rows would not fit on a page."""

_ROW, _FRAME = 0.11, 0.5
"""The height of a row, and of what is above and below the rows of a panel, in inches."""

_EQUAL, _DIFFER = "0.87", COLOURS[1]

_LARGEST = 0.3
"""The side of a cell at most, in inches."""


def matrix(found: Comparison, page: Page) -> Figure:
    """Draw for each pair of runs whether they differ: a panel a measure, its best run on top and at the left.

    Cells are squares, and columns have the names of the runs as far as there is room.

    Parameters
    ----------
    found : with all pairs of the same runs, at most ``MOST_RUNS``.
    """
    measures = found.measures
    n_runs = len(measures[0].runs)
    n_columns = 1 if page.is_narrow else min(2, len(measures))
    n_rows = math.ceil(len(measures) / n_columns)
    longest = max(map(len, measures[0].runs))
    cell = min(_LARGEST, max(_ROW, (page.width / n_columns - 0.06 * (longest + 10)) / n_runs))
    heads = 0.05 * longest
    figure = page.figure((cell * n_runs + _FRAME + heads) * n_rows + 0.5 + 0.25 * page.titled)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for number, panel in enumerate(panels):
        panel.set_visible(number < len(measures))
        if number < len(measures):
            _draw(panel, measures[number])
            panel.set_title(measures[number].name if measures[1:] else "")
    page.name(figure, f"Runs that differ{'' if measures[1:] else f', by {measures[0].name}'}")
    dark = f"Dark: the run of the row is better than that of the column (corrected p < {found.method.alpha:g})."
    page.explain(figure, "", f"{dark} Light: no such difference. {found.how_tested}")
    return figure


def _draw(panel: Axes, of_measure: ComparedMeasure) -> None:
    n_runs = len(of_measure.runs)
    order = of_measure.best_first
    place = {run: number for number, run in enumerate(order)}
    cells = np.full((n_runs, n_runs), math.nan)
    for (first, second), differ in zip(of_measure.found.pairs, of_measure.found.differ.tolist(), strict=True):
        better, worse = sorted((place[first], place[second]))
        cells[better, worse] = differ
    colours = ListedColormap([_EQUAL, _DIFFER])
    panel.imshow(cells, cmap=colours, vmin=0, vmax=1, aspect="equal", interpolation="none")
    panel.set_xticks(np.arange(-0.5, n_runs), minor=True)
    panel.set_yticks(np.arange(-0.5, n_runs), minor=True)
    panel.grid(visible=False)
    panel.grid(visible=True, which="minor", color="white", linewidth=0.5, alpha=1)
    panel.tick_params(which="both", length=0)
    runs = [drawable(of_measure.runs[run]) for run in order]
    names = [f"{name}  {_score(of_measure.scores[run])}" for name, run in zip(runs, order, strict=True)]
    panel.set_yticks(range(n_runs), names, fontsize=6)
    panel.set_xticks(range(n_runs), runs, fontsize=6, rotation=90)
    panel.xaxis.set_ticks_position("bottom")
    panel.spines[:].set_visible(False)


def _score(score: float) -> str:
    return f"{score:.3f}" if abs(score) < 10 else f"{score:.0f}"

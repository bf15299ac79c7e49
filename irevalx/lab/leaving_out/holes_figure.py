"""The figure of runs that were left out: their bias against their share of holes."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.arrays.segments import FloatArray
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.run_groups import LeftOut
from irevalx.lab.plot.page import COLOURS, DASHES, GREY, MARKERS, Page
from irevalx.statistics.correlations import line_through


def bias_against_holes(
    experiment: Experiment, results: Mapping[str, LeftOut], holes: FloatArray, depth: int, page: Page
) -> Figure:
    """Draw the bias of each left-out run against its share of holes, with lines of least squares: a panel a measure.

    Parameters
    ----------
    results : by kind of judgments, at most as many as there are styles.
    holes : shape (n_runs,); shares of holes.
    depth : among how many documents they are counted.
    """
    n_columns = min(len(experiment.measures), 1 if page.is_narrow else 3)
    n_rows = math.ceil(len(experiment.measures) / n_columns)
    figure = page.figure(1.9 * n_rows + 0.75 + 0.25 * page.titled)
    panels = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True).ravel()
    for m, panel in enumerate(panels):
        panel.set_visible(m < len(experiment.measures))
        if m < len(experiment.measures):
            _draw_biases(panel, results, holes, m)
            panel.set_title(experiment.measures[m])
            panel.tick_params(labelbottom=m + n_columns >= len(experiment.measures))
    panels[0].legend(fontsize=6)
    page.name(figure, "Bias of runs against their share of holes")
    page.explain(
        figure,
        f"share of holes among the first {depth} documents of a run that was left out",
        "A point is a run that was left out. Lines: least squares. Grey line: no bias.",
    )
    figure.supylabel("bias of the score", fontsize=7.5)
    return figure


def _draw_biases(panel: Axes, results: Mapping[str, LeftOut], holes: FloatArray, m: int) -> None:
    panel.axhline(0, color=GREY, linewidth=0.7, zorder=1)
    for number, (name, one) in enumerate(results.items()):
        style = number % len(COLOURS)
        x, y = holes[one.left_out], (one.after[m] - one.before[m])[one.left_out]
        colour = COLOURS[style]
        panel.plot(
            *(x, y),
            color=colour,
            label=name,
            linestyle="",
            marker=MARKERS[style],
            markersize=3 + 1.0 * (len(results) - 1 - number),  # what lies below is to be seen
            markeredgewidth=0.7,
            markerfacecolor="white" if number % 2 else colour,
            zorder=3,
        )
        intercept, slope, _ = line_through(x, y)
        if intercept is not None and slope is not None:
            ends = np.array([x.min(), x.max()])
            panel.plot(ends, intercept + slope * ends, color=colour, linestyle=DASHES[style], linewidth=0.9, zorder=2)
    panel.xaxis.set_major_locator(MaxNLocator(5))
    panel.yaxis.set_major_locator(MaxNLocator(5))

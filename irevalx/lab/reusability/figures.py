"""The figures of the command ``leave-out``.

The figures show changes in scores and ranks, and the bias against the share of unjudged documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.run_groups import GroupEvaluation
from irevalx.lab.plotting.curves import lay_out_with_legend
from irevalx.lab.plotting.page import (
    COLOURS,
    DASHES,
    GREY,
    MARKERS,
    Page,
    centre,
    finalise_figure,
    name_rows,
    stacked,
)
from irevalx.lab.plotting.panels import draw_points, name_outliers, outlier_names, outliers, scale_axes, with_margin
from irevalx.lab.plotting.ranges import groups_on_one_axis, ranges_of
from irevalx.lab.plotting.ticks import PERCENT, round_ticks
from irevalx.lab.reusability.results import LeftOutRuns
from irevalx.statistics.correlations import line_through

_ROW = 0.36
"""The height of a row of points, in inches."""

_FRAME = 0.35
"""The height of a panel in addition to its rows, in inches."""


def changes(result: LeftOutRuns, page: Page) -> Figure:
    """Plot the changes in scores and ranks, with one point for each run that was left out."""
    experiment, results = result.experiment, result.evaluations
    groups = groups_on_one_axis(ranges_of(experiment.requests))
    heights = [_ROW * len(group) * len(results) + _FRAME for group in groups for _ in range(2)]
    figure, panels, n_columns = page.panels(heights, 2)
    points: list[_RowPoints] = []
    for number, group in enumerate(groups):
        scores, ranks = panels[2 * number : 2 * number + 2]
        points += _draw_changes(scores, experiment, results, group, of_ranks=False)
        points += _draw_changes(ranks, experiment, results, group, of_ranks=True)
        if n_columns > 1:
            ranks.tick_params(labelleft=False)
        if number == 0 or n_columns == 1:
            scores.set_title("change of measure value")
            ranks.set_title("ranks gained")
    page.name(figure, "Runs re-evaluated without the unique documents of their groups")
    note = (
        "Points: left-out runs, filled if the value changes significantly (p < 0.05). Bars: means. At the right: mean "
        "absolute change of the rank."
    )
    runs = [[experiment.runs[run] for run in np.flatnonzero(row.left_out).tolist()] for row in points]
    names = outlier_names(runs[row][run] for row, of_row in enumerate(points) for run in outliers(of_row.x))
    page.explain(figure, "", note, names.key)
    finalise_figure(figure)
    for row, of_row in zip(points, runs, strict=True):
        name_outliers(row.panel, row.x, row.y, of_row, row.x, names)
    return figure


class _RowPoints(NamedTuple):
    """The points that a panel contains in one row. The shape of each array except ``left_out`` is (n_left_out,)."""

    panel: Axes
    x: FloatArray
    y: FloatArray
    left_out: BoolArray  # shape (n_runs,)


def _draw_changes(
    panel: Axes, experiment: GradedRuns, results: Mapping[str, GroupEvaluation], group: Sequence[int], *, of_ranks: bool
) -> list[_RowPoints]:
    """Plot the changes of runs, with a row for each measure and kind of judgments, and return the plotted points."""
    points = []
    rows = [(m, name, result) for m in group for name, result in results.items()]
    moves: list[FloatArray] = []
    for m, _, result in rows:
        moved = result.rank_before[m] - result.rank_after[m] if of_ranks else result.after[m] - result.before[m]
        moves.append(moved[result.left_out].astype(np.float64))
    low = min(0.0, *(float(of_row.min()) for of_row in moves))
    high = max(0.0, *(float(of_row.max()) for of_row in moves))
    extent = (high - low) or 1.0
    panel.axvline(0, color=GREY, linewidth=0.7, zorder=1)
    for row, ((m, name, result), of_row) in enumerate(zip(rows, moves, strict=True)):
        colour = COLOURS[list(results).index(name)]
        changed: BoolArray = result.changed[m, result.left_out]
        heights = row + stacked(of_row, extent)
        points.append(_RowPoints(panel, of_row, heights, result.left_out))
        for filled in (False, True):
            face, chosen = colour if filled else "white", changed == filled
            panel.plot(
                *(of_row[chosen], heights[chosen], "o"),
                color=colour,
                markerfacecolor=face,
                markersize=2.8,
                markeredgewidth=0.6,
                zorder=3,
            )
        mean = float(of_row.mean())
        panel.plot([mean, mean], [row - 0.42, row + 0.42], color=colour, linewidth=1.6, zorder=2)
        if of_ranks:
            place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
            text = f"{float(result.statistics['rank_change'][m]):.2f}"
            panel.annotate(text, (1, row), (4, 0), va="center", fontsize=6.5, annotation_clip=False, **place)  # type: ignore[arg-type]
    n_kinds = len(results)
    names = [experiment.measures[m] if n_kinds == 1 else f"{experiment.measures[m]}, {name}" for m, name, _ in rows]
    name_rows(panel, names)
    panel.set_xlim(low - 0.06 * extent, high + 0.06 * extent)
    panel.xaxis.set_major_locator(round_ticks(integer=of_ranks))
    return points


def bias_against_holes(result: LeftOutRuns, page: Page) -> Figure:
    """Plot the bias of each left-out run against its share of unjudged documents, with least-squares lines."""
    experiment, results, holes = result.experiment, result.evaluations, result.holes
    assert holes is not None
    figure, panels, n_columns = page.panels([1.9] * len(experiment.measures), 3, sharex=True)
    for m, (panel, measure) in enumerate(zip(panels, experiment.measures, strict=True)):
        _draw_biases(panel, results, holes, m)
        panel.set_title(measure)
        panel.tick_params(labelbottom=m + n_columns >= len(panels))
    evaluation = next(iter(results.values()))
    left_out = evaluation.left_out
    runs = [experiment.runs[run] for run in np.flatnonzero(left_out).tolist()]
    biases = (evaluation.after - evaluation.before)[:, left_out]
    names = outlier_names(runs[run] for of_measure in biases for run in outliers(of_measure))
    heading = page.name(figure, "Bias of runs by their share of unjudged documents")
    page.explain(
        figure,
        f"unjudged documents among the first {result.holes_depth} of a left-out run",
        *("Points: left-out runs. Lines: least-squares fits. Grey line: no bias.", names.key),
    )
    beside = page.label_heights(figure, "bias of the measure value", 1.9)
    series = {} if len(results) == 1 else dict(zip(results, panels[0].collections, strict=False))
    lay_out_with_legend(figure, series, heading)
    centre(beside, panels)
    for panel, of_measure in zip(panels, biases, strict=True):
        name_outliers(panel, holes[left_out], of_measure, runs, of_measure, names)
    return figure


def _draw_biases(panel: Axes, results: Mapping[str, GroupEvaluation], holes: FloatArray, m: int) -> None:
    panel.axhline(0, color=GREY, linewidth=0.7, zorder=1)
    biases = [(result.after[m] - result.before[m])[result.left_out] for result in results.values()]
    x = holes[next(iter(results.values())).left_out]
    for number, (name, y) in enumerate(zip(results, biases, strict=True)):
        style, size = number % len(COLOURS), 3.0 + 1.5 * (len(results) - 1 - number)  # lower points are larger
        colour = COLOURS[style]
        face = "white" if number % 2 else colour
        draw_points(panel, x, y, colour, face=face, size=size, marker=MARKERS[style], label=name)
        intercept, slope, _ = line_through(x, y)
        if intercept is not None and slope is not None:
            ends = np.array([x.min(), x.max()])
            panel.plot(ends, intercept + slope * ends, color=colour, linestyle=DASHES[style], linewidth=0.9, zorder=2)
    scale_axes(panel, with_margin(x), with_margin(np.concatenate((*biases, [0.0]))), n_ticks=4)
    panel.xaxis.set_major_formatter(PERCENT)

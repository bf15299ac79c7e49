"""Matrices, intervals and scatter plots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.arrays.segments import FloatArray
from irevalx.lab.plotting.page import FRAME, GREY, ROW, Page, drawable, name_rows

Ends: TypeAlias = "tuple[float, float]"
"""Limits of an axis, or ends of an interval."""

_STEPS = (1, 2, 5, 10)
"""First digits of the distances between ticks."""

_DARK = 0.55
"""Cells with a darker shade have white texts."""


def draw_matrix(
    panel: Axes,
    shades: FloatArray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    texts: Mapping[tuple[int, int], str] = MappingProxyType({}),
    colours: str | Colormap = "Greys",
    gap: float = 0.0,
    slant: float = 0.0,
    aspect: Literal["equal", "auto"] = "equal",
    size: float = 7.0,
) -> None:
    """Draw a matrix of shades between 0 and 1 (nan for no cell), with names of its rows and columns.

    ``texts`` are those of cells by row and column, ``gap`` is the width in points of white lines between cells (0 for
    a frame around them), ``slant`` the angle of the names of columns, and ``size`` the size of names in points.
    """
    panel.imshow(shades, cmap=colours, vmin=0, vmax=1, aspect=aspect, interpolation="none")
    alignment = "right" if 0 < slant < 90 else "center"
    panel.set_xticks(range(len(columns)), list(map(drawable, columns)), fontsize=size, rotation=slant, ha=alignment)
    panel.set_yticks(range(len(rows)), list(map(drawable, rows)), fontsize=size)
    panel.spines[:].set_visible(not gap)
    panel.grid(visible=False)
    if gap:
        panel.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
        panel.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
        panel.grid(visible=True, which="minor", color="white", linewidth=gap, alpha=1)
    panel.tick_params(which="both", length=0)
    for (row, column), text in texts.items():
        colour = "white" if shades[row, column] > _DARK else "black"
        panel.text(column, row, text, ha="center", va="center", color=colour, fontsize=6.5)


class IntervalMark(NamedTuple):
    """A value with its interval and a wider one, whose ends are nan if there is none."""

    value: float
    ends: Ends
    wide: Ends
    colour: str
    filled: bool


class IntervalPanel(NamedTuple):
    """A panel with a row for each name, from top to bottom, and with one or more marks in each row."""

    title: str
    names: list[str]
    rows: list[list[IntervalMark]]


def draw_intervals(panels: Sequence[IntervalPanel], page: Page, *, most_columns: int = 3, zero: bool = True) -> Figure:
    """Draw panels of intervals, with a line at 0; panels next to each other with equal names have them once.

    A panel with the title of the panel before is its continuation, and has the same horizontal axis.
    """
    height = ROW * (1.35 if any(len(row) > 1 for panel in panels for row in panel.rows) else 1.0)
    figure, axes, n_columns = page.panels([height * len(panel.names) + FRAME for panel in panels], most_columns, 0.45)
    for number, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
        if zero:
            axis.axvline(0, color=GREY, linewidth=0.7, zorder=1)
        for place, row in enumerate(panel.rows):
            for mark_number, mark in enumerate(row):
                _draw_mark(axis, mark, place + 0.34 * (mark_number - (len(row) - 1) / 2))
        name_rows(axis, panel.names)
        axis.set_title(drawable(panel.title))
        first = number - number % n_columns
        axis.tick_params(labelleft=number == first or panel.names != panels[first].names)
        if number and panel.title == panels[number - 1].title:
            axis.sharex(axes[number - 1])
            axes[number - 1].autoscale_view()
        axis.xaxis.set_major_locator(MaxNLocator(7 - n_columns, steps=_STEPS))
    return figure


def _draw_mark(axis: Axes, mark: IntervalMark, height: float) -> None:
    bar: dict[str, Any] = {"alpha": 0.3, "linewidth": 3.5, "solid_capstyle": "butt", "zorder": 2}
    line: dict[str, Any] = {"linewidth": 1.1, "zorder": 3}
    for ends, style in ((mark.wide, bar), (mark.ends, line)):
        if math.isfinite(ends[0]):
            axis.plot(ends, [height, height], color=mark.colour, **style)
    point: dict[str, Any] = {"markersize": 3, "markeredgewidth": 0.8, "zorder": 4}
    face = mark.colour if mark.filled else "white"
    axis.plot(mark.value, height, "o", color=mark.colour, markerfacecolor=face, **point)


class PointSeries(NamedTuple):
    """Points in one style."""

    x: FloatArray
    y: FloatArray
    colour: str
    label: str = ""
    marker: str = "o"
    size: float = 2.65
    """In points."""

    face: str = "none"
    """The colour of their middle."""


def draw_scatter(
    panel: Axes, series: Sequence[PointSeries], limits: tuple[Ends, Ends] | None = None, *, n_ticks: int = 6
) -> None:
    """Draw points; with equal limits of both axes, the line y = x."""
    if limits is not None:
        x_ends, y_ends = limits
        panel.set(xlim=x_ends, ylim=y_ends)
        if x_ends == y_ends:
            panel.plot(x_ends, y_ends, color=GREY, linewidth=0.7, zorder=1)
    for points in series:
        x, y = np.broadcast_arrays(points.x, points.y)
        panel.scatter(
            x,
            y,
            s=points.size**2,
            marker=points.marker,
            facecolors=points.face,
            edgecolors=points.colour,
            linewidths=0.6,
            label=points.label,
            zorder=3,
        )
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(MaxNLocator(n_ticks, steps=_STEPS))


def with_margin(values: FloatArray) -> Ends:
    """Return limits of an axis with room for these values, which can be nan."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    margin = 0.05 * ((high - low) or 1.0)
    return low - margin, high + margin

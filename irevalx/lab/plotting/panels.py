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
    gap: float = 0.0,  # width in points of white lines between cells; 0 for a frame around them
    slant: float = 0.0,  # angle of the names of columns
    aspect: Literal["equal", "auto"] = "equal",
    size: float = 7.0,  # of names, in points
) -> None:
    """Draw cells with shades between 0 and 1 (nan for no cell), names of rows and columns, and texts in cells."""
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
    """A panel with one or more marks in each named row, from top to bottom."""

    title: str
    rows: list[tuple[str, list[IntervalMark]]]

    @property
    def names(self) -> list[str]:
        """The names of the rows."""
        return [name for name, _ in self.rows]


def draw_intervals(panels: Sequence[IntervalPanel], page: Page, *, most_columns: int = 3, zero: bool = True) -> Figure:
    """Draw panels of intervals; a panel with the title of the panel before it has the same horizontal axis."""
    height = ROW * (1.35 if len(panels[0].rows[0][1]) > 1 else 1.0)
    figure, axes, n_columns = page.panels([height * len(panel.rows) + FRAME for panel in panels], most_columns, 0.45)
    for number, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
        if zero:
            axis.axvline(0, color=GREY, linewidth=0.7, zorder=1)
        for place, (_, marks) in enumerate(panel.rows):
            for mark_number, mark in enumerate(marks):
                _draw_mark(axis, mark, place + 0.34 * (mark_number - (len(marks) - 1) / 2))
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


def draw_points(
    panel: Axes, x: FloatArray, y: FloatArray, colour: str, *, face: str = "none", size: float = 2.65, **style: Any
) -> None:
    """Draw points with an edge of a colour; ``face`` is the colour of their middle, ``size`` is in points."""
    x, y = np.broadcast_arrays(x, y)
    panel.scatter(x, y, s=size**2, facecolors=face, edgecolors=colour, linewidths=0.6, zorder=3, **style)


def scale_axes(panel: Axes, x_ends: Ends, y_ends: Ends, *, diagonal: bool = False, n_ticks: int = 6) -> None:
    """Set the limits and round ticks of a scatter plot, and draw the line y = x if ``diagonal``."""
    panel.set(xlim=x_ends, ylim=y_ends)
    if diagonal:
        panel.plot(x_ends, y_ends, color=GREY, linewidth=0.7, zorder=1)
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(MaxNLocator(n_ticks, steps=_STEPS))


def with_margin(values: FloatArray) -> Ends:
    """Return limits of an axis with room for these values, which can be nan."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    margin = 0.05 * ((high - low) or 1.0)
    return low - margin, high + margin

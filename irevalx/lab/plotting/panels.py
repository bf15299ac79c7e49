"""Figures that consist of matrices, intervals or scatter plots."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from irevalx.arrays.segments import FloatArray
from irevalx.lab.plotting.page import (
    FRAME,
    GREY,
    ROW,
    ROW_NAME_SIZE,
    Page,
    height_of,
    name_rows,
    names_within,
    text_width,
)
from irevalx.lab.plotting.ticks import round_ticks
from irevalx.reports.names import ShortNames, drawable

Ends: TypeAlias = "tuple[float, float]"
"""The limits of an axis, or the bounds of an interval."""

_EDGE = 0.05
"""The space around all panels and texts of a figure, in inches."""

_DARK = 0.55
"""The shade of a cell above which its text is white."""


def place_panels(
    page: Page,
    n_panels: int,
    n_columns: int,
    size: tuple[float, float],  # width and height of a panel, in inches
    *,
    margins: tuple[float, float, float, float],  # left of the first column, between columns, above and below each row
    title: str,
    label: str = "",
    beside: str = "",  # label of the vertical axes
    notes: Sequence[str] = (),
    closed_rows: bool = True,  # if False, the last margin is only below the last row
) -> tuple[Figure, list[Axes]]:
    """Create a figure with panels of equal size at fixed positions, several times as fast as matplotlib's layout."""
    (width, height), (left, between, above, below) = size, margins
    n_rows = math.ceil(n_panels / n_columns)
    figure = Figure(figsize=(page.width, page.width))
    heading, explanation = page.name(figure, title), page.explain(figure, label, *notes)
    row = height + above + (below if closed_rows else 0.0)
    top = _EDGE + height_of(heading)
    total = top + n_rows * row + (0.0 if closed_rows else below) + height_of(explanation) + 2 * _EDGE
    figure.set_figheight(total)
    for text, y in ((heading, 1 - _EDGE / total), (explanation, _EDGE / total)):
        if text is not None:
            text.set(y=y)
    if beside:
        middle = top + (n_rows * row + above) / 2
        page.label_heights(figure, beside, n_rows * row).set(x=_EDGE / page.width, y=1 - middle / total)
    panels: list[Axes] = []
    for number in range(n_panels):
        place, column = divmod(number, n_columns)
        x, y = left + column * (width + between), total - top - place * row - above - height
        panels.append(figure.add_axes((x / page.width, y / total, width / page.width, height / total)))
    return figure, panels


def draw_matrix(
    panel: Axes,
    shades: FloatArray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    texts: Mapping[tuple[int, int], str] = MappingProxyType({}),
    colours: str | Colormap = "Greys",
    gap: float = 0.0,  # width of the white lines between cells, in points; 0 for a frame
    upright: bool = False,  # whether column names are rotated by 90 degrees
    aspect: Literal["equal", "auto"] = "equal",
    size: float = 7.0,  # font size of the names, in points
) -> None:
    """Plot a matrix of shaded cells (0 to 1), with the names of rows and columns, and texts in cells.

    There is no cell where the shade is nan.
    """
    panel.imshow(shades, cmap=colours, vmin=0, vmax=1, aspect=aspect, interpolation="none")
    panel.set_xticks(range(len(columns)), list(map(drawable, columns)), fontsize=size, rotation=90 if upright else 0)
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
    """A value with an interval and a wider interval. The bounds of an undefined interval are nan."""

    value: float
    ends: Ends
    wide: Ends
    colour: str
    filled: bool


class IntervalPanel(NamedTuple):
    """A panel of intervals with one or more marks in each row. Each row is named after a run or a pair of runs."""

    title: str
    rows: Sequence[tuple[tuple[str, ...], list[IntervalMark]]]

    @property
    def runs(self) -> list[tuple[str, ...]]:
        """The runs after which the rows are named."""
        return [runs for runs, _ in self.rows]


def draw_intervals(
    panels: Sequence[IntervalPanel], page: Page, *, most_columns: int = 3, zero: bool = True
) -> tuple[Figure, ShortNames]:
    """Plot panels of intervals. Adjacent panels with the same title share a horizontal axis."""
    height = ROW * (1.35 if len(panels[0].rows[0][1]) > 1 else 1.0)
    figure, axes, n_columns = page.panels([height * len(panel.rows) + FRAME for panel in panels], most_columns)
    all_named = any(panel.runs != panels[0].runs for panel in panels)
    is_pair = len(panels[0].rows[0][0]) > 1
    width = page.width * (0.5 / n_columns if all_named else 0.5 if page.is_narrow and is_pair else 0.33)
    names = names_within(
        (run for panel in panels for runs in panel.runs for run in runs), width / (2.1 if is_pair else 1), ROW_NAME_SIZE
    )
    for number, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
        if zero:
            axis.axvline(0, color=GREY, linewidth=0.7, zorder=1)
        for place, (_, marks) in enumerate(panel.rows):
            for mark_number, mark in enumerate(marks):
                _draw_mark(axis, mark, place + 0.34 * (mark_number - (len(marks) - 1) / 2))
        name_rows(axis, [names.pair(*runs) if is_pair else names.of[runs[0]] for runs in panel.runs])
        axis.set_title(drawable(panel.title))
        first = number - number % n_columns
        axis.tick_params(labelleft=number == first or panel.runs != panels[first].runs)
        if number and panel.title == panels[number - 1].title:
            axis.sharex(axes[number - 1])
            axes[number - 1].autoscale_view()
        axis.xaxis.set_major_locator(round_ticks(7 - n_columns))
    return figure, names


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
    """Plot points with coloured edges. ``face`` is the fill colour, and ``size`` is the diameter in points."""
    x, y = np.broadcast_arrays(x, y)
    panel.scatter(x, y, s=size**2, facecolors=face, edgecolors=colour, linewidths=0.6, zorder=3, **style)


def scale_axes(panel: Axes, x_ends: Ends, y_ends: Ends, *, diagonal: bool = False, n_ticks: int = 6) -> None:
    """Set the limits and the ticks of a scatter plot. If ``diagonal`` is true, plot the line y = x."""
    panel.set(xlim=x_ends, ylim=y_ends)
    if diagonal:
        panel.plot(x_ends, y_ends, color=GREY, linewidth=0.7, zorder=1)
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(round_ticks(n_ticks))


def with_margin(values: FloatArray) -> Ends:
    """Return axis limits that enclose values with a margin. Values that are nan are ignored."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    margin = 0.05 * ((high - low) or 1.0)
    return low - margin, high + margin


_DEVIATIONS = 3.5  # minimum distance of an outlier from the median, in standard deviations estimated from the MAD
_LEAST_DEVIATION = 0.2  # minimum distance of an outlier, as a share of the range of values
_LEAST_VALUES = 3  # minimum number of values among which there can be outliers
_MOST_OUTLIERS = 3  # maximum number of outliers that are named in a panel or row
_LONGEST_OUTLIER = 0.9  # maximum width of the name of an outlier, in inches
_OUTLIER_SIZE = 5.5  # font size of the names of outliers, in points
_OUTLIER_HEIGHT, _POINT = 0.09, 0.025  # height of a name, and radius of a point, in inches
_GAP, _ABOVE = 0.07, 0.085  # between a point and its name, if the name is next to the point or above it, in inches
_LEADER = {"arrowstyle": "-", "linewidth": 0.4, "color": GREY, "shrinkA": 0.5, "shrinkB": 2.0}
"""The style of the line that connects a name and its point if they are not adjacent."""


def outlier_names(names: Iterable[str]) -> ShortNames:
    """Shorten the names of points, for use as labels of outliers."""
    return names_within(names, _LONGEST_OUTLIER, _OUTLIER_SIZE)


def outliers(values: FloatArray) -> list[int]:
    """Return the indices of up to three values that are far from the median, in descending order of distance.

    Two values cannot be outliers.
    """
    if len(values) < _LEAST_VALUES:
        return []
    deviations = np.abs(values - np.median(values))
    least = max(_DEVIATIONS * 1.4826 * float(np.median(deviations)), _LEAST_DEVIATION * float(np.ptp(values)))
    farthest = np.argsort(-deviations, kind="stable")[:_MOST_OUTLIERS].tolist()
    return [number for number in farthest if deviations[number] > least > 0]


def name_outliers(
    panel: Axes, x: FloatArray, y: FloatArray, names: Sequence[str], values: FloatArray, short: ShortNames
) -> None:
    """Label the outliers among ``values`` with their short names, where the panel has space.

    The panel must have its final size.
    """
    figure = panel.get_figure()
    assert isinstance(figure, Figure)
    inches = figure.dpi_scale_trans.inverted()
    frame = panel.get_window_extent().transformed(inches)
    points = (panel.transData + inches).transform(np.column_stack((x, y))).tolist()
    drawn = [line for line in panel.lines if line.get_linestyle() != "None"]
    lines = [line.get_path().transformed(line.get_transform() + inches) for line in drawn]
    taken = [Bbox.from_bounds(px - _POINT, py - _POINT, 2 * _POINT, 2 * _POINT) for px, py in points]
    for number in outliers(values):
        name = short.of[names[number]]
        room = text_width(name, _OUTLIER_SIZE)
        for far, up, right in product((1.0, 2.5, 4.0), (0, 1, -1), (1, -1)):
            left = points[number][0] + far * right * _GAP - (room if right < 0 else 0.0)
            lower = points[number][1] + far * up * _ABOVE - _OUTLIER_HEIGHT / 2
            box = Bbox.from_bounds(left, lower, room, _OUTLIER_HEIGHT)
            is_inside = frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
            strikes = any(line.intersects_bbox(box, filled=False) for line in lines)
            if is_inside and not strikes and not box.count_overlaps(taken):
                taken.append(box)
                panel.annotate(
                    *(name, (float(x[number]), float(y[number])), (72 * far * right * _GAP, 72 * far * up * _ABOVE)),
                    arrowprops=_LEADER if far > 1 else None,
                    textcoords="offset points",
                    fontsize=_OUTLIER_SIZE,
                    ha="left" if right > 0 else "right",
                    va="center",
                )
                break

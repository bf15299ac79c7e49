"""Lines with bands and labels, at most six a panel; more lines take more panels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen, replace
from irevalx.lab.plot.line_labels import LabelledLine, LineLabels
from irevalx.lab.plot.page import COLOURS, DASHES, GREY, MARKERS, MOST_LINES, Page, settle
from irevalx.lab.plot.ticks import name_places

_HEIGHT, _LOW_HEIGHT = 1.75, 1.4
"""Of a panel, in inches: beside others, and in a narrow column."""

_BELOW, _TITLE = 0.45, 0.25
"""The room for what stands below and above all panels, in inches."""

_BAND = 0.11
"""The opacity of bands."""


class Curve(Frozen):
    """A line, maybe with a band.

    Parameters
    ----------
    label : at its end.
    x, y : shape (n_points,).
    low, high : shape (n_points,); the ends of the band. None for no band.
    markers : whether points are marked.
    """

    label: str
    x: FloatArray
    y: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    markers: bool = True


class LinePanel(Frozen):
    """A panel of lines.

    Parameters
    ----------
    curves : with something to draw, in the order of the styles.
    y_label : what the lines show.
    title : above the panel.
    ticks : places on the horizontal axis and their names, from the least to the greatest; none for matplotlib's own.
    logarithmic : whether the horizontal axis is.
    rules : heights that lines are to be compared with.
    band : what its bands are, if it has some.
    """

    curves: tuple[Curve, ...]
    y_label: str = ""
    title: str = ""
    ticks: tuple[tuple[float, str], ...] = ()
    logarithmic: bool = False
    rules: tuple[float, ...] = ()
    band: str = ""

    @property
    def limits(self) -> tuple[float, float, float, float]:
        """The least and the greatest x, and those y, with a margin."""
        xs = np.concatenate([curve.x for curve in self.curves])
        bands = [side for curve in self.curves for side in (curve.y, curve.low, curve.high) if side is not None]
        ys = np.concatenate([*bands, self.rules])
        ys = ys[np.isfinite(ys)]
        low, high = (float(ys.min()), float(ys.max())) if ys.size else (0.0, 1.0)
        margin = 0.04 * (high - low) or 0.05
        left, right = float(xs.min()), float(xs.max())
        if self.logarithmic:
            apart = (right / left) ** 0.03 if right > left else 1.1
            return left / apart, right * apart, low - margin, high + margin
        apart = 0.03 * (right - left) or 0.5
        return left - apart, right + apart, low - margin, high + margin


def draw_lines(
    rows: Sequence[Sequence[LinePanel]],
    page: Page,
    *,
    title: str,
    label: str,
    note: str = "",
    same_heights: bool = False,
) -> Figure:
    """Draw rows of panels; on a narrow page each panel is a row.

    Parameters
    ----------
    label : of all horizontal axes.
    note : what a reader has to know, below it.
    same_heights : whether the panels of a row have the same vertical axis.
    """
    cells = [row for whole in rows for row in _split(whole)]
    limits = [_limits(whole, same_heights) for whole in rows for _ in _split(whole)]
    if page.is_narrow:
        cells, limits = [[one] for row in cells for one in row], [[one] for row in limits for one in row]
    n_columns = max(map(len, cells))
    figure = page.figure((_LOW_HEIGHT if page.is_narrow else _HEIGHT) * len(cells) + _BELOW + _TITLE * page.titled)
    axes = figure.subplots(len(cells), n_columns, squeeze=False)
    drawn = []
    for row, of_row, of_limits in zip(axes, cells, limits, strict=True):
        for axis in row[len(of_row) :]:
            axis.set_visible(False)
        drawn.append([DrawnPanel(*each) for each in zip(row, of_row, of_limits, strict=False)])
    for place in range(n_columns):
        labels = [one for row in drawn if place < len(row) and (one := row[place].labels)]
        at_left = sum(one.moved(at_left=True) - one.moved(at_left=False) for one in labels) < 0
        for one in labels:
            one.make_room(at_left=at_left)
    page.name(figure, title)
    every = [panel for row in rows for panel in row]
    page.explain(figure, label, " ".join(one for one in (_band_note(every), _rule_note(every), note) if one))
    settle(figure)
    for place in range(n_columns):
        column = [row[place] for row in drawn if place < len(row)]
        widest = max((panel.labels.width for panel in column if panel.labels is not None), default=0.0)
        for panel in column:
            panel.finish(widest)
    return figure


def _limits(row: Sequence[LinePanel], same_heights: bool) -> list[tuple[float, float, float, float]]:
    limits = [panel.limits for panel in row]
    if same_heights:
        low, high = min(ends[2] for ends in limits), max(ends[3] for ends in limits)
        return [(left, right, low, high) for left, right, _, _ in limits]
    return limits


def _split(row: Sequence[LinePanel]) -> list[list[LinePanel]]:
    """Return rows of panels with few enough lines, the same lines in each panel of a row."""
    n_curves = max(len(panel.curves) for panel in row)
    n_rows = max(1, math.ceil(n_curves / MOST_LINES))
    size = math.ceil(n_curves / n_rows)
    parts = [
        [replace(panel, curves=panel.curves[start : start + size]) for panel in row]
        for start in range(0, max(1, n_curves), max(1, size))
    ]
    return [[panel for panel in part if panel.curves] for part in parts]


def _band_note(panels: Sequence[LinePanel]) -> str:
    """Return what the bands of a figure are; nothing if it has none."""
    shown: dict[str, list[str]] = {}
    for panel in panels:
        if any(curve.low is not None for curve in panel.curves):
            labels = shown.setdefault(panel.band, [])
            if panel.y_label and panel.y_label not in labels:
                labels.append(panel.y_label)
    if len(shown) == 1:
        return f"Bands: {next(iter(shown))}."
    parts = [f"{band} ({', '.join(labels)})" for band, labels in shown.items()]
    return f"Bands: {'; '.join(parts)}." if parts else ""


def _rule_note(panels: Sequence[LinePanel]) -> str:
    """Return what the grey lines are; nothing if there are none."""
    rules = sorted({rule for panel in panels for rule in panel.rules})
    return f"Grey line: {' and '.join(f'{rule:g}' for rule in rules)}." if rules else ""


class DrawnPanel:
    """A panel with its lines, whose labels and ticks wait until the figure has been laid out.

    Parameters
    ----------
    axis : to draw on.
    limits : the least and the greatest x, and those y.
    """

    def __init__(self, axis: Axes, panel: LinePanel, limits: tuple[float, float, float, float]) -> None:
        self._axis, self._panel = axis, panel
        self._left, self._right = limits[:2]
        if panel.logarithmic:
            axis.set_xscale("log")
            axis.xaxis.set_minor_locator(NullLocator())
        axis.set(xlim=limits[:2], ylim=limits[2:], ylabel=panel.y_label)
        axis.set_title(panel.title)
        if panel.ticks:
            axis.set_xticks([place for place, _ in panel.ticks], [name for _, name in panel.ticks])
        heights = np.concatenate([curve.y[np.isfinite(curve.y)] for curve in panel.curves])
        if heights.max(initial=0.0) > 2 and (heights == np.round(heights)).all():  # of counts
            axis.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        for height in panel.rules:
            axis.axhline(height, color=GREY, linewidth=0.7, zorder=1)
        lines = [line for number, curve in enumerate(panel.curves) if (line := self._draw(number, curve))]
        self.labels = LineLabels(axis, lines) if lines else None

    def _draw(self, number: int, curve: Curve) -> LabelledLine | None:
        """Draw a line, and return its ends; None if it has no label, or no point."""
        colour = COLOURS[number]
        self._axis.plot(
            curve.x,
            curve.y,
            color=colour,
            label=curve.label,
            linestyle=DASHES[number],
            marker=MARKERS[number] if curve.markers else "",
            markersize=2.6,
            markeredgewidth=0.6,
            markerfacecolor="white" if number % 2 else colour,
            zorder=3,
        )
        if curve.low is not None and curve.high is not None:
            self._axis.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=_BAND, linewidth=0, zorder=2)
        known = np.isfinite(curve.y)
        if not curve.label or not known.any():
            return None
        x, y = curve.x[known].tolist(), curve.y[known].tolist()
        return LabelledLine(curve.label, colour, DASHES[number], (x[0], y[0]), (x[-1], y[-1]))

    def finish(self, widest: float) -> None:
        """Place the labels, the widest in the column being so wide, and leave out ticks whose names would touch."""
        if self.labels is not None:
            self.labels.place(widest)
        if not self._panel.ticks:  # none where there is room for labels only
            self._axis.set_xticks([place for place in self._axis.get_xticks() if self._left <= place <= self._right])
        else:
            name_places(self._axis, self._panel.ticks)

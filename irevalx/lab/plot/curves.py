"""Lines with bands, at most six a panel; more lines take more panels.

Short names stand at the ends of the lines; where they would take too much of the panels, one legend has them all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, NullLocator, PercentFormatter

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen, replace
from irevalx.lab.plot.line_labels import LEADER, NAME_SIZE, LabelledLine, LineLabels
from irevalx.lab.plot.page import COLOURS, DASHES, GREY, MARKERS, MOST_LINES, POINT, Page, settle, width_of
from irevalx.lab.plot.ticks import name_places

_HEIGHT, _LOW_HEIGHT = 1.75, 1.4
"""Of a panel, in inches: beside others, and in a narrow column."""

_BELOW, _TITLE = 0.45, 0.25
"""The room for what stands below and above all panels, in inches."""

_BAND = 0.11
"""The opacity of bands."""

_BESIDE = 0.55
"""The room for the vertical axis beside a panel, in inches."""

_MOST_NAMES = 0.25
"""The share of a panel that the names of its lines may take."""

_LEGEND_GAP = 0.06
"""Above and below a legend, in inches."""


_Limits: TypeAlias = tuple[float, float, float, float]
"""The least and the greatest x, and those y."""


class Curve(Frozen):
    """A line, maybe with a band.

    Parameters
    ----------
    label : at its end.
    x, y : shape (n_points,).
    low, high : shape (n_points,); the ends of the band. None for no band.
    markers : whether points are marked.
    style : the number of its colour, dashes and marker; None for its place among the names of the figure.
    """

    label: str
    x: FloatArray
    y: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    markers: bool = True
    style: int | None = None


class LinePanel(Frozen):
    """A panel of lines.

    Parameters
    ----------
    curves : with something to draw, in the order of the styles.
    y_label : what the lines show.
    title : above the panel.
    ticks : places on the horizontal axis and their names, from the least to the greatest; none for matplotlib's own.
    logarithmic : whether the horizontal axis is, unless the page has linear ones.
    in_percent : whether x are shares, which ticks of a linear axis name in per cent.
    rules : heights that lines are to be compared with.
    band : what its bands are, if it has some.
    """

    curves: tuple[Curve, ...]
    y_label: str = ""
    title: str = ""
    ticks: tuple[tuple[float, str], ...] = ()
    logarithmic: bool = False
    in_percent: bool = False
    rules: tuple[float, ...] = ()
    band: str = ""

    @property
    def has_points(self) -> bool:
        """Whether there is something to draw."""
        return any(np.isfinite(curve.y).any() for curve in self.curves)

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
    cells = _cells(rows, page, same_heights)
    n_columns = max(map(len, cells))
    height = (_LOW_HEIGHT if page.is_narrow else _HEIGHT) * len(cells) + _BELOW + _TITLE * page.titled
    figure = page.figure(height)
    axes = figure.subplots(len(cells), n_columns, squeeze=False)
    columns: list[list[DrawnPanel]] = [[] for _ in range(n_columns)]
    for axes_of_row, row in zip(axes, cells, strict=True):
        for place, axis in enumerate(axes_of_row):
            if place < len(row) and row[place][0].has_points:
                columns[place].append(DrawnPanel(axis, *row[place]))
            else:
                axis.set_visible(False)
    heading = page.name(figure, title)
    every = [panel for row in rows for panel in row]
    page.explain(figure, label, " ".join(one for one in (_band_note(every), _rule_note(every), note) if one))
    named = {str(line.get_label()): line for panel in chain(*columns) for line in panel.lines}
    if _take_much(figure, named, page.width / n_columns - _BESIDE):
        _name_above(figure, named, heading)
    else:
        _name_at_ends(figure, columns)
    for panel in chain(*columns):
        panel.name_places()
    return figure


def _name_above(figure: Figure, named: Mapping[str, Line2D], heading: Text | None) -> None:
    """Lay a figure out with a legend of all lines, below the title or at the upper edge; it takes more height."""
    legend = _legend(figure, named)
    height = float(figure.get_figheight())
    higher = height + legend.get_window_extent().height / figure.dpi + 2 * _LEGEND_GAP
    figure.set_figheight(higher)
    figure.set_layout_engine("constrained", rect=(0, 0, 1, height / higher))
    settle(figure)
    top = figure.bbox.height if heading is None else heading.get_window_extent().y0
    legend.set_bbox_to_anchor((0.5, (top - _LEGEND_GAP * figure.dpi) / figure.bbox.height))


def _name_at_ends(figure: Figure, columns: Sequence[Sequence[DrawnPanel]]) -> None:
    """Lay a figure out with the names of lines at their ends, at the same side in a column."""
    for column in columns:
        labels = [panel.labels for panel in column if panel.labels is not None]
        at_left = sum(one.moved(at_left=True) - one.moved(at_left=False) for one in labels) < 0
        for one in labels:
            one.make_room(at_left=at_left)
    settle(figure)
    for column in columns:
        labels = [panel.labels for panel in column if panel.labels is not None]
        widest = max((one.width for one in labels), default=0.0)
        for one in labels:
            one.place(widest)


def _cells(
    rows: Sequence[Sequence[LinePanel]], page: Page, same_heights: bool
) -> list[list[tuple[LinePanel, _Limits]]]:
    """Return rows of panels as they are drawn, with the limits of each; one panel at least in each has something."""
    if page.linear:
        rows = [[replace(one, logarithmic=False, ticks=()) if one.logarithmic else one for one in row] for row in rows]
    rows = _styled(rows)
    cells = [list(zip(part, _limits(row, same_heights), strict=False)) for row in rows for part in _split(row)]
    if page.is_narrow:
        cells = [[one] for row in cells for one in row]
    return [row for row in cells if any(panel.has_points for panel, _ in row)] or cells


def _styled(rows: Sequence[Sequence[LinePanel]]) -> list[list[LinePanel]]:
    """Return the panels with a style for each curve: one for each name, in all panels."""
    styles: dict[str, int] = {}
    styled = []
    for panel in chain(*rows):
        of_panel = [
            styles.setdefault(one.label, len(styles) if one.style is None else one.style) for one in panel.curves
        ]
        if len(set(of_panel)) < len(of_panel):  # curves without names
            of_panel = list(range(len(of_panel)))
        curves = [replace(one, style=style) for one, style in zip(panel.curves, of_panel, strict=True)]
        styled.append(replace(panel, curves=tuple(curves)))
    panels = iter(styled)
    return [list(islice(panels, len(row))) for row in rows]


def _take_much(figure: Figure, names: Iterable[str], width: float) -> bool:
    """Return whether names beside lines would take too much of panels that are so many inches wide."""
    texts = [figure.text(0, 0, name, fontsize=NAME_SIZE) for name in names]
    widest = max(map(width_of, texts), default=0.0)
    for text in texts:
        text.remove()
    return widest > 0 and widest + LEADER * POINT > _MOST_NAMES * width


def _legend(figure: Figure, named: Mapping[str, Line2D]) -> Legend:
    """Return a legend in as few lines as the page has room for."""
    names = [f" {name}" if name.startswith("_") else name for name in named]  # matplotlib leaves out names with _
    for n_columns in range(len(names), 0, -1):
        legend = figure.legend(
            *(list(named.values()), names),
            loc="upper center",
            ncols=n_columns,
            fontsize=NAME_SIZE,
            handlelength=3.4,
            columnspacing=1.6,
            borderpad=0,
            borderaxespad=0,
        )
        if n_columns == 1 or legend.get_window_extent().width < figure.bbox.width * 0.98:
            break
        legend.remove()
    return legend


def _limits(row: Sequence[LinePanel], same_heights: bool) -> list[_Limits]:
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
    """A panel with its lines, whose names and ticks wait until the figure has been laid out.

    Parameters
    ----------
    axis : to draw on.
    limits : the least and the greatest x, and those y.

    Attributes
    ----------
    lines : those that have a name.
    labels : of them; None where there are none.
    """

    def __init__(self, axis: Axes, panel: LinePanel, limits: tuple[float, float, float, float]) -> None:
        self._axis, self._panel = axis, panel
        self._left, self._right = limits[:2]
        self.lines: list[Line2D] = []
        if panel.logarithmic:
            axis.set_xscale("log")
            axis.xaxis.set_minor_locator(NullLocator())
        elif panel.in_percent:
            axis.xaxis.set_major_formatter(PercentFormatter(1.0))
        axis.set(xlim=limits[:2], ylim=limits[2:], ylabel=panel.y_label)
        axis.set_title(panel.title)
        if panel.ticks:
            axis.set_xticks([place for place, _ in panel.ticks], [name for _, name in panel.ticks])
        heights = np.concatenate([curve.y[np.isfinite(curve.y)] for curve in panel.curves])
        if heights.max(initial=0.0) > 2 and (heights == np.round(heights)).all():  # of counts
            axis.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        for height in panel.rules:
            axis.axhline(height, color=GREY, linewidth=0.7, zorder=1)
        lines = [line for curve in panel.curves if (line := self._draw(curve.style or 0, curve))]
        self.labels = LineLabels(axis, lines) if lines else None

    def _draw(self, number: int, curve: Curve) -> LabelledLine | None:
        """Draw a line, and return its ends; None if it has no label, or no point."""
        round_, place = divmod(number, len(COLOURS))
        colour, dashes = COLOURS[place], DASHES[(place + round_) % len(DASHES)]
        [line] = self._axis.plot(
            curve.x,
            curve.y,
            color=colour,
            label=curve.label,
            linestyle=dashes,
            marker=MARKERS[(place + 3 * round_) % len(MARKERS)] if curve.markers else "",
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
        self.lines.append(line)
        x, y = curve.x[known].tolist(), curve.y[known].tolist()
        return LabelledLine(curve.label, colour, dashes, (x[0], y[0]), (x[-1], y[-1]))

    def name_places(self) -> None:
        """Leave out ticks whose names would touch."""
        if not self._panel.ticks:  # none where there is room for labels only
            self._axis.set_xticks([place for place in self._axis.get_xticks() if self._left <= place <= self._right])
        else:
            name_places(self._axis, self._panel.ticks)

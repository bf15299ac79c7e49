"""Figures of curves, with or without confidence bands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import NullLocator

from irevalx.frozen import replace
from irevalx.lab.plotting.line_panels import Curve, Limits, LinePanel
from irevalx.lab.plotting.page import (
    COLOURS,
    DASHES,
    GREY,
    MARKERS,
    MOST_LINES,
    TITLE_SIZE,
    Page,
    finalise_figure,
    names_within,
)
from irevalx.lab.plotting.ticks import PERCENT, name_places, round_ticks, thin_ticks
from irevalx.reports.names import drawable

# in inches:
_HEIGHT, _LOW_HEIGHT = 1.75, 1.4  # height of a panel next to other panels, and in a narrow column
_BELOW = 0.05  # space below all panels
_Y_LABELS = 0.5  # space next to a panel
_LEGEND_GAP = 0.06  # space above and below a legend

_BAND = 0.11  # the opacity of bands
_NAME_SIZE = 7.0  # font size of line names, in points
_LONGEST_NAME = 0.75  # maximum length of a name in the legend, as a share of the page width


def draw_lines(
    rows: Sequence[Sequence[LinePanel]],
    page: Page,
    *,
    title: str,
    label: str,
    note: str = "",
    rule: str = "",
    same_heights: bool = False,  # whether the panels of a row share the vertical limits
    same_widths: bool = False,  # whether all panels share the horizontal limits
    legend: str = "",  # title of the legend
) -> Figure:
    """Plot rows of panels. Below them, write ``label``, ``note`` and a note that explains the panels' grey lines.

    On a narrow page, each panel is a row of its own.
    """
    cells = _cells(rows, page, same_heights)
    if same_widths:
        ends = [limits[:2] for row in cells for _, limits in row]
        left, right = min(end[0] for end in ends), max(end[1] for end in ends)
        cells = [[(panel, (left, right, *limits[2:])) for panel, limits in row] for row in cells]
    n_columns = max(map(len, cells))
    heights = [_LOW_HEIGHT if page.is_narrow else _HEIGHT] * len(cells)
    figure = page.figure(sum(heights) + _BELOW)
    axes = figure.subplots(len(cells), n_columns, squeeze=False, gridspec_kw={"height_ratios": heights})
    width = page.width / n_columns - _Y_LABELS
    titles = names_within((panel.title for row in cells for panel, _ in row), width, TITLE_SIZE)
    drawn: list[_DrawnPanel] = []
    for axes_of_row, row in zip(axes, cells, strict=True):
        for place, axis in enumerate(axes_of_row):
            if place < len(row) and row[place][0].has_points:
                panel, limits = row[place]
                panel = replace(panel, title=titles.of[panel.title])
                if place and panel.y_label == row[place - 1][0].y_label:
                    panel = replace(panel, y_label="")
                drawn.append(_DrawnPanel(axis, panel, limits))
            else:
                axis.set_visible(False)
    heading = page.name(figure, title)
    every = [panel for row in rows for panel in row]
    named = {str(line.get_label()): line for panel in drawn for line in panel.lines}
    names = names_within(named, _LONGEST_NAME * page.width, _NAME_SIZE)
    page.explain(figure, label, _band_note(every), _rule_note(every, rule), note, names.key, titles.key)
    lay_out_with_legend(figure, {names.of[name]: line for name, line in named.items()}, heading, legend)
    for drawn_panel in drawn:
        drawn_panel.name_places()
    return figure


def lay_out_with_legend(figure: Figure, named: Mapping[str, Artist], heading: Text | None, title: str = "") -> None:
    """Lay out a figure with a legend at the top, below the title, and increase the height by that of the legend."""
    if not named:
        finalise_figure(figure)
        return
    legend = _legend(figure, named, title)
    height = float(figure.get_figheight())
    higher = height + legend.get_window_extent().height / figure.dpi + 2 * _LEGEND_GAP
    figure.set_figheight(higher)
    figure.set_layout_engine("constrained", rect=(0, 0, 1, height / higher))
    finalise_figure(figure)
    top = figure.bbox.height if heading is None else heading.get_window_extent().y0
    legend.set_bbox_to_anchor((0.5, (top - _LEGEND_GAP * figure.dpi) / figure.bbox.height))


def _cells(rows: Sequence[Sequence[LinePanel]], page: Page, same_heights: bool) -> list[list[tuple[LinePanel, Limits]]]:
    """Return the rows of panels to draw, each panel with its axis limits. Rows without points are omitted."""
    names = dict.fromkeys(curve.label for row in rows for panel in row for curve in panel.curves)
    styles = {name: number for number, name in enumerate(names)}
    rows = [[_as_drawn(panel, page, styles) for panel in row] for row in rows]
    cells = [list(zip(part, _limits(row, same_heights), strict=False)) for row in rows for part in _split(row)]
    if page.is_narrow:
        cells = [[cell] for row in cells for cell in row]
    return [row for row in cells if any(panel.has_points for panel, _ in row)] or cells


def _as_drawn(panel: LinePanel, page: Page, styles: Mapping[str, int]) -> LinePanel:
    """Return a panel with the page's kind of axis, and with a style for each curve that depends on its name."""
    curves = [
        replace(curve, label=drawable(curve.label), style=styles[curve.label] if curve.style is None else curve.style)
        for curve in panel.curves
    ]
    if page.linear and panel.logarithmic:
        panel = replace(panel, logarithmic=False, ticks=())
    return replace(panel, curves=curves)


def _legend(figure: Figure, named: Mapping[str, Artist], title: str) -> Legend:
    """Create a legend that has as few lines as the width of the page allows."""
    names = [f" {name}" if name.startswith("_") else name for name in named]  # matplotlib omits names that begin with _
    for n_columns in range(len(names), 0, -1):
        legend = figure.legend(
            *(list(named.values()), names),
            loc="upper center",
            ncols=n_columns,
            fontsize=_NAME_SIZE,
            title=title or None,
            title_fontsize=_NAME_SIZE,
            handlelength=3.4,
            columnspacing=1.6,
            borderpad=0,
            borderaxespad=0,
        )
        if n_columns == 1 or legend.get_window_extent().width < figure.bbox.width * 0.98:
            break
        legend.remove()
    return legend


def _limits(row: Sequence[LinePanel], same_heights: bool) -> list[Limits]:
    """Return the axis limits of the panels in a row."""
    limits = [panel.limits for panel in row]
    if same_heights:
        low, high = min(ends[2] for ends in limits), max(ends[3] for ends in limits)
        return [(left, right, low, high) for left, right, _, _ in limits]
    return limits


def _split(row: Sequence[LinePanel]) -> list[list[LinePanel]]:
    """Divide a row of panels into rows of panels with at most ``MOST_LINES`` lines, the same lines in each panel."""
    n_curves = max(len(panel.curves) for panel in row)
    n_rows = max(1, math.ceil(n_curves / MOST_LINES))
    size = math.ceil(n_curves / n_rows)
    parts = [
        [replace(panel, curves=panel.curves[start : start + size]) for panel in row]
        for start in range(0, max(1, n_curves), max(1, size))
    ]
    return [[panel for panel in part if panel.curves] for part in parts]


def _band_note(panels: Sequence[LinePanel]) -> str:
    """Return a sentence that describes the bands in a figure, or an empty string if there are no bands."""
    labels_of: dict[str, list[str]] = {}
    for panel in panels:
        if any(curve.low is not None for curve in panel.curves):
            labels = labels_of.setdefault(panel.band, [])
            if panel.y_label and panel.y_label not in labels:
                labels.append(panel.y_label)
    are_bars = all(curve.x.size == 1 for panel in panels for curve in panel.curves if curve.low is not None)
    name = "Error bars" if are_bars else "Bands"
    if len(labels_of) == 1:
        return f"{name}: {next(iter(labels_of))}."
    parts = [f"{band} ({', '.join(labels)})" for band, labels in labels_of.items()]
    return f"{name}: {'; '.join(parts)}." if parts else ""


def _rule_note(panels: Sequence[LinePanel], words: str) -> str:
    """Return a sentence that describes the grey lines, by default with their values, or "" if there are none."""
    rules = sorted({rule for panel in panels for rule in panel.rules})
    return f"Grey line: {words or ' and '.join(f'{rule:g}' for rule in rules)}." if rules else ""


class _DrawnPanel:
    """A panel with its lines. The ticks are chosen after the figure was laid out."""

    def __init__(self, axis: Axes, panel: LinePanel, limits: Limits) -> None:
        self._axis, self._panel = axis, panel
        self.lines: list[Line2D] = []  # lines that the legend contains
        if panel.logarithmic:
            axis.set_xscale("log")
            axis.xaxis.set_minor_locator(NullLocator())
        elif panel.in_percent:
            axis.xaxis.set_major_formatter(PERCENT)
        axis.set(xlim=limits[:2], ylim=limits[2:], ylabel=panel.y_label)
        axis.set_title(panel.title)
        if panel.ticks:
            axis.set_xticks([place for place, _ in panel.ticks], [name for _, name in panel.ticks])
        elif not panel.logarithmic:
            axis.xaxis.set_major_locator(round_ticks(integer=self._has_counts("x")))
        axis.yaxis.set_major_locator(round_ticks(integer=self._has_counts("y")))
        for height in panel.rules:
            axis.axhline(height, color=GREY, linewidth=0.7, zorder=1)
        for curve in panel.curves:
            self._draw(curve.style or 0, curve)

    def _has_counts(self, side: str) -> bool:
        """Return whether the values on an axis (x or y) are integers, of which at least one is above 2."""
        rules = self._panel.rules if side == "y" else ()
        places = np.concatenate([*(getattr(curve, side) for curve in self._panel.curves), rules])
        places = places[np.isfinite(places)]
        return places.max(initial=0.0) > 2 and bool((places == np.round(places)).all())

    def _draw(self, number: int, curve: Curve) -> None:
        """Draw a line with its band. ``number`` is the index of the line's style."""
        round_, place = divmod(number, len(COLOURS))
        colour, dashes, marker = COLOURS[place], place + round_, place + 3 * round_
        if curve.dashes is not None:
            dashes = marker = curve.dashes
        [line] = self._axis.plot(
            curve.x,
            curve.y,
            color=colour,
            label=curve.label,
            linestyle=DASHES[dashes % len(DASHES)],
            drawstyle="steps-post" if curve.steps else "default",
            marker=MARKERS[marker % len(MARKERS)] if curve.markers else "",
            markersize=2.6,
            markeredgewidth=0.6,
            markerfacecolor="white" if number % 2 else colour,
            zorder=3,
        )
        if curve.low is not None and curve.high is not None and curve.x.size == 1:  # because a band would have no width
            errors = np.nan_to_num(np.stack((curve.y - curve.low, curve.high - curve.y)).clip(0))
            self._axis.errorbar(curve.x, curve.y, errors, color=colour, capsize=2, linewidth=0.8, zorder=2)
        elif curve.low is not None and curve.high is not None:
            self._axis.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=_BAND, linewidth=0, zorder=2)
        if curve.label and np.isfinite(curve.y).any():
            self.lines.append(line)

    def name_places(self) -> None:
        """Remove ticks whose labels would touch. The panel must have its final size."""
        if self._panel.ticks:
            name_places(self._axis, self._panel.ticks)
        else:
            thin_ticks(self._axis, integer=self._has_counts("x"))

"""Insets of panels of lines: the lowest levels on a linear axis, enlarged (requires matplotlib)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.frozen import replace
from irevalx.lab.plotting.line_panels import Curve, Limits, LinePanel
from irevalx.lab.plotting.page import text_width
from irevalx.lab.plotting.ticks import round_ticks

_WIDTH, _HEIGHT = 0.66, 0.58  # of the area for an inset and its tick labels, as shares of a panel
_MOST = 0.4  # share of the axis: levels in a greater part of it are far enough from each other
_LEAST_POINTS = 3
_TICK_SIZE = 6.0  # points of tick labels
_BELOW, _AROUND, _TICK = 0.13, 0.06, 0.05  # tick labels below an inset, gaps around it, and its ticks, in inches


def needs_inset(panel: LinePanel) -> bool:
    """Return whether several levels that an inset can contain share a small part of the axis of a panel."""
    x = np.unique(np.concatenate([curve.x[np.isfinite(curve.x + curve.y)] for curve in panel.curves]))
    is_cramped: bool = panel.inset - x[0] < _MOST * (x[-1] - x[0])
    n_low = int(np.count_nonzero(_is_low(x, panel)))
    return is_cramped and n_low >= _LEAST_POINTS


def _is_low(x: FloatArray, panel: LinePanel) -> BoolArray:
    """Return whether places belong to the inset of a panel; shares of few judgments are not exactly round."""
    return np.asarray(x <= 1.01 * panel.inset)


def with_room(panel: LinePanel, limits: Limits) -> Limits:
    """Return limits of a panel with room for an inset below or above its lines, whichever takes less space."""
    left, right, low, high = limits
    least, greatest = _heights(panel, limits)
    below = min(low, (least - _HEIGHT * high) / (1 - _HEIGHT))
    above = max(high, (greatest - _HEIGHT * low) / (1 - _HEIGHT))
    return (left, right, below, high) if low - below <= above - high else (left, right, low, above)


def _heights(panel: LinePanel, limits: Limits) -> tuple[float, float]:
    """Return the least and the greatest height of lines and bands in the part of a panel that an inset can be in."""
    left, right = limits[:2]
    heights = np.concatenate([*_beyond(panel.curves, right - _WIDTH * (right - left)), panel.rules])
    return float(heights.min()), float(heights.max())


def _beyond(curves: Sequence[Curve], start: float) -> Iterator[FloatArray]:
    """Yield the heights of lines and bands to the right of a position on the horizontal axis."""
    for curve in curves:
        for side in (curve.y, curve.low, curve.high):
            if side is not None and (known := np.isfinite(curve.x + side)).any():
                x, y = curve.x[known], side[known]
                yield np.append(y[x >= start], np.interp(start, x, y))


def low_levels(panel: LinePanel) -> LinePanel:
    """Return a panel with the part of the lines that its inset contains."""
    curves = []
    for curve in panel.curves:
        low = _is_low(curve.x, panel)
        ends = {side: None if of is None else of[low] for side, of in (("low", curve.low), ("high", curve.high))}
        curves.append(replace(curve, x=curve.x[low], y=curve.y[low], **ends))
    inset = replace(panel, curves=curves, rules=(), y_label="", title="", lowest=None, highest=None, inset=0.0)
    _, _, lowest, highest = inset.limits
    return replace(inset, rules=tuple(rule for rule in panel.rules if lowest <= rule <= highest))


def ticks_of_lines(panel: LinePanel) -> list[float]:
    """Return round heights between the least and the greatest height of the lines, not next to the inset."""
    _, _, low, high = panel.limits
    return [tick for tick in round_ticks().tick_values(low, high) if low <= tick <= high]


def inset_axes(axis: Axes, panel: LinePanel, inset: LinePanel) -> Axes:
    """Return axes in the free corner of a panel, which has its final size."""
    figure = axis.get_figure()
    assert isinstance(figure, Figure)
    box = axis.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
    low, high = axis.get_ylim()
    least, greatest = _heights(panel, (*axis.get_xlim(), low, high))
    height = min(_HEIGHT, max(least - low, high - greatest) / (high - low)) * box.height
    bottom = 0.0 if least - low >= high - greatest else box.height - height
    names = axis.yaxis.get_major_formatter().format_ticks(ticks_of_lines(inset))
    left = box.width * (1 - _WIDTH) + max(text_width(name, _TICK_SIZE) for name in names) + _TICK
    inner = axis.inset_axes(
        (
            left / box.width,
            (bottom + _AROUND + _BELOW) / box.height,
            (box.width - left - _AROUND / 2) / box.width,
            (height - _BELOW - 2 * _AROUND) / box.height,
        )
    )
    inner.tick_params(labelsize=_TICK_SIZE, length=2, pad=1.5)
    return inner

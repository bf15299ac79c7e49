"""Lines and panels of lines, independent of matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen

Limits: TypeAlias = tuple[float, float, float, float]
"""Axis limits: the minimum and maximum of x, followed by the minimum and maximum of y."""


class Curve(Frozen):
    """A line, with an optional confidence band."""

    label: str  # name in the legend, which omits lines without a name
    x: FloatArray  # shape (n_points,)
    y: FloatArray  # shape (n_points,); nan for a missing point
    low: FloatArray | None = None  # shape (n_points,); lower bounds of the band
    high: FloatArray | None = None
    markers: bool = True
    steps: bool = False  # whether the line is a step function
    style: int | None = None  # index of the colour, dashes and marker; None for the index of the name in the figure
    dashes: int | None = None  # index of the dashes and marker, if they do not depend on ``style``


class LinePanel(Frozen):
    """A panel that contains lines."""

    curves: Sequence[Curve]  # lines, in the order of their styles
    y_label: str = ""  # displayed at the first panel of a row, and wherever the label changes
    title: str = ""
    ticks: tuple[tuple[float, str], ...] = ()  # positions and names of ticks in ascending order; () for the default
    logarithmic: bool = False  # whether the horizontal axis is logarithmic, unless the page has linear axes
    in_percent: bool = False  # whether the values of x are shares, which a linear axis displays in percent
    rules: tuple[float, ...] = ()  # heights of horizontal reference lines
    lowest: float | None = None  # lower limit of y; None for the minimum
    highest: float | None = None  # upper limit of y; None for the maximum
    band: str = ""  # description of the bands

    @property
    def has_points(self) -> bool:
        """Whether the panel contains points that can be drawn."""
        return any(np.isfinite(curve.x + curve.y).any() for curve in self.curves)

    @property
    def heights(self) -> tuple[float, float]:
        """The minimum and maximum y of lines, bands and reference lines, unless limits are specified."""
        bands = [side for curve in self.curves for side in (curve.y, curve.low, curve.high) if side is not None]
        ys = np.concatenate([*bands, self.rules])
        ys = ys[np.isfinite(ys)]
        low, high = (float(ys.min()), float(ys.max())) if ys.size else (0.0, 1.0)
        return low if self.lowest is None else self.lowest, high if self.highest is None else self.highest

    @property
    def limits(self) -> Limits:
        """The limits of the axes, including margins."""
        xs = np.concatenate([curve.x for curve in self.curves])
        xs = xs[np.isfinite(xs)] if np.isfinite(xs).any() else np.ones(1)
        low, high = self.heights
        margin = 0.04 * (high - low) or 0.05
        left, right = float(xs.min()), float(xs.max())
        if self.logarithmic:
            apart = (right / left) ** 0.03 if right > left else 1.1
            return left / apart, right * apart, low - margin, high + margin
        apart = 0.03 * (right - left) or 0.5
        return left - apart, right + apart, low - margin, high + margin

"""Lines and panels of lines. This module does not require matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen

Limits: TypeAlias = tuple[float, float, float, float]
"""The minimum and the maximum x, followed by the minimum and the maximum y."""


class Curve(Frozen):
    """A line, which can have a band."""

    label: str  # the name in the legend; lines without a name are not in the legend
    x: FloatArray  # shape (n_points,)
    y: FloatArray  # shape (n_points,); nan for a missing point
    low: FloatArray | None = None  # shape (n_points,); the bounds of the band
    high: FloatArray | None = None
    markers: bool = True
    steps: bool = False  # whether the line is a step function
    style: int | None = None  # index of its colour, dashes and marker; None for the index of its name in the figure
    dashes: int | None = None  # index of its dashes and marker, if they do not depend on ``style``


class LinePanel(Frozen):
    """A panel of lines."""

    curves: Sequence[Curve]  # lines in the order of their styles
    y_label: str = ""  # drawn at the first panel of a row, and at panels whose label differs from the previous one
    title: str = ""
    ticks: tuple[tuple[float, str], ...] = ()  # positions and names of ticks, ascending; () for the default
    logarithmic: bool = False  # scale of the horizontal axis, unless the page has linear axes
    in_percent: bool = False  # whether x are shares, for which ticks of a linear axis are in percent
    rules: tuple[float, ...] = ()  # heights of horizontal reference lines
    lowest: float | None = None  # the lower limit of y; None for the minimum
    highest: float | None = None  # the upper limit of y; None for the maximum
    band: str = ""  # a description of the bands

    @property
    def has_points(self) -> bool:
        """Whether the panel contains points to draw."""
        return any(np.isfinite(curve.x + curve.y).any() for curve in self.curves)

    @property
    def heights(self) -> tuple[float, float]:
        """The minimum and the maximum y of lines, bands and rules, unless limits are given."""
        bands = [side for curve in self.curves for side in (curve.y, curve.low, curve.high) if side is not None]
        ys = np.concatenate([*bands, self.rules])
        ys = ys[np.isfinite(ys)]
        low, high = (float(ys.min()), float(ys.max())) if ys.size else (0.0, 1.0)
        return low if self.lowest is None else self.lowest, high if self.highest is None else self.highest

    @property
    def limits(self) -> Limits:
        """The limits of the axes, including a margin."""
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

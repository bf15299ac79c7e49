"""Panels with a row for each run, pair or measure: names at the left, points and bars at the right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from irevalx.arrays.segments import FloatArray
from irevalx.lab.plot.page import drawable

ROW = 0.135  # the height of a row in inches
FRAME = 0.45  # the height above and below the rows of a panel, in inches


def name_rows(axis: Axes, names: Sequence[str]) -> None:
    """Give a panel one row per name from top to bottom; row i is at the height i."""
    axis.set_yticks(range(len(names)), list(map(drawable, names)))
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0, labelsize=6.5)
    axis.grid(visible=True, axis="x")
    axis.grid(visible=False, axis="y")


def stacked(values: FloatArray, extent: float, room: float = 0.36) -> FloatArray:
    """Return shifts of points in a row, at most ``room``, so that few points nearer than ``extent`` / 50 overlap."""
    place = np.round(values / (extent / 50 or 1.0)).astype(np.int64)
    shifts = np.zeros(len(values))
    stacks = [np.flatnonzero(place == number) for number in np.unique(place)]
    highest = max(map(len, stacks), default=1)
    step = min(0.16, 2 * room / max(1, highest - 1))
    for points in stacks:
        shifts[points] = step * (np.arange(len(points)) - (len(points) - 1) / 2)
    return shifts

"""Panels with a row for each run, pair or measure: names at the left, points and bars to the right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from irevalx.arrays.segments import FloatArray
from irevalx.lab.plot.page import drawable

ROW = 0.135
"""The height of a row in inches."""

FRAME = 0.45
"""The height of what is above and below the rows of a panel, in inches."""


def name_rows(axis: Axes, names: Sequence[str]) -> None:
    """Give a panel one row per name, the first on top; row i has the height i."""
    axis.set_yticks(range(len(names)), list(map(drawable, names)))
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0, labelsize=6.5)
    axis.grid(visible=True, axis="x")
    axis.grid(visible=False, axis="y")


def stacked(values: FloatArray, extent: float, room: float = 0.36) -> FloatArray:
    """Return by how much points in a row must be moved up or down so that few of them hide others.

    Parameters
    ----------
    values : shape (n,).
    extent : the width of the axis; points nearer than a fiftieth of it would touch.
    room : the farthest that a point may be moved.

    Returns
    -------
    Shape (n,); 0 for a point that stands alone.
    """
    place = np.round(values / (extent / 50 or 1.0)).astype(np.int64)
    moved = np.zeros(len(values))
    stacks = {one: np.flatnonzero(place == one) for one in np.unique(place).tolist()}
    highest = max(map(len, stacks.values()), default=1)
    step = min(0.16, 2 * room / max(1, highest - 1))
    for points in stacks.values():
        moved[points] = step * (np.arange(len(points)) - (len(points) - 1) / 2)
    return moved

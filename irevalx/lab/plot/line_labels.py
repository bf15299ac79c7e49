"""Labels at the ends of lines, in place of a legend: as near to their lines as they may be without touching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen
from irevalx.lab.plot.page import POINT, dark, figure_of, size_of, width_of

NAME_SIZE = 7.0
"""Of the letters, in points."""

_HEIGHT = 8.6
"""From one label to the next, in points."""

LEADER = 14.0
"""The room between the end of a line and its label, in points. It is bridged in the dashes of the line: so labels
can be told apart where many lines end in one point."""


def spread(wanted: FloatArray, gap: float, low: float, high: float) -> FloatArray:
    """Return places at least ``gap`` apart, as near to the wanted ones as can be (in the sum of squares).

    Parameters
    ----------
    wanted : shape (n,).
    low, high : no place is beyond them; where they leave too little room, the gap is as wide as it may be.

    Returns
    -------
    Shape (n,), in the order of ``wanted``, ties in that of their numbers.
    """
    n = len(wanted)
    gap = min(gap, (high - low) / max(1, n - 1))
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(n)
    blocks: list[tuple[float, int]] = []  # means and sizes; neighbours that would be too close form one
    for place in (wanted[order] - steps).tolist():
        mean, size = place, 1
        while blocks and blocks[-1][0] > mean:
            other, others = blocks.pop()
            mean, size = (mean * size + other * others) / (size + others), size + others
        blocks.append((mean, size))
    placed = np.empty(n)
    settled = np.repeat([mean for mean, _ in blocks], [size for _, size in blocks])
    placed[order] = np.clip(settled, low, max(low, high - gap * (n - 1))) + steps
    return placed


class LabelledLine(Frozen):
    """The ends of a line, and what it is called.

    Parameters
    ----------
    label, colour, dashes : of the line.
    left, right : its ends, x and y each.
    """

    label: str
    colour: str
    dashes: Any
    left: tuple[float, float]
    right: tuple[float, float]


class LineLabels:
    """The labels of the lines of a panel: they need room when the figure is laid out, and are placed when it has been.

    Parameters
    ----------
    panel : with its limits.
    lines : at least one.
    """

    def __init__(self, panel: Axes, lines: Sequence[LabelledLine]) -> None:
        self._panel, self._lines = panel, lines
        self._at_left, self._room = False, list[Annotation]()

    def moved(self, *, at_left: bool) -> float:
        """Return how far labels would have to move from the ends of their lines, in heights of the panel."""
        wanted = np.array([self._height(line.left if at_left else line.right) for line in self._lines])
        return float(np.abs(spread(wanted, 0.09, 0.0, 1.0) - wanted).sum())

    def make_room(self, *, at_left: bool) -> None:
        """Keep room for the labels when the figure is laid out; at the left ends it is inside of the panel."""
        self._at_left = at_left
        self._room = [
            self._panel.annotate(
                line.label,
                (1, 0.5),
                xycoords="axes fraction",
                xytext=(LEADER, 0),
                textcoords="offset points",
                fontsize=NAME_SIZE,
            )
            for line in self._lines
        ]
        for text in self._room:
            text.set_in_layout(not at_left)

    def _height(self, end: tuple[float, float]) -> float:
        """Return the height of the end of a line in the panel, from 0 to 1."""
        low, high = self._panel.get_ylim()
        return (end[1] - low) / (high - low)

    @property
    def width(self) -> float:
        """That of the widest label, in inches."""
        return max(width_of(text) for text in self._room)

    def place(self, widest: float) -> None:
        """Place the labels; the figure has been laid out.

        Parameters
        ----------
        widest : the width of the widest label of all panels that are to have the same horizontal axis.
        """
        for text in self._room:
            text.remove()
        width, height = size_of(self._panel)
        leader, half = LEADER * POINT / width, _HEIGHT * POINT / 2 / height
        if self._at_left:
            self._make_room_at_left(widest / width + leader)
        x = widest / width + POINT / width if self._at_left else 1 + leader
        wanted = np.array([self._height(line.left if self._at_left else line.right) for line in self._lines])
        to_inches = self._panel.transData - figure_of(self._panel).dpi_scale_trans
        edge = float((self._panel.transAxes - figure_of(self._panel).dpi_scale_trans).transform((x, 0))[0])
        for line, y in zip(self._lines, spread(wanted, 2 * half, half, 1 - half).tolist(), strict=True):
            end = line.left if self._at_left else line.right
            is_near = abs(float(to_inches.transform(end)[0]) - edge) < 1.5 * LEADER * POINT
            self._panel.annotate(
                line.label,
                end,
                xytext=(x, y),
                textcoords="axes fraction",
                fontsize=NAME_SIZE,
                color=dark(line.colour),
                ha="right" if self._at_left else "left",
                va="center",
                annotation_clip=False,
                bbox={"boxstyle": "square,pad=0.05", "facecolor": "white", "edgecolor": "none"},
                arrowprops={
                    "arrowstyle": "-",
                    "color": line.colour,
                    "linestyle": line.dashes if is_near else "-",
                    "linewidth": 0.8 if is_near else 0.35,  # what is far must not look like data
                    "relpos": (1, 0.5) if self._at_left else (0, 0.5),
                    "shrinkA": 1,
                    "shrinkB": 0,
                },
            )

    def _make_room_at_left(self, share: float) -> None:
        """Move the left limit, so that the lines leave this share of the panel to the labels."""
        transform = self._panel.transScale
        (left, y), (right, _) = transform.transform([(x, self._panel.get_ylim()[0]) for x in self._panel.get_xlim()])
        moved = right - (right - left) / max(0.2, 1 - share)
        self._panel.set_xlim(left=float(transform.inverted().transform((moved, y))[0]))

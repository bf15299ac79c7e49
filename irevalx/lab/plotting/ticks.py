"""Ticks of axes. This module requires matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from irevalx.lab.plotting.page import text_width

_TICK_SIZE = 7.0  # font size of tick labels, in points
_TICK_GAP = 0.07  # space between tick labels, in inches
_FIRST_DIGITS = (1.0, 5.0, 2.0)  # leading digits of round numbers, the roundest first
_FEW = 3  # maximum number of round numbers for which other numbers are labelled too
_STEPS = (1, 2, 5, 10)  # leading digits of the distances between ticks


PERCENT = FuncFormatter(lambda share, _: f"{round(100 * share, 6):g}%")
"""The format of the tick labels on an axis of shares."""


def round_ticks(most: int = 6, *, integer: bool = False) -> MaxNLocator:
    """Create a locator that divides an axis into at most ``most`` intervals of round length."""
    return MaxNLocator(most, steps=_STEPS, integer=integer)


_SHARES = tuple((percent / 100, f"{percent}%") for percent in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100))


def share_ticks(shares: Sequence[float]) -> tuple[tuple[float, str], ...]:
    """Return round shares in the range of ``shares`` as ticks, each with a label.

    If there are fewer than two round shares, return ticks for ``shares``.
    """
    least, most = 0.99 * min(shares, default=1.0), 1.01 * max(shares, default=1.0)
    ticks = tuple((place, name) for place, name in _SHARES if least <= place <= most)
    return ticks if ticks[1:] else tuple((share, f"{100 * share:.2g}%") for share in shares)


def name_places(panel: Axes, ticks: Sequence[tuple[float, str]]) -> None:
    """Label as many of the given positions on a panel's horizontal axis as fit.

    The positions must be positive, and the size of the panel must be final.
    """
    spans = [_Label(panel, *tick) for tick in sorted(ticks)]
    ends = [spans[0], *spans[1:][-1:]]
    if sum(label.roundness < len(_FIRST_DIGITS) for label in spans) <= _FEW:
        labels = list(ends)
        for label in sorted(spans[1:-1], key=lambda label: (label.roundness, -label.place)):
            labels += [label] if label.fits(labels) else []
    else:  # a whole series (1 10 100, or 1 5 10 50 100, or 1 2 5 10 20 ...), and the ends
        series = [[label for label in spans if label.roundness <= least] for least in range(len(_FIRST_DIGITS))]
        fitting = [labels for labels in series if all(label.fits([before]) for before, label in pairwise(labels))]
        labels = [*ends, *(label for label in (fitting[-1] if fitting else []) if label.fits(ends))]
    labels.sort(key=lambda label: label.place)
    panel.set_xticks([label.place for label in labels], [label.name for label in labels])


class _Label:
    """A tick label on the horizontal axis of a panel."""

    def __init__(self, panel: Axes, place: float, name: str) -> None:
        figure = panel.get_figure()
        assert isinstance(figure, Figure)
        inches = panel.transData - figure.dpi_scale_trans
        self.place, self.name = place, name
        self._x = float(inches.transform((place, panel.get_ylim()[0]))[0])
        self._half = (text_width(name, _TICK_SIZE) + _TICK_GAP) / 2

    @property
    def roundness(self) -> int:
        """The rank of the tick's number by roundness: 0 for 1, 10 and 100, 1 for 5 and 50, and 2 for 2 and 20."""
        first = round(self.place / 10 ** math.floor(math.log10(self.place)), 9)
        return _FIRST_DIGITS.index(first) if first in _FIRST_DIGITS else len(_FIRST_DIGITS)

    def fits(self, others: Sequence[_Label]) -> bool:
        """Return whether there is space for the label, given the other labels."""
        return all(abs(self._x - other._x) >= self._half + other._half for other in others)  # noqa: SLF001 - same class


def thin_ticks(panel: Axes, *, integer: bool) -> None:
    """Choose round ticks for the linear horizontal axis of a panel, as many as fit the final size of the panel."""
    low, high = sorted(panel.get_xlim())
    for most in range(6, 0, -1):
        places = [place for place in round_ticks(most, integer=integer).tick_values(low, high) if low <= place <= high]
        names = panel.xaxis.get_major_formatter().format_ticks(places)
        labels = [_Label(panel, place, name) for place, name in zip(places, names, strict=True)]
        if all(label.fits([before]) for before, label in pairwise(labels)):
            panel.set_xticks(places)
            break

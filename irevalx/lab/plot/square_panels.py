"""Square panels in rows, all with the same axes.

Their places are worked out: matplotlib's own layout looks for them in twice the time that it takes to draw the panels.
"""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text

from irevalx.lab.plot.page import POINT, Page, width_of

_MARGIN = 0.05
"""Around everything, in inches."""

_COLUMN_GAP, _ROW_GAP = 0.2, 0.09
"""Between panels, in inches; the titles of panels and the names of ticks come on top."""

_LABEL_GAP = 0.06
"""Between the labels of the whole figure and what they label, in inches."""

_LINE = 1.25
"""The height of a line in units of the size of its letters."""

_PANEL_TITLE = (8.0 * _LINE + 6.0) * POINT
"""The height of the title of a panel with the room below it, in inches."""

_TICK = 6.0 * POINT
"""From a panel to the name of a tick, in inches."""

_TICK_NAME = 7.0 * _LINE * POINT
"""The height of the name of a tick, in inches."""


class SquarePanels:
    """A figure of square panels that share their axes.

    Parameters
    ----------
    page : that it is for.
    n_panels : at least 1.
    n_columns : at least 1; the last row may have fewer panels.

    Attributes
    ----------
    figure : without its height, until it is arranged.
    panels : row by row.
    """

    def __init__(self, page: Page, n_panels: int, n_columns: int) -> None:
        self._page = page
        self._n_columns, self._n_rows = n_columns, math.ceil(n_panels / n_columns)
        self.figure = Figure(figsize=(page.width, page.width))
        self.panels: list[Axes] = []
        for number in range(n_panels):
            first = self.panels[0] if self.panels else None
            panel = self.figure.add_axes((0, 0, 1, 1), label=str(number), sharex=first, sharey=first)
            panel.tick_params(labelleft=number % n_columns == 0, labelbottom=number + n_columns >= n_panels)
            self.panels.append(panel)

    def arrange(self, *, title: str, below: tuple[str, str], beside: str) -> None:
        """Write what stands around the panels, and give everything its place.

        Parameters
        ----------
        title : above all panels, if the page has titles.
        below : a label, and a note below it.
        beside : a label, at the left.
        """
        page, figure = self._page, self.figure
        heading = page.name(figure, title)
        explanation = page.explain(figure, *below)
        about = (page.width - 0.5) / self._n_columns - _COLUMN_GAP
        of_heights = page.label_heights(figure, beside, about * self._n_rows)
        left = _MARGIN + _thickness(of_heights) + _widest_name(self.panels[0].yaxis) + _TICK
        right = page.width - _MARGIN - _widest_name(self.panels[-1].xaxis) / 2
        side = (right - left - _COLUMN_GAP * (self._n_columns - 1)) / self._n_columns
        tops = self._tops(_MARGIN + _thickness(heading), side)
        height = tops[-1] + side + _TICK + _TICK_NAME + _thickness(explanation) + _MARGIN
        figure.set_figheight(height)
        for number, panel in enumerate(self.panels):
            row, column = divmod(number, self._n_columns)
            x, y = left + column * (side + _COLUMN_GAP), height - tops[row] - side
            panel.set_position((x / page.width, y / height, side / page.width, side / height))
        if heading is not None:
            heading.set(y=1 - _MARGIN / height)
        if explanation is not None:
            explanation.set(y=_MARGIN / height)
        panels_middle = height - (tops[0] + tops[-1] + side) / 2
        of_heights.set(x=_MARGIN / page.width, y=panels_middle / height)

    def _tops(self, first: float, side: float) -> list[float]:
        """Return how far below the upper edge of the figure the panels of each row begin, in inches."""
        is_full = len(self.panels) % self._n_columns == 0
        tops = [first + _PANEL_TITLE]
        for row in range(1, self._n_rows):
            names = _TICK + _TICK_NAME if row == self._n_rows - 1 and not is_full else 0.0
            tops.append(tops[-1] + side + names + _ROW_GAP + _PANEL_TITLE)
        return tops


def _widest_name(axis: Axis) -> float:
    """Return the width of the widest name of a tick, in inches."""
    low, high = axis.get_view_interval()
    named = zip(axis.get_majorticklocs().tolist(), axis.get_majorticklabels(), strict=True)
    return max((width_of(text) for place, text in named if low <= place <= high), default=0.0)


def _thickness(text: Text | None) -> float:
    """Return how much room the lines of a text take, with the gap beside them, in inches."""
    if text is None:
        return 0.0
    n_lines = text.get_text().count("\n") + 1
    return n_lines * float(text.get_fontsize()) * _LINE * POINT + _LABEL_GAP

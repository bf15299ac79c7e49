"""Square panels in rows, all with the same axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from irevalx.lab.plot.page import Page

_EDGE = 0.05
"""Around everything, in inches."""

_LEFT, _RIGHT, _BELOW = 0.62, 0.15, 0.27
"""Beside and below all panels, for the names of ticks and, at the left, a label; in inches."""

_BETWEEN, _ROW_TITLE = 0.2, 0.28
"""Between panels beside each other, and above each row of them, in inches."""

_LINE = 0.145
"""The height of a line of words, in inches."""


def square_panels(
    page: Page, n_panels: int, n_columns: int, *, title: str, label: str, note: str, beside: str
) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure of square panels that share their axes, and these row by row.

    Sizes are fixed: matplotlib's own layout looks for them in twice the time that it takes to draw the panels.

    Parameters
    ----------
    page : that it is for.
    n_panels, n_columns : at least 1; the last row may have fewer panels.
    title : above all panels, if the page has titles.
    label, note : below them, one below the other.
    beside : a label at the left.
    """
    n_rows = math.ceil(n_panels / n_columns)
    side = (page.width - _LEFT - _RIGHT + _BETWEEN) / n_columns - _BETWEEN
    figure = Figure(figsize=(page.width, page.width))
    heading, explanation = page.name(figure, title), page.explain(figure, label, note)
    of_heights = page.label_heights(figure, beside, n_rows * (side + _ROW_TITLE))
    first = _EDGE + _height_of(heading)
    tops = [first + row * side + (row + 1) * _ROW_TITLE for row in range(n_rows)]
    if n_rows > 1 and n_panels % n_columns:
        tops[-1] += _BELOW  # the last panels of the row above have the names of their ticks there
    height = tops[-1] + side + _BELOW + _height_of(explanation) + _EDGE
    figure.set_figheight(height)
    for text, y in ((heading, 1 - _EDGE / height), (explanation, _EDGE / height)):
        if text is not None:
            text.set(y=y)
    of_heights.set(x=_EDGE / page.width, y=1 - (tops[0] + tops[-1] + side) / 2 / height)
    panels: list[Axes] = []
    for number in range(n_panels):
        row, column = divmod(number, n_columns)
        x, y = _LEFT + column * (side + _BETWEEN), height - tops[row] - side
        place = (x / page.width, y / height, side / page.width, side / height)
        first_one = panels[0] if panels else None
        panels.append(figure.add_axes(place, sharex=first_one, sharey=first_one))
        panels[-1].tick_params(labelleft=column == 0, labelbottom=number + n_columns >= n_panels)
    return figure, panels


def _height_of(text: Text | None) -> float:
    """Return the height of words of a whole figure, in inches."""
    return 0.0 if text is None else _LINE * (1 + text.get_text().count("\n"))

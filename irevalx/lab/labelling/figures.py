"""The figure of labels from elsewhere: how many documents have which human and machine label."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from irevalx.lab.plot.page import Page

_MOST_NUMBERED = 12
"""With more grades the numbers would not fit into the cells."""

_DARK = 0.55
"""A cell with a greater share than this is dark, and its number white."""


def confusion_map(counts: Mapping[tuple[int, int], int], page: Page) -> Figure:
    """Draw how many documents have a human and a machine grade: one cell per pair, the darker the more of its row.

    Parameters
    ----------
    counts : numbers of documents by human and machine grade.
    """
    grades = sorted({grade for pair, number in counts.items() if number for grade in pair})
    table = np.array([[counts.get((a, b), 0) for b in grades] for a in grades], np.float64)
    rows = table.sum(axis=1, keepdims=True)
    shares = table / np.where(rows == 0, 1.0, rows)
    figure = page.figure(min(page.width, 3.4) + 0.25 * page.titled)
    panel = figure.subplots()
    panel.imshow(shares, cmap="Greys", vmin=0, vmax=1, aspect="equal")
    panel.set_xticks(range(len(grades)), list(map(str, grades)))
    panel.set_yticks(range(len(grades)), list(map(str, grades)))
    panel.set(xlabel="machine label", ylabel="human label")
    panel.grid(visible=False)
    panel.spines[:].set_visible(True)  # a cell without documents is white
    panel.tick_params(length=0)
    if len(grades) <= _MOST_NUMBERED:
        for (row, column), share in np.ndenumerate(shares):
            colour = "white" if share > _DARK else "black"
            number = f"{int(table[row, column]):,}\n{100 * share:.1f} %" if rows[row, 0] else "0"
            panel.text(column, row, number, ha="center", va="center", color=colour, fontsize=7)
    page.name(figure, "Documents by human and machine label")
    note = "Shades and percentages: the share of the documents with the same human label."
    page.explain(figure, "", note)
    return figure

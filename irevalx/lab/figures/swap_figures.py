"""The figures of swap rates: by the size of topic sets, and by the size of the difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from irevalx.lab.figures.curves import Curve, LinePanel, draw_lines
from irevalx.lab.figures.page import Page
from irevalx.lab.figures.ranges import Range, groups_on_one_axis
from irevalx.lab.statistics.swap_bins import TOLERATED, SwapBin
from irevalx.lab.statistics.swaps import SwapRate

_COLUMNS = 3
"""Panels beside each other."""

_MOST_MARKERS = 40
"""The points of a line at most that are marked."""


def rates_by_size(found: Mapping[str, Sequence[SwapRate]], page: Page) -> Figure:
    """Draw the share of swaps against the number of topics in a set, a line a measure.

    Parameters
    ----------
    found : by measure, ascending in size.
    """
    sizes = sorted({one.size for rates in found.values() for one in rates})
    curves = tuple(
        Curve(measure, np.array([float(one.size) for one in rates]), np.array([one.rate for one in rates]))
        for measure, rates in found.items()
    )
    panel = LinePanel(
        curves,
        "share of swaps",
        ticks=tuple((float(size), str(size)) for size in sizes),
        logarithmic=True,
        rules=(TOLERATED,),
    )
    title = "How often two sets of topics disagree on which of two runs is better"
    return draw_lines([[panel]], page, title=title, label="topics in a set")


def rates_by_difference(
    found: Mapping[str, Mapping[int, Sequence[SwapBin]]], ranges: Sequence[Range], page: Page
) -> Figure:
    """Draw the share of swaps against the difference on the one set: a line a measure, a panel a size of sets.

    A point stands in the middle of its bin. Measures that are no shares have panels of their own.

    Parameters
    ----------
    found : by measure and size.
    ranges : of the measures.
    """
    measures = list(found)
    panels = []
    for group in groups_on_one_axis(ranges):
        for size in found[measures[group[0]]]:
            curves = tuple(_by_difference(measures[m], found[measures[m]][size]) for m in group)
            panels.append(LinePanel(curves, "share of swaps", f"{size} topics", rules=(TOLERATED,)))
    n_columns = min(_COLUMNS, len(panels))
    rows = [panels[start : start + n_columns] for start in range(0, len(panels), n_columns)]
    title = "How often the better of two runs on one set of topics is the worse on another, by the difference"
    return draw_lines(rows, page, title=title, label="difference on the one set")


def _by_difference(measure: str, bins: Sequence[SwapBin]) -> Curve:
    middles = np.array([(one.least + one.limit) / 2 for one in bins])
    return Curve(measure, middles, np.array([one.rate for one in bins]), markers=len(bins) <= _MOST_MARKERS)

"""The figures of swap rates: by the size of topic sets, and by the size of the difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from irevalx.arrays.segments import FloatArray
from irevalx.lab.plot.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plot.page import Page
from irevalx.lab.plot.ranges import groups_on_one_axis
from irevalx.measures.declare import Range
from irevalx.statistics.swap_bins import FEWEST, TOLERATED, SwapBin
from irevalx.statistics.swaps import SwapRate

_SHARE = "share of swaps (ties: half)"
_BAND = "95\u00a0% intervals over all splits of these topics"

_COLUMNS = 3
"""Panels beside each other."""

_MOST_MARKERS = 40
"""The points of a line at most that are marked."""

_MOST_IN_UNITS = 3
"""The sizes of sets at most that have three panels each."""

_UNITS = {"difference": "least", "in % of the best run": "percent", "in standard deviations": "sigmas"}
"""What figures call the units of a difference, and the attributes of a bin that have it."""


def rates_by_size(found: Mapping[str, Sequence[SwapRate]], page: Page) -> Figure:
    """Draw the share of swaps against the number of topics in a set, a line a measure.

    Parameters
    ----------
    found : by measure, ascending in size.
    """
    sizes = sorted({one.size for rates in found.values() for one in rates})
    curves = tuple(
        Curve(
            measure,
            np.array([float(one.size) for one in rates]),
            np.array([one.rate_with_half_ties for one in rates]),
            *_ends(rates),
        )
        for measure, rates in found.items()
    )
    panel = LinePanel(
        curves,
        _SHARE,
        band=_BAND,
        ticks=tuple((float(size), str(size)) for size in sizes),
        logarithmic=True,
        rules=(TOLERATED,),
    )
    title = "How often two sets of topics disagree on which of two runs is better"
    return draw_lines([[panel]], page, title=title, label="topics in a set")


def _ends(rates: Sequence[SwapRate] | Sequence[SwapBin]) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals."""
    ends = np.array([one.interval for one in rates], np.float64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


def rates_by_difference(
    found: Mapping[str, Mapping[int, Sequence[SwapBin]]], ranges: Sequence[Range], page: Page
) -> Figure:
    """Draw the share of swaps against the difference on the one set: a line a measure, a panel a size of sets.

    A point stands in the middle of its bin, which has enough comparisons; a line ends at the first bin from which on
    there are no swaps. Measures that are no shares have panels of their own. Of few sizes each has three panels: the
    difference itself, in percent of the best run's score, and in standard deviations of the runs' scores, in which
    measures can be compared.

    Parameters
    ----------
    found : by measure and size.
    ranges : of the measures.
    """
    measures = list(found)
    of_sizes = [(group, size) for group in groups_on_one_axis(ranges) for size in found[measures[group[0]]]]
    in_units = len(of_sizes) <= (1 if page.is_narrow else _MOST_IN_UNITS)
    rows = []
    for group, size in of_sizes:
        row = []
        for words, unit in _UNITS.items() if in_units else [("", "least")]:
            curves = [_by_difference(measures[m], found[measures[m]][size], unit) for m in group]
            title = f"{size} topics: {words}" if words else f"{size} topics"
            if any(curve.x.size for curve in curves):
                row.append(LinePanel(tuple(curves), _SHARE, title, band=_BAND, rules=(TOLERATED,)))
        rows.append(row)
    if not in_units:
        panels = [panel for row in rows for panel in row]
        rows = [panels[start : start + _COLUMNS] for start in range(0, len(panels), _COLUMNS)]
    title = "How often the better of two runs on one set of topics is the worse on another, by the difference"
    note = f"Lines end where no more pairs swap. Bins with fewer than {FEWEST} comparisons are left out."
    return draw_lines(rows, page, title=title, label="difference on the one set", note=note)


def _by_difference(measure: str, bins: Sequence[SwapBin], unit: str) -> Curve:
    """Return the line of a measure; without points if its differences cannot be expressed in the unit.

    Parameters
    ----------
    unit : the attribute of bins that has the difference in it.
    """
    last = bins[-1]
    bins = [one for one in bins if not one.is_small]
    n_swapping = max((number for number, one in enumerate(bins, start=1) if one.rate_with_half_ties), default=0)
    units = getattr(last, unit) / last.least if last.least else math.nan if unit != "least" else 1.0
    shown = bins[: n_swapping + 1] if math.isfinite(units) else []
    middles = np.array([units * (one.least + one.limit) / 2 for one in shown])
    rates = np.array([one.rate_with_half_ties for one in shown])
    return Curve(measure, middles, rates, *_ends(shown), markers=len(shown) <= _MOST_MARKERS)

"""The figures of swap rates: by the size of topic sets, and by the size of the difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from irevalx.lab.plot.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plot.page import Page
from irevalx.lab.plot.ranges import groups_on_one_axis
from irevalx.measures.declare import Range
from irevalx.statistics.swap_bins import FEWEST, TOLERATED

_SHARE = "share of swaps (ties: half)"
_BAND = "95\u00a0% intervals over all splits of these topics"
_COLUMNS = 3  # panels in a row
_MOST_MARKERS = 40  # a line with more points has no markers
_MOST_IN_UNITS = 3  # sizes of topic sets, each with three panels
_UNITS: Mapping[str, str] = {
    "difference": "from_",
    "in % of the best run": "percent",
    "in standard deviations": "sigmas",
}
"""The fields with a difference by what figures call its unit."""


def rates_by_size(rows: Iterable[Any], page: Page) -> Figure:
    """Draw the share of swaps by the number of topics in a set, one line per measure; rows are ``SizeSwapRate``."""
    of_measures: dict[str, list[Any]] = {}
    for row in rows:
        of_measures.setdefault(row.measure, []).append(row)
    curves = [
        _curve(measure, [row.topics for row in of_measure], of_measure) for measure, of_measure in of_measures.items()
    ]
    ticks = tuple(
        (float(size), str(size))
        for size in sorted({row.topics for of_measure in of_measures.values() for row in of_measure})
    )
    panel = LinePanel(tuple(curves), _SHARE, band=_BAND, ticks=ticks, logarithmic=True, rules=(TOLERATED,))
    title = "How often two sets of topics disagree on which of two runs is better"
    return draw_lines([[panel]], page, title=title, label="topics in a set")


def rates_by_difference(rows: Iterable[Any], ranges: Sequence[Range], page: Page) -> Figure:
    """Draw the share of swaps by the difference on the one set; rows are ``DifferenceSwapRate``, ranges by measure.

    A panel for each size of sets, a line for each measure. A point is in the middle of its bin, which has enough
    comparisons; a line ends at the first bin from which on there are no swaps. Measures that are not shares have panels
    of their own. If there are few sizes, each has three panels: the difference itself, in percent of the best run's
    value, and in standard deviations of the runs' values, in which measures can be compared.
    """
    bins: dict[str, dict[int, list[Any]]] = {}
    for row in rows:
        bins.setdefault(row.measure, {}).setdefault(row.topics, []).append(row)
    measures = list(bins)
    panels_of_sizes = [
        ([measures[m] for m in group if size in bins[measures[m]]], size)
        for group in groups_on_one_axis(ranges)
        for size in sorted({size for m in group for size in bins[measures[m]]})
    ]
    in_units = len(panels_of_sizes) <= (1 if page.is_narrow else _MOST_IN_UNITS)
    panels = []
    for group, size in panels_of_sizes:
        row_of_panels = []
        for words, unit in _UNITS.items() if in_units else [("", "from_")]:
            curves = [_by_difference(measure, bins[measure][size], unit) for measure in group]
            title = f"{size} topics: {words}" if words else f"{size} topics"
            if any(curve.x.size for curve in curves):
                row_of_panels.append(LinePanel(tuple(curves), _SHARE, title, band=_BAND, rules=(TOLERATED,)))
        panels.append(row_of_panels)
    if not in_units:
        every = [panel for row_of_panels in panels for panel in row_of_panels]
        panels = [every[start : start + _COLUMNS] for start in range(0, len(every), _COLUMNS)]
    title = "How often the better of two runs on one set of topics is the worse on another, by the difference"
    note = f"Lines end where no more pairs swap. Bins with fewer than {FEWEST} comparisons are left out."
    return draw_lines(panels, page, title=title, label="difference on the one set", note=note)


def _by_difference(measure: str, bins: Sequence[Any], unit: str) -> Curve:
    """Return the line of a measure, with differences from a field of its bins; without points if that is unknown."""
    last, scale = bins[-1], 1.0
    if unit != "from_":
        scale = getattr(last, unit) / last.from_ if last.from_ else math.nan
    bins = [row for row in bins if not row.few]
    n_swapping = max((number for number, row in enumerate(bins, start=1) if row.with_half_ties), default=0)
    drawn = bins[: n_swapping + 1] if math.isfinite(scale) else []
    return _curve(measure, [scale * (row.from_ + row.to) / 2 for row in drawn], drawn, len(drawn) <= _MOST_MARKERS)


def _curve(measure: str, x: Sequence[float], rows: Sequence[Any], markers: bool = True) -> Curve:
    """Return a line of swap rates with ties counted as half a swap, and their intervals."""
    y, low, high = np.array([(row.with_half_ties, row.low, row.high) for row in rows], np.float64).reshape(-1, 3).T
    return Curve(measure, np.array(x, np.float64), y, low, high, markers=markers)

"""Figures of statistical power and of swap rates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from irevalx.arrays.segments import FloatArray
from irevalx.errors import UsageError
from irevalx.lab.plotting.curves import draw_lines
from irevalx.lab.plotting.line_panels import Curve, LinePanel
from irevalx.lab.plotting.page import Page, in_rows
from irevalx.lab.plotting.ranges import groups_on_one_axis, ranges_of, ranges_printed_as
from irevalx.lab.topic_sets.power import Power
from irevalx.lab.topic_sets.swap_rate import DifferenceSwapRate, SizeSwapRate, SwapRates, SwapRatesByDifference
from irevalx.lab.topic_sets.swaps import FEWEST, TOLERATED
from irevalx.statistics.power import Deviation, power_of_t, topics_to_find
from irevalx.wording import spelled

_POINTS = 60  # maximum number of points in a line
_FEWEST, _MOST = 5, 10_000  # number of topics at the first point, and maximum at the last

_TICKS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)

_POWER_COLUMNS = 3  # maximum number of panels in a row


def power_curves(result: Power, page: Page) -> Figure:
    """Plot power against the number of topics, given the median standard deviation of each measure.

    Each measure has a panel, and each difference has a line. The axes include the numbers of topics in ``topics``.
    """
    medians = {measure: of_pairs["median"] for measure, of_pairs in result.deviations.items()}
    power, alpha, comparisons = (result.settings[name] for name in ("power", "alpha", "comparisons"))
    differences, n_topics = result.differences, result.settings["topics"]
    panels = []
    for measure, deviation in medians.items():
        least = min(differences) / deviation.value if deviation.value else math.inf
        needed = topics_to_find(least, max(0.95, power), alpha / comparisons, design=deviation.design)
        last = min(_MOST, max(needed, n_topics[measure], 2 * _FEWEST, *result.topics))
        numbers = np.unique(np.geomspace(_FEWEST, last, _POINTS).round().astype(int)).tolist()
        panel = LinePanel(
            tuple(_power_curve(size, deviation, numbers, alpha / comparisons) for size in differences),
            "power",
            title=measure if len(medians) > 1 else "",
            ticks=tuple((float(number), str(number)) for number in _TICKS if number <= last),
            logarithmic=True,
            rules=(power,),
            band=f"{100 * (1 - alpha):g}% confidence interval of the standard deviation",
        )
        panels.append(panel)
    rows = in_rows(panels, _POWER_COLUMNS)
    title = f"Power of the {'cluster-robust' if result.design_effects else 'paired'} t test by number of topics"
    divided = f"/{comparisons}" if comparisons > 1 else ""
    note = f"The standard deviation is the median over pairs of runs; alpha {alpha:g}{divided}."
    return draw_lines(
        rows, page, title=title, label="number of topics", note=note, legend="difference between two runs"
    )


def _power_curve(difference: float, deviation: Deviation, numbers: list[int], alpha: float) -> Curve:
    def powers(of: float) -> FloatArray:
        design = deviation.design
        return np.array([power_of_t(n, difference / of, alpha, design=design) if of else 1.0 for n in numbers])

    x = np.array(numbers, np.float64)
    if math.isnan(deviation.low):
        return Curve(f"{difference:g}", x, powers(deviation.value), markers=False)
    low, high = powers(deviation.high), powers(deviation.low)
    return Curve(f"{difference:g}", x, powers(deviation.value), low, high, markers=False)


_SHARE = "swap rate"
_TIES = "A tie counts as half a swap."
_BAND = "95% intervals over all splits of these topics"
_SWAP_COLUMNS = 3  # maximum number of panels in a row
_MOST_MARKERS = 40  # maximum number of points in a line with markers
_MOST_IN_UNITS = 3  # maximum number of set sizes for which differences are drawn in three units
_UNITS: Mapping[str, str] = {
    "difference": "from_",
    "in % of the best run": "percent",
    "in standard deviations": "sigmas",
}
"""The name of each unit of differences in figures, and the field that contains the difference in the unit."""


def rates_by_size(result: SwapRates, page: Page) -> Figure:
    """Plot the swap rate against the number of topics in a set, with a line for each measure."""
    of_measures: dict[str, list[SizeSwapRate]] = {}
    for row in result.rows:
        of_measures.setdefault(row.measure, []).append(row)
    curves = [
        _curve(measure, [row.topics for row in of_measure], of_measure) for measure, of_measure in of_measures.items()
    ]
    ticks = tuple(
        (float(size), str(size))
        for size in sorted({row.topics for of_measure in of_measures.values() for row in of_measure})
    )
    panel = LinePanel(curves, _SHARE, band=_BAND, ticks=ticks, logarithmic=True, rules=(TOLERATED,))
    title = "Swap rate by size of the topic sets"
    return draw_lines([[panel]], page, title=title, label="topics in a set", note=_TIES)


def rates_by_difference(result: SwapRatesByDifference, page: Page) -> Figure:
    """Plot the swap rate by the difference on one set, with a panel for each set size and a line for each measure."""
    bins: dict[str, dict[int, list[DifferenceSwapRate]]] = {}
    for row in result.rows:
        bins.setdefault(row.measure, {}).setdefault(row.topics, []).append(row)
    measures = list(bins)
    panels_of_sizes = [
        ([measures[m] for m in group if size in bins[measures[m]]], size)
        for group in groups_on_one_axis(ranges_of(result.requests) or ranges_printed_as(measures))
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
                row_of_panels.append(LinePanel(curves, _SHARE, title, band=_BAND, rules=(TOLERATED,)))
        panels.append(row_of_panels)
    if not any(panels):
        raise UsageError(
            f"no bin has the {FEWEST} comparisons that the figure requires; add runs, or increase {spelled('draws')}"
        )
    if not in_units:
        panels = in_rows([panel for row_of_panels in panels for panel in row_of_panels], _SWAP_COLUMNS)
    title = "Swap rate by difference between two runs on one of the topic sets"
    note = f"A line ends at the largest difference with a swap. Bins with fewer than {FEWEST} comparisons are left out."
    return draw_lines(panels, page, title=title, label="difference on one of the topic sets", note=f"{_TIES} {note}")


def _by_difference(measure: str, bins: Sequence[DifferenceSwapRate], unit: str) -> Curve:
    """Return the line of a measure, with the values of the field ``unit`` as positions.

    If the field has no values, the line has no points.
    """
    last, scale = bins[-1], 1.0
    if unit != "from_":
        scale = getattr(last, unit) / last.from_ if last.from_ else math.nan
    bins = [row for row in bins if not row.few]
    n_swapping = max((number for number, row in enumerate(bins, start=1) if row.with_half_ties), default=0)
    drawn = bins[: n_swapping + 1] if math.isfinite(scale) else []
    return _curve(measure, [scale * (row.from_ + row.to) / 2 for row in drawn], drawn, len(drawn) <= _MOST_MARKERS)


def _curve(measure: str, x: Sequence[float], rows: Sequence[Any], markers: bool = True) -> Curve:
    """Return a line that shows swap rates with half ties, and their intervals as a band."""
    y, low, high = np.array([(row.with_half_ties, row.low, row.high) for row in rows], np.float64).reshape(-1, 3).T
    return Curve(measure, np.array(x, np.float64), y, low, high, markers=markers)

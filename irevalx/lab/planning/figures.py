"""The figure of power: by the number of topics, a line a difference."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from irevalx.arrays.segments import FloatArray
from irevalx.lab.planning.topics_needed import DeviationsOfMeasure, Power
from irevalx.lab.plot.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plot.page import Page
from irevalx.statistics.difference_deviations import Deviation
from irevalx.statistics.paired_power import power_of_t, topics_to_find

_POINTS = 60
"""The points of a line at most."""

_FEWEST, _MOST = 5, 10_000
"""The topics of the first point, and those of the last one at most."""

_COLUMNS = 3
"""Panels beside each other."""


def power_curves(found: Power, page: Page) -> Figure:
    """Draw the power by the number of topics."""
    panels = [_panel(one, found, titled=len(found.measures) > 1) for one in found.measures]
    rows = [panels[start : start + _COLUMNS] for start in range(0, len(panels), _COLUMNS)]
    title = "The probability with which a paired t test finds a difference"
    alpha = f"alpha {found.design.alpha:g}"
    if found.design.comparisons > 1:
        alpha += f"/{found.design.comparisons}"
    note = f"Lines: differences of runs, with the median standard deviation over pairs; {alpha}."
    return draw_lines(rows, page, title=title, label="topics", note=note)


def _panel(one: DeviationsOfMeasure, found: Power, *, titled: bool) -> LinePanel:
    alpha, least = found.design.alpha_of_each, min(found.differences)
    deviation = one.median
    needed = topics_to_find(least / deviation.value, max(0.95, found.design.power), alpha) if deviation.value else 0
    last = min(_MOST, max(needed, one.n_topics, 2 * _FEWEST, *found.topics))
    numbers = np.unique(np.geomspace(_FEWEST, last, _POINTS).round().astype(int))
    curves = tuple(_curve(difference, deviation, numbers.tolist(), alpha) for difference in found.differences)
    ticks = [number for number in (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000) if number <= last]
    return LinePanel(
        curves,
        "power",
        title=one.measure if titled else "",
        ticks=tuple((float(number), str(number)) for number in ticks),
        logarithmic=True,
        rules=(found.design.power,),
        band=f"the {100 * (1 - found.design.alpha):g}\u00a0% interval of the deviation",
    )


def _curve(difference: float, deviation: Deviation, numbers: list[int], alpha: float) -> Curve:
    def powers(of: float) -> FloatArray:
        return np.array([power_of_t(number, difference / of, alpha) if of else 1.0 for number in numbers])

    x = np.array(numbers, np.float64)
    low, high = powers(deviation.high), powers(deviation.low)
    return Curve(f"{difference:g}", x, powers(deviation.value), low, high, markers=False)

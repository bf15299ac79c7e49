"""The figure of power: by the number of topics, a line a difference."""

from __future__ import annotations

import math

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

_TICKS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)

_COLUMNS = 3
"""Panels beside each other."""


def power_curves(found: Power, page: Page) -> Figure:
    """Draw the power by the number of topics, a line for each difference in all panels."""
    panels = [_panel(one, found) for one in found.measures]
    rows = [panels[start : start + _COLUMNS] for start in range(0, len(panels), _COLUMNS)]
    title = "The probability with which a paired t test finds a difference"
    alpha = f"alpha {found.alpha:g}"
    if found.comparisons > 1:
        alpha += f"/{found.comparisons}"
    note = f"Lines: differences to be found, with the median standard deviation over pairs; {alpha}."
    return draw_lines(rows, page, title=title, label="topics", note=note)


def _panel(one: DeviationsOfMeasure, found: Power) -> LinePanel:
    alpha, deviation = found.alpha_of_each, one.by_pair["median"]
    least = min(found.differences) / deviation.value if deviation.value else math.inf
    needed = topics_to_find(least, max(0.95, found.power), alpha)
    last = min(_MOST, max(needed, one.n_topics, 2 * _FEWEST, *found.topics))
    numbers = np.unique(np.geomspace(_FEWEST, last, _POINTS).round().astype(int))
    ticks = [number for number in _TICKS if number <= last]
    return LinePanel(
        tuple(_curve(difference, deviation, numbers.tolist(), alpha) for difference in found.differences),
        "power",
        title=one.measure if found.measures[1:] else "",
        ticks=tuple((float(number), str(number)) for number in ticks),
        logarithmic=True,
        rules=(found.power,),
        band=f"the {100 * (1 - found.alpha):g}\u00a0% interval of the standard deviation",
    )


def _curve(difference: float, deviation: Deviation, numbers: list[int], alpha: float) -> Curve:
    def powers(of: float) -> FloatArray:
        return np.array([power_of_t(number, difference / of, alpha) if of else 1.0 for number in numbers])

    x = np.array(numbers, np.float64)
    if math.isnan(deviation.low):
        return Curve(f"{difference:g}", x, powers(deviation.value), markers=False)
    low, high = powers(deviation.high), powers(deviation.low)
    return Curve(f"{difference:g}", x, powers(deviation.value), low, high, markers=False)

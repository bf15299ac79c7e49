"""The figure of power: power by the number of topics, one line per difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from irevalx.arrays.segments import FloatArray
from irevalx.lab.plot.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plot.page import Page
from irevalx.statistics.difference_deviations import Deviation
from irevalx.statistics.paired_power import power_of_t, topics_to_find

_POINTS = 60  # of a line, at most
_FEWEST, _MOST = 5, 10_000  # topics of the first point, and of the last point at most

_TICKS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)

_COLUMNS = 3  # panels in a row


def power_curves(
    medians: Mapping[str, Deviation],
    page: Page,
    *,
    n_topics: Mapping[str, int],
    power: float,
    alpha: float,
    comparisons: int,
    differences: Sequence[float],
    topics: Sequence[int],
) -> Figure:
    """Draw the power by the number of topics, by the median deviation of each measure; panels reach to ``topics``."""
    panels = []
    for measure, deviation in medians.items():
        least = min(differences) / deviation.value if deviation.value else math.inf
        needed = topics_to_find(least, max(0.95, power), alpha / comparisons)
        last = min(_MOST, max(needed, n_topics[measure], 2 * _FEWEST, *topics))
        numbers = np.unique(np.geomspace(_FEWEST, last, _POINTS).round().astype(int)).tolist()
        panel = LinePanel(
            tuple(_curve(difference, deviation, numbers, alpha / comparisons) for difference in differences),
            "power",
            title=measure if len(medians) > 1 else "",
            ticks=tuple((float(number), str(number)) for number in _TICKS if number <= last),
            logarithmic=True,
            rules=(power,),
            band=f"the {100 * (1 - alpha):g}\u00a0% interval of the standard deviation",
        )
        panels.append(panel)
    rows = [panels[start : start + _COLUMNS] for start in range(0, len(panels), _COLUMNS)]
    title = "The probability with which a paired t test finds a difference"
    divided = f"/{comparisons}" if comparisons > 1 else ""
    note = f"Lines: differences to be found, with the median standard deviation over pairs; alpha {alpha:g}{divided}."
    return draw_lines(rows, page, title=title, label="topics", note=note)


def _curve(difference: float, deviation: Deviation, numbers: list[int], alpha: float) -> Curve:
    def powers(of: float) -> FloatArray:
        return np.array([power_of_t(number, difference / of, alpha) if of else 1.0 for number in numbers])

    x = np.array(numbers, np.float64)
    if math.isnan(deviation.low):
        return Curve(f"{difference:g}", x, powers(deviation.value), markers=False)
    low, high = powers(deviation.high), powers(deviation.low)
    return Curve(f"{difference:g}", x, powers(deviation.value), low, high, markers=False)

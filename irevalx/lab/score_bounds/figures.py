"""The figure of bounds, which shows the number of determined pairs against the number of judged documents."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from irevalx.lab.plotting.curves import draw_lines
from irevalx.lab.plotting.line_panels import Curve, LinePanel
from irevalx.lab.plotting.page import Page, in_rows
from irevalx.lab.score_bounds.bounds import BoundedScores
from irevalx.wording import first_names


def decided_pairs(result: BoundedScores, page: Page) -> Figure:
    """Plot the number of determined pairs for two judging orders. Each measure has a panel."""
    panels: list[LinePanel] = []
    without: list[str] = []
    for scores in result.scores:
        orders = [scores.determining(best_first=best_first) for best_first in (True, False)]
        last = max(int(order.n_judged[-1]) for order in orders)
        curves = []
        for label, order in zip(("greatest effect on the bounds first", "highest rank first"), orders, strict=True):
            x, y = np.append(order.n_judged, last), np.append(order.n_decided, order.n_decided[-1])
            curves.append(Curve(label, x, y, markers=False, steps=True))
        if all(order.n_decided[-1] == 0 for order in orders):
            without.append(scores.measure.name)
        panels.append(LinePanel(curves, "determined pairs", scores.measure.name, rules=(orders[0].n_pairs,)))
    title = "Determined pairs of runs by number of judged documents"
    note = (
        "Documents are judged in about 25 steps: those whose judgments narrow the bounds most first or, as in a pool, "
        "those ranked highest by any run first."
    )
    if without:
        of = "" if len(without) == len(panels) else f" under {first_names(without, 'measure')}"
        note = (
            f"No pair of runs is determined{of}, even by all judgments: the unjudged documents can change the sign of "
            f"every difference. {note}"
        )
    rule = f"all {orders[0].n_pairs} pairs"
    return draw_lines(
        in_rows(panels, 3), page, title=title, label="judged documents", note=note, rule=rule, same_heights=True
    )

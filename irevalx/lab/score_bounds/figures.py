"""The figure of bounds: determined pairs of runs by the number of judged documents."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.lab.plotting.page import COLOURS, DASHES, GREY, Page
from irevalx.lab.score_bounds.bounds import BoundedScores
from irevalx.lab.score_bounds.extremes import DeterminedPairs

_HEIGHT = 1.9
"""Of a panel, in inches."""

_ORDERS = ("selected by --in-all", "by best rank")


def decided_pairs(result: BoundedScores, page: Page) -> Figure:
    """Draw the number of decided pairs, in the order of ``in_all`` and by rank: one panel per measure."""
    measures = result.scores
    figure, panels, n_columns = page.panels([_HEIGHT] * len(measures), 3, 0.75)
    for panel, scores in zip(panels, measures, strict=True):
        _draw_orders(panel, [scores.determining(best_first=best_first) for best_first in (True, False)])
        panel.set_title(scores.measure.name)
    for panel in panels[::n_columns]:
        panel.set_ylabel("determined pairs")
    panels[0].legend(loc="upper left", bbox_to_anchor=(0, 0.95), handlelength=2.4)
    page.name(figure, "Determined pairs of runs by number of judged documents")
    note = "Counted in about 25 steps. By best rank: the documents ranked highest by any run first, as in a pool."
    page.explain(figure, "judged documents", note)
    return figure


def _draw_orders(panel: Axes, orders: Sequence[DeterminedPairs]) -> None:
    """Draw the decided pairs as steps."""
    n_pairs, n_judged = orders[0].n_pairs, max(int(order.n_judged[-1]) for order in orders)
    for number, (label, order) in enumerate(zip(_ORDERS, orders, strict=True)):
        x, y = [*order.n_judged.tolist(), n_judged], [*order.n_decided.tolist(), int(order.n_decided[-1])]
        panel.step(x, y, where="post", color=COLOURS[number], linestyle=DASHES[number], label=label)
    panel.axhline(n_pairs, color=GREY, linewidth=0.7, zorder=1)
    panel.annotate(
        f"all {n_pairs} pairs", (1, n_pairs), xycoords=("axes fraction", "data"), xytext=(-2, -2),
        textcoords="offset points", ha="right", va="top", fontsize=6.5, color=GREY,
    )  # fmt: skip
    panel.set(xlim=(-0.02 * n_judged, 1.02 * n_judged or 1), ylim=(-0.03 * n_pairs, 1.06 * n_pairs))
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(MaxNLocator(5, integer=True))

"""The figure of bounds: how many pairs of runs no further judgment can reverse."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.lab.bounding.score_bounds import Deciding
from irevalx.lab.plot.page import COLOURS, DASHES, GREY, Page, panels_of

_HEIGHT = 1.9
"""Of a panel, in inches."""

_ORDERS = ("in the order of --in-all", "in the order of ranks")


def decided_pairs(measures: Sequence[tuple[str, Deciding, Deciding]], page: Page) -> Figure:
    """Draw how many pairs are decided by the number of documents judged: one panel per measure.

    Parameters
    ----------
    measures : for each its name, and what judging does in the order of ``--in-all`` and by rank.
    """
    n_columns = 1 if page.is_narrow else min(3, len(measures))
    n_lines = -(-len(measures) // n_columns)
    figure = page.figure(_HEIGHT * n_lines + 0.75 + 0.25 * page.titled)
    panels = panels_of(figure, len(measures), n_columns)
    for panel, (name, *orders) in zip(panels, measures, strict=True):
        _draw_orders(panel, orders)
        panel.set_title(name)
    for panel in panels[::n_columns]:
        panel.set_ylabel("decided pairs")
    panels[0].legend(loc="upper left", bbox_to_anchor=(0, 0.95), handlelength=2.4)
    page.name(figure, "Pairs of runs that no further judgment can reverse")
    note = "Counted in some 25 steps. In the order of ranks: those near the top of some run first, as in a pool."
    page.explain(figure, "judged documents", note)
    return figure


def _draw_orders(panel: Axes, orders: Sequence[Deciding]) -> None:
    """Draw the decided pairs in steps, as pairs are decided one by one and stay so."""
    n_pairs, n_judged = orders[0].n_pairs, max(int(one.n_judged[-1]) for one in orders)
    for number, (label, one) in enumerate(zip(_ORDERS, orders, strict=True)):
        x, y = [*one.n_judged.tolist(), n_judged], [*one.n_decided.tolist(), int(one.n_decided[-1])]
        panel.step(x, y, where="post", color=COLOURS[number], linestyle=DASHES[number], label=label)
    panel.axhline(n_pairs, color=GREY, linewidth=0.7, zorder=1)
    panel.annotate(
        f"all {n_pairs} pairs", (1, n_pairs), xycoords=("axes fraction", "data"), xytext=(-2, -2),
        textcoords="offset points", ha="right", va="top", fontsize=6.5, color=GREY,
    )  # fmt: skip
    panel.set(xlim=(-0.02 * n_judged, 1.02 * n_judged or 1), ylim=(-0.03 * n_pairs, 1.06 * n_pairs))
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(MaxNLocator(5, integer=True))

"""The figure of bounds: how many pairs of runs no further judgment can reverse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from irevalx.lab.bounding.score_bounds import Deciding
from irevalx.lab.plot.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plot.page import Page


def decided_pairs(measures: Sequence[tuple[str, Deciding, Deciding]], page: Page) -> Figure:
    """Draw how many pairs are decided when so many documents have been judged: a panel a measure.

    Parameters
    ----------
    measures : for each its name, and what judging does in the order of ``--next`` and by rank.
    """
    panels = [
        LinePanel(
            tuple(
                Curve(label, one.n_judged.astype(np.float64), one.n_decided.astype(np.float64), markers=False)
                for label, one in (("as --next asks", best), ("by rank", by_rank))
            ),
            "decided pairs",
            title=name,
            rules=(float(best.n_pairs),),
        )
        for name, best, by_rank in measures
    ]
    size = 1 if page.is_narrow else 3
    rows = [panels[start : start + size] for start in range(0, len(panels), size)]
    return draw_lines(
        rows,
        page,
        title="Pairs of runs that no further judgment can reverse",
        label="documents judged, of those that QRELS judges",
        note="By rank: the documents that some run has near its top come first, as in a pool.",
    )

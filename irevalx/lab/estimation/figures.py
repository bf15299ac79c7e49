"""The figure of estimates: with machine labels, and from human topics alone."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.lab.plot.page import COLOURS, GREY, Page
from irevalx.lab.plot.rows import FRAME, ROW, name_rows
from irevalx.statistics.prediction_powered import Estimates

_MACHINE, _HUMAN = COLOURS[1], GREY

_MOST_PAIRS = 40
"""The differences of runs at most for which a page has room."""

_PAIR_OF_ROWS = 1.5 * ROW
"""The height of two intervals, in inches."""


def estimated_intervals(
    measures: Sequence[tuple[str, Sequence[tuple[str, str | None]], Estimates]], alpha: float, page: Page
) -> Figure:
    """Draw each estimate with its interval, and the classical one below it: a panel for scores, one for differences.

    Measures are beside each other where there is room. Differences are left out where a page has no room for them.

    Parameters
    ----------
    measures : for each its name, what its rows are about (a run, and maybe another one; the same for all), and the
        estimates.
    alpha : intervals cover the mean with probability 1 - alpha.
    """
    about = measures[0][1]
    scores, pairs = ([row for row, one in enumerate(about) if (one[1] is not None) == is_pair] for is_pair in (0, 1))
    kinds = [rows for rows in (scores, pairs if len(pairs) <= _MOST_PAIRS else []) if rows]
    n_columns = 1 if page.is_narrow else min(3, len(measures))
    lines = [
        (measures[start : start + n_columns], rows) for start in range(0, len(measures), n_columns) for rows in kinds
    ]
    heights = [_PAIR_OF_ROWS * len(rows) + FRAME for _, rows in lines]
    figure = page.figure(sum(heights) + 0.6 + 0.25 * page.titled)
    panels = figure.subplots(len(lines), n_columns, squeeze=False, gridspec_kw={"height_ratios": heights})
    for of_line, (beside, rows) in zip(panels, lines, strict=True):
        for place, panel in enumerate(of_line):
            panel.set_visible(place < len(beside))
            if place < len(beside):
                name, _, found = beside[place]
                _draw_estimates(panel, found, rows)
                name_rows(panel, [_name(*about[row]) for row in rows])
                panel.tick_params(labelleft=place == 0)
                panel.set_title(f"{name}: differences" if rows is pairs else name)
                panel.xaxis.set_major_locator(MaxNLocator(6 if n_columns == 1 else 4))
                if rows is pairs:
                    panel.axvline(0, color=GREY, linewidth=0.7, zorder=1)
    page.name(figure, "Estimates with machine labels and from human topics alone")
    confidence = f"{100 * (1 - alpha):g}\u00a0%"
    note = f"Filled: with machine labels. Hollow, grey: human topics alone. Lines: {confidence} intervals."
    if pairs and pairs not in kinds:
        note += f" The {len(pairs)} differences of runs are left out."
    page.explain(figure, "", note)
    return figure


def _draw_estimates(panel: Axes, found: Estimates, rows: Sequence[int]) -> None:
    for height, row in enumerate(rows):
        machine = (found.low[row], found.estimate[row], found.high[row])
        human = (found.classical_low[row], found.classical[row], found.classical_high[row])
        for (low, middle, high), above, colour, face in (
            (machine, -0.18, _MACHINE, _MACHINE),
            (human, 0.18, _HUMAN, "white"),
        ):
            panel.plot([low, high], [height + above] * 2, color=colour, linewidth=1.1, zorder=2)
            panel.plot(
                middle, height + above, "o", color=colour, markerfacecolor=face, markersize=3, markeredgewidth=0.8
            )


def _name(run: str, against: str | None) -> str:
    return run if against is None else f"{run} − {against}"  # noqa: RUF001 - a minus sign

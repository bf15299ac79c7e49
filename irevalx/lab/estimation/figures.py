"""The figure of ``estimate``: differences of runs, with machine labels and from human labels alone."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.lab.estimation.results import EstimatedScores, EstimateRow
from irevalx.lab.plotting.page import COLOURS, FRAME, GREY, ROW, Page, name_rows

_MACHINE, _HUMAN = COLOURS[1], GREY

MOST_ROWS = 30
"""Maximum number of rows in a panel: half a page."""

_ROW = 1.35 * ROW
"""The height of two intervals, in inches."""


def estimated_intervals(result: EstimatedScores, page: Page) -> Figure:
    """Draw each difference with its interval, and the classical one below; the means if there are no differences.

    Each measure has a panel. With more than ``MOST_ROWS`` pairs, a panel shows the pairs of the run with the largest
    estimate, smallest differences first.
    """
    names = list(dict.fromkeys(row.measure for row in result.rows))
    measures = [_drawn_rows([row for row in result.rows if row.measure == name]) for name in names]
    alone = "the human sample" if result.are_sampled else "human topics"
    n_columns = 1 if page.is_narrow else min(3, len(names))
    lines = [list(range(start, min(start + n_columns, len(names)))) for start in range(0, len(names), n_columns)]
    heights = [_ROW * max(len(measures[place]) for place in line) + FRAME for line in lines]
    figure = page.figure(sum(heights) + 0.45 + 0.25 * page.titled)
    panels = figure.subplots(len(lines), n_columns, squeeze=False, gridspec_kw={"height_ratios": heights})
    for of_line, line in zip(panels, lines, strict=True):
        for panel in of_line[len(line) :]:
            panel.set_visible(False)
        for panel, place in zip(of_line, line, strict=False):
            _draw_estimates(panel, measures[place])
            panel.set_title(names[place])
            panel.xaxis.set_major_locator(MaxNLocator(6 if n_columns == 1 else 4, steps=[1, 2, 5, 10]))
            same_rows = [_name(row) for row in measures[line[0]]] == [_name(row) for row in measures[place]]
            panel.tick_params(labelleft=place == line[0] or not same_rows)
    are_pairs = measures[0][0].against is not None
    what = "Differences" if are_pairs else "Means"
    page.name(figure, f"{what} estimated with machine labels, and from {alone} alone")
    page.explain(figure, "difference" if are_pairs else "mean", _note(result, measures, alone))
    return figure


def _drawn_rows(rows: Sequence[EstimateRow]) -> list[EstimateRow]:
    """Return the rows of a measure that the figure shows."""
    pairs = [row for row in rows if row.against is not None]
    if not pairs:
        return list(rows)
    if len(pairs) <= MOST_ROWS:
        return pairs
    best = max((row for row in rows if row.against is None), key=lambda row: row.estimate).run
    of_best = [row if row.run == best else _reversed(row) for row in pairs if best in {row.run, row.against}]
    return sorted(of_best, key=lambda row: row.estimate)[:MOST_ROWS]


def _reversed(row: EstimateRow) -> EstimateRow:
    """Return the row of the negated difference."""
    return row._replace(
        run=row.against or "",
        against=row.run,
        estimate=-row.estimate,
        low=-row.high,
        high=-row.low,
        classical=-row.classical,
        classical_low=-row.classical_high,
        classical_high=-row.classical_low,
        simultaneous_low=None if row.simultaneous_high is None else -row.simultaneous_high,
        simultaneous_high=None if row.simultaneous_low is None else -row.simultaneous_low,
    )


def _note(result: EstimatedScores, measures: Sequence[Sequence[EstimateRow]], alone: str) -> str:
    confidence = f"{100 * (1 - result.alpha):g}\u00a0%"
    notes = [
        f"Filled: with machine labels. Hollow, grey: {alone} alone.",
        f"Lines: {confidence} t intervals, each on its own.",
    ]
    if any(row.simultaneous_low is not None for row in result.rows):
        notes.append("Thin lines: intervals that hold for all pairs at once (Bonferroni).")
    n_pairs = sum(row.against is not None for row in result.rows) // len(measures)
    if len(measures[0]) < n_pairs:
        notes.append(f"Of {n_pairs} pairs, those of the run with the greatest estimate.")
    return " ".join(notes)


def _draw_estimates(panel: Axes, rows: Sequence[EstimateRow]) -> None:
    for height, row in enumerate(rows):
        for low, middle, high, above, colour, face in (
            (row.low, row.estimate, row.high, -0.17, _MACHINE, _MACHINE),
            (row.classical_low, row.classical, row.classical_high, 0.17, _HUMAN, "white"),
        ):
            panel.plot([low, high], [height + above] * 2, color=colour, linewidth=1.1, zorder=2)
            panel.plot(
                middle, height + above, "o", color=colour, markerfacecolor=face, markersize=3, markeredgewidth=0.8
            )
        if row.simultaneous_low is not None and row.simultaneous_high is not None:
            ends = [row.simultaneous_low, row.simultaneous_high]
            panel.plot(ends, [height - 0.17] * 2, color=_MACHINE, linewidth=0.5, zorder=1)
    name_rows(panel, [_name(row) for row in rows])
    if rows[0].against is not None:
        panel.axvline(0, color=GREY, linewidth=0.7, zorder=1)


def _name(row: EstimateRow) -> str:
    return row.run if row.against is None else f"{row.run} − {row.against}"  # noqa: RUF001 - a minus sign

"""The figures of labels from elsewhere: confusion, bias against holes, estimates with a machine, decided pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.arrays.segments import FloatArray
from irevalx.lab.experiment import Experiment
from irevalx.lab.figures.curves import Curve, LinePanel, draw_lines
from irevalx.lab.figures.page import COLOURS, DASHES, GREY, MARKERS, Page
from irevalx.lab.figures.rows import FRAME, ROW, name_rows
from irevalx.lab.judging.leave_out import LeftOut
from irevalx.lab.score_bounds import Deciding
from irevalx.lab.statistics.agreement import line_through
from irevalx.lab.statistics.prediction_powered import Estimates

_MOST_NUMBERED = 12
"""With more grades the numbers would not fit into the cells."""

_DARK = 0.55
"""A cell with a greater share than this is dark, and its number white."""

_MACHINE, _HUMAN = COLOURS[1], GREY

_MOST_PAIRS = 40
"""The differences of runs at most for which a page has room."""

_PAIR_OF_ROWS = 1.5 * ROW
"""The height of two intervals, in inches."""


def confusion_map(counts: Mapping[tuple[int, int], int], page: Page) -> Figure:
    """Draw how many documents have a human and a machine grade: a cell each, the darker the more of its row.

    Parameters
    ----------
    counts : numbers of documents by human and machine grade.
    """
    grades = sorted({grade for pair, number in counts.items() if number for grade in pair})
    table = np.array([[counts.get((a, b), 0) for b in grades] for a in grades], np.float64)
    rows = table.sum(axis=1, keepdims=True)
    shares = table / np.where(rows == 0, 1.0, rows)
    figure = page.figure(min(page.width, 3.4) + 0.25 * page.titled)
    panel = figure.subplots()
    panel.imshow(shares, cmap="Greys", vmin=0, vmax=1, aspect="equal")
    panel.set_xticks(range(len(grades)), list(map(str, grades)))
    panel.set_yticks(range(len(grades)), list(map(str, grades)))
    panel.set(xlabel="machine label", ylabel="human label")
    panel.grid(visible=False)
    panel.tick_params(length=0)
    if len(grades) <= _MOST_NUMBERED:
        for (row, column), share in np.ndenumerate(shares):
            colour = "white" if share > _DARK else "black"
            number = f"{int(table[row, column])}\n{100 * share:.1f} %" if rows[row, 0] else "0"
            panel.text(column, row, number, ha="center", va="center", color=colour, fontsize=7)
    page.name(figure, "Documents by human and machine label")
    note = "Shades and percentages: the share of the documents with the same human label."
    page.explain(figure, "", note)
    return figure


def bias_against_holes(
    experiment: Experiment, results: Mapping[str, LeftOut], holes: FloatArray, depth: int, page: Page
) -> Figure:
    """Draw the bias of each left-out run against its share of holes, with lines of least squares: a panel a measure.

    Parameters
    ----------
    results : by kind of judgments, at most as many as there are styles.
    holes : shape (n_runs,); shares of holes.
    depth : among how many documents they are counted.
    """
    n_columns = min(len(experiment.measures), 1 if page.is_narrow else 3)
    n_rows = math.ceil(len(experiment.measures) / n_columns)
    figure = page.figure(1.9 * n_rows + 0.75 + 0.25 * page.titled)
    panels = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True).ravel()
    for m, panel in enumerate(panels):
        panel.set_visible(m < len(experiment.measures))
        if m < len(experiment.measures):
            _draw_biases(panel, results, holes, m)
            panel.set_title(experiment.measures[m])
            panel.tick_params(labelbottom=m + n_columns >= len(experiment.measures))
    panels[0].legend(fontsize=6)
    page.name(figure, "Bias of runs against their share of holes")
    page.explain(
        figure,
        f"share of holes among the first {depth} documents of a run that was left out",
        "A point is a run that was left out. Lines: least squares. Grey line: no bias.",
    )
    figure.supylabel("bias of the score", fontsize=7.5)
    return figure


def _draw_biases(panel: Axes, results: Mapping[str, LeftOut], holes: FloatArray, m: int) -> None:
    panel.axhline(0, color=GREY, linewidth=0.7, zorder=1)
    for number, (name, one) in enumerate(results.items()):
        style = number % len(COLOURS)
        x, y = holes[one.left_out], (one.after[m] - one.before[m])[one.left_out]
        colour = COLOURS[style]
        panel.plot(
            *(x, y),
            color=colour,
            label=name,
            linestyle="",
            marker=MARKERS[style],
            markersize=3 + 1.0 * (len(results) - 1 - number),  # what lies below is to be seen
            markeredgewidth=0.7,
            markerfacecolor="white" if number % 2 else colour,
            zorder=3,
        )
        intercept, slope, _ = line_through(x, y)
        if intercept is not None and slope is not None:
            ends = np.array([x.min(), x.max()])
            panel.plot(ends, intercept + slope * ends, color=colour, linestyle=DASHES[style], linewidth=0.9, zorder=2)
    panel.xaxis.set_major_locator(MaxNLocator(5))
    panel.yaxis.set_major_locator(MaxNLocator(5))


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

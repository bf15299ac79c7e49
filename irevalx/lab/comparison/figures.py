"""The figures of a comparison: intervals of differences, differences by topic, and achieved significance levels.

That of many runs, which differ from which, is in ``comparison_matrix``.

Curves of achieved significance levels are those of Sakai, Evaluating Evaluation Metrics Based on the Bootstrap, SIGIR
2006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.arrays.segments import FloatArray
from irevalx.errors import UsageError
from irevalx.lab.comparison.compare_tables import Compared
from irevalx.lab.comparison.comparison_matrix import MOST_RUNS, matrix
from irevalx.lab.plot.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plot.page import COLOURS, GREY, Page
from irevalx.lab.plot.rows import FRAME, ROW, name_rows
from irevalx.statistics.paired_comparisons import Comparison
from irevalx.statistics.significance import differences

_MOST_ROWS = 58
"""The pairs of a panel at most: more would not fit on a page."""

_ROWS_BESIDE = 40
"""With more pairs than this a wide page has them in two panels beside each other."""

_MOST_PANELS = 24
"""The panels of differences by topic at most."""

_PANEL = 1.15
"""The height of a panel of differences by topic, in inches."""

_PLAIN, _DIFFER = "0.6", COLOURS[1]


def what_to_draw(drawn: str | None, page: Page, *, n_runs: int, n_pairs: int, n_measures: int, baseline: bool) -> str:
    """Return what a figure shows: what was asked for, or intervals, or a matrix where pairs are too many for these.

    Raises
    ------
    UsageError : a page has no room for it, or it needs all pairs of runs. Nothing has been computed yet.
    """
    most = _MOST_PANELS // n_measures if drawn == "topics" else _MOST_ROWS * (1 if page.is_narrow else 2)
    if drawn is None:
        drawn = "intervals" if n_pairs <= most or baseline else "matrix"
    if drawn == "matrix":
        if baseline:
            raise UsageError("--draw matrix must be given without --baseline: it has all pairs of runs")
        if n_runs > MOST_RUNS:
            raise UsageError(
                f"a figure of a matrix must have at most {MOST_RUNS} runs, but got {n_runs}: --power draws the "
                "p-values of all pairs"
            )
    elif n_pairs > most:
        what = "differences by topic" if drawn == "topics" else "intervals"
        raise UsageError(
            f"a figure of {what} must have at most {most} pairs of runs here, but got {n_pairs}: --baseline RUN "
            "compares all runs with one, --draw matrix shows which of them differ, and --power draws all p-values"
        )
    return drawn


def comparison(
    what: str, measures: Sequence[Compared], tested: Sequence[FloatArray], alpha: float, baseline: bool, page: Page
) -> Figure:
    """Draw a comparison.

    Parameters
    ----------
    what : ``intervals``, ``topics``, ``matrix`` or ``power``.
    tested : shape (n_runs, n_topics) for each measure; the values that were tested.
    alpha : runs differ when the corrected p-value is below it.
    baseline : whether all runs were compared with the same one.
    """
    if what == "power":
        return significance_levels(measures, alpha, page)
    if what == "topics":
        return topic_differences(measures, tested, alpha, page, baseline=baseline)
    if what == "matrix":
        return matrix(measures, alpha, page)
    return intervals(measures, alpha, page, baseline=baseline)


def intervals(measures: Sequence[Compared], alpha: float, page: Page, *, baseline: bool) -> Figure:
    """Draw the difference of each pair with its intervals, the greatest of the first measure on top.

    A panel a measure, with an axis of its own; the rows of all are in the same order.

    Parameters
    ----------
    alpha : runs differ when the corrected p-value is below it.
    baseline : whether all runs were compared with the same one.
    """
    first = measures[0]
    order = sorted(range(len(first.found.pairs)), key=lambda pair: -first.found.pairs[pair].difference)
    halved = len(order) > _ROWS_BESIDE and not page.is_narrow
    n_columns = 1 if page.is_narrow else 2 if halved else min(3, len(measures))
    size = math.ceil(len(order) / 2) if halved else len(order)
    blocks = [(one, order[start : start + size]) for one in measures for start in range(0, len(order), size)]
    n_rows = math.ceil(len(blocks) / n_columns)
    figure = page.figure((ROW * size + FRAME) * n_rows + 0.45 + 0.25 * page.titled)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for number, panel in enumerate(panels):
        panel.set_visible(number < len(blocks))
        if number < len(blocks):
            of_measure, rows = blocks[number]
            pairs = [of_measure.found.pairs[row] for row in rows]
            _draw_intervals(panel, of_measure, pairs, alpha, baseline=baseline)
            if halved and number % 2:  # the other half of the same pairs
                panel.sharex(panels[number - 1])
                panels[number - 1].autoscale_view()
            if not halved and number % n_columns:
                panel.tick_params(labelleft=False)
    against = first.runs[first.found.pairs[0].first] if baseline else "the other"
    page.name(figure, f"Differences from {against}" if baseline else "Differences of runs")
    page.explain(figure, _label(against, baseline=baseline), _interval_note(measures, alpha))
    return figure


def _draw_intervals(
    panel: Axes, of_measure: Compared, pairs: Sequence[Comparison], alpha: float, *, baseline: bool
) -> None:
    panel.axvline(0, color=GREY, linewidth=0.7, zorder=1)
    for row, one in enumerate(pairs):
        differ = one.corrected < alpha
        colour = _DIFFER if differ else _PLAIN
        if math.isfinite(one.simultaneous_low):
            ends = [one.simultaneous_low, one.simultaneous_high]
            panel.plot(ends, [row, row], color=colour, alpha=0.3, linewidth=3.5, solid_capstyle="butt", zorder=2)
        if math.isfinite(one.low):
            panel.plot([one.low, one.high], [row, row], color=colour, linewidth=0.9, zorder=3)
        face = colour if differ else "white"
        panel.plot(
            one.difference, row, "o", color=colour, markerfacecolor=face, markersize=3, markeredgewidth=0.8, zorder=4
        )
    name_rows(panel, [_pair(of_measure, one, baseline=baseline) for one in pairs])
    panel.set_title(of_measure.measure)
    panel.xaxis.set_major_locator(MaxNLocator(5))


def _pair(of_measure: Compared, one: Comparison, *, baseline: bool) -> str:
    run, against = of_measure.runs[one.second], of_measure.runs[one.first]
    return run if baseline else f"{run} − {against}"  # noqa: RUF001 - a minus sign


def _label(against: str, *, baseline: bool) -> str:
    return f"difference from {against}" if baseline else "difference: the first run less the second"


def _interval_note(measures: Sequence[Compared], alpha: float) -> str:
    pairs = [one for of_measure in measures for one in of_measure.found.pairs]
    parts = [f"Filled: runs that differ (corrected p < {alpha:g})."]
    confidence = f"{100 * (1 - alpha):g}\u00a0%"
    if any(math.isfinite(one.low) for one in pairs):
        parts.append(f"Line: {confidence} interval of the pair.")
    if any(math.isfinite(one.simultaneous_low) for one in pairs):
        parts.append(f"Bar: {confidence} interval that holds for all pairs at once.")
    return " ".join(parts)


def topic_differences(
    measures: Sequence[Compared], tested: Sequence[FloatArray], alpha: float, page: Page, *, baseline: bool
) -> Figure:
    """Draw the differences of each pair for all topics, from the greatest to the least: a panel a pair.

    Parameters
    ----------
    tested : shape (n_runs, n_topics) for each measure; the values that were tested.
    """
    blocks = [
        (of_measure, one, differences(values[one.first], values[one.second]))
        for of_measure, values in zip(measures, tested, strict=True)
        for one in of_measure.found.pairs
    ]
    n_columns = min(len(blocks), 2 if page.is_narrow else 4)
    n_rows = math.ceil(len(blocks) / n_columns)
    height = _PANEL if len(blocks) > 1 else 1.8
    figure = page.figure(height * n_rows + 0.5 + 0.25 * page.titled)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    tallest = dict.fromkeys((of_measure.measure for of_measure in measures), 0.0)
    for of_measure, _, d in blocks:
        tallest[of_measure.measure] = max(tallest[of_measure.measure], float(np.abs(d).max()))
    for number, panel in enumerate(panels):
        panel.set_visible(number < len(blocks))
        if number >= len(blocks):
            continue
        of_measure, one, d = blocks[number]
        highest = tallest[of_measure.measure] or 1.0
        ranked = np.sort(d)[::-1]
        colour = _DIFFER if one.corrected < alpha else _PLAIN
        panel.bar(np.arange(1, len(ranked) + 1), ranked, width=1.0, color=colour, linewidth=0.2)
        panel.axhline(0, color=GREY, linewidth=0.6)
        panel.set(xlim=(0.5, len(ranked) + 0.5), ylim=(-1.08 * highest, 1.08 * highest))
        name = _pair(of_measure, one, baseline=baseline)
        panel.set_title(f"{of_measure.measure}: {name}" if measures[1:] else name, fontsize=6.5)
        counts = f"{one.wins} better, {one.losses} worse" + (f"\n{one.ties} equal" if one.ties else "")
        panel.text(0.97, 0.97, counts, transform=panel.transAxes, fontsize=6, ha="right", va="top")
        panel.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        panel.yaxis.set_major_locator(MaxNLocator(5))
        if number % n_columns and not measures[1:]:
            panel.tick_params(labelleft=False)
    first = measures[0]
    against = first.runs[first.found.pairs[0].first] if baseline else "the other"
    page.name(figure, f"Differences by topic{f' from {against}' if baseline else ''}")
    note = f"Dark: runs that differ (corrected p < {alpha:g})."
    page.explain(figure, "topics, from the greatest difference to the least", note)
    page.label_heights(figure, _label(against, baseline=baseline), height * n_rows)
    return figure


def significance_levels(measures: Sequence[Compared], alpha: float, page: Page) -> Figure:
    """Draw the p-values of all pairs, from the least to the greatest: a line a measure.

    Before correction at the left, after it at the right.
    """
    panels = []
    for words, attribute in (("p", "p"), ("corrected p", "corrected")):
        curves = []
        for of_measure in measures:
            levels = np.sort([float(getattr(one, attribute)) for one in of_measure.found.pairs])
            curves.append(Curve(of_measure.measure, np.arange(1.0, len(levels) + 1), levels, markers=False))
        panels.append(LinePanel(tuple(curves), words, rules=(alpha,)))
    title = "Achieved significance levels: the lower a line, the more pairs a measure tells apart"
    return draw_lines([panels], page, title=title, label="pairs of runs, from the least p to the greatest")

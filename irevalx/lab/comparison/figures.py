"""The figures of a comparison: intervals and matrices of differences, differences by topic, and achieved levels.

Curves of achieved significance levels are those of Sakai, Evaluating Evaluation Metrics Based on the Bootstrap, SIGIR
2006.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.lab.comparison.pairs import ComparedMeasure, ComparedPair, Comparison
from irevalx.lab.plotting.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plotting.page import COLOURS, GREY, Page, drawable
from irevalx.lab.plotting.panels import IntervalMark, IntervalPanel, draw_intervals, draw_matrix

_ROWS_BESIDE = 40
"""With more pairs, a wide page has two panels next to each other."""

_PANEL = 1.15
"""The height of a panel of differences by topic, in inches."""

_GREATEST_P = 0.2
"""Greater p-values are not drawn."""

_MOST_NAMES = 60
"""Maximum number of topics in a panel with their names."""

_PLAIN, _DIFFER = "0.6", COLOURS[1]

_SMALLEST, _AROUND = 0.11, 0.5
"""Minimum side of a cell, and the space above and below the cells of a panel, in inches."""

_EQUAL = "0.87"

_LARGEST = 0.3
"""Maximum side of a cell, in inches."""


def intervals(comparison: Comparison, page: Page) -> Figure:
    """Draw the difference of each pair with its intervals, a panel per measure; the first measure gives the order."""
    measures, baseline = comparison.measures, comparison.baseline
    order = np.argsort(-measures[0].comparisons.difference, kind="stable").tolist()
    halved = len(order) > _ROWS_BESIDE and not page.is_narrow
    size = math.ceil(len(order) / 2) if halved else len(order)
    panels = []
    for of_measure in measures:
        for start in range(0, len(order), size):
            pairs = [of_measure.pairs[row] for row in order[start : start + size]]
            names = [pair.run if baseline else _pair(pair.run, pair.against) for pair in pairs]
            panels.append(IntervalPanel(of_measure.name, list(zip(names, map(_marks, pairs), strict=True))))
    figure = draw_intervals(panels, page, most_columns=2 if halved else 3)
    page.name(figure, f"Differences from {baseline}" if baseline else "Differences between runs")
    page.explain(figure, _label(baseline), _interval_note(comparison))
    return figure


def _marks(pair: ComparedPair) -> list[IntervalMark]:
    simultaneous = pair.simultaneous_low, pair.simultaneous_high
    colour = _DIFFER if pair.differ else _PLAIN
    return [IntervalMark(pair.difference, (pair.low, pair.high), simultaneous, colour, bool(pair.differ))]


def _pair(run: str, against: str) -> str:
    return f"{run} − {against}"  # noqa: RUF001 - a minus sign


def _label(baseline: str | None) -> str:
    return f"difference from {baseline}" if baseline else "difference (first run minus second run)"


def _interval_note(comparison: Comparison) -> str:
    pairs = [pair for of_measure in comparison.measures for pair in of_measure.pairs]
    alpha = comparison.method.alpha
    parts = [f"Filled: significantly different (corrected p < {alpha:g})."]
    confidence = f"{100 * (1 - alpha):g}\u00a0%"
    if any(math.isfinite(pair.low) for pair in pairs):
        parts.append(f"Line: {confidence} interval for this pair alone.")
    if any(math.isfinite(pair.simultaneous_low) for pair in pairs):
        parts.append(f"Bar: {confidence} interval, simultaneous over all pairs.")
    return " ".join([*parts, comparison.how_tested])


def topic_differences(comparison: Comparison, page: Page) -> Figure:
    """Draw the differences of each pair for all topics in descending order, a panel per pair."""
    measures, baseline = comparison.measures, comparison.baseline
    n_pairs, most = (
        len(measures[0].comparisons.pairs),
        max(of_measure.comparisons.by_topic.shape[1] for of_measure in measures),
    )
    is_named = most <= (_MOST_NAMES if n_pairs == 1 else _MOST_NAMES // 4) // (2 if page.is_narrow else 1)
    of_measure_rows = math.ceil(n_pairs / (2 if page.is_narrow else 4))
    n_columns = math.ceil(n_pairs / of_measure_rows)
    n_rows = of_measure_rows * len(measures)
    blocks: list[tuple[ComparedMeasure, int] | None] = []
    for of_measure in measures:  # a measure begins a row
        blocks += [(of_measure, row) for row in range(n_pairs)]
        blocks += [None] * (of_measure_rows * n_columns - n_pairs)
    height = (_PANEL if len(blocks) > 1 else 1.8) + (0.25 if is_named else 0.0)
    figure = page.figure(height * n_rows + 0.5)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    tallest = {of_measure.name: float(np.abs(of_measure.comparisons.by_topic).max()) for of_measure in measures}
    for number, panel in enumerate(panels):
        block = blocks[number]
        if block is None:
            panel.set_visible(False)
            continue
        of_measure, row = block
        pairs = of_measure.comparisons
        highest = tallest[of_measure.name] or 1.0
        order = np.argsort(-pairs.by_topic[row], kind="stable")
        ranked = pairs.by_topic[row][order]
        colour = _DIFFER if pairs.differ[row] else _PLAIN
        panel.bar(np.arange(1, len(ranked) + 1), ranked, width=1.0, color=colour, linewidth=0.2)
        panel.axhline(0, color=GREY, linewidth=0.6)
        panel.set(xlim=(0.5, len(ranked) + 0.5), ylim=(-1.08 * highest, 1.08 * highest))
        run, against = of_measure.runs[pairs.second[row]], of_measure.runs[pairs.first[row]]
        name = drawable(run if baseline else _pair(run, against))
        panel.set_title(f"{of_measure.name}: {name}" if measures[1:] else name, fontsize=6.5)
        counts = f"{pairs.wins[row]} better, {pairs.losses[row]} worse"
        counts += f"\n{pairs.ties[row]} equal" if pairs.ties[row] else ""
        panel.text(0.97, 0.97, counts, transform=panel.transAxes, fontsize=6, ha="right", va="top")
        if is_named:
            names = [drawable(of_measure.measured.topics[topic]) for topic in order.tolist()]
            panel.set_xticks(range(1, len(names) + 1), names, rotation=90, fontsize=5.5)
            panel.grid(visible=False, axis="x")
        else:
            panel.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        panel.yaxis.set_major_locator(MaxNLocator(5))
        if number % n_columns:
            panel.tick_params(labelleft=False)
    page.name(figure, f"Differences by topic{f' from {baseline}' if baseline else ''}")
    note = f"Dark: significantly different (corrected p < {comparison.method.alpha:g}). {comparison.how_tested}"
    page.explain(figure, "topics in descending order of the difference", note)
    page.label_heights(figure, _label(baseline), height * n_rows)
    return figure


def significance_levels(comparison: Comparison, page: Page) -> Figure:
    """Draw the p-values of all pairs up to about 0.2, before and after correction, a line per measure."""
    panels = []
    for words, attribute in (("p", "p"), ("corrected p", "corrected_p")):
        curves = []
        for of_measure in comparison.measures:
            levels = np.sort(getattr(of_measure.comparisons, attribute))
            levels = levels[: max(2, int(np.searchsorted(levels, _GREATEST_P)) + 1)]
            curves.append(Curve(of_measure.name, np.arange(1.0, len(levels) + 1), levels, markers=False))
        panels.append(LinePanel(curves, words, rules=(comparison.method.alpha,)))
    label = f"pairs of runs in ascending order of p (up to p = {_GREATEST_P:g})"
    title = "Achieved significance levels: a lower line means more significantly different pairs"
    return draw_lines([panels], page, title=title, label=label, note=comparison.how_tested)


def matrix(comparison: Comparison, page: Page) -> Figure:
    """Draw whether each pair of runs is significantly different, a panel per measure, with its best run first."""
    measures = comparison.measures
    n_runs, longest = len(measures[0].runs), max(map(len, measures[0].runs))
    n_columns = 1 if page.is_narrow else min(2, len(measures))
    cell = min(_LARGEST, max(_SMALLEST, (page.width / n_columns - 0.06 * (longest + 10)) / n_runs))
    height = cell * n_runs + _AROUND + 0.05 * longest
    figure, panels, _ = page.panels([height] * len(measures), n_columns, 0.5)
    for panel, of_measure in zip(panels, measures, strict=True):
        _draw_matrix(panel, of_measure)
        panel.set_title(of_measure.name if measures[1:] else "")
    page.name(figure, f"Significantly different runs{'' if measures[1:] else f' ({measures[0].name})'}")
    alpha = f"corrected p < {comparison.method.alpha:g}"
    dark = f"Dark: the run in the row is significantly better than the run in the column ({alpha})."
    page.explain(figure, "", f"{dark} Light: not significantly different. {comparison.how_tested}")
    return figure


def _draw_matrix(panel: Axes, of_measure: ComparedMeasure) -> None:
    n_runs, order = len(of_measure.runs), of_measure.best_first
    place = {run: number for number, run in enumerate(order)}
    cells = np.full((n_runs, n_runs), math.nan)
    decisions = zip(of_measure.comparisons.pairs, of_measure.comparisons.differ.tolist(), strict=True)
    for (first, second), differ in decisions:
        better, worse = sorted((place[first], place[second]))
        cells[better, worse] = differ
    runs = [of_measure.runs[run] for run in order]
    names = [f"{name}  {_score(of_measure.scores[run])}" for name, run in zip(runs, order, strict=True)]
    draw_matrix(panel, cells, names, runs, colours=ListedColormap([_EQUAL, _DIFFER]), gap=0.5, slant=90, size=6)


def _score(score: float) -> str:
    return f"{score:.3f}" if abs(score) < 10 else f"{score:.0f}"

"""The figures of a comparison: intervals and matrices of differences, differences by topic, and achieved levels.

Curves of achieved significance levels are those of Sakai, Evaluating Evaluation Metrics Based on the Bootstrap, SIGIR
2006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.errors import ArgumentError
from irevalx.lab.comparison.compared_pairs import DRAWINGS, ComparedMeasure, ComparedPair, Comparison
from irevalx.lab.plot.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plot.page import COLOURS, GREY, Page, drawable, panels_of
from irevalx.lab.plot.rows import FRAME, ROW, name_rows
from irevalx.parameters import argument_error

_MOST_ROWS = 58
"""The pairs of a panel at most: more would not fit on a page."""

_ROWS_BESIDE = 40
"""With more pairs than this a wide page has them in two panels beside each other."""

_MOST_PANELS = 24
"""The panels of differences by topic at most."""

_PANEL = 1.15
"""The height of a panel of differences by topic, in inches."""

_GREATEST_P = 0.2
"""Greater p-values are not drawn: what matters of them is where they are small."""

_MOST_NAMES = 60
"""The topics of a panel at most whose names are written."""

_PLAIN, _DIFFER = "0.6", COLOURS[1]

MOST_RUNS = 80
"""The runs of a matrix at most: more rows would not fit on a page."""

_SMALLEST, _AROUND = 0.11, 0.5
"""The side of a cell at least, and what is above and below the cells of a panel, in inches."""

_EQUAL = "0.87"

_LARGEST = 0.3
"""The side of a cell at most, in inches."""


def what_to_draw(found: Comparison, draw: str | None, page: Page) -> str:
    """Return what a figure shows: what was asked for, or intervals, or a matrix where pairs are too many for these.

    Parameters
    ----------
    draw : one of ``DRAWINGS``, or None.

    Raises
    ------
    ArgumentError : a page has no room for it, or it needs all pairs of runs. Nothing has been tested yet.
    """
    if draw is not None and draw not in DRAWINGS:
        raise argument_error("draw", f"one of {' '.join(DRAWINGS)}, or None", draw)
    first = found.measures[0]
    n_runs, n_pairs = len(first.runs), len(first.found.pairs)
    most = _MOST_PANELS // len(found.measures) if draw == "topics" else _MOST_ROWS * (1 if page.is_narrow else 2)
    if draw is None:
        draw = "intervals" if n_pairs <= most or found.baseline else "matrix"
    if draw == "matrix":
        if found.baseline:
            raise ArgumentError("draw must not be 'matrix' together with a baseline: a matrix has all pairs of runs")
        if n_runs > MOST_RUNS:
            raise ArgumentError(
                f"a figure of a matrix must have at most {MOST_RUNS} runs, but got {n_runs}: discriminative_power "
                "draws the p-values of all pairs"
            )
    elif n_pairs > most:
        what = "differences by topic" if draw == "topics" else "intervals"
        raise ArgumentError(
            f"a figure of {what} must have at most {most} pairs of runs here, but got {n_pairs}: a baseline compares "
            "all runs with one, a matrix shows which of them differ, and discriminative_power draws all p-values"
        )
    return draw


def intervals(found: Comparison, page: Page) -> Figure:
    """Draw the difference of each pair with its intervals, the greatest of the first measure on top.

    A panel a measure, with an axis of its own; the rows of all are in the same order.
    """
    measures, baseline = found.measures, found.baseline
    order = np.argsort(-measures[0].found.difference, kind="stable").tolist()
    halved = len(order) > _ROWS_BESIDE and not page.is_narrow
    n_columns = 1 if page.is_narrow else 2 if halved else min(3, len(measures))
    size = math.ceil(len(order) / 2) if halved else len(order)
    blocks = [(one, order[start : start + size]) for one in measures for start in range(0, len(order), size)]
    n_rows = math.ceil(len(blocks) / n_columns)
    figure = page.figure((ROW * size + FRAME) * n_rows + 0.45 + 0.25 * page.titled)
    panels = panels_of(figure, len(blocks), n_columns)
    for number, (panel, (of_measure, rows)) in enumerate(zip(panels, blocks, strict=True)):
        _draw_intervals(panel, of_measure.name, [of_measure.pairs[row] for row in rows], baseline=bool(baseline))
        if halved and number % 2:  # the other half of the same pairs
            panel.sharex(panels[number - 1])
            panels[number - 1].autoscale_view()
        if not halved and number % n_columns:
            panel.tick_params(labelleft=False)
    page.name(figure, f"Differences from {baseline}" if baseline else "Differences of runs")
    page.explain(figure, _label(baseline), _interval_note(found))
    return figure


def _draw_intervals(panel: Axes, measure: str, pairs: Sequence[ComparedPair], *, baseline: bool) -> None:
    panel.axvline(0, color=GREY, linewidth=0.7, zorder=1)
    for row, one in enumerate(pairs):
        colour = _DIFFER if one.differ else _PLAIN
        if math.isfinite(one.simultaneous_low):
            ends = [one.simultaneous_low, one.simultaneous_high]
            panel.plot(ends, [row, row], color=colour, alpha=0.3, linewidth=3.5, solid_capstyle="butt", zorder=2)
        if math.isfinite(one.low):
            panel.plot([one.low, one.high], [row, row], color=colour, linewidth=0.9, zorder=3)
        face = colour if one.differ else "white"
        panel.plot(
            one.difference, row, "o", color=colour, markerfacecolor=face, markersize=3, markeredgewidth=0.8, zorder=4
        )
    name_rows(panel, [one.run if baseline else _pair(one.run, one.against) for one in pairs])
    panel.set_title(measure)
    panel.xaxis.set_major_locator(MaxNLocator(5))


def _pair(run: str, against: str) -> str:
    return f"{run} − {against}"  # noqa: RUF001 - a minus sign


def _label(baseline: str | None) -> str:
    return f"difference from {baseline}" if baseline else "difference: the first run less the second"


def _interval_note(found: Comparison) -> str:
    pairs = [one for of_measure in found.measures for one in of_measure.pairs]
    alpha = found.method.alpha
    parts = [f"Filled: runs that are significantly different (corrected p < {alpha:g})."]
    confidence = f"{100 * (1 - alpha):g}\u00a0%"
    if any(math.isfinite(one.low) for one in pairs):
        parts.append(f"Line: {confidence} interval of the pair.")
    if any(math.isfinite(one.simultaneous_low) for one in pairs):
        parts.append(f"Bar: {confidence} interval that holds for all pairs at once.")
    return " ".join([*parts, found.how_tested])


def topic_differences(found: Comparison, page: Page) -> Figure:
    """Draw the differences of each pair for all topics, from the greatest to the least: a panel a pair."""
    measures, baseline = found.measures, found.baseline
    n_pairs, most = len(measures[0].found.pairs), max(one.found.by_topic.shape[1] for one in measures)
    is_named = most <= (_MOST_NAMES if n_pairs == 1 else _MOST_NAMES // 4) // (2 if page.is_narrow else 1)
    of_measure_rows = math.ceil(n_pairs / (2 if page.is_narrow else 4))
    n_columns = math.ceil(n_pairs / of_measure_rows)
    n_rows = of_measure_rows * len(measures)
    blocks: list[tuple[ComparedMeasure, int] | None] = []
    for one in measures:  # a measure begins a row
        blocks += [(one, row) for row in range(n_pairs)]
        blocks += [None] * (of_measure_rows * n_columns - n_pairs)
    height = (_PANEL if len(blocks) > 1 else 1.8) + (0.25 if is_named else 0.0)
    figure = page.figure(height * n_rows + 0.5 + 0.25 * page.titled)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    tallest = {of_measure.name: float(np.abs(of_measure.found.by_topic).max()) for of_measure in measures}
    for number, panel in enumerate(panels):
        block = blocks[number]
        if block is None:
            panel.set_visible(False)
            continue
        of_measure, row = block
        pairs = of_measure.found
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
    note = f"Dark: significantly different runs (corrected p < {found.method.alpha:g}). {found.how_tested}"
    page.explain(figure, "topics, from the greatest difference to the least", note)
    page.label_heights(figure, _label(baseline), height * n_rows)
    return figure


def significance_levels(found: Comparison, page: Page) -> Figure:
    """Draw the p-values of all pairs, from the least to about 0.2: a line a measure.

    Before correction at the left, after it at the right.
    """
    panels = []
    for words, attribute in (("p", "p"), ("corrected p", "corrected_p")):
        curves = []
        for of_measure in found.measures:
            levels = np.sort(getattr(of_measure.found, attribute))
            levels = levels[: max(2, int(np.searchsorted(levels, _GREATEST_P)) + 1)]
            curves.append(Curve(of_measure.name, np.arange(1.0, len(levels) + 1), levels, markers=False))
        panels.append(LinePanel(tuple(curves), words, rules=(found.method.alpha,)))
    label = f"pairs of runs by p, as far as p is at most {_GREATEST_P:g}"
    title = "Achieved significance levels: a lower line means more significantly different pairs"
    return draw_lines([panels], page, title=title, label=label, note=found.how_tested)


def matrix(found: Comparison, page: Page) -> Figure:
    """Draw for each pair of runs whether they differ: a panel a measure, its best run on top and at the left.

    Cells are squares, and columns have the names of the runs as far as there is room.

    Parameters
    ----------
    found : with all pairs of the same runs, at most ``MOST_RUNS``.
    """
    measures = found.measures
    n_runs = len(measures[0].runs)
    n_columns = 1 if page.is_narrow else min(2, len(measures))
    n_rows = math.ceil(len(measures) / n_columns)
    longest = max(map(len, measures[0].runs))
    cell = min(_LARGEST, max(_SMALLEST, (page.width / n_columns - 0.06 * (longest + 10)) / n_runs))
    heads = 0.05 * longest
    figure = page.figure((cell * n_runs + _AROUND + heads) * n_rows + 0.5 + 0.25 * page.titled)
    for panel, of_measure in zip(panels_of(figure, len(measures), n_columns), measures, strict=True):
        _draw_matrix(panel, of_measure)
        panel.set_title(of_measure.name if measures[1:] else "")
    page.name(figure, f"Significantly different runs{'' if measures[1:] else f', by {measures[0].name}'}")
    alpha = f"corrected p < {found.method.alpha:g}"
    dark = f"Dark: the run of the row is significantly better than the run of the column ({alpha})."
    page.explain(figure, "", f"{dark} Light: it is not. {found.how_tested}")
    return figure


def _draw_matrix(panel: Axes, of_measure: ComparedMeasure) -> None:
    n_runs = len(of_measure.runs)
    order = of_measure.best_first
    place = {run: number for number, run in enumerate(order)}
    cells = np.full((n_runs, n_runs), math.nan)
    for (first, second), differ in zip(of_measure.found.pairs, of_measure.found.differ.tolist(), strict=True):
        better, worse = sorted((place[first], place[second]))
        cells[better, worse] = differ
    colours = ListedColormap([_EQUAL, _DIFFER])
    panel.imshow(cells, cmap=colours, vmin=0, vmax=1, aspect="equal", interpolation="none")
    panel.set_xticks(np.arange(-0.5, n_runs), minor=True)
    panel.set_yticks(np.arange(-0.5, n_runs), minor=True)
    panel.grid(visible=False)
    panel.grid(visible=True, which="minor", color="white", linewidth=0.5, alpha=1)
    panel.tick_params(which="both", length=0)
    runs = [drawable(of_measure.runs[run]) for run in order]
    names = [f"{name}  {_score(of_measure.scores[run])}" for name, run in zip(runs, order, strict=True)]
    panel.set_yticks(range(n_runs), names, fontsize=6)
    panel.set_xticks(range(n_runs), runs, fontsize=6, rotation=90)
    panel.xaxis.set_ticks_position("bottom")
    panel.spines[:].set_visible(False)


def _score(score: float) -> str:
    return f"{score:.3f}" if abs(score) < 10 else f"{score:.0f}"


DRAWN = {"intervals": intervals, "topics": topic_differences, "matrix": matrix}
"""The functions that draw each of ``DRAWINGS``."""

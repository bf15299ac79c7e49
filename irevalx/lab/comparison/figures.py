"""Figures of comparisons: intervals, matrices, differences by topic, significance levels, ranks and diagrams.

Curves of achieved significance levels: Sakai, Evaluating Evaluation Metrics Based on the Bootstrap, SIGIR 2006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from irevalx.arrays.segments import IntArray
from irevalx.experiments.run_pairs import reversed_pair
from irevalx.lab.comparison.conclusions import Conclusion
from irevalx.lab.comparison.pairs import ComparedMeasure, ComparedPair, Comparison
from irevalx.lab.comparison.results import MOST_PANELS, most_intervals
from irevalx.lab.plotting.curves import draw_lines
from irevalx.lab.plotting.line_panels import Curve, LinePanel
from irevalx.lab.plotting.page import COLOURS, GREY, ROW, Page, columns_of, name_rows, names_within, text_width
from irevalx.lab.plotting.panels import IntervalMark, IntervalPanel, draw_intervals, draw_matrix, place_panels
from irevalx.lab.plotting.ticks import round_ticks
from irevalx.reports.names import ShortNames, drawable
from irevalx.statistics.decisions import bars_of_groups

_GREATEST_P = 0.2
"""The largest p-value in the figure of significance levels."""

_MOST_NAMES = 60
"""The maximum number of topics in a row of panels for which the names of topics are displayed."""

_PLAIN, _DIFFER, _EQUAL = "0.6", COLOURS[1], "0.87"


def _drawn_pairs(comparison: Comparison, most: int, signs: IntArray | int = 1) -> tuple[list[int], str]:
    """Return the pairs with the largest differences in the first measure, and a note that some pairs are omitted.

    The pairs are in descending order of the difference. A difference is multiplied by the sign of the pair.
    """
    differences = signs * comparison.measures[0].comparisons.difference
    greatest = np.argsort(-np.abs(differences), kind="stable")[:most]
    order = greatest[np.argsort(-differences[greatest], kind="stable")].tolist()
    note = f"The {len(order)} of {len(differences)} pairs with the greatest differences are drawn."
    return order, note if len(order) < len(differences) else ""


def _better_first(comparison: Comparison) -> IntArray:
    """Return the sign of each pair: -1 if the second run is better and there is no baseline, and otherwise 1."""
    first = comparison.measures[0]
    better = (first.measured.direction or 1) * first.comparisons.difference
    return np.where((better < 0) & (comparison.baseline is None), -1, 1)


def intervals(comparison: Comparison, page: Page) -> Figure:
    """Plot the difference of each pair with its confidence intervals, in one panel for each measure.

    Pairs are in the order of the first measure. The first run of a pair is the better run in this measure or, if there
    is a baseline, the run that is not the baseline.
    """
    baseline, signs = comparison.baseline, _better_first(comparison)
    order, note = _drawn_pairs(comparison, most_intervals(is_narrow=page.is_narrow), signs)
    halved = len(order) > most_intervals(is_narrow=True)
    size = math.ceil(len(order) / 2) if halved else len(order)
    panels = []
    for of_measure in comparison.measures:
        pairs = [of_measure.pairs[row] if signs[row] > 0 else reversed_pair(of_measure.pairs[row]) for row in order]
        rows = [
            ((pair.run,) if baseline else (pair.run, pair.against), _marks(pair, is_corrected=of_measure.is_corrected))
            for pair in pairs
        ]
        panels += [IntervalPanel(of_measure.name, rows[start : start + size]) for start in range(0, len(rows), size)]
    figure, names = draw_intervals(panels, page, most_columns=2 if halved else 3)
    page.name(figure, f"Differences from {baseline}" if baseline else "Differences between runs")
    label = f"difference from {baseline}" if baseline else "difference (first run minus second run)"
    page.explain(figure, label, note, _interval_note(comparison), names.key)
    return figure


def _marks(pair: ComparedPair, *, is_corrected: bool) -> list[IntervalMark]:
    simultaneous = (pair.simultaneous_low, pair.simultaneous_high) if is_corrected else (math.nan, math.nan)
    colour = _DIFFER if pair.differ else _PLAIN
    return [IntervalMark(pair.difference, (pair.low, pair.high), simultaneous, colour, bool(pair.differ))]


def _interval_note(comparison: Comparison) -> str:
    """Return the note that explains the interval marks in a figure."""
    pairs = [pair for of_measure in comparison.measures for pair in of_measure.pairs]
    alpha = comparison.method.alpha
    parts = [f"Filled: significantly different ({comparison.p_in_words} < {alpha:g})."]
    confidence = f"{100 * (1 - alpha):g}%"
    if any(math.isfinite(pair.low) for pair in pairs):
        parts.append(f"Line: {confidence} interval for this pair alone.")
    if comparison.measures[0].is_corrected and any(math.isfinite(pair.simultaneous_low) for pair in pairs):
        parts.append(f"Bar: {confidence} interval, simultaneous over all pairs.")
    return " ".join([*parts, comparison.how_tested])


class _TopicPanels(NamedTuple):
    """The sizes, in inches and points, of panels that show per-topic differences."""

    left: float = 0.62  # space for tick labels and the axis label, left of the first column
    between: float = 0.12  # space between columns
    title: float = 6.5
    line: float = 0.11  # height of each line of a title
    tick: float = 5.5  # font size of topic names
    longest_topic: float = 0.6
    numbers: float = 0.22  # space for numeric tick labels
    right: float = 0.08


_TOPICS = _TopicPanels()


def topic_differences(comparison: Comparison, page: Page) -> Figure:
    """Plot the topic differences of each pair in descending order.

    Each pair has a panel, whose title names the better run first.
    """
    measures, baseline, signs = comparison.measures, comparison.baseline, _better_first(comparison)
    order, note = _drawn_pairs(comparison, max(1, MOST_PANELS // len(measures)), signs)
    n_topics = max(of_measure.comparisons.by_topic.shape[1] for of_measure in measures)
    n_columns = columns_of(len(order), 2 if page.is_narrow else 4)
    is_named = n_topics <= _MOST_NAMES / n_columns / (2 if page.is_narrow else 1)
    width = (page.width - _TOPICS.left - _TOPICS.right + _TOPICS.between) / n_columns - _TOPICS.between
    titles, names = _titles(comparison, order, signs, width)
    n_lines = 1 + max(title.count("\n") for title in titles)
    topics = names_within(
        (topic for of_measure in measures if is_named for topic in of_measure.measured.topics),
        *(_TOPICS.longest_topic, _TOPICS.tick),
    )
    below = _TOPICS.numbers
    if is_named:
        below = 0.08 + max(text_width(name, _TOPICS.tick) for name in topics.of.values())
    n_places = math.ceil(len(order) / n_columns) * n_columns
    blocks = [(number, row) for number in range(len(measures)) for row in [*order, *[None] * (n_places - len(order))]]
    what = f"difference in {measures[0].name}" if len(measures) == 1 else "difference"
    figure, panels = place_panels(
        page,
        len(blocks),
        n_columns,
        (width, 0.62 if len(blocks) > 1 else 1.4),
        margins=(_TOPICS.left, _TOPICS.between, _TOPICS.line * n_lines + 0.1, below),
        title=f"Differences by topic{f' from {baseline}' if baseline else ''}",
        label="topics in descending order of the difference",
        beside=what,
        notes=(
            note,
            f"Dark: significantly different ({comparison.p_in_words} < {comparison.method.alpha:g}).",
            *(comparison.how_tested, names.key, topics.key),
        ),
    )
    for number, (panel, (of_measure, row)) in enumerate(zip(panels, blocks, strict=True)):
        if row is None:
            panel.set_visible(False)
            continue
        _draw_topics(panel, measures[of_measure], row, int(signs[row]), topics if is_named else None)
        panel.set_title(titles[len(order) * of_measure + order.index(row)], fontsize=_TOPICS.title, pad=3)
        panel.tick_params(labelleft=number % n_columns == 0)
    return figure


def _titles(
    comparison: Comparison, order: Sequence[int], signs: IntArray, width: float
) -> tuple[list[str], ShortNames]:
    """Return the panel titles of pairs for each measure, and the shortened names of the runs.

    A title consists of one or two lines that are at most ``width`` inches long.
    """
    measures, baseline = comparison.measures, comparison.baseline
    before = [f"{of_measure.name}: " if measures[1:] else "" for of_measure in measures]
    room = width - max(text_width(f"{text}− ", _TOPICS.title) for text in before)  # noqa: RUF001 - a minus sign
    names = names_within(measures[0].runs, room, _TOPICS.title)
    named = [measures[0].names_of(row) for row in order]
    pairs = [
        [names.of[pair["run"]], names.of[pair["against"]]][:: signs[row]]
        for pair, row in zip(named, order, strict=True)
    ]
    for between in (" ", "\n"):
        titles = [
            f"{text}{first}" + ("" if baseline else f"{between}− {second}")  # noqa: RUF001
            for text in before
            for first, second in pairs
        ]
        if max(text_width(line, _TOPICS.title) for title in titles for line in title.split("\n")) <= width:
            break
    return titles, names


def _draw_topics(panel: Axes, of_measure: ComparedMeasure, row: int, sign: int, topics: ShortNames | None) -> None:
    """Plot the topic differences of a pair as bars. If there is space, each bar is labelled with its topic."""
    pairs = of_measure.comparisons
    highest = float(np.abs(pairs.by_topic).max()) or 1.0
    by_topic = sign * pairs.by_topic[row]
    order = np.argsort(-by_topic, kind="stable")
    ranked = by_topic[order]
    colour = _DIFFER if pairs.differ[row] else _PLAIN
    panel.stairs(ranked, np.arange(len(ranked) + 1) + 0.5, fill=True, color=colour)
    panel.axhline(0, color=GREY, linewidth=0.6)
    panel.set(xlim=(0.5, len(ranked) + 0.5), ylim=(-1.08 * highest, 1.08 * highest))
    pair = of_measure.pairs[row]
    better, worse = (pair.wins, pair.losses)[::sign]
    counts = f"{better} better, {worse} worse" + (f"\n{pair.ties} equal" if pair.ties else "")
    panel.text(0.97, 0.97, counts, transform=panel.transAxes, fontsize=6, ha="right", va="top")
    if topics is None:
        panel.xaxis.set_major_locator(round_ticks(5, integer=True))
    else:
        names = [topics.of[of_measure.measured.topics[topic]] for topic in order.tolist()]
        panel.set_xticks(range(1, len(names) + 1), names, rotation=90, fontsize=_TOPICS.tick)
        panel.grid(visible=False, axis="x")
    panel.yaxis.set_major_locator(round_ticks())


def significance_levels(comparison: Comparison, page: Page) -> Figure:
    """Plot the p-values of all pairs up to 0.2, before and after correction, with a line for each measure."""
    panels = []
    for words, attribute in (("p-values", "p"), ("corrected p-values", "corrected_p"))[
        : 2 if comparison.measures[0].is_corrected else 1
    ]:
        curves = []
        for of_measure in comparison.measures:
            levels = np.sort(getattr(of_measure.comparisons, attribute))
            levels = levels[: max(2, int(np.searchsorted(levels, _GREATEST_P)) + 1)]
            curves.append(Curve(of_measure.name, np.arange(1.0, len(levels) + 1), levels, markers=False))
        panels.append(
            LinePanel(curves, "p-value", words, rules=(comparison.method.alpha,), lowest=0.0, highest=_GREATEST_P)
        )
    return draw_lines(
        [panels],
        page,
        title="Achieved significance levels: a lower line means more significantly different pairs",
        label="pairs of runs in ascending order of the p-value",
        note=comparison.how_tested,
        same_widths=True,
    )


class _MatrixSizes(NamedTuple):
    """The sizes of significance matrices, in inches and points."""

    names: float = 6.0
    largest: float = 0.3  # maximum side of a cell
    row: float = 0.097  # minimum height of a row, so that names in this font size fit
    least: float = 0.045  # minimum width of a cell if panels are side by side
    title: float = 0.2
    between: float = 0.2  # space between panel columns
    right: float = 0.1
    longest: float = 1.7  # maximum length of a name in a matrix on a wide page


_MATRIX = _MatrixSizes()


def matrix(comparison: Comparison, page: Page) -> Figure:
    """Plot a matrix that shows which pairs of runs are significantly different.

    Each measure has a panel, in which the best run comes first.
    """
    measures = comparison.measures
    n_runs = len(measures[0].runs)
    names = names_within(measures[0].runs, min(_MATRIX.longest, page.width / 4), _MATRIX.names)
    n_columns = 1 if page.is_narrow else columns_of(len(measures), 2)
    beside = _width_of_labels(measures, names, f"  {n_runs}") + 0.08
    cell = _cell_width(page, n_columns, beside, n_runs - 1)  # the best run has no column
    if n_columns > 1 and cell < _MATRIX.least:
        n_columns, cell = 1, _cell_width(page, 1, beside, n_runs - 1)
    height = max(_MATRIX.row, min(cell, _MATRIX.largest))
    is_named = cell >= _MATRIX.row  # otherwise, columns are labelled with numbers
    n_rows = n_runs - is_named  # the last run has a row only if columns are numbered
    unused = page.width - n_columns * (beside + cell * (n_runs - 1)) - (n_columns - 1) * _MATRIX.between - _MATRIX.right
    figure, panels = place_panels(
        page,
        len(measures),
        n_columns,
        (cell * (n_runs - 1), height * n_rows),
        margins=(
            beside + unused / 2,
            beside + _MATRIX.between,
            _MATRIX.title if measures[1:] else 0.05,
            0.1 + (beside if is_named else 0.1),
        ),
        title=f"Significantly different runs{'' if measures[1:] else f' ({measures[0].name})'}",
        notes=(
            "Dark: the run in the row is significantly better than the run in the column "
            f"({comparison.p_in_words} < {comparison.method.alpha:g}).",
            *("Light: not significantly different.", comparison.how_tested, names.key),
        ),
    )
    for panel, of_measure in zip(panels, measures, strict=True):
        _draw_matrix(panel, of_measure, names, is_named=is_named)
        panel.set_title(drawable(of_measure.name) if measures[1:] else "", pad=3)
    return figure


def _cell_width(page: Page, n_columns: int, beside: float, n_runs: int) -> float:
    """Return the width of a matrix cell in inches. ``beside`` is the width of the names next to each panel."""
    room = (page.width - _MATRIX.right - _MATRIX.between * (n_columns - 1)) / n_columns - beside
    return min(_MATRIX.largest, room / n_runs)


def _draw_matrix(panel: Axes, of_measure: ComparedMeasure, short: ShortNames, *, is_named: bool) -> None:
    n_runs, order = len(of_measure.runs), of_measure.best_first
    place = {run: number for number, run in enumerate(order)}
    cells = np.full((n_runs, n_runs), math.nan)
    decisions = zip(of_measure.comparisons.pairs, of_measure.comparisons.differ.tolist(), strict=True)
    for (first, second), differ in decisions:
        better, worse = sorted((place[first], place[second]))
        cells[better, worse] = differ
    names = runs = _labels(of_measure, short)
    if not is_named:
        names = [f"{name}  {number}" for number, name in enumerate(names, 1)]
        runs = [str(number) if number == 1 or number % 10 == 0 else "" for number in range(1, n_runs + 1)]
    draw_matrix(
        *(panel, cells[:-1, 1:] if is_named else cells[:, 1:], names[:-1] if is_named else names, runs[1:]),
        colours=ListedColormap([_EQUAL, _DIFFER]),
        gap=0.5,
        upright=is_named,
        aspect="auto",
        size=_MATRIX.names,
    )


def _labels(of_measure: ComparedMeasure, short: ShortNames) -> list[str]:
    """Return a label with the short name and the value of each run, in order from the best run to the worst."""
    scores = [f"{score:.3f}" if abs(score) < 10 else f"{score:.0f}" for score in of_measure.scores]
    return [f"{short.of[of_measure.runs[run]]}  {scores[run]}" for run in of_measure.best_first]


def _width_of_labels(measures: Sequence[ComparedMeasure], short: ShortNames, more: str = "") -> float:
    """Return the width of the longest run label, followed by the text ``more``, in inches."""
    labels = [label for of_measure in measures for label in _labels(of_measure, short)]
    return max(text_width(f"{label}{more}", _MATRIX.names) for label in labels)


def ranks(comparison: Comparison, page: Page) -> Figure:
    """Plot the rank and the rank set of each run, from best to worst, in a panel for each measure with rank sets."""
    panels, tiers = [], []
    for of_measure in comparison.measures:
        if (sets := Conclusion(of_measure).rank_sets) is None:
            continue
        rows, order = [], of_measure.best_first
        for place, run in enumerate(order, 1):
            ends, is_top = (sets.rank_low[run], sets.rank_high[run]), sets.rank_low[run] == 1
            mark = IntervalMark(place, ends, (math.nan, math.nan), _DIFFER if is_top else _PLAIN, is_top)
            rows.append(((of_measure.runs[run],), [mark]))
        panels.append(IntervalPanel(of_measure.name, rows))
        tiers.append([sets.tier[run] for run in order])
    figure, names = draw_intervals(panels, page, most_columns=2, zero=False)
    for panel, of_runs in zip(figure.axes, tiers, strict=False):
        beyond, n_runs = 0.4 + 0.02 * len(of_runs), len(of_runs)
        panel.set_xlim(1 - beyond, n_runs + beyond)
        ticks = np.array(round_ticks(6, integer=True).tick_values(1, n_runs))
        panel.set_xticks([1, *ticks[(ticks > 1) & (ticks <= n_runs)]])
        for place, (tier, following) in enumerate(pairwise(of_runs)):
            if tier < following:
                panel.axhline(place + 0.5, color=GREY, linewidth=0.7)
    page.name(figure, "Ranks of runs and their rank sets")
    notes = (
        "Dot: rank in the sample. Line: rank set. Filled: top set; no run is significantly better than any of these "
        f"runs ({comparison.p_in_words} < {comparison.method.alpha:g}).",
        "Horizontal rule: every run above is significantly better than every run below." * (max(map(max, tiers)) > 1),
    )
    page.explain(figure, "rank", *notes, comparison.how_tested, names.key)
    return figure


class _DiagramSizes(NamedTuple):
    """The sizes of critical-difference diagrams, in inches."""

    bar: float = 0.075  # distance between bars
    lines: float = 0.6  # width of the lines that connect rows and axis
    ticks: float = 0.4  # space for the labels of the axis
    between: float = 0.1  # space between columns of panels
    widest: float = 2.0  # maximum factor by which bars and lines are widened to fill space
    longest: float = 2.2  # maximum length of a name


_DIAGRAM = _DiagramSizes()


def critical_differences(comparison: Comparison, page: Page) -> Figure:
    """Plot a critical-difference diagram for each measure. Bars connect runs that are not significantly different."""
    measures = comparison.measures
    names = names_within(measures[0].runs, min(_DIAGRAM.longest, page.width / 3), _MATRIX.names)
    bars = []
    for of_measure in measures:
        place = {run: number for number, run in enumerate(of_measure.best_first)}
        different = [(place[first], place[second]) for first, second in of_measure.different]
        bars.append(bars_of_groups(len(place), different))
    left = _width_of_labels(measures, names) + 0.14
    n_bars = max(map(len, bars))
    width, beside = n_bars * _DIAGRAM.bar + _DIAGRAM.lines, left + _DIAGRAM.ticks + _DIAGRAM.between
    n_columns = columns_of(len(measures), max(1, int(page.width / (beside + width))))
    width = min(_DIAGRAM.widest * width, page.width / n_columns - beside)
    unused = page.width / n_columns - beside - width
    figure, panels = place_panels(
        page,
        len(measures),
        n_columns,
        (width, ROW * len(measures[0].runs)),
        margins=(left + unused / 2, page.width / n_columns - width, _MATRIX.title if measures[1:] else 0.05, 0.1),
        title=f"Critical-difference diagram{'' if measures[1:] else f' ({measures[0].name})'}",
        notes=(
            "Runs with dots on the same bar are not significantly different; runs without a common bar are "
            f"({comparison.p_in_words} < {comparison.method.alpha:g}).",
            *(comparison.how_tested, names.key),
        ),
    )
    for panel, of_measure, columns in zip(panels, measures, bars, strict=True):
        _draw_diagram(panel, of_measure, names, columns, n_bars)
        panel.set_title(drawable(of_measure.name) if measures[1:] else "", pad=3)
    return figure


def _draw_diagram(
    panel: Axes, of_measure: ComparedMeasure, short: ShortNames, columns: Sequence[Sequence[list[int]]], n_bars: int
) -> None:
    ranked = [of_measure.scores[run] for run in of_measure.best_first]
    name_rows(panel, _labels(of_measure, short))
    panel.tick_params(axis="y", labelsize=_MATRIX.names)
    panel.hlines(range(len(ranked)), 0, n_bars, color=_EQUAL, linewidth=0.4, zorder=1)
    for number, column in enumerate(columns):
        for bar in column:
            panel.plot([number + 0.5] * 2, [bar[0], bar[-1]], color=_DIFFER, linewidth=1.1)
            panel.plot([number + 0.5] * len(bar), bar, "o", color=_DIFFER, markersize=2.2)
    end = n_bars + _DIAGRAM.lines / _DIAGRAM.bar
    step = (ranked[-1] - ranked[0]) / max(1, len(ranked) - 1) or 1.0  # difference in value for each row of the axis
    for row, score in enumerate(ranked):
        panel.plot([n_bars, end], [row, (score - ranked[0]) / step], color=GREY, linewidth=0.5)
    panel.set(xlim=(0, end), xticks=[])
    panel.spines[["left", "bottom"]].set_visible(False)
    axis = panel.twinx()
    first, last = panel.get_ylim()
    axis.set_ylim(ranked[0] + first * step, ranked[0] + last * step)
    axis.spines[["left", "bottom"]].set_visible(False)
    axis.spines["right"].set_visible(True)
    axis.grid(visible=False)
    axis.yaxis.set_major_locator(round_ticks(min(8, len(ranked))))

"""The figures of ``labels``: confusion matrices, pairs of judges, calibration, covariates, and reranked runs."""

from __future__ import annotations

from itertools import chain

import numpy as np
from matplotlib.figure import Figure

from irevalx.arrays.segments import ratio
from irevalx.frozen import replace
from irevalx.lab.judge_agreement.judges import HUMAN
from irevalx.lab.judge_agreement.parts import Estimate, Kind
from irevalx.lab.judge_agreement.results import LabelsResult
from irevalx.lab.plotting.curves import lay_out_with_legend
from irevalx.lab.plotting.page import (
    COLOURS,
    DASHES,
    GREY,
    MARKERS,
    TITLE_SIZE,
    Page,
    centre,
    columns_of,
    finalise_figure,
    names_within,
    text_width,
)
from irevalx.lab.plotting.panels import (
    draw_matrix,
    draw_points,
    name_outliers,
    outlier_names,
    outliers,
    scale_axes,
    with_margin,
)
from irevalx.lab.plotting.ticks import PERCENT
from irevalx.reports.names import drawable

_MOST_NUMBERED = 12
"""The maximum number of grades for which the cells of a confusion matrix contain numbers."""

_CELL, _LEAST_CELLS, _LOW_ROW = (0.62, 0.4), (0.5, 0.25), 0.16
"""Sizes of the cells of pairs of judges, in inches: the width and the height of a cell with a value and its interval,
the minimum widths of cells with an interval and with a value only, and the height of a cell without an interval."""

_LONGEST_JUDGE, _LONGEST_LINE, _NAME_SIZE = 0.25, 0.7, 7.0
"""The maximum lengths of the names of judges in a matrix and in a legend, relative to the width of the page, and their
font size in points."""


def confusion_map(result: LabelsResult, page: Page) -> Figure:
    """Plot the number of documents by human and machine grade. The shade of a cell is its share of the row."""
    [confusion] = result.of("documents")
    grades = confusion.grades
    numbers = np.array([[confusion.counts.get((a, b), 0) for b in grades] for a in grades], np.float64)
    totals = numbers.sum(axis=1, keepdims=True)
    shares = ratio(numbers, totals)
    texts = {
        (row, column): f"{int(numbers[row, column]):,}\n{100 * share:.1f}%" if totals[row, 0] else "0"
        for (row, column), share in np.ndenumerate(shares if len(grades) <= _MOST_NUMBERED else np.empty((0, 0)))
    }
    page = replace(page, width=min(page.width, 3.8))
    figure = page.figure(min(page.width, 3.2))
    panel = figure.subplots()
    draw_matrix(panel, shares, list(map(str, grades)), list(map(str, grades)), texts=texts)
    panel.set(xlabel="machine label", ylabel="human label")
    page.name(figure, "Documents by human and machine label")
    page.explain(figure, "", "Shades and percentages: share of the documents with the same human label.")
    return figure


def _kappas(kind: Kind, name: str, result: LabelsResult) -> dict[tuple[str, str], Estimate]:
    """Return the value of a statistic for each pair of judges. The pair of a single judge contains its name twice."""
    return {
        (part.judge or "", part.against or part.judge or ""): part.statistics[name]
        for part in result.of(kind)
        if name in part.statistics
    }


def judge_matrix(result: LabelsResult, page: Page) -> Figure:
    """Plot the kappa of each pair of judges below the diagonal, and the kappa of repeated answers on the diagonal."""
    pairs = _kappas("pair", "kappa", result)
    repeated = {
        pair: kappa for pair, kappa in _kappas("grades", "self_kappa", result).items() if kappa.value is not None
    }
    names = list(dict.fromkeys((HUMAN, *chain(*pairs))))
    short = names_within(names, _LONGEST_JUDGE * page.width, _NAME_SIZE)
    values, texts = np.full((len(names), len(names)), np.nan), dict[tuple[int, int], str]()
    for pair, kappa in (pairs | repeated).items():
        second, first = sorted(map(names.index, pair))
        values[first, second] = kappa.or_nan
        below = "" if kappa.low is None or kappa.high is None else f"\n{kappa.low:.2f}–{kappa.high:.2f}"  # noqa: RUF001 - from, to
        below = "\n(itself)" if first == second else below
        texts[first, second] = "none" if kappa.value is None else f"{kappa.value:.2f}{below}"
    named = [short.of[name] for name in names]
    longest = max(text_width(name, _NAME_SIZE) for name in named)
    page = replace(page, width=min(page.width, longest + 0.2 + _CELL[0] * len(names)))
    width = (page.width - longest - 0.2) / len(names)
    upright = longest > 0.95 * width
    has_intervals, has_texts = (width >= least for least in _LEAST_CELLS)
    row_height = _CELL[1] if has_intervals else _LOW_ROW
    figure = page.figure(0.25 + row_height * len(names) + (longest if upright else 0.0))
    texts = {cell: text if has_intervals else text.split("\n")[0] for cell, text in texts.items() if has_texts}
    size = min(_NAME_SIZE, 72 * width / 1.2)  # prevents the names of columns from touching
    draw_matrix(
        *(figure.subplots(), values, named, named),
        texts=texts,
        gap=1.2 if has_texts else 0.5,
        upright=upright,
        aspect="auto",
        size=size,
    )
    page.name(figure, "Agreement of judges: Cohen's kappa")
    notes = [] if has_texts else ["The darker a cell, the higher kappa."]
    if has_intervals and any(kappa.low is not None for kappa in pairs.values()):
        notes.append("Below the values: confidence intervals over topics.")
    notes += ["On the diagonal: agreement among repeated answers of a judge."] if repeated else []
    page.explain(figure, "", *notes, short.key)
    return figure


def reranked_runs(result: LabelsResult, page: Page) -> Figure:
    """Plot machine against human values of runs, before and after reranking, in a panel for each judge and measure."""
    panels: dict[tuple[str | None, str | None], dict[str, dict[str, float]]] = {}
    for part in result.of("gains"):
        if part.run is not None:
            scores = {name: estimate.or_nan for name, estimate in part.statistics.items()}
            panels.setdefault((part.judge, part.measure), {})[part.run] = scores
    n_columns = 1 if page.is_narrow else columns_of(len(panels), 3)
    side = min(3.2, page.width / n_columns)
    page = replace(page, width=side * n_columns)
    figure, axes, _ = page.panels([0.95 * side] * len(panels), n_columns)
    judges = names_within((judge or "" for judge, _ in panels), 0.5 * side, TITLE_SIZE)
    gains = [np.array([row["gain_machine"] - row["gain_human"] for row in runs.values()]) for runs in panels.values()]
    outlying = (
        list(runs)[run] for runs, of_runs in zip(panels.values(), gains, strict=True) for run in outliers(of_runs)
    )
    names = outlier_names(outlying)
    for panel, ((judge, measure), runs) in zip(axes, panels.items(), strict=True):
        before = np.array([(scores["score_human"], scores["score_machine"]) for scores in runs.values()])
        after = before + [(scores["gain_human"], scores["gain_machine"]) for scores in runs.values()]
        ends = with_margin(np.concatenate((before, after)))
        scale_axes(panel, ends, ends, diagonal=True)
        draw_points(panel, before[:, 0], before[:, 1], GREY, size=3, face="white")
        for start, end in zip(before.tolist(), after.tolist(), strict=True):
            style = {"arrowstyle": "-|>", "mutation_scale": 6, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
            panel.annotate("", end, start, arrowprops={**style, "color": COLOURS[1]})
        panel.set_aspect("equal")
        panel.set_title(f"{judges.of[judge]}: {drawable(measure or '')}" if judge else drawable(measure or ""))
    beside = page.label_heights(figure, "measure value under machine labels", side)
    page.name(figure, "Runs before and after reranking by machine labels")
    note = "Circles: before reranking. Arrowheads: after. Steeper than the diagonal: the machine gain is larger."
    page.explain(figure, "measure value under human labels", note, judges.key, names.key)
    finalise_figure(figure)
    centre(beside, axes)
    for panel, runs, of_runs in zip(axes, panels.values(), gains, strict=True):
        x, y = (np.array([scores[f"score_{who}"] for scores in runs.values()]) for who in ("human", "machine"))
        name_outliers(panel, x, y, list(runs), of_runs, names)
    return figure


def reliability_diagram(result: LabelsResult, page: Page) -> Figure:
    """Plot the share of relevant documents against the mean probability in each bin, with a line for each judge."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in result.reliability:
        curves.setdefault(row.judge or "", []).append((row.probability, row.relevant))
    page = replace(page, width=min(page.width, 3.8))
    figure = page.figure(min(page.width, 3.2))
    panel = figure.subplots()
    scale_axes(panel, (0.0, 1.0), (0.0, 1.0), diagonal=True)
    panel.set_aspect("equal")
    panel.set(xlabel="mean probability", ylabel="relevant documents")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter(PERCENT)
    note = "Points: bins of width 0.1. Points on the diagonal are calibrated."
    _draw_lines(figure, page, curves, "Calibration of machine labels", note)
    return figure


def errors_by_covariate(result: LabelsResult, page: Page) -> Figure:
    """Plot the mean label error against the covariate, with a line for each human grade and judge."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in result.errors_by_covariate:
        name = f"{'' if row.judge is None else f'{row.judge}, '}human label {row.human}"
        curves.setdefault(name, []).append((row.covariate, row.error))
    page = replace(page, width=min(page.width, 3.8))
    figure = page.figure(min(page.width, 3.2))
    panel = figure.subplots()
    panel.axhline(0, color=GREY, linewidth=0.7, zorder=1)
    panel.set(xlabel=drawable(result.covariate), ylabel="machine label minus human label")
    note = "Points: mean label errors in bins that contain a fifth of the documents each."
    _draw_lines(figure, page, curves, "Label errors by covariate", note)
    return figure


def _draw_lines(
    figure: Figure, page: Page, curves: dict[str, list[tuple[float, float]]], title: str, note: str
) -> None:
    """Plot the line of each name in ``curves``, and add the title, the note and a legend to the figure."""
    [panel] = figure.axes
    names = names_within(curves, _LONGEST_LINE * page.width, _NAME_SIZE)
    lines = {}
    for number, (name, points) in enumerate(curves.items()):
        x, y = np.array(points).T
        [line] = panel.plot(
            x, y, MARKERS[number % len(MARKERS)], color=COLOURS[number % len(COLOURS)], markersize=3, linewidth=1
        )
        line.set_linestyle(DASHES[number % len(DASHES)])
        lines[names.of[name]] = line
    heading = page.name(figure, title)
    page.explain(figure, "", note, names.key)
    lay_out_with_legend(figure, lines if len(lines) > 1 else {}, heading)

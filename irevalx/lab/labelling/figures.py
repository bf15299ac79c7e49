"""The figures of labels from elsewhere: documents by label, judges by judges, and runs before and after reranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from irevalx.frozen import replace
from irevalx.lab.labelling.findings import GAIN_STATISTICS, SCORES_BEFORE, Finding
from irevalx.lab.labelling.judges import HUMAN
from irevalx.lab.plot.page import COLOURS, GREY, Page, drawable, panels_of

_MOST_NUMBERED = 12
"""With more grades the numbers would not fit into the cells."""

_DARK = 0.55
"""A cell with a greater share than this is dark, and its number white."""


def confusion_map(found: Sequence[Finding], page: Page) -> Figure:
    """Draw how many documents have a human and a machine grade: one cell per pair, the darker the more of its row."""
    cells = [one for one in found if one.statistic == "confusion" and one.topic is None]
    counts = {(one.human or 0, one.machine or 0): int(one.value or 0) for one in cells}
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
    panel.spines[:].set_visible(True)  # a cell without documents is white
    panel.tick_params(length=0)
    if len(grades) <= _MOST_NUMBERED:
        for (row, column), share in np.ndenumerate(shares):
            colour = "white" if share > _DARK else "black"
            number = f"{int(table[row, column]):,}\n{100 * share:.1f} %" if rows[row, 0] else "0"
            panel.text(column, row, number, ha="center", va="center", color=colour, fontsize=7)
    page.name(figure, "Documents by human and machine label")
    page.explain(figure, "", "Shades and percentages: the share of the documents with the same human label.")
    return figure


def judge_matrix(found: Sequence[Finding], page: Page) -> Figure:
    """Draw the kappa of each two judges: a cell below the diagonal for each pair, the darker the more they agree.

    On the diagonal is that of the repeated answers of a judge.
    """
    kappas = [one for one in found if one.statistic == "kappa" and one.against is not None]
    own = [one for one in found if one.statistic == "self_kappa"]
    names = list(dict.fromkeys((HUMAN, *(name for one in kappas for name in (one.judge or "", one.against or "")))))
    table = np.full((len(names), len(names)), np.nan)
    words: dict[tuple[int, int], str] = {}
    for one in kappas:
        row, column = sorted((names.index(one.judge or ""), names.index(one.against or "")), reverse=True)
        table[row, column] = np.nan if one.value is None else one.value
        ends = "" if one.low is None or one.high is None else f"\n{one.low:.2f}–{one.high:.2f}"  # noqa: RUF001 - from, to
        words[row, column] = "none" if one.value is None else f"{one.value:.2f}{ends}"
    for one in own:
        if one.value is not None:
            place = names.index(one.judge or "")
            table[place, place] = one.value
            words[place, place] = f"{one.value:.2f}\n(itself)"
    page = replace(page, width=min(page.width, 1.5 + 0.62 * len(names)))
    figure = page.figure(0.9 + 0.42 * len(names) + 0.35 * page.titled)
    panel = figure.subplots()
    panel.imshow(table, cmap="Greys", vmin=0, vmax=1, aspect="auto")
    shown = [drawable(name) for name in names]
    panel.set_xticks(range(len(names)), shown, rotation=30, ha="right")
    panel.set_yticks(range(len(names)), shown)
    panel.grid(visible=False)
    panel.set_xticks(np.arange(len(names) + 1) - 0.5, minor=True)
    panel.set_yticks(np.arange(len(names) + 1) - 0.5, minor=True)
    panel.grid(visible=True, which="minor", color="white", alpha=1, linewidth=1.2)
    panel.spines[:].set_visible(False)
    panel.tick_params(which="both", length=0)
    for (row, column), text in words.items():
        dark = np.nan_to_num(table[row, column]) > _DARK
        panel.text(column, row, text, ha="center", va="center", color="white" if dark else "black", fontsize=6)
    page.name(figure, "Agreement of judges: Cohen's kappa")
    note = "Below the values: intervals over topics."
    if own:
        note += " On the diagonal: repeated answers of one judge."
    page.explain(figure, "", note)
    return figure


def reranked_runs(found: Sequence[Finding], page: Page) -> Figure:
    """Draw the scores of runs by people and by the judge, before and after reranking by its labels.

    A panel for each judge and measure, at most three beside each other; an arrow for each run. An arrow that is steeper
    than the diagonal promises more than people see.
    """
    panels: dict[tuple[str | None, str | None], dict[str, dict[str, float]]] = {}
    for one in found:
        if one.run is not None and one.statistic in {*SCORES_BEFORE, *GAIN_STATISTICS[:2]}:
            of_run = panels.setdefault((one.judge, one.measure), {}).setdefault(one.run, {})
            of_run[one.statistic] = float(one.value or 0.0)
    n_columns = 1 if page.is_narrow else min(3, len(panels))
    n_rows = -(-len(panels) // n_columns)
    side = min(3.2, page.width / n_columns)
    page = replace(page, width=side * n_columns)
    figure = page.figure(0.95 * side * n_rows + 0.3 + 0.25 * page.titled)
    axes = panels_of(figure, len(panels), n_columns)
    for panel, ((judge, measure), runs) in zip(axes, panels.items(), strict=True):
        ends = []
        for scores in runs.values():
            before = scores["score_human"], scores["score_machine"]
            after = before[0] + scores["gain_human"], before[1] + scores["gain_machine"]
            ends += [before, after]
            style = {"arrowstyle": "-|>", "mutation_scale": 6, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
            panel.annotate("", after, before, arrowprops={**style, "color": COLOURS[1]})
            panel.plot(*before, "o", color=GREY, markerfacecolor="white", markersize=3, markeredgewidth=0.8)
        low, high = min(map(min, ends)), max(map(max, ends))
        room = 0.06 * (high - low) or 0.05
        panel.set(xlim=(low - room, high + room), ylim=(low - room, high + room), aspect="equal")
        panel.plot([low - room, high + room], [low - room, high + room], color=GREY, linewidth=0.7, zorder=0)
        panel.set_title(drawable(f"{judge}: {measure}" if judge else f"{measure}"))
    figure.supylabel("score by the machine's labels", fontsize=7.5)
    page.name(figure, "Runs before and after reranking by the machine's labels")
    note = "Circles: before; arrows: to the scores after. Those steeper than the line promise more than people see."
    page.explain(figure, "score by people's labels", note)
    return figure


DRAWINGS: Mapping[str, Callable[[Sequence[Finding], Page], Figure]] = {
    "confusion": confusion_map,
    "judges": judge_matrix,
    "rerank": reranked_runs,
}
"""What ``--figure`` may draw."""

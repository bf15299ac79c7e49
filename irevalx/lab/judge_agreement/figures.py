"""The figures of ``labels``: documents by label, pairs of judges, and runs before and after reranking."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from irevalx.frozen import replace
from irevalx.lab.judge_agreement.document_agreement import GAIN_STATISTICS, SCORES_BEFORE
from irevalx.lab.judge_agreement.judges import HUMAN
from irevalx.lab.judge_agreement.results import LabelsResult
from irevalx.lab.plotting.page import COLOURS, GREY, Page, drawable, panels_of

_MOST_NUMBERED = 12
"""Maximum number of grades with numbers in the cells."""

_DARK = 0.55
"""Cells with a larger share have white numbers."""


def confusion_map(result: LabelsResult, page: Page) -> Figure:
    """Draw the number of documents by human and machine grade, as cells with the share of the row as shade."""
    cells = [statistic for statistic in result.rows if statistic.statistic == "confusion" and statistic.topic is None]
    counts = {(statistic.human or 0, statistic.machine or 0): int(statistic.value or 0) for statistic in cells}
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


def judge_matrix(result: LabelsResult, page: Page) -> Figure:
    """Draw the kappa of each pair of judges below the diagonal, and of repeated answers on the diagonal."""
    kappas = [
        statistic for statistic in result.rows if statistic.statistic == "kappa" and statistic.against is not None
    ]
    own = [statistic for statistic in result.rows if statistic.statistic == "self_kappa"]
    names = list(
        dict.fromkeys(
            (HUMAN, *(name for statistic in kappas for name in (statistic.judge or "", statistic.against or "")))
        )
    )
    table = np.full((len(names), len(names)), np.nan)
    words: dict[tuple[int, int], str] = {}
    for statistic in kappas:
        row, column = sorted((names.index(statistic.judge or ""), names.index(statistic.against or "")), reverse=True)
        table[row, column] = np.nan if statistic.value is None else statistic.value
        ends = "" if statistic.low is None or statistic.high is None else f"\n{statistic.low:.2f}–{statistic.high:.2f}"  # noqa: RUF001 - from, to
        words[row, column] = "none" if statistic.value is None else f"{statistic.value:.2f}{ends}"
    for statistic in own:
        if statistic.value is not None:
            place = names.index(statistic.judge or "")
            table[place, place] = statistic.value
            words[place, place] = f"{statistic.value:.2f}\n(itself)"
    page = replace(page, width=min(page.width, 1.5 + 0.62 * len(names)))
    figure = page.figure(0.9 + 0.42 * len(names) + 0.35 * page.titled)
    panel = figure.subplots()
    panel.imshow(table, cmap="Greys", vmin=0, vmax=1, aspect="auto")
    labels = [drawable(name) for name in names]
    panel.set_xticks(range(len(names)), labels, rotation=30, ha="right")
    panel.set_yticks(range(len(names)), labels)
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


def reranked_runs(result: LabelsResult, page: Page) -> Figure:
    """Draw human and machine values of runs before and after reranking, with a panel for each judge and measure."""
    panels: dict[tuple[str | None, str | None], dict[str, dict[str, float]]] = {}
    for statistic in result.rows:
        if statistic.run is not None and statistic.statistic in {*SCORES_BEFORE, *GAIN_STATISTICS[:2]}:
            of_run = panels.setdefault((statistic.judge, statistic.measure), {}).setdefault(statistic.run, {})
            of_run[statistic.statistic] = float(statistic.value or 0.0)
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

"""The figure of the command ``describe``.

The panels show relevant documents by topic, unjudged documents by rank, and judged and unique documents. The share of
unjudged documents by rank is plotted as in Ahlgren and Grönqvist (2008), Figure 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from irevalx.arrays.segments import FloatArray, ratio
from irevalx.lab.description.describe import Description, RunDescription
from irevalx.lab.plotting.page import (
    COLOURS,
    FRAME,
    MARKERS,
    MOST_LINES,
    ROW,
    ROW_NAME_SIZE,
    Page,
    finalise_figure,
    name_rows,
    names_within,
)
from irevalx.lab.plotting.panels import name_outliers
from irevalx.lab.plotting.ticks import PERCENT, name_places, round_ticks, thin_ticks
from irevalx.reports.names import ShortNames

_HEIGHT = 1.8
"""The height in inches of a panel that has no rows."""

_LONGEST_NAME = 0.5
"""The maximum length of a row's name, relative to the width of the panel including the names."""

_FEW_RANKS = 30
"""The maximum number of rank ranges for which lines are drawn at full width."""


def description(data: Description, page: Page) -> Figure:
    """Plot a panel for each part of the description that ``show`` selects."""
    panels: dict[str, tuple[float, Callable[[Axes, Description, ShortNames], None]]] = {
        "judgments": (_HEIGHT, _draw_topics)
    }
    if data.runs:
        panels["ranks"] = _HEIGHT, _draw_ranks
        panels["runs"] = ROW * len(data.runs) + FRAME + 0.2, _draw_runs
        panels["groups"] = ROW * len(data.groups) + FRAME + 0.1, _draw_groups
    chosen = [panels[data.show]] if data.show else list(panels.values())
    figure, axes, n_columns = page.panels([height for height, _ in chosen], 2)
    width = _LONGEST_NAME * page.width / n_columns
    names = names_within((run.name for run in data.runs), width, ROW_NAME_SIZE)
    groups = names_within((row.group for row in data.groups), width, ROW_NAME_SIZE)
    for axis, (_, draw) in zip(axes, chosen, strict=True):
        draw(axis, data, groups if draw is _draw_groups else names)
    draws_groups = any(draw is _draw_groups for _, draw in chosen)
    note = "Numbers next to bars: relevant unique documents of a group." if draws_groups else ""
    page.explain(figure, "", note, *dict.fromkeys((names.key, groups.key)))
    page.name(figure, "Judgments and runs" if data.runs else "Judgments")
    finalise_figure(figure)
    for axis, (_, draw) in zip(axes, chosen, strict=True):
        if draw is _draw_ranks:
            drawn = _ranks_with_results(data.runs)
            name_places(axis, [(float(rank), str(rank)) for rank in _round_ranks(axis.get_xlim()[1])])
            last = len(drawn) - 1
            runs = [run for run in data.runs if run.retrieved_in[last]]
            shares = np.array([run.share_unjudged[last] for run in runs])
            ends = np.full(len(runs), axis.get_xlim()[1])
            name_outliers(axis, ends, shares, [run.name for run in runs], shares, names)
        else:
            thin_ticks(axis, integer=draw is _draw_topics)
    return figure


def _draw_topics(axis: Axes, data: Description, _: ShortNames) -> None:
    """Plot the number of relevant documents of each topic as bars, in descending order, divided by grade."""
    judgments = data.judgments
    order = np.argsort(-judgments.relevant, kind="stable")
    by_grade = zip(judgments.grades, judgments.of_grade, strict=True)
    parts = [(f"grade {grade}", counts) for grade, counts in by_grade if grade >= data.level]
    if judgments.relevant.any() and not 1 <= len(parts) <= MOST_LINES:
        parts = [("relevant", judgments.relevant)]
    topics, bottom = np.arange(1, len(order) + 1), np.zeros(len(order))
    for number, (label, counts) in enumerate(parts):
        colour = COLOURS[(1, 5, 3, 2, 4, 0)[number]]
        axis.bar(topics, counts[order], bottom=bottom, width=1.0, color=colour, linewidth=0.2, label=label)
        bottom = bottom + counts[order]
    axis.set(xlim=(0.5, len(order) + 0.5), xlabel="topics in descending order", ylabel="relevant documents")
    axis.yaxis.set_major_locator(round_ticks(integer=True))
    if parts[1:]:
        axis.legend(loc="upper right", fontsize=6.5, handlelength=1.0)


def _ranks_with_results(runs: Sequence[RunDescription]) -> Sequence[int]:
    """Return the first ranks of the rank ranges in which a run has results, and at least one rank."""
    there = np.flatnonzero(np.sum([run.retrieved_in for run in runs], axis=0))
    return runs[0].ranks[: int(there.max(initial=0)) + 1]


def _round_ranks(last: float) -> list[int]:
    """Return the round ranks 1, 2, 5, 10, 20, 50, ... up to ``last``."""
    ranks = (digit * 10**power for power in range(math.ceil(math.log10(last)) + 1) for digit in (1, 2, 5))
    return [rank for rank in ranks if rank <= last]


def _draw_ranks(axis: Axes, data: Description, _: ShortNames) -> None:
    """Plot the share of unjudged documents in each rank range: all runs together in black, and each run in grey."""
    runs = data.runs
    retrieved = np.sum([run.retrieved_in for run in runs], axis=0)
    unjudged = np.sum([run.unjudged_in for run in runs], axis=0)
    ranks = runs[0].ranks
    last = ranks[-1] + max(1.0, *(int(run.retrieved_in[-1]) / max(1, run.topics) for run in runs))
    ends = [*map(float, ranks), last]
    thick = 1.4 if len(ranks) <= _FEW_RANKS else 0.7
    if runs[1:]:
        for run in runs:
            shares = np.where(run.retrieved_in, run.share_unjudged, math.nan)
            _draw_steps(axis, ends, shares, "0.7", run.name, thick / 2.5)
    _draw_steps(axis, ends, np.where(retrieved, ratio(unjudged, retrieved), math.nan), "black", "all", thick)
    axis.set_xscale("log")
    axis.xaxis.set_minor_locator(NullLocator())
    drawn = _ranks_with_results(runs)
    right = ends[len(drawn)] * 1.15
    axis.set_xlim(0.87, right)
    ticks = _round_ranks(right)[:: max(1, len(_round_ranks(right)) - 1)]  # keep only the first and the last tick
    axis.set_xticks(ticks, list(map(str, ticks)))
    highest = max(0.1, 1.05 * max(float(run.share_unjudged.max(initial=0.0)) for run in runs))
    axis.set(ylim=(-0.03 * highest, highest), xlabel="rank", ylabel="unjudged documents")
    axis.yaxis.set_major_locator(round_ticks(4))
    axis.yaxis.set_major_formatter(PERCENT)
    if runs[1:]:
        axis.set_title("black: all runs, grey: each run", fontsize=6.5, pad=3)


def _draw_steps(axis: Axes, ends: Sequence[float], shares: FloatArray, colour: str, label: str, width: float) -> None:
    """Plot the shares of rank ranges as a step function."""
    values = [*shares.tolist(), float(shares[-1])]
    axis.plot(ends, values, drawstyle="steps-post", color=colour, linewidth=width, label=label)


def _draw_runs(axis: Axes, data: Description, names: ShortNames) -> None:
    """Plot the shares of judged documents among the top documents of each run, with a marker for each cutoff."""
    runs = data.runs
    cutoffs = runs[0].cutoffs[:MOST_LINES]
    for number, cutoff in enumerate(cutoffs):
        shares = [run.judged_among_retrieved[number] for run in runs]
        colour = COLOURS[number]
        axis.plot(
            *(shares, range(len(runs)), MARKERS[number]),
            color=colour,
            markerfacecolor="white" if number % 2 else colour,
            markersize=3 + 0.8 * (len(cutoffs) - 1 - number),  # so that overlapping markers remain visible
            markeredgewidth=0.7,
            label=f"first {cutoff}",
        )
    name_rows(axis, [names.of[run.name] for run in runs])
    least = min(
        0.8, *(share for run in runs for share in run.judged_among_retrieved[: len(cutoffs)] if math.isfinite(share))
    )
    margin = 0.04 * (1 - least)
    axis.set(xlim=(least - margin, 1 + margin), xlabel="judged documents")
    axis.xaxis.set_major_locator(round_ticks())
    axis.xaxis.set_major_formatter(PERCENT)
    axis.legend(
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=min(4, len(cutoffs)),
        fontsize=6.5,
        handlelength=0.8,
        columnspacing=1.0,
        borderaxespad=0.1,
    )


def _draw_groups(axis: Axes, data: Description, names: ShortNames) -> None:
    """Plot the share of the pool that each group of runs alone contributes."""
    groups = data.groups
    axis.barh(range(len(groups)), [group.percent_alone for group in groups], height=0.7, color=COLOURS[1], linewidth=0)
    for row, group in enumerate(groups):
        text = f"{group.relevant_alone}"
        axis.annotate(text, (group.percent_alone, row), (3, 0), textcoords="offset points", va="center", fontsize=6)
    name_rows(axis, [names.of[group.group] for group in groups])
    axis.set(xlabel="unique (% of the pool)")
    axis.margins(x=0.12)

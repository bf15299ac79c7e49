"""Scores of runs under reduced judgments against those under full ones, a panel a level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen
from irevalx.lab.plot.page import GREY, Page
from irevalx.lab.plot.ranges import ranges_of
from irevalx.lab.plot.square_panels import SquarePanels
from irevalx.lab.studies.run_study import REFERENCES, Study

_SHARES, _DEPTHS = (0.3, 0.1, 0.05), (30, 8, 4)
SHOWN = {"uniform": _SHARES, "stratified": _SHARES, "strata": _SHARES, "depth": _DEPTHS, "mixed": _DEPTHS}
"""The levels that the papers show beside each other."""

STATISTICS = {"tau_b": ("tau-b", 2), "pearson": ("Pearson", 2), "rms": ("RMS", 3)}
"""What is written in a panel, in which words, and with how many decimals."""


def scatter_parts(study: Study) -> dict[str, list[int]]:
    """Return which levels are in a figure, from the greatest to the least, by the ending of its name.

    The first figure has the three levels that are nearest to those of the papers, an appendix the others.
    """
    numbers = np.log([float(level.number) for level in study.levels])
    chosen: list[int] = []
    for wanted in SHOWN[study.scheme]:
        order = np.argsort(np.abs(numbers - math.log(wanted)), kind="stable").tolist()
        chosen += [number for number in order if number not in chosen][:1]
    parts = {"": sorted(chosen, reverse=True)}
    if others := sorted(set(range(len(numbers))) - set(chosen), reverse=True):
        parts["-appendix"] = others
    return parts


class ScatterPanel(Frozen):
    """Scores of runs under reduced judgments against those under full ones.

    Parameters
    ----------
    title : above the panel.
    x : shape (n_runs,); under full judgments.
    y : shape (n_samples, n_runs); under reduced ones.
    statistics : the means over samples of those of ``STATISTICS``, in this order.
    """

    title: str
    x: FloatArray
    y: FloatArray
    statistics: Sequence[float]


def scatter(study: Study, m: int, reference: str, levels: Sequence[int], page: Page) -> Figure:
    """Draw a measure's scores under reduced judgments against scores under full ones: a panel a level.

    Parameters
    ----------
    m : the number of the measure.
    reference : one of ``REFERENCES``.
    levels : the numbers of those that are shown.
    """
    measure = study.experiment.measures[m]
    x = study.average_precision if reference == "AP" else study.full[m]
    found = [study.statistics[reference][name] for name in STATISTICS]
    panels = [
        ScatterPanel(
            level_title(study.scheme, study.levels[i].text),
            x,
            study.scores[i, :, m],
            [float(of_samples[i, :, m].mean()) for of_samples in found],
        )
        for i in levels
    ]
    return draw_scatter(
        panels,
        page,
        title=f"{measure} under reduced judgments against {REFERENCES[reference]}",
        labels=(f"{'AP' if reference == 'AP' else measure} under full judgments", f"{measure} under reduced judgments"),
        n_samples=len(study.seeds),
        comparable=reference == "itself" or ranges_of(study.experiment.requests)[m].is_share,
    )


def draw_scatter(
    drawn: Sequence[ScatterPanel],
    page: Page,
    *,
    title: str,
    labels: tuple[str, str],
    n_samples: int,
    comparable: bool = True,
) -> Figure:
    """Draw panels with the same axes: a point a run and sample, the line y = x, and statistics.

    Parameters
    ----------
    labels : of the horizontal and of the vertical axes.
    n_samples : in each panel.
    comparable : whether x and y are on one scale; where not, there is neither a line nor an error.
    """
    n_columns = min(len(drawn), 2 if page.is_narrow else 3 if len(drawn) in {3, 5, 6} else 4)
    grid = SquarePanels(page, len(drawn), n_columns)
    every_x, every_y = (np.concatenate([np.ravel(side) for side in sides]) for sides in _coordinates(drawn))
    ends = _with_margin(np.concatenate((every_x, every_y)) if comparable else every_y)
    x_ends = ends if comparable else _with_margin(every_x)
    n_ticks = 3 if page.is_narrow else 5
    style: dict[str, Any] = {"s": 7, "facecolors": "none", "edgecolors": "0.1", "linewidths": 0.5, "zorder": 2}
    for panel, one in zip(grid.panels, drawn, strict=True):
        if comparable:
            panel.plot(ends, ends, color=GREY, linewidth=0.7, zorder=1)
        panel.scatter(np.broadcast_to(one.x, one.y.shape), one.y, **style)
        panel.set(xlim=x_ends, ylim=ends)
        panel.set_title(one.title)
        panel.xaxis.set_major_locator(MaxNLocator(n_ticks))
        panel.yaxis.set_major_locator(MaxNLocator(n_ticks))
        lines = [
            f"{words} {value:.{digits}f}"
            for (words, digits), value in zip(STATISTICS.values(), one.statistics, strict=True)
        ]
        _write(panel, "\n".join(lines if comparable else lines[:2]))
    points = f"A point is a run{f' under one of {n_samples} samples' if n_samples > 1 else ''}"
    points += "; the line is y\u00a0=\u00a0x." if comparable else "."
    grid.arrange(title=title, below=(labels[0], points), beside=labels[1])
    return grid.figure


def _coordinates(drawn: Sequence[ScatterPanel]) -> tuple[list[FloatArray], list[FloatArray]]:
    return [one.x for one in drawn], [one.y for one in drawn]


def _write(panel: Axes, text: str) -> None:
    """Write a text into the corner where the fewest points are."""
    places: FloatArray = np.ma.getdata(panel.collections[0].get_offsets())
    x, y = ((side - side_ends[0]) / (side_ends[1] - side_ends[0]) for side, side_ends in _sides(panel, places))
    corners = ((0.04, 0.97), (0.96, 0.03), (0.04, 0.03), (0.96, 0.97))
    covered = [np.count_nonzero((np.abs(x - left) < 0.45) & (np.abs(y - low) < 0.33)) for left, low in corners]
    left, low = corners[int(np.argmin(covered))]
    panel.text(
        *(left, low, text),
        transform=panel.transAxes,
        fontsize=6.5,
        ha="left" if left < 0.5 else "right",
        va="bottom" if low < 0.5 else "top",
    )


def _sides(panel: Axes, places: FloatArray) -> tuple[tuple[FloatArray, tuple[float, float]], ...]:
    return (places[:, 0], panel.get_xlim()), (places[:, 1], panel.get_ylim())


def _with_margin(values: FloatArray) -> tuple[float, float]:
    """Return the limits of an axis."""
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * ((high - low) or 1.0)
    return low - margin, high + margin


def level_title(scheme: str, level: str) -> str:
    """Return what a level is called above a panel."""
    if scheme == "strata":
        return f"{level} of the rates"
    return f"{level} of the judgments" if scheme in {"uniform", "stratified"} else f"depth {level}"

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
from irevalx.lab.figures.page import GREY, Page
from irevalx.lab.figures.ranges import ranges_of
from irevalx.lab.figures.square_panels import SquarePanels
from irevalx.lab.study.study import REFERENCES, Level, Study

_SHARES, _DEPTHS = (0.3, 0.1, 0.05), (30, 8, 4)
SHOWN = {"uniform": _SHARES, "stratified": _SHARES, "strata": _SHARES, "depth": _DEPTHS, "mixed": _DEPTHS}
"""The levels that the papers show beside each other."""

_STATISTICS = {"tau-b": ("tau_b", 2), "Pearson": ("pearson", 2), "RMS": ("rms", 3)}
"""What is written in a panel, and its decimals."""


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


def scatter(study: Study, m: int, reference: str, levels: Sequence[int], page: Page) -> Figure:
    """Draw a measure's scores under reduced judgments against scores under full ones.

    A panel a level, a point a run and sample; the line y = x; and the means over samples of tau-b, Pearson's
    correlation and RMS error.

    Parameters
    ----------
    m : the number of the measure.
    reference : one of ``REFERENCES``.
    levels : the numbers of those that are shown.
    """
    measure = study.experiment.measures[m]
    x = study.average_precision if reference == "AP" else study.full[m]
    n_columns = min(len(levels), 2 if page.is_narrow else 3 if len(levels) <= 3 else 4)
    grid = SquarePanels(page, len(levels), n_columns)
    shown = study.scores[list(levels), :, m]
    comparable = reference == "itself" or ranges_of(study.experiment.requests)[m].is_share
    ends = _with_margin(np.concatenate((x, shown.ravel())) if comparable else shown)
    x_ends = ends if comparable else _with_margin(x)
    for number, panel in enumerate(grid.panels):
        level = study.levels[levels[number]]
        y = shown[number]
        if comparable:
            panel.plot(ends, ends, color=GREY, linewidth=0.7, zorder=1)
        style: dict[str, Any] = {"s": 7, "facecolors": "none", "edgecolors": "0.1", "linewidths": 0.5, "zorder": 2}
        panel.scatter(np.broadcast_to(x, y.shape), y, **style)
        panel.set(xlim=x_ends, ylim=ends)
        panel.set_title(_level_title(study, level))
        panel.xaxis.set_major_locator(MaxNLocator(3 if page.is_narrow else 5))
        panel.yaxis.set_major_locator(MaxNLocator(3 if page.is_narrow else 5))
        found = {name: study.statistics[reference][column] for name, (column, _) in _STATISTICS.items()}
        lines = [
            f"{name} {float(of_samples[levels[number], :, m].mean()):.{_STATISTICS[name][1]}f}"
            for name, of_samples in found.items()
        ]
        _write(panel, "\n".join(lines if comparable else lines[:2]))
    what = "AP" if reference == "AP" else measure
    n_samples = len(study.seeds)
    points = f"A point is a run{f' under one of {n_samples} samples' if n_samples > 1 else ''}"
    points += "; the line is y\u00a0=\u00a0x." if comparable else "."
    grid.arrange(
        title=f"{measure} under reduced judgments against {REFERENCES[reference]}",
        below=(f"{what} under full judgments", points),
        beside=f"{measure} under reduced judgments",
    )
    return grid.figure


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


def _level_title(study: Study, level: Level) -> str:
    if study.scheme == "strata":
        return f"{level.text} of the rates"
    return f"{level.text} of the judgments" if study.scheme in {"uniform", "stratified"} else f"depth {level.text}"

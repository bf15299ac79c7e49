"""The papers' figures of a study, readable in grey and by people who see few colours.

Colours are those of Okabe and Ito, Color Universal Design, 2008; dashes and markers tell lines apart as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irevalx.arrays.segments import FloatArray
from irevalx.lab.study.study import REFERENCES, Level, Study

_STYLE: Any = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 110,
    "font.size": 9,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "savefig.dpi": 300,
    "svg.hashsalt": "irevalx",
}
_COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
_LINES = ("-", "--", "-.", ":")
_MARKERS = "osD^vPX*<>"
_COLUMNS = 4
"""Panels beside each other."""

_PANEL, _LEFT, _BELOW = 2.5, 0.75, 0.6
"""The size of a panel and the room beside and below all of them, in inches."""

_APART = 1.8
"""How many times a level is the one before, for both to be named on a logarithmic axis."""

_METADATA: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""Nothing that differs between two calls."""

_WORDS = {"tau_b": "Kendall's tau-b", "pearson": "Pearson's correlation", "rms": "RMS error"}

_BOUNDS = {"tau_b": (-1.0, 1.0), "pearson": (-1.0, 1.0), "rms": (0.0, math.inf)}
"""What the statistics can be."""

_LEVELS = {
    "uniform": "share of each topic's judgments that is kept",
    "stratified": "share of each topic's relevant and nonrelevant documents that is kept",
    "depth": "depth of the pool",
    "mixed": "share of the judgments that is kept: a pool, and as many random ones",
    "strata": "share of the judgments that is kept: samples of strata",
}


def figures(study: Study, *, titled: bool = True) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """Yield each figure: the stem of its file, and what draws it.

    Parameters
    ----------
    titled : whether figures with several panels have a title.
    """
    for m, measure in enumerate(study.experiment.measures):
        for reference in REFERENCES:
            stem = f"{_as_file_name(measure)}-against-{reference}"
            yield stem, lambda m=m, reference=reference: scatter(study, m, reference)  # type: ignore[misc]
    for reference in REFERENCES:
        yield f"agreement-with-{reference}", lambda reference=reference: by_level(study, reference, titled=titled)  # type: ignore[misc]
    yield "mean-scores", lambda: mean_scores(study)


def save(draw: Callable[[], Figure], path: Path) -> None:
    """Draw a figure and write it in the format that the path ends in; the same figure gives the same bytes."""
    with mpl.rc_context(_STYLE):
        draw().savefig(path, metadata=_METADATA[path.suffix[1:]])


def scatter(study: Study, m: int, reference: str) -> Figure:
    """Draw a measure's scores under reduced judgments against scores under full ones: a panel a level, a point a run
    and sample, the line y = x, and the means over samples of tau-b, Pearson's correlation and RMS error.

    Parameters
    ----------
    m : the number of the measure.
    reference : one of ``REFERENCES``.
    """  # noqa: D205
    measure = study.experiment.measures[m]
    x = study.average_precision if reference == "AP" else study.full[m]
    n_rows = math.ceil(len(study.levels) / _COLUMNS)
    n_columns = min(_COLUMNS, len(study.levels))
    width, height = _PANEL * n_columns + _LEFT, _PANEL * n_rows + _BELOW
    figure = Figure(figsize=(width, height))
    figure.subplots_adjust(_LEFT / width, _BELOW / height, 1 - 0.1 / width, 1 - 0.3 / height, wspace=0.08, hspace=0.15)
    panels = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False).ravel()
    every = np.concatenate((x, study.scores[:, :, m].ravel()))
    low, high = float(every.min()), float(every.max())
    margin = 0.05 * ((high - low) or 1.0)
    ends = (low - margin, high + margin)
    for i, (level, panel) in enumerate(zip(study.levels, panels, strict=False)):
        y = study.scores[i, :, m]
        panel.plot(ends, ends, color="0.6", linewidth=0.8, zorder=1)
        style: dict[str, Any] = {"s": 12, "facecolors": "none", "edgecolors": "0.15", "linewidths": 0.6, "zorder": 2}
        panel.scatter(np.broadcast_to(x, y.shape), y, **style)
        panel.set(xlim=ends, ylim=ends, title=_level_title(study, level))
        panel.set_aspect("equal")
        found = {name: float(study.statistics[reference][name][i, :, m].mean()) for name in _WORDS}
        text = f"tau-b {found['tau_b']:.2f}\nPearson {found['pearson']:.2f}\nRMS {found['rms']:.3f}"
        above = float((y < x).mean()) > 0.5
        place: dict[str, Any] = (
            {"x": 0.04, "y": 0.96, "va": "top"} if above else {"x": 0.96, "y": 0.04, "va": "bottom", "ha": "right"}
        )
        panel.text(s=text, transform=panel.transAxes, fontsize=7, **place)
    for number, panel in enumerate(panels):
        panel.set_visible(number < len(study.levels))
        panel.tick_params(labelbottom=number + n_columns >= len(study.levels))
    what = "AP" if reference == "AP" else measure
    figure.supxlabel(f"{what} under full judgments", y=0.1 / height, va="bottom")
    figure.supylabel(f"{measure} under reduced judgments", x=0.1 / width, ha="left")
    return figure


def by_level(study: Study, reference: str, *, titled: bool = True) -> Figure:
    """Draw tau-b, Pearson's correlation and RMS error against the level: a line a measure, with one standard deviation
    over samples up and down, as far as the statistic can reach.

    Parameters
    ----------
    titled : whether the figure has a title.
    """  # noqa: D205
    figure = Figure(figsize=(12.5, 4.2), layout="constrained")
    for panel, (name, words) in zip(figure.subplots(1, len(_WORDS)), _WORDS.items(), strict=True):
        shown = [m for m in range(len(study.experiment.measures)) if study.is_comparable(m, reference, name)]
        _lines(panel, study, study.statistics[reference][name], _BOUNDS[name], shown)
        panel.set(title=words)
        if name == "tau_b":
            panel.axhline(0.9, color="0.5", linewidth=0.8)
            panel.annotate("0.9", (1, 0.9), xycoords=("axes fraction", "data"), color="0.4", fontsize=7, va="bottom")
    if titled:
        figure.suptitle(f"Scores under reduced judgments against {REFERENCES[reference]}")
    _finish(figure, study)
    return figure


def mean_scores(study: Study) -> Figure:
    """Draw the mean score over runs against the level: a line a measure, with one standard deviation over samples."""
    figure = Figure(figsize=(7, 4.4), layout="constrained")
    panel = figure.subplots()
    _lines(panel, study, study.scores.mean(axis=3))
    panel.set(ylabel="mean score over runs")
    _finish(figure, study)
    return figure


def _deviations(of_samples: FloatArray, bounds: tuple[float, float]) -> FloatArray:
    """Return one standard deviation down and up, shape (2, n_levels), cut where a statistic cannot reach.

    Parameters
    ----------
    of_samples : shape (n_levels, n_samples).
    bounds : the least and the greatest value that the statistic can have.
    """
    mean, deviation = of_samples.mean(axis=1), of_samples.std(axis=1, ddof=1)
    room = np.maximum(0.0, [mean - bounds[0], bounds[1] - mean])
    cut: FloatArray = np.minimum(deviation, room)
    return cut


def _lines(
    panel: Axes,
    study: Study,
    of_samples: FloatArray,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    shown: Sequence[int] | None = None,
) -> None:
    """Draw a line a measure; those that would lie on each other still differ by marker and dashes.

    Parameters
    ----------
    shown : the numbers of the measures that are drawn; None for all of them.
    """
    levels = np.array([place for place, _ in study.axis])
    n_measures = len(study.experiment.measures)
    for m, measure in enumerate(study.experiment.measures):
        if shown is not None and m not in shown:
            continue
        mean = of_samples[:, :, m].mean(axis=1)
        several = of_samples.shape[1] > 1
        style: dict[str, Any] = {
            "color": _COLOURS[m % len(_COLOURS)],
            "linestyle": _LINES[m % len(_LINES)],
            "marker": _MARKERS[m % len(_MARKERS)],
            "markersize": 4,
            "linewidth": 1.1,
            "markerfacecolor": "white" if m % 2 else None,
        }
        x = levels * 1.008 ** (m - n_measures / 2)  # so that the bars of several measures stand side by side
        deviation = _deviations(of_samples[:, :, m], bounds) if several else None
        panel.errorbar(x, mean, yerr=deviation, label=measure, elinewidth=0.7, capsize=1.5, **style)
    panel.set_xscale("log")
    ticks = _ticks(study)
    panel.set_xticks([place for place, _ in ticks], [name for _, name in ticks])
    panel.minorticks_off()


def _finish(figure: Figure, study: Study) -> None:
    figure.supxlabel(_LEVELS[study.scheme], fontsize=9)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center")


def _ticks(study: Study) -> list[tuple[float, str]]:
    """Return levels so far apart that their names have room: the last one, and others."""
    chosen: list[tuple[float, str]] = []
    for place, name in reversed(study.axis):
        if not chosen or _APART * place <= chosen[-1][0]:
            chosen.append((place, name))
    return chosen


def _level_title(study: Study, level: Level) -> str:
    if study.scheme == "strata":
        return f"{level.text} of the rates"
    return f"{level.text} of the judgments" if study.scheme in {"uniform", "stratified"} else f"depth {level.text}"


def _as_file_name(measure: str) -> str:
    return "".join(c if c.isalnum() or c in "_-.=" else "_" for c in measure)

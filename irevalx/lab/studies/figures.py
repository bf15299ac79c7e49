"""Figures of studies: agreement by level, measure values, and scatter plots against values under full judgments.

The figures correspond to figures in these papers. Yilmaz and Aslam 2008: correlations and errors by level (8 and 10),
ways of choosing documents (22), collections (23 and 24). Bompada et al. 2007: tau, accuracy and g-mean (1 and 2).
Büttcher et al. 2007: mean scores and tau (1). Ahlgren and Grönqvist 2008: mean scores (5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen
from irevalx.lab.plotting.curves import draw_lines
from irevalx.lab.plotting.line_panels import Curve, LinePanel
from irevalx.lab.plotting.page import COLOURS, Page
from irevalx.lab.plotting.panels import draw_points, place_panels, scale_axes, with_margin
from irevalx.lab.plotting.ranges import groups_on_one_axis, ranges_printed_as
from irevalx.lab.plotting.ticks import share_ticks
from irevalx.lab.studies.simulation import REFERENCES, is_comparable
from irevalx.lab.studies.summaries import StudySummary, mean_and_spread
from irevalx.reports.names import drawable
from irevalx.statistics.bootstrap import THRESHOLD
from irevalx.statistics.significance import ALPHA

_STATISTICS = {"tau_b": ("tau-b", 2), "pearson": ("Pearson", 2), "rms": ("RMS", 3)}
"""The statistics that a scatter plot displays, each with its name and its number of decimals."""

# in inches:
_LEFT, _RIGHT, _BELOW = 0.62, 0.15, 0.27  # space next to and below the panels, for tick labels and a label at the left
_BETWEEN, _ROW_TITLE = 0.2, 0.28  # space between panels of a row, and above each row


class ScatterPanel(Frozen):
    """The values of runs under reduced judgments, plotted against their values under full judgments."""

    title: str
    x: FloatArray  # shape (n_runs,); values under full judgments
    y: FloatArray  # shape (n_samples, n_runs); values under reduced judgments
    words: str  # statistics, one on each line


def plotted_levels(study: StudySummary) -> list[int]:
    """Return the indices of the levels that scatter plots show, in descending order.

    There are three levels, which are the levels closest to the levels in papers.
    """
    numbers = np.log([float(level.number) for level in study.levels])
    chosen: list[int] = []
    for target in study.scheme.plotted_levels:
        order = np.argsort(np.abs(numbers - math.log(target)), kind="stable").tolist()
        chosen += [number for number in order if number not in chosen][:1]
    return sorted(chosen, reverse=True)


def scatter(study: StudySummary, measure: str, reference: str, page: Page) -> Figure:
    """Plot the values of a measure under reduced judgments against a reference, in one panel for each level."""
    colour = COLOURS[study.measures.index(measure) % len(COLOURS)]
    panels = [_panel_of(study, measure, reference, place) for place in plotted_levels(study)]
    if reference == "itself":  # under all judgments, values do not change
        panels = [panel for panel in panels if not (panel.y == panel.x).all()] or panels
    on_one_scale = reference == "itself" or ranges_printed_as([measure])[0].is_share
    limits = with_margin(panels[0].x), with_margin(np.concatenate([np.ravel(panel.y) for panel in panels]))
    if on_one_scale:
        limits = (with_margin(np.concatenate([np.ravel(z) for panel in panels for z in (panel.x, panel.y)])),) * 2
    n_samples = len(panels[0].y)
    points = f"Points: runs{f' under each of {n_samples} samples' if n_samples > 1 else ''}"
    points += ". Line: y\u00a0=\u00a0x." if on_one_scale else "."
    n_columns = min(len(panels), 2 if page.is_narrow else 3)
    side = (page.width - _LEFT - _RIGHT + _BETWEEN) / n_columns - _BETWEEN
    figure, axes = place_panels(
        page,
        len(panels),
        n_columns,
        (side, side),
        margins=(_LEFT, _BETWEEN, _ROW_TITLE, _BELOW),
        title=f"{measure} under reduced judgments against {REFERENCES[reference]}",
        label=f"{'AP' if reference == 'AP' else measure} under full judgments",
        beside=f"{measure} under reduced judgments",
        notes=(points,),
        closed_rows=n_columns < len(panels),
    )
    for number, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
        if number:
            axis.sharex(axes[0])
            axis.sharey(axes[0])
        axis.tick_params(labelleft=number % n_columns == 0, labelbottom=number + n_columns >= len(panels))
        scale_axes(axis, *limits, diagonal=on_one_scale, n_ticks=3 if page.is_narrow else 5)
        draw_points(axis, panel.x, panel.y, colour)
        axis.set_title(drawable(panel.title))
        _write(axis, panel)
    return figure


def _panel_of(study: StudySummary, measure: str, reference: str, place: int) -> ScatterPanel:
    columns, level, scores = study.columns[measure, reference], study.levels[place].text, study.scores
    assert scores is not None
    lines = [
        f"{words} {value:.{digits if abs(value) < 10 else 0}f}"
        for name, (words, digits) in _STATISTICS.items()
        if is_comparable(measure, reference, name)
        for value in [float(columns[f"{name}_mean"][place])]
    ]
    x = scores.average_precision if reference == "AP" else scores.full[measure]
    return ScatterPanel(study.scheme.title.format(level), x, scores.reduced[level, measure], "\n".join(lines))


def _write(axis: Axes, panel: ScatterPanel) -> None:
    """Write the statistics in the corner of the panel that contains the fewest points."""
    (left, right), (low, high) = axis.get_xlim(), axis.get_ylim()
    x, y = (panel.x - left) / (right - left), (panel.y - low) / (high - low)
    corners = ((0.04, 0.97), (0.96, 0.03), (0.04, 0.03), (0.96, 0.97))
    covered = [np.count_nonzero((np.abs(x - side) < 0.45) & (np.abs(y - height) < 0.33)) for side, height in corners]
    side, height = corners[int(np.argmin(covered))]
    axis.text(
        *(side, height, panel.words),
        transform=axis.transAxes,
        fontsize=6.5,
        ha="left" if side < 0.5 else "right",
        va="bottom" if height < 0.5 else "top",
    )


class Statistic(NamedTuple):
    """The label and the range of a statistic in figures."""

    words: str
    low: float
    high: float
    ruled: bool = False  # whether figures contain a line at the threshold of knees


STATISTICS = {
    "tau_b": Statistic("Kendall's tau-b", -1.0, 1.0, ruled=True),
    "tau": Statistic("Kendall's tau", -1.0, 1.0, ruled=True),
    "pearson": Statistic("Pearson's correlation", -1.0, 1.0),
    "rms": Statistic("RMS error", 0.0, math.inf),
    "accuracy": Statistic("accuracy", 0.0, 1.0, ruled=True),
    "g_mean": Statistic("g-mean", 0.0, 1.0, ruled=True),
}
"""The label and the range of each statistic, by the name of the statistic in tables."""

_OF_AGREEMENT = ("tau_b", "pearson", "rms")

_OVER_TOPICS = "95% intervals over resampled topics"


def figures(study: StudySummary) -> Iterator[tuple[str, Callable[[Page], Figure]]]:
    """Yield each figure of a study as the stem of a file name and the function that draws the figure."""
    for reference in REFERENCES:
        yield f"agreement-with-{reference}", partial(agreement, [study], study.measures, reference, by_level=True)
    yield "decisions", partial(_decisions, study)
    yield "mean-scores", partial(_mean_scores, study)
    for measure in study.measures:
        stem = "".join(c if c.isalnum() or c in "_-.=" else "_" for c in measure)
        for reference in REFERENCES:
            yield f"{stem}-against-{reference}", partial(scatter, study, measure, reference)


def agreement(
    studies: Sequence[StudySummary], measures: Sequence[str], reference: str, page: Page, *, by_level: bool = False
) -> Figure:
    """Plot tau-b, Pearson's correlation and the RMS error of studies on common axes.

    The horizontal axis is the level, or the share of the judgments.
    """
    rows = []
    for group in _on_one_axis(measures):
        panels = [_panel(studies, measures, group, reference, name, by_level=by_level) for name in _OF_AGREEMENT]
        rows.append([panel for panel in panels if panel.has_points] or panels[:1])
    label = studies[0].scheme.meaning if by_level else "share of the judgments kept"
    what = "Measure values" if measures[1:] else measures[0]
    against = "AP" if reference == "AP" else "the measure itself"
    title = f"{what} under reduced judgments against {against} under full judgments"
    lacking = [measure for measure in measures if not is_comparable(measure, reference, "rms")]
    note = f"Measures that do not estimate AP have no RMS error: {', '.join(lacking)}." if lacking else ""
    return draw_lines(rows, page, title=title, label=label, note=note)


def _decisions(study: StudySummary, page: Page) -> Figure:
    """Plot the accuracy and the g-mean of significance decisions against the level."""
    panels = [
        _panel([study], study.measures, study.measures, "itself", name, by_level=True)
        for name in ("accuracy", "g_mean")
    ]
    title = "Significance decisions under reduced judgments, against decisions under full judgments"
    note = f"Significant: p\u00a0<\u00a0{ALPHA:g} in Wilcoxon's signed rank test over topics, without correction."
    return draw_lines([panels], page, title=title, label=study.scheme.meaning, note=note)


def _mean_scores(study: StudySummary, page: Page) -> Figure:
    """Plot the mean values over runs, and Kendall's tau, against the level.

    Measures whose values are shares are plotted together.
    """
    assert study.scores is not None
    rows = []
    for group in _on_one_axis(study.measures):
        ranges = ranges_printed_as(group)
        bounds = max(limits.low for limits in ranges), min(limits.high for limits in ranges)
        curves = []
        for measure in group:
            of_levels = [study.scores.reduced[level.text, measure].mean(axis=1) for level in study.levels]
            statistics = mean_and_spread(np.array(of_levels)[:, :, np.newaxis])
            mean, spread = statistics["mean"][:, 0], statistics["sd"][:, 0]
            style = study.measures.index(measure)
            curves.append(_curve(measure, _levels(study), mean, spread, bounds=bounds, style=style))
        scores = LinePanel(
            tuple(curves), "mean over runs", band=_over_samples([study]), **_axis([study], by_level=True)
        )
        rows.append([scores, _panel([study], study.measures, group, "itself", "tau", by_level=True)])
    title = "Mean measure values under reduced judgments, and tau with values under full judgments"
    return draw_lines(rows, page, title=title, label=study.scheme.meaning)


def _on_one_axis(measures: Sequence[str]) -> list[list[str]]:
    """Group measures that can share an axis. Return the names of the measures in each group.

    Measures whose values are shares form one group. Each other measure is a group of its own.
    """
    return [[measures[number] for number in group] for group in groups_on_one_axis(ranges_printed_as(measures))]


def _panel(
    studies: Sequence[StudySummary],
    measures: Sequence[str],
    group: Sequence[str],
    reference: str,
    name: str,
    *,
    by_level: bool,
) -> LinePanel:
    """Return the panel that shows one statistic for a group of measures. A measure has the same style in all panels."""
    statistic, curves = STATISTICS[name], []
    for measure in group:
        for number, study in enumerate(studies):
            x = _levels(study) if by_level else _above_zero(study.judged)
            columns = study.columns[measure, reference]
            label = f"{measure}, {study.name}" if measures[1:] else study.name
            label = label if studies[1:] else measure
            style: dict[str, Any] = {"style": measures.index(measure) if measures[1:] else number}
            style |= {"dashes": number} if measures[1:] and studies[1:] else {}
            if not is_comparable(measure, reference, name):
                curves.append(Curve(label, x, np.full(len(x), np.nan), **style))
                continue
            mean = columns[f"{name}_mean"]
            ends = (columns[f"{name}_low"], columns[f"{name}_high"]) if f"{name}_low" in columns else None
            bounds = statistic.low, statistic.high
            curves.append(_curve(label, x, mean, columns[f"{name}_sd"], bounds=bounds, ends=ends, **style))
    rules = (THRESHOLD,) if statistic.ruled else ()
    axis = _axis(studies, by_level=by_level)
    return LinePanel(tuple(curves), statistic.words, rules=rules, band=_bands(studies, name), **axis)


def _curve(
    label: str,
    x: FloatArray,
    mean: FloatArray,
    deviation: FloatArray,
    *,
    bounds: tuple[float, float],
    ends: tuple[FloatArray, FloatArray] | None = None,
    **style: Any,
) -> Curve:
    """Return a curve of means over samples, with a band that shows the interval over topics or one standard deviation.

    The band is clipped to ``bounds``.
    """
    if ends is not None:
        return Curve(label, x, mean, ends[0], ends[1], **style)
    if np.isnan(deviation).all() or np.isnan(mean).all():
        return Curve(label, x, mean, **style)
    low, high = min(bounds[0], float(np.nanmin(mean))), max(bounds[1], float(np.nanmax(mean)))
    return Curve(label, x, mean, np.maximum(mean - deviation, low), np.minimum(mean + deviation, high), **style)


def _bands(studies: Sequence[StudySummary], name: str) -> str:
    """Return a description of the bands that show a statistic."""
    have_ends = {f"{name}_low" in columns for study in studies for columns in study.columns.values()}
    if len(have_ends) > 1:
        return f"{_OVER_TOPICS} if a study has them, otherwise {_over_samples(studies)}"
    return _OVER_TOPICS if have_ends == {True} else _over_samples(studies)


def _over_samples(studies: Sequence[StudySummary]) -> str:
    """Return a description of bands that show the variation over samples."""
    numbers = {study.n_samples for study in studies}
    several = sorted(numbers - {1}) or [1]
    number = "" if several[1:] else f"{several[0]} "
    exception = " (no band for a study with one sample)" if 1 in numbers and several != [1] else ""
    return f"one standard deviation over {number}samples{exception}, clipped to the range of values"


def _levels(study: StudySummary) -> FloatArray:
    """Return the position of each level on the axis. The shape is (n_levels,)."""
    return _above_zero(np.array([place for place, _ in study.axis]))


def _above_zero(places: FloatArray) -> FloatArray:
    """Replace the position 0, which a logarithmic axis cannot show, by nan."""
    return np.where(places > 0, places, np.nan)


def _axis(studies: Sequence[StudySummary], *, by_level: bool) -> dict[str, Any]:
    """Return the fields of a panel that define its horizontal axis.

    The axis shows the levels of a single study, or shares of the judgments.
    """
    if by_level and not studies[0].scheme.by_share_judged:
        ticks = tuple(studies[0].axis)
    else:
        ticks = share_ticks([share for study in studies for share in study.judged.tolist() if share > 0])
    in_percent = not by_level or not studies[0].scheme.of_depth or studies[0].scheme.by_share_judged
    return {"ticks": ticks, "logarithmic": True, "in_percent": in_percent}

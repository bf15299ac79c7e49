"""Figures of several studies: on one axis, the share of judgments, or beside each other.

Yilmaz and Aslam 2008 draw the first to compare ways of choosing documents (Figure 22), the second to compare
collections (Figures 23 and 24).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from irevalx.arrays.segments import FloatArray
from irevalx.lab.plot.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plot.page import Page
from irevalx.lab.plot.ranges import groups_on_one_axis, measure_printed_as, ranges_printed_as
from irevalx.lab.plot.ticks import share_ticks
from irevalx.lab.studies.run_study import BY_SHARE_JUDGED, is_comparable
from irevalx.lab.studies.study_figures import LEVELS, OVER_TOPICS, RULE, STATISTICS
from irevalx.lab.studies.summary_files import StudySummary

_SHOWN = ("tau_b", "pearson", "rms")

OVER_SAMPLES = "one standard deviation over samples, cut where values cannot be"


def on_one_axis(studies: Sequence[StudySummary], lines: Sequence[tuple[str, str]], page: Page) -> Figure:
    """Draw tau-b, Pearson's correlation and RMS error against the share of judgments that is left.

    Parameters
    ----------
    lines : the measures and what they are compared with, "AP" or "itself"; each for all studies.
    """
    ticks = share_ticks([share for study in studies for share in study.judged.tolist()])
    rows = []
    for group in _on_one_axis(lines):
        curves = {
            name: tuple(
                _curve(study, one, name, study.judged, _label(study.name if studies[1:] else "", one, lines))
                for one in group
                for study in studies
            )
            for name in _SHOWN
        }
        shown = [name for name in _SHOWN if _has_points(curves[name])]
        rows.append([_panel(studies, name, curves[name], ticks, in_percent=True) for name in shown])
    return draw_lines(rows, page, title=_title(lines), label="share of the judgments that is left")


def grid(studies: Sequence[StudySummary], lines: Sequence[tuple[str, str]], page: Page) -> Figure:
    """Draw tau-b, Pearson's correlation and RMS error, a row each, against the level: a column a study.

    Parameters
    ----------
    lines : the measures and what they are compared with, "AP" or "itself".
    """
    rows: list[list[LinePanel]] = []
    for group in _on_one_axis(lines):
        for name in _SHOWN:
            row: list[LinePanel] = []
            for study in studies:
                x = np.array([place for place, _ in study.axis])
                ticks = share_ticks(x.tolist()) if study.scheme in BY_SHARE_JUDGED else tuple(study.axis)
                curves = tuple(_curve(study, one, name, x, _label("", one, lines)) for one in group)
                head = "" if rows else study.name
                words = None if not row or page.is_narrow else ""
                in_percent = study.scheme != "depth"
                row.append(_panel(studies, name, curves, ticks, in_percent=in_percent, title=head, words=words))
            if _has_points([curve for panel in row for curve in panel.curves]):
                rows.append(row)
    schemes = dict.fromkeys(LEVELS.get(study.scheme, "level") for study in studies)
    return draw_lines(rows, page, title=_title(lines), label="; ".join(schemes), same_heights=True)


def _on_one_axis(lines: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Return the lines that share axes: those of measures that are shares, and each other one alone."""
    ranges = ranges_printed_as([name for name, _ in lines])
    return [[lines[number] for number in group] for group in groups_on_one_axis(ranges)]


def _panel(
    studies: Sequence[StudySummary],
    name: str,
    curves: tuple[Curve, ...],
    ticks: tuple[tuple[float, str], ...],
    *,
    in_percent: bool,
    title: str = "",
    words: str | None = None,
) -> LinePanel:
    """Return the panel of a statistic; ``words`` are beside its axis, if they are not to be those of the statistic."""
    return LinePanel(
        curves,
        STATISTICS[name].words if words is None else words,
        title,
        ticks=ticks,
        logarithmic=True,
        in_percent=in_percent,
        rules=RULE if name == "tau_b" else (),
        band=_band(studies, name),
    )


def _has_points(curves: Sequence[Curve]) -> bool:
    return any(np.isfinite(curve.y).any() for curve in curves)


def _label(study: str, line: tuple[str, str], lines: Sequence[tuple[str, str]]) -> str:
    """Return what tells a line from the others: the study, the measure, and whether it is compared with itself."""
    measure, against = line
    references = {reference for _, reference in lines}
    of_line = f"{measure}, itself" if against == "itself" and len(references) > 1 else measure
    if not study:
        return of_line
    return f"{of_line}, {study}" if lines[1:] else study


def _title(lines: Sequence[tuple[str, str]]) -> str:
    references = {reference for _, reference in lines}
    measure = f"{lines[0][0]}" if not lines[1:] else "Scores"
    against = {"AP": "AP", "itself": "the measure itself"}
    what = " or ".join(against[reference] for reference in sorted(references))
    return f"{measure} under reduced judgments against {what} under full judgments"


def _curve(study: StudySummary, line: tuple[str, str], name: str, x: FloatArray, label: str) -> Curve:
    """Return the means over samples, with the interval over topics or one standard deviation, if there is any."""
    measure, against = line
    known = measure_printed_as(measure)
    of_shares = known is None or against == "itself" or known.value_range.is_share
    if known is not None and not (is_comparable(known, against, name) and (of_shares or name != "rms")):
        return Curve(label, x, np.full(len(x), np.nan))  # so that the others keep their colours
    columns = study.columns[measure, against]
    mean = columns[f"{name}_mean"]
    if _has_intervals(study, name):
        return Curve(label, x, mean, columns[f"{name}_low"], columns[f"{name}_high"])
    deviation = columns[f"{name}_sd"]
    if np.isnan(deviation).all():
        return Curve(label, x, mean)
    statistic = STATISTICS[name]
    return Curve(
        label, x, mean, np.maximum(mean - deviation, statistic.low), np.minimum(mean + deviation, statistic.high)
    )


def _has_intervals(study: StudySummary, name: str) -> bool:
    return all(f"{name}_low" in columns for columns in study.columns.values())


def _band(studies: Sequence[StudySummary], name: str) -> str:
    found = {_has_intervals(study, name) for study in studies}
    if found == {True, False}:
        return f"{OVER_TOPICS} where a study has them, else {OVER_SAMPLES}"
    return OVER_TOPICS if found == {True} else OVER_SAMPLES

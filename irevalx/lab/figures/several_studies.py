"""Figures of several studies: on one axis, the share of judgments, or beside each other.

Yilmaz and Aslam 2008 draw the first to compare ways of choosing documents (Figure 22), the second to compare
collections (Figures 23 and 24).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from irevalx.arrays.segments import FloatArray
from irevalx.lab.figures.curves import Curve, LinePanel, draw_lines
from irevalx.lab.figures.page import Page
from irevalx.lab.figures.study_figures import LEVELS, OVER_TOPICS, RULE, STATISTICS
from irevalx.lab.study.summary_files import StudySummary

_SHOWN = ("tau_b", "pearson", "rms")

_PERCENT = (1, 2, 5, 10, 20, 50, 100)
_TICKS = tuple((percent / 100, f"{percent}%") for percent in (0.1, 0.2, 0.5, *_PERCENT))
"""Shares of judgments that are named on an axis."""

OVER_SAMPLES = "one standard deviation over samples, cut where values cannot be"


def on_one_axis(studies: Sequence[StudySummary], lines: Sequence[tuple[str, str]], page: Page) -> Figure:
    """Draw tau-b, Pearson's correlation and RMS error against the share of judgments that is left.

    Parameters
    ----------
    lines : the measures and what they are compared with, "AP" or "itself"; each for all studies.
    """
    pairs = [(study, measure, against) for measure, against in lines for study in studies]
    least = min(float(study.judged.min()) for study in studies)
    ticks = tuple((share, name) for share, name in _TICKS if share >= 0.9 * least)
    panels = [
        LinePanel(
            tuple(
                _curve(study, measure, against, name, study.judged, _label(study.name, measure, against, lines))
                for study, measure, against in pairs
            ),
            STATISTICS[name].words,
            ticks=ticks,
            logarithmic=True,
            rules=RULE if name == "tau_b" else (),
            band=_band(studies, name),
        )
        for name in _SHOWN
    ]
    return draw_lines([panels], page, title=_title(lines), label="share of the judgments that is left")


def grid(studies: Sequence[StudySummary], lines: Sequence[tuple[str, str]], page: Page) -> Figure:
    """Draw tau-b, Pearson's correlation and RMS error, a row each, against the level: a column a study.

    Parameters
    ----------
    lines : the measures and what they are compared with, "AP" or "itself".
    """
    rows = []
    for name in _SHOWN:
        panels = [
            LinePanel(
                tuple(
                    _curve(study, measure, against, name, study.numbers, _label("", measure, against, lines))
                    for measure, against in lines
                ),
                STATISTICS[name].words if number == 0 or page.is_narrow else "",
                study.name if name == _SHOWN[0] or page.is_narrow else "",
                ticks=tuple(zip(study.numbers.tolist(), study.levels, strict=True)),
                logarithmic=True,
                rules=RULE if name == "tau_b" else (),
                band=_band(studies, name),
            )
            for number, study in enumerate(studies)
        ]
        rows.append(panels)
    schemes = dict.fromkeys(LEVELS.get(study.scheme, "level") for study in studies)
    return draw_lines(rows, page, title=_title(lines), label="; ".join(schemes), same_heights=True)


def _label(study: str, measure: str, against: str, lines: Sequence[tuple[str, str]]) -> str:
    """Return what tells a line from the others: the study, the measure, and whether it is compared with itself."""
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


def _curve(study: StudySummary, measure: str, against: str, name: str, x: FloatArray, label: str) -> Curve:
    """Return the means over samples, with the interval over topics or one standard deviation, if there is any."""
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

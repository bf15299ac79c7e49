"""Figures of the scores of studies: measures beside each other at one level, and runs in order.

Yilmaz and Aslam 2008 draw the first to tell the errors of infAP apart (Figure 19), Ahlgren and Grönqvist 2008 the
second to compare the rankings by three measures (Figures 2 to 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from irevalx.errors import UsageError, quote
from irevalx.lab.plot.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plot.page import Page
from irevalx.lab.plot.ranges import groups_on_one_axis, measure_printed_as, ranges_printed_as
from irevalx.lab.studies.score_files import StudyScores, level_of
from irevalx.lab.studies.study_scatter import SHOWN, STATISTICS, ScatterPanel, draw_scatter, level_title
from irevalx.lab.studies.summary_files import StudySummary

_AP = "map"


def measures_at_a_level(
    studies: Mapping[str, tuple[StudySummary, StudyScores]],
    measures: Sequence[str],
    reference: str,
    level: str | None,
    page: Page,
) -> Figure:
    """Draw scores under reduced judgments against those under full ones: a panel a study and measure.

    Parameters
    ----------
    studies : by name.
    measures : that all of them have, and that are shares if they are compared with AP.
    reference : "AP" or "itself".
    level : None for that which is nearest to the last one of the papers, 5 % of the judgments or a pool of depth 4.

    Raises
    ------
    UsageError : a study has no such level, or AP is to be compared with and not one of its measures.
    """
    drawn, levels, n_samples = [], dict[str, None](), 0
    for name, (study, scores) in studies.items():
        at = level_of(study, level, SHOWN[study.scheme][-1])
        levels[level_title(study.scheme, at)] = None
        if reference == "AP" and _AP not in scores.full:
            raise UsageError(f"the study {quote(name)} must have {_AP} among its measures, for scores against AP")
        for measure in measures:
            columns = study.columns[measure, reference]
            place = study.levels.index(at)
            y = scores.reduced[at, measure]
            n_samples = max(n_samples, len(y))
            drawn.append(
                ScatterPanel(
                    f"{name}: {measure}" if len(studies) > 1 else measure,
                    scores.full[_AP if reference == "AP" else measure],
                    y,
                    [float(columns[f"{statistic}_mean"][place]) for statistic in STATISTICS],
                )
            )
    what = "AP" if reference == "AP" else "the measure itself"
    return draw_scatter(
        drawn,
        page,
        title=f"Scores from {' and '.join(levels)} against {what} under full judgments",
        labels=(f"{what} under full judgments", f"score from {' and '.join(levels)}"),
        n_samples=n_samples,
    )


def runs_in_order(
    studies: Mapping[str, tuple[StudySummary, StudyScores]], measures: Sequence[str], page: Page
) -> Figure:
    """Draw the scores of runs under full judgments, sorted by the first measure: a panel a study, a line a measure.

    Measures that are no shares have panels of their own.
    """
    panels = []
    for name, (_, scores) in studies.items():
        order = np.argsort(-scores.full[measures[0]], kind="stable")
        places = np.arange(1.0, len(order) + 1)
        for group in groups_on_one_axis(ranges_printed_as(measures)):
            curves = tuple(Curve(measures[m], places, scores.full[measures[m]][order]) for m in group)
            panels.append(LinePanel(curves, "score", name if len(studies) > 1 else ""))
    n_columns = min(len(panels), 3)
    rows = [panels[start : start + n_columns] for start in range(0, len(panels), n_columns)]
    title = "Scores of runs under full judgments"
    return draw_lines(rows, page, title=title, label=f"runs, from the best by {measures[0]} to the worst")


def refuse_other_scales(measures: Sequence[str]) -> None:
    """Raise UsageError for measures that are no estimates of AP."""
    for name in measures:
        measure = measure_printed_as(name)
        if measure is not None and not measure.value_range.is_share:
            raise UsageError(f"a measure must be between 0 and 1 to be drawn against AP, but got {quote(name)}")

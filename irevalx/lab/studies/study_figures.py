"""The figures of a study: agreement and decisions by level, mean scores, and scores against those in full.

They show what these figures of the papers show: Yilmaz and Aslam 2008, scores at three levels (1, 3, 5 for random
samples; 2, 4, 6 for shallow pools), correlations and errors by level (8 and 10); Bompada et al. 2007, tau, accuracy and
g-mean (1 and 2); Büttcher et al. 2007, mean scores and tau (1); Ahlgren and Grönqvist 2008, mean scores (5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from irevalx.arrays.segments import FloatArray
from irevalx.lab.plot.curves import Curve, LinePanel, draw_lines
from irevalx.lab.plot.page import Page
from irevalx.lab.plot.ranges import groups_on_one_axis, ranges_of
from irevalx.lab.plot.ticks import share_ticks
from irevalx.lab.studies.run_study import BY_SHARE_JUDGED, REFERENCES, Study
from irevalx.lab.studies.study_scatter import scatter, scatter_parts
from irevalx.statistics.knees import THRESHOLD
from irevalx.statistics.significance import ALPHA

LEVELS = {
    "uniform": "share of each topic's judgments that is kept",
    "stratified": "share of each topic's relevant and nonrelevant documents that is kept",
    "depth": "depth of the pool",
    "mixed": "share of the judgments that is kept: a pool, and as many random ones",
    "strata": "share of the judgments that is kept: samples of strata",
}
"""What the levels of a scheme are."""


class Statistic(NamedTuple):
    """A statistic as it is drawn: what it is called, and its bounds."""

    words: str
    low: float
    high: float


STATISTICS = {
    "tau_b": Statistic("Kendall's tau-b", -1.0, 1.0),
    "tau": Statistic("Kendall's tau", -1.0, 1.0),
    "pearson": Statistic("Pearson's correlation", -1.0, 1.0),
    "rms": Statistic("RMS error", 0.0, math.inf),
    "accuracy": Statistic("accuracy", 0.0, 1.0),
    "g_mean": Statistic("g-mean", 0.0, 1.0),
}
"""Those that figures show, by their names in the tables."""

OVER_TOPICS = "95\u00a0% intervals over draws of topics"


def over_samples(n_samples: int) -> str:
    """Return what bands are that come of samples."""
    return f"one standard deviation over {n_samples} samples, cut where values cannot be"


RULE = (THRESHOLD,)
"""What correlations and accuracies are compared with."""


def figures(study: Study) -> Iterator[tuple[str, Callable[[Page], Figure]]]:
    """Yield each figure: the stem of its file, and what draws it."""
    for reference in REFERENCES:
        yield f"agreement-with-{reference}", partial(agreement, study, reference)
    yield "decisions", partial(decisions, study)
    yield "mean-scores", partial(mean_scores, study)
    parts = scatter_parts(study)
    for m, measure in enumerate(study.experiment.measures):
        for reference in REFERENCES:
            for ending, levels in parts.items():
                stem = f"{_as_file_name(measure)}-against-{reference}{ending}"
                draw = partial(scatter, study, m, reference, levels)
                yield stem, draw


def agreement(study: Study, reference: str, page: Page) -> Figure:
    """Draw tau-b, Pearson's correlation and RMS error by level, a line a measure.

    Measures that are no shares have panels of their own, and no error against AP.

    Parameters
    ----------
    reference : one of ``REFERENCES``.
    """
    ranges, rows = ranges_of(study.experiment.requests), []
    for group in groups_on_one_axis(ranges):
        comparable = reference == "itself" or ranges[group[0]].is_share
        names = ["tau_b", "pearson", *(["rms"] if comparable else [])]
        row = []
        for name in names:
            blank = [m for m in group if not study.is_comparable(m, reference, name)]
            if blank != group:
                of_samples = study.statistics[reference][name].copy()
                of_samples[:, :, blank] = np.nan  # so that the others keep their colours
                row.append(_panel(study, name, of_samples, reference, group))
        rows.append(row)
    return _draw(study, rows, page, f"Scores under reduced judgments against {REFERENCES[reference]}")


def decisions(study: Study, page: Page) -> Figure:
    """Draw by level how pairwise decisions go together with those under full judgments."""
    panels = [_panel(study, name, getattr(study, name)) for name in ("accuracy", "g_mean")]
    title = "Pairwise decisions under reduced judgments, against those under full judgments"
    note = f"Runs differ where Wilcoxon's test over topics has p\u00a0<\u00a0{ALPHA:g}, without correction."
    return _draw(study, [panels], page, title, note)


def mean_scores(study: Study, page: Page) -> Figure:
    """Draw the mean score over runs by level, and beside it Kendall's tau with full judgments.

    Measures that are no shares have a panel of their own.
    """
    means = study.scores.mean(axis=3)
    ranges = ranges_of(study.experiment.requests)
    rows = []
    for group in groups_on_one_axis(ranges):
        low, high = max(ranges[m].low for m in group), min(ranges[m].high for m in group)
        scores = LinePanel(
            tuple(_curve(study, m, means, (low, high)) for m in group),
            "mean score over runs",
            band=over_samples(len(study.seeds)),
            **_axis(study),
        )
        tau = _panel(study, "tau", study.statistics["itself"]["tau"], "itself", group)
        rows.append([scores, tau])
    return _draw(study, rows, page, "Mean scores under reduced judgments, and tau with scores under full judgments")


def _draw(study: Study, rows: Sequence[Sequence[LinePanel]], page: Page, title: str, note: str = "") -> Figure:
    return draw_lines(rows, page, title=title, label=LEVELS[study.scheme], note=note)


def _panel(
    study: Study, name: str, of_samples: FloatArray, reference: str | None = None, measures: Sequence[int] | None = None
) -> LinePanel:
    """Return the panel of a statistic.

    Parameters
    ----------
    of_samples : shape (n_levels, n_samples, n_measures).
    reference : of the intervals over topics; None if there are none.
    measures : the numbers of those that are shown; None for all.
    """
    words, *bounds = STATISTICS[name]
    ends = None
    if study.intervals is not None and reference is not None:
        ends = study.intervals.statistics[reference].get(name)
    curves = tuple(
        _curve(study, m, of_samples, (bounds[0], bounds[1]), ends)
        for m in (range(len(study.experiment.measures)) if measures is None else measures)
    )
    band = over_samples(len(study.seeds)) if ends is None else OVER_TOPICS
    return LinePanel(curves, words, rules=() if name in {"rms", "pearson"} else RULE, band=band, **_axis(study))


def _curve(
    study: Study,
    m: int,
    of_samples: FloatArray,
    bounds: tuple[float, float],
    ends: tuple[FloatArray, FloatArray] | None = None,
) -> Curve:
    """Return the means of a measure over samples, with the interval over topics or one standard deviation."""
    levels = np.array([place for place, _ in study.axis])
    low, high = (end[:, m] for end in ends) if ends is not None else deviations(of_samples[:, :, m], bounds)
    label = study.experiment.measures[m]
    if of_samples.shape[1] == 1 and ends is None:
        return Curve(label, levels, of_samples[:, 0, m], style=m)
    return Curve(label, levels, of_samples[:, :, m].mean(axis=1), low, high, style=m)


def deviations(of_samples: FloatArray, bounds: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Return the means less and plus one standard deviation, shape (n_levels,), cut where values cannot be.

    Parameters
    ----------
    of_samples : shape (n_levels, n_samples).
    bounds : the least and the greatest value that there can be.
    """
    mean = of_samples.mean(axis=1)
    deviation = of_samples.std(axis=1, ddof=1) if of_samples.shape[1] > 1 else np.zeros(len(mean))
    return np.maximum(mean - deviation, min(bounds[0], float(mean.min()))), np.minimum(
        mean + deviation, max(bounds[1], float(mean.max()))
    )


def _axis(study: Study) -> dict[str, Any]:
    places = study.axis
    ticks = share_ticks([place for place, _ in places]) if study.scheme in BY_SHARE_JUDGED else tuple(places)
    return {"ticks": ticks, "logarithmic": True, "in_percent": study.scheme != "depth"}


def _as_file_name(measure: str) -> str:
    return "".join(c if c.isalnum() or c in "_-.=" else "_" for c in measure)

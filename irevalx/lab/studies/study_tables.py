"""The tables of a study: all scores, the statistics of each sample, their means and deviations, and the knees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.lab.studies.run_study import REFERENCES, STATISTICS, Study
from irevalx.reports.table import Table
from irevalx.statistics.bootstrap import STATISTICS as RESAMPLED
from irevalx.statistics.decisions import DECISION_COLUMNS
from irevalx.statistics.knees import THRESHOLD, Knee

DECISIONS = ("accuracy", "g_mean", *(name for name in DECISION_COLUMNS if name not in {"accuracy", "g_mean"}))
"""The statistics of decisions, which compare a measure with itself only."""

_SHOWN = ("tau_b", "pearson", "rms", "bias")


def scores_table(study: Study) -> Table:
    """Return a row for each level, sample, run and measure; the first rows are those of the full judgments."""
    runs, measures = study.experiment.runs, study.experiment.measures
    rows: list[tuple[Any, ...]] = [
        ("full", None, None, None, run, measure, float(study.full[m, r]))
        for m, measure in enumerate(measures)
        for r, run in enumerate(runs)
    ]
    for i, level in enumerate(study.levels):
        for s, seed in enumerate(study.seeds):
            of_sample = study.scores[i, s].tolist()
            rows += [
                (study.scheme, level.text, s, seed, run, measure, of_sample[m][r])
                for m, measure in enumerate(measures)
                for r, run in enumerate(runs)
            ]
    return Table("scores", ("scheme", "level", "sample", "seed", "run", "measure", "score"), tuple(rows), n_labels=6)


def samples_table(study: Study) -> Table:
    """Return a row for each level, sample, measure and reference."""
    rows = [
        (
            study.scheme,
            level.text,
            s,
            seed,
            measure,
            reference,
            *(None if one is None else one[i, s, m].item() for one in columns),
        )
        for i, level in enumerate(study.levels)
        for s, seed in enumerate(study.seeds)
        for m, measure in enumerate(study.experiment.measures)
        for reference in REFERENCES
        for columns in [_statistics(study, reference).values()]
    ]
    columns = ("scheme", "level", "sample", "seed", "measure", "against", *STATISTICS, *DECISIONS)
    return Table("samples", columns, tuple(rows), n_labels=6)


def summary_table(study: Study) -> Table:
    """Return a row for each level, measure and reference: means over samples, and standard deviations (of a sample).

    Where topics were resampled, the ends of the intervals of the means stand behind them.
    """
    heads = [f"{name}_{what}" for name in (*STATISTICS, *DECISIONS) for what in ("mean", "sd")]
    if study.intervals is not None:
        heads += [f"{name}_{end}" for name in RESAMPLED for end in ("low", "high")]
    rows = []
    for i, level in enumerate(study.levels):
        for m, measure in enumerate(study.experiment.measures):
            for reference in REFERENCES:
                cells: list[float | None] = []
                for one in _statistics(study, reference).values():
                    cells += [None, None] if one is None else [float(one[i, :, m].mean()), spread(one[i, :, m])]
                if study.intervals is not None:
                    ends = study.intervals.statistics[reference]
                    cells += [float(end[i, m]) for name in RESAMPLED for end in ends[name]]
                kept = float(study.kept[i].mean())
                rows.append((study.scheme, level.text, kept, measure, reference, *cells))
    columns = ("scheme", "level", "judged", "measure", "against", *heads)
    return Table("summary", columns, tuple(rows), n_labels=5)


def knees_table(study: Study) -> Table:
    """Return a row for each measure: the least levels from which on it can be trusted, marked where it falters."""
    curves = {name: study.knees(of_samples) for name, of_samples in _curves(study).items()}
    rows = tuple(
        (measure, *(_marked_knee(study, knees[m]) for knees in curves.values()))
        for m, measure in enumerate(study.experiment.measures)
    )
    falters = any(not knee.monotone for knees in curves.values() for knee in knees)
    title = f"least level from which on the mean over samples exceeds {THRESHOLD} (blank: none)"
    notes = (
        (f"* It exceeds {THRESHOLD} at a lesser level too, and falls again: first in knees.csv.",) if falters else ()
    )
    return Table(title, ("measure", *curves), rows, notes=notes)


def all_knees_table(study: Study) -> Table:
    """Return a row for each measure and statistic: the knee and its interval, and the first level above the threshold.

    The interval is blank unless topics were resampled, and where it ends beyond all levels.
    """
    curves = {name: study.knees(curve) for name, curve in _curves(study).items()}
    rows = []
    for m, measure in enumerate(study.experiment.measures):
        for name, knees in curves.items():
            ends: tuple[int | None, int | None] = (None, None)
            if study.intervals is not None and name in study.intervals.knees:
                ends = study.intervals.knees[name][m]
            levels = [_text(study, place) for place in (knees[m].knee, knees[m].first, *ends)]
            rows.append((measure, name, *levels[:2], knees[m].monotone, *levels[2:]))
    columns = ("measure", "statistic", "knee", "first", "monotone", "low", "high")
    return Table("knees", columns, tuple(rows), n_labels=2)


def _curves(study: Study) -> dict[str, FloatArray]:
    """Return the statistics that have knees, of shape (n_levels, n_samples, n_measures)."""
    return {
        "tau_b_itself": study.statistics["itself"]["tau_b"],
        "tau_b_ap": study.statistics["AP"]["tau_b"],
        "accuracy": study.accuracy,
        "g_mean": study.g_mean,
    }


def _text(study: Study, place: int | None) -> str | None:
    """Return a level as it was typed."""
    return None if place is None else study.levels[place].text


def _marked_knee(study: Study, knee: Knee) -> str | None:
    if knee.monotone:
        return _text(study, knee.knee)
    return f"{_text(study, knee.knee) or ''}*"


def tables_for_people(study: Study) -> Iterator[Table]:
    """Yield what a person reads first: the knees, then each statistic, a row a measure and a column a level."""
    yield knees_table(study)
    for reference, meaning in REFERENCES.items():
        for name in _SHOWN:
            title = f"{name.replace('_', ' ')}, against {meaning}"
            shown = [study.is_comparable(m, reference, name) for m in range(len(study.experiment.measures))]
            yield _by_level(study, title, study.statistics[reference][name], shown)
    yield _by_level(study, "accuracy of significance decisions, against those under full judgments", study.accuracy)
    yield _by_level(study, "g-mean of significance decisions, against those under full judgments", study.g_mean)
    yield _by_level(study, "mean score over runs", study.scores.mean(axis=3))


def spread(of_samples: FloatArray | IntArray) -> float | None:
    """Return the standard deviation of several samples; None for a single one."""
    return float(np.std(of_samples, ddof=1)) if of_samples.size > 1 else None


def _statistics(study: Study, reference: str) -> dict[str, FloatArray | IntArray | None]:
    """Return all statistics; None for those that do not concern this reference."""
    found = study.confusion.columns
    of_decisions = {name: found[name] if reference == "itself" else None for name in DECISIONS}
    return {**study.statistics[reference], **of_decisions}


def _by_level(study: Study, title: str, of_samples: FloatArray, shown: Sequence[bool] | None = None) -> Table:
    """Return a row for each measure that is shown (None: all of them), with the means over samples of each level."""
    means = of_samples.mean(axis=1)
    rows = tuple(
        (measure, *(float(mean) for mean in means[:, m]))
        for m, measure in enumerate(study.experiment.measures)
        if shown is None or shown[m]
    )
    return Table(title, ("measure", *(level.text for level in study.levels)), rows)

"""The tables of a study: all scores, the statistics of each sample, their means and deviations, and the knees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import Any

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen, replace
from irevalx.lab.studies.run_study import MOST_SAMPLES, REFERENCES, STATISTICS, Study
from irevalx.reports.table import Table
from irevalx.statistics.bootstrap import STATISTICS as RESAMPLED
from irevalx.statistics.decisions import DECISION_COLUMNS
from irevalx.statistics.knees import THRESHOLD

DECISIONS = ("accuracy", "g_mean", *(name for name in DECISION_COLUMNS if name not in {"accuracy", "g_mean"}))
"""The statistics of decisions, which compare a measure with itself only."""

ERRORS_OF_DECISIONS = {
    "fpr": "of the pairs of runs that do not differ under full judgments, the share that does under reduced ones",
    "fnr": "of the pairs of runs that differ under full judgments, the share that does not under reduced ones",
}
"""The two errors of decisions in words, by their columns. Bompada et al. 2007 call the second kind false positives."""

INVERSIONS = "inversions"
"""The column of numbers of discordant pairs, the last one."""

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
    columns = ("scheme", "level", "sample", "seed", "measure", "against", *STATISTICS, *DECISIONS, INVERSIONS)
    return Table("samples", columns, tuple(rows), n_labels=6)


def summary_table(study: Study) -> Table:
    """Return a row for each level, measure and reference: means over samples, and standard deviations (of a sample).

    Where topics were resampled, the ends of the intervals of the means stand after them; inversions are the last.
    """
    heads = [f"{name}_{what}" for name in (*STATISTICS, *DECISIONS) for what in ("mean", "sd")]
    if study.intervals is not None:
        heads += [f"{name}_{end}" for name in RESAMPLED for end in ("low", "high")]
    heads += [f"{INVERSIONS}_mean", f"{INVERSIONS}_sd"]
    rows = []
    for i, level in enumerate(study.levels):
        for m, measure in enumerate(study.experiment.measures):
            for reference in REFERENCES:
                cells: list[float | None] = []
                *statistics, inversions = _statistics(study, reference).values()
                for one in statistics:
                    cells += _mean_and_spread(one, i, m)
                if study.intervals is not None:
                    ends = study.intervals.statistics[reference]
                    cells += [float(end[i, m]) for name in RESAMPLED for end in ends[name]]
                cells += _mean_and_spread(inversions, i, m)
                kept = float(study.kept[i].mean())
                rows.append((study.scheme, level.text, kept, measure, reference, *cells))
    columns = ("scheme", "level", "judged", "measure", "against", *heads)
    return Table("summary", columns, tuple(rows), n_labels=5)


class KneeRow(Frozen):
    """From which level on a measure can be trusted, by one statistic; None where there is no such level.

    Parameters
    ----------
    measure, statistic : what is trusted, and by what.
    knee : the least level from which on the mean over samples exceeds the threshold.
    first : the least level at which it does.
    monotone : whether these are the same.
    low, high : the interval of the knee over draws of topics; None unless topics were drawn, and beyond all levels.
    reliable : the least level from which on at least 95 % of the samples exceed the threshold.
    """

    measure: str
    statistic: str
    knee: str | None
    first: str | None
    monotone: bool
    low: str | None
    high: str | None
    reliable: str | None


def knee_rows(study: Study) -> list[KneeRow]:
    """Return a row for each measure and statistic."""
    curves = {name: (study.knees(curve), study.reliable_levels(curve)) for name, curve in _curves(study).items()}
    rows = []
    for m, measure in enumerate(study.experiment.measures):
        for name, (knees, reliable) in curves.items():
            ends: tuple[int | None, int | None] = (None, None)
            if study.intervals is not None and name in study.intervals.knees:
                ends = study.intervals.knees[name][m]
            knee, first, low, high, safe = (
                _text(study, place) for place in (knees[m].knee, knees[m].first, *ends, reliable[m])
            )
            rows.append(KneeRow(measure, name, knee, first, knees[m].monotone, low, high, safe))
    return rows


def knees_for_people(study: Study) -> Table:
    """Return a row for each measure and statistic, marked where a curve is not monotone."""
    rows = knee_rows(study)
    has_intervals = study.intervals is not None
    ends = ("low", "high") if has_intervals else ()
    cells = [
        (
            row.measure,
            row.statistic,
            row.knee if row.monotone else f"{row.knee or ''}*",
            *((row.low, row.high) if has_intervals else ()),
            row.reliable,
        )
        for row in rows
    ]
    heads = ("measure", "statistic", "mean exceeds", *ends, f"{MOST_SAMPLES:.0%} of samples exceed")
    notes = [
        f"The least levels from which on the mean over samples, and {MOST_SAMPLES:.0%} of the samples, exceed "
        f"{THRESHOLD} (blank: none)."
    ]
    if has_intervals:
        notes.append("low, high: the interval of the first over draws of topics (blank: beyond all levels).")
    if not all(row.monotone for row in rows):
        notes.append(f"* The mean exceeds {THRESHOLD} at a lesser level too, and falls again: first in knees.csv.")
    columns = ("measure", "statistic", "knee", *ends, "reliable")
    title = f"least level from which on the mean over samples exceeds {THRESHOLD}"
    return Table(title, columns, cells, n_labels=2, heads=heads, notes=tuple(notes))


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


def tables_for_people(study: Study, notes: tuple[str, ...] = ()) -> Iterator[Table]:
    """Yield what a person reads first: the knees, then each statistic, a row a measure and a column a level.

    Parameters
    ----------
    notes : sentences to stand below the first table.
    """
    knees = knees_for_people(study)
    yield replace(knees, notes=(*knees.notes, *notes))
    n_pairs = comb(len(study.experiment.runs), 2)
    for reference, meaning in REFERENCES.items():
        for name in _SHOWN:
            title = f"{name.replace('_', ' ')}, against {meaning}"
            shown = [study.is_comparable(m, reference, name) for m in range(len(study.experiment.measures))]
            yield _by_level(study, title, study.statistics[reference][name], shown)
            if name == "tau_b":
                title = f"inversions of {n_pairs} pairs of runs, against {meaning}"
                yield _by_level(study, title, study.inversions[reference].astype(np.float64))
    yield _by_level(study, "accuracy of significance decisions, against those under full judgments", study.accuracy)
    yield _by_level(study, "g-mean of significance decisions, against those under full judgments", study.g_mean)
    for name, words in ERRORS_OF_DECISIONS.items():
        rate = study.confusion.columns[name]
        yield _by_level(study, f"{words} ({name} in summary.csv)", np.asarray(rate, np.float64))
    yield _by_level(study, "mean score over runs", study.scores.mean(axis=3))


def spread(of_samples: FloatArray | IntArray) -> float | None:
    """Return the standard deviation of several samples; None for a single one."""
    return float(np.std(of_samples, ddof=1)) if of_samples.size > 1 else None


def _statistics(study: Study, reference: str) -> dict[str, FloatArray | IntArray | None]:
    """Return all statistics; None for those that do not concern this reference."""
    found = study.confusion.columns
    of_decisions = {name: found[name] if reference == "itself" else None for name in DECISIONS}
    return {**study.statistics[reference], **of_decisions, INVERSIONS: study.inversions[reference]}


def _mean_and_spread(statistic: FloatArray | IntArray | None, i: int, m: int) -> list[float | None]:
    """Return the mean over samples and the standard deviation of a statistic at a level, for a measure."""
    return [None, None] if statistic is None else [float(statistic[i, :, m].mean()), spread(statistic[i, :, m])]


def _by_level(study: Study, title: str, of_samples: FloatArray, shown: Sequence[bool] | None = None) -> Table:
    """Return a row for each measure that is shown (None: all of them), with the means over samples of each level."""
    means = of_samples.mean(axis=1)
    rows = tuple(
        (measure, *(float(mean) for mean in means[:, m]))
        for m, measure in enumerate(study.experiment.measures)
        if shown is None or shown[m]
    )
    return Table(title, ("measure", *(level.text for level in study.levels)), rows)

"""What tables and figures show of a study; figures also of one that was read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.lab.studies.run_study import INVERSIONS, LAST, REFERENCES, Study, is_comparable
from irevalx.lab.studies.schemes import Scheme, scheme_of
from irevalx.lab.studies.study_bootstrap import CURVES
from irevalx.orders.replays import Level
from irevalx.reports.table import Table
from irevalx.statistics.bootstrap import FEW_TOPICS, bootstrap_warnings
from irevalx.statistics.bootstrap import STATISTICS as RESAMPLED
from irevalx.statistics.knees import THRESHOLD, first_places, knee_places
from irevalx.statistics.significance import ALPHA

BEYOND = "beyond"
"""The end of the interval of a knee that lies beyond all levels."""

MOST_SAMPLES = 0.95
"""The share of samples that exceed the threshold where a level is called reliable."""

LEAST_SAMPLES = 20
"""From fewer samples it cannot be told whether ``MOST_SAMPLES`` exceed the threshold."""

ERRORS_OF_DECISIONS = {
    "fpr": "of the pairs without a significant difference under full judgments, the share with one under reduced ones",
    "fnr": "of the pairs with a significant difference under full judgments, the share without one under reduced ones",
}
"""The two errors of decisions in words, by their columns. Bompada et al. 2007 call the second kind false positives."""

_SHOWN = ("tau_b", "pearson", "rms", "bias")


class KneeRow(Frozen):
    """From which level on a measure can be trusted, by one statistic; None where there is no such level.

    Parameters
    ----------
    measure, statistic : what is trusted, and by what.
    knee : the least level from which on the mean over samples exceeds the threshold.
    first : the least level at which it does.
    monotone : whether these are the same.
    low, high : the interval of the knee over draws of topics; ``BEYOND`` for an end beyond all levels, None if no
        interval was computed.
    reliable : the least level from which on at least 95 % of the samples exceed the threshold; None for fewer than 20
        samples, too.
    """

    measure: str
    statistic: str
    knee: str | None
    first: str | None
    monotone: bool
    low: str | None
    high: str | None
    reliable: str | None


class StudyScores(Frozen):
    """The scores of all runs.

    Parameters
    ----------
    full : by measure: shape (n_runs,); scores under full judgments.
    reduced : by level, as typed, and measure: shape (n_samples, n_runs).
    average_precision : shape (n_runs,); AP under full judgments. None where it is not known.
    """

    full: Mapping[str, FloatArray]
    reduced: Mapping[tuple[str, str], FloatArray]
    average_precision: FloatArray | None


class StudySummary(Frozen):
    """What a study says of each measure at each level.

    Parameters
    ----------
    name : of the study.
    scheme : how judgments were made incomplete.
    levels : ascending.
    judged : shape (n_levels,); the share of the judgments that is left, in the mean over samples.
    columns : by measure, reference and column of summary.csv: shape (n_levels,), nan where there is nothing.
    about : what study.json says; empty where there is none.
    find_scores : returns the scores; raises as ``read_scores`` does.
    """

    name: str
    scheme: Scheme
    levels: tuple[Level, ...]
    judged: FloatArray
    columns: Mapping[tuple[str, str], Mapping[str, FloatArray]]
    about: Mapping[str, Any]
    find_scores: Callable[[], StudyScores]

    @property
    def axis(self) -> list[tuple[float, str]]:
        """Where each level lies on the axis of figures, and what it is called there."""
        if self.scheme.by_share_judged:
            return [(judged, f"{100 * judged:.2g}%") for judged in self.judged.tolist()]
        return [(float(level.number), level.text) for level in self.levels]

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, each once."""
        return tuple(dict.fromkeys(measure for measure, _ in self.columns))

    @property
    def n_samples(self) -> int | None:
        """How many samples there are at each level; None where nothing says so."""
        return max(1, len(self.about["seeds"])) if "seeds" in self.about else None

    @cached_property
    def scores(self) -> StudyScores:
        """The scores; raises as ``find_scores`` does."""
        return self.find_scores()

    def interval_warnings(self) -> list[str]:
        """Return a line if there are intervals over so few topics that they are too short; unless told, none."""
        n_topics = self.about.get("topics", FEW_TOPICS) if self.about.get("resamples") else FEW_TOPICS
        return [f"{self.name}: {line}" for line in bootstrap_warnings(n_topics)]


def summary_of(study: Study, about: Mapping[str, Any]) -> StudySummary:
    """Return the summary of a study that is in memory.

    Parameters
    ----------
    about : what study.json says.
    """
    measures = study.experiment.measures
    columns: dict[tuple[str, str], dict[str, FloatArray]] = {(one, name): {} for one in measures for name in REFERENCES}
    for reference, statistics in study.statistics.items():
        found = {f"{name}_{of}": x for name, y in statistics.items() for of, x in mean_and_spread(y).items()}
        if study.intervals is not None:
            ends = study.intervals.statistics[reference]
            found |= {f"{one}_{end}": x for one in RESAMPLED for end, x in zip(("low", "high"), ends[one], strict=True)}
            found = {name: found[name] for name in sorted(found, key=lambda name: name.startswith(LAST))}
        for m, measure in enumerate(measures):
            columns[measure, reference] = {name: x[:, m] for name, x in found.items()}

    def scores() -> StudyScores:
        reduced = {
            (level.text, measure): study.scores[i, :, m]
            for i, level in enumerate(study.levels)
            for m, measure in enumerate(measures)
        }
        return StudyScores(dict(zip(measures, study.full, strict=True)), reduced, study.average_precision)

    scheme = scheme_of(study.scheme, [level.text for level in study.levels], in_order=is_in_order(about))
    return StudySummary("study", scheme, study.levels, study.kept.mean(axis=1), columns, about, scores)


def mean_and_spread(of_samples: FloatArray | IntArray) -> dict[str, FloatArray]:
    """Return the mean over samples, and the standard deviation of one sample; nan for a single one.

    Parameters
    ----------
    of_samples : shape (n_levels, n_samples, n_measures).

    Returns
    -------
    ``mean`` and ``sd``, shape (n_levels, n_measures) each.
    """
    values = np.ascontiguousarray(np.moveaxis(of_samples, 1, -1))
    mean: FloatArray = values.mean(axis=-1)
    return {"mean": mean, "sd": values.std(axis=-1, ddof=1) if values.shape[-1] > 1 else np.full(mean.shape, np.nan)}


def scores_table(study: Study) -> Table:
    """Return a row for each level, sample, run and measure; the first rows are those of the full judgments."""
    of_samples = [
        (study.scheme, level.text, s, seed, study.scores[i, s])
        for i, level in enumerate(study.levels)
        for s, seed in enumerate(study.seeds)
    ]
    rows = [
        (*labels, run, measure, score)
        for *labels, scores in [("full", None, None, None, study.full), *of_samples]
        for measure, of_measure in zip(study.experiment.measures, scores.tolist(), strict=True)
        for run, score in zip(study.experiment.runs, of_measure, strict=True)
    ]
    return Table("scores", ("scheme", "level", "sample", "seed", "run", "measure", "score"), rows, n_labels=6)


def samples_table(study: Study) -> Table:
    """Return a row for each level, sample, measure and reference."""
    rows = [
        (study.scheme, level.text, s, seed, measure, reference, *(one[i, s, m].item() for one in of_all.values()))
        for i, level in enumerate(study.levels)
        for s, seed in enumerate(study.seeds)
        for m, measure in enumerate(study.experiment.measures)
        for reference, of_all in study.statistics.items()
    ]
    labels = ("scheme", "level", "sample", "seed", "measure", "against")
    return Table("samples", (*labels, *study.statistics["itself"]), rows, n_labels=len(labels))


def summary_table(summary: StudySummary) -> Table:
    """Return a row for each level, measure and reference: means over samples, and standard deviations (of a sample).

    Where topics were resampled, the ends of the intervals of the means stand after them; ``LAST`` come last.
    """
    rows = [
        (summary.scheme.name, level.text, kept, measure, reference, *(float(values[i]) for values in of_all.values()))
        for i, (level, kept) in enumerate(zip(summary.levels, summary.judged.tolist(), strict=True))
        for (measure, reference), of_all in summary.columns.items()
    ]
    labels = ("scheme", "level", "judged", "measure", "against")
    return Table("summary", (*labels, *next(iter(summary.columns.values()))), rows, n_labels=len(labels))


def knee_rows(study: Study) -> list[KneeRow]:
    """Return a row for each measure and statistic.

    Source of the knees of means: Bompada et al. 2007, Tables 3 and 5. A mean may exceed the threshold where single
    samples do not, and whoever has judgments has a single sample.
    """
    texts, is_enough = [*(level.text for level in study.levels), None], study.kept.shape[1] >= LEAST_SAMPLES
    curves = {}
    for name, (reference, statistic) in CURVES.items():
        of_samples = study.statistics[reference][statistic]
        mean, exceeding = of_samples.mean(axis=1), (of_samples > THRESHOLD).mean(axis=1)
        curves[name] = (
            knee_places(mean),
            first_places(mean),
            knee_places((exceeding >= MOST_SAMPLES).astype(np.float64)),
        )
    rows = []
    for m, measure in enumerate(study.experiment.measures):
        for name, places in curves.items():
            knee, first, reliable = (texts[place[m]] for place in places)
            low, high = None, None
            if study.intervals is not None and name in study.intervals.knees:
                low, high = (BEYOND if end is None else texts[end] for end in study.intervals.knees[name][m])
            rows.append(KneeRow(measure, name, knee, first, knee == first, low, high, reliable if is_enough else None))
    return rows


def knees_for_people(study: Study) -> Table:
    """Return one row per measure and statistic, marked where a curve is not monotone."""
    rows = [row if row.monotone else replace(row, knee=f"{row.knee or ''}*") for row in knee_rows(study)]
    ends = () if study.intervals is None else ("low", "high")
    n_samples, most = study.kept.shape[1], f"{MOST_SAMPLES:.0%} of samples exceed"
    is_enough = n_samples >= LEAST_SAMPLES
    notes = [
        f"The least levels from which on the mean over samples, and {MOST_SAMPLES:.0%} of the samples, exceed "
        f"{THRESHOLD} (blank: none)."
        if is_enough
        else f"The least levels from which on the mean over {n_samples} samples exceeds {THRESHOLD} (blank: none). The "
        f"levels at which {most} need at least {LEAST_SAMPLES} samples."
    ]
    if ends:
        notes.append(
            f"low, high: {1 - ALPHA:.0%} interval of the level before them, over draws of topics ({BEYOND}: beyond all "
            "levels)."
        )
        if any(row.low is None for row in rows):
            notes.append(
                "Blank low and high: not computed; --resample-decisions computes the intervals of accuracy and g-mean."
            )
    if not all(row.monotone for row in rows):
        notes.append(f"* The mean exceeds {THRESHOLD} at a lesser level too, and falls again: first in knees.csv.")
    title = f"least level from which on the mean over samples exceeds {THRESHOLD}"
    every = Table.of(title, KneeRow, rows, n_labels=2, notes=tuple(notes))
    heads = ("measure", "statistic", "mean exceeds", *ends, *([most] if is_enough else []))
    return every.showing("measure", "statistic", "knee", *ends, *(["reliable"] if is_enough else []), heads=heads)


def is_in_order(about: Mapping[str, Any]) -> bool:
    """Return whether a study is of an order of judging, by what study.json says of it."""
    return "batch" in about


def tau_tables(summary: StudySummary) -> list[Table]:
    """Return tau-b with average precision and with the measure itself by level, as means over samples."""
    means = "" if summary.n_samples in {None, 1} else f"Means over {summary.n_samples} samples of judgments. "
    what = f"{means}Kendall's tau-b of the rankings of runs; 1: the same ranking as under full judgments."
    first, last = (_by_level(summary, _title("tau_b", meaning), "tau_b", of) for of, meaning in REFERENCES.items())
    return [first, replace(last, notes=(what,))]


def tables_for_people(study: Study, summary: StudySummary) -> Iterator[Table]:
    """Yield what a person reads after the knees: each statistic, one row per measure and a column for each level."""
    n_pairs = comb(len(study.experiment.runs), 2)
    for reference, meaning in REFERENCES.items():
        for name in _SHOWN:
            yield _by_level(summary, _title(name, meaning), name, reference)
            if name == "tau_b":
                title = f"inversions of {n_pairs} pairs of runs, against {meaning}"
                yield _by_level(summary, title, INVERSIONS, reference)
    of_decisions = "of significance decisions, against those under full judgments"
    yield _by_level(summary, f"accuracy {of_decisions}", "accuracy")
    yield _by_level(summary, f"g-mean {of_decisions}", "g_mean")
    for name, words in ERRORS_OF_DECISIONS.items():
        yield _by_level(summary, f"{words} ({name} in summary.csv)", name)
    means = mean_and_spread(study.scores.mean(axis=3))["mean"].T.tolist()
    rows = [(measure, *of_measure) for measure, of_measure in zip(study.experiment.measures, means, strict=True)]
    yield Table("mean score over runs", ("measure", *(level.text for level in study.levels)), rows)


def _title(statistic: str, reference: str) -> str:
    return f"{statistic.replace('_', ' ')}, against {reference}"


def _by_level(summary: StudySummary, title: str, name: str, reference: str = "itself") -> Table:
    """Return one row per measure of which a statistic means something, with the means over samples of each level."""
    rows = [
        (measure, *summary.columns[measure, reference][f"{name}_mean"].tolist())
        for measure in summary.measures
        if is_comparable(measure, reference, name)
    ]
    return Table(title, ("measure", *(level.text for level in summary.levels)), rows)


_COMPARED = {
    "runs": "runs",
    "judgments": "full judgments",
    "topics": "topics",
    "level": "least relevant grades",
}
"""What study.json says of what a study is about, and what that is called."""


def refuse_different(studies: Sequence[StudySummary]) -> None:
    """Raise UsageError for studies that are not of the same runs and full judgments, as far as study.json says it."""
    for key, what in _COMPARED.items():
        known = [(study.name, study.about[key]) for study in studies if key in study.about]
        for name, value in known[1:]:
            if value != known[0][1]:
                raise UsageError(
                    f"studies on one axis must have the same {what}, but those of {quote(known[0][0])} and "
                    f"{quote(name)} differ: the layout grid is for these"
                )


def measures_in_common(studies: Sequence[StudySummary], asked: Sequence[str]) -> tuple[str, ...]:
    """Return the measures that all studies have, or those asked for.

    Raises
    ------
    UsageError : there are none, or a study lacks one that was asked for.
    """
    if not asked:
        common = tuple(one for one in studies[0].measures if all(one in study.measures for study in studies))
        if not common:
            raise UsageError("the studies must have a measure in common")
        return common
    for measure in asked:
        for study in studies:
            if measure not in study.measures:
                known = " ".join(study.measures)
                raise UsageError(f"a measure must be one of {quote(study.name)} ({known}), but got {quote(measure)}")
    return tuple(dict.fromkeys(asked))

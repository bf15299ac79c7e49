"""Summaries of studies: what tables for people and figures show of one, whether it is in memory or was read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.studies.run_study import REFERENCES, STATISTICS, Study
from irevalx.lab.studies.schemes import Level, Scheme, scheme_of
from irevalx.statistics.bootstrap import FEW_TOPICS, bootstrap_warnings
from irevalx.statistics.bootstrap import STATISTICS as RESAMPLED
from irevalx.statistics.decisions import DECISION_COLUMNS

DECISIONS = ("accuracy", "g_mean", *(name for name in DECISION_COLUMNS if name not in {"accuracy", "g_mean"}))
"""The statistics of decisions, which compare a measure with itself only."""

INVERSIONS = "inversions"
"""The column of numbers of discordant pairs, the last one."""


class StudyScores(Frozen):
    """The scores of all runs.

    Parameters
    ----------
    runs : their names.
    full : by measure: shape (n_runs,); scores under full judgments.
    reduced : by level, as typed, and measure: shape (n_samples, n_runs).
    average_precision : shape (n_runs,); AP under full judgments. None where it is not known.
    """

    runs: tuple[str, ...]
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
        placed = zip(self.levels, self.judged.tolist(), strict=True)
        return [self.scheme.place_of(level, judged) for level, judged in placed]

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


def summary_of(study: Study, about: Mapping[str, Any], name: str = "study") -> StudySummary:
    """Return the summary of a study that is in memory.

    Parameters
    ----------
    about : what study.json says.
    """
    columns: dict[tuple[str, str], dict[str, FloatArray]] = {}
    for reference in REFERENCES:
        parts = {statistic: mean_and_spread(values) for statistic, values in statistics_of(study, reference).items()}
        inversions = parts.pop(INVERSIONS)
        for m, measure in enumerate(study.experiment.measures):
            of_measure = {f"{one}_{what}": x[:, m] for one in parts for what, x in parts[one].items()}
            if study.intervals is not None:
                ends = study.intervals.statistics[reference]
                of_both = {one: zip(("low", "high"), ends[one], strict=True) for one in RESAMPLED}
                of_measure |= {f"{one}_{end}": x[:, m] for one, both in of_both.items() for end, x in both}
            of_measure |= {f"{INVERSIONS}_{what}": x[:, m] for what, x in inversions.items()}
            columns[measure, reference] = of_measure
    ordered = {(measure, one): columns[measure, one] for measure in study.experiment.measures for one in REFERENCES}

    def scores() -> StudyScores:
        named = list(enumerate(study.experiment.measures))
        reduced = {(one.text, name): study.scores[i, :, m] for i, one in enumerate(study.levels) for m, name in named}
        full = {name: study.full[m] for m, name in named}
        return StudyScores(study.experiment.runs, full, reduced, study.average_precision)

    scheme = scheme_of(study.scheme, [level.text for level in study.levels])
    return StudySummary(name, scheme, study.levels, study.judged, ordered, about, scores)


def statistics_of(study: Study, reference: str) -> dict[str, FloatArray | IntArray]:
    """Return all statistics, shape (n_levels, n_samples, n_measures); nan for those not of this reference."""
    found = study.confusion.columns
    nothing = np.full((*study.kept.shape, len(study.experiment.measures)), np.nan)
    of_decisions = {name: found[name] if reference == "itself" else nothing for name in DECISIONS}
    named = {name: study.statistics[reference][name] for name in STATISTICS}
    return {**named, **of_decisions, INVERSIONS: study.inversions[reference]}


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

"""Summaries over samples, from which tables and figures of a study are created."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.lab.command.notes import bootstrap_warnings
from irevalx.lab.studies.schemes import Scheme, scheme_of
from irevalx.lab.studies.simulation import CURVES, INVERSIONS, LAST, REFERENCES, Study, is_comparable
from irevalx.process.platform import as_text
from irevalx.reading.sources.files import CHUNK_SIZE, Source
from irevalx.reports.table import Table
from irevalx.statistics.bootstrap import FEW_TOPICS, THRESHOLD, first_places, knee_places
from irevalx.statistics.significance import ALPHA
from irevalx.strategies.simulation import BudgetLevel

BEYOND = "beyond"  # the bound of a knee's interval that is beyond all levels
MOST_SAMPLES = 0.95  # share of samples that exceed the threshold at a reliable level
LEAST_SAMPLES = 20  # minimum number of samples that can show that ``MOST_SAMPLES`` exceed the threshold

ERRORS_OF_DECISIONS = {
    "fpr": (
        "the share of the pairs without a significant difference under full judgments that have one under reduced "
        "judgments"
    ),
    "fnr": (
        "the share of the pairs with a significant difference under full judgments that have none under reduced "
        "judgments"
    ),
}
"""The descriptions of the two error rates of significance decisions, by column. Bompada et al. 2007 call the errors of
the second kind false positives."""


class KneeRow(NamedTuple):
    """The lowest level from which a measure is reliable according to a statistic, or None if there is no such level."""

    measure: str
    statistic: str
    knee: str | None  # lowest level from which the mean over samples exceeds the threshold
    first: str | None  # lowest level at which the mean exceeds the threshold
    monotone: bool  # whether the knee and the first level are equal
    low: str | None  # interval of the knee over topic resamples, possibly ``BEYOND``; None without resamples
    high: str | None
    reliable: str | None  # the lowest level at and above which 95% of samples exceed it; None for < 20 samples


class StudyScores(Frozen):
    """The values of all runs under full and reduced judgments."""

    full: Mapping[str, FloatArray]  # by measure; shape (n_runs,), under full judgments
    reduced: Mapping[tuple[str, str], FloatArray]  # by level, as typed, and measure; shape (n_samples, n_runs)
    average_precision: FloatArray  # shape (n_runs,); AP under full judgments


class StudySummary(Frozen):
    """The statistics of each measure at each level, from which tables and figures are created."""

    name: str  # name of the study
    scheme: Scheme
    levels: tuple[BudgetLevel, ...]  # in ascending order
    judged: FloatArray  # shape (n_levels,); mean share of judgments that is kept, over samples
    # The values by measure, reference and column of summary.csv, or nan for no value. The shape is (n_levels,).
    columns: Mapping[tuple[str, str], Mapping[str, FloatArray]]
    about: Mapping[str, Any]  # options, inputs and seeds, as in study.json
    scores: StudyScores | None = None  # None if the study was read from study.json

    @property
    def axis(self) -> list[tuple[float, str]]:
        """The position of each level on the axis of figures, and the label of the level."""
        if self.scheme.by_share_judged:
            return [(judged, f"{100 * judged:.2g}%") for judged in self.judged.tolist()]
        return [(float(level.number), level.text) for level in self.levels]

    @property
    def measures(self) -> tuple[str, ...]:
        """The distinct names of the measures."""
        return tuple(dict.fromkeys(measure for measure, _ in self.columns))

    @property
    def n_samples(self) -> int:
        """The number of samples at each level."""
        return max(1, len(self.about["seeds"]))

    def interval_warnings(self) -> list[str]:
        """Return a warning if intervals are too narrow because there are few topics, or an empty list."""
        n_topics = self.about["topics"] if self.about["resamples"] else FEW_TOPICS
        return [f"{self.name}: {line}" for line in bootstrap_warnings(n_topics)]


def summary_of(study: Study, about: Mapping[str, Any]) -> StudySummary:
    """Create the summary of a study in memory. ``about`` is the content of study.json."""
    measures = study.experiment.measures
    columns: dict[tuple[str, str], dict[str, FloatArray]] = {
        (m, reference): {} for m in measures for reference in REFERENCES
    }
    for reference, statistics in study.statistics.items():
        means = {f"{name}_{of}": x for name, y in statistics.items() for of, x in mean_and_spread(y).items()}
        if study.intervals is not None:
            for name, ends in study.intervals.statistics[reference].items():
                means |= {f"{name}_low": ends[0], f"{name}_high": ends[1]}
            means = {name: means[name] for name in sorted(means, key=lambda name: name.startswith(LAST))}
        for m, measure in enumerate(measures):
            columns[measure, reference] = {name: x[:, m] for name, x in means.items()}

    reduced = {
        (level.text, measure): study.scores[i, :, m]
        for i, level in enumerate(study.levels)
        for m, measure in enumerate(measures)
    }
    scores = StudyScores(dict(zip(measures, study.full, strict=True)), reduced, study.average_precision)
    scheme = scheme_of(study.scheme, [level.text for level in study.levels], in_order=is_in_order(about))
    return StudySummary("study", scheme, study.levels, study.judged.mean(axis=1), columns, about, scores)


VERSION = 1
"""The version number of the entry ``summary`` in study.json."""

_READ = ("tau_b_", "pearson_", "rms_")
"""The prefixes of the columns that figures of several studies require."""

_GREATEST = 1e30  # larger than any number in a study


def study_json(summary: StudySummary) -> str:
    """Return the content of study.json: options, inputs, seeds, and the values that ``read_summary`` requires."""
    columns = [
        (*key, {name: _or_null(x) for name, x in of_key.items() if name.startswith(_READ)})
        for key, of_key in summary.columns.items()
    ]
    entry = {
        "version": VERSION,
        "levels": [(level.text, *level.number.as_integer_ratio(), level.is_share) for level in summary.levels],
        "judged": summary.judged.tolist(),
        "columns": columns,
    }
    lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in {**summary.about, "summary": entry}.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _or_null(numbers: FloatArray) -> list[float | None]:
    return [None if math.isnan(number) else number for number in numbers.tolist()]


def read_summary(folder: str, name: str) -> StudySummary:
    """Read the summary of a study from study.json, and give the study a name."""
    path = os.path.join(folder, "study.json")  # noqa: PTH118 - as typed
    where, text = shown_name(path), as_text(b"".join(Source(path).chunks(CHUNK_SIZE)))
    try:
        about = json.loads(text)
        entry = about.pop("summary", {})
        if about["irevalx"] and entry.get("version") != VERSION:
            raise InputError(f"{where}: the study is of another version of irevalx; run irevalx-lab study again")
        levels = tuple(
            BudgetLevel(str(text), Fraction(numerator, denominator), is_share)
            for text, numerator, denominator, is_share in entry["levels"]
        )
        scheme = scheme_of(about["scheme"], [level.text for level in levels], in_order=is_in_order(about))
        columns = {
            (str(measure), reference): {column: _numbers(x, levels) for column, x in of_key.items()}
            for measure, reference, of_key in entry["columns"]
        }
        summary = StudySummary(name, scheme, levels, _numbers(entry["judged"], levels), columns, about)
        _check(summary)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise InputError(f"{where}: the file was not written by irevalx-lab study") from None
    return summary


def _check(summary: StudySummary) -> None:
    """Raise ValueError or another built-in error if a summary lacks values that figures require."""
    about, required = summary.about, {f"{name}{of}" for name in _READ for of in ("mean", "sd")}
    _numbers([float(level.number) for level in summary.levels], summary.levels)
    if (
        not summary.columns
        or {*summary.columns} != {(measure, reference) for measure in summary.measures for reference in REFERENCES}
        or not all(of_key.keys() >= required for of_key in summary.columns.values())
        or not about.keys() >= _COMPARED.keys()
        or [type(about[key]) for key in ("topics", "resamples", "seeds")] != [int, int, list]
    ):
        raise ValueError(about)


def _numbers(given: Sequence[float | None], levels: Sequence[BudgetLevel]) -> FloatArray:
    """Return the number of each level, or nan if it is null. Raise ValueError if a number is missing or too large."""
    numbers = np.array(given, np.float64)
    if numbers.shape != (len(levels),) or (np.abs(numbers) > _GREATEST).any():
        raise ValueError(given)
    return numbers


def mean_and_spread(of_samples: FloatArray | IntArray) -> dict[str, FloatArray]:
    """Return the mean and the standard deviation over samples, which is nan for a single sample.

    The shapes are (n_levels, n_measures).
    """
    values = np.ascontiguousarray(np.moveaxis(of_samples, 1, -1))
    mean: FloatArray = values.mean(axis=-1)
    return {"mean": mean, "sd": values.std(axis=-1, ddof=1) if values.shape[-1] > 1 else np.full(mean.shape, np.nan)}


def scores_table(study: Study) -> Table:
    """Return a table with a row for each level, sample, run and measure. Full judgments come first."""
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
    """Return a table of the statistics, with a row for each level, sample, measure and reference."""
    rows = [
        (study.scheme, level.text, s, seed, measure, reference, *(values[i, s, m].item() for values in of_all.values()))
        for i, level in enumerate(study.levels)
        for s, seed in enumerate(study.seeds)
        for m, measure in enumerate(study.experiment.measures)
        for reference, of_all in study.statistics.items()
    ]
    labels = ("scheme", "level", "sample", "seed", "measure", "against")
    return Table("samples", (*labels, *study.statistics["itself"]), rows, n_labels=len(labels))


def summary_table(summary: StudySummary) -> Table:
    """Return a table of the summary, with a row for each level, measure and reference.

    The columns are means, standard deviations and interval bounds. The statistics in LAST come last.
    """
    rows = [
        (summary.scheme.name, level.text, judged, measure, reference, *(float(values[i]) for values in of_all.values()))
        for i, (level, judged) in enumerate(zip(summary.levels, summary.judged.tolist(), strict=True))
        for (measure, reference), of_all in summary.columns.items()
    ]
    labels = ("scheme", "level", "judged", "measure", "against")
    return Table("summary", (*labels, *next(iter(summary.columns.values()))), rows, n_labels=len(labels))


def knee_rows(study: Study) -> list[KneeRow]:
    """Return the knees of each measure and statistic, as in Bompada et al. (2007), Tables 3 and 5."""
    texts, is_enough = [*(level.text for level in study.levels), None], study.judged.shape[1] >= LEAST_SAMPLES
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
    """Return the displayed table of knees, in which knees of curves that are not monotone are marked."""
    rows = [row if row.monotone else row._replace(knee=f"{row.knee or ''}*") for row in knee_rows(study)]
    ends = () if study.intervals is None else ("low", "high")
    n_samples = study.judged.shape[1]
    is_enough = n_samples >= LEAST_SAMPLES
    notes = [
        f"The lowest levels from which on the mean over samples (knee), and {MOST_SAMPLES:.0%} of the samples "
        f"(reliable), exceed {THRESHOLD} (blank: none)."
        if is_enough
        else f"The lowest levels from which on the mean over {n_samples} samples (knee) exceeds {THRESHOLD} (blank: "
        f"none). The levels from which on {MOST_SAMPLES:.0%} of the samples exceed it (reliable) require at least "
        f"{LEAST_SAMPLES} samples."
    ]
    if ends:
        notes.append(
            f"low, high: {1 - ALPHA:.0%} interval of the knee of tau-b, from resampled topics ({BEYOND}: beyond all "
            "levels); not computed for accuracy and g-mean."
        )
    if not all(row.monotone for row in rows):
        notes.append(
            f"* The mean also exceeds {THRESHOLD} at a lower level, but falls below it again: see first in knees.csv."
        )
    title = f"knees: lowest level from which on the mean over samples exceeds {THRESHOLD}"
    every = Table(title, KneeRow._fields, rows, n_labels=2, notes=tuple(notes))
    columns = ("measure", "statistic", "knee", *ends, *(["reliable"] if is_enough else []))
    return every.showing(*columns, heads=columns)


def is_in_order(about: Mapping[str, Any]) -> bool:
    """Return whether a study.json file describes a study of a judging strategy."""
    return "batch" in about


def tau_tables(summary: StudySummary) -> list[Table]:
    """Return tables of the mean tau-b at each level, against AP and against the measure under full judgments."""
    means = "" if summary.n_samples == 1 else f"Means over {summary.n_samples} samples of judgments. "
    what = f"{means}Kendall's tau-b with the ranking of runs under full judgments (1: the same ranking)."
    first, last = (_by_level(summary, _title("tau_b", meaning), "tau_b", of) for of, meaning in REFERENCES.items())
    return [first, replace(last, notes=(what,))]


def tables_for_people(study: Study, summary: StudySummary) -> Iterator[Table]:
    """Yield a table for each statistic, with a row for each measure and a column for each level."""
    n_pairs = math.comb(len(study.experiment.runs), 2)
    for reference, meaning in REFERENCES.items():
        for name in ("tau_b", "pearson", "rms", "bias"):
            yield _by_level(summary, _title(name, meaning), name, reference)
            if name == "tau_b":
                title = f"inversions of {n_pairs} pairs of runs, against {meaning}"
                yield _by_level(summary, title, INVERSIONS, reference)
    of_decisions = "of significance decisions, against decisions under full judgments"
    yield _by_level(summary, f"accuracy {of_decisions}", "accuracy")
    yield _by_level(summary, f"g-mean {of_decisions}", "g_mean")
    for name, words in ERRORS_OF_DECISIONS.items():
        yield _by_level(summary, f"{words} ({name} in summary.csv)", name)
    means = mean_and_spread(study.scores.mean(axis=3))["mean"].T.tolist()
    rows = [(measure, *of_measure) for measure, of_measure in zip(study.experiment.measures, means, strict=True)]
    yield Table("mean measure value over runs", ("measure", *(level.text for level in study.levels)), rows)


def _title(statistic: str, reference: str) -> str:
    return f"{statistic.replace('_', ' ')}, against {reference}"


def _by_level(summary: StudySummary, title: str, name: str, reference: str = "itself") -> Table:
    """Return a table of a statistic's means over samples, with a row for each measure and a column for each level."""
    rows = [
        (measure, *summary.columns[measure, reference][f"{name}_mean"].tolist())
        for measure in summary.measures
        if is_comparable(measure, reference, name)
    ]
    return Table(title, ("measure", *(level.text for level in summary.levels)), rows)


_COMPARED = {"runs": "runs", "judgments": "full judgments", "topics": "topics", "level": "least relevant grades"}
"""The keys of study.json that must be equal for studies in one figure, each with a phrase for messages."""


def refuse_different(studies: Sequence[StudySummary]) -> None:
    """Raise UsageError if the studies have different runs or full judgments, according to study.json."""
    for key, words in _COMPARED.items():
        known = [(study.name, study.about[key]) for study in studies]
        for name, value in known[1:]:
            if value != known[0][1]:
                raise UsageError(
                    f"studies on one axis must have the same {words}; {quote(known[0][0])} and {quote(name)} differ: "
                    "draw each of them in a figure of its own"
                )


def measures_in_common(studies: Sequence[StudySummary], requested: Sequence[str]) -> tuple[str, ...]:
    """Return the requested measures, or all measures that the studies share if no measures are requested."""
    for measure in requested:
        for study in studies:
            if measure not in study.measures:
                known = " ".join(study.measures)
                raise UsageError(
                    f"study {quote(study.name)} does not contain the measure {quote(measure)}, only {known}"
                )
    common = [measure for measure in studies[0].measures if all(measure in study.measures for study in studies)]
    if not requested and not common:
        raise UsageError("the studies have no measure in common")
    return tuple(dict.fromkeys(requested or common))

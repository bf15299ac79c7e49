"""Scores of studies, read from the folders that irevalx-lab study has written."""

from __future__ import annotations

import csv
import math

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.lab.studies.summary_files import StudySummary, number_of

_COLUMNS = ("level", "sample", "run", "measure", "score")


class StudyScores(Frozen):
    """What scores.csv says of a study.

    Parameters
    ----------
    runs : their names.
    full : by measure: shape (n_runs,); scores under full judgments.
    reduced : by level and measure: shape (n_samples, n_runs).
    """

    runs: tuple[str, ...]
    full: dict[str, FloatArray]
    reduced: dict[tuple[str, str], FloatArray]


def read_scores(study: StudySummary) -> StudyScores:
    """Read the scores of a study, whose summary has been read.

    Raises
    ------
    UnreadableFileError : it has no scores.csv.
    InputError : this is none.
    """
    where = shown_name(study.files.path_of("scores.csv"))
    reader = csv.DictReader(study.files.lines("scores.csv"))
    if not {*_COLUMNS} <= {*(reader.fieldnames or ())}:
        raise InputError(f"{where}: it must be the scores of a study, with the columns {', '.join(_COLUMNS)}")
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for number, row in enumerate(reader, start=2):
        try:
            score = float(row["score"])
        except (TypeError, ValueError):
            raise InputError(f"{where}:{number}: a score must be a number, but got {quote(row['score'])}") from None
        by_sample = found.setdefault((row["level"], row["measure"]), {})
        by_sample.setdefault(row["sample"], []).append(score)
        if row["level"] == "" and row["measure"] == study.measures[0]:
            found.setdefault(("", ""), {}).setdefault(row["run"], [])
    runs = tuple(found.pop(("", ""), {}))
    if {len(scores) for by_sample in found.values() for scores in by_sample.values()} != {len(runs)}:
        raise InputError(f"{where}: it must have a row for each level, sample, run and measure")
    arrays = {key: np.array(list(by_sample.values())) for key, by_sample in found.items()}
    return StudyScores(
        runs,
        {measure: scores[0] for (level, measure), scores in arrays.items() if not level},
        {key: scores for key, scores in arrays.items() if key[0]},
    )


def level_of(study: StudySummary, asked: str | None, usual: float) -> str:
    """Return the level of a study that was asked for, or the one that is nearest to the usual one.

    Raises
    ------
    UsageError : it has none of that number.
    """
    numbers = [number_of(level) for level in study.levels]
    if asked is None:
        distances = [abs(math.log(number / usual)) for number in numbers]
        return study.levels[distances.index(min(distances))]
    try:
        wanted = number_of(asked)
    except (ValueError, ZeroDivisionError):
        wanted = math.nan
    if wanted not in numbers:
        levels = " ".join(study.levels)
        raise UsageError(f"at must be a level of {quote(study.name)} ({levels}), but got {quote(asked)}")
    return study.levels[numbers.index(wanted)]

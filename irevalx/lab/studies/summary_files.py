"""Summaries of studies, read from the folders that irevalx-lab study has written."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.lab.studies.run_study import REFERENCES, SCHEMES, axis_of
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.statistics.bootstrap import FEW_TOPICS, bootstrap_warnings

_LABELS = ("scheme", "level", "judged", "measure", "against")

_DRAWN = tuple(f"{name}_{of}" for name in ("tau_b", "pearson", "rms") for of in ("mean", "sd"))
"""The columns of numbers that figures show; summaries of older versions may lack some."""


class StudySummary(Frozen):
    """What summary.csv says of a study.

    Parameters
    ----------
    name : of the study.
    folder : that has its files.
    scheme : how judgments were made incomplete.
    levels : as they were typed, ascending.
    judged : shape (n_levels,); the share of the judgments that is left, in the mean over samples.
    columns : by measure, reference and column: shape (n_levels,), nan where there is nothing.
    """

    name: str
    folder: str
    scheme: str
    levels: tuple[str, ...]
    judged: FloatArray
    columns: dict[tuple[str, str], dict[str, FloatArray]]

    @property
    def axis(self) -> list[tuple[float, str]]:
        """Where each level lies on the axis of figures, and what it is called there."""
        return axis_of(self.scheme, [(number_of(level), level) for level in self.levels], self.judged.tolist())

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, each once."""
        return tuple(dict.fromkeys(measure for measure, _ in self.columns))


def read_summary(text: str) -> StudySummary:
    """Read the summary of a study.

    Parameters
    ----------
    text : the folder, or a name for the study, ``=`` and the folder.

    Raises
    ------
    UnreadableFileError : it has no summary.csv.
    InputError : this is none.
    """
    name, equals, folder = text.partition("=")
    if not equals:
        name, folder = os.path.basename(text.rstrip(os.sep)) or text, text  # noqa: PTH119 - as typed
    path = os.path.join(folder, "summary.csv")  # noqa: PTH118
    where = shown_name(path)
    lines = b"".join(Source(path).chunks(CHUNK_SIZE)).decode("utf-8", "surrogateescape").splitlines()
    rows = list(csv.DictReader(lines))
    if not rows or (lacking := [name for name in (*_LABELS, *_DRAWN) if name not in rows[0]]):
        without = f", but lacks {', '.join(lacking)}" if rows else ", but has no rows"
        raise InputError(f"{where}: it must be a summary that this version of irevalx-lab study writes{without}")
    if (scheme := rows[0]["scheme"]) not in SCHEMES:
        raise InputError(f"{where}:2: scheme must be one of {', '.join(SCHEMES)}, but got {quote(scheme)}")
    levels = tuple(dict.fromkeys(row["level"] for row in rows))
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    judged: dict[str, float] = {}
    for number, row in enumerate(rows, start=2):
        try:
            numbers = {
                column: number_of(cell) for column, cell in row.items() if column not in _LABELS or column == "judged"
            }
            number_of(row["level"])
        except (TypeError, ValueError, ZeroDivisionError):
            raise InputError(f"{where}:{number}: a row must have numbers behind its labels") from None
        if not 0 < numbers["judged"] <= 1:
            raise InputError(
                f"{where}:{number}: judged must be a share above 0 and at most 1, but got {quote(row['judged'])}"
            )
        judged[row["level"]] = numbers["judged"]
        columns = found.setdefault((row["measure"], row["against"]), {})
        for column, value in numbers.items():
            columns.setdefault(column, []).append(value)
    of_each = {len(values) for columns in found.values() for values in columns.values()}
    if of_each != {len(levels)} or {against for _, against in found} != set(REFERENCES):
        raise InputError(f"{where}: it must have a row for each level, measure and reference")
    arrays = {key: {column: np.array(values) for column, values in columns.items()} for key, columns in found.items()}
    shares = np.array([judged[level] for level in levels])
    return StudySummary(name, folder, rows[0]["scheme"], levels, shares, arrays)


def number_of(text: str) -> float:
    """Read a number, or a share in percent; nan for a blank."""
    if not text:
        return math.nan
    return float(Fraction(text[:-1]) / 100) if text.endswith("%") else float(text)


def interval_warnings(study: StudySummary) -> list[str]:
    """Return a line if a study has intervals over so few topics that they are too short; without study.json, none.

    Raises
    ------
    InputError : there is a study.json that is none.
    """
    path = os.path.join(study.folder, "study.json")  # noqa: PTH118
    if not os.path.exists(path):  # noqa: PTH110
        return []
    try:
        about = json.loads(b"".join(Source(path).chunks(CHUNK_SIZE)))
        n_topics = int(about["topics"]) if about["resamples"] else FEW_TOPICS
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{shown_name(path)}: it must be what irevalx-lab study has written") from None
    return [f"{study.name}: {line}" for line in bootstrap_warnings(n_topics)]


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

"""Summaries of studies, read from the folders that irevalx-lab study has written."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.errors import ArgumentError, InputError, UsageError, quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.studies.run_study import REFERENCES, SCHEMES, axis_of
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.statistics.bootstrap import FEW_TOPICS, bootstrap_warnings

_LABELS = ("scheme", "level", "judged", "measure", "against")

_DRAWN = tuple(f"{name}_{of}" for name in ("tau_b", "pearson", "rms") for of in ("mean", "sd"))
"""The columns of numbers that figures show; summaries of older versions may lack some."""


class StudyFiles(Frozen):
    """The files of a study, in a folder or in memory.

    Parameters
    ----------
    name : of the study.
    folder : that has its files; "" for files in memory.
    texts : the files in memory, by name; None for those of the folder.
    """

    name: str
    folder: str
    texts: Mapping[str, bytes] | None = None

    @classmethod
    def of(cls, given: Any, name: str | None = None) -> StudyFiles:
        """Return the files of a folder, which may stand after a name and ``=``, or of what ``study`` returns.

        Raises
        ------
        ArgumentError : it is neither.
        """
        if hasattr(given, "files"):
            return cls(name or "study", "", given.files())
        if not isinstance(given, str | os.PathLike):
            raise ArgumentError(f"a study must be a folder or what irevalx.lab.study returns, but got {given!r:.60}")
        text = os.fspath(given)
        typed, equals, folder = text.partition("=")
        if name is not None or not equals:
            name = name or os.path.basename(text.rstrip(os.sep)) or text  # noqa: PTH119 - as typed
            return cls(name, text)
        return cls(typed, folder)

    def path_of(self, file: str) -> str:
        """Return the path of a file, to be shown; its name alone where it is in memory."""
        return os.path.join(self.folder, file) if self.texts is None else file  # noqa: PTH118

    def has(self, file: str) -> bool:
        """Return whether there is such a file."""
        return os.path.exists(self.path_of(file)) if self.texts is None else file in self.texts  # noqa: PTH110

    def read(self, file: str) -> bytes:
        """Return what a file holds; raises UnreadableFileError."""
        return b"".join(Source(self.path_of(file)).chunks(CHUNK_SIZE)) if self.texts is None else self.texts[file]

    def lines(self, file: str) -> list[str]:
        """Return the lines of a file; raises UnreadableFileError."""
        return self.read(file).decode("utf-8", "surrogateescape").splitlines()

    @cached_property
    def about(self) -> dict[str, Any] | None:
        """What study.json says; None where there is none.

        Raises
        ------
        InputError : it is no object.
        """
        if not self.has("study.json"):
            return None
        try:
            found = json.loads(self.read("study.json"))
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise InputError(f"{shown_name(self.path_of('study.json'))}: it must be what irevalx-lab study has written")
        return found


class StudySummary(Frozen):
    """What summary.csv says of a study.

    Parameters
    ----------
    files : of the study.
    scheme : how judgments were made incomplete.
    levels : as they were typed, ascending.
    judged : shape (n_levels,); the share of the judgments that is left, in the mean over samples.
    columns : by measure, reference and column: shape (n_levels,), nan where there is nothing.
    """

    files: StudyFiles
    scheme: str
    levels: tuple[str, ...]
    judged: FloatArray
    columns: dict[tuple[str, str], dict[str, FloatArray]]

    @property
    def name(self) -> str:
        """The name of the study."""
        return self.files.name

    @property
    def axis(self) -> list[tuple[float, str]]:
        """Where each level lies on the axis of figures, and what it is called there."""
        return axis_of(self.scheme, [(number_of(level), level) for level in self.levels], self.judged.tolist())

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, each once."""
        return tuple(dict.fromkeys(measure for measure, _ in self.columns))


def read_summary(files: StudyFiles) -> StudySummary:
    """Read the summary of a study.

    Raises
    ------
    UnreadableFileError : it has no summary.csv.
    InputError : this is none.
    """
    where = shown_name(files.path_of("summary.csv"))
    lines = files.lines("summary.csv")
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
            raise InputError(f"{where}:{number}: a row must have numbers after its labels") from None
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
    return StudySummary(files, rows[0]["scheme"], levels, shares, arrays)


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
    about = study.files.about
    if about is None:
        return []
    try:
        n_topics = int(about["topics"]) if about["resamples"] else FEW_TOPICS
    except (ValueError, KeyError, TypeError):
        where = shown_name(study.files.path_of("study.json"))
        raise InputError(f"{where}: it must be what irevalx-lab study has written") from None
    return [f"{study.name}: {line}" for line in bootstrap_warnings(n_topics)]


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
        known = [(study.name, about[key]) for study in studies if key in (about := study.files.about or {})]
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

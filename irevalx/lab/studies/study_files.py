"""Studies read from the folders that irevalx-lab study writes."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from irevalx.errors import ArgumentError, InputError, quote, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.lab.studies.run_study import REFERENCES
from irevalx.lab.studies.schemes import NAMES, Scheme, scheme_of
from irevalx.lab.studies.summaries import StudyScores, StudySummary, is_in_order
from irevalx.orders.replays import BudgetLevel
from irevalx.process.system import SEPARATORS, as_text
from irevalx.reading.source import CHUNK_SIZE, Source

_LABELS = ("scheme", "level", "judged", "measure", "against")

_DRAWN = tuple(f"{name}_{of}" for name in ("tau_b", "pearson", "rms") for of in ("mean", "sd"))
"""The columns that figures need; summaries of older versions lack other columns."""

_SCORES = ("level", "sample", "run", "measure", "score")

_NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.ASCII)

_GREATEST = 1e30  # no number of a study is greater

_ABOUT = {"runs": list, "seeds": list, "judgments": str, "topics": int, "level": int, "resamples": int}
"""The entries of study.json that figures need, and their types."""


class StudyFolder(Frozen):
    """A folder with the files of a study."""

    name: str  # of the study
    folder: str  # the path

    @classmethod
    def of(cls, text: str, name: str | None = None) -> StudyFolder:
        """Return a folder, given as ``NAME=FOLDER`` or by its path alone."""
        typed, equals, folder = text.partition("=")
        if name is not None or not equals:
            return cls(name or os.path.basename(text.rstrip(SEPARATORS)) or text, text)  # noqa: PTH119 - as typed
        return cls(typed, folder)

    def path_of(self, file: str) -> str:
        """Return the path of a file."""
        return os.path.join(self.folder, file)  # noqa: PTH118

    def text_of(self, file: str) -> str:
        """Return the content of a file."""
        return as_text(b"".join(Source(self.path_of(file)).chunks(CHUNK_SIZE)))

    def about(self) -> dict[str, Any]:
        """Return study.json; empty if there is none."""
        if not os.path.exists(self.path_of("study.json")):  # noqa: PTH110
            return {}
        try:
            about = json.loads(self.text_of("study.json"))
        except (ValueError, RecursionError):
            about = None
        if not isinstance(about, dict) or not {"topics", "resamples"} <= about.keys() or not _are_typed(about):
            raise InputError(f"{shown_name(self.path_of('study.json'))}: the file was not written by irevalx-lab study")
        return about

    def rows(self, file: str, what: str, columns: Sequence[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield the place of each row of a table (described in words) and its fields by required and other columns."""
        where = shown_name(self.path_of(file))
        reader = csv.reader(io.StringIO(self.text_of(file), newline=""))
        try:
            header = next(reader, [])
            if lacking := [name for name in columns if name not in header]:
                raise InputError(f"{where}: it must be {what} of irevalx-lab study, but lacks {', '.join(lacking)}")
            for row in reader:
                place = f"{where}:{reader.line_num}"
                if len(row) != len(header):
                    raise InputError(f"{place}: a row must have {len(header)} fields, but has {len(row)}")
                yield place, dict(zip(header, row, strict=True))
        except csv.Error as error:
            raise InputError(f"{where}:{reader.line_num}: it must be comma-separated values: {error}") from None


def _are_typed(about: Mapping[str, Any]) -> bool:
    """Return whether the entries that figures need have their types, and lists contain only names and numbers."""
    known = {key: about[key] for key in _ABOUT if key in about}
    items = [item for value in known.values() if isinstance(value, list) for item in value]
    return all(type(value) is _ABOUT[key] for key, value in known.items()) and {*map(type, items)} <= {str, int}


def read_summary(folder: StudyFolder) -> StudySummary:
    """Read the summary of a study."""
    where = shown_name(folder.path_of("summary.csv"))
    by_line: dict[tuple[str, str], dict[str, list[float]]] = {}
    judged: dict[str, float] = {}
    schemes: set[str] = set()
    for place, row in folder.rows("summary.csv", "a summary of this version", (*_LABELS, *_DRAWN)):
        schemes.add(row["scheme"])
        if row["scheme"] not in NAMES or len(schemes) > 1:
            rule = f"one of {', '.join(NAMES)}" if len(schemes) == 1 else "that of the other rows"
            raise InputError(f"{place}: scheme must be {rule}, but got {quote(row['scheme'])}")
        share = _number_of(place, row["judged"])
        if not 0 <= share <= 1:
            raise InputError(f"{place}: judged must be a share from 0 to 1, but got {quote(row['judged'])}")
        judged[row["level"]] = share
        columns = by_line.setdefault((row["measure"], row["against"]), {})
        for column in [column for column in row if column not in _LABELS]:
            columns.setdefault(column, []).append(_number_of(place, row[column]))
    lengths = {len(values) for columns in by_line.values() for values in columns.values()}
    measures = list(dict.fromkeys(measure for measure, _ in by_line))
    expected = {(measure, reference) for measure in measures for reference in REFERENCES}
    if lengths != {len(judged)} or by_line.keys() != expected:
        raise InputError(f"{where}: it must have a row for each level, measure and reference")
    about = folder.about()
    scheme = scheme_of(schemes.pop(), list(judged), in_order=is_in_order(about))
    return StudySummary(
        folder.name,
        scheme,
        _levels(where, scheme, list(judged)),
        np.array(list(judged.values())),
        {key: {column: np.array(values) for column, values in columns.items()} for key, columns in by_line.items()},
        about,
        partial(_read_scores, folder, list(judged), measures),
    )


def _levels(where: str, scheme: Scheme, texts: Sequence[str]) -> tuple[BudgetLevel, ...]:
    """Return levels by their texts; a share can also be written like a Python float."""
    try:
        given = [
            text if scheme.of_depth or scheme.order or text.endswith("%") else _number_of(where, text) for text in texts
        ]
        return tuple(replace(level, text=text) for text, level in zip(texts, scheme.levels(given), strict=True))
    except ArgumentError as error:
        raise InputError(f"{where}: {error.message}") from None


def _read_scores(folder: StudyFolder, levels: Sequence[str], measures: Sequence[str]) -> StudyScores:
    """Read the values of a study, for the levels and measures of its summary."""
    by_sample: dict[tuple[str, str], dict[str, dict[str, float]]] = {}  # by level and measure; full judgments: level ""
    for place, row in folder.rows("scores.csv", "the scores", _SCORES):
        samples = by_sample.setdefault((row["level"], row["measure"]), {})
        samples.setdefault(row["sample"], {})[row["run"]] = _number_of(place, row["score"])
    runs = {tuple(of_run) for samples in by_sample.values() for of_run in samples.values()}
    n_samples = {len(samples) for (level, _), samples in by_sample.items() if level}
    expected = {(level, measure) for level in ("", *levels) for measure in measures}
    if by_sample.keys() != expected or len(runs) != 1 or () in runs or len(n_samples) != 1:
        where = shown_name(folder.path_of("scores.csv"))
        raise InputError(f"{where}: it must have a row for each level, sample, run and measure")
    arrays = {
        key: np.array([list(of_run.values()) for of_run in samples.values()]) for key, samples in by_sample.items()
    }
    full = {measure: scores[0] for (level, measure), scores in arrays.items() if not level}
    reduced = {key: scores for key, scores in arrays.items() if key[0]}
    return StudyScores(full, reduced, full.get("map"))


def _number_of(where: str, text: str) -> float:
    """Read a number, nan for a blank; refuse numbers that are too great for figures."""
    if not text:
        return math.nan
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not abs(number) <= _GREATEST:
        raise InputError(f"{where}: it must be a number up to {_GREATEST:g}, but got {quote(text)}")
    return number

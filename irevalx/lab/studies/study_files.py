"""Studies read again from the folders that irevalx-lab study has written."""

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
from irevalx.orders.replays import Level
from irevalx.process.system import SEPARATORS, as_text
from irevalx.reading.source import CHUNK_SIZE, Source

_LABELS = ("scheme", "level", "judged", "measure", "against")

_DRAWN = tuple(f"{name}_{of}" for name in ("tau_b", "pearson", "rms") for of in ("mean", "sd"))
"""The columns of numbers that figures show; summaries of older versions may lack some."""

_SCORES = ("level", "sample", "run", "measure", "score")

_NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.ASCII)

_GREATEST = 1e30
"""No number of a study is greater, and figures have no room for it."""

_ABOUT = {"runs": list, "seeds": list, "judgments": str, "topics": int, "level": int, "resamples": int}
"""What figures need of study.json, and of which type it is."""


class StudyFolder(Frozen):
    """A folder with the files of a study.

    Parameters
    ----------
    name : of the study.
    folder : its path.
    """

    name: str
    folder: str

    @classmethod
    def of(cls, text: str, name: str | None = None) -> StudyFolder:
        """Return a folder, which may stand after a name and ``=`` unless it has one."""
        typed, equals, folder = text.partition("=")
        if name is not None or not equals:
            return cls(name or os.path.basename(text.rstrip(SEPARATORS)) or text, text)  # noqa: PTH119 - as typed
        return cls(typed, folder)

    def path_of(self, file: str) -> str:
        """Return the path of a file."""
        return os.path.join(self.folder, file)  # noqa: PTH118

    def text_of(self, file: str) -> str:
        """Return what a file holds; raises UnreadableFileError."""
        return as_text(b"".join(Source(self.path_of(file)).chunks(CHUNK_SIZE)))

    def about(self) -> dict[str, Any]:
        """Return what study.json says; nothing where there is none.

        Raises
        ------
        InputError : it is not what a study writes.
        """
        if not os.path.exists(self.path_of("study.json")):  # noqa: PTH110
            return {}
        try:
            found = json.loads(self.text_of("study.json"))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or not {"topics", "resamples"} <= found.keys() or not _are_typed(found):
            raise InputError(f"{shown_name(self.path_of('study.json'))}: it must be what irevalx-lab study has written")
        return found

    def rows(self, file: str, what: str, columns: Sequence[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield where each row of a table is, and its fields by their columns.

        Parameters
        ----------
        what : the table, in words.
        columns : that it must have; it may have others.

        Raises
        ------
        UnreadableFileError : the file cannot be read.
        InputError : a column is missing, or a row is shorter or longer than the header.
        """
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
    """Return whether what figures need of study.json is of its type, and lists have names and numbers alone."""
    known = {key: about[key] for key in _ABOUT if key in about}
    listed = [one for value in known.values() if isinstance(value, list) for one in value]
    return all(type(value) is _ABOUT[key] for key, value in known.items()) and {*map(type, listed)} <= {str, int}


def read_summary(folder: StudyFolder) -> StudySummary:
    """Read the summary of a study.

    Raises
    ------
    UnreadableFileError : it has no summary.csv.
    InputError : this is none.
    """
    where = shown_name(folder.path_of("summary.csv"))
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
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
        columns = found.setdefault((row["measure"], row["against"]), {})
        for column in [column for column in row if column not in _LABELS]:
            columns.setdefault(column, []).append(_number_of(place, row[column]))
    lengths = {len(values) for columns in found.values() for values in columns.values()}
    measures = list(dict.fromkeys(measure for measure, _ in found))
    if lengths != {len(judged)} or found.keys() != {(measure, one) for measure in measures for one in REFERENCES}:
        raise InputError(f"{where}: it must have a row for each level, measure and reference")
    about = folder.about()
    scheme = scheme_of(schemes.pop(), list(judged), in_order=is_in_order(about))
    return StudySummary(
        folder.name,
        scheme,
        _levels(where, scheme, list(judged)),
        np.array(list(judged.values())),
        {key: {column: np.array(values) for column, values in columns.items()} for key, columns in found.items()},
        about,
        partial(_read_scores, folder, list(judged), measures),
    )


def _levels(where: str, scheme: Scheme, texts: Sequence[str]) -> tuple[Level, ...]:
    """Return levels by their texts; a share may stand there as Python writes a float."""
    try:
        given = [
            text if scheme.of_depth or scheme.order or text.endswith("%") else _number_of(where, text) for text in texts
        ]
        return tuple(replace(one, text=text) for text, one in zip(texts, scheme.levels(given), strict=True))
    except ArgumentError as error:
        raise InputError(f"{where}: {error.message}") from None


def _read_scores(folder: StudyFolder, levels: Sequence[str], measures: Sequence[str]) -> StudyScores:
    """Read the scores of a study, for the levels and measures of its summary; raises as ``read_summary`` does."""
    found: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for place, row in folder.rows("scores.csv", "the scores", _SCORES):
        by_sample = found.setdefault((row["level"], row["measure"]), {})
        by_sample.setdefault(row["sample"], {})[row["run"]] = _number_of(place, row["score"])
    runs = tuple(next(iter(found["", measure].values())) for measure in measures if ("", measure) in found)
    names = tuple(runs[0]) if runs else ()
    wanted = {(level, measure) for level in ("", *levels) for measure in measures}
    alike = {tuple(of_run) for by_sample in found.values() for of_run in by_sample.values()}
    samples = {len(by_sample) for (level, _), by_sample in found.items() if level}
    if found.keys() != wanted or alike != {names} or len(samples) != 1:
        where = shown_name(folder.path_of("scores.csv"))
        raise InputError(f"{where}: it must have a row for each level, sample, run and measure")
    arrays = {
        key: np.array([list(of_run.values()) for of_run in by_sample.values()]) for key, by_sample in found.items()
    }
    full = {measure: scores[0] for (level, measure), scores in arrays.items() if not level}
    reduced = {key: scores for key, scores in arrays.items() if key[0]}
    return StudyScores(full, reduced, full.get("map"))


def _number_of(where: str, text: str) -> float:
    """Read a number, nan for a blank; raises InputError where it is none, or too great for figures."""
    if not text:
        return math.nan
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not abs(number) <= _GREATEST:
        raise InputError(f"{where}: it must be a number up to {_GREATEST:g}, but got {quote(text)}")
    return number

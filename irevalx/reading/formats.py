"""What a line of each file format means: FORMATS has one row a format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from irevalx.compat import Compat
from irevalx.errors import FormatError, MalformedLineError, quote, shown_name
from irevalx.judgments import Judgments, group_by_topic
from irevalx.numerals import OddNumbers, c_double, c_long
from irevalx.reading.source import read_blocks
from irevalx.runs import Run
from irevalx.segments import FloatArray, IntArray

Warn = Callable[[str], None]
"""Takes one line for the user's eyes, without prefix or newline."""

Number = TypeVar("Number", int, float)
Data = TypeVar("Data", Judgments, Run)

_PLAIN_LONG = b"0123456789+-"
_PLAIN_DOUBLE = b"0123456789+-.eE"


@dataclass(frozen=True)
class Format(Generic[Data]):
    """A file format: how to read it and how to explain it.

    Parameters
    ----------
    name : what ``-R`` or ``-T`` calls it.
    columns : the columns of a line, as shown to the user.
    example : one line.
    prose : what the columns mean, one paragraph each.
    read : path, compat, strict, warn -> data.
    """

    name: str
    columns: str
    example: str
    prose: tuple[str, ...]
    read: Callable[[str, Compat, bool, Warn], Data]


def read_qrels(path: str, compat: Compat, strict: bool, warn: Warn) -> Judgments:
    """Read judgments, ``topic ignored docno grade`` a line.

    Parameters
    ----------
    path : a file name, or ``-`` for standard input.
    compat : whether lines that start with ``#`` are comments.
    strict : refuse grades that are not whole numbers of at most 64 bits, rather than reading them as C does.
    warn : told of such grades.

    Raises
    ------
    UnreadableFileError, MalformedLineError : a blank line is malformed too, as in trec_eval.
    InputError : under ``strict``.
    """
    lines = _Lines(path)
    for number, line in _numbered_lines(path):
        if compat.comments and line.startswith(b"#"):
            continue
        fields = line.split()
        if len(fields) != 4:
            problem = f"a judgment must have 4 columns (topic, ignored, document, grade), but got {quote(line)}"
            if len(fields) == 6:
                problem += ": is this a run? QRELS comes first"
            raise MalformedLineError(shown_name(path), number, problem)
        lines.add(number, fields[0], fields[2], fields[3])
    grades = _read_longs(lines, OddNumbers("grade", strict=strict), warn)
    ascending, rows, order = group_by_topic(lines.topics)
    numbers = np.array(lines.numbers, np.int64)[order]
    return Judgments(path, ascending, rows, [lines.docnos[i] for i in order], grades[order], numbers)


def read_trec_results(path: str, compat: Compat, strict: bool, warn: Warn) -> Run:
    """Read a run, ``topic ignored docno ignored score tag`` a line; anything behind the tag is ignored.

    Parameters
    ----------
    path : a file name, or ``-`` for standard input.
    compat : the precision of scores, and whether lines that start with ``#`` are comments.
    strict : refuse scores that are not finite numbers, rather than reading them as C does.
    warn : told of such scores.

    Raises
    ------
    UnreadableFileError, MalformedLineError : blank lines are skipped, as in trec_eval.
    InputError : under ``strict``.
    """
    lines = _Lines(path)
    tag = b""
    for number, line in _numbered_lines(path):
        fields = line.split(None, 6)
        if not fields or (compat.comments and fields[0].startswith(b"#")):
            continue
        if len(fields) < 6:
            columns = "6 columns (topic, ignored, document, rank, score, tag)"
            problem = f"a line of a run must have {columns}, but got {quote(line)}"
            raise MalformedLineError(shown_name(path), number, problem)
        lines.add(number, fields[0], fields[2], fields[4])
        tag = fields[5]
    scores = _read_doubles(lines, OddNumbers("score", strict=strict), warn)
    if compat.single_precision_scores:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    ascending, rows, order = group_by_topic(lines.topics)
    numbers = np.array(lines.numbers, np.int64)[order]
    return Run(path, tag, ascending, rows, [lines.docnos[i] for i in order], scores[order], numbers)


class _Lines:
    """The columns that matter, and the 1-based numbers of their lines."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.numbers: list[int] = []
        self.topics: list[bytes] = []
        self.docnos: list[bytes] = []
        self.values: list[bytes] = []

    def add(self, number: int, topic: bytes, docno: bytes, value: bytes) -> None:
        self.numbers.append(number)
        self.topics.append(topic)
        self.docnos.append(docno)
        self.values.append(value)

    def where(self, place: int) -> str:
        topic, docno = quote(self.topics[place]), quote(self.docnos[place])
        return f"{shown_name(self.path)}:{self.numbers[place]}: topic {topic}: document {docno}"


def _numbered_lines(path: str) -> Iterator[tuple[int, bytes]]:
    number = 0
    for block in read_blocks(path):
        nul = block.find(b"\0")
        if nul >= 0:
            line = number + 1 + block.count(b"\n", 0, nul)
            text = block[block.rfind(b"\n", 0, nul) + 1 : block.find(b"\n", nul)]
            raise MalformedLineError(shown_name(path), line, f"a line must not hold a NUL byte, but got {quote(text)}")
        lines = block[:-1].split(b"\n")
        yield from enumerate(lines, number + 1)
        number += len(lines)


def _read_longs(lines: _Lines, odd: OddNumbers, warn: Warn) -> IntArray:
    """Convert a column of integers: at Python's pace where every text is plain, otherwise as C would."""
    if not b"".join(lines.values).translate(None, _PLAIN_LONG):
        with suppress(ValueError, OverflowError):
            return np.array([int(text) for text in lines.values], np.int64)
    return np.array(_read_as_c(lines, c_long, odd, warn), np.int64)


def _read_doubles(lines: _Lines, odd: OddNumbers, warn: Warn) -> FloatArray:
    """Convert a column of real numbers: at Python's pace where every text is plain, otherwise as C would."""
    if not b"".join(lines.values).translate(None, _PLAIN_DOUBLE):
        with suppress(ValueError):
            values = np.array([float(text) for text in lines.values], np.float64)
            if np.isfinite(values).all():
                return values
    return np.array(_read_as_c(lines, c_double, odd, warn), np.float64)


def _read_as_c(
    lines: _Lines, read: Callable[[bytes], tuple[Number, bool]], odd: OddNumbers, warn: Warn
) -> list[Number]:
    values = []
    for place, text in enumerate(lines.values):
        value, plain = read(text)
        if not plain:
            odd.add(lines.where(place), quote(text), value)
        values.append(value)
    if message := odd.message():
        warn(message)
    return values


QRELS = Format(
    name="qrels",
    columns="TOPIC IGNORED DOCNO GRADE",
    example="301 0 FBIS3-10082 1",
    prose=(
        "A grade is a whole number. Grades of at least -l (1 unless told otherwise) are relevant, grades from 0 up to "
        "it are not relevant, and a negative grade says that the document was pooled but not judged.",
        "Columns are separated by spaces or tabs. Topics may come in any order. A blank line is an error.",
    ),
    read=read_qrels,
)

TREC_RESULTS = Format(
    name="trec_results",
    columns="TOPIC IGNORED DOCNO RANK SCORE TAG",
    example="301 Q0 FBIS3-10082 1 12.87 mysystem",
    prose=(
        "Documents are ranked by SCORE, the highest first; equal scores by DOCNO, the last in byte order first. The "
        "RANK column is ignored, and so is everything behind TAG, the name of the run.",
        "Columns are separated by spaces or tabs. Lines may come in any order. Blank lines are skipped, and so are "
        "lines that start with # unless --compat 9 is given.",
    ),
    read=read_trec_results,
)

REL_FORMATS = {QRELS.name: QRELS}
"""The formats of judgments, by the name that ``-R`` takes."""

RESULTS_FORMATS = {TREC_RESULTS.name: TREC_RESULTS}
"""The formats of runs, by the name that ``-T`` takes."""

UNREAD_REL_FORMATS = ("qrels_jg", "prefs", "qrels_prefs")
"""Formats of trec_eval that irevalx does not read yet."""


def rel_format(name: str) -> Format[Judgments]:
    """Return the format of judgments with this name.

    Raises
    ------
    FormatError : there is none.
    """
    if name in UNREAD_REL_FORMATS:
        raise FormatError(f"judgments in the format {quote(name)} (-R) are not supported yet; irevalx reads qrels")
    if name not in REL_FORMATS:
        raise FormatError(
            f"the format of judgments (-R) must be one of {', '.join(REL_FORMATS)}, but got {quote(name)}"
        )
    return REL_FORMATS[name]


def results_format(name: str) -> Format[Run]:
    """Return the format of runs with this name.

    Raises
    ------
    FormatError : there is none.
    """
    if name not in RESULTS_FORMATS:
        raise FormatError(f"the format of runs (-T) must be {', '.join(RESULTS_FORMATS)}, but got {quote(name)}")
    return RESULTS_FORMATS[name]

"""Hints of messages: what a malformed line, number or file looks like, and what to do.

A format is named only if the lines can be read in it: they are read, to find out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from irevalx.errors import IrevalxError
from irevalx.reading.file_format import FileFormat, FileKind
from irevalx.reading.formats import FILE_FORMATS
from irevalx.reading.layout import Layout
from irevalx.reading.source import NEWLINE, Source
from irevalx.reading.tables.tables import is_known_name
from irevalx.trec_eval.versions import TREC_EVAL_10

# Texts, as each start of the command would compile them.
_WHOLE = rb"[+-]?[0-9]+"
_UTF_16 = rb"(?:[\t -~]\0){3}"
"""Letters of ASCII in UTF-16."""

_OBJECT_OF_OBJECTS = rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{'
"""How a JSON object of objects begins."""

_ID_COLUMNS = frozenset({"IGNORED", "GROUP", "SUBGROUP", "STRATUM", "SUBTOPIC"})

_SEPARATORS = ((b",", "commas"), (b";", "semicolons"), (b"|", "bars"))

KINDS_OF_FILES: tuple[tuple[bytes, str], ...] = (
    (b'\x04"M\x18', "an lz4 file; decompress it with lz4 -d"),
    (b"\x02!L\x18", "an lz4 file; decompress it with lz4 -d"),
    (b"\x93NUMPY", "a numpy array (.npy); write its values as lines of text"),
    (b"\x80\x02", "a pickle (.pkl); in Python, load it and pass the dictionary to irevalx.evaluate"),
    (b"\x80\x03", "a pickle (.pkl); in Python, load it and pass the dictionary to irevalx.evaluate"),
    (b"\x80\x04", "a pickle (.pkl); in Python, load it and pass the dictionary to irevalx.evaluate"),
    (b"\x80\x05", "a pickle (.pkl); in Python, load it and pass the dictionary to irevalx.evaluate"),
    (b"PK\x03\x04", "a zip archive (or .npz, .xlsx); extract the file with unzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; extract the file with 7z x"),
    (b"\x1f\x9d", "a file of compress (.Z); decompress it with gzip -d"),
    (b"\xff\x06\x00\x00sNaPpY", "a snappy file; decompress it"),
    (b"ARROW1\x00\x00", "a Feather (Arrow IPC) file; save the table as Parquet"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file; save the table as Parquet or as lines of text"),
    (b"SQLite format 3\x00", "an SQLite database; export the table as Parquet or as lines of text"),
    (b"%PDF-", "a PDF file"),
)
"""How files begin that are no text, and what a message says of each."""

NUMBER_HINTS: tuple[tuple[bytes, str], ...] = (
    (rb"""(["']).*\1""", "; remove the quotes"),
    (rb"[Ll][0-9]", "; is this an NTCIR grade (L0 to L4)? remove the letter L: sed 's/L\\([0-9]\\)$/\\1/'"),
    (rb"[+-]?[0-9]+,[0-9]+", "; write a decimal point for the comma"),
)
"""Texts in the place of a number, and what a message says of each."""


_IS_TRYING: ContextVar[bool] = ContextVar("is trying", default=False)
"""Whether lines are being read to find out whether they can be: what fails then needs no hint."""


def judgments_hint(lines: bytes, layout: Layout) -> str:
    """Return what lines look like of which the first is no judgment in a layout; "" where it is nothing known."""
    return _hint(lines, layout, FileKind.JUDGMENTS, "is this a run? QRELS comes first")


def run_hint(lines: bytes, layout: Layout) -> str:
    """Return what lines look like of which the first is no line of a run in a layout; "" where it is nothing known."""
    return _hint(lines, layout, FileKind.RUNS, "are these judgments? QRELS comes first")


def number_hint(text: bytes, fields: Sequence[bytes], *, is_first: bool) -> str:
    """Return what a message says of a text in the place of a number.

    Parameters
    ----------
    fields : of its line.
    is_first : whether the line is the first of a file.
    """
    if is_first and sum(is_known_name(field) for field in fields) >= min(3, len(fields)):
        return "; is this a header? remove the line"
    if len(fields) == 4 and text in fields[1:3]:
        return "; is this the winner of two documents? give -R pairs"
    return next((hint for pattern, hint in NUMBER_HINTS if re.fullmatch(pattern, text)), "")


def looks_like_judgments(line: bytes) -> bool:
    """Return whether a line can be one of qrels."""
    return any(fmt.name == "qrels" for fmt in _readable(line, FileKind.JUDGMENTS))


def kind_of_file(beginning: bytes) -> str:
    """Return what a file is that begins so; "" where it may be text."""
    return next((f"this is {kind}" for start, kind in KINDS_OF_FILES if beginning.startswith(start)), "")


def encoding_hint(text: bytes) -> str:
    """Return what the beginning of a file or of a line that is not UTF-8 looks like; "" where it is nothing known."""
    marked = text.startswith((b"\xff\xfe", b"\xfe\xff"))
    if marked or any(re.match(_UTF_16, text[start : start + 6]) for start in (0, 1)):
        return "is this UTF-16? it must be UTF-8, as iconv -f UTF-16 -t UTF-8 makes it"
    return kind_of_file(text)


def looks_like_json(text: bytes) -> bool:
    """Return whether a line or a topic begins as a JSON object does."""
    return text.lstrip().startswith(b"{")


def _hint(lines: bytes, layout: Layout, kind: FileKind, of_the_other: str) -> str:
    """Return what lines look like: separated otherwise, in another format of the same kind, or of the other kind."""
    line = lines.partition(NEWLINE)[0]
    fields = line.split()
    if _IS_TRYING.get():
        return ""
    if separator := _separator(line, fields, layout):
        return separator
    if re.match(_OBJECT_OF_OBJECTS, lines):
        return f"is this JSON? give {kind.value} json"
    readable = [fmt for fmt in _readable(lines, kind) if fmt.layout is not layout]
    if readable:
        each = [f"{fmt.usage} if the columns are {_columns_of(fmt, len(fields))}" for fmt in readable]
        return "give " + ", or ".join(each)
    other = FileKind.RUNS if kind is FileKind.JUDGMENTS else FileKind.JUDGMENTS
    usual = "trec_results" if other is FileKind.RUNS else "qrels"
    return of_the_other if any(fmt.name == usual for fmt in _readable(lines, other)) else ""


def _separator(line: bytes, fields: Sequence[bytes], layout: Layout) -> str:
    """Return what is wrong with the separators of a line; "" where there is nothing."""
    numbers = {len(columns.split()) for columns in layout.columns}
    if len(line.strip().split(b"\t")) in numbers and len(fields) not in numbers:
        blank = next((field for field in line.split(b"\t") if len(field.split()) > 1), b"")
        if blank:
            return (
                "the columns between tabs are right, but an id contains a blank, which separates columns too; replace "
                "blanks in ids"
            )
    if len(fields) < min(numbers):
        for separator, word in _SEPARATORS:
            if line.count(separator) >= min(numbers) - 1:
                return f"columns must be separated by spaces or tabs, not by {word}"
    return ""


def _readable(lines: bytes, kind: FileKind) -> list[FileFormat[Any]]:
    """Return the formats of a kind in which lines can be read; of those with the same columns the first."""
    found: dict[tuple[str, ...], FileFormat[Any]] = {}
    whole = lines[: lines.rfind(NEWLINE) + 1] or lines
    for fmt in FILE_FORMATS:
        layout = fmt.layout
        if fmt.kind is kind and layout and _shape(layout) not in found and _can_be_read(whole, fmt, layout):
            found[_shape(layout)] = fmt
    return list(found.values())


def _shape(layout: Layout) -> tuple[str, ...]:
    """Return the numbers and columns that lines have, but for the names of columns that hold any word."""
    return tuple(" ".join("ID" if name in _ID_COLUMNS else name for name in one.split()) for one in layout.columns)


def _can_be_read(lines: bytes, fmt: FileFormat[Any], layout: Layout) -> bool:
    """Return whether lines can be read in a format, no document twice, with ids in the place of ids."""
    token = _IS_TRYING.set(True)
    try:
        data: Any = fmt.read(Source("", lines), TREC_EVAL_10, True, lambda line: None)
        if fmt.kind is FileKind.RUNS:
            data.results()
        elif data.failures(data.documents.topics):
            return False
    except IrevalxError:
        return False
    finally:
        _IS_TRYING.reset(token)
    rows = [line.split() for line in lines.splitlines() if line.strip()][bool(layout.header) :]
    columns = next((one.split() for one in layout.columns if rows and len(one.split()) == len(rows[0])), None)
    if columns is None or "DOCNO" not in columns:
        return bool(rows)
    if "RANK" in columns and not all(re.fullmatch(_WHOLE, row[columns.index("RANK")]) for row in rows):
        return False
    docnos = [row[columns.index("DOCNO")] for row in rows]
    others = [row[place] for row in rows for place, name in enumerate(columns) if name in _ID_COLUMNS]
    are_numbers = all(re.fullmatch(_WHOLE, docno) for docno in docnos)
    return not (are_numbers and any(not re.fullmatch(_WHOLE, other) for other in others))


def _columns_of(fmt: FileFormat[Any], number: int) -> str:
    layout = fmt.layout
    every = layout.columns if layout else ()
    return next((columns for columns in every if len(columns.split()) == number), fmt.columns)

"""Format detection and likely mistakes, from the first lines of a file.

``DOUBTS`` lists the mistakes that the first lines can show. Files in TREC formats are read like trec_eval reads them,
with a warning; ``--strict`` refuses them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from irevalx.declarations import spelled
from irevalx.errors import quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.reading.column_names import DOCNO, GRADE, TOPIC, named
from irevalx.reading.layout import Layout
from irevalx.reading.source import MARK, NEWLINE, Source

_OBJECT_OF_OBJECTS = rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{'
"""The beginning of a JSON object of objects."""

_NUMBER = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_IGNORED = (b"0", b"Q0")
"""Usual values of the second column of judgments and runs."""

_PAIRED = 4
"""Number of columns of qrels, and of preferences with a winner."""


class Beginning(Frozen):
    """The first lines of a text file."""

    path: str  # as given by the user
    text: bytes  # some of its first bytes

    @classmethod
    def of(cls, source: Source) -> Beginning:
        """Return the beginning of a file."""
        return cls(source.path, source.beginning)

    @property
    def has_mark(self) -> bool:
        """Whether the file begins with a byte-order mark."""
        return self.text.startswith(MARK)

    @cached_property
    def lines(self) -> list[bytes]:
        """The complete lines, without byte-order mark."""
        whole = self.text[: self.text.rfind(NEWLINE)] if NEWLINE in self.text else self.text
        return whole.removeprefix(MARK).split(NEWLINE) if whole else []

    def data_lines(self, *, comments: bool) -> list[tuple[int, bytes]]:
        """Return the data lines with their 1-based numbers; ``comments`` skips lines that start with ``#``."""
        return [
            (number, line)
            for number, line in enumerate(self.lines, 1)
            if line.strip() and not (comments and line.lstrip().startswith(b"#"))
        ]


def is_json_object(beginning: Beginning, columns: int) -> bool:
    """Return whether a file is a JSON object of objects, or has one JSON object per line.

    A line with ``columns`` words is taken for a line of the expected format unless it is a JSON object as a whole.
    """
    line = beginning.lines[0] if beginning.lines else b""
    if not line.lstrip().startswith(b"{") or (len(line.split()) == columns and not isinstance(_json(line), dict)):
        return False
    of_objects = re.match(_OBJECT_OF_OBJECTS, beginning.text.removeprefix(MARK))
    return bool(of_objects or record_columns(line))


def _json(line: bytes) -> Any:
    """Return the value of a JSON line; None for any other line."""
    import json

    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def record_columns(line: bytes) -> tuple[str, str] | None:
    """Return the keys of topic and document in a JSON record; None for any other line."""
    is_flat = re.match(rb"\s*\{", line) and not re.match(_OBJECT_OF_OBJECTS, line)
    record = _json(line) if is_flat else None
    names = list(record) if isinstance(record, dict) else []
    columns = [named(column, names)[:1] for column in (TOPIC, DOCNO)]
    return (columns[0][0], columns[1][0]) if all(columns) else None


def is_beir(beginning: Beginning, columns: int) -> bool:
    """Return whether a file begins with a BEIR header."""
    return beir_header(beginning) is not None


class Header(Frozen):
    """The header line of BEIR judgments."""

    words: tuple[str, ...]  # the column names
    separator: str  # "," or ";"; "" for tabs and spaces


def beir_header(beginning: Beginning) -> Header | None:
    """Return the header with columns for query, document and score, as BEIR or tables name them; None without one."""
    first = beginning.lines[0].decode("utf-8", "replace") if beginning.lines else ""
    for separator in ("", ",", ";"):
        words = tuple(word.strip().strip("\"'") for word in (first.split(separator) if separator else first.split()))
        if len(words) == 3 and all(
            named(spec, [word]) for spec, word in zip((TOPIC, DOCNO, GRADE), words, strict=True)
        ):
            return Header(words, separator)
    return None


def separated_by_tabs(line: bytes, columns: int) -> bool:
    """Return whether a line has this number of tab-separated fields, at least one of which contains a blank."""
    fields = line.strip().split(b"\t")
    return len(fields) == columns and all(map(bytes.strip, fields)) and len(line.split()) > columns


def _blank_in_field(beginning: Beginning, layout: Layout) -> tuple[int, str] | None:
    """Return line number and message if a tab-separated field of the first data line contains a blank."""
    n_columns = len(layout.columns[0].split())
    for number, line in beginning.data_lines(comments=True)[:1]:
        for n_fields in (n_columns - 1, n_columns):
            fields = [field.strip() for field in line.strip().split(b"\t")]
            number_at = 4 if n_columns == 6 else -1
            if (
                (layout.more or len(line.split()) == n_columns)
                and separated_by_tabs(line, n_fields)
                and fields[0].split()[1:] not in [[word] for word in _IGNORED]
                and re.fullmatch(_NUMBER, fields[number_at])
            ):
                field = next(field for field in fields if len(field.split()) > 1)
                return number, f"{quote(field)} between tabs contains a blank; blanks also separate columns"
    return None


def _pair_of_documents(beginning: Beginning, layout: Layout) -> tuple[int, str] | None:
    """Return line number and message if the last column of judgments repeats one of the two IDs before it."""
    lines = [(number, line.split()) for number, line in beginning.data_lines(comments=True)]
    columns = layout.columns[0].split()
    if len(lines) < 2 or len(columns) != _PAIRED or "SUBTOPIC" in columns:
        return None
    for _, fields in lines:
        if len(fields) != _PAIRED or fields[3] not in fields[1:3] or fields[1] == fields[2] or fields[1] in _IGNORED:
            return None
        if not re.fullmatch(_NUMBER, fields[3]):  # the message about a grade that is no number tells of it
            return None
    return (
        lines[0][0],
        "the fourth column repeats a document of its line; if these are preferences, use "
        f"{spelled('rel_format', 'pairs')}",
    )


def hint_at_columns(beginning: Beginning) -> str:
    """Return a hint about judgments with a repeated document: swapped columns or subtopics; "" if neither fits."""
    rows = [line.split() for _, line in beginning.data_lines(comments=True)]
    if not rows or any(len(row) != _PAIRED for row in rows):
        return ""
    seconds, thirds = ([(row[0], row[place]) for row in rows] for place in (1, 2))
    if len({row[1] for row in rows}) == 1 or len({tuple(row[:3]) for row in rows}) < len(rows):
        return ""
    if len(set(seconds)) == len(rows) > len(set(thirds)):
        return "; are the second and third columns swapped? The document ID must be in the third"
    return f"; if the second column is a subtopic, use {spelled('rel_format', 'subtopics')}"


class Doubt(Frozen):
    """A likely mistake that the first lines of a file can show."""

    columns: frozenset[str]  # only formats with one of these columns are checked; empty for all formats
    find: Callable[[Beginning, Layout], tuple[int, str] | None]
    """Returns line number and message; None if the file looks right."""


DOUBTS = (
    Doubt(frozenset(), _blank_in_field),
    Doubt(frozenset({"GRADE", "LEVEL"}), _pair_of_documents),
)


def doubt_about(beginning: Beginning, layout: Layout) -> str | None:
    """Return a message with file and line about a likely mistake in the first lines; None if there is none."""
    if beginning.has_mark:
        return (
            f"{shown_name(beginning.path)}:1: the file begins with a byte-order mark (BOM), which is read as part of "
            "the first topic (like trec_eval); save the file as UTF-8 without BOM"
        )
    for doubt in DOUBTS:
        if not doubt.columns or not doubt.columns.isdisjoint(layout.columns[0].split()):
            problem = doubt.find(beginning, layout)
            if problem:
                return f"{shown_name(beginning.path)}:{problem[0]}: {problem[1]}"
    return None

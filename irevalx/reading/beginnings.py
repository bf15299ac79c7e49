"""The beginning of a file: what it is recognised by, and what in it was probably meant otherwise.

``DOUBTS`` has a row for each mistake that shows in the first lines. Formats of TREC are read as trec_eval reads them,
with a warning; ``--strict`` refuses the file.
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
"""How a JSON object of objects begins."""

_NUMBER = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_IGNORED = (b"0", b"Q0")
"""What the second column of judgments and of runs has in most files."""

_PAIRED = 4
"""The number of columns of qrels, and of preferences with a winner."""


class Beginning(Frozen):
    """The first lines of a text file.

    Parameters
    ----------
    path : the file as the user named it.
    text : some of its first bytes.
    """

    path: str
    text: bytes

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
        """Its whole lines, without byte-order mark."""
        whole = self.text[: self.text.rfind(NEWLINE)] if NEWLINE in self.text else self.text
        return whole.removeprefix(MARK).split(NEWLINE) if whole else []

    def data_lines(self, *, comments: bool) -> list[tuple[int, bytes]]:
        """Return the lines with data and their 1-based numbers.

        Parameters
        ----------
        comments : whether lines that begin with ``#`` have none.
        """
        return [
            (number, line)
            for number, line in enumerate(self.lines, 1)
            if line.strip() and not (comments and line.lstrip().startswith(b"#"))
        ]


def is_json_object(beginning: Beginning, columns: int) -> bool:
    """Return whether a file is a JSON object of objects, or has an object on each line.

    Parameters
    ----------
    columns : of the lines of the format that is expected: a line with this number of words can be one of them, unless
        it is a JSON object as a whole.
    """
    line = beginning.lines[0] if beginning.lines else b""
    if not line.lstrip().startswith(b"{") or (len(line.split()) == columns and not isinstance(_json(line), dict)):
        return False
    of_objects = re.match(_OBJECT_OF_OBJECTS, beginning.text.removeprefix(MARK))
    return bool(of_objects or record_columns(line))


def _json(line: bytes) -> Any:
    """Return what a line of JSON holds; None for any other line."""
    import json

    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def record_columns(line: bytes) -> tuple[str, str] | None:
    """Return what a line of JSON with a topic and a document calls them; None for any other line."""
    is_flat = re.match(rb"\s*\{", line) and not re.match(_OBJECT_OF_OBJECTS, line)
    record = _json(line) if is_flat else None
    names = list(record) if isinstance(record, dict) else []
    found = [named(wanted, names)[:1] for wanted in (TOPIC, DOCNO)]
    return (found[0][0], found[1][0]) if all(found) else None


def is_beir(beginning: Beginning, columns: int) -> bool:
    """Return whether a file begins with the header of BEIR."""
    return beir_header(beginning) is not None


class Header(Frozen):
    """The first line of judgments in BEIR's format.

    Parameters
    ----------
    words : of the line.
    separator : "," or ";" between columns; "" for tabs and spaces.
    """

    words: tuple[str, ...]
    separator: str


def beir_header(beginning: Beginning) -> Header | None:
    """Return the header of a file with columns for query, document and score, as BEIR or a table calls them."""
    first = beginning.lines[0].decode("utf-8", "replace") if beginning.lines else ""
    for separator in ("", ",", ";"):
        words = tuple(word.strip().strip("\"'") for word in (first.split(separator) if separator else first.split()))
        if len(words) == 3 and all(named(one, [word]) for one, word in zip((TOPIC, DOCNO, GRADE), words, strict=True)):
            return Header(words, separator)
    return None


def separated_by_tabs(line: bytes, columns: int) -> bool:
    """Return whether a line has this number of fields between tabs, and a blank within one of them."""
    fields = line.strip().split(b"\t")
    return len(fields) == columns and all(map(bytes.strip, fields)) and len(line.split()) > columns


def _blank_in_field(beginning: Beginning, layout: Layout) -> tuple[int, str] | None:
    """Find a first line with a field too few, or as many as needed, between tabs, and a blank within one."""
    n_columns = len(layout.columns[0].split())
    for number, line in beginning.data_lines(comments=True)[:1]:
        for n_fields in (n_columns - 1, n_columns):
            fields = [field.strip() for field in line.strip().split(b"\t")]
            number_at = 4 if n_columns == 6 else -1
            if (
                (layout.more or len(line.split()) == n_columns)
                and separated_by_tabs(line, n_fields)
                and fields[0].split()[1:] not in [[one] for one in _IGNORED]
                and re.fullmatch(_NUMBER, fields[number_at])
            ):
                field = next(field for field in fields if len(field.split()) > 1)
                return number, f"{quote(field)} between tabs contains a blank; blanks also separate columns"
    return None


def _pair_of_documents(beginning: Beginning, layout: Layout) -> tuple[int, str] | None:
    """Find judgments whose last column repeats one of the two ids before it."""
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
    """Return what judgments look like in which a document occurs twice in a topic; "" where it is nothing known."""
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
    """A mistake that shows in the first lines of a file.

    Parameters
    ----------
    columns : the columns of formats in which it can occur, of which they have one or more; none for any format.
    find : returns the number of the line, and what was probably meant; None if there is nothing.
    """

    columns: frozenset[str]
    find: Callable[[Beginning, Layout], tuple[int, str] | None]


DOUBTS = (
    Doubt(frozenset(), _blank_in_field),
    Doubt(frozenset({"GRADE", "LEVEL"}), _pair_of_documents),
)


def doubt_about(beginning: Beginning, layout: Layout) -> str | None:
    """Return what in the first lines was probably meant otherwise, with file and line; None if there is nothing."""
    if beginning.has_mark:
        return (
            f"{shown_name(beginning.path)}:1: the file begins with a byte-order mark (BOM), which is read as part of "
            "the first topic (like trec_eval); save the file as UTF-8 without BOM"
        )
    for doubt in DOUBTS:
        if not doubt.columns or not doubt.columns.isdisjoint(layout.columns[0].split()):
            found = doubt.find(beginning, layout)
            if found:
                return f"{shown_name(beginning.path)}:{found[0]}: {found[1]}"
    return None


def skipped_mark(path: str) -> str:
    """Return the warning about a byte-order mark that is skipped."""
    return f"{shown_name(path)}:1: the file begins with a byte-order mark (BOM), which is ignored"

"""The layout of lines in a file format, the rules for reading values, and hints about malformed lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from irevalx.errors import Warn
from irevalx.frozen import Frozen
from irevalx.reading.column_names import id_columns, is_known_name
from irevalx.settings import Grades
from irevalx.trec_eval import Compat
from irevalx.wording import spelled

if TYPE_CHECKING:
    from irevalx.reading.label_words import LabelWords

_WORDS = {
    "DOCNO": "document",
    "MEAN": "mean",
    "DEVIATION": "standard deviation",
    "PROBABILITY": "inclusion probability",
}
"""The words by which messages refer to columns. The default is the column name in lower case."""


class Rules(Frozen):
    """The rules by which the values of an input are read."""

    compat: Compat  # the emulated version, which determines the precision of scores and the comments
    strict: bool  # whether malformed numbers and likely mistakes are errors
    warn: Warn
    grades: Grades = "whole"
    hints: bool = True  # whether errors contain hints
    words: LabelWords | None = None  # the words in labels and their grades, if ``grades`` is "label"


class CommentStyle(Enum):
    """The styles of comments. Each value is the phrase by which the help describes comment lines."""

    NONE = "No lines"
    AT_LINE_START = "Lines that start with #"
    AFTER_SPACES = "Lines that start with #, or with spaces and #,"


class Layout(Frozen, kw_only=True):
    """The layout of lines in a file format."""

    line: str  # the noun for a line in messages, such as "a judgment"
    columns: tuple[str, ...]
    """The alternative lists of columns, such as "TOPIC DOCNO". The first data line determines which alternative is
    used."""
    more: bool = False  # whether further columns can follow, which are ignored
    blank_lines: bool = False  # whether blank lines are skipped; if not, they are malformed
    comments: CommentStyle = CommentStyle.AT_LINE_START  # the style of the comments that are skipped
    comments_in_9: bool = False  # whether comments are also skipped under ``--compat 9``, unlike in trec_eval 9
    tabs: bool = False
    """Whether IDs can contain spaces. If all columns are separated by tabs, spaces do not separate columns."""

    def comments_in(self, compat: Compat) -> CommentStyle:
        """Return the style of comments under the emulated version of trec_eval."""
        return self.comments if compat.comments or self.comments_in_9 else CommentStyle.NONE

    def rule(self, columns: str | None = None) -> str:
        """Return a phrase that describes the expected columns. ``columns`` contains the columns of the file if known.

        >>> Layout(line="a line", columns=("TOPIC DOCNO", "TOPIC IGNORED DOCNO", "A B C D")).rule()
        'expected a line with 2 columns (topic, document), 3 or 4'
        """
        first, *others = (columns,) if columns else self.columns
        words = ", ".join(word_for(name) for name in first.split())
        numbers = [f"{len(first.split())} columns ({words})", *(str(len(other.split())) for other in others)]
        return f"expected {self.line} with {' or '.join(filter(None, (', '.join(numbers[:-1]), numbers[-1])))}"

    @property
    def explanation(self) -> str:
        """The sentences of the help that describe the lines."""
        sentences = ["Columns are separated by spaces or tabs."]
        if self.more:
            sentences.append("Further columns are ignored.")
        if len(self.columns) > 1:
            sentences.append("The first line determines the number of columns.")
        sentences.append("Lines can be in any order.")
        sentences.append("Blank lines are skipped." if self.blank_lines else "A blank line is an error.")
        if self.comments is not CommentStyle.NONE:
            unless = "" if self.comments_in_9 else " unless --compat 9 is given"
            sentences.append(f"{self.comments.value} are skipped{unless}.")
        return " ".join(sentences)


def word_for(column: str) -> str:
    """Return the word by which messages refer to a column."""
    return _WORDS.get(column, column.lower())


# Patterns are not compiled, because compiling them would slow down each start of the command.
_UTF_16 = rb"(?:[\t -~]\0){3}"
"""The pattern of three ASCII characters in UTF-16."""

_SEPARATORS = ((b",", "commas"), (b";", "semicolons"), (b"|", "bars"), ("\u00a0".encode(), "no-break spaces"))

_PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))

KINDS_OF_FILES: tuple[tuple[bytes | tuple[bytes, ...], str], ...] = (
    ((b'\x04"M\x18', b"\x02!L\x18"), "an lz4 file; decompress it with lz4 -d"),
    (b"\x93NUMPY", "a numpy array (.npy); write its values as lines of text"),
    (_PICKLES, "a pickle (.pkl); in Python, load it and pass the dictionary to irevalx.evaluate"),
    (b"PK\x03\x04", "a zip archive, .xlsx or .npz; extract archives with unzip, and save spreadsheets as CSV"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; extract the file with 7z x"),
    (b"\x1f\x9d", "a file compressed with compress (.Z); decompress it with gzip -d"),
    (b"\xff\x06\x00\x00sNaPpY", "a snappy file; decompress it"),
    (b"ARROW1\x00\x00", "a Feather (Arrow IPC) file; save the table as Parquet"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file; save the table as Parquet or as lines of text"),
    (b"SQLite format 3\x00", "an SQLite database; export the table as Parquet or as lines of text"),
    (b"%PDF-", "a PDF file"),
    (b"version https://git-lfs", "a pointer of Git LFS; fetch the file with git lfs pull"),
    ((b"<!DOCTYPE", b"<!doctype", b"<html"), "an HTML page; download the file itself"),
)
"""The first bytes of files that irevalx does not read, each with a hint."""

_TAR = slice(257, 262)
"""The range of the bytes in a tar archive that contain the word "ustar"."""

NUMBER_HINTS: tuple[tuple[bytes, str], ...] = (
    (rb"""(["']).*\1""", "; remove the quotes"),
    (rb"[Ll][0-9]", "; is this an NTCIR grade (L0 to L4)? If so, remove the letter L: sed 's/L\\([0-9]\\)$/\\1/'"),
    (rb"[+-]?[0-9]+,[0-9]+", "; replace the decimal comma by a point"),
    (rb"[+-]?[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+", "; remove the thousands separators"),
    (
        rb"[+-]?[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+",
        "; remove the thousands separators, and replace the decimal comma by a point",
    ),
    (rb"[+-]?[0-9.]+%", "; remove the percent sign"),
    ("\u2212".encode() + rb"[0-9.]+", "; replace the minus sign (U+2212) by a hyphen"),
    (rb"(?i:true|false)", "; replace true by 1 and false by 0"),
)
"""Patterns of malformed numbers, each with a hint."""


def number_hint(text: bytes, fields: Sequence[bytes], *, is_first: bool) -> str:
    """Return a hint about a malformed number, or "" if there is none. ``fields`` contains all fields of the line."""
    if is_first and fields and sum(is_known_name(field) for field in fields) >= min(3, len(fields)):
        return "; is this a header? If so, remove the line"
    if len(fields) == 4 and text == fields[3] and text in fields[1:3]:
        return f"; if this is the winner of two documents, use {spelled('rel_format', 'pairs')}"
    return next((hint for pattern, hint in NUMBER_HINTS if re.fullmatch(pattern, text)), "")


def kind_of_file(beginning: bytes) -> str:
    """Return a hint about a file that irevalx does not read, given its first bytes, or "" for other files."""
    if beginning[_TAR] == b"ustar":
        return "this is a tar archive; extract the file with tar -xf"
    return next((f"this is {kind}" for start, kind in KINDS_OF_FILES if beginning.startswith(start)), "")


def encoding_hint(text: bytes) -> str:
    """Return a hint about the encoding of a file or line that starts with ``text``, or "" if there is none."""
    marked = text.startswith((b"\xff\xfe", b"\xfe\xff"))
    if marked or any(re.match(_UTF_16, text[start : start + 6]) for start in (0, 1)):
        return "is this UTF-16? If so, convert it: iconv -f UTF-16 -t UTF-8"
    return kind_of_file(text)


_RETURNS = "lines end with carriage returns (CR) alone; convert them: tr '\\r' '\\n'"

_ARRAY = rb"(?:\xef\xbb\xbf)?\s*\[\s*(?:[{\[\]\"]|$)"
"""The pattern of a JSON array that contains objects, arrays or strings, or of a line that only opens an array."""


def array_hint(text: bytes) -> str:
    """Return a hint about a file or line that starts like a JSON array, or "" for other text."""
    if not re.match(_ARRAY, text):
        return ""
    return "JSON arrays are not read; write one object per line (JSON Lines), for example with jq -c '.[]'"


def long_line_hint(text: bytes) -> str:
    """Return a hint about a line that is too long, given the beginning of the line."""
    if text.count(b"\r") > 1:
        return _RETURNS
    if looks_like_json(text):
        return "remove long fields that are not read, for example with jq -c 'del(.text)'"
    return array_hint(text) or "are line breaks missing? Write one line per row"


def looks_like_json(text: bytes) -> bool:
    """Return whether a line or a topic starts like a JSON object."""
    return text.lstrip().startswith(b"{")


DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""The pattern of a decimal number, optionally with an exponent."""

_KEY = rb'"((?:[^"\\]|\\.)*)"\s*:'
OBJECT_OF_OBJECTS = rb"\s*\{\s*" + _KEY + rb"\s*\{"
"""The pattern of a JSON object whose values are objects."""

OBJECT_OF_NUMBERS = OBJECT_OF_OBJECTS + rb"\s*(?:\}|" + _KEY + rb"\s*[-0-9tf])"
"""The pattern of a JSON object whose values are objects that contain numbers or booleans."""

OBJECT_OF_RUNS = rb"\s*\{\s*" + _KEY + OBJECT_OF_NUMBERS
"""The pattern of a JSON object that contains an object {topic: {docno: number}} for each run."""

CONVERSIONS = {
    "rel_format": (
        "ratings",
        ".. | objects | select(.ratings) | (.query // .id) as $query | .ratings[] "
        "| {query: $query, docid: (.docId // ._id), rating: (.rating | tonumber + 0)}",
    ),
    "results_format": (
        "details",
        ".details | to_entries[] | .key as $query | .value.hits[].hit | {query: $query, docid: ._id, score: ._score}",
    ),
}
"""The jq programs that convert JSON of OpenSearch and Elasticsearch, each with the key that identifies such JSON."""

_BEGINNING = 1 << 11
"""The number of bytes that are searched for keys to be listed in hints."""


def json_hint(text: bytes, parameter: str) -> str:
    """Return a hint about JSON that irevalx cannot read, or "" for text that is not JSON.

    The hint contains the first keys of the JSON and, if it is known, the command that converts it. ``parameter`` is
    "rel_format" for judgments, or "results_format" for a run.
    """
    array = array_hint(text)
    if not array and not looks_like_json(text.removeprefix(b"\xef\xbb\xbf")):
        return ""
    keys = list(dict.fromkeys(key.decode("utf-8", "replace") for key in re.findall(_KEY, text[:_BEGINNING])))
    key, program = CONVERSIONS[parameter]
    if key in keys:
        return f"the first keys are {', '.join(keys[:8])}; convert it to JSON Lines (jsonl): jq -c '{program}'"
    if array and id_columns(keys) and "ratings" not in keys:
        return array
    return f"the first keys are {', '.join(keys[:8])}" if keys else "there are no keys"


def text_hint(value: object) -> str:
    """Return a hint about a number that was passed as a string, or "" for other values."""
    is_number = isinstance(value, str) and re.fullmatch(DECIMAL, value.strip())
    return "; the number is text: convert it with int or float" if is_number else ""


def id_hint(value: object) -> str:
    """Return a hint about an integer ID that was passed as a float, or "" for other values."""
    return "; convert the column to integers or text" if isinstance(value, float) and value.is_integer() else ""


def no_hint(line: bytes, lines: bytes, layout: Layout) -> str:
    """Return "", in contexts in which a hint about a malformed line is not needed."""
    return ""


def separator_hint(line: bytes, fields: Sequence[bytes], layout: Layout) -> str:
    """Return a hint about the wrong separators of a line, or "" if there is none."""
    if line.count(b"\r") > 1:
        return _RETURNS
    numbers = {len(columns.split()) for columns in layout.columns}
    if len(line.strip().split(b"\t")) in numbers and len(fields) not in numbers:
        blank = next((field for field in line.split(b"\t") if len(field.split()) > 1), b"")
        if blank:
            return "an ID contains a blank, and blanks also separate columns; replace the blanks in IDs"
    if len(fields) == 1:
        if line.startswith(b"sep="):
            return "Excel writes this line; remove it"
        for separator, word in _SEPARATORS:
            if line.count(separator) >= 2:
                return f"columns are separated by {word}; replace them by spaces or tabs"
    return ""

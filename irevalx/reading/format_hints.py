"""Hints about malformed lines that are probably in another format.

A hint suggests a format only if the lines are valid in this format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from irevalx.errors import IrevalxError
from irevalx.frozen import replace
from irevalx.reading.column_names import known_columns, named, specs_of
from irevalx.reading.file_format import FileFormat, FileKind
from irevalx.reading.layout import (
    DECIMAL,
    OBJECT_OF_OBJECTS,
    Layout,
    Rules,
    array_hint,
    kind_of_file,
    separator_hint,
)
from irevalx.reading.sources.columns import no_column
from irevalx.reading.sources.files import NEWLINE, Source
from irevalx.reading.sources.first_lines import SEPARATORS, Beginning, fields_of, header_of, json_rule
from irevalx.trec_eval import TREC_EVAL_10
from irevalx.wording import is_parameter, spelled

_WHOLE = rb"[+-]?[0-9]+"

_PATTERNS = {"Q0": "[Qq]?0", "RANK": "[0-9]+", "SCORE": DECIMAL, "TAG": r"\S*[A-Za-z]\S*", "LABEL": "-?[0-9]+"}
"""The patterns of the values of columns that can be recognised by their values."""

_OTHER_COLUMNS = {
    "qrels": ("TOPIC DOCNO RANK SCORE LABEL",),
    "trec_results": (
        *("TOPIC Q0 DOCNO RANK SCORE", "TOPIC DOCNO RANK SCORE TAG", "TOPIC DOCNO SCORE TAG"),
        *("TOPIC Q0 DOCNO SCORE TAG", "TOPIC Q0 DOCNO SCORE", "TOPIC DOCNO RANK SCORE LABEL"),
    ),
}
"""The columns of lines that can be converted to a format, by the name of the format."""

_CONVERTED = {"qrels": "TOPIC 0 DOCNO LABEL", "trec_results": 'TOPIC "Q0" DOCNO RANK SCORE TAG'}
"""The columns of converted lines, by the name of the format. If Q0, a rank or a run tag is missing, it is added."""

_NUMBER_OR_SETTING = r"[+-]?[0-9.]*[0-9](?:[eE][+-]?[0-9]+)?|sep=.*"
"""The pattern of fields that do not occur in headers: numbers, and the line on which Excel declares a separator."""

_MEASURE_VALUES = rb"(?=[^\t]{22})[A-Za-z]\S* *\t\S+\t\S+\r?(?:\n|$)"
"""The pattern of a line in the output of trec_eval, which pads the name of the measure to 22 characters."""

_ID_COLUMNS = frozenset({"IGNORED", "GROUP", "SUBGROUP", "STRATUM", "SUBTOPIC"})


def hint_at(formats: Sequence[FileFormat[Any]], fmt: FileFormat[Any], line: bytes, lines: bytes, layout: Layout) -> str:
    """Return a hint about a malformed line, or "" if there is none. ``lines`` is a sample of lines in the file."""
    if fmt.kind is FileKind.POOL:
        return _hint_at_pool(formats, line, lines)
    return _hint(formats, line, lines, layout, fmt)


def _hint_at_other_kind(kind: FileKind) -> str:
    """Return a hint that judgments were passed in place of a run, or a run in place of judgments."""
    other = "is this a run?" if kind is FileKind.JUDGMENTS else "are these judgments?"
    judgments = spelled("qrels")
    if not is_parameter("qrels"):
        hints = {
            FileKind.JUDGMENTS: "this looks like a run, but judgments are required here",
            FileKind.RUNS: "these look like judgments, but a run is required here",
        }
        return hints[kind]
    order = f"The judgments ({judgments}) come first{'' if kind is FileKind.JUDGMENTS else ', then the runs'}"
    if judgments.startswith("-"):
        order = f"{judgments} takes the judgments" if kind is FileKind.JUDGMENTS else f"Give them with {judgments}"
    return f"{other} {order}"


def looks_like_judgments(formats: Sequence[FileFormat[Any]], line: bytes) -> bool:
    """Return whether a line is valid in the format qrels."""
    return any(fmt.name == "qrels" for fmt in _readable(formats, line, FileKind.JUDGMENTS))


def looks_like_run(formats: Sequence[FileFormat[Any]], line: bytes) -> bool:
    """Return whether a line is valid in the format trec_results."""
    return any(fmt.name == "trec_results" for fmt in _readable(formats, line, FileKind.RUNS))


def looks_like_scores(text: bytes) -> bool:
    """Return whether a file that starts with ``text`` looks like the output of trec_eval or irevalx."""
    return bool(re.match(_MEASURE_VALUES, text))


def _hint_at_pool(formats: Sequence[FileFormat[Any]], line: bytes, lines: bytes) -> str:
    """Return a hint about a file that is not a valid pool, or "" if the format of the file is unknown."""
    if array := array_hint(lines):
        return array
    if re.match(OBJECT_OF_OBJECTS, lines):
        return "pools in a JSON object are not read; write a line TOPIC DOCNO for each document"
    if looks_like_run(formats, line):
        return "this looks like a run; irevalx-lab pool builds a pool from runs"
    return ""


def _hint(
    formats: Sequence[FileFormat[Any]], line: bytes, lines: bytes, layout: Layout, expected: FileFormat[Any]
) -> str:
    """Return a hint about a malformed line of judgments or a run, or "" if there is none."""
    fields, kind = line.split(), expected.kind
    if unread := kind_of_file(lines) or json_rule(Beginning("", lines), kind.parameter) or _hint_at_scores(lines, kind):
        return unread
    if not expected.separators and (separator := separator_hint(line, fields, layout)):
        return (
            _table_hint(formats, lines, kind)
            or (_header_hint(line, layout) if lines.startswith(line) else "")
            or separator
        )
    readable = [fmt for fmt in _readable(formats, lines, kind) if fmt.layout is not layout]
    likely = [fmt for fmt in readable if fmt.name in {"qrels", "trec_results"}] or readable
    each = [f"{fmt.requested} if the columns are {_columns_of(fmt, len(fields))}" for fmt in likely]
    are_judgments = kind is FileKind.RUNS and fields[1:2] == [b"0"] and looks_like_judgments(formats, lines)
    conversion = "" if are_judgments else _conversion(expected.name, line, lines)
    if each or conversion:
        return ", or ".join(filter(None, (f"use {', or '.join(each)}" if each else "", conversion)))
    other = FileKind.RUNS if kind is FileKind.JUDGMENTS else FileKind.JUDGMENTS
    default = "trec_results" if other is FileKind.RUNS else "qrels"
    return _hint_at_other_kind(kind) if any(fmt.name == default for fmt in _readable(formats, lines, other)) else ""


def _conversion(name: str, line: bytes, lines: bytes) -> str:
    """Return a hint with a command that converts lines to a format, or "" if the columns are unknown."""
    for columns in _OTHER_COLUMNS.get(name, ()):
        names = columns.split()
        pattern = r"\s+".join(_PATTERNS.get(column, r"\S+") for column in names)
        if not re.fullmatch(rf"\s*{pattern}\s*".encode(), line):
            continue
        if not lines.startswith(line):
            return "earlier lines have a run tag; is the file incomplete?" if names[-1] == "SCORE" else ""
        if names[-1] == "LABEL" and line.split()[2] not in {b"0", b"1"}:
            continue
        places = {word: f"${place}" for place, word in enumerate(names, 1)}
        values = {"RANK": "1", "TAG": '"TAG"', **places}
        program = ", ".join(values.get(word, word) for word in _CONVERTED[name].split())
        return f"if the columns are {columns}, convert the file: awk '{{print {program}}}'"
    return ""


def _hint_at_scores(lines: bytes, kind: FileKind) -> str:
    """Return a hint if lines are the output of trec_eval, and not judgments or a run, or "" if they are not."""
    if not looks_like_scores(lines):
        return ""
    other = "judgments" if kind is FileKind.JUDGMENTS else "a run"
    option = spelled("scores")
    reader = "irevalx-lab compare --scores" if option.startswith("-") else "irevalx.Scores.read"
    has_option = option.startswith("-") and is_parameter("scores")
    remedy = f"read score files with {option if has_option else reader}"
    return f"this is the output of trec_eval or irevalx, not {other}; {remedy}"


def _header_hint(line: bytes, layout: Layout) -> str:
    """Return a hint about a missing column in a header, or "" if the line is not a header.

    A line that contains more numbers than known column names is not a header.
    """
    words = max((fields_of(line, separator) for separator in SEPARATORS), key=len)
    missing = [spec for spec in specs_of(layout.columns[0]) if not named(spec, words)]
    n_numbers = sum(bool(re.fullmatch(_NUMBER_OR_SETTING, word)) for word in words)
    if not missing or n_numbers > len(known_columns(words)):
        return ""
    return f"if this is a header, there is {no_column(missing[0], words)}"


def _table_hint(formats: Sequence[FileFormat[Any]], lines: bytes, kind: FileKind) -> str:
    """Return a hint if lines are valid as a table without a header, or "" if they are not."""
    for fmt in formats:
        if fmt.kind is kind and fmt.name == "csv" and _reads(lines[: lines.rfind(NEWLINE) + 1] or lines, fmt):
            number = "GRADE" if kind is FileKind.JUDGMENTS else "SCORE"
            return f"use {fmt.requested} if the columns are TOPIC,DOCNO,{number}"
    return ""


def _readable(formats: Sequence[FileFormat[Any]], lines: bytes, kind: FileKind) -> list[FileFormat[Any]]:
    """Return the formats of a kind in which lines are valid, but only one of several formats with equal columns."""
    by_shape: dict[tuple[str, ...], FileFormat[Any]] = {}
    whole = lines[: lines.rfind(NEWLINE) + 1] or lines
    for fmt in formats:
        layout = fmt.layout
        if fmt.kind is kind and layout and _shape(layout) not in by_shape and _can_be_read(whole, fmt, layout):
            by_shape[_shape(layout)] = fmt
    headed = [fmt for fmt in by_shape.values() if fmt.header and header_of(Beginning("", whole))]
    return headed or list(by_shape.values())


def _shape(layout: Layout) -> tuple[str, ...]:
    """Return the columns of a layout, with one name for all columns that accept any word."""
    return tuple(
        " ".join("ID" if name in _ID_COLUMNS else name for name in columns.split()) for columns in layout.columns
    )


def _can_be_read(lines: bytes, fmt: FileFormat[Any], layout: Layout) -> bool:
    """Return whether lines are valid in a format, contain no duplicates, and contain IDs in the ID columns."""
    if not _reads(lines, fmt):
        return False
    rows = [line.split() for line in lines.splitlines()][bool(fmt.header) :]
    alternatives = (names.split() for names in layout.columns)
    columns, rows = next(
        ((names, matching) for names in alternatives if (matching := [row for row in rows if len(row) == len(names)])),
        ([], []),
    )
    if not rows:
        return False
    of_names = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    if not _all_match(_WHOLE, of_names.get("RANK", [])):
        return False
    others = [value for name, values in of_names.items() if name in _ID_COLUMNS for value in values]
    number = DECIMAL.encode()
    return not ("DOCNO" in of_names and _all_match(number, of_names["DOCNO"]) and not _all_match(number, others))


def _reads(lines: bytes, fmt: FileFormat[Any]) -> bool:
    """Return whether lines are valid in a format and contain no document twice for a topic."""
    rules = Rules(TREC_EVAL_10, strict=True, warn=lambda line: None, hints=False)
    try:
        data: Any = replace(fmt, tables=False).built(Source("", lines), rules)
        if fmt.kind is FileKind.RUNS:
            data.results()
            return True
        return not data.failures(data.documents.topics)
    except IrevalxError:
        return False


def _all_match(pattern: bytes, words: Sequence[bytes]) -> bool:
    return all(re.fullmatch(pattern, word) for word in words)


def _columns_of(fmt: FileFormat[Any], number: int) -> str:
    layout = fmt.layout
    every = layout.columns if layout else ()
    return next((columns for columns in every if len(columns.split()) == number), fmt.columns)

"""Recognition of a file's format, and of likely mistakes, by the first lines of the file.

``DOUBTS`` lists the mistakes that the first lines can reveal. If a file in a TREC format contains a mistake, irevalx
prints a warning and reads the file like trec_eval. Under ``--strict``, the mistake is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from irevalx.errors import quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.reading.column_names import COLUMNS, GRADE, RANK, RUN, SCORE, id_columns, named, specs_of
from irevalx.reading.layout import DECIMAL, OBJECT_OF_NUMBERS, OBJECT_OF_OBJECTS, Layout, array_hint, json_hint
from irevalx.reading.sources.files import MARK, NEWLINE, Source
from irevalx.wording import spelled

_NUMBER = DECIMAL.encode()

_IGNORED = (b"0", b"Q0")
"""The common values in the second column of judgments and runs, which is ignored."""

_RANK, _SCORE = 3, 4
"""The indices of the columns RANK and SCORE in a run."""

_PAIRED = 4
"""The number of columns in qrels, which is also the number of columns in preferences with a winner."""


class Beginning(Frozen):
    """The first lines of a text file, by which its format is recognised."""

    path: str  # as the user wrote it
    text: bytes  # the first bytes of the file

    @classmethod
    def of(cls, source: Source) -> Beginning:
        """Return the beginning of a file. For JSON Lines, the beginning contains the whole first record if possible."""
        text = source.beginning
        start = text.removeprefix(MARK).lstrip()
        if start[:1] == b"{" and NEWLINE not in start and not re.match(OBJECT_OF_OBJECTS, start):
            text = source.first_line()
        return cls(source.path, text)

    @property
    def has_mark(self) -> bool:
        """Whether the file begins with a byte-order mark."""
        return self.text.startswith(MARK)

    @cached_property
    def lines(self) -> list[bytes]:
        """The complete lines in ``text``, without the byte-order mark."""
        whole = self.text[: self.text.rfind(NEWLINE)] if NEWLINE in self.text else self.text
        return whole.removeprefix(MARK).split(NEWLINE) if whole else []

    @cached_property
    def first(self) -> bytes:
        """The first nonblank line, or an empty byte string if all lines are blank."""
        return next((line for line in self.lines if line.strip()), b"")

    def data_lines(self, *, comments: bool) -> list[tuple[int, bytes]]:
        """Return the nonblank lines with 1-based line numbers, without comment lines if ``comments`` is true."""
        return [
            (number, line)
            for number, line in enumerate(self.lines, 1)
            if line.strip() and not (comments and line.lstrip().startswith(b"#"))
        ]


def recognised(beginning: Beginning, layout: Layout) -> str:
    """Return the form of a file: "lines" (a TREC format), "table", "object" (JSON) or "records" (JSON Lines).

    A file is a table if its header contains commas or semicolons, or all columns of the layout in another order.
    """
    line = beginning.lines[0] if beginning.lines else b""
    if line.lstrip().startswith(b"{"):
        return _form_of_json(beginning, line, layout)
    header = header_of(beginning)
    if header is None or fits_layout(line.decode("utf-8", "replace").split(), layout):
        return "lines"
    if header.separator in {",", ";"}:
        return "table"
    numbers = {"SCORE": (SCORE, RANK)}
    required = [numbers.get(spec.column, (spec,)) for spec in specs_of(layout.columns[0])]
    has_all = all(any(named(spec, header.words) for spec in several) for several in required)
    return "table" if has_all else "lines"


def _form_of_json(beginning: Beginning, line: bytes, layout: Layout) -> str:
    """Return the form of a file that starts with a brace: "object", "records", or "lines" if it is not JSON."""
    if len(line.split()) == len(layout.columns[0].split()) and not isinstance(_json(line), dict):
        return "lines"  # a TREC format with a topic that begins with a brace
    if has_record(beginning):
        return "records"
    columns = [spec.column for spec in specs_of(layout.columns[0])]
    return "object" if is_json_object(beginning) and columns[:-1] == ["TOPIC", "DOCNO"] else "lines"


def is_json_object(beginning: Beginning) -> bool:
    """Return whether a file starts like a JSON object whose values are objects."""
    return bool(re.match(OBJECT_OF_OBJECTS, beginning.text.removeprefix(MARK))) and not has_record(beginning)


def names_runs(beginning: Beginning) -> bool:
    """Return whether a column names the run of each row, according to the header or the first JSON record."""
    if b"run" not in beginning.first.lower():
        return False
    header = header_of(beginning)
    if header:
        return bool(named(RUN, header.words))
    return has_record(beginning) and bool(named(RUN, list(first_record(beginning) or ())))


def has_record(beginning: Beginning) -> bool:
    """Return whether a file starts with a JSON record that contains a topic and a document."""
    record = first_record(beginning) or {}
    ids = id_columns(list(record))
    return bool(ids) and not any(isinstance(record[name], dict) for name in ids)


def first_record(beginning: Beginning) -> dict[str, Any] | None:
    """Return the JSON object in the first nonblank line, or None if this line is not a JSON object."""
    record = _json(beginning.first) if beginning.first.lstrip().startswith(b"{") else None
    return record if isinstance(record, dict) else None


def _json(line: bytes) -> Any:
    """Return the value of a JSON line, or None if the line is not JSON."""
    import json

    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


class Header(Frozen):
    """The header line of a table."""

    words: tuple[str, ...]  # the column names
    separator: str  # the separator of columns, or "" for blanks
    is_there: bool = True  # whether the file contains a header; if not, the format determines the columns


SEPARATORS = ("\t", ",", ";", "")
"""The possible separators of the columns of a table. The empty string stands for blanks."""

_FIELD_ENDS_OF_TEXT = str.maketrans(",;\"'", "    ")


def header_of(beginning: Beginning, separators: Sequence[str] = SEPARATORS) -> Header | None:
    """Return the header of a table, or None if the first line does not name columns for topics and documents."""
    first = beginning.lines[0] if beginning.lines else b""
    words = first.decode("utf-8", "replace").lower().translate(_FIELD_ENDS_OF_TEXT).split()
    if not id_columns(words):
        return None
    for separator in separators:
        words = fields_of(first, separator)
        if id_columns(words):
            return Header(tuple(words), separator)
    return None


def fields_of(line: bytes, separator: str, *, strip: bool = True) -> list[str]:
    """Split a line of a table into fields. If ``strip`` is true, blanks around each field are removed."""
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    if not separator:
        return text.split()
    import csv

    try:
        fields = next(csv.reader([text], delimiter=separator), [])
        return [field.strip() for field in fields] if strip else fields
    except csv.Error:
        return []


def blank_around_id(beginning: Beginning, separator: str = "") -> str | None:
    """Return a warning about a quoted ID that starts or ends with a blank, or None if there is no such ID."""
    ids: Iterable[tuple[int, Any]]
    if separator:
        rows = [(n, line, fields_of(line, separator, strip=False)) for n, line in enumerate(beginning.lines, 1)]
        names = fields_of(beginning.lines[0], separator) if rows else []
        at = [names.index(name) for name in id_columns(names)] or [0, 1]
        ids = ((n, fields[place]) for n, line, fields in rows if b'"' in line for place in at if place < len(fields))
        ids = ((n, key) for n, key in ids if f'"{key}"'.encode() in beginning.lines[n - 1])
    elif has_record(beginning):
        records = [(n, _json(line) or {}) for n, line in beginning.data_lines(comments=False)]
        ids = ((n, record[key]) for n, record in records for key in id_columns(list(record)))
    else:
        text = beginning.text.decode("utf-8", "replace")
        ids = ((text.count("\n", 0, key.start()) + 1, key[1]) for key in re.finditer(r'"([^"\\]*)"\s*:', text))
    number, key = next(((n, key) for n, key in ids if isinstance(key, str) and key != key.strip() != ""), (0, ""))
    fate = "removed; in JSON, it is part of the ID" if separator else "part of the ID; in tables, it is removed"
    where = f"{shown_name(beginning.path)}:{number}"
    return f"{where}: the blank at the beginning or end of the ID {quote(key)} is {fate}" if key else None


def fits_layout(words: Sequence[str], layout: Layout) -> bool:
    """Return whether ``words`` are the names of a layout's columns in the same order."""
    columns = next((names.split() for names in layout.columns if len(names.split()) == len(words)), [])
    return bool(columns) and all(
        bool(named(COLUMNS[column], [word])) for column, word in zip(columns, words, strict=True) if column in COLUMNS
    )


def separated_by_tabs(line: bytes, columns: int) -> bool:
    """Return whether a line consists of ``columns`` fields separated by tabs, with a blank in at least one field."""
    fields = line.strip().split(b"\t")
    return len(fields) == columns and all(map(bytes.strip, fields)) and len(line.split()) > columns


def _blank_in_field(beginning: Beginning, layout: Layout) -> tuple[int, str] | None:
    """Return a line number and a message if a tab-separated field in the first data line contains a blank."""
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
    """Return a line number and a message if the last column of judgments repeats one of the preceding two IDs."""
    lines = [(number, line.split()) for number, line in beginning.data_lines(comments=True)]
    columns = layout.columns[0].split()
    if len(lines) < 2 or len(columns) != _PAIRED or "SUBTOPIC" in columns:
        return None
    for _, fields in lines:
        if len(fields) != _PAIRED or fields[3] not in fields[1:3] or fields[1] == fields[2] or fields[1] in _IGNORED:
            return None
        if not re.fullmatch(_NUMBER, fields[3]):  # the message about the invalid grade contains the same hint
            return None
    return (
        lines[0][0],
        "the fourth column repeats a document of its line; if these are preferences, use "
        f"{spelled('rel_format', 'pairs')}",
    )


def hint_at_columns(beginning: Beginning, n_columns: int = _PAIRED) -> str:
    """Return a hint that columns are swapped or contain subtopics, for a file with duplicate documents, or ""."""
    rows = [line.split() for _, line in beginning.data_lines(comments=True)]
    if not rows or any(len(row) != n_columns for row in rows):
        return ""
    seconds, thirds = ([(row[0], row[place]) for row in rows] for place in (1, 2))
    if len({row[1] for row in rows}) == 1 or len({tuple(row[:3]) for row in rows}) < len(rows):
        return ""
    if len(set(seconds)) == len(rows) > len(set(thirds)):
        return "; are the second and third columns swapped? The document ID must be in the third"
    if n_columns != _PAIRED:
        return ""
    return f"; if the second column is a subtopic, use {spelled('rel_format', 'subtopics')}"


_LEARNING_TO_RANK = rb"(?:[ \t]*(?:#.*)?\n)*[ \t]*[0-9.]+\s+qid:\S+\s+(?:[0-9]+:[-+.0-9eE]+(?:\s|$)|#)"
"""The pattern of a learning-to-rank list: comments, followed by a line with a feature or a document ID."""

LIST_MESSAGE = (
    "this is a learning-to-rank list (GRADE qid:TOPIC FEATURE:VALUE ... # DOCNO), which contains judgments and no run; "
    "convert it to qrels, with line numbers in place of missing document IDs: awk '/^[^#]*qid:/ {g = $1; "
    't = substr($2, 5); d = sub(/[^#]*#( *docid *=)?/, "") ? $1 : NR; print t, 0, d, g}\''
)


def unread_form(beginning: Beginning, form: str, layout: Layout, parameter: str) -> str:
    """Return a message if a file is a learning-to-rank list, or JSON instead of lines.

    Return "" if the file has neither form.
    """
    n_fields, numbers = len(beginning.first.split()), [len(columns.split()) for columns in layout.columns]
    if b"qid:" in beginning.text and re.match(_LEARNING_TO_RANK, beginning.text):
        return LIST_MESSAGE
    fills_columns = n_fields in numbers or (layout.more and n_fields > numbers[0])
    return json_rule(beginning, parameter) if form == "lines" and not fills_columns else ""


def json_rule(beginning: Beginning, parameter: str) -> str:
    """Return a hint about JSON that contains judgments ("rel_format") or a run ("results_format"), or ""."""
    text, use = beginning.text.removeprefix(MARK), f"use {spelled(parameter, 'json')}"
    hint = json_hint(text, parameter)
    if not hint or hint == array_hint(text):
        return hint
    if re.match(OBJECT_OF_NUMBERS, text):
        if re.match(OBJECT_OF_NUMBERS, text.partition(NEWLINE)[2]):
            return f"if the keys of each line are topics, join the lines with jq -s add, and {use}"
        return f"the file is one object with an object for each topic; {use}"
    if has_record(beginning) and any(named(spec, list(first_record(beginning) or ())) for spec in (GRADE, RANK)):
        return f"if this is JSON, {use}"
    number = "grade" if parameter == "rel_format" else "score"
    return f"JSON must be {{topic: {{docno: {number}}}}}, or one object per line with topic, docno and {number}; {hint}"


class Doubt(Frozen):
    """A likely mistake in a file that its first lines can reveal."""

    columns: frozenset[str]  # the check is for formats with one of these columns, or for all if empty
    find: Callable[[Beginning, Layout], tuple[int, str] | None]
    """A function that returns the line number of the mistake and a message, or None if there is no mistake."""


def _json_in_columns(beginning: Beginning, layout: Layout) -> tuple[int, str] | None:
    """Return a line number and a message if JSON is read in a TREC format, in which blanks separate columns."""
    rule = json_rule(beginning, "results_format" if "SCORE" in layout.columns[0] else "rel_format")
    return (1, f"{rule}. The text between blanks is read as columns, like trec_eval") if rule else None


def _ranks_as_scores(beginning: Beginning, layout: Layout) -> tuple[int, str] | None:
    """Return a line number and a message if the columns of ranks and scores in a run are likely exchanged."""
    lines = [(number, line.split()) for number, line in beginning.data_lines(comments=True)]
    previous: dict[bytes, int] = {}
    least = max(_SCORE + 1, len(layout.columns[0].split()))  # shorter lines are malformed
    for _, fields in lines:
        if len(fields) < least or not all(map(re.fullmatch, (_NUMBER, b"[0-9]{1,9}"), fields[_RANK : _SCORE + 1])):
            return None
        topic, rank = fields[0], int(fields[_SCORE])
        if rank not in ({0, 1} if topic not in previous else {previous[topic] + 1}):
            return None
        previous[topic] = rank
    scores = [fields[_RANK] for _, fields in lines if not fields[_RANK].isdigit()]
    if not scores or len(previous) == len(lines):
        return None
    return (
        lines[0][0],
        f"the RANK column contains the number {quote(scores[0])}, and the SCORE column contains ranks. Documents are "
        "ranked by the SCORE column, highest first, like trec_eval; if the columns are exchanged, correct their order: "
        "awk '{print $1, $2, $3, $5, $4, $6}'",
    )


DOUBTS = (
    Doubt(frozenset(), _json_in_columns),
    Doubt(frozenset({"RANK"}), _ranks_as_scores),
    Doubt(frozenset(), _blank_in_field),
    Doubt(frozenset({"GRADE", "LEVEL"}), _pair_of_documents),
)


def doubt_about(beginning: Beginning, layout: Layout) -> str | None:
    """Return a message about a likely mistake in the first lines, with its location, or None if there is none."""
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

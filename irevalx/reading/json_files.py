"""JSON judgments and runs: one object {topic: {docno: number}}, like in ranx and BEIR, or one object per line."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn, TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import Segments
from irevalx.errors import LONGEST_QUOTE, MalformedLineError, Warn, quote, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.reading.beginnings import record_columns
from irevalx.reading.blocks import whole_file
from irevalx.reading.column_names import GRADE, SCORE, named
from irevalx.reading.entries import Entries
from irevalx.reading.grade_rules import RULES, real_grades_hint
from irevalx.reading.grades import number_or_nan
from irevalx.reading.hints import encoding_hint
from irevalx.reading.layout import Layout
from irevalx.reading.runs import ResultRows, RunStream
from irevalx.reading.source import MARK, Source, as_column, stem_of
from irevalx.settings import Grades
from irevalx.trec_eval.numbers import LONG_MAX, LONG_MIN
from irevalx.trec_eval.versions import Compat

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')
"""A JSON token. Unterminated strings extend to the end of the text, since a search from each quote would take
quadratic time."""

_OPEN, _CLOSE = "{}"

_SPACES = re.compile(r"[ \t\n\r]*")
"""White space between tokens."""

_AT_ONCE = 1 << 16
"""Minimum number of documents of a block of whole topics."""


class _Numbers(Frozen):
    """The numbers of a file, for checks and messages."""

    what: str  # for example "grade"
    rule: str  # for example "a whole number of 64 bits"
    types: frozenset[type]  # accepted types of Python
    most: float = sys.float_info.max  # the greatest value

    def holds(self, value: Any) -> bool:
        """Return whether a value is such a number."""
        if type(value) not in self.types:
            return False
        if float not in self.types:
            return bool(LONG_MIN <= value <= LONG_MAX)
        return bool(-sys.float_info.max <= value <= self.most)

    def as_number(self, value: Any) -> Any:
        """Return the number of a valid value."""
        return value


class _Labels(_Numbers):
    """Labels of documents: numbers, or texts of numbers; any other text and null are missing labels."""

    def holds(self, value: Any) -> bool:
        """Return whether a value is a label, possibly missing."""
        return not isinstance(value, list | dict) and (isinstance(value, str) or super().holds(value) or value is None)

    def as_number(self, value: Any) -> float:
        """Return the number of a label; nan if it is missing."""
        if isinstance(value, str):
            [number], _ = number_or_nan([value.encode("utf-8", "surrogatepass")])
            return number
        return math.nan if value is None else float(value)


_GRADES: dict[Grades, _Numbers] = {
    "whole": _Numbers("grade", RULES["whole"], frozenset({int})),
    "real": _Numbers("grade", RULES["real"], frozenset({int, float})),
    "probability": _Numbers("grade", RULES["probability"], frozenset({int, float}), 1.0),
    "label": _Labels("label", RULES["label"], frozenset({int, float})),
}
_SCORES = _Numbers("score", "a finite number", frozenset({int, float}))


_Members: TypeAlias = "Callable[[list[tuple[str, Any]]], list[tuple[str, Any]]]"


def read_json_judgments(
    source: Source, layout: Layout | None, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole"
) -> Judgments:
    """Read judgments, without empty topics; repeated topics or documents raise MalformedLineError."""
    parts = [entries.judgments() for entries in _read(source, _GRADES[grades], _once)]
    judgments = Judgments.joined(source.path, parts)
    if grades == "label" and (missing := np.flatnonzero(np.isnan(judgments.grades))).size:
        first = int(missing[0])
        topic, docno = judgments.topics[int(judgments.rows.ids[first])], judgments.docnos.text(first)
        more = f" ({missing.size - 1} more in this file)" if missing[1:].size else ""
        where = f"{shown_name(source.path)}: topic {quote(topic)}: document {quote(docno)}"
        warn(f"{where}: the label is not a number; it counts as missing{more}")
    return judgments


def read_json_run(source: Source, layout: Layout | None, compat: Compat, strict: bool, warn: Warn) -> RunStream:
    """Open a run, named after its file; reading it raises like ``read_json_judgments``."""

    def parse(entries: Entries) -> ResultRows:
        results = entries.results(compat, as_column(stem_of(source.path)), strict=True)
        return results if entries.topics else replace(results, tag=None)

    def run(members: _Members) -> RunStream:
        read = partial(_read, source, _SCORES, members)
        return RunStream(source.path, blocks=read, again=read, parse=parse)

    return replace(run(_once), with_repeats=run(list))


def _read(source: Source, numbers: _Numbers, members: _Members) -> Iterator[Entries]:
    """Yield the content of a file, some topics at a time; nothing for an empty pipe.

    Topics are decoded one by one, since Python objects of a whole file take ten times its size. ``members`` makes the
    list of a topic's documents. MalformedLineError names the first invalid line.
    """
    content = whole_file(source).text
    if columns := record_columns(content.removeprefix(MARK).partition(b"\n")[0]):
        yield _entries_of_records(source.path, content.removeprefix(MARK), columns, numbers)
        return
    try:
        text = content.decode("utf-8-sig")
        topics: dict[str, list[tuple[str, Any]]] = {}
        seen: set[str] = set()
        size = 0
        for topic, documents in _topics_of(text, members) if content else ():
            if topic in seen or not all(numbers.holds(value) for _, value in documents):
                raise _WrongError
            seen.add(topic)
            topics[topic] = documents
            size += len(documents)
            if size >= _AT_ONCE:
                yield _entries_of(source.path, topics, numbers)
                topics, size = {}, 0
        yield _entries_of(source.path, topics, numbers)
    except (_WrongError, ValueError, RecursionError):
        _refuse_content(source.path, content, numbers)


def _entries_of_records(path: str, content: bytes, columns: tuple[str, str], numbers: _Numbers) -> Entries:
    """Return the content of JSON lines; ``columns`` are the keys of topic and document."""
    records: list[tuple[bytes, bytes, Any, int]] = []
    column_names = SCORE if numbers is _SCORES else GRADE
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            [name] = named(column_names, list(record))[:1]
            topic, docno = (record[column] for column in columns)
        except (ValueError, RecursionError, LookupError, TypeError):
            rule = f"a line must be a JSON object with {columns[0]}, {columns[1]} and {numbers.what}"
            raise MalformedLineError(f"{shown_name(path)}:{number}: {rule}, not {quote(line)}") from None
        for column, value in zip(columns, (topic, docno), strict=True):
            if type(value) not in {str, int}:
                raise MalformedLineError(
                    f"{shown_name(path)}:{number}: {quote(column)} must be a string or a whole number, not "
                    f"{quote(json.dumps(value))}"
                )
        value = record[name]
        if not numbers.holds(value):
            where = f"{shown_name(path)}:{number}: topic {quote(str(topic))}: document {quote(str(docno))}"
            raise MalformedLineError(f"{where}: {numbers.what} must be {numbers.rule}, not {quote(json.dumps(value))}")
        records.append((_as_bytes(str(topic)), _as_bytes(str(docno)), value, number))
    topics, docnos, values, lines = zip(*records, strict=True)
    kind = np.float64 if float in numbers.types else np.int64
    return Entries.of_rows(path, Names.of(topics), Names.of(docnos), np.array(values, kind), np.array(lines, np.int64))


def _topics_of(text: str, members: _Members) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield topics with their documents and numbers, up to the first mistake.

    A mistake raises _WrongError, ValueError or RecursionError.
    """
    decode = json.JSONDecoder(object_pairs_hook=members).raw_decode
    _, place = _next(text, 0, _OPEN)
    mark, after = _next(text, place, '"' + _CLOSE)
    while mark != _CLOSE:
        topic, place = decode(text, after - 1)
        _, place = _next(text, place, ":")
        _, place = _next(text, place, _OPEN)
        documents, place = decode(text, place - 1)
        yield topic, documents
        mark, after = _next(text, place, "," + _CLOSE)
        if mark == ",":
            _, after = _next(text, after, '"')
    if not _SPACES.fullmatch(text, after):
        raise _WrongError


def _next(text: str, place: int, expected: str) -> tuple[str, int]:
    """Return the next character that is not a space, which must be one of ``expected``, and the offset after it."""
    spaces = _SPACES.match(text, place)
    place = spaces.end() if spaces else place
    mark = text[place : place + 1]
    if not mark or mark not in expected:
        raise _WrongError
    return mark, place + 1


def _entries_of(path: str, topics: dict[str, list[tuple[str, Any]]], numbers: _Numbers) -> Entries:
    """Return decoded topics as columns."""
    pairs = [pair for documents in topics.values() for pair in documents]
    return Entries(
        path=path,
        topics=tuple(map(_as_bytes, topics)),
        rows=Segments.of_lengths([len(documents) for documents in topics.values()]),
        docnos=Names.of([_as_bytes(docno) for docno, _ in pairs]),
        numbers=np.array(
            [numbers.as_number(number) for _, number in pairs], np.float64 if float in numbers.types else np.int64
        ),
        lines=np.ones(len(pairs), np.int64),  # messages about repeated documents name no line
        distinct=all(len(dict(documents)) == len(documents) for documents in topics.values()),
    )


def _refuse_content(path: str, content: bytes, numbers: _Numbers) -> NoReturn:
    """Raise the error about the first mistake in an invalid file."""
    rule = f"the file must be a JSON object {{topic: {{docno: {numbers.what}}}}}"
    where = shown_name(path)
    try:
        text = content.decode("utf-8-sig")
        json.loads(text, object_pairs_hook=_once)
    except _WrongError:
        _refuse(where, text, numbers, rule)
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1]
        hint = encoding_hint(content[:LONGEST_QUOTE]) or error.msg  # UTF-16 without a byte-order mark is valid UTF-8
        raise MalformedLineError(f"{where}:{error.lineno}: {rule}, but got {quote(line)}: {hint}") from None
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        hint = encoding_hint(content[:LONGEST_QUOTE])
        problem = f"{rule} in UTF-8, but got {quote(content[error.start :][:1])}{hint and ': '}{hint}"
        raise MalformedLineError(f"{where}:{number}: {problem}") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, or thousands of brackets
        raise MalformedLineError(f"{where}:1: {rule}, but got {quote(text)}") from None
    _refuse(where, text, numbers, rule)


class _WrongError(Exception):
    """The file is invalid; ``_refuse_content`` locates the mistake."""


def _once(pairs: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return the members of an object; a repeated key raises _WrongError."""
    if len(dict(pairs)) < len(pairs):
        raise _WrongError
    return pairs


def _as_bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _refuse(where: str, text: str, numbers: _Numbers, rule: str) -> NoReturn:
    """Raise the error about the first invalid topic, document or number.

    ``text`` is valid JSON up to its first repeated key; ``where`` names the file.
    """
    seen: dict[tuple[str, ...], int] = {}
    for line, keys, value in _members(text):
        names = ": ".join(f"{word} {quote(key)}" for word, key in zip(("topic", "document"), keys, strict=False))
        if keys in seen:
            place = "topic" if len(keys) > 1 else "file"
            raise MalformedLineError(
                f"{where}:{line}: {'a document' if len(keys) > 1 else 'a topic'} must occur once in the {place}, but "
                f"got {names} a second time (first on line {seen[keys]})"
            )
        seen[keys] = line
        if len(keys) == 1 and value != _OPEN:
            raise MalformedLineError(f"{where}:{line}: {names}: {rule}, but got {quote(value)}")
        if len(keys) == 2 and not numbers.holds(_number(value)):
            hint = real_grades_hint() if numbers is _GRADES["whole"] and _GRADES["real"].holds(_number(value)) else ""
            problem = f"{numbers.what} must be {numbers.rule}, but got {quote(value)}{hint}"
            raise MalformedLineError(f"{where}:{line}: {names}: {problem}")
    raise MalformedLineError(f"{where}:1: {rule}, but got {quote(text)}")


def _number(token: str) -> Any:
    """Return the value of a token that is neither text nor a bracket; None for others."""
    return None if token[0] in '"{[' else json.loads(token)


def _members(text: str) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Yield the line (from 1), the keys and the first token of the value for each member of the nested objects."""
    line, at = 1, 0
    keys: list[str] = []
    tokens = [(match[0], match.start()) for match in _TOKEN.finditer(text)]
    for place, (token, start) in enumerate(tokens[:-2]):
        line, at = line + text.count("\n", at, start), start
        if token == _CLOSE and keys:
            keys.pop()
        elif token[0] == '"' and tokens[place + 1][0] == ":":
            value = tokens[place + 2][0]
            yield line, (*keys, json.loads(token)), value
            if value == _OPEN:
                keys.append(json.loads(token))

"""Reading of judgments and runs from JSON objects {topic: {docno: number}}."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.errors import LONGEST_QUOTE, DuplicateDocumentError, MalformedLineError, quote, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.reading.column_names import SCORE, ColumnSpec
from irevalx.reading.grade_rules import RULES, real_grades_hint
from irevalx.reading.layout import OBJECT_OF_NUMBERS, OBJECT_OF_RUNS, Rules, encoding_hint, json_hint, text_hint
from irevalx.reading.sources.blocks import whole_file
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.rows import Columns, Rows
from irevalx.settings import Grades, remedy_for_duplicates
from irevalx.trec_eval import LONG_MAX, LONG_MIN
from irevalx.wording import spelled

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')
"""The pattern of a JSON token. An unterminated string extends to the end of the file, because a search from each quote
would take quadratic time."""

_OPEN, _CLOSE = "{}"

_SPACES = re.compile(r"[ \t\n\r]*")
"""The pattern of white space between tokens."""

_AT_ONCE = 1 << 16
"""The minimum number of documents in a block, which consists of whole topics."""


class _Numbers(Frozen):
    """The rule for valid numbers in a file, for checks and messages."""

    what: str  # for example "grade"
    rule: str  # for example "a whole number of 64 bits"
    types: frozenset[type]  # the accepted Python types
    most: float = sys.float_info.max  # the maximum value

    def holds(self, value: Any) -> bool:
        """Return whether a value is a valid number."""
        if type(value) not in self.types:
            return False
        if float not in self.types:
            return bool(LONG_MIN <= value <= LONG_MAX)
        return bool(-sys.float_info.max <= value <= self.most)

    def as_number(self, value: Any) -> Any:
        """Convert a valid value to a number."""
        return value


class _Labels(_Numbers):
    """The rule for labels, which are numbers or strings. A null value is a missing label."""

    def holds(self, value: Any) -> bool:
        """Return whether a value is a valid label or a missing label."""
        return not isinstance(value, list | dict) and (isinstance(value, str) or super().holds(value) or value is None)

    def as_number(self, value: Any) -> float:
        """Convert a label to a number. Missing labels and strings become NaN."""
        return math.nan if value is None or isinstance(value, str) else float(value)


_GRADES: dict[Grades, _Numbers] = {
    "whole": _Numbers("grade", RULES["whole"], frozenset({int, bool})),
    "real": _Numbers("grade", RULES["real"], frozenset({int, float, bool})),
    "probability": _Numbers("grade", RULES["probability"], frozenset({int, float, bool}), 1.0),
    "label": _Labels("label", RULES["label"], frozenset({int, float, bool})),
}
_SCORES = _Numbers("score", "a finite number", frozenset({int, float}))


_Members: TypeAlias = "Callable[[list[tuple[str, Any]]], list[tuple[str, Any]]]"

Documents: TypeAlias = "dict[str, list[tuple[str, Any]]]"
"""The documents of several topics, each with a number, as {topic: [(docno, number), ...]}."""


class JsonObjects(Rows):
    """The rows of a JSON object {topic: {docno: number}}. Reading an invalid object raises an error."""

    source: Source
    numbers: _Numbers
    members: _Members  # converts the members of a JSON object to a list

    def blocks(self) -> Iterator[Documents]:
        """Yield the content in blocks of topics, because Python objects take ten times as much memory as the file."""
        content = whole_file(self.source, in_lines=False).text
        try:
            text = content.decode("utf-8-sig")
            topics: Documents = {}
            seen: set[str] = set()
            size = 0
            for topic, documents in _topics_of(text, self.members) if content else ():
                are_valid = all(docno and self.numbers.holds(value) for docno, value in documents)
                if not topic or topic in seen or not are_valid:
                    raise _WrongError
                seen.add(topic)
                topics[topic] = documents
                size += len(documents)
                if size >= _AT_ONCE:
                    yield topics
                    topics, size = {}, 0
            yield topics
        except (_WrongError, ValueError, RecursionError):
            _refuse_content(self.path, content, self.numbers)

    def again(self) -> Iterator[Documents]:
        """Yield the content of the file again."""
        return self.blocks()

    def with_repeats(self) -> JsonObjects:
        """Return the same rows, but allow a document to occur repeatedly in a topic."""
        return replace(self, members=list)

    def columns(self, block: Documents, rules: Rules) -> Columns:
        """Return the columns of a block of topics."""
        pairs = [pair for documents in block.values() for pair in documents]
        lengths = [len(documents) for documents in block.values()]
        topics = Names.of(list(map(_as_bytes, block)))
        kind = np.float64 if float in self.numbers.types else np.int64
        numbers = np.array([self.numbers.as_number(number) for _, number in pairs], kind)
        if rules.words is not None:
            rules.words.add_numbers(numbers.astype(np.float64))
            of_topic = np.repeat(np.arange(len(lengths)), lengths)
            for place in np.flatnonzero(np.isnan(numbers)).tolist():
                where = f"{shown_name(self.path)}: topic {quote(topics.text(int(of_topic[place])))}"
                subject = f"{where}: document {quote(pairs[place][0])}"
                label = pairs[place][1]
                numbers[place] = rules.words.number(b"" if label is None else _as_bytes(str(label)), subject.__str__)
        values = {
            "TOPIC": topics.take(np.repeat(np.arange(len(lengths)), lengths)),
            "DOCNO": Names.of([_as_bytes(docno) for docno, _ in pairs]),
            self.specs[-1].column: numbers,
        }
        # All lines are 1, because messages about repeated documents do not name a line.
        return Columns(self.path, values, np.ones(len(pairs), np.int64), distinct=self.members is once)


def json_objects(source: Source, specs: tuple[ColumnSpec, ...], grades: Grades) -> JsonObjects:
    """Return the rows of a JSON file, which contains scores or grades of the given type."""
    return JsonObjects(source.path, specs, source, _SCORES if specs[-1] is SCORE else _GRADES[grades], once)


def _topics_of(text: str, members: _Members) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield each topic with its documents. Raise _WrongError, ValueError or RecursionError if the JSON is invalid."""
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
    """Return the next nonblank character and the next offset.

    Raise _WrongError unless the character is in ``expected``.
    """
    spaces = _SPACES.match(text, place)
    place = spaces.end() if spaces else place
    mark = text[place : place + 1]
    if not mark or mark not in expected:
        raise _WrongError
    return mark, place + 1


_SCORES_AS_LINES = ("results_format", "trec_results"), "TOPIC Q0 DOCNO RANK SCORE TAG"
_GRADES_AS_LINES = ("rel_format", "qrels"), "TOPIC IGNORED DOCNO GRADE"


def _refuse_content(path: str, content: bytes, numbers: _Numbers) -> NoReturn:
    """Raise an error about the first mistake in an invalid file."""
    rule = f"expected a JSON object {{topic: {{docno: {numbers.what}}}}}"
    hint_at_json = json_hint(content, "results_format" if numbers is _SCORES else "rel_format")
    where = shown_name(path)
    try:
        text = content.decode("utf-8-sig")
        json.loads(text, object_pairs_hook=once)
    except _WrongError:
        _refuse(where, text, numbers, rule, hint_at_json)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) > 0:
            size = f"{len(text.splitlines())} line{'s' * (len(text.splitlines()) > 1)}"
            problem = f"the JSON object is incomplete: the file ends before the closing brace ({size})"
            raise MalformedLineError(f"{where}: {problem}") from None
        line = text.split("\n")[error.lineno - 1]
        hint = encoding_hint(content[:LONGEST_QUOTE]) or error.msg  # UTF-16 without a byte-order mark is valid UTF-8
        plain, columns = _SCORES_AS_LINES if numbers is _SCORES else _GRADES_AS_LINES
        if text.lstrip()[:1] != "{" and len(line.split()) == len(columns.split()):
            hint = f"the file contains text lines; use {spelled(*plain)} if the columns are {columns}"
        if error.msg == "Extra data" and error.lineno > 1 and hint_at_json:
            join = "if each line is an object, join the lines with jq -s add"
            hint = f"{hint} ({join if re.match(OBJECT_OF_NUMBERS, content) else hint_at_json})"
        raise MalformedLineError(f"{where}:{error.lineno}: {rule}: {hint}: {quote(line)}") from None
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        hint = encoding_hint(content[:LONGEST_QUOTE])
        problem = f"{rule} in UTF-8, but the byte {quote(content[error.start :][:1])} is not{hint and ': '}{hint}"
        raise MalformedLineError(f"{where}:{number}: {problem}") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, or thousands of brackets
        raise MalformedLineError(f"{where}:1: {rule}: {quote(text)}") from None
    _refuse(where, text, numbers, rule, hint_at_json)


class _WrongError(Exception):
    """The file is invalid. The function ``_refuse_content`` locates the mistake."""


def once(pairs: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return the members of a JSON object unchanged. Raise _WrongError if a key is repeated."""
    if len(dict(pairs)) < len(pairs):
        raise _WrongError
    return pairs


def _as_bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _refuse(where: str, text: str, numbers: _Numbers, rule: str, hint_at_json: str) -> NoReturn:
    """Raise an error about the first invalid topic, document or number in ``text``, which is valid JSON."""
    if hint_at_json and text.lstrip()[:1] != _OPEN:
        raise MalformedLineError(f"{where}:1: {rule}: {hint_at_json}")
    seen: dict[tuple[str, ...], int] = {}
    for line, keys, value in _members(text):
        names = ": ".join(f"{word} {quote(key)}" for word, key in zip(("topic", "document"), keys, strict=False))
        if not keys[-1]:
            raise MalformedLineError(f"{where}:{line}: {names}: the {('topic', 'document')[len(keys) - 1]} ID is empty")
        if keys in seen:
            if len(keys) == 1:
                raise MalformedLineError(f"{where}:{line}: duplicate {names} (first on line {seen[keys]})")
            kind, remedy = ("results", remedy_for_duplicates()) if numbers is _SCORES else ("judgments", "")
            problem = f"duplicate document {quote(keys[1])} in the {kind} of topic {quote(keys[0])}"
            raise DuplicateDocumentError(f"{where}:{line}: {problem} (first on line {seen[keys]}){remedy}")
        seen[keys] = line
        if len(keys) == 1 and value != _OPEN:
            raise MalformedLineError(f"{where}:{line}: {names}: {rule}, not {quote(value)}; {hint_at_json}")
        if len(keys) == 2 and not numbers.holds(_number(value)):
            hint = real_grades_hint() if numbers is _GRADES["whole"] and _GRADES["real"].holds(_number(value)) else ""
            hint = hint or _hint_at(value, text, hint_at_json)
            problem = f"invalid {numbers.what} {quote(value)}: must be {numbers.rule}{hint}"
            raise MalformedLineError(f"{where}:{line}: {names}: {problem}")
    raise MalformedLineError(f"{where}:1: {rule}: {quote(text)}")


def _hint_at(token: str, text: str, hint_at_json: str) -> str:
    """Return a hint about an invalid number: remove quotes, or write several runs to separate files."""
    if token == _OPEN:
        are_runs = re.match(OBJECT_OF_RUNS, text[:LONGEST_QUOTE].encode(errors="replace"))
        return f"; {'if the outer keys are runs, write each run to a separate file' if are_runs else hint_at_json}"
    return "; remove the quotes" if text_hint(token.strip('"')) else ""


def _number(token: str) -> Any:
    """Return the number that a token represents, or None if the token is a string or a bracket."""
    return None if token[0] in '"{[' else json.loads(token)


def _members(text: str) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Yield each member of nested objects: the 1-based line, the keys, and the first token of the value."""
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

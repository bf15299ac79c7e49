"""Tables with named columns, and functions that convert lists of Python values to arrays."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names, numbered
from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.checks import encodable, identifier, is_long
from irevalx.errors import ArgumentError, printable, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.process.platform import ENCODING, ERRORS, as_bytes
from irevalx.reading.column_names import RANK, SCORE, ColumnKind, ColumnSpec, column_of_runs, named
from irevalx.reading.grade_rules import real_grades_hint, refuse_wrong
from irevalx.reading.layout import Rules, text_hint, word_for
from irevalx.reading.sources.decimals import CLOSE, OTHER, decimals
from irevalx.reading.sources.rows import Columns, Rows
from irevalx.settings import Grades
from irevalx.wording import argument_error

if TYPE_CHECKING:
    from irevalx.reading.label_words import LabelWords

What = Callable[[int], str]
"""A function that returns the description of a value for messages, given the 0-based index of the value."""

_WHOLE_NUMBERS = frozenset({int, *(np.dtype(code).type for code in np.typecodes["AllInteger"])})
"""The integer types of Python and NumPy."""

_SHORT = 32
"""The average length of lists below which joining the lists before packing is faster."""

_NEWLINE = ord("\n")
_NOT_PACKED = (struct.error, TypeError, ValueError, OverflowError)


def topics_of(given: Iterable[Any], path: str, *, exact: bool = False) -> tuple[bytes, ...]:
    """Convert topic IDs to bytes. Raise ArgumentError if an ID is invalid or repeated.

    If ``exact`` is true, integers are invalid IDs.
    """
    what = f"{path}: a topic"
    texts = [topic if type(topic) is str else identifier(what, topic, whole=not exact) for topic in given]
    try:
        topics = tuple([text.encode(ENCODING, ERRORS) for text in texts])
    except UnicodeEncodeError:
        raise _not_encodable(texts, lambda place: what) from None
    if len(set(topics)) < len(topics):
        first = {topic: place for place, topic in reversed([*enumerate(topics)])}
        twice = next(topic for place, topic in enumerate(topics) if first[topic] < place)
        raise ArgumentError(f"{path}: duplicate topic {quote(twice)}")
    return topics


def names_of(lists: Sequence[Collection[Any]], what: What, *, exact: bool = False) -> tuple[Names, bool]:
    """Convert lists of IDs to ``Names``. Also return whether different IDs in a list have different names."""
    filled = [ids for ids in lists if ids]
    try:
        text, distinct = "\n".join(["\n".join(ids) for ids in filled]), True
    except TypeError:
        ids = list(chain.from_iterable(filled))
        if not exact and _WHOLE_NUMBERS.issuperset(map(type, ids)):
            with suppress(struct.error):  # an integer can exceed 64 bits
                return Names.of_numbers(np.frombuffer(_packed([ids], "q"), np.int64)), True
        filled = [[identifier(partial(what, place), name, whole=not exact) for place, name in enumerate(ids)]]
        text, distinct = "\n".join(filled[0]), False  # 1 and "1" have the same name
    try:
        encoded = text.encode(ENCODING)
    except UnicodeEncodeError:
        try:
            encoded, distinct = as_bytes(text), False  # IDs with surrogates can have equal bytes
        except UnicodeEncodeError:
            raise _not_encodable(chain.from_iterable(filled), what) from None
    padding = b" " * PADDING
    buffer = np.frombuffer(b"".join((padding, encoded, b"\n", padding)), np.uint8)
    ends: IntArray = (buffer == _NEWLINE).nonzero()[0]
    if not filled or ends.size != sum(map(len, filled)):
        return Names.of([as_bytes(name) for name in chain.from_iterable(filled)]), distinct
    starts = np.empty(ends.size, np.int64)
    starts[:1] = PADDING
    starts[1:] = ends[:-1] + 1
    return Names(buffer, starts, ends - starts), distinct


def _not_encodable(texts: Iterable[str], what: What) -> ArgumentError:
    """Return the error about the first string that cannot be encoded."""
    try:
        for place, text in enumerate(texts):
            encodable(partial(what, place), text)
    except ArgumentError as error:
        return error
    raise AssertionError("each of the texts can be encoded, all together cannot")


def scores_of(lists: Collection[Collection[Any]], what: What) -> FloatArray:
    """Convert lists of numbers to one float64 array. Raise ArgumentError if a value is not a number."""
    try:
        return np.frombuffer(_packed(lists, "d"), np.float64)
    except _NOT_PACKED:
        every = enumerate(chain.from_iterable(lists))
        place, value = next((place, value) for place, value in every if not _is_double(value))
        error = argument_error(what(place), "a 64-bit number", value)
        raise ArgumentError(f"{error.message}{text_hint(value)}") from None


def grades_of(
    lists: Collection[Collection[Any]], what: What, *, exact: bool = False, grades: Grades = "whole"
) -> AnyArray:
    """Convert lists of grades to one array. Raise ArgumentError, with a hint unless ``exact``, for invalid grades."""
    if grades == "label":
        lists = [[math.nan if value is None else value for value in numbers] for numbers in lists]
    if grades != "whole":
        numbers = scores_of(lists, what)
        refuse_wrong(numbers, grades, lambda place, rule: argument_error(what(place), rule, numbers[place].item()))
        return numbers
    try:
        return np.frombuffer(_packed(lists, "q"), np.int64)
    except _NOT_PACKED:
        every = enumerate(chain.from_iterable(lists))
        return np.array([_grade(what, place, value, exact) for place, value in every], np.int64)


def label_numbers(texts: Names, words: LabelWords, place: What, hint: What = lambda row: "") -> FloatArray:
    """Convert labels to numbers. A word to which no grade is assigned becomes NaN.

    For messages, ``place`` returns the location of a row, and ``hint`` returns a remark about the label in a row.
    """
    values, states = decimals(texts)
    words.add_numbers(values[states != OTHER])
    for row in np.flatnonzero(states == CLOSE).tolist():
        values[row] = float(texts.text(row))
    rest = np.flatnonzero(states == OTHER)
    number, names = numbered(texts.take(rest))
    first = rest[np.unique(number, return_index=True)[1]]  # the first row of each distinct label
    grades = np.zeros(names.size)
    for place_of_name in np.argsort(first).tolist():
        row = int(first[place_of_name])
        grades[place_of_name] = words.number(texts.text(row), partial(place, row), partial(hint, row))
    values[rest] = grades[number]
    return values


def _is_double(value: Any) -> bool:
    try:
        return bool(struct.pack("d", value))
    except _NOT_PACKED:
        return False


def _grade(what: What, place: int, value: Any, exact: bool) -> int:
    if isinstance(value, Integral | np.bool_) or (isinstance(value, float | np.floating) and value.is_integer()):
        grade = int(value)
        if is_long(grade):
            return grade
    error = argument_error(what(place), "a 64-bit integer", value)
    is_real = isinstance(value, float | np.floating) and math.isfinite(value) and not exact
    raise ArgumentError(f"{error.message}{real_grades_hint() if is_real else text_hint(value)}")


def _packed(lists: Collection[Collection[Any]], code: str) -> bytes:
    """Pack numbers as bytes, which takes half the time of a conversion by NumPy."""
    if len(lists) > 1 and sum(map(len, lists)) < _SHORT * len(lists):
        lists = [list(chain.from_iterable(lists))]
    return b"".join([struct.pack(f"{len(numbers)}{code}", *numbers) for numbers in lists])


_WHOLE, _REAL = "a 64-bit integer", "a 64-bit number"
RULES: dict[ColumnKind, str] = {
    "names": "a string or an integer",
    "words": "a string",
    **dict.fromkeys(("grades", "integers"), _WHOLE),
    **dict.fromkeys(("reals", "labels", "levels", "scores", "probabilities"), _REAL),
}
"""The phrase that describes valid values of each kind of column in messages."""


class TableRows(Rows):
    """The rows of a table with named columns."""

    table: ColumnTable

    def columns(self, block: Any, rules: Rules) -> Columns:
        """Return the columns of the table. Raise ArgumentError if a value is invalid."""
        return self.table.columns(self.specs, rules)


_MOST_NAMES = 20
"""The maximum number of column names in a message."""


def no_column(spec: ColumnSpec, names: Sequence[Any]) -> str:
    """Return the message about a missing column. ``names`` contains the names of the existing columns."""
    accepted = f"one of {', '.join(spec.names)}" if len(spec.names) > 1 else repr(spec.names[0])
    known = ", ".join(printable(str(name)) for name in names[:_MOST_NAMES])
    more = ", ..." if len(names) > _MOST_NAMES else ""
    has = f"the table has the columns {known}{more}" if names else "the table has no columns"
    return f"no column for the {word_for(spec.column)}: expected {accepted}; {has}"


def remedy_of_runs(names: Sequence[Any]) -> str:
    """Return a hint that a table with duplicate documents can contain several runs, or "" if no column names runs."""
    column = column_of_runs(names)
    return f"; if the column {quote(column)} contains the names of several runs, rename it to run" if column else ""


class ColumnTable(Frozen):
    """A table with named columns."""

    is_arrow: ClassVar[bool] = False  # whether rows are read as pyarrow batches
    path: str  # the path shown in messages
    names: Sequence[Any]  # the names of the columns in the table

    def read(self, *specs: ColumnSpec) -> tuple[Any, ...]:
        """Return whole columns of n values. Raise ArgumentError if a column is missing or contains an invalid value."""
        raise NotImplementedError

    def first_rows(self, *specs: ColumnSpec) -> tuple[Any, ...]:
        """Return columns of some or all rows, for checks. If rows can be read only once, columns are empty."""
        return self.read(*specs)

    def columns(self, specs: Sequence[ColumnSpec], rules: Rules) -> Columns:
        """Return whole columns under their names in layouts. Raise ArgumentError if a grade or level is invalid."""
        columns = dict(zip((spec.column for spec in specs), self.read(*specs), strict=True))
        for spec in specs:
            if spec.kind == "labels":
                assert rules.words is not None
                place = partial(self.place, self.find(spec))
                columns[spec.column] = label_numbers(columns[spec.column], rules.words, place)
            if spec.kind in {"reals", "labels", "levels"}:
                error = partial(self._wrong_number, spec, columns[spec.column])
                refuse_wrong(columns[spec.column], "real" if spec.kind == "levels" else rules.grades, error)
        return Columns(self.path, columns, np.arange(1, columns["TOPIC"].size + 1))

    def _wrong_number(self, spec: ColumnSpec, numbers: AnyArray, row: int, rule: str) -> ArgumentError:
        """Return the error about an invalid number in a row, given the 0-based index ``row``."""
        return ArgumentError(f"{self.place(self.find(spec), row)} must be {rule}, not {numbers[row]:g}")

    def number_of_run(self) -> ColumnSpec:
        """Return the column that determines the ranking of a run: scores or, if there are no scores, ranks."""
        return RANK if self.has(RANK) and not self.has(SCORE) else SCORE

    def has(self, spec: ColumnSpec) -> bool:
        """Return whether the table contains the column ``spec``."""
        return bool(named(spec, self.names))

    def find(self, spec: ColumnSpec) -> Any:
        """Return a column's name in the table. Raise ArgumentError unless exactly one column matches ``spec``."""
        matches = named(spec, self.names)
        if len(matches) == 1:
            return matches[0]
        if matches:
            among = "" if len(set(matches)) == 1 else f" ({', '.join(map(quote, matches))})"
            raise ArgumentError(
                f"{shown_name(self.path)}: ambiguous column {quote(matches[0])}: the table has {len(matches)}{among}"
            )
        raise ArgumentError(f"{shown_name(self.path)}: {no_column(spec, self.names)}")

    def place(self, column: Any, row: int) -> str:
        """Return the location of a value for messages, given the 0-based index ``row``."""
        quoted = quote(column) if isinstance(column, str) else printable(repr(column))
        return f"{shown_name(self.path)}: column {quoted}, row {row + 1} (the first is 1)"


class WholeTable(ColumnTable):
    """A table whose columns are read as a whole by a function."""

    column: Callable[[Any, ColumnKind], Names | AnyArray]
    """A function that returns the values of a column, given its name and kind. The function raises ArgumentError if a
    value is invalid."""

    def read(self, *specs: ColumnSpec) -> tuple[Any, ...]:
        """Return whole columns. Raise ArgumentError if a column is missing or contains an invalid value."""
        columns = tuple(self.column(self.find(spec), spec.kind) for spec in specs)
        sizes = [column.size for column in columns]
        if len(set(sizes)) > 1:
            raise ArgumentError(f"{self.path}: the columns of the table have different lengths: {sizes}")
        return columns

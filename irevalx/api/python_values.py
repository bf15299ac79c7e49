"""Lists of strings and numbers converted to names and arrays."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.errors import ArgumentError, quote
from irevalx.parameters import argument_error, encodable, identifier, is_long
from irevalx.process.system import ENCODING, ERRORS, as_bytes
from irevalx.reading.grade_rules import real_grades_hint, refuse_wrong
from irevalx.reading.hints import text_hint
from irevalx.settings import Grades

What = Callable[[int], str]
"""Describes the n-th value (from 0) of a column in messages."""

_WHOLE_NUMBERS = frozenset({int, *(np.dtype(code).type for code in np.typecodes["AllInteger"])})
"""The types of integers."""

_SHORT = 32
"""Lists with a mean length below this are joined before they are packed."""

_NEWLINE = ord("\n")
_NOT_PACKED = (struct.error, TypeError, ValueError, OverflowError)


def topics_of(given: Iterable[Any], path: str, *, exact: bool = False) -> tuple[bytes, ...]:
    """Return distinct topic IDs as bytes; invalid or repeated IDs raise ArgumentError. ``exact`` refuses integers."""
    what = f"{path}: a topic"
    texts = [topic if type(topic) is str else identifier(what, topic, whole=not exact) for topic in given]
    try:
        topics = tuple([text.encode(ENCODING, ERRORS) for text in texts])
    except UnicodeEncodeError:
        raise _not_encodable(texts, lambda place: what) from None
    if len(set(topics)) < len(topics):
        first = {topic: place for place, topic in reversed([*enumerate(topics)])}
        twice = next(topic for place, topic in enumerate(topics) if first[topic] < place)
        raise ArgumentError(f"{path}: a topic must be given once, but got {quote(twice)} twice")
    return topics


def names_of(lists: Sequence[Collection[Any]], what: What, *, exact: bool = False) -> tuple[Names, bool]:
    """Return IDs, flat over the lists, as bytes, and whether they are known to be distinct within lists.

    Bytes are in the file system's encoding. Mixed integers and strings, and surrogates, can make different IDs equal.
    ``exact`` refuses integers; invalid IDs raise ArgumentError.
    """
    filled = [ids for ids in lists if ids]
    try:
        text, distinct = "\n".join(["\n".join(ids) for ids in filled]), True
    except TypeError:
        ids = list(chain.from_iterable(filled))
        if not exact and _WHOLE_NUMBERS.issuperset(map(type, ids)):
            with suppress(struct.error):  # numbers of more than 64 bits
                return Names.of_numbers(np.frombuffer(_packed([ids], "q"), np.int64)), True
        filled = [[identifier(partial(what, place), name, whole=not exact) for place, name in enumerate(ids)]]
        text, distinct = "\n".join(filled[0]), False
    try:
        encoded = text.encode(ENCODING)
    except UnicodeEncodeError:
        try:
            encoded, distinct = as_bytes(text), False
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
    """Return the error about the first text that cannot be encoded."""
    try:
        for place, text in enumerate(texts):
            encodable(partial(what, place), text)
    except ArgumentError as error:
        return error
    raise AssertionError("each of the texts can be encoded, all together cannot")


def scores_of(lists: Collection[Collection[Any]], what: What) -> FloatArray:
    """Return numbers, flat over the lists, as float64; others raise ArgumentError."""
    try:
        return np.frombuffer(_packed(lists, "d"), np.float64)
    except _NOT_PACKED:
        every = enumerate(chain.from_iterable(lists))
        place, value = next((place, value) for place, value in every if not _is_double(value))
        error = argument_error(what(place), "a number of 64 bits", value)
        raise ArgumentError(f"{error.message}{text_hint(value)}") from None


def grades_of(
    lists: Collection[Collection[Any]], what: What, *, exact: bool = False, grades: Grades = "whole"
) -> AnyArray:
    """Return grades, flat over the lists, as int64 if whole, otherwise as float64; others raise ArgumentError.

    ``exact`` omits the hint about real grades, which pytrec_eval's evaluator does not accept.
    """
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


def _is_double(value: Any) -> bool:
    try:
        return bool(struct.pack("d", value))
    except _NOT_PACKED:
        return False


def _grade(what: What, place: int, value: Any, exact: bool) -> int:
    if isinstance(value, Integral) or (isinstance(value, float | np.floating) and value.is_integer()):
        grade = int(value)
        if is_long(grade):
            return grade
    error = argument_error(what(place), "a whole number of 64 bits", value)
    is_real = isinstance(value, float | np.floating) and math.isfinite(value) and not exact
    raise ArgumentError(f"{error.message}{real_grades_hint() if is_real else text_hint(value)}")


def _packed(lists: Collection[Collection[Any]], code: str) -> bytes:
    """Return numbers as packed bytes (in half of numpy's time)."""
    if len(lists) > 1 and sum(map(len, lists)) < _SHORT * len(lists):
        lists = [list(chain.from_iterable(lists))]
    return b"".join([struct.pack(f"{len(numbers)}{code}", *numbers) for numbers in lists])

"""The one builder of judgments, pools and runs from what Python programs have in memory.

Dictionaries and tables become columns of ids and numbers, these become ``Entries``, and what is evaluated is made of
those alone.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np

from irevalx.api.checks import identifier, is_long, wrong
from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.segments import AnyArray, FloatArray, IntArray, Segments
from irevalx.errors import ArgumentError, quote
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool
from irevalx.reading.lines import as_precise
from irevalx.reading.runs import Results, Run, group_by_topic
from irevalx.trec_eval.numbers import OddNumbers
from irevalx.trec_eval.versions import Compat

What = Callable[[int], str]
"""Says, for a message, what the n-th value (from 0) of a column is."""

_ENCODING, _ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
"""As ``os.fsencode`` has them."""

_NEWLINE = ord("\n")
_NOT_PACKED = (struct.error, TypeError, ValueError, OverflowError)


class Entries(Frozen):
    """Documents of topics, each with a number.

    Parameters
    ----------
    path : what messages call them.
    topics : each once, in the order given.
    rows : one row a topic, its documents in the order given.
    docnos : flat.
    numbers : flat; grades of int64 or scores of float64; of a pool anything.
    lines : flat; the 1-based place of each in what was given, for messages.
    distinct : whether it is known that no document occurs twice in a topic.
    """

    path: str
    topics: tuple[bytes, ...]
    rows: Segments
    docnos: Names
    numbers: AnyArray
    lines: IntArray
    distinct: bool = False

    @classmethod
    def of_table(cls, path: str, topics: Names, docnos: Names, numbers: AnyArray) -> Entries:
        """Return the rows of a table, those of each topic brought together.

        Parameters
        ----------
        topics, docnos, numbers : of each row.
        """
        names, rows, order = group_by_topic(topics)
        lines = np.arange(1, topics.size + 1)
        return cls(path, names, rows, docnos.take(order), numbers[order], lines[order])

    def judgments(self) -> Judgments:
        """Return them as judgments; topics without documents are left out."""
        filled = np.flatnonzero(self.rows.lengths).tolist()
        topics = tuple(self.topics[place] for place in filled)
        rows = Segments.of_lengths(self.rows.lengths[filled])
        part = Judgments(self.path, topics, rows, self.docnos, self.numbers, self.lines)
        return Judgments.joined(self.path, [part])

    def pool(self) -> Pool:
        """Return them as a pool."""
        return Pool(self.path, self.topics, self.rows.ids, self.docnos)

    def run(self, compat: Compat, *, strict: bool) -> Run:
        """Return them as a run in one block, to be evaluated any number of times; OddNumberError as ``results``."""
        return Run(self.path, lambda: iter([self]), lambda: self, lambda whole: whole.results(compat, strict=strict))

    def results(self, compat: Compat, *, strict: bool) -> Results:
        """Return them as results of a run, with the path as its tag.

        Raises
        ------
        OddNumberError : under ``strict``, a score is not finite.
        """
        scores: FloatArray = self.numbers
        return Results(
            topics=self.topics,
            rows=self.rows,
            docnos=self.docnos,
            scores=as_precise(scores, compat),
            close=np.zeros(scores.size, np.bool_),
            error=0.0,
            exact=scores.__getitem__,
            lines=self.lines,
            tag=os.fsencode(self.path),
            odd=self._odd_scores(strict=strict),
            distinct=self.distinct,
        )

    def _odd_scores(self, *, strict: bool) -> OddNumbers:
        odd = OddNumbers("score", "a finite number", strict=strict)
        for place in (~np.isfinite(self.numbers)).nonzero()[0].tolist():
            topic, docno = self.topics[self.rows.ids[place]], self.docnos.text(place)
            score = f"{self.numbers[place]:g}"
            odd.add(f"topic {quote(topic)}: document {quote(docno)}", quote(score), score)
        return odd


def as_bytes(text: str) -> bytes:
    """Return an id as ``os.fsencode`` does, in less time."""
    return text.encode(_ENCODING, _ERRORS)


def topics_of(given: Iterable[Any], path: str, *, exact: bool = False) -> tuple[bytes, ...]:
    """Return the ids of topics, each of which must be there once, as bytes.

    Parameters
    ----------
    path : what messages call that which they are from.
    exact : refuse whole numbers.

    Raises
    ------
    ArgumentError : an id is neither a string nor a whole number, or two of them are the same as text.
    """
    texts = [one if type(one) is str else identifier(f"{path}: a topic", one, whole=not exact) for one in given]
    topics = tuple([text.encode(_ENCODING, _ERRORS) for text in texts])
    if len(set(topics)) < len(topics):
        twice = next(topic for place, topic in enumerate(topics) if topic in topics[:place])
        raise ArgumentError(f"{path}: a topic must be given once, but got {quote(twice)} twice")
    return topics


def names_of(lists: Sequence[Collection[Any]], what: What, *, exact: bool = False) -> tuple[Names, bool]:
    """Return ids as bytes in the file system's encoding, as with file names and arguments.

    Parameters
    ----------
    lists : of strings and whole numbers.
    what : of all of them, one list behind the other.
    exact : refuse whole numbers.

    Returns
    -------
    names : flat, those of each list behind those of the one before.
    distinct : whether different ids of a list are sure to have different bytes: not with whole numbers, nor with the
        surrogates that stand for bytes.

    Raises
    ------
    ArgumentError : an id is neither a string nor a whole number.
    """
    filled = [ids for ids in lists if ids]
    try:
        text, distinct = "\n".join(["\n".join(ids) for ids in filled]), True
    except TypeError:
        every = enumerate(chain.from_iterable(filled))
        filled = [[identifier(what(place), one, whole=not exact) for place, one in every]]
        text, distinct = "\n".join(filled[0]), False
    try:
        encoded = text.encode(_ENCODING)
    except UnicodeEncodeError:
        encoded, distinct = as_bytes(text), False
    padding = b" " * PADDING
    buffer = np.frombuffer(b"".join((padding, encoded, b"\n", padding)), np.uint8)
    ends: IntArray = (buffer == _NEWLINE).nonzero()[0]
    if not filled or ends.size != sum(map(len, filled)):
        return Names.of([as_bytes(one) for one in chain.from_iterable(filled)]), distinct
    starts = np.full(ends.size, PADDING)
    starts[1:] = ends[:-1] + 1
    return Names(buffer, starts, ends - starts), distinct


def scores_of(lists: Iterable[Collection[Any]], what: What) -> FloatArray:
    """Return numbers as float64, those of each list behind those of the one before.

    Parameters
    ----------
    what : of all of them, one list behind the other.

    Raises
    ------
    ArgumentError : one is not a number of 64 bits.
    """
    try:
        return np.frombuffer(_packed(lists, "d"), np.float64)
    except _NOT_PACKED:
        every = enumerate(chain.from_iterable(lists))
        place, value = next((place, value) for place, value in every if not _is_double(value))
        raise wrong(what(place), "a number of 64 bits", value) from None


def grades_of(lists: Iterable[Collection[Any]], what: What, *, exact: bool = False) -> IntArray:
    """Return whole numbers as int64, those of each list behind those of the one before.

    Parameters
    ----------
    what : of all of them, one list behind the other.
    exact : refuse 1.0 for 1, which a column may hold that has been converted.

    Raises
    ------
    ArgumentError : one is not a whole number of 64 bits.
    """
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
    if isinstance(value, Integral) or (isinstance(value, float | np.floating) and value.is_integer() and not exact):
        grade = int(value)
        if is_long(grade):
            return grade
    raise wrong(what(place), "a whole number of 64 bits", value)


def _packed(lists: Iterable[Collection[Any]], code: str) -> bytes:
    """Return numbers side by side (in half the time that numpy takes for them)."""
    return b"".join([struct.pack(f"{len(numbers)}{code}", *numbers) for numbers in lists])

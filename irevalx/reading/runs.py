"""Retrieved documents: blocks of result lines, grouped by topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from irevalx.arrays.byte_strings import Names, first_places
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments
from irevalx.frozen import Frozen, replace
from irevalx.reading.blocks import each_topic_once
from irevalx.settings import Duplicates
from irevalx.trec_eval.numbers import MalformedNumbers

MANY_CHANGES = 1 << 11
"""From this number of lines on, lines that mostly change their topic are grouped without a loop."""

MOST_SMALL = 1 << 16
"""The number of distinct 16-bit numbers."""


MOST_IN_SHORT_LIST = 1 << 5
"""Lists of at most this number of documents are ranked without arrays."""


class RunWarning(Frozen):
    """A warning about the lines of a run; one of each kind is shown."""

    text: str
    kind: str  # its subject; "ties" applies if equal scores are ordered by name, "ranks" if by rank
    is_error: bool = False  # whether the run is refused


class ShortList(NamedTuple):
    """At most ``MOST_IN_SHORT_LIST`` distinct documents of one topic; the first and last scores differ."""

    topic: bytes
    docnos: list[bytes]
    scores: Sequence[float]
    """Finite, and of the precision of the trec_eval version."""

    tag: bytes


class ResultRows(Frozen):
    """The retrieved documents of some topics."""

    topics: tuple[bytes, ...]  # each once, in file order
    rows: Segments  # one row per topic, documents in file order (not ranked)
    docnos: Names  # flat, like the fields below
    scores: FloatArray
    close: BoolArray  # whether the score may be off by up to ``error``, relative to its size
    error: float  # the greatest relative error of a ``close`` score
    exact: Callable[[IntArray], FloatArray]  # returns the exact scores at flat positions
    lines_of: Callable[[IntArray], IntArray]  # returns the 1-based lines of the file at flat positions
    tag: bytes | None  # run tag of the last line; None without a line or a tag
    malformed: MalformedNumbers  # scores that are not finite numbers
    distinct: bool = False  # whether documents are known to be distinct within topics
    sanity_warnings: tuple[RunWarning, ...] = ()  # about lines, and about scores of the first block of a file
    ranks: Callable[[IntArray], IntArray] | None = None
    """Returns the ranks at flat positions, or raises MalformedNumberError; None without ranks."""

    def keep(self, mask: BoolArray) -> ResultRows:
        """Return the results of the documents for which the flat mask is true."""
        return self._at(self.rows.keep(mask), mask.nonzero()[0], self.topics)

    def take(self, topics: IntArray) -> ResultRows:
        """Return the results of some topics."""
        rows, index = self.rows.take(topics)
        return self._at(rows, index, tuple(self.topics[topic] for topic in topics.tolist()))

    def _at(self, rows: Segments, index: IntArray, topics: tuple[bytes, ...]) -> ResultRows:
        """Return the documents at these flat positions, as other rows."""
        ranks = self.ranks
        return replace(
            self,
            topics=topics,
            rows=rows,
            docnos=self.docnos.take(index),
            scores=self.scores[index],
            close=self.close[index],
            exact=lambda places: self.exact(index[places]),
            lines_of=lambda places: self.lines_of(index[places]),
            ranks=None if ranks is None else lambda places: ranks(index[places]),
        )


def group_by_topic(names: Names) -> tuple[tuple[bytes, ...], Segments, IntArray | slice]:
    """Group lines by topic, given the topic of each line.

    Returns the topics in the order of their first lines, one row per topic, and the stable order of the lines, flat (a
    full slice if lines are already grouped).
    """
    if names.size == 0:
        return (), Segments.of_lengths([]), slice(None)
    starts, size = np.append(True, names.changes()).nonzero()[0], names.size
    names, lengths = names.take(starts), np.diff(np.append(starts, size))
    if size >= MANY_CHANGES and starts.size > size // 2:
        return _group_scattered(names, lengths)
    firsts = names.texts()
    number: dict[bytes, int] = {}
    for topic in firsts:
        number.setdefault(topic, len(number))
    if len(number) == len(firsts):
        return tuple(firsts), Segments.of_lengths(lengths), slice(None)
    ids = np.repeat(np.array([number[topic] for topic in firsts], np.int64), lengths)
    rows = Segments.of_lengths(np.bincount(ids, minlength=len(number)))
    return tuple(number), rows, np.argsort(ids, kind="stable")


def _group_scattered(names: Names, lengths: IntArray) -> tuple[tuple[bytes, ...], Segments, IntArray]:
    """Group lines like ``group_by_topic`` without a loop over topic changes; the topics are run-length encoded."""
    first = first_places(names)
    is_first = first == np.arange(names.size)
    topics = tuple(names.take(is_first).texts())
    number = (np.cumsum(is_first) - 1)[first]
    if len(topics) <= MOST_SMALL:
        number = number.astype(np.uint16)  # which numpy sorts without comparing
    number = number.repeat(lengths)
    return topics, Segments.of_lengths(np.bincount(number, minlength=len(topics))), np.argsort(number, kind="stable")


class RunStream(Frozen):
    """A run whose results are read block by block; only ``parse`` interprets blocks."""

    path: str  # as given by the user; the run tag if it is not a file
    blocks: Callable[[], Iterator[Any]]
    """Yields blocks that end between topics if the lines of a topic are contiguous; called first, and only once unless
    the run has a ``size``."""

    again: Callable[[], Iterable[Any]]  # returns everything as blocks with disjoint topics
    parse: Callable[[Any], ResultRows]
    size: int = 0  # bytes of a file that several processes can read; 0 for a pipe or standard input
    shares: Callable[[int], Sequence[Callable[[], Iterator[Any]]]] = lambda processes: ()
    """Returns functions that yield the blocks for each of several processes, in file order; empty if one process must
    find the blocks."""

    to_its_end: bool = True
    """Whether ``blocks`` must be consumed before ``again`` is called, as for a pipe; otherwise ``blocks`` can be called
    repeatedly."""

    with_repeats: RunStream | None = None
    """The same run, read such that a document can occur twice in a topic, if reading refuses that."""

    short_list: Callable[[], ShortList | None] | None = None
    """Returns the results if they are one short list, which is ranked without arrays, otherwise None; ``blocks`` has
    the same results."""

    def allowing(self, duplicates: Duplicates) -> RunStream:
        """Return the run, read such that repeated documents are no error if ``duplicates`` permits them."""
        return self if duplicates == "error" or self.with_repeats is None else self.with_repeats

    def results(self) -> list[ResultRows]:
        """Read all results, as parts with disjoint topics."""
        blocks = self.blocks()
        unread = blocks if self.to_its_end else ()
        return each_topic_once(map(self.parse, blocks), lambda: map(self.parse, self.again()), unread)

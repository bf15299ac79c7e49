"""What a system retrieved: blocks of result lines, grouped by topic."""

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
"""Where this number of lines, or more, change their topic more often than not, they are grouped without a
loop over these lines."""

MOST_SMALL = 1 << 16
"""The number of different numbers of 16 bits."""


MOST_IN_SHORT_LIST = 1 << 5
"""The number of documents up to which a list is ranked without arrays."""


class RunWarning(Frozen):
    """A warning about the lines of a run, of which one of each kind is enough.

    Parameters
    ----------
    text : what it says.
    kind : what it is about. "ties" holds where equal scores are ordered by name, "ranks" where they are by rank.
    is_error : whether the run is refused.
    """

    text: str
    kind: str
    is_error: bool = False


class ShortList(NamedTuple):
    """At most ``MOST_IN_SHORT_LIST`` different documents of one topic; the first and the last score are not equal."""

    topic: bytes
    docnos: list[bytes]
    scores: Sequence[float]
    """Finite, and of the precision of the trec_eval version."""

    tag: bytes


class Results(Frozen):
    """The retrieved documents of some topics.

    Parameters
    ----------
    topics : each once, in the order of the file.
    rows : one row per topic, its documents in the order of the file (not ranked).
    docnos, scores : flat.
    close : flat; whether the score may be off by up to ``error`` times its size.
    error : the greatest relative error of a score that is ``close``.
    exact : given flat places, returns the scores there as they really are.
    lines_of : given flat places, returns the 1-based lines of the file there.
    tag : what the last line calls the run; None where there is no line, or no tag on it.
    malformed : scores that are no finite numbers.
    distinct : whether it is known that no document occurs twice in a topic.
    sanity_warnings : a line each: what looks wrong about the scores of the first block of a file, and about lines.
    ranks : given flat places, returns the ranks there, or raises MalformedNumberError; None without ranks.
    """

    topics: tuple[bytes, ...]
    rows: Segments
    docnos: Names
    scores: FloatArray
    close: BoolArray
    error: float
    exact: Callable[[IntArray], FloatArray]
    lines_of: Callable[[IntArray], IntArray]
    tag: bytes | None
    malformed: MalformedNumbers
    distinct: bool = False
    sanity_warnings: tuple[RunWarning, ...] = ()
    ranks: Callable[[IntArray], IntArray] | None = None

    def keep(self, mask: BoolArray) -> Results:
        """Return the results without the documents where the mask, flat, is false."""
        return self._at(self.rows.keep(mask), mask.nonzero()[0], self.topics)

    def take(self, topics: IntArray) -> Results:
        """Return the results of some of the topics only."""
        rows, index = self.rows.take(topics)
        return self._at(rows, index, tuple(self.topics[topic] for topic in topics.tolist()))

    def _at(self, rows: Segments, index: IntArray, topics: tuple[bytes, ...]) -> Results:
        """Return other rows of these documents.

        Parameters
        ----------
        index : flat over the rows; the places of the documents.
        """
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
    """Bring the lines of each topic together.

    Parameters
    ----------
    names : the topic of each line.

    Returns
    -------
    topics : each once, in the order of their first lines.
    rows : one row per topic.
    order : flat; which line stands where. Lines of one topic keep their order; a full slice where nothing moves.
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
    """Return the same as ``group_by_topic``, without a loop over the lines at which the topic changes.

    Parameters
    ----------
    names, lengths : run-length encoded: the topic of lines on end that have the same, and how many these are.
    """
    first = first_places(names)
    is_first = first == np.arange(names.size)
    topics = tuple(names.take(is_first).texts())
    number = (np.cumsum(is_first) - 1)[first]
    if len(topics) <= MOST_SMALL:
        number = number.astype(np.uint16)  # which numpy sorts without comparing
    number = number.repeat(lengths)
    return topics, Segments.of_lengths(np.bincount(number, minlength=len(topics))), np.argsort(number, kind="stable")


class Run(Frozen):
    """Results that are read block by block; what a block is, only ``parse`` needs to know.

    Parameters
    ----------
    path : the file as the user named it; the tag of what is no file.
    blocks : returns the blocks, which end between topics as far as the lines of a topic stand together. It is called
        first, and once only unless the run has a ``size``.
    again : returns everything as blocks without a common topic.
    parse : reads the lines of a block.
    size : bytes of a file that several processes may read; 0 for a pipe or standard input.
    shares : given a number of processes, returns for each of them, or for fewer, what yields some of the blocks, in
        the order of the file; nothing where one process has to find the blocks.
    to_its_end : whether all blocks must have been gone through before ``again`` is called, as with a pipe. Otherwise
        ``blocks`` may be called any number of times.
    with_repeats : the same run, read so that a document may occur twice in a topic, where reading refuses that.
    short_list : returns the results if they are one short list, which can be ranked without arrays; None if they are
        not. The blocks hold the same results.
    """

    path: str
    blocks: Callable[[], Iterator[Any]]
    again: Callable[[], Iterable[Any]]
    parse: Callable[[Any], Results]
    size: int = 0
    shares: Callable[[int], Sequence[Callable[[], Iterator[Any]]]] = lambda processes: ()
    to_its_end: bool = True
    with_repeats: Run | None = None
    short_list: Callable[[], ShortList | None] | None = None

    def allowing(self, duplicates: Duplicates) -> Run:
        """Return the run, read so that a document may occur twice in a topic if that is to be no error."""
        return self if duplicates == "error" or self.with_repeats is None else self.with_repeats

    def results(self) -> list[Results]:
        """Read it all; no topic is in two parts."""
        blocks = self.blocks()
        unread = blocks if self.to_its_end else ()
        return each_topic_once(map(self.parse, blocks), lambda: map(self.parse, self.again()), unread)

"""Runs, which consist of blocks of results grouped by topic, and warnings about scores and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from irevalx.arrays.byte_strings import Names, first_places
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments
from irevalx.errors import RunWarning, quote, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.reading.sources.blocks import each_topic_once
from irevalx.settings import Duplicates
from irevalx.trec_eval import MalformedNumbers
from irevalx.wording import is_parameter, spelled

MANY_CHANGES = 1 << 11
"""The minimum number of lines that are grouped without a loop if the topic changes frequently."""

MOST_SMALL = 1 << 16
"""The number of distinct 16-bit integers."""


MOST_IN_SHORT_LIST = 1 << 5
"""The maximum number of documents in a short list, which is ranked without arrays."""


SEVERAL_TAGS = "tags"
"""The kind of warnings about a file that probably contains several runs."""


class ShortList(NamedTuple):
    """The results of a run with a single short topic. The documents are distinct, and not all scores are equal."""

    topic: bytes
    docnos: list[bytes]
    scores: Sequence[float]  # finite scores, rounded as in the emulated version of trec_eval
    tag: bytes


class ResultRows(Frozen):
    """The retrieved documents and the scores of several topics."""

    topics: tuple[bytes, ...]  # the distinct topics, in file order
    rows: Segments  # the documents of each topic, in file order (not ranked)
    docnos: Names  # the ID of each document of ``rows``; the arrays below are parallel
    scores: FloatArray
    close: BoolArray  # whether each score is approximate, with a relative error of up to ``error``
    error: float  # the maximum relative error of approximate scores
    exact: Callable[[IntArray], FloatArray]  # returns the exact scores of the documents with given indices
    lines_of: Callable[[IntArray], IntArray]  # returns the line numbers of the documents with given indices
    tag: bytes | None  # the run tag of the last line, or None if there is none
    malformed: MalformedNumbers  # scores that are not finite numbers
    distinct: bool = False  # whether documents are known to be distinct within topics
    sanity_warnings: tuple[RunWarning, ...] = ()
    """Warnings about lines, and about the scores in the first block of a file. Only the first warning of each kind is
    printed. Warnings of the kind "ties" apply if ties are ordered by name, and warnings of the kind "ranks" apply if
    ties are ordered by rank."""
    ranks: Callable[[IntArray], IntArray] | None = None
    """A function that returns the ranks of the documents with given indices, or raises MalformedNumberError, or None if
    the run has no ranks."""
    about_duplicates: Callable[[], str] = str
    """A function that returns a hint for messages about duplicate documents, or "" if the default hint is suitable."""

    def keep(self, mask: BoolArray) -> ResultRows:
        """Return the results with only the documents that a mask selects."""
        return self._at(self.rows.keep(mask), mask.nonzero()[0], self.topics)

    def take(self, topics: IntArray) -> ResultRows:
        """Return the results of the topics with the given indices."""
        rows, index = self.rows.take(topics)
        return self._at(rows, index, tuple(self.topics[topic] for topic in topics.tolist()))

    def _at(self, rows: Segments, index: IntArray, topics: tuple[bytes, ...]) -> ResultRows:
        """Return the documents with the given flat indices, divided into new rows."""
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
    """Return the distinct topics of lines, the number of lines of each topic, and the order that groups lines.

    If the lines are already grouped, the order is a slice.
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
    """Return the result of ``group_by_topic`` without a loop, given the topics in run-length encoding."""
    first = first_places(names)
    is_first = first == np.arange(names.size)
    topics = tuple(names.take(is_first).texts())
    number = (np.cumsum(is_first) - 1)[first]
    if len(topics) <= MOST_SMALL:
        number = number.astype(np.uint16)  # 16-bit integers are sorted without comparisons
    number = number.repeat(lengths)
    return topics, Segments.of_lengths(np.bincount(number, minlength=len(topics))), np.argsort(number, kind="stable")


class RunStream(Frozen):
    """A run that is read in blocks. The function ``parse`` converts a block to results."""

    path: str  # the path as the user wrote it, or the run tag if there is no file
    blocks: Callable[[], Iterator[Any]]
    """A function that yields blocks. If topics are contiguous, no topic is split across blocks. The function must be
    called before ``again``, and can be called repeatedly only if ``size`` is positive or ``to_its_end`` is false."""
    again: Callable[[], Iterable[Any]]  # returns all results as blocks with disjoint topics
    parse: Callable[[Any], ResultRows]
    size: int = 0  # the size of a file that several processes can read, or 0 for other input
    shares: Callable[[int], Sequence[Callable[[], Iterator[Any]]]] = lambda processes: ()
    """A function that returns functions in file order, each of which yields the blocks that one process reads. The
    sequence is empty if a single process must divide the run into blocks."""
    to_its_end: bool = True
    """Whether ``blocks`` must be consumed before ``again`` is called, as for a pipe. If this is false, ``blocks`` can
    be called repeatedly."""
    with_repeats: RunStream | None = None  # the run that accepts repeated documents, or None if all runs do
    short_list: Callable[[], ShortList | None] | None = None
    """A function that returns the results as a short list, or None if this is impossible. The results are those of
    ``blocks``."""
    name: str | None = None  # the name that replaces the run tag, or None to keep it
    warnings: tuple[RunWarning, ...] = ()  # the warnings about the first lines of the file

    def allowing(self, duplicates: Duplicates) -> RunStream:
        """Return the run, reading repeated documents without an error if ``duplicates`` permits them."""
        if duplicates == "error" or self.with_repeats is None:
            return self
        return replace(self.with_repeats, name=self.name)

    def results(self) -> list[ResultRows]:
        """Read all results, in parts with disjoint topics."""
        blocks = self.blocks()
        unread = blocks if self.to_its_end else ()
        return each_topic_once(map(self.parse, blocks), lambda: map(self.parse, self.again()), unread)


class Stack(Frozen):
    """The joined results of several runs. All scores are finite, and no document is repeated in a topic."""

    names: Sequence[str]  # the names of the runs, which are also their paths
    tags: Sequence[bytes]  # the names as bytes
    n_topics: IntArray  # the number of topics of each run
    results: ResultRows  # the results of all runs, ordered by run
    score_warnings: dict[int, tuple[RunWarning, ...]]  # the warnings for each index of a run


MOST_TOPICS = 1000
"""The number of topics at the beginning of a run that are checked for warnings."""


def rank_warnings(path: str, results: ResultRows, remedy: str, *, strict: bool) -> tuple[RunWarning, ...]:
    """Return a warning if ranks are probably scores in most topics, or if ranks are repeated.

    Ranks are probably scores if the lowest rank is neither 0 nor 1, or if ranks decrease from line to line and some
    numbers are missing between them. If ``strict`` is true, the warning is marked as an error.
    """
    rows, rank = results.rows, -results.scores
    if not rows.n:
        return ()
    least = np.minimum.reduceat(rank, rows.offsets[:-1])
    falling = np.zeros(rows.size, np.bool_)
    falling[1:] = (rank[1:] < rank[:-1]) & (rows.ids[1:] == rows.ids[:-1])
    late = (least != 0) & (least != 1)
    dense = rank[rows.offsets[:-1]] - least == rows.lengths - 1
    descending = (rows.lengths > 1) & (rows.count(falling) == rows.lengths - 1) & ~dense
    odd = late | descending
    n_odd = int(np.count_nonzero(odd))
    if 2 * n_odd <= rows.n:
        return repeated_ranks(path, rows, rank)
    row = int(odd.argmax())
    line = results.lines_of(np.array([rows.offsets[row]]))[0]
    how = f"the lowest rank is {least[row]:.0f}" if late[row] else "ranks decrease from line to line"
    warning = (
        f"{shown_name(path)}:{line}: in topic {quote(results.topics[row])} {how}; are these scores? The document with "
        f"the lowest rank comes first; for scores, {remedy}"
    )
    return (RunWarning("ranks for scores", warning, is_error=strict),)


def repeated_ranks(path: str, results: Segments, ranks: IntArray | FloatArray) -> tuple[RunWarning, ...]:
    """Return a warning if any topic contains at most half as many different ranks as documents."""
    rows, _ = results.take(np.arange(min(results.n, MOST_TOPICS)))
    order = np.lexsort((ranks[: rows.size], rows.ids))
    topic, rank = rows.ids[order], ranks[order]
    is_repeated = (topic[1:] == topic[:-1]) & (rank[1:] == rank[:-1])
    repeats = np.bincount(topic[1:][is_repeated], minlength=rows.n)
    n_repeated = int(np.count_nonzero((2 * repeats >= rows.lengths) & (rows.lengths > 1)))
    if not n_repeated:
        return ()
    hint = f" (change this with {spelled('ties')})" if is_parameter("ties") else ""
    text = (
        f"{shown_name(path)}: in {n_repeated} of the first {rows.n} topics, there are at most half as many different "
        f"ranks as documents; documents with equal ranks are ordered by DOCNO{hint}"
    )
    return (RunWarning("ties", text),)


LEAST_SEQUENCE = 3
"""The minimum number of documents in a topic whose scores are compared with a sequence of ranks."""


def rank_like_scores(
    path: str, results: Segments, scores: FloatArray, remedy: str, rank: IntArray | None = None
) -> tuple[RunWarning, ...]:
    """Return a warning if the scores, but not the ranks, of most topics are 1, 2, 3, ... or 0, 1, 2, ..."""
    rows, _ = results.take(np.arange(min(results.n, MOST_TOPICS)))
    score, rank = scores[: rows.size], None if rank is None else rank[: rows.size]
    first = score[rows.at(rows.ids, np.zeros(rows.size, np.int64))]
    is_rank = (score == first + rows.position) & ((first == 0) | (first == 1))
    several = rows.lengths >= LEAST_SEQUENCE
    n_several = int(several.sum())
    if rank is not None and rows.n:
        least, most = (of.reduceat(rank, rows.offsets[:-1]) for of in (np.minimum, np.maximum))
        several &= ~(((least == 0) | (least == 1)) & (most - least == rows.lengths - 1))
    n_alike = int((several & (rows.count(is_rank) == rows.lengths)).sum())
    if 2 * n_alike <= n_several:
        return ()
    text = (
        f"{shown_name(path)}: the scores of {n_alike} of the first {n_several} topics are a sequence of ranks (1, 2, "
        f"3, ...); are these ranks? The document with the highest score is ranked first; {remedy}"
    )
    return (RunWarning("scores for ranks", text, n_alike / n_several),)


def has_equal_ends(results: Segments, scores: FloatArray) -> BoolArray:
    """Return whether each topic has several documents of which the first and the last have equal scores."""
    if results.n == 1:  # as in many small calls
        return np.array([scores.size > 1 and scores[0] == scores[-1]])
    alike: BoolArray = results.lengths > 1
    if np.count_nonzero(alike):
        first, last = results.offsets[:-1][alike], results.offsets[1:][alike] - 1
        alike[alike] = scores[first] == scores[last]
    return alike


def score_warnings(
    path: str, results: Segments, scores: FloatArray, rank: IntArray | None = None, remedy: str = ""
) -> tuple[RunWarning, ...]:
    """Return warnings if ranks contradict scores in most topics, or if all scores are tied in most topics.

    Ranks contradict scores if the covariance of ranks and scores is positive.
    """
    rows, _ = results.take(np.arange(min(results.n, MOST_TOPICS)))
    score = scores[: rows.size]
    first = rows.at(rows.ids, np.zeros(rows.size, np.int64))
    several = rows.lengths > 1  # topics with one document are ignored
    with np.errstate(all="ignore"):
        by_score = score - score[first]
    alike = several & (rows.count(by_score != 0) == 0)
    n_several, n_alike = int(several.sum()), int(alike.sum())
    named, ranked = shown_name(path), np.zeros(rows.n, np.bool_)
    warnings: list[RunWarning] = []
    if rank is not None:
        with np.errstate(all="ignore"):
            by_rank = rank.astype(np.float64) - rank[first]
            n = np.maximum(rows.lengths, 1)
            covariance = rows.sum(by_rank * by_score) - rows.sum(by_rank) * rows.sum(by_score) / n
        ranked = rows.count(by_rank != 0) > 0  # if all ranks are equal, they cannot contradict the scores
        n_ranked = int(ranked.sum())
        n_against = int((ranked & ~alike & (covariance > 0)).sum())
        if 2 * n_against > n_ranked:
            text = (
                f"{named}: the RANK column contradicts the scores in {n_against} of the first {n_ranked} topics: is "
                "SCORE a distance rather than a similarity? The document with the highest score is ranked first, and "
                f"RANK is ignored. To rank by RANK, {remedy}"
            )
            return (RunWarning("distance", text, n_against / n_ranked),)
        if n_several and not n_ranked:
            warnings.append(
                RunWarning(
                    "ranks",
                    f"{named}: RANK is the same on all lines of a topic, so {spelled('ties', 'rank')} has no effect",
                )
            )
    if 2 * n_alike > n_several:
        ignored = ", and RANK is ignored" if ranked.any() else ""
        hint = f" (change this with {spelled('ties')})" if is_parameter("ties") else ""
        warnings.append(
            RunWarning(
                "ties",
                f"{named}: all scores are equal in {n_alike} of the first {n_several} topics; documents with equal "
                f"scores are ordered by DOCNO{ignored}{hint}",
                n_alike / n_several,
            )
        )
    return tuple(warnings)


class RemediesOfRanks(Frozen):
    """The phrases with which warnings suggest what to do if ranks contradict scores."""

    by_rank: str  # how to rank documents by the column of ranks
    exchange: str  # what to exchange if the column of scores contains ranks


OF_TABLES = RemediesOfRanks("remove the column of scores", "names of the columns")


def rank_and_score_warnings(
    path: str, results: Segments, scores: FloatArray, rank: IntArray, remedies: RemediesOfRanks
) -> tuple[RunWarning, ...]:
    """Return warnings about the scores of a run that also contains ranks."""
    exchange = f"if RANK contains the scores, exchange the {remedies.exchange}"
    warnings = score_warnings(path, results, scores, rank, remedies.by_rank)
    return warnings or rank_like_scores(path, results, scores, exchange, rank)

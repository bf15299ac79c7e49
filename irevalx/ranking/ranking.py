"""Order, cut and look up: a ranking is seen only through its pooled documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.document_table import DocumentTable, may_repeat
from irevalx.arrays.segments import BoolArray, IntArray, Segments, WordArray, distinct, order_by
from irevalx.errors import DuplicateDocumentError
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Documents, Judgments, duplicate_documents
from irevalx.process.workers import in_order, worth_sharing
from irevalx.ranking.topics import OUTSIDE, UNJUDGED, SampledTopics, Topics
from irevalx.reading.blocks import each_topic_once
from irevalx.reading.runs import Results, Run
from irevalx.settings import Reading
from irevalx.trec_eval.merge_sort import merge_sort
from irevalx.trec_eval.numbers import OddNumbers

NOT_POOLED = -1
"""The row of a document that has no judgment."""

STAND_IN = -2
"""The row of a document that no run has retrieved: trec_eval's stand-in for a topic without results."""

_LONG_NAME = 256
"""Bytes of a name; where one is longer, names are compared one by one, as each would take the room of the longest."""


class Ranking(Frozen):
    """Where the pooled documents stand; knows no grades.

    Parameters
    ----------
    topics : in any order; each once, unless several runs were joined.
    judged_topic : per topic; its place in ``Judgments.topics``.
    rows : per topic, the retrieved documents of the pool in rank order (all retrieved ones, if so asked for).
    rank : flat; 1-based.
    row : flat; the flat index in ``Judgments``, ``NOT_POOLED`` or ``STAND_IN``.
    n_ret : per topic; how many documents were retrieved.
    failures : why a topic cannot be evaluated, by topic.
    """

    topics: tuple[bytes, ...]
    judged_topic: IntArray
    rows: Segments
    rank: IntArray
    row: IntArray
    n_ret: IntArray
    failures: dict[bytes, DuplicateDocumentError]

    def assess(
        self,
        judgments: Judgments,
        grades: IntArray,
        *,
        level: int = 1,
        reading: Reading = "nonrel",
        pooled: BoolArray | None = None,
    ) -> Topics:
        """Look at the ranking with these grades.

        Parameters
        ----------
        judgments : those the ranking was made with; they say which documents belong to a topic.
        grades : flat over ``judgments``; negative is unjudged.
        level : the least grade that is relevant.
        reading : ``skip`` removes the documents that were not judged, so that the others move up (``-J``); ``rel``
            makes those that were retrieved relevant, and the pool grow by those from outside, for which all retrieved
            documents must be in the rows. Judgments with strata can only be read as they are.
        pooled : flat over ``judgments``; documents that are to be outside the pool, as if the file did not have them,
            are false. None stands for all true.
        """
        if judgments.strata is not None and reading != "nonrel":
            raise ValueError(f"judgments with strata must be read as they are, but got {reading!r}")
        in_pool = self.row >= 0
        pool, index = judgments.rows.take(self.judged_topic)
        if pooled is not None:
            in_pool[in_pool] = pooled[self.row[in_pool]]
            kept = pooled[index]
            pool, index = pool.keep(kept), index[kept]
        grade = np.full(self.row.size, OUTSIDE, np.int64)
        grade[in_pool] = grades[self.row[in_pool]]
        grade[in_pool & (grade < 0)] = UNJUDGED
        rows, rank, n_ret = self.rows, self.rank, self.n_ret
        pool_grade = grades[index]
        if reading == "rel":
            relevant = max(level, 0)
            found, outside = grade == UNJUDGED, ~in_pool & (self.row != STAND_IN)
            place = judgments.rows.position if pooled is None else judgments.rows.running_count(pooled) - 1
            pool_grade[pool.at(rows.ids[found], place[self.row[found]])] = relevant
            pool, order = pool.beside(rows.keep(outside))
            pool_grade = np.concatenate((pool_grade, np.full(np.count_nonzero(outside), relevant)))[order]
            grade[found | outside] = relevant
        if reading == "skip":
            judged = grade >= 0
            rows, grade = rows.keep(judged), grade[judged]
            rank, n_ret = rows.position + 1, rows.lengths
        if judgments.strata is None:
            return Topics(rows, rank, grade, n_ret, pool, pool_grade, level)
        stratum = np.full(self.row.size, OUTSIDE, np.int64)
        stratum[in_pool] = judgments.strata[self.row[in_pool]]
        pool_stratum = judgments.strata[index]
        return SampledTopics(
            rows, rank, grade, n_ret, pool, pool_grade, level, stratum=stratum, pool_stratum=pool_stratum
        )

    def take(self, topics: IntArray) -> Ranking:
        """Return some of the topics, in the order of their numbers given."""
        rows, index = self.rows.take(topics)
        return replace(
            self,
            topics=tuple(self.topics[topic] for topic in topics.tolist()),
            judged_topic=self.judged_topic[topics],
            rows=rows,
            rank=self.rank[index],
            row=self.row[index],
            n_ret=self.n_ret[topics],
        )

    @classmethod
    def of_nothing(cls, judgments: Judgments) -> Ranking:
        """Return the ranking of a run that retrieved nothing for any judged topic."""
        n = len(judgments.topics)
        nothing = np.empty(0, np.int64)
        rows, n_ret = Segments.of_lengths(np.zeros(n, np.int64)), np.zeros(n, np.int64)
        return cls(judgments.topics, np.arange(n), rows, nothing, nothing, n_ret, {})

    @classmethod
    def joined(cls, parts: Sequence[Ranking]) -> Ranking:
        """Return the topics of several rankings, one behind the other; those of several runs may be the same."""
        nothing = np.empty(0, np.int64)
        return cls(
            topics=tuple(topic for part in parts for topic in part.topics),
            judged_topic=np.concatenate((nothing, *(part.judged_topic for part in parts))),
            rows=Segments.of_lengths(np.concatenate((nothing, *(part.rows.lengths for part in parts)))),
            rank=np.concatenate((nothing, *(part.rank for part in parts))),
            row=np.concatenate((nothing, *(part.row for part in parts))),
            n_ret=np.concatenate((nothing, *(part.n_ret for part in parts))),
            failures={topic: failure for part in parts for topic, failure in part.failures.items()},
        )


class RankedRun(Frozen):
    """What became of a run.

    Parameters
    ----------
    ranking : of its judged topics.
    topics : all topics that it has results for.
    tag : what its last line calls it; None for a run without lines.
    odd : scores that are no finite numbers.
    """

    ranking: Ranking
    topics: frozenset[bytes]
    tag: bytes | None
    odd: OddNumbers


class How(Frozen):
    """How to rank.

    Parameters
    ----------
    only : the only topic to rank; None for all that were judged.
    max_retrieved : only so many of a topic's documents count, the first ones; at least 0.
    keep_all : keep the rows of documents outside the pool as well.
    look_up : find the documents in the judgments, and those that occur twice; otherwise topics alone are looked at.
    processes : how many share the blocks of a big run; at least 1.
    first_name_first : rank equal scores by document with the first in byte order first, rather than the last.
    """

    only: bytes | None = None
    max_retrieved: int = 2**31 - 1
    keep_all: bool = False
    look_up: bool = True
    processes: int = 1
    first_name_first: bool = False


def rank_run(
    run: Run, judgments: Documents, how: How, progress: Callable[[int], None] = lambda lines: None
) -> RankedRun:
    """Rank the documents of the judged topics by score and look them up in the judgments.

    The highest score comes first; among equal scores the last document in byte order, unless ``how`` says otherwise.

    Parameters
    ----------
    progress : told how many more lines have been read.

    Raises
    ------
    UnreadableFileError, MalformedLineError, OddNumberError : as reading the run does.
    """
    judgments.table  # noqa: B018 - made here, before several processes want it

    def work(block: Any) -> tuple[RankedRun, int]:
        results = run.parse(block)
        ranking = rank_results(results, judgments, run.path, how)
        return RankedRun(ranking, frozenset(results.topics), results.tag, results.odd), results.rows.size

    shared = how.processes > 1 and worth_sharing(run.size)
    blocks = iter(()) if shared else run.blocks()

    def counted() -> Iterator[RankedRun]:
        for part, lines in in_order(work, run.blocks if shared else lambda: blocks, how.processes if shared else 1):
            progress(lines)
            yield part

    parts = each_topic_once(counted(), lambda part: part.topics)
    if parts is None:
        for _ in blocks:  # a pipe can be read again when it has been read to its end
            pass
        parts = [work(run.whole())[0]]
    odd = OddNumbers("score", "a finite number", strict=False)
    for part in parts:
        odd = odd.followed_by(part.odd)
    return RankedRun(
        ranking=Ranking.joined([part.ranking for part in parts]),
        topics=frozenset(topic for part in parts for topic in part.topics),
        tag=next((part.tag for part in reversed(parts) if part.tag is not None), None),
        odd=odd,
    )


def rank_results(results: Results, judgments: Documents, path: str, how: How) -> Ranking:
    """Rank the results of some topics; those that are not judged, or not asked for, are left out.

    Parameters
    ----------
    path : the file they come from, for messages.
    """
    wanted = [
        number
        for number, topic in enumerate(results.topics)
        if topic in judgments.topic_index and how.only in {None, topic}
    ]
    if len(wanted) < len(results.topics):
        results = results.take(np.array(wanted, np.int64))
    judged_topic = np.array([judgments.topic_index[topic] for topic in results.topics], np.int64)
    n_ret = np.minimum(results.rows.lengths, how.max_retrieved)
    if not how.look_up:
        nothing = np.empty(0, np.int64)
        rows = Segments.of_lengths(np.zeros(results.rows.n, np.int64))
        return Ranking(results.topics, judged_topic, rows, nothing, nothing, n_ret, {})
    order = ranked_order(results, first_name_first=how.first_name_first)
    rank = results.rows.position + 1
    counted = rank <= how.max_retrieved if (n_ret < results.rows.lengths).any() else None
    keys = results.docnos.keys()
    failures = {} if results.distinct else _duplicates(results, keys, order, counted, path)
    found = judgments.table.find(results.rows.spread(judged_topic), results.docnos, keys)
    if order is not None:
        found = found[order]
    kept = np.ones(found.size, np.bool_) if how.keep_all else found >= 0
    if counted is not None:
        kept &= counted
    rows, rank, row = results.rows.keep(kept), rank[kept], found[kept]
    return Ranking(results.topics, judged_topic, rows, rank, row, n_ret, failures)


def in_topic_order(ranking: Ranking, judgments: Documents, topics: Sequence[bytes], how: How) -> Ranking:
    """Return these topics in this order.

    A topic of which there are no results is taken to have retrieved one document from outside the pool.

    Parameters
    ----------
    topics : judged ones.
    how : as the ranking was made.
    """
    number = {topic: place for place, topic in enumerate(ranking.topics)}
    missing = [topic for topic in topics if topic not in number]
    if missing:
        n_ret = min(1, how.max_retrieved)
        rows = Segments.of_lengths([n_ret if how.keep_all else 0] * len(missing))
        stand_in = Ranking(
            topics=tuple(missing),
            judged_topic=np.array([judgments.topic_index[topic] for topic in missing], np.int64),
            rows=rows,
            rank=np.ones(rows.size, np.int64),
            row=np.full(rows.size, STAND_IN),
            n_ret=np.full(len(missing), n_ret),
            failures={},
        )
        number |= {topic: len(number) + place for place, topic in enumerate(missing)}
        ranking = Ranking.joined([ranking, stand_in])
    return ranking.take(np.array([number[topic] for topic in topics], np.int64))


def ranked_order(results: Results, *, first_name_first: bool = False) -> IntArray | None:
    """Return the permutation of the flat axis that ranks each topic; None where the lines are in that order already.

    With a nan among the scores of a topic the rule contradicts itself, and the order is the one that trec_eval's sort
    arrives at.
    """
    rows, scores, close = results.rows, results.scores, results.close
    same_row = rows.ids[1:] == rows.ids[:-1]
    with_nan = np.flatnonzero(rows.count(np.isnan(scores)))
    if with_nan.size:
        same_row &= ~np.isin(rows.ids[1:], with_nan)
    order = None
    while True:
        ranked, settled = (scores, ~close) if order is None else (scores[order], ~close[order])
        before, after = ranked[:-1], ranked[1:]
        wrong = distinct(rows.ids[1:][same_row & ~(before >= after)])
        if wrong.size:
            order = np.arange(rows.size) if order is None else order
            sub, index = rows.take(wrong)
            order[index] = order[index][order_by(-scores[order[index]], sub.ids)]
            continue
        if settled.all():
            break
        # Neighbours so close that they may be equal, or the other way round, are settled by reading them once more.
        with np.errstate(invalid="ignore"):  # infinity less infinity, which is settled
            near = same_row & (before - after <= 2 * results.error * np.maximum(np.abs(before), np.abs(after)))
        near &= ~(settled[1:] & settled[:-1])
        if not near.any():
            break
        places = np.flatnonzero(np.append(near, False) | np.append(False, near))
        places = places if order is None else order[places]
        places = places[close[places]]
        scores, close = scores.copy(), close.copy()
        scores[places] = results.exact(places)
        close[places] = False
    ties = same_row & (before == after)
    if ties.any():
        order = np.arange(rows.size) if order is None else order
        tied = np.flatnonzero(np.append(ties, False) | np.append(False, ties))
        group = np.cumsum(~np.append(False, ties)[tied])
        order[tied] = order[tied][_by_name(results.docnos.take(order[tied]), group, first_name_first)]
    for row in with_nan.tolist():
        order = np.arange(rows.size) if order is None else order
        order[rows.slice(row)] = _order_with_nan(results, rows.slice(row), first_name_first)
    return order


def _by_name(docnos: Names, group: IntArray, first_name_first: bool) -> IntArray:
    """Return the permutation that sorts by group and, within a group, by name in ascending or descending byte order."""
    if docnos.length.max(initial=0) > _LONG_NAME:
        texts = docnos.texts()
        by_name = np.array(sorted(range(docnos.size), key=texts.__getitem__, reverse=not first_name_first), np.int64)
        return by_name[np.argsort(group[by_name], kind="stable")]
    words = reversed(docnos.big_words())
    return order_by(*(word if first_name_first else ~word for word in words), group)


def _order_with_nan(results: Results, where: slice, first_name_first: bool) -> IntArray:
    unsettled = np.flatnonzero(results.close[where])
    precise = results.scores[where].copy()
    precise[unsettled] = results.exact(where.start + unsettled)
    scores = precise.tolist()
    docnos = results.docnos.take(where).texts()

    def compare(i: int, j: int) -> int:
        if scores[i] > scores[j]:
            return -1
        if scores[i] < scores[j]:
            return 1
        last_first = (docnos[i] < docnos[j]) - (docnos[i] > docnos[j])
        return -last_first if first_name_first else last_first

    by_docno = sorted(range(len(docnos)), key=docnos.__getitem__)
    order: IntArray = np.array(merge_sort(by_docno, compare), np.int64)
    return order + np.int64(where.start)


def _duplicates(
    results: Results, keys: WordArray, order: IntArray | None, counted: BoolArray | None, path: str
) -> dict[bytes, DuplicateDocumentError]:
    """Complain about topics that have a document twice among those that count, whose ranks are flat in rank order."""
    places: IntArray | slice = slice(None)
    if counted is not None:
        places = np.flatnonzero(counted) if order is None else np.sort(order[counted])
    topic, keys = results.rows.ids[places], keys[places]
    if not may_repeat(topic, keys):
        return {}
    docnos = results.docnos.take(places)
    pairs = DocumentTable(topic, results.rows.n, docnos, keys).duplicates
    if not pairs.size:
        return {}
    ids, docnos, lines = results.rows.ids, results.docnos, results.lines
    pairs = np.arange(results.rows.size)[places][pairs].tolist()
    found = ((results.topics[ids[one]], docnos.text(one), lines[[one, two]].tolist()) for one, two in pairs)
    return duplicate_documents("results", path, found)

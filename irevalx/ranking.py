"""Order, cut and look up: a ranking is seen only through its pooled documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irevalx.errors import DuplicateDocumentError, quote, shown_name
from irevalx.judgments import Judgments, first_duplicate
from irevalx.mergesort import merge_sort
from irevalx.runs import Run
from irevalx.segments import BoolArray, FloatArray, IntArray, Segments
from irevalx.topics import OUTSIDE, UNJUDGED, Topics

NOT_POOLED = -1
"""The row of a document that has no judgment."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Where the pooled documents stand; knows no grades.

    Parameters
    ----------
    topics : ascending in byte order.
    judged_topic : per topic; its place in ``Judgments.topics``.
    rows : per topic, the retrieved documents of the pool in rank order (all retrieved ones, if so asked for).
    rank : flat; 1-based.
    row : flat; the flat index in ``Judgments``, or ``NOT_POOLED``.
    n_ret : per topic; how many documents were retrieved.
    missing : per topic; whether the run has no results for it.
    failure : why the topics after these were not ranked; None when all were.
    """

    topics: tuple[bytes, ...]
    judged_topic: IntArray
    rows: Segments
    rank: IntArray
    row: IntArray
    n_ret: IntArray
    missing: BoolArray
    failure: DuplicateDocumentError | None = None

    def assess(self, judgments: Judgments, grades: IntArray, *, level: int = 1, judged_only: bool = False) -> Topics:
        """Look at the ranking with these grades.

        Parameters
        ----------
        judgments : those the ranking was made with; they say which documents belong to a topic.
        grades : flat over ``judgments``; negative is unjudged.
        level : the least grade that is relevant.
        judged_only : remove the documents that were not judged, so that the others move up (``-J``).
        """
        pooled = self.row >= 0
        grade = np.full(self.row.size, OUTSIDE, np.int64)
        grade[pooled] = grades[self.row[pooled]]
        grade[pooled & (grade < 0)] = UNJUDGED
        rows, rank, n_ret = self.rows, self.rank, self.n_ret
        if judged_only:
            judged = grade >= 0
            rows, grade = rows.keep(judged), grade[judged]
            rank, n_ret = rows.position + 1, rows.lengths
        pool, index = judgments.rows.take(self.judged_topic)
        return Topics(rows, rank, grade, n_ret, pool, grades[index], level)


def rank(
    run: Run,
    judgments: Judgments,
    topics: Sequence[bytes],
    *,
    max_retrieved: int = 2**31 - 1,
    keep_all: bool = False,
) -> Ranking:
    """Rank the documents of these topics by score and look them up in the judgments.

    The highest score comes first; among equal scores the last document in byte order. A topic of which the run has no
    results is taken to have retrieved one document from outside the pool.

    Parameters
    ----------
    topics : those to evaluate, ascending; all of them judged.
    max_retrieved : only so many of a topic's documents count, the first ones; at least 0.
    keep_all : keep the rows of documents outside the pool as well.

    Notes
    -----
    A document that occurs twice among those counted, or twice in the judgments of the topic, ends the ranking there:
    the topics before it are returned, with the ``failure``.
    """
    rows: list[list[int]] = []
    ranks: list[list[int]] = []
    n_ret: list[int] = []
    failure = None
    for topic in topics:
        try:
            docnos = _ranked_documents(run, topic, max_retrieved)
            judged = _judged_documents(judgments, topic)
        except DuplicateDocumentError as error:
            failure = error
            break
        found = [judged.get(docno, NOT_POOLED) for docno in docnos]
        if keep_all:
            ranks.append(list(range(1, len(found) + 1)))
        else:
            ranks.append([place for place, row in enumerate(found, 1) if row >= 0])
            found = [row for row in found if row >= 0]
        rows.append(found)
        n_ret.append(len(docnos))
    done = tuple(topics[: len(rows)])
    return Ranking(
        topics=done,
        judged_topic=np.array([judgments.topic_index[topic] for topic in done], np.int64),
        rows=Segments.of_lengths([len(found) for found in rows]),
        rank=np.array([place for found in ranks for place in found], np.int64),
        row=np.array([row for found in rows for row in found], np.int64),
        n_ret=np.array(n_ret, np.int64),
        missing=np.array([topic not in run.topic_index for topic in done], np.bool_),
        failure=failure,
    )


def ranked_order(scores: FloatArray, docnos: Sequence[bytes]) -> IntArray:
    """Return the permutation that puts the highest score first and, among equal scores, the last document first.

    With a nan among the scores the rule contradicts itself, and the order is the one that trec_eval's sort arrives at.
    """
    if np.isnan(scores).any():
        by_docno = sorted(range(len(docnos)), key=docnos.__getitem__)

        def compare(i: int, j: int) -> int:
            if scores[i] > scores[j]:
                return -1
            if scores[i] < scores[j]:
                return 1
            return (docnos[i] < docnos[j]) - (docnos[i] > docnos[j])

        return np.array(merge_sort(by_docno, compare), np.int64)
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    tied = np.flatnonzero(ranked[1:] == ranked[:-1])
    if tied.size:
        breaks = np.flatnonzero(np.diff(tied) > 1)
        starts = tied[np.concatenate(([0], breaks + 1))]
        ends = tied[np.concatenate((breaks, [tied.size - 1]))] + 2
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            order[start:end] = sorted(order[start:end].tolist(), key=docnos.__getitem__, reverse=True)
    return order


def _ranked_documents(run: Run, topic: bytes, max_retrieved: int) -> list[bytes]:
    if topic not in run.topic_index:
        return [b""][:max_retrieved]  # a docno that no file can hold
    where = run.rows.slice(run.topic_index[topic])
    docnos = run.docnos[where]
    order = ranked_order(run.scores[where], docnos)[:max_retrieved].tolist()
    ranked = [docnos[i] for i in order]
    _refuse_duplicates(run.path, "results", topic, ranked, run.lines[where][order].tolist())
    return ranked


def _judged_documents(judgments: Judgments, topic: bytes) -> dict[bytes, int]:
    index = judgments.topic_index[topic]
    judged = judgments.lookup(index)
    where = judgments.rows.slice(index)
    if len(judged) < where.stop - where.start:
        lines = judgments.lines[where].tolist()
        _refuse_duplicates(judgments.path, "judgments", topic, judgments.docnos[where], lines)
    return judged


def _refuse_duplicates(path: str, what: str, topic: bytes, docnos: Sequence[bytes], lines: Sequence[int]) -> None:
    if duplicate := first_duplicate(docnos, lines):
        docno, first, second = duplicate
        raise DuplicateDocumentError(
            f"{shown_name(path)}:{second}: a document must occur once in the {what} of a topic, "
            f"but got {quote(docno)} in topic {quote(topic)} a second time (first on line {first})"
        )

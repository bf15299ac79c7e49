"""Relevance judgments, grouped by topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irevalx.segments import IntArray, Segments


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judged documents of every topic.

    Parameters
    ----------
    path : the file as the user named it.
    topics : ascending in byte order, each once.
    rows : one row a topic, its documents in the order of the file.
    docnos : flat.
    grades : flat; 0 and up is a judgment, a negative grade is a pooled document that nobody judged.
    lines : flat; the 1-based line of the file.
    """

    path: str
    topics: tuple[bytes, ...]
    rows: Segments
    docnos: Sequence[bytes]
    grades: IntArray
    lines: IntArray

    @cached_property
    def topic_index(self) -> dict[bytes, int]:
        """Where a topic stands in ``topics``."""
        return {topic: index for index, topic in enumerate(self.topics)}

    @property
    def n_relevant(self) -> int:
        """The number of lines with a grade above 0: what trec_eval -c reports as num_rel, whatever -l says."""
        return int(np.count_nonzero(self.grades > 0))

    def lookup(self, topic: int) -> dict[bytes, int]:
        """Return the flat index of each document of a topic (given by its place in ``topics``).

        It holds fewer documents than the row is long where a document occurs twice.
        """
        where = self.rows.slice(topic)
        return dict(zip(self.docnos[where], range(where.start, where.stop), strict=True))


def group_by_topic(topics: Sequence[bytes]) -> tuple[tuple[bytes, ...], Segments, list[int]]:
    """Bring the lines of each topic together.

    Parameters
    ----------
    topics : the topic of each line.

    Returns
    -------
    topics : each once, ascending in byte order.
    rows : one row a topic.
    order : flat; which line stands where. Lines of one topic keep their order.
    """
    members: dict[bytes, list[int]] = {}
    for line, topic in enumerate(topics):
        members.setdefault(topic, []).append(line)
    ascending = tuple(sorted(members))
    rows = Segments.of_lengths([len(members[topic]) for topic in ascending])
    return ascending, rows, [line for topic in ascending for line in members[topic]]


def first_duplicate(docnos: Sequence[bytes], lines: Sequence[int]) -> tuple[bytes, int, int] | None:
    """Find the document, least in byte order, that occurs more than once.

    Parameters
    ----------
    docnos, lines : the documents of one topic and the lines that they stand on.

    Returns
    -------
    The document and its first two lines in the order of the file; None when every document occurs once.
    """
    if len(set(docnos)) == len(docnos):
        return None
    where: dict[bytes, list[int]] = {}
    for docno, line in zip(docnos, lines, strict=True):
        where.setdefault(docno, []).append(line)
    docno = min(docno for docno, found in where.items() if len(found) > 1)
    first, second = sorted(where[docno])[:2]
    return docno, first, second

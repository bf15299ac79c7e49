"""The judging pool, read from a pool file, whose documents are added to the judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irevalx.arrays.byte_strings import DocumentTable, Names
from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import IntArray, Segments
from irevalx.errors import Warn, quote, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.wording import more_such


class PooledDocuments(Frozen):
    """The documents in a pool file, which were selected for judging. A document can occur several times."""

    path: str
    """The path of the pool file, as the user wrote it."""
    topics: tuple[bytes, ...]
    topic: IntArray
    """The index of each document's topic in ``topics``."""
    docnos: Names
    """The ID of each document."""

    @classmethod
    def joined(cls, path: str, parts: Sequence[PooledDocuments]) -> PooledDocuments:
        """Join the pooled documents that were read from several parts of a file. A topic can occur in several parts."""
        number: dict[bytes, int] = {}
        for part in parts:
            for topic in part.topics:
                number.setdefault(topic, len(number))
        places = [np.array([number[topic] for topic in part.topics], np.int64)[part.topic] for part in parts]
        docnos = Names.joined([part.docnos for part in parts])
        return cls(path, tuple(number), np.concatenate((np.empty(0, np.int64), *places)), docnos)

    def pairs(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield each document as a pair of its topic and its ID."""
        return zip([self.topics[topic] for topic in self.topic.tolist()], self.docnos.texts(), strict=True)


class PoolGaps(Frozen):
    """The differences between judgments and a pool. Counts for disjoint sets of topics can be added."""

    judged: int
    """The number of topics in the judgments."""
    lacking: int
    """The number of topics that are in the judgments but not in the pool."""
    pooled: int
    """The number of topics in the pool."""
    unknown: int
    """The number of topics that are in the pool but not in the judgments."""
    outside: int
    """The number of judged documents that are not in the pool, without documents of topics that are not in the pool."""
    first: tuple[bytes, bytes] | None
    """The topic and ID of the first judged document that is not in the pool, or None if ``outside`` is 0."""

    def warnings_about(self, path: str) -> list[str]:
        """Return warnings that describe the differences. ``path`` is the path of the pool file."""
        parts = []
        if self.lacking:
            parts.append(
                f"{self.lacking} of {self.judged} topics of the judgments are not in the pool; for these, only the "
                "documents in the judgments are pooled"
            )
        if self.unknown:
            parts.append(f"{self.unknown} of {self.pooled} pooled topics have no judgments and are ignored")
        lines = ["; ".join(parts)] if parts else []
        if self.first:
            topic, docno = self.first
            lines.append(
                f"topic {quote(topic)}: judged document {quote(docno)} is missing from the pool and is added to it"
                f"{more_such(self.outside - 1, 'document')}"
            )
        return [f"{shown_name(path)}: {line}" for line in lines]


NO_GAPS = PoolGaps(0, 0, 0, 0, 0, None)
"""The record that stands for no differences, used if there is no pool."""


def with_pool(judgments: Judgments, pool: PooledDocuments, warn: Warn = lambda line: None) -> Judgments:
    """Add the pooled but unjudged documents to the judgments. Warn about differences between judgments and pool."""
    both, gaps = add_pool(judgments, pool)
    for line in gaps.warnings_about(pool.path):
        warn(line)
    return both


def add_pool(judgments: Judgments, pool: PooledDocuments) -> tuple[Judgments, PoolGaps]:
    """Add the pooled but unjudged documents to the judgments, with a negative grade. Also return the differences."""
    place = np.array([judgments.topic_index.get(topic, ABSENT) for topic in pool.topics], np.int64)[pool.topic]
    known = place != ABSENT
    topic, docnos = place[known], pool.docnos.take(known)
    keys = docnos.keys()
    entry = judgments.table.find(topic, docnos, keys)
    new = np.flatnonzero(entry == ABSENT)
    table = DocumentTable(topic[new], judgments.rows.n, docnos.take(new))
    new = new[table.find(topic[new], docnos.take(new)) == np.arange(new.size)]  # distinct documents of each topic
    new = new[np.argsort(topic[new], kind="stable")]
    more = Segments.of_lengths(np.bincount(topic[new], minlength=judgments.rows.n))
    rows, index = judgments.rows.beside(more)
    both = replace(
        judgments,
        rows=rows,
        docnos=Names.joined([judgments.docnos, docnos.take(new)]).take(index),
        grades=np.concatenate((judgments.grades, np.full(more.size, UNJUDGED_IN_FILES)))[index],
        lines=np.concatenate((judgments.lines, np.zeros(more.size, np.int64)))[index],
    )
    return both, _gaps(judgments, pool, entry[entry != ABSENT])


def _gaps(judgments: Judgments, pool: PooledDocuments, entry: IntArray) -> PoolGaps:
    """Return the differences between judgments and pool. ``entry`` contains the indices of judgments in the pool."""
    pooled = set(pool.topics)
    lacking = np.array([topic not in pooled for topic in judgments.topics], np.bool_)
    in_pool = np.zeros(judgments.rows.size, np.bool_)
    in_pool[entry] = True
    outside = np.flatnonzero((judgments.grades >= 0) & ~in_pool & ~judgments.rows.spread(lacking))
    first = None
    if outside.size:
        # Report the first document in the file, or the first by docno if the documents have no lines.
        of_topic = outside[judgments.rows.ids[outside] == judgments.rows.ids[outside[0]]].tolist()
        place = min(of_topic, key=lambda place: (judgments.lines[place], judgments.docnos.text(place)))
        first = judgments.topics[judgments.rows.ids[place]], judgments.docnos.text(place)
    return PoolGaps(
        judged=len(judgments.topics),
        lacking=int(np.count_nonzero(lacking)),
        pooled=len(pool.topics),
        unknown=sum(topic not in judgments.topic_index for topic in pool.topics),
        outside=outside.size,
        first=first,
    )

"""The documents chosen for judging: what a pool file adds to the judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.document_table import DocumentTable
from irevalx.arrays.segments import IntArray, Segments
from irevalx.errors import Warn, quote, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments


class Pool(Frozen):
    """Documents that were chosen for judging, any number of times each.

    Parameters
    ----------
    path : the file as the user named it.
    topics : each once.
    topic : flat; the place in ``topics``.
    docnos : flat.
    """

    path: str
    topics: tuple[bytes, ...]
    topic: IntArray
    docnos: Names

    @classmethod
    def joined(cls, path: str, parts: Sequence[Pool]) -> Pool:
        """Return the documents of several parts of a file, which may have topics in common."""
        number: dict[bytes, int] = {}
        for part in parts:
            for topic in part.topics:
                number.setdefault(topic, len(number))
        places = [np.array([number[topic] for topic in part.topics], np.int64)[part.topic] for part in parts]
        docnos = Names.joined([part.docnos for part in parts])
        return cls(path, tuple(number), np.concatenate((np.empty(0, np.int64), *places)), docnos)

    def pairs(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the topic and the name of each document."""
        return zip([self.topics[topic] for topic in self.topic.tolist()], self.docnos.texts(), strict=True)


class PoolGaps(Frozen):
    """What judgments and a pool lack of each other; the numbers may be added up over parts without a topic in common.

    Parameters
    ----------
    judged : topics of the judgments.
    lacking : those of them that the pool lacks.
    pooled : topics of the pool.
    unknown : those of them that have no judgments.
    outside : judged documents that the pool lacks, of pooled topics.
    first : the topic and the name of the first of these; None where there are none.
    """

    judged: int
    lacking: int
    pooled: int
    unknown: int
    outside: int
    first: tuple[bytes, bytes] | None

    def warnings_about(self, path: str) -> list[str]:
        """Return the warnings about a pool with this path, a line each."""
        parts = []
        if self.lacking:
            parts.append(
                f"{self.lacking} of {self.judged} topics of the judgments are not in the pool; theirs is what is there"
            )
        if self.unknown:
            parts.append(f"{self.unknown} of {self.pooled} pooled topics have no judgments and are ignored")
        lines = ["; ".join(parts)] if parts else []
        if self.first:
            topic, docno = self.first
            others = f" ({self.outside - 1} more such documents)" if self.outside > 1 else ""
            lines.append(
                f"topic {quote(topic)}: a judged document must be in the pool, but {quote(docno)} is not; it is "
                f"counted into it{others}"
            )
        return [f"{shown_name(path)}: {line}" for line in lines]


NO_GAPS = PoolGaps(0, 0, 0, 0, 0, None)
"""Where there is no pool."""


def with_pool(judgments: Judgments, pool: Pool, warn: Warn = lambda line: None) -> Judgments:
    """Add the pooled documents that have no judgment, as ``add_pool`` does.

    Parameters
    ----------
    warn : called with a line about judged documents that the pool lacks, and of topics that are in one file only.
    """
    both, gaps = add_pool(judgments, pool)
    for line in gaps.warnings_about(pool.path):
        warn(line)
    return both


def add_pool(judgments: Judgments, pool: Pool) -> tuple[Judgments, PoolGaps]:
    """Add the pooled documents that have no judgment, as if they stood there with a negative grade.

    A document with a judgment is in the pool, whether the file has it or not. Topics without any judgment stay out.
    """
    place = np.array([judgments.topic_index.get(topic, ABSENT) for topic in pool.topics], np.int64)[pool.topic]
    known = place != ABSENT
    topic, docnos = place[known], pool.docnos.take(known)
    keys = docnos.keys()
    entry = judgments.table.find(topic, docnos, keys)
    new = np.flatnonzero(entry == ABSENT)
    new = new[_first_ones(topic[new], judgments.rows.n, docnos.take(new))]
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


def _gaps(judgments: Judgments, pool: Pool, entry: IntArray) -> PoolGaps:
    """Return what judgments and a pool lack of each other.

    Parameters
    ----------
    entry : the judged documents that are in the pool.
    """
    pooled = set(pool.topics)
    lacking = np.array([topic not in pooled for topic in judgments.topics], np.bool_)
    in_pool = np.zeros(judgments.rows.size, np.bool_)
    in_pool[entry] = True
    outside = np.flatnonzero((judgments.grades >= 0) & ~in_pool & ~judgments.rows.spread(lacking))
    first = None
    if outside.size:
        # The first in the file; where it has no order, the first by name.
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


def _first_ones(topic: IntArray, n_topics: int, docnos: Names) -> IntArray:
    """Return the places of documents, each topic's once."""
    table = DocumentTable(topic, n_topics, docnos)
    return np.flatnonzero(table.find(topic, docnos) == np.arange(topic.size))

"""The documents chosen for judging: what a pool file adds to the judgments."""

from __future__ import annotations

from collections.abc import Sequence

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


def with_pool(judgments: Judgments, pool: Pool, warn: Warn = lambda line: None) -> Judgments:
    """Add the pooled documents that have no judgment, as if they stood there with a negative grade.

    A document with a judgment is in the pool, whether the file has it or not. Topics without any judgment stay out.

    Parameters
    ----------
    warn : told of judged documents that the pool lacks, and of topics that are in one file only.
    """
    _tell_other_topics(judgments, pool, warn)
    place = np.array([judgments.topic_index.get(topic, ABSENT) for topic in pool.topics], np.int64)[pool.topic]
    known = place != ABSENT
    topic, docnos = place[known], pool.docnos.take(known)
    keys = docnos.keys()
    entry = judgments.table.find(topic, docnos, keys)
    _tell_judged_outside(judgments, pool, entry[entry != ABSENT], warn)
    new = np.flatnonzero(entry == ABSENT)
    new = new[_first_ones(topic[new], judgments.rows.n, docnos.take(new))]
    new = new[np.argsort(topic[new], kind="stable")]
    more = Segments.of_lengths(np.bincount(topic[new], minlength=judgments.rows.n))
    rows, index = judgments.rows.beside(more)
    return replace(
        judgments,
        rows=rows,
        docnos=Names.joined([judgments.docnos, docnos.take(new)]).take(index),
        grades=np.concatenate((judgments.grades, np.full(more.size, UNJUDGED_IN_FILES)))[index],
        lines=np.concatenate((judgments.lines, np.zeros(more.size, np.int64)))[index],
    )


def _first_ones(topic: IntArray, n_topics: int, docnos: Names) -> IntArray:
    """Return the places of documents, each topic's once."""
    table = DocumentTable(topic, n_topics, docnos)
    return np.flatnonzero(table.find(topic, docnos) == np.arange(topic.size))


def _tell_other_topics(judgments: Judgments, pool: Pool, warn: Warn) -> None:
    pooled = set(pool.topics)
    lacking = sum(topic not in pooled for topic in judgments.topics)
    unknown = sum(topic not in judgments.topic_index for topic in pool.topics)
    parts = []
    if lacking:
        parts.append(
            f"{lacking} of {len(judgments.topics)} topics of the judgments are not in the pool; theirs is what is there"
        )
    if unknown:
        parts.append(f"{unknown} of {len(pool.topics)} pooled topics have no judgments and are ignored")
    if parts:
        warn(f"{shown_name(pool.path)}: {'; '.join(parts)}")


def _tell_judged_outside(judgments: Judgments, pool: Pool, entry: IntArray, warn: Warn) -> None:
    """Name the first judged document that the pool lacks, and count the others; of pooled topics only."""
    pooled = set(pool.topics)
    in_pool = np.zeros(judgments.rows.size, np.bool_)
    in_pool[entry] = True
    in_pool |= judgments.rows.spread(np.array([topic not in pooled for topic in judgments.topics], np.bool_))
    outside = np.flatnonzero((judgments.grades >= 0) & ~in_pool)
    if not outside.size:
        return
    first = int(outside[0])
    topic, docno = judgments.topics[judgments.rows.ids[first]], judgments.docnos.text(first)
    others = f" ({outside.size - 1} more such documents)" if outside.size > 1 else ""
    warn(
        f"{shown_name(pool.path)}: topic {quote(topic)}: a judged document must be in the pool, but {quote(docno)} is "
        f"not; it is counted into it{others}"
    )

"""The documents that runs have among their first ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, Segments
from irevalx.errors import Warn
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool
from irevalx.ranking.order import ranked_order
from irevalx.reading.runs import Results, Run
from irevalx.trec_eval.numbers import odd_number_warnings


def pool_of(runs: Sequence[Run], depth: int, warn: Warn = lambda line: None) -> dict[bytes, list[bytes]]:
    """Pool the first documents of each topic of every run.

    Parameters
    ----------
    depth : how many documents of a topic; at least 1.
    warn : is called with a line for each run that has scores which are no plain numbers.

    Returns
    -------
    For each topic, in ascending byte order, its documents in ascending byte order, each once.

    Raises
    ------
    UnreadableFileError, MalformedLineError : as reading a run does.
    """
    pooled: dict[bytes, set[bytes]] = {}
    for run in runs:
        parts = run.results()
        for message in odd_number_warnings(part.odd for part in parts):
            warn(message)
        for part in parts:
            found = first_documents(part, depth)
            for topic, docno in zip(found.topic.tolist(), found.docnos.texts(), strict=True):
                pooled.setdefault(found.topics[topic], set()).add(docno)
    return {topic: sorted(pooled[topic]) for topic in sorted(pooled)}


def first_documents(results: Results, depth: int) -> Pool:
    """Return the first documents of each topic, in the order in which the evaluator ranks them."""
    order = ranked_order(results)
    rows, docnos = results.rows, results.docnos
    within_depth: BoolArray = rows.position < depth
    places = np.flatnonzero(within_depth) if order is None else order[within_depth]
    kept: Segments = rows.keep(within_depth)
    return Pool("", results.topics, kept.ids, docnos.take(places))


def find_in_judgments(
    judgments: Judgments, pool: dict[bytes, list[bytes]]
) -> tuple[BoolArray, list[tuple[bytes, bytes]]]:
    """Find the documents of a pool among judgments.

    Parameters
    ----------
    pool : documents by topic.

    Returns
    -------
    in_pool : flat over ``judgments``; whether a document is in the pool.
    missing : topic and name of each document that the judgments lack, of the topics that they have.
    """
    in_pool = np.zeros(judgments.rows.size, np.bool_)
    missing = []
    for topic, documents in pool.items():
        if topic not in judgments.topic_index:
            continue
        number = judgments.topic_index[topic]
        found = judgments.table.find(np.full(len(documents), number), Names.of(documents))
        in_pool[found[found != ABSENT]] = True
        missing += [(topic, documents[place]) for place in np.flatnonzero(found == ABSENT).tolist()]
    return in_pool, missing

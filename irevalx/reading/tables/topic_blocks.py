"""Judgments, pool and runs in one table whose rows are grouped by topic: blocks of whole topics, and what is in them.

The table comes as record batches of bundles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from irevalx.arrays.segments import AnyArray, IntArray, Segments
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import NO_GAPS, PoolGaps, add_pool
from irevalx.reading.entries import Entries
from irevalx.reading.runs import Results
from irevalx.reading.tables.bundles import RETRIEVED, Batch, Documents, sizes
from irevalx.reading.tables.packed_columns import encoded, starts
from irevalx.trec_eval.versions import Compat

_NOTHING = np.empty(0, np.int64)


def blocks_of_topics(batches: Iterable[Batch], least: int) -> Iterator[list[Batch]]:
    """Yield batches of whole topics: of at least so many documents, but the last, and of no more topics than needed."""
    block: list[Batch] = []
    size, last = 0, None
    for batch in batches:
        if not batch.num_rows:
            continue
        topics = batch.column("topic")
        before = Segments.of_lengths(sizes(batch)).offsets.tolist()
        first = 0
        for start in starts(encoded(topics)[1]).tolist():
            if size + before[start] - before[first] >= least and (start or topics[0].as_py() != last):
                block.append(batch.slice(first, start - first))
                yield block
                block, size, first = [], 0, start
        block.append(batch.slice(first))
        size += before[-1] - before[first]
        last = topics[-1].as_py()
    if block:
        yield block


def read_block(
    block: list[Batch], runs: Sequence[str], compat: Compat, *, pooled: bool, strict: bool
) -> tuple[Judgments, PoolGaps, dict[str, Results]]:
    """Return the judgments of a block, with its pool and what that lacks, and what runs have retrieved, by their names.

    Parameters
    ----------
    block : emptied, so that its memory is free when it has been read.
    runs : those that are returned even if they have retrieved nothing.
    pooled : whether there is a pool.
    strict : refuse scores that are not finite numbers.

    Raises
    ------
    MalformedNumberError : under ``strict``.
    """
    import pyarrow as pa

    documents = Documents.of(block)
    bundles = pa.Table.from_batches([batch.select(["kind", "run", "topic"]) for batch in block])
    block.clear()
    topics, topic = encoded(bundles.column("topic").combine_chunks())
    names, run = encoded(bundles.column("run").combine_chunks())
    kind = bundles.column("kind").to_numpy()
    group = np.where(kind == RETRIEVED, RETRIEVED + run, kind)
    ends = np.cumsum(np.bincount(group, minlength=RETRIEVED + len(names)))[:-1]
    judged, in_pool, *of_names = np.split(group.argsort(kind="stable"), ends)

    def entries(path: str, some: IntArray, numbers: AnyArray) -> Entries:
        rows, index = documents.bundles.take(some)
        first = starts(topic[some])
        return Entries(
            path,
            tuple(topics[number].encode() for number in topic[some][first].tolist()),
            Segments.of_lengths(np.diff(np.append(rows.offsets[first], index.size))),
            documents.docnos.take(index),
            numbers[index],
            np.broadcast_to(np.int64(0), index.size),
        )

    grades, scores = documents.numbers, documents.numbers.view(np.float64)
    judgments = entries("qrels", judged, grades).judgments()
    gaps = NO_GAPS
    if pooled:
        judgments, gaps = add_pool(judgments, entries("pool", in_pool, grades).pool())
    found = dict.fromkeys(runs, _NOTHING) | {
        name: bundles for name, bundles in zip(names, of_names, strict=True) if bundles.size
    }
    return (
        judgments,
        gaps,
        {
            name: entries(name, bundles, scores).results(compat, name.encode(), strict=strict)
            for name, bundles in found.items()
        },
    )

"""The rows of runs, as a table has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.ids import Ids, joined_ids
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.arrays.stretches import Stretches
from irevalx.frozen import Frozen
from irevalx.reading.tables.column_names import DOCNO, RUN, SCORE, TOPIC
from irevalx.reading.tables.tables import Table

BLOCK_ROWS = 1 << 15
"""About so many rows are looked at together, so that what is made of them stays in the processor's cache."""

_BLOCKS_AT_ONCE = 4
"""So many blocks are looked through together for the places where topics begin."""

COLUMNS = (SCORE, TOPIC, DOCNO)


class RunRows(Frozen):
    """Some rows of a run.

    Parameters
    ----------
    topics, docnos, scores : of each row.
    lines : the 1-based number of each row in the table.
    """

    topics: Stretches
    docnos: Ids
    scores: FloatArray
    lines: IntArray

    @classmethod
    def joined(cls, parts: Sequence[RunRows]) -> RunRows:
        """Return the rows of several parts, one behind the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            Stretches.joined([part.topics for part in parts]),
            joined_ids([part.docnos for part in parts]),
            np.concatenate((np.empty(0), *(part.scores for part in parts))),
            np.concatenate((np.empty(0, np.int64), *(part.lines for part in parts))),
        )

    def take(self, index: IntArray | slice) -> RunRows:
        """Return some of the rows."""
        return RunRows(self.topics.take(index), self.docnos.take(index), self.scores[index], self.lines[index])


def rows_of(table: Table, first: int = 0, last: int | None = None) -> Iterator[RunRows]:
    """Yield rows of a table, some at a time, from a row on and before another one, or to the end.

    Parameters
    ----------
    first, last : counted from 0.
    """
    return (part for part, _ in _read(table, first, last, with_runs=False))


def rows_and_runs_of(table: Table) -> Iterator[tuple[RunRows, Stretches]]:
    """Yield all rows of a table, some at a time, and with them the names of their runs."""
    return _read(table, 0, None, with_runs=True)


def _read(table: Table, first: int, last: int | None, *, with_runs: bool) -> Iterator[tuple[RunRows, Stretches]]:
    nothing = Stretches.of(Names.of([]))
    for chunk in table.chunks_of(*COLUMNS, *((RUN,) if with_runs else ()), rows=slice(first, last)):
        score, topic, docno, *run = chunk.columns
        before = chunk.first
        end = chunk.size if last is None else min(chunk.size, last - before)
        for window in slices(max(first - before, 0), end, _BLOCKS_AT_ONCE * BLOCK_ROWS):
            topics = topic.stretches(window)
            for some in _between_topics(topics):
                rows = slice(window.start + some.start, window.start + some.stop)
                lines = np.arange(before + rows.start + 1, before + rows.stop + 1)
                scores = score.scores(rows)
                part = RunRows(topics.take(some), docno.ids(rows), scores, lines)
                yield part, run[0].stretches(rows) if run else nothing
        if last is not None and before + chunk.size >= last:
            return


def _between_topics(topics: Stretches) -> Iterator[slice]:
    """Yield rows in parts of about ``BLOCK_ROWS`` that end where another topic begins, as far as one does.

    The last part is of the last topic, more of which may come.
    """
    n_parts = round(topics.size / BLOCK_ROWS) or 1
    wanted = np.linspace(0, topics.size, n_parts, endpoint=False)[1:]
    ends = topics.starts[np.minimum(topics.starts.searchsorted(wanted), topics.n - 1)].tolist()
    for first, end in pairwise(dict.fromkeys((0, *ends, topics.starts.item(-1), topics.size))):
        yield slice(first, end)


def slices(first: int, last: int, size: int) -> Iterator[slice]:
    """Yield stretches of at most some rows."""
    return (slice(start, min(start + size, last)) for start in range(first, last, size))

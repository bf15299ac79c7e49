"""The work of Spark's Python workers: rows of whole topics -> values of runs for these topics -> totals of runs.

Rows are record batches of pyarrow. An input row has the columns run, topic, docno, grade and score: a judgment has a
grade, a retrieved document a score, and a pooled document neither. A row of values has the columns run, topic, values,
counts and example. Without a topic it contains the counts and the example of a run in a block, and without a run those
of the judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irevalx.arrays.segments import Segments
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import NO_GAPS, PoolGaps, add_pool
from irevalx.reading.entries import Entries
from irevalx.reading.runs import ResultRows
from irevalx.reading.tables.arrow_tables import array_of, labels_of, names_of, numbered, numbers_of, values_of
from irevalx.spark.parts import NamedMeasures, Part, WholeRun
from irevalx.trec_eval.versions import Compat

THE_RUN = "run"
"""The name of a run whose table has no column of run names."""


TOTALS = pa.schema(
    {
        "name": pa.string(),
        "n_topics": pa.int64(),
        "totals": pa.list_(pa.float64()),
        "n_with_value": pa.list_(pa.int64()),
        "counts": pa.list_(pa.int64()),
        "example": pa.list_(pa.string()),
    }
)
"""The fields of ``WholeRun``."""


def read_block(
    block: list[pa.RecordBatch], names: Sequence[str], compat: Compat, *, pooled: bool, strict: bool
) -> tuple[Judgments, PoolGaps, dict[str, ResultRows]]:
    """Return judgments with the pool, the gaps of the pool, and the results of runs by name.

    ``block`` contains rows by ascending topic and is emptied to free memory; ``names`` are runs that exist even without
    results. ``strict`` refuses scores that are not finite.
    """
    rows = pa.Table.from_batches(block)
    block.clear()
    is_judged, is_retrieved = rows["grade"].is_valid(), rows["score"].is_valid()
    in_pool = pc.invert(pc.or_(is_judged, is_retrieved))
    judged, pool = (rows.select(["topic", "docno", "grade"]).filter(mask) for mask in (is_judged, in_pool))
    retrieved = rows.select(["run", "topic", "docno", "score"]).filter(is_retrieved)
    del rows
    judgments, gaps = _entries("qrels", judged, "grade").judgments(), NO_GAPS
    if pooled:
        judgments, gaps = add_pool(judgments, _entries("pool", pool, "grade").pool())
    several = dict.fromkeys(names, retrieved.slice(0, 0)) | _by_run(retrieved)
    results = {
        run: _entries(run, rows, "score").results(compat, run.encode(), strict=strict) for run, rows in several.items()
    }
    return judgments, gaps, results


def _by_run(rows: pa.Table) -> dict[str, pa.Table]:
    """Return the rows of each run, in their order."""
    names, codes, lengths = numbered(map(labels_of, rows["run"].fill_null(THE_RUN).chunks))
    if len(names) == 1:
        return {names[0].decode(): rows}
    codes = codes.repeat(lengths)
    rows = rows.take(array_of(np.argsort(codes, kind="stable")))
    ends = pairwise([0, *np.cumsum(np.bincount(codes)).tolist()])
    return {run.decode(): rows.slice(first, last - first) for run, (first, last) in zip(names, ends, strict=True)}


def _entries(path: str, rows: pa.Table, column: str) -> Entries:
    """Return rows by ascending topic with their numbers (arbitrary for a pool)."""
    topics, codes, lengths = numbered(map(labels_of, rows["topic"].chunks))
    of_topics = Segments.of_lengths(np.bincount(codes, lengths, len(topics)).astype(np.int64))
    docnos = names_of(rows["docno"].cast(pa.large_string()).chunks)
    no_lines = np.broadcast_to(np.int64(0), docnos.size)
    return Entries(path, topics, of_topics, docnos, values_of(rows[column]), no_lines)


def score_rows(part: Part, runs: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the values of a part, null for topics without a value; ``runs`` are the run names."""
    names = pa.array([*runs, None], pa.string())
    n, n_values = part.values.shape
    values = pa.array(part.values.ravel(), mask=~part.has_value.ravel())
    yield pa.record_batch(
        {
            "run": names.take(array_of(part.run)),
            "topic": pa.array(part.topics, pa.binary()).cast(pa.string()),
            "values": pa.ListArray.from_arrays(pa.array(n_values * np.arange(n + 1), pa.int32()), values),
            "counts": pa.nulls(n, pa.list_(pa.int64())),
            "example": pa.nulls(n, pa.list_(pa.string())),
        }
    )
    yield pa.record_batch(
        {
            "run": names,
            "topic": pa.nulls(len(names), pa.string()),
            "values": pa.nulls(len(names), pa.list_(pa.float64())),
            "counts": pa.array(np.vstack((part.of_runs, part.of_judgments)).tolist(), pa.list_(pa.int64())),
            "example": pa.array(part.examples, pa.list_(pa.string())),
        }
    )


def total_rows(batches: Iterable[pa.RecordBatch], measures: NamedMeasures) -> Iterator[pa.RecordBatch]:
    """Yield one row per run with the fields of ``WholeRun``, and one without run for the judgments.

    ``batches`` are the values of all parts by ascending run and topic.
    """
    totals: dict[str | None, WholeRun] = {}
    for batch in batches:
        runs = pc.run_end_encode(batch.column("run"))
        ends = pairwise([0, *runs.run_ends.to_pylist()])
        for run, (first, last) in zip(runs.values.to_pylist(), ends, strict=True):
            before = totals.get(run) or WholeRun.begun(run or "", measures)
            totals[run] = _added(before, batch.slice(first, last - first), measures)
    rows = [{field: getattr(total, field) for field in TOTALS.names} | {"name": run} for run, total in totals.items()]
    yield pa.RecordBatch.from_pylist(rows, TOTALS)


def _added(before: WholeRun, rows: pa.RecordBatch, measures: NamedMeasures) -> WholeRun:
    """Return the totals with further rows of one run."""
    counted = rows.filter(rows.column("topic").is_null())
    if counted.num_rows:
        counts = numbers_of(counted.column("counts").flatten()).reshape(counted.num_rows, -1)
        before = before.counted(counts, counted.column("example").to_pylist())
    scored = rows.filter(rows.column("topic").is_valid())
    if not scored.num_rows:
        return before
    values = scored.column("values").flatten()
    shape = scored.num_rows, -1
    has_value = values.is_valid().to_numpy(zero_copy_only=False).reshape(shape)
    return before.added(measures, numbers_of(values.fill_null(0.0)).reshape(shape), has_value)

"""Blocks without rows, which polars, DuckDB and Spark make, are skipped wherever they are in a table."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

import irevalx

pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")

ROWS = {
    "qrels": {"topic": ["1", "2", "3"], "docno": ["a", "b", "c"], "grade": [1, 1, 1]},
    "runs": {"topic": ["1", "2", "3"], "docno": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]},
    "pool": {"topic": ["1", "2", "3"], "docno": ["x", "y", "z"]},
    "scores": {"run": ["r"] * 3, "topic": ["1", "2", "3"], "map": [0.25, 0.5, 1.0]},
    "named runs": {"run": ["r", "r", "s"], "topic": ["1", "2", "3"], "docno": ["a", "b", "c"], "score": [3.0, 2.0, 1]},
}
"""Tables of three rows."""

PLACES = {
    "first": [0, 0, 1, 1, 1],
    "middle": [1, 0, 0, 1, 1],
    "last": [1, 1, 1, 0, 0],
    "everywhere": [0, 1, 0, 1, 0, 1, 0],
}
"""The number of rows of each block."""


def blocks(kind: str, place: str) -> list[Any]:
    """Return the rows of a table as blocks, some of them empty."""
    table, begin, parts = pa.table(ROWS[kind]), 0, []
    for size in PLACES[place]:
        columns = [column.slice(begin, size).combine_chunks() for column in table.columns]
        parts.append(pa.record_batch(columns, schema=table.schema))
        begin += size
    return parts


def reader(parts: list[Any]) -> Any:
    """A reader of pyarrow, which can be gone through once."""
    return pa.RecordBatchReader.from_batches(parts[0].schema, parts)


def ipc(parts: list[Any]) -> Any:
    """The stream of an Arrow file."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, parts[0].schema) as writer:
        for part in parts:
            writer.write_batch(part)
    return pa.ipc.open_stream(sink.getvalue())


def in_chunks(parts: list[Any]) -> Any:
    """A table of pyarrow with one chunk for each block."""
    return pa.Table.from_batches(parts)


def row_groups(parts: list[Any]) -> Any:
    """A Parquet file with a row group for each block."""
    parquet = pytest.importorskip("pyarrow.parquet")
    sink = io.BytesIO()
    with parquet.ParquetWriter(sink, parts[0].schema) as writer:
        for part in parts:
            writer.write_table(pa.Table.from_batches([part]))
    return io.BytesIO(sink.getvalue())


def polars_frame(parts: list[Any]) -> Any:
    """A frame of polars with one chunk for each block."""
    polars = pytest.importorskip("polars")
    return polars.concat([polars.from_arrow(part) for part in parts], rechunk=False)


def pandas_frame(parts: list[Any]) -> Any:
    """A frame of pandas."""
    pandas = pytest.importorskip("pandas")
    return pandas.concat([pandas.DataFrame(part.to_pydict()) for part in parts if part.num_rows])


def duckdb_relation(parts: list[Any]) -> Any:
    """A relation of DuckDB, whose filter leaves blocks without rows."""
    duckdb = pytest.importorskip("duckdb")
    table = in_chunks(parts)
    return duckdb.connect().from_arrow(table).filter("topic <> '0'")


SOURCES = (reader, ipc, in_chunks, row_groups, polars_frame, pandas_frame, duckdb_relation)

QRELS = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
RUN = {"1": {"a": 3.0}, "2": {"b": 2.0}, "3": {"c": 1.0}}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("source", SOURCES)
def test_every_row_counts(source: Callable[[list[Any]], Any], place: str) -> None:
    """Judgments, runs, pools and scores have all three rows."""

    def given(kind: str) -> Any:
        return source(blocks(kind, place))

    assert irevalx.evaluate(QRELS, given("runs"), "num_ret")["num_ret"] == 3
    assert irevalx.evaluate(given("qrels"), RUN, "num_rel")["num_rel"] == 3
    assert irevalx.Pool.read(given("pool")).topics == ["1", "2", "3"]
    scores = irevalx.evaluate(QRELS, given("named runs"), "num_ret")
    assert [scores["num_ret", run] for run in ("r", "s")] == [2, 1]
    read = irevalx.Scores.read if source is row_groups else irevalx.Scores.from_frame
    assert read(given("scores")).per_topic("map").tolist() == [0.25, 0.5, 1.0]


def test_only_empty_blocks() -> None:
    """A table without rows in any block is a run without results, as before."""
    schema = pa.table(ROWS["runs"]).schema
    nothing = pa.RecordBatchReader.from_batches(schema, [pa.RecordBatch.from_pylist([], schema)] * 2)
    with pytest.raises(irevalx.IrevalxError, match="no topic"):
        irevalx.evaluate(QRELS, nothing, "num_ret")

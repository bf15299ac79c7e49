"""Parquet files as tables, through pyarrow or DuckDB, whichever is there."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import IO, Any, TypeVar

from irevalx.errors import InputError, UnreadableFileError, quote
from irevalx.frozen import replace
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.reading.tables.arrow_arrays import array_of_numpy
from irevalx.reading.tables.arrow_columns import ArrowColumn
from irevalx.reading.tables.arrow_streams import (
    EXTRA,
    batch_of_pyarrow,
    chunks_of,
    consumer,
    first_installed,
    first_line,
    table_of_stream,
)
from irevalx.reading.tables.column_names import RUN, TOPIC
from irevalx.reading.tables.tables import Chunk, Table

BATCH_ROWS = 1 << 17
"""So many rows of a file are read together."""

Result = TypeVar("Result")

_WILDCARDS = frozenset("*?[")
"""Characters that DuckDB does not take for themselves in the name of a file."""


def table_of_parquet(source: Source) -> Table:
    """Open a Parquet file as a table.

    Columns are read when they are asked for, and again each time.

    Raises
    ------
    UnreadableFileError : there is no library that reads such files, or this one is damaged; or reading it raises that.
    """
    name = library()
    if name is None:
        raise UnreadableFileError(
            f"cannot read {quote(source.path)}: a Parquet file needs pyarrow or DuckDB: pip install '{EXTRA}'"
        )
    table = _failing_as_file(source, partial(_with_pyarrow if name == "pyarrow" else _with_duckdb, source))

    def chunks(wanted: Sequence[Any], rows: slice) -> Iterator[Chunk]:
        remaining = _failing_as_file(source, lambda: table.chunks(wanted, rows))
        while chunk := _failing_as_file(source, lambda: next(remaining, None)):
            yield chunk

    return replace(table, chunks=chunks)


def library() -> str | None:
    """Return the library that is to read Parquet files; None where there is none."""
    return first_installed("pyarrow", "duckdb")


def _with_pyarrow(source: Source) -> Table:
    parquet = import_module("pyarrow.parquet")
    path, temporary = _local_file(source)
    names = parquet.read_schema(path).names
    # Few topics and runs have many rows each: a batch has each of them once, and a number for each row.
    of_few = [name for name in (*TOPIC.names, *RUN.names) if name in names]

    def chunks(wanted: Sequence[Any], rows: slice) -> Iterator[Chunk]:
        assert temporary is None or not temporary.closed  # it lives as long as the table
        # Without buffers that hold the whole file in advance, as only files far away need.
        with parquet.ParquetFile(path, read_dictionary=of_few, pre_buffer=False) as opened:
            first = 0
            for batch in opened.iter_batches(BATCH_ROWS, columns=list(wanted)):
                yield from chunks_of([batch_of_pyarrow(batch)], batch.schema.names, wanted, source.path, first)
                first += batch.num_rows

    return Table(source.path, names, chunks)


def _with_duckdb(source: Source) -> Table:
    duckdb = import_module("duckdb")
    path, temporary = _local_file(source, other_than=_WILDCARDS)
    connection = duckdb.connect()  # relations end with it

    def relation() -> Any:
        return connection.read_parquet(path, hive_partitioning=False)

    def chunks(wanted: Sequence[Any], rows: slice) -> Iterator[Chunk]:
        assert temporary is None or not temporary.closed  # it lives as long as the table
        chosen = relation().select(*map(duckdb.ColumnExpression, wanted))
        return (
            table_of_stream(chosen, source.path).chunks(wanted, rows) if consumer() else _fetched(chosen, source.path)
        )

    return Table(source.path, relation().columns, chunks)


def _fetched(relation: Any, path: str) -> Iterator[Chunk]:
    """Yield a relation of DuckDB as arrays of numpy, in one chunk."""
    arrays = {name: array_of_numpy(values) for name, values in relation.fetchnumpy().items()}
    columns = tuple(ArrowColumn(path, name, 1, array) for name, array in arrays.items())
    yield Chunk(0, columns[0].array.size, columns)


def _local_file(source: Source, other_than: frozenset[str] = frozenset()) -> tuple[str, IO[bytes] | None]:
    """Return a path of a file, and the temporary file that it is of; None where it is the file itself.

    Parameters
    ----------
    other_than : characters that the path must not have.
    """
    if source.is_plain_file and other_than.isdisjoint(source.path):
        return source.path, None
    temporary = tempfile.NamedTemporaryFile(suffix=".parquet")  # noqa: SIM115 - lives as long as the table
    for chunk in source.chunks(CHUNK_SIZE, text=False):
        temporary.write(chunk)
    temporary.flush()
    return temporary.name, temporary


def _failing_as_file(source: Source, work: Callable[[], Result]) -> Result:
    """Return what work returns; whatever a library raises in it, the file cannot be read."""
    try:
        return work()
    except InputError:
        raise
    except Exception as error:
        raise UnreadableFileError(f"cannot read {quote(source.path)}: {first_line(error)}") from error

"""Parquet files as tables. Requires pyarrow."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from irevalx.errors import InputError, UnreadableFileError, quote
from irevalx.reading.column_names import RUN, TOPIC, named
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.reading.tables.arrow_tables import ArrowTable, first_line

_BATCH_ROWS = 1 << 17
"""Number of rows that are read together."""


def table_of_parquet(source: Source) -> ArrowTable:
    """Open a Parquet file as a table whose columns are read on each access; damaged files raise UnreadableFileError."""
    file = source.path if source.is_plain_file else _copy(source)
    with _failing_as_file(source):
        names = pa.parquet.read_schema(file).names
    few = [*named(TOPIC, names), *named(RUN, names)]  # columns with few distinct values

    def parts(columns: list[Any], first: int, last: int | None) -> Iterator[pa.Table]:
        with (
            _failing_as_file(source),
            # Without buffers that hold the whole file in advance, as only files far away need.
            pa.parquet.ParquetFile(file, read_dictionary=few, pre_buffer=False) as opened,
        ):
            for batch in opened.iter_batches(_BATCH_ROWS, columns=columns, use_threads=False):
                yield pa.Table.from_batches([batch]).select(columns)

    return ArrowTable(source.path, names, parts)


def _copy(source: Source) -> pa.Buffer:
    """Return the content of a source as the buffer of a memory-mapped temporary file."""
    with TemporaryFile() as file:
        for chunk in source.chunks(CHUNK_SIZE, text=False):
            file.write(chunk)
        file.flush()
        return pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


@contextmanager
def _failing_as_file(source: Source) -> Iterator[None]:
    """Raise UnreadableFileError in place of any error that is not an InputError."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise UnreadableFileError(f"cannot read {quote(source.path)}: {first_line(error)}") from error

"""Rows that can be read only once, or take long to read, in a temporary file. This module needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import NamedTemporaryFile
from typing import IO

import pyarrow as pa

from irevalx.errors import UnreadableFileError, shown_name
from irevalx.reading.tables.arrow_tables import BLOCK_ROWS, first_line


class SpooledRows:
    """Rows that are read when they are first asked for, and written to a temporary file on the way.

    Parameters
    ----------
    unread : the rows, some at a time.
    schema : of all of them.
    path : what messages call the table.

    Notes
    -----
    Reading raises UnreadableFileError where there is no room for the temporary file, and what reading the table raises.
    """

    def __init__(self, unread: Iterator[pa.RecordBatch], schema: pa.Schema, path: str) -> None:
        self._file = NamedTemporaryFile(suffix=".arrow")  # noqa: SIM115 - lives as long as the rows
        self._remaining = _written(unread, schema, self._file, path)
        self._begun = False

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Return the rows, some at a time; any number of times."""
        if self._begun:
            return iter(self.table().to_batches(BLOCK_ROWS))
        self._begun = True
        return self._remaining

    def table(self) -> pa.Table:
        """Return all rows, which lie in the file."""
        self._begun = True
        for _ in self._remaining:
            pass
        with pa.ipc.open_stream(pa.memory_map(self._file.name)) as written:
            return written.read_all()


def _written(
    unread: Iterator[pa.RecordBatch], schema: pa.Schema, file: IO[bytes], path: str
) -> Iterator[pa.RecordBatch]:
    """Yield rows, each of which has been written to a file; all of them are there when the last has been asked for."""
    try:
        with pa.ipc.new_stream(file, schema) as writer:
            for batch in unread:
                writer.write(batch)
                yield batch
        file.flush()
    except OSError as error:
        reason = error.strerror or first_line(error)
        raise UnreadableFileError(f"cannot keep {shown_name(path)} in a temporary file: {reason}") from None

"""Whatever offers Arrow's C stream, as batches of columns, through pyarrow or nanoarrow.

Both are imported when a stream is to be read. nanoarrow is the smaller one; pyarrow is taken where a program has
imported it, or where there is no nanoarrow.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from irevalx.arrays.segments import ByteArray
from irevalx.errors import ArgumentError
from irevalx.frozen import Frozen, replace
from irevalx.reading.tables.arrow_arrays import ArrowArray
from irevalx.reading.tables.arrow_columns import ArrowColumn
from irevalx.reading.tables.tables import Chunk, Table

EXTRA = "irevalx[arrow]"

_PYARROW_FORMS = {
    "string": "u",
    "large_string": "U",
    "string_view": "vu",
    "null": "n",
    "int8": "c",
    "uint8": "C",
    "int16": "s",
    "uint16": "S",
    "int32": "i",
    "uint32": "I",
    "int64": "l",
    "uint64": "L",
    "halffloat": "e",
    "float": "f",
    "double": "g",
}
"""The formats of the C data interface, by what pyarrow calls the types."""


class Batch(Frozen):
    """Some rows of a stream.

    Parameters
    ----------
    size : how many there are.
    columns : of the stream, in order.
    """

    size: int
    columns: Sequence[ArrowArray]


class Stream(Frozen):
    """A stream that has been opened.

    Parameters
    ----------
    names : of the columns.
    batches : to be gone through once.
    """

    names: Sequence[str]
    batches: Iterator[Batch]


def has_stream(given: Any) -> bool:
    """Return whether something offers Arrow's C stream."""
    return hasattr(given, "__arrow_c_stream__")


def consumer() -> str | None:
    """Return the library that is to read streams: pyarrow if it has been imported, or else the first that is there."""
    return "pyarrow" if sys.modules.get("pyarrow") else first_installed("nanoarrow", "pyarrow")


def first_installed(*libraries: str) -> str | None:
    """Return the first of some libraries that is installed; None where none is."""
    return next((name for name in libraries if sys.modules.get(name) or _can_be_imported(name)), None)


def _can_be_imported(name: str) -> bool:
    return name not in sys.modules and find_spec(name) is not None  # None in sys.modules keeps one from being imported


def open_stream(given: Any, path: str) -> Stream:
    """Open a stream.

    Parameters
    ----------
    given : offers Arrow's C stream.
    path : what messages call it.

    Raises
    ------
    ArgumentError : there is no library that reads it, or it cannot be opened.
    """
    library = consumer()
    if library is None:
        raise ArgumentError(f"{path}: a table of this kind needs nanoarrow or pyarrow: pip install '{EXTRA}'")
    try:
        return _with_pyarrow(given, path) if library == "pyarrow" else _with_nanoarrow(given, path)
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        raise ArgumentError(f"{path}: a table must offer an Arrow stream, but {first_line(error)}") from error


def table_of_stream(given: Any, path: str) -> Table:
    """Return a stream as a table, which can be read once; what has rows to slice is in memory, and read as often.

    Parameters
    ----------
    given : offers Arrow's C stream.
    path : what messages call it.

    Raises
    ------
    ArgumentError : as ``open_stream``.
    """
    if hasattr(given, "num_rows") and hasattr(given, "slice"):  # of pyarrow

        def some(wanted: Sequence[str], rows: slice) -> Iterator[Chunk]:
            stream = open_stream(given.select(list(wanted)).slice(rows.start), path)
            return chunks_of(stream.batches, stream.names, wanted, path, rows.start)

        return Table(path, given.schema.names, some, in_memory=True)
    stream = open_stream(given, path)
    return Table(
        path,
        stream.names,
        lambda wanted, rows: chunks_of(stream.batches, stream.names, wanted, path),
        read_once=True,
    )


def chunks_of(
    batches: Iterable[Batch], names: Sequence[str], wanted: Sequence[str], path: str, first: int = 0
) -> Iterator[Chunk]:
    """Yield some columns of batches, batch by batch.

    Parameters
    ----------
    names : of the columns of the batches.
    wanted : those that are yielded, in this order.
    path : what messages call the table.
    first : how many rows of the table come before the first batch.
    """
    for batch in batches:
        columns = (ArrowColumn(path, name, first + 1, batch.columns[names.index(name)]) for name in wanted)
        yield Chunk(first, batch.size, tuple(columns))
        first += batch.size


def _with_pyarrow(given: Any, path: str) -> Stream:
    reader = _reader_of_pyarrow(given)
    dictionaries = _Dictionaries()

    def batches() -> Iterator[Batch]:
        for batch in _failing_as_table(reader, path):
            columns = [_of_pyarrow(column, dictionaries) for column in batch.columns]
            yield Batch(batch.num_rows, columns)

    return Stream(reader.schema.names, batches())


def _reader_of_pyarrow(given: Any) -> Any:
    """Return a reader; what is of pyarrow need not leave it, which some versions do not survive."""
    pyarrow = import_module("pyarrow")
    if isinstance(given, pyarrow.RecordBatch):
        given = pyarrow.Table.from_batches([given])
    if isinstance(given, pyarrow.Table):
        return given.to_reader()
    return given if isinstance(given, pyarrow.RecordBatchReader) else pyarrow.RecordBatchReader.from_stream(given)


def batch_of_pyarrow(batch: Any) -> Batch:
    """Return a record batch of pyarrow."""
    return Batch(batch.num_rows, [_of_pyarrow(column, _Dictionaries()) for column in batch.columns])


def _of_pyarrow(array: Any, dictionaries: _Dictionaries) -> ArrowArray:
    array = getattr(array, "storage", array)  # of a type that extends another
    dictionary = getattr(array, "dictionary", None)
    values = array if dictionary is None else array.indices
    type_name = str(values.type)
    form = _PYARROW_FORMS.get(type_name, "")
    buffers = [_bytes_of(buffer) for buffer in values.buffers()] if form else []
    known = None if dictionary is None else dictionaries.known(_of_pyarrow(dictionary, dictionaries))
    return ArrowArray(form, type_name, len(values), values.offset, buffers, known)


def _with_nanoarrow(given: Any, path: str) -> Stream:
    stream = import_module("nanoarrow").c_array_stream(given)
    children = list(stream.get_schema().children)
    dictionaries = _Dictionaries()

    def batches() -> Iterator[Batch]:
        for batch in _failing_as_table(stream, path):
            view = batch.view()
            columns = []
            for place, child in enumerate(children):
                column = _of_nanoarrow(child, view.child(place), batch, dictionaries)
                columns.append(replace(column, size=view.length, offset=column.offset + view.offset))
            yield Batch(view.length, columns)

    return Stream([child.name for child in children], batches())


def _of_nanoarrow(schema: Any, view: Any, owner: Any, dictionaries: _Dictionaries) -> ArrowArray:
    form = schema.format
    buffers = [_bytes_of(view.buffer(place), owner) for place in range(view.n_buffers)] if form in _FORMS else []
    known = None
    if view.dictionary is not None:
        known = dictionaries.known(_of_nanoarrow(schema.dictionary, view.dictionary, owner, dictionaries))
    type_name = form if form in _FORMS else import_module("nanoarrow").Schema(schema).type.name.lower()
    return ArrowArray(form, type_name, view.length, view.offset, buffers, known)


_FORMS = frozenset(_PYARROW_FORMS.values())


class _Dictionaries:
    """The dictionaries of a stream, which often are the same for all its batches."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], ArrowArray] = {}

    def known(self, dictionary: ArrowArray) -> ArrowArray:
        """Return a dictionary, or an earlier one that lies in the same memory."""
        places = (None if one is None else (one.ctypes.data, one.size) for one in dictionary.buffers)
        return self._known.setdefault((dictionary.form, dictionary.offset, dictionary.size, *places), dictionary)


class _Memory:
    """Memory that belongs to something, for numpy, whose arrays then keep that alive."""

    def __init__(self, memory: ByteArray, owner: Any) -> None:
        self.__array_interface__ = memory.__array_interface__
        self.owner = owner


def _bytes_of(buffer: Any, owner: Any = None) -> ByteArray | None:
    """Return the memory of a buffer; None where there is none.

    Parameters
    ----------
    owner : what must live as long as the memory is in use; None where the buffer sees to it.
    """
    if buffer is None:
        return None
    view = memoryview(buffer)
    if not view.nbytes:
        return None
    memory = np.frombuffer(view, np.uint8)
    return memory if owner is None else np.asarray(_Memory(memory, owner))


def _failing_as_table(batches: Iterable[Any], path: str) -> Iterator[Any]:
    """Yield batches; what a library raises on the way becomes an ArgumentError."""
    remaining = iter(batches)
    while True:
        try:
            batch = next(remaining, None)
        except (TypeError, ValueError, RuntimeError, OSError) as error:
            raise ArgumentError(f"{path}: a table must be readable to its end, but {first_line(error)}") from error
        if batch is None:
            return
        yield batch


def first_line(error: Exception) -> str:
    """Return the first line of what an error of a library says."""
    return str(error).strip().partition("\n")[0] or type(error).__name__

"""Access to the columns of Arrow tables and of Parquet files, with pyarrow."""

from __future__ import annotations

import math
import mmap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from tempfile import TemporaryFile
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.segments import AnyArray, IntArray
from irevalx.errors import ArgumentError, InputError, UnreadableFileError, printable, quote
from irevalx.reading.column_names import RUN, TOPIC, ColumnKind, ColumnSpec, named
from irevalx.reading.grade_rules import real_grades_hint
from irevalx.reading.layout import id_hint, text_hint
from irevalx.reading.sources.columns import RULES, ColumnTable
from irevalx.reading.sources.files import Source

BLOCK_ROWS = 1 << 15
"""The maximum number of rows that are cast together, chosen to fit the CPU cache."""

LINE = "line"
"""The name of the column that contains the 1-based row numbers."""

TYPES: dict[ColumnKind, pa.DataType] = {
    **dict.fromkeys(("names", "words", "labels"), pa.large_string()),
    **dict.fromkeys(("grades", "integers"), pa.int64()),
    **dict.fromkeys(("reals", "levels", "scores", "probabilities"), pa.float64()),
}
"""The Arrow types to which columns of each kind are cast."""

LABELS = pa.dictionary(pa.int32(), pa.large_string())
"""The Arrow type of topics and run names: a dictionary type, because many consecutive rows contain the same name. The
names in a dictionary are distinct."""


class ArrowTable(ColumnTable):
    """A table whose columns are pyarrow arrays."""

    is_arrow: ClassVar[bool] = True
    parts: Callable[[list[Any], int, int | None], Iterator[pa.Table]]
    """A function that yields columns as pyarrow tables, given the names of the columns, the first row, and the row
    after the last row (or None for all further rows). If ``in_memory`` is false, the function yields all rows."""
    in_memory: bool = False  # whether all rows are in memory
    read_once: bool = False  # whether the rows can be read only once

    def batches(self, *specs: ColumnSpec, first: int = 0, last: int | None = None) -> Iterator[pa.RecordBatch]:
        """Yield nonempty batches of the requested columns, cast to their Arrow types and followed by ``LINE``."""
        names = [self.find(spec) for spec in specs]
        schema = schema_of(*specs)
        for part in self.parts(names, first, last):
            for batch in filter(len, part.to_batches(BLOCK_ROWS)):
                columns = [
                    self._labels(column, name, first)
                    if spec in _LABELLED
                    else self._cast(column, spec.kind, name, first)
                    for column, spec, name in zip(batch.columns, specs, names, strict=True)
                ]
                lines = array_of(np.arange(first + 1, first + batch.num_rows + 1))
                yield pa.RecordBatch.from_arrays([*columns, lines], schema=schema)
                first += batch.num_rows

    def check(self, *specs: ColumnSpec) -> None:
        """Raise ArgumentError if a column is missing. If rows are in memory, also check types and missing values."""
        names, first = [self.find(spec) for spec in specs], 0
        for part in self.parts(names, 0, None) if self.in_memory else ():
            for batch in part.to_batches():
                for column, spec, name in zip(batch.columns, specs, names, strict=True):
                    self._refuse_others(_plain(column), spec.kind, name, first)
                first += batch.num_rows

    def read(self, *specs: ColumnSpec) -> tuple[Any, ...]:
        """Return whole columns. Raise ArgumentError if a column is missing or contains an invalid value."""
        rows = pa.Table.from_batches(self.batches(*specs), schema_of(*specs))
        return tuple(map(values_of, rows.columns[: len(specs)]))

    def first_rows(self, *specs: ColumnSpec) -> tuple[Any, ...]:
        """Return the columns of a first block of rows, for checks.

        The columns are empty if rows can be read only once.
        """
        batches = [] if self.read_once else islice(self.batches(*specs), 1)
        rows = pa.Table.from_batches(batches, schema_of(*specs))
        return tuple(map(values_of, rows.columns[: len(specs)]))

    def _labels(self, column: pa.Array, name: Any, first: int) -> pa.Array:
        """Convert a column of names to the type ``LABELS``."""
        column = getattr(column, "storage", column)
        if not pa.types.is_dictionary(column.type) or column.null_count or column.dictionary.null_count:
            return labels_of(self._cast(column, "names", name, first))
        self._refuse_others(column.dictionary, "names", name, first)
        return labels_of(column)

    def _cast(self, column: pa.Array, kind: ColumnKind, name: Any, first: int) -> pa.Array:
        """Cast the values of a column to the Arrow type of ``kind``. ``first`` is the index of the first row."""
        column = _plain(column)
        if kind == "words":
            return pa.array(["" if value is None else str(value) for value in column.to_pylist()], TYPES[kind])
        self._refuse_others(column, kind, name, first)
        if not len(column):
            return pa.nulls(0, TYPES[kind])
        if kind == "labels":
            if pa.types.is_boolean(column.type) or pa.types.is_floating(column.type):
                column = column.cast(pa.float64())  # printing 32-bit numbers would change their values
            return column.cast(TYPES[kind]).fill_null("")
        if kind == "scores" and pa.types.is_decimal(column.type):
            column = column.cast(pa.string())  # only strings are cast to the nearest number
        try:
            return column.cast(TYPES[kind]).fill_null(float("nan")) if column.null_count else column.cast(TYPES[kind])
        except pa.ArrowInvalid:
            values = enumerate(column.to_pylist())
            row = next(row for row, value in values if not (-(2**63) <= value < 2**63 and value == int(value)))
            raise self._wrong(column, kind, name, first, row) from None

    def _refuse_others(self, column: pa.Array, kind: ColumnKind, name: Any, first: int) -> None:
        """Raise ArgumentError if a column has missing values, or a type that cannot be read as ``kind``."""
        if column.null_count and kind not in {"labels", "probabilities", "words"}:
            missing = column.is_null().to_numpy(zero_copy_only=False)
            raise self._wrong(column, kind, name, first, int(missing.argmax()))
        if len(column) > column.null_count and not _fits(column.type, kind):
            present = column.is_valid().to_numpy(zero_copy_only=False)
            raise self._wrong(column, kind, name, first, int(present.argmax()))

    def _wrong(self, column: pa.Array, kind: ColumnKind, name: Any, first: int, row: int) -> ArgumentError:
        """Return the error about the invalid value in row ``row`` of a batch."""
        value = column[row].as_py()
        quoted = quote(value) if isinstance(value, str) else printable(repr(value))
        if isinstance(value, list | dict) or len(quoted) > _LONGEST:
            quoted = f"a value of the type {printable(str(column.type))}"
        hint = real_grades_hint() if kind == "grades" and isinstance(value, float) and math.isfinite(value) else ""
        hint = hint or (id_hint(value) if kind == "names" else text_hint(value))
        if value is None:
            hint = ": the value is missing (null or NaN)"
        return ArgumentError(f"{self.place(name, first + row)} must be {RULES[kind]}, not {quoted}{hint}")


_LABELLED = (TOPIC, RUN)

_LONGEST = 100
"""The maximum length of a value that messages quote, in characters."""


def schema_of(*specs: ColumnSpec) -> pa.Schema:
    """Return the schema of the batches that ``ArrowTable.batches`` yields."""
    types = (LABELS if spec in _LABELLED else TYPES[spec.kind] for spec in specs)
    return pa.schema([*zip((spec.names[0] for spec in specs), types, strict=True), (LINE, pa.int64())])


def array_of(numbers: AnyArray) -> pa.Array:
    """Convert integers to an int64 array. ``pa.array`` is not used, because it imports pandas."""
    return pa.Array.from_buffers(
        pa.int64(), numbers.size, [None, pa.py_buffer(np.ascontiguousarray(numbers, np.int64))]
    )


def numbers_of(array: pa.Array) -> AnyArray:
    """Return a NumPy view of numbers without nulls. ``to_numpy`` is not used, because it imports pandas."""
    kind = np.dtype(array.type.to_pandas_dtype())
    return np.frombuffer(array.buffers()[1] or b"", kind, len(array), kind.itemsize * array.offset)


def names_of(chunks: Sequence[pa.Array]) -> Names:
    """Copy the strings of large_string arrays without nulls to ``Names``."""
    padding = np.zeros(PADDING, np.uint8)
    pieces, starts, lengths, end = [padding], [np.empty(0, np.int64)], [np.empty(0, np.int64)], PADDING
    for strings in chunks:
        _, offsets, data = strings.buffers()
        bounds = np.frombuffer(offsets or bytes(8), np.int64, len(strings) + 1, 8 * strings.offset)
        first, last = bounds[[0, -1]].tolist()
        pieces.append(np.frombuffer(data or b"", np.uint8)[first:last])
        starts.append(bounds[:-1] + (end - first))
        lengths.append(np.diff(bounds))
        end += last - first
    return Names(np.concatenate((*pieces, padding)), np.concatenate(starts), np.concatenate(lengths))


def numbered(chunks: Iterable[pa.Array]) -> tuple[tuple[bytes, ...], AnyArray, IntArray]:
    """Return the distinct names in dictionary arrays, and the code and length of each sequence of equal rows.

    The code is the index of the name among the distinct names.
    """
    labels = list(chunks)
    runs = [pc.run_end_encode(chunk.indices) for chunk in labels]
    of_runs = [
        pa.DictionaryArray.from_arrays(encoded.values, chunk.dictionary)
        for chunk, encoded in zip(labels, runs, strict=True)
    ]
    joined = pa.chunked_array([pa.nulls(0, LABELS), *of_runs]).unify_dictionaries()
    places = pa.chunked_array([encoded.indices for encoded in joined.chunks]).combine_chunks().dictionary_encode()
    names = joined.chunk(0).dictionary.take(places.dictionary).cast(pa.large_binary()).to_pylist()
    lengths = [np.diff(numbers_of(encoded.run_ends), prepend=0) for encoded in runs]
    return tuple(names), numbers_of(places.indices), np.concatenate([np.empty(0, np.int64), *lengths])


def labels_of(names: pa.Array) -> pa.Array:
    """Convert strings, plain or dictionary-encoded, to the type ``LABELS``. Unused names are removed."""
    if pa.types.is_dictionary(names.type):
        runs = pc.run_end_encode(names.indices)
        of_runs = names.dictionary.take(runs.values).cast(TYPES["names"])
    else:
        runs = pc.run_end_encode(names.cast(TYPES["names"]))
        of_runs = runs.values
    coded = of_runs.dictionary_encode()
    indices = numbers_of(coded.indices).repeat(np.diff(numbers_of(runs.run_ends), prepend=0))
    codes = pa.Array.from_buffers(pa.int32(), indices.size, [None, pa.py_buffer(indices)])
    return pa.DictionaryArray.from_arrays(codes, coded.dictionary)


def values_of(column: pa.ChunkedArray) -> Any:
    """Convert a column without nulls to ``Names`` or to a NumPy array."""
    if column.type in {TYPES["names"], LABELS}:
        return names_of(column.cast(TYPES["names"]).chunks)
    return np.concatenate([numbers_of(chunk) for chunk in (*column.chunks, pa.nulls(0, column.type))])


def _plain(column: pa.Array) -> pa.Array:
    """Convert an array with a dictionary encoding or an extension type to a plain array."""
    column = getattr(column, "storage", column)
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _fits(kind_of_values: pa.DataType, kind: ColumnKind) -> bool:
    """Return whether a column of an Arrow type can be cast to ``kind``. Single values are checked by the cast."""
    types = pa.types
    if types.is_integer(kind_of_values) or kind == "words":
        return True
    if types.is_boolean(kind_of_values):
        return kind in {"grades", "reals", "labels"}
    is_string = types.is_string(kind_of_values) or types.is_large_string(kind_of_values)
    if kind == "labels" and (is_string or types.is_string_view(kind_of_values)):
        return True
    if kind != "names":
        return bool(types.is_floating(kind_of_values) or types.is_decimal(kind_of_values))
    is_whole = types.is_decimal(kind_of_values) and kind_of_values.scale == 0
    return bool(is_whole or is_string or types.is_string_view(kind_of_values))


def table_of_arrow(given: pa.Table, path: str) -> ArrowTable:
    """Convert a pyarrow table to an ``ArrowTable``."""

    def parts(names: list[Any], first: int, last: int | None) -> Iterator[pa.Table]:
        yield given.select(names).slice(first, None if last is None else last - first)

    return ArrowTable(path, given.column_names, parts, in_memory=True)


def table_of_stream(given: Any, path: str) -> ArrowTable:
    """Convert an object with an Arrow C stream to a table.

    A source other than a pyarrow table can be read only once.
    """
    if isinstance(given, pa.RecordBatch):
        given = pa.Table.from_batches([given])
    if isinstance(given, pa.Table):
        return table_of_arrow(given, path)
    try:
        is_reader = isinstance(given, pa.RecordBatchReader)
        reader = given if is_reader else pa.RecordBatchReader.from_stream(given)
    except (pa.ArrowException, TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        raise ArgumentError(f"{path}: cannot read the Arrow stream of the table: {first_line(error)}") from error

    def parts(names: list[Any], first: int, last: int | None) -> Iterator[pa.Table]:
        while (batch := _next(reader, path)) is not None:  # a batch without rows is falsy
            yield pa.Table.from_batches([batch]).select(names)

    return ArrowTable(path, reader.schema.names, parts, read_once=True)


def _next(reader: Any, path: str) -> Any:
    """Return the next batch, or None at the end of the stream. Errors of the reader are converted to ArgumentError."""
    try:
        return next(reader, None)
    except (pa.ArrowException, TypeError, ValueError, RuntimeError, OSError) as error:
        raise ArgumentError(f"{path}: cannot read the table to its end: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """Return the first line of a library's error message, with unprintable characters escaped."""
    return printable(str(error).strip().partition("\n")[0]) or type(error).__name__


_BUFFER_SIZE = 1 << 16
"""The number of bytes of a compressed column that are read at a time."""


def table_of_parquet(source: Source) -> ArrowTable:
    """Return a Parquet file as a table. Each access reads the file, and raises UnreadableFileError if it is damaged."""
    file = source.path if source.is_plain_file else _copy(source)
    with _failing_as_file(source):
        names = pa.parquet.read_schema(file).names
    few = [*named(TOPIC, names), *named(RUN, names)]  # columns with few distinct values

    def parts(columns: list[Any], first: int, last: int | None) -> Iterator[pa.Table]:
        with (
            _failing_as_file(source),
            # Buffering in advance would keep the whole file in memory and is useful only for remote files. Without a
            # buffer size, each column of a row group would be read as a whole.
            pa.parquet.ParquetFile(file, read_dictionary=few, pre_buffer=False, buffer_size=_BUFFER_SIZE) as opened,
        ):
            for batch in opened.iter_batches(BLOCK_ROWS, columns=columns, use_threads=False):
                yield pa.Table.from_batches([batch]).select(columns)

    return ArrowTable(source.path, names, parts)


def _copy(source: Source) -> pa.Buffer:
    """Copy a source to a temporary file, and return the memory-mapped content as a buffer."""
    with TemporaryFile() as file:
        for chunk in source.chunks(text=False):
            file.write(chunk)
        file.flush()
        return pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


@contextmanager
def _failing_as_file(source: Source) -> Iterator[None]:
    """Return a context in which all errors except InputError are converted to UnreadableFileError."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise UnreadableFileError(f"cannot read {quote(source.path)}: {first_line(error)}") from error

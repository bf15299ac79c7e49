"""Tables whose columns are arrays of pyarrow, which casts them to what is read. This module needs pyarrow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.segments import AnyArray, IntArray
from irevalx.errors import ArgumentError, printable, quote
from irevalx.reading.column_names import RUN, TOPIC, Kind, Wanted
from irevalx.reading.grade_rules import real_grades_hint
from irevalx.reading.hints import text_hint
from irevalx.reading.tables.tables import RULES, Table

BLOCK_ROWS = 1 << 15
"""The most rows that are cast together, so that what is made of them stays in the processor's cache."""

LINE = "line"
"""The column that has the 1-based numbers of rows."""

TYPES: dict[Kind, pa.DataType] = {
    "names": pa.large_string(),
    "grades": pa.int64(),
    "scores": pa.float64(),
    "probabilities": pa.float64(),
}
"""The types that columns are cast to."""

LABELS = pa.dictionary(pa.int32(), pa.large_string())
"""The type that topics and runs get, which stand in many rows on end; each dictionary has a name once."""


class ArrowTable(Table):
    """A table whose columns are arrays of pyarrow.

    Parameters
    ----------
    parts : returns the rows of some columns, given by name, from a row on and before another one (None: to the end), as
        tables of pyarrow. Where ``in_memory`` is false these are all rows, whatever is asked for.
    in_memory : whether any rows are at hand at any time.
    read_once : whether rows may be gone through only once, all of them.
    """

    parts: Callable[[list[Any], int, int | None], Iterator[pa.Table]]
    in_memory: bool = False
    read_once: bool = False

    def batches(self, *wanted: Wanted, first: int = 0, last: int | None = None) -> Iterator[pa.RecordBatch]:
        """Yield rows, some at a time: columns of the types that their kinds have, or ``LABELS``, and ``LINE``.

        A column is called by the first of the names that it may have.

        Parameters
        ----------
        first, last : of what is in memory, rows from one on and before another one; counted from 0.

        Raises
        ------
        ArgumentError : a column is not there, or what is in it is wrong.
        """
        names = [self.find(one) for one in wanted]
        schema = schema_of(*wanted)
        for part in self.parts(names, first, last):
            for batch in part.to_batches(BLOCK_ROWS):
                columns = [
                    self._labels(column, name, first) if one in _LABELLED else self._cast(column, one.kind, name, first)
                    for column, one, name in zip(batch.columns, wanted, names, strict=True)
                ]
                lines = array_of(np.arange(first + 1, first + batch.num_rows + 1))
                yield pa.RecordBatch.from_arrays([*columns, lines], schema=schema)
                first += batch.num_rows

    def check(self, *wanted: Wanted) -> None:
        """Look for columns, and in what is in memory at their types and for missing values.

        Raises
        ------
        ArgumentError : a column is not there, or what is in it is wrong.
        """
        names, first = [self.find(one) for one in wanted], 0
        for part in self.parts(names, 0, None) if self.in_memory else ():
            for batch in part.to_batches():
                for column, one, name in zip(batch.columns, wanted, names, strict=True):
                    self._refuse_others(_plain(column), one.kind, name, first)
                first += batch.num_rows

    def read(self, *wanted: Wanted) -> tuple[Any, ...]:
        """Return whole columns; ArgumentError where one is not there, or what is in it is wrong."""
        rows = pa.Table.from_batches(self.batches(*wanted), schema_of(*wanted))
        return tuple(map(values_of, rows.columns[: len(wanted)]))

    def _labels(self, column: pa.Array, name: Any, first: int) -> pa.Array:
        """Return names as ``LABELS``."""
        column = getattr(column, "storage", column)
        if not pa.types.is_dictionary(column.type) or column.null_count or column.dictionary.null_count:
            return labels_of(self._cast(column, "names", name, first))
        self._refuse_others(column.dictionary, "names", name, first)
        return labels_of(column)

    def _cast(self, column: pa.Array, kind: Kind, name: Any, first: int) -> pa.Array:
        """Return values of the type that a kind has.

        Parameters
        ----------
        first : the number of the first row, counted from 0.
        """
        column = _plain(column)
        self._refuse_others(column, kind, name, first)
        if not len(column):
            return pa.nulls(0, TYPES[kind])
        if kind == "scores" and pa.types.is_decimal(column.type):
            column = column.cast(pa.string())  # which is cast to the nearest number, other than a decimal
        try:
            return column.cast(TYPES[kind]).fill_null(float("nan")) if column.null_count else column.cast(TYPES[kind])
        except pa.ArrowInvalid:
            wrong = (row for row, value in enumerate(column.to_pylist()) if not _is_whole(value))
            raise self._wrong(column, kind, name, first, next(wrong)) from None

    def _refuse_others(self, column: pa.Array, kind: Kind, name: Any, first: int) -> None:
        """Refuse a column of another type, and values that are missing."""
        if column.null_count and kind != "probabilities":
            missing = column.is_null().to_numpy(zero_copy_only=False)
            raise self._wrong(column, kind, name, first, int(missing.argmax()))
        if len(column) > column.null_count and not _fits(column.type, kind):
            present = column.is_valid().to_numpy(zero_copy_only=False)
            raise self._wrong(column, kind, name, first, int(present.argmax()))

    def _wrong(self, column: pa.Array, kind: Kind, name: Any, first: int, row: int) -> ArgumentError:
        """Build the error about the value in a row."""
        value = column[row].as_py()
        shown = quote(value) if isinstance(value, str) else printable(repr(value))
        if isinstance(value, list | dict) or len(shown) > _LONGEST:
            shown = f"a value of the type {printable(str(column.type))}"
        hint = real_grades_hint() if kind == "grades" and isinstance(value, float) and math.isfinite(value) else ""
        hint = hint if kind == "names" or hint else text_hint(value)
        return ArgumentError(f"{self.place(name, first + row)} must be {RULES[kind]}, but got {shown}{hint}")


_LABELLED = (TOPIC, RUN)

_LONGEST = 100
"""Characters of the longest value that messages show."""


def schema_of(*wanted: Wanted) -> pa.Schema:
    """Return the types of the columns that ``batches`` yields."""
    types = (LABELS if one in _LABELLED else TYPES[one.kind] for one in wanted)
    return pa.schema([*zip((one.names[0] for one in wanted), types, strict=True), (LINE, pa.int64())])


def array_of(numbers: AnyArray) -> pa.Array:
    """Return whole numbers as an array of 64 bits (and without pandas, which ``pa.array`` imports)."""
    return pa.Array.from_buffers(
        pa.int64(), numbers.size, [None, pa.py_buffer(np.ascontiguousarray(numbers, np.int64))]
    )


def numbers_of(array: pa.Array) -> AnyArray:
    """Return an array of numbers without nulls, without a copy (and without pandas, which ``to_numpy`` imports)."""
    kind = np.dtype(array.type.to_pandas_dtype())
    return np.frombuffer(array.buffers()[1] or b"", kind, len(array), kind.itemsize * array.offset)


def names_of(chunks: Sequence[pa.Array]) -> Names:
    """Return the strings of arrays of the type large_string, without nulls, as names."""
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
    """Return different names, and what stands where.

    Parameters
    ----------
    chunks : the names of rows, of the type ``LABELS``.

    Returns
    -------
    names : each once, in the order of their first rows.
    codes : of rows on end that have the same name, its place in ``names``.
    lengths : how many rows these are.
    """
    labels = list(chunks)
    runs = [pc.run_end_encode(chunk.indices) for chunk in labels]
    of_runs = [
        pa.DictionaryArray.from_arrays(one.values, chunk.dictionary) for chunk, one in zip(labels, runs, strict=True)
    ]
    joined = pa.chunked_array([pa.nulls(0, LABELS), *of_runs]).unify_dictionaries()
    places = pa.chunked_array([one.indices for one in joined.chunks]).combine_chunks().dictionary_encode()
    names = joined.chunk(0).dictionary.take(places.dictionary).cast(pa.large_binary()).to_pylist()
    lengths = [np.diff(numbers_of(one.run_ends), prepend=0) for one in runs]
    return tuple(names), numbers_of(places.indices), np.concatenate([np.empty(0, np.int64), *lengths])


def labels_of(names: pa.Array) -> pa.Array:
    """Return strings, or a dictionary of them, as ``LABELS``: the dictionary has the names of these rows, each once."""
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
    """Return a column without nulls as names or numbers."""
    if column.type in {TYPES["names"], LABELS}:
        return names_of(column.cast(TYPES["names"]).chunks)
    return np.concatenate([numbers_of(chunk) for chunk in (*column.chunks, pa.nulls(0, column.type))])


def _plain(column: pa.Array) -> pa.Array:
    """Return an array without a dictionary, and of no type that extends another."""
    column = getattr(column, "storage", column)
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _fits(kind_of_values: pa.DataType, kind: Kind) -> bool:
    """Return whether a type can be read as a kind; whether each value can, the cast says."""
    types = pa.types
    if types.is_integer(kind_of_values):
        return True
    if kind != "names":
        return bool(types.is_floating(kind_of_values) or types.is_decimal(kind_of_values))
    is_whole = types.is_decimal(kind_of_values) and kind_of_values.scale == 0
    is_string = types.is_string(kind_of_values) or types.is_large_string(kind_of_values)
    return bool(is_whole or is_string or types.is_string_view(kind_of_values))


def _is_whole(value: Any) -> bool:
    return bool(-(2**63) <= value < 2**63 and value == int(value))


def table_of_arrow(given: pa.Table, path: str) -> ArrowTable:
    """Return a table of pyarrow as a table."""

    def parts(names: list[Any], first: int, last: int | None) -> Iterator[pa.Table]:
        yield given.select(names).slice(first, None if last is None else last - first)

    return ArrowTable(path, given.column_names, parts, in_memory=True)


def table_of_stream(given: Any, path: str) -> ArrowTable:
    """Return what offers Arrow's C stream as a table: in memory if it is of pyarrow, or else to be read once.

    Parameters
    ----------
    path : what messages call it.

    Raises
    ------
    ArgumentError : it cannot be opened.
    """
    if isinstance(given, pa.RecordBatch):
        given = pa.Table.from_batches([given])
    if isinstance(given, pa.Table):
        return table_of_arrow(given, path)
    try:
        is_reader = isinstance(given, pa.RecordBatchReader)
        reader = given if is_reader else pa.RecordBatchReader.from_stream(given)
    except (pa.ArrowException, TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        raise ArgumentError(f"{path}: a table must offer an Arrow stream, but {first_line(error)}") from error

    def parts(names: list[Any], first: int, last: int | None) -> Iterator[pa.Table]:
        while batch := _next(reader, path):
            yield pa.Table.from_batches([batch]).select(names)

    return ArrowTable(path, reader.schema.names, parts, read_once=True)


def _next(reader: Any, path: str) -> Any:
    """Return the next batch, None after the last; what is raised on the way becomes an ArgumentError."""
    try:
        return next(reader, None)
    except (pa.ArrowException, TypeError, ValueError, RuntimeError, OSError) as error:
        raise ArgumentError(f"{path}: a table must be readable to its end, but {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """Return the first line of what an error of a library says, ready to be shown."""
    return printable(str(error).strip().partition("\n")[0]) or type(error).__name__

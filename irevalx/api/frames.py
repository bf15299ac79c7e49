"""Tables of Python programs: data frames, whatever offers Arrow's C stream, and iterables of named tuples.

A table is read by its columns, which may stand in any order beside others. Arrow's stream is taken where there is one
and a library that reads it; otherwise columns are taken as arrays, and as lists where these are of several types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from irevalx.api.checks import shown, wrong
from irevalx.api.python_values import grades_of, names_of, scores_of
from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import ArgumentError
from irevalx.frozen import cached_property, replace
from irevalx.reading.tables.arrow_arrays import ArrowArray, array_of_numpy
from irevalx.reading.tables.arrow_columns import ArrowColumn
from irevalx.reading.tables.arrow_streams import chunks_of, consumer, has_stream, open_stream, table_of_stream
from irevalx.reading.tables.column_names import ALL_NAMES, Kind
from irevalx.reading.tables.tables import NOT_MISSING, SCORE_RULE, Chunk, Table, TableColumn

SLICE_ROWS = 1 << 18
"""So many rows of a data frame are converted together."""


class ListColumn(TableColumn):
    """A column of Python's values, converted once.

    Parameters
    ----------
    values : one a row.
    missing : whether each value is missing, where the table has a notion of that; None where only None is.
    """

    values: list[Any]
    missing: Sequence[bool] | None = None

    def check(self, kind: Kind) -> None:
        """Convert all values; ArgumentError where one is not what it must be."""
        getattr(self, kind)(slice(0, 0))

    def names(self, rows: slice) -> Names:
        """Return ids as bytes; ArgumentError where one is neither a string nor a whole number."""
        return self.all_names.take(rows)

    def grades(self, rows: slice) -> IntArray:
        """Return whole numbers; ArgumentError where one is missing or none."""
        return self.all_grades[rows]

    def scores(self, rows: slice) -> FloatArray:
        """Return numbers; ArgumentError where one is missing or none."""
        return self.all_scores[rows]

    def probabilities(self, rows: slice) -> FloatArray:
        """Return numbers, nan where one is missing or NA; ArgumentError where one is none."""
        known = [float("nan") if one is None or one == "NA" else one for one in self.values]
        return scores_of([known], self.place)[rows]

    @cached_property
    def all_names(self) -> Names:
        """The ids of all rows."""
        return names_of([self.values], self.place)[0]

    @cached_property
    def all_grades(self) -> IntArray:
        """The whole numbers of all rows."""
        return grades_of([self.values], self.place)

    @cached_property
    def all_scores(self) -> FloatArray:
        """The numbers of all rows."""
        if self.missing is not None and any(self.missing):
            row = list(self.missing).index(True)
            raise wrong(self.place(row), f"{SCORE_RULE} {NOT_MISSING}", self.values[row])
        return scores_of([self.values], self.place)


def table_of_frame(frame: Any, path: str) -> Table:
    """Return a data frame, or what offers Arrow's C stream, as a table; a polars LazyFrame is collected first.

    Parameters
    ----------
    path : what messages call it.

    Raises
    ------
    ArgumentError : it is a stream that cannot be read.
    """
    if _is_lazy(frame):
        names = frame.collect_schema().names()
        frame = frame.select([name for name in names if name in ALL_NAMES]).collect()
        return replace(_sliced_table(frame, _slice_of_polars, path), names=names)
    slice_of = _slice_of_pandas if hasattr(frame, "iloc") else _slice_of_polars if hasattr(frame, "lazy") else None
    if slice_of:
        return _sliced_table(frame, slice_of, path)
    can_list = hasattr(frame, "columns") or hasattr(frame, "column_names")
    if has_stream(frame) and (consumer() or not can_list):
        return table_of_stream(frame, path)
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    return _listed_table(path, names, lambda name: frame[name])


def table_of_records(first: Any, others: Iterable[Any], path: str) -> Table:
    """Return named tuples, such as ir_measures' ``Qrel`` and ``ScoredDoc``, as a table.

    Parameters
    ----------
    first : the first of them, which names the columns.
    path : what messages call them.
    """
    records = list(chain([first], others))
    return _listed_table(path, list(first._fields), lambda name: [getattr(record, name) for record in records])


def _listed_table(path: str, names: list[Any], read: Callable[[Any], Any]) -> Table:
    """Return a table whose columns are taken as a whole, and kept.

    Parameters
    ----------
    read : reads the column with a name; raises whatever it likes.
    """
    kept: dict[Any, tuple[int, TableColumn]] = {}

    def chunks(wanted: Sequence[Any], rows: slice) -> Iterator[Chunk]:
        for name in wanted:
            if name not in kept:
                kept[name] = _column(path, name, 1, read)
        sizes = [kept[name][0] for name in wanted]
        if len(set(sizes)) > 1:
            raise ArgumentError(f"{path}: the columns of a table must have the same length, but got {sizes}")
        yield Chunk(0, sizes[0], tuple(kept[name][1] for name in wanted))

    return Table(path, names, chunks, in_memory=True)


def _sliced_table(frame: Any, slice_of: Callable[[Any, list[Any], int], Any], path: str) -> Table:
    """Return a frame of which some rows at a time are converted, so that there is no second one in memory.

    Parameters
    ----------
    slice_of : returns some columns of the rows from a number on, ``SLICE_ROWS`` at most.
    """
    streamed = has_stream(frame) and consumer()

    def chunks(wanted: Sequence[Any], rows: slice) -> Iterator[Chunk]:
        first, end, _ = rows.indices(len(frame))
        for start in range(first, end, SLICE_ROWS):
            some = slice_of(frame, list(wanted), start)
            yield from (streamed and _streamed(some, start)) or _listed(some, start)

    def _streamed(some: Any, start: int) -> list[Chunk]:
        # In pandas nan stands for what is missing; lists can say which it was.
        if hasattr(some, "isna") and some.isna().to_numpy().any():
            return []
        try:
            stream = open_stream(some, path)
        except ArgumentError:  # values of several types in a column, of which lists can say where they are
            return []
        return list(chunks_of(stream.batches, stream.names, list(some.columns), path, start))

    def _listed(some: Any, start: int) -> list[Chunk]:
        columns = (_column(path, name, start + 1, some.__getitem__)[1] for name in some.columns)
        return [Chunk(start, len(some), tuple(columns))]

    return Table(path, list(frame.columns), chunks, in_memory=True)


def _slice_of_pandas(frame: Any, names: list[Any], start: int) -> Any:
    return frame.iloc[start : start + SLICE_ROWS][names].reset_index(drop=True)


def _slice_of_polars(frame: Any, names: list[Any], start: int) -> Any:
    return frame.select(names).slice(start, SLICE_ROWS)


def _column(path: str, name: Any, first_row: int, read: Callable[[Any], Any]) -> tuple[int, TableColumn]:
    """Return the length of a column, and it: an array where nothing is missing and all is of one type, else a list.

    Raises
    ------
    ArgumentError : it cannot be read.
    """
    try:
        column = read(name)
        if hasattr(column, "fetchnumpy"):  # of DuckDB
            [column] = column.fetchnumpy().values()
        missing = column.isna().tolist() if hasattr(column, "isna") else None
        is_complete = not any(missing) if missing else not (hasattr(column, "null_count") and column.null_count())
        if is_complete and (array := _array(column)) is not None:
            return array.size, ArrowColumn(path, name, first_row, array)
        values = _as_list(column)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ArgumentError(f"{path}: column {shown(name)} must be a list of values, but {error}") from error
    return len(values), ListColumn(path, name, first_row, values, missing)


def _array(column: Any) -> ArrowArray | None:
    """Return a column as an array of numbers or strings; None where it is none."""
    values = column.to_numpy() if hasattr(column, "to_numpy") else column
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return None
    try:
        array = array_of_numpy(values)
    except (TypeError, ValueError):
        return None
    return array if array.form else None


def _as_list(column: Any) -> list[Any]:
    ways = (getattr(column, way, None) for way in ("to_list", "to_pylist", "tolist"))
    to_list = next(filter(None, ways), None)
    return list(column) if to_list is None else list(to_list())


def _is_lazy(given: Any) -> bool:
    """Return whether a frame has columns only once it is collected; polars warns of asking earlier."""
    return hasattr(given, "lazy") and hasattr(given, "collect")

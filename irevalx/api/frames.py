"""Tables in Python: data frames, Arrow C streams, dictionaries of columns, and named tuples.

Columns can be in any order, among others. With pyarrow, frames and streams are read through it; other columns, and
those of frames without pyarrow, are converted to lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any

from irevalx.api.python_values import grades_of, names_of, scores_of
from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import AnyArray
from irevalx.errors import ArgumentError, not_installed, printable
from irevalx.frozen import replace
from irevalx.parameters import short_repr
from irevalx.reading.column_names import DOCNO, TOPIC, ColumnKind, known_columns, named
from irevalx.reading.tables.tables import ColumnTable, WholeTable

if TYPE_CHECKING:
    import pyarrow as pa

_SLICE_ROWS = 1 << 16
"""Number of rows of a data frame that are converted together, so that memory does not hold a second copy."""


def table_of_frame(frame: Any, path: str) -> ColumnTable:
    """Return a data frame or an object with an Arrow C stream as a table; a polars LazyFrame is collected first."""
    if hasattr(frame, "lazy") and hasattr(frame, "collect"):
        names = frame.collect_schema().names()
        return replace(table_of_frame(frame.select(known_columns(names)).collect(), path), names=names)
    has_pyarrow = find_spec("pyarrow") is not None
    slice_of = _slice_of_pandas if hasattr(frame, "iloc") else _slice_of_polars if hasattr(frame, "lazy") else None
    if slice_of and has_pyarrow:
        return _table_of_slices(frame, slice_of, path)
    if slice_of or not hasattr(frame, "__arrow_c_stream__"):
        names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
        return table_of_lists(path, names, frame.__getitem__)
    if not has_pyarrow:
        raise ArgumentError(f"{path}: a table of this kind needs {not_installed('pyarrow', 'arrow')}")
    from irevalx.reading.tables.arrow_tables import table_of_stream

    return table_of_stream(frame, path)


def are_columns(given: Mapping[Any, Any]) -> bool:
    """Return whether this is ``{name: values}`` with columns for topic and docno."""
    columns = [given[name] for spec in (TOPIC, DOCNO) for name in named(spec, list(given))[:1]]
    return len(columns) == 2 and all(map(_is_column, columns))


def _is_column(values: Any) -> bool:
    """Return whether this is a list or an array of values, rather than one of files, tables or named tuples."""
    if isinstance(values, str | bytes | Mapping) or hasattr(values, "columns") or not hasattr(values, "__len__"):
        return False
    return isinstance(values, Iterable) and not isinstance(next(iter(values), ""), tuple)


def table_of_records(first: Any, others: Iterable[Any], path: str) -> ColumnTable:
    """Return named tuples, such as ir_measures' ``Qrel``, as a table; the first one names the columns."""
    records = list(chain([first], others))
    return table_of_lists(path, list(first._fields), lambda name: [getattr(record, name) for record in records])


def _table_of_slices(frame: Any, slice_of: Callable[[Any, list[Any], int, int], pa.Table], path: str) -> ColumnTable:
    """Return a data frame as a table whose rows are converted to pyarrow some at a time.

    ``slice_of`` converts columns of the rows from one number to another (exclusive).
    """
    import pyarrow as pa

    from irevalx.reading.tables.arrow_tables import ArrowTable

    def parts(names: list[Any], first: int, last: int | None) -> Iterator[pa.Table]:
        last = len(frame) if last is None else last
        for start in range(first, last, _SLICE_ROWS):
            yield slice_of(frame, names, start, min(start + _SLICE_ROWS, last))

    names = list(frame.columns)
    objects = [name for name in known_columns(names) if str(getattr(frame[name], "dtype", "")).lower() == "object"]
    try:
        for _ in parts(objects, 0, None) if objects else ():
            pass
    except (
        pa.ArrowException,
        TypeError,
        ValueError,
        OverflowError,
    ):  # values of several types in a column, which lists can contain
        return table_of_lists(path, names, frame.__getitem__)
    return ArrowTable(path, names, parts, in_memory=True)


def _slice_of_pandas(frame: Any, names: list[Any], first: int, last: int) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_pandas(frame[names].iloc[first:last], preserve_index=False)


def _slice_of_polars(frame: Any, names: list[Any], first: int, last: int) -> pa.Table:
    return frame.select(names).slice(first, last - first).to_arrow()


def table_of_lists(path: str, names: list[Any], read: Callable[[Any], Any]) -> WholeTable:
    """Return a table whose columns, returned by ``read`` by name, are converted to lists."""
    table = WholeTable(path, names, lambda name, kind: _converted(_as_list(path, name, read), kind, place(name)))

    def place(name: Any) -> Callable[[int], str]:
        return partial(table.place, name)

    return table


def _as_list(path: str, name: Any, read: Callable[[Any], Any]) -> list[Any]:
    """Return a column as a list, with None for missing values of pandas; ArgumentError if it cannot be read."""
    try:
        column = read(name)
        ways = (getattr(column, way, None) for way in ("to_list", "to_pylist", "tolist"))
        to_list = next(filter(None, ways), None)
        values = list(column) if to_list is None else list(to_list())
        missing = column.isna().tolist() if hasattr(column, "isna") else ()
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ArgumentError(
            f"{path}: column {short_repr(name)} must be a list of values, but {printable(str(error))}"
        ) from error
    return [None if gone else value for value, gone in zip(values, missing, strict=True)] if any(missing) else values


def _converted(values: list[Any], kind: ColumnKind, place: Callable[[int], str]) -> Names | AnyArray:
    """Return a list converted to its kind; missing probabilities (None, NA) are nan."""
    if kind == "names":
        return names_of([values], place)[0]
    if kind == "grades":
        return grades_of([values], place)
    if kind == "probabilities":
        values = [float("nan") if value is None or value == "NA" else value for value in values]
    return scores_of([values], place)

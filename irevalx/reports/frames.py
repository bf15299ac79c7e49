"""Tables as pandas and polars data frames and as Arrow tables. Each package is imported when it is used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from irevalx.errors import imported

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Rows: TypeAlias = "Sequence[Sequence[Any]] | Sequence[Mapping[str, Any]]"
"""The cells of each row, as a sequence or as a dictionary from column to cell. If a column is not in a dictionary, the
cell is empty."""


def pandas_frame(rows: Rows, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Convert rows to a pandas data frame. ``columns`` is required unless the rows are dictionaries."""
    pandas = imported("pandas", "pandas", "to_frame")
    frame: pd.DataFrame = pandas.DataFrame(list(rows), columns=None if columns is None else list(columns))
    return frame


def polars_frame(rows: Rows, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Convert rows to a polars data frame."""
    polars = imported("polars", "polars", "to_polars")
    frame: pl.DataFrame = polars.DataFrame(
        [
            polars.Series(name, cells, getattr(polars, _TYPES[kind][0]))
            for name, kind, cells in _typed_columns(rows, columns)
        ]
    )
    return frame


def arrow_table(rows: Rows, columns: Sequence[str] | None = None) -> pa.Table:
    """Convert rows to a pyarrow table."""
    arrow = imported("pyarrow", "arrow", "to_arrow")
    typed = _typed_columns(rows, columns)
    arrays = [arrow.array(cells, getattr(arrow, _TYPES[kind][1])()) for _, kind, cells in typed]
    return arrow.Table.from_arrays(arrays, names=[name for name, _, _ in typed])


def _typed_columns(rows: Rows, columns: Sequence[str] | None) -> list[tuple[str, type | None, list[Any]]]:
    """Return the name, the type and the cells of each column. NaN becomes None.

    If a column contains no values, its type is None.
    """
    if columns is None:
        columns = list(dict.fromkeys(name for row in rows for name in row))
        rows = [[row.get(name) for name in columns] for row in rows if isinstance(row, Mapping)]
    cells_of = zip(*rows, strict=True) if rows else [()] * len(columns)
    return [(name, *_in_one_type(cells)) for name, cells in zip(columns, cells_of, strict=True)]


_TYPES: dict[type | None, tuple[str, str]] = {
    bool: ("Boolean", "bool_"),  # before int, because a bool is also an int
    int: ("Int64", "int64"),
    float: ("Float64", "float64"),
    str: ("String", "string"),
    None: ("Null", "null"),
}
"""The polars type and the pyarrow type for each Python type of values. None is the type of a column without values."""


def _in_one_type(cells: Sequence[Any]) -> tuple[type | None, list[Any]]:
    """Convert the values of a column to a common type. Integers can become floats, and mixed types strings."""
    known = [cell for cell in cells if cell is not None]
    kinds = {next((kind for kind in _TYPES if kind and isinstance(cell, kind)), str) for cell in known}
    if not kinds:
        return None, list(cells)
    kind = float if kinds == {int, float} else kinds.pop() if len(kinds) == 1 else str
    values = [cell if cell is None else kind(cell) for cell in cells]
    if kind is float:
        return kind, [None if value is None or math.isnan(value) else value for value in values]
    if kind is str:  # bytes that are not UTF-8 are escaped
        return kind, [None if text is None else text.encode("utf-8", "backslashreplace").decode() for text in values]
    return kind, values

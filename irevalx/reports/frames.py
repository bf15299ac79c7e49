"""Tables as data frames of pandas and polars, and as Arrow tables; each package is imported when it is used."""

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
"""The cells of each row, in order or by column; rows by column can lack columns."""


def pandas_frame(rows: Rows, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Return rows as a data frame of pandas; ``columns`` are needed unless cells are by column."""
    pandas = imported("pandas", "pandas", "to_frame")
    frame: pd.DataFrame = pandas.DataFrame(list(rows), columns=None if columns is None else list(columns))
    return frame


def polars_frame(rows: Rows, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return rows as a data frame of polars."""
    polars = imported("polars", "polars", "to_polars")
    types: dict[type | None, Any] = {
        int: polars.Int64,
        float: polars.Float64,
        bool: polars.Boolean,
        str: polars.String,
        None: polars.Null,
    }
    frame: pl.DataFrame = polars.DataFrame(
        [polars.Series(name, cells, types[kind]) for name, kind, cells in _typed_columns(rows, columns)]
    )
    return frame


def arrow_table(rows: Rows, columns: Sequence[str] | None = None) -> pa.Table:
    """Return rows as a table of pyarrow."""
    arrow = imported("pyarrow", "arrow", "to_arrow")
    types: dict[type | None, Any] = {
        int: arrow.int64(),
        float: arrow.float64(),
        bool: arrow.bool_(),
        str: arrow.string(),
        None: arrow.null(),
    }
    typed = _typed_columns(rows, columns)
    return arrow.Table.from_arrays(
        [arrow.array(cells, types[kind]) for _, kind, cells in typed], names=[name for name, _, _ in typed]
    )


def _typed_columns(rows: Rows, columns: Sequence[str] | None) -> list[tuple[str, type | None, list[Any]]]:
    """Return, for each column, its name, the type of its values (None without values) and its cells (None for nan)."""
    if columns is None:
        columns = list(dict.fromkeys(name for row in rows for name in row))
        rows = [[row.get(name) for name in columns] for row in rows if isinstance(row, Mapping)]
    cells_of = zip(*rows, strict=True) if rows else [()] * len(columns)
    return [(name, *_in_one_type(cells)) for name, cells in zip(columns, cells_of, strict=True)]


_KINDS: tuple[type, ...] = (bool, int, float, str)  # a bool is an int as well


def _in_one_type(cells: Sequence[Any]) -> tuple[type | None, list[Any]]:
    """Return the common type of values, and the values converted to it: integers to reals, or numbers to text."""
    kinds = {next((kind for kind in _KINDS if isinstance(cell, kind)), str) for cell in cells if cell is not None}
    if not kinds:
        return None, list(cells)
    kind = float if kinds == {int, float} else kinds.pop() if len(kinds) == 1 else str
    values = [cell if cell is None else kind(cell) for cell in cells]
    if kind is float:
        return kind, [None if value is None or math.isnan(value) else value for value in values]
    if kind is str:  # bytes that are not UTF-8 are escaped
        return kind, [None if text is None else text.encode("utf-8", "backslashreplace").decode() for text in values]
    return kind, values

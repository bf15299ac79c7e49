"""Data frames of pandas and polars, Arrow tables and csv have equal cells."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import pytest
from running import FIXTURES, lab

import irevalx
import irevalx.lab
from irevalx.lab.command.output import Result
from irevalx.reports.frames import arrow_table, polars_frame
from irevalx.reports.table import Table

QRELS, RUNS = FIXTURES / "experiment" / "qrels", sorted((FIXTURES / "experiment" / "runs").iterdir())[:4]

pd, pl, pa = (pytest.importorskip(package) for package in ("pandas", "polars", "pyarrow"))


def is_missing(value: Any) -> bool:
    """Return whether a cell of a data frame of pandas is missing."""
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def assert_same(pandas_frame: Any, polars_frame: Any, arrow_table: Any) -> None:
    """The three have the same columns and values, with null in place of None and nan."""
    columns = [str(name) for name in pandas_frame.columns]
    expected = [[None if is_missing(cell) else cell for cell in row] for row in pandas_frame.values.tolist()]
    assert polars_frame.columns == arrow_table.column_names == columns
    assert [list(row) for row in polars_frame.rows()] == expected
    assert [list(row) for row in zip(*(column.to_pylist() for column in arrow_table.columns), strict=True)] == expected


@pytest.mark.parametrize(
    "how",
    [{}, {"confidence": 0.9}, {"wide": True}, {"wide": True, "per_topic": True}, {"wide": True, "confidence": 0.9}],
)
def test_scores(how: dict[str, Any]) -> None:
    """Rows by value and wide rows, with missing values."""
    scores = irevalx.evaluate(QRELS, RUNS, ["map", "num_q", "gm_map", "P.5"], complete=True)
    assert_same(scores.to_frame(**how), scores.to_polars(**how), scores.to_arrow(**how))


CALLS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "pairs": ("compare", {"measures": "map num_rel_ret"}, ("-m", "map num_rel_ret")),
    "runs": ("compare", {"by": "run"}, ("--by", "run")),
    "topics": ("compare_topics", {"baseline": "count1"}, ("--by", "topic", "--baseline", "count1")),
    "gate": ("gate", {"margin": 0.1, "baseline": "count1"}, ("--margin", "0.1", "--baseline", "count1")),
    "discriminative power": ("discriminative_power", {}, ("--discriminative-power",)),
    "power": ("power", {}, ()),
    "bounds": ("bounds", {}, ()),
    "leave-out": ("leave_out", {"group_by": ".*"}, ("--group-by", ".*")),
    "describe": ("describe", {}, ()),
    "swap-rate": ("swap_rate", {"seed": 1, "draws": 5}, ("--seed", "1", "--draws", "5")),
}
"""A function, its keywords, and the options of the same call of its command."""


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
@pytest.mark.parametrize("name", CALLS)
def test_results_of_the_lab(name: str) -> None:
    """Cells are those of pandas' frame and, as text, those of csv."""
    function, keywords, options = CALLS[name]
    result: Result = getattr(irevalx.lab, function)(QRELS, RUNS, **keywords)
    frame, table = result.to_polars(), result.to_arrow()
    assert_same(result.to_frame(), frame, table)
    command = "compare" if name in {"topics", "discriminative power"} else function.replace("_", "-")
    done = lab(command, QRELS, *RUNS, *options, "--format", "csv", "--quiet")
    head, *rows = csv.reader(io.StringIO(done.stdout.decode()))
    assert frame.columns == head
    numbers = [column.dtype.is_numeric() for column in frame]
    for printed, cells in zip(rows, frame.rows(), strict=True):
        as_read = [
            float(cell) if is_number and cell else cell for is_number, cell in zip(numbers, printed, strict=True)
        ]
        assert as_read == ["" if cell is None else str(cell) if isinstance(cell, bool) else cell for cell in cells]


def test_types() -> None:
    """Columns have the type of their values, and missing values do not change it."""
    columns = ("text", "whole", "real", "flag", "mixed", "any", "none")
    rows = [
        ("a", 1, math.nan, True, 1, "x", None),
        (None, None, 0.5, None, 2.5, 1.5, None),
        ("\udcff", 3, 1.0, False, None, None, None),
    ]
    frame, table = polars_frame(rows, columns), arrow_table(rows, columns)
    assert frame.dtypes == [pl.String, pl.Int64, pl.Float64, pl.Boolean, pl.Float64, pl.String, pl.Null]
    assert [str(kind) for kind in table.schema.types] == [
        "string",
        "int64",
        "double",
        "bool",
        "double",
        "string",
        "null",
    ]
    expected = [
        ("a", 1, None, True, 1.0, "x", None),
        (None, None, 0.5, None, 2.5, "1.5", None),
        ("\\udcff", 3, 1.0, False, None, None, None),
    ]
    assert frame.rows() == expected
    assert list(zip(*(column.to_pylist() for column in table.columns), strict=True)) == expected


def test_no_rows() -> None:
    """A table without rows has its columns."""
    assert polars_frame([], ("a", "b")).columns == arrow_table([], ("a", "b")).column_names == ["a", "b"]


def test_pivot() -> None:
    """Each value of a column becomes columns; missing values are None."""
    rows = [("a", "map", 0.1, "x"), ("a", "P", 0.2, "y"), ("b", "P", 0.3, "z")]
    wide = Table("t", ("run", "measure", "value", "sign"), rows).pivot(("run",), "measure", "value", "sign")
    assert wide.columns == ("run", "map", "map_sign", "P", "P_sign")
    assert wide.rows == [("a", 0.1, "x", 0.2, "y"), ("b", None, None, 0.3, "z")]
    assert (
        pd.DataFrame(rows, columns=["run", "measure", "value", "sign"])
        .pivot(index="run", columns="measure", values="value")
        .loc["a", "map"]
        == wide.rows[0][1]
    )


def test_without_empty() -> None:
    """Empty columns are omitted, among the given or all columns; a table without rows keeps its columns."""
    table = Table("t", ("a", "b", "c"), [(1, None, None), (2, None, None)])
    assert table.without_empty("b").columns == ("a", "c")
    assert table.without_empty().columns == ("a",)
    assert Table("t", ("a", "b"), []).without_empty().columns == ("a", "b")

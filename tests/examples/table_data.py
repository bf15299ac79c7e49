"""Rows of runs, judgments and pools, as text files and as tables of every library."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

import pytest

Row = tuple[str, str, float]

LONG_NAME = "L" * 300
TOPICS = ["10", "2", "thé", "300", LONG_NAME, "7", "8"]
DOCNOS = [*(f"D{number}" for number in range(25)), "münchen", "文書", LONG_NAME, LONG_NAME + "!", "A-name-of-13b"]


def made_qrels(chance: Random) -> list[Row]:
    """Judgments, some of them of the pool alone; the last topic has none."""
    return [
        (topic, docno, chance.choice([-1, 0, 0, 1, 2]))
        for topic in TOPICS[:-1]
        for docno in chance.sample(DOCNOS, chance.randint(3, 20))
    ]


def made_run(chance: Random, *, odd: Sequence[float] = ()) -> list[Row]:
    """A run with ties that lacks a judged topic; some scores are those that are odd."""
    scores = [*(number / 3 for number in range(8)), 1e300, -2.5, *odd]
    return [
        (topic, docno, chance.choice(scores))
        for topic in TOPICS[1:]
        for docno in chance.sample(DOCNOS, chance.randint(3, 30))
    ]


def shuffled(rows: Iterable[Any]) -> list[Any]:
    """The rows in another order."""
    rows = list(rows)
    Random(1).shuffle(rows)
    return rows


def qrels_text(rows: Iterable[tuple[Any, Any, float]]) -> bytes:
    """Judgments as a text file."""
    return "".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in rows).encode()


def run_text(rows: Iterable[tuple[Any, Any, float]], tag: str = "run") -> bytes:
    """A run as a text file, with every digit."""
    return "".join(f"{topic} Q0 {docno} 0 {score!r} {tag}\n" for topic, docno, score in rows).encode()


def columns(rows: Iterable[Row], number: str) -> dict[str, list[Any]]:
    """The columns of a table, and others that are to be ignored."""
    topics, docnos, numbers = map(list, zip(*rows, strict=True))
    return {number: numbers, "rank": list(range(len(topics))), "query_id": topics, "docno": docnos, "note": docnos}


def pyarrow_table(rows: Iterable[Row], number: str) -> Any:
    """A table of pyarrow in one batch."""
    return pytest.importorskip("pyarrow").table(columns(rows, number))


def _sliced(rows: Iterable[Row], number: str) -> Any:
    """A table of pyarrow whose arrays begin and end inside longer ones."""
    several = list(rows)
    table = pyarrow_table([*several[:5], *several, *several[:11]], number)
    return table.slice(5, len(several))


def _small_batches(rows: Iterable[Row], number: str) -> Any:
    """A table of pyarrow in many batches, some of them empty."""
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow_table(rows, number)
    empty = table.slice(0, 0)
    parts = [empty, *(table.slice(start, 3) for start in range(0, table.num_rows, 3)), empty]
    return pyarrow.concat_tables([*parts[:4], empty, *parts[4:]])


def _cast(rows: Iterable[Row], number: str, types: dict[str, Any]) -> Any:
    table = pyarrow_table(rows, number)
    for name, kind in types.items():
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    return table


def _large_strings(rows: Iterable[Row], number: str) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    return _cast(rows, number, {"query_id": pyarrow.large_string(), "docno": pyarrow.large_string()})


def _views(rows: Iterable[Row], number: str) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    return _cast(rows, number, {"query_id": pyarrow.string_view(), "docno": pyarrow.string_view()})


def _dictionaries(rows: Iterable[Row], number: str) -> Any:
    table = _small_batches(rows, number)
    for name in ("query_id", "docno"):
        table = table.set_column(table.column_names.index(name), name, table[name].dictionary_encode())
    return table


def _reader(rows: Iterable[Row], number: str) -> Any:
    return pyarrow_table(rows, number).to_reader(max_chunksize=17)


def _polars(rows: Iterable[Row], number: str) -> Any:
    return pytest.importorskip("polars").DataFrame(columns(rows, number))


def _polars_categories(rows: Iterable[Row], number: str) -> Any:
    polars = pytest.importorskip("polars")
    return _polars(rows, number).with_columns(polars.col("query_id").cast(polars.Categorical))


def _lazy(rows: Iterable[Row], number: str) -> Any:
    return _polars(rows, number).lazy()


def _pandas(rows: Iterable[Row], number: str) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns(rows, number))


def _pandas_objects(rows: Iterable[Row], number: str) -> Any:
    frame = _pandas(rows, number).astype({"query_id": object, "docno": "category"})
    return frame.set_index("rank")


def _columns(rows: Iterable[Row], number: str) -> Any:
    return {name.title(): column for name, column in columns(rows, number).items()}


def _duckdb(rows: Iterable[Row], number: str) -> Any:
    pytest.importorskip("duckdb")
    return _duckdb_relation(tuple(rows), number)


_CONNECTIONS: list[Any] = []
"""With which their relations would end."""


@cache
def _duckdb_relation(rows: tuple[Row, ...], number: str) -> Any:
    connection = import_module("duckdb").connect()
    _CONNECTIONS.append(connection)
    kind = "DOUBLE" if number == "score" else "INTEGER"
    connection.execute(f"CREATE TABLE rows (query_id VARCHAR, note INTEGER, docno VARCHAR, {number} {kind})")
    topics, docnos, numbers = map(list, zip(*rows, strict=True))
    texts = [topics, docnos, list(map(repr, numbers))]  # DuckDB 1.4 takes nan in a list for null
    connection.execute(f"INSERT INTO rows SELECT unnest(?), 0, unnest(?), unnest(?)::{kind}", texts)
    return connection.table("rows")


FORMS: dict[str, Callable[[Iterable[Row], str], Any]] = {
    "pyarrow Table": pyarrow_table,
    "pyarrow Reader": _reader,
    "pyarrow, sliced": _sliced,
    "pyarrow, small batches": _small_batches,
    "pyarrow, large strings": _large_strings,
    "pyarrow, string views": _views,
    "pyarrow, dictionaries": _dictionaries,
    "polars": _polars,
    "polars, lazy": _lazy,
    "polars, categories": _polars_categories,
    "pandas": _pandas,
    "pandas, objects and categories": _pandas_objects,
    "DuckDB": _duckdb,
    "a dictionary of columns": _columns,
}
"""From rows, and what the column of numbers is called, to a table."""

WITHOUT_PYARROW = [form for form in FORMS if form.startswith(("polars", "pandas"))]
"""Those whose columns are lists where there is no pyarrow."""

ODD_SCORES = (math.nan, math.inf, -math.inf)

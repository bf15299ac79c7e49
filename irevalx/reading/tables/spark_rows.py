"""Spark's data frames as the rows that ``bundles`` takes, their columns found by name and checked.

Types are checked here, values by Spark when it reads them: what is wrong with one ends the job with a message.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from irevalx.errors import ArgumentError, quote
from irevalx.reading.tables.bundles import JUDGED, POOLED, RETRIEVED
from irevalx.reading.tables.column_names import DOCNO, GRADE, RUN, SCORE, TOPIC, Kind, Wanted
from irevalx.reading.tables.tables import GRADE_RULE, NAME_RULE, SCORE_RULE, Table

_INTEGERS = ("byte", "short", "integer", "long")
_NUMBERS = ("float", "double", *_INTEGERS)
_TYPES: dict[Kind, tuple[tuple[str, ...], str, str]] = {
    "names": (("string", "char", "varchar", *_INTEGERS), "string", NAME_RULE),
    "grades": (_NUMBERS, "bigint", GRADE_RULE),
    "scores": (_NUMBERS, "double", SCORE_RULE),
}
"""Of a column with names, grades or scores: the types that it may have, the one that it gets, and what messages say."""

_WANTED: dict[int, dict[str, Wanted]] = {
    JUDGED: {"topic": TOPIC, "docno": DOCNO, "grade": GRADE},
    POOLED: {"topic": TOPIC, "docno": DOCNO},
    RETRIEVED: {"run": RUN, "topic": TOPIC, "docno": DOCNO, "score": SCORE},
}

THE_RUN = "run"
"""What a run is called in whose table no column names it."""


def spark_rows(what: str, frame: Any, kind: int) -> Any:
    """Return the rows of a data frame with the columns that their kind has, of run, topic, docno, grade and score.

    Parameters
    ----------
    what : what messages call the data frame.
    kind : of all its rows.

    Raises
    ------
    ArgumentError : it is no data frame of Spark, or a column is missing, or has a type that it must not have.
    """
    if not hasattr(frame, "mapInArrow"):
        raise ArgumentError(f"{what} must be a data frame of Spark, but got an object of type {type(frame).__name__}")
    sql = import_module("pyspark.sql.functions")
    table = Table(what, frame.columns, lambda names, rows: iter(()))
    wanted = {name: one for name, one in _WANTED[kind].items() if one is not RUN or table.has(RUN)}
    names = {name: table.find(one) for name, one in wanted.items()}
    row = sql.to_json(sql.struct(*(_column(sql, names[name]) for name in ("topic", "docno"))))
    columns = [
        _checked(sql, what, frame.schema[found], wanted[name].kind, row).alias(name) for name, found in names.items()
    ]
    return frame.select(*columns)


def names_of_runs(frame: Any, rows: Any) -> tuple[str, ...]:
    """Return the names of all runs; one that no column names is there without rows, too.

    Parameters
    ----------
    rows : what ``spark_rows`` makes of the data frame.
    """
    if RUN.names[0] not in frame.columns:
        return (THE_RUN,)
    return tuple(row.run for row in rows.select("run").distinct().collect())


def _checked(sql: Any, what: str, field: Any, kind: Kind, row: Any) -> Any:
    """Return a column as what it is to hold; a row in which it cannot be that ends the job.

    Parameters
    ----------
    field : of the schema.
    row : what messages show of the row.
    """
    types, as_type, rule = _TYPES[kind]
    place = f"{what}: column {quote(field.name)}"
    if field.dataType.typeName() not in types:
        raise ArgumentError(f"{place} must be {rule}, but got the type {field.dataType.simpleString()}")
    column = _column(sql, field.name)
    value, fits = column.cast(as_type), column.isNotNull()
    if kind == "grades":
        value = column.try_cast(as_type)
        fits = value == column
    got = sql.coalesce(column.cast("string"), sql.lit("NULL"))
    message = sql.concat(sql.lit(f"{place} must be {rule}, but got "), got, sql.lit(" in the row "), row)
    return sql.when(fits, value).otherwise(sql.raise_error(message))


def _column(sql: Any, name: str) -> Any:
    return sql.col("`{}`".format(name.replace("`", "``")))

"""Spark's data frames as the rows that workers take, their columns found by name and checked.

Types are checked here, values by Spark when it reads them: what is wrong with one ends the job with a message.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from irevalx.errors import ArgumentError, quote
from irevalx.reading.tables.tables import DOCNO, GRADE, RULES, RUN, SCORE, TOPIC, Kind, Table, Wanted
from irevalx.spark.arrow_rows import THE_RUN

ROWS = "run string, topic string, docno string, grade bigint, score double"
"""The columns of all rows, which hold null where a row has no such thing."""

JUDGED = {"topic": TOPIC, "docno": DOCNO, "grade": GRADE}
POOLED = {"topic": TOPIC, "docno": DOCNO}
RETRIEVED = {"run": RUN, "topic": TOPIC, "docno": DOCNO, "score": SCORE}
"""The columns that are looked for; that of the run need not be there."""

_INTEGERS = ("byte", "short", "integer", "long")
_NUMBERS = ("float", "double", "decimal", *_INTEGERS)
_TYPES: dict[Kind, tuple[tuple[str, ...], str]] = {
    "names": (("string", "char", "varchar", *_INTEGERS), "string"),
    "grades": (_NUMBERS, "bigint"),
    "scores": (_NUMBERS, "double"),
}
"""Of a column with names, grades or scores: the types that it may have, and the one that it gets."""


def checked_rows(what: str, frame: Any, columns: dict[str, Wanted]) -> Any:
    """Return the rows of a data frame with the columns of ``ROWS``.

    Parameters
    ----------
    what : what messages call the data frame.
    columns : those that are looked for.

    Raises
    ------
    ArgumentError : it is no data frame of Spark, or a column is missing, or has a type that it must not have.
    """
    if not hasattr(frame, "mapInArrow"):
        raise ArgumentError(f"{what} must be a data frame of Spark, but got an object of type {type(frame).__name__}")
    sql = import_module("pyspark.sql.functions")
    table = Table(what, frame.columns)
    names = {name: table.find(one) for name, one in columns.items() if one is not RUN or table.has(RUN)}
    row = sql.to_json(sql.struct(*(_column(sql, names[name]) for name in ("topic", "docno"))))
    checked = []
    for name, as_type in (field.split() for field in ROWS.split(", ")):
        found = names.get(name)
        missing = sql.lit(None).cast(as_type)
        column = _checked(sql, what, frame.schema[found], columns[name].kind, row) if found else missing
        checked.append(column.alias(name))
    return frame.select(*checked)


def names_of_runs(frame: Any, rows: Any) -> tuple[str, ...]:
    """Return the names of all runs; one that no column names is there without rows, too.

    Parameters
    ----------
    rows : what ``checked_rows`` makes of the data frame.
    """
    if not Table("runs", frame.columns).has(RUN):
        return (THE_RUN,)
    return tuple(row.run for row in rows.select("run").distinct().collect())


def _checked(sql: Any, what: str, field: Any, kind: Kind, row: Any) -> Any:
    """Return a column as what it is to hold; a row in which it cannot be that ends the job.

    Parameters
    ----------
    field : of the schema.
    row : what messages show of the row.
    """
    (types, as_type), rule = _TYPES[kind], RULES[kind]
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

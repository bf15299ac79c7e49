"""Tables as judgments, pools and runs: data frames, and iterables of named tuples.

A table is read by its columns, which may stand in any order beside others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from irevalx.api.checks import shown, wrong
from irevalx.api.entries import Entries, grades_of, names_of, scores_of
from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.errors import ArgumentError
from irevalx.frozen import Frozen

Frame: TypeAlias = Any
"""A pandas or polars data frame, or what is like one: ``columns`` names the columns, and each has ``to_list``."""

TOPIC_COLUMNS = ("topic", "topic_id", "qid", "query_id", "query-id", "q_id", "query")
DOCNO_COLUMNS = ("docno", "doc_id", "docid", "corpus-id", "corpus_id", "did", "pid", "document")
SCORE_COLUMNS = ("score", "sim")
GRADE_COLUMNS = ("relevance", "rel", "grade", "label", *SCORE_COLUMNS)
"""What the columns may be called: the names of TREC, PyTerrier, ir_measures, BEIR, Hugging Face and ranx, some of which
call a grade a score. The first name that is there counts."""

MOST_NAMES = 20
"""So many columns of a table are named in a message."""


class Column(Frozen):
    """A column of a table.

    Parameters
    ----------
    table : what messages call the table.
    name : what the table calls the column.
    values : one a row.
    missing : whether each value is missing, where the table has a notion of that; None where only None is.
    """

    table: str
    name: str
    values: list[Any]
    missing: list[bool] | None = None

    def place(self, row: int) -> str:
        """Return what a message calls the value in a row."""
        return f"{self.table}: column {shown(self.name)}, row {row + 1} (the first is 1)"

    def names(self) -> Names:
        """Return ids as bytes; ArgumentError where one is neither a string nor a whole number."""
        return names_of([self.values], self.place)[0]

    def grades(self) -> IntArray:
        """Return grades; ArgumentError where one is missing or not a whole number."""
        return grades_of([self.values], self.place)

    def scores(self) -> FloatArray:
        """Return scores; ArgumentError where one is missing or not a number."""
        if self.missing and any(self.missing):
            row = self.missing.index(True)
            raise wrong(self.place(row), "a number of 64 bits and not missing", self.values[row])
        return scores_of([self.values], self.place)


class Table(Frozen):
    """Rows of named columns, as far as they are asked for.

    Parameters
    ----------
    path : what messages call it.
    names : of the columns, as the table has them.
    read : reads the column with a name; raises whatever the table does.
    """

    path: str
    names: list[Any]
    read: Callable[[Any], tuple[list[Any], list[bool] | None]]

    def column(self, names: Sequence[str]) -> Column:
        """Return the column that has the first of these names that is there.

        Raises
        ------
        ArgumentError : there is none, or there are several, or it cannot be read.
        """
        found = next((name for name in names if name in self.names), None)
        if found is None:
            known = ", ".join(map(str, self.names[:MOST_NAMES])) + (", ..." if len(self.names) > MOST_NAMES else "")
            raise ArgumentError(
                f"{self.path}: a table must have one of the columns {', '.join(names)}, but got {known or 'none'}"
            )
        if self.names.count(found) > 1:
            number = self.names.count(found)
            raise ArgumentError(f"{self.path}: a table must have only one column {shown(found)}, but got {number}")
        try:
            values, missing = self.read(found)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise ArgumentError(f"{self.path}: column {shown(found)} must be a list of values, but {error}") from error
        return Column(self.path, found, values, missing)

    def grades(self) -> Entries:
        """Return the documents with their grades; ArgumentError where a column is missing, or something in it."""
        return self._entries(self.column(GRADE_COLUMNS).grades())

    def judged(self) -> tuple[Names, Names, IntArray]:
        """Return topics, documents and grades, one a row; ArgumentError where a column is missing."""
        topics, docnos = (self.column(names).names() for names in (TOPIC_COLUMNS, DOCNO_COLUMNS))
        return topics, docnos, self.column(GRADE_COLUMNS).grades()

    def scores(self) -> Entries:
        """Return the documents with their scores; ArgumentError where a column is missing, or something in it."""
        return self._entries(self.column(SCORE_COLUMNS).scores())

    def documents(self) -> Entries:
        """Return the documents alone; ArgumentError where a column is missing, or something in it."""
        return self._entries(None)

    def _entries(self, numbers: AnyArray | None) -> Entries:
        topics, docnos = (self.column(names).names() for names in (TOPIC_COLUMNS, DOCNO_COLUMNS))
        return Entries.of_table(self.path, topics, docnos, np.zeros(topics.size) if numbers is None else numbers)


def is_frame(given: Any) -> bool:
    """Return whether something has columns with names."""
    return _is_lazy(given) or hasattr(given, "columns") or hasattr(given, "column_names")


def table_of_frame(frame: Frame, path: str) -> Table:
    """Return a data frame as a table; a polars LazyFrame is collected first.

    Parameters
    ----------
    path : what messages call it.
    """
    if _is_lazy(frame):
        frame = frame.collect()
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns

    def read(name: str) -> tuple[list[Any], list[bool] | None]:
        column = frame[name]
        to_list = next((getattr(column, way) for way in ("to_list", "to_pylist") if hasattr(column, way)), None)
        values = list(column) if to_list is None else list(to_list())
        # In pandas nan stands for what is missing, in polars and elsewhere it is a number.
        return values, list(column.isna()) if hasattr(column, "isna") else None

    return Table(path, list(names), read)


def table_of_records(first: Any, others: Iterable[Any], path: str) -> Table:
    """Return named tuples, such as ir_measures' ``Qrel`` and ``ScoredDoc``, as a table.

    Parameters
    ----------
    first : the first of them, which names the columns.
    path : what messages call them.
    """
    records = list(chain([first], others))
    return Table(path, list(first._fields), lambda name: ([getattr(record, name) for record in records], None))


def _is_lazy(given: Any) -> bool:
    """Return whether a frame has columns only once it is collected; polars warns of asking earlier."""
    return hasattr(given, "lazy") and hasattr(given, "collect")

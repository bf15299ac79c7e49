"""The forms of judgments, runs and pools in Python: files, tables, dictionaries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeAlias

from irevalx import parameters
from irevalx.errors import ArgumentError, printable
from irevalx.process.system import as_bytes
from irevalx.reading.source import Source

if TYPE_CHECKING:
    from irevalx.reading.tables.tables import ColumnTable

File: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes] | IO[str] | IO[bytes]"
"""A file name, ``-`` for standard input, or an open file."""

Grades: TypeAlias = "Mapping[str, Mapping[str, float]] | Mapping[int, Mapping[int, float]]"
Subtopics: TypeAlias = (
    "Mapping[str, Mapping[str, Mapping[str, float]]] | Mapping[int, Mapping[int, Mapping[int, float]]]"
)
Samples: TypeAlias = "Mapping[str, Mapping[str, tuple[int, int, float | None]]]"
DocumentScores: TypeAlias = "Mapping[str, Mapping[str, float]] | Mapping[int, Mapping[int, float]]"
RankedLists: TypeAlias = "Mapping[str, Sequence[str]] | Mapping[int, Sequence[int]]"
Documents: TypeAlias = "Mapping[str, Iterable[str]] | Mapping[int, Iterable[int]]"
"""Dictionaries of judgments, runs and pools. An integer ID stands for its decimal digits."""


class HasColumns(Protocol):
    """A table like a data frame of pandas: ``columns`` names its columns, which can be iterated."""

    @property
    def columns(self) -> Any:
        """The names."""


class HasArrowStream(Protocol):
    """An object with an Arrow C stream: a frame of polars, a table of pyarrow, a relation of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule."""


Frame: TypeAlias = HasColumns | HasArrowStream | Mapping[str, object]
"""A table: a data frame of pandas or polars, a table of pyarrow, a relation of DuckDB, another object with an Arrow C
stream, or a dictionary of columns, which can have different types."""

Records: TypeAlias = Iterable[tuple[Any, ...]]
"""Named tuples with the names of a frame's columns, such as ir_measures' ``Qrel`` and ``ScoredDoc``."""

UNNAMED = "run"
"""The name of a run that is not a file and has no name."""

FORMS = "a file, a dictionary, a data frame or named tuples"
"""The forms of judgments, runs and pools in messages."""


def table_given(given: Any, path: str) -> ColumnTable | None:
    """Return a data frame, a dictionary of columns or named tuples as a table; None for anything else."""
    if type(given) is dict and type(next(iter(given.values()), None)) is dict:  # the frequent case, checked first
        return None
    if hasattr(given, "iloc") and not hasattr(given, "columns"):  # a Series of pandas
        raise parameters.argument_error(path, FORMS, given)
    if is_frame(given):
        from irevalx.api.frames import table_of_frame

        return table_of_frame(given, path)
    if has_columns(given):
        from irevalx.api.frames import table_of_lists

        return table_of_lists(path, list(given), given.__getitem__)
    if is_file(given) or isinstance(given, Mapping) or not isinstance(given, Iterable):
        return None
    records = iter(given)
    first = next(records, None)
    if not hasattr(first, "_fields"):
        return None
    from irevalx.api.frames import table_of_records

    return table_of_records(first, records, path)


def has_columns(given: Any) -> bool:
    """Return whether this is a dictionary of columns, as in tables of Hugging Face."""
    first = next(iter(given.values()), None) if isinstance(given, Mapping) else None
    if isinstance(first, Mapping) or not hasattr(first, "__len__"):
        return False
    from irevalx.api.frames import are_columns

    return are_columns(given)


def source_of(given: Any, what: str) -> Source:
    """Return a file by name, or the remaining content of an open file, which is read now; ArgumentError for others."""
    if not is_file(given):
        raise parameters.argument_error(what, FORMS, given)
    if isinstance(given, str | bytes | os.PathLike):
        return Source(os.fsdecode(given))
    try:
        content = given.read()
        data = content if isinstance(content, bytes) else as_bytes(content)
    except (OSError, ValueError, TypeError) as error:
        raise ArgumentError(f"{what} must be a file that can be read, but {printable(str(error))}") from error
    name = getattr(given, "name", None)
    return Source(name if isinstance(name, str) else "<stream>", data)


def is_frame(given: Any) -> bool:
    """Return whether an object has named columns (without ``columns`` of a polars LazyFrame, which warns)."""
    return any(hasattr(given, name) for name in ("__arrow_c_stream__", "collect_schema", "columns", "column_names"))


def is_file(given: Any) -> bool:
    """Return whether an object is a file name or an open file."""
    return isinstance(given, str | bytes | os.PathLike) or hasattr(given, "read")


def is_run(given: Mapping[Any, Any]) -> bool:
    """Return whether this is one run rather than ``{name: run}``.

    A run is a dictionary of columns, ``{topic: {docno: score}}`` with numbers two levels down, or ``{topic: docnos}``.
    """
    if has_columns(given):
        return True
    inner = next((value for value in given.values() if not isinstance(value, Mapping) or value), {})
    if not isinstance(inner, Mapping) or has_columns(inner):
        return is_ranked_list(inner)
    documents = next(iter(inner.values()), None)
    return not isinstance(documents, Mapping) and not is_ranked_list(documents)


def is_plain_run(given: Any) -> bool:
    """Return whether this is one run in a dictionary ``{topic: {docno: score}}`` that begins with a number."""
    first = next(iter(given.values()), None) if type(given) is dict else None
    return type(first) is dict and type(next(iter(first.values()), None)) in {float, int} and are_scores(given)


def are_scores(given: Any) -> bool:
    """Return whether this is a dictionary of dictionaries or of ranked lists, like most small runs."""
    if type(given) is not dict or not given:
        return False
    others = [value for value in given.values() if type(value) is not dict]
    return not others or (all(map(is_ranked_list, others)) and not has_columns(given))


def is_ranked_list(documents: Any) -> bool:
    """Return whether this is a ranked list of documents rather than a list of named tuples, files or runs."""
    return type(documents) in {list, tuple} and all(isinstance(document, str | Integral) for document in documents)

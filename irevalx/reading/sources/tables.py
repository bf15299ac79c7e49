"""Recognition and conversion of tables in Python programs.

Tables are data frames, Arrow streams, dictionaries of columns or named tuples. Columns can be in any order, and
additional columns are ignored. If pyarrow is installed, it reads data frames and streams. All other tables are
converted to lists.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from itertools import chain
from numbers import Integral
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeAlias

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import AnyArray
from irevalx.errors import ArgumentError, not_installed, printable
from irevalx.frozen import replace
from irevalx.process.platform import as_bytes, path_text
from irevalx.reading.column_names import DOCNO, SCORE, TOPIC, ColumnKind, id_columns, known_columns, named
from irevalx.reading.sources.columns import ColumnTable, WholeTable, grades_of, names_of, scores_of
from irevalx.reading.sources.files import Source
from irevalx.wording import argument_error, short_repr

if TYPE_CHECKING:
    import pyarrow as pa

File: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes] | IO[str] | IO[bytes]"
"""A file name, "-" for standard input, or an open file."""

Grades: TypeAlias = "Mapping[str, Mapping[str, float]] | Mapping[int, Mapping[int, float]]"
Subtopics: TypeAlias = (
    "Mapping[str, Mapping[str, Mapping[str, float]]] | Mapping[int, Mapping[int, Mapping[int, float]]]"
)
Samples: TypeAlias = (
    "Mapping[str, Mapping[str, tuple[int, int, float | None]]] | Mapping[str, Mapping[str, tuple[str | int, int]]]"
)
Preferences: TypeAlias = (
    "Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]] | Mapping[str, Sequence[tuple[str, str]]]"
)
DocumentScores: TypeAlias = "Mapping[str, Mapping[str, float]] | Mapping[int, Mapping[int, float]]"
RankedLists: TypeAlias = (
    "Mapping[str, Sequence[str | tuple[str, float] | Mapping[str, Any]]] | "
    "Mapping[int, Sequence[int | tuple[int, float] | Mapping[str, Any]]]"
)
Documents: TypeAlias = "Mapping[str, Iterable[str]] | Mapping[int, Iterable[int]]"
"""The types of judgments, runs and pools in dictionaries. Integer IDs are converted to decimal digits."""


class HasColumns(Protocol):
    """A table similar to a pandas data frame: ``columns`` yields the names of the columns."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""


class HasArrowStream(Protocol):
    """An object with an Arrow C stream, such as a polars data frame, a pyarrow table or a DuckDB relation."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a PyCapsule that contains the stream."""


Frame: TypeAlias = HasColumns | HasArrowStream | Mapping[str, object]
"""A table: a pandas or polars data frame, a pyarrow table, a DuckDB relation, another object with an Arrow C stream, or
a dictionary of columns. Columns can have different types."""

Records: TypeAlias = Iterable[tuple[Any, ...]]
"""Named tuples whose fields have the names of columns, such as ``Qrel`` and ``ScoredDoc`` of ir_measures."""

UNNAMED = "run"
"""The default name of a run that was not read from a file."""

FORMS = "a file, a dictionary, a data frame or named tuples"
"""The phrase that describes the accepted types of judgments, runs and pools in messages."""


def table_given(given: Any, path: str) -> ColumnTable | None:
    """Convert a data frame, a dictionary of columns or named tuples to a table.

    Return None if the object is not a table.
    """
    if type(given) is dict and type(next(iter(given.values()), None)) is dict:  # the most frequent case
        return None
    if hasattr(given, "iloc") and not hasattr(given, "columns"):  # a Series of pandas
        raise argument_error(path, FORMS, given)
    if is_frame(given):
        return table_of_frame(given, path)
    if has_columns(given):
        return table_of_lists(path, list(given), given.__getitem__)
    if is_file(given) or isinstance(given, Mapping) or not isinstance(given, Iterable):
        return None
    records = iter(given)
    first: Any = next(records, None)
    if not hasattr(first, "_fields"):
        return None
    every = [first, *records]
    return table_of_lists(path, list(first._fields), lambda name: [getattr(record, name) for record in every])


def has_columns(given: Any) -> bool:
    """Return whether an object is a dictionary of columns, which the library datasets returns, for example."""
    first = next(iter(given.values()), None) if isinstance(given, Mapping) else None
    if isinstance(first, Mapping) or not hasattr(first, "__len__"):
        return False
    columns = [given[name] for name in id_columns(list(given))]
    return bool(columns) and all(map(_is_column, columns))


def source_of(given: Any, what: str) -> Source:
    """Return a source for a file name or an open file. Raise ArgumentError if ``given`` is another object."""
    if isinstance(given, Source):
        return given
    if not is_file(given):
        is_list = isinstance(given, list | tuple | set | frozenset) or hasattr(given, "dtype")
        lists = "ranked documents of a topic to a list of IDs or of pairs (docno, score)"
        hint = f"; convert rows to a data frame, and {lists}" if is_list else ""
        raise ArgumentError(f"{argument_error(what, FORMS, given).message}{hint}")
    if isinstance(given, str | bytes | os.PathLike):
        return Source(path_text(given))
    try:
        content = given.read()
        data = content if isinstance(content, bytes) else as_bytes(content)
    except (OSError, ValueError, TypeError) as error:
        raise ArgumentError(f"{what}: cannot read the file: {printable(str(error))}") from error
    name = getattr(given, "name", None)
    return Source(name if isinstance(name, str) else "<stream>", data)


def is_frame(given: Any) -> bool:
    """Return whether an object has named columns. Attributes are not read, because a polars LazyFrame would warn."""
    return any(hasattr(given, name) for name in ("__arrow_c_stream__", "collect_schema", "columns", "column_names"))


def is_file(given: Any) -> bool:
    """Return whether an object is a file name or an open file."""
    return isinstance(given, str | bytes | os.PathLike) or hasattr(given, "read")


def is_run(given: Mapping[Any, Any]) -> bool:
    """Return whether ``given`` is one run: a dictionary of columns, or {topic: scores} or {topic: ranked list}."""
    if has_columns(given):
        return True
    inner = next((value for value in given.values() if not isinstance(value, Mapping) or value), {})
    if not isinstance(inner, Mapping) or has_columns(inner):
        return _is_ranking(inner)
    documents = next(iter(inner.values()), None)
    return not isinstance(documents, Mapping) and not _is_ranking(documents)


def is_plain_run(given: Any) -> bool:
    """Return whether ``given`` is a run ``{topic: {docno: score}}``. Only the first score is checked."""
    first = next(iter(given.values()), None) if type(given) is dict else None
    return type(first) is dict and type(next(iter(first.values()), None)) in {float, int} and are_scores(given)


def are_scores(given: Any) -> bool:
    """Return whether ``given`` is a dictionary whose values are all dictionaries or ranked lists."""
    if type(given) is not dict or not given:
        return False
    others = [value for value in given.values() if type(value) is not dict]
    return not others or (all(map(is_ranked_list, others)) and not has_columns(given))


def is_ranked_list(documents: Any) -> bool:
    """Return whether ``documents`` is a list of document IDs, and not a list of named tuples, files or runs."""
    return type(documents) in {list, tuple} and all(isinstance(document, str | Integral) for document in documents)


class Hits(list[Any]):
    """The documents retrieved for a topic, which can contain duplicates, with their scores."""

    scores: Sequence[Any]

    def values(self) -> Sequence[Any]:
        """Return the scores in the order of the documents."""
        return self.scores


def with_hits(given: Mapping[Any, Any], path: str) -> Mapping[Any, Any]:
    """Convert the lists of documents with scores in a run to ``Hits``.

    The items of a list are pairs (docno, score) or dictionaries that contain a document and a score.
    """
    if not any(map(_keys_of_hits, given.values())):
        return given
    return {topic: _hits_of(documents, f"{path}: topic {short_repr(topic)}") for topic, documents in given.items()}


def _is_ranking(documents: Any) -> bool:
    return is_ranked_list(documents) or bool(_keys_of_hits(documents))


def _keys_of_hits(documents: Any) -> list[Any]:
    """Return the keys under which hits contain the document and the score, or [] if ``documents`` are not hits."""
    first = documents[0] if type(documents) in {list, tuple} and documents else None
    if isinstance(first, Mapping):
        keys = [named(spec, list(first))[:1] for spec in (DOCNO, SCORE)]
        return list(chain(*keys)) if keys[0] and not named(TOPIC, list(first)) else []
    return [0, 1] if isinstance(first, tuple | list) and len(first) == 2 else []


def _hits_of(documents: Any, what: str) -> Any:
    """Convert the documents of a topic to ``Hits``. Other objects are returned unchanged.

    If there are no scores, the order of the documents is the ranking.
    """
    keys = _keys_of_hits(documents)
    rows: list[list[Any]] = []
    for rank, hit in enumerate(documents if keys else (), 1):
        with suppress(LookupError, TypeError):
            rows += [] if isinstance(hit, str) else [[hit[key] for key in keys]]
        if len(rows) < rank:
            form = "a pair (docno, score)" if keys == [0, 1] else f"a dictionary with {' and '.join(keys)}"
            raise ArgumentError(f"{what}: the document at rank {rank} must be {form}, like the first one")
    hits = Hits(row[0] for row in rows)
    hits.scores = [row[1] for row in rows] if keys[1:] else range(len(rows), 0, -1)
    return hits if keys else documents


_SLICE_ROWS = 1 << 16
"""The number of rows of a data frame that are converted together, so that memory never contains a second copy of the
whole data frame."""


def table_of_frame(frame: Any, path: str) -> ColumnTable:
    """Convert a data frame or an object with an Arrow C stream to a table. A polars LazyFrame is collected first."""
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
    from irevalx.reading.sources.arrow import table_of_stream

    return table_of_stream(frame, path)


def _is_column(values: Any) -> bool:
    """Return whether an object is a column: a list or array whose items are not files, tables or named tuples."""
    if isinstance(values, str | bytes | Mapping) or hasattr(values, "columns") or not hasattr(values, "__len__"):
        return False
    return isinstance(values, Iterable) and not isinstance(next(iter(values), ""), tuple)


def _table_of_slices(frame: Any, slice_of: Callable[[Any, list[Any], int, int], pa.Table], path: str) -> ColumnTable:
    """Convert a data frame to a table. The function ``slice_of`` converts a batch of rows to pyarrow."""
    import pyarrow as pa

    from irevalx.reading.sources.arrow import ArrowTable

    def parts(names: list[Any], first: int, last: int | None) -> Iterator[pa.Table]:
        last = len(frame) if last is None else last
        for start in range(first, last, _SLICE_ROWS):
            yield slice_of(frame, names, start, min(start + _SLICE_ROWS, last))

    names = list(frame.columns)
    objects = [name for name in known_columns(names) if str(getattr(frame[name], "dtype", "")).lower() == "object"]
    try:
        for _ in parts(objects, 0, None) if objects else ():
            pass
    except (pa.ArrowException, TypeError, ValueError, OverflowError):  # lists can contain values of several types
        return table_of_lists(path, names, frame.__getitem__)
    return ArrowTable(path, names, parts, in_memory=True)


def _slice_of_pandas(frame: Any, names: list[Any], first: int, last: int) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_pandas(frame[names].iloc[first:last], preserve_index=False)


def _slice_of_polars(frame: Any, names: list[Any], first: int, last: int) -> pa.Table:
    return frame.select(names).slice(first, last - first).to_arrow()


def table_of_lists(path: str, names: list[Any], read: Callable[[Any], Any]) -> WholeTable:
    """Return a table whose columns are converted to lists. The function ``read`` returns the column with a name."""

    def column(name: Any, kind: ColumnKind) -> Names | AnyArray:
        return _converted(as_list(path, name, read), kind, partial(table.place, name))

    table = WholeTable(path, names, column)
    return table


def as_list(path: str, name: Any, read: Callable[[Any], Any]) -> list[Any]:
    """Convert a column to a list. Missing values become None. Raise ArgumentError if the column cannot be read."""
    try:
        column = read(name)
        ways = (getattr(column, way, None) for way in ("to_list", "to_pylist", "tolist"))
        to_list = next(filter(None, ways), None)
        values = list(column) if to_list is None else list(to_list())
        missing = column.isna().tolist() if hasattr(column, "isna") else ()
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ArgumentError(
            f"{path}: cannot read the values of column {short_repr(name)}: {printable(str(error))}"
        ) from error
    return [None if gone else value for value, gone in zip(values, missing, strict=True)] if any(missing) else values


def _converted(values: list[Any], kind: ColumnKind, place: Callable[[int], str]) -> Names | AnyArray:
    """Convert the values of a column to names or numbers. A missing probability (None or "NA") becomes NaN."""
    if kind == "names":
        return names_of([values], place)[0]
    if kind == "words":
        return Names.of([b"" if value is None else as_bytes(str(value)) for value in values])
    if kind in {"grades", "integers"}:
        return grades_of([values], place)
    if kind == "probabilities":
        values = [float("nan") if value is None or value == "NA" else value for value in values]
    if kind == "labels":
        numbers = [math.nan if value is None or isinstance(value, str) else value for value in values]
        texts = [repr(number).encode() for number in scores_of([numbers], place).tolist()]
        pairs = zip(values, texts, strict=True)
        return Names.of([as_bytes(value) if isinstance(value, str) else text for value, text in pairs])
    return scores_of([values], place)

"""Score files: measure values of runs by topic, from any program.

The content determines the format of a file: Parquet; JSON, which begins with a brace; a table, whose first line names a
column of topics; otherwise lines of three columns, as trec_eval prints them, or four, which begin with the run.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from irevalx.api.score_evaluations import RunValues
from irevalx.checks import identifier
from irevalx.errors import ArgumentError, InputError, MalformedLineError, quote, shown_name
from irevalx.measures import MEASURES
from irevalx.measures.counts import runid
from irevalx.process.platform import as_bytes, as_text
from irevalx.reading.column_names import MEASURE, RUN_OF_SCORES, TOPIC, VALUE, named
from irevalx.reading.format_hints import looks_like_judgments, looks_like_run
from irevalx.reading.formats import FILE_FORMATS
from irevalx.reading.layout import array_hint, encoding_hint
from irevalx.reading.sources.files import CHUNK_SIZE, MARK, Source, name_of_file
from irevalx.reading.sources.first_lines import SEPARATORS, fields_of
from irevalx.reading.sources.lines import after_colon
from irevalx.reading.sources.tables import UNNAMED, as_list, is_frame, table_of_frame
from irevalx.reading.sources.text_tables import RepeatedKeyError, record_of
from irevalx.reports.records import Record
from irevalx.reports.report import ALL
from irevalx.trec_eval import c_double
from irevalx.wording import argument_error, join_words

GROUPS = f"{ALL}:"
"""Prefix in the column of topics that marks topic groups and bounds of intervals, which are ignored."""

TEXTS = tuple(measure.name for measure in MEASURES if measure.number == "text")
"""Measures whose values are not numbers; they are ignored."""

_BOOLEANS = {"True": 1.0, "False": 0.0}

_NEEDED = "expected a table of measure values with a column topic, and either measure and value or a column per measure"


class _Value(NamedTuple):
    """A value in a file."""

    line: int  # the line, or the row of a table, starting at 1
    run: str
    topic: str
    measure: str
    value: Any  # a text or a Python value
    can_name_run: bool = False  # whether its column can contain run names


def read_values(source: Source, *, unnamed: bool = False, nan_is_missing: bool = True) -> RunValues:
    """Read a score file; with ``unnamed``, a run without a name is named after the file."""
    where = f"{shown_name(source.path)}:"
    default = as_text(name_of_file(source.path)) if unnamed else None
    if source.is_parquet:
        from irevalx.reading.sources.arrow import table_of_parquet

        return _of_arrow(where, table_of_parquet(source), default)
    text = as_text(b"".join(source.chunks(CHUNK_SIZE)).removeprefix(MARK))
    return _collected(where, _values(where, text, default), nan_is_missing=nan_is_missing)


def values_of_frame(frame: Any) -> RunValues:
    """Return the values of a data frame, an object with an Arrow stream, or a dictionary of columns."""
    if not (is_frame(frame) or isinstance(frame, Mapping)):
        raise argument_error("frame", "a data frame or a dictionary of columns", frame)
    if hasattr(frame, "lazy") and hasattr(frame, "collect"):
        frame = frame.collect()
    if hasattr(frame, "__arrow_c_stream__") and not (hasattr(frame, "iloc") or hasattr(frame, "lazy")):
        return _of_arrow("frame:", table_of_frame(frame, "frame"), UNNAMED)
    names = [*getattr(frame, "column_names", getattr(frame, "columns", frame))]
    columns = [as_list("frame", name, frame.__getitem__) for name in names]
    return _of_columns("frame:", names, columns, UNNAMED)


def _of_arrow(where: str, table: Any, default: str | None) -> RunValues:
    parts = [part.columns for part in table.parts(list(table.names), 0, None)]
    columns = [[value for column in several for value in column.to_pylist()] for several in zip(*parts, strict=True)]
    return _of_columns(where, table.names, columns, default)


def _of_columns(where: str, names: Sequence[Any], columns: Sequence[Sequence[Any]], default: str | None) -> RunValues:
    """Return the values of whole columns; booleans are converted to 0 and 1."""
    if len({len(column) for column in columns}) > 1:
        raise ArgumentError(f"{where} the columns of the table have different lengths")
    words = tuple(map(str, names))
    rows = (
        (number, words, [float(value) if isinstance(value, bool) else value for value in row])
        for number, row in enumerate(zip(*columns, strict=True), start=1)
    )
    return _collected(f"{where} row ", _of_rows(f"{where} row ", rows, default), nan_is_missing=False)


def _collected(where: str, values: Iterable[_Value], *, nan_is_missing: bool) -> RunValues:
    """Return values as dictionaries; raises MalformedLineError for a repeated value, and InputError without a value."""
    by_run: RunValues = {}
    for value in values:
        if value.measure.startswith(TEXTS) or value.topic.startswith(GROUPS):
            continue
        by_topic = by_run.setdefault(value.run, {}).setdefault("_".join(value.measure.split()), {})
        if value.topic in by_topic:
            raise MalformedLineError(
                f"{where}{value.line}: duplicate value of {value.measure} for run {quote(value.run)} and topic "
                f"{quote(value.topic)}; remove one of them"
            )
        by_topic[value.topic] = _number(where, value, nan_is_missing)
    if not by_run:
        what = where.removesuffix(" row ")
        raise InputError(f"{what} the file contains no measure values")
    return by_run


def _number(where: str, value: _Value, nan_is_missing: bool) -> float:
    """Return a finite number, or nan for null in JSON and nan elsewhere."""
    text = value.value
    if text is None or (nan_is_missing and isinstance(text, str) and text.lower().removeprefix("-") == "nan"):
        return np.nan
    if isinstance(text, str):
        number, is_plain = c_double(as_bytes(text))
        if is_plain or text in _BOOLEANS:
            return _BOOLEANS.get(text, number)
    elif isinstance(text, int | float) and not isinstance(text, bool):
        with suppress(OverflowError):
            if isfinite(text):
                return float(text)
    rule = "must be a 64-bit number that is not infinite"
    got = quote(text if isinstance(text, str) else json.dumps(text, default=str))
    remedy = "remove it if the topic has no value"
    if value.can_name_run:
        remedy = f"the column with the names of runs must be called {join_words(RUN_OF_SCORES.names, 'or')}"
    raise MalformedLineError(
        f"{where}{value.line}: invalid value {got} of {value.measure} for topic {quote(value.topic)}: {rule}; {remedy}"
    )


def _values(where: str, text: str, default: str | None) -> Iterator[_Value]:
    first = next((line for line in io.StringIO(text) if line.strip()), "").rstrip("\r\n")
    if first.lstrip().startswith("{"):
        return _of_json(where, text, default)
    for separator in SEPARATORS:
        names = fields_of(as_bytes(first), separator)
        if named(TOPIC, names) and not c_double(as_bytes(names[-1]))[1]:
            return _of_rows(where, _rows_of_table(where, text, separator), default)
    return _of_lines(where, text, default)


_Rows: TypeAlias = Iterator[tuple[int, tuple[Any, ...], Sequence[Any]]]
"""The number of each row, the names of its columns, and their values."""


def _rows_of_table(where: str, text: str, separator: str) -> _Rows:
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=separator) if separator else None
    names: tuple[str, ...] = ()
    number = 0
    try:
        for fields in reader or map(str.split, lines):
            number = reader.line_num if reader else number + 1
            if not names:
                names = tuple(name.strip() for name in fields)
            elif fields:
                if len(fields) != len(names):
                    rule = f"expected {len(names)} columns ({', '.join(names)}), but the line has {len(fields)}"
                    raise MalformedLineError(f"{where}{number}: {rule}: {quote(separator.join(fields))}")
                yield number, names, [field.strip() for field in fields]
    except csv.Error as error:  # a field with many thousands of characters
        raise MalformedLineError(f"{where}{number + 1}: invalid CSV: {error}") from None


def _of_rows(where: str, rows: _Rows, default: str | None) -> Iterator[_Value]:
    """Yield the values of rows with named columns, long or wide; an empty field of a wide row is missing."""
    layouts: dict[tuple[str, ...], _TableLayout] = {}
    for number, names, fields in rows:
        place_of_row = f"{where}{number}"
        if names not in layouts:
            layouts[names] = _layout_of(place_of_row, names, default)
        run, topic, measure, value = layouts[names]
        of_run = default if run is None else name_in(place_of_row, names[run], fields[run])
        of_topic = name_in(place_of_row, names[topic], fields[topic])
        if measure is not None:
            name = name_in(place_of_row, names[measure], fields[measure])
            yield _Value(number, of_run or "", of_topic, name, fields[value[0]])
            continue
        for place in value:
            if fields[place] is not None and fields[place] != "":
                yield _Value(number, of_run or "", of_topic, names[place], fields[place], run is None)


_TableLayout: TypeAlias = "tuple[int | None, int, int | None, list[int]]"
"""The indices of the columns of the run, the topic and the measure (None: wide), and of the values."""


def _layout_of(where: str, names: tuple[str, ...], default: str | None) -> _TableLayout:
    run, topic, measure, value = (
        next((names.index(name) for name in named(spec, names)), None)
        for spec in (RUN_OF_SCORES, TOPIC, MEASURE, VALUE)
    )
    taken = {*RUN_OF_SCORES.names, *TOPIC.names}
    values = [place for place, name in enumerate(names) if name.lower() not in taken]
    if topic is None or not values or (measure is not None and value is None) or (run is None and default is None):
        also = "; a column run is optional" if default is not None else ", and a column run"
        raise MalformedLineError(f"{where}: {_NEEDED}{also}; the columns are {', '.join(map(quote, names))}")
    return run, topic, measure, values if measure is None or value is None else [value]


def name_in(where: str, column: str, value: Any) -> str:
    """Return the name of a run, topic or measure in a row or record; integers, including NumPy's, become digits."""
    try:
        if value != "":
            return identifier(f"{where}: {column}", value)
    except ArgumentError as error:
        raise MalformedLineError(error.message) from None
    raise MalformedLineError(f"{where}: {column} is empty")


def _of_json(where: str, text: str, default: str | None) -> Iterator[_Value]:
    """Yield the values of one object per line, or of a single object if the first line is not such an object."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    first = json_object(f"{where}{lines[0][0]}", lines[0][1])
    if first is None or "runs" in first:
        return _of_json_object(where, text)

    def rows() -> _Rows:
        for number, line in lines:
            record = json_object(f"{where}{number}", line)
            if record is None:
                rule = f"expected a JSON object with {', '.join(first)}"
                raise MalformedLineError(f"{where}{number}: {rule}: {quote(line)}")
            yield number, tuple(record), list(record.values())

    return _of_rows(where, rows(), default)


def json_object(where: str, text: str) -> dict[str, Any] | None:
    """Return a JSON object; None for other text, including text with extremely deep nesting or long numbers."""
    try:
        value = json.loads(text, object_pairs_hook=record_of)
    except RepeatedKeyError as error:
        raise MalformedLineError(f"{where}: the field {quote(error.args[0])} occurs twice; keep one of them") from None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _of_json_object(where: str, text: str) -> Iterator[_Value]:
    try:
        for run in (json_object(f"{where}1", text) or {})["runs"]:
            name = identifier("run", run["run"], whole=False)
            for topic, values in (*run.get("topics", {}).items(), (ALL, run.get(ALL, {}))):
                for measure, value in values.items():
                    yield _Value(1, name, topic, measure, value)
    except (KeyError, TypeError, AttributeError):
        raise InputError(f"{where} expected a JSON object written by irevalx --format json") from None


def _of_lines(where: str, text: str, default: str | None) -> Iterator[_Value]:
    """Yield the values of lines RUN MEASURE TOPIC VALUE (four columns in the first line) or of trec_eval's lines."""
    first = next((fields for line in io.StringIO(text) if (fields := line.split())), [])
    is_of_run = len(first) == len(Record._fields) and not first[0].startswith(TEXTS)
    if not is_of_run or looks_like_judgments(FILE_FORMATS, as_bytes(" ".join(first))):
        yield from _of_trec_eval(where, text, default)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split()
        if fields:
            if len(fields) != len(first):
                rule = f"expected 4 columns (run, measure, topic, value), but the line has {len(fields)}"
                raise MalformedLineError(f"{where}{number}: {rule}: {quote(line)}")
            run, measure, topic, value = fields
            yield _Value(number, run, topic, measure, value)


def _of_trec_eval(where: str, text: str, default: str | None) -> Iterator[_Value]:
    """Yield the values of each run; a new run begins with a repeated runid, or with a topic after the summary."""
    run: str | None = None
    waiting: list[_Value] = []
    summarised = False
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split(None, 2)
        if not fields:
            continue
        if len(fields) != 3 or (not fields[0].startswith(TEXTS) and len(fields[2].split()) > 1):
            rule = "expected a line of trec_eval output with 3 columns (measure, topic, value)"
            hint = f"; {_NEEDED}" if number == 1 and default is not None else ""
            if looks_like_judgments(FILE_FORMATS, as_bytes(line)):
                remedy = "give the runs too" if default is None else "give them and the runs in place of score files"
                hint = f": are these judgments? If so, {remedy}"
            elif looks_like_run(FILE_FORMATS, as_bytes(line)):
                hint = ": is this a run? If so, give the judgments and the runs in place of score files"
            hint = after_colon(array_hint(as_bytes(line)) or encoding_hint(as_bytes(line))) or hint
            raise MalformedLineError(f"{where}{number}: {rule}: {quote(line)}{hint}")
        measure, topic, value = fields[0], fields[1], fields[2].rstrip()
        is_name = measure == runid.name and topic == ALL
        of_group = topic.startswith(GROUPS)
        if (is_name and run is not None) or (topic != ALL and not of_group and summarised):
            yield from _of_run(where, run, waiting)
            run, waiting, summarised, default = None, [], False, None
        if is_name:
            run = value
        else:
            summarised = summarised or topic == ALL
            waiting.append(_Value(number, "", topic, measure, value))
    yield from _of_run(where, run or default, waiting)


def _of_run(where: str, run: str | None, values: Sequence[_Value]) -> Iterator[_Value]:
    if values and run is None:
        raise InputError(f"{where}{values[0].line}: no runid for these values; print it with irevalx -m runid")
    return (value._replace(run=run or "") for value in values)

"""Readers of score files, which contain the measure values of runs by topic and can be written by any program.

The content determines the format of a file. A Parquet file is recognised by its first bytes. JSON begins with a brace.
The first line of a table names a column of topics. If the first line does not name a column of topics, lines contain
three columns, as in the output of trec_eval, or four or five columns, which begin with the run.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from math import isnan
from numbers import Real
from typing import Any, NamedTuple

from irevalx.api.score_columns import (
    AFTER_COLLECTION,
    NEEDED,
    SCORE_COLUMNS,
    TEXTS,
    Reading,
    Rows,
    TableColumns,
    column_of_measures,
    columns_of_table,
    columns_of_texts,
    have_measures,
    is_known_measure,
    is_summary,
    measure_name,
    number_of,
    separate_summaries,
)
from irevalx.api.score_evaluations import RunValues, evaluations_of
from irevalx.checks import identifier, named_choice, texts
from irevalx.errors import ArgumentError, InputError, MalformedLineError, quote, shown_name
from irevalx.evaluation.evaluate import Evaluation
from irevalx.measures.counts import runid
from irevalx.process.platform import as_bytes, as_text
from irevalx.reading.column_names import COLLECTION, TOPIC_OF_SCORES, VALUE, named
from irevalx.reading.format_hints import looks_like_judgments, looks_like_run
from irevalx.reading.formats import FILE_FORMATS
from irevalx.reading.layout import array_hint, encoding_hint, number_hint
from irevalx.reading.sources.blocks import whole_file
from irevalx.reading.sources.columns import no_column
from irevalx.reading.sources.files import MARK, Source, name_of_file
from irevalx.reading.sources.first_lines import SEPARATORS, fields_of
from irevalx.reading.sources.lines import after_colon, refuse_nul
from irevalx.reading.sources.tables import UNNAMED, File, as_list, is_file, is_frame, source_of, table_of_frame
from irevalx.reading.sources.text_tables import RepeatedKeyError, record_of
from irevalx.reports.report import ALL
from irevalx.trec_eval import c_double
from irevalx.wording import argument_error, first_names, more_such

GROUPS = f"{ALL}:"
"""The prefix of topics that marks topic groups and bounds of intervals. Rows with this prefix are ignored."""


class _Value(NamedTuple):
    """A value in a score file, with the row that contains the value."""

    line: int  # the 1-based number of the line or row
    run: str
    topic: str
    measure: str
    number: float  # the value, or NaN if it is missing
    names: tuple[str, ...]  # the columns of the row, and the fields in these columns
    fields: Sequence[Any]


def read_values(source: Source) -> RunValues:
    """Read a score file in which each run has a name, and warn about rows that are ignored."""
    how = Reading("", None, {})
    values = _read(source, how)
    separate_summaries([values], how.notes)
    return values


def _read(source: Source, how: Reading) -> RunValues:
    reading = how._replace(where=f"{shown_name(source.path)}:")
    if source.is_parquet:
        from irevalx.reading.sources.arrow import table_of_parquet

        return _of_arrow(reading, table_of_parquet(source))
    content = whole_file(source, in_lines=False)
    refuse_nul(source.path, content)
    return _collected(reading, partial(_rows_of_text, reading, as_text(content.text.removeprefix(MARK))))


def evaluations_of_files(
    files: File | Iterable[File],
    lower_is_better: str | Iterable[str],
    score_columns: str | None,
    requested: Sequence[str] = (),
    *,
    by_collection: bool = False,
) -> list[Evaluation]:
    """Return the evaluations of the runs in score files. ``requested`` contains the names of requested measures.

    If ``by_collection`` is true, the name of a run in a row with a collection is prefixed by the collection and
    ``AFTER_COLLECTION``.
    """
    several = [files] if is_file(files) or not isinstance(files, Iterable) else [*files]
    if not several:
        raise ArgumentError("files is empty; pass at least one score file")
    how = _reading("", lower_is_better, score_columns, requested)._replace(by_collection=by_collection)
    sources = [source_of(file, "files") for file in several]
    names = [as_text(name_of_file(source.path)) for source in sources]
    values = [_read(source, how._replace(default=name)) for source, name in zip(sources, names, strict=True)]
    separate_summaries(values, how.notes)
    return evaluations_of([source.path for source in sources], values, lower_is_better)


def evaluations_of_frame(
    frame: Any, lower_is_better: str | Iterable[str], score_columns: str | None
) -> list[Evaluation]:
    """Return the evaluations of the runs in a data frame or a dictionary of columns."""
    if not (is_frame(frame) or isinstance(frame, Mapping)):
        raise argument_error("frame", "a data frame or a dictionary of columns", frame)
    if hasattr(frame, "lazy") and hasattr(frame, "collect"):
        frame = frame.collect()
    how = _reading("frame:", lower_is_better, score_columns)
    if hasattr(frame, "__arrow_c_stream__") and not (hasattr(frame, "iloc") or hasattr(frame, "lazy")):
        values = _of_arrow(how, table_of_frame(frame, "frame"))
    else:
        names = [*getattr(frame, "column_names", getattr(frame, "columns", frame))]
        values = _of_columns(how, names, [as_list("frame", name, frame.__getitem__) for name in names])
    separate_summaries([values], how.notes)
    return evaluations_of([UNNAMED], [values], lower_is_better)


def _reading(
    where: str, lower_is_better: str | Iterable[str], score_columns: str | None, requested: Sequence[str] = ()
) -> Reading:
    if score_columns is not None:
        named_choice("score_columns", score_columns, SCORE_COLUMNS)
    names = map(measure_name, (*requested, *texts("lower_is_better", lower_is_better)))
    return Reading(where, UNNAMED, {}, score_columns, frozenset(names))


def _of_arrow(reading: Reading, table: Any) -> RunValues:
    parts = [part.columns for part in table.parts(list(table.names), 0, None)]
    columns = [[value for column in several for value in column.to_pylist()] for several in zip(*parts, strict=True)]
    return _of_columns(reading, table.names, columns)


def _of_columns(reading: Reading, names: Sequence[Any], columns: Sequence[Sequence[Any]]) -> RunValues:
    """Collect the values in columns. Booleans are converted to 0 and 1."""
    if len({len(column) for column in columns}) > 1:
        raise ArgumentError(f"{reading.where} the columns of the table have different lengths")
    words = tuple(map(str, names))

    def rows() -> Rows:
        for number, row in enumerate(zip(*columns, strict=True), start=1):
            yield number, words, [float(value) if isinstance(value, bool) else value for value in row]

    return _collected(reading._replace(where=f"{reading.where} row "), rows)


def _collected(reading: Reading, rows: Callable[[], Rows]) -> RunValues:
    """Collect values in dictionaries. Raise MalformedLineError for repeated values, or InputError if none is found."""
    by_run: RunValues = {}
    for value in _values(reading, rows):
        by_topic = by_run.setdefault(value.run, {}).setdefault("_".join(value.measure.split()), {})
        if value.topic in by_topic:
            first = next((other for other in _values(reading, rows) if other[1:4] == value[1:4]), value)
            raise MalformedLineError(f"{reading.where}{value.line}: {_about_duplicate(first, value)}")
        by_topic[value.topic] = value.number
    if not by_run:
        raise InputError(f"{reading.where.removesuffix(' row ')} the file contains no measure values")
    return by_run


def _values(reading: Reading, rows: Callable[[], Rows]) -> Iterator[_Value]:
    """Yield the values of a long or wide table. Missing values in a wide table are omitted."""
    layouts: dict[tuple[str, ...], TableColumns] = {}
    texts_of_rows = cache(lambda: columns_of_texts(rows(), all_rows=bool(reading.requested)))
    for number, names, fields in rows():
        where = f"{reading.where}{number}"
        if names not in layouts:
            layouts[names] = columns_of_table(reading, where, names, rows, texts_of_rows)
        columns = layouts[names]
        run = reading.default or ""
        if columns.run is not None:
            run = name_in(where, names[columns.run], fields[columns.run])
        topic = name_in(where, names[columns.topic], fields[columns.topic])
        collection = measure = ""
        for name in named(COLLECTION, names)[:1] if reading.by_collection else ():
            collection = name_in(where, name, fields[names.index(name)]) + AFTER_COLLECTION
        if columns.measure is not None:
            given = fields[columns.measure]
            if type(given) is not str and not isinstance(given, Real | Collection | None):
                given = str(given)  # a measure of ir_measures
            measure = name_in(where, names[columns.measure], given)
        for place, run_of_column, measure_of_column in () if topic.startswith(GROUPS) else columns.values:
            name = measure_of_column or measure
            if not name.startswith(TEXTS):
                value = _number(where, topic, name, fields[place])
                if measure or not isnan(value):
                    yield _Value(number, collection + (run_of_column or run), topic, name, value, names, fields)


def _about_duplicate(first: _Value, second: _Value) -> str:
    """Return the message about a duplicate value, which names a column if this column can contain run names."""
    of_runs = [
        name
        for name, x, y in zip(first.names, map(str, first.fields), map(str, second.fields), strict=False)
        if x != y and not named(VALUE, [name]) and name != "qrels" and not is_known_measure(name)
        if number_of(x) is None or x.lstrip("+-").isdigit()
    ]
    remedy = "; if they belong to different runs or judgments, add a column run or use a file for each"
    if of_runs:
        remedy = f": if the column {quote(of_runs[0])} contains the names of several runs, rename it to run"
        if named(COLLECTION, of_runs[:1]):
            commands = "irevalx-lab compare and irevalx-lab gate read several collections"
            remedy = f": if the column {quote(of_runs[0])} contains the names of collections, {commands}"
    return (
        f"duplicate value of {second.measure} for run {quote(second.run)} and topic {quote(second.topic)} (the other "
        f"is in line {first.line}){remedy}; otherwise, remove one of them"
    )


def _number(where: str, topic: str, measure: str, value: Any) -> float:
    """Convert a value to a finite number, or to NaN if it is missing.

    Raise MalformedLineError if the value is not a finite number.
    """
    if (number := number_of(value)) is not None:
        return number
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    is_hexadecimal = c_double(as_bytes(text))[1]
    remedy = "write it as a decimal number" if is_hexadecimal else "remove it if the topic has no value"
    raise MalformedLineError(
        f"{where}: invalid value {quote(text)} of {measure} for topic {quote(topic)}: must be a 64-bit number that is "
        f"not infinite{number_hint(as_bytes(text), (), is_first=False) or f'; {remedy}'}"
    )


def name_in(where: str, column: str, value: Any) -> str:
    """Return the name of a run, topic or measure in a row as a string. Integers are also valid names."""
    if value == "":
        raise MalformedLineError(f"{where}: {column} is empty")
    if isinstance(value, str) and value.isascii():  # the most frequent case
        return value
    try:
        return identifier(f"{where}: {column}", value)
    except ArgumentError as error:
        raise MalformedLineError(error.message) from None


def _rows_of_text(reading: Reading, text: str) -> Rows:
    """Return the rows of a text file. In JSON objects and lines without a header, each value is a row."""
    first = next((line for line in io.StringIO(text) if line.strip()), "").rstrip("\r\n")
    if first.lstrip().startswith("{"):
        return _rows_of_json(reading, text)
    for separator in SEPARATORS:
        names = fields_of(as_bytes(first), separator)
        if named(TOPIC_OF_SCORES, names) and number_of(names[-1]) is None:
            return _rows_of_table(reading, text, separator)
        if separator and names[1:] and all(number_of(name) is None and not name.startswith(TEXTS) for name in names):
            needed = "score files contain values by topic, such as the output of irevalx -q"
            raise MalformedLineError(f"{reading.where}1: {no_column(TOPIC_OF_SCORES, names)}; {needed}")
    return _rows_of_lines(reading, text)


def _rows_of_table(reading: Reading, text: str, separator: str, names: tuple[str, ...] = ()) -> Rows:
    """Yield the rows of a table. ``names`` contains the names of the columns if the table has no header."""
    lines = io.StringIO(text, newline="")
    rows = csv.reader(lines, delimiter=separator) if separator else None
    number, repeated = 0, list[int]()
    try:
        for fields in rows or map(str.split, lines):
            number = rows.line_num if rows else number + 1
            words = tuple(map(str.strip, fields))
            if not names:
                names = words
            elif words == names:
                repeated.append(number)
            elif fields:
                if len(fields) != len(names):
                    rule = f"expected {len(names)} columns ({', '.join(names)}), but the line has {len(fields)}"
                    raise MalformedLineError(
                        f"{reading.where}{number}: {rule}: {quote((separator or ' ').join(fields))}"
                    )
                yield number, names, words
    except csv.Error as error:  # such as a field of many thousands of characters
        raise MalformedLineError(f"{reading.where}{number + 1}: invalid CSV: {error}") from None
    if repeated:
        line = f"{reading.where}{repeated[0]}: the line repeats the header and is skipped"
        reading.notes[reading.where] = line + more_such(len(repeated) - 1, "line")


def _rows_of_json(reading: Reading, text: str) -> Rows:
    """Yield the rows of JSON Lines, or the values of a single JSON object if the first line contains no topic."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    first = json_object(f"{reading.where}{lines[0][0]}", lines[0][1])
    if first is None or not named(TOPIC_OF_SCORES, list(first)):
        yield from _rows_of_object(reading, json_object(f"{reading.where}1", text), first)
        return
    for number, line in lines:
        record = json_object(f"{reading.where}{number}", line)
        if record is None:
            rule = f"expected a JSON object with {', '.join(first)}"
            raise MalformedLineError(f"{reading.where}{number}: {rule}: {quote(line)}")
        yield number, tuple(record), list(record.values())


def json_object(where: str, text: str) -> dict[str, Any] | None:
    """Return a JSON object. Return None for other text, or if nesting is too deep or a number is too long."""
    try:
        value = json.loads(text, object_pairs_hook=record_of)
    except RepeatedKeyError as error:
        raise MalformedLineError(f"{where}: the field {quote(error.args[0])} occurs twice; keep one of them") from None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _rows_of_object(reading: Reading, content: Any, first: dict[str, Any] | None) -> Rows:
    """Yield the values of a JSON object: the output of irevalx, or an object with named runs or one unnamed run.

    ``first`` is the object in the first line, which is used in error messages.
    """
    try:
        runs: Any = [(reading.default, content)]
        if isinstance(content.get("runs"), list):
            runs = [(run["run"], {**run.get("topics", {}), ALL: run.get(ALL, {})}) for run in content["runs"]]
        elif any(isinstance(each, dict) for values in content.values() for each in values.values()):
            runs = content.items()
        for run, topics in runs:
            if run is None:
                raise TypeError(run)
            swapped = have_measures(list(topics)) and not any(have_measures(list(values)) for values in topics.values())
            names = ("run", "measure", "topic", "value") if swapped else ("run", "topic", "measure", "value")
            for outer, inner, value in [(o, i, value) for o, values in topics.items() for i, value in values.items()]:
                yield 1, names, (run, outer, inner, value)
    except (KeyError, TypeError, AttributeError):
        raise InputError(f"{reading.where} {_about_json(content or first or {})}") from None


def _about_json(content: dict[str, Any]) -> str:
    """Return the message about a JSON object that contains no scores, with the keys of the object."""
    if not {"mteb_version", "mteb_dataset_name", "task_name"}.isdisjoint(content):
        return (
            "results of MTEB contain no values of single topics; let MTEB save its predictions, and evaluate them with "
            "the judgments"
        )
    keys = f"; the keys are {first_names([*map(quote, content)], 'key')}" if content else ""
    return (
        "expected one JSON object per line with the topic, the measure and the value, the output of irevalx --format "
        f"json, or {{run: {{topic: {{measure: value}}}}}}{keys}"
    )


def _rows_of_lines(reading: Reading, text: str) -> Rows:
    """Return the rows of lines without a header. The content of the columns determines which one contains measures."""
    lines = [line for line in text.split("\n") if line.strip()] or [""]
    words = lines[0].split()
    tables = ((each, fields_of(as_bytes(lines[0]), each)) for each in SEPARATORS)
    separator, fields = next(((each, of) for each, of in tables if of != words and _are_scores(of)), ("", words))
    names = _NAMES_OF_LINES.get(3 if fields and fields[0].startswith(TEXTS) else len(fields), ())
    columns = [dict[str, None](), dict[str, None]()]
    for words in (fields_of(as_bytes(line), separator) if separator else line.split() for line in lines):
        for column, word in zip(columns, words[len(names) - 3 : len(names) - 1], strict=False):
            column[word] = None
    pair = [list(column) for column in columns]
    known = [have_measures(column) for column in pair]
    is_other = len(names) == len(_NAMES_OF_LINES[5]) or looks_like_judgments(FILE_FORMATS, as_bytes(lines[0]))
    if not names or (is_other and not any(known)):
        return _rows_of_trec_eval(reading, text)
    measures: int | None = 0
    if _are_scores(fields):
        has_other_order = len(names) > 3 and not any(known) and have_measures(fields[:1])
        measures = None if has_other_order else column_of_measures(pair, known)
    orders = [names, (*names[:-3], *reversed(names[-3:-1]), names[-1])]
    if measures is None:
        x, y = map(quote, fields[len(names) - 3 : len(names) - 1])
        headers = " or ".join(quote((separator or " ").join(order)) for order in orders)
        raise MalformedLineError(
            f"{reading.where}1: the order of the columns is unclear: {x} can be the measure and {y} the topic, "
            f"or {y} the measure and {x} the topic; add a first line that names the columns, such as {headers}"
        )
    if len(names) == 3 and not separator:
        return _rows_of_trec_eval(reading, text, orders[measures])
    return _rows_of_table(reading, text, separator, orders[measures])


_NAMES_OF_LINES = {
    len(names.split()): tuple(names.split())
    for names in ("measure topic value", "run measure topic value", "run qrels measure topic value")
}
"""The columns of lines without a header, by the number of columns. Measure and topic can be exchanged."""


def _are_scores(fields: Sequence[str]) -> bool:
    """Return whether the fields of a line can be scores: their number is valid, and the last field is a value."""
    return len(fields) in _NAMES_OF_LINES and number_of(fields[-1]) is not None


def _rows_of_trec_eval(reading: Reading, text: str, names: tuple[str, ...] = _NAMES_OF_LINES[3]) -> Rows:
    """Yield the rows of trec_eval's output. A new run begins with a second runid or with a topic after a summary."""
    where, default = reading.where, reading.default
    run: str | None = None
    waiting: list[tuple[int, list[str]]] = []
    summarised = False

    def rows_of_run(run: str | None) -> Rows:
        if waiting and run is None:
            raise InputError(f"{where}{waiting[0][0]}: no runid for these values; print it with irevalx -m runid")
        return ((number, ("run", *names), (run, *fields)) for number, fields in waiting)

    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split(None, 2)
        if not fields:
            continue
        if len(fields) != 3 or (not fields[0].startswith(TEXTS) and len(fields[2].split()) > 1):
            rule = "expected a line of trec_eval output with 3 columns (measure, topic, value)"
            hint = f"; {NEEDED}" if number == 1 and default is not None else ""
            if looks_like_judgments(FILE_FORMATS, as_bytes(line)):
                remedy = "give the runs too" if default is None else "give them and the runs in place of score files"
                hint = f": are these judgments? If so, {remedy}"
            elif looks_like_run(FILE_FORMATS, as_bytes(line)):
                hint = ": is this a run? If so, give the judgments and the runs in place of score files"
            hint = after_colon(array_hint(as_bytes(line)) or encoding_hint(as_bytes(line))) or hint
            raise MalformedLineError(f"{where}{number}: {rule}: {quote(line)}{hint}")
        of_line = dict(zip(names, map(str.rstrip, fields), strict=True))
        topic = of_line["topic"]
        is_name = of_line["measure"] == runid.name and topic == ALL
        if (is_name and run is not None) or (summarised and not is_summary(topic) and not topic.startswith(GROUPS)):
            yield from rows_of_run(run)
            run, waiting, summarised, default = None, [], False, None
        if is_name:
            run = of_line["value"]
        else:
            summarised = summarised or is_summary(topic)
            waiting.append((number, [*of_line.values()]))
    yield from rows_of_run(run or default)

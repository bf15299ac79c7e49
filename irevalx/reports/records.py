"""Output for other programs, with one value per row (csv, tsv, jsonl) or all values in one object (json).

Values are not rounded, so that reading them back yields equal numbers. Names and topics that are not UTF-8 are
preserved with Python's surrogateescape: as bytes in csv and tsv, and as escaped surrogates in JSON.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from irevalx.evaluation.evaluate import Evaluation, with_collections_of_topics
from irevalx.frozen import replace
from irevalx.measures.counts import runid
from irevalx.process.platform import as_text, displayed
from irevalx.reports.report import ALL, HIGH, LOW, EvaluationReport, SummaryRow
from irevalx.reports.table import Table

JSON_VERSION = 1
"""The field ``version`` of ``--format json``, whose schemas are in ``docs/schemas``.

If fields are added, the version stays the same. If a field is removed or its meaning changes, the version is increased.
"""


_TOPICS_AT_ONCE = 2**10
"""The number of topics whose values are converted to Python objects at a time."""


class Record(NamedTuple):
    """A measure value of a run for one topic or for all topics."""

    run: str
    topic: str
    measure: str
    value: float | int | str


class RecordWithInterval(NamedTuple):
    """A measure value with its confidence interval. The bounds are None if the value has no interval."""

    run: str
    topic: str
    measure: str
    value: float | int | str
    low: float | None
    high: float | None


def records(evaluation: Evaluation, summaries: Iterable[SummaryRow], *, per_topic: bool) -> Iterator[Record]:
    """Yield the measure values of a run in print order. The run tag is omitted. Values of topics come first."""
    run = as_text(evaluation.run)
    for topic, values in _values_by_topic(evaluation) if per_topic else ():
        for name, value in values:
            yield Record(run, topic, name, value)
    for row in summaries:
        for column in row.columns:
            if column.measure is not runid and column.summary is not None:
                yield Record(run, row.topic, column.name, _as_text(column.summary))


def _values_by_topic(evaluation: Evaluation) -> Iterator[tuple[str, list[tuple[str, float | int | str]]]]:
    """Yield each topic with the names and values of measures. Measures that have no value for a topic are omitted."""
    columns_of_topics = [
        column
        for column in evaluation.columns
        if column.measure is not runid and column.measure.per_topic and column.values is not None
    ]
    for first in range(0, len(evaluation.topics), _TOPICS_AT_ONCE):
        which = slice(first, first + _TOPICS_AT_ONCE)
        columns = [(column.name, column.of_topics(which)) for column in columns_of_topics]
        for place, topic in enumerate(map(as_text, evaluation.topics[which])):
            yield topic, [(name, _as_text(values[place])) for name, values in columns if values[place] is not None]


def records_with_intervals(
    evaluation: Evaluation, summaries: Iterable[SummaryRow], *, per_topic: bool
) -> Iterator[RecordWithInterval]:
    """Yield the measure values of a run with their confidence intervals. See ``records``."""
    for record in records(evaluation, (), per_topic=per_topic):
        yield RecordWithInterval(*record, None, None)
    for row in summaries:
        for record in records(evaluation, [row], per_topic=False):
            low, high = (None if math.isnan(end) else end for end in row.ends.get(record.measure, (math.nan, math.nan)))
            yield RecordWithInterval(*record, low, high)


def fields_of(report: EvaluationReport) -> tuple[str, ...]:
    """Return the field names of a report's records, which begin with ``collection`` if there are several."""
    fields = Record._fields if report.intervals is None else RecordWithInterval._fields
    return ("collection", *fields) if report.has_collections else fields


def records_of(report: EvaluationReport) -> Iterator[Sequence[Any]]:
    """Yield the records of all runs, one run after the other.

    If there are several collections, the first field of each record is the collection. The collection of a summary over
    all collections is ``all``.
    """
    records_of_run = records if report.intervals is None else records_with_intervals
    for evaluation in report.evaluations:
        summaries = report.summaries_of(evaluation)
        if not report.has_collections:
            yield from records_of_run(evaluation, summaries, per_topic=report.per_topic)
        for name, part in evaluation.parts.items():
            of_part = [replace(row, group="") for row in summaries if row.group == name]
            for record in records_of_run(part, of_part, per_topic=report.per_topic):
                yield (name, *record)
        for row in summaries if evaluation.parts else ():
            if not row.group:
                yield from ((ALL, *record) for record in records_of_run(evaluation, [row], per_topic=False))


class _Echo:
    """A file object for ``csv.writer`` whose method ``write`` returns the line."""

    def write(self, line: str) -> str:
        return line


def separated_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str) -> Iterator[bytes]:
    """Yield a header line, and a line for each row. The value None becomes an empty field."""
    line_of = csv.writer(_Echo(), delimiter=delimiter, lineterminator="\n").writerow
    for row in chain([columns], rows):
        yield displayed(line_of(row))


def without_nan(row: Sequence[Any]) -> list[Any]:
    """Replace NaN by None, which is printed as an empty field, in a row."""
    return [None if isinstance(value, float) and math.isnan(value) else value for value in row]


def json_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    """Yield a JSON object for each row. The shape of ``rows`` is (n_rows, n_columns)."""
    encode = json.JSONEncoder(allow_nan=False).encode
    for row in rows:
        yield encode(_json_object(columns, row)).encode() + b"\n"


def json_of_tables(tables: Iterable[Table], about: Mapping[str, Any] | None = None) -> Iterator[bytes]:
    """Yield a JSON object that maps each title to the table's rows. "about" describes how the rows were computed."""
    members: dict[str, Any] = {
        table.title: [_json_object(table.columns, row) for row in table.rows] for table in tables
    }
    if about is not None:
        members["about"] = {"version": JSON_VERSION, **about}
    yield json.dumps(members, indent=1, allow_nan=False).encode() + b"\n"


def json_of_report(report: EvaluationReport) -> Iterator[bytes]:
    """Yield a JSON object in pieces: a description, the values runs[].topics.TOPIC.MEASURE, and runs[].all."""
    yield from _json_members({"version": JSON_VERSION, **report.about}, "{", 1)
    yield b',\n "runs": ['
    for number, evaluation in enumerate(report.evaluations):
        yield b",\n  " if number else b"\n  "
        path = {} if evaluation.parts else {"path": evaluation.path}
        yield from _json_members({"run": as_text(evaluation.run), **path}, "{", 3)
        if report.per_topic:
            yield b',\n   "topics": '
            start = "{"
            topics = chain.from_iterable(map(_values_by_topic, with_collections_of_topics(evaluation)))
            while block := dict(islice(topics, _TOPICS_AT_ONCE)):
                members = {topic: {name: finite(value) for name, value in row} for topic, row in block.items()}
                yield from _json_members(members, start, 4)
                start = ","
            yield b"{}" if start == "{" else b"\n   }"
        yield from _json_members(_json_summaries(report, evaluation), ",", 3)
        yield b"\n  }"
    yield b"\n ]\n}\n" if report.evaluations else b"]\n}\n"


def _json_summaries(report: EvaluationReport, evaluation: Evaluation) -> dict[str, Any]:
    """Return the summaries of a run: ``all``, and the interval bounds ``low`` and ``high``.

    The summaries of topic groups are in ``groups``, and the summaries of collections are in ``collections``.
    """
    run: dict[str, Any] = {}
    if evaluation.parts:
        run["collections"] = {name: {"path": part.path} for name, part in evaluation.parts.items()}
    of_parts = "collections" if evaluation.parts else "groups"
    for summaries in report.summaries_of(evaluation):
        into = run.setdefault(of_parts, {}).setdefault(summaries.group, {}) if summaries.group else run
        into[ALL] = {
            record.measure: finite(record.value) for record in records(evaluation, [summaries], per_topic=False)
        }
        if report.intervals is not None:
            for end, name in enumerate((LOW, HIGH)):
                into[name] = {measure: finite(ends[end]) for measure, ends in summaries.ends.items()}
    return run


def _json_members(members: Mapping[str, Any], start: str, depth: int) -> Iterator[bytes]:
    """Yield ``start`` and the members of a JSON object, indented by ``depth`` spaces, or nothing if it is empty."""
    if members:
        lines = _INDENTED.encode(members).split("\n")[1:-1]
        yield start.encode() + "".join(f"\n{' ' * (depth - 1)}{line}" for line in lines).encode()


_INDENTED = json.JSONEncoder(indent=1, allow_nan=False)


def finite(value: Any) -> Any:
    """Replace NaN and infinity, which JSON lacks, by None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _json_object(columns: Sequence[str], row: Sequence[Any]) -> Mapping[str, Any]:
    return dict(zip(columns, map(finite, row), strict=True))


def _as_text(value: float | bytes) -> float | int | str:
    return as_text(value) if isinstance(value, bytes) else value

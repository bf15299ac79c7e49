"""Evaluations for other programs: one value a row (csv, tsv, jsonl), or one object (json); nothing here prints.

Values keep every digit: what is read back is the same number. Names and topics that are not UTF-8 survive, as Python's
surrogateescape has it: their bytes in csv and tsv, escaped surrogates in JSON.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from irevalx.evaluation.evaluate import Evaluation
from irevalx.measures.counts import runid
from irevalx.measures.summary import as_list
from irevalx.reports.trec import ALL


class Record(NamedTuple):
    """One value: of a run, for a topic (or ``all``), under the name that it is printed under."""

    run: str
    topic: str
    measure: str
    value: float | int | str


def records(evaluation: Evaluation, *, per_topic: bool, summary: bool) -> Iterator[Record]:
    """Yield the values in the order in which trec_eval prints them; without runid, which is the run's name.

    Parameters
    ----------
    per_topic : yield those of each topic, topic by topic.
    summary : yield those of the `all` rows.
    """
    run = os.fsdecode(evaluation.run)
    columns = [column for column in evaluation.columns if column.measure is not runid]
    if per_topic:
        shown = [
            (column.name, as_list(column.values))
            for column in columns
            if column.measure.per_topic and column.values is not None
        ]
        for place, topic in enumerate(map(os.fsdecode, evaluation.topics)):
            for name, values in shown:
                yield Record(run, topic, name, _plain(values[place]))
    if summary:
        for column in columns:
            if column.summary is not None:
                yield Record(run, ALL.decode(), column.name, _plain(column.summary))


def separated_lines(rows: Iterator[Record], delimiter: str) -> Iterator[bytes]:
    """Yield a header and a line for each value; fields that hold the delimiter are quoted."""
    yield separated(Record._fields, delimiter)
    for row in rows:
        value = row.value if isinstance(row.value, str) else repr(row.value)
        yield separated((row.run, row.topic, row.measure, value), delimiter)


def json_lines(rows: Iterator[Record]) -> Iterator[bytes]:
    """Yield a JSON object for each value."""
    for row in rows:
        shown = {**row._asdict(), "value": finite(row.value)}
        yield json.dumps(shown, allow_nan=False).encode() + b"\n"


def json_object(
    evaluations: Sequence[Evaluation], about: Mapping[str, Any], *, per_topic: bool, summary: bool
) -> Iterator[bytes]:
    """Yield one JSON object: what ``about`` holds, and the values: ``runs[].topics.TOPIC.MEASURE``, ``runs[].all``.

    Parameters
    ----------
    about : version, options, inputs and warnings.
    """
    runs: list[dict[str, Any]] = []
    for evaluation in evaluations:
        run: dict[str, Any] = {"run": os.fsdecode(evaluation.run), "path": evaluation.path}
        if per_topic:
            topics: dict[str, dict[str, Any]] = {os.fsdecode(topic): {} for topic in evaluation.topics}
            for row in records(evaluation, per_topic=True, summary=False):
                topics[row.topic][row.measure] = finite(row.value)
            run["topics"] = topics
        if summary:
            rows = records(evaluation, per_topic=False, summary=True)
            run[ALL.decode()] = {row.measure: finite(row.value) for row in rows}
        runs.append(run)
    yield json.dumps({**about, "runs": runs}, indent=1, allow_nan=False).encode() + b"\n"


def _plain(value: float | bytes) -> float | int | str:
    return os.fsdecode(value) if isinstance(value, bytes) else value


def finite(value: float | str) -> float | int | str | None:
    """Return what JSON has for a value: nothing for nan and infinities."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def separated(fields: Sequence[str], delimiter: str) -> bytes:
    """Return a line of fields; those that hold the delimiter are quoted."""
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(fields)
    return os.fsencode(line.getvalue())

"""Evaluations as trec_eval prints them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from irevalx.errors import printable
from irevalx.evaluation.columns import Column
from irevalx.evaluation.evaluate import Evaluation
from irevalx.measures.counts import runid
from irevalx.measures.summary import as_list
from irevalx.process.system import as_bytes
from irevalx.reports.report import ALL, HIGH, LOW, SummaryRow, topic_of
from irevalx.trec_eval.numbers import c_format

_PLAIN_CELLS = {"real": b"%6.4f", "integer": b"%d", "text": b"'%b'"}
"""The format of a topic's value, unless it is nan, by ``Column.number``."""

_TEARS = re.compile(rb"[\t-\r]")
"""Characters that would break a row: tabs, line breaks and similar ones."""

_TOPICS_AT_ONCE = 1000
"""Number of topics whose values are converted to Python numbers at a time, which limits memory."""


def trec_lines(
    evaluation: Evaluation, summaries: Sequence[SummaryRow], *, per_topic: bool, headed: bool = False
) -> Iterator[bytes]:
    """Yield trec_eval's three columns, name, topic and value: the lines of one topic at once, or one line.

    ``per_topic`` yields lines of topics first. ``headed`` begins with the run tag, unless the `all` lines contain it or
    there are no lines. Without ``summaries``, which require that all topics were evaluated, there are no `all` lines.
    """
    lines = chain(_topic_lines(evaluation) if per_topic else (), *map(_summary_lines, summaries))
    first = next(lines, None)
    if first is None:
        return
    columns = [column for row in summaries for column in row.columns]
    has_name = any(column.measure is runid and column.summary is not None for column in columns)
    if headed and not has_name:
        yield b"%b\t%b\t%b\n" % (_label(runid.name), as_bytes(ALL), one_line(evaluation.run))
    yield first
    yield from lines


def _topic_lines(evaluation: Evaluation) -> Iterator[bytes]:
    """Yield the lines of one topic after the other."""
    columns = [column for column in evaluation.columns if column.measure.per_topic and column.values is not None]
    topics = list(map(one_line, evaluation.topics))
    if any(column.has_value is not None and not column.has_value.all() for column in columns):
        yield from _lines_with_gaps(topics, columns)
        return
    for first in range(0, len(evaluation.topics), _TOPICS_AT_ONCE):
        yield from _lines_of_topics(evaluation, topics, slice(first, first + _TOPICS_AT_ONCE))


def _lines_of_topics(evaluation: Evaluation, topics: Sequence[bytes], which: slice) -> Iterator[bytes]:
    """Yield the lines of some topics, which share one template."""
    template = b""
    cells: list[Sequence[Any]] = []
    for column in evaluation.columns:
        if column.measure.per_topic and column.values is not None:
            cell, values = _PLAIN_CELLS[column.number], as_list(column.values[which])
            if column.number == "real" and np.isnan(column.values[which]).any():
                cell, values = b"%b", [_cell(value, "real") for value in values]
            template += b"%b\t%%b\t%b\n" % (_label(column.name, is_zscore=column.is_zscore).replace(b"%", b"%%"), cell)
            cells += [topics[which], values]
    for of_topic in zip(*cells, strict=True):
        yield template % of_topic


def _lines_with_gaps(topics: Sequence[bytes], columns: Sequence[Column]) -> Iterator[bytes]:
    """Yield the lines of one topic after the other, without measures that have no value for it."""
    values = [column.of_topics() for column in columns]
    labels = [_label(column.name, is_zscore=column.is_zscore) for column in columns]
    for topic, *of_topic in zip(topics, *values, strict=True):
        for label, column, value in zip(labels, columns, of_topic, strict=True):
            if value is not None:
                yield b"%b\t%b\t%b\n" % (label, topic, _cell(value, column.number))


def _summary_lines(row: SummaryRow) -> Iterator[bytes]:
    """Yield a line per measure, and two more for its interval."""
    for column in row.columns:
        if column.summary is not None:
            number = "tag" if column.number == "text" else column.number
            label = _label(column.name, is_zscore=column.is_zscore)
            yield b"%b\t%b\t%b\n" % (label, one_line(as_bytes(row.topic)), _cell(column.summary, number))
            for end, value in zip((LOW, HIGH), row.ends.get(column.name, ()), strict=False):
                if not math.isnan(value):
                    yield b"%b\t%b\t%b\n" % (label, as_bytes(topic_of(row.group, end)), _cell(value, "real"))


def one_line(name: bytes) -> bytes:
    """Return a name with escapes for line breaks and tabs, which names in JSON and tables can contain."""
    return _TEARS.sub(lambda match: printable(match[0]).encode(), name)


def _label(name: str, *, is_zscore: bool = False) -> bytes:
    return b"Z" * is_zscore + as_bytes(name).ljust(22)


def _cell(value: float | bytes, number: str) -> bytes:
    if isinstance(value, bytes):
        return b"'%b'" % value if number == "text" else one_line(value)
    return (b"%d" % value) if number == "integer" else c_format("%6.4f", value).encode()

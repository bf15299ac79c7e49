"""Evaluations as the lines that trec_eval prints."""

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
"""How the value of a topic is printed, if it is not nan, by ``Column.number``."""

_TEARS = re.compile(rb"[\t-\r]")
"""What would tear a row: tabs, line breaks and the like."""

_TOPICS_AT_ONCE = 1000
"""The number of topics whose values are Python's numbers at a time, which take more room than numpy's."""


def trec_lines(
    evaluation: Evaluation, summaries: Sequence[SummaryRow], *, per_topic: bool, headed: bool = False
) -> Iterator[bytes]:
    """Yield trec_eval's three columns, name, topic and value: the lines of a topic at once, or one line.

    Parameters
    ----------
    summaries : what `all` lines are made of, and those of groups. There are no lines when not all topics could be
        evaluated.
    per_topic : yield a line for each topic and measure, topic by topic.
    headed : begin with the name of the run, unless the `all` lines have it or there are no lines.
    """
    lines = chain(_topic_lines(evaluation) if per_topic else (), *map(_summary_lines, summaries))
    first = next(lines, None)
    if first is None:
        return
    shown = [column for row in summaries for column in row.columns]
    has_name = any(column.measure is runid and column.summary is not None for column in shown)
    if headed and not has_name:
        yield b"%b\t%b\t%b\n" % (_label(runid.name), as_bytes(ALL), one_line(evaluation.run))
    yield first
    yield from lines


def _topic_lines(evaluation: Evaluation) -> Iterator[bytes]:
    """Yield the lines of one topic after another."""
    shown = [column for column in evaluation.columns if column.measure.per_topic and column.values is not None]
    topics = list(map(one_line, evaluation.topics))
    if any(column.has_value is not None and not column.has_value.all() for column in shown):
        yield from _lines_with_gaps(topics, shown)
        return
    for first in range(0, len(evaluation.topics), _TOPICS_AT_ONCE):
        yield from _lines_of_topics(evaluation, topics, slice(first, first + _TOPICS_AT_ONCE))


def _lines_of_topics(evaluation: Evaluation, topics: Sequence[bytes], which: slice) -> Iterator[bytes]:
    """Yield the lines of some topics; they are alike, so that one template does for them all."""
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
    """Yield the lines of one topic after another, without those of a measure that has no value for the topic."""
    values = [column.of_topics() for column in columns]
    labels = [_label(column.name, is_zscore=column.is_zscore) for column in columns]
    for topic, *of_topic in zip(topics, *values, strict=True):
        for label, column, value in zip(labels, columns, of_topic, strict=True):
            if value is not None:
                yield b"%b\t%b\t%b\n" % (label, topic, _cell(value, column.number))


def _summary_lines(row: SummaryRow) -> Iterator[bytes]:
    """Yield a line for each measure, and two more for the ends of its interval, if it has one."""
    for column in row.columns:
        if column.summary is not None:
            number = "tag" if column.number == "text" else column.number
            label = _label(column.name, is_zscore=column.is_zscore)
            yield b"%b\t%b\t%b\n" % (label, one_line(as_bytes(row.topic)), _cell(column.summary, number))
            for end, value in zip((LOW, HIGH), row.ends.get(column.name, ()), strict=False):
                if not math.isnan(value):
                    yield b"%b\t%b\t%b\n" % (label, as_bytes(topic_of(row.group, end)), _cell(value, "real"))


def one_line(name: bytes) -> bytes:
    """Return a name with escapes for line breaks and tabs, as JSON and tables may have: they would tear a row."""
    return _TEARS.sub(lambda found: printable(found[0]).encode(), name)


def _label(name: str, *, is_zscore: bool = False) -> bytes:
    return b"Z" * is_zscore + as_bytes(name).ljust(22)


def _cell(value: float | bytes, number: str) -> bytes:
    if isinstance(value, bytes):
        return b"'%b'" % value if number == "text" else one_line(value)
    return (b"%d" % value) if number == "integer" else c_format("%6.4f", value).encode()

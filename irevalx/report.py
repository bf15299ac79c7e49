"""Evaluations as lines of output; nothing here prints."""

from __future__ import annotations

from collections.abc import Iterator

from irevalx.evaluation import Evaluation
from irevalx.measures.counts import runid
from irevalx.numerals import c_format
from irevalx.summary import as_list

ALL = b"all"
"""What stands in the topic column of a summary."""


def trec_lines(evaluation: Evaluation, *, per_topic: bool, summary: bool, headed: bool = False) -> Iterator[bytes]:
    """Yield trec_eval's three columns: name, topic, value.

    Parameters
    ----------
    per_topic : yield a line for each topic and measure, topic by topic.
    summary : yield the `all` lines. None are there when not all topics could be evaluated.
    headed : begin with the name of the run, unless the `all` lines will have it.
    """
    if headed and not (summary and any(column.measure is runid for column in evaluation.columns)):
        yield b"%b\t%b\t%b\n" % (_label(runid.name), ALL, evaluation.run)
    if per_topic:
        shown = [
            (_label(column.name), [_cell(value, column.measure.number) for value in as_list(column.values)])
            for column in evaluation.columns
            if column.measure.per_topic and column.values is not None
        ]
        for index, topic in enumerate(evaluation.topics):
            for label, cells in shown:
                yield b"%b\t%b\t%b\n" % (label, topic, cells[index])
    if summary:
        for column in evaluation.columns:
            if column.summary is not None:
                number = "tag" if column.measure.number == "text" else column.measure.number
                yield b"%b\t%b\t%b\n" % (_label(column.name), ALL, _cell(column.summary, number))


def _label(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape").ljust(22)


def _cell(value: float | bytes, number: str) -> bytes:
    if isinstance(value, bytes):
        return b"'%b'" % value if number == "text" else value
    return (b"%d" % value) if number == "integer" else c_format("%6.4f", value).encode()

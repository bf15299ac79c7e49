"""Evaluations as tables for people: plain text, Markdown and LaTeX; nothing here prints."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from math import isnan
from typing import Any

import tabulate

from irevalx.evaluation.columns import Column
from irevalx.evaluation.evaluate import Evaluation
from irevalx.frozen import Frozen
from irevalx.measures.counts import runid
from irevalx.measures.summary import as_list
from irevalx.reports.trec import ALL
from irevalx.trec_eval.numbers import c_format


class Style(Frozen):
    """How a table is written.

    Parameters
    ----------
    format : what tabulate calls it.
    escaped : makes any text a cell.
    best : marks a cell.
    other : keeps a cell in line with marked ones.
    """

    format: str
    escaped: Callable[[str], str]
    best: Callable[[str], str]
    other: Callable[[str], str] = str


_LATEX = {character: "\\" + character for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}

STYLES = {
    "table": Style("simple", str, lambda text: text + "*", lambda text: text + " "),
    "markdown": Style("github", lambda text: text.replace("|", "\\|"), lambda text: f"**{text}**"),
    "latex": Style(
        "latex_raw",
        lambda text: re.sub(r"[\\&%$#_{}~^]", lambda found: _LATEX[found[0]], text),
        lambda text: rf"\textbf{{{text}}}",
    ),
}
"""The kinds of tables, by the name that ``--format`` takes."""


class _Row(Frozen):
    """A row of values, and what it is compared with.

    Parameters
    ----------
    labels : of the run, the topic, or both.
    group : rows of the same group compete for the best value.
    values : by printed name.
    """

    labels: tuple[str, ...]
    group: str
    values: dict[str, Any]


def table_lines(
    evaluations: Sequence[Evaluation], style: Style, *, per_topic: bool, summary: bool, digits: int = 4
) -> Iterator[bytes]:
    """Yield a table: a row a run and a column a measure, or for a single run a row a measure.

    Of several runs the best value of each column is marked, unless it is a count. Runs may lack a value where not all
    of their topics could be evaluated.

    Parameters
    ----------
    per_topic : a row a topic (and run, where there are several), the best run of each topic marked.
    summary : with ``per_topic``, rows for ``all`` too.
    digits : behind the point of real numbers.
    """
    names = {
        column.name: column
        for evaluation in evaluations
        for column in evaluation.columns
        if column.measure is not runid and (column.measure.per_topic if per_topic and not summary else True)
    }
    if not summary and not per_topic:
        return
    several = len(evaluations) > 1
    rows = [row for evaluation in evaluations for row in _rows(evaluation, per_topic, summary, several)]
    shown = [
        [style.escaped(label) for label in row.labels]
        + [_cell(row.values.get(name), column, digits, style) for name, column in names.items()]
        for row in rows
    ]
    if several:
        _mark_best(rows, shown, list(names.values()), style)
    heads = ["run", "topic"] if several and per_topic else ["topic"] if per_topic else ["run"]
    table = [[*heads, *map(style.escaped, names)], *shown]
    if not several and not per_topic:
        table = [list(cells) for cells in zip(*table, strict=True)]
    yield from formatted(table, len(heads), style)


def _rows(evaluation: Evaluation, per_topic: bool, summary: bool, several: bool) -> Iterator[_Row]:
    run = os.fsdecode(evaluation.run)
    if per_topic:
        columns = [
            (column.name, as_list(column.values))
            for column in evaluation.columns
            if column.measure.per_topic and column.values is not None
        ]
        for place, topic in enumerate(map(os.fsdecode, evaluation.topics)):
            labels = (run, topic) if several else (topic,)
            yield _Row(labels, topic, {name: values[place] for name, values in columns})
    if summary:
        labels = ((run, ALL.decode()) if several else (ALL.decode(),)) if per_topic else (run,)
        values = {column.name: column.summary for column in evaluation.columns if column.summary is not None}
        yield _Row(labels, ALL.decode(), values)


def _mark_best(rows: Sequence[_Row], shown: list[list[str]], columns: Sequence[Column], style: Style) -> None:
    """Mark the greatest value of each column and group, ties included; nothing where all are the same."""
    groups: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(row.group, []).append(place)
    for number, column in enumerate(columns):
        if not column.measure.scores:
            continue
        for places in groups.values():
            values = {place: rows[place].values.get(column.name) for place in places}
            known = {place: value for place, value in values.items() if value is not None and not isnan(value)}
            best = max(known.values()) if len(set(known.values())) > 1 else None
            for place in places:
                at = len(rows[place].labels) + number
                mark = style.best if best is not None and known.get(place) == best else style.other
                shown[place][at] = mark(shown[place][at])


def _cell(value: Any, column: Column, digits: int, style: Style) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return style.escaped(os.fsdecode(value))
    return str(value) if column.number == "integer" else c_format(f"%.{digits}f", value)


def formatted(table: Sequence[Sequence[str]], n_labels: int, style: Style) -> Iterator[bytes]:
    """Yield the lines of a table.

    Parameters
    ----------
    table : the head and the rows, of cells as they are to be shown.
    n_labels : how many columns, the first ones, are text; the others stand to the right.
    """
    alignment = ["left"] * n_labels + ["right"] * (len(table[0]) - n_labels)
    text = tabulate.tabulate(
        list(table[1:]),
        headers=list(table[0]),
        tablefmt=style.format,
        disable_numparse=True,
        colalign=alignment,
        preserve_whitespace=True,
    )
    for line in text.splitlines():
        yield os.fsencode(line.rstrip()) + b"\n"

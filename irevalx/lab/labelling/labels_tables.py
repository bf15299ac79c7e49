"""The tables of irevalx-lab labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from typing import Any

from irevalx.lab.labelling.label_findings import RUN_STATISTICS, Finding
from irevalx.reports.table import Table
from irevalx.statistics.decisions import DECISION_COLUMNS

COLUMNS = tuple(field.name for field in fields(Finding))
"""The columns of the table of all findings."""

_NUMBERS = ("pairs", "pairs_human", "pairs_machine", "coverage", "coverage_machine")
_COEFFICIENTS = ("agreement", "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "ac1")


def findings_table(found: Iterable[Finding]) -> Table:
    """Return all findings, a row each."""
    return Table("labels", COLUMNS, [astuple(one) for one in found], n_labels=COLUMNS.index("value"))


def tables_for_people(found: Sequence[Finding]) -> list[Table]:
    """Return the same as several tables, without those that have nothing."""
    of_labels = [one for one in found if one.topic is None and one.measure is None]
    of_runs = [one for one in found if one.measure is not None]
    tables = [
        Table(
            "agreement of labels",
            ("statistic", "value", "low", "high"),
            [
                (one.statistic, *_value(one))
                for one in of_labels
                if one.statistic in {*_NUMBERS, *_COEFFICIENTS} and one.level is None
            ],
        ),
        _confusion(of_labels),
        Table(
            "labels cut at each level",
            ("level", "statistic", "value", "low", "high"),
            [(str(one.level), one.statistic, *_value(one)) for one in of_labels if one.level is not None],
            n_labels=2,
        ),
        _by_topic([one for one in found if one.topic is not None]),
        Table(
            "agreement of the scores of runs",
            ("measure", "statistic", "value", "low", "high"),
            [
                (one.measure, one.statistic, *_value(one))
                for one in of_runs
                if one.run is None and one.group is None and one.statistic in RUN_STATISTICS
            ],
            n_labels=2,
        ),
        _one_row_each(
            "decisions which runs differ",
            ("measure",),
            DECISION_COLUMNS,
            [one for one in of_runs if one.run is None and one.group is None],
        ),
        _with_interval("bias of runs", "run", ("bias", "rank_human", "rank_machine"), of_runs),
        _with_interval("bias of groups of runs", "group", ("bias", "excess_bias"), of_runs),
    ]
    return [table for table in tables if table.rows]


def _value(one: Finding) -> tuple[Any, ...]:
    return one.value, one.low, one.high


def _confusion(found: Sequence[Finding]) -> Table:
    """Return the numbers of documents, a row a human grade and a column a machine's; only grades in use."""
    cells = {(one.human, one.machine): one.value for one in found if one.statistic == "confusion"}
    used = sorted({grade for pair, number in cells.items() if number for grade in pair if grade is not None})
    rows = [(str(a), *(cells[a, b] for b in used)) for a in used]
    title = "confusion: documents with a human label (down) and a machine label (across)"
    return Table(title, ("human", *map(str, used)), rows)


def _by_topic(found: Sequence[Finding]) -> Table:
    names = (*_NUMBERS, *_COEFFICIENTS)
    chosen = [one for one in found if one.level is None]
    return _one_row_each("by topic", ("topic",), names, chosen)


def _one_row_each(title: str, labels: tuple[str, ...], names: Sequence[str], found: Sequence[Finding]) -> Table:
    """Return a row for each thing that findings are about, with their values beside each other."""
    values: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in found:
        if one.statistic in names:
            values.setdefault(tuple(getattr(one, label) for label in labels), {})[one.statistic] = one.value
    rows = [(*about, *(of_one.get(name) for name in names)) for about, of_one in values.items()]
    return Table(title, (*labels, *names), rows, n_labels=len(labels))


def _with_interval(title: str, about: str, names: Sequence[str], found: Sequence[Finding]) -> Table:
    """Return a row for each measure and run or group: values, with an interval behind those that have one."""
    chosen = [one for one in found if getattr(one, about) is not None]
    with_interval = {one.statistic for one in chosen if one.low is not None}
    columns = [
        column
        for name in names
        for column in ((name, f"{name}_low", f"{name}_high") if name in with_interval else (name,))
    ]
    rows: dict[tuple[Any, ...], list[Any]] = {}
    for one in chosen:
        row = rows.setdefault((one.measure, getattr(one, about)), [])
        row += _value(one) if one.statistic in with_interval else [one.value]
    return Table(title, ("measure", about, *columns), [(*key, *row) for key, row in rows.items()], n_labels=2)

"""Runs from tables, with an optional column that names the run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NoReturn, cast

import numpy as np

from irevalx.errors import ArgumentError, InputError, Warn
from irevalx.reading.column_names import RUN
from irevalx.reading.entries import Entries
from irevalx.reading.runs import RunStream, group_by_topic
from irevalx.reading.source import name_of_file
from irevalx.reading.tables.table_run import COLUMNS, TableRun
from irevalx.reading.tables.tables import ColumnTable, WholeTable
from irevalx.trec_eval.versions import Compat

if TYPE_CHECKING:
    from irevalx.reading.tables.arrow_tables import ArrowTable


def read_run_table(table: ColumnTable, compat: Compat, strict: bool, warn: Warn) -> RunStream:
    """Return the only run of a table; several runs raise ArgumentError."""
    return only_run(runs_of_table(table, name_of_file(table.path)), table.path).opened(compat, strict=strict)


def only_run(runs: Sequence[TableRun], path: str) -> TableRun:
    """Return the only run of a table; several runs raise ArgumentError."""
    if len(runs) == 1:
        return runs[0]
    raise ArgumentError(f"{path}: a table must have one run here, but its column 'run' names {len(runs)}")


def failing_run(path: str, error: InputError) -> RunStream:
    """Return a run that raises an error when it is read."""

    def fail(*_: object) -> NoReturn:
        raise error

    return RunStream(path, blocks=fail, again=fail, parse=fail)


def runs_of_table(table: ColumnTable, name: bytes) -> list[TableRun]:
    """Return the runs of a table in the order of their first rows; one called ``name`` without a column of run names.

    Columns are checked as far as that is fast; a missing column or a wrong value raises ArgumentError.
    """
    if not isinstance(table, WholeTable):
        from irevalx.reading.tables.arrow_runs import arrow_runs

        return arrow_runs(cast("ArrowTable", table), name)
    scores, topics, docnos, *of_runs = table.read(*COLUMNS, *((RUN,) if table.has(RUN) else ()))
    rows = np.arange(scores.size)
    names, each, order = group_by_topic(of_runs[0]) if of_runs and rows.size else ((name,), None, rows)
    places = np.split(rows[order], each.offsets[1:-1]) if each else [rows]
    blocks = [[Entries.of_rows(table.path, topics.take(at), docnos.take(at), scores[at], at + 1)] for at in places]
    return [
        TableRun(run, table.path, blocks=partial(iter, block), again=partial(iter, block))
        for run, block in zip(names, blocks, strict=True)
    ]

"""Runs from any source: files, and tables with one run, or one for each name in a column."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NoReturn, cast

import numpy as np

from irevalx.errors import ArgumentError, InputError
from irevalx.reading.column_names import DOCNO, RUN, SCORE, TOPIC
from irevalx.reading.grade_rules import Rules
from irevalx.reading.kinds.builder import Entries, TableRun
from irevalx.reading.kinds.runs import RunStream, group_by_topic
from irevalx.reading.sources.columns import ColumnTable, Rows, TableRows
from irevalx.reading.sources.files import name_of_file
from irevalx.reading.sources.text_rows import TextRows

if TYPE_CHECKING:
    from irevalx.reading.sources.json_objects import JsonObjects


def read_run(rows: Rows, rules: Rules) -> RunStream:
    """Open the only run of a source; a table of several runs raises ArgumentError."""
    if isinstance(rows, TextRows):
        from irevalx.reading.kinds.run_files import text_run

        return text_run(rows, rules)
    if not isinstance(rows, TableRows):
        from irevalx.reading.kinds.run_files import json_run

        return json_run(cast("JsonObjects", rows), rules)
    runs = runs_of_table(rows.table, name_of_file(rows.path), rules)
    if len(runs) == 1:
        return runs[0].opened(rules.compat, strict=rules.strict)
    raise ArgumentError(f"{rows.path}: a table must have one run here, but its column 'run' names {len(runs)}")


def failing_run(path: str, error: InputError) -> RunStream:
    """Return a run that raises an error when it is read."""

    def fail(*_: object) -> NoReturn:
        raise error

    return RunStream(path, blocks=fail, again=fail, parse=fail)


def runs_of_table(table: ColumnTable, name: bytes, rules: Rules) -> list[TableRun]:
    """Return the runs of a table in the order of their first rows; one called ``name`` without a column of run names.

    Columns are checked as far as that is fast; a missing column or a wrong value raises ArgumentError. Without scores,
    documents are ranked by their ranks, the lowest first.
    """
    if table.is_arrow:
        from irevalx.reading.kinds.arrow_runs import arrow_runs

        return arrow_runs(table, name)  # type: ignore[arg-type]
    number = table.number_of_run()
    columns = table.columns((number, TOPIC, DOCNO, *((RUN,) if table.has(RUN) else ())), rules)
    scores = columns["SCORE"] if number is SCORE else -columns["RANK"].astype(np.float64)
    rows = np.arange(scores.size)
    names, each, order = group_by_topic(columns["RUN"]) if "RUN" in columns and rows.size else ((name,), None, rows)
    places = np.split(rows[order], each.offsets[1:-1]) if each else [rows]
    topics, docnos, lines = columns["TOPIC"], columns["DOCNO"], columns.lines
    blocks = [[Entries.of_rows(table.path, topics.take(at), docnos.take(at), scores[at], lines[at])] for at in places]
    return [
        TableRun(run, table.path, blocks=partial(iter, block), again=partial(iter, block))
        for run, block in zip(names, blocks, strict=True)
    ]

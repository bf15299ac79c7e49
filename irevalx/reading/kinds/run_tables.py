"""Runs in JSON objects and in tables, which can contain several runs in a column of run names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NoReturn, cast

import numpy as np

from irevalx.arrays.segments import Segments
from irevalx.errors import ArgumentError, InputError
from irevalx.frozen import replace
from irevalx.reading.column_names import DOCNO, RANK, RUN, SCORE, TOPIC
from irevalx.reading.kinds.builder import Entries, TableRun
from irevalx.reading.kinds.runs import (
    OF_TABLES,
    ResultRows,
    RunStream,
    group_by_topic,
    rank_and_score_warnings,
    rank_like_scores,
)
from irevalx.reading.layout import Rules
from irevalx.reading.sources.columns import ColumnTable, TableRows, remedy_of_runs
from irevalx.reading.sources.files import as_column, name_of_file, stem_of
from irevalx.reading.sources.rows import Rows

if TYPE_CHECKING:
    from irevalx.reading.sources.json_objects import Documents, JsonObjects


def only_run(rows: Rows, rules: Rules) -> RunStream:
    """Open the run in a table or a JSON object. Raise ArgumentError if a table contains several runs."""
    if not isinstance(rows, TableRows):
        return json_run(cast("JsonObjects", rows), rules)
    runs = runs_of_table(rows.table, name_of_file(rows.path), rules)
    if len(runs) == 1:
        return runs[0].opened(rules.compat, strict=rules.strict)
    raise ArgumentError(f"{rows.path}: expected a table of one run, but its column 'run' names {len(runs)}")


def json_run(rows: JsonObjects, rules: Rules) -> RunStream:
    """Open the run in a JSON object.

    The name of the run is derived from the file name. The run is read when it is evaluated.
    """

    def parse(objects: JsonObjects, block: Documents) -> ResultRows:
        columns = objects.columns(block, rules)
        entries = Entries(
            rows.path,
            tuple(topic.encode("utf-8", "surrogatepass") for topic in block),
            Segments.of_lengths([len(documents) for documents in block.values()]),
            columns["DOCNO"],
            columns["SCORE"],
            columns.lines,
            columns.distinct,
        )
        results = entries.results(rules.compat, as_column(stem_of(rows.path)), strict=True)
        if not entries.topics:
            return replace(results, tag=None)
        warnings = rank_like_scores(
            rows.path, results.rows, results.scores, "to rank by rank, replace the numbers by negative ones"
        )
        return replace(results, sanity_warnings=(*results.sanity_warnings, *warnings))

    def run(objects: JsonObjects) -> RunStream:
        return RunStream(rows.path, blocks=objects.blocks, again=objects.again, parse=partial(parse, objects))

    return replace(run(rows), with_repeats=run(rows.with_repeats()))


def failing_run(path: str, error: InputError) -> RunStream:
    """Return a run that raises an error when it is read."""

    def fail(*_: object) -> NoReturn:
        raise error

    return RunStream(path, blocks=fail, again=fail, parse=fail)


def runs_of_table(table: ColumnTable, name: bytes, rules: Rules) -> list[TableRun]:
    """Return the runs in a table in order of first occurrence, or one run ``name`` if there are no run names."""
    _warn_of_ranks(table, rules)
    number, remedy = table.number_of_run(), remedy_of_runs(table.names)
    if table.is_arrow:
        from irevalx.reading.kinds.arrow_runs import arrow_runs

        runs = arrow_runs(table, name)  # type: ignore[arg-type]
        return [replace(run, remedy=remedy, by_rank=number is RANK) for run in runs]
    columns = table.columns((number, TOPIC, DOCNO, *((RUN,) if table.has(RUN) else ())), rules)
    scores = columns["SCORE"] if number is SCORE else -columns["RANK"].astype(np.float64)
    rows = np.arange(scores.size)
    names, each, order = group_by_topic(columns["RUN"]) if "RUN" in columns and rows.size else ((name,), None, rows)
    places = np.split(rows[order], each.offsets[1:-1]) if each else [rows]
    topics, docnos, lines = columns["TOPIC"], columns["DOCNO"], columns.lines
    blocks = [[Entries.of_rows(table.path, topics.take(at), docnos.take(at), scores[at], lines[at])] for at in places]
    return [
        TableRun(run, table.path, partial(iter, block), partial(iter, block), remedy=remedy, by_rank=number is RANK)
        for run, block in zip(names, blocks, strict=True)
    ]


def _warn_of_ranks(table: ColumnTable, rules: Rules) -> None:
    """Warn if ranks contradict scores in the first rows of a table. Only the first run is checked."""
    if not (table.has(RANK) and table.has(SCORE)):
        return
    try:
        first = table.first_rows(TOPIC, SCORE, RANK, *((RUN,) if table.has(RUN) else ()))
    except InputError:  # an invalid rank is ignored; other invalid values are reported later
        return
    topics, scores, ranks = first[:3]
    if first[3:] and scores.size:
        _, runs, order = group_by_topic(first[3])
        rows = np.arange(scores.size)[order][: runs.lengths[0]]
        topics, scores, ranks = topics.take(rows), scores[rows], ranks[rows]
    _, segments, order = group_by_topic(topics)
    for warning in rank_and_score_warnings(table.path, segments, scores[order], ranks[order], OF_TABLES):
        if warning.kind in {"distance", "scores for ranks"}:
            rules.warn(warning.line)

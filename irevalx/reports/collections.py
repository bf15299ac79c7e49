"""Tables of runs over several collections, as in papers: a row for each run and a column for each collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from irevalx.evaluation.collections import is_averaged
from irevalx.evaluation.columns import Column
from irevalx.frozen import replace
from irevalx.measures.counts import runid
from irevalx.process.platform import as_text
from irevalx.reports.report import EvaluationReport, Row, SummaryRow, best_rows, caption_of, overview_cell
from irevalx.reports.table import Table
from irevalx.wording import counts_by_run, spelled


def tables_of_collections(report: EvaluationReport) -> list[Table]:
    """Return a table for each measure, with a row for each run, a column for each collection, and one for their mean.

    For a single run, the only table has a row for each measure. The last column is empty for runs that lack a
    collection. The best run of each column is marked, as in ``overview``.
    """
    evaluations = report.evaluations
    summaries = [{row.group: row for row in report.summaries_of(evaluation)} for evaluation in evaluations]
    columns = {
        column.name: column
        for of_run in summaries
        for row in of_run.values()
        for column in row.columns
        if column.measure is not runid and column.summary is not None
    }
    names = tuple(dict.fromkeys(name for evaluation in evaluations for name in evaluation.parts))
    if evaluations[1:] or not columns:
        return [_table_of(column, names, summaries, report) for column in columns.values()]
    heads = ("measure", *names, _over_all(columns.values()))
    cells = [
        [name, *(overview_cell(_row_of(column, of_run.get(group), report), column, report.digits) for group in groups)]
        for of_run in summaries
        for groups in ((*names, ""),)
        for name, column in columns.items()
    ]
    table = Table("values", heads, cells, heads=heads, names=())
    return [replace(table, caption=(*_caption(heads, report), *caption_of(report, {}))) if report.notes else table]


def _over_all(columns: Iterable[Column]) -> str:
    """Return the head of the column with the values over all collections."""
    kinds = {"mean" if is_averaged(column) else "sum" for column in columns}
    return kinds.pop() if len(kinds) == 1 else "all"


def _table_of(
    column: Column, names: Sequence[str], summaries: Sequence[Mapping[str, SummaryRow]], report: EvaluationReport
) -> Table:
    """Return the values of a measure, with the best value of each column."""
    heads = ("run", *names, _over_all([column]))
    runs = [as_text(evaluation.run) for evaluation in report.evaluations]
    cells, best = [[run] for run in runs], dict[str, set[int]]()
    for head, group in zip(heads[1:], (*names, ""), strict=True):
        rows = [_row_of(column, of_run.get(group), report) for of_run in summaries]
        for of_run, row in zip(cells, rows, strict=True):
            of_run.append(overview_cell(row, column, report.digits))
        with_value = [number for number, row in enumerate(rows) if row.values]
        for places in best_rows([rows[number] for number in with_value], [column]).values():
            best[head] = {with_value[place] for place in places}
    table = Table(f"values of {column.name}", heads, cells, best=best, heads=(column.name, *heads[1:]), is_matrix=True)
    if not report.notes:
        return table
    return replace(
        table, caption=(*_caption(heads, report), *caption_of(report, best)), notes=tuple(_notes(names, report))
    )


def _caption(heads: Sequence[str], report: EvaluationReport) -> Iterator[str]:
    """Yield sentences on the last column of a table with the columns ``heads``."""
    if heads[-1] == "mean":
        yield f"mean: over the {len(heads) - 2} collections, which have equal weight."
        if report.intervals:
            yield "Intervals of the mean apply to these collections: only the topics are treated as a sample."


def _notes(names: Sequence[str], report: EvaluationReport) -> Iterator[str]:
    """Yield a note on each collection on which the runs are evaluated over different topics."""
    for name in () if report.complete else names:
        parts = {as_text(each.run): each.parts[name] for each in report.evaluations if name in each.parts}
        if len({part.topics for part in parts.values()}) > 1:
            counts = counts_by_run({run: len(part.topics) for run, part in parts.items()})
            yield (
                f"The runs are evaluated over different topics of {name} ({counts}), so no best value is marked there; "
                f"use {spelled('complete', True)} to evaluate all runs over all judged topics."
            )


def _row_of(column: Column, summaries: SummaryRow | None, report: EvaluationReport) -> Row:
    """Return the value of a measure in a summary as a row. If there is no such value, the row has no value."""
    values = [each.summary for each in summaries.columns if each.name == column.name] if summaries else []
    known = [value for value in values if value is not None]
    if summaries is None or not known:
        return Row((), "", (), {})
    over = () if report.complete else summaries.topics
    return Row((), "", over, {column.name: known[0]}, summaries.ends)

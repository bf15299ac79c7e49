"""Tables of runs evaluated on several collections, with a row for each run and a column for each collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from irevalx.evaluation.collections import is_averaged
from irevalx.evaluation.columns import Column
from irevalx.frozen import replace
from irevalx.measures.counts import runid
from irevalx.process.platform import as_text
from irevalx.reports.report import ALL, EvaluationReport, caption_of, overview, topic_of
from irevalx.reports.table import Table
from irevalx.wording import counts_by_run, spelled


def tables_of_collections(report: EvaluationReport) -> list[Table]:
    """Return a table for each measure, with a row for each run, and columns for each collection and for their mean.

    If there is a single run, there is one table with a row for each measure. The last column is empty for runs that
    were not evaluated on every collection. The best run of each column is marked, as in ``overview``.
    """
    parts = [evaluation.parts for evaluation in report.evaluations]
    names = tuple(dict.fromkeys(name for of_run in parts for name in of_run))
    every = (column for of_run in parts for part in of_run.values() for column in part.columns)
    columns = {each.name: each for each in every if each.measure is not runid and each.summary is not None}
    topics = (*map(topic_of, names), ALL)
    tables = []
    for long in overview(report) if columns else ():
        if parts[1:]:
            wide = [long.pivot(("run",), "topic", name).showing("run", *topics) for name in columns]
            each = [*zip(columns, [[column] for column in columns.values()], wide, strict=True)]
        else:
            each = [("measure", list(columns.values()), long.showing("topic", *columns).transposed())]
        for head, of_table, table in each:
            heads = (head, *names, _over_all(of_table))
            more: dict[str, Any] = {"title": f"values of {head}", "is_matrix": True} if parts[1:] else {}
            if report.notes:
                more["caption"] = (*_caption(heads, report), *caption_of(report, table.best))
                more["notes"] = tuple(_notes(names, report))
            tables.append(replace(table, heads=heads, names=("run",), **more))
    return tables


def _over_all(columns: Iterable[Column]) -> str:
    """Return the heading of the column that combines all collections: mean, sum, or all for mixed measures."""
    kinds = {"mean" if is_averaged(column) else "sum" for column in columns}
    return kinds.pop() if len(kinds) == 1 else "all"


def _caption(heads: Sequence[str], report: EvaluationReport) -> Iterator[str]:
    """Yield sentences about the last column of a table, given the column headings."""
    if heads[-1] == "mean":
        yield f"mean: over the {len(heads) - 2} collections, which have equal weight."
        if report.intervals:
            yield "Intervals of the mean apply to these collections: only the topics are treated as a sample."


def _notes(names: Sequence[str], report: EvaluationReport) -> Iterator[str]:
    """Yield a note for each collection on which the runs are evaluated over different topics."""
    for name in () if report.complete else names:
        parts = {as_text(each.run): each.parts[name] for each in report.evaluations if name in each.parts}
        if len({part.topics for part in parts.values()}) > 1:
            counts = counts_by_run({run: len(part.topics) for run, part in parts.items()})
            yield (
                f"The runs are evaluated over different topics of {name} ({counts}), so no best value is marked there; "
                f"use {spelled('complete', True)} to evaluate all runs over all judged topics."
            )

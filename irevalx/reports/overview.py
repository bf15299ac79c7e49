"""Evaluations compared in a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isnan, nan
from typing import Any

from irevalx.declarations import spelled
from irevalx.evaluation.columns import Column, Ends
from irevalx.evaluation.evaluate import Evaluation
from irevalx.frozen import Frozen
from irevalx.measures.counts import runid
from irevalx.process.system import as_text
from irevalx.reports.report import EvaluationReport, with_number
from irevalx.reports.table import Table
from irevalx.trec_eval.numbers import c_format


class _Row(Frozen):
    """The values of a run for a topic or for all topics."""

    labels: tuple[str, ...]  # run, topic, or both
    group: str  # rows of one group compete for the best value
    over: tuple[bytes, ...]  # the topics that were averaged; only rows with equal topics compete
    values: dict[str, Any]  # by printed name
    ends: Mapping[str, Ends] = {}  # intervals, by printed name


def overview(report: EvaluationReport) -> list[Table]:
    """Return a table with one row per run and one column per measure, or one row per measure for a single run.

    The best of several runs is marked in each column, except for counts and summaries over different topics. With
    ``per_topic`` there is one row per topic (and run), and the best run of each topic is marked; topic groups have one
    row each, with the number of topics. Empty if neither topics nor summaries are requested.
    """
    per_topic, summary = report.per_topic, report.summary
    if not summary and not per_topic:
        return []
    several = len(report.evaluations) > 1
    columns = {
        column.name: column
        for evaluation in report.evaluations
        for column in _columns(evaluation, report)
        if column.measure is not runid and (column.measure.per_topic or summary)
    }
    rows = [row for evaluation in report.evaluations for row in _rows(evaluation, report, several=several)]
    cells = [[*row.labels, *(_cell(row, column, report.digits) for column in columns.values())] for row in rows]
    by_topic = per_topic or _has_groups(report)
    labels = ["run", "topic"] if several and by_topic else ["topic"] if by_topic else ["run"]
    heads = (*labels, *columns)
    best = _best(rows, columns.values()) if several else {}
    if not several and not by_topic:
        heads, *cells = zip(heads, *cells, strict=True)  # type: ignore[assignment]
    notes = tuple(_notes(report, best, several=several)) if report.notes else ()
    return [Table("values", tuple(heads), cells, n_labels=len(labels), best=best, heads=tuple(heads), notes=notes)]


MOST_RUNS_NAMED = 6
"""Maximum number of runs that a note on coverage names."""


def coverage_note(depth: int, runs: Sequence[str], judged: Sequence[float]) -> str:
    """Return a sentence about the share of judged documents among the first ``depth`` of each run."""
    each = {run: f"{share:.4f}" for run, share in zip(runs, judged, strict=True)}
    if len(set(each.values())) == 1:
        shares = f"{next(iter(each.values()))} for each run"
    elif len(each) <= MOST_RUNS_NAMED:
        shares = ", ".join(f"{run} {share}" for run, share in each.items())
    else:
        least, most = min(each, key=each.__getitem__), max(each, key=each.__getitem__)
        shares = f"from {each[least]} ({least}) to {each[most]} ({most})"
    return f"judged@{depth} (share of judged documents among the first {depth}): {shares}."


def _has_groups(report: EvaluationReport) -> bool:
    """Return whether there are rows of topic groups."""
    return report.summary and bool(report.groups)


def _columns(evaluation: Evaluation, report: EvaluationReport) -> Sequence[Column]:
    """Return the columns of a run; with topic groups, also the number of topics."""
    return with_number(evaluation.columns, len(evaluation.topics)) if _has_groups(report) else evaluation.columns


def _notes(report: EvaluationReport, best: Mapping[str, Collection[int]], *, several: bool) -> Iterator[str]:
    """Yield the notes below a table of several runs: marks, coverage, and different topics."""
    if report.intervals and report.intervals.method == "bootstrap":
        how = report.intervals
        yield f"Intervals are from a bootstrap (BCa) with {how.resamples} resamples and seed {how.seed}."
    if not several:
        return
    if any(best.values()):
        yield "{best} marks the best value; it is no claim of significance."
    judged = [evaluation.judged_at_10 for evaluation in report.evaluations if evaluation.judged_at_10 is not None]
    if len(judged) == len(report.evaluations):
        yield coverage_note(10, [as_text(evaluation.run) for evaluation in report.evaluations], judged)
    if not report.complete and len({evaluation.topics for evaluation in report.evaluations}) > 1:
        counts = ", ".join(f"{as_text(evaluation.run)} {len(evaluation.topics)}" for evaluation in report.evaluations)
        yield (
            f"The runs are evaluated over different topics ({counts}), so no best mean is marked; use "
            f"{spelled('complete', True)} to evaluate all runs over all judged topics."
        )


def _rows(evaluation: Evaluation, report: EvaluationReport, *, several: bool) -> Iterator[_Row]:
    """Yield the rows of a run, labelled with its name if there are several runs."""
    run = as_text(evaluation.run)
    name = (run,) if several else ()
    if report.per_topic:
        columns_of_topics = [
            (column.name, column.of_topics())
            for column in evaluation.columns
            if column.measure.per_topic and column.values is not None
        ]
        for place, topic in enumerate(map(as_text, evaluation.topics)):
            yield _Row((*name, topic), topic, (), {column: values[place] for column, values in columns_of_topics})
    for row in report.summaries_of(evaluation):
        labels = (*name, row.topic) if report.per_topic or report.groups else (run,)
        columns = with_number(row.columns, row.n_topics) if report.groups else row.columns
        summaries = {column.name: column.summary for column in columns if column.summary is not None}
        yield _Row(labels, row.topic, () if report.complete else row.topics, summaries, row.ends)


def _best(rows: Sequence[_Row], columns: Iterable[Column]) -> dict[str, set[int]]:
    """Return, per column that is not a count, the rows with the best value of their group; none if all are equal."""
    groups: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(row.group, []).append(place)
    best_rows: dict[str, set[int]] = {}
    for column in columns:
        if not column.measure.higher_is_better:
            continue
        best_rows[column.name] = set()
        for places in groups.values():
            if len({rows[place].over for place in places}) > 1:
                continue
            values = {place: rows[place].values.get(column.name) for place in places}
            known = {place: value for place, value in values.items() if value is not None and not isnan(value)}
            if len(set(known.values())) > 1:
                best = max(known.values())
                best_rows[column.name] |= {place for place, value in known.items() if value == best}
    return best_rows


def _cell(row: _Row, column: Column, digits: int) -> str:
    """Return value and interval of a row like trec_eval prints them, with this number of decimals."""
    value = row.values.get(column.name)
    low, high = row.ends.get(column.name, (nan, nan))
    if not isnan(low):
        text, *ends = (c_format(f"%.{digits}f", number) for number in (row.values[column.name], low, high))
        return f"{text} [{', '.join(ends)}]"
    if value is None:
        return ""
    if isinstance(value, bytes):
        return as_text(value)
    return str(value) if column.number == "integer" else c_format(f"%.{digits}f", value)

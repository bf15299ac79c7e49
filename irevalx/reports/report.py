"""Conversion of evaluations to lines of trec_eval or to an overview table."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.errors import RunWarning, printable
from irevalx.evaluation.collections import intervals_over
from irevalx.evaluation.columns import Column, Ends, intervals_of, is_mean, is_proportion, why_no_interval
from irevalx.evaluation.evaluate import Evaluation, averaged_topics, in_group, with_collections_of_topics
from irevalx.frozen import Frozen, replace
from irevalx.measures.counts import num_q, runid
from irevalx.measures.summaries import Values, as_list
from irevalx.process.platform import as_bytes, as_text
from irevalx.reports.best import marked_as_best
from irevalx.reports.table import Table
from irevalx.trec_eval import c_format
from irevalx.wording import MOST_NAMED, counts_by_run, first_names, spelled

if TYPE_CHECKING:
    from irevalx.statistics.confidence_intervals import MeanIntervals

ALL = "all"
"""The text in the topic column of a summary."""

LOW, HIGH = "low", "high"
"""The words in the topic column that denote the bounds of an interval. Topic groups cannot have these names."""


class SummaryRow(Frozen):
    """The summary values of a run over all topics, or over a group of topics."""

    group: str  # the name of the group, or "" for all topics
    topics: tuple[bytes, ...]  # the evaluated topics
    columns: Sequence[Column]  # in print order; columns of a group include num_q and omit the run tag
    ends: Mapping[str, Ends]  # from printed names to intervals, NaN if undefined; only for means

    @property
    def n_topics(self) -> int:
        """The number of evaluated topics."""
        return len(self.topics)

    @property
    def topic(self) -> str:
        """The text in the topic column: "all", or "all:GROUP" for a topic group."""
        return topic_of(self.group)


def topic_of(group: str, end: str = "") -> str:
    """Return the text in the topic column for a group, or for a bound of an interval."""
    return ":".join(filter(None, (ALL, group, end)))


def summary_rows(
    evaluation: Evaluation, groups: Mapping[str, frozenset[bytes]] | None = None, intervals: MeanIntervals | None = None
) -> list[SummaryRow]:
    """Return the summary rows of a run. Groups without an evaluated topic are omitted.

    If the run was evaluated on several collections, the summary of each collection precedes the summary over all
    collections.
    """
    if evaluation.parts:
        rows = [
            replace(row, group=name, columns=without_tag(row.columns))
            for name, part in evaluation.parts.items()
            for row in summary_rows(part, None, intervals)
        ]
        ends = {} if intervals is None else intervals_over(evaluation, intervals)
        topics = tuple(chain.from_iterable(part.topics for part in evaluation.of_collections))
        return [*rows, SummaryRow("", topics, evaluation.columns, ends)]
    by_group = {"": evaluation} | {group: in_group(evaluation, topics) for group, topics in (groups or {}).items()}
    rows = []
    for group, grouped in by_group.items():
        if grouped is not None:
            columns = with_number(grouped.columns, len(grouped.topics)) if group else grouped.columns
            ends = (
                {}
                if intervals is None
                else intervals_of(columns, intervals, intervals.clusters_of(averaged_topics(grouped)))
            )
            rows.append(SummaryRow(group, grouped.topics, columns, ends))
    return rows


FEW_TOPICS = 10
"""The number of topics below which an interval causes a warning."""


def interval_notes(evaluations: Sequence[Evaluation], how: MeanIntervals | None) -> Iterator[str]:
    """Yield a sentence about each set of clusters, and a sentence that lists the measures with Wilson intervals."""
    if how and how.cluster_of:
        yield from dict.fromkeys(
            f"Intervals are cluster-robust (CR2, {clusters.degrees}): {clusters}."
            for of_run in evaluations
            for evaluation in of_run.of_collections
            if (clusters := how.clusters_of(averaged_topics(evaluation))) is not None and not clusters.are_too_few
        )
    columns = [column for run in evaluations for evaluation in run.of_collections for column in evaluation.columns]
    if how and (names := dict.fromkeys(column.name for column in columns if is_proportion(column, how))):
        yield f"Wilson's interval of a proportion is printed for {', '.join(names)}, because topic values are 0 or 1."


def interval_warnings(
    rows: Sequence[SummaryRow], how: MeanIntervals, run: str, *, has_collections: bool = False
) -> Iterator[RunWarning]:
    """Yield warnings about summaries of a run that have no interval, and about unreliable intervals.

    An interval is unreliable if the number of topics is small, or if the interval extends beyond the range of the
    measure, which the bootstrap avoids.
    """
    sizes = {
        row.topic: max((column.n_averaged for column in row.columns if is_mean(column)), default=FEW_TOPICS)
        for row in rows
    }
    of_rows: dict[str, list[str]] = {
        "no interval of {}, which is over fewer than 2 topics": [topic for topic, size in sizes.items() if size < 2]
    }
    # The bootstrap supports neither clusters nor several collections.
    remedy = "" if how.cluster_of or has_collections else f"; {_REMEDY}"
    for row in rows:
        without: dict[str, list[str]] = {}
        for column in row.columns if sizes[row.topic] > 1 else ():
            if reason := why_no_interval(column, how):
                without.setdefault(reason, []).append(column.name)
        for reason, names in without.items():
            of_rows.setdefault(f"no interval for {', '.join(names)} ({{}}): {reason}", []).append(row.topic)
        beyond = [column.name for column in row.columns if _is_beyond(row.ends.get(column.name), column)]
        if beyond:
            text = f"the interval of {', '.join(beyond)} ({{}}) extends beyond the range of the measure{remedy}"
            of_rows.setdefault(text, []).append(row.topic)
    few = f"the interval of {{}} is over fewer than {FEW_TOPICS} topics; interpret it with caution"
    of_rows[few] = [topic for topic, size in sizes.items() if 2 <= size < FEW_TOPICS]
    for text, topics in of_rows.items():
        if topics:
            listed = first_names(topics, "group") if len(topics) > MOST_NAMED else ", ".join(topics)
            yield RunWarning(text, f"{run}: {text.format(listed)}", len(topics))


_REMEDY = "--ci-method bootstrap computes intervals within the range"


def _is_beyond(ends: Ends | None, column: Column) -> bool:
    """Return whether an interval extends beyond the range of a measure although no value does."""
    if ends is None or column.values is None:
        return False
    possible = column.measure.value_range
    low, high = np.nanmin(column.values), np.nanmax(column.values)
    return bool(ends[0] < possible.low <= low or ends[1] > possible.high >= high)


def with_number(columns: Sequence[Column], n_topics: int) -> tuple[Column, ...]:
    """Remove the run tag from columns. If no column contains the number of topics, add one."""
    others = without_tag(columns)
    if any(column.measure is num_q for column in others):
        return others
    return (Column(num_q.name, num_q, None, n_topics), *others)


def without_tag(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns of a report without the column of the run tag."""
    return tuple(column for column in columns if column.measure is not runid)


class EvaluationReport(Frozen, kw_only=True):
    """The evaluations to print, together with the settings of the output."""

    evaluations: Sequence[Evaluation]
    """The evaluations, in the order of the runs."""
    per_topic: bool
    """Whether the values of single topics are printed (``-q``)."""
    summary: bool
    """Whether the summary values are printed (unless ``-n``)."""
    headed: bool = False
    """Whether the name of each run is printed before its lines, because there are several runs."""
    complete: bool = False
    """Whether all judged topics are averaged (``-c``)."""
    notes: bool = True
    """Whether notes below a table explain the table (unless ``--quiet``)."""
    intervals: MeanIntervals | None = None
    """The method for computing intervals (``--ci``), or None if no intervals are printed."""
    groups: Mapping[str, frozenset[bytes]] = {}
    """The topic groups for which summaries are printed (``--topic-groups``), and their topics."""
    digits: int
    """The number of decimals of real numbers in displayed tables."""
    width: int | None = None
    """The width of the terminal, or None if the output is not a terminal."""
    about: Mapping[str, Any]
    """A description of how values were computed (version, options, inputs and warnings), for formats with
    ``shows_inputs``."""

    @property
    def has_collections(self) -> bool:
        """Whether runs are evaluated on several collections."""
        return any(evaluation.parts for evaluation in self.evaluations)

    @property
    def by_topic(self) -> bool:
        """Whether the rows of tables have a topic, such as ``all:GROUP``, and not only a run."""
        return self.per_topic or self.has_collections or _has_groups(self)

    def summaries_of(self, evaluation: Evaluation) -> list[SummaryRow]:
        """Return the requested summary rows of a run. The summaries over all topics come first."""
        return summary_rows(evaluation, self.groups, self.intervals) if self.summary else []


class Row(Frozen):
    """The measure values of a run for one topic or for all topics."""

    labels: tuple[str, ...]  # run, topic, or both
    group: str  # the best value of each group of rows is marked
    over: tuple[bytes, ...]  # the topics that were averaged; only rows with equal topics compete
    values: dict[str, Any]  # from printed names to values
    ends: Mapping[str, Ends] = {}  # from printed names to intervals


def overview(report: EvaluationReport) -> list[Table]:
    """Return a table that compares runs, with a row for each run and a column for each measure.

    For a single run, the table has a row for each measure. The best of several runs is marked in each column, except
    for counts and for summaries over different topics. If ``per_topic`` is true, there is one row per topic (and run),
    and the best run of each topic is marked. Each topic group has one row, with the number of topics. No table is
    returned if neither topics nor summaries are requested.
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
    cells = [[*row.labels, *(overview_cell(row, column, report.digits) for column in columns.values())] for row in rows]
    labels = ["run", "topic"] if several and report.by_topic else ["topic"] if report.by_topic else ["run"]
    heads = (*labels, *columns)
    best = best_rows(rows, columns.values()) if several else {}
    if not several and not report.by_topic:
        heads, *cells = zip(heads, *cells, strict=True)  # type: ignore[assignment]
    names = ("run",) if several else ()
    table = Table("values", tuple(heads), cells, n_labels=len(labels), best=best, heads=tuple(heads), names=names)
    if not report.notes:
        return [table]
    return [replace(table, caption=tuple(caption_of(report, best)), notes=tuple(_notes(report)) if several else ())]


MOST_RUNS_NAMED = 6
"""The maximum number of runs that a note about coverage lists."""


JUDGED = "judged_among_retrieved"
"""The name of the column with the fraction of judged documents among the first K retrieved documents, averaged over the
topics with results. The measure judged@K divides by K instead."""


def judged_among_retrieved(depth: int | str = "K") -> str:
    """Return the heading of the column ``JUDGED``, including the cutoff."""
    return f"{JUDGED.replace('_', ' ')}@{depth}"


def coverage_note(depth: int, runs: Sequence[str], judged: Sequence[float]) -> str:
    """Return a sentence that states the fraction of judged documents in the top ``depth`` documents of each run."""
    each = {run: f"{share:.4f}" for run, share in zip(runs, judged, strict=True)}
    if len(set(each.values())) == 1:
        shares = f"{next(iter(each.values()))} for each run"
    elif len(each) <= MOST_RUNS_NAMED:
        shares = ", ".join(f"{run} {share}" for run, share in each.items())
    else:
        least, most = min(each, key=each.__getitem__), max(each, key=each.__getitem__)
        shares = f"from {each[least]} ({least}) to {each[most]} ({most})"
    return f"{judged_among_retrieved(depth)} (judged share of the first {depth} retrieved documents): {shares}."


def judged_in_words(judged: Mapping[str, float], depth: int) -> str:
    """Return a summary sentence that states the fraction of judged documents in the top documents of runs."""
    least, most = min(judged, key=judged.__getitem__), max(judged, key=judged.__getitem__)
    of = f"Of the first {depth} documents" if depth > 1 else "Of the documents at rank 1"
    if judged[least] == judged[most]:
        return f"{of} of {'each' if judged.keys() - {least} else 'the'} run, {percent(judged[least])} are judged."
    return f"{of}, {percent(judged[least])} ({least}) to {percent(judged[most])} ({most}) are judged."


def percent(share: float) -> str:
    """Return a fraction as a percentage with at most one decimal. Only 0 and 1 become 0% and 100%."""
    text = f"{100 * share:.1f}".removesuffix(".0")
    if share < 1 and text == "100":
        text = "more than 99.9"
    if share > 0 and text == "0":
        text = "less than 0.1"
    return f"{text}%"


def _has_groups(report: EvaluationReport) -> bool:
    return report.summary and bool(report.groups)


def _columns(evaluation: Evaluation, report: EvaluationReport) -> Sequence[Column]:
    """Return the columns of a run. If there are topic groups, include the number of topics."""
    return with_number(evaluation.columns, len(evaluation.topics)) if _has_groups(report) else evaluation.columns


def caption_of(report: EvaluationReport, best: Mapping[str, Collection[int]]) -> Iterator[str]:
    """Yield the sentences that explain the intervals and the marks in a table."""
    if report.intervals and report.intervals.is_bootstrap:
        how = report.intervals
        yield f"Intervals are from a bootstrap (BCa) with {how.resamples} resamples and seed {how.seed}."
    yield from interval_notes(report.evaluations, report.intervals)
    if any(best.values()):
        yield "{best} marks the best value; it is no claim of significance."


def _notes(report: EvaluationReport) -> Iterator[str]:
    """Yield notes that compare the coverage and the topics of several runs."""
    judged = [
        evaluation.judged_among_retrieved_10
        for evaluation in report.evaluations
        if evaluation.judged_among_retrieved_10 is not None
    ]
    if judged and all(map(isnan, judged)):
        yield "Only relevant documents are judged, so the share of judged documents is not informative."
    elif len(judged) == len(report.evaluations):
        yield coverage_note(10, [as_text(evaluation.run) for evaluation in report.evaluations], judged)
    if not report.complete and len({evaluation.topics for evaluation in report.evaluations}) > 1:
        counts = counts_by_run({as_text(evaluation.run): len(evaluation.topics) for evaluation in report.evaluations})
        yield (
            f"The runs are evaluated over different topics ({counts}), so no best mean is marked; use "
            f"{spelled('complete', True)} to evaluate all runs over all judged topics."
        )


def _rows(evaluation: Evaluation, report: EvaluationReport, *, several: bool) -> Iterator[Row]:
    """Yield the rows of a run. If there are several runs, each row contains the name of the run."""
    run = as_text(evaluation.run)
    name = (run,) if several else ()
    for part in with_collections_of_topics(evaluation) if report.per_topic else ():
        columns_of_topics = [
            (column.name, column.of_topics())
            for column in part.columns
            if column.measure.per_topic and column.values is not None
        ]
        for place, topic in enumerate(map(as_text, part.topics)):
            yield Row((*name, topic), topic, (), {column: values[place] for column, values in columns_of_topics})
    for row in report.summaries_of(evaluation):
        labels = (*name, row.topic) if report.by_topic else (run,)
        columns = with_number(row.columns, row.n_topics) if report.groups else row.columns
        summaries = {column.name: column.summary for column in columns if column.summary is not None}
        yield Row(labels, row.topic, () if report.complete else row.topics, summaries, row.ends)


def best_rows(rows: Sequence[Row], columns: Iterable[Column]) -> dict[str, set[int]]:
    """Return the rows with the best value of their group, for each column in which one direction is better."""
    groups: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(row.group, []).append(place)
    best_rows: dict[str, set[int]] = {}
    for column in columns:
        if not column.measure.direction:
            continue
        best_rows[column.name] = set()
        for places in groups.values():
            if len({rows[place].over for place in places}) == 1:
                values = [rows[place].values.get(column.name) for place in places]
                best_rows[column.name] |= {places[best] for best in marked_as_best(values, column.measure.direction)}
    return best_rows


def overview_cell(row: Row, column: Column, digits: int) -> str:
    """Return the value in a row as text, with the interval if there is one, in the number format of trec_eval."""
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


_PLAIN_CELLS = {"real": b"%6.4f", "integer": b"%d", "text": b"'%b'"}
"""The format of a topic value other than NaN, for each kind of number in ``Column.number``."""

_BREAKS = re.compile(rb"[\t-\r]")
"""Tabs, line breaks and form feeds, which would split an output line."""

_TOPICS_AT_ONCE = 1000
"""The number of topics whose values are converted to Python numbers at a time, to limit memory."""


def trec_lines(
    evaluation: Evaluation, summaries: Sequence[SummaryRow], *, per_topic: bool, headed: bool = False
) -> Iterator[bytes]:
    """Yield the lines of trec_eval, which consist of name, topic and value.

    An element contains the lines of some topics, or one line.

    If ``per_topic`` is true, the lines of topics come first. If ``headed`` is true, the run tag comes first, unless the
    `all` lines contain the run tag or no line is printed. Summaries can be passed only if all topics were evaluated.
    """
    of_topics = map(_topic_lines, with_collections_of_topics(evaluation)) if per_topic else ()
    lines = chain(*of_topics, *map(_summary_lines, summaries))
    first = next(lines, None)
    if first is None:
        return
    columns = [column for row in summaries for column in row.columns]
    has_name = any(column.measure is runid and column.summary is not None for column in columns)
    if headed and not has_name:
        yield b"%b\t%b\t%b\n" % (_label(runid.name), as_bytes(ALL), one_line(evaluation.run))
    yield first
    yield from lines


def _topic_lines(evaluation: Evaluation) -> Iterator[bytes]:
    columns = [column for column in evaluation.columns if column.measure.per_topic and column.values is not None]
    topics: Sequence[bytes] = evaluation.topics
    if _BREAKS.search(b" ".join(topics)):
        topics = list(map(one_line, topics))
    if any(column.has_value is not None and not column.has_value.all() for column in columns):
        yield from _lines_with_gaps(topics, columns)
        return
    for first in range(0, len(topics) if columns else 0, _TOPICS_AT_ONCE):
        which = slice(first, first + _TOPICS_AT_ONCE)
        yield _lines_of_topics([(column, column.values[which]) for column in columns], topics[which])  # type: ignore[index]


def _lines_of_topics(columns: Sequence[tuple[Column, Values]], topics: Sequence[bytes]) -> bytes:
    """Return the lines of topics. The lines of topics with equal values are formatted once and differ in the topic."""
    keys, mark, template, cells = topics, b"\0", b"", []
    texts = [value for _, values in columns if isinstance(values, list) for value in values]
    while any(mark in text for text in texts):
        mark += b"\0"
    if not texts:
        rows = np.concatenate(
            [np.ascontiguousarray(of).view(np.uint8).reshape(len(topics), -1) for _, of in columns], 1
        )
        keys = rows.view(f"V{rows.shape[1]}").ravel().tolist()
    places = dict(zip(keys, range(len(keys)), strict=True))
    for column, values in columns:
        cell, numbers = _PLAIN_CELLS[column.number], values
        if isinstance(numbers, np.ndarray):
            numbers = numbers[list(places.values())]
        if column.number == "real" and np.isnan(numbers).any():
            cell, numbers = b"%b", [_trec_cell(value, "real") for value in numbers]
        template += b"%b\t%b\t%b\n" % (_label(column.name, is_zscore=column.is_zscore).replace(b"%", b"%%"), mark, cell)
        cells.append(as_list(numbers))
    lines = dict(zip(places, map(template.__mod__, zip(*cells, strict=True)), strict=True))
    return b"".join([lines[key].replace(mark, topic) for topic, key in zip(topics, keys, strict=True)])


def _lines_with_gaps(topics: Sequence[bytes], columns: Sequence[Column]) -> Iterator[bytes]:
    """Yield the lines of all topics. A measure that has no value for a topic is omitted."""
    values = [column.of_topics() for column in columns]
    labels = [_label(column.name, is_zscore=column.is_zscore) for column in columns]
    for topic, *of_topic in zip(topics, *values, strict=True):
        for label, column, value in zip(labels, columns, of_topic, strict=True):
            if value is not None:
                yield b"%b\t%b\t%b\n" % (label, topic, _trec_cell(value, column.number))


def _summary_lines(row: SummaryRow) -> Iterator[bytes]:
    """Yield a line for the summary of each measure, and two lines for its interval."""
    for column in row.columns:
        if column.summary is not None:
            number = "tag" if column.number == "text" else column.number
            label = _label(column.name, is_zscore=column.is_zscore)
            yield b"%b\t%b\t%b\n" % (label, one_line(as_bytes(row.topic)), _trec_cell(column.summary, number))
            for end, value in zip((LOW, HIGH), row.ends.get(column.name, ()), strict=False):
                if not math.isnan(value):
                    yield b"%b\t%b\t%b\n" % (label, as_bytes(topic_of(row.group, end)), _trec_cell(value, "real"))


def one_line(name: bytes) -> bytes:
    """Escape line breaks and tabs in a name, because names from JSON files and tables can contain them."""
    return _BREAKS.sub(lambda match: printable(match[0]).encode(), name)


def _label(name: str, *, is_zscore: bool = False) -> bytes:
    return b"Z" * is_zscore + as_bytes(name).ljust(22)


def _trec_cell(value: float | bytes, number: str) -> bytes:
    if isinstance(value, bytes):
        return b"'%b'" % value if number == "text" else one_line(value)
    return (b"%d" % value) if number == "integer" else c_format("%6.4f", value).encode()

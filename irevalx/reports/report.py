"""Evaluations to be printed, and summaries over all topics and over topic groups, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irevalx.evaluation.columns import Column, Ends, intervals_of, is_mean, why_no_interval
from irevalx.evaluation.evaluate import Evaluation, in_group
from irevalx.frozen import Frozen
from irevalx.measures.counts import num_q, runid

if TYPE_CHECKING:
    from irevalx.statistics.mean_intervals import MeanIntervals

ALL = "all"
"""The topic column of a summary."""

LOW, HIGH = "low", "high"
"""The names of interval ends, which groups cannot have."""


class SummaryRow(Frozen):
    """The summaries of a run, over all topics or over a topic group."""

    group: str  # name of the group; "" for all topics
    topics: tuple[bytes, ...]  # the evaluated topics
    columns: Sequence[Column]  # in print order; those of a group include the number of topics and omit the run tag
    ends: Mapping[str, Ends]  # intervals by printed name, nan if undefined; only for means

    @property
    def n_topics(self) -> int:
        """The number of evaluated topics."""
        return len(self.topics)

    @property
    def topic(self) -> str:
        """The text in place of a topic: ``all``, or ``all:GROUP``."""
        return topic_of(self.group)


def topic_of(group: str, end: str = "") -> str:
    """Return the text in place of a topic for a group, and for one end of its interval."""
    return ":".join(filter(None, (ALL, group, end)))


def summary_rows(
    evaluation: Evaluation, groups: Mapping[str, frozenset[bytes]] | None = None, intervals: MeanIntervals | None = None
) -> list[SummaryRow]:
    """Return the summaries of a run; a group without evaluated topics has none."""
    by_group = {"": evaluation} | {group: in_group(evaluation, topics) for group, topics in (groups or {}).items()}
    rows = []
    for group, grouped in by_group.items():
        if grouped is not None:
            columns = with_number(grouped.columns, len(grouped.topics)) if group else grouped.columns
            ends = {} if intervals is None else intervals_of(columns, intervals)
            rows.append(SummaryRow(group, grouped.topics, columns, ends))
    return rows


FEW_TOPICS = 10
"""Intervals over fewer topics cause a warning."""


def interval_warnings(rows: Iterable[SummaryRow]) -> Iterator[str]:
    """Yield warnings about summaries without interval, with the reason, and about intervals over few topics."""
    rows = list(rows)
    sizes = {
        row.topic: max((column.n_averaged for column in row.columns if is_mean(column)), default=FEW_TOPICS)
        for row in rows
    }
    if without := [topic for topic, size in sizes.items() if size < 2]:
        yield f"no interval of {', '.join(without)}, which is over fewer than 2 topics"
    without_spread: dict[str, list[str]] = {}
    for row in rows:
        for column in row.columns if sizes[row.topic] > 1 else ():
            if reason := why_no_interval(column):
                without_spread.setdefault(f"({row.topic}): {reason}", []).append(column.name)
    for reason, names in without_spread.items():
        yield f"no interval for {', '.join(names)} {reason}"
    if few := [topic for topic, size in sizes.items() if 2 <= size < FEW_TOPICS]:
        yield f"the interval of {', '.join(few)} is over fewer than {FEW_TOPICS} topics; take it with care"


def with_number(columns: Sequence[Column], n_topics: int) -> tuple[Column, ...]:
    """Return columns with the number of topics first, unless it is among them, and without the run tag."""
    others = tuple(column for column in columns if column.measure is not runid)
    if any(column.measure is num_q for column in others):
        return others
    return (Column(num_q.name, num_q, None, n_topics), *others)


class EvaluationReport(Frozen, kw_only=True):
    """Evaluations to be printed."""

    evaluations: Sequence[Evaluation]
    """In the order of the runs."""

    per_topic: bool
    """Print the values of each topic (``-q``)."""

    summary: bool
    """Print the ``all`` values (unless ``-n``)."""

    headed: bool = False
    """Whether the lines of a run begin with its name, since there are several runs."""

    complete: bool = False
    """Whether the averages are over every judged topic (``-c``)."""

    notes: bool = True
    """Whether notes below a table explain it (unless ``--quiet``)."""

    intervals: MeanIntervals | None = None
    """The interval method (``--ci``); None without intervals."""

    groups: Mapping[str, frozenset[bytes]] = {}
    """The topics of each group with its own summaries (``--topic-groups``)."""

    digits: int
    """Decimals of real numbers in displayed tables."""

    about: Mapping[str, Any]
    """How values were computed: version, options, inputs and warnings, for formats with ``shows_inputs``."""

    def summaries_of(self, evaluation: Evaluation) -> list[SummaryRow]:
        """Return the requested summaries of a run, those over all topics first."""
        return summary_rows(evaluation, self.groups, self.intervals) if self.summary else []

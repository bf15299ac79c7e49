"""Report: evaluations, and what of them is to be shown; summaries of all topics and of groups, with intervals."""

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
"""What stands in the topic column of a summary."""

LOW, HIGH = "low", "high"
"""What the ends of intervals are called; no group is called so."""


class SummaryRow(Frozen):
    """The summaries of a run, of all topics or of those of a group.

    Parameters
    ----------
    group : its name; empty for all topics.
    topics : those evaluated.
    columns : in print order; those of a group have the number of its topics, and not the name of the run.
    ends : the ends of intervals by printed name; nan where there is none. Measures that are no means are not there.
    """

    group: str
    topics: tuple[bytes, ...]
    columns: Sequence[Column]
    ends: Mapping[str, Ends]

    @property
    def n_topics(self) -> int:
        """How many topics were evaluated."""
        return len(self.topics)

    @property
    def topic(self) -> str:
        """What stands in place of a topic: ``all``, or ``all:GROUP``."""
        return topic_of(self.group)


def topic_of(group: str, end: str = "") -> str:
    """Return what stands in place of a topic for a group, and for the end of an interval of it."""
    return ":".join(filter(None, (ALL, group, end)))


def summary_rows(
    evaluation: Evaluation, groups: Mapping[str, frozenset[bytes]] | None = None, intervals: MeanIntervals | None = None
) -> list[SummaryRow]:
    """Return the summaries of a run; a group of which no topic was evaluated has none.

    Parameters
    ----------
    groups : the topics of each; None for no groups.
    intervals : how they are made; None for none.
    """
    found = {"": evaluation} | {group: in_group(evaluation, topics) for group, topics in (groups or {}).items()}
    rows = []
    for group, one in found.items():
        if one is not None:
            columns = with_number(one.columns, len(one.topics)) if group else one.columns
            ends = {} if intervals is None else intervals_of(columns, intervals)
            rows.append(SummaryRow(group, one.topics, columns, ends))
    return rows


FEW_TOPICS = 10
"""Intervals over fewer topics are taken with care."""


def interval_warnings(rows: Iterable[SummaryRow]) -> Iterator[str]:
    """Yield a line about summaries of a run that have no interval, with the reason, and one about few topics."""
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
    """Return columns with the number of topics first, unless it is among them, and without the name of the run."""
    others = tuple(column for column in columns if column.measure is not runid)
    if any(column.measure is num_q for column in others):
        return others
    return (Column(num_q.name, num_q, None, n_topics), *others)


class EvaluationReport(Frozen, kw_only=True):
    """What the command has to print."""

    evaluations: Sequence[Evaluation]
    """In the order of the runs."""

    per_topic: bool
    """Show the values of each topic (``-q``)."""

    summary: bool
    """Show the ``all`` values (not under ``-n``)."""

    headed: bool = False
    """Whether the lines of a run begin with its name, as there are other runs."""

    complete: bool = False
    """Whether the averages are over every judged topic (``-c``)."""

    notes: bool = True
    """Whether lines below a table may explain it (not under ``--quiet``)."""

    intervals: MeanIntervals | None = None
    """How the intervals beside means are made (``--ci``); None for none."""

    groups: Mapping[str, frozenset[bytes]] = {}
    """The topics of each group that has summaries of its own (``--topic-groups``)."""

    digits: int
    """Decimals of real numbers in tables for people."""

    about: Mapping[str, Any]
    """How the values were made: version, options, inputs and warnings. Formats with ``shows_inputs`` print it."""

    def summaries_of(self, evaluation: Evaluation) -> list[SummaryRow]:
        """Return the summaries of a run that are to be shown, first those of all topics."""
        return summary_rows(evaluation, self.groups, self.intervals) if self.summary else []

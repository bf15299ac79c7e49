"""Report: evaluations, and what of them is to be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irevalx.frozen import Frozen
from irevalx.reports.summary_rows import SummaryRow, summary_rows

if TYPE_CHECKING:
    from irevalx.evaluation.evaluate import Evaluation
    from irevalx.statistics.mean_intervals import MeanIntervals


class Report(Frozen, kw_only=True):
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

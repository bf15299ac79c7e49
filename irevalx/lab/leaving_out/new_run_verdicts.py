"""The verdicts on runs that were not pooled, in rows and in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from irevalx.frozen import Frozen
from irevalx.reports.table import Table

TOLERANCE = 0.01
"""The bias that is tolerated by default."""

COVERAGE_DEPTH = 10
"""The depth of the first column of coverage."""

FAIR, UNDERESTIMATED, OVERESTIMATED, CANNOT_TELL = "fair", "underestimated", "overestimated", "cannot tell"
"""The verdicts."""


class NewRun(Frozen, kw_only=True):
    """A run that was not pooled, under a measure.

    Parameters
    ----------
    score : with the judgments as they are.
    condensed : the score if unjudged documents are skipped; None if the measure has no such reading.
    least, greatest : the bounds of the score over all ways to judge the unjudged documents; None unless ``bounds`` has
        proven ones for the measure.
    bias : the expected difference between the score and the score if the group had been pooled; None if unknown.
    bias_low, bias_high : its 95 % interval; None if the bias is unknown, or certain as all documents are judged.
    verdict : "fair", "underestimated", "overestimated" or "cannot tell".
    to_judge : the number of unjudged documents among the first ones of the runs of the group.
    """

    run: str
    group: str
    measure: str
    score: float
    condensed: float | None
    least: float | None
    greatest: float | None
    bias: float | None
    bias_low: float | None
    bias_high: float | None
    verdict: str
    to_judge: int


class Coverage(Frozen, kw_only=True):
    """The unjudged documents of a run: of a new one, or of a pooled one when its group is left out.

    Parameters
    ----------
    unjudged_10, unjudged_k : the share among the first 10 documents, and among those within the depth of the pool.
    """

    run: str
    group: str
    is_new: bool
    unjudged_10: float
    unjudged_k: float


class NewRuns(Frozen, kw_only=True):
    """Runs that were not pooled.

    Parameters
    ----------
    rows : a row for each measure and run.
    coverage : the new runs, then the pooled ones.
    depth, tolerance : of the pool, and of the bias.
    reasons : why there is no estimate, by group and measure.
    notes : on measures and topics.
    commands : by group, the command that lists the documents to judge, where runs are files.
    """

    rows: Sequence[NewRun]
    coverage: Sequence[Coverage]
    depth: int
    tolerance: float
    reasons: Mapping[tuple[str, str], str]
    notes: Sequence[str]
    commands: Mapping[str, str] = {}

    @property
    def sentences(self) -> list[str]:
        """The verdict on each run under each measure, then how to settle those that cannot be told."""
        unknown = [row for row in self.rows if row.verdict == CANNOT_TELL]
        settle = {row.group: row for row in unknown if row.to_judge}
        return [
            *map(self._sentence, self.rows),
            *(
                f"These {row.to_judge} documents ({name}): {self.commands.get(name, self._in_python)}"
                for name, row in settle.items()
            ),
        ]

    @property
    def _in_python(self) -> str:
        return f'irevalx.lab.next(its runs, qrels, order="depth", depth={self.depth}, per_topic={self.depth})'

    def _sentence(self, row: NewRun) -> str:
        about = f"{row.run}, {row.measure}:"
        if row.verdict == CANNOT_TELL:
            runs = {one.run for one in self.rows if one.group == row.group}
            of_group = f"the first {self.depth} of the runs of {row.group}"
            whose = f"its first {self.depth}" if len(runs) == 1 else of_group
            judge = f"judge the {row.to_judge} documents among {whose} that nobody has judged"
            if reason := self.reasons.get((row.group, row.measure)):
                return f"{about} {CANNOT_TELL}: {reason}; or {judge}."
            return f"{about} {CANNOT_TELL} (bias {row.bias_low:.4f} to {row.bias_high:.4f}): {judge}."
        if row.bias_low is None or row.bias_high is None:
            return f"{about} {FAIR}: its first {self.depth} documents are judged."
        if row.verdict == FAIR:
            return f"{about} {FAIR} within {self.tolerance:g}."
        least, most = sorted((abs(row.bias_low), abs(row.bias_high)))
        return f"{about} {row.verdict} by {least:.4f} to {most:.4f}."

    @property
    def explanations(self) -> list[str]:
        """The sentences, and what the columns mean."""
        meaning = (
            f"bias low to high: a 95 % interval of what the run gains or loses by not having been pooled to depth "
            f"{self.depth}, on these topics, if its group differs from the pooled groups as they differ from one "
            "another. It covers neither other topics nor relevant documents that no run has retrieved. In simulations "
            "on two collections it covered 94 % to 100 % of the true biases of P_10, map, ndcg and bpref.",
            "condensed: unjudged documents are skipped. least, greatest: over all ways to judge them (P, rbp, dcg).",
        )
        return [*self.sentences, *meaning, *self.notes]

    def tables(self) -> list[Table]:
        """Return the verdicts, and the coverage that they rest on."""
        verdicts = Table.of("new runs", NewRun, self.rows, n_labels=3, notes=tuple(self.explanations))
        without = {"unjudged_k"} if self.depth == COVERAGE_DEPTH else set()
        coverage = Table.of("coverage", Coverage, self.coverage, n_labels=2, without=without)
        heads = {"is_new": "new", "unjudged_10": "unjudged@10", "unjudged_k": f"unjudged@{self.depth}"}
        note = "Shares of unjudged documents; those of pooled runs are without the documents that only their group has."
        return [verdicts, coverage.in_words(heads, note)]


def verdict_on(interval: tuple[float, float] | None, tolerance: float) -> str:
    """Return the verdict that an interval of the bias allows; None is no interval."""
    if interval is None:
        return CANNOT_TELL
    low, high = interval
    if high < -tolerance:
        return UNDERESTIMATED
    if low > tolerance:
        return OVERESTIMATED
    return FAIR if -tolerance <= low and high <= tolerance else CANNOT_TELL

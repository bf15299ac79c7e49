"""The results of the assessment of runs that were not pooled."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from irevalx.frozen import Frozen
from irevalx.lab import PROGRAM
from irevalx.reading.judgment_formats import QRELS
from irevalx.reading.run_formats import TREC_RESULTS
from irevalx.reports.table import Table
from irevalx.wording import spelled

TOLERANCE = 0.01
"""The default for the largest bias that is tolerated."""

COVERAGE_DEPTH = 10
"""The rank cutoff of the first share in the coverage table."""

FAIR, UNDERESTIMATED, OVERESTIMATED, CANNOT_TELL = "fair", "underestimated", "overestimated", "cannot tell"
"""The possible verdicts on a run that was not pooled."""


class NewRun(NamedTuple):
    """The assessment of a run that was not pooled, in one measure."""

    run: str
    group: str
    measure: str
    score: float
    condensed: float | None  # value with unjudged documents skipped; None if the measure does not support it
    least: float | None  # bounds over all completions of the judgments; None if there are no proven bounds
    greatest: float | None
    bias: float | None  # estimated difference from the value that the run would have if its group had been pooled
    bias_low: float | None  # 95% interval; None if the bias is unknown, or is 0 because all documents are judged
    bias_high: float | None
    verdict: str
    to_judge: int  # number of unjudged documents in the top documents of the group's runs


class CoverageRow(NamedTuple):
    """The shares of unjudged documents of a new run, or of a pooled run whose group is left out."""

    run: str
    group: str
    is_new: bool
    unjudged_10: float
    unjudged_k: float  # share within the pool depth


class NewRuns(Frozen, kw_only=True):
    """The assessment of the runs that were not pooled."""

    rows: Sequence[NewRun]
    coverage: Sequence[CoverageRow]  # the new runs, followed by the pooled runs
    depth: int  # the pool depth
    tolerance: float
    reasons: Mapping[tuple[str, str], str]  # why there is no estimate, by group and measure; "" if there is one
    deeper: Mapping[tuple[str, str], int]  # cutoffs with unjudged documents beyond ``depth``, by run and measure
    judged_depth: int  # the depth to which pooled runs are judged
    to_list: Mapping[str, int] = {}  # number of documents to judge by group, including topics that are not evaluated
    notes: Sequence[str]
    commands: Mapping[str, str] = {}  # the command that lists the documents to judge, by group; only in the shell

    @property
    def sentences(self) -> list[str]:
        """Sentences with the verdict on each run in each measure, and with commands that list documents to judge."""
        in_python = f'irevalx.lab.next(its runs, qrels, order="depth", depth={self.depth}, in_all={{}})'
        unknown = {
            row.group: row
            for row in self.rows
            if row.verdict == CANNOT_TELL and row.to_judge and (row.run, row.measure) not in self.deeper
        }
        return [
            *map(self._sentence, self.rows),
            *(
                f"To list these {row.to_judge} documents ({name}): "
                f"{self.commands.get(name, in_python.format(self.to_list[name]))}"
                for name, row in unknown.items()
            ),
        ]

    def _sentence(self, row: NewRun) -> str:
        about = f"{row.run}, {row.measure}:"
        if row.verdict == CANNOT_TELL:
            return f"{about} {CANNOT_TELL}: {self._why(row)}."
        if row.bias_low is None or row.bias_high is None:
            return f"{about} {FAIR}: all its first {self.depth} documents are judged."
        if row.verdict == FAIR:
            return f"{about} {FAIR} (bias within {self.tolerance:g})."
        least, most = sorted((abs(row.bias_low), abs(row.bias_high)))
        return f"{about} {row.verdict} by {least:.4f} to {most:.4f}."

    def _why(self, row: NewRun) -> str:
        """Return the reason why there is no verdict, and what the user can do about it."""
        reason, cutoff = self.reasons.get((row.group, row.measure)), self.deeper.get((row.run, row.measure))
        n_runs = len({other.run for other in self.rows if other.group == row.group})
        of_first = f"its first {self.depth}" if n_runs == 1 else f"the first {self.depth} of the runs of {row.group}"
        judge = f"judge the {row.to_judge} unjudged documents among {of_first}"
        if reason:
            return reason if cutoff else f"{reason}; alternatively, {judge}"
        if cutoff:
            remedy = f"use {spelled('depth', cutoff)} or more"
            if cutoff > self.judged_depth:
                remedy = f"use a cutoff of at most {self.judged_depth}, the depth to which the pooled runs are judged"
            return (
                f"the measure uses the first {cutoff} documents, but the bias is estimated from the unjudged documents "
                f"among the first {self.depth} only; {remedy}"
            )
        return (
            f"the interval of the bias, {row.bias_low:.4f} to {row.bias_high:.4f}, is only partly within the tolerance "
            f"of {-self.tolerance:g} to {self.tolerance:g}; {judge}"
        )

    @property
    def explanations(self) -> list[str]:
        """Sentences that state and explain the verdicts, followed by explanations of the columns."""
        meaning = (
            f"verdict: {FAIR} if the interval of the bias is within the tolerance, {UNDERESTIMATED} or {OVERESTIMATED} "
            f"if it is outside, otherwise {CANNOT_TELL}. It is also "
            f"{CANNOT_TELL} if the cutoff of the measure is greater than the pool depth, and documents at the ranks in "
            "between are unjudged, if the pooled runs are judged to a smaller depth, or if simulations have not "
            f"confirmed the interval of the measure. The tolerance is {-self.tolerance:g} to {self.tolerance:g}.",
            "bias low to high: 95% interval of the bias of the measure value on these topics, because the run was not "
            f"pooled to depth {self.depth}. It assumes that the run's group differs from the pooled groups as much as "
            "they differ from each other. It covers neither other topics nor relevant documents that no run has "
            f"retrieved within the pool depth ({self.depth}). Do not add the bias to the score or subtract it: the "
            "true bias can be anywhere in the interval. In simulations on two collections with pools to depth 20, the "
            "interval covered 94% to 100% of the true biases of P_10, map, ndcg and bpref, except ndcg on one of the "
            "collections (83%). With pools to depth 50, it covered 80% to 83% of the true biases of map.",
            "condensed: measure value with unjudged documents skipped. least, greatest: lowest and highest value over "
            "all possible judgments of them (P, rbp, dcg only).",
        )
        return [*self.sentences, *meaning, *self.notes]

    def tables(self) -> list[Table]:
        """Return the table of verdicts and the table of coverage."""
        verdicts = Table.of("new runs", NewRun, self.rows, n_labels=3, notes=tuple(self.explanations))
        without = {"unjudged_k"} if self.depth == COVERAGE_DEPTH else set()
        coverage = Table.of("coverage", CoverageRow, self.coverage, n_labels=2, without=without)
        heads = {"is_new": "new", "unjudged_10": "unjudged@10", "unjudged_k": f"unjudged@{self.depth}"}
        note = "Shares of unjudged documents. The unique documents of the group of a pooled run count as unjudged."
        return [verdicts, coverage.in_words(heads, note)]


def verdict_on(interval: tuple[float, float] | None, tolerance: float) -> str:
    """Return the verdict for an interval of the bias. The interval is None if the bias could not be estimated."""
    if interval is None:
        return CANNOT_TELL
    low, high = interval
    if high < -tolerance:
        return UNDERESTIMATED
    if low > tolerance:
        return OVERESTIMATED
    return FAIR if -tolerance <= low and high <= tolerance else CANNOT_TELL


def commands_for(new: NewRuns) -> dict[str, str]:
    """Return the command that lists the documents to judge, for each group of new runs.

    The command lists the unjudged documents in the top documents of the group's runs.
    """
    from click import get_current_context

    values = get_current_context().params
    groups = [run.group for run in new.coverage if run.is_new]
    formats = [("-R", values["rel_format"], QRELS.name), ("-T", values["results_format"], TREC_RESULTS.name)]
    words = [word for name, value, default in formats if value != default for word in (name, value)]
    commands = {}
    for group in dict.fromkeys(groups):
        files = values["new_runs"]
        if len(files) == len(groups):  # unless a file contains several runs
            files = [file for file, group_of_file in zip(files, groups, strict=True) if group_of_file == group]
        n = str(new.to_list[group])
        options = ["--order", "depth", "--depth", str(new.depth), "--in-all", n, "--judged", values["qrels"]]
        commands[group] = shlex.join([PROGRAM, "next", *words, *options, *files])
    return commands

"""Judgments and runs in numbers: what was judged, how much of each run, and what each group of runs has found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING

from irevalx import parameters
from irevalx.api import checks
from irevalx.api.inputs import GivenQrels, Runs
from irevalx.api.user_warnings import warn
from irevalx.errors import UsageError, quote
from irevalx.experiments.group_names import groups_of
from irevalx.experiments.pools import with_first_documents
from irevalx.experiments.ranking_runs import compared_topics, rank_all, topics_compared, unique_names
from irevalx.experiments.user_data import are_given, graded_judgments_of, opened_runs
from irevalx.lab.description.describing import (
    CUTOFFS,
    PARTS,
    RANKS,
    Contribution,
    Described,
    JudgmentsDescription,
    RunDescription,
    contributions,
)
from irevalx.ranking.rules import RankingRules

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Description(Described):
    """Judgments and runs in numbers, which can be drawn."""

    def figure(self, *, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw what the tables say, a panel for each part that is shown."""
        from irevalx.lab.description.figures import description
        from irevalx.lab.plot.page import Page, style

        with style():
            return description(self, Page(width, titled))


def describe(
    qrels: GivenQrels,
    runs: Runs | None = None,
    *,
    cutoffs: Iterable[int] = (),
    ranks: Iterable[int] = (),
    depth: int = 100,
    groups: str | PathLike[str] | Mapping[str, str] | None = None,
    group_by: str | None = None,
    show: str | None = None,
    level: float = 1,
    grades: str = "whole",
    complete: bool = False,
    rel_format: str = "qrels",
) -> Description:
    """Describe judgments and runs.

    Parameters
    ----------
    qrels : the judgments: ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes; None
        for none.
    cutoffs : numbers of first documents of which the judged ones are counted, ascending; none for 5 10 20 100.
    ranks : the first ranks of the ranges for which unjudged documents are counted, ascending from 1; the last range has
        no end. None for 1 2 6 11 21 51 101 201 501.
    depth : of the pool whose documents are counted by group.
    groups : the group of each run: a dictionary, or a file with a line ``RUN GROUP`` each; None for each run its own
        group.
    group_by : a regular expression that finds the group in the name of a run.
    show : "judgments", "runs", "ranks" or "groups" for this part alone.
    level : the least grade that is relevant.
    grades : what grades are: "whole" numbers or "real" ones.
    complete : describe runs over all judged topics, with nothing judged where they have no results; otherwise over the
        topics that every run has. Groups are described over all judged topics.
    rel_format : the format of judgments that are files: "qrels", "beir", "json" or "sampled".

    Raises
    ------
    NoTopicsError : no judged topic has results of every run.
    UsageError : a part of runs is to be shown, or groups are given, without runs.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> found = irevalx.lab.describe({"301": {"A": 1, "B": 0}, "302": {"C": 2, "D": -1}})
    >>> found.judgments.judged.tolist(), found.judgments.relevant.tolist()
    ([2, 1], [1, 1])
    >>> list(found.to_frame().columns[:5])
    ['topic', 'pooled', 'judged', 'relevant', 'nonrelevant']
    """
    cutoffs, ranks = _ascending("cutoffs", cutoffs) or CUTOFFS, _ascending("ranks", ranks) or RANKS
    if ranks[0] != 1:
        raise UsageError(f"ranks must begin with 1, but got {ranks[0]}")
    depth = parameters.whole_number("depth", depth, least=1)
    if grades == "probability":
        raise UsageError("grades must be whole or real for this, but got probability")
    settings = checks.settings_of(level=level, grades=grades)
    level = settings.level
    complete = parameters.flag("complete", complete)
    if show not in (None, *PARTS):
        raise parameters.argument_error("show", " or ".join(PARTS), show)
    if not are_given(runs):
        if show not in (None, "judgments"):
            raise UsageError(f"show={show!r} must be given together with runs")
        if groups is not None or group_by is not None:
            raise UsageError("groups and group_by must be given together with runs")
    judgments = graded_judgments_of(qrels, rel_format, settings.grades)
    described: list[RunDescription] = []
    found: list[Contribution] = []
    notes: tuple[str, ...] = ()
    if are_given(runs):
        opened = opened_runs(runs)
        with_retrieved = with_first_documents(judgments, opened.runs, depth)
        ranked = list(rank_all(with_retrieved, opened.runs, RankingRules(), warn=warn))
        names = unique_names(ranked, opened.runs, opened.names, warn)
        shows_runs = show not in ("judgments", "groups")
        by_name = dict(zip(names, ranked, strict=True))
        topics, lacking = compared_topics(judgments, by_name, complete=complete or not shows_runs)
        if shows_runs:
            which = topics_compared(len(topics), len(judgments.topics), lacking)
            notes = (f"Topics of runs: {which}.",)
            if lacking:
                warn(which)
        described = [
            RunDescription.of(name, run, with_retrieved, topics, level=level, cutoffs=cutoffs, ranks=ranks)
            for name, run in zip(names, ranked, strict=True)
        ]
        found = contributions(ranked, groups_of(names, groups, group_by), with_retrieved, depth, level)
    return Description(JudgmentsDescription.of(judgments, level), described, found, level, show, notes=notes)


def _ascending(what: str, numbers: Iterable[int]) -> tuple[int, ...]:
    """Return ascending numbers of at least 1; raises ArgumentError and UsageError."""
    found = tuple(parameters.whole_number(what, number, least=1) for number in numbers)
    if any(one >= other for one, other in pairwise(found)):
        raise UsageError(f"{what} must be ascending, but got {quote(' '.join(map(str, found)))}")
    return found

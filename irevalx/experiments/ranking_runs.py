"""Runs read, ranked and looked up one after another, and what to call them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from irevalx.errors import EvaluationError, Warn
from irevalx.evaluation.many_runs import unique_run_names
from irevalx.judgments.kinds import AnyJudgments
from irevalx.process.system import as_bytes, as_text
from irevalx.process.workers import in_order, worth_sharing
from irevalx.ranking.rank import RankedRun, RankingRules, rank_run
from irevalx.reading.runs import Run


def rank_all(
    judgments: AnyJudgments, runs: Sequence[Run], rules: RankingRules, *, processes: int = 1, warn: Warn
) -> Iterator[RankedRun]:
    """Yield the rankings of runs, in their order.

    Parameters
    ----------
    processes : how many share the reading of runs; at least 1.
    warn : called with the warnings of each run.

    Raises
    ------
    EvaluationError : a topic of a run cannot be evaluated.
    UnreadableFileError, MalformedLineError, LostProcessError
    """
    documents = judgments.documents
    documents.table  # noqa: B018 - made here, before several processes want it
    sharing = min(processes, len(runs)) if worth_sharing(sum(run.size for run in runs)) else 1
    for one in in_order(lambda run: rank_run(run, documents, rules), lambda: runs, sharing):
        for line in one.warnings:
            warn(line)
        raise_first(one.ranking.failures)
        yield one


def unique_names(
    ranked: Sequence[RankedRun], runs: Sequence[Run], names: Sequence[str | None], warn: Warn
) -> list[str]:
    """Return what to call the runs, each name once.

    Parameters
    ----------
    names : as ``RankedRuns.of`` takes them.
    warn : called with a line for names that several runs have.
    """
    tags = [
        ((one.tag or b"") if name is None else as_bytes(name), run.path)
        for one, run, name in zip(ranked, runs, names or [None] * len(runs), strict=True)
    ]
    return [as_text(name) for name in unique_run_names(tags, warn)]


def raise_first(failures: Mapping[bytes, EvaluationError]) -> None:
    """Raise the error of the first topic that has one."""
    if failures:
        raise failures[min(failures)]

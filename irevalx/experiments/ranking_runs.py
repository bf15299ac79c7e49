"""Runs read, ranked and looked up one after another, what to call them, and the topics over which they are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from irevalx.declarations import spelled
from irevalx.errors import EvaluationError, NoTopicsError, Warn, shown_name
from irevalx.evaluation.many_runs import unique_run_names
from irevalx.judgments import AnyJudgments
from irevalx.judgments.judged_documents import Documents
from irevalx.process.system import as_bytes, as_text
from irevalx.process.workers import in_order, worth_sharing
from irevalx.ranking.rank import RankedRun, rank_run
from irevalx.ranking.rules import RankingRules
from irevalx.reading.runs import RunStream


def rank_all(
    judgments: AnyJudgments, runs: Sequence[RunStream], rules: RankingRules, *, processes: int = 1, warn: Warn
) -> Iterator[RankedRun]:
    """Yield the rankings of runs, in their order; raises EvaluationError for a topic that cannot be evaluated."""
    documents = judgments.documents
    documents.table.duplicates  # noqa: B018 - the table is built here, before several processes want it
    sharing = min(processes, len(runs)) if worth_sharing(sum(run.size for run in runs)) else 1
    for ranked in in_order(lambda run: rank_run(run, documents, rules), lambda: runs, sharing):
        for line in ranked.warnings:
            warn(line)
        raise_first(ranked.ranking.failures)
        yield ranked


def unique_names(
    ranked: Sequence[RankedRun], runs: Sequence[RunStream], names: Sequence[str | None], warn: Warn
) -> list[str]:
    """Return a unique name of each run; ``names`` are as for ``RankedRuns.of``, and duplicate names are warned of."""
    tags = [
        ((ranked_run.tag or b"") if name is None else as_bytes(name), run.path)
        for ranked_run, run, name in zip(ranked, runs, names or [None] * len(runs), strict=True)
    ]
    return [as_text(name) for name in unique_run_names(tags, warn)]


def raise_first(failures: Mapping[bytes, EvaluationError]) -> None:
    """Raise the error of the first topic that has one."""
    if failures:
        raise failures[min(failures)]


def compared_topics(
    judged: Documents, runs: Mapping[str, RankedRun], *, complete: bool
) -> tuple[tuple[bytes, ...], dict[str, int]]:
    """Return the topics that all runs have (``complete``: all judged ones), and the number each run lacks, if any."""
    results = {name: run.topics for name, run in runs.items()}
    in_all = frozenset(judged.topics).intersection(*results.values())
    topics = judged.topics if complete else tuple(topic for topic in judged.topics if topic in in_all)
    if not topics:
        raise NoTopicsError(
            f"at least one topic of {shown_name(judged.path)} must have results of every run, but none has; "
            f"{spelled('complete', True)} counts topics without results as 0"
        )
    n_lacking = {name: sum(topic not in of_run for topic in judged.topics) for name, of_run in results.items()}
    return topics, {name: number for name, number in n_lacking.items() if number}


def topics_compared(n_topics: int, n_judged: int, lacking: Mapping[str, int], which: str = "judged topics") -> str:
    """Return in words which topics are evaluated; ``lacking`` is the number of judged topics that each run lacks."""
    if not lacking:
        return f"all {n_judged} {which}"
    by_run = ", ".join(f"{run} {number}" for run, number in lacking.items())
    if n_topics == n_judged:
        return f"all {n_judged} {which}; topics without results count as 0 ({by_run})"
    return (
        f"{n_topics} of {n_judged} {which} (topics for which every run has results); topics without results, by run: "
        f"{by_run} ({spelled('complete', True)} counts them as 0)"
    )

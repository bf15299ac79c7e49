"""The topics over which runs are compared: those that every run has, or all judged ones; and how that is said."""

from __future__ import annotations

from collections.abc import Mapping

from irevalx.errors import NoTopicsError, shown_name
from irevalx.judgments.judged_documents import Documents
from irevalx.ranking.rank import RankedRun


def compared_topics(
    judged: Documents, runs: Mapping[str, RankedRun], *, complete: bool
) -> tuple[tuple[bytes, ...], dict[str, int]]:
    """Return the topics over which runs are compared, and how many of all judged ones each run lacks, if any.

    Parameters
    ----------
    complete : all judged topics; otherwise those that every run has results for.

    Raises
    ------
    NoTopicsError : there is none.
    """
    in_all = frozenset(judged.topics).intersection(*(run.topics for run in runs.values()))
    topics = judged.topics if complete else tuple(topic for topic in judged.topics if topic in in_all)
    if not topics:
        raise NoTopicsError(
            f"at least one topic of {shown_name(judged.path)} must have results of every run, but none has; -c "
            "counts topics without results as 0"
        )
    n_lacking = {name: sum(topic not in run.topics for topic in judged.topics) for name, run in runs.items()}
    return topics, {name: number for name, number in n_lacking.items() if number}


def topics_compared(n_topics: int, n_judged: int, lacking: Mapping[str, int]) -> str:
    """Return in words which topics are evaluated.

    Parameters
    ----------
    lacking : how many of the judged topics each run lacks, where it lacks some.
    """
    if not lacking:
        return f"all {n_judged} judged topics"
    by_run = ", ".join(f"{run} {number}" for run, number in lacking.items())
    if n_topics == n_judged:
        return f"all {n_judged} judged topics; those without results count as 0 ({by_run})"
    return (
        f"{n_topics} of {n_judged} judged topics, those that every run has results for; left out for lack of results: "
        f"{by_run} (-c counts them as 0)"
    )

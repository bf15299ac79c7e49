"""A finding: one number, and what it is about; the names of those that several modules know."""

from __future__ import annotations

from irevalx.frozen import Frozen

RUN_STATISTICS = ("tau_b", "tau_ap", "rms", "bias")
"""The statistics of agreement of the scores of runs."""

OF_SEVERAL = ("judge", "against", "human_topics")
"""Fields of findings that several judges have alone."""

GAIN_STATISTICS = ("gain_human", "gain_machine", "promise", "gain_ratio")
"""What reranking by the machine's labels gains, by people and by the machine."""

SCORES_BEFORE = ("score_human", "score_machine")
"""The scores of a run before reranking, by people and by the machine."""


class Finding(Frozen, kw_only=True):
    """A number, and what it is about; the fields are the columns of the table.

    Parameters
    ----------
    judge : of which judge, where there are several.
    against : which other judge it is compared with.
    statistic : its name.
    topic : of which topic; None for all.
    level : the least grade that is relevant, for a statistic that depends on it.
    human, machine : two grades, for the number of documents that have them.
    measure, run, group : of which measure, and of which run or group of runs.
    human_topics : how many topics people would judge.
    value : None where it is not defined.
    low, high : its interval, where it has one.
    """

    judge: str | None = None
    against: str | None = None
    statistic: str
    topic: str | None = None
    level: int | None = None
    human: int | None = None
    machine: int | None = None
    measure: str | None = None
    run: str | None = None
    group: str | None = None
    human_topics: int | None = None
    value: float | int | None = None
    low: float | None = None
    high: float | None = None

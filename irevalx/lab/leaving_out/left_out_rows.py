"""The rows of what leave-out finds: typed records, one kind for each table."""

from __future__ import annotations

from collections.abc import Mapping

from irevalx.frozen import Frozen


class RunLeftOut(Frozen, kw_only=True):
    """A run under a measure, with all judgments and without those that only its group has found.

    Parameters
    ----------
    judgments : how the missing ones were replaced: biased, if they were not.
    score, left_out : with all judgments, and without; of sums of counts, whole numbers.
    rank, rank_left_out : 1 + the number of runs strictly better.
    significant : whether the scores differ significantly.
    holes, bias : the share of holes among the first documents, and ``left_out`` less ``score``; None unless asked for.
    """

    run: str
    group: str
    measure: str
    judgments: str
    score: float
    left_out: float
    rank: int
    rank_left_out: int
    significant: bool
    holes: float | None
    bias: float | None


class LeftOutSummary(Frozen, kw_only=True):
    """Means over the runs that were left out, under a measure; the fields are those of ``LeftOut``.

    Parameters
    ----------
    decisions : how pairwise decisions go together, by the names of ``Confusion.columns``.
    """

    measure: str
    judgments: str
    rank_change: float
    rise: int
    fall: int
    bias: float
    rms: float
    tau: float
    tau_b: float
    significant: float
    tau_b_all_runs: float
    tau_all_runs: float
    decisions: Mapping[str, float]


class BiasOfHoles(Frozen, kw_only=True):
    """How the bias of runs goes with their share of holes: a line of least squares through those that were left out.

    The intercept is the bias to expect of a run without holes, and the slope what is added if all were holes.
    """

    measure: str
    judgments: str
    holes: float
    bias: float
    intercept: float | None
    slope: float | None
    correlation: float | None


class RemovedAmongFirst(Frozen, kw_only=True):
    """How many documents that only a group has found stand among the first ones of its runs: means over topics.

    Parameters
    ----------
    group : whose runs the mean is over; ``mean`` for all runs that were left out.
    removed, relevant : documents that are removed, and those of them that are relevant in the full judgments.
    """

    group: str
    removed: float
    relevant: float


class PredictedGroup(Frozen, kw_only=True):
    """What only a group has found, and how much of it is predicted right."""

    group: str
    judgments: str
    only_there: int
    relevant: int
    predicted: int
    predicted_relevant: int
    right: int


class RemovedFromTopic(Frozen, kw_only=True):
    """How many judged documents a group takes with it for a topic, and how many of them are relevant.

    Parameters
    ----------
    topic : ``all`` for the sum over topics, and ``mean`` for the mean. ``mean`` of the group ``mean`` is the number of
        documents per topic that Büttcher et al. (2007, 5.2) give.
    """

    group: str
    topic: str
    removed: float
    relevant: float

"""The rows of ``bounds``: scores and differences with their bounds and, where these were asked for, probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irevalx.frozen import Frozen, replace
from irevalx.lab.bounding.score_bounds import Bounds, is_decided

ALL = "all"
"""What stands in place of a topic in the row of the mean."""

CONFIDENT = 0.95
"""A pair is confident if it keeps its sign with at least this probability."""


class BoundedScore(Frozen, kw_only=True):
    """A score or a difference, and its least and greatest value over all ways to judge the unjudged documents.

    Parameters
    ----------
    against : the other run of a pair; None for the score of a run.
    topic : its name, or ``ALL`` for the mean.
    difference : with the judgments there are; the score where there is no other run.
    unjudged : how many unjudged documents matter.
    decided : whether the difference has one sign, or is 0, in all of them; None without another run, and where
        judgments were drawn.
    next_topic, next_docno, narrows : the document that narrows the bounds of the mean most, and by how much.
    """

    measure: str
    run: str
    against: str | None
    topic: str
    difference: float
    low: float
    high: float
    unjudged: int
    decided: bool | None
    next_topic: str | None = None
    next_docno: str | None = None
    narrows: float | None = None


class ProbableScore(BoundedScore, kw_only=True):
    """The same where unjudged documents have probabilities of relevance.

    Parameters
    ----------
    limits : "proven", or "drawn" where low and high are those of draws of judgments.
    mean, deviation : of the score or difference.
    keeps_sign : the probability that the mean difference has the sign, or is 0, as with the judgments there are; None
        in rows of topics and of single runs.
    by : how that was computed: "exact", "normal" or "draws".
    changing_topic, changing_docno, changes : the document whose judgment is expected to change the probability that the
        run is better than the other one most, and by how much.
    """

    limits: str
    mean: float
    deviation: float
    keeps_sign: float | None = None
    by: str | None = None
    changing_topic: str | None = None
    changing_docno: str | None = None
    changes: float | None = None


class DecidedPairs(Frozen):
    """How many pairs of runs are decided under a measure; None where judgments were drawn."""

    measure: str
    pairs: int
    decided: int | None
    undecided: int | None


class ConfidentPairs(DecidedPairs):
    """The same, and how many of the pairs that are not decided keep their sign with a probability of 0.95 or more."""

    confident: int


def rows_of(
    measure: str,
    runs: Sequence[str],
    topics: Sequence[str],
    pair: tuple[int, int | None],
    found: Bounds,
) -> list[BoundedScore]:
    """Return a row for each topic, then that of the mean; they are ``ProbableScore`` where something is probable.

    Parameters
    ----------
    pair : the numbers of a run and of the other one; None for the score of the run.
    """
    (run, against), nothing = pair, [None] * found.low.size
    is_pair = against is not None
    columns: dict[str, Sequence[Any]] = {
        "topic": (*topics, ALL),
        "difference": found.difference.tolist(),
        "low": found.low.tolist(),
        "high": found.high.tolist(),
        "unjudged": found.unjudged.tolist(),
        "decided": is_decided(found.low, found.high).tolist() if is_pair and found.proven else nothing,
    }
    about: dict[str, Any] = {
        "measure": measure,
        "run": runs[run],
        "against": None if against is None else runs[against],
    }
    of_mean: dict[str, Any] = {}
    if best := found.next_document:
        of_mean |= {"next_topic": best.topic, "next_docno": best.docno, "narrows": best.narrows}
    if probable := found.probable:
        about["limits"] = "proven" if found.proven else "drawn"
        columns |= {"mean": probable.means.tolist(), "deviation": probable.deviations.tolist()}
        if is_pair:
            of_mean |= {"keeps_sign": probable.keeps_sign, "by": probable.by}
    if best := found.changing:
        of_mean |= {"changing_topic": best.topic, "changing_docno": best.docno, "changes": best.narrows}
    kind = BoundedScore if found.probable is None else ProbableScore
    *of_topics, of_all = [
        kind(**about, **dict(zip(columns, cells, strict=True))) for cells in zip(*columns.values(), strict=True)
    ]
    return [*of_topics, replace(of_all, **of_mean)]


def decided_pairs(rows: Sequence[BoundedScore]) -> list[DecidedPairs]:
    """Count for each measure the pairs that are decided, and those that are confident where rows have probabilities."""
    pairs = [row for row in rows if row.against is not None and row.topic == ALL]
    return [
        _counted([row for row in pairs if row.measure == name]) for name in dict.fromkeys(row.measure for row in pairs)
    ]


def _counted(pairs: Sequence[BoundedScore]) -> DecidedPairs:
    drawn = any(row.decided is None for row in pairs)
    decided = None if drawn else sum(bool(row.decided) for row in pairs)
    undecided = None if decided is None else len(pairs) - decided
    if not isinstance(pairs[0], ProbableScore):
        return DecidedPairs(pairs[0].measure, len(pairs), decided, undecided)
    confident = sum(
        isinstance(row, ProbableScore) and not row.decided and (row.keeps_sign or 0) >= CONFIDENT for row in pairs
    )
    return ConfidentPairs(pairs[0].measure, len(pairs), decided, undecided, confident)

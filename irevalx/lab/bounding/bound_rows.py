"""The rows of ``bounds``: scores and differences with their bounds and, if requested, probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irevalx.frozen import Frozen, replace
from irevalx.lab.bounding.score_bounds import Bounds, is_determined

ALL = "all"
"""The topic of the row of the mean."""

CONFIDENT = 0.95
"""The least probability of keeping its sign for a confident pair."""


class BoundedScore(Frozen, kw_only=True):
    """A score or a difference, and its least and greatest value over all completions of the judgments."""

    measure: str
    run: str
    against: str | None
    """The other run of a pair; None for the score of a run."""
    topic: str
    """Its name, or ``ALL`` for the mean."""
    difference: float
    """Under the judgments; the score if there is no other run."""
    low: float
    high: float
    unjudged: int
    """The number of unjudged documents with an effect."""
    decided: bool | None
    """Whether the difference has the same sign, or is 0, for all completions; None for a single run and for draws."""
    next_topic: str | None = None
    """The document that narrows the bounds of the mean most, and by how much."""
    next_docno: str | None = None
    narrows: float | None = None


class ExpectedValueRow(BoundedScore, kw_only=True):
    """The same with probabilities of relevance."""

    limits: str
    """proven, or drawn if low and high are the least and the greatest of draws."""
    mean: float
    deviation: float
    keeps_sign: float | None = None
    """The probability that the mean difference keeps its sign, or 0; None for topics and single runs."""
    by: str | None = None
    """How this was computed: "exact", "normal" or "draws"."""
    changing_topic: str | None = None
    """The document that is expected to change the probability that the run is better most, and by how much."""
    changing_docno: str | None = None
    changes: float | None = None


class DeterminedPairsRow(Frozen):
    """The number of determined pairs of runs under a measure; None for draws of judgments."""

    measure: str
    pairs: int
    decided: int | None
    undecided: int | None


class ProbablePairsRow(DeterminedPairsRow):
    """The same, and the number of other pairs that keep their sign with a probability of at least 0.95."""

    confident: int


class DocumentToJudge(Frozen, kw_only=True):
    """A document to judge, with its effect on bounds."""

    rank: int
    """From 1, the best first; of each topic, or over all topics."""
    topic: str
    docno: str
    narrows: float
    """How much its judgment narrows the bounds of undecided pairs, summed."""
    pairs: int
    """The number of these pairs."""


class InfluentialDocument(Frozen, kw_only=True):
    """A document to judge, with its effect on the probability that one run is better than another."""

    rank: int
    """From 1, the best first; of each topic, or over all topics."""
    topic: str
    docno: str
    changes: float
    """The expected absolute change, through its judgment, of the probabilities of undecided pairs, summed."""
    pairs: int
    """The number of these pairs."""


def rows_of(
    measure: str,
    runs: Sequence[str],
    topics: Sequence[str],
    pair: tuple[int, int | None],
    bounds: Bounds,
) -> list[BoundedScore]:
    """Return the rows of topics and of the mean for a pair of run indices; ``ExpectedValueRow`` with probabilities."""
    (run, against), nothing = pair, [None] * bounds.low.size
    is_pair = against is not None
    columns: dict[str, Sequence[Any]] = {
        "topic": (*topics, ALL),
        "difference": bounds.difference.tolist(),
        "low": bounds.low.tolist(),
        "high": bounds.high.tolist(),
        "unjudged": bounds.unjudged.tolist(),
        "decided": is_determined(bounds.low, bounds.high).tolist() if is_pair and bounds.proven else nothing,
    }
    about: dict[str, Any] = {
        "measure": measure,
        "run": runs[run],
        "against": None if against is None else runs[against],
    }
    of_mean: dict[str, Any] = {}
    if best := bounds.next_document:
        of_mean |= {"next_topic": best.topic, "next_docno": best.docno, "narrows": best.narrows}
    if probable := bounds.probable:
        about["limits"] = "proven" if bounds.proven else "drawn"
        columns |= {"mean": probable.means.tolist(), "deviation": probable.deviations.tolist()}
        if is_pair:
            of_mean |= {"keeps_sign": probable.keeps_sign, "by": probable.by}
    if best := bounds.changing:
        of_mean |= {"changing_topic": best.topic, "changing_docno": best.docno, "changes": best.narrows}
    kind = BoundedScore if bounds.probable is None else ExpectedValueRow
    *of_topics, of_all = [
        kind(**about, **dict(zip(columns, cells, strict=True))) for cells in zip(*columns.values(), strict=True)
    ]
    return [*of_topics, replace(of_all, **of_mean)]


def count_determined(rows: Sequence[BoundedScore]) -> list[DeterminedPairsRow]:
    """Count for each measure the determined pairs and, with probabilities, the confident pairs."""
    pairs = [row for row in rows if row.against is not None and row.topic == ALL]
    return [
        _counted([row for row in pairs if row.measure == name]) for name in dict.fromkeys(row.measure for row in pairs)
    ]


def _counted(pairs: Sequence[BoundedScore]) -> DeterminedPairsRow:
    drawn = any(row.decided is None for row in pairs)
    decided = None if drawn else sum(bool(row.decided) for row in pairs)
    undecided = None if decided is None else len(pairs) - decided
    if not isinstance(pairs[0], ExpectedValueRow):
        return DeterminedPairsRow(pairs[0].measure, len(pairs), decided, undecided)
    confident = sum(
        isinstance(row, ExpectedValueRow) and not row.decided and (row.keeps_sign or 0) >= CONFIDENT for row in pairs
    )
    return ProbablePairsRow(pairs[0].measure, len(pairs), decided, undecided, confident)

"""The rows of ``bounds``: scores and differences with their bounds and, where these were asked for, probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from irevalx.frozen import Frozen, fields
from irevalx.lab.bounding.drawn_scores import DrawnScores
from irevalx.lab.bounding.probable_scores import ProbableScores
from irevalx.lab.bounding.score_bounds import Bounds, WeightedScores, is_decided
from irevalx.process.system import as_text

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


def runs_and_pairs(n_runs: int) -> list[tuple[int, int | None]]:
    """Return what the table has rows of: each run, and each pair."""
    pairs = [(run, against) for run in range(n_runs) for against in range(run + 1, n_runs)]
    return [*((run, None) for run in range(n_runs)), *pairs]


def rows_of(scores: WeightedScores, pair: tuple[int, int | None], found: Bounds) -> Iterator[BoundedScore]:
    """Yield a row for each topic, then that of the mean."""
    run, against = pair
    other = None if against is None else scores.runs[against]
    decided = is_decided(found.low, found.high).tolist() if other is not None else [None] * len(scores.topics)
    columns = (found.difference.tolist(), found.low.tolist(), found.high.tolist(), found.unjudged.tolist(), decided)
    for topic, difference, low, high, unjudged, is_one in zip(scores.topics, *columns, strict=True):
        yield BoundedScore(
            measure=scores.measure.name,
            run=scores.runs[run],
            against=other,
            topic=topic.topic,
            difference=difference,
            low=low,
            high=high,
            unjudged=unjudged,
            decided=is_one,
        )
    best = found.next_document
    difference, low, high = found.means
    yield BoundedScore(
        measure=scores.measure.name,
        run=scores.runs[run],
        against=other,
        topic=ALL,
        difference=difference,
        low=low,
        high=high,
        unjudged=int(found.unjudged.sum()),
        decided=None if other is None else found.is_decided,
        next_topic=None if best is None else best.topic,
        next_docno=None if best is None else best.docno,
        narrows=None if best is None else best.narrows,
    )


def probable_rows(scores: ProbableScores, pair: tuple[int, int | None], found: Bounds) -> Iterator[ProbableScore]:
    """Yield the same rows with what is probable."""
    run, against = pair
    likely = scores.of(pair)
    best = None if against is None else scores.most_changing((run, against))
    *of_topics, of_all = rows_of(scores.scores, pair, found)
    for row, mean, deviation in zip(of_topics, likely.means.tolist(), likely.deviations.tolist(), strict=True):
        yield ProbableScore(**_cells(row), limits="proven", mean=mean, deviation=deviation)
    yield ProbableScore(
        **_cells(of_all),
        limits="proven",
        mean=likely.mean,
        deviation=likely.deviation,
        keeps_sign=None if against is None else likely.keeps_sign,
        by=None if against is None else likely.by,
        changing_topic=None if best is None else best.topic,
        changing_docno=None if best is None else best.docno,
        changes=None if best is None else best.narrows,
    )


def _cells(row: Frozen) -> dict[str, Any]:
    return {name: getattr(row, name) for name in fields(type(row))}


def drawn_rows(scores: DrawnScores, measure: str, pair: tuple[int, int | None]) -> Iterator[ProbableScore]:
    """Yield the rows of a measure that has no proven bounds."""
    run, against = pair
    found = scores.of(measure, pair)
    likely, is_pair = found.probable, against is not None
    columns = (
        (*map(as_text, scores.topics), ALL),
        (*found.differences.tolist(), found.difference),
        found.low.tolist(),
        found.high.tolist(),
        (*scores.unjudged.tolist(), int(scores.unjudged.sum())),
        (*likely.means.tolist(), likely.mean),
        (*likely.deviations.tolist(), likely.deviation),
    )
    for topic, difference, low, high, unjudged, mean, deviation in zip(*columns, strict=True):
        yield ProbableScore(
            measure=measure,
            run=scores.runs[run],
            against=None if against is None else scores.runs[against],
            topic=topic,
            difference=difference,
            low=low,
            high=high,
            unjudged=unjudged,
            decided=None,
            limits="drawn",
            mean=mean,
            deviation=deviation,
            keeps_sign=likely.keeps_sign if is_pair and topic == ALL else None,
            by=likely.by if is_pair and topic == ALL else None,
        )


def pairs_counted(measure: str, rows: list[BoundedScore]) -> DecidedPairs:
    """Count the pairs of a measure that are decided, and those that are confident where rows have probabilities."""
    pairs = [row for row in rows if row.against is not None and row.topic == ALL]
    drawn = any(row.decided is None for row in pairs)
    decided = None if drawn else sum(bool(row.decided) for row in pairs)
    undecided = None if decided is None else len(pairs) - decided
    if not isinstance(pairs[0], ProbableScore):
        return DecidedPairs(measure, len(pairs), decided, undecided)
    confident = sum(
        isinstance(row, ProbableScore) and not row.decided and (row.keeps_sign or 0) >= CONFIDENT for row in pairs
    )
    return ConfidentPairs(measure, len(pairs), decided, undecided, confident)

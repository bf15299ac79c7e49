"""Rows of ``bounds``: measure values and differences with bounds and probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from irevalx.arrays.segments import ratio
from irevalx.frozen import cached_property
from irevalx.lab.score_bounds.extremes import Bounds, is_determined

ALL = "all"
"""The value of ``BoundedScore.topic`` for the mean over topics."""

CONFIDENT = 0.95
"""The minimum probability that the difference of a confident pair keeps its sign."""


class BoundedScore(NamedTuple):
    """A score or a difference, with its minimum and maximum over all completions of the judgments."""

    measure: str
    run: str
    against: str | None  # the other run of a pair; None for the score of a run
    topic: str  # ``ALL`` for the mean
    difference: float  # the difference under the judgments, or the score of a single run
    low: float
    high: float
    unjudged: int  # the number of unjudged documents that affect the score or difference
    decided: (
        bool | None
    )  # whether the difference has the same sign, or is 0, for all completions; None for a single run
    next_topic: str | None = None  # the document that narrows the bounds of the mean most, and by how much
    next_docno: str | None = None
    narrows: float | None = None
    # the share of the largest possible change that makes the difference 0; None unless ``decided`` is False
    flips_at: float | None = None
    limits: str = "proven"  # "drawn" if low and high are the minimum and maximum over draws; then decided is None
    mean: float | None = None  # with probabilities of relevance, like the following fields
    deviation: float | None = None
    keeps_sign: float | None = None  # the probability that the mean difference keeps its sign; None for topics and runs
    by: str | None = None  # the method of computation: "exact", "normal" or "draws"
    changing_topic: str | None = None  # the document that is expected to change the probability that the run is better
    changing_docno: str | None = None  # most, and by how much
    changes: float | None = None


WITH_PROBABILITIES = BoundedScore._fields[BoundedScore._fields.index("limits") :]
"""The fields that have values only if there are probabilities of relevance."""


class DeterminedPairsRow(NamedTuple):
    """The number of determined pairs of runs in a measure."""

    measure: str
    pairs: int
    decided: int | None  # None for draws of judgments, like the next field
    undecided: int | None
    confident: int | None = None  # undetermined pairs whose keeps_sign is at least 0.95; None without probabilities


class DocumentToJudge(NamedTuple):
    """A document to judge, with the effect of its judgment on undetermined pairs of runs."""

    rank: int  # the rank from 1 of the document in the topic, or in all topics
    topic: str
    docno: str
    narrows: float | None  # the sum of reductions of the width of bounds over these pairs; None with probabilities
    changes: float | None  # the sum of expected changes of probabilities over these pairs; None without probabilities
    pairs: int  # the number of affected pairs


class BoundRows(Sequence[BoundedScore]):
    """The rows of ``bounds``: one for each topic of each run or pair. A row is created when it is used."""

    def __init__(
        self, runs: Sequence[str], topics: Sequence[str], parts: Sequence[tuple[str, tuple[int, int | None], Bounds]]
    ) -> None:
        """Create the rows of ``parts``, which contain a measure, a run or a pair of runs, and bounds."""
        self._runs, self._topics, self._parts = runs, (*topics, ALL), parts

    def __len__(self) -> int:
        return len(self._parts) * len(self._topics)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        part, place = divmod(range(len(self))[index], len(self._topics))
        return self._rows_of(part, slice(place, place + 1))[0]

    def __iter__(self) -> Iterator[BoundedScore]:
        return chain.from_iterable(map(self._rows_of, range(len(self._parts))))

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def of_means(self) -> list[BoundedScore]:
        """The rows of means over topics."""
        place = len(self._topics) - 1
        return [self._rows_of(part, slice(place, None))[0] for part in range(len(self._parts))]

    def _rows_of(self, part: int, places: slice = slice(None)) -> list[BoundedScore]:
        """Return the rows of a run or pair of runs at ``places``. The last place is that of the mean over topics."""
        measure, (run, against), bounds = self._parts[part]
        difference, low, high = bounds.difference[places], bounds.low[places], bounds.high[places]
        decided: Sequence[bool | None] = [None] * low.size
        if against is not None and bounds.proven:
            decided = is_determined(low, high).tolist()
        shares = ratio(difference, difference - np.where(difference > 0, low, high)).tolist()
        probable, other = bounds.probable, None if against is None else self._runs[against]
        rows = list(
            map(  # the constructor of a row takes a sixth of the time of its _replace
                BoundedScore,
                *(repeat(measure), repeat(self._runs[run]), repeat(other), self._topics[places]),
                *(values.tolist() for values in (difference, low, high, bounds.unjudged[places])),
                *(decided, *[repeat(None)] * 3),
                [share if is_decided is False else None for is_decided, share in zip(decided, shares, strict=True)],
                repeat("proven" if bounds.proven else "drawn"),
                *((probable.means[places].tolist(), probable.deviations[places].tolist()) if probable else ()),
            )
        )
        if places.indices(len(self._topics))[1] < len(self._topics):
            return rows
        if best := bounds.next_document:
            rows[-1] = rows[-1]._replace(next_topic=best.topic, next_docno=best.docno, narrows=best.effect)
        if probable and other is not None:
            rows[-1] = rows[-1]._replace(keeps_sign=probable.keeps_sign, by=probable.by)
        if best := bounds.changing:
            rows[-1] = rows[-1]._replace(changing_topic=best.topic, changing_docno=best.docno, changes=best.effect)
        return rows


def count_determined(of_means: Sequence[BoundedScore]) -> list[DeterminedPairsRow]:
    """Count the determined pairs for each measure. If there are probabilities, also count the confident pairs."""
    by_measure: dict[str, list[BoundedScore]] = {}
    for row in of_means:
        if row.against is not None:
            by_measure.setdefault(row.measure, []).append(row)
    counts = []
    for measure, pairs in by_measure.items():
        is_drawn = any(row.decided is None for row in pairs)
        decided = sum(bool(row.decided) for row in pairs)
        confident = sum(not row.decided and (row.keeps_sign or 0) >= CONFIDENT for row in pairs)
        counts.append(
            DeterminedPairsRow(
                measure,
                len(pairs),
                decided=None if is_drawn else decided,
                undecided=None if is_drawn else len(pairs) - decided,
                confident=None if pairs[0].mean is None else confident,
            )
        )
    return counts


def sentences_on(counts: Sequence[DeterminedPairsRow]) -> list[str]:
    """Return a sentence about the determined pairs for each measure."""
    sentences = []
    for row in counts:
        sentence = f"{row.measure}: the bounds are drawn, so none of the {row.pairs} pairs of runs is determined"
        if row.decided is not None:
            sentence = (
                f"{row.measure}: {row.decided} of {row.pairs} pairs of runs are determined, whatever the grades of the "
                f"unjudged documents are; {row.undecided} are not"
            )
        if row.confident is not None:
            sentence += f"; {row.confident} of these keep their sign with a probability of at least {CONFIDENT:.0%}"
        sentences.append(f"{sentence}.")
    return sentences

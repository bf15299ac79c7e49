"""What a judging strategy is: it selects a document, learns whether the document is relevant, and selects the next."""

from __future__ import annotations

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.orders.candidates import Candidates


class JudgmentRequest(Frozen):
    """A document that a strategy selects for judging."""

    document: int
    """Index of the document among the candidates of its topic."""
    score: float
    """By which the strategy prefers the document, the highest first: a score, a priority, a probability."""
    key: tuple[float, ...]
    """The smallest key comes first, within a topic and across topics."""
    run: int | None = None
    """The run from which the document was selected, for strategies that read one run at a time."""


class TopicStrategy(ABC):
    """A strategy at work on one topic, with what it has learned."""

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.selected = np.zeros(len(candidates.docnos), np.bool_)  # shape (n_documents,)
        self._next: JudgmentRequest | None = None

    @property
    def state(self) -> int:
        """A number that changes whenever judgments of another topic change the preferences of this one."""
        return 0

    def next(self) -> JudgmentRequest | None:
        """Return the preferred document, the same until one is selected or judged; None if there is none."""
        if self._next is None and not self.selected.all():
            self._next = self._choose()
        return self._next

    def select(self, document: int) -> None:
        """Mark a document as selected."""
        self.selected[document] = True
        self._next = None

    def learn(self, request: JudgmentRequest, *, relevant: bool) -> None:
        """Learn from the judgment of a document."""
        self._next = None
        self._learn(request, relevant=relevant)

    @abstractmethod
    def _choose(self) -> JudgmentRequest | None:
        """Choose one of the documents that are not selected, at least one; None to stop."""

    def _learn(self, request: JudgmentRequest, *, relevant: bool) -> None:  # noqa: B027 - some do not learn
        """Learn from a judgment; strategies with a fixed order do nothing."""


class FixedStrategy(TopicStrategy):
    """A strategy that does not depend on judgments: ``scores`` descending, then ``ties`` descending, then by name."""

    def __init__(self, candidates: Candidates, scores: FloatArray, ties: IntArray | None = None) -> None:
        super().__init__(candidates)
        self.order_by(without_noise(scores), np.zeros(scores.size, np.int64) if ties is None else ties)

    def order_by(self, scores: AnyArray, ties: IntArray) -> None:
        """Change the order; both arrays have shape (n_documents,)."""
        self._scores, self._ties = scores.tolist(), ties.tolist()
        self._order: list[int] = np.lexsort((-ties, -scores)).tolist()
        self._start = 0

    def _choose(self) -> JudgmentRequest:
        while self.selected[self._order[self._start]]:
            self._start += 1
        document = self._order[self._start]
        score = self._scores[document]
        return JudgmentRequest(document, score, (-score, -self._ties[document]))


class ScoringStrategy(TopicStrategy):
    """A strategy that scores all documents again when it has learned; ties by name."""

    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        self._scores: FloatArray | None = None

    def _choose(self) -> JudgmentRequest:
        if self._scores is None:
            self._scores = without_noise(self._all_scores())
        document = int(np.argmax(np.where(self.selected, -np.inf, self._scores)))
        score = float(self._scores[document])
        return JudgmentRequest(document, score, (-score,))

    def forget_scores(self) -> None:
        """Score the documents again before the next one is chosen."""
        self._scores = self._next = None

    @abstractmethod
    def _all_scores(self) -> FloatArray:
        """Compute the score of each document, the highest first: shape (n_documents,)."""


class RunReadingStrategy(TopicStrategy):
    """A strategy that reads one run at a time: its first document that is not selected."""

    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        self._n_read = [0] * candidates.n_runs

    def next_in(self, run: int) -> int | None:
        """Return the first document of a run that is not selected; None if there is none."""
        ranking, start = self.candidates.rankings[run], self._n_read[run]
        while start < len(ranking) and self.selected[ranking[start]]:
            start += 1
        self._n_read[run] = start
        return ranking[start] if start < len(ranking) else None

    def read_best(self, preferences: Sequence[float], n_judged: Sequence[int] | None = None) -> JudgmentRequest:
        """Return the next document of the run with the highest preference; ties by the fewest judged, then by place."""
        n_judged = n_judged or [0] * len(preferences)
        for run in sorted(range(len(preferences)), key=lambda run: (-preferences[run], n_judged[run])):
            if (document := self.next_in(run)) is not None:
                return JudgmentRequest(document, preferences[run], (-preferences[run],), run)
        raise AssertionError("each candidate is a document of some run")


def without_noise(scores: FloatArray) -> FloatArray:
    """Round scores, so that scores which differ by rounding errors alone are equal."""
    return np.round(scores, 10)


def generator_for(seed: int, strategy: str, topic: bytes) -> random.Random:
    """Return a generator that depends on the seed, the name of the strategy and the topic alone."""
    digest = hashlib.sha256(b"%d %s %s" % (seed, strategy.encode(), topic)).digest()
    return random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - nothing is secret

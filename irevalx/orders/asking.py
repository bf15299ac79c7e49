"""What an order of judging is: it asks for a document, hears whether it is relevant, and asks for the next."""

from __future__ import annotations

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.orders.candidates import Candidates


class Question(Frozen):
    """A document that an order would have judged next.

    Parameters
    ----------
    document : its place among the candidates of its topic.
    score : by which the order prefers it, the greatest first: a score, a priority, a probability.
    key : the smallest is asked for first, in a topic and over topics; by default that of ``score``.
    run : the run that it was read from, where an order reads one run at a time; otherwise None.
    """

    document: int
    score: float
    key: tuple[float, ...]
    run: int | None = None


class TopicOrder(ABC):
    """The order of the documents of one topic, and what it has learnt.

    Parameters
    ----------
    candidates : of the topic.
    """

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.taken = np.zeros(len(candidates.docnos), np.bool_)
        """Which documents have been asked for: shape (n_documents,)."""
        self._next: Question | None = None

    @property
    def state(self) -> int:
        """A number that changes whenever the answers for another topic have changed the order of this one."""
        return 0

    def next(self) -> Question | None:
        """Return the document to judge next, the same until something is taken or learnt; None if there is none."""
        if self._next is None and not self.taken.all():
            self._next = self._choose()
        return self._next

    def take(self, document: int) -> None:
        """Mark a document as asked for."""
        self.taken[document] = True
        self._next = None

    def learn(self, question: Question, *, relevant: bool) -> None:
        """Hear whether a document that was asked for is relevant."""
        self._next = None
        self._learn(question, relevant=relevant)

    @abstractmethod
    def _choose(self) -> Question | None:
        """Choose among the documents that are left, of which there is one at least; None if no more are wanted."""

    def _learn(self, question: Question, *, relevant: bool) -> None:  # noqa: B027 - most orders learn, and some do not
        """Take an answer into account; an order that is fixed from the beginning learns nothing."""


class FixedOrder(TopicOrder):
    """An order that does not depend on answers.

    Parameters
    ----------
    candidates : of the topic.
    scores : shape (n_documents,); the greatest first.
    ties : shape (n_documents,); of equal scores the greatest first, then by name. None: by name.
    """

    def __init__(self, candidates: Candidates, scores: FloatArray, ties: IntArray | None = None) -> None:
        super().__init__(candidates)
        self.order_by(without_noise(scores), np.zeros(scores.size, np.int64) if ties is None else ties)

    def order_by(self, scores: AnyArray, ties: IntArray) -> None:
        """Ask for documents in another order."""
        self._scores, self._ties = scores.tolist(), ties.tolist()
        self._order: list[int] = np.lexsort((-ties, -scores)).tolist()
        self._start = 0

    def _choose(self) -> Question:
        while self.taken[self._order[self._start]]:
            self._start += 1
        document = self._order[self._start]
        score = self._scores[document]
        return Question(document, score, (-score, -self._ties[document]))


class ScoringOrder(TopicOrder):
    """An order that scores all documents anew when it has learnt something; ties by name."""

    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        self._scores: FloatArray | None = None

    def _choose(self) -> Question:
        if self._scores is None:
            self._scores = without_noise(self._all_scores())
        document = int(np.argmax(np.where(self.taken, -np.inf, self._scores)))
        score = float(self._scores[document])
        return Question(document, score, (-score,))

    def forget_scores(self) -> None:
        """Score the documents anew before the next one is chosen."""
        self._scores = self._next = None

    @abstractmethod
    def _all_scores(self) -> FloatArray:
        """Return a score for each document, the greatest first: shape (n_documents,)."""


class ReadingOrder(TopicOrder):
    """An order that reads one run at a time: the next document of it that was not asked for."""

    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        self._read = [0] * candidates.n_runs

    def next_in(self, run: int) -> int | None:
        """Return the first document of a run that was not asked for; None if there is none left."""
        ranking, start = self.candidates.rankings[run], self._read[run]
        while start < len(ranking) and self.taken[ranking[start]]:
            start += 1
        self._read[run] = start
        return ranking[start] if start < len(ranking) else None

    def read_best(self, preferences: Sequence[float], n_asked: Sequence[int] | None = None) -> Question:
        """Return the next document of the preferred run that has one.

        Parameters
        ----------
        preferences : one for each run, the greatest first.
        n_asked : of equal preferences the run of which fewest documents were asked for comes first, then in the order
            of runs; None: in the order of runs.
        """
        asked = n_asked or [0] * len(preferences)
        for run in sorted(range(len(preferences)), key=lambda run: (-preferences[run], asked[run])):
            if (document := self.next_in(run)) is not None:
                return Question(document, preferences[run], (-preferences[run],), run)
        raise AssertionError("each candidate is a document of some run")


def without_noise(scores: FloatArray) -> FloatArray:
    """Round scores, so that those which are equal but for rounding errors are equal."""
    return np.round(scores, 10)


def generator_for(seed: int, order: str, topic: bytes) -> random.Random:
    """Return random numbers that depend on a seed, the name of an order and a topic alone."""
    digest = hashlib.sha256(b"%d %s %s" % (seed, order.encode(), topic)).digest()
    return random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - nothing is secret

"""Orders that ask for what tells runs apart: by average precision (mtc), and by the bounds of P_10 (bounds)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, SlotArray
from irevalx.orders.asking import FixedOrder, Question, ScoringOrder
from irevalx.orders.candidates import Candidates

BOUNDED_DEPTH = 10
"""The cutoff of the precision whose bounds count."""

_BATCH = 4_000_000
"""How many differences are in memory at a time."""


class TellingApart(ScoringOrder):
    """Ask for the document that changes the differences in average precision of all pairs of runs most.

    R times the average precision of a run is the sum over pairs of relevant documents, each with itself too, of 1/the
    greater rank of the two. Were a document relevant, it would add its share, with those known to be relevant (ours:
    documents that are not judged count as not relevant); the score is the difference of these shares, without sign,
    summed over pairs of runs.

    Source: Carterette, Allan and Sitaraman, Minimal Test Collections for Retrieval Evaluation, SIGIR 2006, section 3.
    """

    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        self._share = candidates.reciprocal_ranks.copy()

    def _all_scores(self) -> FloatArray:
        # In ascending order the k-th of n numbers is greater than k others and smaller than n - 1 - k.
        n = self.candidates.n_runs
        signed = np.sort(self._share, axis=0) * (2.0 * np.arange(n) - n + 1)[:, np.newaxis]
        scores: FloatArray = np.add.reduce(signed, axis=0)
        return scores

    def _learn(self, question: Question, *, relevant: bool) -> None:
        if relevant:
            reciprocal = self.candidates.reciprocal_ranks
            with_it = np.minimum(reciprocal, reciprocal[:, [question.document]])
            with_it[:, question.document] = 0.0
            self._share += with_it
            self.forget_scores()


class UndecidedPairs:
    """The pairs of runs whose order by P_10, over all topics, judgments could still reverse.

    Parameters
    ----------
    candidates : of all topics.
    """

    def __init__(self, candidates: Sequence[Candidates]) -> None:
        n_runs = candidates[0].n_runs if candidates else 0
        self.pairs: IntArray = np.array(list(combinations(range(n_runs), 2)), np.int64).reshape(-1, 2)
        """Shape (n_pairs, 2)."""
        self._low = np.zeros(len(self.pairs), np.int64)
        self._high = np.zeros(len(self.pairs), np.int64)
        for one in candidates:
            counts = _counted(one)
            for some in self._parts(counts.shape[1]):
                differences = self._differences(counts, some)
                self._low[some] += np.minimum(differences, 0).sum(axis=1)
                self._high[some] += np.maximum(differences, 0).sum(axis=1)
        self.open = self._undecided()
        """Whether each pair is undecided: shape (n_pairs,)."""
        self.changes = 0
        """How often pairs have been decided."""

    def _undecided(self) -> BoolArray:
        undecided: BoolArray = (self._low <= 0) & (self._high >= 0) & (self._low < self._high)
        return undecided

    def _parts(self, n_documents: int) -> list[slice]:
        size = max(1, _BATCH // max(1, n_documents))
        return [slice(start, start + size) for start in range(0, len(self.pairs), size)]

    def _differences(self, counts: IntArray, some: slice) -> IntArray:
        first, second = self.pairs[some].T
        differences: IntArray = counts[first] - counts[second]
        return differences

    def narrowed(self, candidates: Candidates) -> IntArray:
        """Return how many undecided pairs each document matters to: shape (n_documents,)."""
        counts = _counted(candidates)
        total = np.zeros(counts.shape[1], np.int64)
        for some in self._parts(counts.shape[1]):
            total += np.abs(self._differences(counts, some)[self.open[some]]).sum(axis=0)
        return total

    def learn(self, counts: IntArray, *, relevant: bool) -> None:
        """Take the judgment of a document into account, which counts for the runs that have it among the first ones."""
        differences = counts[self.pairs[:, 0]] - counts[self.pairs[:, 1]]
        known = differences * relevant
        self._low += known - np.minimum(differences, 0)
        self._high += known - np.maximum(differences, 0)
        undecided = self._undecided()
        if (undecided != self.open).any():
            self.open, self.changes = undecided, self.changes + 1


class BoundingOrder(FixedOrder):
    """Ask for the document that matters to most undecided pairs, as ``irevalx-lab bounds -m P.10 --in-all`` does.

    Of documents that matter to none the best ranks come first (ours). The order is another one when a pair is decided.

    Parameters
    ----------
    candidates : of the topic.
    undecided : those over all topics.
    """

    def __init__(self, candidates: Candidates, undecided: UndecidedPairs) -> None:
        super().__init__(candidates, np.zeros(len(candidates.docnos)))
        self._undecided = undecided
        self._changes: int | None = None

    @property
    def state(self) -> int:
        """How often pairs have been decided."""
        return self._undecided.changes

    def next(self) -> Question | None:
        """Return the document to judge next, which may change with the answers for other topics."""
        if self._changes != self._undecided.changes:
            self._next = None
        return super().next()

    def _choose(self) -> Question:
        if self._changes != self._undecided.changes:
            self._changes = self._undecided.changes
            worth = self._undecided.narrowed(self.candidates)
            self.order_by(worth, -np.where(worth > 0, 0, self.candidates.best_rank))
        return super()._choose()

    def _learn(self, question: Question, *, relevant: bool) -> None:
        ranks = self.candidates.ranks[:, question.document]
        self._undecided.learn(_within(ranks), relevant=relevant)


def _within(ranks: SlotArray) -> IntArray:
    """Return 1 for ranks that count, and 0 for others."""
    return ((ranks > 0) & (ranks <= BOUNDED_DEPTH)).astype(np.int64)


def _counted(candidates: Candidates) -> IntArray:
    """Return 1 where a document counts for a run, and 0 elsewhere: shape (n_runs, n_documents)."""
    return _within(candidates.ranks)

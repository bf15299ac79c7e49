"""Strategies that select the documents that best discriminate between runs: MTC, and bounds of P_10."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, SlotArray
from irevalx.strategies.strategy import Candidates, FixedStrategy, JudgmentRequest, ScoringStrategy

BOUNDED_DEPTH = 10
"""The rank cutoff of the precision whose bounds are computed."""

_BATCH = 4_000_000
"""The maximum number of differences that are held in memory at a time."""


class MinimalTestCollection(ScoringStrategy):
    """Select the document that most affects the differences in average precision between all pairs of runs (MTC).

    The average precision of a run, multiplied by R, is a sum over pairs of relevant documents, including pairs of a
    document with itself. Each pair contributes the reciprocal of the larger of its two ranks. The contribution of a
    relevant document is the sum over its pairs with documents judged relevant. Unjudged documents are treated as
    nonrelevant (our choice). The score of a document is the absolute difference between its contributions to two runs,
    summed over pairs of runs.

    Source: Carterette, Allan and Sitaraman, Minimal Test Collections for Retrieval Evaluation, SIGIR 2006, section 3.
    """

    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        self._share = candidates.reciprocal_ranks.copy()

    def _all_scores(self) -> FloatArray:
        # In ascending order, the k-th of n numbers (from 0) is added k times and subtracted n - 1 - k times.
        n = self.candidates.n_runs
        signed = np.sort(self._share, axis=0) * (2.0 * np.arange(n) - n + 1)[:, np.newaxis]
        scores: FloatArray = np.add.reduce(signed, axis=0)
        return scores

    def _learn(self, request: JudgmentRequest, *, relevant: bool) -> None:
        if relevant:
            reciprocal = self.candidates.reciprocal_ranks
            with_it = np.minimum(reciprocal, reciprocal[:, [request.document]])
            with_it[:, request.document] = 0.0
            self._share += with_it
            self.forget_scores()


class UndeterminedPairs:
    """The pairs of runs for which further judgments can still change the sign of the mean difference in P_10."""

    def __init__(self, candidates: Sequence[Candidates]) -> None:
        n_runs = candidates[0].n_runs if candidates else 0
        self.pairs: IntArray = np.stack(np.triu_indices(n_runs, 1), axis=1)  # shape (n_pairs, 2)
        self._low = np.zeros(len(self.pairs), np.int64)
        self._high = np.zeros(len(self.pairs), np.int64)
        for topic in candidates:
            counts = _within(topic.ranks)
            for part in self._parts(counts.shape[1]):
                differences = self._differences(counts, part)
                self._low[part] += np.minimum(differences, 0).sum(axis=1)
                self._high[part] += np.maximum(differences, 0).sum(axis=1)
        self.open = self._undetermined()
        """Whether each pair is undetermined. The shape is (n_pairs,)."""
        self.changes = 0
        """The number of judgments after which a pair was no longer undetermined."""

    def _undetermined(self) -> BoolArray:
        return (self._low <= 0) & (self._high >= 0) & (self._low < self._high)

    def _parts(self, n_documents: int) -> list[slice]:
        size = max(1, _BATCH // max(1, n_documents))
        return [slice(start, start + size) for start in range(0, len(self.pairs), size)]

    def _differences(self, counts: IntArray, part: slice) -> IntArray:
        first, second = self.pairs[part].T
        differences: IntArray = counts[first] - counts[second]
        return differences

    def narrowed(self, candidates: Candidates) -> IntArray:
        """Return the amount by which a judgment of each document would narrow the bounds of undetermined pairs."""
        counts = _within(candidates.ranks)
        total = np.zeros(counts.shape[1], np.int64)
        for part in self._parts(counts.shape[1]):
            total += np.abs(self._differences(counts, part)[self.open[part]]).sum(axis=0)
        return total

    def learn(self, counts: IntArray, *, relevant: bool) -> None:
        """Update the bounds after a judgment. ``counts`` is 1 for runs with the document within the cutoff."""
        differences = counts[self.pairs[:, 0]] - counts[self.pairs[:, 1]]
        known = differences * relevant
        self._low += known - np.minimum(differences, 0)
        self._high += known - np.maximum(differences, 0)
        undetermined = self._undetermined()
        if (undetermined != self.open).any():
            self.open, self.changes = undetermined, self.changes + 1


class BoundsStrategy(FixedStrategy):
    """Select the document that narrows the bounds of P_10 for most undetermined pairs of runs.

    The bounds equal the bounds of irevalx-lab bounds -m P.10 --in-all. Documents that narrow no bounds come last,
    ordered by best rank (our choice). The order changes when a pair becomes determined. The pairs are the same for all
    topics.
    """

    def __init__(self, candidates: Candidates, pairs: UndeterminedPairs) -> None:
        super().__init__(candidates, np.zeros(len(candidates.docnos)))
        self._pairs = pairs
        self._changes: int | None = None

    @property
    def state(self) -> int:
        """The number of times that the set of undetermined pairs has changed."""
        return self._pairs.changes

    def next(self) -> JudgmentRequest | None:
        """Return the preferred document, which judgments of other topics can change."""
        if self._changes != self._pairs.changes:
            self._next = None
        return super().next()

    def _choose(self) -> JudgmentRequest:
        if self._changes != self._pairs.changes:
            self._changes = self._pairs.changes
            n_narrowed = self._pairs.narrowed(self.candidates)
            self.order_by(n_narrowed, -np.where(n_narrowed > 0, 0, self.candidates.best_rank))
        return super()._choose()

    def _learn(self, request: JudgmentRequest, *, relevant: bool) -> None:
        ranks = self.candidates.ranks[:, request.document]
        self._pairs.learn(_within(ranks), relevant=relevant)


def _within(ranks: SlotArray) -> IntArray:
    """Return 1 for each rank within the cutoff, and 0 for all other ranks."""
    return ((ranks > 0) & (ranks <= BOUNDED_DEPTH)).astype(np.int64)

"""Strategies that learn which runs are effective: move-to-front, hedge, and bandits."""

from __future__ import annotations

import random

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.strategies.strategy import Candidates, JudgmentRequest, RunReadingStrategy, ScoringStrategy

HEDGE_BETA = 0.1
"""The factor by which a run's weight is multiplied for a loss of 1."""


class MoveToFront(RunReadingStrategy):
    """Select the next document from the run with the highest priority, which decreases by 1 for nonrelevant documents.

    All priorities are initially 0. If several runs have the highest priority, the run given first is used.

    Source: Cormack, Palmer and Clarke, Efficient Construction of Large Test Collections, SIGIR 1998 (move-to-front);
    the priorities as in Losada, Parapar and Barreiro, Multi-armed Bandits for Adjudicating Documents in Pooling-based
    Evaluation of Information Retrieval Systems, IPM 2017.
    """

    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        self._priorities = [0.0] * candidates.n_runs
        self._run: int | None = None

    def _choose(self) -> JudgmentRequest:
        if self._run is not None and (document := self.next_in(self._run)) is not None:
            priority = self._priorities[self._run]
            return JudgmentRequest(document, priority, (-priority,), self._run)
        request = self.read_best(self._priorities)
        self._run = request.run
        return request

    def _learn(self, request: JudgmentRequest, *, relevant: bool) -> None:
        if not relevant and request.run is not None:
            self._priorities[request.run] -= 1
            self._run = None


class Hedge(ScoringStrategy):
    """Select the document whose nonrelevance would cause the highest loss, averaged over the weighted runs (Hedge).

    The loss of a run for the document at rank r of its first D documents is ln(D/r)/2 if the document is nonrelevant,
    -ln(D/r)/2 if the document is relevant, and 0 for all other documents. The weight of a run is 0.1 to the power of
    the run's total loss.

    Source: Aslam, Pavlu and Savell, A Unified Model for Metasearch, Pooling, and System Evaluation, CIKM 2003.
    """

    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        ranks = np.where(candidates.has, candidates.ranks, candidates.depth)
        self._loss = 0.5 * np.log(candidates.depth / ranks)
        self._losses = np.zeros(candidates.n_runs)

    def _all_scores(self) -> FloatArray:
        weights = HEDGE_BETA ** (self._losses - self._losses.min())
        scores: FloatArray = np.add.reduce((weights / weights.sum())[:, np.newaxis] * self._loss, axis=0)
        return scores

    def _learn(self, request: JudgmentRequest, *, relevant: bool) -> None:
        self._losses += self._loss[:, request.document] * (-1 if relevant else 1)
        self.forget_scores()


class Bandit(RunReadingStrategy):
    """Select the next document from the run whose documents are most probably relevant, and update the probability.

    The probability of each run has a Beta(1, 1) prior distribution. If ``generator`` is given, the probability is drawn
    from this distribution (Thompson sampling). If ``generator`` is None, the mean is used. Ties are broken by the
    number of judged documents of a run (the run with the fewest comes first), and then by the order in which runs are
    given (our choice). If ``is_stationary`` is false, only the last judged document of a run is used.

    Source: Losada, Parapar and Barreiro, Multi-armed Bandits for Adjudicating Documents in Pooling-based Evaluation of
    Information Retrieval Systems, IPM 2017.
    """

    def __init__(
        self, candidates: Candidates, generator: random.Random | None = None, *, is_stationary: bool = True
    ) -> None:
        super().__init__(candidates)
        self._generator, self._is_stationary = generator, is_stationary
        self._relevant = [0] * candidates.n_runs
        self._nonrelevant = [0] * candidates.n_runs
        self._n_judged = [0] * candidates.n_runs

    def _choose(self) -> JudgmentRequest:
        counts = zip(self._relevant, self._nonrelevant, strict=True)
        if self._generator is None:
            return self.read_best([(1 + hits) / (2 + hits + misses) for hits, misses in counts], self._n_judged)
        draw = self._generator.betavariate
        return self.read_best([draw(1 + hits, 1 + misses) for hits, misses in counts])

    def _learn(self, request: JudgmentRequest, *, relevant: bool) -> None:
        run = request.run
        if run is None:
            return
        self._n_judged[run] += 1
        self._relevant[run] = self._is_stationary * self._relevant[run] + relevant
        self._nonrelevant[run] = self._is_stationary * self._nonrelevant[run] + (not relevant)

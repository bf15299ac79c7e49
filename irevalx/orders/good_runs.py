"""Orders that learn which runs are good: move-to-front, hedge, and bandits."""

from __future__ import annotations

import random

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.orders.asking import Question, ReadingOrder, ScoringOrder
from irevalx.orders.candidates import Candidates

HEDGE_BETA = 0.1
"""What a run's weight is multiplied by for a loss of 1."""


class MoveToFront(ReadingOrder):
    """Read the run with the highest priority on until a document is not relevant: that lowers its priority by 1.

    All priorities are 0 at first; of equal ones the first run in the order given is read.

    Source: Cormack, Palmer and Clarke, Efficient Construction of Large Test Collections, SIGIR 1998; the priorities as
    in Losada, Parapar and Barreiro, Multi-armed Bandits for Adjudicating Documents in Pooling-based Evaluation of
    Information Retrieval Systems, IPM 2017.
    """

    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        self._priorities = [0.0] * candidates.n_runs
        self._run: int | None = None

    def _choose(self) -> Question:
        if self._run is not None and (document := self.next_in(self._run)) is not None:
            priority = self._priorities[self._run]
            return Question(document, priority, (-priority,), self._run)
        question = self.read_best(self._priorities)
        self._run = question.run
        return question

    def _learn(self, question: Question, *, relevant: bool) -> None:
        if not relevant and question.run is not None:
            self._priorities[question.run] -= 1
            self._run = None


class Hedge(ScoringOrder):
    """Ask for the document that would be the greatest loss to the runs trusted so far, were it not relevant.

    The loss of a run for the document at rank r of its D first ones is ln(D/r)/2 if it is not relevant, the negative
    of that if it is, and 0 for a document that it lacks. The weight of a run is 0.1 to the power of its losses.

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

    def _learn(self, question: Question, *, relevant: bool) -> None:
        self._losses += self._loss[:, question.document] * (-1 if relevant else 1)
        self.forget_scores()


class Bandit(ReadingOrder):
    """Read the run whose documents are probably most often relevant; what is found tells of this run alone.

    What is known of a run is a Beta distribution that starts at (1, 1). Of runs with equal means the one that was read
    least is read, then the first in the order given (ours).

    Source: Losada, Parapar and Barreiro, Multi-armed Bandits for Adjudicating Documents in Pooling-based Evaluation of
    Information Retrieval Systems, IPM 2017.

    Parameters
    ----------
    candidates : of the topic.
    generator : for Thompson sampling, a draw from each distribution; None for their means.
    is_stationary : whether all documents of a run count; otherwise the last one alone.
    """

    def __init__(
        self, candidates: Candidates, generator: random.Random | None = None, *, is_stationary: bool = True
    ) -> None:
        super().__init__(candidates)
        self._generator, self._is_stationary = generator, is_stationary
        self._relevant = [0] * candidates.n_runs
        self._nonrelevant = [0] * candidates.n_runs
        self._n_asked = [0] * candidates.n_runs

    def _choose(self) -> Question:
        counts = zip(self._relevant, self._nonrelevant, strict=True)
        if self._generator is None:
            return self.read_best([(1 + hits) / (2 + hits + misses) for hits, misses in counts], self._n_asked)
        draw = self._generator.betavariate
        return self.read_best([draw(1 + hits, 1 + misses) for hits, misses in counts])

    def _learn(self, question: Question, *, relevant: bool) -> None:
        run = question.run
        if run is None:
            return
        self._n_asked[run] += 1
        kept = self._is_stationary
        self._relevant[run] = kept * self._relevant[run] + relevant
        self._nonrelevant[run] = kept * self._nonrelevant[run] + (not relevant)

"""An order that learns from the words of documents: continuous active learning."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.orders.asking import Question, ScoringOrder
from irevalx.orders.candidates import Candidates

if TYPE_CHECKING:
    from scipy import sparse

TextVectors: TypeAlias = "Callable[[tuple[bytes, ...]], sparse.csr_array]"
"""Returns a row for each document: tf-idf weights of its words, of length 1; zeros for a document without text."""

PRESUMED = 100
"""How many documents that were not judged count as nonrelevant each time something is learnt."""

GROWTH = 10
"""A batch is greater than the one before by a tenth of that, rounded up."""


class ActiveLearning(ScoringOrder):
    """Ask for what a logistic regression takes to be relevant, fitted anew to what is known batch after batch.

    Until a document is relevant the order is that by depth (ours: there is no text of the topic to begin with). It
    learns from the judged documents, and from 100 others at random that it takes to be nonrelevant. The first batch has
    one document, each later one a tenth more.

    Source: Cormack and Grossman, Autonomy and Reliability of Continuous Active Learning for Technology-Assisted Review,
    2015 (AutoTAR), after Evaluation of Machine-Learning Protocols, SIGIR 2014.

    Parameters
    ----------
    candidates : of the topic.
    vectors : shape (n_documents + n_others, n_words).
    generator : of random documents.
    others : whether judged documents that are no candidates are relevant; those without text teach nothing.
    """

    def __init__(
        self,
        candidates: Candidates,
        vectors: sparse.csr_array,
        generator: random.Random,
        others: Sequence[bool] = (),
    ) -> None:
        super().__init__(candidates)
        self._vectors, self._generator = vectors, generator
        has_text = np.diff(vectors.indptr) > 0
        known = enumerate(others, start=len(candidates.docnos))
        self._answers = {place: relevant for place, relevant in known if has_text[place]}
        self._batch, self._left = 1, 1

    def _all_scores(self) -> FloatArray:
        if not any(self._answers.values()):
            return -self.candidates.best_rank - 1.0 / (1.0 + self.candidates.n_at_best)
        from sklearn.linear_model import LogisticRegression

        others = [place for place in range(len(self.candidates.docnos)) if place not in self._answers]
        presumed = self._generator.sample(others, min(PRESUMED, len(others)))
        relevant = [*self._answers.values(), *(False for _ in presumed)]
        if all(relevant):
            return np.zeros(len(self.candidates.docnos))
        model = LogisticRegression(max_iter=1000)
        model.fit(self._vectors[[*self._answers, *presumed]], relevant)
        scores: FloatArray = model.predict_proba(self._vectors[: len(self.candidates.docnos)])[:, 1]
        return scores

    def _learn(self, question: Question, *, relevant: bool) -> None:
        is_first = relevant and not any(self._answers.values())
        self._answers[question.document] = relevant
        self._left -= 1
        if is_first:
            self._batch = self._left = 1
        elif self._left <= 0:
            self._batch += math.ceil(self._batch / GROWTH)
            self._left = self._batch
        else:
            return
        self.forget_scores()

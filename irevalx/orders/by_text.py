"""A strategy that learns from the text of documents: continuous active learning."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.orders.asking import JudgmentRequest, ScoringStrategy
from irevalx.orders.candidates import Candidates

if TYPE_CHECKING:
    from scipy import sparse

TextVectors: TypeAlias = "Callable[[tuple[bytes, ...]], sparse.csr_array]"
"""Returns a row for each document: tf-idf weights of its words, of length 1; zeros if it has no text."""

PRESUMED = 100
"""Number of unjudged documents that are presumed nonrelevant each time the classifier is fitted."""

GROWTH = 10
"""A batch is larger than the one before by its size divided by this number, rounded up."""


class ActiveLearning(ScoringStrategy):
    """Select the document with the highest probability of relevance from a logistic regression, refitted by batch.

    Until a document is relevant, the strategy is depth (ours: there is no topic text to start with). The regression is
    fitted to the judged documents, and to 100 random other documents that are presumed nonrelevant. The first batch has
    one document, each later batch a tenth more. ``vectors`` has shape (n_documents + n_others, n_words); ``others`` are
    the judgments of documents that are no candidates, ignored if they have no text.

    Source: Cormack and Grossman, Autonomy and Reliability of Continuous Active Learning for Technology-Assisted Review,
    2015 (AutoTAR), after Evaluation of Machine-Learning Protocols, SIGIR 2014.
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
        judged = enumerate(others, start=len(candidates.docnos))
        self._judgments = {place: relevant for place, relevant in judged if has_text[place]}
        self._batch, self._left = 1, 1

    def _all_scores(self) -> FloatArray:
        if not any(self._judgments.values()):
            return -self.candidates.best_rank - 1.0 / (1.0 + self.candidates.n_at_best)
        from sklearn.linear_model import LogisticRegression

        others = [place for place in range(len(self.candidates.docnos)) if place not in self._judgments]
        presumed = self._generator.sample(others, min(PRESUMED, len(others)))
        relevant = [*self._judgments.values(), *(False for _ in presumed)]
        if all(relevant):
            return np.zeros(len(self.candidates.docnos))
        model = LogisticRegression(max_iter=1000)
        model.fit(self._vectors[[*self._judgments, *presumed]], relevant)
        scores: FloatArray = model.predict_proba(self._vectors[: len(self.candidates.docnos)])[:, 1]
        return scores

    def _learn(self, request: JudgmentRequest, *, relevant: bool) -> None:
        is_first = relevant and not any(self._judgments.values())
        self._judgments[request.document] = relevant
        self._left -= 1
        if is_first:
            self._batch = self._left = 1
        elif self._left <= 0:
            self._batch += math.ceil(self._batch / GROWTH)
            self._left = self._batch
        else:
            return
        self.forget_scores()

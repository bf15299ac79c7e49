"""Continuous active learning, which learns from the text of documents, and active sampling from runs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ratio
from irevalx.strategies.strategy import Candidates, JudgmentRequest, ScoringStrategy, TopicStrategy

if TYPE_CHECKING:
    from scipy import sparse

TextVectors: TypeAlias = "Callable[[tuple[bytes, ...]], sparse.csr_array]"
"""A function that returns the tf-idf vector of each document as a row, scaled to length 1, or zeros for a document
without text."""

PRESUMED = 100
"""The number of unjudged documents that are presumed nonrelevant whenever the classifier is fitted."""

GROWTH = 10
"""The divisor that determines how batches grow: each batch is larger than the last by its size divided by this number,
rounded up."""


class ActiveLearning(ScoringStrategy):
    """Select the document with the highest probability of relevance in a logistic regression.

    Until a relevant document is found, documents are selected by depth (our choice, because there is no topic text to
    start with). The regression is fitted to the judged documents and to 100 other random documents, which are presumed
    nonrelevant, and refitted for each batch. The first batch has one document, and each later batch has a tenth more.
    The shape of ``vectors`` is (n_documents + n_others, n_words). ``others`` are the judgments of documents that are
    not candidates. Documents that have no text are ignored.

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


class ActiveSampling(TopicStrategy):
    """Sample documents with known probabilities from runs, in proportion to precision, and from ranks within a run.

    In a run, the document at rank r of the first D documents has a sampling weight proportional to 1 + 1/r + ... + 1/D,
    which is its contribution to average precision. The weights of runs are equal at first. Later, the weights are
    proportional to 1 + the run's number of relevant documents, estimated from the sample (our choice).

    The sample has ``n`` documents on average, and sums over the sample are unbiased. Unbiasedness requires a change of
    the published method: each document is considered once, in random order, and drawn with a probability proportional
    to its sampling weight, at most 1, which depends only on the documents considered earlier. If documents are drawn
    with replacement, as by Li and Kanoulas, the probability of a document depends on whether the document itself is
    relevant, and estimated numbers of relevant documents are too low by 10% to 33% (eight topics of TREC 2003 Robust,
    80 to 10 documents of each).

    Source: Li and Kanoulas, Active Sampling for Large-scale Information Retrieval Evaluation, CIKM 2017, section 3; the
    distribution over ranks: Aslam and Pavlu, A Practical Sampling Strategy for Efficient Retrieval Evaluation, 2007.
    """

    def __init__(self, candidates: Candidates, generator: random.Random, n: int) -> None:
        super().__init__(candidates)
        self._generator, self._left = generator, float(n)
        self._order = list(range(len(candidates.docnos)))
        generator.shuffle(self._order)
        self._start = 0
        self._factor: float | None = None
        of_rank = _parts_of_average_precision(candidates.depth)
        share = np.where(candidates.has, of_rank[candidates.ranks], 0.0)
        self._of_runs = ratio(share, np.add.reduce(share, axis=1)[:, np.newaxis])
        self._weights = np.ones(candidates.n_runs)
        self._shares = np.add.reduce(self._of_runs, axis=0)
        self.inclusion = np.zeros(len(candidates.docnos))
        """The inclusion probability of each document that was considered so far, or 0 for a document that was not. The
        shape is (n_documents,)."""

    def leave_out(self, documents: IntArray) -> None:
        """Exclude documents that cannot be judged. Call this method before the first document is drawn."""
        removed = set(documents.tolist())
        self._order = [document for document in self._order if document not in removed]

    def _choose(self) -> JudgmentRequest | None:
        if self._factor is None:
            self._factor = factor_for(self._shares[self._order[self._start :]], self._left)
        for document in self._order[self._start :]:
            self._start += 1
            probability = min(1.0, self._factor * float(self._shares[document]))
            self._left -= probability
            self.inclusion[document] = probability
            if self._generator.random() < probability:
                return JudgmentRequest(document, probability, (-probability,))
        return None

    def _learn(self, request: JudgmentRequest, *, relevant: bool) -> None:
        if relevant:
            has = self.candidates.has[:, request.document]
            self._weights += has / self.inclusion[request.document]
            self._shares = np.add.reduce(self._weights[:, np.newaxis] * self._of_runs, axis=0)
            self._factor = None


def factor_for(shares: FloatArray, n: float) -> float:
    """Return the factor f for which the values min(1, f * share) sum to n, or infinity if there is no such factor."""
    descending = np.sort(shares)[::-1]
    cut = np.arange(shares.size)  # number of the largest shares whose probability is 1
    factors = (n - cut) / np.add.accumulate(descending[::-1])[::-1]
    fitting = np.flatnonzero(factors * descending <= 1.0)
    return float(factors[fitting[0]]) if fitting.size and n < shares.size else np.inf


def _parts_of_average_precision(depth: int) -> FloatArray:
    """Return 0 for rank 0, and the weight 1 + 1/r + ... + 1/depth for rank r. The shape is (depth + 1,)."""
    tail = np.add.accumulate(1.0 / np.arange(depth, 0, -1))[::-1]
    return np.concatenate(([0.0], 1.0 + tail))

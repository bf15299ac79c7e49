"""The interface of judging strategies, and the candidate documents from which they select."""

from __future__ import annotations

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, SlotArray, ratio
from irevalx.errors import Warn
from irevalx.experiments.pools import PLAIN, documents_in_order
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds.runs import RunStream


class Candidates(Frozen):
    """The candidate documents of a topic, together with their ranks in the runs."""

    topic: bytes
    docnos: tuple[bytes, ...]
    """The document IDs, which are distinct and in ascending byte order. The shape is (n_documents,)."""
    ranks: SlotArray
    """The rank of each document in each run, from 1 to ``depth``, or 0 if the document is not a candidate of the run.
    The shape is (n_runs, n_documents)."""
    depth: int

    @property
    def n_runs(self) -> int:
        """The number of runs, including runs that have no results for the topic."""
        return len(self.ranks)

    @cached_property
    def has(self) -> BoolArray:
        """Whether each run retrieves each document up to ``depth``. The shape is (n_runs, n_documents)."""
        return self.ranks > 0

    @cached_property
    def best_rank(self) -> IntArray:
        """The best rank of each document in any run. The shape is (n_documents,)."""
        best: IntArray = np.where(self.has, self.ranks, self.depth + 1).min(axis=0)
        return best

    @cached_property
    def n_at_best(self) -> IntArray:
        """The number of runs that rank each document at its best rank. The shape is (n_documents,)."""
        number: IntArray = np.count_nonzero(self.ranks == self.best_rank, axis=0)
        return number

    @cached_property
    def reciprocal_ranks(self) -> FloatArray:
        """The reciprocal ranks, or 0 if a run does not retrieve the document. The shape is (n_runs, n_documents)."""
        return ratio(np.ones(1), self.ranks)

    @cached_property
    def rankings(self) -> tuple[tuple[int, ...], ...]:
        """The documents that each run retrieves, as indices in rank order."""
        return tuple(
            tuple(of_run[np.argsort(ranks[of_run])].tolist())
            for ranks, of_run in zip(self.ranks, map(np.flatnonzero, self.has), strict=True)
        )

    def of_runs(self, chosen: BoolArray) -> Candidates:
        """Restrict the candidates to the runs that the mask ``chosen`` selects. The shape of the mask is (n_runs,)."""
        ranks = self.ranks[chosen]
        places = np.flatnonzero((ranks > 0).any(axis=0))
        return replace(self, docnos=tuple(self.docnos[place] for place in places.tolist()), ranks=ranks[:, places])


def candidates_of(
    runs: Sequence[RunStream], depth: int, warn: Warn = lambda line: None, rules: RankingRules = PLAIN
) -> list[Candidates]:
    """Collect the top ``depth`` documents of runs, ranked as in an evaluation. Topics are in byte order."""
    by_topic: dict[bytes, dict[int, list[bytes]]] = {}
    for number, topic, docnos in documents_in_order(runs, depth, warn, rules):
        by_topic.setdefault(topic, {})[number] = docnos
    return [_candidates(topic, by_topic[topic], len(runs), depth) for topic in sorted(by_topic)]


def _candidates(topic: bytes, by_run: dict[int, list[bytes]], n_runs: int, depth: int) -> Candidates:
    docnos = sorted({docno for of_run in by_run.values() for docno in of_run})
    place = {docno: number for number, docno in enumerate(docnos)}
    ranks = np.zeros((n_runs, len(docnos)), np.int32)
    for run, of_run in by_run.items():
        places = [place[docno] for docno in reversed(of_run)]  # if a document occurs twice, its better rank counts
        ranks[run, places] = np.arange(len(of_run), 0, -1)
    return Candidates(topic, tuple(docnos), ranks, depth)


class JudgmentRequest(Frozen):
    """A request to judge a document that a strategy has selected."""

    document: int
    """The index of the document among the topic's candidates."""
    score: float
    """The score, priority or probability by which the strategy ranks documents in descending order."""
    key: tuple[float, ...]
    """The sort key of the request. Within a topic and across topics, the request with the smallest key comes first."""
    run: int | None = None
    """The index of the run from which the document was selected, or None if the strategy does not read single runs."""


class TopicStrategy(ABC):
    """The state of a judging strategy for one topic."""

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.selected = np.zeros(len(candidates.docnos), np.bool_)  # shape (n_documents,)
        self._next: JudgmentRequest | None = None

    @property
    def state(self) -> int:
        """A counter that increases when judgments of other topics change the preferred document of this topic."""
        return 0

    def next(self) -> JudgmentRequest | None:
        """Return a request for the preferred document, or None. Only selections and judgments change the preference."""
        if self._next is None and not self.selected.all():
            self._next = self._choose()
        return self._next

    def select(self, document: int) -> None:
        """Mark a document as selected."""
        self.selected[document] = True
        self._next = None

    def learn(self, request: JudgmentRequest, *, relevant: bool) -> None:
        """Update the state of the strategy with the judgment of a document."""
        self._next = None
        self._learn(request, relevant=relevant)

    @abstractmethod
    def _choose(self) -> JudgmentRequest | None:
        """Return a request for a document that was not selected yet, or None to stop. At least one document remains."""

    def _learn(self, request: JudgmentRequest, *, relevant: bool) -> None:  # noqa: B027 - some do not learn
        """Update the state of the strategy. A strategy with a fixed order ignores judgments."""


class FixedStrategy(TopicStrategy):
    """A strategy that orders documents by descending score, descending ``ties`` and docno, and ignores judgments."""

    def __init__(self, candidates: Candidates, scores: FloatArray, ties: IntArray | None = None) -> None:
        super().__init__(candidates)
        self.order_by(without_noise(scores), np.zeros(scores.size, np.int64) if ties is None else ties)

    def order_by(self, scores: AnyArray, ties: IntArray) -> None:
        """Set the scores and ``ties`` by which documents are ordered. The shape of both arrays is (n_documents,)."""
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
    """A strategy that computes all scores again after each judgment. Ties are broken by docno."""

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
        """Discard the scores, so that they are computed again before the next document is selected."""
        self._scores = self._next = None

    @abstractmethod
    def _all_scores(self) -> FloatArray:
        """Return the score of each document, where higher scores are preferred. The shape is (n_documents,)."""


class RunReadingStrategy(TopicStrategy):
    """A strategy that first selects a run, and then the run's first document that was not selected before."""

    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        self._n_read = [0] * candidates.n_runs

    def next_in(self, run: int) -> int | None:
        """Return a run's first document that was not selected yet, or None if all its documents were selected."""
        ranking, start = self.candidates.rankings[run], self._n_read[run]
        while start < len(ranking) and self.selected[ranking[start]]:
            start += 1
        self._n_read[run] = start
        return ranking[start] if start < len(ranking) else None

    def read_best(self, preferences: Sequence[float], n_judged: Sequence[int] | None = None) -> JudgmentRequest:
        """Return a request for the next document of the preferred run. Of tied runs, the least judged is preferred."""
        n_judged = n_judged or [0] * len(preferences)
        for run in sorted(range(len(preferences)), key=lambda run: (-preferences[run], n_judged[run])):
            if (document := self.next_in(run)) is not None:
                return JudgmentRequest(document, preferences[run], (-preferences[run],), run)
        raise AssertionError("each candidate is a document of some run")


def without_noise(scores: FloatArray) -> FloatArray:
    """Round scores, so that scores that differ only by rounding errors become equal."""
    return np.round(scores, 10)


def generator_for(seed: int, strategy: str, topic: bytes) -> random.Random:
    """Create a random generator that depends only on the seed, the strategy's name and the topic."""
    digest = hashlib.sha256(b"%d %s %s" % (seed, strategy.encode(), topic)).digest()
    return random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - nothing is secret

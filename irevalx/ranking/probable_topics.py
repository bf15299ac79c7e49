"""Topics with relevance probabilities: expected values over the judgments.

Documents are relevant independently of each other, and never without a judgment. Each is a trial, and the number of
successes is distributed as a Poisson binomial. Trials are added one by one, with state for each number of successes:
all terms are at least 0, so that nothing cancels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import ClassVar, NoReturn

import numpy as np

from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.frozen import Frozen, cached_property, fields
from irevalx.ranking.topics import Topics
from irevalx.settings import PROBABILITY


def successes(p: FloatArray) -> FloatArray:
    """Return the probabilities of 0, 1, ... successes, shape (n + 1,), of trials with probabilities p, shape (n,)."""
    return _taken(p, np.zeros(p.size), 0.0)[0]


def _taken(p: FloatArray, weight: FloatArray, of_before: float) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each number of successes, and its expected sum of weights times factors: (n + 1,) each.

    The factor of a weight is 1, plus ``of_before`` for each earlier success.
    """
    known = np.zeros((3, p.size + 1))  # chance, the expected number of successes so far, total
    known[0, 0] = 1.0
    for number, (success, worth) in enumerate(zip(p.tolist(), weight.tolist(), strict=True)):
        before = known[:, : number + 1].copy()
        known[:, : number + 1] *= 1.0 - success
        before[2] += worth * (before[0] + of_before * before[1])
        before[1] += before[0]
        known[:, 1 : number + 2] += success * before
    return known[0], known[2]


class ExpectedTopic(Frozen):
    """The documents of a topic that can be relevant; each is a trial."""

    rank: IntArray
    """Shape (n_found,), of retrieved ones, in rank order."""
    p: FloatArray
    """Shape (n,), positive probabilities: retrieved ones in rank order, then the others."""
    n_ret: int
    """Documents retrieved."""

    @property
    def counts(self) -> IntArray:
        """The possible numbers of relevant documents from 1 up: shape (n,)."""
        return np.arange(1, self.p.size + 1)

    @property
    def chances(self) -> FloatArray:
        """The probability of each of ``counts``."""
        return successes(self.p)[1:]

    def mean(self, weight: AnyArray, share: FloatArray) -> float:
        """Return the expected sum of weights of relevant documents retrieved, times the share of their topic's count.

        Weights have shape (n_found,), shares (n,), for each of ``counts``.
        """
        return self._expected(weight, share, 0.0)

    def running_mean(self, weight: AnyArray, share: FloatArray) -> float:
        """Return ``mean`` with each weight times the number of relevant documents up to this one."""
        return self._expected(weight, share, 1.0)

    def within_their_number(self) -> float:
        """Return the expected share of relevant documents among the first R; R is their number."""
        n_found = int(np.searchsorted(self.rank, self.p.size, side="right"))
        below = [successes(self.p[n_found:])]
        for p in self.p[:n_found][::-1].tolist():
            below.append(_with_trial(below[-1], p))
        above, n_above, total = np.ones(1), 0, 0.0
        for number in self.counts.tolist():
            while n_above < n_found and self.rank[n_above] <= number:
                above = _with_trial(above, float(self.p[n_above]))
                n_above += 1
            rest = below[n_found - n_above]
            number_found = np.arange(max(0, number + 1 - rest.size), min(number + 1, above.size))
            total += float((number_found * above[number_found]) @ rest[number - number_found]) / number
        return total

    def _expected(self, weight: AnyArray, share: FloatArray, of_before: float) -> float:
        padded = np.append(weight, np.zeros(self.p.size - weight.size))
        return float(_taken(self.p, padded, of_before)[1][1:] @ share)


def _with_trial(chances: FloatArray, p: float) -> FloatArray:
    """Return the probabilities of numbers of successes with one more trial."""
    longer: FloatArray = np.append(chances * (1.0 - p), 0.0) + np.append(0.0, chances * p)
    return longer


class ExpectedTopics(Topics, kw_only=True):
    """Rankings of n topics with relevance probabilities as grades; numbers of relevant documents are expected values.

    Single documents are not relevant or nonrelevant: measures that use ``hit`` have another formula, or are refused.
    """

    feature: ClassVar[str] = PROBABILITY

    @classmethod
    def of(cls, seen: Topics) -> ExpectedTopics:
        """Return topics with probabilities."""
        return cls(**{name: getattr(seen, name) for name in fields(Topics)})

    @property
    def hit(self) -> NoReturn:
        """Raise TypeError: only probabilities are known."""
        raise TypeError("a measure must have a formula for probabilities, or be refused")

    @cached_property
    def p(self) -> FloatArray:
        """Flat over ``rows``: the probability that the document is relevant."""
        return np.maximum(self.grade, 0.0)

    @cached_property
    def n_rel(self) -> FloatArray:  # type: ignore[override]
        """Per topic: expected relevant documents."""
        return self.pool.sum(np.maximum(self.pool_grade, 0.0))

    @cached_property
    def n_rel_ret(self) -> FloatArray:  # type: ignore[override]
        """Per topic: expected relevant documents retrieved."""
        return self.rows.sum(self.p)

    def hits_within(self, k: IntArray | int) -> FloatArray:  # type: ignore[override]
        """Per topic: expected relevant documents among the first k, one number or one per topic."""
        limit = k if isinstance(k, int) else self.rows.spread(k)
        return self.rows.sum(np.where(self.rank <= limit, self.p, 0.0))

    @cached_property
    def first_chance(self) -> FloatArray:
        """Flat over ``rows``: the probability that the document is the first relevant one."""
        return self.rows.previous(self.rows.running_product(1.0 - self.p), none=1.0) * self.p

    def each(self, value: Callable[[ExpectedTopic], float]) -> FloatArray:
        """Per topic: the value of a function; 0 if nothing can be relevant."""
        return np.array([value(topic) if topic.p.size else 0.0 for topic in self._each], np.float64)

    @cached_property
    def _each(self) -> list[ExpectedTopic]:
        topics = []
        for topic in range(self.rows.n):
            rank, p = self.rank[self.rows.slice(topic)], self.p[self.rows.slice(topic)]
            pooled = self.pool_grade[self.pool.slice(topic)]
            rank, p = rank[p > 0], p[p > 0]
            others = Counter(pooled[pooled > 0].tolist()) - Counter(p.tolist())
            topics.append(ExpectedTopic(rank, np.append(p, list(others.elements())), int(self.n_ret[topic])))
        return topics

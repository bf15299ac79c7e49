"""Topics whose documents are relevant with a probability each: what measures see of the mean over all judgments.

Documents are relevant independently of each other, those without judgment never. Each is a trial, and the number of
successful ones is distributed as a Poisson binomial. Trials are taken one after the other, and what is known of those
so far is kept for each number of successes: all terms are at least 0, so that nothing cancels.
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
    """Return the probabilities of 0, 1, ... successes: shape (n + 1,).

    Parameters
    ----------
    p : shape (n,); of success, from 0 to 1.
    """
    return _taken(p, np.zeros(p.size), 0.0)[0]


def _taken(p: FloatArray, weight: FloatArray, of_before: float) -> tuple[FloatArray, FloatArray]:
    """Take all trials.

    Parameters
    ----------
    of_before : what each success before a trial adds to the factor of its weight, which is 1 without any.

    Returns
    -------
    chance : by the number of successes, its probability; shape (n + 1,).
    total : the expected sum of weights times factors where so many are.
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


class ProbableTopic(Frozen):
    """The documents of a topic that may be relevant; each is a trial.

    Parameters
    ----------
    rank : shape (n_found,); of those retrieved, in rank order.
    p : shape (n,); the probabilities: of those retrieved in rank order, then of the others. Above 0.
    n_ret : how many documents were retrieved.
    """

    rank: IntArray
    p: FloatArray
    n_ret: int

    @property
    def counts(self) -> IntArray:
        """The numbers of relevant documents from 1 up that there may be: shape (n,)."""
        return np.arange(1, self.p.size + 1)

    @property
    def chances(self) -> FloatArray:
        """The probability of each of ``counts``."""
        return successes(self.p)[1:]

    def mean(self, weight: AnyArray, share: FloatArray) -> float:
        """Return the expected sum of the weights of relevant documents retrieved, times what their topic's number says.

        Parameters
        ----------
        weight : shape (n_found,).
        share : shape (n,); the factor for each of ``counts``.
        """
        return self._expected(weight, share, 0.0)

    def running_mean(self, weight: AnyArray, share: FloatArray) -> float:
        """Return what ``mean`` does, each weight times the number of relevant documents up to this one."""
        return self._expected(weight, share, 1.0)

    def within_their_number(self) -> float:
        """Return the expected share of relevant documents among the first R, R being how many there are."""
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
            found = np.arange(max(0, number + 1 - rest.size), min(number + 1, above.size))
            total += float((found * above[found]) @ rest[number - found]) / number
        return total

    def _expected(self, weight: AnyArray, share: FloatArray, of_before: float) -> float:
        padded = np.append(weight, np.zeros(self.p.size - weight.size))
        return float(_taken(self.p, padded, of_before)[1][1:] @ share)


def _with_trial(chances: FloatArray, p: float) -> FloatArray:
    """Return the probabilities of numbers of successes with one trial more."""
    longer: FloatArray = np.append(chances * (1.0 - p), 0.0) + np.append(0.0, chances * p)
    return longer


class ProbableTopics(Topics, kw_only=True):
    """Rankings of n topics with grades that are probabilities; counts of relevant documents are expected values.

    What is relevant is not known: measures that ask for ``hit`` have another formula here, or are refused.
    """

    feature: ClassVar[str] = PROBABILITY

    @classmethod
    def of(cls, seen: Topics) -> ProbableTopics:
        """Return topics with such grades."""
        return cls(**{name: getattr(seen, name) for name in fields(Topics)})

    @property
    def hit(self) -> NoReturn:
        """Raise TypeError: with which probability documents are relevant is all that is known."""
        raise TypeError("a measure must have a formula for probabilities, or be refused")

    @cached_property
    def p(self) -> FloatArray:
        """Flat over ``rows``: the probability that the document is relevant."""
        return np.maximum(self.grade, 0.0)

    @cached_property
    def n_rel(self) -> FloatArray:  # type: ignore[override]
        """Per topic: relevant documents expected, retrieved or not."""
        return self.pool.sum(np.maximum(self.pool_grade, 0.0))

    @cached_property
    def n_rel_ret(self) -> FloatArray:  # type: ignore[override]
        """Per topic: relevant documents expected among those retrieved."""
        return self.rows.sum(self.p)

    def hits_within(self, k: IntArray | int) -> FloatArray:  # type: ignore[override]
        """Per topic: relevant documents expected among the first k, k being one number or one per topic."""
        limit = k if isinstance(k, int) else self.rows.spread(k)
        return self.rows.sum(np.where(self.rank <= limit, self.p, 0.0))

    @cached_property
    def first_chance(self) -> FloatArray:
        """Flat over ``rows``: the probability that the document is the first relevant one."""
        return self.rows.previous(self.rows.running_product(1.0 - self.p), none=1.0) * self.p

    def each(self, value: Callable[[ProbableTopic], float]) -> FloatArray:
        """Per topic: what a function makes of it; 0 where nothing can be relevant."""
        return np.array([value(topic) if topic.p.size else 0.0 for topic in self._each], np.float64)

    @cached_property
    def _each(self) -> list[ProbableTopic]:
        found = []
        for topic in range(self.rows.n):
            rank, p = self.rank[self.rows.slice(topic)], self.p[self.rows.slice(topic)]
            pooled = self.pool_grade[self.pool.slice(topic)]
            rank, p = rank[p > 0], p[p > 0]
            others = Counter(pooled[pooled > 0].tolist()) - Counter(p.tolist())
            found.append(ProbableTopic(rank, np.append(p, list(others.elements())), int(self.n_ret[topic])))
        return found

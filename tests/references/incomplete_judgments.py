"""Plain loops for the measures of incomplete and stratified judgments, and for the treatments of unjudged documents.

This module continues ``references.measures``. The code is not optimised and is independent of irevalx. A document is
relevant if it was judged and its grade is at least the level. An unjudged document is never a hit, however low the
level is. Sums are computed in rank order and are divided by the number of relevant documents at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from references.measures import EPSILON, OUTSIDE, UNJUDGED, Loops, Topic, graded, ordered_sum

# One topic with pool and judgments


@dataclass(frozen=True)
class Above:
    """The rank of a relevant document, and counts of the documents ranked above it."""

    rank: int
    relevant: int
    nonrelevant: int
    unjudged: int
    outside: int

    @property
    def pooled(self) -> int:
        """The number of pooled documents ranked above the relevant document, judged or not."""
        return self.relevant + self.nonrelevant + self.unjudged


def above_relevant(topic: Topic) -> list[Above]:
    """Return the counts above each retrieved relevant document, in rank order."""
    precisions = []
    relevant = nonrelevant = unjudged = outside = 0
    for rank in topic.ranks():
        grade = topic.ranking[rank - 1]
        if grade == OUTSIDE:
            outside += 1
        elif grade == UNJUDGED:
            unjudged += 1
        elif grade < topic.level:
            nonrelevant += 1
        else:
            precisions.append(Above(rank, relevant, nonrelevant, unjudged, outside))
            relevant += 1
    return precisions


def average(terms: Sequence[float], n_rel: int) -> float:
    """Return the sum of the terms of retrieved relevant documents divided by n_rel, or 0 if n_rel is 0."""
    return ordered_sum(terms) / n_rel if n_rel else 0.0


@graded("indAP")
def ind_ap(topic: Topic) -> float:
    """Return average precision of the list without pooled but unjudged documents."""
    terms = []
    for above in above_relevant(topic):
        terms.append((above.relevant + 1) / (above.rank - above.unjudged))
    return average(terms, topic.n_rel)


def expected_precision(relevant: int, nonrelevant: int, outside: int, p: Fraction) -> Fraction:
    """Return E[(r + 1) / (r + 1 + n + X)] for X from Binomial(o, p), exactly.

    The common factor ``b**outside`` of all weights is taken out of the sum.
    """
    a, b = p.numerator, p.denominator
    total = Fraction(0)
    for x in range(outside + 1):
        weight = math.comb(outside, x) * a**x * (b - a) ** (outside - x)
        total += Fraction(weight * (relevant + 1), relevant + 1 + nonrelevant + x)
    return Fraction(total, b**outside)


def sampling_rate(topic: Topic) -> Fraction:
    """Return the fraction of the pool that was judged, or 1 if the pool is empty."""
    judged = sum(grade >= 0 for grade in topic.judgments)
    return Fraction(judged, len(topic.judgments)) if topic.judgments else Fraction(1)


@graded("subAP")
def sub_ap(topic: Topic, p: float | None = None) -> float:
    """Return the exact mean of the expected precisions if documents outside the pool are kept with probability p."""
    if topic.n_rel == 0:
        return 0.0
    rate = sampling_rate(topic) if p is None else Fraction(p)
    total = Fraction(0)
    for above in above_relevant(topic):
        total += expected_precision(above.relevant, above.nonrelevant, above.outside, rate)
    return float(total / topic.n_rel)


@graded("RankEff")
def rank_eff(topic: Topic) -> float:
    """Return RankEff, the mean share of nonrelevant documents that are ranked below a relevant one."""
    terms = []
    for above in above_relevant(topic):
        if above.nonrelevant == 0:
            terms.append(1.0)
        else:
            terms.append((topic.n_nonrel - above.nonrelevant) / topic.n_nonrel)
    return average(terms, topic.n_rel)


@graded("bpref_10")
def bpref_10(topic: Topic) -> float:
    """Return bpref with R + 10 in place of R as the limit on nonrelevant documents."""
    most = topic.n_rel + 10
    terms = []
    for above in above_relevant(topic):
        if above.nonrelevant == 0:
            terms.append(1.0)
        else:
            terms.append(1.0 - min(above.nonrelevant, most) / min(topic.n_nonrel, most))
    return average(terms, topic.n_rel)


@graded("judged", default=(5, 10, 20))
def judged(topic: Topic, k: int) -> float:
    """Return the number of judged documents among the first k, divided by k even if the list is shorter."""
    return sum(grade >= 0 for grade in topic.ranking[:k]) / k


@graded("infAP")
def inf_ap(topic: Topic, c: float = 2.0, epsilon: float = EPSILON) -> float:
    """Return infAP, the mean expected precision at relevant documents."""
    terms = []
    for above in above_relevant(topic):
        if above.rank == 1:
            terms.append(1.0)
            continue
        j = float(above.rank - 1)
        share = (above.relevant + epsilon) / (above.relevant + above.nonrelevant + c * epsilon)
        # The order of operations is that of trec_eval, because it determines the last digit.
        terms.append(1.0 / (j + 1.0) + (j / (j + 1.0)) * (above.pooled / j) * share)
    return average(terms, topic.n_rel)


# One topic with stratified judgments

sampled = Loops()
"""The measures that can be computed for a ``SampledTopic``."""

Sampled: TypeAlias = tuple[int, int]
"""A pooled document, as a pair of its stratum and its grade, which is -1 if it was not sampled."""


@dataclass(frozen=True)
class Stratum:
    """The numbers of documents of a stratum (D), of judged documents (S), and of relevant documents (R)."""

    size: int
    judged: int
    relevant: int

    def expected(self) -> float:
        """Return the smoothed estimate of the number of relevant documents in the stratum."""
        return self.size * (self.relevant + EPSILON) / (self.judged + 3 * EPSILON)


@dataclass(frozen=True)
class SampledTopic:
    """A topic with stratified judgments. A document outside the pool is represented by None."""

    ranking: Sequence[Sampled | None]  # cut at the depth
    judgments: Sequence[Sampled]  # all documents of the pool; a negative grade was not sampled
    level: int = 1
    depth: int = 1000  # also of the ideal ranking

    def is_relevant(self, grade: int) -> bool:
        """Return whether a document with the grade ``grade`` was judged relevant."""
        return grade >= 0 and grade >= self.level

    def gain(self, grade: int, gains: Mapping[int, float] | None = None) -> float:
        """Return the gain of a grade: 0 if the grade is not relevant, a gain in ``gains``, or the grade itself."""
        return (gains or {}).get(grade, grade) if self.is_relevant(grade) else 0

    @property
    def strata(self) -> list[int]:
        """The strata of the pool in ascending order."""
        return sorted({stratum for stratum, _ in self.judgments})

    def count(self, documents: Sequence[Sampled | None], stratum: int) -> Stratum:
        """Count the documents in a list that belong to a stratum."""
        grades = [document[1] for document in documents if document is not None and document[0] == stratum]
        return Stratum(len(grades), sum(grade >= 0 for grade in grades), sum(map(self.is_relevant, grades)))

    def expected_within(self, k: int) -> float:
        """Return the estimated number of relevant documents among the first k."""
        return ordered_sum([self.count(self.ranking[:k], stratum).expected() for stratum in self.strata])


@sampled("num_ret")
def sampled_num_ret(topic: SampledTopic) -> int:
    """Return the number of retrieved documents."""
    return len(topic.ranking)


@sampled("num_rel")
def sampled_num_rel(topic: SampledTopic) -> int:
    """Return the number of documents that were judged relevant."""
    return sum(topic.is_relevant(grade) for _, grade in topic.judgments)


@sampled("num_rel_ret")
def sampled_num_rel_ret(topic: SampledTopic) -> int:
    """Return the number of retrieved documents that were judged relevant."""
    return sum(document is not None and topic.is_relevant(document[1]) for document in topic.ranking)


@sampled("judged", default=(5, 10, 20))
def sampled_judged(topic: SampledTopic, k: int) -> float:
    """Return the number of judged documents among the first k, divided by k even if the list is shorter."""
    return sum(document is not None and document[1] >= 0 for document in topic.ranking[:k]) / k


@sampled("inum_rel")
def inum_rel(topic: SampledTopic) -> float:
    """Return the estimated number of relevant documents in the pool, summed over the strata with judged documents."""
    terms = []
    for stratum in topic.strata:
        pool = topic.count(topic.judgments, stratum)
        if pool.judged > 0:
            terms.append(pool.relevant * pool.size / pool.judged)
    return ordered_sum(terms)


@sampled("inum_rel_ret")
def inum_rel_ret(topic: SampledTopic) -> float:
    """Return the estimated number of retrieved relevant documents."""
    return topic.expected_within(len(topic.ranking))


@sampled("inum_rel_se")
def inum_rel_se(topic: SampledTopic) -> float:
    """Return the standard error of the estimated number of relevant documents, computed stratum by stratum."""
    terms = []
    for stratum in topic.strata:
        pool = topic.count(topic.judgments, stratum)
        if pool.judged in {0, pool.size}:
            continue
        if pool.judged == 1:
            of_one = 1 / 4
        else:
            share = pool.relevant / pool.judged
            of_one = pool.judged / (pool.judged - 1) * share * (1 - share)
        terms.append(pool.size**2 * (1 - pool.judged / pool.size) * of_one / pool.judged)
    return math.sqrt(ordered_sum(terms))


@sampled("iiprec_at_recall", default=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0))
def iiprec_at_recall(topic: SampledTopic, recall: float) -> float:
    """Return the highest estimated precision at ranks after the last rank whose estimated recall is too low."""
    every = inum_rel(topic)
    if every == 0:
        return 0.0
    best = 0.0
    for rank in range(len(topic.ranking), 0, -1):
        result = topic.expected_within(rank)
        if result < recall * (1 - 1e-4) * every:
            break
        best = max(best, result / rank)
    return best


@sampled("iP", default=(10, 50, 1000))
def i_p(topic: SampledTopic, k: int) -> float:
    """Return the estimated number of relevant documents among the first k, divided by k even if the list is shorter."""
    return topic.expected_within(k) / k


def sampled_precision(topic: SampledTopic, rank: int) -> float:
    """Return the estimated precision at a relevant document with rank ``rank``."""
    above = topic.ranking[: rank - 1]
    pooled = sum(document is not None for document in above)
    if pooled == 0:
        return 1 / rank
    terms = []
    for stratum in topic.strata:
        there = topic.count(above, stratum)
        terms.append((there.size / pooled) * (there.relevant + EPSILON) / (there.judged + 3 * EPSILON))
    return 1 / rank + (pooled / rank) * ordered_sum(terms)


@sampled("xinfAP")
def x_inf_ap(topic: SampledTopic) -> float:
    """Return the mean estimated precision at relevant documents of each stratum, weighted by the stratum's estimate."""
    total = 0.0
    for stratum in topic.strata:
        pool = topic.count(topic.judgments, stratum)
        if pool.relevant == 0:
            continue
        precisions = 0.0
        for rank, document in enumerate(topic.ranking, start=1):
            if document is not None and document[0] == stratum and topic.is_relevant(document[1]):
                precisions += sampled_precision(topic, rank)
        weight = (pool.relevant * pool.size / pool.judged) / inum_rel(topic)
        total += weight * precisions / pool.relevant
    return total


def sampled_dcg(topic: SampledTopic, given: Mapping[int, float]) -> float:
    """Return the estimated DCG: the discounted gains of retrieved judged documents, scaled up in each stratum."""
    total = 0.0
    for stratum in topic.strata:
        retrieved = topic.count(topic.ranking, stratum)
        if retrieved.judged == 0:
            continue
        gains = 0.0
        for rank, document in enumerate(topic.ranking, start=1):
            if document is not None and document[0] == stratum:
                gains += topic.gain(document[1], given) / math.log2(rank + 1)
        total += retrieved.size * gains / retrieved.judged
    return total


def round_half_up(x: float) -> int:
    """Round to the nearest integer, halves upwards."""
    return math.floor(x + 0.5)


def sampled_ideal_dcg(topic: SampledTopic, given: Mapping[int, float]) -> float:
    """Return DCG of the ideal ranking, which contains each gain as often as estimated for the pool."""
    ideal: list[float] = []
    for gain in sorted({topic.gain(grade, given) for _, grade in topic.judgments}, reverse=True):
        if gain == 0:
            continue
        terms = []
        for stratum in topic.strata:
            pool = topic.count(topic.judgments, stratum)
            with_gain = sum(of == stratum and topic.gain(grade, given) == gain for of, grade in topic.judgments)
            if pool.judged > 0:
                terms.append(with_gain * pool.size / pool.judged)
        ideal += [gain] * round_half_up(ordered_sum(terms))
    return ordered_sum([gain / math.log2(rank + 1) for rank, gain in enumerate(ideal[: topic.depth], start=1)])


@sampled("infNDCG")
def inf_ndcg(topic: SampledTopic, gains: Mapping[int, float] | None = None) -> float:
    """Return the estimated DCG divided by the DCG of the ideal ranking, or 0 if no document has a gain."""
    ideal = sampled_ideal_dcg(topic, gains or {})
    return sampled_dcg(topic, gains or {}) / ideal if ideal > 0 else 0.0


# Readings of the unjudged


def skip(topic: Topic) -> Topic:
    """Return the topic without the retrieved documents that were not judged. The pool does not change."""
    return replace(topic, ranking=[grade for grade in topic.ranking if grade >= 0])


def rel(topic: Topic) -> Topic:
    """Return the topic with every retrieved unjudged document made relevant, with the lowest relevant grade."""
    least = max(topic.level, 0)
    ranking = []
    judgments = list(topic.judgments)
    for grade in topic.ranking:
        if grade == OUTSIDE:
            judgments.append(least)
        elif grade == UNJUDGED:
            negative = 0
            while judgments[negative] >= 0:
                negative += 1
            judgments[negative] = least
        ranking.append(least if grade < 0 else grade)
    return replace(topic, ranking=ranking, judgments=judgments)


READINGS: dict[str, Callable[[Topic], Topic]] = {"skip": skip, "rel": rel}
"""The function that applies each treatment of unjudged documents. The treatment nonrel changes nothing."""

"""A second implementation, by plain loops, of the measures of gdeval, ndeval and statAP_MQ_eval.

The loops are a readable specification. The code is not optimised and is independent of irevalx. Sums are computed from
left to right, starting at 0.0. Powers are running products.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from references.measures import Topic, graded, ordered_sum

HIGHEST_GRADE = 4
ALPHA = BETA = 0.5


# Grades: what gdeval computes


def gain(grade: int) -> int:
    """Return the gain 2^grade - 1, or 0 for a negative grade, which represents an unjudged document."""
    return 2**grade - 1 if grade > 0 else 0


@graded("ERR", default=(5, 10, 20))
def expected_reciprocal_rank(topic: Topic, k: int, highest: int = HIGHEST_GRADE) -> float:
    """Return the expected value of 1/rank for the document that satisfies a user who reads at most k documents."""
    total, left = 0.0, 1.0
    for rank in topic.ranks(k):
        satisfied = gain(topic.ranking[rank - 1]) / 2**highest
        total += left * satisfied / rank
        left *= 1.0 - satisfied
    return total


def dcg_of_burges(grades: Sequence[int], k: int) -> float:
    """Return the sum of (2^grade - 1)/log2(rank + 1) over the first k documents."""
    total = 0.0
    for rank in range(1, min(k, len(grades)) + 1):
        total += gain(grades[rank - 1]) / math.log2(rank + 1)
    return total


@graded("ndcg_burges", default=(5, 10, 20))
def ndcg_of_burges(topic: Topic, k: int) -> float:
    """Return DCG of the ranking divided by DCG of all positive grades in descending order."""
    best = dcg_of_burges(sorted([grade for grade in topic.judgments if grade > 0], reverse=True), k)
    return dcg_of_burges(topic.ranking, k) / best if best else 0.0


def has_positive_grade(topic: Topic) -> bool:
    """Return whether the topic has a positive grade, as gdeval requires."""
    return any(grade > 0 for grade in topic.judgments)


# Subtopics: what ndeval computes


@dataclass(frozen=True)
class SubtopicLine:
    """A judgment of a document for a subtopic."""

    subtopic: str
    document: str
    grade: int


@dataclass(frozen=True)
class TopicWithSubtopics:
    """A topic with subtopics. A negative grade is never relevant."""

    ranking: Sequence[str]
    lines: Sequence[SubtopicLine]
    level: int = 1

    @cached_property
    def pairs(self) -> set[tuple[str, str]]:
        """The pairs of document d and subtopic s with a relevant grade, for which rel(d, s) = 1."""
        return {(line.document, line.subtopic) for line in self.lines if line.grade >= max(self.level, 0)}

    @cached_property
    def judged(self) -> set[str]:
        """The documents that occur in any line."""
        return {line.document for line in self.lines}

    @cached_property
    def subtopics(self) -> list[str]:
        """The subtopics that have a relevant document, in ascending order."""
        return sorted({subtopic for _, subtopic in self.pairs}, key=subtopic_order)

    @cached_property
    def subtopics_of(self) -> dict[str, list[str]]:
        """The subtopics, in ascending order, for which each judged document is relevant."""
        return {d: [s for s in self.subtopics if (d, s) in self.pairs] for d in self.judged}

    def is_relevant(self, document: str, subtopic: str) -> bool:
        """Return rel(d, s), which states whether document d is relevant for subtopic s."""
        return (document, subtopic) in self.pairs

    def n_relevant(self, subtopic: str) -> int:
        """Return how many documents are relevant for a subtopic, whether retrieved or not."""
        return len([document for document in self.judged if self.is_relevant(document, subtopic)])


def subtopic_order(name: str) -> tuple[int, int, bytes]:
    """Return the sort key of a subtopic. Numbers are sorted by value, followed by other names in byte order."""
    if re.fullmatch("[0-9]+", name):
        return (0, int(name), name.encode())
    return (1, 0, name.encode())


def novelty_gains(topic: TopicWithSubtopics, ranking: Sequence[str], alpha: float) -> list[float]:
    """Return the novelty gain of each document in a list, which depends on the documents above it."""
    weight = dict.fromkeys(topic.subtopics, 1.0)
    gains = []
    for document in ranking:
        gains.append(novelty(topic, document, weight))
        grow_tired(topic, document, weight, alpha)
    return gains


def novelty(topic: TopicWithSubtopics, document: str, weight: Mapping[str, float]) -> float:
    """Return the sum of the weights of the subtopics for which a document is relevant, in ascending order."""
    total = 0.0
    for subtopic in topic.subtopics_of.get(document, []):
        total += weight[subtopic]
    return total


def grow_tired(topic: TopicWithSubtopics, document: str, weight: dict[str, float], alpha: float) -> None:
    """Multiply the weights of the subtopics for which a document is relevant by 1 - alpha."""
    for subtopic in topic.subtopics_of.get(document, []):
        weight[subtopic] *= 1.0 - alpha


def ideal_list(topic: TopicWithSubtopics, alpha: float) -> list[str]:
    """Build the ideal list: the next document has the greatest gain and, of tied documents, is last in byte order."""
    weight = dict.fromkeys(topic.subtopics, 1.0)
    left = sorted(topic.judged, key=str.encode, reverse=True)
    chosen = []
    while left:
        best = left[0]
        for document in left:
            if novelty(topic, document, weight) > novelty(topic, best, weight):
                best = document
        chosen.append(best)
        left.remove(best)
        grow_tired(topic, best, weight, alpha)
    return chosen


def top_gains(topic: TopicWithSubtopics, alpha: float, k: int) -> list[float]:
    """Return the gains of a hypothetical list in which each document is relevant for all subtopics."""
    gains, power = [], 1.0
    for _ in range(k):
        gains.append(len(topic.subtopics) * power)
        power *= 1.0 - alpha
    return gains


def by_logarithm(gains: Sequence[float], k: int) -> float:
    """Return the sum of gain/log2(rank + 1) over the first k documents."""
    total = 0.0
    for rank in range(1, min(k, len(gains)) + 1):
        total += gains[rank - 1] / math.log2(rank + 1)
    return total


def by_rank(gains: Sequence[float], k: int) -> float:
    """Return the sum of gain/rank over the first k documents."""
    total = 0.0
    for rank in range(1, min(k, len(gains)) + 1):
        total += gains[rank - 1] / rank
    return total


def quotient(numerator: float, denominator: float) -> float:
    """Divide two numbers. The result is 0 if either number is 0."""
    return numerator / denominator if numerator and denominator else 0.0


def of_top(
    total: Callable[[Sequence[float], int], float],
    topic: TopicWithSubtopics,
    ranking: Sequence[str],
    k: int,
    alpha: float,
) -> float:
    """Return a sum of discounted gains, divided by the same sum for the hypothetical list."""
    return quotient(total(novelty_gains(topic, ranking, alpha), k), total(top_gains(topic, alpha, k), k))


def alpha_dcg(topic: TopicWithSubtopics, k: int, alpha: float = ALPHA) -> float:
    """Return alpha_DCG: the logarithmically discounted gains, divided by those of the hypothetical list."""
    return of_top(by_logarithm, topic, topic.ranking, k, alpha)


def err_ia(topic: TopicWithSubtopics, k: int, alpha: float = ALPHA) -> float:
    """Return ERR_IA: the gains discounted by rank, divided by those of the hypothetical list."""
    return of_top(by_rank, topic, topic.ranking, k, alpha)


def alpha_ndcg(topic: TopicWithSubtopics, k: int, alpha: float = ALPHA) -> float:
    """Return alpha_DCG of the ranking divided by alpha_DCG of the ideal list."""
    ideal = of_top(by_logarithm, topic, ideal_list(topic, alpha), k, alpha)
    return quotient(alpha_dcg(topic, k, alpha), ideal)


def nerr_ia(topic: TopicWithSubtopics, k: int, alpha: float = ALPHA) -> float:
    """Return ERR_IA of the ranking divided by ERR_IA of the ideal list."""
    return quotient(err_ia(topic, k, alpha), of_top(by_rank, topic, ideal_list(topic, alpha), k, alpha))


def rank_biased(topic: TopicWithSubtopics, ranking: Sequence[str], alpha: float, beta: float) -> float:
    """Return NRBP of a list."""
    total, power = 0.0, 1.0
    for gained in novelty_gains(topic, ranking, alpha):
        total += gained * power
        power *= beta
    return total * quotient(1.0 - (1.0 - alpha) * beta, len(topic.subtopics))


def nrbp(topic: TopicWithSubtopics, alpha: float = ALPHA, beta: float = BETA) -> float:
    """Return NRBP of the ranking."""
    return rank_biased(topic, topic.ranking, alpha, beta)


def nnrbp(topic: TopicWithSubtopics, alpha: float = ALPHA, beta: float = BETA) -> float:
    """Return NRBP of the ranking divided by NRBP of the ideal list."""
    return quotient(nrbp(topic, alpha, beta), rank_biased(topic, ideal_list(topic, alpha), alpha, beta))


def map_ia(topic: TopicWithSubtopics) -> float:
    """Return the mean of average precision over subtopics."""
    total = 0.0
    for subtopic in topic.subtopics:
        hits, precisions = 0, 0.0
        for rank, document in enumerate(topic.ranking, 1):
            if topic.is_relevant(document, subtopic):
                hits += 1
                precisions += hits / rank
        total += precisions / topic.n_relevant(subtopic)
    return quotient(total, len(topic.subtopics))


def p_ia(topic: TopicWithSubtopics, k: int) -> float:
    """Return the mean of precision at cutoff k over subtopics."""
    pairs = 0
    for document in topic.ranking[:k]:
        for subtopic in topic.subtopics:
            if topic.is_relevant(document, subtopic):
                pairs += 1
    return quotient(pairs, k * len(topic.subtopics))


def strec(topic: TopicWithSubtopics, k: int) -> float:
    """Return the fraction of subtopics with a relevant document among the first k."""
    seen = 0
    for subtopic in topic.subtopics:
        if any(topic.is_relevant(document, subtopic) for document in topic.ranking[:k]):
            seen += 1
    return quotient(seen, len(topic.subtopics))


# Samples with probabilities: what statAP_MQ_eval computes


@dataclass(frozen=True)
class LineWithProbability:
    """A judgment of a sampled document, with the selection method and the inclusion probability."""

    document: str
    grade: int
    method: int
    probability: float


@dataclass(frozen=True)
class InclusionTopic:
    """A topic with a sample of judgments and inclusion probabilities. A negative grade is never relevant."""

    ranking: Sequence[str]
    lines: Sequence[LineWithProbability]
    level: int = 1

    @property
    def relevant(self) -> dict[str, float]:
        """The inclusion probabilities of the relevant documents in the sample."""
        return {line.document: line.probability for line in self.lines if line.grade >= max(self.level, 0)}

    @property
    def found(self) -> list[tuple[int, float]]:
        """The rank and the probability of each relevant document that was retrieved."""
        return [(rank, self.relevant[d]) for rank, d in enumerate(self.ranking, 1) if d in self.relevant]

    @property
    def precisions(self) -> list[float]:
        """The estimated precision at each retrieved relevant document."""
        above, estimates = 0.0, []
        for rank, probability in self.found:
            estimates.append((1.0 + above) / rank)
            above += 1.0 / probability
        return estimates


def has_sample(topic: InclusionTopic) -> bool:
    """Return whether the sample contains a relevant document and a randomly drawn document."""
    return bool(topic.relevant) and any(line.method in {1, 2, 4} for line in topic.lines)


def stat_r(topic: InclusionTopic) -> float:
    """Return the estimated number of relevant documents."""
    return ordered_sum([1.0 / probability for probability in topic.relevant.values()])


def stat_ap(topic: InclusionTopic) -> float:
    """Return the estimated average precision."""
    total = 0.0
    for precision, (_, probability) in zip(topic.precisions, topic.found, strict=True):
        total += precision / probability
    return quotient(total, stat_r(topic))


def found_within(topic: InclusionTopic, k: float) -> float:
    """Return the estimated number of relevant documents among the first k."""
    return ordered_sum([1.0 / probability for rank, probability in topic.found if rank <= k])


def stat_p(topic: InclusionTopic, k: int) -> float:
    """Return the estimated precision after k documents."""
    return found_within(topic, k) / k


def stat_rprec(topic: InclusionTopic) -> float:
    """Return the estimated precision at rank statR, rounded to an integer.

    If fewer documents were retrieved, the estimated number of relevant documents is divided by statR before rounding.
    """
    q = math.floor(stat_r(topic) + 0.5)
    if len(topic.ranking) < q:
        return found_within(topic, math.inf) / stat_r(topic)
    return quotient(found_within(topic, q), q)


def stat_ndcg(topic: InclusionTopic, k: int) -> float:
    """Return ndcg_burges, computed from the sampled documents only and without inclusion probabilities."""
    grade = {line.document: line.grade for line in topic.lines}
    ideal = sorted([line.grade for line in topic.lines if line.grade > 0], reverse=True)
    return quotient(dcg_of_burges([grade.get(d, 0) for d in topic.ranking], k), dcg_of_burges(ideal, k))


def stat_ap_variance(topic: InclusionTopic) -> float:
    """Return the estimated variance of statAP, computed pair by pair."""
    n, in_list = len(topic.lines), 0
    for line in topic.lines:
        in_list += line.document in topic.ranking
    average = stat_ap(topic)
    ranks = [rank for rank, _ in topic.found]
    y = []
    for document, p in topic.relevant.items():
        rank = topic.ranking.index(document) + 1 if document in topic.ranking else None
        precision = 0.0 if rank is None else topic.precisions[ranks.index(rank)]
        y.append((precision - average) / p)
    own = ordered_sum([(1.0 - p) * y_d * y_d for p, y_d in zip(topic.relevant.values(), y, strict=True)])
    pairs = 0.0
    for place, y_d in enumerate(y):
        for other, y_e in enumerate(y):
            if place != other:
                pairs += y_d * y_e
    below = 0.0
    for h, (_, p_h) in enumerate(topic.found):
        total = ordered_sum([1.0 / (rank * p) for rank, p in topic.found[h + 1 :]])
        below += (1.0 - p_h) / (p_h * p_h) * (total * total)
    variance = own - (pairs / (n - 1) if n > 1 else 0.0) + below
    return min(1.0, variance / (stat_r(topic) * stat_r(topic)) * (n / (in_list + 0.1))) if topic.relevant else 0.0


# All of them


@dataclass(frozen=True)
class Literal:
    """A measure, with its function and its parameters."""

    compute: Callable[..., float]
    cutoffs: tuple[int, ...] = ()  # the defaults
    named: tuple[str, ...] = ()  # each other parameter


USUAL = (5, 10, 20)
DEEP = (10, 20, 50, 100)

MEASURES = {
    "ERR_IA": Literal(err_ia, USUAL, ("alpha",)),
    "nERR_IA": Literal(nerr_ia, USUAL, ("alpha",)),
    "alpha_DCG": Literal(alpha_dcg, USUAL, ("alpha",)),
    "alpha_nDCG": Literal(alpha_ndcg, USUAL, ("alpha",)),
    "NRBP": Literal(nrbp, (), ("alpha", "beta")),
    "nNRBP": Literal(nnrbp, (), ("alpha", "beta")),
    "MAP_IA": Literal(map_ia),
    "P_IA": Literal(p_ia, USUAL),
    "strec": Literal(strec, USUAL),
    "statAP": Literal(stat_ap),
    "statRprec": Literal(stat_rprec),
    "statP": Literal(stat_p, DEEP),
    "statNDCG": Literal(stat_ndcg, DEEP),
    "statR": Literal(stat_r),
    "statAP_var": Literal(stat_ap_variance),
}


# Files


Line = TypeVar("Line")


def read_judgments(text: str, line_of: Callable[[Sequence[str]], Line | None]) -> dict[str, list[Line]]:
    """Parse the judgments of each topic. Lines for which ``line_of`` returns None are skipped."""
    values: dict[str, list[Line]] = {}
    for row in map(str.split, text.splitlines()):
        if (line := line_of(row)) is not None:
            values.setdefault(row[0], []).append(line)
    return values


def subtopic_line(row: Sequence[str]) -> SubtopicLine:
    """Parse a line of judgments for subtopics."""
    return SubtopicLine(row[1], row[2], int(row[3]))


def line_with_probability(row: Sequence[str]) -> LineWithProbability | None:
    """Parse a line of prels. Return None if statAP_MQ_eval ignores the line."""
    grade, method = int(row[2]), int(row[3])
    if grade <= -999 or row[4] == "NA" or not 0 <= float(row[4]) <= 1:
        return None
    return LineWithProbability(row[1], grade, method, 1.0 if method in {0, 2} else float(row[4]))

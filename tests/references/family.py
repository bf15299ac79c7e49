"""The measures of gdeval, ndeval and statAP_MQ_eval once more, as plain loops: the readable specification.

Nothing here is fast, clever or shared with irevalx. What surrounds the measures is here as well (files, ranking, the
choice of topics, topics without a value, means, ``-c``), so that what the programs printed can be held against this
file alone. Sums run from left to right, starting at 0.0; a power is a running product.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from references.measures import Topic, graded, ordered_sum

HIGHEST_GRADE = 4
ALPHA = BETA = 0.5


# Grades: what gdeval computes, and recip_rank_cut


def gain(grade: int) -> int:
    """2^grade - 1; nothing for a grade of 0, a negative one, and a document that was not judged."""
    return 2**grade - 1 if grade > 0 else 0


@graded("ERR", default=(5, 10, 20))
def expected_reciprocal_rank(topic: Topic, k: int, highest: int = HIGHEST_GRADE) -> float:
    """The expectation of 1/rank of the document that satisfies a user, who looks at no more than k."""
    total, left = 0.0, 1.0
    for rank in topic.ranks(k):
        satisfied = gain(topic.ranking[rank - 1]) / 2**highest
        total += left * satisfied / rank
        left *= 1.0 - satisfied
    return total


def dcg_of_burges(grades: Sequence[int], k: int) -> float:
    """Sum of (2^grade - 1)/log2(rank + 1) over the first k."""
    total = 0.0
    for rank in range(1, min(k, len(grades)) + 1):
        total += gain(grades[rank - 1]) / math.log2(rank + 1)
    return total


@graded("ndcg_burges", default=(5, 10, 20))
def ndcg_of_burges(topic: Topic, k: int) -> float:
    """That of the ranking divided by that of all positive grades, highest first."""
    best = dcg_of_burges(sorted([grade for grade in topic.judgments if grade > 0], reverse=True), k)
    return dcg_of_burges(topic.ranking, k) / best if best else 0.0


def reciprocal_rank_within(topic: Topic, k: int) -> float:
    """1/rank of the first relevant document if that is not below rank k."""
    for rank in topic.ranks(k):
        if topic.is_hit(rank):
            return 1.0 / rank
    return 0.0


def has_positive_grade(topic: Topic) -> bool:
    """Whether gdeval evaluates the topic."""
    return any(grade > 0 for grade in topic.judgments)


# Subtopics: what ndeval computes


@dataclass(frozen=True)
class SubtopicLine:
    """One line of judgments."""

    subtopic: str
    document: str
    grade: int


@dataclass(frozen=True)
class TopicWithSubtopics:
    """One topic with subtopics; a negative grade is never relevant."""

    ranking: Sequence[str]
    lines: Sequence[SubtopicLine]
    level: int = 1

    @cached_property
    def pairs(self) -> set[tuple[str, str]]:
        """The document and the subtopic of each line that says rel(d, s) = 1."""
        return {(line.document, line.subtopic) for line in self.lines if line.grade >= max(self.level, 0)}

    @cached_property
    def judged(self) -> set[str]:
        """The documents that occur in some line."""
        return {line.document for line in self.lines}

    @cached_property
    def subtopics(self) -> list[str]:
        """Those with a relevant document, ascending."""
        return sorted({subtopic for _, subtopic in self.pairs}, key=subtopic_order)

    @cached_property
    def subtopics_of(self) -> dict[str, list[str]]:
        """For each judged document, the subtopics that it is relevant for, ascending."""
        return {d: [s for s in self.subtopics if (d, s) in self.pairs] for d in self.judged}

    def is_relevant(self, document: str, subtopic: str) -> bool:
        """rel(d, s)."""
        return (document, subtopic) in self.pairs

    def n_relevant(self, subtopic: str) -> int:
        """How many documents are relevant for a subtopic, retrieved or not."""
        return len([document for document in self.judged if self.is_relevant(document, subtopic)])


def subtopic_order(name: str) -> tuple[int, int, bytes]:
    """Numbers by value, then all other names by bytes."""
    if re.fullmatch("[0-9]+", name):
        return (0, int(name), name.encode())
    return (1, 0, name.encode())


def novelty_gains(topic: TopicWithSubtopics, ranking: Sequence[str], alpha: float) -> list[float]:
    """What each document of a list gains, given those above it."""
    weight = dict.fromkeys(topic.subtopics, 1.0)
    gains = []
    for document in ranking:
        gains.append(novelty(topic, document, weight))
        grow_tired(topic, document, weight, alpha)
    return gains


def novelty(topic: TopicWithSubtopics, document: str, weight: Mapping[str, float]) -> float:
    """The weights of the subtopics that a document is relevant for, by ascending subtopic."""
    total = 0.0
    for subtopic in topic.subtopics_of.get(document, []):
        total += weight[subtopic]
    return total


def grow_tired(topic: TopicWithSubtopics, document: str, weight: dict[str, float], alpha: float) -> None:
    """Multiply the weights of these subtopics by 1 - alpha."""
    for subtopic in topic.subtopics_of.get(document, []):
        weight[subtopic] *= 1.0 - alpha


def ideal_list(topic: TopicWithSubtopics, alpha: float) -> list[str]:
    """Take the document that gains most, of several the last in byte order, again and again."""
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
    """The gains of an impossible list, each document of which is relevant for all subtopics."""
    gains, power = [], 1.0
    for _ in range(k):
        gains.append(len(topic.subtopics) * power)
        power *= 1.0 - alpha
    return gains


def by_logarithm(gains: Sequence[float], k: int) -> float:
    """Sum of gain/log2(rank + 1) over the first k."""
    total = 0.0
    for rank in range(1, min(k, len(gains)) + 1):
        total += gains[rank - 1] / math.log2(rank + 1)
    return total


def by_rank(gains: Sequence[float], k: int) -> float:
    """Sum of gain/rank over the first k."""
    total = 0.0
    for rank in range(1, min(k, len(gains)) + 1):
        total += gains[rank - 1] / rank
    return total


def quotient(numerator: float, denominator: float) -> float:
    """0 where either is 0."""
    return numerator / denominator if numerator and denominator else 0.0


def of_top(
    total: Callable[[Sequence[float], int], float],
    topic: TopicWithSubtopics,
    ranking: Sequence[str],
    k: int,
    alpha: float,
) -> float:
    """A sum of discounted gains, divided by that of the impossible list."""
    return quotient(total(novelty_gains(topic, ranking, alpha), k), total(top_gains(topic, alpha, k), k))


def alpha_dcg(topic: TopicWithSubtopics, k: int, alpha: float = ALPHA) -> float:
    """The gains by logarithm, divided by those of the impossible list."""
    return of_top(by_logarithm, topic, topic.ranking, k, alpha)


def err_ia(topic: TopicWithSubtopics, k: int, alpha: float = ALPHA) -> float:
    """The gains by rank, divided by those of the impossible list."""
    return of_top(by_rank, topic, topic.ranking, k, alpha)


def alpha_ndcg(topic: TopicWithSubtopics, k: int, alpha: float = ALPHA) -> float:
    """alpha_DCG of the ranking divided by that of the ideal list."""
    ideal = of_top(by_logarithm, topic, ideal_list(topic, alpha), k, alpha)
    return quotient(alpha_dcg(topic, k, alpha), ideal)


def nerr_ia(topic: TopicWithSubtopics, k: int, alpha: float = ALPHA) -> float:
    """ERR_IA of the ranking divided by that of the ideal list."""
    return quotient(err_ia(topic, k, alpha), of_top(by_rank, topic, ideal_list(topic, alpha), k, alpha))


def rank_biased(topic: TopicWithSubtopics, ranking: Sequence[str], alpha: float, beta: float) -> float:
    """NRBP of a list."""
    total, power = 0.0, 1.0
    for gained in novelty_gains(topic, ranking, alpha):
        total += gained * power
        power *= beta
    return total * quotient(1.0 - (1.0 - alpha) * beta, len(topic.subtopics))


def nrbp(topic: TopicWithSubtopics, alpha: float = ALPHA, beta: float = BETA) -> float:
    """NRBP of the ranking."""
    return rank_biased(topic, topic.ranking, alpha, beta)


def nnrbp(topic: TopicWithSubtopics, alpha: float = ALPHA, beta: float = BETA) -> float:
    """NRBP of the ranking divided by that of the ideal list."""
    return quotient(nrbp(topic, alpha, beta), rank_biased(topic, ideal_list(topic, alpha), alpha, beta))


def map_ia(topic: TopicWithSubtopics) -> float:
    """Average precision for each subtopic, averaged."""
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
    """Precision for each subtopic, averaged."""
    pairs = 0
    for document in topic.ranking[:k]:
        for subtopic in topic.subtopics:
            if topic.is_relevant(document, subtopic):
                pairs += 1
    return quotient(pairs, k * len(topic.subtopics))


def strec(topic: TopicWithSubtopics, k: int) -> float:
    """The share of subtopics with a relevant document among the first k."""
    seen = 0
    for subtopic in topic.subtopics:
        if any(topic.is_relevant(document, subtopic) for document in topic.ranking[:k]):
            seen += 1
    return quotient(seen, len(topic.subtopics))


# Samples with probabilities: what statAP_MQ_eval computes


@dataclass(frozen=True)
class LineWithProbability:
    """One line of judgments that counts, its probability being what the method makes of it."""

    document: str
    grade: int
    method: int
    probability: float


@dataclass(frozen=True)
class InclusionTopic:
    """One topic with a sample of judgments and inclusion probabilities; a negative grade is never relevant."""

    ranking: Sequence[str]
    lines: Sequence[LineWithProbability]
    level: int = 1

    @property
    def relevant(self) -> dict[str, float]:
        """The probabilities of the relevant documents of the sample."""
        return {line.document: line.probability for line in self.lines if line.grade >= max(self.level, 0)}

    @property
    def found(self) -> list[tuple[int, float]]:
        """Rank and probability of those that were retrieved."""
        return [(rank, self.relevant[d]) for rank, d in enumerate(self.ranking, 1) if d in self.relevant]

    @property
    def precisions(self) -> list[float]:
        """The precision that is estimated at each of them."""
        above, estimates = 0.0, []
        for rank, probability in self.found:
            estimates.append((1.0 + above) / rank)
            above += 1.0 / probability
        return estimates


def has_sample(topic: InclusionTopic) -> bool:
    """Whether there is anything to estimate from: a relevant document, and any that was drawn."""
    return bool(topic.relevant) and any(line.method in {1, 2, 4} for line in topic.lines)


def stat_r(topic: InclusionTopic) -> float:
    """The estimated number of relevant documents."""
    return ordered_sum([1.0 / probability for probability in topic.relevant.values()])


def stat_ap(topic: InclusionTopic) -> float:
    """The estimated average precision."""
    total = 0.0
    for precision, (_, probability) in zip(topic.precisions, topic.found, strict=True):
        total += precision / probability
    return quotient(total, stat_r(topic))


def found_within(topic: InclusionTopic, k: float) -> float:
    """The estimated number of relevant documents among the first k."""
    return ordered_sum([1.0 / probability for rank, probability in topic.found if rank <= k])


def stat_p(topic: InclusionTopic, k: int) -> float:
    """The estimated precision after k documents."""
    return found_within(topic, k) / k


def stat_rprec(topic: InclusionTopic) -> float:
    """The estimated precision after statR documents, rounded; of a shorter list all of it over statR itself."""
    q = math.floor(stat_r(topic) + 0.5)
    if len(topic.ranking) < q:
        return found_within(topic, math.inf) / stat_r(topic)
    return quotient(found_within(topic, q), q)


def stat_ndcg(topic: InclusionTopic, k: int) -> float:
    """ndcg_burges of the sample alone; probabilities play no part."""
    grade = {line.document: line.grade for line in topic.lines}
    ideal = sorted([line.grade for line in topic.lines if line.grade > 0], reverse=True)
    return quotient(dcg_of_burges([grade.get(d, 0) for d in topic.ranking], k), dcg_of_burges(ideal, k))


def stat_ap_variance(topic: InclusionTopic) -> float:
    """The estimated variance of statAP, pair by pair."""
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


def mean(values: Sequence[float], n_topics: int) -> float:
    """The sum divided by the number of topics; 0 without any."""
    return ordered_sum(values) / n_topics if n_topics else 0.0


def total(values: Sequence[float], n_topics: int) -> float:
    """The sum."""
    return ordered_sum(values)


def variance_of_mean(values: Sequence[float], n_topics: int) -> float:
    """The sum divided by the square of the number of topics; 0 without any."""
    return ordered_sum(values) / n_topics**2 if n_topics else 0.0


def always(topic: Any) -> bool:
    """Whether a measure that has a value for every topic has one for this."""
    return True


@dataclass(frozen=True)
class Literal:
    """One measure: its function, its parameters and its summary."""

    rel_format: str
    compute: Callable[..., float]
    cutoffs: tuple[int, ...] = ()  # the defaults
    named: tuple[tuple[str, str], ...] = ()  # each other parameter in the output and as keyword
    has_value: Callable[[Any], bool] = always
    summary: Callable[[Sequence[float], int], float] = mean


USUAL = (5, 10, 20)
DEEP = (10, 20, 50, 100)
OF_ALPHA = (("alpha", "alpha"),)
OF_BOTH = (("alpha", "alpha"), ("beta", "beta"))

MEASURES = {
    "ERR": Literal("qrels", expected_reciprocal_rank, USUAL, (("max", "highest"),), has_positive_grade),
    "ndcg_burges": Literal("qrels", ndcg_of_burges, USUAL, (), has_positive_grade),
    "recip_rank_cut": Literal("qrels", reciprocal_rank_within, (10,)),
    "ERR_IA": Literal("subtopics", err_ia, USUAL, OF_ALPHA),
    "nERR_IA": Literal("subtopics", nerr_ia, USUAL, OF_ALPHA),
    "alpha_DCG": Literal("subtopics", alpha_dcg, USUAL, OF_ALPHA),
    "alpha_nDCG": Literal("subtopics", alpha_ndcg, USUAL, OF_ALPHA),
    "NRBP": Literal("subtopics", nrbp, (), OF_BOTH),
    "nNRBP": Literal("subtopics", nnrbp, (), OF_BOTH),
    "MAP_IA": Literal("subtopics", map_ia),
    "P_IA": Literal("subtopics", p_ia, USUAL),
    "strec": Literal("subtopics", strec, USUAL),
    "statAP": Literal("prels", stat_ap, (), (), has_sample),
    "statRprec": Literal("prels", stat_rprec, (), (), has_sample),
    "statP": Literal("prels", stat_p, DEEP, (), has_sample),
    "statNDCG": Literal("prels", stat_ndcg, DEEP, (), has_sample),
    "statR": Literal("prels", stat_r, (), (), has_sample, total),
    "statAP_var": Literal("prels", stat_ap_variance, (), (), has_sample, variance_of_mean),
}


# Files


class RefusedError(Exception):
    """A file cannot be evaluated; its argument is the file's name."""


AnyTopic: TypeAlias = Topic | TopicWithSubtopics | InclusionTopic


@dataclass(frozen=True)
class Options:
    """What irevalx is asked for, as far as the recorded cases ask."""

    rel_format: str = "qrels"
    measures: tuple[str, ...] = ()
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    max_retrieved: int | None = None

    @classmethod
    def of(cls, argv: Sequence[str]) -> Options:
        """Read a command line without its files."""
        left = list(argv)
        options: dict[str, Any] = {"measures": ()}
        while left:
            match left.pop(0):
                case "-c":
                    options["complete"] = True
                case "-J":
                    options["judged_only"] = True
                case "-R":
                    options["rel_format"] = left.pop(0)
                case "-m":
                    options["measures"] += (left.pop(0),)
                case "-l":
                    options["level"] = int(left.pop(0))
                case "-M":
                    options["max_retrieved"] = int(left.pop(0))
                case other:
                    raise ValueError(other)
        return cls(**options)


@dataclass(frozen=True)
class Asked:
    """A measure with one set of parameters."""

    printed: str
    literal: Literal
    k: int | None
    named: dict[str, float]

    def of(self, topic: AnyTopic) -> float:
        """Its value for a topic."""
        return self.literal.compute(topic, *([] if self.k is None else [self.k]), **self.named)


def asked(text: str) -> list[Asked]:
    """Read ``NAME.5,10,alpha=0.3``; one for each printed name."""
    name, _, parameters = text.partition(".")
    literal = MEASURES[name]
    items = parameters.split(",") if parameters else []
    typed = [item for item in items if "=" in item]
    named: dict[str, float] = {}
    for item in typed:
        key, _, number = item.partition("=")
        named[dict(literal.named)[key]] = int(number) if key == "max" else float(number)
    cutoffs = sorted(int(item) for item in items if "=" not in item) or literal.cutoffs
    after = "".join("_" + ",".join(typed) for _ in typed[:1])
    if not literal.cutoffs:
        return [Asked(name + after, literal, None, named)]
    return [Asked(f"{name}_{k}{after}", literal, k, named) for k in cutoffs]


def table(file: str, text: str, columns: int, *, more: bool = False) -> list[list[str]]:
    """Cut lines into columns."""
    rows = [line.split() for line in text.splitlines()]
    for row in rows:
        if len(row) < columns or (len(row) > columns and not more):
            raise RefusedError(file)
    return rows


def read_run(text: str, options: Options) -> dict[str, list[str]]:
    """The documents of each topic in rank order."""
    scores: dict[str, list[tuple[float, bytes]]] = {}
    for topic, _, docno, _, score, *_ in table("run", text, 6, more=True):
        scores.setdefault(topic, []).append((float(score), docno.encode()))
    rankings = {}
    for topic, scored in scores.items():
        docnos = [docno.decode() for _, docno in sorted(scored, reverse=True)][: options.max_retrieved]
        if len(set(docnos)) < len(docnos):
            raise RefusedError("run")
        rankings[topic] = docnos
    return rankings


def read_judgments(file: str, text: str, options: Options) -> dict[str, list[Any]]:
    """The lines of each topic that count."""
    values: dict[str, list[Any]] = {}
    known = set()
    for row in table(file, text, 5 if file == "prels" else 4):
        topic = row[0]
        line: tuple[str, int] | SubtopicLine | LineWithProbability | None
        if file == "qrels":
            line, key = (row[2], int(row[3])), row[2]
        elif file == "subtopics":
            line, key = SubtopicLine(row[1], row[2], int(row[3])), f"{row[1]} {row[2]}"
        else:
            line, key = line_with_probability(row), row[1]
        if line is None:
            continue
        if (topic, key) in known:
            raise RefusedError(file)
        known.add((topic, key))
        values.setdefault(topic, []).append(line)
    return values


def line_with_probability(row: Sequence[str]) -> LineWithProbability | None:
    """Read a line of prels; None if it is as if it was not there."""
    grade, method = int(row[2]), int(row[3])
    if grade <= -999 or row[4] == "NA":
        return None
    probability = float(row[4])
    if not 0 <= probability <= 1:
        return None
    if method in {0, 2}:
        probability = 1.0
    if probability == 0:
        raise RefusedError("prels")
    return LineWithProbability(row[1], grade, method, probability)


def topic_of(lines: Sequence[Any], docnos: Sequence[str], options: Options) -> AnyTopic:
    """What the measures see."""
    if options.rel_format == "qrels":
        grades = dict(lines)
        codes = [grades.get(docno, -1) if grades.get(docno, -1) >= 0 else -1 for docno in docnos]
        codes = [code for code in codes if code >= 0 or not options.judged_only]
        return Topic(codes, list(grades.values()), options.level)
    judged = {line.document for line in lines}
    ranking = [docno for docno in docnos if docno in judged or not options.judged_only]
    kind = TopicWithSubtopics if options.rel_format == "subtopics" else InclusionTopic
    return kind(ranking, lines, options.level)


def evaluate(argv: Sequence[str], judgments: str, run: str) -> dict[str, dict[str, float]]:
    """Evaluate the texts of two files: {topic or "all": {printed name: value}}; RefusedError names a wrong file."""
    options = Options.of(argv)
    lines = read_judgments(options.rel_format, judgments, options)
    rankings = read_run(run, options)
    topics = {
        name: topic_of(lines[name], rankings.get(name, []), options)
        for name in sorted(lines)
        if options.complete or name in rankings
    }
    values: dict[str, dict[str, float]] = {name: {} for name in [*topics, "all"]}
    for request in [request for text in options.measures for request in asked(text)]:
        if request.literal.compute is expected_reciprocal_rank:
            for topic_lines in lines.values():
                for _, grade in topic_lines:
                    if grade > request.named.get("highest", HIGHEST_GRADE):
                        raise RefusedError("qrels")
        results = [(name, request.of(topic)) for name, topic in topics.items() if request.literal.has_value(topic)]
        for name, value in results:
            values[name][request.printed] = value
        values["all"][request.printed] = request.literal.summary([value for _, value in results], len(results))
    return values

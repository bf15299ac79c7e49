"""A second implementation, by plain loops, of all measures, the methods of ``Segments`` and both averages.

The loops are a readable specification. The code is not optimised and is independent of irevalx. Each measure receives
one topic and follows the ranking step by step like trec_eval. Sums are computed from left to right, starting at 0.0. A
measure's arguments after the topic are its parameters: one cutoff, a list of real cutoffs, real numbers, or a list of
gains.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar

UNJUDGED = -2
OUTSIDE = -1
SMALLEST_LONG = -(2**63)
SMALLEST_INT = -(2**31)
EPSILON = 0.00001

PERSISTENCE = 0.9
"""The default persistence p of rbp and rbp_resid."""

ELEVEN_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
NINE_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

Pairs: TypeAlias = Sequence[tuple[int | None, float]]
"""The gains that a user gave, as pairs of a grade (or None if the key is not a grade) and a gain."""

Loop = TypeVar("Loop", bound=Callable[..., Any])


class Loops:
    """A registry of measures. ``@graded("P", default=NINE_CUTOFFS)`` registers a loop and its default parameters."""

    def __init__(self) -> None:
        self.by_name: dict[str, Callable[..., Any]] = {}
        self.defaults: dict[str, tuple[float, ...]] = {}

    def __call__(self, *names: str, default: tuple[float, ...] = ()) -> Callable[[Loop], Loop]:
        """Return a decorator that registers a loop for the given measures."""

        def take(loop: Loop) -> Loop:
            self.by_name |= dict.fromkeys(names, loop)
            self.defaults |= dict.fromkeys(names, default)
            return loop

        return take


graded = Loops()
"""The measures that can be computed for a ``Topic``, which has graded judgments."""


# C's arithmetic


def divide(x: float, y: float) -> float:
    """Divide like C, in which 0/0 is NaN, and any other number divided by 0 is infinite."""
    if y != 0:
        return x / y
    if x == 0 or math.isnan(x):
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1.0, y)


def log(x: float) -> float:
    """Return the logarithm like C, with minus infinity for 0 and NaN for negative numbers."""
    if x == 0:
        return -math.inf
    return math.log(x) if x > 0 else math.nan


def log2(x: float) -> float:
    """Return the logarithm to base 2 like C, with minus infinity for 0 and NaN for negative numbers."""
    if x == 0:
        return -math.inf
    return math.log2(x) if x > 0 else math.nan


def truncate(x: float) -> int:
    """Truncate to a 64-bit integer like C. NaN and numbers that do not fit yield the smallest integer."""
    if math.isnan(x) or math.isinf(x) or not SMALLEST_LONG <= int(x) < 2**63:
        return SMALLEST_LONG
    return int(x)


def truncate_to_int(x: float) -> int:
    """Truncate to a 32-bit integer like C. NaN and numbers that do not fit yield the smallest integer."""
    if math.isnan(x) or math.isinf(x) or not SMALLEST_INT <= int(x) < 2**31:
        return SMALLEST_INT
    return int(x)


def round_half_away(x: float) -> int:
    """Round halves away from 0 like C's ``lround``. NaN and numbers that do not fit yield the smallest integer."""
    whole = truncate(x)
    if whole == SMALLEST_LONG or abs(x - whole) < 0.5:
        return whole
    return whole + 1 if x > 0 else whole - 1


def merge_sort(items: Sequence[Any], compare: Callable[[Any, Any], int]) -> list[Any]:
    """Return the items sorted as the C library sorts them, by merging two halves."""
    if len(items) <= 1:
        return list(items)
    middle = len(items) // 2
    left = merge_sort(items[:middle], compare)
    right = merge_sort(items[middle:], compare)
    merged = []
    while left and right:
        merged.append(left.pop(0) if compare(left[0], right[0]) <= 0 else right.pop(0))
    return merged + left + right


# One topic


@dataclass(frozen=True)
class Topic:
    """A topic with its ranking and its graded judgments, which is the input of all measures."""

    ranking: Sequence[int]  # in rank order: a grade, -1 outside the pool, -2 pooled but unjudged
    judgments: Sequence[int]  # grades of the whole pool; a negative grade is unjudged
    level: int = 1  # below 0 unjudged documents count as hits
    collection_size: int = 0  # 0 if unknown
    recall_rounding: Literal["9", "10"] = "10"  # the version of trec_eval

    @property
    def n_ret(self) -> int:
        """The number of retrieved documents."""
        return len(self.ranking)

    @cached_property
    def n_rel(self) -> int:
        """The number of documents judged relevant, whether retrieved or not."""
        return sum(grade >= max(self.level, 0) for grade in self.judgments)

    @cached_property
    def n_nonrel(self) -> int:
        """The number of documents judged nonrelevant, whether retrieved or not."""
        return sum(0 <= grade < self.level for grade in self.judgments)

    @cached_property
    def n_rel_ret(self) -> int:
        """The number of retrieved documents that were judged relevant."""
        return sum(grade >= max(self.level, 0) for grade in self.ranking)

    @cached_property
    def n_levels(self) -> int:
        """The highest grade of a judged document plus 1, or 0 if no document was judged."""
        return max([0, *(grade + 1 for grade in self.judgments)])

    def n_judged(self, level: int) -> int:
        """Return the number of documents with the grade ``level``, whether retrieved or not."""
        return sum(grade == level for grade in self.judgments)

    def is_hit(self, rank: int) -> bool:
        """Return whether the document at ``rank`` is a hit."""
        # The level can be negative, and then a code for an unjudged document can be a hit.
        return self.ranking[rank - 1] >= self.level

    def ranks(self, k: int | None = None) -> range:
        """Return the ranks from 1 to the end of the list, or to k if k is smaller."""
        return range(1, (self.n_ret if k is None else min(k, self.n_ret)) + 1)

    def hits_within(self, k: int) -> int:
        """Return the number of hits among the first k documents."""
        return sum(self.is_hit(rank) for rank in self.ranks(k))


# Counts


@graded("num_ret")
def num_ret(topic: Topic) -> int:
    """Return the number of retrieved documents."""
    return topic.n_ret


@graded("num_rel")
def num_rel(topic: Topic) -> int:
    """Return the number of documents judged relevant."""
    return topic.n_rel


@graded("num_rel_ret")
def num_rel_ret(topic: Topic) -> int:
    """Return the number of retrieved documents that were judged relevant."""
    return topic.n_rel_ret


@graded("num_nonrel_judged_ret")
def num_nonrel_judged_ret(topic: Topic) -> int:
    """Return the number of retrieved documents that were judged nonrelevant."""
    return topic.n_ret - topic.ranking.count(OUTSIDE) - topic.ranking.count(UNJUDGED) - topic.n_rel_ret


# The retrieved set


@graded("set_P")
def set_p(topic: Topic) -> float:
    """Return the number of relevant retrieved documents divided by the number of retrieved documents."""
    return topic.n_rel_ret / topic.n_ret if topic.n_ret else 0.0


@graded("set_recall")
def set_recall(topic: Topic) -> float:
    """Return the number of relevant retrieved documents divided by the number of relevant documents."""
    return topic.n_rel_ret / topic.n_rel if topic.n_rel else 0.0


@graded("set_relative_P")
def set_relative_p(topic: Topic) -> float:
    """Return the number of relevant retrieved documents divided by its maximum possible value."""
    possible = min(topic.n_ret, topic.n_rel)
    return topic.n_rel_ret / possible if possible else 0.0


@graded("set_map")
def set_map(topic: Topic) -> float:
    """Return the product of precision and recall of the retrieved set, computed with a single division."""
    if not (topic.n_ret and topic.n_rel):
        return 0.0
    return (topic.n_rel_ret * topic.n_rel_ret) / (topic.n_ret * topic.n_rel)


@graded("set_F", default=(1.0,))
def set_f(topic: Topic, x: float, *ignored: float) -> float:
    """Return (x + 1) P R / (x P + R), computed from left to right, or 0 if no relevant document was retrieved."""
    if topic.n_rel_ret == 0:
        return 0.0
    precision = topic.n_rel_ret / topic.n_ret
    recall = topic.n_rel_ret / topic.n_rel
    return divide((x + 1.0) * precision * recall, x * precision + recall)


@graded("utility", default=(1.0, -1.0, 0.0, 0.0))
def utility(topic: Topic, a: float, b: float, c: float, d: float) -> float:
    """Return the weighted sum of relevant retrieved, other retrieved, relevant not retrieved, and other documents."""
    r, n, n_rel = topic.n_rel_ret, topic.n_ret, topic.n_rel
    return a * r + b * (n - r) + c * (n_rel - r) + d * (topic.collection_size + r - n - n_rel)


# At one rank


@graded("Rprec")
def r_precision(topic: Topic) -> float:
    """Return the number of hits among the first R, divided by R even if fewer documents were retrieved."""
    if min(topic.n_ret, topic.n_rel) == 0:
        return 0.0
    return topic.hits_within(topic.n_rel) / topic.n_rel


@graded("recip_rank")
def reciprocal_rank(topic: Topic) -> float:
    """Return 1 / rank of the first hit."""
    for rank in topic.ranks():
        if topic.is_hit(rank):
            return 1.0 / rank
    return 0.0


@graded("recip_rank_cut", default=(10,))
def reciprocal_rank_at(topic: Topic, k: int) -> float:
    """Return 1 / rank of the first hit, or 0 if its rank exceeds k."""
    for rank in topic.ranks(k):
        if topic.is_hit(rank):
            return 1.0 / rank
    return 0.0


@graded("P", default=NINE_CUTOFFS)
def precision_at(topic: Topic, k: int) -> float:
    """Return the number of hits among the first k, divided by k."""
    return topic.hits_within(k) / k


@graded("recall", default=NINE_CUTOFFS)
def recall_at(topic: Topic, k: int) -> float:
    """Return the number of hits among the first k, divided by the number of relevant documents."""
    return topic.hits_within(k) / topic.n_rel if topic.n_rel else 0.0


@graded("relative_P", default=NINE_CUTOFFS)
def relative_precision_at(topic: Topic, k: int) -> float:
    """Return the number of hits among the first k, divided by its maximum possible value."""
    return topic.hits_within(k) / min(k, topic.n_rel) if topic.n_rel else 0.0


@graded("success", default=(1, 5, 10))
def success_at(topic: Topic, k: int) -> float:
    """Return 1 if a hit is among the first k documents, or 0 if there is none."""
    return 1.0 if topic.hits_within(k) > 0 else 0.0


@graded("unj", default=(5, 10, 20))
def unjudged_at(topic: Topic, k: int) -> float:
    """Return the number of unjudged documents among the first k, divided by k."""
    return sum(grade < 0 for grade in topic.ranking[:k]) / k


# Average precision and its relatives


def sum_of_precisions(topic: Topic, k: int | None = None) -> float:
    """Return the sum of the precisions at the ranks of hits, in rank order."""
    total = 0.0
    hits = 0
    for rank in topic.ranks(k):
        if topic.is_hit(rank):
            hits += 1
            total += hits / rank
    return total


@graded("map", "gm_map")
def average_precision(topic: Topic) -> float:
    """Return the sum of precisions divided by n_rel, or 0 if there is no hit. n_rel can be 0 if hits are unjudged."""
    if topic.hits_within(topic.n_ret) == 0:
        return 0.0
    return divide(sum_of_precisions(topic), topic.n_rel)


@graded("relative_map_cut", default=NINE_CUTOFFS)
def relative_average_precision_at(topic: Topic, k: int) -> float:
    """Return the sum of precisions over the first k, divided by the greatest possible number of hits."""
    return sum_of_precisions(topic, k) / min(k, topic.n_rel) if topic.n_rel else 0.0


@graded("map_cut", default=NINE_CUTOFFS)
def average_precision_at(topic: Topic, k: int) -> float:
    """Return the sum of precisions over the first k, divided by the number of relevant documents."""
    return sum_of_precisions(topic, k) / topic.n_rel if topic.n_rel else 0.0


@graded("yaap")
def yaap(topic: Topic) -> float:
    """Return log((1 + S) / (1 + R - S)), where S is the sum of precisions and R the number of relevant documents."""
    total = sum_of_precisions(topic)
    return log(divide(1.0 + total, (1.0 + topic.n_rel) - total))


@graded("bpref", "gm_bpref")
def bpref(topic: Topic) -> float:
    """Return bpref: 1 minus the fraction of the first R nonrelevant documents above a relevant one, averaged."""
    total = 0.0
    nonrelevant_above = 0
    for grade in topic.ranking:
        if grade < 0:
            continue
        if grade < topic.level:
            nonrelevant_above += 1
        elif nonrelevant_above == 0:
            total += 1.0
        else:
            total += 1.0 - min(nonrelevant_above, topic.n_rel) / min(topic.n_nonrel, topic.n_rel)
    return total / topic.n_rel if topic.n_rel else total


@graded("binG")
def binary_g(topic: Topic) -> float:
    """Return the sum of 1 / log2(2 + n) over hits, divided by R, where n is the number of non-hits above a hit."""
    total = 0.0
    hits = 0
    for rank in topic.ranks():
        if topic.is_hit(rank):
            hits += 1
            total += 1.0 / math.log2(rank + 2 - hits)
    return divide(total, topic.n_rel) if hits else 0.0


# Precision over cutoffs that depend on R


def documents_for_recall(topic: Topic, x: float) -> int:
    """Return the number of relevant documents at recall x, rounded like the emulated version of trec_eval."""
    if topic.recall_rounding == "9":
        return truncate(x * topic.n_rel + 0.9)
    return round_half_away(x * topic.n_rel)


def interpolation_walk(topic: Topic, levels: Sequence[float]) -> Iterator[tuple[int, float]]:
    """Yield the index and the precision of each level, from the end of the list, in the order of trec_eval."""
    cutoff = [documents_for_recall(topic, x) for x in levels]
    current = len(levels) - 1
    while current >= 0 and cutoff[current] > topic.n_rel_ret:
        current -= 1
    best = divide(topic.n_rel_ret, topic.n_ret)
    result = topic.n_rel_ret
    for rank in reversed(topic.ranks()):
        if result <= 0:
            break
        best = max(best, result / rank)
        if topic.is_hit(rank):
            while current >= 0 and cutoff[current] == result:
                yield current, best
                current -= 1
            result -= 1
    while current >= 0:
        yield current, best
        current -= 1


@graded("iprec_at_recall", default=ELEVEN_POINTS)
def interpolated_precision(topic: Topic, levels: Sequence[float]) -> list[float]:
    """Return the highest precision at or after the rank at which recall reaches each level."""
    values = [0.0] * len(levels)
    for index, best in interpolation_walk(topic, levels):
        values[index] = best
    return values


@graded("11pt_avg", default=ELEVEN_POINTS)
def eleven_point_average(topic: Topic, *levels: float) -> float:
    """Return the mean of the interpolated precisions, which are summed in the order of trec_eval."""
    total = 0.0
    for _, best in interpolation_walk(topic, levels):
        total += best
    return total / len(levels)


@graded("Rprec_mult", default=(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0))
def multiple_r_precision(topic: Topic, multiples: Sequence[float]) -> list[float]:
    """Return precision at multiples of R. If trec_eval cannot reach a cutoff, it reaches no smaller one."""
    values = [0.0] * len(multiples)
    cutoff = [truncate(x * topic.n_rel + 0.9) for x in multiples]
    current = len(multiples) - 1
    while current >= 0 and cutoff[current] > topic.n_ret:
        values[current] = topic.n_rel_ret / cutoff[current]
        current -= 1
    result = topic.n_rel_ret
    for rank in reversed(topic.ranks()):
        if result <= 0:
            break
        while current >= 0 and cutoff[current] == rank:
            values[current] = result / rank
            current -= 1
        if topic.is_hit(rank):
            result -= 1
    return values


# Gains


@dataclass
class GainEntry:
    """An entry in the table of gains: a grade, the number of documents with the grade, and the gain."""

    level: int
    count: int
    gain: float


def gain_table(topic: Topic, pairs: Pairs) -> list[GainEntry]:
    """Return the gains in ``pairs`` and of all other grades, sorted by differences that are truncated to integers."""
    table = [GainEntry(level, 0, gain) for level, gain in pairs if level is not None]
    for level in range(topic.n_levels):
        for entry in table:
            if entry.level == level:
                entry.count = topic.n_judged(level)
                break
        else:
            table.append(GainEntry(level, topic.n_judged(level), float(level)))
    return merge_sort(table, lambda x, y: truncate_to_int(x.gain - y.gain))


def gain_of(table: Sequence[GainEntry], grade: int) -> float:
    """Return the gain of the first entry with this grade, or 0 if there is none."""
    for entry in table:
        if entry.level == grade:
            return entry.gain
    return 0.0


class IdealWalk:
    """The iteration over the ideal ranking as in trec_eval: each entry of the table is repeated for its documents."""

    def __init__(self, table: Sequence[GainEntry]) -> None:
        self.table = table
        self.pointer = len(table) - 1
        self.used = 0
        self.gain = table[-1].gain if table else 0.0

    def step(self) -> None:
        """Move to the next document of the ideal ranking."""
        self.used += 1
        while self.pointer >= 0 and self.used > self.table[self.pointer].count:
            self.used = 1
            self.pointer -= 1
            self.gain = self.table[self.pointer].gain if self.pointer >= 0 else 0.0


def discounted_gains(topic: Topic, pairs: Pairs) -> tuple[float, float]:
    """Return the discounted cumulative gains of the ranking and of the ideal ranking."""
    table = gain_table(topic, pairs)
    ideal = IdealWalk(table)
    gained = best = 0.0
    rank = 1
    while rank <= topic.n_ret or ideal.gain > 0:
        gain = gain_of(table, topic.ranking[rank - 1]) if rank <= topic.n_ret else 0.0
        if gain != 0:
            gained += gain / math.log2(rank + 1)
        if ideal.gain > 0:
            ideal.step()
            if ideal.gain > 0:
                best += ideal.gain / math.log2(rank + 1)
        rank += 1
    return gained, best


@graded("dcg")
def dcg(topic: Topic, pairs: Pairs) -> float:
    """Return the discounted cumulative gain of the ranking."""
    return discounted_gains(topic, pairs)[0]


@graded("ideal_dcg")
def ideal_dcg(topic: Topic, pairs: Pairs) -> float:
    """Return the discounted cumulative gain of the ideal ranking."""
    return discounted_gains(topic, pairs)[1]


@graded("ndcg")
def ndcg(topic: Topic, pairs: Pairs) -> float:
    """Return DCG of the ranking divided by DCG of the ideal ranking, or 0 if the ideal DCG is not positive."""
    gained, best = discounted_gains(topic, pairs)
    return gained / best if best > 0 else 0.0


@graded("ndcg_cut", default=NINE_CUTOFFS)
def ndcg_at(topic: Topic, k: int) -> float:
    """Return nDCG at cutoff k, with grades as gains. If the ideal DCG is 0, DCG is not divided."""
    gained = 0.0
    for rank in topic.ranks(k):
        grade = topic.ranking[rank - 1]
        if grade > 0:
            gained += grade / math.log2(rank + 1)
    best = 0.0
    rank = 1
    for grade in range(topic.n_levels - 1, 0, -1):
        for _ in range(topic.n_judged(grade)):
            if rank <= k:
                best += grade / math.log2(rank + 1)
            rank += 1
    return gained if best == 0 else gained / best


@graded("ndcg_rel")
def ndcg_rel(topic: Topic, pairs: Pairs) -> float:
    """Return the mean of nDCG at the ranks of documents with a gain. A missing document has the final nDCG."""
    table = gain_table(topic, pairs)
    ideal = IdealWalk(table)
    gained = best = total = 0.0
    n_ideal = n_found = 0
    rank = 1
    while rank <= topic.n_ret or ideal.gain > 0:
        gain = gain_of(table, topic.ranking[rank - 1]) if rank <= topic.n_ret else 0.0
        if gain != 0:
            gained += gain / math.log2(rank + 1)
        if ideal.gain > 0:
            ideal.step()
            if ideal.gain > 0:
                n_ideal += 1
                best += ideal.gain / math.log2(rank + 1)
        if gain > 0:
            total += divide(gained, best)
            n_found += 1
        rank += 1
    total += divide((n_ideal - n_found) * gained, best)
    return divide(total, n_ideal) if total > 0 else 0.0


@graded("Rndcg")
def r_ndcg(topic: Topic, pairs: Pairs) -> float:
    """Return the mean of nDCG before each rank at which the ideal gain changes, and at the end of the list."""
    if topic.n_rel == 0:
        return 0.0
    table = gain_table(topic, pairs)
    ideal = IdealWalk(table)
    old = ideal.gain
    gained = best = total = 0.0
    changes = 0
    rank = 1
    while ideal.gain > 0:
        ideal.step()
        if ideal.gain != old:
            if best > 0:
                total += gained / best
                changes += 1
            old = ideal.gain
        gain = gain_of(table, topic.ranking[rank - 1]) if rank <= topic.n_ret else 0.0
        if gain != 0:
            gained += gain / math.log2(rank + 1)
        if ideal.gain > 0:
            best += ideal.gain / math.log2(rank + 1)
        rank += 1
    if rank <= topic.n_ret:
        for later, grade in enumerate(topic.ranking[rank - 1 :], rank):
            if (gain := gain_of(table, grade)) != 0:
                gained += gain / math.log2(later + 1)
        if best > 0:
            total += gained / best
            changes += 1
    return divide(total, changes)


@graded("G")
def g(topic: Topic, pairs: Pairs) -> float:
    """Return the sum of gain / log2(2 + lag) over the ranking, divided by the total gain of the ideal ranking."""
    table = gain_table(topic, pairs)
    ideal = IdealWalk(table)
    value = best = gained = cost = 0.0
    rank = 1
    while rank <= topic.n_ret or ideal.gain > 0:
        gain = gain_of(table, topic.ranking[rank - 1]) if rank <= topic.n_ret else 0.0
        gained += gain
        if ideal.gain > 0:
            ideal.step()
            if ideal.gain > 0:
                best += ideal.gain
        cost += max(ideal.gain, 1.0)
        if gain != 0:
            value += divide(gain, log2((2 + cost) - gained))
        rank += 1
    return value / best if best > 0 else 0.0


# The persistent user


@graded("rbp")
def rank_biased_precision(topic: Topic, pairs: Pairs, p: float) -> float:
    """Return rank-biased precision, with gains scaled to the range 0 to 1 if necessary."""
    table = gain_table(topic, pairs)
    low = high = 0.0
    for entry in table:
        low = min(low, entry.gain)
        high = max(high, entry.gain)
    if low < 0 or high > 1:
        for entry in table:
            entry.gain = divide(entry.gain - low, high - low)
    total = 0.0
    weight = 1.0
    for grade in topic.ranking:
        gain = gain_of(table, grade)
        if gain != 0:
            total += gain * weight
        weight *= p
    return (1.0 - p) * total


@graded("rbp_resid")
def rank_biased_residual(topic: Topic, pairs: Pairs, p: float) -> float:
    """Return the possible increase of rbp by unjudged documents, or 0 if all retrieved documents were judged."""
    total = 0.0
    weight = 1.0
    for grade in topic.ranking:
        if grade < 0:
            total += weight
        weight *= p
    return weight + (1.0 - p) * total if any(grade < 0 for grade in topic.ranking) else 0.0


@graded("compatibility")
def compatibility(topic: Topic, p: float = 0.95) -> float:
    """Return the rank-biased overlap with the nearest ideal ranking, divided by the maximum possible overlap."""
    retrieved = [(grade, rank) for rank, grade in enumerate(topic.ranking, 1) if grade > 0]
    left = sorted(grade for grade in topic.judgments if grade > 0)
    for grade, _ in retrieved:
        left.remove(grade)
    ideal = sorted([*retrieved, *((grade, 1001) for grade in left)], key=lambda document: (-document[0], document[1]))
    overlap = best = 0.0
    for k in range(1, 1001):
        among = [rank for _, rank in ideal[:k] if rank <= k]
        overlap += p ** (k - 1) * len(among) / k
        best += p ** (k - 1) * len(ideal[:k]) / k
    return overlap / best if best else 0.0


@graded("INST")
def inst(topic: Topic, **named: float) -> float:
    """Return INST, computed by Algorithm 1 of Moffat et al. SciPy sums the weights below the ranking."""
    from scipy.special import polygamma

    goal, highest = named.get("T", 1.0), named.get("max", float(max([1, *topic.judgments])))
    value, weights, weight, left = 0.0, 0.0, 1.0, goal
    for rank, grade in enumerate(topic.ranking, 1):
        gain = min(max(grade, 0) / highest, 1.0)
        left -= gain
        value += gain * weight
        weights += weight
        weight *= ((rank + goal + left - 1) / (rank + goal + left)) ** 2
    start = len(topic.ranking) + goal + left
    return value / (weights + weight * start**2 * float(polygamma(1, start)))


# Text


@graded("relstring", default=(10,))
def relevance_string(topic: Topic, length: float, *ignored: float) -> bytes:
    """Return a string with one character for each of the first documents."""
    text = ""
    for rank in topic.ranks(truncate(length)):
        grade = topic.ranking[rank - 1]
        if grade == OUTSIDE:
            text += "-"
        elif grade == UNJUDGED:
            text += "."
        elif grade > 9:
            text += ">"
        else:
            text += str(grade)
    return text.encode()


# Averages


def ordered_sum(x: Sequence[float]) -> float:
    """Return the sum 0.0 + x[0] + x[1] + ..., added from left to right."""
    total = 0.0
    for value in x:
        total += value
    return total


def ratio(numerator: Sequence[float], denominator: Sequence[float]) -> list[float]:
    """Divide element by element. The result is 0 if the denominator is 0."""
    return [x / y if y != 0 else 0.0 for x, y in zip(numerator, denominator, strict=True)]


def mean(values: Sequence[float], n_topics: int) -> float:
    """Return the sum of values, in topic order, divided by the number of topics."""
    return ordered_sum(values) / n_topics


def geometric_mean(values: Sequence[float], n_topics: int, n_evaluated: int) -> float:
    """Return the geometric mean. Values below 0.00001 and missing values are replaced by 0.00001."""
    total = 0.0
    for value in values:
        total += math.log(max(EPSILON, value))
    total += (n_topics - n_evaluated) * math.log(EPSILON)
    return math.exp(total / n_topics)


# Ragged rows


@dataclass(frozen=True)
class Rows:
    """Ragged rows that are concatenated in plain lists, with the methods of ``Segments``."""

    lengths: Sequence[int]

    @property
    def places(self) -> list[list[int]]:
        """The flat indices of the elements of each row."""
        rows = []
        start = 0
        for length in self.lengths:
            rows.append(list(range(start, start + length)))
            start += length
        return rows

    @property
    def ids(self) -> list[int]:
        """The index of each element's row."""
        return [row for row, places in enumerate(self.places) for _ in places]

    @property
    def position(self) -> list[int]:
        """The 0-based position of each element in its row."""
        return [position for places in self.places for position, _ in enumerate(places)]

    def spread(self, per_row: Sequence[Any]) -> list[Any]:
        """Repeat the value of each row for all elements of the row."""
        return [value for value, places in zip(per_row, self.places, strict=True) for _ in places]

    def sum(self, x: Sequence[float]) -> list[float]:
        """Return the sum of each row from left to right."""
        return [ordered_sum([x[place] for place in places]) for places in self.places]

    def count(self, mask: Sequence[bool]) -> list[int]:
        """Return the number of true elements of each row."""
        return [len([place for place in places if mask[place]]) for places in self.places]

    def running_count(self, mask: Sequence[bool]) -> list[int]:
        """Return the running count of true elements in each row."""
        return self._running(operator.add, mask, 0)

    def running_sum(self, x: Sequence[float]) -> list[float]:
        """Return the running sum of each row, added from left to right."""
        return self._running(operator.add, x, 0.0)

    def running_product(self, x: Sequence[float]) -> list[float]:
        """Return the running product of each row, multiplied from left to right."""
        return self._running(operator.mul, x, 1.0)

    def _running(self, operation: Callable[[Any, Any], Any], x: Sequence[Any], start: float) -> list[Any]:
        results = []
        for places in self.places:
            total = start
            for place in places:
                total = operation(total, x[place])
                results.append(total)
        return results

    def previous(self, x: Sequence[Any], *, none: Any) -> list[Any]:
        """Return the element before each element, or ``none`` for the first element of a row."""
        before = []
        for places in self.places:
            last = none
            for place in places:
                before.append(last)
                last = x[place]
        return before

    def max(self, x: Sequence[Any], *, empty: Any) -> list[Any]:
        """Return the greatest element of each row, or ``empty`` for an empty row."""
        return [max((x[place] for place in places), default=empty) for places in self.places]

    def first(self, mask: Sequence[bool], *, absent: int = -1) -> list[int]:
        """Return the 0-based position of the first true element of each row, or ``absent`` if there is none."""
        values = []
        for places in self.places:
            true = [position for position, place in enumerate(places) if mask[place]]
            values.append(true[0] if true else absent)
        return values

    def keep(self, mask: Sequence[bool]) -> Rows:
        """Return the rows without the elements that are false in ``mask``."""
        return Rows([len([place for place in places if mask[place]]) for places in self.places])

    def take(self, rows: Sequence[int]) -> tuple[Rows, list[int]]:
        """Return the rows with the given indices, and the original flat indices of their elements."""
        chosen = [self.places[row] for row in rows]
        return Rows([len(places) for places in chosen]), [place for places in chosen for place in places]

    def at(self, row: Sequence[int], position: Sequence[int]) -> list[int]:
        """Return the flat indices of elements, given their rows and their positions in the rows."""
        return [self.places[i][j] for i, j in zip(row, position, strict=True)]

    def slice(self, row: int) -> list[int]:
        """Return the flat indices of one row."""
        return self.places[row]

    def upto(self, rank: Sequence[int], limit: Sequence[int], of: Rows) -> list[int]:
        """Count the elements with a rank of at most ``limit`` in the row of each element of ``of``."""
        return [
            sum(rank[place] <= limit[other] for place in places)
            for places, others in zip(self.places, of.places, strict=True)
            for other in others
        ]

"""Expected values of measures, over random tie-breaking or under relevance probabilities.

Documents are assumed to be relevant independently of each other. An unjudged document is never relevant. Each document
is a trial, and the number of successes (relevant documents) has a Poisson binomial distribution. Trials are added one
at a time to the distribution. No term is negative, so that rounding errors are not amplified by cancellation.

A group of n tied documents occupies the ranks a + 1 to a + n. All n! orders are equally likely, so that a document has
each of these ranks with probability 1/n (McSherry and Najork, ECIR 2008).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import ClassVar, NoReturn

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments
from irevalx.errors import UsageError
from irevalx.frozen import Frozen, cached_property, fields, replace
from irevalx.ranking.topics import Topics
from irevalx.settings import EXPECTED, PROBABILITY, Ties, UnjudgedTreatment
from irevalx.wording import spelled


def successes(p: FloatArray) -> FloatArray:
    """Return the distribution of the number of successes (0 to n) in n trials with the success probabilities p.

    The shape of p is (n,), and the shape of the result is (n + 1,).
    """
    return _taken(p, np.zeros(p.size), 0.0)[0]


def _taken(p: FloatArray, weight: FloatArray, of_before: float) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each number of successes, and the conditional expected sum of weights.

    The expected sum, given the number of successes, is multiplied by the probability of this number. Each success adds
    its weight once, and adds the weight ``of_before`` times for each earlier success. The shapes are (n + 1,).
    """
    known = np.zeros((3, p.size + 1))  # probability, expected number of successes, expected sum
    known[0, 0] = 1.0
    for number, (success, worth) in enumerate(zip(p.tolist(), weight.tolist(), strict=True)):
        before = known[:, : number + 1].copy()
        known[:, : number + 1] *= 1.0 - success
        before[2] += worth * (before[0] + of_before * before[1])
        before[1] += before[0]
        known[:, 1 : number + 2] += success * before
    return known[0], known[2]


class ExpectedTopic(Frozen):
    """The documents of a topic whose probability of relevance is positive. Each document is a trial."""

    rank: IntArray  # the ranks of the retrieved documents, in ascending order
    p: FloatArray  # the n probabilities: first those of retrieved documents, in rank order
    n_ret: int  # number of retrieved documents

    @property
    def counts(self) -> IntArray:
        """The positive numbers of relevant documents that are possible, 1 to n. The shape is (n,)."""
        return np.arange(1, self.p.size + 1)

    @property
    def chances(self) -> FloatArray:
        """The probability that the number of relevant documents is each element of ``counts``. The shape is (n,)."""
        return successes(self.p)[1:]

    def mean(self, weight: AnyArray, share: FloatArray) -> float:
        """Return the expected value of a product of two factors.

        The first factor is the sum of the weights of retrieved relevant documents. The second factor depends on the
        number of relevant documents: the array ``share`` contains the factor for each number in ``counts``.
        """
        return self._expected(weight, share, 0.0)

    def running_mean(self, weight: AnyArray, share: FloatArray) -> float:
        """Return ``mean`` with each weight multiplied by the number of relevant documents at or above the same rank."""
        return self._expected(weight, share, 1.0)

    def within_their_number(self) -> float:
        """Return the expected value of R-precision, whose cutoff is the number of relevant documents."""
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
    """Return the distribution of the number of successes after a trial with success probability p is added."""
    longer: FloatArray = np.append(chances * (1.0 - p), 0.0) + np.append(0.0, chances * p)
    return longer


class ExpectedTopics(Topics, kw_only=True):
    """Rankings of n topics whose grades are relevance probabilities.

    All counts of relevant documents are expected values.

    Which documents are relevant is unknown. A measure that uses ``hit`` must either define a formula for probabilities
    or declare that it does not support probabilities.
    """

    feature: ClassVar[str] = PROBABILITY

    @classmethod
    def of(cls, seen: Topics) -> ExpectedTopics:
        """Return the topics of ``seen``, with their grades interpreted as probabilities of relevance."""
        return cls(**{name: getattr(seen, name) for name in fields(Topics)})

    @property
    def hit(self) -> NoReturn:
        """Raise TypeError, because only the probabilities of relevance are known."""
        raise TypeError("a measure must have a formula for probabilities, or be refused")

    @cached_property
    def p(self) -> FloatArray:
        """The probability that each document is relevant."""
        return np.maximum(self.grade, 0.0)

    @cached_property
    def n_rel(self) -> FloatArray:  # type: ignore[override]
        """The expected number of relevant documents for each topic."""
        return self.pool.sum(np.maximum(self.pool_grade, 0.0))

    @cached_property
    def n_rel_ret(self) -> FloatArray:  # type: ignore[override]
        """The expected number of retrieved relevant documents for each topic."""
        return self.rows.sum(self.p)

    def hits_within(self, k: IntArray | int) -> FloatArray:  # type: ignore[override]
        """Return the expected number of relevant documents among each topic's first k. k can be an array."""
        limit = k if isinstance(k, int) else self.rows.spread(k)
        return self.rows.sum(np.where(self.rank <= limit, self.p, 0.0))

    @cached_property
    def first_chance(self) -> FloatArray:
        """The probability that each document is the first relevant document of its topic."""
        return self.rows.previous(self.rows.running_product(1.0 - self.p), none=1.0) * self.p

    def each(self, value: Callable[[ExpectedTopic], float]) -> FloatArray:
        """Apply a function to each topic, and return the values. If no document can be relevant, the value is 0."""
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


def groups_of(rows: Segments, first: IntArray) -> Segments:
    """Return the groups of tied documents, given the first rank of each document's group in ``first``."""
    new = np.ones(first.size, np.bool_)
    new[1:] = (first[1:] != first[:-1]) | (rows.ids[1:] != rows.ids[:-1])
    return Segments.of_lengths(np.diff(np.append(new.nonzero()[0], first.size)))


def closed_up(rows: Segments, first: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first and the last rank of each document's group after the documents without rows were removed."""
    groups = groups_of(rows, first)
    begin = groups.spread((rows.position + 1)[groups.offsets[:-1]])
    return begin, begin + groups.spread(groups.lengths) - 1


class TieGroup(Frozen):
    """The groups of tied documents in a ranking, for tie orders that depend on grades."""

    first: IntArray
    """The first rank of each document's group, which consists of the documents of a topic with the same score. A pooled
    document has a row if its group begins within the evaluation depth."""
    last: IntArray  # the last rank of each document's group
    ties: Ties
    depth: int  # maximum number of evaluated documents per topic

    @classmethod
    def of(cls, equal: BoolArray, rank: IntArray, ties: Ties, depth: int) -> TieGroup:
        """Return the tie groups of documents in rank order. ``equal`` marks each pair of tied neighbours."""
        begins = np.append(True, ~equal)[: rank.size].nonzero()[0]
        groups = Segments.of_lengths(np.diff(np.append(begins, rank.size)))
        first = groups.spread(rank[begins])
        return cls(first, first + groups.spread(groups.lengths) - 1, ties, depth)

    def refuse_cut(self, treatment: UnjudgedTreatment) -> None:
        """Raise UsageError if a group of tied documents could be split at the evaluation depth."""
        if treatment != "nonrel" and np.count_nonzero(self.last > self.depth):
            raise UsageError(
                f"{spelled('ties', 'expected')} cannot be combined with {spelled('max_retrieved')} and "
                f"{spelled('judged_only', True)} (or the treatments skip and rel): {spelled('max_retrieved')} cuts a "
                "group of documents with equal scores"
            )

    def take(self, index: IntArray | BoolArray) -> TieGroup:
        """Return the tie groups of the documents selected by indices or a mask."""
        return replace(self, first=self.first[index], last=self.last[index])

    @classmethod
    def joined(cls, parts: Sequence[TieGroup]) -> TieGroup | None:
        """Join the tie groups of several rankings. Return None if ``parts`` is empty."""
        if not parts:
            return None
        first, last = (np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "last"))
        return replace(parts[0], first=first, last=last)

    def order(self, rows: Segments, worth: AnyArray, without_row: float) -> tuple[IntArray, IntArray]:
        """Return the permutation that sorts tied documents best or worst first by ``worth``, and the new ranks.

        Documents without a row have the worth ``without_row``. Among documents of equal worth, documents without a row
        are last in the best order and first in the worst order.
        """
        worst = self.ties == "worst"
        order = np.lexsort((worth if worst else -worth, self.first, rows.ids))
        first, last = self.first[order], self.last[order]
        groups = groups_of(rows, first)
        n_without_row = last - first + 1 - groups.spread(groups.lengths)
        is_after = (worth[order] >= without_row) == worst
        return order, first + groups.position + is_after * n_without_row


class TieProbabilities(Frozen):
    """The possible events in each of n topics, such as ranks of the first hit, with their probabilities."""

    rows: Segments  # the possible events of each topic
    number: IntArray  # the rank, or the number of documents, that defines each event
    chance: FloatArray  # the probability of each event


class TiedTopics(Topics, kw_only=True):
    """Rankings of n topics with random tie-breaking, represented by all possible ranks of the pooled documents.

    ``rows`` and ``rank`` describe possible ranks, not documents. ``grade``, ``hit`` and similar arrays have one element
    for each element of ``documents``. Counts of documents down to a rank are expected values.
    """

    feature: ClassVar[str] = EXPECTED
    documents: Segments  # the retrieved pooled documents of each topic; tied documents are consecutive
    members: Segments  # the documents of each group, in the order of ``documents``
    groups: Segments  # the groups of tied documents of each topic
    before: IntArray  # the number of documents above each group
    size: IntArray  # the number of documents of each group, including unpooled documents
    place: IntArray  # the index of the group that occupies each rank of ``rows``
    depth: int  # maximum number of evaluated documents per topic; lower ranks have no row

    @classmethod
    def of(cls, seen: Topics, first: IntArray, last: IntArray, depth: int) -> TiedTopics:
        """Return topics with random tie-breaking. ``first`` and ``last`` are the possible ranks of each document."""
        documents = seen.rows
        members = groups_of(documents, first)
        begin = members.offsets[:-1]
        groups = Segments.of_lengths(np.bincount(documents.ids[begin], minlength=documents.n))
        before = first[begin] - 1
        size = last[begin] - before
        ranks = Segments.of_lengths(np.minimum(size, depth - before))
        return cls(
            rows=Segments.of_lengths(np.bincount(groups.ids, ranks.lengths, groups.n)),
            rank=ranks.position + 1 + ranks.spread(before),
            grade=seen.grade,
            n_ret=seen.n_ret,
            pool=seen.pool,
            pool_grade=seen.pool_grade,
            level=seen.level,
            collection_size=seen.collection_size,
            round_recall=seen.round_recall,
            _of_pool=seen._of_pool,  # noqa: SLF001 - a field of the base class
            documents=documents,
            members=members,
            groups=groups,
            before=before,
            size=size,
            place=ranks.ids,
            depth=depth,
        )

    def over_ranks(self, x: AnyArray) -> FloatArray:
        """Return the expected value at each rank, given each document's value, which is 0 for unpooled documents."""
        return (self.members.sum(x) / self.size)[self.place]

    def _expected(self, mask: BoolArray, within: IntArray) -> FloatArray:
        """Return the expected number of documents selected by ``mask`` down to a rank.

        ``within`` contains the rank for each group of tied documents.
        """
        share = np.clip(within - self.before, 0, self.size) / self.size
        return self.groups.sum(self.members.count(mask) * share)

    def _counted(self, mask: BoolArray) -> AnyArray:
        """Return the number of evaluated documents that ``mask`` selects in each topic.

        If a group of tied documents continues beyond the depth, the numbers are expected values.
        """
        if np.count_nonzero(self.before + self.size > self.depth):  # a group continues beyond the depth
            return self._expected(mask, np.full(self.groups.size, self.depth))
        return self.documents.count(mask)

    def within(self, mask: BoolArray, k: IntArray | int) -> FloatArray:
        """Return the expected number of documents selected by ``mask`` among the first k of each topic."""
        limit = np.full(self.groups.size, k) if isinstance(k, int) else self.groups.spread(k)
        return self._expected(mask, np.minimum(limit, self.depth))

    def hits_within(self, k: IntArray | int) -> FloatArray:  # type: ignore[override]
        """Return the expected number of relevant documents among each topic's first k. k can be an array."""
        return self.within(self.hit, k)

    def judged_within(self, k: int) -> FloatArray:  # type: ignore[override]
        """Return the expected number of judged documents among the first k of each topic."""
        return self.within(self.judged, k)

    @cached_property
    def n_hits(self) -> AnyArray:
        """The number of relevant documents, or its expected value if a tied group continues beyond the depth."""
        return self._counted(self.hit)

    @cached_property
    def n_judged_ret(self) -> AnyArray:
        """The number of retrieved judged documents for each topic, or an expected value (see ``n_hits``)."""
        return self._counted(self.judged)

    @cached_property
    def n_rel_ret(self) -> AnyArray:
        """The number of retrieved relevant documents for each topic, or an expected value (see ``n_hits``)."""
        return self._counted(self.relevant)

    @cached_property
    def hits_of_groups(self) -> IntArray:
        """The number of relevant documents in each group of tied documents."""
        return self.members.count(self.hit)

    def above_groups(self, number: IntArray) -> IntArray:
        """Return, for each group, the sum of ``number`` over the higher-ranked groups of its topic."""
        return self.groups.running_count(number) - number

    def first_hit(self) -> tuple[TieProbabilities, FloatArray]:
        """Return the rank distribution of the first relevant document, and the probability of none by each rank."""
        group = self.groups.first(self.hits_of_groups > 0)
        has_hits = group >= 0
        of_topic = self.groups.at(has_hits.nonzero()[0], group[has_hits])
        size, hits, before = (x[of_topic] for x in (self.size, self.hits_of_groups, self.before))
        lengths = np.zeros(self.groups.n, np.int64)
        lengths[has_hits] = np.minimum(size - hits + 1, self.depth - before)
        rows = Segments.of_lengths(lengths)
        own = Segments.of_lengths(lengths[has_hits])
        left = own.spread(size) - own.position
        is_none = (left - own.spread(hits)) / left
        without = rows.running_product(is_none)
        chance = rows.previous(without, none=1.0) * (own.spread(hits) / left)
        return TieProbabilities(rows, own.position + 1 + own.spread(before), chance), without

    def number_above(self, which: BoolArray, others: IntArray, above: IntArray) -> TieProbabilities:
        """Return the distribution of the number of other documents above a document, summed over several documents.

        The sum is over the documents that the mask ``which`` selects, so that the probabilities can add up to more than
        1. ``others`` contains the number of other documents in each group, without the document itself, and ``above``
        the number of other documents in the higher-ranked groups.
        """
        number = self.members.count(which)
        groups = (number > 0).nonzero()[0]
        number, others, above = number[groups], others[groups], above[groups]
        size, room = self.size[groups], self.depth - self.before[groups]
        each = Segments.of_lengths(others + 1)
        chance = each.spread(number / (others + 1))
        for group in (room < size).nonzero()[0].tolist():
            of_group = _others_above(int(size[group]), int(others[group]), int(room[group]))
            chance[each.slice(group)] = number[group] * of_group
        topic = self.groups.ids[groups]
        rows = Segments.of_lengths(np.bincount(topic, others + 1, self.groups.n).astype(np.int64))
        return TieProbabilities(rows, each.position + each.spread(above), chance)

    def reached(self, satisfied: FloatArray, k: int) -> FloatArray:
        """Return the probability that a user who reaches a rank is satisfied there, which is 0 for ranks beyond k."""
        # ``satisfied`` contains independent probabilities below 1, one per document.
        chance = np.where(self.rank <= k, self.over_ranks(satisfied), 0.0)
        ranks = Segments.of_lengths(np.bincount(self.place, minlength=self.groups.size))
        members = self.members.count(satisfied > 0)
        for group in ((self.size > 1) & (members > 0) & (self.before < k)).nonzero()[0].tolist():
            where, own = ranks.slice(group), satisfied[self.members.slice(group)]
            length = min(where.stop - where.start, k - int(self.before[group]))
            left = _left_by_rank(own[own > 0].tolist(), int(self.size[group]), length)
            chance[where.start : where.start + length] = 1.0 - left[1:] / left[:-1]
        return chance


def _others_above(size: int, others: int, room: int) -> FloatArray:
    """Return the probabilities that a tied document has a rank up to ``room`` and 0, 1, ... of ``others`` above it."""
    number = np.arange(others + 1)
    chance = np.zeros(others + 1)
    chance[0] = 1.0
    total = np.zeros(others + 1)
    for above in range(room):
        total += chance
        left = size - 1 - above
        if left <= 0:
            break
        taken = chance * (others - number) / left
        chance = chance - taken
        chance[1:] += taken[:-1]
    return total / size


def _left_by_rank(satisfied: list[float], size: int, length: int) -> FloatArray:
    """Return the probability that the first 0, 1, ... of ``size`` randomly ordered documents do not satisfy a user.

    Each document that can satisfy a user is inserted at a random rank. If there are n ranks, this rank is among the
    first i with probability i/n.
    """
    place = np.arange(length + 1)
    left = np.ones(length + 1)
    for number, p in enumerate(satisfied, size - len(satisfied) + 1):
        within = np.minimum(place, number) / number
        with_it = np.append(0.0, left[:-1])
        left = (1.0 - within) * left + within * (1.0 - p) * with_it
    return left

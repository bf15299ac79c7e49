"""Documents with equal scores: in the order of their grades, or in any order, of which measures see the mean.

A group of n documents takes the ranks a + 1 to a + n. Each of its n! orders is equally likely, so that each document
stands at each of these ranks with probability 1/n (McSherry and Najork, ECIR 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments
from irevalx.declarations import spelled
from irevalx.errors import UsageError
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.ranking.topics import Topics
from irevalx.settings import EXPECTED, Ties, UnjudgedTreatment


def groups_of(rows: Segments, first: IntArray) -> Segments:
    """Return the groups of documents with equal scores, flat over rows of which each group is a stretch.

    Parameters
    ----------
    first : flat; the rank of the first document of the group.
    """
    new = np.ones(first.size, np.bool_)
    new[1:] = (first[1:] != first[:-1]) | (rows.ids[1:] != rows.ids[:-1])
    return Segments.of_lengths(np.diff(np.append(new.nonzero()[0], first.size)))


def closed_up(rows: Segments, first: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first and the last ranks of groups when all documents but those of the rows are removed.

    Parameters
    ----------
    first : flat; the rank of the first document of the group as it was.
    """
    groups = groups_of(rows, first)
    begin = groups.spread((rows.position + 1)[groups.offsets[:-1]])
    return begin, begin + groups.spread(groups.lengths) - 1


class Tied(Frozen):
    """What a ranking knows of documents with equal scores, for orders that depend on grades.

    Parameters
    ----------
    first, last : flat over the rows of the ranking; the ranks of the first and of the last document of the topic with
        the same score. All of those that begin within the depth have rows, as far as they are of the pool.
    ties : "expected", "best" or "worst".
    depth : how many documents of a topic count.
    """

    first: IntArray
    last: IntArray
    ties: Ties
    depth: int

    @classmethod
    def of(cls, equal: BoolArray, rank: IntArray, ties: Ties, depth: int) -> Tied:
        """Return what is known of documents in rank order.

        Parameters
        ----------
        equal : shape (n - 1,); whether two neighbours have equal scores.
        rank : shape (n,); 1-based.
        """
        begins = np.append(True, ~equal)[: rank.size].nonzero()[0]
        groups = Segments.of_lengths(np.diff(np.append(begins, rank.size)))
        first = groups.spread(rank[begins])
        return cls(first, first + groups.spread(groups.lengths) - 1, ties, depth)

    def refuse_cut(self, reading: UnjudgedTreatment) -> None:
        """Raise UsageError where a reading moves documents across the depth, within a group of equal scores."""
        if reading != "nonrel" and np.count_nonzero(self.last > self.depth):
            raise UsageError(
                f"{spelled('ties', 'expected')} cannot be combined with {spelled('max_retrieved')} and "
                f"{spelled('judged_only', True)} (or the treatments skip and rel): {spelled('max_retrieved')} cuts a "
                "group of documents with equal scores"
            )

    def take(self, index: IntArray | BoolArray) -> Tied:
        """Return what is known of some documents of the ranking."""
        return replace(self, first=self.first[index], last=self.last[index])

    @classmethod
    def joined(cls, parts: Sequence[Tied]) -> Tied | None:
        """Return what is known of the documents of several rankings, one after the other; None where there are none."""
        if not parts:
            return None
        first, last = (np.concatenate([getattr(one, name) for one in parts]) for name in ("first", "last"))
        return replace(parts[0], first=first, last=last)

    def order(self, rows: Segments, worth: AnyArray, without_row: float) -> tuple[IntArray, IntArray]:
        """Return the best or the worst order of the documents of a ranking.

        Parameters
        ----------
        rows : of the ranking.
        worth : flat; the greatest first in the best order.
        without_row : the worth of documents that have no row; they come last of equals there, and first in the worst.

        Returns
        -------
        order : the permutation of the flat axis.
        rank : flat, in the new order.
        """
        worst = self.ties == "worst"
        order = np.lexsort((worth if worst else -worth, self.first, rows.ids))
        first, last = self.first[order], self.last[order]
        groups = groups_of(rows, first)
        n_without_row = last - first + 1 - groups.spread(groups.lengths)
        is_after = (worth[order] >= without_row) == worst
        return order, first + groups.position + is_after * n_without_row


class Chances(Frozen):
    """What may happen in each of n topics, with its probability.

    Parameters
    ----------
    rows : per topic.
    number : flat; a rank, or a number of documents.
    chance : flat; the probability.
    """

    rows: Segments
    number: IntArray
    chance: FloatArray


class TiedTopics(Topics, kw_only=True):
    """Rankings of n topics, seen through the ranks at which their pooled documents may stand.

    ``rows`` has these ranks instead of documents, and ``rank`` is flat over it. ``grade``, ``hit`` and the like are
    flat over ``documents``; counts of documents within some rank are expected values, which need not be whole.

    Parameters
    ----------
    documents : per topic, the retrieved documents of the pool; those of a group with equal scores on end.
    members : flat over ``groups``, the documents of each; flat over it are those of ``documents``.
    groups : per topic, its groups.
    before : flat over ``groups``; how many documents stand above the group.
    size : flat over ``groups``; how many documents it has, those outside the pool included.
    place : flat over ``rows``; the group, flat over ``groups``, that has this rank.
    depth : how many documents of a topic count: ranks beyond have no row.
    """

    feature: ClassVar[str] = EXPECTED

    documents: Segments
    members: Segments
    groups: Segments
    before: IntArray
    size: IntArray
    place: IntArray
    depth: int

    @classmethod
    def of(cls, seen: Topics, first: IntArray, last: IntArray, depth: int) -> TiedTopics:
        """Return what is seen over all orders.

        Parameters
        ----------
        seen : in one of the orders.
        first, last : flat over its rows; the ranks at which the group of a document begins and ends.
        depth : how many documents of a topic count.
        """
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
            _of_pool=seen._of_pool,  # noqa: SLF001 - as above
            documents=documents,
            members=members,
            groups=groups,
            before=before,
            size=size,
            place=ranks.ids,
            depth=depth,
        )

    def over_ranks(self, x: AnyArray) -> FloatArray:
        """Flat over ``rows``: the mean of x, flat over ``documents``, of the document at this rank.

        A document of the group without a row has 0.
        """
        return (self.members.sum(x) / self.size)[self.place]

    def _expected(self, mask: BoolArray, within: IntArray) -> FloatArray:
        """Per topic: how many of these documents stand within a rank, given for each of ``groups``."""
        share = np.clip(within - self.before, 0, self.size) / self.size
        return self.groups.sum(self.members.count(mask) * share)

    def _counted(self, mask: BoolArray) -> AnyArray:
        """Per topic: how many of these documents count; whole numbers unless some may stand beyond the depth."""
        if self.is_cut:
            return self._expected(mask, np.full(self.groups.size, self.depth))
        return self.documents.count(mask)

    @property
    def is_cut(self) -> bool:
        """Whether a group goes on beyond the depth."""
        return bool(np.count_nonzero(self.before + self.size > self.depth))

    def within(self, mask: BoolArray, k: IntArray | int) -> FloatArray:
        """Per topic: how many of some documents, flat over ``documents``, are expected among the first k."""
        limit = np.full(self.groups.size, k) if isinstance(k, int) else self.groups.spread(k)
        return self._expected(mask, np.minimum(limit, self.depth))

    def hits_within(self, k: IntArray | int) -> FloatArray:  # type: ignore[override]
        """Per topic: hits expected among the first k documents, k being one number or one per topic."""
        return self.within(self.hit, k)

    def judged_within(self, k: int) -> FloatArray:  # type: ignore[override]
        """Per topic: judged documents expected among the first k."""
        return self.within(self.judged, k)

    @cached_property
    def n_hits(self) -> AnyArray:
        """Per topic: hits; expected ones where some documents may stand beyond the depth. The same below."""
        return self._counted(self.hit)

    @cached_property
    def n_judged_ret(self) -> AnyArray:
        """Per topic: retrieved documents that were judged."""
        return self._counted(self.judged)

    @cached_property
    def n_rel_ret(self) -> AnyArray:
        """Per topic: retrieved documents that were judged relevant."""
        return self._counted(self.relevant)

    @cached_property
    def hits_of_groups(self) -> IntArray:
        """Flat over ``groups``: hits in each."""
        return self.members.count(self.hit)

    def above_groups(self, number: IntArray) -> IntArray:
        """Flat over ``groups``: the sum of whole numbers, flat over ``groups``, over those above this one."""
        return self.groups.running_count(number) - number

    def first_hit(self) -> tuple[Chances, FloatArray]:
        """Return at which ranks the first hit may stand.

        Returns
        -------
        chances : of the ranks within the depth.
        without : flat over them; the probability that neither this document nor any above it is a hit.
        """
        group = self.groups.first(self.hits_of_groups > 0)
        some = group >= 0
        of_topic = self.groups.at(some.nonzero()[0], group[some])
        size, hits, before = (x[of_topic] for x in (self.size, self.hits_of_groups, self.before))
        lengths = np.zeros(self.groups.n, np.int64)
        lengths[some] = np.minimum(size - hits + 1, self.depth - before)
        rows = Segments.of_lengths(lengths)
        own = Segments.of_lengths(lengths[some])
        left = own.spread(size) - own.position
        is_none = (left - own.spread(hits)) / left
        without = rows.running_product(is_none)
        chance = rows.previous(without, none=1.0) * (own.spread(hits) / left)
        return Chances(rows, own.position + 1 + own.spread(before), chance), without

    def number_above(self, which: BoolArray, others: IntArray, above: IntArray) -> Chances:
        """Return how many others stand above documents, summed over these: a chance may be greater than 1.

        Parameters
        ----------
        which : flat over ``documents``; the documents.
        others : flat over ``groups``; how many others each group has, which are none of these.
        above : flat over ``groups``; how many others are in groups above.
        """
        number = self.members.count(which)
        some = (number > 0).nonzero()[0]
        number, others, above = number[some], others[some], above[some]
        size, room = self.size[some], self.depth - self.before[some]
        each = Segments.of_lengths(others + 1)
        chance = each.spread(number / (others + 1))
        for group in (room < size).nonzero()[0].tolist():
            of_group = _others_above(int(size[group]), int(others[group]), int(room[group]))
            chance[each.slice(group)] = number[group] * of_group
        topic = self.groups.ids[some]
        rows = Segments.of_lengths(np.bincount(topic, others + 1, self.groups.n).astype(np.int64))
        return Chances(rows, each.position + each.spread(above), chance)

    def reached(self, satisfied: FloatArray, k: int) -> FloatArray:
        """Flat over ``rows``: the probability that a user who has reached this rank is satisfied there.

        That is over all orders, a user being satisfied by documents independently. Beyond rank k it is 0.

        Parameters
        ----------
        satisfied : flat over ``documents``; the probability of being satisfied by each, below 1.
        """
        found = np.where(self.rank <= k, self.over_ranks(satisfied), 0.0)
        ranks = Segments.of_lengths(np.bincount(self.place, minlength=self.groups.size))
        members = self.members.count(satisfied > 0)
        for group in ((self.size > 1) & (members > 0) & (self.before < k)).nonzero()[0].tolist():
            where, own = ranks.slice(group), satisfied[self.members.slice(group)]
            length = min(where.stop - where.start, k - int(self.before[group]))
            left = _left_by_rank(own[own > 0].tolist(), int(self.size[group]), length)
            found[where.start : where.start + length] = 1.0 - left[1:] / left[:-1]
        return found


def _others_above(size: int, others: int, room: int) -> FloatArray:
    """Return the probabilities that 0, 1, ... others stand above a document and that it is within its group's room.

    Parameters
    ----------
    size : documents in the group.
    others : how many of them are such others, of which the document is none; below ``size``.
    room : how many of the first ones count.
    """
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
    """Return the probability that a user is not satisfied by the first 0, 1, ... documents of a group in random order.

    Each document is put into an order of the others at a random place, which is among the first i of n with
    probability i/n.

    Parameters
    ----------
    satisfied : of those documents that may satisfy.
    size : documents in the group.
    length : how many of the first ones are looked at.
    """
    place = np.arange(length + 1)
    left = np.ones(length + 1)
    for number, p in enumerate(satisfied, size - len(satisfied) + 1):
        within = np.minimum(place, number) / number
        with_it = np.append(0.0, left[:-1])
        left = (1.0 - within) * left + within * (1.0 - p) * with_it
    return left

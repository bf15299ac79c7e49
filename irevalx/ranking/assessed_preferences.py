"""Preferences assessed against a ranking: all that a preference measure may see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments, ordered_sum
from irevalx.errors import EvaluationError
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.preferences import Group, PreferenceJudgments
from irevalx.ranking.ranking import Ranking

_ROWS_AT_ONCE = 64
"""So many documents are compared with all others at once: scores of pairs take eight times the room of preferences."""


class Tally(Frozen):
    """Preferences of groups, counted; each field has shape (m,), one count per group.

    Parameters
    ----------
    fulfilled_ret : both documents were retrieved, the better one first.
    possible_ret : both were retrieved.
    implied : the better one alone was retrieved.
    denied : the worse one alone was retrieved.
    neither : none was retrieved.
    """

    fulfilled_ret: IntArray
    possible_ret: IntArray
    implied: IntArray
    denied: IntArray
    neither: IntArray

    @property
    def fulfilled(self) -> IntArray:
        """Those that the ranking agrees with, a document that was not retrieved coming after all others."""
        return self.fulfilled_ret + self.implied

    @property
    def possible_imp(self) -> IntArray:
        """Those of which at least one document was retrieved."""
        return self.possible_ret + self.implied + self.denied

    @property
    def possible(self) -> IntArray:
        """All of them."""
        return self.possible_imp + self.neither

    @classmethod
    def of(cls, pairs: Iterable[BoolArray], groups: Sequence[Group], n_ret: IntArray) -> Tally:
        """Count.

        Parameters
        ----------
        pairs : per group, shape (k, k); whether the one document is preferred to the other.
        groups : m, with ids in rank order.
        n_ret : shape (m,); ids below it were retrieved.
        """
        counts = []
        for preferred, group, limit in zip(pairs, groups, n_ret.tolist(), strict=True):
            n = int(np.searchsorted(group.ids, limit))
            both = preferred[:n, :n]
            fulfilled = both & (group.ids[:n, None] < group.ids[:n])
            parts = (fulfilled, both, preferred[:n, n:], preferred[n:, :n], preferred[n:, n:])
            counts.append([np.count_nonzero(part) for part in parts])
        return cls(*np.array(counts, np.int64).reshape(-1, 5).T)


class PairScores(Frozen):
    """The pairs of documents with a preference between them, per topic.

    A pair's score is the share of the preferences between the two, in whatever group, that are fulfilled; 0 where
    neither was retrieved.

    Parameters
    ----------
    total_ret, count_ret : the sum of the scores of pairs of retrieved documents, and how many there are.
    total, count_imp : the same for pairs of which at least one was retrieved.
    count : all pairs.
    """

    total_ret: FloatArray
    count_ret: IntArray
    total: FloatArray
    count_imp: IntArray
    count: IntArray


class Preferences(Frozen):
    """The preferences of n topics assessed against a ranking: all that a preference measure may see.

    Parameters
    ----------
    groups : per topic, its judgment groups.
    members : flat over ``groups``; the ids of a topic's documents are 0, 1, ... in rank order for those retrieved, then
        on for the others, ascending in byte order.
    n_ret : per topic; judged documents that were retrieved.
    n_judged : per topic; judged documents.
    """

    groups: Segments
    members: tuple[Group, ...]
    n_ret: IntArray
    n_judged: IntArray

    @cached_property
    def tally(self) -> Tally:
        """Flat over ``groups``: the preferences, counted."""
        return Tally.of((group.preferred for group in self.members), self.members, self.groups.spread(self.n_ret))

    def balanced_tally(self, few: IntArray, n_counted: IntArray) -> Tally:
        """Count the preferences of groups with fewer relevant than nonrelevant documents, leaving some of these out.

        Parameters
        ----------
        few : shape (m,); the groups.
        n_counted : flat over ``groups``; the relevant documents that count.
        """
        members = [self.members[group] for group in few.tolist()]
        limits = zip(members, self.relevant[0][few].tolist(), n_counted[few].tolist(), strict=True)
        pairs = (group.balanced(relevant, counted) for group, relevant, counted in limits)
        return Tally.of(pairs, members, self.groups.spread(self.n_ret)[few])

    @cached_property
    def relevant(self) -> tuple[IntArray, IntArray]:
        """Flat over ``groups``: documents with a level above 0, and those of them that were retrieved.

        In a group without subgroups these are lines, here and below.
        """
        return self._counted([group.level > 0 for group in self.members])

    @cached_property
    def nonrelevant(self) -> tuple[IntArray, IntArray]:
        """Flat over ``groups``: documents that are nonrelevant, and those of them that were retrieved."""
        return self._counted([group.nonrelevant for group in self.members])

    @cached_property
    def pairs(self) -> PairScores:
        """Per topic: what becomes of the pairs of documents."""
        scores = [self._score_pairs(topic) for topic in range(self.groups.n)]
        totals = np.array([total for total, _ in scores]).reshape(-1, 2).T
        counts = np.array([count for _, count in scores], np.int64).reshape(-1, 3).T
        return PairScores(totals[0], counts[0], totals[1], counts[1], counts[2])

    def _counted(self, chosen: Sequence[BoolArray]) -> tuple[IntArray, IntArray]:
        retrieved = [
            mask & (group.ids < limit)
            for mask, group, limit in zip(chosen, self.members, self.groups.spread(self.n_ret).tolist(), strict=True)
        ]
        every, found = (np.array([*map(np.count_nonzero, masks)], np.int64) for masks in (chosen, retrieved))
        return every, found

    def _score_pairs(self, topic: int) -> tuple[tuple[float, float], tuple[int, int, int]]:
        n, n_ret = int(self.n_judged[topic]), int(self.n_ret[topic])
        better = np.zeros((n_ret, n), np.int32)  # how often a retrieved document is preferred to another
        worse = np.zeros((n_ret, n), np.int32)
        neither = np.zeros((n - n_ret, n - n_ret), np.bool_)
        for group in self.members[self.groups.slice(topic)]:
            ids, times = _times(group)
            ret, rest = ids[ids < n_ret], ids[ids >= n_ret] - n_ret
            to_all: tuple[IntArray | slice, ...] = (slice(None), slice(None))
            to_rest = to_all
            if ids.size < n:  # picking rows and columns takes most of the time
                to_all, to_rest = np.ix_(ret, ids), np.ix_(rest, rest)
            better[to_all] += times[: ret.size]
            worse[to_all] += times[:, : ret.size].T
            neither[to_rest] |= times[ret.size :, ret.size :] > 0
        total_ret, count_ret, implied = 0.0, 0, [np.empty(0)]
        for first in range(0, n_ret, _ROWS_AT_ONCE):
            some = slice(first, first + _ROWS_AT_ONCE)
            known = better[some] + worse[some]
            counted = (known > 0) & (np.arange(n) > np.arange(n_ret)[some, None])
            score = better[some] / np.maximum(known, 1)
            score_ret = score[:, :n_ret][counted[:, :n_ret]]
            total_ret, count_ret = ordered_sum(score_ret, total_ret), count_ret + score_ret.size
            implied.append(score[:, n_ret:][counted[:, n_ret:]])
        score_imp = np.concatenate(implied)
        n_imp = count_ret + score_imp.size
        n_neither = int(np.count_nonzero(neither | neither.T)) // 2
        return (total_ret, ordered_sum(score_imp, total_ret)), (count_ret, n_imp, n_imp + n_neither)


def assess_preferences(ranking: Ranking, judgments: PreferenceJudgments) -> Preferences:
    """Return what preference measures see of a ranking.

    Parameters
    ----------
    ranking : made with the documents of these judgments; none of its topics has a failure.
    """
    lengths: list[int] = []
    groups: list[Group] = []
    n_ret = []
    for place, topic in enumerate(ranking.judged_topic.tolist()):
        where = judgments.documents.rows.slice(topic)
        retrieved = ranking.row[ranking.rows.slice(place)]
        retrieved = retrieved[retrieved >= 0] - where.start
        ids = np.full(where.stop - where.start, ABSENT)
        ids[retrieved] = np.arange(retrieved.size)
        ids[ids == ABSENT] = np.arange(retrieved.size, ids.size)
        members = judgments.by_topic[topic]
        if isinstance(members, EvaluationError):
            raise members
        groups += [group.renumbered(ids) for group in members]
        lengths.append(len(members))
        n_ret.append(retrieved.size)
    return Preferences(
        groups=Segments.of_lengths(lengths),
        members=tuple(groups),
        n_ret=np.array(n_ret, np.int64),
        n_judged=judgments.documents.rows.lengths[ranking.judged_topic],
    )


def _times(group: Group) -> tuple[IntArray, IntArray | BoolArray]:
    """Return the ids of a group's documents, each once, and how often the one is preferred to the other."""
    new = np.flatnonzero(np.append(True, group.ids[1:] != group.ids[:-1]))
    preferred = group.preferred
    if new.size == group.ids.size:
        return group.ids, preferred
    return group.ids[new], np.add.reduceat(np.add.reduceat(preferred, new, axis=0, dtype=np.int64), new, axis=1)

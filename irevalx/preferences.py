"""Preference judgments: which documents of a topic are better than which, and what a ranking makes of them.

Within a judgment group (one user's judgments, say) a document is preferred to those that have a lower level. If the
group has several subgroups, levels are compared within each, and what follows from several of them holds as well: if A
is better than B and B better than C, then A is better than C.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np

from irevalx.errors import EvaluationError, quote, shown_name
from irevalx.judgments import Documents
from irevalx.segments import BoolArray, FloatArray, IntArray, Segments, distinct, ordered_sum


@dataclass(frozen=True, eq=False)
class ClassGroup:
    """A judgment group without subgroups: documents fall into classes of equal level.

    Parameters
    ----------
    ids : shape (k,); the document of each line, ascending. A line that is there twice counts twice.
    level : shape (k,).
    number : shape (k,); the class, from 0 for the highest level up.
    """

    ids: IntArray
    level: FloatArray
    number: IntArray

    def renumbered(self, ids: IntArray) -> ClassGroup:
        """Return the group with new ids for its documents."""
        new = ids[self.ids]
        order = np.argsort(new, kind="stable")
        return ClassGroup(new[order], self.level[order], self.number[order])

    @property
    def preferred(self) -> BoolArray:
        """Shape (k, k): whether the one is preferred to the other."""
        return self.number[:, None] < self.number

    @property
    def nonrelevant(self) -> BoolArray:
        """Shape (k,): whether the document is not relevant."""
        return self.level <= 0

    def balanced(self, n_relevant: int, n_counted: int) -> BoolArray:
        """Return the pairs that count where nonrelevant documents are many and must not outweigh the relevant ones.

        They are the preferences among all classes but the last, and every document paired with each of the first
        ``n_counted`` of the last class, even where it is of that class itself.

        Parameters
        ----------
        n_relevant : the relevant documents.
        n_counted : those of them that count.
        """
        last = self.number == self.number.max()
        chosen = last & (np.cumsum(last) <= n_counted)
        others = ~last
        pairs: BoolArray = (self.preferred & others[:, None] & others) | chosen
        return pairs


@dataclass(frozen=True, eq=False)
class RelationGroup:
    """A judgment group with subgroups.

    Parameters
    ----------
    ids : shape (k,); its documents, each once, ascending.
    level : shape (k,); the last one that the document has.
    preferred : shape (k, k); whether the one is preferred to the other, what follows included.
    """

    ids: IntArray
    level: FloatArray
    preferred: BoolArray

    def renumbered(self, ids: IntArray) -> RelationGroup:
        """Return the group with new ids for its documents."""
        new = ids[self.ids]
        order = np.argsort(new)
        return RelationGroup(new[order], self.level[order], self.preferred[np.ix_(order, order)])

    @property
    def nonrelevant(self) -> BoolArray:
        """Shape (k,): whether the document is not relevant; one with a level below 0 is neither that nor relevant."""
        neutral: BoolArray = self.level == 0
        return neutral

    def balanced(self, n_relevant: int, n_counted: int) -> BoolArray:
        """Return the pairs that count where nonrelevant documents are many and must not outweigh the relevant ones.

        They are the preferences without the nonrelevant documents behind the first ``n_relevant``.

        Parameters
        ----------
        n_relevant : the relevant documents.
        n_counted : those of them that count.
        """
        kept = ~self.nonrelevant | (np.cumsum(self.nonrelevant) <= n_relevant)
        pairs: BoolArray = self.preferred & kept[:, None] & kept
        return pairs


Group: TypeAlias = ClassGroup | RelationGroup


@dataclass(frozen=True, eq=False)
class PreferenceJudgments:
    """Preference judgments as a file has them.

    Parameters
    ----------
    documents : those judged; each once in a topic, ascending in byte order.
    groups : per topic, its judgment groups, ascending in byte order.
    names : flat over ``groups``.
    rows : per group, its lines, by subgroup (ascending) and then from the highest level down.
    subgroup : flat over ``rows``; a number.
    document : flat over ``rows``; the place of the document among those of the topic.
    level : flat over ``rows``.
    lines : flat over ``rows``; the 1-based line of the file.
    """

    documents: Documents
    groups: Segments
    names: tuple[bytes, ...]
    rows: Segments
    subgroup: IntArray
    document: IntArray
    level: FloatArray
    lines: IntArray

    first_name_first: ClassVar[bool] = True
    """How a ranking for these judgments orders documents with equal scores."""

    @cached_property
    def by_topic(self) -> list[tuple[Group, ...] | EvaluationError]:
        """The groups of each topic, with the places of documents as ids; or what contradicts itself there."""
        found: list[tuple[Group, ...] | EvaluationError] = []
        for topic in range(self.groups.n):
            where = self.groups.slice(topic)
            try:
                found.append(tuple(self._group(topic, group) for group in range(where.start, where.stop)))
            except EvaluationError as error:
                found.append(error)
        return found

    def failures(self, topics: Sequence[bytes]) -> Mapping[bytes, EvaluationError]:
        """Return why some of these topics cannot be evaluated."""
        outcome = {topic: self.by_topic[self.documents.topic_index[topic]] for topic in topics}
        return {topic: error for topic, error in outcome.items() if isinstance(error, EvaluationError)}

    def ranked(self, judged_topic: IntArray, rows: Segments, row: IntArray) -> Preferences:
        """Look at these preferences in the light of a ranking.

        Parameters
        ----------
        judged_topic : per topic; its place in ``documents.topics``. None of them has a failure.
        rows : per topic, documents in rank order.
        row : flat over ``rows``; the flat index in ``documents``, or negative for one that was not judged.
        """
        lengths: list[int] = []
        groups: list[Group] = []
        n_ret = []
        for place, topic in enumerate(judged_topic.tolist()):
            where = self.documents.rows.slice(topic)
            retrieved = row[rows.slice(place)]
            retrieved = retrieved[retrieved >= 0] - where.start
            ids = np.full(where.stop - where.start, -1)
            ids[retrieved] = np.arange(retrieved.size)
            ids[ids < 0] = np.arange(retrieved.size, ids.size)
            members = self.by_topic[topic]
            if isinstance(members, EvaluationError):
                raise members
            groups += [group.renumbered(ids) for group in members]
            lengths.append(len(members))
            n_ret.append(retrieved.size)
        return Preferences(
            groups=Segments.of_lengths(lengths),
            members=tuple(groups),
            n_ret=np.array(n_ret, np.int64),
            n_judged=self.documents.rows.lengths[judged_topic],
        )

    def _group(self, topic: int, group: int) -> Group:
        where = self.rows.slice(group)
        one = self.subgroup[where.start] == self.subgroup[where.stop - 1]
        return self._class_group(topic, group) if one else self._relation_group(topic, group)

    def _class_group(self, topic: int, group: int) -> ClassGroup:
        where = self.rows.slice(group)
        level = self.level[where]
        number = np.cumsum(np.append(False, level[1:] != level[:-1]))
        every = np.arange(int(self.documents.rows.lengths[topic]))
        found = ClassGroup(self.document[where], level, number).renumbered(every)
        twice = (found.ids[1:] == found.ids[:-1]) & (found.number[1:] != found.number[:-1])
        if twice.any():
            place = int(found.ids[1:][twice][0])
            first, *others = np.flatnonzero(self.document[where] == place).tolist()
            other = next(line for line in others if number[line] != number[first])
            raise self._contradiction(
                topic, group, [where.start + first, where.start + other], "a document must have one level", place
            )
        return found

    def _relation_group(self, topic: int, group: int) -> RelationGroup:
        where = self.rows.slice(group)
        ids = distinct(self.document[where])
        place = np.searchsorted(ids, self.document[where])
        level = np.zeros(ids.size)
        level[place] = self.level[where]  # of several the last one stays
        self._refuse_relevant_and_not(topic, group)
        preferred = np.zeros((ids.size, ids.size), np.bool_)
        subgroup = self.subgroup[where]
        changes = np.flatnonzero(subgroup[1:] != subgroup[:-1]) + 1
        for members, levels in zip(np.split(place, changes), np.split(self.level[where], changes), strict=True):
            better, worse = np.nonzero(levels[:, None] > levels)
            preferred[members[better], members[worse]] = True
        close(preferred)
        np.fill_diagonal(preferred, False)
        both = np.argwhere(preferred & preferred.T)
        if both.size:
            one, other = (quote(self._docno(topic, int(ids[i]))) for i in both[0])
            raise EvaluationError(
                f"{shown_name(self.documents.path)}: preferences within a judgment group must not contradict each "
                f"other, but got {one} better than {other} and worse in group {quote(self.names[group])} of topic "
                f"{quote(self.documents.topics[topic])}"
            )
        return RelationGroup(ids, level, preferred)

    def _refuse_relevant_and_not(self, topic: int, group: int) -> None:
        where = self.rows.slice(group)
        order = np.argsort(self.document[where], kind="stable")
        document, level = self.document[where][order], self.level[where][order]
        before, after = level[:-1], level[1:]
        mixed = ((before > 0) & (after == 0)) | ((before == 0) & (after > 0))
        mixed &= document[1:] == document[:-1]
        if mixed.any():
            first = int(np.flatnonzero(mixed)[0])
            lines = (where.start + order[first : first + 2]).tolist()
            raise self._contradiction(
                topic, group, lines, "a document must not have a level of 0 and one above 0", int(document[first])
            )

    def _contradiction(self, topic: int, group: int, rows: list[int], rule: str, place: int) -> EvaluationError:
        """Word what is wrong with two lines about a document."""
        (first, one), (second, other) = sorted((int(self.lines[row]), f"{self.level[row]:g}") for row in rows)
        return EvaluationError(
            f"{shown_name(self.documents.path)}:{second}: {rule} in a judgment group, but got {other} after {one} on "
            f"line {first} for {quote(self._docno(topic, place))} in group {quote(self.names[group])} of topic "
            f"{quote(self.documents.topics[topic])}"
        )

    def _docno(self, topic: int, place: int) -> bytes:
        return self.documents.docnos.text(self.documents.rows.slice(topic).start + place)


def close(relation: BoolArray) -> None:
    """Add to a relation what follows from it: if A is related to B and B to C, then A is to C."""
    for between in range(len(relation)):
        relation[relation[:, between]] |= relation[between]


@dataclass(frozen=True, eq=False)
class Tally:
    """Preferences of groups, counted; each field has shape (m,), one count a group.

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
        """Those that the ranking agrees with, a document that was not retrieved coming behind all others."""
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


@dataclass(frozen=True, eq=False)
class PairScores:
    """How far the groups of a topic agree on the order of two documents that the ranking has; per topic.

    A pair's score is the share of the preferences between the two that the ranking agrees with; 0 where neither was
    retrieved.

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


@dataclass(frozen=True, eq=False)
class Preferences:
    """The preferences of n topics in the light of a ranking: all that a preference measure may see.

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
        limits = zip(members, self.n_relevant[few].tolist(), n_counted[few].tolist(), strict=True)
        pairs = (group.balanced(relevant, counted) for group, relevant, counted in limits)
        return Tally.of(pairs, members, self.groups.spread(self.n_ret)[few])

    @cached_property
    def n_relevant(self) -> IntArray:
        """Flat over ``groups``: documents with a level above 0; in a group without subgroups, lines with one."""
        return np.array([np.count_nonzero(group.level > 0) for group in self.members], np.int64)

    @cached_property
    def n_nonrelevant(self) -> IntArray:
        """Flat over ``groups``: documents, or lines, that are nonrelevant."""
        return np.array([np.count_nonzero(group.nonrelevant) for group in self.members], np.int64)

    @cached_property
    def n_relevant_ret(self) -> IntArray:
        """Flat over ``groups``: those of ``n_relevant`` that were retrieved."""
        return self._retrieved([group.level > 0 for group in self.members])

    @cached_property
    def n_nonrelevant_ret(self) -> IntArray:
        """Flat over ``groups``: those of ``n_nonrelevant`` that were retrieved."""
        return self._retrieved([group.nonrelevant for group in self.members])

    @cached_property
    def pairs(self) -> PairScores:
        """Per topic: what becomes of the pairs of documents."""
        scores = [self._score_pairs(topic) for topic in range(self.groups.n)]
        totals = np.array([total for total, _ in scores]).reshape(-1, 2).T
        counts = np.array([count for _, count in scores], np.int64).reshape(-1, 3).T
        return PairScores(totals[0], counts[0], totals[1], counts[1], counts[2])

    def _retrieved(self, chosen: Sequence[BoolArray]) -> IntArray:
        limits = self.groups.spread(self.n_ret).tolist()
        counts = [
            np.count_nonzero(mask & (group.ids < limit))
            for mask, group, limit in zip(chosen, self.members, limits, strict=True)
        ]
        return np.array(counts, np.int64)

    def _score_pairs(self, topic: int) -> tuple[tuple[float, float], tuple[int, int, int]]:
        n, n_ret = int(self.n_judged[topic]), int(self.n_ret[topic])
        better = np.zeros((n_ret, n), np.int64)  # how often a retrieved document is preferred to another
        worse = np.zeros((n_ret, n), np.int64)
        neither = np.zeros((n - n_ret, n - n_ret), np.bool_)
        for group in self.members[self.groups.slice(topic)]:
            ids, times = _times(group)
            ret, rest = ids[ids < n_ret], ids[ids >= n_ret] - n_ret
            better[np.ix_(ret, ids)] += times[: ret.size]
            worse[np.ix_(ret, ids)] += times[:, : ret.size].T
            neither[np.ix_(rest, rest)] |= times[ret.size :, ret.size :] > 0
        counted = (better + worse > 0) & (np.arange(n) > np.arange(n_ret)[:, None])
        score = better / np.maximum(better + worse, 1)
        score_ret = score[:, :n_ret][counted[:, :n_ret]]
        score_imp = score[:, n_ret:][counted[:, n_ret:]]
        n_neither = np.count_nonzero(neither | neither.T) // 2
        n_imp = score_ret.size + score_imp.size
        totals = ordered_sum(score_ret), ordered_sum(np.concatenate((score_ret, score_imp)))
        return totals, (score_ret.size, n_imp, n_imp + n_neither)


def _times(group: Group) -> tuple[IntArray, IntArray]:
    """Return the ids of a group's documents, each once, and how often the one is preferred to the other."""
    new = np.flatnonzero(np.append(True, group.ids[1:] != group.ids[:-1]))
    times: IntArray = group.preferred.astype(np.int64)
    if new.size < group.ids.size:
        times = np.add.reduceat(np.add.reduceat(times, new, axis=0), new, axis=1)
    return group.ids[new], times

"""Preference judgments: which documents of a topic are better than which.

Within a judgment group (one user's judgments, say) a document is preferred to those that have a lower level. If the
group has several subgroups, levels are compared within each, and what follows from several of them holds as well: if A
is better than B and B better than C, then A is better than C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments, distinct
from irevalx.errors import EvaluationError, quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.judged_documents import Documents, Kind


class ClassGroup(Frozen):
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


class RelationGroup(Frozen):
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

        They are the preferences without the nonrelevant documents after the first ``n_relevant``.

        Parameters
        ----------
        n_relevant : the relevant documents.
        n_counted : those of them that count.
        """
        kept = ~self.nonrelevant | (np.cumsum(self.nonrelevant) <= n_relevant)
        pairs: BoolArray = self.preferred & kept[:, None] & kept
        return pairs


Group: TypeAlias = ClassGroup | RelationGroup


class PreferenceJudgments(Frozen, Kind):
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
        """Build the error about two lines that contradict each other."""
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

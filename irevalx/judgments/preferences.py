"""Preference judgments, which state that one document is preferred to another document for a topic.

Each judgment group, for example one user's judgments, assigns levels to documents and prefers a document to every
document of a lower level. If a group has subgroups, levels are compared only within each subgroup, and the preferences
are then closed transitively.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments, distinct
from irevalx.errors import EvaluationError, quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import Documents, JudgmentKind

FLIP_HINT = (
    "; if a judge preferred the other document in the other order of presentation, write a tie instead: one subgroup "
    "of -R prefs with the same LEVEL for both documents. irevalx-lab labels -R prefs counts such pairs"
)


class ClassGroup(Frozen):
    """A judgment group without subgroups. Documents of equal level form a class."""

    ids: IntArray
    """The ID of the document on each line, in ascending order. Repeated lines are kept. The shape is (k,)."""
    level: FloatArray
    """The level on each line. The shape is (k,)."""
    number: IntArray
    """The class of each line. Class 0 has the highest level. The shape is (k,)."""

    def renumbered(self, ids: IntArray) -> ClassGroup:
        """Return the group in which the new ID of document i is ``ids[i]``."""
        new = ids[self.ids]
        order = np.argsort(new, kind="stable")
        return ClassGroup(new[order], self.level[order], self.number[order])

    @property
    def preferred(self) -> BoolArray:
        """Whether the document of line i is preferred to the document of line j. The shape is (k, k)."""
        return self.number[:, None] < self.number

    @property
    def nonrelevant(self) -> BoolArray:
        """Whether each document is nonrelevant. The shape is (k,)."""
        return self.level <= 0

    def balanced(self, n_relevant: int, n_counted: int) -> BoolArray:
        """Return a matrix of pairs: preferences among the classes above the last one, and other pairs.

        The remaining pairs combine each document of the group with each of the first ``n_counted`` documents of the
        last class.
        """
        # Pairs within the last class are included. The limit keeps many nonrelevant documents from outweighing the
        # relevant ones.
        last = self.number == self.number.max()
        chosen = last & (np.cumsum(last) <= n_counted)
        others = ~last
        pairs: BoolArray = (self.preferred & others[:, None] & others) | chosen
        return pairs


class RelationGroup(Frozen):
    """A judgment group that has subgroups."""

    ids: IntArray
    """The distinct documents of the group in ascending order. The shape is (k,)."""
    level: FloatArray
    """The level of each document on its last line. The shape is (k,)."""
    preferred: BoolArray
    """Whether document i is preferred to document j, directly or transitively. The shape is (k, k).
    """

    def renumbered(self, ids: IntArray) -> RelationGroup:
        """Return the group in which the new ID of document i is ``ids[i]``."""
        new = ids[self.ids]
        order = np.argsort(new)
        return RelationGroup(new[order], self.level[order], self.preferred[np.ix_(order, order)])

    @property
    def nonrelevant(self) -> BoolArray:
        """Whether the level of each document is exactly 0. A negative level is not nonrelevant. The shape is (k,)."""
        neutral: BoolArray = self.level == 0
        return neutral

    def balanced(self, n_relevant: int, n_counted: int) -> BoolArray:
        """Return the preferences among the relevant documents and the first ``n_relevant`` nonrelevant documents."""
        is_counted = ~self.nonrelevant | (np.cumsum(self.nonrelevant) <= n_relevant)
        return self.preferred & is_counted[:, None] & is_counted


Group: TypeAlias = ClassGroup | RelationGroup


class PreferenceJudgments(Frozen, JudgmentKind):
    """The preference judgments of all topics."""

    documents: Documents
    """The judged documents. The documents are distinct within a topic and in ascending byte order."""
    groups: Segments
    """The judgment groups of each topic, in ascending byte order."""
    names: tuple[bytes, ...]
    """The name of each group."""
    rows: Segments
    """The lines of each group, sorted by ascending subgroup and then by descending level."""
    subgroup: IntArray
    document: IntArray
    """The index of the document on each line among the documents of its topic."""
    level: FloatArray
    lines: IntArray
    """The 1-based line numbers in the file."""
    first_name_first: ClassVar[bool] = True

    @cached_property
    def by_topic(self) -> list[tuple[Group, ...] | EvaluationError]:
        """The judgment groups of each topic, or an error. The IDs of documents are indices within the topic."""
        groups: list[tuple[Group, ...] | EvaluationError] = []
        for topic in range(self.groups.n):
            where = self.groups.slice(topic)
            try:
                groups.append(tuple(self._group(topic, group) for group in range(where.start, where.stop)))
            except EvaluationError as error:
                groups.append(error)
        return groups

    def failures(self, topics: Sequence[bytes]) -> Mapping[bytes, EvaluationError]:
        """Return a dictionary with the error of each topic in ``topics`` whose preferences are contradictory."""
        outcome = {topic: self.by_topic[self.documents.topic_index[topic]] for topic in topics}
        return {topic: error for topic, error in outcome.items() if isinstance(error, EvaluationError)}

    def _group(self, topic: int, group: int) -> Group:
        where = self.rows.slice(group)
        has_one_subgroup = self.subgroup[where.start] == self.subgroup[where.stop - 1]
        return self._class_group(topic, group) if has_one_subgroup else self._relation_group(topic, group)

    def _class_group(self, topic: int, group: int) -> ClassGroup:
        where = self.rows.slice(group)
        level = self.level[where]
        number = np.cumsum(np.append(False, level[1:] != level[:-1]))
        every = np.arange(int(self.documents.rows.lengths[topic]))
        classes = ClassGroup(self.document[where], level, number).renumbered(every)
        twice = (classes.ids[1:] == classes.ids[:-1]) & (classes.number[1:] != classes.number[:-1])
        if twice.any():
            place = int(classes.ids[1:][twice][0])
            first, *others = np.flatnonzero(self.document[where] == place).tolist()
            other = next(line for line in others if number[line] != number[first])
            raise self._contradiction(
                topic, group, [where.start + first, where.start + other], "conflicting levels", place
            )
        return classes

    def _relation_group(self, topic: int, group: int) -> RelationGroup:
        where = self.rows.slice(group)
        ids = distinct(self.document[where])
        place = np.searchsorted(ids, self.document[where])
        level = np.zeros(ids.size)
        level[place] = self.level[where]  # the last of several levels is used
        self._refuse_contradictory_relevance(topic, group)
        preferred = np.zeros((ids.size, ids.size), np.bool_)
        subgroup = self.subgroup[where]
        changes = np.flatnonzero(subgroup[1:] != subgroup[:-1]) + 1
        for members, levels in zip(np.split(place, changes), np.split(self.level[where], changes), strict=True):
            better, worse = np.nonzero(levels[:, None] > levels)
            preferred[members[better], members[worse]] = True
        flips = np.argwhere(np.triu(preferred & preferred.T, 1))
        close(preferred)
        np.fill_diagonal(preferred, False)
        both = np.argwhere(preferred & preferred.T)
        if both.size:
            first, second = (quote(self._docno(topic, int(ids[i]))) for i in (flips if flips.size else both)[0])
            raise EvaluationError(
                f"{shown_name(self.documents.path)}: contradictory preferences in group {quote(self.names[group])} of "
                f"topic {quote(self.documents.topics[topic])}: {first} is both better and worse than {second}"
                + FLIP_HINT
                * bool(flips.size)
            )
        return RelationGroup(ids, level, preferred)

    def _refuse_contradictory_relevance(self, topic: int, group: int) -> None:
        where = self.rows.slice(group)
        order = np.argsort(self.document[where], kind="stable")
        document, level = self.document[where][order], self.level[where][order]
        before, after = level[:-1], level[1:]
        mixed = ((before > 0) & (after == 0)) | ((before == 0) & (after > 0))
        mixed &= document[1:] == document[:-1]
        if mixed.any():
            first = int(np.flatnonzero(mixed)[0])
            lines = (where.start + order[first : first + 2]).tolist()
            raise self._contradiction(topic, group, lines, "a level of 0 and a level above 0", int(document[first]))

    def _contradiction(self, topic: int, group: int, rows: list[int], rule: str, place: int) -> EvaluationError:
        """Return the error about two lines with contradictory preferences."""
        (first, first_level), (second, second_level) = sorted(
            (int(self.lines[row]), f"{self.level[row]:g}") for row in rows
        )
        return EvaluationError(
            f"{shown_name(self.documents.path)}:{second}: {rule} of document {quote(self._docno(topic, place))} in "
            f"group {quote(self.names[group])} of topic {quote(self.documents.topics[topic])}: {second_level}, and "
            f"{first_level} on line {first}"
        )

    def _docno(self, topic: int, place: int) -> bytes:
        return self.documents.docnos.text(self.documents.rows.slice(topic).start + place)


def close(relation: BoolArray) -> None:
    """Replace a relation by its transitive closure, in place."""
    for between in range(len(relation)):
        relation[relation[:, between]] |= relation[between]

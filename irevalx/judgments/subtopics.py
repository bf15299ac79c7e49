"""Relevance judgments for the subtopics of topics, and the ideal ranking of each topic.

The ideal ranking is built greedily: the next document is always the document with the highest novelty gain.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.byte_strings import Names, order_by_name
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import AnyArray, FloatArray, IntArray, Segments, distinct
from irevalx.errors import DuplicateDocumentError
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import Documents, JudgmentKind


class SubtopicJudgments(Frozen, JudgmentKind):
    """Judgments that state whether a document is relevant for each subtopic of a topic."""

    documents: Documents
    """The documents judged for any subtopic. The documents are distinct within a topic and in file order."""
    subtopics: Segments
    """The subtopics of each topic. Numbers come first, in ascending order, then other names in byte order."""
    names: Names
    """The name of each subtopic."""
    rows: Segments
    """The judgments of each document, in ascending order of subtopics."""
    subtopic: IntArray
    """The index of each judgment's subtopic among the subtopics of its topic."""
    grades: AnyArray
    """The grade of each judgment. A negative grade is never relevant."""
    duplicates: dict[bytes, DuplicateDocumentError]
    """A dictionary that maps each topic in which a document was judged twice for a subtopic to its error."""

    @classmethod
    def joined(cls, path: str, parts: Sequence[SubtopicJudgments]) -> SubtopicJudgments:
        """Join judgments read from parts of a file. Parts have disjoint topics. Sort topics in ascending order."""
        nothing = np.empty(0, np.int64)
        topics = [topic for part in parts for topic in part.documents.topics]
        in_order = np.array(sorted(range(len(topics)), key=topics.__getitem__), np.int64)
        documents, document = _concatenated([part.documents.rows for part in parts]).take(in_order)
        subtopics, name = _concatenated([part.subtopics for part in parts]).take(in_order)
        rows, line = _concatenated([part.rows for part in parts]).take(document)
        docnos = Names.joined([part.documents.docnos for part in parts]).take(document)
        return cls(
            documents=Documents(path, tuple(sorted(topics)), documents, docnos),
            subtopics=subtopics,
            names=Names.joined([part.names for part in parts]).take(name),
            rows=rows,
            subtopic=np.concatenate((nothing, *(part.subtopic for part in parts)))[line],
            grades=np.concatenate((nothing, *(part.grades for part in parts)))[line],
            duplicates={topic: error for part in parts for topic, error in part.duplicates.items()},
        )

    @property
    def greatest_grade(self) -> float | None:
        """The highest grade, or None if there are no grades."""
        return float(self.grades.max()) if self.grades.size else None

    def relevant(self, level: float) -> RelevantParts:
        """Return the documents that are relevant for each subtopic at a relevance level. Results are cached."""
        level = max(level, 0)
        if level not in self._by_level:
            self._by_level[level] = self._relevant(level)
        return self._by_level[level]

    @cached_property
    def _by_level(self) -> dict[float, RelevantParts]:
        return {}

    def _relevant(self, level: float) -> RelevantParts:
        relevant = self.grades >= level
        parts = self.rows.keep(relevant)
        topic = self.documents.rows.ids
        subtopic = self.subtopics.at(topic[parts.ids], self.subtopic[relevant])
        n_relevant = np.bincount(subtopic, minlength=self.subtopics.size)
        counts = n_relevant > 0
        return RelevantParts(
            documents=self.documents,
            subtopics=self.subtopics.keep(counts),
            names=self.names.take(counts),
            n_relevant=n_relevant[counts],
            parts=parts,
            subtopic=(np.cumsum(counts) - 1)[subtopic],
        )


class RelevantParts(Frozen):
    """The relevant documents of each subtopic. A part is a pair of a subtopic and a document relevant for it."""

    documents: Documents
    """All judged documents."""
    subtopics: Segments
    """The subtopics of each topic, in ascending order. Subtopics without a relevant document are ignored."""
    names: Names
    """The name of each subtopic."""
    n_relevant: IntArray
    """The number of documents that are relevant for each subtopic."""
    parts: Segments
    """The parts of each document: the subtopics for which the document is relevant, in ascending order."""
    subtopic: IntArray
    """The index of each part's subtopic in ``subtopics``."""

    def ideal(self, alpha: float) -> tuple[Segments, FloatArray]:
        """Return the lengths of the ideal rankings and the gains of their documents. Results are cached."""
        if alpha not in self._ideals:
            lists, parts, subtopic = self._candidates
            self._ideals[alpha] = lists, ideal_gains(lists, parts, subtopic, self.subtopics.size, alpha)
        return self._ideals[alpha]

    @cached_property
    def _ideals(self) -> dict[float, tuple[Segments, FloatArray]]:
        return {}

    @cached_property
    def _candidates(self) -> tuple[Segments, Segments, IntArray]:
        """The documents of each topic that are relevant for any subtopic, with their parts, in ascending byte order."""
        relevant = np.flatnonzero(self.parts.lengths)
        topic = self.documents.rows.ids[relevant]
        ascending = relevant[order_by_name(self.documents.docnos.take(relevant), topic)]
        parts, index = self.parts.take(ascending)
        return self.documents.rows.keep(self.parts.lengths > 0), parts, self.subtopic[index]


def _concatenated(parts: Sequence[Segments]) -> Segments:
    return Segments.of_lengths(np.concatenate((np.empty(0, np.int64), *(part.lengths for part in parts))))


def ideal_gains(topics: Segments, parts: Segments, subtopic: IntArray, n_subtopics: int, alpha: float) -> FloatArray:
    """Return the gain of each document in the ideal rankings. ``parts`` contains the subtopics of each document.

    Every subtopic starts with the weight 1. The next document is the document whose subtopics have the greatest total
    weight, or the last such document of the topic if several are tied. The weights of the document's subtopics are then
    multiplied by 1 - alpha. Weights are added in ascending order of subtopics, because rounding determines which
    documents are tied.
    """
    gains = np.empty(topics.size)
    longest_first = np.argsort(-topics.lengths, kind="stable")  # unfinished topics are always first
    ordered, document = topics.take(longest_first)
    of_document, index = parts.take(document)
    kinds = _Kinds(ordered, of_document, subtopic[index])
    weight = np.ones(n_subtopics)
    start = topics.offsets[:-1][longest_first]
    for place in range(int(topics.lengths.max(initial=0))):
        n_left = int(np.searchsorted(-ordered.lengths, -place))
        gains[start[:n_left] + place] = kinds.choose(n_left, weight, 1.0 - alpha)
    return gains


class _Kinds:
    """Documents grouped by topic and set of subtopics. The last document not yet ranked represents its group."""

    def __init__(self, topics: Segments, parts: Segments, subtopic: IntArray) -> None:
        kind, first = _numbered(topics, parts, subtopic)
        topic = topics.ids[first]
        self.offsets = np.searchsorted(topic, np.arange(topics.n + 1))
        self.topic = topic
        self.parts, index = parts.take(first)
        self.subtopic = subtopic[index]
        # The documents of each kind form a linked list, which starts with the last document.
        by_kind = np.argsort(kind, kind="stable")
        same = np.append(False, kind[by_kind][1:] == kind[by_kind][:-1])[: kind.size]
        self.kind = kind
        self.before = np.full(kind.size, ABSENT)
        self.before[by_kind[same]] = by_kind[np.flatnonzero(same) - 1]
        self.last = by_kind[np.flatnonzero(~np.append(same, False)[1:])]

    def choose(self, n_topics: int, weight: FloatArray, factor: float) -> FloatArray:
        """Choose the next document of each of the first ``n_topics`` topics, update weights, and return the gains."""
        n_kinds = int(self.offsets[n_topics])
        n_parts = int(self.parts.offsets[n_kinds])
        starts, topic, last = self.offsets[:n_topics], self.topic[:n_kinds], self.last[:n_kinds]
        of_part, subtopic = self.parts.ids[:n_parts], self.subtopic[:n_parts]
        gain = np.bincount(of_part, weight[subtopic], n_kinds)
        gain[last == ABSENT] = -1.0
        best = np.maximum.reduceat(gain, starts)
        chosen = np.maximum.reduceat(np.where(gain == best[topic], last, ABSENT), starts)
        kind = self.kind[chosen]
        self.last[kind] = self.before[chosen]
        is_chosen = np.zeros(n_kinds, np.bool_)
        is_chosen[kind] = True
        weight[subtopic[is_chosen[of_part]]] *= factor
        return best


def _numbered(topics: Segments, parts: Segments, subtopic: IntArray) -> tuple[IntArray, IntArray]:
    """Number the distinct pairs of topic and subtopics.

    Return each document's number and the first document of each number.
    """
    kind = topics.ids
    base = int(subtopic.max(initial=0)) + 2
    for place in range(int(parts.lengths.max(initial=0))):
        longer = np.flatnonzero(parts.lengths > place)
        step = np.zeros(kind.size, np.int64)
        step[longer] = 1 + subtopic[parts.at(longer, np.full(longer.size, place))]
        pair = kind * base + step
        kind = np.searchsorted(distinct(pair), pair)
    by_kind = np.argsort(kind, kind="stable")
    return kind, by_kind[np.flatnonzero(np.append(True, kind[by_kind][1:] != kind[by_kind][:-1])[: kind.size])]

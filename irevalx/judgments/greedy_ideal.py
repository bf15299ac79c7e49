"""The ideal list of a topic with subtopics: greedily, the document that adds most to those already chosen."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import FloatArray, IntArray, Segments, distinct


def ideal_gains(topics: Segments, parts: Segments, subtopic: IntArray, n_subtopics: int, alpha: float) -> FloatArray:
    """Return what each document of the ideal lists gains.

    Every subtopic has the weight 1. Next comes the document whose subtopics weigh most together, of several the last
    one of its topic; then their weights are multiplied by 1 - alpha.

    Parameters
    ----------
    topics : per topic, its documents, each of which is relevant for some subtopic.
    parts : per document (flat over ``topics``), the subtopics that it is relevant for, ascending: in this order their
        weights add up, and which documents gain the same depends on how that rounds.
    subtopic : flat over ``parts``; a number below ``n_subtopics``. No topic has subtopics of another.
    alpha : 0 to 1.

    Returns
    -------
    Shape of the flat axis of ``topics``: per topic, the gains in the order of its ideal list.

    Notes
    -----
    Documents with the same subtopics gain the same at any time, so that one of each kind, the last one left, stands
    for the others. All topics choose at once; those with the most documents come first, so that the ones that are not
    done yet are always the first few.
    """
    gains = np.empty(topics.size)
    longest_first = np.argsort(-topics.lengths, kind="stable")
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
    """Documents by what they are relevant for, each topic's together, and which of them are left.

    Parameters
    ----------
    topics, parts, subtopic : as for ``ideal_gains``, the longest topics first.
    """

    def __init__(self, topics: Segments, parts: Segments, subtopic: IntArray) -> None:
        kind, first = _numbered(topics, parts, subtopic)
        topic = topics.ids[first]
        self.offsets = np.searchsorted(topic, np.arange(topics.n + 1))
        self.topic = topic
        self.parts, index = parts.take(first)
        self.subtopic = subtopic[index]
        # The documents of a kind from the last one on: which comes after which, and which is the last.
        by_kind = np.argsort(kind, kind="stable")
        same = np.append(False, kind[by_kind][1:] == kind[by_kind][:-1])[: kind.size]
        self.kind = kind
        self.before = np.full(kind.size, ABSENT)
        self.before[by_kind[same]] = by_kind[np.flatnonzero(same) - 1]
        self.last = by_kind[np.flatnonzero(~np.append(same, False)[1:])]

    def choose(self, n_topics: int, weight: FloatArray, factor: float) -> FloatArray:
        """Choose the next document of each of the first topics, which have one left, and return what it gains.

        Parameters
        ----------
        weight : of each subtopic; those of the chosen documents are multiplied by ``factor``.
        """
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
    """Number the kinds of documents by topic.

    Returns
    -------
    kind : shape (n_documents,); documents of a topic have the same number if they have the same subtopics.
    first : per kind; its first document.
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

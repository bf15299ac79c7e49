"""A ranking seen through the subtopics of its topics."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, Segments
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.subtopics import RelevantParts, SubtopicJudgments
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rounding import powers
from irevalx.settings import UnjudgedTreatment


class TopicsWithSubtopics(Frozen):
    """Rankings of n topics, seen through the documents that are relevant for a subtopic: all that a measure may see.

    Parameters
    ----------
    rows : per topic, the retrieved documents that are relevant for some subtopic, in rank order.
    rank : flat over ``rows``; 1-based.
    parts : per document (flat over ``rows``), the subtopics that it is relevant for, ascending.
    subtopic : flat over ``parts``; the flat index in ``subtopics``.
    subtopics : per topic, its subtopics with a relevant document, retrieved or not.
    n_relevant : flat over ``subtopics``; documents that are relevant for it, retrieved or not.
    judged_topic, judged : per topic, its place in the judgments, which know the ideal lists.
    """

    rows: Segments
    rank: IntArray
    parts: Segments
    subtopic: IntArray
    subtopics: Segments
    n_relevant: IntArray
    judged_topic: IntArray
    judged: RelevantParts

    @cached_property
    def seen_before(self) -> IntArray:
        """Flat over ``parts``: how many documents above this one are relevant for the same subtopic."""
        by_subtopic = np.argsort(self.subtopic, kind="stable")
        seen = np.empty(self.subtopic.size, np.int64)
        lengths = np.bincount(self.subtopic, minlength=self.subtopics.size)
        seen[by_subtopic] = Segments.of_lengths(lengths).position
        return seen

    @cached_property
    def part_rank(self) -> IntArray:
        """Flat over ``parts``: the rank of the document."""
        return self.rank[self.parts.ids]

    @cached_property
    def _gains(self) -> dict[float, FloatArray]:
        return {}

    def gain(self, alpha: float) -> FloatArray:
        """Return, flat over ``rows``, what each document adds to those above it.

        That is the sum over its subtopics, by ascending subtopic, of (1 - alpha) to the number of documents above it
        that are relevant for the same subtopic. The power is a running product.
        """
        if alpha not in self._gains:
            weight = powers(1.0 - alpha, int(self.seen_before.max(initial=0)) + 1)
            self._gains[alpha] = self.parts.sum(weight[self.seen_before])
        return self._gains[alpha]

    def ideal(self, alpha: float) -> tuple[Segments, FloatArray]:
        """Return, per topic, the ideal list as far as it gains anything, and flat what each of its documents gains."""
        lists, gains = self.judged.ideal(alpha)
        chosen, index = lists.take(self.judged_topic)
        return chosen, gains[index]


def assess_subtopics(
    ranking: Ranking, judgments: SubtopicJudgments, *, level: float = 1, reading: UnjudgedTreatment = "nonrel"
) -> TopicsWithSubtopics:
    """Return what measures of subtopics see of a ranking.

    Parameters
    ----------
    ranking : made with the documents of these judgments.
    level : the least grade that is relevant.
    reading : ``skip`` removes the documents that were judged for no subtopic, so that the others move up (``-J``).
    """
    judged = judgments.relevant(level)
    seen = ranking.of_judged(reading)
    relevant = judged.parts.lengths[seen.row] > 0
    rows = seen.rows.keep(relevant)
    parts, index = judged.parts.take(seen.row[relevant])
    subtopics, of_topic = judged.subtopics.take(ranking.judged_topic)
    # A topic of the judgments may be that of several rankings, each of which has its own subtopics here.
    shift = subtopics.offsets[:-1] - judged.subtopics.offsets[:-1][ranking.judged_topic]
    return TopicsWithSubtopics(
        rows=rows,
        rank=seen.rank[relevant],
        parts=parts,
        subtopic=judged.subtopic[index] + shift[rows.ids[parts.ids]],
        subtopics=subtopics,
        n_relevant=judged.n_relevant[of_topic],
        judged_topic=ranking.judged_topic,
        judged=judged,
    )

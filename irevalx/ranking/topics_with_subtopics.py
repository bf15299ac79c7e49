"""Rankings assessed with the subtopics of topics."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, Segments
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.subtopics import RelevantParts, SubtopicJudgments
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rounding import powers
from irevalx.settings import UnjudgedTreatment


class TopicsWithSubtopics(Frozen):
    """Rankings of n topics, assessed with subtopics: all that their measures see."""

    rows: Segments
    """Per topic, the retrieved documents that are relevant for some subtopic, in rank order."""
    rank: IntArray
    """Flat over ``rows``; 1-based."""
    parts: Segments
    """Per document (flat over ``rows``), the subtopics that it is relevant for, ascending."""
    subtopic: IntArray
    """Flat over ``parts``; the flat index in ``subtopics``."""
    subtopics: Segments
    """Per topic, its subtopics with a relevant document, retrieved or not."""
    n_relevant: IntArray
    """Flat over ``subtopics``; relevant documents, retrieved or not."""
    judged_topic: IntArray
    """Per topic, its place in the judgments."""
    judged: RelevantParts
    """Relevance in the judgments, with the ideal lists."""

    @cached_property
    def seen_before(self) -> IntArray:
        """Flat over ``parts``: documents above this one that are relevant for the same subtopic."""
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
        """Return, flat over ``rows``, the novelty gain of each document.

        The sum over its subtopics, ascending, of (1 - alpha) to the power of ``seen_before``, a running product.
        """
        if alpha not in self._gains:
            weight = powers(1.0 - alpha, int(self.seen_before.max(initial=0)) + 1)
            self._gains[alpha] = self.parts.sum(weight[self.seen_before])
        return self._gains[alpha]

    def ideal(self, alpha: float) -> tuple[Segments, FloatArray]:
        """Return, per topic, the ideal list as far as it gains anything, and flat the gain of each of its documents."""
        lists, gains = self.judged.ideal(alpha)
        chosen, index = lists.take(self.judged_topic)
        return chosen, gains[index]


def assess_subtopics(
    ranking: Ranking, judgments: SubtopicJudgments, *, level: float = 1, reading: UnjudgedTreatment = "nonrel"
) -> TopicsWithSubtopics:
    """Return what measures of subtopics see of a ranking; ``skip`` removes documents without any judgment (``-J``)."""
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

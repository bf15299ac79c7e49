"""Rankings assessed with a sample of judgments with inclusion probabilities."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.with_probabilities import JudgmentsWithProbabilities
from irevalx.ranking.ranking import Ranking
from irevalx.settings import UnjudgedTreatment


class TopicsWithProbabilities(Frozen):
    """Rankings of n topics, assessed with a sample: all that its measures see."""

    rows: Segments
    """Per topic, the retrieved documents of the sample in rank order."""
    rank: IntArray
    """Flat over ``rows``; 1-based."""
    place: IntArray
    """Flat over ``rows``; the flat index in ``sample``."""
    n_ret: IntArray
    """Per topic; documents retrieved, in the sample or not."""
    sample: Segments
    """Per topic, the documents of the sample, retrieved or not."""
    grade: IntArray
    """Flat over ``sample``; can be negative."""
    probability: FloatArray
    """Flat over ``sample``; inclusion probabilities in (0, 1]."""
    any_at_random: BoolArray
    """Per topic; whether any of them was drawn at random."""
    level: float = 1
    """Relevance level; negative grades are never relevant."""

    @cached_property
    def relevant(self) -> BoolArray:
        """Flat over ``sample``: whether the document is relevant."""
        return self.grade >= max(self.level, 0)

    @cached_property
    def stands_for(self) -> FloatArray:
        """Flat over ``sample``: the inverse probability of a relevant document; 0 for others."""
        return np.where(self.relevant, 1.0 / self.probability, 0.0)

    @cached_property
    def estimated_relevant(self) -> FloatArray:
        """Per topic: estimated number of relevant documents."""
        return self.sample.sum(self.stands_for)


def assess_with_probabilities(
    ranking: Ranking, judgments: JudgmentsWithProbabilities, *, level: float = 1, reading: UnjudgedTreatment = "nonrel"
) -> TopicsWithProbabilities:
    """Return what measures of a sample see of a ranking; ``skip`` removes the documents outside the sample (``-J``)."""
    seen = ranking.of_judged(reading)
    sample, index = judgments.rows.take(ranking.judged_topic)
    return TopicsWithProbabilities(
        rows=seen.rows,
        rank=seen.rank,
        place=sample.at(seen.rows.ids, judgments.rows.position[seen.row]),
        n_ret=seen.n_ret,
        sample=sample,
        grade=judgments.grades[index],
        probability=judgments.probabilities[index],
        any_at_random=sample.count(judgments.at_random[index]) > 0,
        level=level,
    )

"""A ranking seen through a sample in which every document had a probability of its own of being drawn."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.with_probabilities import JudgmentsWithProbabilities
from irevalx.ranking.ranking import Ranking
from irevalx.settings import UnjudgedTreatment


class TopicsWithProbabilities(Frozen):
    """Rankings of n topics, seen through the documents of a sample: all that a measure may see.

    Parameters
    ----------
    rows : per topic, the retrieved documents of the sample in rank order.
    rank : flat over ``rows``; 1-based.
    place : flat over ``rows``; the flat index in ``sample``.
    n_ret : per topic; how many documents were retrieved, those outside the sample included.
    sample : per topic, the documents of the sample, retrieved or not.
    grade : flat over ``sample``; may be negative.
    probability : flat over ``sample``; of being drawn, above 0 and at most 1.
    any_at_random : per topic; whether any of them was drawn at random.
    level : the least grade that is relevant; negative ones never are.
    """

    rows: Segments
    rank: IntArray
    place: IntArray
    n_ret: IntArray
    sample: Segments
    grade: IntArray
    probability: FloatArray
    any_at_random: BoolArray
    level: float = 1

    @cached_property
    def relevant(self) -> BoolArray:
        """Flat over ``sample``: whether the document is relevant."""
        return self.grade >= max(self.level, 0)

    @cached_property
    def stands_for(self) -> FloatArray:
        """Flat over ``sample``: how many relevant documents the document stands for; 0 for one that is not."""
        return np.where(self.relevant, 1.0 / self.probability, 0.0)

    @cached_property
    def estimated_relevant(self) -> FloatArray:
        """Per topic: how many relevant documents there are."""
        return self.sample.sum(self.stands_for)


def assess_with_probabilities(
    ranking: Ranking, judgments: JudgmentsWithProbabilities, *, level: float = 1, reading: UnjudgedTreatment = "nonrel"
) -> TopicsWithProbabilities:
    """Return what measures of a sample with inclusion probabilities see of a ranking.

    Parameters
    ----------
    ranking : made with the documents of these judgments.
    level : the least grade that is relevant.
    reading : ``skip`` removes the documents outside the sample, so that the others move up (``-J``).
    """
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

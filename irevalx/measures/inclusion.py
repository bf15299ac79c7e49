"""Estimates from a sample in which every document had a probability of its own of being drawn, as statAP_MQ_eval's.

A document of the sample that was drawn with the probability p stands for 1/p documents. Documents outside the sample
are nonrelevant and keep their ranks.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments, ordered_sum, ratio
from irevalx.frozen import Frozen
from irevalx.measures.graded_cutoffs import exponential_dcg
from irevalx.measures.summary import Population, Values
from irevalx.ranking.drawn_topics import DrawnTopics


class _Found(Frozen):
    """The relevant documents of the sample that were retrieved.

    Parameters
    ----------
    rows : per topic, these documents in rank order.
    rank : flat over ``rows``; 1-based.
    place : flat over ``rows``; the flat index in ``t.sample``.
    stands_for : flat over ``rows``; the number of relevant documents that each stands for.
    """

    rows: Segments
    rank: IntArray
    place: IntArray
    stands_for: FloatArray

    @classmethod
    def of(cls, t: DrawnTopics) -> _Found:
        """Choose them."""
        relevant = t.relevant[t.place]
        place = t.place[relevant]
        return cls(t.rows.keep(relevant), t.rank[relevant], place, t.stands_for[place])

    @cached_property
    def precision(self) -> FloatArray:
        """Flat: the precision that is estimated at each."""
        above = self.rows.previous(self.rows.running_sum(self.stands_for), none=0.0)
        return (1.0 + above) / self.rank

    def within(self, limit: IntArray | int) -> FloatArray:
        """Per topic: the estimated number of relevant documents up to a rank, the same for all topics or one each."""
        reached = self.rank <= (limit if isinstance(limit, int) else self.rows.spread(limit))
        return self.rows.sum(np.where(reached, self.stands_for, 0.0))


def can_estimate(t: DrawnTopics) -> BoolArray:
    """Return, per topic, whether the sample has a relevant document, and any that was drawn at random."""
    return t.can_estimate


def stat_ap(t: DrawnTopics) -> FloatArray:
    """Average precision."""
    found = _Found.of(t)
    return ratio(found.rows.sum(found.precision * found.stands_for), t.estimated_relevant)


def stat_rprec(t: DrawnTopics) -> FloatArray:
    """R-precision."""
    found, n_rel = _Found.of(t), t.estimated_relevant
    rounded = np.floor(n_rel + 0.5).astype(np.int64)
    shorter = t.n_ret < rounded
    return ratio(found.within(rounded), np.where(shorter, n_rel, rounded))


def stat_p(t: DrawnTopics, k: int) -> FloatArray:
    """Precision after K documents."""
    return _Found.of(t).within(k) / k


def stat_ndcg(t: DrawnTopics, k: int) -> FloatArray:
    """Normalised discounted cumulative gain of the first K documents."""
    gaining = t.grade > 0
    ideal, grade = t.sample.keep(gaining), t.grade[gaining]
    grade = grade[ideal.order(-grade)]
    highest = ideal.max(grade, empty=0)
    found = exponential_dcg(t.rows, t.rank, t.grade[t.place], highest, k)
    return ratio(found, exponential_dcg(ideal, ideal.position + 1, grade, highest, k))


def stat_r(t: DrawnTopics) -> FloatArray:
    """Number of relevant documents."""
    return t.estimated_relevant


def stat_ap_variance(t: DrawnTopics) -> FloatArray:
    """Variance of statAP."""
    found, size, p = _Found.of(t), t.sample.lengths, t.probability
    precision = np.zeros(t.sample.size)
    precision[found.place] = found.precision
    error = (precision - t.sample.spread(stat_ap(t))) * t.stands_for
    own = t.sample.sum((1.0 - p) * error * error)
    pairs = -t.sample.sum(error * error)  # the errors of a topic add up to 0
    share = found.stands_for / found.rank
    below = found.rows.spread(found.rows.sum(share)) - found.rows.running_sum(share)
    weight = (1.0 - p[found.place]) * found.stands_for * found.stands_for
    total = own - ratio(pairs, size - 1) + found.rows.sum(weight * below * below)
    of_mean = ratio(total, t.estimated_relevant * t.estimated_relevant)
    return np.minimum(of_mean * (size / (t.rows.lengths + 0.1)), 1.0)


def variance_of_mean(values: Values, population: Population) -> float:
    """Return the variance of the mean over topics, whose variances these are: their sum over the squared number."""
    return ordered_sum(np.asarray(values)) / (population.n_topics * population.n_topics or 1)

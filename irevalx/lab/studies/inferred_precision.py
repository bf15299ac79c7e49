"""infAP taken apart: its two sources of error, the sampled documents and the precisions estimated at them.

Source: Yilmaz and Aslam, Estimating Average Precision When Judgments Are Incomplete, KAIS 2008, sections 4.5, 4.5.1 and
4.5.4 (Figure 19).
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ratio
from irevalx.evaluation.topic_values import AssessedRanking
from irevalx.experiments.experiment import Experiment
from irevalx.frozen import cached_property, replace, values
from irevalx.judgments.graded import Judgments
from irevalx.measures.declare import NONREL, ZERO_TO_ONE, measure
from irevalx.measures.incomplete import DEFAULT_C, DEFAULT_EPSILON, inferred_average_precision
from irevalx.measures.select import SelectedMeasure
from irevalx.measures.summary import mean
from irevalx.ranking.assess import Assessed
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics
from irevalx.settings import Settings, UnjudgedTreatment


class TopicsWithoutPool(Topics):
    """Rankings in which nothing is known of a pool: any document that was not judged might have been."""

    @cached_property
    def unjudged_above(self) -> IntArray:
        """Flat: documents not judged that are ranked above this one."""
        return self.rank - 1 - self.relevant_above - self.nonrelevant_above


class TopicsWithTruth(Topics, kw_only=True):
    """Rankings seen through a sample of the judgments, of which the full ones are known as well.

    Parameters
    ----------
    true_precision : flat over ``rows``; the precision at each document under full judgments.
    """

    true_precision: FloatArray


def without_pool(t: Topics, c: float = DEFAULT_C, epsilon: float = DEFAULT_EPSILON) -> FloatArray:
    """Return infAP of each topic that does not know which documents were pooled: the paper's equation 2.

    Parameters
    ----------
    c, epsilon : as those of infAP.
    """
    unaware = TopicsWithoutPool(t.rows, t.rank, t.grade, t.n_ret, t.pool, t.pool_grade, t.level)
    assert inferred_average_precision.kernel is not None
    return np.asarray(inferred_average_precision.kernel(unaware, c, epsilon), np.float64)


@measure("infAP_no_pool", ZERO_TO_ONE, summary=mean, readings=NONREL)
def infap_without_pool(t: Topics) -> FloatArray:
    """Inferred average precision without a pool.

    All documents above a relevant one are taken to be relevant as often as the judged ones among them, also those from
    outside the pool. Equals infAP where only pooled documents were retrieved. 0 where nothing is relevant.

    Source: Yilmaz and Aslam, KAIS 2008, section 4.5.
    """
    return without_pool(t)


@measure("infAP_true_precisions", ZERO_TO_ONE, summary=mean, readings=NONREL)
def infap_with_true_precisions(t: TopicsWithTruth) -> FloatArray:
    """Inferred average precision with true precisions.

    The precisions at the sampled relevant documents are those of the full judgments. What still differs from average
    precision is due to the sample: the mean over all samples is average precision. 0 where nothing relevant was
    sampled.

    Source: Yilmaz and Aslam, KAIS 2008, section 4.5.4.
    """
    return ratio(t.rows.sum(np.where(t.relevant, t.true_precision, 0.0)), t.n_rel)


ERROR_SOURCES = tuple(
    SelectedMeasure(one, one.kind.parse(one.name, None, Settings(), lambda item, value: None), "nonrel", (one.name,))
    for one in (infap_without_pool, infap_with_true_precisions)
)
"""The two measures."""


class AssessedWithTruth(AssessedRanking):
    """A ranking assessed with a sample of the judgments, which knows the precisions under the full ones as well."""

    def _assess(
        self, ranking: Ranking, settings: Settings, reading: UnjudgedTreatment, by_gain: SelectedMeasure | None = None
    ) -> Assessed:
        t = super()._assess(ranking, settings, reading, by_gain)
        if reading != "nonrel" or not isinstance(t, Topics) or not isinstance(self.judgments, Judgments):
            return t
        full = ranking.assess(self.judgments, self.judgments.grades, level=settings.level)
        seen = (t.rows, t.rank, t.grade, t.n_ret, t.pool, t.pool_grade, t.level)
        return TopicsWithTruth(*seen, true_precision=full.hits_so_far / full.rank)


class WithErrorSources(Experiment):
    """An experiment with the two measures after its own."""

    def _assessed(
        self, ranking: Ranking, missing: BoolArray, grades: IntArray | None, pooled: BoolArray | None
    ) -> AssessedRanking:
        plain = super()._assessed(ranking, missing, grades, pooled)
        if not any(request in ERROR_SOURCES for request in self.requests):  # those that need strata, say
            return plain
        return AssessedWithTruth(*values(plain))


def with_error_sources(experiment: Experiment) -> WithErrorSources:
    """Return an experiment with the two measures as well."""
    both = replace(experiment, requests=(*experiment.requests, *ERROR_SOURCES))
    return WithErrorSources(*values(both))

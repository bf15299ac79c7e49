"""The two sources of error of infAP: sampling and estimation.

Source: Yilmaz and Aslam, Estimating Average Precision When Judgments Are Incomplete, KAIS 2008, sections 4.5, 4.5.1 and
4.5.4 (Figure 19).
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ratio
from irevalx.evaluation.topic_values import AssessedRanking
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.frozen import cached_property, replace, values
from irevalx.judgments.graded import Judgments
from irevalx.measures.declaration import NONREL, ZERO_TO_ONE, measure
from irevalx.measures.incomplete_judgments import DEFAULT_C, DEFAULT_EPSILON, inferred_average_precision
from irevalx.measures.selection import RequestedMeasure
from irevalx.ranking.rank import Assessed
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics
from irevalx.settings import Settings, UnjudgedTreatment


class TopicsWithoutPool(Topics):
    """Rankings in which all unjudged documents are treated as pooled."""

    @cached_property
    def unjudged_above(self) -> IntArray:
        """Per document: the number of unjudged documents ranked above it."""
        return self.rank - 1 - self.relevant_above - self.nonrelevant_above


class FullTopics(Topics, kw_only=True):
    """Rankings with the grades of a sample of the judgments, and with the full judgments."""

    true_precision: FloatArray  # precision at each document of ``rows`` under full judgments


def without_pool(t: Topics, c: float = DEFAULT_C, epsilon: float = DEFAULT_EPSILON) -> FloatArray:
    """Return infAP of each topic without information on the pool (equation 2 of the paper)."""
    unaware = TopicsWithoutPool(t.rows, t.rank, t.grade, t.n_ret, t.pool, t.pool_grade, t.level)
    assert inferred_average_precision.kernel is not None
    return np.asarray(inferred_average_precision.kernel(unaware, c, epsilon), np.float64)


@measure("infAP_no_pool", ZERO_TO_ONE, treatments=NONREL)
def infap_without_pool(t: Topics) -> FloatArray:
    """Inferred average precision without a pool.

    The precision at a relevant document is estimated from all judged documents above it, as if unpooled documents were
    pooled. The value equals infAP if only pooled documents were retrieved, and is 0 if no document is relevant.

    Source: Yilmaz and Aslam, KAIS 2008, section 4.5.
    """
    return without_pool(t)


@measure("infAP_true_precisions", ZERO_TO_ONE, treatments=NONREL)
def infap_with_true_precisions(t: FullTopics) -> FloatArray:
    """Inferred average precision with true precisions.

    The precisions at the sampled relevant documents are those of the full judgments. Differences from average precision
    are due to the sample alone, since the mean over all samples equals average precision. The value is 0 if no relevant
    document was sampled.

    Source: Yilmaz and Aslam, KAIS 2008, section 4.5.4.
    """
    return ratio(t.rows.sum(np.where(t.relevant, t.true_precision, 0.0)), t.n_rel)


ERROR_SOURCES = tuple(
    RequestedMeasure(m, m.kind.parse(m.name, None, Settings(), lambda item, value: None), "nonrel", (m.name,))
    for m in (infap_without_pool, infap_with_true_precisions)
)


class FullyAssessedRanking(AssessedRanking):
    """A ranking with the grades of a sample of the judgments, and with precisions under the full judgments."""

    def _assess(
        self, ranking: Ranking, settings: Settings, reading: UnjudgedTreatment, by_gain: RequestedMeasure | None = None
    ) -> Assessed:
        t = super()._assess(ranking, settings, reading, by_gain)
        if reading != "nonrel" or not isinstance(t, Topics) or not isinstance(self.judgments, Judgments):
            return t
        full = ranking.assess(self.judgments, self.judgments.grades, level=settings.level)
        seen = (t.rows, t.rank, t.grade, t.n_ret, t.pool, t.pool_grade, t.level)
        return FullTopics(*seen, true_precision=full.hits_so_far / full.rank)


class InfapErrors(GradedRuns):
    """An experiment whose last two measures separate the sources of error."""

    def _assessed(
        self, ranking: Ranking, missing: BoolArray, grades: IntArray | None, pooled: BoolArray | None
    ) -> AssessedRanking:
        plain = super()._assessed(ranking, missing, grades, pooled)
        if not any(request in ERROR_SOURCES for request in self.requests):  # e.g. measures of strata
            return plain
        return FullyAssessedRanking(*values(plain))


def with_error_sources(experiment: GradedRuns) -> InfapErrors:
    """Return an experiment with the two measures of error sources added."""
    both = replace(experiment, requests=(*experiment.requests, *ERROR_SOURCES))
    return InfapErrors(*values(both))

"""infAP taken apart: its two sources of error, the sampled documents and the precisions estimated at them.

Source: Yilmaz and Aslam, Estimating Average Precision When Judgments Are Incomplete, KAIS 2008, sections 4.5, 4.5.1 and
4.5.4 (Figure 19).
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ratio
from irevalx.lab.experiment import Experiment
from irevalx.lab.statistics.scales import MEAN, Scale
from irevalx.measures.incomplete import EPSILON, SMOOTHING, inferred_average_precision
from irevalx.ranking.topics import Topics

NAMES = ("infAP_no_pool", "infAP_true_precisions")
"""What the variants of infAP are called: without a pool, and with the precisions of the full judgments."""


class TopicsWithoutPool(Topics):
    """Rankings in which nothing is known of a pool: any document that was not judged might have been."""

    @cached_property
    def unjudged_above(self) -> IntArray:
        """Flat: documents not judged that are ranked above this one."""
        return self.rank - 1 - self.relevant_above - self.nonrelevant_above


class WithErrorSources(Experiment):
    """An experiment with two more measures, ``NAMES``, which show where the error of infAP comes from."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The printed names of the measures, each once."""
        return (*super().measures, *NAMES)

    @property
    def scales(self) -> tuple[Scale, ...]:
        """The scales on which the measures are tested, one for each printed name."""
        return (*super().scales, *(MEAN for _ in NAMES))

    def values(self, grades: IntArray | None = None, pooled: BoolArray | None = None) -> FloatArray:
        """Evaluate all runs, as ``Experiment`` does; documents outside the pool are as all that was not judged."""
        sampled = self.grades if grades is None else grades
        more = infap_without_pool(self, sampled), infap_with_true_precisions(self, sampled)
        return np.concatenate((super().values(grades, pooled), more))

    def scores(self, values: FloatArray) -> FloatArray:
        """Summarise over topics, as ``Experiment`` does."""
        n_more = len(NAMES)
        return np.concatenate((super().scores(values[:-n_more]), [MEAN.summarise(one) for one in values[-n_more:]]))


def with_error_sources(experiment: Experiment) -> WithErrorSources:
    """Return the same experiment with the two measures."""
    return WithErrorSources(**{field.name: getattr(experiment, field.name) for field in fields(experiment)})


def infap_without_pool(
    experiment: Experiment, grades: IntArray, *, c: float = SMOOTHING, epsilon: float = EPSILON
) -> FloatArray:
    """Return infAP that does not know which documents were pooled: the paper's equation 2.

    All documents above a relevant one are taken to be relevant as often as the judged ones among them, also those from
    outside the pool. Equal to infAP where only pooled documents were retrieved.

    Parameters
    ----------
    grades : flat over the judgments; negative is not judged.
    c, epsilon : as those of infAP.

    Returns
    -------
    Shape (n_runs, n_topics).
    """
    assert inferred_average_precision.kernel is not None
    values = []
    for ranking in experiment.parts:
        t = ranking.assess(experiment.judgments, grades, level=experiment.level)
        without = TopicsWithoutPool(t.rows, t.rank, t.grade, t.n_ret, t.pool, t.pool_grade, t.level)
        values.append(np.asarray(inferred_average_precision.kernel(without, c, epsilon), np.float64))
    return _by_run(experiment, np.concatenate(values))


def infap_with_true_precisions(experiment: Experiment, grades: IntArray) -> FloatArray:
    """Return infAP whose precisions at sampled relevant documents are those of the full judgments.

    What still differs from average precision is due to the sample: the mean over all samples is average precision.

    Parameters
    ----------
    grades : flat over the judgments; negative is not judged.

    Returns
    -------
    Shape (n_runs, n_topics); 0 where no relevant document was sampled.
    """
    judgments, level = experiment.judgments, experiment.level
    values = []
    for ranking in experiment.parts:
        full = ranking.assess(judgments, experiment.grades, level=level)
        sampled = ranking.assess(judgments, grades, level=level)
        precision = np.where(sampled.relevant, full.hits_so_far / full.rank, 0.0)
        values.append(ratio(sampled.rows.sum(precision), sampled.n_rel))
    return _by_run(experiment, np.concatenate(values))


def _by_run(experiment: Experiment, values: FloatArray) -> FloatArray:
    return np.where(experiment.missing, 0.0, values.reshape(experiment.missing.shape))

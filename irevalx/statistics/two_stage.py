"""Estimates of a mean over topics, each with a random sample of documents that have human labels.

A topic's total is estimated by the difference estimator: the machine's total of all documents, and for each sampled one
the machine's error over its inclusion probability (Särndal, Swensson and Wretman, Model Assisted Survey Sampling, 1992,
section 6.3; with a weight for the machine it is the estimator of Angelopoulos, Duchi and Zrnic, PPI++, arXiv
2311.01453, 2023, with sampling weights).
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ratio
from irevalx.frozen import Frozen, cached_property
from irevalx.statistics.prediction_powered import p_of_mean, t_interval
from irevalx.statistics.significance import without_noise

FEW_TOPICS = 25
"""The coverage of intervals was not measured with fewer topics."""


class DrawnDocuments(Frozen):
    """The sampled documents of all topics."""

    n_topics: int
    """Some can have no sampled document."""
    topic: IntArray
    """Shape (n_drawn,); from 0 up."""
    probability: FloatArray
    """Inclusion probabilities, shape (n_drawn,), in (0, 1]; equal within a stratum."""
    stratum: IntArray | None
    """Numbers of strata over all topics, from 0 up, shape (n_drawn,); all samples of its size are equally likely in a
    stratum. None: each document was drawn by itself."""

    def total(self, values: FloatArray) -> FloatArray:
        """Return the Horvitz-Thompson estimates of topics' totals, shape (n_topics,), from values (n_drawn,)."""
        return self._per_topic(values / self.probability)

    @cached_property
    def _alone(self) -> FloatArray:
        """The variance that a document adds per square if it was drawn by itself."""
        variances: FloatArray = (1 - self.probability) / self.probability**2
        return variances

    def covariance(self, values: FloatArray, others: FloatArray) -> FloatArray:
        """Return the estimated covariance of the totals of each topic over all samples, shape (n_topics,).

        Unbiased, except that the only sampled document of several in a stratum counts as drawn by itself: conservative.
        """
        factor = self._alone
        if self.stratum is not None:
            size = np.bincount(self.stratum)
            several = size[self.stratum] > 1
            values, others = (
                of - np.where(several, ratio(np.bincount(self.stratum, of), size)[self.stratum], 0.0)
                for of in (values, others)
            )
            n = size[self.stratum]
            factor = factor * np.where(several, n / np.maximum(n - 1, 1), 1.0)
        return self._per_topic(factor * values * others)

    def unseen(self, reach: FloatArray) -> float:
        """Return the variance that one more document with an error adds to the sum of totals.

        The mean variance of the greatest errors ``reach``, shape (n_drawn,), weighted by itself; 0 without randomness.
        """
        each = self._alone * reach**2
        return float(ratio((each**2).sum(), each.sum()))

    def _per_topic(self, values: FloatArray) -> FloatArray:
        return np.bincount(self.topic, values, self.n_topics).astype(np.float64)


class MachineTotals(Frozen):
    """Totals of the machine's labels of all documents, shape (n_topics,) each."""

    sampled: FloatArray
    """Over the documents that could be drawn."""
    others: FloatArray
    """Over the other documents, which no sample corrects."""


class TwoStageEstimate(Frozen, kw_only=True):
    """The estimate of a mean over topics."""

    estimate: float
    standard_error: float
    """Over topics and documents."""
    document_error: float
    """The part of the standard error from documents."""
    weight: float
    """lambda, the weight of the machine labels of documents that could be drawn, in [0, 1]."""
    classical: float
    """From the sample alone."""
    classical_error: float
    classical_document_error: float
    machine: float
    """The mean of the machine's labels alone."""
    n_topics: int

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval of the mean over the topic population at 1 - alpha.

        nan if the standard error is 0.
        """
        return self._ends(self.estimate, self.standard_error, alpha)

    def classical_interval(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval from the sample alone."""
        return self._ends(self.classical, self.classical_error, alpha)

    def _ends(self, middle: float, error: float, alpha: float) -> tuple[float, float]:
        low, high = t_interval(np.array(middle), np.array(error), self.n_topics, alpha)
        return float(low), float(high)

    @property
    def p(self) -> float:
        """The p-value of ``p_of_mean``."""
        return float(p_of_mean(np.array(self.estimate), np.array(self.standard_error), self.n_topics))

    @property
    def document_gain(self) -> float:
        """How many times as many documents the sample alone needs for the same document error; nan if that is 0."""
        return self.classical_document_error**2 / self.document_error**2 if self.document_error else np.nan


def two_stage(
    drawn: DrawnDocuments,
    human: FloatArray,
    machine: FloatArray,
    totals: MachineTotals,
    *,
    reach: FloatArray,
    weight: float | None = None,
) -> TwoStageEstimate:
    """Estimate the mean over topics, two at least, of totals over documents, from contributions of shape (n_drawn,).

    The variance over topics and documents is the variance of the estimated totals: topics are independent, and it
    includes the variance from documents (Cochran, Sampling Techniques, 1977, section 11.9, with few of all topics
    drawn). If few of the sampled documents count, most samples underestimate the error. So all variances include one
    more document with an error (ours, after the successes and failures that Agresti and Coull, The American
    Statistician 1998, add): 95 % intervals that covered 0.85 cover 0.98 then.

    ``reach`` is the greatest error of each sampled document. ``weight`` is lambda: None for the least document error, 0
    for human values alone; with a given one the estimate is unbiased.
    """
    if weight is None:
        spread, shared = (without_noise(drawn.covariance(machine, of).sum()) for of in (machine, human))
        weight = float(np.clip(ratio(shared, spread), 0.0, 1.0))
    rectified = human - weight * machine
    unseen = drawn.unseen(reach) / drawn.n_topics**2
    of_topics = totals.others + weight * totals.sampled + drawn.total(rectified)
    alone = drawn.total(human)
    return TwoStageEstimate(
        estimate=float(without_noise(of_topics.mean())),
        standard_error=_error(of_topics, unseen),
        document_error=_document_error(drawn, rectified, unseen),
        weight=weight,
        classical=float(without_noise(alone.mean())),
        classical_error=_error(alone, unseen),
        classical_document_error=_document_error(drawn, human, unseen),
        machine=float(without_noise((totals.sampled + totals.others).mean())),
        n_topics=drawn.n_topics,
    )


def _error(of_topics: FloatArray, unseen: float) -> float:
    return float(without_noise(np.sqrt(of_topics.var(ddof=1) / of_topics.size + unseen)))


def _document_error(drawn: DrawnDocuments, values: FloatArray, unseen: float) -> float:
    variance = drawn.covariance(values, values).sum() / drawn.n_topics**2
    return float(without_noise(np.sqrt(variance + unseen)))

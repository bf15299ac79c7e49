"""Estimates of a mean over topics in each of which a random sample of documents has human labels.

A topic's total is estimated by the difference estimator: the machine's total of all documents, and for each drawn one
the machine's error divided by the probability with which it was drawn (Särndal, Swensson and Wretman, Model Assisted
Survey Sampling, 1992, section 6.3; with a weight for the machine it is the estimator of Angelopoulos, Duchi and Zrnic,
PPI++, arXiv 2311.01453, 2023, with the weights of a sample).
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ratio
from irevalx.frozen import Frozen, cached_property
from irevalx.statistics.prediction_powered import p_of_mean, t_interval
from irevalx.statistics.significance import without_noise

FEW_TOPICS = 25
"""With fewer topics the intervals have not been tried."""


class DrawnDocuments(Frozen):
    """The drawn documents of all topics.

    Parameters
    ----------
    n_topics : their number; some may have no drawn document.
    topic : shape (n_drawn,); from 0 up.
    probability : shape (n_drawn,); above 0 and at most 1. Where there are strata, that of all documents of one.
    stratum : shape (n_drawn,); numbers, from 0 up, of the strata of all topics, each in one topic: of a stratum with S
        drawn documents all samples of S are equally likely. None: each document was drawn by itself.
    """

    n_topics: int
    topic: IntArray
    probability: FloatArray
    stratum: IntArray | None

    def total(self, values: FloatArray) -> FloatArray:
        """Return the Horvitz-Thompson estimates of topics' totals, shape (n_topics,).

        Parameters
        ----------
        values : shape (n_drawn,).
        """
        return self._per_topic(values / self.probability)

    @cached_property
    def _alone(self) -> FloatArray:
        """What a document adds to a variance per square if it was drawn by itself."""
        found: FloatArray = (1 - self.probability) / self.probability**2
        return found

    def covariance(self, values: FloatArray, others: FloatArray) -> FloatArray:
        """Return the estimated covariance of the totals of each topic, over all samples; shape (n_topics,).

        Unbiased, but for strata with one drawn document of several. These count as drawn by themselves, which gives too
        much rather than too little.

        Parameters
        ----------
        values, others : shape (n_drawn,); the same for a variance.
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
        """Return the variance of the sum of totals that one document adds whose error the sample does not show.

        The mean of what the greatest error of a drawn document adds, each weighing as much as it adds: 0 where chance
        had no part in it.

        Parameters
        ----------
        reach : shape (n_drawn,); the greatest error that each may have, 0 for a document that does not count.
        """
        each = self._alone * reach**2
        return float(ratio((each**2).sum(), each.sum()))

    def _per_topic(self, values: FloatArray) -> FloatArray:
        return np.bincount(self.topic, values, self.n_topics).astype(np.float64)


class MachineTotals(Frozen):
    """What the machine's labels of all documents add up to, shape (n_topics,) each.

    Parameters
    ----------
    sampled : over the documents that could be drawn.
    others : over those that could not: no sample corrects them.
    """

    sampled: FloatArray
    others: FloatArray


class TwoStageEstimate(Frozen, kw_only=True):
    """The estimate of a mean over topics.

    Parameters
    ----------
    estimate, standard_error : with machine labels; over the draws of topics and documents.
    document_error : the part of the standard error that is over the draws of documents alone.
    weight : lambda, with which machine labels of documents that could be drawn count, in [0, 1].
    classical, classical_error, classical_document_error : from the sample alone.
    machine : the mean of the machine's labels alone.
    n_topics : their number.
    """

    estimate: float
    standard_error: float
    document_error: float
    weight: float
    classical: float
    classical_error: float
    classical_document_error: float
    machine: float
    n_topics: int

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that covers the mean over all topics there are with probability 1 - alpha.

        They are nan where the standard error is 0.
        """
        return self._ends(self.estimate, self.standard_error, alpha)

    def classical_interval(self, alpha: float) -> tuple[float, float]:
        """Return the same for the sample alone."""
        return self._ends(self.classical, self.classical_error, alpha)

    def _ends(self, middle: float, error: float, alpha: float) -> tuple[float, float]:
        low, high = t_interval(np.array(middle), np.array(error), self.n_topics, alpha)
        return float(low), float(high)

    @property
    def p(self) -> float:
        """The p-value of the t test of whether the mean is 0, as ``p_of_mean`` has it."""
        return float(p_of_mean(np.array(self.estimate), np.array(self.standard_error), self.n_topics))

    @property
    def document_gain(self) -> float:
        """How many times as many documents the sample alone would need for the same document error; nan without any."""
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
    """Estimate the mean over topics of the total over documents.

    The variance over topics and documents is that of the estimated totals: topics were drawn independently of each
    other, and what documents add is in it already (Cochran, Sampling Techniques, 1977, section 11.9, with few of all
    topics drawn). Where few of the drawn documents count, most samples show less error than there is. So all variances
    have the error of one document more (ours, after the successes and failures that Agresti and Coull, The American
    Statistician 1998, add to those seen): 95 % intervals that covered 0.85 cover 0.98 then.

    Parameters
    ----------
    drawn : the documents that people labelled; of two topics at least.
    human, machine : shape (n_drawn,); what each adds to the total by either labels.
    totals : the machine's.
    reach : shape (n_drawn,); the greatest error that each may have.
    weight : lambda; None for the one with the least document error, 0 for human values alone. With a given one the
        estimate is unbiased.
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

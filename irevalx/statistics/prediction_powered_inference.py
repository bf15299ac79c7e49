"""Prediction-powered estimates of means over topics, and two-stage estimates over sampled documents.

Source: Angelopoulos, Duchi and Zrnic, PPI++: Efficient Prediction-Powered Inference, arXiv 2311.01453, 2023.

The total of a topic is estimated by the difference estimator: the machine labels of all documents are summed, and the
machine's error for each sampled document, divided by the inclusion probability, is added (Särndal, Swensson and
Wretman, Model Assisted Survey Sampling, 1992, section 6.3). If the machine labels have a weight, the estimator is PPI++
with sampling weights.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ratio
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.statistics.confidence_intervals import Ends
from irevalx.statistics.correlations import divided, pearson
from irevalx.statistics.proportions import wilson_interval
from irevalx.statistics.significance import without_noise

FEW_HUMAN = 40
"""The number of human topics below which the intervals of skewed values are too short."""

FEWEST_HUMAN = 4
"""The minimum number of human topics from which a mean is estimated."""

FEWEST_FOR_BENEFIT = 10
"""The minimum number of human topics for which the effective number of topics has an interval."""

_GREATEST = 1 - 1e-15
"""The value to which higher correlations are clipped, because atanh(1) is infinite."""


class Estimates(Frozen, kw_only=True):
    """Prediction-powered estimates of means. The shape of each array is (n_rows,)."""

    estimate: FloatArray
    """The estimated means, for which machine labels are used."""
    standard_error: FloatArray
    weight: FloatArray
    """The weight of the machine labels, lambda, in [0, 1]."""
    cut: BoolArray
    """Whether lambda was above 1 before clipping."""
    freedom: IntArray
    """The degrees of freedom of the standard error: n - 2 if lambda is fitted, and n - 1 if lambda is given or 0."""
    classical: FloatArray
    """The mean of the human values."""
    classical_error: FloatArray
    correlation: FloatArray
    """The correlation between human and machine values over topics that have both. The correlation is NaN if all human
    values, or all machine values, are equal."""
    correlation_error: FloatArray
    """The standard error of atanh(correlation), or NaN if the effective number of topics has no interval."""
    effective_topics: FloatArray
    """The number of human topics for the same standard error without machine labels, or NaN if the error is 0."""
    n_human: int
    n_machine: int
    """The number of topics with machine labels only."""
    added: float = 0.0
    """The constant that was added to each sum of squares of human values."""
    n_rarer: FloatArray | None = None
    """The number of occurrences of the rarer human value if values are 0 or 1, and otherwise None."""

    def interval(self, alpha: float) -> Ends:
        """Return the bounds of intervals for the population mean with the confidence level 1 - alpha."""
        return self._interval(self.estimate, self.standard_error, self.freedom, alpha)

    def classical_interval(self, alpha: float) -> Ends:
        """Return the bounds of intervals for the population mean that use only human values."""
        return self._interval(self.classical, self.classical_error, np.array(self.n_human - 1), alpha)

    def _interval(self, middle: FloatArray, error: FloatArray, freedom: IntArray, alpha: float) -> Ends:
        """Return t intervals or, for values of 0 and 1, Wilson's intervals with an effective number of values.

        The effective number is the variance of a value divided by the squared standard error. If one of the two values
        is rare, the standard error is uncertain, and the effective number is shrunk towards the number of human values.
        """
        if self.n_rarer is None:
            return t_interval(middle, error, freedom, alpha)
        from scipy import special

        share, n = np.clip(middle, 0, 1), self.n_human
        gain = np.clip(divided(share * (1 - share), n * error**2), 0.5, 1 + self.n_machine / n)
        weight = 1 / (1 + self.n_rarer)
        n_effective = n * (weight + (1 - weight) * np.where(error == 0, 1.0, gain))
        return wilson_interval(share, n_effective, special.stdtrit(freedom, 1 - alpha / 2))

    def effective_interval(self, alpha: float) -> Ends:
        """Return intervals for the effective number of topics if lambda is fitted.

        For the best lambda, the effective number depends on the correlation r of human and machine values in the
        population. The number is n / (1 - f r**2), where f is the fraction of topics with machine labels only. The
        estimate ``effective_topics`` can be outside the interval, because its lambda is fitted. The bounds are NaN if
        lambda is given, the correlation is undefined, or there are fewer than ``FEWEST_FOR_BENEFIT`` human topics.
        """
        from scipy import special

        half = special.stdtrit(max(1, self.n_human - 2), 1 - alpha / 2) * self.correlation_error
        middle = np.arctanh(np.clip(self.correlation, -_GREATEST, _GREATEST))
        low, high = (np.maximum(np.tanh(end), 0.0) for end in (middle - half, middle + half))
        share = self.n_machine / (self.n_human + self.n_machine)
        return self.n_human / (1 - share * low**2), self.n_human / (1 - share * high**2)

    @property
    def p(self) -> FloatArray:
        """The p-values for means of 0, which are below alpha if and only if the interval excludes 0."""
        return p_of_mean(self.estimate, self.standard_error, self.n_human, self.freedom)


def prediction_powered(
    human: FloatArray, machine: FloatArray, more: FloatArray, *, weight: float | None = None, added: float = 0.0
) -> Estimates:
    """Estimate means from human and machine values of some topics and the machine values of ``more`` topics.

    ``weight`` is lambda: None for the minimum standard error, or 0 for human values only. The estimates equal the
    estimates of ppi-python. ppi-python divides the sum of squares by n and computes normal intervals, which are too
    narrow for few human topics. This function subtracts a degree of freedom for a fitted lambda, in the variance and in
    Student's t distribution. Standard errors are NaN if a variance has no degree of freedom. The shape of each array is
    (n_rows, n_topics). The constant ``added`` is added to the sums of squares.
    """
    n, n_more = human.shape[1], more.shape[1]
    best = best_weights(human, machine, more)
    chosen = np.clip(best, 0.0, 1.0) if weight is None else np.full(len(human), weight)
    rectified = human - chosen[:, np.newaxis] * machine
    estimate = rectified.mean(axis=1) + chosen * more.mean(axis=1)
    freedom = np.where((weight is None) & (chosen > 0), n - 2, n - 1)
    of_machine = np.where(chosen > 0, chosen**2 * divided(_squares(more), n_more - 1) / n_more, 0.0)
    error = without_noise(np.sqrt(divided(_squares(rectified) + added, freedom) / n + of_machine))
    classical_error = without_noise(np.sqrt(divided(_squares(human) + added, n - 1) / n))
    has_interval = weight is None and n >= FEWEST_FOR_BENEFIT
    return Estimates(
        estimate=estimate,
        standard_error=error,
        weight=chosen,
        cut=best > 1 if weight is None else np.zeros(len(human), np.bool_),
        freedom=freedom,
        classical=human.mean(axis=1),
        classical_error=classical_error,
        correlation=pearson(human, machine),
        correlation_error=_correlation_errors(human, machine) if has_interval else np.full(len(human), np.nan),
        effective_topics=n * divided(classical_error**2, error**2),
        n_human=n,
        n_machine=n_more,
        added=added,
    )


def _squares(values: FloatArray) -> FloatArray:
    """Return the sum of squared distances of the values of each row from the mean of the row."""
    squares: FloatArray = ((values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return squares


def _correlation_errors(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the jackknife error of atanh(correlation) for each row, but at least the error for normal variables."""
    n = x.shape[1]
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
    of_xy, of_xx, of_yy = (
        without_noise((a * b).sum(axis=1, keepdims=True) - a * b * n / (n - 1)) for a, b in ((x, y), (x, x), (y, y))
    )
    z = np.arctanh(np.clip(divided(of_xy, np.sqrt(np.maximum(of_xx * of_yy, 0.0))), -_GREATEST, _GREATEST))
    errors: FloatArray = np.maximum(np.sqrt((n - 1) / n * _squares(z)), 1 / np.sqrt(n - 3))
    return errors


def expected_estimates(
    pilot: Estimates, human: FloatArray, machine: FloatArray, more: FloatArray, n: int, weight: float | None
) -> Estimates:
    """Return the estimates that are expected from ``n`` human values, given the values of a pilot sample."""
    n_more = pilot.n_human + pilot.n_machine - n
    best = best_weights(human, machine, more) * n_more / pilot.n_machine
    chosen = np.clip(best, 0.0, 1.0) if weight is None else np.full(len(human), weight)
    n_fitted = 1 + ((weight is None) & (chosen > 0))
    spread = _squares(human - chosen[:, np.newaxis] * machine) / (pilot.n_human - n_fitted)
    of_machine = chosen**2 * np.concatenate((machine, more), axis=1).var(axis=1, ddof=1) / n_more
    return replace(
        pilot,
        standard_error=np.sqrt((spread + pilot.added / (n - n_fitted)) / n + of_machine),
        freedom=n - n_fitted,
        n_human=n,
        n_machine=n_more,
        n_rarer=None if pilot.n_rarer is None else pilot.n_rarer * n / pilot.n_human,
    )


def range_of_prediction(half_width: float, n_pilot: int) -> tuple[float, float]:
    """Return the range in which a predicted half-width will probably be.

    The bounds are the 10th and the 90th percentile of the ratio between predicted and realised half-width. The
    percentiles are known for 10, 20 and 50 human values, and interpolated by the inverse square root of the number.
    """
    places = 1 / np.sqrt((np.inf, 50, 20, 10))
    low, high = (np.interp(n_pilot**-0.5, places, of) for of in ((1, 0.85, 0.76, 0.65), (1, 1.14, 1.24, 1.38)))
    return float(half_width * low), float(half_width * high)


def best_weights(human: FloatArray, machine: FloatArray, more: FloatArray) -> FloatArray:
    """Return the lambda that minimises the variance, before it is clipped to [0, 1]. For constant labels, return 0.

    The shape is (n_rows,).
    """
    together = np.concatenate((machine, more), axis=1)
    constant = (together == together[:, :1]).all(axis=1) | (human == human[:, :1]).all(axis=1)
    centred = human - human.mean(axis=1, keepdims=True)
    covariance = (centred * (machine - machine.mean(axis=1, keepdims=True))).mean(axis=1)
    variance = (1 + human.shape[1] / more.shape[1]) * together.var(axis=1, ddof=1)
    return np.where(constant, 0.0, covariance / np.where(constant, 1.0, variance))


def t_interval(middle: FloatArray, error: FloatArray, freedom: IntArray | int, alpha: float) -> Ends:
    """Return Student's t interval for a mean over topics, or NaN if the standard error is 0."""
    from scipy import special

    half = special.stdtrit(freedom, 1 - alpha / 2) * np.where(error == 0, np.nan, error)
    return middle - half, middle + half


def p_of_mean(mean: FloatArray, error: FloatArray, n_topics: int, freedom: IntArray | int) -> FloatArray:
    """Test whether a mean over topics is 0. If the standard error is 0, use sign flips instead of Student's t test."""
    from scipy import special

    zero = error == 0
    flipped = np.where(mean == 0, 1.0, 2.0 ** (1 - n_topics))
    return np.where(zero, flipped, 2 * special.stdtr(freedom, -np.abs(ratio(mean, error))))


FEW_DRAWN = 25
"""The smallest number of topics for which the coverage of intervals was measured."""


class DrawnDocuments(Frozen):
    """The documents that were sampled for human judgment, from all topics."""

    n_topics: int
    """The number of topics, including topics without a sampled document."""
    topic: IntArray
    """The indices of the topics, from 0. The shape is (n_drawn,)."""
    probability: FloatArray
    """The inclusion probabilities, in (0, 1], which are equal for all documents of a stratum. The shape is
    (n_drawn,)."""
    stratum: IntArray | None
    """The index of each document's stratum, or None if documents were drawn independently. The shape is (n_drawn,).
    Strata are numbered over all topics. All samples of the same size from a stratum are equally likely."""

    def total(self, values: FloatArray) -> FloatArray:
        """Return the Horvitz-Thompson estimate of each topic's total. The shape of ``values`` is (n_drawn,)."""
        return self._per_topic(values / self.probability)

    @cached_property
    def _alone(self) -> FloatArray:
        """The variance that each independently drawn document contributes, divided by its squared value."""
        return (1 - self.probability) / self.probability**2

    def covariance(self, values: FloatArray, others: FloatArray) -> FloatArray:
        """Estimate the covariance between two totals of each topic over all samples. The shape is (n_topics,)."""
        # The only sampled document of a larger stratum is treated as drawn independently, which is conservative.
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
        """Return the variance that one more document with an error of up to ``reach`` adds to the sum of totals."""
        # The result is the mean of the variances of drawn documents, weighted by these variances, or 0 without
        # sampling.
        each = self._alone * reach**2
        return float(ratio((each**2).sum(), each.sum()))

    def _per_topic(self, values: FloatArray) -> FloatArray:
        return np.bincount(self.topic, values, self.n_topics).astype(np.float64)


class MachineTotals(Frozen):
    """The sums of the machine labels over the documents of each topic. The shape of each array is (n_topics,)."""

    sampled: FloatArray
    """The sums over the documents that could be drawn."""
    others: FloatArray
    """The sums over the other documents, for which the sample provides no correction."""


class TwoStageEstimate(Frozen, kw_only=True):
    """The two-stage estimate of a mean over topics."""

    estimate: float
    standard_error: float
    """The standard error due to the sampling of topics and documents."""
    document_error: float
    """The standard error due to the sampling of documents."""
    weight: float
    """The weight of the machine labels, lambda, in [0, 1], for documents that could be drawn."""
    classical: float
    """The estimate from the sampled documents only."""
    classical_error: float
    classical_document_error: float
    machine: float
    """The mean computed from machine labels only."""
    n_topics: int

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the bounds of the interval for the population mean with the confidence level 1 - alpha."""
        return self._interval(self.estimate, self.standard_error, alpha)

    def classical_interval(self, alpha: float) -> tuple[float, float]:
        """Return the bounds of the interval for the population mean that uses only the sample."""
        return self._interval(self.classical, self.classical_error, alpha)

    def _interval(self, middle: float, error: float, alpha: float) -> tuple[float, float]:
        low, high = t_interval(np.array(middle), np.array(error), self.n_topics - 1, alpha)
        return float(low), float(high)

    @property
    def p(self) -> float:
        """The p-value for a mean of 0. See ``p_of_mean``."""
        n = self.n_topics
        return float(p_of_mean(np.array(self.estimate), np.array(self.standard_error), n, n - 1))

    @property
    def document_gain(self) -> float:
        """The factor by which a sample must be larger for the same error without machine labels, or NaN for error 0."""
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
    """Estimate the mean of topics' totals over documents, for at least two topics.

    The variance over topics and documents is the variance of the estimated totals. Topics are independent, and the
    variance includes the variance from documents (Cochran, Sampling Techniques, 1977, section 11.9, if a small fraction
    of the topics is drawn). If few of the sampled documents contribute to the totals, most samples underestimate the
    error. Therefore, all variances include an additional document with an error, which increases a coverage of 0.85 to
    0.98 for 95% intervals. This is our addition, similar to the successes and failures added by Agresti and Coull, The
    American Statistician 1998.

    ``human`` and ``machine`` are the contributions of documents, of shape (n_drawn,). ``reach`` is the maximum error of
    each sampled document. ``weight`` is lambda: None for the minimum document error, or 0 for human values only. If
    ``weight`` is given, the estimate is unbiased.
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


def expected_two_stage(
    pilot: TwoStageEstimate, drawn: DrawnDocuments, human: FloatArray, machine: FloatArray, reach: FloatArray, n: float
) -> TwoStageEstimate:
    """Predict the estimate from ``n`` documents of each topic, or from all documents of smaller topics.

    The pilot is a simple random sample of at least two documents of each topic. The other arguments are arguments of
    ``two_stage``. The variance between topics is the pilot's variance without the part that is due to documents.
    """
    n_pilot = np.bincount(drawn.topic)[drawn.topic]
    n_drawn = np.minimum(n, n_pilot / drawn.probability)
    future = DrawnDocuments(drawn.n_topics, drawn.topic, drawn.probability * n_drawn / n_pilot, drawn.stratum)
    rectified = (human - pilot.weight * machine) * np.sqrt(n_drawn / n_pilot)  # sums of n_drawn squares
    document_error = _document_error(future, rectified, future.unseen(reach) / drawn.n_topics**2)
    of_topics = max(0.0, pilot.standard_error**2 - pilot.document_error**2)
    error = float(np.sqrt(of_topics + document_error**2))
    return replace(pilot, standard_error=error, document_error=document_error)


def _error(of_topics: FloatArray, unseen: float) -> float:
    return float(without_noise(np.sqrt(of_topics.var(ddof=1) / of_topics.size + unseen)))


def _document_error(drawn: DrawnDocuments, values: FloatArray, unseen: float) -> float:
    variance = drawn.covariance(values, values).sum() / drawn.n_topics**2
    return float(without_noise(np.sqrt(variance + unseen)))

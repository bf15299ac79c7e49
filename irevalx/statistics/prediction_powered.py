"""Prediction-powered estimates of means: human values of a few topics, machine values of many.

Source: Angelopoulos, Duchi and Zrnic, PPI++: Efficient Prediction-Powered Inference, arXiv 2311.01453, 2023.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, ratio
from irevalx.frozen import Frozen
from irevalx.statistics.correlations import pearson
from irevalx.statistics.intervals import Ends
from irevalx.statistics.significance import without_noise

FEW_TOPICS = 40
"""With fewer human topics the intervals are too short: 95 % intervals cover the truth in less than 94 % of samples."""

HELPFUL = 1.1
"""Machine labels help if the effective number of human topics grows by a tenth."""


class Estimates(Frozen, kw_only=True):
    """Estimates of means, shape (n_rows,) each."""

    estimate: FloatArray
    """With machine labels."""
    standard_error: FloatArray
    weight: FloatArray
    """lambda, the weight of machine labels, in [0, 1]."""
    cut: BoolArray
    """Whether lambda would be above 1."""
    classical: FloatArray
    """The mean of human values alone."""
    classical_error: FloatArray
    correlation: FloatArray
    """Of human and machine values over topics with both; nan if one of them is constant."""
    effective_topics: FloatArray
    """How many human topics alone would have this standard error; nan if it is 0."""
    n_human: int
    """Number of human topics."""

    def interval(self, alpha: float) -> Ends:
        """Return the ends of intervals of the mean over the topic population at 1 - alpha.

        nan if the standard error is 0.
        """
        return t_interval(self.estimate, self.standard_error, self.n_human, alpha)

    def classical_interval(self, alpha: float) -> Ends:
        """Return Student's t intervals of the mean of human values alone."""
        return t_interval(self.classical, self.classical_error, self.n_human, alpha)

    @property
    def p(self) -> FloatArray:
        """The p-values of ``p_of_mean``; below alpha exactly if the interval excludes 0."""
        return p_of_mean(self.estimate, self.standard_error, self.n_human)


def prediction_powered(
    human: FloatArray, machine: FloatArray, more: FloatArray, *, weight: float | None = None
) -> Estimates:
    """Estimate means from human and machine values (n_rows, n_topics) and ``more`` machine values of other topics.

    At least two topics have human values. ``weight`` is lambda: None for the least standard error, 0 for human values
    alone. Estimates and standard errors are those of ppi-python. Its normal intervals are too short for few human
    topics; here they are Student's t with n - 1 degrees of freedom.
    """
    n, n_more = human.shape[1], more.shape[1]
    best = best_weights(human, machine, more)
    chosen = np.clip(best, 0.0, 1.0) if weight is None else np.full(len(human), weight)
    rectified = human - chosen[:, np.newaxis] * machine
    estimate = rectified.mean(axis=1) + chosen * more.mean(axis=1)
    error = without_noise(np.sqrt(rectified.var(axis=1) / n + chosen**2 * more.var(axis=1) / n_more))
    zero = error == 0
    return Estimates(
        estimate=estimate,
        standard_error=error,
        weight=chosen,
        cut=best > 1 if weight is None else np.zeros(len(human), np.bool_),
        classical=human.mean(axis=1),
        classical_error=without_noise(human.std(axis=1, ddof=1) / np.sqrt(n)),
        correlation=pearson(human, machine),
        effective_topics=np.where(zero, np.nan, human.var(axis=1) / np.where(zero, 1.0, error**2)),
        n_human=n,
    )


def best_weights(human: FloatArray, machine: FloatArray, more: FloatArray) -> FloatArray:
    """Return the lambda with the least variance, shape (n_rows,), not clipped to [0, 1]; 0 for constant labels."""
    together = np.concatenate((machine, more), axis=1)
    constant = (together == together[:, :1]).all(axis=1) | (human == human[:, :1]).all(axis=1)
    centred = human - human.mean(axis=1, keepdims=True)
    covariance = (centred * (machine - machine.mean(axis=1, keepdims=True))).mean(axis=1)
    variance = (1 + human.shape[1] / more.shape[1]) * together.var(axis=1, ddof=1)
    return np.where(constant, 0.0, covariance / np.where(constant, 1.0, variance))


def t_interval(middle: FloatArray, error: FloatArray, n_topics: int, alpha: float) -> Ends:
    """Return Student's t interval of a mean over topics; nan if its standard error is 0."""
    from scipy import special

    half = special.stdtrit(n_topics - 1, 1 - alpha / 2) * np.where(error == 0, np.nan, error)
    return middle - half, middle + half


def p_of_mean(mean: FloatArray, error: FloatArray, n_topics: int) -> FloatArray:
    """Return the p-value of Student's t test of whether a mean over topics is 0.

    If the standard error is 0, the p-value of sign flips: 1 for a mean of 0, otherwise 2 of the 2^n ways.
    """
    from scipy import special

    zero = error == 0
    flipped = np.where(mean == 0, 1.0, 2.0 ** (1 - n_topics))
    p: FloatArray = np.where(zero, flipped, 2 * special.stdtr(n_topics - 1, -np.abs(ratio(mean, error))))
    return p

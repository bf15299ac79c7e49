"""Prediction-powered estimates of means: a few topics that people judged, many that a machine labelled.

Source: Angelopoulos, Duchi and Zrnic, PPI++: Efficient Prediction-Powered Inference, arXiv 2311.01453, 2023.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.statistics.correlations import pearson
from irevalx.statistics.significance import ALPHA, without_noise

FEW_TOPICS = 20
"""With fewer human topics the intervals are noticeably too short."""

HELPFUL = 1.1
"""Machine labels help where they are worth a tenth of the human topics more."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates of means, shape (n_rows,) each.

    Parameters
    ----------
    estimate, low, high, standard_error : with machine labels.
    weight : lambda, with which machine labels count, in [0, 1].
    cut : whether lambda would be above 1.
    classical, classical_low, classical_high : with human judgments alone.
    correlation : of human and machine values over the topics that have both; nan where one of them is constant.
    effective_topics : how many human topics alone would have this standard error; nan where that is 0.
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    weight: FloatArray
    cut: BoolArray
    classical: FloatArray
    classical_low: FloatArray
    classical_high: FloatArray
    correlation: FloatArray
    effective_topics: FloatArray


def prediction_powered(
    human: FloatArray, machine: FloatArray, more: FloatArray, *, alpha: float = ALPHA, weight: float | None = None
) -> Estimates:
    """Estimate the mean of human values from the topics of both and those of the machine alone.

    Parameters
    ----------
    human, machine : shape (n_rows, n_topics); values of the topics that people judged, two topics at least.
    more : shape (n_rows, n_more); machine values of topics that nobody judged, one at least.
    alpha : intervals cover the mean with probability 1 - alpha, if all topics are a random sample of the same topics.
    weight : lambda; None for the one with the least standard error, 0 for human values alone.

    Raises
    ------
    ValueError : there are too few topics.
    """
    n, n_more = human.shape[1], more.shape[1]
    if n < 2 or n_more < 1:
        raise ValueError(f"there must be 2 human topics and 1 machine topic at least, but got {n} and {n_more}")
    best = best_weights(human, machine, more)
    chosen = np.clip(best, 0.0, 1.0) if weight is None else np.full(len(human), weight)
    rectified = human - chosen[:, np.newaxis] * machine
    estimate = rectified.mean(axis=1) + chosen * more.mean(axis=1)
    error = without_noise(np.sqrt(rectified.var(axis=1) / n + chosen**2 * more.var(axis=1) / n_more))
    classical = human.mean(axis=1)
    classical_error = without_noise(np.sqrt(human.var(axis=1) / n))
    half = _normal_quantile(1 - alpha / 2)
    zero = error == 0
    return Estimates(
        estimate=estimate,
        low=estimate - half * error,
        high=estimate + half * error,
        standard_error=error,
        weight=chosen,
        cut=best > 1 if weight is None else np.zeros(len(human), np.bool_),
        classical=classical,
        classical_low=classical - half * classical_error,
        classical_high=classical + half * classical_error,
        correlation=pearson(human, machine),
        effective_topics=np.where(zero, np.nan, human.var(axis=1) / np.where(zero, 1.0, error**2)),
    )


def best_weights(human: FloatArray, machine: FloatArray, more: FloatArray) -> FloatArray:
    """Return the lambda with the least variance, shape (n_rows,), also below 0 and above 1; 0 for constant labels."""
    together = np.concatenate((machine, more), axis=1)
    constant = (together == together[:, :1]).all(axis=1) | (human == human[:, :1]).all(axis=1)
    centred = human - human.mean(axis=1, keepdims=True)
    covariance = (centred * (machine - machine.mean(axis=1, keepdims=True))).mean(axis=1)
    variance = (1 + human.shape[1] / more.shape[1]) * together.var(axis=1, ddof=1)
    return np.where(constant, 0.0, covariance / np.where(constant, 1.0, variance))


def _normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    from scipy import special

    return float(special.ndtri(probability))

"""Intervals for proportions and for chance-corrected coefficients over a sample of topics, including values of 0 and 1.

Documents of a topic are not independent. The number of documents is therefore divided by a design effect: the variance
over topics divided by the variance for independent documents. The estimate of the design effect is unreliable if
successes, or failures, occur in only a few topics. The design effect is therefore a weighted mean of this estimate and
the design effect for an intraclass correlation of 1/2. The interval is Wilson's interval (1927) for the effective
number of documents, with a quantile of Student's t distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.statistics.confidence_intervals import t_quantile
from irevalx.statistics.correlations import divided
from irevalx.statistics.significance import without_noise

ENOUGH_DISAGREEMENT = 5
"""The minimum number of topics with a disagreement for a jackknife interval of a coefficient."""

_GREATEST = 1 - 1e-15
"""The highest coefficient that is used. Higher coefficients are clipped, because atanh(1) is infinite."""

_NO_SPREAD = 1e-9
"""The width up to which a jackknife interval shows that the confusions of all topics are equal."""

UNDEFINED = float("nan"), float("nan")
"""The bounds of an undefined interval."""


def proportion_interval(successes: FloatArray, units: FloatArray, confidence: float) -> tuple[float, float]:
    """Return the confidence interval of a proportion of successes, given successes and units of each topic.

    A success is one of the units of a topic, for example a document. The shapes are (n_topics,). Topics that have no
    units are left out. The bounds are NaN if fewer than two topics remain.
    """
    successes, units = successes[units > 0], units[units > 0]
    k, n = units.size, units.sum()
    if k < 2:
        return UNDEFINED
    share = successes.sum() / n
    squares = k / (k - 1) * ((successes - share * units) ** 2).sum()
    return _wilson(successes, units, float(divided(squares, n * share * (1 - share))), confidence)


def f1_interval(both: FloatArray, either: FloatArray, confidence: float) -> tuple[float, float]:
    """Return the interval of F1, given the documents of each topic labelled relevant by both and by any judge."""
    low, high = (2 * end / (1 + end) for end in proportion_interval(both, either, confidence))
    return low, high


def coefficient_intervals(
    confusions: FloatArray, coefficients: Callable[[FloatArray], Mapping[str, FloatArray]], confidence: float
) -> dict[str, tuple[float, float]]:
    """Return the confidence interval of each chance-corrected coefficient, given counts of label pairs.

    The function ``coefficients`` computes the coefficients from counts. The shape of ``confusions`` is (n_topics,
    n_grades, n_grades). If the documents have several tables, and the mean of a coefficient over the tables is needed,
    the shape is (n_topics, n_tables, n_grades, n_grades). Topics that have no label pairs must be left out.

    If at least ``ENOUGH_DISAGREEMENT`` topics contain a disagreement, and the confusion matrices of the topics are not
    all equal, the interval is the jackknife interval of atanh(coefficient). In other cases, the interval is computed
    from the interval of the proportion of agreements A, because a coefficient is 1 - (1 - A) / E, where E is the
    expected proportion of disagreements. The bounds are NaN if E is 0 or there are fewer than two topics.
    """
    from scipy import special

    k = len(confusions)
    if k < 2:
        return dict.fromkeys(coefficients(confusions.sum(axis=0)), UNDEFINED)
    tables = confusions if confusions.ndim > 3 else confusions[:, np.newaxis]
    total = tables.sum(axis=0)
    independent = total.sum(axis=-1)[..., np.newaxis] * total.sum(axis=-2)[..., np.newaxis, :]
    independent = divided(independent, total.sum(axis=(-2, -1), keepdims=True))
    units = tables.sum(axis=(-2, -1)).mean(axis=-1)
    agreed = np.trace(tables, axis1=-2, axis2=-1).mean(axis=-1)
    share = 1 - np.trace(independent, axis1=-2, axis2=-1) / independent.sum(axis=(-2, -1))
    values, without, by_chance = coefficients(total), coefficients(total - tables), coefficients(independent)
    q = special.stdtrit(k - 1, (1 + confidence) / 2)
    intervals = {}
    for name in values:
        jackknifed = without[name].mean(axis=-1)
        middle, each = (np.arctanh(np.clip(of, -_GREATEST, _GREATEST)) for of in (values[name].mean(), jackknifed))
        half = q * jackknife_error(each)
        if np.count_nonzero(agreed < units) >= ENOUGH_DISAGREEMENT and not half <= _NO_SPREAD:
            intervals[name] = float(np.tanh(middle - half)), float(np.tanh(middle + half))
        else:
            expected = float(divided(share, 1 - by_chance[name]).mean())
            agreement = agreed.sum() / units.sum()
            variance = (jackknife_error(jackknifed[np.isfinite(jackknifed)]) * expected) ** 2 * units.sum()
            ends = _wilson(agreed, units, float(divided(variance, agreement * (1 - agreement))), confidence)
            low, high = (max(-1.0, 1 - (1 - end) / expected) if expected > 0 else np.nan for end in ends)
            intervals[name] = low, high
    return intervals


def jackknife_error(values: FloatArray) -> float:
    """Return the jackknife standard error of a statistic, given the values after leaving out each topic."""
    n = values.size
    return float(np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum())) if n else 0.0


def _wilson(successes: FloatArray, units: FloatArray, effect: float, confidence: float) -> tuple[float, float]:
    """Return Wilson's interval for a proportion, given an estimate of the design effect."""
    n, k = float(units.sum()), units.size
    share = float(successes.sum()) / n
    varying = min(np.count_nonzero(successes < units), np.count_nonzero(successes > 0))
    weight = 1 / (1 + varying)
    assumed = 1 + (float((units**2).sum()) / n - 1) / 2
    effect = max(1.0, (1 - weight) * effect + weight * assumed if varying else assumed)
    low, high = wilson_interval(share, n / effect, t_quantile(k - 1, confidence))
    return float(low), float(high)


def wilson_interval(share: FloatArray | float, n: FloatArray | float, q: Any) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's interval for a proportion of n independent units, with the quantile ``q``."""
    scale = 1 + q**2 / n
    middle = (share + q**2 / (2 * n)) / scale
    half = q / scale * np.sqrt(share * (1 - share) / n + q**2 / (4 * n**2))
    return without_noise(middle - half), without_noise(middle + half)

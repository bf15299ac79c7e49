"""Quantiles of Student's t distribution, held to scipy's and to closed forms."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from scipy import stats

from irevalx.statistics.confidence_intervals import t_quantile

DEGREES = [*range(1, 31), 39, 40, 49, 99, 224, 999, 9_999, 99_999, 999_999, 1_000_000]
CONFIDENCES = (0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999)


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_as_scipy(confidence: float) -> None:
    """From 1 degree of freedom to a million."""
    for degrees in DEGREES:
        judged = float(stats.t.isf((1 - confidence) / 2, degrees))
        assert t_quantile(degrees, confidence) == pytest.approx(judged, rel=1e-12)


@pytest.mark.parametrize("confidence", [*CONFIDENCES, 0.01, 1 - 1e-9])
def test_closed_forms(confidence: float) -> None:
    """With 1 and 2 degrees of freedom there are formulas; with many it is nearly the normal distribution."""
    tail = (1 - confidence) / 2
    assert t_quantile(1, confidence) == pytest.approx(1 / math.tan(math.pi * tail), rel=1e-12)
    two = confidence * math.sqrt(2 / (4 * tail * (1 - tail)))
    assert t_quantile(2, confidence) == pytest.approx(two, rel=1e-12)
    assert t_quantile(10**12, confidence) == pytest.approx(NormalDist().inv_cdf(1 - tail), rel=1e-6)

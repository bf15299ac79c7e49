"""Errors of probabilities: scikit-learn's Brier score, and a loop over bins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irevalx.statistics.label_agreement import calibration_error, squared_errors

PAIRS = st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=60)


@given(PAIRS)
def test_as_loops(pairs: list[tuple[int, bool]]) -> None:
    """Bins of a tenth, 1 in the last one, each weighing as it has documents."""
    probability, relevant = np.array([p / 20 for p, _ in pairs]), np.array([r for _, r in pairs])
    total = 0.0
    for number in range(10):
        inside = [(p / 20, r) for p, r in pairs if min(p // 2, 9) == number]
        total += abs(math.fsum(p - r for p, r in inside))
    assert calibration_error(probability, relevant) == pytest.approx(total / len(pairs))


def test_brier_score_of_scikit_learn() -> None:
    """The mean of squared errors."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    probability, relevant = rng.random(50), rng.random(50) < 0.3
    expected = metrics.brier_score_loss(relevant, probability)
    assert squared_errors(probability, relevant).mean() == pytest.approx(expected)


def test_nothing() -> None:
    """Without documents there is no error to speak of."""
    assert np.isnan(calibration_error(np.zeros(0), np.zeros(0, np.bool_)))

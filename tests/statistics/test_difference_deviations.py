"""Standard deviations of differences: a literal jackknife, chi-square, and how often intervals cover."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.statistics.difference_deviations import median_and_greatest


def variances(values: FloatArray) -> list[float]:
    """Return the variance of the differences of each pair of rows."""
    return [float(np.var(y - x, ddof=1)) for x, y in combinations(values, 2)]


@pytest.mark.parametrize("shape", [(2, 8), (3, 5), (5, 30)])
def test_literal_jackknife(shape: tuple[int, int]) -> None:
    """Leave out one topic after the other, and take the median and the greatest variance anew each time."""
    values = np.random.default_rng(3).random(shape)
    n_topics = shape[1]
    *both, pair = median_and_greatest(values, 0.1)
    assert pair == max(combinations(range(shape[0]), 2), key=lambda two: float(np.var(values[two[1]] - values[two[0]])))
    picks: list[Callable[[list[float]], float]] = [statistics.median, max]
    for found, pick in zip(both, picks, strict=True):
        value = math.sqrt(pick(variances(values)))
        without = [math.log(pick(variances(np.delete(values, topic, axis=1)))) for topic in range(n_topics)]
        variance = (n_topics - 1) / n_topics * sum((one - np.mean(without)) ** 2 for one in without)
        freedom = 2 / variance
        ends = [value * math.sqrt(freedom / stats.chi2.isf(tail, freedom)) for tail in (0.05, 0.95)]
        assert [found.value, found.low, found.high] == pytest.approx([value, *ends])


def test_no_interval() -> None:
    """Two topics say nothing of how a deviation varies; nor do equal differences."""
    for d in ([0.1, 0.3], [0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.2]):
        found, *_ = median_and_greatest(np.array([np.zeros(len(d)), d]))
        assert found.value == pytest.approx(statistics.stdev(d))
        assert math.isnan(found.low)
        assert math.isnan(found.high)


@pytest.mark.parametrize("heavy", [False, True])
def test_intervals_cover(heavy: bool) -> None:
    """Of 20 topics nearly as often as said: of normal differences, and of those with heavy tails, which need it."""
    random, n_covered = np.random.default_rng(5), 0
    for _ in range(400):
        d = random.standard_t(5, 20) * math.sqrt(3 / 5) if heavy else random.standard_normal(20)
        found, *_ = median_and_greatest(np.array([np.zeros(20), d]))
        n_covered += found.low <= 1 <= found.high
    assert n_covered / 400 >= (0.85 if heavy else 0.9)

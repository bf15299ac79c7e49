"""Standard deviations of differences: a literal jackknife, chi-square, and how often intervals cover."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from examples.paper_collections import ROBUST, needs_robust03
from scipy import stats

import irevalx
from irevalx.arrays.segments import FloatArray
from irevalx.statistics.power import median_and_greatest


def variances(values: FloatArray) -> list[float]:
    """Return the variance of the differences of each pair of rows."""
    return [float(np.var(y - x, ddof=1)) for x, y in combinations(values, 2)]


@pytest.mark.parametrize("shape", [(2, 8), (3, 5), (5, 30)])
def test_literal_jackknife(shape: tuple[int, int]) -> None:
    """Median and greatest deviation, topics left out one by one; the greatest is corrected for the pairs."""
    values = np.random.default_rng(3).random(shape)
    n_topics = shape[1]
    *both, pair = median_and_greatest(values, 0.1)
    assert pair == max(combinations(range(shape[0]), 2), key=lambda two: float(np.var(values[two[1]] - values[two[0]])))
    place, n_pairs = [*combinations(range(shape[0]), 2)].index(pair), math.comb(shape[0], 2)
    picks: list[Callable[[list[float]], float]] = [statistics.median, lambda of_pairs: of_pairs[place]]
    for deviation, pick, low in zip(both, picks, (0.05, 0.05 / n_pairs), strict=True):
        value = math.sqrt(pick(variances(values)))
        without = [math.log(pick(variances(np.delete(values, topic, axis=1)))) for topic in range(n_topics)]
        variance = (n_topics - 1) / n_topics * sum((value - np.mean(without)) ** 2 for value in without)
        freedom = 2 / variance
        ends = [value * math.sqrt(freedom / stats.chi2.isf(tail, freedom)) for tail in (low, 0.95)]
        assert [deviation.value, deviation.low, deviation.high] == pytest.approx([value, *ends])


def test_no_interval() -> None:
    """Two topics say nothing of how a deviation varies; nor do equal differences."""
    for d in ([0.1, 0.3], [0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.2]):
        result, *_ = median_and_greatest(np.array([np.zeros(len(d)), d]))
        assert result.value == pytest.approx(statistics.stdev(d))
        assert math.isnan(result.low)
        assert math.isnan(result.high)


@pytest.mark.parametrize("heavy", [False, True])
def test_intervals_cover(heavy: bool) -> None:
    """Of 20 topics nearly as often as said: of normal differences, and of those with heavy tails, which need it."""
    random, n_covered = np.random.default_rng(5), 0
    for _ in range(400):
        d = random.standard_t(5, 20) * math.sqrt(3 / 5) if heavy else random.standard_normal(20)
        result, *_ = median_and_greatest(np.array([np.zeros(20), d]))
        n_covered += result.low <= 1 <= result.high
    assert n_covered / 400 >= (0.85 if heavy else 0.9)


def test_intervals_of_the_greatest_cover() -> None:
    """Of eight runs with equal variances, the worst case, the greatest of 28 is too great; its interval allows for that."""
    random, n_covered = np.random.default_rng(6), 0
    for _ in range(300):
        _, result, _ = median_and_greatest(random.standard_normal((8, 25)))
        n_covered += result.low <= math.sqrt(2) <= result.high
    assert n_covered / 300 >= 0.92


@needs_robust03
def test_intervals_of_the_greatest_cover_on_a_collection() -> None:
    """Average precision of the runs of robust03: topics drawn with replacement, all 66 pairs and those of four runs."""
    runs = sorted((ROBUST / "runs").iterdir())
    scores = irevalx.evaluate(ROBUST / "qrels.gz", runs, ["map"], complete=True)
    values = np.array([scores.per_topic("map", run) for run in scores.runs])
    random, covered = np.random.default_rng(7), []
    for number in range(120):
        sample = values[random.choice(12, (4, 12)[number % 2], replace=False)]
        truth = math.sqrt(max(float(np.var(y - x)) for x, y in combinations(sample, 2)))
        _, result, _ = median_and_greatest(sample[:, random.integers(0, 100, 25)])
        covered.append(result.low <= truth <= result.high)
    assert np.mean(covered) >= 0.93

"""Standard deviations of differences over topics, and the power of the paired t test."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from references.judges import judge
from scipy import integrate, stats

import irevalx
from irevalx.arrays.segments import FloatArray
from irevalx.statistics.power import (
    half_width,
    least_effect,
    median_and_greatest,
    power_of_t,
    topics_for_width,
    topics_to_find,
)

CASES = [(5, 1.5, 0.05), (10, 0.5, 0.05), (50, 0.4, 0.05), (50, 0.05, 0.01), (100, 0.3, 0.05 / 66), (1000, 0.1, 0.05)]


@pytest.mark.parametrize(("n_topics", "effect", "alpha"), CASES)
@pytest.mark.parametrize("two_sided", [True, False])
def test_power_is_the_integral(n_topics: int, effect: float, alpha: float, two_sided: bool) -> None:
    """The normal probability of rejection, averaged over the distribution of the standard deviation."""
    df, shift = n_topics - 1, effect * math.sqrt(n_topics)
    critical = stats.t.isf(alpha / 2, df)

    def rejected(u: float) -> float:
        scale = math.sqrt(stats.chi2.ppf(u, df) / df)
        upper = float(stats.norm.sf(critical * scale - shift))
        return upper + float(stats.norm.cdf(-critical * scale - shift)) * two_sided

    expected, _ = integrate.quad(rejected, 0, 1, limit=200)
    assert power_of_t(n_topics, effect, alpha, two_sided=two_sided) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("n_topics", "effect", "alpha"), CASES)
def test_power_as_statsmodels(n_topics: int, effect: float, alpha: float) -> None:
    """Power, least effects and topics of ``TTestPower``, on two sides and on one."""
    t_test = judge("statsmodels.stats.power").TTestPower()
    assert power_of_t(n_topics, effect, alpha) == pytest.approx(t_test.power(effect, n_topics, alpha), abs=1e-7)
    least = least_effect(n_topics, 0.8, alpha)
    assert t_test.power(least, n_topics, alpha) == pytest.approx(0.8, abs=1e-7)
    on_one = least_effect(n_topics, 0.8, alpha, two_sided=False)
    assert t_test.power(on_one, n_topics, alpha / 2, alternative="larger") == pytest.approx(0.8, abs=1e-7)
    topics = t_test.solve_power(effect_size=effect, alpha=alpha, power=0.9)
    assert topics_to_find(effect, 0.9, alpha) == math.ceil(topics)


def test_few_topics_by_hand() -> None:
    """No power without two topics; what is equal for all topics is found by two; nothing finds no difference."""
    assert math.isnan(least_effect(1))
    assert math.isnan(half_width(1))
    assert [topics_to_find(math.inf), topics_to_find(0.0), topics_for_width(0.0)] == [2, math.inf, math.inf]
    assert topics_to_find(100.0) == 2


@pytest.mark.parametrize("n_topics", [2, 5, 20, 100])
def test_half_width_is_that_of_draws(n_topics: int) -> None:
    """The mean half width of t intervals of normal samples."""
    samples = np.random.default_rng(1).standard_normal((40_000, n_topics))
    deviations = samples.std(axis=1, ddof=1)
    drawn = stats.t.isf(0.025, n_topics - 1) * deviations / math.sqrt(n_topics)
    assert half_width(n_topics) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 200)


def test_topics_for_width_are_the_least() -> None:
    """One topic fewer would not do: the definition, number by number, with scipy's chi distribution for E[s]."""
    for width in (0.2, 0.5, 1.0, 3.0):
        expected = next(
            n
            for n in range(2, 2000)
            if stats.t.isf(0.025, n - 1) * stats.chi.mean(n - 1) / math.sqrt(n - 1) / math.sqrt(n) <= width / 2
        )
        assert topics_for_width(width) == expected


def deviations(values: FloatArray) -> list[float]:
    """Return the standard deviation of the differences of each pair of rows."""
    return [float(np.std(y - x, ddof=1)) for x, y in combinations(values, 2)]


@pytest.mark.parametrize("shape", [(2, 8), (3, 5), (4, 9), (5, 30)])
def test_literal_jackknife(shape: tuple[int, int]) -> None:
    """Median and greatest deviation, topics left out one by one; the greatest is corrected for the pairs."""
    values = np.random.default_rng(3).random(shape)
    n_topics = shape[1]
    *both, pair = median_and_greatest(values, 0.1)
    assert pair == max(combinations(range(shape[0]), 2), key=lambda two: float(np.var(values[two[1]] - values[two[0]])))
    place, n_pairs = [*combinations(range(shape[0]), 2)].index(pair), math.comb(shape[0], 2)
    picks: list[Callable[[list[float]], float]] = [statistics.median, lambda of_pairs: of_pairs[place]]
    for deviation, pick, low in zip(both, picks, (0.05, 0.05 / n_pairs), strict=True):
        value = pick(deviations(values))
        without = [2 * math.log(pick(deviations(np.delete(values, topic, axis=1)))) for topic in range(n_topics)]
        variance = (n_topics - 1) / n_topics * sum((value - np.mean(without)) ** 2 for value in without)
        freedom = 2 / variance
        ends = [value * math.sqrt(freedom / stats.chi2.isf(tail, freedom)) for tail in (low, 0.95)]
        assert [deviation.value, deviation.low, deviation.high] == pytest.approx([value, *ends])


def test_median_of_an_even_number_of_pairs() -> None:
    """The median of 0, 1, 1, 3, 4 and 4 is 2, not the root of the median variance 5."""
    units = np.array([0.0, 0.0, 1.0, 4.0])[:, np.newaxis] * np.array([-1.0, 0.0, 1.0])
    assert sorted(deviations(units)) == pytest.approx([0, 1, 1, 3, 4, 4])
    assert median_and_greatest(units)[0].value == pytest.approx(2)


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


@pytest.mark.slow
def test_intervals_of_the_greatest_cover_on_a_collection(robust03: Path) -> None:
    """Average precision of the runs of robust03: topics drawn with replacement, all 66 pairs and those of four runs."""
    runs = sorted((robust03 / "runs").iterdir())
    scores = irevalx.evaluate(robust03 / "qrels.gz", runs, ["map"], complete=True)
    values = np.array([scores.per_topic("map", run) for run in scores.runs])
    random, covered = np.random.default_rng(7), []
    for number in range(120):
        sample = values[random.choice(12, (4, 12)[number % 2], replace=False)]
        truth = math.sqrt(max(float(np.var(y - x)) for x, y in combinations(sample, 2)))
        _, result, _ = median_and_greatest(sample[:, random.integers(0, 100, 25)])
        covered.append(result.low <= truth <= result.high)
    assert np.mean(covered) >= 0.93

"""Power of the paired t test: as statsmodels, scipy and draws of normal differences have it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from references.judges import judge
from scipy import integrate, stats

from irevalx.statistics.power import half_width, least_effect, power_of_t, topics_for_width, topics_to_find

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

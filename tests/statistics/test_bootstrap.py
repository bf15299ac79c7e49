"""The topic bootstrap: draw by draw as the loops have it, quantiles as numpy has them, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference_lab as reference
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.experiments.measure_scales import GEOMETRIC_MEAN
from irevalx.statistics.bootstrap import (
    STATISTICS,
    TopicDraws,
    agreement_draws,
    bootstrap_warnings,
    quantile_interval,
)
from irevalx.statistics.scales import MEAN, TOTAL, Scale

NAMES = ["d", "a", "c", "b"]


def values_of(seed: int, *shape: int) -> FloatArray:
    """Values in steps of 0.1, so that means are tied now and then."""
    return np.round(np.random.default_rng(seed).random(shape), 1).astype(np.float64)


def test_draws() -> None:
    """N of n topics, the same for a seed, and each about as often as every other."""
    draws = TopicDraws.of(10, 2000, 3)
    assert draws.topics.shape == (2000, 10)
    assert np.bincount(draws.topics.ravel()).min() > 1800
    assert (TopicDraws.of(10, 2000, 3).topics == draws.topics).all()
    assert (TopicDraws.of(10, 2000, 4).topics != draws.topics).any()
    values = values_of(1, 3, 2, 10)
    means = draws.means(values)
    assert means.shape == (2000, 3, 2)
    assert means[7].tolist() == [pytest.approx(row) for row in values[..., draws.topics[7]].mean(axis=-1).tolist()]
    assert sum(len(part.topics) for part in draws.batches(300)) == 2000


def summary(values: list[float], scale: Scale) -> float:
    """Mean, geometric mean or sum of a few values; nan of none."""
    if not values:
        return math.nan
    if scale is GEOMETRIC_MEAN:
        return round(math.prod(max(value, 1e-5) for value in values) ** (1 / len(values)), 12)
    return round(sum(values) / (1 if scale is TOTAL else len(values)), 12)


@pytest.mark.parametrize("scale", [MEAN, GEOMETRIC_MEAN, TOTAL])
def test_every_draw_is_that_of_the_loop(scale: Scale) -> None:
    """Runs are summarised over the drawn topics, and compared as ever."""
    x, y = values_of(1, 4, 6), values_of(2, 4, 6)
    draws = TopicDraws.of(6, 50, 1)
    found = agreement_draws(scale.transform(x), scale.transform(y), NAMES, draws, (scale, scale))
    assert tuple(found) == STATISTICS

    for number, topics in enumerate(draws.topics.tolist()):
        a, b = ([summary([float(row[topic]) for topic in topics], scale) for row in side] for side in (x, y))
        expected = {
            "tau": reference.tau(a, b),
            "tau_b": float(stats.kendalltau(a, b).statistic),
            "tau_ap": reference.tau_ap(a, b, NAMES),
            "rms": reference.rms(a, b),
            "bias": reference.bias(a, b),
        }
        for name, value in expected.items():
            assert float(found[name][number]) == pytest.approx(value, abs=1e-10, nan_ok=True), name


@pytest.mark.parametrize("scale", [MEAN, GEOMETRIC_MEAN, TOTAL])
def test_topics_without_a_value_are_left_out_of_every_draw(scale: Scale) -> None:
    """Of a measure that has values for two topics of six: summaries are over those that are drawn, if any is."""
    x, y = values_of(1, 4, 6), values_of(2, 4, 6)
    y[:, [0, 2, 3, 5]] = np.nan
    y[1, 0] = 0.5  # the others have none
    draws = TopicDraws.of(6, 50, 1)
    found = agreement_draws(x, scale.transform(y), NAMES, draws, (MEAN, scale))
    none_drawn = 0
    for number, topics in enumerate(draws.topics.tolist()):
        known = [topic for topic in topics if topic in {1, 4}]
        none_drawn += not known
        a = [round(sum(float(row[topic]) for topic in topics) / 6, 12) for row in x]
        b = [summary([float(row[topic]) for topic in known], scale) for row in y]
        expected = {
            "tau": reference.tau(a, b) if known else math.nan,
            "tau_ap": reference.tau_ap(a, b, NAMES) if known else math.nan,
            "rms": reference.rms(a, b),
            "bias": reference.bias(a, b),
        }
        for name, value in expected.items():
            assert float(found[name][number]) == pytest.approx(value, abs=1e-10, nan_ok=True), name
    assert none_drawn


def test_many_scorings_have_the_same_draws() -> None:
    """A stack of scorings against one reference, or against as many: each as if it were alone."""
    x, y = values_of(1, 3, 4, 6), values_of(2, 5, 2, 3, 4, 6)
    draws = TopicDraws.of(6, 20, 1)
    for side in (x, x[0]):
        found = agreement_draws(side, y, NAMES, draws)
        assert found["tau"].shape == (20, 5, 2, 3)
        for m in range(3):
            alone = agreement_draws(side[m] if side.ndim == 3 else side, y[4, 1, m], NAMES, draws)
            for name in STATISTICS:
                np.testing.assert_allclose(found[name][:, 4, 1, m], alone[name], rtol=1e-12, atol=1e-12)


def test_quantiles() -> None:
    """Linear between order statistics; nothing where more than half of the draws are not defined."""
    draws = np.random.default_rng(1).random((99, 2))
    low, high = quantile_interval(draws, 0.1)
    assert low.tolist() == np.quantile(draws, 0.05, axis=0).tolist()
    assert high.tolist() == np.quantile(draws, 0.95, axis=0).tolist()
    draws[:49, 0] = draws[:50, 1] = np.nan
    low, high = quantile_interval(draws, 0.1)
    assert (low[0], high[0]) == tuple(np.quantile(draws[49:, 0], [0.05, 0.95]).tolist())
    assert np.isnan([low[1], high[1]]).all()
    assert np.isnan(quantile_interval(np.empty((0, 2)))).all()


def test_intervals_cover_the_bias() -> None:
    """A true bias of 0.02 is within nine tenths of the intervals of nominal 90 %, or nearly so."""
    random = np.random.default_rng(5)
    covered = 0
    for trial in range(200):
        x = random.random((4, 50))
        y = x + 0.02 + random.normal(0, 0.1, (4, 50))
        low, high = quantile_interval(agreement_draws(x, y, NAMES, TopicDraws.of(50, 199, trial))["bias"], 0.1)
        covered += bool(low <= 0.02 <= high)
    assert covered / 200 == pytest.approx(0.9, abs=0.07)


def test_few_topics_are_named() -> None:
    """Below 20."""
    assert "interval" in bootstrap_warnings(19)[0]
    assert bootstrap_warnings(20) == []

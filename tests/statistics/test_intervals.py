"""Intervals of mean differences: as scipy has them, as the literature's example has them, and how often they are right."""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.experiments.ranked_runs import GEOMETRIC_MEAN
from irevalx.statistics.confidence_intervals import bca_intervals, bca_intervals_of_summaries, t_intervals
from irevalx.statistics.significance import MEAN, differences, generator


def random_differences(seed: int, n_topics: int, decimals: int) -> FloatArray:
    """Differences of two pairs of runs; the fewer decimals, the more of them are tied."""
    d = np.random.default_rng(seed).normal(0.02, 0.1, (2, n_topics))
    return np.round(d, decimals).astype(np.float64)


def test_bca_is_that_of_scipy() -> None:
    """The interval is scipy's with the same random numbers, for each pair as if it were alone, at each confidence."""
    d = random_differences(3, 30, 12)
    result = bca_intervals(d, [0.9, 0.99], seed=4)
    for (low, high), confidence in zip(result, (0.9, 0.99), strict=True):
        for row in range(2):
            expected = stats.bootstrap(
                (d[row],), np.mean, confidence_level=confidence, n_resamples=9999, rng=generator(4)
            ).confidence_interval
            assert low[row] == pytest.approx(expected.low)
            assert high[row] == pytest.approx(expected.high)
    assert (result[1][0] < result[0][0]).all()
    assert (result[1][1] > result[0][1]).all()


def test_bca_does_not_depend_on_how_means_are_added() -> None:
    """Resamples whose mean is that of the sample are counted as such, next to other pairs or alone."""
    d = random_differences(3, 30, 1)
    [(low, high)] = bca_intervals(d, [0.95], seed=4)
    for row in range(2):
        [alone] = bca_intervals(d[row : row + 1], [0.95], seed=4)
        assert (alone[0][0], alone[1][0]) == (low[row], high[row])


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=1, max_size=5))
@example([0.0, 0.0])
@example([0.5])
@example([0.5, 0.5])
@example([0.0, 1.0])
def test_bca_of_hardly_any_topics(steps: list[float]) -> None:
    """The interval is within the differences; without spread there is none."""
    [([low], [high])] = bca_intervals(np.array([steps]), [0.95], seed=1)
    assert min(steps) <= low <= high <= max(steps) or (np.isnan([low, high]).all() and len(set(steps)) == 1)


def test_bca_of_geometric_means() -> None:
    """That of the difference of two geometric means, topics being resampled in pairs; without spread it is a point."""
    logs = np.log(np.random.default_rng(1).random((2, 12)))
    [(low, high)] = bca_intervals_of_summaries(logs[:1], logs[1:], GEOMETRIC_MEAN, [0.9], seed=3)

    def difference(x: FloatArray, y: FloatArray) -> float:
        return math.exp(y.mean()) - math.exp(x.mean())

    expected = stats.bootstrap(
        tuple(logs), difference, paired=True, vectorized=False, confidence_level=0.9, n_resamples=2000, rng=5
    ).confidence_interval
    assert [low[0], high[0]] == pytest.approx([expected.low, expected.high], abs=0.02)
    for x, y in ((logs[:1], logs[:1]), (np.zeros((1, 3)), np.full((1, 3), math.log(0.5)))):
        [(low, high)] = bca_intervals_of_summaries(x, y, GEOMETRIC_MEAN, [0.9])
        assert low == high == pytest.approx(math.exp(y.mean()) - math.exp(x.mean()))


def test_bca_of_means_either_way() -> None:
    """Means are a kind of summary: the same resamples give the same interval."""
    x, y = np.random.default_rng(2).random((2, 1, 25))
    [(low, high)] = bca_intervals_of_summaries(x, y, MEAN, [0.9], seed=3)
    [(interval, other)] = bca_intervals(differences(x, y), [0.9], seed=3)
    assert [low[0], high[0]] == pytest.approx([interval[0], other[0]])


@pytest.mark.parametrize("n_topics", [2, 3, 30])
def test_t_is_that_of_scipy(n_topics: int) -> None:
    """Mean -+ t s / sqrt(n)."""
    d = random_differences(7, n_topics, 3)
    for (low, high), confidence in zip(t_intervals(d, [0.95, 0.5]), (0.95, 0.5), strict=True):
        for row in range(2):
            expected = stats.ttest_1samp(d[row], 0).confidence_interval(confidence)
            assert [low[row], high[row]] == pytest.approx([expected.low, expected.high])


def test_t_of_hardly_any_topics() -> None:
    """A single topic has no interval, nor have equal differences: nothing is known of their spread."""
    assert np.isnan(t_intervals(np.array([[0.5]]), [0.95])[0]).all()
    assert np.isnan(t_intervals(np.array([[0.1] * 3]), [0.95])[0]).all()


def _normal(random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return random.normal(0, 1, shape)


def _exponential(random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return random.exponential(1, shape) - 1


COVERED: dict[Callable[..., FloatArray], dict[str, tuple[float, ...]]] = {
    _normal: {"bca": (0.837, 0.900, 0.926, 0.940), "t": (0.95, 0.95, 0.95, 0.95)},
    _exponential: {"bca": (0.798, 0.869, 0.91, 0.93), "t": (0.878, 0.898, 0.92, 0.94)},
}
"""How often nominal 95 % intervals of 5, 10, 20 and 50 differences cover the mean: the numbers of docs/compare-runs.md."""


@pytest.mark.parametrize("draw", COVERED)
def test_coverage(
    draw: Callable[[np.random.Generator, tuple[int, int]], FloatArray], capsys: pytest.CaptureFixture[str]
) -> None:
    """Samples of differences whose mean is 0; INTERVAL_DRAWS says how many (600), each with 999 resamples."""
    n_draws = int(os.environ.get("INTERVAL_DRAWS", "600"))
    for place, n_topics in enumerate((5, 10, 20, 50)):
        d = draw(np.random.default_rng(n_topics), (n_draws, n_topics))
        intervals = {"bca": bca_intervals(d, [0.95], resamples=999), "t": t_intervals(d, [0.95])}
        for name, [(low, high)] in intervals.items():
            covered, expected = float(((low <= 0) & (high >= 0)).mean()), COVERED[draw][name][place]
            with capsys.disabled():
                print(f"{name}, {n_topics} {draw.__name__[1:]} differences: {covered:.3f} of {n_draws}")  # noqa: T201
            assert covered == pytest.approx(expected, abs=0.005 + 3 * math.sqrt(expected * (1 - expected) / n_draws))

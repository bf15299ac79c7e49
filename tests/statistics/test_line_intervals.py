"""Intervals of slopes and correlations over groups of points: a jackknife in loops, and how often it covers."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from irevalx.statistics.correlations import LEAST_GROUPS, line_intervals


def points(rng: np.random.Generator, n_groups: int) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return points of slope 1 on average, three for each group, whose errors the points of a group share in part."""
    x = np.repeat(rng.normal(size=n_groups), 3) + 0.5 * rng.normal(size=3 * n_groups)
    y = x + np.repeat(rng.normal(size=n_groups), 3) + 0.5 * rng.normal(size=3 * n_groups)
    return x, y, [f"g{number // 3}" for number in range(3 * n_groups)]


def jackknife(whole: float, without: list[float]) -> tuple[float, float]:
    """Return the ends of an interval, from the value of all groups and the values without each."""
    n = len(without)
    pseudo = [n * whole - (n - 1) * value for value in without]
    mean = math.fsum(pseudo) / n
    error = math.sqrt(math.fsum((value - mean) ** 2 for value in pseudo) / (n - 1) / n)
    half = stats.t.ppf(0.975, n - 1) * error
    return whole - half, whole + half


@pytest.mark.parametrize("n_groups", [4, 7])
def test_jackknife(n_groups: int) -> None:
    """The ends are those of a loop over groups with scipy's line; also with the points in another order."""
    rng = np.random.default_rng(n_groups)
    x, y, groups = points(rng, n_groups)
    lines = [stats.linregress(x, y)]
    for name in dict.fromkeys(groups):
        rest = [place for place, group in enumerate(groups) if group != name]
        lines.append(stats.linregress(x[rest], y[rest]))
    slope, *slopes = [float(line.slope) for line in lines]
    z, *zs = [math.atanh(line.rvalue) for line in lines]
    expected = [*jackknife(slope, slopes), *map(math.tanh, jackknife(z, zs))]
    shuffled = rng.permutation(x.size)
    for order in (np.arange(x.size), shuffled):
        result = line_intervals(x[order], y[order], [groups[place] for place in order])
        assert [end for ends in result for end in ends or ()] == pytest.approx(expected)


def test_no_intervals() -> None:
    """None for fewer than four groups, for constant x, and for points on a line; y constant has a slope of 0."""
    x, y, groups = points(np.random.default_rng(1), LEAST_GROUPS)
    few = groups.index("g3")
    assert line_intervals(x[:few], y[:few], groups[:few]) == (None, None)
    assert line_intervals(np.ones(x.size), y, groups) == (None, None)
    slope, correlation = line_intervals(x, 2 * x, groups)
    assert slope == pytest.approx((2, 2))
    assert correlation is None
    assert line_intervals(x, np.ones(x.size), groups) == ((0, 0), None)


def test_coverage() -> None:
    """Of 200 samples of five groups at least 0.9 of the intervals cover the slope; of independent points, 0.77 would."""
    rng, covered = np.random.default_rng(2), []
    for _ in product(range(200)):
        slope, _ = line_intervals(*points(rng, 5))
        assert slope is not None
        covered.append(slope[0] <= 1 <= slope[1])
    assert np.mean(covered) >= 0.9

"""Randomised Tukey HSD: as the loop over all arrangements has it, as sign flips have it for two runs, and by hand."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from references import statistics as reference
from running import examples

import irevalx
from irevalx.arrays.segments import FloatArray
from irevalx.statistics.randomised_tukey import (
    Tukey,
    arrangements_fit,
    least_tukey_p,
    mean_differences,
    randomised_tukey,
)
from irevalx.statistics.significance import differences, sign_flips

pytestmark = pytest.mark.slow


def all_differences(values: FloatArray) -> FloatArray:
    """Those of every pair of runs."""
    return np.stack([differences(values[j], values[i]) for i, j in combinations(range(len(values)), 2)])


def all_means(values: FloatArray) -> FloatArray:
    """The mean differences of every pair of runs."""
    first, second = zip(*combinations(range(len(values)), 2), strict=True)
    return mean_differences(values[list(second)], values[list(first)])


@examples(50)
@given(
    st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=2), min_size=2, max_size=4),
    st.sampled_from([0.05, 0.2]),
    st.sampled_from([10, 6, 7]),
)
@example([[2, 2], [1, 1]], 0.05, 6)
def test_tukey_tries_all_arrangements_of_few_topics(steps: list[list[int]], alpha: float, divisor: int) -> None:
    """p-values and the half width are those of the loop, also of sixths, which no decimals write down."""
    ranges = reference.tukey_ranges(steps)
    values = np.array(steps) / divisor
    result = randomised_tukey(values, 10_000)
    expected = [
        Fraction(sum(1 for span in ranges if span >= abs(Fraction(sum(a) - sum(b), 2))), len(ranges))
        for a, b in combinations(steps, 2)
    ]
    assert result.p_values(all_means(values)).tolist() == [float(p) for p in expected]
    place = math.ceil(Fraction(str(alpha)) * len(ranges))
    assert result.half_width(alpha) == pytest.approx(float(ranges[place - 1]) / divisor, abs=1e-12)


@examples(20)
@given(st.integers(0, 999), st.sampled_from([0.05, 0.1, 0.01]), st.sampled_from([19, 99, 100, 999]))
def test_intervals_leave_out_0_exactly_if_p_is_below_alpha(seed: int, alpha: float, resamples: int) -> None:
    """Interval and decision belong together, ties and all."""
    values = np.round(np.random.default_rng(seed).random((5, 12)) + np.arange(5)[:, np.newaxis] / 10, 1)
    result, d = randomised_tukey(values, resamples, seed), all_means(values)
    assert result.greatest.size == resamples + 1
    half = result.half_width(alpha)
    assert (result.p_values(d) < alpha).tolist() == (np.abs(d) - half > 5e-13).tolist()


def test_two_runs_are_the_permutation_test() -> None:
    """All arrangements of two runs are all ways of flipping signs."""
    values = np.round(np.random.default_rng(3).random((2, 8)), 2)
    d = all_differences(values)
    assert randomised_tukey(values, 256).p_values(all_means(values)).tolist() == sign_flips(d, 256).tolist()
    random = randomised_tukey(np.tile(values, 5), 4999, 1).p_values(all_means(np.tile(values, 5)))
    assert random == pytest.approx(sign_flips(np.tile(d, 5), 4999, 2), abs=0.03)


def test_random_arrangements_are_near_all_of_them() -> None:
    """The share of a sample is that of all, but for chance; the same for a seed."""
    values = np.round(np.random.default_rng(5).random((3, 5)), 2)
    d, every = all_means(values), randomised_tukey(values, 6**5)
    sampled = randomised_tukey(values, 6**5 - 1, 1)
    assert sampled.p_values(d) == pytest.approx(every.p_values(d), abs=0.02)
    assert sampled.half_width(0.1) == pytest.approx(every.half_width(0.1), abs=0.02)
    assert (randomised_tukey(values, 500, 9).greatest == randomised_tukey(values, 500, 9).greatest).all()


def test_one_topic_or_none_shows_nothing() -> None:
    """P is 1, and there is no interval."""
    for n_topics in (0, 1):
        result = Tukey(np.ones(3), n_topics)
        assert result.p_values(np.ones(2)).tolist() == [1, 1]
        assert math.isnan(result.half_width(0.05))


@pytest.mark.parametrize(
    ("n_runs", "n_topics", "resamples", "least"),
    [(3, 2, 36, 1 / 6), (3, 2, 35, 1 / 36), (2, 5, 100, 1 / 16), (300, 50, 999, 1 / 1000), (4, 1, 99, 1), (4, 0, 9, 1)],
)
def test_least_p(n_runs: int, n_topics: int, resamples: int, least: float) -> None:
    """(m!)^(1-n) where all arrangements are tried, otherwise 1/(1 + B)."""
    assert least_tukey_p(n_runs, n_topics, resamples) == least
    assert arrangements_fit(n_runs, n_topics, resamples) == (math.factorial(n_runs) ** n_topics <= resamples)


def test_least_p_is_reached() -> None:
    """By runs that are in the same order for all topics."""
    values = np.array([[0.9, 0.8, 0.7], [0.5, 0.4, 0.35], [0.1, 0.2, 0.05]])
    assert randomised_tukey(values, 216).p_values(all_means(values)).min() == least_tukey_p(3, 3, 216) == 1 / 36


HELD = {
    ("robust03", False): 0.969,
    ("robust03", True): 0.920,
    ("cranfield", False): 0.934,
    ("cranfield", True): 0.884,
}
"""The coverage by collection, and whether all runs have the same mean."""


@pytest.mark.skipif("TUKEY_DRAWS" not in os.environ, reason="TUKEY_DRAWS says how many draws")
@pytest.mark.parametrize("equal", [False, True])
def test_how_often_intervals_hold_together(collection: Path, equal: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Coverage over draws of 50 topics, as in docs/compare-runs.md; with ``equal`` all runs have the same mean."""
    n_draws, expected = int(os.environ["TUKEY_DRAWS"]), HELD[collection.name, equal]
    scores = irevalx.evaluate(collection / "qrels.gz", sorted((collection / "runs").iterdir()), "map", complete=True)
    values = np.stack([scores.per_topic("map", run) for run in scores.runs])
    if equal:
        values -= values.mean(axis=1, keepdims=True)
    first, second = np.triu_indices(len(values), 1)
    truth = values[second].mean(axis=1) - values[first].mean(axis=1)
    rng, n_held = np.random.default_rng(7), 0
    for draw in range(n_draws):
        sample = values[:, rng.integers(values.shape[1], size=50)]
        half = randomised_tukey(sample, 999, seed=draw).half_width(0.05)
        n_held += bool((np.abs(mean_differences(sample[first], sample[second]) - truth) <= half).all())
    held = n_held / n_draws
    with capsys.disabled():
        print(f"{collection.name}, equal {equal}: the intervals of all pairs hold in {held:.3f} of {n_draws}")  # noqa: T201
    assert held == pytest.approx(expected, abs=3 * math.sqrt(expected * (1 - expected) / n_draws))

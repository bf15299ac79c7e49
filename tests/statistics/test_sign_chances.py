"""The sign of sums of random values: against every outcome, and against scipy."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from irevalx.statistics.decisions import SignProbabilities, convolve, sign_probabilities


def by_enumeration(start: float, values: np.ndarray, chances: np.ndarray) -> list[float]:
    """Return the chances of the three signs: every outcome, one by one."""
    sums = [0.0, 0.0, 0.0]
    for outcome in product(range(values.shape[1]), repeat=len(values)):
        total = start + math.fsum(values[place, index] for place, index in enumerate(outcome))
        chance = math.prod(chances[place, index] for place, index in enumerate(outcome))
        sums[1 + (total > 1e-11) - (total < -1e-11)] += chance
    return sums


def made(seed: int, kind: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Return random values: on a grid, or not."""
    rng = np.random.default_rng(seed)
    n, n_outcomes = int(rng.integers(1, 8)), int(rng.integers(2, 4))
    if kind == "grid":
        values = rng.integers(-2, 3, (n, n_outcomes)) * 0.1
        start = int(rng.integers(-3, 4)) * 0.1
    else:
        values, start = rng.normal(size=(n, n_outcomes)), float(rng.normal())
    return start, values, rng.dirichlet(np.ones(n_outcomes), n)


@pytest.mark.parametrize("kind", ["grid", "other"])
@pytest.mark.parametrize("seed", range(12))
def test_every_outcome(kind: str, seed: int) -> None:
    """With few values the chances are exact."""
    drawn = made(seed, kind)
    result = sign_probabilities(*drawn)
    assert result.exact
    assert [result.below, result.zero, result.above] == pytest.approx(by_enumeration(*drawn), abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 64, 501])
def test_sum_of_yes_and_no(n: int) -> None:
    """The number of hits has scipy's distribution, whatever its probabilities."""
    p = np.random.default_rng(n).random(n)
    result = convolve(np.tile([0, 1], (n, 1)), np.column_stack((1 - p, p)))
    assert result == pytest.approx(stats.poisson_binom(p).pmf(np.arange(n + 1)), abs=1e-12)


def test_many_documents_of_precision_are_exact() -> None:
    """Of 600 documents at the ranks of P.10, the half of them for the other run."""
    p = np.random.default_rng(5).random(600)
    weights = np.repeat([0.1, -0.1], 300)
    result = sign_probabilities(0.0, np.outer(weights, [0, 1]), np.column_stack((1 - p, p)))
    ours, theirs = stats.poisson_binom(p[:300]), stats.poisson_binom(p[300:])
    hits = np.arange(301)
    tie = math.fsum((ours.pmf(hits) * theirs.pmf(hits)).tolist())
    above = math.fsum((ours.pmf(hits)[1:] * theirs.cdf(hits[:-1])).tolist())
    assert result.exact
    assert [result.above, result.zero] == pytest.approx([above, tie], abs=1e-11)


def test_normal() -> None:
    """Of 40 different weights the chance is that of scipy's normal distribution with the same moments."""
    rng = np.random.default_rng(8)
    weights, p = rng.normal(size=40), rng.random(40)
    result = sign_probabilities(0.7, np.outer(weights, [0, 1]), np.column_stack((1 - p, p)))
    mean, deviation = 0.7 + weights @ p, math.sqrt(weights**2 @ (p * (1 - p)))
    assert not result.exact
    assert [result.below, result.zero] == [pytest.approx(stats.norm.cdf(0, mean, deviation)), 0.0]
    assert result.above == pytest.approx(stats.norm.sf(0, mean, deviation))


def test_error_of_the_normal_distribution() -> None:
    """With 13 documents at dcg's ranks, the fewest for which it is taken, it is wrong by 0.06 at most."""
    rng = np.random.default_rng(1)
    errors = []
    for _ in range(40):
        weights = rng.choice([-1, 1], 13) / np.log2(np.arange(2, 15))
        p = rng.uniform(0.02, 0.5, 13)
        sums, shares = np.zeros(1), np.ones(1)
        for weight, chance in zip(weights, p, strict=True):
            sums = np.concatenate((sums, sums + weight))
            shares = np.concatenate((shares * (1 - chance), shares * chance))
        start = float(rng.normal() * 0.5)
        result = sign_probabilities(start, np.outer(weights, [0, 1]), np.column_stack((1 - p, p)))
        assert not result.exact
        errors.append(abs(result.above - float(shares[sums > -start].sum())))
    assert max(errors) < 0.06
    assert np.mean(errors) < 0.02


def test_what_is_certain() -> None:
    """Nothing to add, certain outcomes, and sums that cannot change their sign."""
    nothing = np.zeros((0, 2))
    assert signs(sign_probabilities(0.0, nothing, nothing)) == (0.0, 1.0, 0.0)
    assert signs(sign_probabilities(-0.1, nothing, nothing)) == (1.0, 0.0, 0.0)
    sure = sign_probabilities(0.3, np.array([[0.0, -0.1]] * 3), np.array([[0.0, 1.0]] * 3))
    assert signs(sure) == (0.0, 1.0, 0.0)
    weights = np.outer(np.linspace(0.01, 0.5, 40), [0, 1])
    assert sign_probabilities(0.001, weights, np.full((40, 2), 0.5)).above == 1.0


def signs(chances: SignProbabilities) -> tuple[float, float, float]:
    """Return the three chances."""
    return chances.below, chances.zero, chances.above

"""Intervals of proportions and coefficients over topics: literal loops, statsmodels, and how often they cover.

``PROPORTION_DRAWS=1000`` measures the coverage in full, and prints it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from references import proportion_intervals as literal
from references.judges import judge
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.statistics.label_agreement import coefficients
from irevalx.statistics.proportions import coefficient_intervals, f1_interval, proportion_interval

DRAWS = int(os.environ.get("PROPORTION_DRAWS", "0"))

GRADES = np.arange(3)


def coefficients_of(counts: FloatArray) -> dict[str, FloatArray]:
    """Return all coefficients of three grades."""
    return coefficients(counts, GRADES, 3)


def sampled(rng: np.random.Generator, n_topics: int, size: int, accuracy: float, icc: float) -> FloatArray:
    """Return confusions of topics, whose prevalences and error rates differ."""
    spread = 1 / max(icc, 0.02) - 1
    prevalence = rng.dirichlet(spread * np.array([0.6, 0.2, 0.2]), n_topics)
    correct = rng.beta(accuracy * spread, (1 - accuracy) * spread, n_topics)
    topic = np.repeat(np.arange(n_topics), rng.integers((size + 1) // 2, size + size // 2 + 1, n_topics))
    human = (rng.random((topic.size, 1)) > prevalence.cumsum(axis=1)[topic]).sum(axis=1).clip(0, 2)
    machine = np.where(rng.random(topic.size) < correct[topic], human, (human + rng.integers(1, 3, topic.size)) % 3)
    return np.bincount((topic * 3 + human) * 3 + machine, minlength=9 * n_topics).reshape(-1, 3, 3).astype(np.float64)


def test_without_an_error() -> None:
    """The examples of 30 topics that are all correct; other confidence levels; one topic has no interval."""
    ones = np.ones(30)
    assert proportion_interval(ones, ones, 0.95) == pytest.approx((0.878, 1), abs=5e-4)
    assert proportion_interval(10 * ones, 10 * ones, 0.95) == pytest.approx((0.929, 1), abs=5e-4)
    low, high = proportion_interval(0 * ones, ones, 0.8)
    assert low == 0
    q = stats.t.ppf(0.9, 29) ** 2
    assert high == pytest.approx(q / (30 + q))
    assert np.isnan(proportion_interval(np.array([3.0, 0]), np.array([4.0, 0]), 0.95)).all()


@pytest.mark.parametrize("seed", range(12))
def test_literal(seed: int) -> None:
    """All intervals equal literal loops, with many and few topics with a disagreement."""
    rng = np.random.default_rng(seed)
    accuracy = (0.75, 0.9, 0.985)[seed % 3]
    confusions = sampled(rng, (8, 20, 40)[seed % 3], 1 + seed, accuracy, 0.1)
    agreed, units = np.trace(confusions, axis1=1, axis2=2), confusions.sum(axis=(1, 2))
    confidence = (0.95, 0.8)[seed % 2]
    expected = literal.proportion(agreed.tolist(), units.tolist(), confidence)
    assert proportion_interval(agreed, units, confidence) == pytest.approx(expected)
    either = units - confusions[:, 0, 0]
    expected = literal.proportion(confusions[:, 1, 1].tolist(), either.tolist(), confidence)
    assert f1_interval(confusions[:, 1, 1], either, confidence) == pytest.approx([2 * j / (1 + j) for j in expected])
    intervals = coefficient_intervals(confusions, coefficients_of, confidence)
    for name in literal.EXPECTED:
        ends = literal.coefficient(confusions.tolist(), name, confidence)
        assert intervals[name] == pytest.approx([max(-1, end) for end in ends]), name


def test_perfect_and_undefined_coefficients() -> None:
    """Perfect labels are not certain; labels of a single grade have no expected disagreement, and no interval."""
    perfect = np.zeros((30, 3, 3))
    perfect[:15, 0, 0] = perfect[15:, 2, 2] = 1
    low, high = coefficient_intervals(perfect, coefficients_of, 0.95)["kappa"]
    assert (low, high) == pytest.approx((1 - 2 * (1 - 0.8776), 1), abs=1e-3)
    perfect[:, 0, 0], perfect[:, 2, 2] = 1, 0
    assert np.isnan(coefficient_intervals(perfect, coefficients_of, 0.95)["kappa"]).all()
    assert np.isnan(coefficient_intervals(perfect[:1], coefficients_of, 0.95)["kappa"]).all()


@pytest.mark.parametrize("k", [5, 12])
def test_equal_confusions(k: int) -> None:
    """If all topics have equal confusions, intervals follow from the interval of the agreement, and are not empty."""
    of_topic = np.array([[6.0, 1, 0], [0, 2, 1], [0, 0, 4]])
    intervals = coefficient_intervals(np.repeat(of_topic[np.newaxis], k, axis=0), coefficients_of, 0.95)
    n, share, q = 14 * k, 12 / 14, stats.t.ppf(0.975, k - 1)
    effective = n / max(1, 1 / (1 + k) * (1 + (14 - 1) / 2))  # the estimated design effect is 0
    middle = (share + q**2 / (2 * effective)) / (1 + q**2 / effective)
    half = q / (1 + q**2 / effective) * math.sqrt(share * (1 - share) / effective + q**2 / (4 * effective**2))
    by_chance = sum(of_topic.sum(axis=0) * of_topic.sum(axis=1)) / 14**2
    assert intervals["kappa"] == pytest.approx(
        [1 - (1 - end) / (1 - by_chance) for end in (middle - half, middle + half)]
    )
    assert all(low < high for low, high in intervals.values())


def test_mean_over_tables() -> None:
    """The mean over twice the same table has the interval of the table."""
    for accuracy in (0.7, 0.99):
        confusions = sampled(np.random.default_rng(5), 25, 6, accuracy, 0.1)
        twice = np.stack([confusions, confusions], axis=1)
        of_mean, of_table = (coefficient_intervals(tables, coefficients_of, 0.95) for tables in (twice, confusions))
        for name, ends in of_table.items():
            assert of_mean[name] == pytest.approx(ends)


@pytest.mark.judges
def test_wilson_as_statsmodels() -> None:
    """For the effective number of units, the interval is that of statsmodels with the quantile of t."""
    proportions = judge("statsmodels.stats.proportion")
    rng = np.random.default_rng(2)
    units = rng.integers(1, 9, 20).astype(np.float64)
    successes = rng.binomial(units.astype(int), 0.8).astype(np.float64)
    n = literal.effective_number(successes.tolist(), units.tolist())
    alpha = 2 * stats.norm.sf(stats.t.ppf(0.975, 19))
    expected = proportions.proportion_confint(n * successes.sum() / units.sum(), n, alpha, "wilson")
    assert proportion_interval(successes, units, 0.95) == pytest.approx(expected)


CELLS = list(product((10, 25, 50, 100), (1, 5, 15, 30), (0.5, 0.8, 0.95, 0.99), (0.0, 0.1, 0.5)))


def covered_proportions(cells: list[tuple[int, int, float, float]], n_draws: int) -> Iterator[float]:
    """Yield the coverage of each cell: topics, mean number of units, true share, intraclass correlation."""
    for number, (n_topics, size, share, icc) in enumerate(cells):
        rng = np.random.default_rng(number)
        covered = 0
        for _ in range(n_draws):
            units = rng.integers(1, 2 * size, n_topics) if size > 1 else np.ones(n_topics, np.int64)
            spread = 1 / icc - 1 if icc else 1e9
            successes = rng.binomial(units, rng.beta(share * spread, (1 - share) * spread, n_topics))
            low, high = proportion_interval(successes.astype(np.float64), units.astype(np.float64), 0.95)
            covered += low <= share <= high
        yield covered / n_draws


def test_coverage_of_proportions(capsys: pytest.CaptureFixture[str]) -> None:
    """Intervals cover the share of the population; the least, the 5th percentile and the median over cells."""
    shares = np.array([*covered_proportions(CELLS if DRAWS else CELLS[5::24], DRAWS or 200)])
    if DRAWS:
        with capsys.disabled():
            print(f"\n{shares.size} cells: {shares.min():.3f} {np.quantile(shares, 0.05):.3f} {np.median(shares):.3f}")  # noqa: T201
    assert shares.min() >= 0.88 - 2 / math.sqrt(DRAWS or 200) * 0.2
    assert np.median(shares) >= 0.94


@pytest.mark.parametrize("name", ["kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "ac1"])
def test_coverage_of_coefficients(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same for coefficients, also of weighted kappas, with 10 to 60 topics."""
    cells = list(product((10, 25, 60), (1, 5, 20), (0.7, 0.9, 0.98), (0.0, 0.1, 0.3)))
    shares = []
    for n_topics, size, accuracy, icc in cells if DRAWS else cells[4::40]:
        rng = np.random.default_rng(n_topics)
        truth = float(coefficients_of(sampled(rng, 60_000 if DRAWS else 20_000, size, accuracy, icc).sum(axis=0))[name])
        covered = 0
        for _ in range(DRAWS // 5 or 60):
            intervals = coefficient_intervals(
                sampled(rng, n_topics, size, accuracy, icc),
                lambda counts: {name: coefficients_of(counts)[name]},
                0.95,
            )
            low, high = intervals[name]
            covered += not (truth < low or truth > high)
        shares.append(covered / (DRAWS // 5 or 60))
    if DRAWS:
        with capsys.disabled():
            print(f"\n{name}: {min(shares):.3f} {np.quantile(shares, 0.05):.3f} {np.median(shares):.3f}")  # noqa: T201
    assert min(shares) >= 0.8
    assert np.median(shares) >= 0.9

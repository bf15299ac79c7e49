"""Confidence intervals of means and of differences, and quantiles of Student's t distribution, against scipy."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st
from running import examples
from scipy import stats

import irevalx
from irevalx.arrays.segments import FloatArray
from irevalx.experiments.ranked_runs import GEOMETRIC_MEAN
from irevalx.statistics.confidence_intervals import (
    MeanIntervals,
    bca_intervals,
    bca_intervals_of_summaries,
    t_intervals,
    t_quantile,
)
from irevalx.statistics.proportions import proportion_interval
from irevalx.statistics.significance import MEAN, differences, generator

CONFIDENCES = (0.5, 0.9, 0.95, 0.999)
PRECISION = 1e-12 if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17) else 1e-10
"""The relative precision of scipy: before 1.17, quantiles of 1 degree of freedom differ from cot(pi p) by 2e-11."""


@pytest.mark.parametrize("n_topics", [2, 3, 10, 50, 400])
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_t(n_topics: int, confidence: float) -> None:
    """They are those of Student's t distribution."""
    values = np.random.default_rng(n_topics).exponential(size=(5, n_topics))
    result = MeanIntervals(confidence=confidence).of(values)
    judged = stats.t.interval(confidence, n_topics - 1, loc=values.mean(axis=1), scale=stats.sem(values, axis=1))
    np.testing.assert_allclose(result, np.stack(judged, axis=1), rtol=PRECISION, atol=PRECISION - 1e-12)


@pytest.mark.parametrize("n_topics", [15, 50, 300])
@pytest.mark.parametrize("confidence", CONFIDENCES[1:])
def test_bootstrap(n_topics: int, confidence: float) -> None:
    """With the same draws they are those of scipy, be there one mean or several."""
    values = np.random.default_rng(n_topics).exponential(size=(3, n_topics))
    how = MeanIntervals(confidence=confidence, is_bootstrap=True, seed=n_topics, resamples=2000)
    result = how.of(values)
    for row, ends in zip(values, result, strict=True):
        judged: Any = stats.bootstrap(
            (row,),
            np.mean,
            n_resamples=2000,
            confidence_level=confidence,
            method="BCa",
            rng=generator(n_topics),
        )
        np.testing.assert_allclose(ends, judged.confidence_interval, rtol=1e-12)
        np.testing.assert_allclose(how.of(row[np.newaxis]), [ends], rtol=1e-12)
        assert (MeanIntervals(confidence=confidence, is_bootstrap=True, seed=-1).of(row[np.newaxis]) != ends).all()


def test_equal_means_are_equal() -> None:
    """Draws whose mean is the observed one count as half below it, which rounding must not decide."""
    values = np.array([[0.1, 0.2, 0.3, 0.7, 0.9]])
    how = MeanIntervals(confidence=0.9, is_bootstrap=True)
    exact = how.of(values * 1024 // 1)
    scaled = how.of((values * 1024 // 1) / 10)
    np.testing.assert_allclose(scaled * 10, exact, rtol=1e-12)


def test_draws_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many draws are in memory makes no difference."""
    values = np.random.default_rng(1).normal(size=(2, 20))
    how = MeanIntervals(confidence=0.9, is_bootstrap=True, resamples=500)
    before = how.of(values)
    monkeypatch.setattr("irevalx.statistics.confidence_intervals._DRAWN_AT_ONCE", 70)
    np.testing.assert_allclose(how.of(values), before, rtol=1e-12)


@pytest.mark.parametrize("is_bootstrap", [False, True])
def test_none(is_bootstrap: bool) -> None:
    """There is none of one topic, of equal values, nor of infinite ones; other rows keep theirs."""
    how = MeanIntervals(confidence=0.9, is_bootstrap=is_bootstrap)
    assert np.isnan(how.of(np.array([[0.5]]))).all()
    assert np.isnan(how.of(np.empty((1, 0)))).all()
    result = how.of(np.array([[0.5, 0.5, 0.5], [0.1, np.inf, 0.2], [0.1, 0.2, 0.4]]))
    assert np.isnan(result[:2]).all()
    assert np.isfinite(result[2]).all()


def coverage(values: FloatArray, n_topics: int, n_draws: int, how: MeanIntervals) -> FloatArray:
    """Return how often the interval of each run covers its mean over all topics; topics are drawn with replacement."""
    topics = np.random.default_rng(1).integers(0, values.shape[1], (n_draws, n_topics))
    ends = np.stack([how.of(run[topics]) for run in values])
    truth = values.mean(axis=1)[:, np.newaxis]
    covered = (ends[..., 0] <= truth) & (truth <= ends[..., 1])
    return np.asarray(covered.sum(axis=1) / np.isfinite(ends[..., 0]).sum(axis=1), np.float64)


COVERED_MEANS = {"t": {10: 0.91, 25: 0.925, 50: 0.94}, "bootstrap": {10: 0.88, 25: 0.92, 50: 0.935}}
"""How often 95 % intervals over n topics cover, averaged over runs: the least of the numbers of docs/command.md."""


@pytest.mark.skipif("MEAN_DRAWS" not in os.environ, reason="MEAN_DRAWS says how many draws")
@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_coverage_on_collections(collection: Path, method: str, capsys: pytest.CaptureFixture[str]) -> None:
    """95 % intervals of samples of topics cover the mean over all topics as often as is said; prints how often."""
    runs, n_draws = sorted((collection / "runs").iterdir()), int(os.environ["MEAN_DRAWS"])
    scores = irevalx.evaluate(collection / "qrels.gz", runs, ["map", "P.10"], complete=True)
    how = MeanIntervals(confidence=0.95, is_bootstrap=method == "bootstrap", resamples=1999)
    for measure in ("map", "P_10"):
        values = np.stack([scores.per_topic(measure, run) for run in scores.runs])
        for n_topics, least in COVERED_MEANS[method].items():
            result = coverage(values, n_topics, n_draws, how)
            with capsys.disabled():
                text = f"{result.mean():.3f}, from {result.min():.3f} to {result.max():.3f}"
                print(f"{collection.name} {measure} {method} {n_topics} topics: {text} of {len(result)} runs")  # noqa: T201
            assert result.mean() >= least - 3 * math.sqrt(least * (1 - least) / n_draws)


@pytest.mark.skipif("MEAN_DRAWS" not in os.environ, reason="MEAN_DRAWS says how many draws")
def test_coverage_of_success(collection: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Wilson's 95 % intervals of success cover the mean over all topics for each run; prints the least and the mean."""
    runs, n_draws = sorted((collection / "runs").iterdir()), int(os.environ["MEAN_DRAWS"])
    scores = irevalx.evaluate(collection / "qrels.gz", runs, ["success.1,10"], complete=True)
    how = MeanIntervals(confidence=0.95)
    for measure, n_topics in product(("success_1", "success_10"), (10, 25, 50)):
        values = np.stack([scores.per_topic(measure, run) for run in scores.runs])
        drawn = np.random.default_rng(1).integers(0, values.shape[1], (n_draws, n_topics))
        covered = np.zeros((len(values), n_draws), np.bool_)
        of_t = np.zeros_like(covered)
        for run, draw in np.ndindex(*covered.shape):
            sampled, truth = values[run, drawn[draw]], values[run].mean()
            low, high = proportion_interval(sampled, np.ones(n_topics), 0.95)
            covered[run, draw] = low <= truth <= high
            low, high = how.of(sampled[np.newaxis])[0]
            of_t[run, draw] = low <= truth <= high
        shares, of_t_shares = covered.mean(axis=1), of_t.mean(axis=1)
        with capsys.disabled():
            least = (
                f"{shares.mean():.3f}, from {shares.min():.3f} (t: {of_t_shares.mean():.3f}, {of_t_shares.min():.3f})"
            )
            print(f"{collection.name} {measure} {n_topics} topics: {least}")  # noqa: T201
        assert shares.min() >= 0.92 - 3 * math.sqrt(0.92 * 0.08 / n_draws)


DEGREES = [*range(1, 31), 39, 40, 49, 99, 224, 999, 9_999, 99_999, 999_999, 1_000_000]
LEVELS = (0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999)


@pytest.mark.parametrize("confidence", LEVELS)
def test_student_t_as_scipy(confidence: float) -> None:
    """From 1 degree of freedom to a million."""
    for degrees in DEGREES:
        judged = float(stats.t.isf((1 - confidence) / 2, degrees))
        assert t_quantile(degrees, confidence) == pytest.approx(judged, rel=PRECISION)


@pytest.mark.parametrize("confidence", [*LEVELS, 0.01, 1 - 1e-9])
def test_student_t_in_closed_form(confidence: float) -> None:
    """With 1 and 2 degrees of freedom there are formulas; with many it is nearly the normal distribution."""
    tail = (1 - confidence) / 2
    assert t_quantile(1, confidence) == pytest.approx(1 / math.tan(math.pi * tail), rel=1e-12)
    two = confidence * math.sqrt(2 / (4 * tail * (1 - tail)))
    assert t_quantile(2, confidence) == pytest.approx(two, rel=1e-12)
    assert t_quantile(10**12, confidence) == pytest.approx(NormalDist().inv_cdf(1 - tail), rel=1e-6)


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


@examples(100)
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
def test_coverage_of_differences(
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

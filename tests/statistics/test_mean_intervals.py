"""Intervals of means, held to those of scipy.stats."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.paper_collections import CRANFIELD, ROBUST

import irevalx
from irevalx.arrays.segments import FloatArray
from irevalx.statistics.confidence_intervals import MeanIntervals
from irevalx.statistics.significance import generator

stats = pytest.importorskip("scipy.stats")

CONFIDENCES = (0.5, 0.9, 0.95, 0.999)


@pytest.mark.parametrize("n_topics", [2, 3, 10, 50, 400])
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_t(n_topics: int, confidence: float) -> None:
    """They are those of Student's t distribution."""
    values = np.random.default_rng(n_topics).exponential(size=(5, n_topics))
    result = MeanIntervals(confidence=confidence).of(values)
    judged = stats.t.interval(confidence, n_topics - 1, loc=values.mean(axis=1), scale=stats.sem(values, axis=1))
    np.testing.assert_allclose(result, np.stack(judged, axis=1), rtol=1e-12)


@pytest.mark.parametrize("n_topics", [15, 50, 300])
@pytest.mark.parametrize("confidence", CONFIDENCES[1:])
def test_bootstrap(n_topics: int, confidence: float) -> None:
    """With the same draws they are those of scipy, be there one mean or several."""
    values = np.random.default_rng(n_topics).exponential(size=(3, n_topics))
    how = MeanIntervals(confidence=confidence, method="bootstrap", seed=n_topics, resamples=2000)
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
        assert (MeanIntervals(confidence=confidence, method="bootstrap", seed=-1).of(row[np.newaxis]) != ends).all()


def test_equal_means_are_equal() -> None:
    """Draws whose mean is the observed one count as half below it, which rounding must not decide."""
    values = np.array([[0.1, 0.2, 0.3, 0.7, 0.9]])
    how = MeanIntervals(confidence=0.9, method="bootstrap")
    exact = how.of(values * 1024 // 1)
    scaled = how.of((values * 1024 // 1) / 10)
    np.testing.assert_allclose(scaled * 10, exact, rtol=1e-12)


def test_draws_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many draws are in memory makes no difference."""
    values = np.random.default_rng(1).normal(size=(2, 20))
    how = MeanIntervals(confidence=0.9, method="bootstrap", resamples=500)
    before = how.of(values)
    monkeypatch.setattr("irevalx.statistics.confidence_intervals._DRAWN_AT_ONCE", 70)
    np.testing.assert_allclose(how.of(values), before, rtol=1e-12)


@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_none(method: Any) -> None:
    """There is none of one topic, of equal values, nor of infinite ones; other rows keep theirs."""
    how = MeanIntervals(confidence=0.9, method=method)
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


COVERED = {"t": {10: 0.91, 25: 0.925, 50: 0.94}, "bootstrap": {10: 0.88, 25: 0.92, 50: 0.935}}
"""How often 95 % intervals over n topics cover, averaged over runs: the least of the numbers of docs/command.md."""


@pytest.mark.skipif("MEAN_DRAWS" not in os.environ, reason="MEAN_DRAWS says how many draws")
@pytest.mark.parametrize("method", ["t", "bootstrap"])
@pytest.mark.parametrize("folder", [ROBUST, CRANFIELD], ids=["robust03", "cranfield"])
def test_coverage_on_collections(folder: Path, method: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """95 % intervals of samples of topics cover the mean over all topics as often as is said; prints how often."""
    if not folder.is_dir():
        pytest.skip("needs the collection")
    runs, n_draws = sorted((folder / "runs").iterdir()), int(os.environ["MEAN_DRAWS"])
    scores = irevalx.evaluate(folder / "qrels.gz", runs, ["map", "P.10"], complete=True)
    how = MeanIntervals(confidence=0.95, method=method, resamples=1999)
    for measure in ("map", "P_10"):
        values = np.stack([scores.per_topic(measure, run) for run in scores.runs])
        for n_topics, least in COVERED[method].items():
            result = coverage(values, n_topics, n_draws, how)
            with capsys.disabled():
                text = f"{result.mean():.3f}, from {result.min():.3f} to {result.max():.3f}"
                print(f"{folder.name} {measure} {method} {n_topics} topics: {text} of {len(result)} runs")  # noqa: T201
            assert result.mean() >= least - 3 * math.sqrt(least * (1 - least) / n_draws)

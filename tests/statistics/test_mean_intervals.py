"""Intervals of means, held to those of scipy.stats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irevalx.statistics.mean_intervals import MeanIntervals
from irevalx.statistics.significance import generator

stats = pytest.importorskip("scipy.stats")

CONFIDENCES = (0.5, 0.9, 0.95, 0.999)


@pytest.mark.parametrize("n_topics", [2, 3, 10, 50, 400])
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_t(n_topics: int, confidence: float) -> None:
    """They are those of Student's t distribution."""
    values = np.random.default_rng(n_topics).exponential(size=(5, n_topics))
    found = MeanIntervals(confidence=confidence).of(values)
    judged = stats.t.interval(confidence, n_topics - 1, loc=values.mean(axis=1), scale=stats.sem(values, axis=1))
    np.testing.assert_allclose(found, np.stack(judged, axis=1), rtol=1e-12)


@pytest.mark.parametrize("n_topics", [15, 50, 300])
@pytest.mark.parametrize("confidence", CONFIDENCES[1:])
def test_bootstrap(n_topics: int, confidence: float) -> None:
    """With the same draws they are those of scipy, be there one mean or several."""
    values = np.random.default_rng(n_topics).exponential(size=(3, n_topics))
    how = MeanIntervals(confidence=confidence, method="bootstrap", seed=n_topics, resamples=2000)
    found = how.of(values)
    for row, ends in zip(values, found, strict=True):
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
    monkeypatch.setattr("irevalx.statistics.mean_intervals._DRAWN_AT_ONCE", 70)
    np.testing.assert_allclose(how.of(values), before, rtol=1e-12)


@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_none(method: Any) -> None:
    """There is none of one topic, of equal values, nor of infinite ones; other rows keep theirs."""
    how = MeanIntervals(confidence=0.9, method=method)
    assert np.isnan(how.of(np.array([[0.5]]))).all()
    assert np.isnan(how.of(np.empty((1, 0)))).all()
    found = how.of(np.array([[0.5, 0.5, 0.5], [0.1, np.inf, 0.2], [0.1, 0.2, 0.4]]))
    assert np.isnan(found[:2]).all()
    assert np.isfinite(found[2]).all()

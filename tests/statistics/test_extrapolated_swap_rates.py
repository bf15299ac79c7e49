"""Extrapolated swap rates: the normal model of scipy, and observed rates of larger topic sets of robust03."""

from __future__ import annotations

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS
from running import SHARED
from scipy.stats import multivariate_normal

import irevalx
from irevalx.errors import ArgumentError
from irevalx.lab.topic_sets.swap_rate import SwapRates
from irevalx.statistics.swap_rates import extrapolated_rates


def normal_rate(variance: float, size: int) -> float:
    """Return the probability that two sets differ in sign, by scipy's bivariate normal distribution."""
    r = size * variance / (1 + size * variance)
    return 1 - 2 * float(multivariate_normal.cdf([0, 0], mean=[0, 0], cov=[[1, r], [r, 1]]))


@pytest.mark.parametrize("variance", [0.02, 0.3, 2.0])
def test_normal_differences(variance: float) -> None:
    """Rates that follow the model are extrapolated exactly."""
    sizes, larger = (1, 2, 5, 10), (20, 50)
    rates = extrapolated_rates(sizes, [normal_rate(variance, size) for size in sizes], larger)
    assert rates == pytest.approx([normal_rate(variance, size) for size in larger], abs=1e-5)


@pytest.mark.slow
def test_observed_rates_of_robust03() -> None:
    """Rates of 20 topics, extrapolated to 50, are near the rates observed on all 100 topics; means of 12 samples."""
    runs = sorted((SHARED / "robust03" / "runs").iterdir())
    scores = irevalx.evaluate(SHARED / "robust03" / "qrels.gz", runs, ["map", "RankEff"], complete=True)
    topics = sorted({topic for run in scores.runs for topic in scores.topics(run)})
    values = {
        measure: {
            run: dict(zip(scores.topics(run), scores.per_topic(measure, run).tolist(), strict=True))
            for run in scores.runs
        }
        for measure in ("map", "RankEff")
    }

    def given(chosen: list[str]) -> irevalx.Scores:
        rows = [
            {"run": run, "topic": topic, "measure": measure, "value": of_topics.get(topic, 0.0)}
            for measure, of_runs in values.items()
            for run, of_topics in of_runs.items()
            for topic in chosen
        ]
        pandas = pytest.importorskip("pandas")
        return irevalx.Scores.from_frame(pandas.DataFrame(rows))

    observed = {
        row.measure: row.with_half_ties for row in irevalx.lab.swap_rate(given(topics), sizes=[50], seed=1).rows
    }
    estimates: dict[str, list[float]] = {"map": [], "RankEff": []}
    for seed in range(12):
        chosen = np.random.default_rng(seed).choice(len(topics), 20, replace=False).tolist()
        few = given([topics[number] for number in chosen])
        result = irevalx.lab.swap_rate(few, draws=150, seed=seed, extrapolate=[50])
        assert isinstance(result, SwapRates)
        for row in result.extrapolated:
            estimates[row.measure].append(row.with_half_ties)
    for measure, of_samples in estimates.items():
        assert np.mean(of_samples) == pytest.approx(observed[measure], abs=0.04)


def test_refusals() -> None:
    """Sets of more than five times the largest observed size are refused, and bins."""
    with pytest.raises(ArgumentError, match="must be at most 15 for map, 5 times the largest topic set"):
        irevalx.lab.swap_rate(QRELS, [*RUNS], "map", sizes=[1, 3], seed=1, extrapolate=[5, 16])
    with pytest.raises(ArgumentError, match="bins"):
        irevalx.lab.swap_rate(QRELS, [*RUNS], "map", seed=1, extrapolate=[5], bins=0.1)

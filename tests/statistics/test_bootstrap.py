"""The topic bootstrap, knees of curves and the best runs, against loops, numpy, scipy and hand-computed values.

``TOP_DRAWS=100`` prints how often intervals of the best runs cover the values of all topics, on the collections, with
machines that err at random.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from examples.label_files import machine_labels
from hypothesis import example, given
from hypothesis import strategies as st
from references import statistics as reference
from running import lab
from scipy import stats

import irevalx
from irevalx.arrays.segments import FloatArray
from irevalx.experiments.ranked_runs import GEOMETRIC_MEAN
from irevalx.statistics.bootstrap import (
    STATISTICS,
    TOP_STATISTICS,
    TopicDraws,
    agreement_draws,
    at_the_top,
    correlation_intervals,
    first_places,
    knee_interval,
    knee_places,
    loss,
    quantile_interval,
    top_intervals,
    top_overlap,
    top_tau_b,
)
from irevalx.statistics.correlations import rank_correlations, tau_b
from irevalx.statistics.significance import MEAN, TOTAL, Scale


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
    result = agreement_draws(scale.transform(x), scale.transform(y), draws, (scale, scale))
    assert set(result) == set(STATISTICS)

    for number, topics in enumerate(draws.topics.tolist()):
        a, b = ([summary([float(row[topic]) for topic in topics], scale) for row in side] for side in (x, y))
        expected = {
            "tau": reference.tau(a, b),
            "tau_b": float(stats.kendalltau(a, b).statistic),
            "tau_ap": reference.tau_ap(a, b),
            "tau_ap_b": reference.tau_ap_b(a, b),
            "rms": reference.rms(a, b),
            "bias": reference.bias(a, b),
        }
        for name, value in expected.items():
            assert float(result[name][number]) == pytest.approx(value, abs=1e-10, nan_ok=True), name


@pytest.mark.parametrize("scale", [MEAN, GEOMETRIC_MEAN, TOTAL])
def test_topics_without_a_value_are_left_out_of_every_draw(scale: Scale) -> None:
    """Of a measure that has values for two topics of six: summaries are over those that are drawn, if any is."""
    x, y = values_of(1, 4, 6), values_of(2, 4, 6)
    y[:, [0, 2, 3, 5]] = np.nan
    y[1, 0] = 0.5  # the others have none
    draws = TopicDraws.of(6, 50, 1)
    result = agreement_draws(x, scale.transform(y), draws, (MEAN, scale))
    none_drawn = 0
    for number, topics in enumerate(draws.topics.tolist()):
        known = [topic for topic in topics if topic in {1, 4}]
        none_drawn += not known
        a = [round(sum(float(row[topic]) for topic in topics) / 6, 12) for row in x]
        b = [summary([float(row[topic]) for topic in known], scale) for row in y]
        expected = {
            "tau": reference.tau(a, b) if known else math.nan,
            "tau_ap": reference.tau_ap(a, b) if known else math.nan,
            "rms": reference.rms(a, b),
            "bias": reference.bias(a, b),
        }
        for name, value in expected.items():
            assert float(result[name][number]) == pytest.approx(value, abs=1e-10, nan_ok=True), name
    assert none_drawn


def test_many_scorings_have_the_same_draws() -> None:
    """A stack of scorings against one reference, or against as many: each as if it were alone."""
    x, y = values_of(1, 3, 4, 6), values_of(2, 5, 2, 3, 4, 6)
    draws = TopicDraws.of(6, 20, 1)
    for side in (x, x[0]):
        result = agreement_draws(side, y, draws)
        assert result["tau"].shape == (20, 5, 2, 3)
        for m in range(3):
            alone = agreement_draws(side[m] if side.ndim == 3 else side, y[4, 1, m], draws)
            for name in STATISTICS:
                np.testing.assert_allclose(result[name][:, 4, 1, m], alone[name], rtol=1e-12, atol=1e-12)


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
        low, high = quantile_interval(agreement_draws(x, y, TopicDraws.of(50, 199, trial))["bias"], 0.1)
        covered += bool(low <= 0.02 <= high)
    assert covered / 200 == pytest.approx(0.9, abs=0.07)


def n_covered(x: FloatArray, y: FloatArray, n_topics: int, n_draws: int) -> tuple[int, int]:
    """Return how often intervals of tau-b cover that of all topics: ours, and those of quantiles over draws."""
    random, ours, quantiles = np.random.default_rng(5), 0, 0
    truth = float(tau_b(x.mean(axis=1), y.mean(axis=1)))
    for _ in range(n_draws):
        topics = random.integers(0, x.shape[1], n_topics)
        sample = x[:, topics], y[:, topics]
        draws = TopicDraws.of(n_topics, 300, int(random.integers(2**32)))
        drawn = draws.summaries(sample[0]), draws.summaries(sample[1])
        scores = sample[0].mean(axis=1), sample[1].mean(axis=1)
        low, high = correlation_intervals(rank_correlations, scores, drawn)["tau_b"]
        ours += low - 1e-9 <= truth <= high + 1e-9
        low, high = (float(end) for end in quantile_interval(tau_b(*drawn)))
        quantiles += low - 1e-9 <= truth <= high + 1e-9
    return ours, quantiles


@pytest.mark.slow
def test_intervals_of_tau_cover_that_of_all_topics() -> None:
    """Runs that are close to each other, scored twice with errors of their own: quantiles miss tau most of the time."""
    random = np.random.default_rng(1)
    runs = np.linspace(0.3, 0.4, 12)[:, np.newaxis] + random.random(2000)
    x, y = (runs + random.normal(0, 0.25, runs.shape) for _ in range(2))
    ours, quantiles = n_covered(x, y, 50, 40)
    assert quantiles < 0.8 * 40
    assert ours >= 0.9 * 40


def test_an_interval_of_tau_has_what_was_observed() -> None:
    """As it has every correlation between the quantiles of the draws; without variance there is none."""
    random = np.random.default_rng(2)
    x, y = random.random((2, 6, 30))
    draws = TopicDraws.of(30, 200, 3)
    drawn = draws.summaries(x), draws.summaries(y)
    low, high = correlation_intervals(rank_correlations, (x.mean(axis=1), y.mean(axis=1)), drawn)["tau_b"]
    quantiles = quantile_interval(tau_b(*drawn))
    assert -1 <= low <= quantiles[0] <= quantiles[1] <= high <= 1
    same = np.ones((6, 30))
    drawn = draws.summaries(same), draws.summaries(y)
    nothing = correlation_intervals(rank_correlations, (same.mean(axis=1), y.mean(axis=1)), drawn)
    assert np.isnan([nothing[name] for name in ("tau_b", "tau_ap", "tau_ap_b")]).all()


@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
@pytest.mark.skipif("COVERAGE_DRAWS" not in os.environ, reason="COVERAGE_DRAWS says how many draws")
@pytest.mark.parametrize("rate", ["10%", "30%"])
def test_coverage_on_collections(
    collection: Path, rate: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Judgments against a share of them, topics drawn from a collection: prints what docs/agreement.md has."""
    runs, n_draws = sorted((collection / "runs").iterdir()), int(os.environ["COVERAGE_DRAWS"])
    measures = ("map", "P_10", "infAP", "bpref")
    assert (
        lab("degrade", collection / "qrels.gz", "--uniform", rate, "--seed", "1", "-o", tmp_path / "some").status == 0
    )
    judgments = (collection / "qrels.gz", tmp_path / "some")
    both = [irevalx.evaluate(qrels, runs, ["map", "P.10", "infAP", "bpref"], complete=True) for qrels in judgments]
    for measure in measures:
        x, y = (np.stack([scores.per_topic(measure, run) for run in scores.runs]) for scores in both)
        for n_topics in (25, 50, 100):
            covered = np.array(n_covered(x, y, n_topics, n_draws)) / n_draws
            with capsys.disabled():
                text = f"{covered[0]:.2f}, quantiles {covered[1]:.2f}"
                print(f"{collection.name} {rate} {measure} {n_topics} topics: {text}")  # noqa: T201
            assert covered[0] >= 0.9


VALUES = st.lists(st.sampled_from([0.5, 0.9, 0.95, 1.0, math.nan]), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("values", "knee", "first"),
    [
        ([0.88, 0.93, 0.89, 0.95, 0.97], 3, 1),
        ([0.8, 0.91, 1.0], 1, 1),
        ([0.95], 0, 0),
        ([0.9, 0.9], 2, 2),
        ([0.95, 0.8], 2, 0),
        ([0.95, math.nan, 0.95], 2, 0),
    ],
)
def test_kinds_of_curves(values: list[float], knee: int, first: int) -> None:
    """A curve that falls back at last has a first crossing and no knee; at the threshold is not above it."""
    curve = np.array(values)
    assert (int(knee_places(curve)), int(first_places(curve))) == (knee, first)


@given(VALUES, st.sampled_from([0.9, 0.5]))
@example([math.nan], 0.5)
def test_knees_are_those_of_the_loop(values: list[float], threshold: float) -> None:
    """Many at once."""
    knee, first = (len(values) if place is None else place for place in reference.knee(values, threshold))
    column = np.array(values)[:, np.newaxis]
    both = np.hstack((column, np.ones_like(column)))
    assert knee_places(both, threshold).tolist() == [knee, 0]
    assert first_places(both, threshold).tolist() == [first, 0]


def test_quantiles_of_knees() -> None:
    """The least level whose share of draws reaches the bound, no knee counting as beyond all levels."""
    places = np.array([0] * 5 + [1] * 20 + [2] * 70 + [4] * 5)
    assert knee_interval(places, 4, 0.1) == (0, 2)
    assert knee_interval(places, 4, 0.08) == (0, None)
    assert knee_interval(np.sort(places)[5:], 4, 0.2) == (1, 2)
    assert knee_interval(places, 5, 0.08) == (0, 4)


SCORES = st.lists(st.integers(0, 5), min_size=7, max_size=7)


@given(SCORES, SCORES, st.integers(2, 9))
def test_best_runs_as_the_loops(x: list[int], y: list[int], k: int) -> None:
    """With ties at the cut and at the top; tau-b is scipy's over the runs that the loop takes for the best."""
    both = np.array(x, np.float64), np.array(y, np.float64)
    assert top_overlap(*both, k) == float(reference.overlap(x, y, k))
    assert loss(*both) == reference.loss(x, y)
    best = sorted(reference.best(x, k))
    expected = stats.kendalltau([x[run] for run in best], [y[run] for run in best]).statistic
    assert float(top_tau_b(*both, k)) == pytest.approx(float(expected), nan_ok=True)


def test_many_rows_of_best_runs() -> None:
    """Each row of runs has its own best runs."""
    x, y = np.random.default_rng(1).random((2, 20, 6))
    for name, function in at_the_top(3).items():
        assert function(x, y).tolist() == [float(function(*row)) for row in zip(x, y, strict=True)], name
        assert function(x[0], y).tolist() == [float(function(x[0], row)) for row in y], name


def n_covered_at_top(x: FloatArray, y: FloatArray, k: int, n_topics: int, n_draws: int) -> dict[str, int]:
    """Return how often intervals cover what all topics have, where topics are drawn with replacement."""
    truth = {name: float(function(x.mean(axis=1), y.mean(axis=1))) for name, function in at_the_top(k).items()}
    random, covered = np.random.default_rng(5), dict.fromkeys(TOP_STATISTICS, 0)
    for _ in range(n_draws):
        topics = random.integers(0, x.shape[1], n_topics)
        sample = x[:, topics], y[:, topics]
        draws = TopicDraws.of(n_topics, 200, int(random.integers(2**32)))
        scores = sample[0].mean(axis=1), sample[1].mean(axis=1)
        result = top_intervals(k, scores, (draws.summaries(sample[0]), draws.summaries(sample[1])))
        for name, (low, high) in result.items():
            covered[name] += low - 1e-9 <= truth[name] <= high + 1e-9
    return covered


@pytest.mark.slow
def test_intervals_of_best_runs_cover() -> None:
    """Runs that are close to each other, scored twice with errors of their own."""
    random = np.random.default_rng(1)
    runs = np.linspace(0.3, 0.4, 10)[:, np.newaxis] + random.random(2000)
    x, y = (runs + random.normal(0, 0.25, runs.shape) for _ in range(2))
    assert min(n_covered_at_top(x, y, 4, 50, 30).values()) >= 0.9 * 30


@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
@pytest.mark.skipif("TOP_DRAWS" not in os.environ, reason="TOP_DRAWS says how many draws")
@pytest.mark.parametrize("rates", [(0.1, 0.05), (0.3, 0.02), (0.6, 0.2)], ids=str)
def test_coverage_of_best_runs_on_collections(
    collection: Path, rates: tuple[float, float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Machines that miss and invent relevant documents, topics drawn from a collection: prints what docs/llm-judges.md has."""
    runs, n_draws = sorted((collection / "runs").iterdir()), int(os.environ["TOP_DRAWS"])
    machine = machine_labels(collection / "qrels.gz", tmp_path / "machine", missed=rates[0], wrong=rates[1], seed=1)
    both = [
        irevalx.evaluate(judgments, runs, ["map", "P.10"], complete=True)
        for judgments in (collection / "qrels.gz", machine)
    ]
    for measure in ("map", "P_10"):
        x, y = (np.stack([scores.per_topic(measure, run) for run in scores.runs]) for scores in both)
        for n_topics in (25, 50):
            covered = {name: n / n_draws for name, n in n_covered_at_top(x, y, 5, n_topics, n_draws).items()}
            with capsys.disabled():
                print(f"{collection.name} {rates} {measure} {n_topics} topics: {covered}")  # noqa: T201
            assert min(covered.values()) >= 0.92

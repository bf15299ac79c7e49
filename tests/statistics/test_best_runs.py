"""Agreement at the top: against loops and scipy, and how often its intervals cover that of all topics.

``TOP_DRAWS=100`` measures that on the collections of ``../shared``, with machines that err at random, and prints it.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from examples.label_files import machine_labels
from examples.paper_collections import CRANFIELD, ROBUST
from hypothesis import given
from hypothesis import strategies as st
from references import statistics as reference
from scipy import stats

import irevalx
from irevalx.arrays.segments import FloatArray
from irevalx.statistics.bootstrap import (
    TOP_STATISTICS,
    TopicDraws,
    at_the_top,
    loss,
    top_intervals,
    top_overlap,
    top_tau_b,
)

SCORES = st.lists(st.integers(0, 5), min_size=7, max_size=7)


@given(SCORES, SCORES, st.integers(2, 9))
def test_as_the_loops(x: list[int], y: list[int], k: int) -> None:
    """With ties at the cut and at the top; tau-b is scipy's over the runs that the loop takes for the best."""
    both = np.array(x, np.float64), np.array(y, np.float64)
    assert top_overlap(*both, k) == float(reference.overlap(x, y, k))
    assert loss(*both) == reference.loss(x, y)
    best = sorted(reference.best(x, k))
    expected = stats.kendalltau([x[run] for run in best], [y[run] for run in best]).statistic
    assert float(top_tau_b(*both, k)) == pytest.approx(float(expected), nan_ok=True)


def test_many_rows_at_once() -> None:
    """Each row of runs has its own best runs."""
    x, y = np.random.default_rng(1).random((2, 20, 6))
    for name, function in at_the_top(3).items():
        assert function(x, y).tolist() == [float(function(*row)) for row in zip(x, y, strict=True)], name
        assert function(x[0], y).tolist() == [float(function(x[0], row)) for row in y], name


def n_covered(x: FloatArray, y: FloatArray, k: int, n_topics: int, n_draws: int) -> dict[str, int]:
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


def test_intervals_cover() -> None:
    """Runs that are close to each other, scored twice with errors of their own."""
    random = np.random.default_rng(1)
    runs = np.linspace(0.3, 0.4, 10)[:, np.newaxis] + random.random(2000)
    x, y = (runs + random.normal(0, 0.25, runs.shape) for _ in range(2))
    assert min(n_covered(x, y, 4, 50, 30).values()) >= 0.9 * 30


@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
@pytest.mark.skipif("TOP_DRAWS" not in os.environ, reason="TOP_DRAWS says how many draws")
@pytest.mark.parametrize("folder", [ROBUST, CRANFIELD], ids=["robust03", "cranfield"])
@pytest.mark.parametrize("rates", [(0.1, 0.05), (0.3, 0.02), (0.6, 0.2)], ids=str)
def test_coverage_on_collections(
    folder: Path, rates: tuple[float, float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Machines that miss and invent relevant documents, topics drawn from a collection: prints what docs/llm-judges.md has."""
    if not folder.is_dir():
        pytest.skip("needs the collection")
    runs, n_draws = sorted((folder / "runs").iterdir()), int(os.environ["TOP_DRAWS"])
    machine = machine_labels(folder / "qrels.gz", tmp_path / "machine", missed=rates[0], wrong=rates[1], seed=1)
    both = [
        irevalx.evaluate(judgments, runs, ["map", "P.10"], complete=True)
        for judgments in (folder / "qrels.gz", machine)
    ]
    for measure in ("map", "P_10"):
        x, y = (np.stack([scores.per_topic(measure, run) for run in scores.runs]) for scores in both)
        for n_topics in (25, 50):
            covered = {name: n / n_draws for name, n in n_covered(x, y, 5, n_topics, n_draws).items()}
            with capsys.disabled():
                print(f"{folder.name} {rates} {measure} {n_topics} topics: {covered}")  # noqa: T201
            assert min(covered.values()) >= 0.92

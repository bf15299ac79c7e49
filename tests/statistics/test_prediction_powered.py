"""Prediction-powered estimates against ppi-python, by hand, and how often their intervals cover the truth.

ppi-python is of the dependency group ``judges``; without it those tests are skipped. ``COVERAGE_DRAWS=1000`` measures
coverage in full, on the collections, and prints it.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from examples.experiment import rank_graded_runs
from examples.label_files import machine_labels
from hypothesis import given, settings
from hypothesis import strategies as st
from references.judges import judge
from running import FIXTURES, opened
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.labels import PairedLabels
from irevalx.frozen import fields
from irevalx.statistics.prediction_powered_inference import FEW_HUMAN, Estimates, best_weights, prediction_powered
from irevalx.statistics.significance import holm

HUMAN = np.array([[0.2, 0.4, 0.6, 0.8]])
MACHINE = np.array([[0.3, 0.4, 0.5, 0.9]])
MORE = np.array([[0.2, 0.5, 0.7, 0.6, 0.4, 0.8]])

DRAWS = int(os.environ.get("COVERAGE_DRAWS", "0"))


def first(estimates: Estimates) -> dict[str, float]:
    """Return the first row of estimates, with 95 % intervals."""
    ends = (*estimates.interval(0.05), *estimates.classical_interval(0.05))
    names = ("low", "high", "classical_low", "classical_high")
    columns = {name: getattr(estimates, name) for name in fields(estimates) if name != "n_human"}
    return {name: float(column[0]) for name, column in (columns | dict(zip(names, ends, strict=True))).items()}


def test_example() -> None:
    """The numbers of ppi-python 0.2.3; correlation and effective topics by their definitions, intervals with t(3)."""
    half, classical_half = 3.182446 * 0.072568, 3.182446 * 0.129099
    assert first(prediction_powered(HUMAN, MACHINE, MORE)) == pytest.approx(
        {
            "weight": 0.581633,
            "estimate": 0.504847,
            "standard_error": 0.072568,
            "low": 0.504847 - half,
            "high": 0.504847 + half,
            "classical": 0.5,
            "classical_error": 0.129099,
            "classical_low": 0.5 - classical_half,
            "classical_high": 0.5 + classical_half,
            "correlation": 0.932673,
            "effective_topics": 9.4946,
            "cut": 0,
        },
        abs=5e-5,
    )


def test_given_weights() -> None:
    """With 0 the estimate is the classical one; with 1 it is the machine's mean less its mean error."""
    alone = first(prediction_powered(HUMAN, MACHINE, MORE, weight=0.0))
    assert alone["estimate"] == alone["classical"] == pytest.approx(0.5)
    assert alone["standard_error"] == pytest.approx(alone["classical_error"] * np.sqrt(3 / 4))
    assert alone["effective_topics"] == pytest.approx(4)
    full = first(prediction_powered(HUMAN, MACHINE, MORE, weight=1.0))
    assert full["estimate"] == pytest.approx(MORE.mean() - (MACHINE - HUMAN).mean())


def test_no_variance() -> None:
    """Constant labels have no weight, constant human values no error: nothing is divided by 0, or by rounding errors."""
    constant = first(prediction_powered(HUMAN, np.full((1, 4), 0.1), np.full((1, 6), 0.1)))
    assert constant["weight"] == 0
    assert constant["estimate"] == pytest.approx(0.5)
    assert np.isnan(constant["correlation"])
    human = first(prediction_powered(np.full((1, 3), 0.1), MACHINE[:, :3], MORE))
    assert human["weight"] == human["standard_error"] == 0
    assert np.isnan([human["low"], human["classical_high"], human["effective_topics"]]).all()
    assert prediction_powered(np.full((1, 3), 0.1), MACHINE[:, :3], MORE).p.tolist() == [2 / 2**3]
    assert prediction_powered(np.zeros((1, 3)), MACHINE[:, :3], MORE).p.tolist() == [1]


def test_weights_are_cut() -> None:
    """A machine that underestimates differences would want more than 1; one that turns them round, less than 0."""
    result = prediction_powered(
        np.repeat(HUMAN, 2, axis=0), np.stack([HUMAN[0] / 3, -HUMAN[0]]), np.repeat(MORE / 3, 2, axis=0)
    )
    assert result.weight.tolist() == [1, 0]
    assert result.cut.tolist() == [True, False]


VALUES = st.lists(st.integers(0, 20), min_size=2, max_size=12).map(lambda values: np.array(values) / 20)


@pytest.mark.judges
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_as_ppi_python(data: st.DataObject) -> None:
    """Estimates and intervals are those of ppi-python, fitted lambda and given ones."""
    ppi_py = judge("ppi_py")
    human = data.draw(VALUES)
    machine = np.array(data.draw(st.lists(st.integers(0, 20), min_size=human.size, max_size=human.size))) / 20
    more = data.draw(VALUES)
    if not best_weights(human[np.newaxis], machine[np.newaxis], more[np.newaxis])[0]:
        return  # 0/0, which is 0 here, and rounding errors
    for weight in (None, 0.0, 0.3, 1.0):
        result = first(prediction_powered(human[np.newaxis], machine[np.newaxis], more[np.newaxis], weight=weight))
        low, high = ppi_py.ppi_mean_ci(human, machine, more, alpha=0.05, lam=weight)
        error = (float(high[0]) - float(low[0])) / (2 * stats.norm.ppf(0.975))
        assert result["standard_error"] == pytest.approx(error, abs=1e-9)
        middle = ppi_py.ppi_mean_pointestimate(human, machine, more, lam=weight)
        assert result["estimate"] == pytest.approx(float(middle[0]), abs=1e-9)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_classical_intervals_are_those_of_scipy(alpha: float) -> None:
    """Student's t interval of the human topics alone."""
    result = prediction_powered(HUMAN, MACHINE, MORE)
    expected = stats.ttest_1samp(HUMAN[0], 0).confidence_interval(1 - alpha)
    assert [float(end[0]) for end in result.classical_interval(alpha)] == pytest.approx([expected.low, expected.high])


def test_p_and_interval_agree() -> None:
    """An interval leaves out 0 exactly where p is below its alpha; p is that of t with n - 1 degrees of freedom."""
    rng = np.random.default_rng(1)
    human, machine, more = (rng.normal(0.2, 0.5, (500, size)) for size in (8, 8, 30))
    result = prediction_powered(human, machine, more)
    assert result.p == pytest.approx(2 * stats.t.sf(np.abs(result.estimate / result.standard_error), 7))
    for alpha in (0.01, 0.05, 0.3):
        low, high = result.interval(alpha)
        assert ((low > 0) | (high < 0)).tolist() == (result.p < alpha).tolist()


@dataclass(frozen=True)
class Population:
    """The values of all topics of a collection, shape (n_rows, n_topics): runs, then differences of pairs."""

    human: FloatArray
    machine: FloatArray


def population(qrels: Path, runs: list[Path], folder: Path, measure: str = "map") -> Population:
    """Return what runs have with the judgments, and with those of a machine."""
    path = machine_labels(qrels, folder / "machine", missed=0.3, wrong=0.02, seed=2)
    human, machine = (graded_judgments_of(source) for source in (qrels, path))
    labels = PairedLabels.of(human, machine, machine.topics)
    experiment = rank_graded_runs(labels.judgments, opened([str(run) for run in runs], pytest.fail), (measure,))
    sides = [
        experiment.values(labels.human, labels.in_human)[0],
        experiment.values(labels.machine, labels.in_machine)[0],
    ]
    pairs = list(combinations(range(len(experiment.runs)), 2))
    return Population(*(np.stack([*side, *(side[first] - side[other] for first, other in pairs)]) for side in sides))


def coverage(
    of: Population, n_human: int, n_machine: int, n_draws: int, **options: float
) -> tuple[FloatArray, FloatArray]:
    """Return how often 95 % intervals cover the mean over the collection, shape (n_rows,): ours and classical ones."""
    rng = np.random.default_rng(7)
    truth = of.human.mean(axis=1)
    covered, classical = np.zeros(len(truth)), np.zeros(len(truth))
    for _ in range(n_draws):
        chosen, others = (rng.integers(0, of.human.shape[1], size) for size in (n_human, n_machine))
        result = prediction_powered(of.human[:, chosen], of.machine[:, chosen], of.machine[:, others], **options)
        (low, high), (classical_low, classical_high) = result.interval(0.05), result.classical_interval(0.05)
        covered += (low <= truth) & (truth <= high)
        classical += (classical_low <= truth) & (truth <= classical_high)
    return covered / n_draws, classical / n_draws


def all_pairs(of: Population, n_human: int, n_machine: int, n_draws: int) -> tuple[float, float]:
    """Return how often Bonferroni's intervals cover all differences, and how often Holm's finds one of wrong sign."""
    rng = np.random.default_rng(8)
    n_runs = next(n for n in range(len(of.human) + 1) if n * (n + 1) // 2 == len(of.human))
    human, machine = of.human[n_runs:], of.machine[n_runs:]
    truth, n_together, n_wrong = human.mean(axis=1), 0, 0
    for _ in range(n_draws):
        chosen, others = (rng.integers(0, human.shape[1], size) for size in (n_human, n_machine))
        result = prediction_powered(human[:, chosen], machine[:, chosen], machine[:, others])
        low, high = result.interval(0.05 / len(truth))
        n_together += bool((np.isnan(low) | ((low <= truth) & (truth <= high))).all())
        n_wrong += bool(((holm(result.p) < 0.05) & (result.estimate * truth < 0)).any())
    return n_together / n_draws, n_wrong / n_draws


def test_coverage(tmp_path: Path) -> None:
    """Intervals of 50 human and 200 machine topics cover the means of six runs and their differences in 95 % of draws."""
    runs = sorted((FIXTURES / "experiment" / "runs").iterdir())
    covered, _ = coverage(population(FIXTURES / "experiment" / "qrels", runs, tmp_path), 50, 200, 1000)
    assert 0.93 <= covered.mean() <= 0.97
    assert covered.min() >= 0.9


@pytest.mark.skipif(not DRAWS, reason="COVERAGE_DRAWS says how many draws")
@pytest.mark.parametrize("measure", ["map", "P.10"])
def test_coverage_in_full(capsys: pytest.CaptureFixture[str], tmp_path: Path, collection: Path, measure: str) -> None:
    """The same on real runs and topics: the intervals hold from ``FEW_TOPICS`` on, those of all pairs together too."""
    of = population(collection / "qrels.gz", sorted((collection / "runs").iterdir()), tmp_path, measure)
    for n_human in (10, 20, FEW_HUMAN, 100):
        covered, classical = coverage(of, n_human, 200, DRAWS)
        together, wrong = all_pairs(of, n_human, 200, DRAWS)
        with capsys.disabled():
            sys.stdout.write(
                f"\n{collection.name} {measure}: {n_human} human topics, {len(covered)} rows: each {covered.mean():.4f}, "
                f"classical {classical.mean():.4f}; all pairs together {together:.3f}, a wrong sign {wrong:.3f}"
            )
        if n_human >= FEW_HUMAN:
            assert 0.93 <= covered.mean() <= 0.97
            assert together >= 0.85
        assert wrong <= 0.05

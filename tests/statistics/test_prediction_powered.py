"""Prediction-powered estimates against ppi-python, by hand, and how often their intervals cover the truth.

ppi-python is of the dependency group ``judges``; without it those tests are skipped. ``COVERAGE_DRAWS=1000`` measures
coverage in full, on the collections, and prints it.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from examples.experiment import rank_graded_runs
from examples.label_files import machine_labels
from hypothesis import given
from hypothesis import strategies as st
from references.judges import judge
from running import FIXTURES, examples, opened
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.labels import PairedLabels
from irevalx.frozen import fields
from irevalx.statistics.corrections import holm
from irevalx.statistics.prediction_powered_inference import (
    FEW_HUMAN,
    FEWEST_FOR_BENEFIT,
    Estimates,
    best_weights,
    prediction_powered,
)

HUMAN = np.array([[0.2, 0.4, 0.6, 0.8]])
MACHINE = np.array([[0.3, 0.4, 0.5, 0.9]])
MORE = np.array([[0.2, 0.5, 0.7, 0.6, 0.4, 0.8]])

DRAWS = int(os.environ.get("COVERAGE_DRAWS", "0"))


def first(estimates: Estimates) -> dict[str, float]:
    """Return the first row of estimates, with 95 % intervals."""
    ends = (*estimates.interval(0.05), *estimates.classical_interval(0.05))
    names = ("low", "high", "classical_low", "classical_high")
    columns = {name: getattr(estimates, name) for name in fields(estimates) if not name.startswith(("n_", "added"))}
    return {name: float(column[0]) for name, column in (columns | dict(zip(names, ends, strict=True))).items()}


def literal_error(human: list[float], machine: list[float], more: list[float], weight: float, freedom: int) -> float:
    """Return the standard error by its definition."""
    errors = [y - weight * x for y, x in zip(human, machine, strict=True)]
    n, middle, middle_more = len(human), sum(errors) / len(human), sum(more) / len(more)
    of_errors = sum((e - middle) ** 2 for e in errors) / (n * freedom)
    of_more = sum((x - middle_more) ** 2 for x in more) / (len(more) - 1) / len(more)
    return math.sqrt(of_errors + weight**2 * of_more)


def test_example() -> None:
    """The estimate is that of ppi-python 0.2.3; errors by their definition, intervals with t(2) and, classical, t(3)."""
    result = first(prediction_powered(HUMAN, MACHINE, MORE))
    error = literal_error(HUMAN[0].tolist(), MACHINE[0].tolist(), MORE[0].tolist(), result["weight"], 2)
    half, classical_half = 4.302653 * error, 3.182446 * 0.129099
    expected = {
        "weight": 0.581633,
        "estimate": 0.504847,
        "standard_error": error,
        "freedom": 2,
        "low": 0.504847 - half,
        "high": 0.504847 + half,
        "classical": 0.5,
        "classical_error": 0.129099,
        "classical_low": 0.5 - classical_half,
        "classical_high": 0.5 + classical_half,
        "correlation": 0.932673,
        "correlation_error": math.nan,
        "effective_topics": 4 * (HUMAN.var() / 3) / error**2,
        "cut": 0,
    }
    assert result == pytest.approx(expected, abs=5e-5, nan_ok=True)


def test_given_weights() -> None:
    """With 0 the estimate is the classical one; with 1 it is the machine's mean less its mean error; both have t(3)."""
    alone = first(prediction_powered(HUMAN, MACHINE, MORE, weight=0.0))
    assert [alone[name] for name in ("estimate", "standard_error", "low", "high", "effective_topics")] == pytest.approx(
        [alone[f"classical{name}"] for name in ("", "_error", "_low", "_high")] + [4]
    )
    full = first(prediction_powered(HUMAN, MACHINE, MORE, weight=1.0))
    assert full["estimate"] == pytest.approx(MORE.mean() - (MACHINE - HUMAN).mean())
    error = literal_error(HUMAN[0].tolist(), MACHINE[0].tolist(), MORE[0].tolist(), 1, 3)
    assert full["standard_error"] == pytest.approx(error)
    assert full["freedom"] == 3


def literal_effective(human: list[float], machine: list[float], n_more: int) -> list[float]:
    """Return the 95 % interval of the effective number of topics by its definition."""
    n = len(human)
    z = [
        math.atanh(stats.pearsonr(human[:i] + human[i + 1 :], machine[:i] + machine[i + 1 :]).statistic)
        for i in range(n)
    ]
    jackknife = math.sqrt((n - 1) / n * sum((each - sum(z) / n) ** 2 for each in z))
    half = stats.t.ppf(0.975, n - 2) * max(jackknife, 1 / math.sqrt(n - 3))
    middle = math.atanh(stats.pearsonr(human, machine).statistic)
    share = n_more / (n + n_more)
    return [n / (1 - share * max(math.tanh(end), 0) ** 2) for end in (middle - half, middle + half)]


def test_interval_of_effective_topics() -> None:
    """It equals a literal loop from 10 human topics on, and ends at n and n + N; fewer topics have none."""
    rng = np.random.default_rng(4)
    for n, noise in ((10, 0.4), (14, 1.0), (30, 0.1), (12, 30.0)):
        human = rng.normal(size=(1, n))
        machine = human + noise * rng.normal(size=(1, n))
        ends = prediction_powered(human, machine, rng.normal(size=(1, 50))).effective_interval(0.05)
        expected = literal_effective(human[0].tolist(), machine[0].tolist(), 50)
        assert [float(end[0]) for end in ends] == pytest.approx(expected)
        assert n <= expected[0] <= expected[1] <= n + 50
    of_same = prediction_powered(human, human, rng.normal(size=(1, 50))).effective_interval(0.05)
    assert [float(end[0]) for end in of_same] == pytest.approx([62, 62])
    for values, weight in ((human[:, :9], None), (human, 0.5), (np.zeros((1, 12)), None)):
        ends = prediction_powered(values, values, np.ones((1, 3)), weight=weight).effective_interval(0.05)
        assert np.isnan(ends).all()


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


VALUES = st.lists(st.integers(0, 20), min_size=3, max_size=12).map(lambda values: np.array(values) / 20)


@pytest.mark.judges
@examples(60)
@given(st.data())
def test_as_ppi_python(data: st.DataObject) -> None:
    """Estimates are those of ppi-python, fitted lambda and given ones; errors too, but for the divisors."""
    ppi_py = judge("ppi_py")
    human = data.draw(VALUES)
    machine = np.array(data.draw(st.lists(st.integers(0, 20), min_size=human.size, max_size=human.size))) / 20
    more = data.draw(VALUES)
    if not best_weights(human[np.newaxis], machine[np.newaxis], more[np.newaxis])[0]:
        return  # 0/0, which is 0 here, and rounding errors
    for weight in (None, 0.0, 0.3, 1.0):
        result = first(prediction_powered(human[np.newaxis], machine[np.newaxis], more[np.newaxis], weight=weight))
        low, high = ppi_py.ppi_mean_ci(human, machine, more, alpha=0.05, lam=weight)
        of_ppi = ((float(high[0]) - float(low[0])) / (2 * stats.norm.ppf(0.975))) ** 2
        of_more = result["weight"] ** 2 * more.var() / more.size
        n, freedom = human.size, human.size - (2 if weight is None and result["weight"] else 1)
        error = math.sqrt(max(0, of_ppi - of_more) * n / freedom + of_more * more.size / (more.size - 1))
        assert result["standard_error"] == pytest.approx(error, abs=1e-6)
        middle = ppi_py.ppi_mean_pointestimate(human, machine, more, lam=weight)
        assert result["estimate"] == pytest.approx(float(middle[0]), abs=1e-9)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_classical_intervals_are_those_of_scipy(alpha: float) -> None:
    """Student's t interval of the human topics alone."""
    result = prediction_powered(HUMAN, MACHINE, MORE)
    expected = stats.ttest_1samp(HUMAN[0], 0).confidence_interval(1 - alpha)
    assert [float(end[0]) for end in result.classical_interval(alpha)] == pytest.approx([expected.low, expected.high])


def test_p_and_interval_agree() -> None:
    """An interval leaves out 0 exactly where p is below its alpha; p is that of t with n - 2, or n - 1 for lambda 0."""
    rng = np.random.default_rng(1)
    human, machine, more = (rng.normal(0.2, 0.5, (500, size)) for size in (8, 8, 30))
    result = prediction_powered(human, machine, more)
    freedom = np.where(result.weight > 0, 6, 7)
    assert set(freedom) == {6, 7}
    assert result.p == pytest.approx(2 * stats.t.sf(np.abs(result.estimate / result.standard_error), freedom))
    for alpha in (0.01, 0.05, 0.3):
        low, high = result.interval(alpha)
        assert ((low > 0) | (high < 0)).tolist() == (result.p < alpha).tolist()


DISTRIBUTIONS: dict[str, tuple[float, float, Callable[[FloatArray], FloatArray]]] = {
    "normal": (0.93, 0.0, lambda z: z),
    "beta": (0.92, 2 / 7, lambda z: stats.beta.ppf(stats.norm.cdf(z), 2, 5)),
    "lognormal": (0.81, math.exp(0.5), np.exp),
}
"""The least coverage of 95 % intervals over the cells of ``test_few_topics``, the mean, and a function of normals."""


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
@pytest.mark.parametrize("n_human", [6, 10, 20])
def test_few_topics(kind: str, n_human: int) -> None:
    """Intervals of few topics cover, but less if values are skewed; a useless machine seldom seems to help."""
    n_draws = DRAWS or 400
    least, truth, change = DISTRIBUTIONS[kind]
    rng = np.random.default_rng(3)
    for rho in (0.0, 0.5, 0.9):
        human, of_human, more = (rng.normal(size=(n_draws, size)) for size in (n_human, n_human, 100))
        machine = rho * human + math.sqrt(1 - rho**2) * of_human
        result = prediction_powered(*(change(values) for values in (human, machine, more)))
        low, high = result.interval(0.05)
        slack = 3 * math.sqrt(0.05 * 0.95 / n_draws)
        assert ((low <= truth) & (truth <= high)).mean() >= least - slack
        if n_human >= FEWEST_FOR_BENEFIT and not rho:
            assert (result.effective_interval(0.05)[0] > n_human).mean() <= 0.02 + slack


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


@pytest.mark.slow
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
    for n_human in (6, 10, 20, FEW_HUMAN, 100):
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

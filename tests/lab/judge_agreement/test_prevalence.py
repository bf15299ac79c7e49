"""Prevalence of relevant documents: corrected, and prediction-powered; which is better is measured by simulation."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from references.judges import judge

import irevalx.lab as public
from irevalx.lab.judge_agreement.prevalence import prevalences
from irevalx.statistics.bootstrap import quantile_interval
from irevalx.statistics.prediction_powered_inference import prediction_powered
from irevalx.statistics.proportions import proportion_interval

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")

Counts = tuple[int, int, int, int, int, int]


def labels_of(counts: Counts) -> tuple[Any, Any, Any]:
    """Return human and machine labels of the same documents, and machine labels of others."""
    neither, only_machine, only_human, both, other_0, other_1 = counts
    human = np.repeat([0.0, 0.0, 1.0, 1.0], [neither, only_machine, only_human, both])
    machine = np.repeat([0.0, 1.0, 0.0, 1.0], [neither, only_machine, only_human, both])
    return human, machine, np.repeat([0.0, 1.0], [other_0, other_1])


CASES: list[Counts] = [(40, 10, 5, 20, 100, 60), (60, 3, 4, 9, 300, 40), (20, 20, 3, 30, 10, 5), (5, 1, 1, 3, 0, 0)]


@pytest.mark.parametrize("counts", CASES)
def test_definitions(counts: Counts) -> None:
    """Error rates and estimates equal those of their formulas."""
    neither, only_machine, only_human, both, _, other_1 = counts
    values = prevalences(np.array(counts, np.float64))
    sensitivity, specificity = both / (both + only_human), neither / (neither + only_machine)
    apparent = (only_machine + both + other_1) / sum(counts)
    assert values["sensitivity"] == sensitivity
    assert values["specificity"] == specificity
    assert values["prevalence_machine"] == pytest.approx(apparent)
    expected = (apparent + specificity - 1) / (sensitivity + specificity - 1)
    assert values["prevalence_corrected"] == pytest.approx(min(1, max(0, expected)))
    human, machine, others = labels_of(counts)
    assert values["prevalence_human"] == pytest.approx(human.mean())
    if others.size:
        estimates = prediction_powered(*(labels[np.newaxis] for labels in (human, machine, others)))
        assert values["prevalence_powered"] == pytest.approx(estimates.estimate[0])


@pytest.mark.judges
@pytest.mark.parametrize("counts", CASES[:3])
def test_ppi_py(counts: Counts) -> None:
    """Prediction-powered estimates equal those of ppi-python."""
    human, machine, others = labels_of(counts)
    estimate = judge("ppi_py").ppi_mean_pointestimate(human, machine, others)
    assert prevalences(np.array(counts, np.float64))["prevalence_powered"] == pytest.approx(float(np.squeeze(estimate)))


def test_undefined() -> None:
    """Labels without information have no corrected prevalence; without relevant documents, no sensitivity."""
    values = prevalences(np.array([[10, 10, 10, 10, 5, 5], [10, 2, 0, 0, 3, 1]], np.float64))
    assert np.isnan(values["prevalence_corrected"]).all()
    assert np.isnan(values["sensitivity"][1])
    assert values["prevalence_powered"][1] == 0
    assert prevalences(np.array([90.0, 10, 1, 9, 500, 1]))["prevalence_corrected"] == 0  # clipped


def test_labels() -> None:
    """The statistics of ``labels`` are those of counts, also of topics and documents without human labels."""
    human = {"1": {"a": 2, "b": 0, "c": 1, "d": 0}, "2": {"a": 2, "b": 0}, "4": {"a": 1}}
    machine = {"1": {"a": 1, "b": 0, "c": 2, "e": 2}, "2": {"a": 2, "b": 2, "f": 0}, "3": {"a": 2, "b": 0}}
    counts = np.array([1, 2, 1, 1, 2, 2], np.float64)
    rows = public.labels(human, machine, level=2, prevalence=True, resamples=0).rows
    by_name = {row.statistic: row for row in rows if row.level == 2 and row.statistic.startswith(("prev", "s"))}
    expected = prevalences(counts)
    assert {name: row.value for name, row in by_name.items()} == {
        name: None if math.isnan(value) else float(value) for name, value in expected.items()
    }


def estimate_of(counts: Any) -> float:
    """Return Rogan and Gladen's estimate."""
    neither, only_machine, only_human, both, _, other_1 = counts
    sensitivity, specificity = both / (both + only_human), neither / (neither + only_machine)
    apparent = (only_machine + both + other_1) / sum(counts)
    return float((apparent + specificity - 1) / (sensitivity + specificity - 1))


def delta_error(counts: Counts) -> float:
    """Return the standard error of the estimate by the delta method, for multinomial counts of all six kinds."""
    each, n = np.array(counts, np.float64), sum(counts)
    gradient = [(estimate_of(each + step) - estimate_of(each - step)) / 0.2 for step in 0.1 * np.eye(6)]
    share = each / n
    return math.sqrt(n * (share @ np.square(gradient) - (share @ gradient) ** 2))


def test_interval_includes_the_errors_of_both_rates() -> None:
    """With one document per topic, the width of intervals is that of the delta method, not that of fixed rates."""
    counts = (140, 20, 12, 48, 1500, 500)
    human, machine, others = labels_of(counts)
    n = len(human)
    ours = {str(topic): {"d": int(label)} for topic, label in enumerate(human)}
    theirs = {str(topic): {"d": int(label)} for topic, label in enumerate([*machine, *others])}
    rows = public.labels(ours, theirs, prevalence=True, resamples=2000, seed=1).rows
    [row] = [row for row in rows if row.statistic == "prevalence_corrected"]
    assert row.low is not None
    assert row.high is not None
    assert row.high - row.low == pytest.approx(2 * 1.96 * delta_error(counts), rel=0.06)
    fixed = math.sqrt(0.284 * 0.716 / (n + len(others))) / 0.675
    assert row.high - row.low > 1.5 * 2 * 1.96 * fixed


# -- Which estimate is better

DRAWS = int(os.environ.get("PREVALENCE_DRAWS", "0"))
N_TOPICS, N_DOCUMENTS, N_LABELLED = 50, 200, 10

SCENARIOS = ("random", "rates differ by topic", "relevant documents labelled first", "and easier", "machine's choice")


def drawn(scenario: str, rng: np.random.Generator) -> tuple[Any, float]:
    """Return the counts of each topic, shape (n_topics, 6), and the true prevalence of the collection."""
    shares = rng.beta(1.5, 6, (N_TOPICS, 1))
    relevant = rng.random((N_TOPICS, N_DOCUMENTS)) < shares
    first = rng.random((N_TOPICS, N_DOCUMENTS)) < np.where(relevant, 0.5, 0.1)  # in an earlier pool
    sensitivity: Any = 0.8
    specificity: Any = 0.9
    if scenario == "rates differ by topic":
        sensitivity, specificity = rng.beta(4, 1, (N_TOPICS, 1)), rng.beta(9, 1, (N_TOPICS, 1))
    if scenario == "and easier":
        sensitivity, specificity = np.where(first, 0.95, 0.5), np.where(first, 0.95, 0.85)
    machine = rng.random(relevant.shape) < np.where(relevant, sensitivity, 1 - specificity)
    priority = rng.random(relevant.shape)
    if scenario in SCENARIOS[2:4]:
        priority += first
    if scenario == "machine's choice":
        priority += 0.3 * machine
    labelled = np.zeros_like(relevant)
    np.put_along_axis(labelled, np.argsort(-priority, axis=1)[:, :N_LABELLED], values=True, axis=1)
    kind = np.where(labelled, 2 * relevant + machine, 4 + machine)
    counts = np.stack([(kind == number).sum(axis=1) for number in range(6)], axis=1)
    return counts.astype(np.float64), float(relevant.mean())


def simulated(scenario: str, n_draws: int) -> Iterator[tuple[str, float, float, float]]:
    """Yield for each estimate its bias, its root mean square error, and the coverage of its 95 % intervals."""
    names = ("prevalence_human", "prevalence_machine", "prevalence_corrected", "prevalence_powered")
    errors, covered = {name: list[float]() for name in names}, {name: list[bool]() for name in names}
    for draw in range(n_draws):
        rng = np.random.default_rng((SCENARIOS.index(scenario), draw))
        counts, truth = drawn(scenario, rng)
        resamples = counts[rng.integers(0, N_TOPICS, (400, N_TOPICS))].sum(axis=1)
        values, of_resamples = prevalences(counts.sum(axis=0)), prevalences(resamples)
        shares = {"prevalence_human": counts[:, 2:4].sum(axis=1), "prevalence_machine": counts[:, 1::2].sum(axis=1)}
        n_kinds = {"prevalence_human": 4, "prevalence_machine": 6}
        for name in names:
            errors[name].append(float(values[name]) - truth)
            low, high = (float(end) for end in quantile_interval(of_resamples[name]))
            if name in shares:
                low, high = proportion_interval(shares[name], counts[:, : n_kinds[name]].sum(axis=1), 0.95)
            covered[name].append(bool(low <= 1.5 / 7.5 <= high))
    for name in names:
        error = np.array(errors[name])
        yield name, float(error.mean()), float(np.sqrt((error**2).mean())), float(np.mean(covered[name]))


def test_which_is_better(capsys: pytest.CaptureFixture[str]) -> None:
    """The statements of docs/llm-judges.md about bias and error hold; PREVALENCE_DRAWS prints the table."""
    results = {}
    for scenario in SCENARIOS:
        for name, bias, rms, coverage in simulated(scenario, DRAWS or 40):
            results[scenario, name.removeprefix("prevalence_")] = bias, rms
            if DRAWS:
                with capsys.disabled():
                    print(f"{scenario:35} {name:22} bias {bias:+.4f} rms {rms:.4f} coverage {coverage:.3f}")  # noqa: T201
    random, chosen = SCENARIOS[:2], SCENARIOS[2:]
    for scenario in random:
        assert results[scenario, "powered"][1] < results[scenario, "corrected"][1]
        assert results[scenario, "powered"][1] < results[scenario, "human"][1]
        assert abs(results[scenario, "powered"][0]) < 0.01
    assert abs(results[chosen[0], "corrected"][0]) < 0.01
    assert results[chosen[0], "powered"][0] > 0.05
    assert abs(results[chosen[1], "corrected"][0]) > 0.02
    for name in ("corrected", "powered"):
        assert abs(results[chosen[2], name][0]) > 0.02

"""infAP without a pool and with true precisions: equal to loops, and the findings on robust03."""

from __future__ import annotations

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS
from references import degrade as reference
from running import lab, rows_in, succeeded

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.experiments import samples
from irevalx.experiments.inputs import graded_runs_of
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.lab.studies.infap_errors import with_error_sources, without_pool

pytestmark = pytest.mark.slow


def infap_without_pool(experiment: GradedRuns, grades: IntArray, c: float = 2, epsilon: float = 0.00001) -> FloatArray:
    """Values without a pool, shape (n_runs, n_topics)."""
    t = experiment.ranking.assess(experiment.judgments, grades)
    return np.reshape(without_pool(t, c, epsilon), experiment.missing.shape)


def infap_with_true_precisions(experiment: GradedRuns, grades: IntArray) -> FloatArray:
    """Values with true precisions, shape (n_runs, n_topics)."""
    *_, values = with_error_sources(experiment).values(grades)
    return np.asarray(values, np.float64)


def test_values_by_loops() -> None:
    """Values at a fifth of the judgments equal loops over ranks."""
    experiment = graded_runs_of(QRELS, RUNS, "infAP")
    full = reference.read_qrels(QRELS.read_text())
    runs = {path.name: reference.read_run(path.read_text()) for path in RUNS}
    part = reference.uniform(full, "0.2", 3)
    order = samples.RandomOrder(experiment.judgments, 3, "uniform")
    grades = samples.remove_judgments(
        experiment.judgments, samples.uniform(experiment.judgments, Fraction(1, 5), order, 1)
    )
    without = infap_without_pool(experiment, grades, c=1.5, epsilon=0.001)
    exact = infap_with_true_precisions(experiment, grades)
    for r, run in enumerate(experiment.runs):
        for t, name in enumerate(experiment.topics):
            topic = name.decode()
            n_relevant = sum(grade > 0 for grade in part[topic].values())
            estimated = true = 0.0
            relevant = nonrelevant = truly_relevant = 0
            for k, docno in enumerate(runs[run].get(topic, []), start=1):
                truly_relevant += full[topic].get(docno, 0) > 0
                grade = part[topic].get(docno, -1)
                if grade > 0:
                    true += truly_relevant / k
                    above = (relevant + 0.001) / (relevant + nonrelevant + 1.5 * 0.001)
                    estimated += 1 if k == 1 else 1 / k + (k - 1) / k * above
                relevant += grade > 0
                nonrelevant += grade == 0
            assert exact[r, t] == pytest.approx(true / n_relevant if n_relevant else 0)
            assert without[r, t] == pytest.approx(estimated / n_relevant if n_relevant else 0)


def test_full_judgments() -> None:
    """True precisions give AP; without a pool infAP is not lower."""
    experiment = graded_runs_of(QRELS, RUNS, "map infAP")
    average_precision, infap = experiment.values()
    np.testing.assert_allclose(infap_with_true_precisions(experiment, experiment.grades), average_precision)
    assert (infap_without_pool(experiment, experiment.grades) >= infap - 1e-12).all()


def test_source_of_the_error(robust03: Path) -> None:
    """At 5 % of the judgments only estimated precisions are biased (Yilmaz and Aslam 2008, Figure 19)."""
    experiment = graded_runs_of(robust03 / "qrels.gz", sorted((robust03 / "runs").iterdir()), "map infAP.c=2")
    average_precision = experiment.values()[0].mean()
    kinds: dict[str, Callable[[GradedRuns, IntArray], FloatArray]] = {
        "true": infap_with_true_precisions,
        "without": infap_without_pool,
        "estimated": lambda experiment, grades: experiment.values(grades)[1],
    }
    bias = dict.fromkeys(kinds, 0.0)
    for seed in range(1, 11):
        order = samples.RandomOrder(experiment.judgments, seed, "uniform")
        grades = samples.remove_judgments(
            experiment.judgments, samples.uniform(experiment.judgments, Fraction(1, 20), order, 1)
        )
        for name, infap in kinds.items():
            bias[name] += float(infap(experiment, grades).mean() - average_precision) / 10
    assert bias["estimated"] < -0.015  # standard error 0.004
    assert abs(bias["true"]) < 0.012
    assert bias["estimated"] < bias["without"] < bias["true"]


def test_infap_errors(tmp_path: Path) -> None:
    """--infap-errors adds both measures to all files."""
    files = (QRELS, *RUNS)
    options = ("--levels", "30%,100%", "--samples", "2", "--seed", "5", "--figures", "none", "--threads", "1")
    succeeded("study", *files, "-m", "map infAP", "--infap-errors", *options, "--resamples", "20", "-o", tmp_path)
    scores = {
        (row["level"], row["sample"], row["run"], row["measure"]): row["score"]
        for row in rows_in(tmp_path / "scores.csv")
    }
    experiment = graded_runs_of(QRELS, RUNS, "map")
    order = samples.RandomOrder(experiment.judgments, 6, "uniform")
    grades = samples.remove_judgments(
        experiment.judgments, samples.uniform(experiment.judgments, Fraction(3, 10), order, 1)
    )
    without, exact = infap_without_pool(experiment, grades), infap_with_true_precisions(experiment, grades)
    for r, run in enumerate(experiment.runs):
        assert float(scores["30%", "1", run, "infAP_no_pool"]) == pytest.approx(without[r].mean(), abs=1e-12)
        assert float(scores["30%", "1", run, "infAP_true_precisions"]) == pytest.approx(exact[r].mean(), abs=1e-12)
        full = float(scores["100%", "0", run, "infAP_true_precisions"])
        assert full == pytest.approx(float(scores["100%", "0", run, "map"]), abs=1e-12)
    requested = ("infAP_true_precisions", "100%", "AP")
    rows = rows_in(tmp_path / "summary.csv")
    [row] = [row for row in rows if (row["measure"], row["level"], row["against"]) == requested]
    assert float(row["rms_mean"]) == pytest.approx(0, abs=1e-12)
    assert row["tau_b_low"]


def test_infap_errors_and_strata(tmp_path: Path) -> None:
    """--infap-errors does not change measures of strata and of probabilities."""
    files = [QRELS, *RUNS]
    options = ["--scheme", "mixed", "--levels", "2", "--samples", "1", "--seed", "1", "--figures", "none"]
    measures = ["-m", "xinfAP infAP statAP"]
    lab("study", *files, *options, *measures, "-o", tmp_path / "plain")
    lab("study", *files, *options, *measures, "--infap-errors", "-o", tmp_path / "more")
    plain, more = ((tmp_path / name / "scores.csv").read_text().splitlines() for name in ("plain", "more"))
    assert set(plain) < set(more)
    assert {row["measure"] for row in csv.DictReader(more)} > {"infAP_no_pool", "infAP_true_precisions"}

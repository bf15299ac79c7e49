"""infAP without a pool and with true precisions: as loops over the files have it, and what it shows on robust03."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import reference_degrade as reference
from running import FIXTURES, SHARED, opened

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.lab.experiment import Experiment, prepare
from irevalx.lab.judging import samples
from irevalx.lab.judging.qrels_lines import QrelsLines
from irevalx.lab.study.inferred_precision import infap_with_true_precisions, infap_without_pool
from irevalx.reading.source import Source

EXPERIMENT = FIXTURES / "experiment"
ROBUST = SHARED / "robust03"


def read(qrels: Path, runs: Path, *measures: str) -> Experiment:
    """Runs and judgments."""
    judgments = QrelsLines.read(Source(str(qrels)), print).judgments
    return prepare(judgments, opened([str(path) for path in sorted(runs.iterdir())], print), measures)


def test_both_are_those_of_the_loop() -> None:
    """Rank by rank, for a fifth of the judgments."""
    experiment = read(EXPERIMENT / "qrels", EXPERIMENT / "runs", "infAP")
    full = reference.read_qrels((EXPERIMENT / "qrels").read_text())
    runs = {path.name: reference.read_run(path.read_text()) for path in (EXPERIMENT / "runs").iterdir()}
    part = reference.uniform(full, "0.2", 3)
    order = samples.RandomOrder(experiment.judgments, 3, "uniform")
    grades = samples.unjudge(experiment.judgments, samples.uniform(experiment.judgments, Fraction(1, 5), order, 1))
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
    """True precisions give average precision; without a pool infAP is greater where nonrelevant documents are outside."""
    experiment = read(EXPERIMENT / "qrels", EXPERIMENT / "runs", "map", "infAP")
    average_precision, infap = experiment.values()
    np.testing.assert_allclose(infap_with_true_precisions(experiment, experiment.grades), average_precision)
    assert (infap_without_pool(experiment, experiment.grades) >= infap - 1e-12).all()


@pytest.mark.skipif(not ROBUST.is_dir(), reason="needs ../shared")
def test_the_error_is_in_the_precisions() -> None:
    """From 5 % of the judgments: with true precisions there is no bias, by estimation there is one, due to smoothing.

    Source: Yilmaz and Aslam 2008, section 4.5.4 and Figure 19.
    """
    experiment = read(ROBUST / "qrels.gz", ROBUST / "runs", "map", "infAP.c=2")
    average_precision = experiment.values()[0].mean()
    kinds: dict[str, Callable[[Experiment, IntArray], FloatArray]] = {
        "true": infap_with_true_precisions,
        "without": infap_without_pool,
        "estimated": lambda experiment, grades: experiment.values(grades)[1],
    }
    bias = dict.fromkeys(kinds, 0.0)
    for seed in range(1, 11):
        order = samples.RandomOrder(experiment.judgments, seed, "uniform")
        grades = samples.unjudge(experiment.judgments, samples.uniform(experiment.judgments, Fraction(1, 20), order, 1))
        for name, infap in kinds.items():
            bias[name] += float(infap(experiment, grades).mean() - average_precision) / 10
    assert bias["estimated"] < -0.015  # standard error 0.004
    assert abs(bias["true"]) < 0.012
    assert bias["estimated"] < bias["without"] < bias["true"]

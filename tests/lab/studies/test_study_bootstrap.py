"""Topic-bootstrap intervals of studies equal those of single draws."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from running import FIXTURES

from irevalx.arrays.segments import FloatArray
from irevalx.experiments import samples
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.lab.studies.schemes import sample_of
from irevalx.lab.studies.simulation import run_study
from irevalx.lab.studies.warnings import study_warnings
from irevalx.statistics import correlations as agreement
from irevalx.statistics.bootstrap import TopicDraws
from irevalx.strategies.simulation import BudgetLevel

pytestmark = pytest.mark.slow

EXPERIMENT = FIXTURES / "experiment"
LEVELS = [BudgetLevel("20%", Fraction(1, 5)), BudgetLevel("80%", Fraction(4, 5)), BudgetLevel("100%", Fraction(1))]
MEASURES = ("infAP", "gm_map")


@pytest.fixture(scope="module")
def experiment() -> GradedRuns:
    """Six small runs."""
    return prepare_graded_runs(EXPERIMENT / "qrels", sorted((EXPERIMENT / "runs").iterdir()), MEASURES).ranked()


def summaries(measure: int, values: FloatArray) -> FloatArray:
    """Return the mean of infAP or the geometric mean of AP over drawn topics."""
    means: FloatArray = (np.log(np.maximum(values, 1e-5)) if measure == 1 else values).mean(axis=-1)
    return np.exp(means) if measure == 1 else means


def test_intervals(experiment: GradedRuns) -> None:
    """Intervals of statistics and knees are quantiles over single draws; gm_map has no bias against AP."""
    made = run_study(experiment, "uniform", LEVELS, [1, 2], resamples=40)
    full = experiment.values()
    of_ap = experiment.with_measures(("map",)).values()[0]
    draws = TopicDraws.of(len(experiment.topics), 40, 1).topics
    tau_b, bias_ap = np.zeros((40, 3, 2)), np.zeros((40, 3, 2))
    for seed in (1, 2):
        order = samples.RandomOrder(experiment.judgments, seed, "uniform")
        for i, level in enumerate(LEVELS):
            sample, _ = sample_of(experiment, "uniform", level.number, order)
            reduced = experiment.values(samples.remove_judgments(experiment.judgments, sample.in_sample))
            for m in range(2):
                for b, topics in enumerate(draws):
                    x, y = (summaries(m, values[m][:, topics]) for values in (full, reduced))
                    tau_b[b, i, m] += float(agreement.tau_b(x, y)) / 2
                    bias_ap[b, i, m] += math.nan if m else float((y - of_ap[:, topics].mean(axis=1)).mean()) / 2
    assert made.intervals is not None
    for reference, name, expected, quantile in (
        ("itself", "tau_b", tau_b, np.nanquantile),
        ("AP", "bias", bias_ap, np.quantile),
    ):
        low, high = made.intervals.statistics[reference][name]
        np.testing.assert_allclose(low, quantile(expected, 0.025, axis=0), atol=1e-10)
        np.testing.assert_allclose(high, quantile(expected, 0.975, axis=0), atol=1e-10)
    for m in range(2):
        knees = sorted(next((i for i in range(3) if (tau_b[b, i:, m] > 0.9).all()), 3) for b in range(40))
        expected_ends = tuple(None if place == 3 else place for place in (knees[0], knees[38]))
        assert made.intervals.knees["tau_b_itself"][m] == expected_ends


def test_opposite_decisions_on_robust03(robust03: Path) -> None:
    """At 1 % opposite significant decisions occur, and a warning counts them (Bompada et al. 2007, section 4)."""
    result = run_study(
        prepare_graded_runs(robust03 / "qrels.gz", sorted((robust03 / "runs").iterdir()), "map infAP").ranked(),
        "uniform",
        [BudgetLevel("1%", Fraction(1, 100))],
        range(1, 4),
    )
    counts = {
        name: int(values[0, :, 0].sum()) for name, values in result.confusion.columns.items() if name[0] in "acmp"
    }
    assert counts["c22"] == counts["aa"] + counts["ad"]
    assert counts["ad"] > 5
    assert result.reversals[0].sum() == counts["ad"]
    line = (
        f"map: in {counts['ad']} cases over all samples, a pair of runs differs significantly in opposite directions "
        "under full and reduced judgments ("
    )
    assert any(warning.startswith(line) for warning in study_warnings(result))

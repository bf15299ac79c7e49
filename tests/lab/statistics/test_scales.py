"""Scales of measures: what is tested, and what is printed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from running import FIXTURES, lab, run

from irevalx.lab.experiment import requests_of
from irevalx.lab.statistics.scales import GEOMETRIC_MEAN, MEAN, TOTAL, scale_of
from irevalx.measures import MEASURES

EXPERIMENT = FIXTURES / "experiment"
QRELS, RUNS = EXPERIMENT / "qrels", sorted((EXPERIMENT / "runs").iterdir())


def test_every_measure_of_graded_judgments_has_a_scale() -> None:
    """All that has a number for each topic and a summary."""
    lacking = [
        measure.name
        for measure in MEASURES
        if measure.kernel and measure.number != "text" and scale_of(measure) is None
    ]
    assert lacking == []
    scales = {measure.name: scale_of(measure) for measure in MEASURES}
    assert scales["gm_map"] is scales["gm_bpref"] is GEOMETRIC_MEAN
    assert scales["num_rel_ret"] is scales["num_ret"] is scales["num_rel"] is scales["inum_rel"] is TOTAL
    assert scales["map"] is scales["P"] is MEAN
    assert scales["num_q"] is scales["runid"] is None
    with pytest.raises(Exception, match="must have a number for each topic"):
        requests_of(["num_q"], 1)


def test_summaries_by_hand() -> None:
    """The mean, exp of the mean logarithm, the sum."""
    values = np.array([[0.5, 0.0], [0.25, 0.1]])
    assert MEAN.summarise(values).tolist() == [0.25, 0.175]
    assert TOTAL.summarise(values).tolist() == [0.5, 0.35]
    logs = GEOMETRIC_MEAN.transform(values)
    assert logs.tolist() == [[pytest.approx(np.log(0.5)), pytest.approx(np.log(1e-5))], np.log(values[1]).tolist()]
    assert GEOMETRIC_MEAN.summarise(logs).tolist() == pytest.approx([0.002236, 0.158114], abs=1e-6)
    for scale in (MEAN, GEOMETRIC_MEAN, TOTAL):
        tested = scale.transform(values)
        assert scale.of_mean(tested.mean(axis=1), 2) == pytest.approx(scale.summarise(tested))


@pytest.mark.parametrize("measure", ["gm_map", "gm_bpref", "num_rel_ret", "num_ret", "map", "ndcg"])
def test_compare_prints_what_the_evaluator_prints(measure: str) -> None:
    """To the last bit, whatever the summary."""
    printed = run("-c", "-m", measure, "--format", "jsonl", QRELS, *RUNS).stdout.splitlines()
    expected = {row["run"]: row["value"] for row in map(json.loads, printed) if row["topic"] == "all"}
    done = lab("compare", QRELS, *RUNS, "-m", measure, "--seed", "1", "--format", "jsonl")
    for row in map(json.loads, done.stdout.splitlines()):
        assert (row["mean"], row["mean_against"]) == (expected[row["run"]], expected[row["against"]])
        assert row["difference"] == pytest.approx(row["mean"] - row["mean_against"])
    assert ("logarithms" in done.stderr) == measure.startswith("gm_")
    assert ("sums" in done.stderr) == measure.startswith("num_")

"""Scales of measures: what is tested, and what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from examples.experiment import rank_graded_runs
from running import FIXTURES, lab, opened, run

from irevalx.errors import InputError
from irevalx.experiments.inputs import GradedQrelsText
from irevalx.experiments.measured_runs import measured_ranking
from irevalx.experiments.ranked_runs import GEOMETRIC_MEAN, requests_of, scale_of
from irevalx.measures import MEASURES
from irevalx.statistics.significance import MEAN, TOTAL

EXPERIMENT = FIXTURES / "experiment"
QRELS, RUNS = EXPERIMENT / "qrels", sorted((EXPERIMENT / "runs").iterdir())


def test_every_measure_of_graded_judgments_has_a_scale() -> None:
    """All that has a number for each topic and a summary, but the standard error, whose squares are added up."""
    lacking = [
        measure.name
        for measure in MEASURES
        if measure.formats & {"qrels", "sampled"}
        and measure.number != "text"
        and scale_of(measure) is None
        and measure.kernel
    ]
    assert lacking == ["inum_rel_se"]
    with pytest.raises(Exception, match=r"measure 'inum_rel_se' cannot be compared"):
        requests_of(["inum_rel_se"], rel_format="sampled")
    scales = {measure.name: scale_of(measure) for measure in MEASURES}
    assert scales["gm_map"] is scales["gm_bpref"] is GEOMETRIC_MEAN
    assert scales["num_rel_ret"] is scales["num_ret"] is scales["num_rel"] is scales["inum_rel"] is TOTAL
    assert scales["map"] is scales["P"] is MEAN
    assert scales["num_q"] is scales["runid"] is None
    with pytest.raises(Exception, match="it needs a number for each topic"):
        requests_of(["num_q"])


def test_topics_without_a_value_are_left_out(tmp_path: Path) -> None:
    """Rndcg has none where something is relevant but no gain is above 0."""
    (tmp_path / "qrels").write_text("1 0 a 2\n1 0 b 0\n2 0 a 1\n3 0 a 2\n")
    for name, docnos in (("r", "ab"), ("s", "ba")):
        lines = [f"{topic} Q0 {docno} 1 {-rank} {name}\n" for topic in (1, 2, 3) for rank, docno in enumerate(docnos)]
        (tmp_path / name).write_text("".join(lines))
    read = GradedQrelsText.of(tmp_path / "qrels").judgments
    experiment = rank_graded_runs(
        read, opened([str(tmp_path / name) for name in "rs"], print), ["map", "Rndcg.1=0,2=3"]
    )
    messages: list[str] = []
    by_map, by_gain = (runs.values for runs in measured_ranking(experiment, messages.append))
    assert (by_map.shape, by_gain.shape) == ((2, 3), (2, 2))
    assert messages == [f"{experiment.measures[1]}: 1 of 3 topics are left out: some run has no finite value for them"]
    files = (tmp_path / name for name in ("qrels", "r", "s"))
    done = lab("compare", *files, *["-m", "Rndcg.1=0,2=3", "--seed", "1", "--format", "jsonl"])
    row = json.loads(done.stdout)
    assert messages[0] in done.stderr
    assert row["wins"] + row["losses"] + row["ties"] == 2
    assert row["mean"] == pytest.approx(by_gain[0].mean())
    nowhere = rank_graded_runs(read, opened([str(tmp_path / name) for name in "rs"], print), ["Rndcg.1=0,2=0"])
    with pytest.raises(InputError, match="has no value for any topic"):
        measured_ranking(nowhere, messages.append)


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

"""Measures with their own relevance level."""

from __future__ import annotations

from examples.experiment import QRELS, rank_graded_runs
from running import FIXTURES, run, succeeded

from irevalx.experiments.inputs import GradedQrelsText
from irevalx.reading.formats import read_trec_results
from irevalx.reading.sources.files import Source
from irevalx.trec_eval import TREC_EVAL_10

RUNS = sorted((FIXTURES / "experiment" / "runs").iterdir())[:3]
LEVELS = {"map": "1", "map(rel=2)": "2", "P_5(rel=0)": "0", "P_5(rel=-1)": "-1"}
"""Printed names, and the level of each."""


def test_levels() -> None:
    """Each measure has the values of irevalx with its level as -l."""
    judgments = GradedQrelsText.of(QRELS).judgments
    runs = [read_trec_results(Source(str(path)), TREC_EVAL_10, False, print) for path in RUNS]
    read = rank_graded_runs(judgments, runs, ["map", "AP(rel=2)", "P(rel=0)@5", "P(rel=-1)@5"])
    assert read.measures == tuple(LEVELS)
    scores = read.scores(read.values())
    for values, (name, level) in zip(scores.tolist(), LEVELS.items(), strict=True):
        plain = name.partition("(")[0]
        done = run("-c", "-l", level, "-m", plain, "--format", "csv", QRELS, *RUNS)
        assert values == [float(row["value"]) for row in done.rows], name


def test_names() -> None:
    """Commands name the measures like irevalx."""
    done = succeeded("agree", QRELS, QRELS, *RUNS, "-m", "AP P(rel=2)@5", "--format", "csv")
    assert [row["measure"] for row in done.rows] == ["map", "P_5(rel=2)"]

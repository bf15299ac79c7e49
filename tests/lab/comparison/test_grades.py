"""--grades of compare and agree, and functions that require integer grades."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import lab

import irevalx
from irevalx.errors import UsageError

GRADES = {str(topic): {"A": topic / 8, "B": 1 - topic / 16} for topic in range(1, 7)}
RUNS = {"x": {topic: {"A": 2.0, "B": 1.0} for topic in GRADES}, "y": {topic: {"B": 2.0, "C": 1.0} for topic in GRADES}}


@pytest.mark.parametrize(("grades", "level"), [("real", 0.5), ("probability", 1)])
def test_compare(grades: str, level: float) -> None:
    """Differences equal those of the evaluator."""
    requested = {"measures": ("map", "dcg"), "grades": grades, "level": level}
    scores = irevalx.evaluate(GRADES, RUNS, **requested)  # type: ignore[arg-type]
    result = irevalx.lab.compare(GRADES, RUNS, seed=1, **requested)  # type: ignore[call-overload]
    for row in result.rows:
        expected = scores[row.measure, "x"] - scores[row.measure, "y"]
        assert row.difference == pytest.approx(expected, abs=1e-12)
    qrels = irevalx.Qrels.read(GRADES, grades=grades)
    assert irevalx.lab.compare(qrels, RUNS, ("map", "dcg"), level=level, seed=1).rows[0].difference == pytest.approx(
        result.rows[0].difference
    )


def test_agree() -> None:
    """Judgments can have non-integer grades."""
    result = irevalx.lab.agree(GRADES, GRADES, RUNS, measures="dcg", grades="real")
    assert [getattr(row, "rms", None) for row in result.rows] == [0]


def test_command(tmp_path: Path) -> None:
    """--grades real accepts a non-integer level."""
    (tmp_path / "qrels").write_text(
        "".join(f"{topic} 0 {docno} {grade}\n" for topic, own in GRADES.items() for docno, grade in own.items())
    )
    for name, run in RUNS.items():
        lines = (f"{topic} Q0 {docno} 1 {score} {name}\n" for topic, own in run.items() for docno, score in own.items())
        (tmp_path / name).write_text("".join(lines))
    files = (tmp_path / "qrels", tmp_path / "x", tmp_path / "y")
    assert lab("compare", "-l", "0.5", "--grades", "real", *files, "--seed", "1").status == 0
    refused = lab("compare", "-l", "0.5", *files)
    assert refused.stderr == "irevalx-lab: -l 0.5: must be an integer; fractional levels require --grades real\n"


def test_functions_with_integer_grades() -> None:
    """Functions without grades refuse judgments with non-integer grades."""
    qrels = irevalx.Qrels.read(GRADES, grades="real")
    with pytest.raises(UsageError, match="grades must be whole here, not real"):
        irevalx.lab.describe(qrels)
    with pytest.raises(UsageError, match="grades must be whole here, not real"):
        irevalx.lab.degrade(qrels, uniform=0.5)

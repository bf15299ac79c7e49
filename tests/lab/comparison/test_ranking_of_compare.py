"""Ranking options and grades of compare and agree: differences equal those of the evaluator."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from running import lab

import irevalx
from irevalx.errors import UsageError

MEASURES = ("map", "recip_rank", "ndcg", "P.3")


def files(folder: Path) -> tuple[Path, list[Path]]:
    """Write judgments, and runs with tied scores, duplicates, and documents named like their topics."""
    random = Random(4)
    documents = [*map(str, range(1, 9)), *"abcdefgh"]
    topics = range(1, 9)
    judged = [f"{topic} 0 {docno} {random.choice([0, 0, 1, 2])}\n" for topic in topics for docno in documents]
    (folder / "qrels").write_text("".join(judged))
    for name in "xyz":
        lines = []
        for topic in topics:
            retrieved = [str(topic), *random.sample([docno for docno in documents if docno != str(topic)], 9)]
            lines += [
                f"{topic} Q0 {docno} {rank} {random.randint(1, 3)} {name}\n" for rank, docno in enumerate(retrieved)
            ]
            lines.append(f"{topic} Q0 {retrieved[3]} 99 2.5 {name}\n")
        (folder / name).write_text("".join(lines))
    return folder / "qrels", [folder / name for name in "xyz"]


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
@pytest.mark.parametrize("ties", ["name", "rank", "first", "expected", "best", "worst"])
@pytest.mark.parametrize("duplicates", ["first", "best"])
def test_differences(ties: str, duplicates: str, tmp_path: Path) -> None:
    """Differences in Python and in the command equal those of the evaluation."""
    qrels, runs = files(tmp_path)
    requested: dict[str, Any] = {"ties": ties, "duplicates": duplicates, "ignore_identical_ids": True}
    scores = irevalx.evaluate(qrels, runs, MEASURES, **requested)
    result = irevalx.lab.compare(qrels, runs, MEASURES, seed=1, **requested)
    assert len(result.rows) == 3 * len(MEASURES)
    for row in result.rows:
        expected = scores[row.measure, row.run] - scores[row.measure, row.against]
        assert row.difference == pytest.approx(expected, abs=1e-12)
    options = ("--ties", ties, "--duplicates", duplicates, "--ignore-identical-ids", "-m", " ".join(MEASURES))
    printed = lab("compare", *options, "--seed", "1", "--format", "csv", qrels, *runs)
    assert [float(row["difference"]) for row in printed.rows] == pytest.approx([row.difference for row in result.rows])


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_each_option_changes_a_difference(tmp_path: Path) -> None:
    """Each option changes a difference; left out documents are reported, and duplicates are refused without it."""
    qrels, runs = files(tmp_path)
    defaults: dict[str, Any] = {"duplicates": "first", "ties": "name"}

    def differences(**changed: Any) -> list[float]:
        return [row.difference for row in irevalx.lab.compare(qrels, runs, "map", seed=1, **defaults | changed).rows]

    plain = differences()
    for changed in (
        {"duplicates": "best"},
        *({"ties": ties} for ties in ("rank", "first", "expected", "best", "worst")),
    ):
        assert differences(**changed) != plain, changed
    with pytest.warns(irevalx.IrevalxWarning, match="8 retrieved documents with the ID of the topic left out"):
        assert differences(ignore_identical_ids=True) != plain
    with pytest.raises(irevalx.IrevalxError, match="duplicate document"):
        irevalx.lab.compare(qrels, runs)


def test_refusals(tmp_path: Path) -> None:
    """Combinations that irevalx refuses are refused in the same words."""
    qrels, runs = files(tmp_path)
    with pytest.raises(UsageError, match='infAP cannot be combined with ties="expected"'):
        irevalx.lab.compare(qrels, runs, "infAP", ties="expected")
    with pytest.raises(UsageError, match='ties="best" cannot be combined with rel_format="prefs"'):
        irevalx.lab.compare(qrels, runs, rel_format="prefs", measures="simple_weighted_match", ties="best")
    assert lab("compare", "--ties", "best", "-R", "prefs", qrels, *runs).status == 1


GRADES = {str(topic): {"A": topic / 8, "B": 1 - topic / 16} for topic in range(1, 7)}
RUNS = {"x": {topic: {"A": 2.0, "B": 1.0} for topic in GRADES}, "y": {topic: {"B": 2.0, "C": 1.0} for topic in GRADES}}


@pytest.mark.parametrize(("grades", "level"), [("real", 0.5), ("probability", 1)])
def test_compare(grades: str, level: float) -> None:
    """Differences equal those of the evaluator."""
    requested: dict[str, Any] = {"measures": ("map", "dcg"), "grades": grades, "level": level}
    scores = irevalx.evaluate(GRADES, RUNS, **requested)
    result = irevalx.lab.compare(GRADES, RUNS, seed=1, **requested)
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

"""A topic without a value for a measure: in no report, no mean, no test, and counted on standard error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import lab, run

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 0\n3 0 a 2\n3 0 b 1\n4 0 a 1\n"
RUN = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n3 Q0 b 1 2 t\n3 Q0 a 2 1 t\n"
WITHOUT = "irevalx: run: 1 of {} topics without a value for ERR, ndcg_burges left out of the averages"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Topic 2 has nothing relevant, and topic 4 no results."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "other").write_text(RUN.replace(" t\n", " u\n").replace("3 Q0 b 1 2", "3 Q0 b 1 0"))
    return tmp_path


BURGES_3 = (1 + 3 / 1.5849625007211562) / (3 + 1 / 1.5849625007211562)
ERR_1, ERR_3 = 1 / 16, 1 / 16 + 15 / 16 * 3 / 16 / 2
ASKED = ("-m", "ERR.5", "-m", "ndcg_burges.5", "-m", "num_q")


def test_trec_lines(files: Path) -> None:
    """No line for the topic; the mean is over the others."""
    result = run("-q", *ASKED, "qrels", "run", cwd=files)
    lines = [line.split() for line in result.stdout.decode().splitlines()]
    assert [line[:2] for line in lines] == [
        ["ERR_5", "1"],
        ["ndcg_burges_5", "1"],
        ["ERR_5", "3"],
        ["ndcg_burges_5", "3"],
        ["num_q", "all"],
        ["ERR_5", "all"],
        ["ndcg_burges_5", "all"],
    ]
    values = {(name, topic): value for name, topic, value in lines}
    assert values["ERR_5", "all"] == f"{(ERR_1 + ERR_3) / 2:.4f}"
    assert values["ndcg_burges_5", "all"] == f"{(1 + BURGES_3) / 2:.4f}"
    assert values["num_q", "all"] == "3"
    assert WITHOUT.format(3) in result.stderr.splitlines()


def test_complete(files: Path) -> None:
    """Under -c the topics that can have a value count, 0 where there are no results."""
    for compat in ("9", "10"):
        result = run("-c", "--compat", compat, *ASKED, "qrels", "run", cwd=files)
        assert f"ERR_5                 \tall\t{(ERR_1 + ERR_3) / 3:.4f}\n" in result.stdout.decode()
        assert "num_q                 \tall\t4\n" in result.stdout.decode()


def test_reports(files: Path) -> None:
    """No row in csv and jsonl, no key in json, an empty cell in a table."""
    rows = run("-q", *ASKED, "--format", "csv", "qrels", "run", cwd=files).stdout.decode().splitlines()
    assert not [row for row in rows if row.startswith("t,2,")]
    report = json.loads(run("-q", *ASKED, "--format", "json", "qrels", "run", cwd=files).stdout)
    assert report["runs"][0]["topics"]["2"] == {}
    assert "ERR_5" in report["runs"][0]["topics"]["3"]
    table = run("-q", "-m", "map", "-m", "ERR.5", "--format", "table", "qrels", "run", cwd=files).stdout.decode()
    assert [line.split() for line in table.splitlines() if line.startswith("2 ")] == [["2", "0.0000"]]


def test_no_topic_with_a_value(files: Path) -> None:
    """The mean of no topics is 0."""
    (files / "qrels").write_text("2 0 a 0\n")
    result = run("-q", "-m", "ERR.5", "qrels", "run", cwd=files)
    assert result.stdout == b"ERR_5                 \tall\t0.0000\n"


def test_zscores(files: Path) -> None:
    """Z-scores are made of the values that are there."""
    (files / "z").write_text("".join(f"{topic} ERR_5 0 {ERR_1}\n" for topic in (1, 2, 3)))
    result = run("-q", "-Z", "z", "-m", "ERR.5", "qrels", "run", cwd=files)
    lines = [line.split() for line in result.stdout.decode().splitlines()]
    assert lines == [
        ["ZERR_5", "1", "1.0000"],
        ["ZERR_5", "3", f"{ERR_3 / ERR_1:.4f}"],
        ["ZERR_5", "all", f"{(1 + ERR_3 / ERR_1) / 2:.4f}"],
    ]


def test_a_grade_above_the_maximum(files: Path) -> None:
    """ERR by name is refused, in a set left out with a remark; ERR.max allows the grade."""
    (files / "qrels").write_text(f"{QRELS}9 0 a 5\n")
    refused = run("-m", "ERR", "qrels", "run", cwd=files)
    assert refused.status > 0
    rule = "irevalx: qrels: grade 5 is above 4, the highest grade of ERR; use ERR.max=5"
    assert rule in refused.stderr.splitlines()
    left_out = run("-m", "all", "qrels", "run", cwd=files)
    assert left_out.status == 0
    assert f"{rule}; it is left out" in left_out.stderr.splitlines()
    assert b"ERR_5 " not in left_out.stdout
    assert b"ndcg_burges_5 " in left_out.stdout
    allowed = run("-m", "ERR.5,max=5", "-m", "ERR.10", "qrels", "run", cwd=files)
    assert allowed.status > 0, "ERR.10 has the usual maximum"
    assert b"ERR_5_max=5 " in run("-m", "ERR.5,max=5", "qrels", "run", cwd=files).stdout


def test_parameters_with_names(files: Path) -> None:
    """They stand among the cutoffs, and what is wrong with them is an error of usage."""
    result = run("-m", "ERR.10,max=6,5", "-m", "ERR.5,max=7", "-m", "ERR@20", "qrels", "run", cwd=files)
    names = [line.split()[0] for line in result.stdout.decode().splitlines()]
    assert names == ["ERR_5_max=6", "ERR_10_max=6", "ERR_5_max=7", "ERR_20"]
    for wrong in ("ERR.max=0", "ERR.max=1.5", "ERR.min=1", "ERR.max=x"):
        assert (run("-m", wrong, "qrels", "run", cwd=files).status, wrong) == (1, wrong)


def test_lab_leaves_the_topic_out(files: Path) -> None:
    """Of all runs, with a count."""
    result = lab("compare", "-m", "ERR.5", "qrels", "run", "other", cwd=files)
    assert "ERR_5: 1 of 3 topics are left out: some run has no finite value for them" in result.stderr

"""irevalx-lab complete --labels: missing judgments from a second file of judgments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import lab, refusal

QRELS = "1 0 a 1\n1 x b  -1\n1 0 c 0\n2 0 a 2\n"
LABELS = "1 0 b 1\n1 0 c 1\n1 0 d 0\n1 0 e 1\n2 0 a 2\n3 0 a 1\n"
RUN = "1 Q0 d 1 3 r\n1 Q0 e 2 2 r\n1 Q0 f 3 1 r\n2 Q0 g 1 1 r\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with judgments, labels and a run."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels", QRELS), ("labels", LABELS), ("run", RUN)):
        Path(name).write_text(text)


def test_completed_judgments() -> None:
    """Unjudged documents get their labels, judged lines are unchanged, and messages count the rest."""
    done = lab("complete", "qrels", "run", "--labels", "labels", "--depth", "2", "--mark", "mark")
    assert done.stdout.decode() == "1 0 a 1\n1 x b  1\n1 0 c 0\n2 0 a 2\n1 0 d 0\n1 0 e 1\n2 0 g -1\n"
    assert Path("mark").read_text() == "1 0 b 1\n1 0 d 0\n1 0 e 1\n"
    assert done.stderr == (
        "irevalx-lab: 1 of 4 documents stay unjudged: labels does not label them\n"
        "irevalx-lab: labels contradicts qrels in 1 of the 2 documents that both judge; qrels counts\n"
        "irevalx-lab: 1 labels of labels are for documents outside the pool and are left out\n"
    )


def test_labels_replace_judgments() -> None:
    """With --labels-replace labels replace grades, and judged documents without a label become unjudged."""
    done = lab("complete", "qrels", "run", "--labels", "labels", "--labels-replace", "--depth", "2")
    assert done.stdout.decode() == "1 0 a -1\n1 x b  1\n1 0 c 1\n2 0 a 2\n1 0 d 0\n1 0 e 1\n2 0 g -1\n"
    assert "labels does not label 1 documents that qrels judges; with --labels-replace they are unjudged" in done.stderr


def test_report() -> None:
    """The report counts unjudged and labelled documents, in total and by topic."""
    assert lab("complete", "qrels", "run", "--labels", "labels", "--depth", "2", "--report", "r.json").status == 0
    tables = json.loads(Path("r.json").read_text())
    assert tables["labels"] == [{"topics": 2, "holes": 4, "labelled": 3, "labelled_relevant": 2, "unlabelled": 1}]
    assert tables["topics"][1] == {"topic": "2", "holes": 1, "labelled": 0, "labelled_relevant": 0, "unlabelled": 1}


def test_pool_file() -> None:
    """A pool file defines the candidate documents without any run."""
    Path("pool").write_text("1 e\n1 a\n")
    done = lab("complete", "qrels", "--labels", "labels", "--pool", "pool")
    assert done.stdout.decode() == "1 0 a 1\n1 x b  1\n1 0 c 0\n2 0 a 2\n1 0 e 1\n"


def test_complete_judgments() -> None:
    """Complete judgments are written unchanged, and a message says so."""
    Path("qrels").write_text("1 0 c 0\n")
    done = lab("complete", "qrels", "--labels", "labels")
    assert done.stdout == b"1 0 c 0\n"
    assert "qrels is complete: no document of the pool is without a judgment" in done.stderr


def test_no_common_documents() -> None:
    """Labels for none of the unjudged documents are an error."""
    Path("labels").write_text("1 0 z 1\n9 0 b 1\n")
    assert "labels has no label for any of the 5 documents without a judgment" in refusal(
        "complete", "qrels", "run", "--labels", "labels", status=2
    )

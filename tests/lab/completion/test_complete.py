"""irevalx-lab complete: input, output and messages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from running import Result, lab, run

WINGS = ("wing lift flow", "lift of a wing", "wing and lift again", "wing lift drag flow")
PLATES = ("heat in a plate", "plate heat slab", "slab of heat", "heat plate conduction")

TEXTS = {f"w{number}": text for number, text in enumerate(WINGS)} | {
    f"p{number}": text for number, text in enumerate(PLATES)
}

QRELS = """\
1 0 w0 1
1 x w1 1
1\t0\tp0 0
1 0 p1\t0
1 0 w2 -1
1 0 p2 -1
2 0 p0 1
2 0 w0 -1
3 0 w0 0
3 0 p0 1
"""

RUN = """\
1 Q0 w3 1 9 r
1 Q0 w0 2 8 r
1 Q0 p3 3 7 r
1 Q0 silent 4 6 r
1 Q0 gone 5 5 r
3 Q0 w3 1 9 r
3 Q0 p1 2 8 r
4 Q0 w1 1 9 r
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with qrels, run and docs."""
    monkeypatch.chdir(tmp_path)
    texts = TEXTS | {"silent": "..."} | {f"other{number}": "other words in many documents" for number in range(5)}
    Path("docs").write_text("".join(json.dumps({"id": docno, "text": text}) + "\n" for docno, text in texts.items()))
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)


COMPLETED = """\
1 0 w0 1
1 x w1 1
1\t0\tp0 0
1 0 p1\t0
1 0 w2 1
1 0 p2 0
2 0 p0 1
2 0 w0 -1
3 0 w0 0
3 0 p0 1
1 0 gone -1
1 0 p3 0
1 0 silent -1
1 0 w3 1
3 0 p1 1
3 0 w3 0
"""

TOLD = """\
irevalx-lab: the runs: 1 of 3 pooled topics have no judgments to learn from and are left out
irevalx-lab: 1 of 3 topics keep their judgments, as they have no relevant or no nonrelevant documents to learn from: '2'
irevalx-lab: 2 pooled documents stay unjudged: no text, or text without words, for 'gone', 'silent'
"""


@pytest.mark.parametrize("classifier", ["svm", "kld"])
def test_output_and_messages(classifier: str) -> None:
    """Judged lines are unchanged; unjudged lines and pooled documents get predictions."""
    result = lab("complete", "qrels", "run", "--docs", "docs", "--classifier", classifier)
    assert result == Result(0, COMPLETED.encode(), TOLD)
    assert lab("complete", "qrels", "run", "--docs", "docs", "--classifier", classifier, "--quiet").stderr == ""


def test_completed_judgments_are_qrels() -> None:
    """Irevalx evaluates the output, in which topic 1 has two more relevant documents."""
    assert lab("complete", "qrels", "run", "--docs", "docs", "-o", "completed").stdout == b""
    values = [
        run("-q", "-m", "P.1", "-m", "num_rel", file, "run").stdout.decode().split() for file in ("qrels", "completed")
    ]
    assert values[0][:6] == ["num_rel", "1", "2", "P_1", "1", "0.0000"]
    assert values[1][:6] == ["num_rel", "1", "4", "P_1", "1", "1.0000"]


def test_depth() -> None:
    """Documents below the depth are left out, except those with grade -1."""
    result = lab("complete", "qrels", "run", "--docs", "docs", "--depth", "1", "--quiet")
    lines = COMPLETED.splitlines(keepends=True)
    assert result.stdout.decode() == "".join(
        line for line in lines if line.split()[2] not in {"gone", "p3", "silent"} and line != "3 0 p1 1\n"
    )


def test_without_runs() -> None:
    """Without runs and pool, documents with grade -1 are predicted; a pool file adds documents."""
    alone = lab("complete", "qrels", "--docs", "docs", "--quiet").stdout.decode()
    assert alone == "".join(COMPLETED.splitlines(keepends=True)[:10])
    Path("pool").write_text("1 w3\n3 w3\n")
    pooled = lab("complete", "qrels", "--docs", "docs", "--pool", "pool", "--quiet").stdout.decode()
    assert pooled == alone + "1 0 w3 1\n3 0 w3 0\n"


def test_marks() -> None:
    """--mark writes predictions only and, with --probabilities, decision values."""
    lab("complete", "qrels", "run", "--docs", "docs", "--mark", "mark")
    expected = ["1 0 w2 1", "1 0 p2 0", "1 0 p3 0", "1 0 w3 1", "3 0 p1 1", "3 0 w3 0"]
    assert Path("mark").read_text().splitlines() == expected
    lab("complete", "qrels", "run", "--docs", "docs", "--mark", "mark", "--probabilities")
    columns = [line.rsplit(" ", 1) for line in Path("mark").read_text().splitlines()]
    assert [line for line, _ in columns] == expected
    assert [float(value) > 0 for _, value in columns] == [line.endswith("1") for line in expected]


def test_report() -> None:
    """The report counts training documents and predictions, as a table or as JSON."""
    lab("complete", "qrels", "run", "--docs", "docs", "--report", "report.json")
    report = json.loads(Path("report.json").read_text())
    assert report["predictions"] == [
        {
            "classifier": "svm",
            "topics": 3,
            "trained": 2,
            "relevant": 4,
            "nonrelevant": 3,
            "predicted": 6,
            "predicted_relevant": 3,
            "without_text": 2,
        }
    ]
    assert report["topics"][0] == {
        "topic": "1",
        "relevant": 2,
        "nonrelevant": 2,
        "predicted": 4,
        "predicted_relevant": 2,
        "without_text": 2,
        "trained": True,
    }
    lab("complete", "qrels", "run", "--docs", "docs", "--report", "report")
    assert "classifier      topics    trained" in Path("report").read_text()


def test_holdout() -> None:
    """The same seed gives the same report; a random seed is printed."""
    Path("many").write_text("".join(f"1 0 {docno} {int(docno[0] == 'w')}\n" for docno in TEXTS))
    call = ("complete", "many", "--docs", "docs", "--holdout", "50%", "--holdout", "0.8", "--report", "report.json")
    printed = lab(*call).stderr
    first = json.loads(Path("report.json").read_text())
    how = first.pop("about")
    assert how["options"]["--holdout"] == ["1/2", "4/5"]
    assert printed.startswith("irevalx-lab: random seed ")
    assert lab(*call, "--seed", printed.split()[-1]).stderr == ""
    again = json.loads(Path("report.json").read_text())
    assert {name: table for name, table in again.items() if name != "about"} == first
    rows = first["holdout"]
    assert [row["share"] for row in rows] == ["0.5", "0.8"]
    assert [row["topics"] for row in rows] == [1 - row["untrained"] for row in rows]


def test_document_formats() -> None:
    """Documents in several files, compressed, as SGML and from standard input give the same output."""
    lines = Path("docs").read_text().splitlines()
    Path("one.gz").write_bytes(gzip.compress("\n".join(lines[:5]).encode()))
    rest = [json.loads(line) for line in lines[5:]]
    Path("two").write_text(
        "".join(f"<DOC>\n<DOCNO>{document['id']}</DOCNO>\n{document['text']}\n</DOC>\n" for document in rest)
    )
    assert lab("complete", "qrels", "run", "--docs", "one.gz", "--docs", "two").stdout == COMPLETED.encode()
    assert lab("complete", "qrels", "run", "--docs", "-", stdin=Path("docs")).stdout == COMPLETED.encode()


def test_relevance_threshold() -> None:
    """With --level 2 predicted relevant documents get grade 2."""
    Path("qrels").write_text("1 0 w0 2\n1 0 w1 2\n1 0 p0 1\n1 0 p1 0\n1 0 w2 -1\n1 0 p2 -1\n")
    result = lab("complete", "qrels", "--docs", "docs", "-l", "2")
    assert result.stdout.decode().splitlines()[4:] == ["1 0 w2 2", "1 0 p2 0"]


def test_errors_in_files() -> None:
    """Missing, malformed and unrelated documents are errors, and nothing is written."""
    Path("wrong").write_text('{"id": 1}\n')
    Path("others").write_text('{"id": 1, "text": "wing"}\n')
    for docs, message in (
        ("none", "irevalx-lab: cannot read 'none': No such file or directory\n"),
        ("wrong", "irevalx-lab: wrong:1: no text; expected a string"),
        ("others", "irevalx-lab: others: none of the 1 documents was judged or pooled and has words"),
    ):
        result = lab("complete", "qrels", "run", "--docs", docs, "-o", "out", "--quiet")
        assert (result.status, result.stdout, Path("out").exists()) == (2, b"", False)
        assert result.stderr.startswith(message)


def test_many_topics_without_predictions(tmp_path: Path) -> None:
    """The warning names 20 topics and counts the others."""
    qrels, docs = tmp_path / "qrels", tmp_path / "docs.jsonl"
    qrels.write_text("".join(f"{topic} 0 d1 1\n{topic} 0 d2 -1\n" for topic in range(10, 35)))
    docs.write_text('{"id": "d1", "contents": "wing lift"}\n{"id": "d2", "contents": ""}\n')
    warned = lab("complete", qrels, "--docs", docs, "--seed", "1").stderr
    named = ", ".join(f"'{topic}'" for topic in range(10, 30))
    assert "25 of 25 topics keep their judgments" in warned
    assert f"to learn from: {named} and 5 more\n" in warned
    unread = "25 pooled documents stay unjudged (counted for each topic): no text, or text without words, for 'd2'\n"
    assert unread in warned

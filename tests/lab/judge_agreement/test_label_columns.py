"""Tables with a column of labels for each judge: exports of annotation tools, and the list of disagreements."""

from __future__ import annotations

import io
import json
import pickle
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import lab, lab_rows, refusal, rows_in, succeeded
from sklearn.metrics import cohen_kappa_score

import irevalx
from irevalx.errors import ArgumentError, IrevalxWarning

HUMAN = "102200001110222002022011102011010122001022221222002201022120202101202012200011102100112212"
MACHINE = "012202101110221021002021202211202121221022221000002200022121102102200012200200210200102222"
"""The grades of 90 documents d0 to d89, six of each topic from 1 to 15."""

EXPORT = """id,human,judge,reason
1,pass,fail,"too short, and vague"
2,pass,pass,
3,fail,,no answer
4,fail,pass,"two
lines"
5,pass,pass,
"""

ANSWERS: dict[str, list[Any]] = {
    "topic": ["1", "1", "2", "2", "2"],
    "doc": ["d1", "d2", "d1", "d3", "d4"],
    "human": [2, 0, 1, 0, 2],
    "gpt4": [0, 0, 1, 1, 2],
    "claude": [2, 1, 1, 2, None],
    "comment": ["a b", "", "q", "z", "w"],
}

COLUMNS = ("--human-column", "human", "--machine-column")


def qrels(path: Path, grades: str) -> Path:
    """Write the grades of d0, d1, ... as qrels."""
    path.write_text("".join(f"{1 + place // 6} 0 d{place} {grade}\n" for place, grade in enumerate(grades)))
    return path


def plain(rows: list[dict[str, str]], **about: str) -> dict[str, float]:
    """Return the statistics of the rows about this that have a value."""
    keys = ("judge", "against", "level", "human", "machine")
    chosen = (row for row in rows if all(row.get(key, "") == about.get(key, "") for key in keys))
    return {row["statistic"]: float(row["value"]) for row in chosen if row["value"]}


def test_list_of_disagreements(tmp_path: Path) -> None:
    """Of 90 documents, 34 have different labels; they are listed with the largest difference first."""
    human, machine, listed = qrels(tmp_path / "h", HUMAN), qrels(tmp_path / "m", MACHINE), tmp_path / "listed.csv"
    succeeded("labels", human, machine, "--resamples", "0", "--disagreements", listed)
    rows = rows_in(listed)
    pairs = [
        (str(1 + place // 6), f"d{place}", int(h), int(m))
        for place, (h, m) in enumerate(zip(HUMAN, MACHINE, strict=True))
    ]
    expected = sorted((-abs(m - h), topic, docno, h, m) for topic, docno, h, m in pairs if h != m)
    assert len(rows) == len(expected) == 34
    assert list(rows[0]) == ["topic", "docno", "human", "machine", "difference"]
    assert [tuple(row.values()) for row in rows] == [
        (topic, docno, str(h), str(m), str(m - h)) for _, topic, docno, h, m in expected
    ]


def test_export_without_documents(tmp_path: Path) -> None:
    """Each id is a topic of its own; empty labels are missing, and the list has the reasons."""
    path, listed = tmp_path / "export.csv", tmp_path / "listed.csv"
    path.write_text(EXPORT)
    done = succeeded(
        "labels", path, *COLUMNS, "judge", "--resamples", "0", "--format", "csv", "--disagreements", listed
    )
    result = plain(done.rows)
    assert [result[name] for name in ("pairs", "pairs_human", "topics")] == [4, 5, 4]
    assert result["kappa"] == pytest.approx(cohen_kappa_score([1, 1, 0, 1], [0, 1, 1, 1]))
    assert rows_in(listed) == [
        {
            "topic": "1",
            "docno": "item",
            "human": "1",
            "machine": "0",
            "difference": "-1",
            "reason": "too short, and vague",
        },
        {"topic": "4", "docno": "item", "human": "0", "machine": "1", "difference": "1", "reason": "two\nlines"},
    ]
    assert (
        f"{path}: columns 'human' and 'judge': label 'pass' is read as 1 and label 'fail' is read as 0" in done.stderr
    )
    assert "Topics: 4 of the 5 of human and all 4 of judge (topics with a document labelled by both judges)." in (
        succeeded("labels", path, *COLUMNS, "judge", "--resamples", "0").stdout.decode().replace("\n", " ")
    )
    assert "judge does not label 1 of the 5 documents that human labels" in done.stderr
    piped = lab("labels", "-", *COLUMNS, "judge", "--resamples", "0", "--format", "csv", stdin=path)
    assert piped.stdout == done.stdout


def test_intervals_over_topics(tmp_path: Path) -> None:
    """Topics are clusters: a table with topics and ids has the intervals of qrels with the ids as documents."""
    grades = [*zip(HUMAN, MACHINE, strict=True)]
    lines = [f"d{place},{1 + place // 6},{h},{m}\n" for place, (h, m) in enumerate(grades)]
    (tmp_path / "t.csv").write_text("id,query_id,human,judge\n" + "".join(lines))
    of_files = lab_rows("labels", qrels(tmp_path / "h", HUMAN), qrels(tmp_path / "m", MACHINE), "--seed", "1")
    assert lab_rows("labels", tmp_path / "t.csv", *COLUMNS, "judge", "--seed", "1") == of_files


def test_several_machines(tmp_path: Path) -> None:
    """Several columns are several machines with the names of the columns, and the list has a column of judges."""
    frame = pd.DataFrame(ANSWERS)
    paths = [tmp_path / name for name in ("t.csv", "t.tsv", "t.jsonl", "t.parquet")]
    frame.to_csv(paths[0], index=False)
    frame.to_csv(paths[1], index=False, sep="\t")
    paths[2].write_text(
        "".join(json.dumps(dict(zip(ANSWERS, row, strict=True))) + "\n" for row in zip(*ANSWERS.values(), strict=True))
    )
    pq.write_table(pa.table(ANSWERS), paths[3])
    differing = [
        ("gpt4", "1", "d1", 2, 0, -2, {"comment": "a b"}),
        ("claude", "2", "d3", 0, 2, 2, {"comment": "z"}),
        ("claude", "1", "d2", 0, 1, 1, {"comment": ""}),
        ("gpt4", "2", "d3", 0, 1, 1, {"comment": "z"}),
    ]
    for given in (
        *(*paths, ANSWERS, frame, pl.DataFrame(ANSWERS), pl.LazyFrame(ANSWERS), pa.table(ANSWERS)),
        io.StringIO(paths[0].read_text()),
    ):
        with pytest.warns(IrevalxWarning):  # about two machines
            result = irevalx.lab.labels(
                given, human_column="human", machine_columns=["gpt4", "claude"], resamples=0, disagreements=True
            )
        agreement = {part.judge: part.statistics["kappa"].value for part in result.of("coefficients")}
        assert agreement["gpt4"] == pytest.approx(cohen_kappa_score([2, 0, 1, 0, 2], [0, 0, 1, 1, 2]))
        assert agreement["claude"] == pytest.approx(cohen_kappa_score([2, 0, 1, 0], [2, 1, 1, 2]))
        assert [tuple(row) for row in result.disagreements or ()] == differing
        assert result.to_frame("disagreements").columns.tolist()[-2:] == ["difference", "comment"]
        assert pickle.loads(pickle.dumps(result)).disagreements == result.disagreements  # noqa: S301
    machines = (*COLUMNS, "gpt4", "--machine-column", "claude", "--resamples", "0", "--quiet")
    succeeded(
        "labels", paths[0], *machines, "--disagreements", tmp_path / "d.jsonl", "--write", f"vote={tmp_path / 'vote'}"
    )
    records = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    names = ("judge", "topic", "docno", "human", "machine", "difference")
    assert records == [{**dict(zip(names, row, strict=False)), **others} for *row, others in differing]
    assert (tmp_path / "vote").read_text() == "1 0 d1 0\n1 0 d2 0\n2 0 d1 1\n2 0 d3 1\n2 0 d4 2\n"


def test_disagreements_of_probabilities() -> None:
    """The labels are as in the input, and the difference is between a probability and relevance; 0.3 and 0.6 are cut."""
    human = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"d": 0}}
    machine = {"1": {"a": 0.3, "b": 0.2, "c": 0.9}, "2": {"d": 0.6}}
    rows = irevalx.lab.labels(human, machine, resamples=0, disagreements=True).disagreements
    assert rows == [("qrels", "1", "a", 2, 0.3, -0.7, {}), ("qrels", "2", "d", 0, 0.6, 0.6, {})]
    percentages = {topic: {docno: 100 * label for docno, label in of.items()} for topic, of in machine.items()}
    rows = irevalx.lab.labels(human, percentages, resamples=0, disagreements=True, labels_max=100).disagreements or []
    assert [(row.machine, row.difference) for row in rows] == [(30, -0.7), (60, 0.6)]
    means = {"1": {"a": 1.5, "b": 0.2, "c": 2.2}, "2": {"d": 0.6}}  # the nearest grades are 1, 0, 2 and 1
    rows = irevalx.lab.labels(human, means, resamples=0, disagreements=True).disagreements or []
    assert [(row.docno, row.machine, row.difference) for row in rows] == [
        *(("c", 2.2, 1.2), ("d", 0.6, 0.6), ("a", 1.5, -0.5))
    ]
    assert irevalx.lab.labels(human, human, resamples=0, disagreements=True).disagreements == []
    assert irevalx.lab.labels(human, human, resamples=0).disagreements is None


def test_columns_of_two_files(tmp_path: Path) -> None:
    """The column of the human labels can be named if the machine labels are in another file, whose reasons are listed."""
    (tmp_path / "h.csv").write_text("qid,docno,verdict\n1,a,yes\n1,b,no\n")
    (tmp_path / "m.csv").write_text("qid,docno,why,label\n1,a,x,1\n1,b,y,1\n")
    call = ("labels", tmp_path / "h.csv", tmp_path / "m.csv", "--human-column", "verdict", "--resamples", "0")
    succeeded(*call, "--disagreements", tmp_path / "d.tsv")
    expected = "topic\tdocno\thuman\tmachine\tdifference\twhy\n1\tb\t0\t1\t1\ty\n"
    assert (tmp_path / "d.tsv").read_text() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id,human,jury\n1,1,1\n",
            ": no column for the grade: expected 'judge'; the table has the columns id, human, jury",
        ),
        (
            "text,human,judge\nx,1,1\n",
            ": no column for the item: expected one of id, item, item_id, example_id, sample_id, question_id, row_id; the "
            "table has the columns text, human, judge",
        ),
        (
            "topic,human,judge\n1,1,1\n1,0,1\n2,1,1\n",
            ":3: duplicate document 'item' in the judgments of topic '1' (first on line 2); if the rows are different "
            "items, add a column id",
        ),
        ("id,human,judge\n1,1,maybe\n", ":2: topic '1': column 'judge': the grade of the label 'maybe' is unclear; "),
        ("id,human,judge\n1,1,1\n2,1\n", ":3: expected a label with 3 columns (id, human, judge), "),
        ('[{"id": 1}]\n', ":1: JSON arrays are not read; "),
    ],
)
def test_wrong_tables(text: str, message: str, tmp_path: Path) -> None:
    """Messages name the file, the line and the column."""
    path = tmp_path / "t"
    path.write_text(text)
    done = lab("labels", path, *COLUMNS, "judge", "--resamples", "0")
    assert done.status
    assert done.stderr.startswith(f"irevalx-lab: {path}{message}")


def test_remedies(tmp_path: Path) -> None:
    """The remedies of the messages about items work."""
    path = tmp_path / "t.csv"
    for text in ("topic,id,human,judge\n1,x,1,1\n1,y,0,1\n2,z,1,1\n", "item,human,judge\nx,1,1\ny,0,1\nz,1,1\n"):
        path.write_text(text)
        assert plain(lab_rows("labels", path, *COLUMNS, "judge", "--resamples", "0"))["agreement"] == pytest.approx(
            2 / 3
        )
    message = refusal("labels", path, path, status=2)
    assert message.endswith("; --human-column and --machine-column name columns of a table that contain labels\n")
    frame = pd.read_csv(path)
    with pytest.raises(ArgumentError, match="; human_column and machine_columns name columns of a table that contain"):
        irevalx.lab.labels(frame, frame)
    message = refusal("labels", path)
    assert "missing argument MACHINE or option --machine or --machine-column" in message
    with pytest.raises(ArgumentError, match="human must be a file or a data frame if columns are given"):
        irevalx.lab.labels({"1": {"a": 1}}, human_column="human", machine_columns="judge")
    path.write_text("id,human,judge\n1,good,good\n2,bad,good\n")
    message = refusal("labels", path, *COLUMNS, "judge", "--resamples", "0", status=2)
    options = shlex.split(message.partition("missing label: ")[2].replace("good=N", "good=1").replace("bad=N", "bad=0"))
    assert plain(lab_rows("labels", path, *COLUMNS, "judge", "--resamples", "0", *options))["agreement"] == 0.5

"""Labels in words: grades of well-known words, grades given by the user, and refusals with a remedy."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples.experiment import QRELS, RUNS
from running import lab_told, refusal, succeeded

import irevalx
from irevalx.errors import IrevalxWarning, MalformedNumberError

TOPICS, DOCNOS = ["1", "1", "2", "2"], ["a", "b", "c", "d"]


def csv_file(path: Path, *labels: str) -> Path:
    """Write labels of four documents in two topics as csv."""
    lines = [",".join(line) for line in zip(TOPICS, DOCNOS, labels, strict=True)]
    path.write_text("\n".join(["qid,docid,label", *lines, ""]))
    return path


def statistics(*args: str | Path) -> tuple[dict[str, float], str]:
    """Return the statistics over all documents that have no other keys, and the messages."""
    rows, stderr = lab_told("labels", *args, "--resamples", "0")
    return {row["statistic"]: float(row["value"]) for row in rows if not row["level"] and not row["human"]}, stderr


def test_pass_and_fail(tmp_path: Path) -> None:
    """Of four documents, three have equal labels, and two pass by the human: kappa is (0.75 - 0.5) / 0.5."""
    human = csv_file(tmp_path / "human.csv", "pass", "fail", "pass", "fail")
    judge = csv_file(tmp_path / "judge.csv", "PASS", "PASS", "PASS", "FAIL")
    result, stderr = statistics(human, judge)
    assert [result[name] for name in ("pairs", "agreement", "kappa")] == [4, 0.75, 0.5]
    assert stderr.splitlines()[:2] == [
        f"irevalx-lab: {path}: label '{positive}' is read as 1 and label '{negative}' is read as 0; --label-value sets other grades"
        for path, positive, negative in ((human, "pass", "fail"), (judge, "PASS", "FAIL"))
    ]


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        *(("pass", "fail"), ("Passed", "FAILED"), ("YES", "NO"), ("y", "n"), ("True", "False")),
        *(("relevant", "not relevant"), ("Relevant", "non-relevant"), ("RELEVANT", "NOT_RELEVANT")),
        *(("relevant", "irrelevant"), ("correct", "incorrect")),
    ],
)
def test_well_known_pairs(positive: str, negative: str, tmp_path: Path) -> None:
    """The words of a pair are 1 and 0, and words for errors and empty fields are missing."""
    human = csv_file(tmp_path / "human.csv", "1", "0", "1", "0")
    result, stderr = statistics(human, csv_file(tmp_path / "judge.csv", positive, negative, "ERROR", ""))
    assert [result[name] for name in ("pairs", "pairs_machine", "agreement")] == [2, 2, 1]
    assert f"label '{positive}' is read as 1 and label '{negative}' is read as 0" in stderr
    assert "judge.csv:4: topic '2': document 'c': label 'ERROR' is not a number; it counts as missing\n" in stderr


def test_every_source(tmp_path: Path) -> None:
    """Words are read from each kind of file and of Python object, and the grades can be given."""
    words = ["pass", "fail", "fail", "pass"]
    table: dict[str, list[Any]] = {"qid": TOPICS, "docno": DOCNOS, "label": words}
    nested = {"1": {"a": "pass", "b": "fail"}, "2": {"c": "fail", "d": "pass"}}
    frame = pd.DataFrame(table)
    files = [tmp_path / name for name in ("m.csv", "m.tsv", "m.jsonl", "m.json", "m.parquet", "m.qrels")]
    frame.to_csv(files[0], index=False)
    frame.to_csv(files[1], index=False, sep="\t")
    frame.to_json(files[2], orient="records", lines=True)
    files[3].write_text(json.dumps(nested))
    pq.write_table(pa.table(table), files[4])
    files[5].write_text("".join(f"{t} 0 {d} {w}\n" for t, d, w in zip(TOPICS, DOCNOS, words, strict=True)))
    mixed = {**table, "label": ["pass", 0, None, "1"]}
    human = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 1}}
    for given in (*files, table, frame, pl.DataFrame(table), pa.table(table), list(frame.itertuples()), nested):
        with pytest.warns(
            IrevalxWarning, match="label 'pass' is read as 1 and label 'fail' is read as 0; label_values"
        ):
            result = irevalx.lab.labels(human, given, resamples=0)
        assert result.of("documents")[0].counts == {(0, 0): 1, (0, 1): 0, (1, 0): 1, (1, 1): 2}
        result = irevalx.lab.labels(human, given, resamples=0, label_values={"Pass": 0, "fail": 1})
        assert result.of("documents")[0].counts == {(0, 0): 0, (0, 1): 1, (1, 0): 2, (1, 1): 1}
    with pytest.warns(IrevalxWarning, match="coverage 0.75"):
        result = irevalx.lab.labels(human, pd.DataFrame(mixed), resamples=0, label_values={"pass": 1})
    assert result.of("documents")[0].counts == {(0, 0): 1, (0, 1): 0, (1, 0): 0, (1, 1): 2}


UNCLEAR = [
    (("relevant", "highly relevant", "not relevant", "relevant"), "'not relevant=0' --label-value 'highly relevant=N'"),
    (("good", "bad", "good", "bad"), "--label-value good=N --label-value bad=N"),
    (("yes", "fail", "yes", "fail"), "--label-value yes=1 --label-value fail=0"),  # words of two pairs
    (("yes", "2", "1", "no"), "--label-value yes=1 --label-value no=0"),  # beside grades other than 0 and 1
    (("ERROR", "partly", "ERROR", "partly"), "--label-value partly=N"),
]


@pytest.mark.parametrize(("words", "remedy"), UNCLEAR)
def test_unclear_words(words: tuple[str, ...], remedy: str, tmp_path: Path) -> None:
    """Other words are refused, and the call with the options of the message, and grades for N, is not."""
    human = csv_file(tmp_path / "human.csv", "1", "0", "1", "0")
    machine = csv_file(tmp_path / "machine.csv", *words)
    message = refusal("labels", human, machine, "--resamples", "0", status=2)
    unclear = next(word for word in words if word != "ERROR")
    row = 2 + words.index(unclear)
    expected = (
        f"{machine}:{row}: topic '1': document '{DOCNOS[row - 2]}': the grade of the label '{unclear}' is unclear; "
    )
    assert message.startswith(f"irevalx-lab: {expected}give each word a grade, -1 for a missing label: --label-value ")
    assert remedy in message
    options = shlex.split(message.partition("missing label: ")[2].replace("=N", "=1"))
    result, _ = statistics(human, machine, *options)
    assert result["pairs_machine"] == sum(word != "ERROR" for word in words)
    with pytest.raises(MalformedNumberError, match=r"label_values=\{'"):
        irevalx.lab.labels({"1": {"a": 1}}, machine)


def test_given_grades(tmp_path: Path) -> None:
    """Given grades can be above 1, a negative one is missing, and files without these words are read as before."""
    human = csv_file(tmp_path / "human.csv", "yes", "no", "yes", "no")
    machine = csv_file(tmp_path / "machine.csv", "highly relevant", "Relevant", "off_topic", "unsure")
    options = ["relevant=1", "highly relevant=2", "off topic=0", "unsure=-1"]
    rows, stderr = lab_told("labels", human, machine, "--resamples", "0", *(f"--label-value={o}" for o in options))
    confusion = {(row["human"], row["machine"]): row["value"] for row in rows if row["statistic"] == "confusion"}
    assert {pair: count for pair, count in confusion.items() if count != "0"} == {
        ("1", "2"): "1",
        ("0", "1"): "1",
        ("1", "0"): "1",
    }
    assert "label 'yes' is read as 1" in stderr
    machine = csv_file(tmp_path / "machine.csv", "2", "1", "garbled", "0")
    problem = "label 'garbled' is not a number; it counts as missing; --label-value gives words a grade"
    assert f"{machine}:4: topic '2': document 'c': {problem}\n" in statistics(human, machine)[1]
    human = csv_file(tmp_path / "human.csv", "1", "no", "yes", "0")
    assert "is unclear" in refusal("labels", human, human, "--label-value", "no=0", status=2)  # only one of a pair


@pytest.mark.parametrize(
    "words",
    [
        ["complete", "FEW", *RUNS[:2], "--labels"],
        ["leave-out", QRELS, *RUNS, "--group-by", "^[a-z]+", "--complete", "labels", "--labels"],
        ["estimate", "--human-labels", "complete", "--human", "FEW", *RUNS[:2], "--machine"],
    ],
)
def test_other_commands(words: list[str | Path], tmp_path: Path) -> None:
    """Commands that read machine labels read words like the grades in their place."""
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    few, machine, numbers = tmp_path / "few", tmp_path / "machine", tmp_path / "numbers"
    of_few = [line for line in lines if words[0] != "estimate" or int(line[0]) < 7]
    few.write_text("".join(" ".join(line) + "\n" for line in of_few[:: 1 + (words[0] == "complete")]))
    words = [few if word == "FEW" else word for word in words]
    machine.write_text("".join(f"{t} 0 {d} {'good' if grade != '0' else 'bad'}\n" for t, _, d, grade in lines))
    numbers.write_text("".join(f"{t} 0 {d} {int(grade != '0')}\n" for t, _, d, grade in lines))
    given = ("--label-value", "good=1", "--label-value", "bad=0")
    assert succeeded(*words, machine, *given).stdout == succeeded(*words, numbers).stdout
    assert "--label-value good=N" in refusal(*words, machine, status=2)


def test_human_words_in_estimate(tmp_path: Path) -> None:
    """With given grades, estimate also reads words in the human judgments."""
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    human, numbers = tmp_path / "human", tmp_path / "numbers"
    few = [line for line in lines if int(line[0]) < 7]
    human.write_text("".join(f"{t} 0 {d} {'pass' if grade != '0' else 'fail'}\n" for t, _, d, grade in few))
    numbers.write_text("".join(f"{t} 0 {d} {int(grade != '0')}\n" for t, _, d, grade in few))
    call: list[str | Path] = ["estimate", *RUNS[:2], "--machine", QRELS, "--human-labels", "complete", "--human"]
    table = tmp_path / "human.csv"
    table.write_text("qid,docid,label\n1,a,pass\n")
    problem = "invalid grade 'pass': must be a 64-bit integer; --label-value gives words a grade\n"
    assert refusal(*call, table, status=2).endswith(problem)
    given = ("--label-value", "pass=1", "--label-value", "fail=0")
    assert succeeded(*call, human, *given).stdout == succeeded(*call, numbers).stdout

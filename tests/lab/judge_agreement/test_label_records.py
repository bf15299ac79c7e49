"""Labels in records with named fields: fields that name judges, booleans, and missing labels in JSON objects."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import lab_rows, refusal, succeeded
from running import run as irevalx_command

import irevalx

HUMAN = {"1": {"A": 1, "B": 0}, "2": {"A": 1, "C": 0}}
TABLE: dict[str, list[Any]] = {
    "qid": ["1", "1", "2", "2"],
    "docno": ["A", "B", "A", "C"],
    "label": [1, 0, 1, 1],
}


def json_lines(table: dict[str, list[Any]]) -> str:
    """Return a table as JSON Lines."""
    rows = zip(*table.values(), strict=True)
    return "".join(json.dumps(dict(zip(table, row, strict=True))) + "\n" for row in rows)


def labels_and_warnings(machine: Any) -> tuple[dict[str, float | None], list[str]]:
    """Return the agreement of labels with HUMAN by statistic, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = irevalx.lab.labels(HUMAN, machine, seed=1)
    return {row.statistic: row.value for row in result.rows if row.level is None}, [
        str(each.message) for each in caught
    ]


@pytest.mark.parametrize("field", ["judge", "annotator", "Model", "assessor_id"])
def test_several_judges_in_a_file(field: str, tmp_path: Path) -> None:
    """A file with the labels of several judges is a warning that names the field, its values and the remedy."""
    values = ["gpt", "gpt", "llama", "qwen 3"]
    table = {**TABLE, field: values}
    paths = [tmp_path / name for name in ("m.jsonl", "m.csv", "m.tsv", "m.parquet")]
    paths[0].write_text(json_lines(table))
    pd.DataFrame(table).to_csv(paths[1], index=False)
    pd.DataFrame(table).to_csv(paths[2], index=False, sep="\t")
    pq.write_table(pa.table(table), paths[3])
    human = tmp_path / "human.json"
    human.write_text(json.dumps(HUMAN))
    problem = (
        f"the field '{field.lower()}' contains 3 values ('gpt', 'llama', ...), but all labels of a file are read as "
        "labels of one judge; write the labels of each judge to a separate file"
    )
    for path, line in zip(paths, ("3", "4", "4", "row 3"), strict=True):
        done = succeeded("labels", human, path, "--seed", "1")
        expected = f"irevalx-lab: {path}:{line}: {problem}, and use --machine to compare them"
        assert done.stderr.splitlines().count(expected) == 1
    frames = [table, pd.DataFrame(table), pl.DataFrame(table), pl.LazyFrame(table), pa.table(table)]
    for frame in frames:
        messages = labels_and_warnings(frame)[1]
        assert messages.count(f"qrels:row 3: {problem}, and use machines to compare them") == 1
    run = {"1": {"A": 2.0, "B": 1.0}, "2": {"A": 2.0, "C": 1.0}}
    assert irevalx.evaluate(table, run, "map")["map"] == 1.0  # no warning: topics can have different assessors


@pytest.mark.parametrize("values", [["gpt"] * 4, ["gpt", None, "gpt", None], [1, 1, None, 1]])
def test_a_judge_in_a_file(values: list[Any], tmp_path: Path) -> None:
    """A field with one value, also if it is missing in some records, is no problem."""
    table = {**TABLE, "judge": values}
    path = tmp_path / "m.jsonl"
    path.write_text(json_lines(table))
    (tmp_path / "without.jsonl").write_text(json_lines(TABLE))
    expected = labels_and_warnings(tmp_path / "without.jsonl")
    pd.DataFrame(table).to_csv(tmp_path / "m.csv", index=False)
    for given in (path, tmp_path / "m.csv", table, pa.table(table)):
        assert labels_and_warnings(given) == expected
    path.write_text(path.read_text().replace(', "judge": null', ""))
    assert labels_and_warnings(path) == expected


def test_judges_of_any_type(tmp_path: Path) -> None:
    """Judges can have values of any type, such as objects with the settings of a model."""
    path = tmp_path / "m.jsonl"
    path.write_text(json_lines({**TABLE, "model": [{"name": "a"}] * 3 + [{"name": "b"}]}))
    assert "the field 'model' contains 2 values" in labels_and_warnings(path)[1][0]


def test_booleans(tmp_path: Path) -> None:
    """A boolean is the label or grade 1 if it is true, and 0 if it is false, in JSON, tables and Python."""
    values = [value == 1 for value in TABLE["label"]]
    table = {**TABLE, "label": values}
    by_topic = {"1": {"A": True, "B": False}, "2": {"A": True, "C": True}}
    (tmp_path / "m.jsonl").write_text(json_lines(table))
    (tmp_path / "m.json").write_text(json.dumps(by_topic))
    pq.write_table(pa.table(table), tmp_path / "m.parquet")
    run = {"1": {"B": 2.0, "A": 1.0}, "2": {"C": 2.0, "A": 1.0}}
    numpy_values = {topic: {docno: np.bool_(label) for docno, label in of.items()} for topic, of in by_topic.items()}
    files = [tmp_path / name for name in ("m.jsonl", "m.json", "m.parquet")]
    for given in (*files, table, pd.DataFrame(table), pl.DataFrame(table), pa.table(table), by_topic, numpy_values):
        assert labels_and_warnings(given)[0] == labels_and_warnings(TABLE)[0]
        assert irevalx.evaluate(given, run, "map")["map"] == (1 / 2 + 1) / 2
        assert irevalx.evaluate(given, run, "map", grades="real")["map"] == (1 / 2 + 1) / 2


def test_booleans_as_text(tmp_path: Path) -> None:
    """In a text table, True is a label of 1, with a message, and no grade of the evaluator, whose message has the remedy."""
    path, human, run = tmp_path / "m.csv", tmp_path / "human.json", tmp_path / "run"
    path.write_text("qid,docno,label\n1,A,True\n1,B,0\n2,A,1\n2,C,FALSE\n")
    human.write_text(json.dumps(HUMAN))
    run.write_text("1 Q0 A 1 2 r\n")
    remedy = "; replace true by 1 and false by 0"
    expected = f"{path}: label 'True' is read as 1 and label 'FALSE' is read as 0; --label-value sets other grades"
    assert expected in succeeded("labels", human, path, "--seed", "1").stderr
    done = irevalx_command(path, run)
    assert (done.status, done.stderr) == (
        2,
        f"irevalx: {path}:2: topic '1': document 'A': invalid grade 'True': must be a 64-bit integer{remedy}\n",
    )


def test_files_of_other_kinds(tmp_path: Path) -> None:
    """The message says whether the file looks like a run or like judgments, and names no option of other commands."""
    human, run = tmp_path / "human", tmp_path / "run"
    human.write_text("1 0 A 1\n1 0 B 0\n")
    run.write_text("1 Q0 A 1 2 r\n1 Q0 B 2 1 r\n")
    message = refusal("labels", human, run, status=2)
    assert message.startswith(f"irevalx-lab: {run}:1: expected a judgment with 4 columns")
    assert message.endswith(": this looks like a run, but judgments are required here\n")
    message = refusal("labels", human, human, "--machine", f"a={human}", status=2)
    assert message.endswith(": these look like judgments, but a run is required here\n")


def test_missing_labels_in_a_json_object(tmp_path: Path) -> None:
    """The message names the topic of the label, also if other topics have several documents or none."""
    path, human = tmp_path / "m.json", tmp_path / "human.json"
    path.write_text('{"1": {"A": 1, "B": 0}, "3": {}, "2": {"A": 1, "C": "ERROR"}, "4": {"A": null}}')
    human.write_text(json.dumps(HUMAN))
    expected = f"irevalx-lab: {path}: topic '2': document 'C': label 'ERROR' is not a number; it counts as missing"
    assert expected in succeeded("labels", human, path, "--seed", "1").stderr
    assert lab_rows("labels", human, path, "--seed", "1")[0]["value"] == "3"

"""Reports in other formats than trec_eval's contain every value unrounded and can be parsed."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import math
import os
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from running import FIXTURES, run, run_process

from irevalx.evaluation.columns import Column
from irevalx.measures import BY_NAME
from irevalx.measures.summaries import Values
from irevalx.reports import report

EXAMPLE = FIXTURES / "example"
QRELS, BM25, DENSE = (EXAMPLE / name for name in ("qrels", "bm25.run", "dense.run"))
Rows = dict[tuple[str, str, str], str]


def trec_rows(*args: str | Path) -> Rows:
    """Return the values of the trec format by run, topic and measure, without runid."""
    rows: Rows = {}
    for path in (BM25, DENSE):
        for line in run(*args, QRELS, path).stdout.decode().splitlines():
            name, topic, value = line.split("\t")
            if name.strip() != "runid":
                rows[path.stem, topic, name.strip()] = value.strip("'")
    return rows


def rounded(value: str) -> str:
    """Return a value as trec_eval prints it."""
    return value if value.isdigit() or not value.replace(".", "").replace("-", "").isdigit() else f"{float(value):6.4f}"


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("flags", [(), ("-q",), ("-q", "-n"), ("-q", "-m", "all"), ("-m", "map:skip", "-m", "map")])
def test_one_value_a_row(form: str, flags: tuple[str, ...]) -> None:
    """All values of the trec format are printed with all digits."""
    result = run("--quiet", *flags, "--format", form, QRELS, BM25, DENSE)
    text = result.stdout.decode()
    if form == "jsonl":
        read = [json.loads(line) for line in text.splitlines()]
    else:
        read = list(csv.DictReader(io.StringIO(text), delimiter="," if form == "csv" else "\t"))
    assert all(list(row) == ["run", "topic", "measure", "value"] for row in read)
    values = {(row["run"], row["topic"], row["measure"]): rounded(str(row["value"])) for row in read}
    expected = {key: rounded(value) for key, value in trec_rows("--quiet", *flags).items()}
    assert values == expected
    assert any(len(str(row["value"])) > 10 for row in read)
    assert result.status == 0


@pytest.mark.parametrize("flags", [(), ("-q",), ("-n", "-q")])
def test_json_object(flags: tuple[str, ...], tmp_path: Path) -> None:
    """One object contains the values, the options, the digests of the inputs, and the warnings."""
    packed = tmp_path / "dense.gz"
    packed.write_bytes(gzip.compress(DENSE.read_bytes()))
    result = run(
        "-l", "2", "--pool", EXAMPLE / "pool", "--format", "json", "-m", "map", "-m", "P.5", *flags, QRELS, BM25, packed
    )
    report = json.loads(result.stdout)
    assert list(report) == ["version", "irevalx", "options", "inputs", "warnings", "runs"]
    assert report["options"]["level"] == 2
    assert report["options"]["compat"] == "10"
    assert report["inputs"] == [
        {"path": str(path), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        for path in (QRELS, BM25, packed, EXAMPLE / "pool")
    ]
    assert report["warnings"] == [line.removeprefix("irevalx: ") for line in result.stderr.splitlines()]
    assert len(report["warnings"]) == 2
    assert [run["run"] for run in report["runs"]] == ["bm25", "dense"]
    for of_run in report["runs"]:
        assert ("topics" in of_run, "all" in of_run) == ("-q" in flags, "-n" not in flags)
        for values in (of_run.get("topics", {}).get("301"), of_run.get("all")):
            assert values is None or list(values) == ["map", "P_5"]


def test_digest_of_standard_input() -> None:
    """Standard input is hashed and evaluated."""
    with BM25.open("rb") as stream:
        content = stream.read()
    report = json.loads(run_process(["--format", "json", "-m", "map", QRELS, "-"], stdin=content).stdout)
    assert report["inputs"][1] == {"path": "-", "sha256": hashlib.sha256(content).hexdigest()}
    assert report["runs"][0]["all"] == {"map": pytest.approx(0.5717, abs=5e-5)}


def test_nan_and_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """JSON contains null for nan; names that are not UTF-8 or contain the delimiter are unchanged."""
    (tmp_path / "qrels").write_bytes(b"t\xff,1 0 A 1\nt\xff,1 0 B 0\n")
    (tmp_path / "run").write_bytes(b't\xff,1 Q0 A 1 1 r"\xfe\n')
    command: list[str | Path] = ["-q", "-n", "-M", "0", "-m", "iprec_at_recall.0", tmp_path / "qrels", tmp_path / "run"]
    row = json.loads(run(*command, "--format", "jsonl").stdout)
    assert row["value"] is None
    assert os.fsencode(row["topic"]) == b"t\xff,1"
    report = json.loads(run(*command, "--format", "json").stdout)
    assert [os.fsencode(topic) for topic in report["runs"][0]["topics"]] == [b"t\xff,1"]
    lines = run(*command, "--format", "csv").stdout.splitlines()
    assert lines[1] == b'"r""\xfe","t\xff,1",iprec_at_recall_0.00,nan'


def test_tables() -> None:
    """One row per run and one column per measure; the best value is marked, except for counts."""
    flags = ("--quiet", "-m", "num_ret", "-m", "map", "-m", "success.1")
    assert run(*flags, "--format", "table", QRELS, BM25, DENSE).stdout.decode() == (
        "run      num_ret      map    success_1\n"
        "-----  ---------  -------  -----------\n"
        "bm25         100  0.5717*      0.7500\n"
        "dense        100  0.4544       1.0000*\n"
    )
    assert run(*flags, "--format", "markdown", "--digits", "2", QRELS, BM25, DENSE).stdout.decode() == (
        "| run   |   num_ret |      map |   success_1 |\n"
        "|:------|----------:|---------:|------------:|\n"
        "| bm25  |       100 | **0.57** |        0.75 |\n"
        "| dense |       100 |     0.45 |    **1.00** |\n"
    )
    latex = run(*flags, "--format", "latex", QRELS, BM25, DENSE).stdout.decode()
    assert r"num\_ret" in latex
    assert r"\textbf{0.5717}" in latex
    assert r"0.4544" in latex


def test_tables_of_topics() -> None:
    """With -q, each topic has a row, and the best run of each topic is marked."""
    lines = run("--quiet", "-q", "-m", "map", "--format", "table", QRELS, BM25, DENSE).stdout.decode().splitlines()
    assert lines[0].split() == ["run", "topic", "map"]
    assert [line.split() for line in lines[2:]] == [
        ["bm25", "301", "0.6049*"], ["bm25", "302", "0.6060*"], ["bm25", "303", "0.6825*"], ["bm25", "304", "0.3933"],
        ["bm25", "all", "0.5717*"],
        ["dense", "301", "0.5093"], ["dense", "302", "0.2690"], ["dense", "303", "0.4724"], ["dense", "304", "0.5669*"],
        ["dense", "all", "0.4544"],
    ]  # fmt: skip
    alone = run("--quiet", "-q", "-n", "-m", "map", "--format", "table", QRELS, BM25).stdout.decode().splitlines()
    assert alone[2].split() == ["301", "0.6049"]
    assert len(alone) == 6


def test_single_runs() -> None:
    """The table of a single run has one row per measure."""
    lines = run("--quiet", "--format", "table", QRELS, BM25).stdout.decode().splitlines()
    assert [line.split() for line in lines if line.split()[0] in {"run", "map"}] == [["run", "bm25"], ["map", "0.5717"]]
    assert len(lines) == 2 + 29


def test_runs_that_cannot_be_evaluated(tmp_path: Path) -> None:
    """The table contains the other runs, and the exit status is that of the first error."""
    (tmp_path / "twice").write_text("301 Q0 A 1 1 twice\n302 Q0 A 1 1 twice\n302 Q0 A 1 1 twice\n")
    (tmp_path / "torn").write_text("301 Q0 A\n")
    result = run("--quiet", "--format", "csv", "-q", "-m", "map", QRELS, tmp_path / "torn", tmp_path / "twice", BM25)
    rows = list(csv.DictReader(io.StringIO(result.stdout.decode())))
    assert [row["topic"] for row in rows if row["run"] == "twice"] == ["301"]
    assert len([row for row in rows if row["run"] == "bm25"]) == 5
    assert result.status == 2
    table = run("--quiet", "--format", "table", "-m", "map", QRELS, tmp_path / "twice", BM25)
    assert table.status == 4
    assert [line.split() for line in table.stdout.decode().splitlines()[2:]] == [["twice"], ["bm25", "0.5717"]]


@pytest.mark.parametrize("tags", [None, [b"%x", b"%x", b"a\0", b"\0\0b", b"", b"%x"]])
def test_lines_of_topics_with_equal_values(tags: list[bytes] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are as if each was formatted alone; without text, equal values of several topics are formatted once."""
    real, whole = [0.0, -0.0, 0.25, math.nan, 0.25, math.nan], [1, 1, 7, 2**40, 7, 2**40]
    values: dict[str, Values] = {"map": np.array(real), "num_ret": np.array(whole), **({"runid": tags} if tags else {})}
    columns = [(Column(name, BY_NAME[name], of, None), of) for name, of in values.items()]
    topics = [b"301", b"%b", b"x\0", b"\0\0", b"6", b"7"]
    expected = []
    for place, topic in enumerate(topics):
        cells = {"map": f"{real[place]:6.4f}".encode(), "num_ret": str(whole[place]).encode()}
        cells |= {"runid": b"'" + tags[place] + b"'"} if tags else {}
        expected += [name.encode().ljust(22) + b"\t" + topic + b"\t" + cell + b"\n" for name, cell in cells.items()]
    formatted = Mock(wraps=report._trec_cell)  # noqa: SLF001 - formats columns that contain NaN
    monkeypatch.setattr(report, "_trec_cell", formatted)
    assert report._lines_of_topics(columns, topics) == b"".join(expected)  # noqa: SLF001
    assert formatted.call_count == (6 if tags else 4)

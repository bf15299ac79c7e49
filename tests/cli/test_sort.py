"""--sort: the order of runs by a measure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import FIXTURES, run

QRELS = FIXTURES / "experiment" / "qrels"
RUNS = sorted((FIXTURES / "experiment" / "runs").iterdir())


def names(*args: str | Path) -> list[str]:
    """Return the runs in the order of the JSON output."""
    return [of_run["run"] for of_run in json.loads(run("--format", "json", *args).stdout)["runs"]]


@pytest.mark.parametrize(("measure", "column"), [("map", "map"), ("P.10", "P_10"), ("P_10", "P_10"), ("P@10", "P_10")])
def test_best_run_first(measure: str, column: str) -> None:
    """All formats sort runs in descending order of the measure, in any spelling; ties keep their order."""
    options = ("-m", "map", "-m", "P.5,10", "--sort", measure)
    rows = [row for row in run("--format", "csv", *options, QRELS, *RUNS).rows if row["measure"] == column]
    plain = [row for row in run("--format", "csv", *options[:-2], QRELS, *RUNS).rows if row["measure"] == column]
    assert rows == sorted(plain, key=lambda row: -float(row["value"]))
    expected = [row["run"] for row in rows]
    assert names(*options, QRELS, *RUNS) == expected
    table = run("--format", "table", *options, QRELS, *RUNS).stdout.decode().splitlines()
    assert [line.split()[0] for line in table[2 : 2 + len(RUNS)]] == expected
    trec = [line.split() for line in run(*options, QRELS, *RUNS).stdout.decode().splitlines()]
    assert [value for name, _, value in trec if name == "runid"] == expected
    as_requested = run(
        "--names", "asked", "--format", "table", "-m", "map", "-m", "P@10", "--sort", measure, QRELS, *RUNS
    )
    assert [line.split()[0] for line in as_requested.stdout.decode().splitlines()[2 : 2 + len(RUNS)]] == expected


def test_less_is_better(tmp_path: Path) -> None:
    """Measures with lower values for better runs sort in ascending order; options in JSON include --sort."""
    (tmp_path / "holes").write_text("".join(f"{topic} Q0 new{topic} 1 1 holes\n" for topic in range(1, 13)))
    files = (QRELS, tmp_path / "holes", RUNS[0])
    assert names("-m", "unj.5", "--sort", "unj.5", *files) == ["count1", "holes"]
    assert names("-m", "unj.5", "-m", "P.5", "--sort", "P_5", *files) == ["count1", "holes"]
    about = json.loads(run("--format", "json", "-m", "map", "--sort", "map", *files).stdout)
    assert about["options"]["sort"] == "map"
    assert "sort" not in json.loads(run("--format", "json", "-m", "map", *files).stdout)["options"]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("ndcg", "--sort 'ndcg': the measure is not one of the printed measures; add -m ndcg"),
        ("P", "--sort 'P': the measure has several values"),
        ("runid", "--sort 'runid': the values of this measure are not numbers"),
        ("foo", "unknown measure 'foo'; list all with irevalx --list-measures"),
    ],
)
def test_refused(measure: str, message: str) -> None:
    """Other measures, several values and texts are errors before files are read."""
    result = run("-m", "map", "-m", "P", "-m", "runid", "--sort", measure, "missing", "files")
    assert (result.status, result.stdout, result.stderr) == (1, b"", f"irevalx: {message}\n")

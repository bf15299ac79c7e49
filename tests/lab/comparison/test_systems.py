"""irevalx-lab compare --systems: runs of one system are replicates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_runs import runs_with_hits
from running import lab

import irevalx.lab

HITS = {
    "a1": (5, 6, 4, 7, 5, 6, 3, 5),
    "a2": (6, 6, 5, 8, 6, 7, 4, 4),
    "b1": (2, 3, 3, 5, 1, 4, 0, 3),
    "b2": (4, 5, 3, 6, 3, 6, 2, 5),
    "b3": (3, 4, 4, 5, 3, 4, 1, 4),
    "c": (7, 7, 5, 9, 6, 8, 4, 7),
}


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """P.10 of runs of three systems."""
    return runs_with_hits(tmp_path, HITS, depth=10)


def compare(*words: str | Path) -> tuple[list[dict[str, str]], str]:
    """Return the rows and what is said."""
    done = lab("compare", *words, "-m", "P.10", "--format", "csv")
    assert done.status == 0, done.stderr
    return done.rows, done.stderr


def test_a_file_and_a_pattern(paths: list[Path], tmp_path: Path) -> None:
    """Both give the same; rows have systems, their means over runs, and new columns last."""
    listed = tmp_path / "systems"
    listed.write_text("# run system\n" + "".join(f"{run} {run[0]}\n" for run in HITS))
    found, told = compare(*paths, "--systems", listed)
    assert found == compare(*paths, "--system-by", "^.")[0] == compare(*paths, "--system-by", "^([abc])[0-9]?")[0]
    assert [(row["run"], row["against"]) for row in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert list(found[0])[-3:] == ["replicates", "replicates_against", "between_replicates"]
    assert [(row["replicates"], row["replicates_against"]) for row in found] == [("2", "3"), ("2", "1"), ("3", "1")]
    assert "systems with one run count as if their runs did not vary: c" in told
    for row in found:
        means = [
            np.mean([hits for run, hits in HITS.items() if run.startswith(row[name])]) / 10
            for name in ("run", "against")
        ]
        assert [float(row["mean"]), float(row["mean_against"])] == pytest.approx(means)
        assert 0 <= float(row["between_replicates"]) <= 1


def test_one_run_each_is_the_usual_comparison(paths: list[Path]) -> None:
    """A pattern that matches nothing leaves every run a system."""
    alone, _ = compare(*paths, "--system-by", "x")
    usual, _ = compare(*paths)
    assert [{name: row[name] for name in usual[0]} for row in alone] == usual
    assert {row["between_replicates"] for row in alone} == {""}


@pytest.mark.filterwarnings("ignore:systems with one run")
def test_a_baseline_is_a_system(paths: list[Path]) -> None:
    """And the tables of runs and topics have systems too."""
    rows, _ = compare(*paths, "--system-by", "^.", "--baseline", "b")
    assert [row["run"] for row in rows] == ["a", "c"]
    by_run = irevalx.lab.compare(paths[0], paths[1:], "P.10", systems={run: run[:1] for run in HITS}, by="run")
    assert [row.run for row in by_run.rows] == ["a", "b", "c"]
    text = lab("compare", *paths, "-m", "P.10", "--system-by", "^.").stdout.decode()
    assert "between replicates" in text.splitlines()[0]
    assert "tests and intervals are over topics and runs" in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--system-by", "^.", "--test", "wilcoxon"], "--system-by and --test wilcoxon must not be given together"),
        (["--system-by", "^.", "--interval", "bca"], "--system-by and --interval bca must not be given together"),
        (["--system-by", "^.", "--margin", "0.1", "--baseline", "a"], "must not be given together"),
        (["--system-by", "("], "system_by must be a regular expression"),
        (["--system-by", ""], "runs must be of two systems at least, but got ''"),
        (["--system-by", "^.", "-m", "gm_map"], "systems must be compared by means or sums, but gm_map"),
    ],
    ids=str,
)
def test_refusals(paths: list[Path], options: list[str], said: str) -> None:
    """In words."""
    done = lab("compare", *paths, *options)
    assert done.status in {1, 2}
    assert said in done.stderr


def test_a_run_without_a_system(paths: list[Path], tmp_path: Path) -> None:
    """Is an error, as for groups."""
    (tmp_path / "systems").write_text("a1 a\nb1 b\n")
    done = lab("compare", *paths, "--systems", tmp_path / "systems")
    assert (done.status, "'a2' is in none" in done.stderr) == (2, True)

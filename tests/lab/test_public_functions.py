"""The public functions of the lab: each is there whatever has been imported, and is what its command prints."""

from __future__ import annotations

import csv
import io
from importlib import import_module
from pathlib import Path

import pytest
from running import FIXTURES, lab

import irevalx
import irevalx.lab
from irevalx.api.user_warnings import IrevalxWarning
from irevalx.errors import ArgumentError, UsageError
from irevalx.lab.command.result import Result

EXPERIMENT = FIXTURES / "experiment"
QRELS, RUNS = EXPERIMENT / "qrels", sorted((EXPERIMENT / "runs").iterdir())


def test_modules_do_not_hide_functions() -> None:
    """Each public function can be called after all modules of the lab have been imported."""
    folder = Path(irevalx.lab.__file__).parent
    for path in folder.rglob("*.py"):
        if path.stem != "__main__":
            import_module("irevalx.lab." + ".".join(path.relative_to(folder).with_suffix("").parts))
    assert all(callable(getattr(irevalx.lab, name)) for name in irevalx.lab.__all__)


def assert_printed(result: Result, *command: str) -> None:
    """Check that the command prints a result: as csv its frame, and for people what it shows itself as."""
    printed = lab(*command, "--format", "csv", "--quiet")
    expected = list(csv.reader(io.StringIO(printed.stdout.decode())))
    frame = result.to_frame()
    assert [
        list(frame.columns),
        *(["" if cell is None or str(cell) == "nan" else str(cell) for cell in row] for row in frame.values.tolist()),
    ] == expected
    assert lab(*command, "--quiet").stdout.decode().rstrip("\n") == repr(result)


def grades_in(path: Path) -> dict[str, dict[str, int]]:
    """Return a file of judgments as a dictionary."""
    grades: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in map(str.split, path.read_text().splitlines()):
        grades.setdefault(topic, {})[docno] = int(grade)
    return grades


def scores_in(path: Path) -> dict[str, dict[str, float]]:
    """Return a run as a dictionary."""
    scores: dict[str, dict[str, float]] = {}
    for topic, _, docno, _, score, _ in map(str.split, path.read_text().splitlines()):
        scores.setdefault(topic, {})[docno] = float(score)
    return scores


SCORES = {path.name: scores_in(path) for path in RUNS}


def test_labels() -> None:
    """Agreement of two files of labels, and of the scores of runs with them; groups may be a dictionary."""
    human, machine = FIXTURES / "labels" / "qrels", FIXTURES / "labels" / "machine"
    words = ("labels", str(human), str(machine), *map(str, RUNS), "--group-by", "^[a-z]+", "--seed", "1")
    groups = {path.name: path.name.rstrip("12") for path in RUNS}
    with pytest.warns(IrevalxWarning, match="coverage_machine"):
        found = irevalx.lab.labels(grades_in(human), grades_in(machine), SCORES, groups=groups, seed=1)
        assert_printed(found, *words)
        assert_printed(irevalx.lab.labels(human, machine, RUNS, group_by="^[a-z]+", seed=1), *words)
    with pytest.raises(ArgumentError, match="resamples must be a whole number of at least 0"):
        irevalx.lab.labels(human, machine, resamples=-1)
    with pytest.raises(UsageError, match="groups and group_by must be given together with runs"):
        irevalx.lab.labels(human, machine, groups=groups)


def test_swap_rate() -> None:
    """Swap rates from files named by paths, and from dictionaries."""
    words = ("swap-rate", str(QRELS), *map(str, RUNS), "-m", "map P.10", "--sizes", "2 3", "--seed", "1")
    found = irevalx.lab.swap_rate(QRELS, RUNS, ["map", "P.10"], sizes=[2, 3], seed=1)
    assert_printed(found, *words)
    by_difference = irevalx.lab.swap_rate(QRELS, RUNS, "map P.10", sizes=[2, 3], seed=1, bins=0.05)
    assert_printed(by_difference, *words, "--bins", "0.05")
    with pytest.raises(ArgumentError, match="bins must be a number above 0"):
        irevalx.lab.swap_rate(QRELS, RUNS, "map", bins=0)

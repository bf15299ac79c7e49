"""irevalx-lab study and draw: damaged files, judgments without judged documents, interrupts, and unusual names."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from examples.experiment import QRELS, RUNS
from running import ROOT, lab, refusal, succeeded

import irevalx.lab
from irevalx.errors import InputError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study without figures."""
    folder = tmp_path_factory.mktemp("study") / "made"
    options = ("--levels", "20% 100%", "--samples", "2", "--seed", "1", "-m", "map bpref", "--figure", "none")
    assert lab("study", QRELS, *RUNS, *options, "-o", folder).status == 0
    return folder


DAMAGED_ENTRIES: dict[tuple[Any, ...], list[Any]] = {
    ("scheme",): [None, [], "odd"],
    ("topics",): ["1_2", True, None],
    ("resamples",): [True],
    ("seeds",): [3],
    ("summary",): [None],
    ("summary", "levels"): [None, {}, [], [1], 7, "x"],
    ("summary", "judged"): [None, {}, [], [1], 7, "x"],
    ("summary", "columns"): [None, {}, [], [1], 7, "x"],
    ("summary", "levels", 0): [["20%", "1", 5, True], ["20%", 1, 0, True], ["20%", 10**400, 1, False]],
    ("summary", "judged", 0): ["x", 1e31, [0.5]],
    ("summary", "columns", 0, 1): ["itself", "other", []],
    ("summary", "columns", 0, 2, "tau_b_mean"): [[], [0.5], None, [1e400, 1]],
    ("summary", "columns", 0, 2): [{}, [], None],
}
"""Damaged values by the keys of an entry of study.json."""


@pytest.mark.parametrize(
    ("keys", "value"), [(keys, value) for keys, values in DAMAGED_ENTRIES.items() for value in values], ids=str
)
def test_damaged_entries(keys: tuple[Any, ...], value: object, written: Path, tmp_path: Path) -> None:
    """A damaged entry of study.json is an error, and nothing is drawn."""
    about = json.loads((written / "study.json").read_text())
    *outer, last = keys
    reduce(getitem, outer, about)[last] = value
    (tmp_path / "study.json").write_text(json.dumps(about))
    with pytest.raises(InputError, match=r"study\.json: the file was not written by irevalx-lab study$"):
        irevalx.lab.draw(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("[" * 100000, "the file was not written by irevalx-lab study"),
        ("7", "the file was not written by irevalx-lab study"),
        ("{}", "the file was not written by irevalx-lab study"),
        ("{", "the file was not written by irevalx-lab study"),
        (None, "No such file or directory"),
    ],
)
def test_damaged_files(text: str | None, message: str, tmp_path: Path) -> None:
    """A damaged file is an error with status 2, and nothing is drawn."""
    if text is not None:
        (tmp_path / "study.json").write_text(text)
    stderr = refusal("draw", tmp_path, "--figure", tmp_path / "f.svg", status=2)
    assert stderr.endswith(f": {message}\n")
    assert stderr.count("\n") == 1
    assert not (tmp_path / "f.svg").exists()


@pytest.mark.parametrize("is_old", [False, True])
def test_another_version(is_old: bool, written: Path, tmp_path: Path) -> None:
    """A study of another version is an error, whose remedy is to run the study again."""
    about = json.loads((written / "study.json").read_text())
    if is_old:
        del about["summary"]
    else:
        about["summary"]["version"] += 1
    (tmp_path / "study.json").write_text(json.dumps(about))
    message = "study.json: the study is of another version of irevalx; run irevalx-lab study again"
    assert message in refusal("draw", tmp_path, "--figure", tmp_path / "f.svg", status=2)
    options = ("--levels", "20% 100%", "--samples", "2", "--seed", "1", "-m", "map bpref", "--figure", "none")
    succeeded("study", QRELS, *RUNS, *options, "--quiet", "-o", tmp_path / "again")
    succeeded("draw", tmp_path / "again", "--figure", tmp_path / "f.svg", stderr="")


def test_only_study_json_is_read(written: Path, tmp_path: Path) -> None:
    """The figure of a folder with only study.json equals the figure of the whole folder, and has no CSV file."""
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "study.json").write_bytes((written / "study.json").read_bytes())
    for folder in (written, tmp_path / "made"):
        succeeded("draw", folder, "--figure", tmp_path / f"{folder.parent.name}.svg", stderr="")
    assert (tmp_path / f"{tmp_path.name}.svg").read_bytes() == (tmp_path / f"{written.parent.name}.svg").read_bytes()


def small(folder: Path, grade: str) -> list[Path]:
    """Write judgments with this grade, and three runs whose first document is unjudged."""
    lines = (f"{topic} 0 d{number} {grade if number else '-1'}\n" for topic in "12" for number in range(4))
    (folder / "qrels").write_text("".join(lines))
    for run in "abc":
        ranked = [f"none{run}", "d1", f"d{2 + 'abc'.index(run) % 2}"]
        lines = (f"{topic} Q0 {doc} 1 {9 - rank} {run}\n" for topic in "12" for rank, doc in enumerate(ranked))
        (folder / run).write_text("".join(lines))
    return [folder / name for name in ("qrels", "a", "b", "c")]


@pytest.mark.parametrize("scheme", ["uniform", "depth", "mixed"])
def test_judgments_without_a_judged_document(scheme: str, tmp_path: Path) -> None:
    """Judgments without a judged document are refused."""
    assert "the file contains no judged documents" in refusal(
        "study", *small(tmp_path, "-1"), "--scheme", scheme, "-o", tmp_path / "out", "--seed", "1", status=2
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("scheme", ["depth", "mixed"])
def test_pools_without_a_judged_document(scheme: str, tmp_path: Path) -> None:
    """Levels without a judged document are left out of figures."""
    options = ("--scheme", scheme, "--levels", "1 2 3", "--seed", "1", "--samples", "2", "-m", "map bpref", "--quiet")
    succeeded("study", *small(tmp_path, "1"), *options, "-o", tmp_path / "out", stderr="")
    succeeded("draw", tmp_path / "out", "--figure", tmp_path / "f.png", stderr="")


@pytest.mark.parametrize("words", [["draw"], ["compare"], ["compare", "--draw", "matrix"], ["describe"]])
def test_invalid_utf8(words: list[str], tmp_path: Path) -> None:
    """Names of runs and folders that are not UTF-8 are drawn."""
    runs = [*RUNS[:2], tmp_path / "odd"]
    runs[-1].write_bytes(
        b"".join(b" ".join([*line.split()[:5], b"\xff"]) + b"\n" for line in RUNS[2].read_bytes().splitlines())
    )
    given: list[str | Path] = [QRELS, *runs]
    if words[0] == "draw":
        options = ("--levels", "50%", "--samples", "1", "--seed", "1", "-m", "map", "--figure", "none", "--quiet")
        for folder in (os.fsdecode(b"\xff"), "other"):
            assert lab("study", QRELS, *runs, *options, "-o", tmp_path / folder).status == 0
        given = [tmp_path / os.fsdecode(b"\xff"), tmp_path / "other"]
    seed = ["--seed", "1"] if words[0] == "compare" else []
    succeeded(words[0], *given, *words[1:], *seed, "--quiet", "--figure", tmp_path / "f.png")
    assert (tmp_path / "f.png").stat().st_size > 1000


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("threads", ["1", "2"])
def test_interrupt(threads: str, tmp_path: Path) -> None:
    """An interrupt leaves no partial folder."""
    out = tmp_path / "out"
    options = ("--levels", "50% 100%", "--samples", "2", "--seed", "1", "--threads", threads, "-o", str(out))
    code = "import sys; from irevalx.lab.command.program import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "study", str(QRELS), *map(str, RUNS), *options]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, env=env, start_new_session=True, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not list(tmp_path.glob(".out.*/*")):
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGINT)
        message = process.communicate()[1]
    assert process.returncode in {130, -signal.SIGINT}, message
    assert b"Traceback" not in message
    assert not list(tmp_path.iterdir())

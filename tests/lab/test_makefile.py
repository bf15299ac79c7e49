"""The Makefile of fixtures/experiment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import FIXTURES, ROOT, lab

pytestmark = pytest.mark.slow

FOLDER = FIXTURES / "experiment"


def make(*args: str) -> subprocess.CompletedProcess[str]:
    """Call make with the commands of this checkout."""
    commands = [
        f"{name}={sys.executable} -m {module}" for name, module in (("IREVALX", "irevalx"), ("LAB", "irevalx.lab"))
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    line = ["make", "-s", *commands, *args]
    return subprocess.run(line, cwd=FOLDER, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
def test_makefile(tmp_path: Path) -> None:
    """All files are made without output, agree with single commands, and are up to date."""
    done = make("all", f"OUT={tmp_path}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    figures = {path.name for path in (tmp_path / "study").glob("*.png")}
    assert {"agreement-with-AP.png", "mean-scores.png", "P_10_skip-against-itself.png"} <= figures
    assert (tmp_path / "leave-out.txt").read_text().count("guess") == 2 * 2 * 6
    completed = (tmp_path / "leave-out-completed.txt").read_text()
    assert [completed.count(judgments) for judgments in ("biased", "nonrelevant", "svm")] == [6, 6, 6]
    grades = [line.split()[3] for line in (tmp_path / "completed-30.qrels").read_text().splitlines()]
    assert set(grades) == {"0", "1"}
    assert (tmp_path / "completed-30.txt").read_text() != (tmp_path / "agreement-30.txt").read_text()
    assert (tmp_path / "swap-rate.txt").read_text().splitlines()[1].startswith("measure")
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
    judged = [line.split() for line in (tmp_path / "round-3.qrels").read_text().splitlines()]
    assert len({(topic, docno) for topic, _, docno, _ in judged}) == len(judged) == 12 * 15
    assert "tau b" in (tmp_path / "round-3.txt").read_text()
    runs = sorted((FOLDER / "runs").iterdir())
    together = lab(
        "agree", FOLDER / "qrels", tmp_path / "sample-30.qrels", *runs, "-m", "map infAP indAP bpref P.10 P.10:skip"
    )
    assert (tmp_path / "agreement-30.txt").read_bytes().splitlines()[:2] == together.stdout.splitlines()[:2]
    alone, direct = (
        {line for line in text.splitlines() if not line.startswith(b"Topics")}  # files of scores know no judged topics
        for text in ((tmp_path / "agreement-30.txt").read_bytes(), together.stdout)
    )
    assert alone == direct
    assert make("--question", "all", f"OUT={tmp_path}").returncode == 0
    make("clean", f"OUT={tmp_path}")
    assert not tmp_path.exists()

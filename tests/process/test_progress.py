"""Progress bars of long calls."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from running import POSIX, repeats

from irevalx.process import progress
from irevalx.process.progress import SHOW, counted


def test_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar is displayed after two seconds and erased at the end; quick work displays nothing."""
    for seconds, expected in (
        (1.0, ["work  [##########----------]   50%  00:02 left", "work  [###############-----]   75%  00:01 left"]),
        (0.1, []),
    ):
        lines: list[str] = []
        clock = itertools.count(0.0, seconds)
        monkeypatch.setattr(progress, "monotonic", lambda clock=clock: next(clock))
        token = SHOW.set(lines.append)
        try:
            assert [*counted("abcd", "work", 4)] == [*"abcd"]
        finally:
            SHOW.reset(token)
        assert lines[:2] == expected
        assert lines[-1:] == [""][: len(expected)]
    assert [*counted("ab", "work", 2)] == ["a", "b"]


def on_terminal(folder: Path, patience: float, *words: str | Path) -> tuple[str, str]:
    """Return the results of a call of irevalx-lab, and the text on the terminal to which standard error is connected."""
    import pty

    (folder / "sitecustomize.py").write_text(
        f"import irevalx.process.progress as p; p.PATIENCE, p.PAUSE = {patience}, 0.0\n"
    )
    terminal, end = pty.openpty()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path.cwd())])}
    call = [sys.executable, "-m", "irevalx.lab", *map(str, words)]
    output = subprocess.run(call, stdout=subprocess.PIPE, stderr=end, env=env, check=True).stdout.decode()
    os.write(end, b"end")
    os.close(end)
    displayed = os.read(terminal, 65536).decode().removesuffix("end")
    os.close(terminal)
    return output, displayed


@POSIX
@pytest.mark.parametrize("quiet", [False, True])
def test_on_a_terminal(tmp_path: Path, *, quiet: bool) -> None:
    """The command compare displays a bar of permutations and of runs on a terminal, but not with --quiet."""
    options = ["-m", "map", "--correction", "tukey", "--seed", "1", "--threads", "1", *["--quiet"][: int(quiet)]]
    output, displayed = on_terminal(tmp_path, 0.0, "compare", QRELS, *RUNS, *options)
    assert ("runs read  [#" in displayed, "random permutations  [" in displayed) == (not quiet, not quiet)
    assert "left" not in output
    assert "random permutations" not in output


@POSIX
@pytest.mark.parametrize("command", repeats(["describe", "power", "report"]))
def test_elapsed_time(command: str, tmp_path: Path) -> None:
    """Each command displays the elapsed time, whatever it computes, and erases it before it writes results."""
    of_commands: dict[str, tuple[str | Path, ...]] = {
        "report": ("-o", tmp_path / "report.html"),
        "power": ("--topics", "50"),
        "describe": (),
    }
    options = of_commands[command]
    output, displayed = on_terminal(tmp_path, 0.01, command, QRELS, *RUNS, *options)
    assert f"\rirevalx-lab {command}  00:00 elapsed\x1b[K" in displayed
    after = re.split(r"(?:elapsed|left)\x1b\[K", displayed)[-1]
    assert after.startswith("\r\x1b[K")  # messages can follow
    assert "elapsed" not in output
    assert "elapsed" not in on_terminal(tmp_path, 0.01, command, QRELS, *RUNS, *options, "--quiet")[1]

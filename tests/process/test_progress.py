"""Progress bars of long calls."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from running import POSIX

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


@POSIX
@pytest.mark.parametrize("quiet", [False, True])
def test_on_a_terminal(tmp_path: Path, *, quiet: bool) -> None:
    """The command compare displays a bar of permutations and of runs on a terminal, but not with --quiet."""
    import pty

    (tmp_path / "sitecustomize.py").write_text("import irevalx.process.progress as p; p.PATIENCE = p.PAUSE = 0.0\n")
    words = ["-m", "irevalx.lab", "compare", QRELS, *RUNS, "-m", "map", "--correction", "tukey", "--seed", "1"]
    words += ["--threads", "1", *(["--quiet"] if quiet else [])]
    terminal, end = pty.openpty()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path.cwd())])}
    call = [sys.executable, *map(str, words)]
    output = subprocess.run(call, stdout=subprocess.PIPE, stderr=end, env=env, check=True).stdout.decode()
    os.close(end)
    displayed = os.read(terminal, 65536).decode() if not quiet else ""
    os.close(terminal)
    assert ("runs read  [#" in displayed, "random permutations  [" in displayed) == (not quiet, not quiet)
    assert "left" not in output
    assert "random permutations" not in output

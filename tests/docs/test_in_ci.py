"""The page on continuous integration: its Makefile and the commands of its workflows run, and end as it says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import PAGES, blocks
from running import FIXTURES, ROOT

pytestmark = pytest.mark.slow

PAGE = PAGES["docs/in-ci.md"]
EXPERIMENT = FIXTURES / "experiment"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose new run is that of its baseline."""
    for name in ("baseline.run", "new.run"):
        shutil.copy(EXPERIMENT / "runs" / "count1", tmp_path / name)
    shutil.copy(EXPERIMENT / "qrels", tmp_path)
    for name in ("topics", "index"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    return tmp_path


def call(line: str, folder: Path) -> int:
    """Return the status of a shell line, in which irevalx-lab is this one."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return subprocess.run(["bash", "-c", line], cwd=folder, env=os.environ | {"PATH": path}, check=False).returncode


def worsen(folder: Path) -> None:
    """Let the new run be a worse one with the same tag."""
    text = (EXPERIMENT / "runs" / "guess1").read_text()
    (folder / "new.run").write_text(text.replace("guess1", "count1"))


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_makefile(folder: Path) -> None:
    """The gate opens for what is equal, not for what is worse, and again once that is accepted."""
    [(_, makefile)] = blocks("make", PAGE)
    (folder / "Makefile").write_text(makefile)
    assert call("make gate", folder) == 0
    assert (folder / "gate.xml").exists()
    worsen(folder)
    assert call("make gate", folder) == 2
    assert call("make accept gate", folder) == 0


def test_workflows(folder: Path) -> None:
    """What GitHub and GitLab call, with what they take from it."""
    calls = []
    for _, text in blocks("yaml", PAGE):
        words = " ".join(text.split())
        start = words.index("irevalx-lab gate")
        ends = [words.find(end, start) for end in (" - name:", " allow_failure:")]
        calls.append(words[start : min(end for end in ends if end > 0)])
    assert len(calls) == 2
    for line in calls:
        assert call(line, folder) == 0
    assert (folder / "gate.md").read_text().startswith("Passed: ")
    worsen(folder)
    assert [call(line, folder) for line in calls] == [3, 3]
    assert (folder / "gate.md").read_text().startswith("Failed: ")
    assert "<failure" in (folder / "gate.xml").read_text()


def test_actions_are_pinned_as_ours() -> None:
    """The page names actions by commit, those that the project's own workflow runs: there they are kept up."""
    ours = (ROOT / ".github" / "workflows" / "ci.yml").read_text().splitlines()
    steps = [line for line in PAGE.splitlines() if "- uses: " in line]
    assert len(steps) == 2
    assert set(steps) <= set(ours)

"""The README: its two commands work, and it is an introduction."""

from __future__ import annotations

import os
import re
import subprocess

import pytest
from doc_pages import PAGES, README, SHELL_MARKER
from running import ROOT, run

[MAIN_COMMAND] = re.findall(r"<!-- main command -->\n```sh\n(.+)\n```\n\n```\n((?:.+\n)+)```", README)
"""The first command, and what it prints."""


def test_main_command() -> None:
    """The block below the first command is what irevalx prints, without warnings."""
    line, printed = MAIN_COMMAND
    *arguments, runs = line.partition(".venv/bin/irevalx ")[2].split()
    done = run(*arguments, *(str(path.relative_to(ROOT)) for path in sorted(ROOT.glob(runs))), cwd=ROOT)
    assert done.stdout.decode() == printed
    assert not done.stderr


def test_first_screen() -> None:
    """The main command, its output, the picture of a report and the speed precede the comparison with other tools."""
    first_screen = README.partition("\n## ")[0]
    parts = ("<!-- main command -->", "\nrunid ", "report.png)", "[Speed](")
    places = [first_screen.index(part) for part in parts]
    assert places == sorted(places)
    assert re.findall(r"^## (.+)$", README, re.MULTILINE)[0] == "Comparison with other tools"


def test_speed() -> None:
    """The ratios of the README are those of docs/speed.md."""
    lines = [line for line in PAGES["docs/speed.md"].splitlines() if line.startswith("| ") and " x 1000" in line]
    rows = [re.split(r" *\| *", line) for line in reversed(lines)]
    of_trec_eval = {row[1].partition(" x ")[0]: row[3].partition(" ")[0] for row in rows}
    ratios = re.findall(r"(\d+\.\d+)\s+times", README.partition("\n## ")[0])
    assert ratios == [of_trec_eval["6,980"], of_trec_eval["50"]]


@pytest.mark.parametrize("which", ["main", "test"])
def test_ci_runs_the_commands(which: str) -> None:
    """.ci/run takes both commands and the output of the first one from the README, which has each exactly once."""
    script = (ROOT / ".ci" / "run").read_text()
    [command] = re.findall(rf"<!-- {which} command -->\n```sh\n(.+)\n```", README)
    [pipeline] = re.findall(rf"^{which}_command=\$\((.+)\)$", script, re.MULTILINE)
    assert in_bash(pipeline) == command + "\n"
    assert f'eval "${which}_command"' in script
    [pipeline] = re.findall(r"^(sed .+) >\"\$work/expected\"$", script, re.MULTILINE)
    assert in_bash(pipeline) == MAIN_COMMAND[1]


def in_bash(line: str) -> str:
    """Return what a line prints."""
    return subprocess.run(
        ["bash", "-c", line], cwd=ROOT, capture_output=True, check=True, env=os.environ
    ).stdout.decode()


def test_readme_is_an_introduction() -> None:
    """It can be read in one go: six examples, and some 10 kB; the rest is in docs/."""
    assert README.count(SHELL_MARKER) == 6
    assert len(README.encode()) <= 10_000, "move what is more to a page in docs/"

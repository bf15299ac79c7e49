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
    """The main command, its output, two lines of each file, equal names and the report precede installation and use."""
    first_screen = README.partition("\n## ")[0]
    parts = (
        "<!-- main command -->",
        "\nrunid ",
        "```text",
        "`P.5`, `P@5` and `P_5`",
        "Exit statuses: ",
        "report.png)",
        "[Speed](",
    )
    places = [first_screen.index(part) for part in parts]
    assert places == sorted(places)
    headings = re.findall(r"^## (.+)$", README, re.MULTILINE)
    assert headings[:2] == ["Install", "Use"]
    assert headings.index("Comparison with other tools") > 2


def test_lines_of_files() -> None:
    """The lines of judgments and of a run are lines of the files of the main command, next to each other."""
    [block] = re.findall(r"```text\n(.+?)```", README, re.DOTALL)
    for line, path in zip(
        zip(*(re.split(" {4,}", row) for row in block.splitlines()), strict=True), SHOWN, strict=True
    ):
        assert set(line) <= set(path.read_text().splitlines())


SHOWN = (ROOT / "fixtures" / "experiment" / "qrels", ROOT / "fixtures" / "experiment" / "runs" / "vector1")


@pytest.mark.parametrize(
    ("names", "printed"), [("P.5 P@5 P_5", "P_5"), ("ndcg_cut.10 ndcg@10 ndcg_cut_10", "ndcg_cut_10")]
)
def test_equal_names(names: str, printed: str) -> None:
    """Spellings that the README calls equal print the same line."""
    assert all(f"`{name}`" in README for name in names.split())
    lines = {run("-m", name, *SHOWN).stdout for name in names.split()}
    assert len(lines) == 1
    assert lines.pop().split()[0].decode() == printed


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
    """It can be read in one go: four examples, and some 10 kB; the rest is in docs/."""
    assert README.count(SHELL_MARKER) == 4
    assert len(README.encode()) <= 10_000, "move what is more to a page in docs/"

"""The README: its two commands work, and it is an introduction."""

from __future__ import annotations

import os
import re
import subprocess

from doc_pages import README, SHELL_MARKER
from running import FIXTURES, ROOT, run


def test_main_command() -> None:
    """The blocks below the first command are what irevalx prints on standard output and standard error."""
    [(line, printed)] = re.findall(r"<!-- main command -->\n```sh\n(.+)\n```\n\n```\n((?:.+\n)+)```", README)
    arguments = line.partition(".venv/bin/irevalx ")[2].replace(
        "fixtures/example/*.run",
        " ".join(str(path.relative_to(ROOT)) for path in sorted((FIXTURES / "example").glob("*.run"))),
    )
    done = run(*arguments.split(), cwd=ROOT)
    assert done.stdout.decode() == printed
    [warned] = re.findall(r"<!-- warnings of the main command -->\n```\n((?:.+\n)+)```", README)
    assert done.stderr == warned


def test_ci_runs_the_test_command() -> None:
    """.ci/run takes the test command from the README, where there is exactly one."""
    script = (ROOT / ".ci" / "run").read_text()
    [(block, line)] = re.findall(r"sed -n '(/\^.+?)' README.md \| sed -n '(.+?)'", script)
    [command] = re.findall(r"<!-- test command -->\n```sh\n(.+)\n```", README)
    pipeline = f"sed -n '{block}' README.md | sed -n '{line}'"
    done = subprocess.run(["bash", "-c", pipeline], cwd=ROOT, capture_output=True, check=True, env=os.environ)
    assert done.stdout.decode() == command + "\n"


def test_readme_is_an_introduction() -> None:
    """It can be read in one go: six examples, and some 10 kB; the rest is in docs/."""
    assert README.count(SHELL_MARKER) == 6
    assert len(README.encode()) <= 10_000, "move what is more to a page in docs/"

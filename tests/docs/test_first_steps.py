"""A newcomer's first steps: every command of the README and of the tutorials, in order, in a copy of a clone.

Packages can only be imported after the page has installed them. Standard error is part of the output.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from blocked_packages import EXTRAS, OTHERS, blocking
from doc_pages import FIRST_PAGES, PAGES
from running import POSIX, ROOT

pytestmark = [pytest.mark.slow, POSIX]

_PART = re.compile(
    r"^(?:<!-- (?P<marker>[^\n]+) -->\n)?```(?P<language>\w*)\n(?P<typed>.+?)\n```$(?:\n\n```\n(?P<printed>.*?)^```$)?"
    r"|`(?P<span>[^`]+)`",
    re.DOTALL | re.MULTILINE,
)
"""A block with its output, if any, or a code span."""

_INSTALLS = re.compile(r"(?:\.venv/bin/python -m )?pip install (.+?)(?: && |$)")
_ACTIVATES = ". .venv/bin/activate"
_SHOWS_HELP = re.compile(r"irevalx (-h|--list-measures)\b")


class Step(NamedTuple):
    """A command of a page, and what the page has done before."""

    typed: str
    language: str
    printed: str
    installed: frozenset[str]  # extras and packages
    is_active: bool  # the shell finds the commands


def steps(page: str) -> Iterator[Step]:
    """Yield the commands of a page in order; .ci/run runs the tests. Installations are recorded, not run."""
    installed, is_active = set[str](), page != "README.md"
    for part in _PART.finditer(PAGES[page]):
        typed = part["typed"] or " ".join(part["span"].split())
        if part["marker"] == "test command" or part["language"] == "text":
            continue
        for words in _INSTALLS.findall(typed):
            for word in shlex.split(words):
                installed |= set(re.findall(r"\w+", word)) if word.startswith(".[") else {word}
        is_active = is_active or typed == _ACTIVATES
        if part["span"] is None or _SHOWS_HELP.match(typed):
            # python3 -m venv .venv && .venv/bin/python -m pip install ... && .venv/bin/irevalx ...
            command = typed.rpartition(" && ")[2] if _INSTALLS.search(typed) else typed
            yield Step(command, part["language"] or "sh", part["printed"] or "", frozenset(installed), is_active)


def clone(folder: Path) -> Path:
    """Return a copy of the files that pages name, with this environment."""
    for name in ("fixtures", "docs"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def path_without_commands() -> str:
    """Return the search path without this environment."""
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if not (Path(folder) / "irevalx").exists())


@pytest.mark.parametrize("page", FIRST_PAGES)
def test_first_steps(page: str, tmp_path: Path) -> None:
    """Each command ends with status 0 and displays what is below it, warnings included."""
    folder, every = clone(tmp_path / "clone"), list(steps(page))
    assert every
    for number, step in enumerate(every):
        modules = tmp_path / str(number)
        modules.mkdir()
        (modules / "sitecustomize.py").write_text(blocking({*EXTRAS} - step.installed, {*OTHERS} - step.installed))
        path = path_without_commands()
        if step.is_active:
            path = f"{folder / '.venv' / 'bin'}{os.pathsep}{path}"
        command = ["bash", "-c", step.typed] if step.language == "sh" else [sys.executable, "-c", step.typed]
        environment = os.environ | {"PATH": path, "PYTHONPATH": str(modules)}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        displayed = (done.stderr + done.stdout).decode()
        assert done.returncode == 0, displayed
        assert displayed == step.printed or _SHOWS_HELP.match(step.typed), step.typed


def test_a_package_that_was_not_installed_is_missing(tmp_path: Path) -> None:
    """The check above notices a page that forgets to install an extra."""
    first, report, *_ = steps("README.md")
    assert not first.installed & {*EXTRAS}
    assert report.installed & {*EXTRAS} == {"lab"}
    (tmp_path / "sitecustomize.py").write_text(blocking(EXTRAS))
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-c", report.typed], cwd=clone(tmp_path / "clone"), env=environment, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"report needs jinja2, which is not installed" in done.stderr

"""Systems that lack functions of Linux: the commands behave the same, and one module contains the differences."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT

from irevalx.lab import COMMANDS

pytestmark = pytest.mark.slow

TESTS = ROOT / "tests"

POSIX_ALONE = re.compile(
    r"\bos\.(fork|fs(en|de)code|sched_getaffinity|umask|mkfifo|killpg)\b|pthread_sigmask|SIG_(UN)?BLOCK|sys\.platform"
    r"|\bos\.name\b|/(dev|proc)/|NamedTemporaryFile|\b(fcntl|resource|pwd|termios)\b\.|SEEK_(HOLE|DATA)|os\.sep\b"
)
"""Functions that some systems lack or implement differently."""


def test_one_module_knows_of_systems() -> None:
    """Only process/platform.py uses functions that some systems lack."""
    uses = []
    for path in (ROOT / "irevalx").rglob("*.py"):
        if path.parts[-2:] != ("process", "platform.py"):
            tree = ast.parse(path.read_text())
            for node in ast.walk(tree):  # an expression that is nothing but a text is a docstring
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                    node.value.value = ""
            uses += [f"{path}: {match[0]}" for match in POSIX_ALONE.finditer(ast.unparse(tree))]
    assert uses == []


def printed(folder: Path, begin: str, **environment: str) -> dict[str, list[object]]:
    """Return the results of all lines in a process of its own."""
    folder.mkdir()
    script = f"{begin}import runpy, sys; runpy.run_path(sys.argv[0], run_name='__main__')"
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.argv = {[str(TESTS / 'command_lines.py'), str(folder)]}; {script}",
    ]
    paths = {"PYTHONPATH": f"{ROOT}{os.pathsep}{TESTS}"}
    done = subprocess.run(command, check=True, capture_output=True, env=os.environ | paths | environment)
    result: dict[str, list[object]] = json.loads(done.stdout)
    return result


@pytest.fixture(scope="module")
def default(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[object]]:
    """Return the output of the lines on this system."""
    return printed(tmp_path_factory.mktemp("default") / "here", "")


def test_lines_have_every_command(default: dict[str, list[object]]) -> None:
    """Every command is called, and only the missing file is an error."""
    assert {line.split()[1] for line in default if line.startswith("irevalx-lab ")} >= set(COMMANDS)
    assert [line for line, result in default.items() if result[0]] == ["irevalx -m map EXAMPLE/qrels nosuch"]


@pytest.mark.parametrize("which", ["poor", "full"])
def test_commands_on_other_systems(which: str, default: dict[str, list[object]], tmp_path: Path) -> None:
    """Without the functions that Windows lacks, and without other processes, the output is the same."""
    result = printed(tmp_path / "here", "import poor_system; ", SYSTEM=which)
    assert result.keys() == default.keys()
    assert {line: (result[line], default[line]) for line in default if result[line] != default[line]} == {}


def test_output_of_a_windows_console(tmp_path: Path) -> None:
    r"""Help is UTF-8 with ``\n``, even if text is written in a code page with ``\r\n``."""
    script = (
        "import io, poor_system, sys\n"
        "for name in ('stdout', 'stderr'):\n"
        "    stream = getattr(sys, name)\n"
        "    setattr(sys, name, io.TextIOWrapper(stream.buffer, 'cp1252', newline='\\r\\n'))\n"
        "from irevalx.cli.command import main\n"
        "main(['-h'])\n"
        "main(['-m', '\\u2264', 'a', 'b'])\n"
    )
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{TESTS}", "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, env=environment)
    plain = subprocess.run([sys.executable, "-m", "irevalx", "-h"], capture_output=True, check=True, env=environment)
    assert done.stdout == plain.stdout
    assert done.stderr.count(b"\n") == 1
    assert "\u2264".encode() in done.stderr
    assert b"\r" not in done.stdout + done.stderr

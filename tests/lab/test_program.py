"""The commands of irevalx-lab are what its help says."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from running import ROOT

from irevalx.lab.program import COMMANDS
from irevalx.lab.program import command as program


def described(name: str) -> click.Command:
    """Return a command of irevalx-lab."""
    found = program.get_command(click.Context(program), name)
    assert found
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_say_the_same_everywhere(name: str) -> None:
    """The help of a command begins with its line in the help of irevalx-lab."""
    first_line = (described(name).help or "").partition("\n")[0]
    assert first_line == COMMANDS[name], "COMMANDS in lab/program.py and the docstring of the command must agree"


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_explained(name: str) -> None:
    """No option is without help, and every command has --quiet."""
    params = described(name).params
    assert all(param.help for param in params if isinstance(param, click.Option))
    assert "quiet" in {param.name for param in params}


def test_help_imports_no_command() -> None:
    """irevalx-lab -h needs neither numpy nor tabulate, and so it comes at once."""
    code = "import sys; from irevalx.lab.program import main; main(['-h']); sys.exit(bool({'numpy', 'tabulate'} & {*sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")

"""Help and completion from the record of options are those of the complete commands."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from running import ROOT, Result, described, run

from irevalx.command_line.completion import CompletedText
from irevalx.lab import COMMANDS
from irevalx.lab.command.program import Group, complete_command, main

WIDTHS = (40, 80, 150)


def both(*words: str, monkeypatch: pytest.MonkeyPatch, env: dict[str, str] | None = None) -> list[Result]:
    """Return the results of a call with the record, and with the complete commands in its place."""
    recorded = run(*words, env=env, main=main)
    with monkeypatch.context() as patch:
        patch.setattr(Group, "get_command", lambda self, ctx, name: complete_command(name))
        return [recorded, run(*words, env=env, main=main)]


@pytest.mark.parametrize("name", COMMANDS)
def test_help(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Help has the same bytes at every width."""
    for words in (["-h"], ["--help"]):
        for width in WIDTHS:
            recorded, complete = both(name, *words, monkeypatch=monkeypatch, env={"COLUMNS": str(width)})
            assert recorded == complete
            assert (recorded.status, recorded.stderr) == (0, "")
            assert len(recorded.stdout) > 500


@pytest.mark.parametrize("name", COMMANDS)
def test_completion(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of options, choices and file names are completed in the same way, with the same explanations."""
    types = {each.opts[-1]: each.type for each in described(name).params if isinstance(each.type, CompletedText)}
    with_values = [option for option, type_ in types.items() if type_.choices and option.startswith("-")]
    words = ["-", "x --", "x x --sh", "q", *(f"{option} =" for option in with_values)]
    for typed in words:
        line = f"irevalx-lab {name} {typed.rstrip('=')}"
        env = {"_IREVALX_LAB_COMPLETE": "zsh_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(typed.split()) + 1)}
        recorded, complete = both(monkeypatch=monkeypatch, env=env)
        assert recorded == complete
        assert recorded.stdout or typed not in {"-", "x --"}


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("compare qrels run --test -h", 1),
        ("compare qrels run -- -h", 2),
        ("compare qrels run --tset -h", 1),
        ("compare qrels run --quiet=1 -h", 1),
        ("compare qrels --names -qh", 1),
        ("labels --digits x -h", 0),
    ],
)
def test_where_help_is_no_option(words: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """If -h is a value or a file, or follows an unknown option, the complete command reports the error."""
    recorded, complete = both(*words.split(), monkeypatch=monkeypatch)
    assert recorded == complete
    assert (recorded.status, recorded.stdout == b"") == (status, status > 0)


@pytest.mark.parametrize("typed", ["", "compare -h", "study --help", "comp", "compare --te", "compare --test "])
def test_imports(typed: str) -> None:
    """Neither help nor the completion of commands, options and choices imports NumPy or the command."""
    is_help = "h" in typed.rpartition(" ")[2] or not typed
    words = typed.split() if is_help else []
    count = str(len(typed.split()) + typed.endswith(" "))
    variables = {"_IREVALX_LAB_COMPLETE": "bash_complete", "COMP_WORDS": f"irevalx-lab {typed}", "COMP_CWORD": count}
    code = (
        f"import sys; from irevalx.lab.command.program import main; main({words!r});"
        "sys.exit(bool({'numpy', 'irevalx.declarations'} & {*sys.modules}))"
    )
    env = os.environ | ({} if is_help else variables)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout

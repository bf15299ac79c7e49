"""Calls of irevalx and irevalx-lab, in this process or in a process of their own."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from irevalx.cli.command import main
from irevalx.errors import Warn
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.program import command as lab_program
from irevalx.lab.command.program import main as lab_main
from irevalx.reading.formats import read_qrels, read_trec_results
from irevalx.reading.kinds.runs import RunStream
from irevalx.reading.sources.files import Source
from irevalx.reports.table import Table
from irevalx.trec_eval import TREC_EVAL_10

if TYPE_CHECKING:
    from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"

POSIX = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a shell, pipes with names, /dev or signals")
"""Marks tests that require a POSIX system."""


def examples(n_examples: int) -> settings:
    """Return settings that draw this number of examples in the profile ``full``, and in proportion in other profiles."""
    from hypothesis import settings  # calls in processes of their own do not need it

    profile = settings.get_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
    return settings(profile, max_examples=max(n_examples * profile.max_examples // 100, 10))


def repeats(values: Iterable[Any], first: int = 1) -> list[Any]:
    """Return the values of a test parameter, with all but the first few marked as slow.

    If a case has values for several parameters, they are passed as ``pytest.param(...)``.
    """
    several = type(pytest.param())
    sets = [value if isinstance(value, several) else pytest.param(value) for value in values]
    return [
        each if place < first else pytest.param(*each.values, marks=[*each.marks, pytest.mark.slow], id=each.id)
        for place, each in enumerate(sets)
    ]


@dataclass(frozen=True)
class Result:
    """The output and exit status of a call."""

    status: int
    stdout: bytes
    stderr: str

    @property
    def words(self) -> str:
        """Standard output in one line, with single blanks: texts below tables are wrapped."""
        return " ".join(self.stdout.decode().split())

    @property
    def rows(self) -> list[dict[str, str]]:
        """The rows of standard output, which is csv."""
        return list(csv.DictReader(io.StringIO(self.stdout.decode())))


def run(
    *args: str | Path,
    cwd: Path | None = None,
    stdin: Path | None = None,
    env: Mapping[str, str] | None = None,
    main: Callable[[Sequence[str]], int] = main,
) -> Result:
    """Call ``main`` in this process, with standard input from a file (or empty)."""
    stdout, stderr = io.TextIOWrapper(io.BytesIO(), "utf-8", newline=os.linesep), io.StringIO()
    before, stdin_copy, changed = Path.cwd(), os.dup(0), dict(env or {})
    saved = {name: os.environ.get(name) for name in changed}
    source = os.open(stdin if stdin is not None else os.devnull, os.O_RDONLY)
    try:
        os.dup2(source, 0)
        os.chdir(cwd or before)
        os.environ.update(changed)
        with redirect_stdout(stdout), redirect_stderr(stderr):
            status = main([str(arg) for arg in args])
            stdout.flush()
    finally:
        for name, value in saved.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        os.chdir(before)
        os.dup2(stdin_copy, 0)
        os.close(stdin_copy)
        os.close(source)
    assert isinstance(stdout.buffer, io.BytesIO)
    return Result(status, stdout.buffer.getvalue(), stderr.getvalue())


def lab(*args: str | Path, cwd: Path | None = None, stdin: Path | None = None) -> Result:
    """Call irevalx-lab in this process."""
    return run(*args, cwd=cwd, stdin=stdin, main=lab_main)


def described(name: str) -> click.Command:
    """Return a command of irevalx-lab."""
    result = lab_program.get_command(click.Context(lab_program), name)
    assert result
    return result


def succeeded(
    *args: str | Path, cwd: Path | None = None, stdin: Path | None = None, stderr: str | None = None
) -> Result:
    """Call irevalx-lab, which must end with status 0 and, unless None, this standard error."""
    done = lab(*args, cwd=cwd, stdin=stdin)
    assert done.status == 0, done.stderr
    assert stderr is None or done.stderr == stderr
    return done


def lab_json(*args: str | Path) -> dict[str, Any]:
    """Return the tables by title that a call of irevalx-lab prints as JSON."""
    tables: dict[str, Any] = json.loads(succeeded(*args, "--format", "json").stdout)
    return tables


def lab_rows(*args: str | Path) -> list[dict[str, str]]:
    """Return the rows of the csv that a call of irevalx-lab prints."""
    return succeeded(*args, "--format", "csv").rows


def lab_told(*args: str | Path) -> tuple[list[dict[str, str]], str]:
    """Return the rows of the csv that a call of irevalx-lab prints, and its standard error."""
    done = succeeded(*args, "--format", "csv")
    return done.rows, done.stderr


def refused(*args: str | Path, status: int = 1, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Return the message of a call of irevalx, which must print no results and end with this status."""
    result = run(*args, cwd=cwd, env=env)
    assert (result.status, result.stdout) == (status, b"")
    return result.stderr


def refusal(*args: str | Path, status: int = 1, cwd: Path | None = None) -> str:
    """Return the message of a call of irevalx-lab, which must print no results and end with this status."""
    result = lab(*args, cwd=cwd)
    assert (result.status, result.stdout) == (status, b"")
    return result.stderr


def rows_in(path: Path) -> list[dict[str, str]]:
    """Return the rows of a csv file."""
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def run_process(args: Sequence[str | Path], *, stdin: bytes | None = None, cwd: Path | None = None) -> Result:
    """Run ``python -m irevalx`` in a process of its own."""
    command = [sys.executable, "-m", "irevalx", *map(str, args)]
    done = subprocess.run(
        command, input=stdin, cwd=cwd, capture_output=True, check=False, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    return Result(done.returncode, done.stdout, done.stderr.decode())


def opened(paths: Sequence[str | Source], warn: Warn) -> list[RunStream]:
    """Return unread runs."""
    return [
        read_trec_results(path if isinstance(path, Source) else Source(path), TREC_EVAL_10, False, warn)
        for path in paths
    ]


def judgments_of(lines: str) -> Judgments:
    """Return judgments from the text of a file."""
    return read_qrels(Source("qrels", lines.encode()), TREC_EVAL_10, strict=True, warn=_refuse)


def _refuse(line: str) -> None:
    raise AssertionError(line)


def records_of(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table, each by column."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]

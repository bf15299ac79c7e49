"""A clone is enough to run the tests: no file outside the checkout is named."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import ROOT, repeats
from skipped_tests import GROUPS, group_of, summary

OUTSIDE = re.compile(r"""/ ["']shared["']|\.\./shared|\bROOT\.parent\b""")
"""How code names the folder next to the checkout."""


def test_only_a_fixture_names_the_folder_of_collections() -> None:
    """Tests read collections through fixtures of conftest.py, which skip them if the folder is absent."""
    folders = ("tests", "irevalx", "docs", ".ci", ".github")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    named = {path for path in files if path.is_file() and OUTSIDE.search(path.read_text(errors="replace"))}
    assert named - {Path(__file__)} == {ROOT / "tests" / "conftest.py"}


def reasons() -> Iterator[str]:
    """Yield the reasons for which tests can be skipped, with {} in place of values."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call):
                name = ast.unparse(call.func)
                given = [word.value for word in call.keywords if word.arg == "reason"]
                given += call.args[:1] if name == "pytest.skip" else []
                if name in {"pytest.skip", "pytest.mark.skipif", "pytest.importorskip"}:
                    yield from map(_text, given)


def _text(node: ast.expr) -> str:
    """Return the text of a literal, with {} in place of values."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)


def test_every_reason_for_skipping_has_a_group() -> None:
    """The last lines of pytest name a group, with what runs its tests, for every reason."""
    every = {*reasons(), "could not import 'polars': No module named 'polars'"}
    assert len(every) > 40
    assert sorted(reason for reason in every if group_of(reason) is None) == []
    assert {group_of(reason) for reason in every} == {name for name, _, _ in GROUPS}


def test_summary_of_skipped_tests() -> None:
    """A line contains the number of tests and the command; a reason without a group is displayed as it is."""
    lines = [*summary(["needs the collections", "needs the moon, today", "needs the collections"])]
    assert [line.split(maxsplit=1) for line in lines] == [
        ["2", "collections: pytest -m collections, with the collections next to the checkout"],
        ["1", "needs the moon, today"],
    ]


@pytest.mark.parametrize("processes", repeats([(), ("-n", "2")]))
def test_last_lines_of_pytest(processes: tuple[str, ...], tmp_path: Path) -> None:
    """Pytest ends with the groups of skipped tests and the number of tests."""
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {ROOT} {ROOT / 'tests'}\nmarkers = collections: x\n")
    (tmp_path / "tests" / "test_some.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", *processes]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    *_, collections, simulations, last = done.stdout.splitlines()
    assert [line.split(":")[0].split() for line in (collections, simulations)] == [
        ["1", "collections"],
        ["1", "simulations"],
    ]
    assert last.startswith("1 passed, 2 skipped in ")


TESTS = """
import pytest
def test_a(collections): pass
def test_b(): pass
@pytest.mark.skip(reason="GATE_DRAWS says how many draws")
def test_c(): pass
"""

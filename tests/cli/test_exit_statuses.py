"""Each exit status in the tables of the documentation, by real calls of the commands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import PAGES, prose
from running import POSIX, ROOT, lab, run

from irevalx.errors import LostProcessError

QRELS, RUN = "1 0 A 1\n1 0 B 0\n", "1 Q0 A 1 2 x\n1 Q0 B 2 1 x\n"

FILES = {
    "qrels": QRELS,
    "run": RUN,
    "malformed": "1 0 A\n",
    "empty": "",
    "other.run": RUN.replace("1 Q0", "2 Q0"),
    "twice.qrels": QRELS + "1 0 A 1\n",
    "twice.qrels.json": '{"1": {"A": 1, "B": 0, "A": 1}}',
    "twice.run": RUN + "1 Q0 A 3 0 x\n",
    "twice.csv": "topic,docno,score\n1,A,2\n1,B,1\n1,A,0\n",
    "twice.jsonl": "".join(f'{{"topic": "1", "docno": "A", "score": {score}}}\n' for score in (2, 1)),
    "twice.json": '{"1": {"A": 2, "B": 1, "A": 0}}',
}

CALLS = {
    0: ("qrels run", "-h", "-m map -q qrels run"),
    1: ("--nosuch qrels run", "-m nosuch qrels run", "qrels", "-l x --strict nosuch"),
    2: ("qrels nosuch", "qrels empty", "malformed run", "qrels malformed", "-m P.0 qrels run", "--strict -M x qrels run"),
    4: (
        *("twice.qrels run", "twice.qrels.json run", "qrels twice.run", "qrels twice.csv", "qrels twice.jsonl"),
        *("qrels twice.json", "-m prefs_simp qrels run"),
    ),
    7: ("qrels other.run",),
    255: ("-Z nosuch -m map qrels run", "-Z malformed -m map qrels run"),
}  # fmt: skip
"""Calls of irevalx by status; the others are below."""

BY_LAB = {1: ("compare --nosuch", "nosuch"), 2: ("compare qrels nosuch run",), 4: ("compare twice.qrels.json run run",)}

IN_A_SHELL = {
    74: "{program} qrels run >&-",
    130: "{program} qrels pipe & sleep 2; kill -INT $!; wait $!",
    141: "{program} -q -m all_trec qrels run | true; exit ${{PIPESTATUS[0]}}",
}

RAISED = {70: MemoryError(), 71: LostProcessError("x")}
"""Tested with real processes in tests/process/test_processes.py."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files."""
    folder = tmp_path_factory.mktemp("statuses")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def statuses(text: str, row: str) -> set[int]:
    """Return the statuses that rows of a table contain."""
    return {int(number) for cell in re.findall(row, text, re.MULTILINE) for number in cell.split(", ")}


def test_each_listed_status_is_tested() -> None:
    """The page and the manual page list the same statuses, and each has a call."""
    section = PAGES["docs/command.md"].partition("## Exit statuses")[2].partition("\n## ")[0]
    on_page = statuses(section, r"^\| (\d+) \|")
    manual = (ROOT / "man" / "man1" / "irevalx.1").read_text().partition('.SH "EXIT STATUS"')[2].partition(".SH ")[0]
    assert on_page == statuses(manual, r"^\.TP\n(\d+)$") == {*CALLS, *IN_A_SHELL, *RAISED}


def test_other_tables_contain_no_other_status() -> None:
    """The README and the page on gates name statuses of this table, and the two of gates."""
    readme = PAGES["README.md"].partition("Exit statuses: ")[2].partition("\n\n")[0]
    assert set(map(int, re.findall(r"\b\d+\b", readme))) == {0, 1, 2, 4, 7}
    assert statuses(prose(PAGES["docs/in-ci.md"]), r"^\| ([\d, ]+) \|") == {0, 3, 5, 1, 2, 4, 7}


@pytest.mark.parametrize(("status", "call"), [(status, call) for status, every in CALLS.items() for call in every])
def test_statuses(status: int, call: str, files: Path) -> None:
    """A call ends with its status; errors print nothing to standard output."""
    done = run(*call.split(), cwd=files)
    assert (done.status, bool(done.stdout)) == (status, status == 0), done.stderr


@pytest.mark.parametrize(("status", "call"), [(status, call) for status, every in BY_LAB.items() for call in every])
def test_statuses_of_the_lab(status: int, call: str, files: Path) -> None:
    """irevalx-lab has the same statuses."""
    done = lab(*call.split(), cwd=files)
    assert (done.status, done.stdout) == (status, b""), done.stderr


@POSIX
@pytest.mark.parametrize("status", IN_A_SHELL)
@pytest.mark.usefixtures("interruptible")
def test_statuses_in_a_shell(status: int, tmp_path: Path) -> None:
    """Closed output, Ctrl-C and an ended reader have statuses of their own."""
    for name in ("qrels", "run"):
        (tmp_path / name).write_text(FILES[name])
    script = f"set -m; mkfifo pipe; {IN_A_SHELL[status]}".format(program=f"'{sys.executable}' -m irevalx")
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == status, done.stderr.decode()


@pytest.mark.parametrize("status", RAISED)
def test_statuses_of_the_system(status: int, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little memory and a lost process have statuses of their own."""

    def fail(*args: object, **more: object) -> None:
        raise RAISED[status]

    monkeypatch.setattr("irevalx.evaluation.evaluate.evaluate_all", fail)
    assert run("qrels", "run", cwd=files).status == status

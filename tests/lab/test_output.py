"""Results and their output: tables, frames, files."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from running import FIXTURES, POSIX, ROOT, lab, refusal, repeats

import irevalx.lab
from irevalx.errors import ArgumentError
from irevalx.lab.command.output import DrawnResult, Result

RUN = FIXTURES / "example" / "bm25.run"
POOL: list[str | Path] = ["pool", RUN, "--depth", "1"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", repeats(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"]))
@pytest.mark.parametrize("redirection", [">>", ">"])
def test_standard_output_by_name(name: str, redirection: str, tmp_path: Path) -> None:
    """Output to /dev/stdout keeps what a log contains."""
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "log").write_text("before\n" if redirection == ">>" else "")
    command = f"'{sys.executable}' -m irevalx.lab pool '{RUN}' --depth 1 -o {name}"
    begin = ":" if redirection == ">>" else "echo before"
    script = f"{{ {begin}; {command}; echo after; }} {redirection} log"
    subprocess.run(["bash", "-c", script], cwd=tmp_path, check=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    expected = b"before\n" + lab(*POOL).stdout + b"after\n"
    assert (tmp_path / "log").read_bytes() == expected
    assert {path.name for path in tmp_path.iterdir()} == {"link", "log"}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_open_file_of_another_process(tmp_path: Path) -> None:
    """Output to an open file of another process is appended."""
    with (tmp_path / "log").open("w") as log, subprocess.Popen(["sleep", "60"], stdout=log) as other:
        log.write("before\n")
        log.flush()
        assert lab(*POOL, "-o", f"/proc/{other.pid}/fd/1").status == 0
        other.kill()
    assert (tmp_path / "log").read_bytes() == b"before\n" + lab(*POOL).stdout


@pytest.mark.parametrize("name", ["n" * 255, "\u00e9" * 120 + ".figure-of-all"])
def test_long_names(name: str, tmp_path: Path) -> None:
    """Names can have the maximum length of the system."""
    assert lab(*POOL, "-o", tmp_path / name).status == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert lab(*POOL, "-o", tmp_path / (name + "n" * 100)).status == 74


def test_invalid_names(tmp_path: Path) -> None:
    """Closed descriptors and circular links are errors."""
    (tmp_path / "round").symlink_to("round")
    for name in ("/proc/self/fd/999", str(tmp_path / "round")):
        assert refusal(*POOL, "-o", name, status=74).startswith("irevalx-lab: cannot write ")


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_file_mode(tmp_path: Path, mode: int) -> None:
    """A replaced file keeps its mode."""
    path = tmp_path / "written"
    path.write_text("before")
    path.chmod(mode)
    assert lab("compare", QRELS, *RUNS, "-m", "map", "-o", path).status == 0
    assert path.stat().st_mode & 0o777 == mode
    assert path.read_text() != "before"


@POSIX
def test_read_only_file(tmp_path: Path) -> None:
    """A read-only file is refused and unchanged."""
    path = tmp_path / "written"
    path.write_text("before")
    path.chmod(0o400)
    done = lab("compare", QRELS, *RUNS, "-m", "map", "-o", path)
    assert (done.status, done.stderr.splitlines()[-1]) == (
        74,
        f"irevalx-lab: cannot write '{path}': the file is not writable",
    )
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("before", 0o400)


def test_files_in_json(tmp_path: Path) -> None:
    """JSON has the option of a file, and its digest among the inputs."""
    (tmp_path / "groups").write_text("".join(f"{topic} g{topic % 2}\n" for topic in range(1, 30)))
    done = lab("compare", QRELS, *RUNS, "-m", "map", "--topic-groups", tmp_path / "groups", "--format", "json")
    about = json.loads(done.stdout)["about"]
    assert about["options"]["--topic-groups"] == str(tmp_path / "groups")
    assert str(tmp_path / "groups") in [source["path"] for source in about["inputs"]]


def subclasses(kind: type[Result]) -> Iterator[type[Result]]:
    """Yield the classes that derive from a class, at any depth."""
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def results() -> set[type[Result]]:
    """Return the classes of all results, after the functions are imported that return them."""
    for name in irevalx.lab.__all__:
        getattr(irevalx.lab, name)
    return set(subclasses(Result))


def test_figures_are_drawn_by_functions_of_the_figures_module() -> None:
    """Each name in ``drawings`` is a function of a result and a page beside the class; its result is what it draws."""
    pytest.importorskip("matplotlib")
    drawn = [kind for kind in results() if issubclass(kind, DrawnResult) and hasattr(kind, "drawings")]
    assert len(drawn) > 5
    for kind in drawn:
        figures = import_module(f"{kind.__module__.rpartition('.')[0]}.figures")
        for function in kind.drawings.values():
            assert len(inspect.signature(getattr(figures, function)).parameters) == 2, (kind, function)


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_tables_by_title() -> None:
    """Each table of a result can be a data frame; a wrong title is an error that lists the right ones."""
    pytest.importorskip("pandas")
    qrels = {"1": {"A": 1, "B": 0}, "2": {"A": 1, "B": 0}}
    runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"X": 2.0, "A": 1.0}}}
    result = irevalx.lab.bounds(qrels, runs, "P.2", complete=True)
    first, second = result.tables()
    assert result.to_frame().equals(result.to_frame("bounds"))
    assert list(result.to_frame("decided pairs").columns) == list(second.columns)
    displayed = result.tables_for_people()[1].title
    assert displayed == "determined pairs"
    assert result.to_frame(displayed).equals(result.to_frame("decided pairs"))
    assert len(result.to_frame()) == len(first.rows)
    with pytest.raises(ArgumentError, match="table must be 'bounds' or 'decided pairs', not 'pairs'"):
        result.to_frame("pairs")

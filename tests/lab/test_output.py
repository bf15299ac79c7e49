"""-o: files are replaced atomically, and open descriptors are appended to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from running import FIXTURES, POSIX, ROOT, lab, refusal

RUN = FIXTURES / "example" / "bm25.run"
POOL: list[str | Path] = ["pool", RUN, "--depth", "1"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
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

"""A file can be read again, even where it is a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from examples.example_files import EVERYTHING, EXPECTED, LINES, QRELS
from running import ROOT, run_process

from irevalx.reading.sources.files import Source


def test_a_pipe_with_a_topic_that_comes_back() -> None:
    """What cannot be sought is kept until it is known that it need not be read again."""
    result = run_process([*EVERYTHING, "--threads", "1", QRELS, "-"], stdin=b"\n".join([*LINES[1:], LINES[0]]))
    assert result.stdout == EXPECTED


def test_files_that_several_processes_read() -> None:
    """A file under /dev/shm is a file like others; what this process has open already is not, whatever it is."""
    folder = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - this is what is tested
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(b"301 Q0 A 1 1 r\n")
        file.flush()
        assert Source(file.name).size == 15
        assert Source(f"/dev/fd/{file.fileno()}").size == 0
        before = os.dup(0)
        os.dup2(file.fileno(), 0)
        try:
            assert (Source("-").size, Source("/dev/stdin").size) == (0, 0)
        finally:
            os.dup2(before, 0)
            os.close(before)
    assert Source(file.name).size == 0


def test_no_room_for_what_must_be_kept(tmp_path: Path) -> None:
    """After the error there is no word about the temporary file, which could not be written to its end."""
    script = """
import resource, sys
from irevalx.cli.command import main
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
sys.exit(main(sys.argv[1:]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script, QRELS, "-"],
        input=b"\n".join(LINES)[:60_000].ljust(66_000),
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    *warnings, last = done.stderr.splitlines()
    assert last == b"irevalx: cannot keep standard input in a temporary file: File too large"
    assert all(line.startswith(b"irevalx: ") for line in warnings)

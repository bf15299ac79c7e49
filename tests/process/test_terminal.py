"""What leaves on standard output and standard error, and what does not."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator

import pytest

from irevalx.process.terminal import write


def test_warnings_of_packages_stay_away() -> None:
    """What Python's packages warn of is not for the users of a command, unless they ask for it."""
    code = (
        "from irevalx.process.terminal import silence_warnings; silence_warnings(); import warnings; warnings.warn('x')"
    )
    for option, expected in (([], False), (["-W", "default"], True)):
        done = subprocess.run([sys.executable, *option, "-c", code], check=True, capture_output=True)
        assert (b"UserWarning" in done.stderr) == expected


def test_lines_leave_as_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output of any size needs no more room than a chunk of it."""
    stdout = io.TextIOWrapper(io.BytesIO(), "utf-8")
    monkeypatch.setattr(sys, "stdout", stdout)
    assert isinstance(stdout.buffer, io.BytesIO)
    written = []

    def lines() -> Iterator[bytes]:
        for number in range(40):
            assert isinstance(stdout.buffer, io.BytesIO)
            written.append(stdout.buffer.tell())
            yield b"%d" % (number % 10) * 100_000

    write(lines())
    assert max(100_000 * number - size for number, size in enumerate(written)) < 1_200_000
    assert stdout.buffer.getvalue() == b"".join(b"%d" % (number % 10) * 100_000 for number in range(40))

"""A file can be read again, even where it is a pipe."""

from __future__ import annotations

from example_files import EVERYTHING, EXPECTED, LINES, QRELS
from running import run_process


def test_a_pipe_with_a_topic_that_comes_back() -> None:
    """What cannot be sought is kept until it is known that it need not be read again."""
    result = run_process([*EVERYTHING, "--threads", "1", QRELS, "-"], stdin=b"\n".join([*LINES[1:], LINES[0]]))
    assert result.stdout == EXPECTED

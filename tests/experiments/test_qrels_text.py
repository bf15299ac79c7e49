"""Judgments that are written again are the lines that were read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from running import lab

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 1\n"


@pytest.mark.parametrize("times", [0, 1, 2, 3])
def test_compressed_more_than_once(times: int, tmp_path: Path) -> None:
    """What was decompressed is read as it is: what is compressed in there is no text, for the lab as for irevalx."""
    content = QRELS
    for _ in range(times):
        content = gzip.compress(content)
    (tmp_path / "qrels").write_bytes(content)
    result = lab("degrade", "qrels", "--uniform", "1", "--seed", "1", cwd=tmp_path)
    if times < 2:
        assert (result.status, result.stdout) == (0, QRELS)
    else:
        assert (result.status, result.stdout) == (2, b"")
        assert "qrels:1: the line contains a NUL byte" in result.stderr

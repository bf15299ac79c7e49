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
    found = lab("degrade", "qrels", "--uniform", "1", "--seed", "1", cwd=tmp_path)
    if times < 2:
        assert (found.status, found.stdout) == (0, QRELS)
    else:
        assert (found.status, found.stdout) == (2, b"")
        assert "qrels:1: a line must not hold a NUL byte" in found.stderr


def test_parquet_has_no_lines(tmp_path: Path) -> None:
    """Judgments in a table can be used, but not written again line by line."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"topic": ["1", "1", "2"], "docno": ["a", "b", "c"], "grade": [1, 0, 1]})
    parquet.write_table(table, tmp_path / "qrels")
    (tmp_path / "run").write_text("1 Q0 a 1 2 x\n2 Q0 c 1 2 x\n")
    found = lab("degrade", "qrels", "--uniform", "1", "--seed", "1", cwd=tmp_path)
    assert (found.status, found.stdout) == (2, b"")
    assert "judgments that are written again must be text, but got a Parquet file" in found.stderr
    assert lab("describe", "qrels", "run", cwd=tmp_path).status == 0

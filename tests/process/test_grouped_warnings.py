"""Warnings about many runs that differ only in file and numbers."""

from __future__ import annotations

import json
from pathlib import Path

from running import run


def test_warnings_about_many_runs(tmp_path: Path) -> None:
    """Up to three such warnings are shown; of more, the first with their number. JSON has all; --quiet shows none."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    paths = [tmp_path / f"run{n}" for n in range(5)]
    for n, path in enumerate(paths):
        path.write_text("1 Q0 a 1 9 r\n" + "".join(f"1 Q0 x{doc} 2 {5 - doc} r\n" for doc in range(4 + n)))
    files = (tmp_path / "qrels", *paths)
    few = run("-m", "map", *files[:4]).stderr.splitlines()
    assert sum("were judged" in line for line in few) == 3
    many = [line for line in run("-m", "map", *files).stderr.splitlines() if "were judged" in line]
    assert len(many) == 1
    assert "run0: only 20% of the documents" in many[0]
    assert many[0].endswith("(4 more runs have such a warning; --format json lists all warnings)")
    warnings = json.loads(run("-m", "map", "--format", "json", *files).stdout)["warnings"]
    assert sum("were judged" in line for line in warnings) == 5
    assert "judged" not in run("--quiet", "-m", "map", *files).stderr

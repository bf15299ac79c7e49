"""Parquet files with one or several runs."""

from __future__ import annotations

import shlex
from pathlib import Path
from random import Random

import pytest
from examples.table_data import columns, made_qrels, made_run, qrels_text, run_text
from running import succeeded

pytestmark = pytest.mark.slow

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

COMMANDS = (
    "compare -m map -m P.5 --seed 1 QRELS RUNS",
    "swap-rate -m map --sizes 2 --draws 20 --seed 1 QRELS RUNS",
    "describe QRELS RUNS",
    "describe --show groups QRELS RUNS",
    "agree -m map QRELS QRELS RUNS",
    "pool --depth 5 RUNS",
    "degrade --strata 'depth 1-5:100% 6+:50%' --seed 1 QRELS RUNS",
    "leave-out -m map QRELS RUNS",
    "study -m map --levels 50% --samples 3 --seed 1 --figures none -o OUT QRELS RUNS",
    "bounds -m rbp QRELS RUNS",
    "bounds -m rbp --next 3 QRELS RUNS",
)


@pytest.mark.parametrize("order", ["one after the other", "mixed"])
@pytest.mark.parametrize("command", COMMANDS)
def test_several_runs_in_one_file(command: str, order: str, tmp_path: Path) -> None:
    """Several runs in one table give the output of separate files."""
    runs = {name: made_run(Random(seed)) for seed, name in enumerate(("gamma", "alpha", "beta"))}
    judged = [(topic, docno, min(grade, 1)) for topic, docno, grade in made_qrels(Random(9))]
    (tmp_path / "qrels").write_bytes(qrels_text(judged))
    texts = [tmp_path / name for name in runs]
    for path, (name, retrieved) in zip(texts, runs.items(), strict=True):
        path.write_bytes(run_text(retrieved, name))
    rows = [(name, row) for name, run in runs.items() for row in run]
    if order == "mixed":
        first = [next(row for row in rows if row[0] == name) for name in runs]
        rest = [row for row in rows if row not in first]
        Random(1).shuffle(rest)
        rows = [*first, *rest]
    given = {**columns([row for _, row in rows], "score"), "run": [name for name, _ in rows]}
    parquet.write_table(pyarrow.table(given), tmp_path / "runs.parquet", row_group_size=50)

    def answer(*files: Path) -> bytes:
        folder = tmp_path / f"study of {len(files)}"
        known = {"QRELS": (tmp_path / "qrels",), "RUNS": files, "OUT": (folder,)}
        done = succeeded(
            *(argument for word in shlex.split(command) for argument in known.get(word, (word,))), cwd=tmp_path
        )
        return done.stdout.replace(bytes(folder), b"folder") + b"".join(
            path.read_bytes() for path in sorted(folder.glob("*.csv"))
        )

    assert answer(tmp_path / "runs.parquet") == answer(*texts)

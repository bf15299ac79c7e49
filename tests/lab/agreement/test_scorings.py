"""irevalx-lab agree -R sampled: stratified samples against full judgments, with measures of every kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from examples.experiment import QRELS, RUNS
from running import lab, run, succeeded

MEASURES = {
    "qrels": ("map", "infAP", "indAP"),
    "sampled": ("xinfAP", "infNDCG", "iP.10", "inum_rel"),
    "prels": ("statAP", "statP.10"),
}


def rows_of(*args: str | Path) -> dict[str, dict[str, Any]]:
    """Return the rows of agree by measure."""
    done = succeeded("agree", *args, "--format", "jsonl")
    return {row["measure"]: row for row in map(json.loads, done.stdout.splitlines())}


def scored(path: Path, rel_format: str, qrels: Path) -> Path:
    """Write the values that irevalx prints for all runs, and return their path."""
    requested = [word for measure in MEASURES[rel_format] for word in ("-m", measure)]
    path.write_bytes(run("-c", "-q", "--format", "csv", "-R", rel_format, *requested, qrels, *RUNS).stdout)
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, dict[str, Path]]:
    """Full judgments and a sample of them, in each format."""
    args: list[str | Path] = [QRELS, *RUNS, "--strata", "depth 1-5:100% 6-20:50% rest:20%", "--seed", "1", "--as"]
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    names = {side: {form: tmp_path / f"{side}.{form}" for form in MEASURES} for side in ("full", "drawn")}
    names["full"]["qrels"].write_bytes(QRELS.read_bytes())
    names["full"]["sampled"].write_text("".join(f"{t} {i} {d} 1 {g}\n" for t, i, d, g in lines))
    names["full"]["prels"].write_text("".join(f"{t} {d} {g} 1 1\n" for t, _, d, g in lines))
    for form in ("sampled", "prels"):
        names["drawn"][form].write_bytes(lab("degrade", *args, form).stdout)
    drawn = [line.split() for line in names["drawn"]["sampled"].read_text().splitlines()]
    names["drawn"]["qrels"].write_text("".join(f"{t} {i} {d} {g}\n" for t, i, d, _, g in drawn))
    return names


def test_measures_of_every_kind(files: dict[str, dict[str, Path]], tmp_path: Path) -> None:
    """Each measure is compared as in an evaluation of its own format."""
    every = " ".join(measure for of_format in MEASURES.values() for measure in of_format)
    result = rows_of("-R", "sampled", files["full"]["qrels"], files["drawn"]["sampled"], *RUNS, "-m", every)
    expected: dict[str, dict[str, Any]] = {}
    for form in MEASURES:
        sides = [scored(tmp_path / f"{side}.csv", form, files[side][form]) for side in ("full", "drawn")]
        expected |= rows_of(*sides)
    assert {name: result[name] for name in expected} == expected
    assert len(result) == len(expected)


def test_qrels_are_a_sample_of_one_stratum(files: dict[str, dict[str, Path]], tmp_path: Path) -> None:
    """Judgments in the format qrels, also incomplete ones, are a sample with a single stratum."""
    (tmp_path / "tenth").write_bytes(lab("degrade", QRELS, "--uniform", "30%", "--seed", "1").stdout)
    lines = [line.split() for line in (tmp_path / "tenth").read_text().splitlines()]
    (tmp_path / "sampled").write_text("".join(f"{t} {i} {d} only {g}\n" for t, i, d, g in lines))
    args: list[str | Path] = [*RUNS, "-m", "xinfAP statAP infAP"]
    assert rows_of("-R", "sampled", QRELS, tmp_path / "tenth", *args) == rows_of(
        "-R", "sampled", files["full"]["sampled"], tmp_path / "sampled", *args
    )


def test_estimates_against_average_precision(files: dict[str, dict[str, Path]]) -> None:
    """--against compares estimates with AP under full judgments."""
    args: list[str | Path] = [files["full"]["qrels"], files["drawn"]["sampled"], *RUNS]
    result = rows_of("-R", "sampled", *args, "-m", "map infAP xinfAP statAP", "--against", "map")
    assert list(result) == ["map", "infAP", "xinfAP", "statAP"]
    assert min(result, key=lambda name: result[name]["rms"]) in {"xinfAP", "statAP"}

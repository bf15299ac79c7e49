"""irevalx-lab study with measures of strata and of probabilities: values of the evaluator for each sample."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS
from running import lab, rows_in, run, succeeded

from irevalx.errors import UsageError
from irevalx.experiments.strata import requests_of_samples
from irevalx.settings import Settings

pytestmark = pytest.mark.slow


OF_STRATA = ("inum_rel", "inum_rel_ret", "xinfAP", "infNDCG", "infNDCG.1=1,2=3", "iiprec_at_recall.0.5", "iP.10")
OF_CHANCES = ("statAP", "statRprec", "statP.10", "statNDCG.20", "statR")
OF_GRADES = ("map", "infAP", "indAP", "ndcg")
MEASURES = " ".join(("xinfAP", "map", "statAP", *OF_STRATA[:2], *OF_STRATA[3:], *OF_CHANCES[1:], *OF_GRADES[1:]))
TEXT = "depth 1-5:100% 6-20:30% rest:10%"


def study(folder: Path, *args: str | Path) -> str:
    """Run a study without figures, and return its standard error."""
    done = succeeded("study", QRELS, *RUNS, *args, "--seed", "1", "--figures", "none", "-o", folder)
    return done.stderr


def evaluated(rel_format: str, qrels: Path, measures: tuple[str, ...]) -> dict[tuple[str, str], float]:
    """Return values of irevalx -c by run and measure."""
    requested = [word for measure in measures for word in ("-m", measure)]
    done = run("-c", "--format", "jsonl", "-R", rel_format, *requested, qrels, *RUNS)
    rows: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    return {(row["run"], row["measure"]): row["value"] for row in rows if row["topic"] == "all"}


def scores(folder: Path, level: str, sample: str) -> dict[tuple[str, str], float]:
    """Return the scores of a sample by run and measure."""
    rows = [row for row in rows_in(folder / "scores.csv") if (row["level"], row["sample"]) == (level, sample)]
    return {(row["run"], row["measure"]): float(row["score"]) for row in rows}


@pytest.mark.parametrize(("level", "text"), [("100%", TEXT), ("50%", "depth 1-5:50% 6-20:15% rest:5%")])
def test_samples_of_strata(level: str, text: str, tmp_path: Path) -> None:
    """Scores of all kinds of measures equal those of the files that degrade writes."""
    study(tmp_path, "--scheme", "strata", "--strata", TEXT, "-m", MEASURES, "--samples", "2", "--levels", level)
    for sample, seed in (("0", "1"), ("1", "2")):
        result = scores(tmp_path, level, sample)
        for form, measures in (("sampled", OF_STRATA), ("prels", OF_CHANCES)):
            path = tmp_path / form
            path.write_bytes(lab("degrade", QRELS, *RUNS, "--strata", text, "--seed", seed, "--as", form).stdout)
            for key, value in evaluated(form, path, measures).items():
                assert result[key] == value, key
        graded = [line.split() for line in (tmp_path / "sampled").read_text().splitlines()]
        (tmp_path / "qrels").write_text("".join(f"{t} {i} {d} {g}\n" for t, i, d, _, g in graded))
        for key, value in evaluated("qrels", tmp_path / "qrels", OF_GRADES).items():
            assert result[key] == value, key
    about = json.loads((tmp_path / "study.json").read_text())
    assert (about["scheme"], about["strata"]) == ("strata", TEXT)


def test_documents_without_a_stratum(tmp_path: Path) -> None:
    """Documents without a stratum are outside the pool, for graded measures too."""
    args = ("--strata", "runs 3+:100%", "-m", "map infAP xinfAP", "--samples", "1", "--levels", "1")
    study(tmp_path, "--scheme", "strata", *args)
    lines = (
        lab("degrade", QRELS, *RUNS, "--strata", "runs 3+:100%", "--seed", "1", "--quiet").stdout.decode().splitlines()
    )
    (tmp_path / "qrels").write_text("".join(" ".join(line.split()[:3]) + f" {line.split()[4]}\n" for line in lines))
    result = scores(tmp_path, "1", "0")
    for key, value in evaluated("qrels", tmp_path / "qrels", ("map", "infAP")).items():
        assert result[key] == value


def test_strata_file(tmp_path: Path) -> None:
    """--strata-file has the format of degrade."""
    path = tmp_path / "strata"
    lines = QRELS.read_text().splitlines()
    path.write_text("".join(f"{line.split()[0]} {line.split()[2]} {number % 3}\n" for number, line in enumerate(lines)))
    args = ("--strata-file", path, "--strata", "0:100% 1:50% 2:10%")
    study(tmp_path / "out", "--scheme", "strata", *args, "-m", "xinfAP", "--samples", "1", "--levels", "1")
    (tmp_path / "sampled").write_bytes(lab("degrade", QRELS, *args, "--seed", "1").stdout)
    assert scores(tmp_path / "out", "1", "0") == evaluated("sampled", tmp_path / "sampled", ("xinfAP",))


def test_full_judgments(tmp_path: Path) -> None:
    """Full judgments are one stratum sampled with certainty."""
    study(tmp_path, "--scheme", "mixed", "-m", MEASURES, "--samples", "1", "--levels", "2")
    full = {
        (r["run"], r["measure"]): float(r["score"]) for r in rows_in(tmp_path / "scores.csv") if r["scheme"] == "full"
    }
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    (tmp_path / "sampled").write_text("".join(f"{t} {i} {d} 1 {g}\n" for t, i, d, g in lines))
    (tmp_path / "prels").write_text("".join(f"{t} {d} {g} 1 1\n" for t, _, d, g in lines))
    expected = evaluated("qrels", QRELS, OF_GRADES)
    expected |= evaluated("sampled", tmp_path / "sampled", OF_STRATA) | evaluated(
        "prels", tmp_path / "prels", OF_CHANCES
    )
    assert {key: full[key] for key in expected} == expected


def test_mixed_scheme(tmp_path: Path) -> None:
    """In the scheme mixed the pool is stratum 1, kept in full, and the rest stratum 2."""
    study(tmp_path, "--scheme", "mixed", "-m", "xinfAP infNDCG map", "--samples", "1", "--levels", "3")
    pool = lab("pool", *RUNS, "--depth", "3", "--judge", QRELS, "--drop").stdout.decode().splitlines()
    mixed = lab("pool", *RUNS, "--depth", "3", "--judge", QRELS, "--mix-seed", "1").stdout.decode().splitlines()
    in_pool = {tuple(line.split()[::2]) for line in pool}
    judged = {tuple(line.split()[::2]) for line in QRELS.read_text().splitlines()}
    lines = [(t, d, g) for t, _, d, g in (line.split() for line in mixed) if (t, d) in judged]
    text = "".join(f"{t} 0 {d} {1 if (t, d) in in_pool else 2} {g}\n" for t, d, g in lines)
    (tmp_path / "sampled").write_text(text)
    result = scores(tmp_path, "3", "0")
    for key, value in evaluated("sampled", tmp_path / "sampled", ("xinfAP", "infNDCG")).items():
        assert result[key] == value


@pytest.mark.parametrize("scheme", ["uniform", "stratified", "depth"])
def test_other_schemes(scheme: str, tmp_path: Path) -> None:
    """Other schemes have one stratum; stratified by relevance is not random, and a warning says so."""
    level = "5" if scheme == "depth" else "30%"
    message = study(tmp_path, "--scheme", scheme, "-m", "xinfAP statAP", "--samples", "1", "--levels", level)
    assert ("xinfAP, statAP: --scheme stratified does not draw a random sample of the judgments" in message) == (
        scheme == "stratified"
    )
    if scheme == "depth":
        lines = lab("pool", *RUNS, "--depth", "5", "--judge", QRELS, "--drop").stdout.decode().splitlines()
    else:
        lines = lab("degrade", QRELS, f"--{scheme}", level, "--seed", "1").stdout.decode().splitlines()
    text = "".join(" ".join((*line.split()[:3], "1", line.split()[3])) + "\n" for line in lines)
    (tmp_path / "sampled").write_text(text)
    assert {key: value for key, value in scores(tmp_path, level, "0").items() if key[1] == "xinfAP"} == evaluated(
        "sampled", tmp_path / "sampled", ("xinfAP",)
    )


def test_errors_against_ap(tmp_path: Path) -> None:
    """Errors against AP are of estimates of AP only, in displayed tables and in CSV files."""
    resamples = ("--resamples", "20")
    study(
        tmp_path,
        "--scheme",
        "mixed",
        "-m",
        "map xinfAP infNDCG statAP",
        "--samples",
        "2",
        "--levels",
        "1 5",
        *resamples,
    )
    parts = (tmp_path / "summary.txt").read_text().split("\n\n")
    tables = {
        title.partition(" under")[0]: [line.split()[0] for line in table.splitlines()[2:]]
        for title, table in pairwise(parts)
    }
    for title in ("rms, against AP", "bias, against AP"):
        assert tables[title] == ["map", "xinfAP", "statAP"]
    for title in ("tau b, against AP", "rms, against the measure itself"):
        assert "infNDCG" in tables[title]
    for file, endings in (("samples", [""]), ("summary", ["_mean", "_sd", "_low", "_high"])):
        for row in rows_in(tmp_path / f"{file}.csv"):
            applies = (row["measure"], row["against"]) != ("infNDCG", "AP")
            assert {bool(row[f"{name}{ending}"]) for name in ("rms", "bias") for ending in endings} == {applies}
            assert all(row[f"tau_b{ending}"] for ending in endings)


def test_topics_without_a_value(tmp_path: Path) -> None:
    """Undefined topic values are counted and left out of means."""
    args = ("--strata", "depth rest:3%", "-m", "statAP xinfAP", "--samples", "2", "--levels", "1")
    message = study(tmp_path, "--scheme", "strata", *args)
    assert re.fullmatch(
        r"irevalx-lab: at level 1, [1-9][0-9.]* of 12 topics \(mean over samples\) have no relevant document in the sample; "
        r"most measures are 0 for such topics, so their means are too low\n"
        r"irevalx-lab: statAP: [1-9]\d* of 24 topic values are undefined or infinite, because the sample contains no relevant document; "
        r"the mean is over the other values\n",
        message,
    )
    assert np.isfinite([float(row["score"]) for row in rows_in(tmp_path / "scores.csv")]).all()


def test_intervals_without_undefined_topics(tmp_path: Path) -> None:
    """Intervals ignore undefined topic values and contain the means."""
    judged = [line.split() for line in QRELS.read_text().splitlines()]
    without = tmp_path / "qrels"  # topic 3 has nothing relevant, so that statAP has no value
    without.write_text("".join(f"{t} {i} {d} {0 if t == '3' else g}\n" for t, i, d, g in judged))
    args = ("-m", "statAP", "--samples", "1", "--seed", "1", "--resamples", "60", "--scheme", "depth", "--levels", "3")
    done = succeeded("study", without, *RUNS, *args, "--figures", "none", "-o", tmp_path / "out")
    assert "statAP: 1 of 12 topics are left out: some run has no finite value for them" in done.stderr
    for row in rows_in(tmp_path / "out" / "summary.csv"):
        ends = [float(row[f"{name}_{end}"]) for name in ("tau", "tau_b", "rms", "bias") for end in ("low", "high")]
        assert np.isfinite(ends).all()
        for name in ("rms", "bias"):
            assert float(row[f"{name}_low"]) <= float(row[f"{name}_mean"]) <= float(row[f"{name}_high"])


def test_topics_without_results(tmp_path: Path) -> None:
    """Missing topics score 0, but num_rel counts judgments."""
    short = tmp_path / "short"
    lines = RUNS[0].read_text().splitlines()
    short.write_text("".join(f"{line}\n" for line in lines if not line.startswith("3 ")).replace("count1", "short"))
    args = ("-m", "inum_rel inum_rel_ret xinfAP", "--levels", "1", "--samples", "1", "--seed", "1")
    succeeded("study", "-c", QRELS, *RUNS[1:], short, *args, "--figures", "none", "-o", tmp_path / "out")
    text = "".join(f"{t} {i} {d} 1 {g}\n" for t, i, d, g in (line.split() for line in QRELS.read_text().splitlines()))
    (tmp_path / "sampled").write_text(text)
    flags = ("-c", "-R", "sampled", "--format", "jsonl", "-m", "inum_rel", "-m", "inum_rel_ret", "-m", "xinfAP")
    printed = [json.loads(line) for line in run(*flags, tmp_path / "sampled", short).stdout.splitlines()]
    rows = {row["measure"]: row for row in rows_in(tmp_path / "out" / "scores.csv") if row["run"] == "short"}
    for row in printed:
        assert float(rows[row["measure"]]["score"]) == row["value"]


def test_long_runs(tmp_path: Path) -> None:
    """Documents below rank 1000 do not count, as in irevalx -R sampled."""
    (tmp_path / "qrels").write_text("".join(f"1 0 D{n} {int(n % 3 == 0)}\n" for n in range(1500)))
    for name, sign in (("a", -1), ("b", 1)):
        lines = [f"1 Q0 D{n} 1 {sign * n} {name}\n" for n in range(1500)]
        (tmp_path / name).write_text("".join(lines))
    runs = [tmp_path / "a", tmp_path / "b"]
    args = ("--scheme", "uniform", "-m", "infNDCG inum_rel_ret", "--levels", "1", "--samples", "1", "--seed", "1")
    succeeded("study", tmp_path / "qrels", *runs, *args, "--figures", "none", "-o", tmp_path / "out")
    (tmp_path / "sampled").write_text("".join(f"1 0 D{n} 1 {int(n % 3 == 0)}\n" for n in range(1500)))
    for row in rows_in(tmp_path / "out" / "scores.csv"):
        flags = ("-R", "sampled", "--format", "jsonl", "-m", row["measure"])
        printed = json.loads(run(*flags, tmp_path / "sampled", tmp_path / row["run"]).stdout)
        assert float(row["score"]) == printed["value"]


def test_order_of_measures() -> None:
    """Measures keep their order, whatever judgments they require."""
    requests = requests_of_samples(("statAP", "xinfAP", "map", "iP.5,10"), Settings())
    assert [name for request in requests for name in request.names] == ["statAP", "xinfAP", "map", "iP_5", "iP_10"]
    with pytest.raises(UsageError, match="is requested twice"):
        requests_of_samples(("iP.5", "iP.5,10"), Settings())


OF_ROBUST = """
    1  0.0095 | 0.5556 0.1959 +0.1923 | 0.6465 0.3336 +0.3323 | 0.6667 0.2439 +0.2427
    2  0.0173 | 0.6465 0.1877 +0.1853 | 0.7172 0.3001 +0.2991 | 0.7980 0.1738 +0.1731
    5  0.0377 | 0.7576 0.1544 +0.1526 | 0.7980 0.2315 +0.2305 | 0.9091 0.0917 +0.0911
    10 0.0693 | 0.8687 0.1221 +0.1209 | 0.8182 0.1750 +0.1739 | 0.9495 0.0430 +0.0426
    20 0.1246 | 0.9394 0.0885 +0.0876 | 0.8889 0.1207 +0.1192 | 0.9899 0.0167 +0.0164
"""
"""Depth and share judged; tau-b, RMS error and bias of map, infAP and xinfAP against AP: from literal formulas."""


def test_robust03(robust03: Path, tmp_path: Path) -> None:
    """Means of three mixed samples equal those of literal formulas."""
    args = ("-m", "map infAP xinfAP", "--levels", "1,2,5,10,20", "--samples", "3", "--seed", "1", "--figures", "none")
    runs = sorted((robust03 / "runs").iterdir())
    succeeded("study", robust03 / "qrels.gz", *runs, "--scheme", "mixed", *args, "--quiet", "-o", tmp_path)
    rows = {(row["level"], row["measure"]): row for row in rows_in(tmp_path / "summary.csv") if row["against"] == "AP"}
    for line in OF_ROBUST.strip().splitlines():
        (depth, judged), *blocks = (block.split() for block in line.split("|"))
        for measure, numbers in zip(("map", "infAP", "xinfAP"), blocks, strict=True):
            row = rows[depth, measure]
            assert f"{float(row['judged']):.4f}" == judged
            results = [float(row[f"{name}_mean"]) for name in ("tau_b", "rms", "bias")]
            assert [f"{results[0]:.4f}", f"{results[1]:.4f}", f"{results[2]:+.4f}"] == numbers

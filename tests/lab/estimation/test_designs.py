"""irevalx-lab estimate --design: sampling designs of documents for human assessors."""

from __future__ import annotations

import re
from collections import defaultdict
from math import log2, sqrt
from pathlib import Path
from typing import Any

import pytest
from examples.experiment import EXPERIMENT, MACHINE, QRELS
from references.ranked_files import ranked
from running import lab, run

import irevalx
from irevalx.errors import IrevalxError
from irevalx.lab import estimate
from irevalx.lab.estimation.sampling_design import LabellingDesign

pytestmark = pytest.mark.slow

RUNS = [EXPERIMENT / "runs" / name for name in ("count2", "vector1")]


def designed(folder: Path, n: int, *more: str | Path) -> tuple[str, Path, Path]:
    """Return the rates of the strata, the strata file, and the pool of the documents drawn with seed 1."""
    strata, pool = folder / "strata", folder / "pool"
    common: list[str | Path] = ["--machine", MACHINE, *RUNS, "--seed", "1", "-o", strata, "--pool-out", pool]
    result = lab("estimate", "--design", str(n), *common, *more)
    assert (result.status, result.stdout) == (0, b""), result.stderr
    [actual] = re.findall(r"^irevalx-lab: --strata '(.+)'$", result.stderr, re.MULTILINE)
    return actual, strata, pool


@pytest.mark.parametrize("n", [30, 60, 150])
def test_round_trip(tmp_path: Path, n: int) -> None:
    """Degrade draws the documents of the pool from the strata, and estimate reads its output."""
    rates, strata, pool = designed(tmp_path, n, "-m", "dcg")
    result = lab(
        "degrade", MACHINE, "--strata", rates, "--strata-file", strata, "--seed", "1", "--as", "prels", "--drop"
    )
    drawn = [tuple(line.split()[:2]) for line in result.stdout.decode().splitlines()]
    pooled = [tuple(line.split()) for line in pool.read_text().splitlines()]
    assert sorted(drawn) == sorted(pooled)
    assert n - 2 <= len(drawn) <= n
    sample = tmp_path / "sample"
    people = ("degrade", QRELS, "--strata", rates, "--strata-file", strata, "--seed", "1", "-o", sample)
    assert lab(*people).status == 0
    given: list[str | Path] = ["-R", "sampled", "--human", sample, "--machine", MACHINE, *RUNS, "-m", "dcg"]
    estimated = lab("estimate", *given, "--format", "csv")
    assert {row["documents"] for row in estimated.rows} == {str(len(drawn))}
    assert run("--pool", pool, "-m", "P.10", QRELS, RUNS[0]).status == 0


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_file_of_rates(tmp_path: Path) -> None:
    """Degrade draws the documents of the pool with the rates that a design writes to a file."""
    strata, pool, rates = (tmp_path / name for name in ("strata", "pool", "rates"))
    words: list[str | Path] = ["--machine", MACHINE, *RUNS, "-m", "P.10", "--design", "60", "--seed", "1", "-o", strata]
    result = lab("estimate", *words, "--pool-out", pool, "--rates", rates)
    assert (result.status, result.stderr) == (0, "")
    drawing: list[str | Path] = ["degrade", MACHINE, "--strata-file", strata, "--seed", "1", "--as", "prels", "--drop"]
    drawn = lab(*drawing, "--rates", rates)
    lines = {tuple(line.split()[:2]) for line in drawn.stdout.decode().splitlines()}
    assert lines == {tuple(line.split()) for line in pool.read_text().splitlines()}
    in_one_text = " ".join(":".join(line.split()) for line in rates.read_text().splitlines())
    assert lab(*drawing, "--strata", in_one_text) == drawn
    options: dict[str, Any] = {"strata_file": strata, "sample_format": "prels", "drop": True, "seed": 1}
    assert irevalx.lab.degrade(MACHINE, rates=rates, **options).text == drawn.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 10%\n\nb\n", "rates:3: expected 2 columns, a stratum and a rate"),
        ("a 10%\nb 2\n", "rates:2: expected 2 columns, a stratum and a rate"),
        ("a 10%\na 20%\n", "rates:2: duplicate stratum 'a'"),
        ("\n", "rates: a file of rates must contain a stratum, but it contains none"),
    ],
)
def test_malformed_rates(text: str, message: str, tmp_path: Path) -> None:
    """Malformed rates are refused with file and line."""
    (tmp_path / "rates").write_text(text)
    (tmp_path / "strata").write_text("1 D001 a\n")
    result = lab("degrade", MACHINE, "--strata-file", tmp_path / "strata", "--rates", tmp_path / "rates")
    assert result.status == 2
    assert message in result.stderr


def test_strata_without_a_rate(tmp_path: Path) -> None:
    """A byte-order mark is not part of a name, and a warning names strata whose documents are left out."""
    for name, text in (("qrels", "1 0 a 1\n1 0 b 1\n"), ("strata", "1 a s\n1 b t\n"), ("rates", "\ufeffs 100%\n")):
        (tmp_path / name).write_text(text)
    words: list[str | Path] = [tmp_path / "qrels", "--strata-file", tmp_path / "strata", "--rates", tmp_path / "rates"]
    result = lab("degrade", *words, "--seed", "1", "--as", "prels", "--drop")
    assert result.stdout == b"1 a 1 1 1.0\n"
    assert f"{tmp_path / 'strata'}: stratum 't' has no rate; its 1 documents are left out" in result.stderr


@pytest.mark.parametrize("form", ["sampled", "prels"])
def test_samples_without_judgments(form: str) -> None:
    """An empty sample is refused as such."""
    with pytest.raises(IrevalxError, match="contains no judgments"):
        estimate(irevalx.Qrels.read({}, rel_format=form), MACHINE, RUNS, "P.10")


def test_allocation(tmp_path: Path) -> None:
    """Rates are proportional to the root mean square of weights, up to rounding."""
    rates, strata, _ = designed(tmp_path, 150, "-m", "dcg")
    squares: dict[tuple[str, str], float] = defaultdict(float)
    best: dict[tuple[str, str], int] = {}
    for path in RUNS:
        for topic, docnos in ranked(path).items():
            for rank, docno in enumerate(docnos, start=1):
                squares[topic, docno] += (1 / log2(rank + 1)) ** 2
                best[topic, docno] = min(rank, best.get((topic, docno), rank))
    labels = {(topic, docno): grade for topic, _, docno, grade in map(str.split, MACHINE.read_text().splitlines())}
    members: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in strata.read_text().splitlines():
        topic, docno, name = line.split()
        members[name].append((topic, docno))
    assert sum(map(len, members.values())) == sum(document in labels for document in squares)
    relative = {}
    for part in rates.split():
        name, _, rate = part.partition(":")
        result = re.fullmatch(r"grade(\d+)-rank(\d+)-(\d+)", name)
        assert result
        assert {labels[member] for member in members[name]} == {result[1]}
        assert all(int(result[2]) <= best[member] <= int(result[3]) for member in members[name])
        spread = sqrt(sum(squares[member] for member in members[name]) / len(members[name]))
        relative[name] = float(rate.rstrip("%")) / spread
    median = sorted(relative.values())[len(relative) // 2]
    assert all(rate >= median * 0.8 for rate in relative.values())
    assert sum(rate < median * 1.2 for rate in relative.values()) >= len(relative) / 2


def test_known_human_judgments(tmp_path: Path) -> None:
    """Documents with human judgments are in no stratum; grades without machine errors are sampled less."""
    partial = tmp_path / "some"
    lines = [line for line in QRELS.read_text().splitlines(keepends=True) if int(line.split()[0]) <= 6]
    machine = {tuple(line.split()[0:3:2]): line.split()[3] for line in MACHINE.read_text().splitlines()}
    certain = [
        line.rsplit(maxsplit=1)[0] + " 0\n" for line in lines if machine[line.split()[0], line.split()[2]] == "0"
    ]
    wrong = [line.rsplit(maxsplit=1)[0] + " 0\n" for line in lines if machine[line.split()[0], line.split()[2]] == "1"]
    partial.write_text("".join(certain + wrong))
    without, with_some = (estimate(human, MACHINE, RUNS, "P.10", design=36, seed=1) for human in (None, partial))
    assert {line.split()[0] for line in with_some.text.decode().splitlines()} == {str(n) for n in range(7, 13)}

    def ratio(result: LabellingDesign) -> float:
        drawn = [sum(row.drawn / row.documents for row in result.rows if row.grade == grade) for grade in (0, 1)]
        return drawn[1] / drawn[0]

    assert ratio(with_some) > 1.5 * ratio(without)


def test_few_and_many_documents(tmp_path: Path) -> None:
    """Small designs merge bands, too small ones are refused, and too large ones draw everything."""
    bands = [len(estimate(None, MACHINE, RUNS, "dcg", design=n, seed=1).rows) for n in (24, 60, 150)]
    assert bands == sorted(bands)
    assert bands[0] == 2 < bands[2]
    result = lab("estimate", "--design", "5", "--machine", MACHINE, *RUNS, "-m", "dcg")
    assert "--design 5: must be at least 24, one document of each topic and grade" in result.stderr
    with pytest.warns(UserWarning, match="a design of 9000 documents contains all"):
        everything = estimate(None, MACHINE, RUNS, "dcg", design=9000, seed=1)
    assert all((row.rate, row.drawn) == (1, row.documents) for row in everything.rows)
    assert everything.strata.count(":100.0000%") == len(everything.rows)


def test_design_in_python() -> None:
    """Evaluate accepts the pool, and the same seed draws the same documents."""
    result = estimate(None, MACHINE, RUNS, "P.10", design=80, seed=4)
    assert result.pool.text == estimate(None, MACHINE, RUNS, "P.10", design=80, seed=4).pool.text
    assert list(result.to_frame()["last_rank"]) == [5, 10, 5, 10]
    with pytest.warns(UserWarning, match="the design: topic '1': judged document .* is missing from the pool"):
        irevalx.evaluate(QRELS, RUNS[0], "P.10", pool=result.pool)
    assert result.seed == 4


def test_human_judgments_are_required() -> None:
    """Without a design, human judgments are required."""
    with pytest.raises(IrevalxError, match=r"^missing argument human or design$"):
        estimate(None, MACHINE, RUNS, "P.10")  # type: ignore[call-overload]

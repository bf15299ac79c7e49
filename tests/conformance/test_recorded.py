"""Whole outputs of trec_eval on data made for the project, on real runs, and where the order of addition shows."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from running import FIXTURES, SHARED, run

from irevalx.evaluation.evaluate import evaluate
from irevalx.measures.select import select_measures
from irevalx.reading.formats import read_qrels, read_trec_results
from irevalx.reading.source import Source
from irevalx.settings import Settings
from irevalx.trec_eval.versions import TREC_EVAL_10

EXAMPLE = FIXTURES / "example"
SUMMATION = FIXTURES / "summation"
ROBUST = SHARED / "robust03"

BOTH = pytest.mark.parametrize("compat", ["9", "10"])


@BOTH
@pytest.mark.parametrize("name", ["bm25", "dense"])
def test_example(name: str, compat: str) -> None:
    """The example in the README prints what trec_eval prints."""
    official = run("--compat", compat, EXAMPLE / "qrels", EXAMPLE / f"{name}.run")
    assert official.stdout == (EXAMPLE / f"{name}.official.v{compat}").read_bytes()
    everything = run("--compat", compat, "-q", "-c", "-m", "all_trec", EXAMPLE / "qrels", EXAMPLE / f"{name}.run")
    assert everything.stdout == (EXAMPLE / f"{name}.q_c_all_trec.v{compat}").read_bytes()


SUMMATION_MEASURES = ("P.20", "map", "recall.5")


@BOTH
def test_sums_run_from_left_to_right(compat: str) -> None:
    """Means over a thousand topics are rounded as trec_eval rounds them."""
    flags = [word for name in SUMMATION_MEASURES for word in ("-m", name)]
    result = run("--compat", compat, *flags, SUMMATION / "qrels.gz", SUMMATION / "run.gz")
    assert result.stdout == (SUMMATION / f"expected.v{compat}").read_bytes()


def test_the_order_of_addition_shows() -> None:
    """The case above is one where numpy's pairwise mean would print other digits, for each of its measures."""
    judgments = read_qrels(Source(str(SUMMATION / "qrels.gz")), TREC_EVAL_10, True, pytest.fail)
    results = read_trec_results(Source(str(SUMMATION / "run.gz")), TREC_EVAL_10, True, pytest.fail)
    selection = select_measures(SUMMATION_MEASURES, Settings())
    evaluation = evaluate(judgments, results, selection, Settings())
    assert len(evaluation.topics) == 1000
    expected = [line.split()[2] for line in (SUMMATION / "expected.v10").read_text().splitlines()]
    for column, printed in zip(evaluation.columns, expected, strict=True):
        assert f"{np.mean(np.asarray(column.values)):.4f}" != printed, column.name


def robust_outputs() -> list[Path]:
    """The recorded outputs for real runs, where they are at hand."""
    return sorted((ROBUST / "expected").glob("*.gz"))


@pytest.mark.skipif(not ROBUST.exists(), reason="needs the real runs, which are not part of the project")
@pytest.mark.parametrize("expected", robust_outputs(), ids=lambda path: path.name)
def test_real_runs(expected: Path) -> None:
    """Real runs of the TREC 2003 Robust track print what trec_eval prints."""
    name, what, version = expected.name.removesuffix(".gz").split(".", 2)
    flags = {"all_trec": ["-q"], "JlM": ["-q", "-J", "-l2", "-M100"]}[what]
    compat = {"v9.0.8": "9", "v10.0": "10"}[version]
    result = run("--compat", compat, *flags, "-m", "all_trec", ROBUST / "qrels.gz", ROBUST / "runs" / f"{name}.gz")
    assert result.stdout == gzip.decompress(expected.read_bytes())


@pytest.mark.skipif(not ROBUST.exists(), reason="needs the real runs, which are not part of the project")
def test_real_runs_are_all_there() -> None:
    """Two versions of twelve runs, and one with more flags."""
    assert len(robust_outputs()) == 26

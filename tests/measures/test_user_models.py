"""compatibility and INST against the programs of their authors, and ir_measures."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from references.judges import judge
from running import FIXTURES, run

import irevalx

EXAMPLE = FIXTURES / "example" / "qrels", FIXTURES / "example" / "bm25.run"
Grades = dict[str, dict[str, int]]
Results = dict[str, dict[str, float]]


def data(seed: int, n_ret: int) -> tuple[Grades, Results]:
    """Return topics of which every one has a document of the highest grade, 3, and runs of n_ret documents."""
    chance = random.Random(seed)
    documents = [f"d{number}" for number in range(n_ret + 50)]
    qrels = {
        topic: {"best": 3, **{docno: chance.randint(-1, 3) for docno in chance.sample(documents, 40)}}
        for topic in "abcdef"
    }
    retrieved = {topic: chance.sample(documents[: n_ret + 10], n_ret) for topic in qrels}
    scores = {
        topic: {docno: -float(rank) for rank, docno in enumerate(ranking)} for topic, ranking in retrieved.items()
    }
    return qrels, scores


def value(measure: str, qrels: Grades, run: Results) -> float:
    """Return the mean that irevalx gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irevalx.IrevalxWarning)
        return float(irevalx.evaluate(qrels, run, measure)[measure])


@pytest.mark.judges
@pytest.mark.parametrize("p", [0.5, 0.8, 0.95, 0.99])
def test_compatibility_of_ir_measures(p: float) -> None:
    """ir_measures compares as many ranks as the longer list has: the same for lists of 1000."""
    program = judge("ir_measures")
    measure = program.parse_measure(f"Compat(p={p})")
    qrels, run = data(1, 1000)
    expected = program.calc_aggregate([measure], qrels, run)[measure]
    assert value(f"compatibility.p={p}", qrels, run) == pytest.approx(expected, rel=1e-12)


@pytest.mark.judges
@pytest.mark.parametrize("goal", [1.0, 2.0, 3.5])
def test_inst_of_ir_measures(goal: float) -> None:
    """ir_measures calls cwl_eval, which divides by the sum of the weights of 1000 ranks rather than of all ranks.

    The weight of rank i is about proportional to 1/(i + 2T)^2. The ranks after 1000 thus have a share of at most
    (2T + 1/2)/1000 of the weights, by which the value of each topic of cwl_eval is higher.
    """
    program = judge("ir_measures")
    judge("cwl")
    measure = program.parse_measure(f"INST(T={goal},max_rel=3)")
    qrels, run = data(2, 30)
    expected = {each.query_id: each.value for each in program.iter_calc([measure], qrels, run)}
    share = (2 * goal + 0.5) / 1000
    for topic, of_topic in expected.items():
        for request in (f"INST.T={goal}", f"INST.T={goal},max=3"):
            actual = value(request, {topic: qrels[topic]}, {topic: run[topic]})
            assert (1 - share) * of_topic < actual < of_topic


@pytest.mark.parametrize(
    ("measure", "mean", "tolerance"),
    [
        ("compatibility", 0.6102122578653355, 1e-12),
        ("compatibility.p=0.8", 0.4650651981852769, 1e-12),
        ("INST.T=1", (0.7182207986957886 + 0.33529005910649295 + 0.648484834735922 + 0.24120894165966475) / 4, 5e-4),
        ("INST.T=3", (0.3661742693186806 + 0.2510634698299145 + 0.5484507789877828 + 0.3422737081480355) / 4, 5e-4),
    ],
)
@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_recorded_values_of_the_authors(measure: str, mean: float, tolerance: float) -> None:
    """What compatibility.py (claclark/Compatibility) and inst_eval.py (ielab/inst_eval) give for the example.

    Negative judgments were removed for inst_eval, which takes them for negative gains. The topics have a grade of 2.
    """
    assert irevalx.evaluate(*EXAMPLE, measure)[measure] == pytest.approx(mean, rel=tolerance)


@pytest.mark.skipif("COMPATIBILITY" not in os.environ, reason="COMPATIBILITY names no compatibility.py")
@pytest.mark.parametrize("seed", range(5))
def test_the_authors_program(seed: int, tmp_path: Path) -> None:
    """compatibility.py gives the same mean; it leaves out topics without positive grades, as irevalx does."""
    qrels, run = data(seed, 60)
    qrels["f"] = dict.fromkeys(qrels["f"], 0)
    judged = [f"{topic} 0 {docno} {grade}\n" for topic, grades in qrels.items() for docno, grade in grades.items()]
    ranked = [f"{topic} Q0 {docno} 1 {score} tag\n" for topic, scores in run.items() for docno, score in scores.items()]
    (tmp_path / "qrels").write_text("".join(judged))
    (tmp_path / "run").write_text("".join(ranked))
    command = [sys.executable, os.environ["COMPATIBILITY"], str(tmp_path / "qrels"), str(tmp_path / "run")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    *_, mean = printed.split()[-1].split(",")
    assert value("compatibility", qrels, run) == pytest.approx(float(mean), rel=1e-12)


@pytest.mark.parametrize("measure", ["rbp", "rbp_resid"])
def test_a_persistence_that_is_no_probability(measure: str) -> None:
    """A p outside of 0 to 1 has the value of trec_eval, and a line that says that it has no meaning."""
    message = f"irevalx: {measure}: p=1e+300 is not between 0 and 1, so the values have no meaning, as in trec_eval"
    assert message in run("-m", f"{measure}.p=1e300", *EXAMPLE).stderr.splitlines()
    for p in ("0", "0.5", "1"):
        assert "no meaning" not in run("-m", f"{measure}.p={p}", *EXAMPLE).stderr
    assert "no meaning" not in run("-m", "ndcg.p=3,1=2", *EXAMPLE).stderr

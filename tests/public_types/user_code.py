"""What a user's program does with the public interface: mypy --strict checks it, and a test runs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
from typing_extensions import assert_type

import irevalx
import irevalx as pytrec_eval
import irevalx.lab
from irevalx import IrevalxError, IrevalxWarning, Qrels, RelevanceEvaluator, Run, Scores, evaluate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GRADES = {"301": {"A": 1, "B": 0}, "302": {"C": 2, "D": 0}}
RETRIEVED = {"301": {"A": 2.0, "B": 1.0}, "302": {"D": 2.0, "C": 1.0}}


def evaluate_dictionaries() -> None:
    """Judgments and runs as dictionaries, and what comes back."""
    scores = evaluate(GRADES, {"first": RETRIEVED, "second": RETRIEVED}, ["map", "P.5"], level=1, complete=True)
    assert_type(scores, Scores)
    assert_type(scores.runs, list[str])
    relevant = {"301": {"A"}, "302": {"C"}}
    hits = {"301": [{"corpus_id": "A", "score": 2.0}], "302": [{"corpus_id": "C"}]}
    assert_type(evaluate(relevant, [{"301": [("A", 2.0)]}, hits], "P.5").runs, list[str])
    assert_type(scores.measures, list[str])
    assert_type(scores.topics("first"), list[str])
    assert_type(scores.summary("map", "first"), float)
    assert_type(scores.per_topic("map", "first"), npt.NDArray[np.float64])
    assert_type(scores.to_dict(), dict[str, dict[str, dict[str, float | str]]])


def results_of_the_lab() -> list[str]:
    """Rows are named tuples of one type; only results that can be drawn have a figure."""
    lab = irevalx.lab
    qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(10)}
    runs = {
        "bm25": {topic: {"A": 2.0, "B": 1.0} for topic in qrels},
        "dense": {topic: {"A": 2.0, "C": 1.0} for topic in qrels},
    }
    pairs = lab.compare(qrels, runs, "P.2", correction="none")
    assert_type(pairs.rows[0].p, float)
    assert_type(pairs.to_frame(), pd.DataFrame)
    assert_type(pairs.to_polars(), pl.DataFrame)
    assert_type(lab.compare(qrels, runs, "P.2").runs[0].best, bool)
    assert_type(lab.compare_topics(qrels, runs, "P.2").rows[0].topic, str)
    assert_type(lab.discriminative_power(qrels, runs, "P.2").rows[0].power, float)
    gate = lab.gate(qrels, runs, "P.2", margin=0.1, baseline="bm25")
    assert_type(gate.rows[0].verdict, str)
    groups = lab.compare(qrels, runs, "P.2", topic_groups={topic: str(int(topic) % 2) for topic in qrels}, seed=1)
    assert_type(groups.rows[0].group, str)
    assert_type(groups.interactions[0].differ, bool)
    assert_type(lab.power(qrels, runs, "P.2").rows[0].topics, int | None)
    assert_type(lab.describe(qrels, runs).rows[0].judged, int)
    assert_type(lab.leave_out(qrels, runs, "P.2", group_by=".*").rows[0].significant, bool)
    assert_type(lab.next(runs, seed=1).rows[0].docno, str)
    assert_type(lab.pool_sizes(runs, [1, 2]).rows[0].per_topic, float)
    study = lab.study(qrels, runs, "P.2", levels=["50%"], samples=1, seed=1)
    assert_type(study.rows[0].knee, str | None)
    if TYPE_CHECKING:
        gate.figure()  # type: ignore[attr-defined]
        lab.pool_sizes(runs).figure()  # type: ignore[attr-defined]
        lab.compare(qrels, runs, alfa=0.1)  # type: ignore[call-arg]
        assert_type(pairs.figure(), Figure)
        assert_type(study.figure("mean-scores"), Figure)
    drawn = {"pairs": pairs, "gate": gate, "study": study}
    return [name for name, result in drawn.items() if hasattr(result, "figure")]


def declare_a_measure() -> float:
    """A measure of one's own, asked for by itself and at a cutoff; intervals and groups of topics."""

    @irevalx.measure("share_found", cutoffs=[5], value_range=(0, 1))
    def share_found(t: irevalx.Topics, k: int) -> npt.NDArray[np.float64]:
        return t.hits_within(k) / t.n_rel

    assert_type(share_found @ 10, str)
    scores = evaluate(GRADES, RETRIEVED, ["map", share_found, share_found @ 10])
    assert_type(scores.interval("map"), tuple[float, float])
    assert_type(scores.by_group({"301": "a", "302": ["a", "b"]}), dict[str, Scores])
    return scores["share_found_10"]


def evaluate_many(folder: Path) -> list[str]:
    """Several runs: a sorted list of files, by name, or columns of different types."""
    qrels = folder / "qrels"
    scores = evaluate(qrels, sorted(folder.glob("run*")), "map")
    evaluate(qrels, {"a": folder / "run", "b": str(folder / "run")}, "map")
    evaluate(qrels, {"topic": ["301"], "docno": ["A"], "score": [1.0]}, "map")
    evaluate(qrels, pd.DataFrame({"topic": ["301"], "docno": ["A"], "score": [1.0]}), "map")
    assert_type(scores.to_frame(), pd.DataFrame)
    if TYPE_CHECKING:
        evaluate(qrels, 5, "map")  # type: ignore[arg-type]
        evaluate(qrels, [1.5], "map")  # type: ignore[list-item]
        evaluate({"301": 1.5}, None, "map")  # type: ignore[arg-type]
    return scores.runs


def evaluate_files(folder: Path) -> float:
    """Files by name, read once and evaluated several times."""
    qrels = Qrels.read(folder / "qrels", rel_format="qrels")
    run = Run.read(str(folder / "run"), name="mine")
    assert_type(qrels.topics, list[str])
    assert_type(run.name, str | None)
    return evaluate(qrels, [run], "map", compat="9", threads=1)["map"]


def evaluate_as_pytrec_eval() -> None:
    """pytrec_eval's names."""
    evaluator = RelevanceEvaluator(GRADES, {"map", "ndcg_cut.5"}, relevance_level=1)
    by_topic = evaluator.evaluate(RETRIEVED)
    assert_type(by_topic, dict[str, dict[str, float]])
    mean = pytrec_eval.compute_aggregated_measure("map", [values["map"] for values in by_topic.values()])
    assert_type(mean, float)
    assert_type(pytrec_eval.parse_qrel(["301 0 A 1\n"]), dict[str, dict[str, int]])
    assert_type(pytrec_eval.parse_run(["301 Q0 A 1 2.0 tag\n"]), dict[str, dict[str, float]])
    names: Any = pytrec_eval.supported_measures
    assert "map" in names


def catch_errors() -> str:
    """Errors and warnings have classes of their own."""
    assert issubclass(IrevalxWarning, UserWarning)
    try:
        evaluate(GRADES, RETRIEVED, "no such measure")
    except IrevalxError as error:
        assert_type(error.exit_status, int)
        return str(error)
    return irevalx.__version__

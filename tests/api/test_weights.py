"""Custom measures with a number for each document (needs="weight"), compared with loops over documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from running import run as command

import irevalx
from irevalx.errors import ArgumentError, EvaluationError, IrevalxError, UsageError
from irevalx.measures.declaration import ADDED

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")

Weighted = dict[str, dict[str, tuple[int, float]]]


def ips(t: irevalx.Topics, k: int) -> Any:
    """Precision at K, weighted by inverse propensities."""
    counts = t.relevant & (t.rank <= k)
    return t.rows.sum(np.where(counts, 1 / np.where(counts, t.weight, 1.0), 0.0)) / k


def cost(t: irevalx.Topics) -> Any:
    """Share of the price of all judged documents that was retrieved."""
    pool = np.where(t.pool_grade >= 0, t.pool_weight, 0.0)
    return t.rows.sum(np.where(t.judged, t.weight, 0.0)) / t.pool.sum(pool)


@pytest.fixture
def measures() -> Iterator[list[Any]]:
    """Declare both measures for one test."""
    yield [irevalx.measure("ips", cutoffs=[5], needs="weight")(ips), irevalx.measure("cost", needs="weight")(cost)]
    for name in ("ips", "cost"):
        del ADDED[name]


def collection() -> tuple[Weighted, dict[str, dict[str, dict[str, float]]]]:
    """Return weighted judgments, some of them missing (-1), and runs."""
    random = Random(3)
    documents = [f"d{n}" for n in range(20)]
    qrels = {
        topic: {docno: (random.choice([-1, 0, 1, 2]), random.randint(1, 20) / 20) for docno in documents[:14]}
        for topic in "abcde"
    }
    runs = {
        name: {topic: {docno: random.random() for docno in random.sample(documents, 12)} for topic in "abcdef"}
        for name in ("x", "y")
    }
    return qrels, runs


def expected(of_topic: dict[str, tuple[int, float]], scores: dict[str, float], *, skip: bool) -> tuple[float, float]:
    """Compute both measures document by document."""
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    ranked = [docno for docno in ranked if not skip or of_topic.get(docno, (-1, 0))[0] >= 0]
    first = [of_topic[docno] for docno in ranked[:5] if docno in of_topic]
    judged = sum(weight for grade, weight in of_topic.values() if grade >= 0)
    retrieved = [of_topic[docno] for docno in ranked if docno in of_topic]
    return (
        sum(1 / weight for grade, weight in first if grade >= 1) / 5,
        sum(weight for grade, weight in retrieved if grade >= 0) / judged,
    )


def written(path: Path, qrels: Weighted) -> Path:
    """Write judgments topic by topic in reverse order."""
    lines = [f"{t} 0 {d} {grade} {weight}\n" for t in reversed(qrels) for d, (grade, weight) in qrels[t].items()]
    path.write_text("".join(lines))
    return path


def test_values(measures: list[Any], tmp_path: Path) -> None:
    """Values equal the loop, from dictionaries and files, for one run and several, with both treatments."""
    qrels, runs = collection()
    path = written(tmp_path / "qrels", qrels)
    for judged in (qrels, path):
        for given in (runs, {"x": runs["x"]}):
            requests = ["ips_5", "cost", "ips_5:skip", "cost:skip"]
            scores = irevalx.evaluate(judged, given, ["ips", "cost", "ips:skip", "cost:skip"], rel_format="weighted")
            for run in given:
                values = [
                    scores.per_topic(name, run) if len(given) > 1 else scores.per_topic(name) for name in requests
                ]
                for place, topic in enumerate("abcde"):
                    for number, skip in enumerate((False, True)):
                        both = [of_measure[place] for of_measure in values[2 * number : 2 * number + 2]]
                        assert both == pytest.approx(expected(qrels[topic], runs[run][topic], skip=skip))
    plain = {topic: {docno: grade for docno, (grade, _) in of.items()} for topic, of in qrels.items()}
    graded = irevalx.evaluate(plain, runs, ["map", "ndcg"])
    weighted = irevalx.evaluate(path, runs, ["map", "ndcg"], rel_format="weighted")
    assert weighted.to_dict() == graded.to_dict()


def test_compare(measures: list[Any], tmp_path: Path) -> None:
    """Compare evaluates such measures like evaluate."""
    qrels, runs = collection()
    scores = irevalx.evaluate(qrels, runs, measures, rel_format="weighted")
    path = written(tmp_path / "qrels", qrels)
    for row in irevalx.lab.compare(path, runs, "ips cost", rel_format="weighted").rows:
        assert row.difference == pytest.approx(scores[row.measure, "x"] - scores[row.measure, "y"])


def test_refusals(measures: list[Any], tmp_path: Path) -> None:
    """Judgments without weights, malformed weights and other treatments are refused."""
    qrels, runs = collection()
    plain = {"a": {"d1": 1}}
    with pytest.raises(EvaluationError, match="'ips' requires a weight for each document of the judgments"):
        irevalx.evaluate(plain, runs, measures[0])
    with pytest.raises(UsageError, match="rel"):
        irevalx.evaluate(qrels, runs, "ips:rel", rel_format="weighted")
    with pytest.raises(ArgumentError, match="needs must be 'weight' or None, not 'length'"):
        irevalx.measure("other", needs="length")  # type: ignore[arg-type]
    (tmp_path / "qrels").write_text("a 0 d1 1 0.5\na 0 d2 1 heavy\n")
    with pytest.raises(IrevalxError, match=r"qrels:2: .*heavy"):
        irevalx.evaluate(tmp_path / "qrels", runs, "map", rel_format="weighted")
    (tmp_path / "run").write_text("a Q0 d1 1 2.0 x\n")
    assert command("-R", "weighted", "-m", "P.1", tmp_path / "qrels", tmp_path / "run").status == 2

"""Several orders of tied documents side by side, against loops over all orders."""

from __future__ import annotations

import json
import math
import random
from itertools import permutations, product
from pathlib import Path

import pytest
from running import FIXTURES, run

import irevalx

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")

ORDERS = "expected,best,worst"
Judged = dict[str, dict[str, int]]
Scored = dict[str, dict[str, float]]


def data(seed: int) -> tuple[Judged, Scored]:
    """Return four topics of up to six documents, most of them tied."""
    chance = random.Random(seed)
    qrels: Judged = {}
    scores: Scored = {}
    for topic in "1234":
        documents = [f"d{number}" for number in range(chance.randint(2, 6))]
        qrels[topic] = {docno: chance.choice([0, 0, 1]) for docno in documents} | {"elsewhere": 1}
        scores[topic] = {docno: float(chance.choice([1, 2])) for docno in documents}
    return qrels, scores


def of_orders(judged: dict[str, int], scores: dict[str, float]) -> list[float]:
    """Return average precision in each order of tied documents."""
    groups = [[docno for docno in scores if scores[docno] == score] for score in sorted(set(scores.values()))[::-1]]
    values = []
    for orders in product(*map(permutations, groups)):
        hits, total = 0, 0.0
        for rank, docno in enumerate([docno for order in orders for docno in order], 1):
            if judged.get(docno, 0) > 0:
                hits += 1
                total += hits / rank
        values.append(total / sum(judged.values()))
    return values


@pytest.mark.parametrize("seed", range(5))
def test_extremes_mean_and_width(seed: int) -> None:
    """Each topic, and the mean over topics, of average precision."""
    qrels, scores = data(seed)
    result = irevalx.evaluate(qrels, scores, "map", ties=ORDERS)
    every = [of_orders(qrels[topic], scores[topic]) for topic in "1234"]
    expected = {
        "map:expected": [math.fsum(values) / len(values) for values in every],
        "map:best": [max(values) for values in every],
        "map:worst": [min(values) for values in every],
        "map:width": [max(values) - min(values) for values in every],
    }
    assert list(result.measures) == list(expected)
    for name, values in expected.items():
        assert result.per_topic(name) == pytest.approx(values, abs=1e-12)
        assert result[name] == pytest.approx(math.fsum(values) / 4, abs=1e-12)


@pytest.mark.parametrize("ties", [["best", "expected"], ("best", "expected"), "best, expected"])
def test_orders_in_python(ties: object) -> None:
    """Several orders are a list, a tuple or a text; without worst there is no width, and one order has no suffix."""
    qrels, scores = data(7)
    result = irevalx.evaluate(qrels, scores, "P.2", ties=ties)  # type: ignore[arg-type]
    assert list(result.measures) == ["P_2:best", "P_2:expected"]
    assert list(irevalx.evaluate(qrels, scores, "P.2", ties=["best"]).measures) == ["P_2"]


def test_what_is_not_repeated() -> None:
    """Counts have no better and worse order; geometric means have no width; several runs are evaluated at once."""
    qrels, scores = data(8)
    runs = {"a": scores, "b": {topic: dict.fromkeys(documents, 1.0) for topic, documents in scores.items()}}
    result = irevalx.evaluate(qrels, runs, ["num_q", "num_rel", "gm_map", "map"], ties=ORDERS)
    gm_map = ["gm_map:expected", "gm_map:best", "gm_map:worst"]
    assert set(result.measures) == {
        *("num_q", "num_rel", "map:expected", "map:best", "map:worst", "map:width"),
        *gm_map,
    }
    for name, results in runs.items():
        alone = irevalx.evaluate(qrels, {name: results}, "map", ties="worst")
        assert result.summary("map:worst", run=name) == alone.summary("map", run=name)


def test_in_the_shell(tmp_path: Path) -> None:
    """Names as requested, treatments of unjudged documents, and errors."""
    qrels, scores = data(9)
    files = tmp_path / "qrels.json", tmp_path / "run.json"
    for path, given in zip(files, (qrels, scores), strict=True):
        path.write_text(json.dumps(given))
    options = ("--ties", ORDERS, "--names", "asked", "-m", "P@2", "--unjudged", "nonrel,skip", "--quiet")
    printed = [line.split()[0] for line in run(*options, *files).stdout.decode().splitlines()]
    suffixes = [f":{order}" for order in ("expected", "best", "worst", "width")]
    assert printed == [*(f"P@2{suffix}" for suffix in suffixes), *(f"P@2:skip{suffix}" for suffix in suffixes)]
    for wrong in ("best,best", "best,name", "best,", "other"):
        done = run("--ties", wrong, "-m", "map", *files)
        assert done.status == 1
        assert "or a list of the last three, such as best,worst" in done.stderr
    done = run("--ties", "best,worst", "--grades", "probability", "-m", "map", *files)
    assert "--ties best,worst cannot be combined with --grades probability" in done.stderr
    done = run(
        "--ties", "best,worst", "-D", "1.1", "-m", "map", FIXTURES / "example/qrels", FIXTURES / "example/bm25.run"
    )
    assert done.status == 1

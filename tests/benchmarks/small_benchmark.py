"""Time evaluators on dictionaries: one ranking a call, a thousand rankings in one call, whole numbers as ids, large runs.

    python tests/benchmarks/small_benchmark.py [--turns 15]

Every call gets rankings that it has not seen. The ways to evaluate the same rankings take turns in one process; what is
printed is the least processor time of each, for one ranking, and the median of its ratios to the first way. The package
pytrec_eval-terrier is compared where it is installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import irevalx

TREC_EVAL_MEASURES = {"map", "ndcg_cut.10"}
BEIR = {f"{name}.1,3,5,10,100,1000" for name in ("ndcg_cut", "map_cut", "recall", "P")}
MTEB = {f"{name}.1,3,5,10,20,100,1000" for name in ("ndcg_cut", "map_cut", "recall", "P")} | {"recip_rank"}

Way = Callable[[Sequence[Any]], object]
"""Evaluates rankings."""


def data(
    n_topics: int, n_documents: int, n_runs: int, kind: Callable[[int], Any] = str, judged_share: float = 0.5
) -> tuple[Any, list[Any]]:
    """Judgments, and rankings of which this share of the documents is judged."""
    chance = random.Random(20261125)
    qrels: dict[Any, Any] = {}
    runs: list[dict[Any, Any]] = [{} for _ in range(n_runs)]
    for topic in range(n_topics):
        docnos = [kind(docno) for docno in chance.sample(range(10**7), 2 * n_documents)]
        qrels[kind(topic)] = {docno: chance.choice([0, 0, 1, 2]) for docno in docnos[:n_documents]}
        judged, others = docnos[:n_documents], docnos[n_documents:]
        for run in runs:
            n_judged = int(judged_share * n_documents)
            documents = chance.sample(judged, n_judged) + chance.sample(others, n_documents - n_judged)
            run[kind(topic)] = {docno: chance.random() for docno in documents}
    return qrels, runs


def evaluators(package: Any, qrels: Any, measures: set[str]) -> Way:
    """Return what evaluates rankings one by one with a ``RelevanceEvaluator``."""
    evaluator = package.RelevanceEvaluator(qrels, measures)
    return lambda runs: [evaluator.evaluate(run) for run in runs]


def compare(name: str, runs: Sequence[Any], ways: dict[str, Way], turns: int) -> None:
    """Let the ways take turns, and show their times."""
    times: dict[str, list[float]] = {way: [] for way in ways}
    for turn in range(turns + 1):
        for way, evaluate in ways.items():
            begin = time.process_time()
            evaluate(runs)
            if turn:
                times[way].append((time.process_time() - begin) / len(runs))
    first, *_ = times.values()
    sys.stdout.write(f"\n{name}\n")
    for way, spent in times.items():
        ratio = statistics.median(x / y for x, y in zip(spent, first, strict=True))
        sys.stdout.write(f"  {way:<40} {1e6 * min(spent):10.1f} us  {ratio:8.3f}\n")


def main() -> None:
    """Compare everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=15, help="how often each way is timed")
    turns = parser.parse_args().turns
    warnings.simplefilter("ignore")
    packages: dict[str, Any] = {"irevalx": irevalx}
    if importlib.util.find_spec("pytrec_eval"):
        import pytrec_eval

        packages["pytrec_eval-terrier"] = pytrec_eval
    measures = sorted(TREC_EVAL_MEASURES)
    qrels, runs = data(1, 10, 1000)
    ways = {
        f"{name}.RelevanceEvaluator": evaluators(package, qrels, TREC_EVAL_MEASURES)
        for name, package in packages.items()
    }
    ways["irevalx.evaluate, one call each"] = lambda runs: [irevalx.evaluate(qrels, run, measures) for run in runs]
    ways["irevalx.evaluate, one call for all"] = lambda runs: irevalx.evaluate(qrels, runs, measures)
    compare("1 x 10, 1,000 rankings", runs, ways, turns)
    for n_topics, n_documents, name, chosen, judged_share in (
        (1000, 10, "map, ndcg_cut_10", TREC_EVAL_MEASURES, 0.5),
        (100, 100, "map, ndcg_cut_10", TREC_EVAL_MEASURES, 0.5),
        (100, 100, "cutoffs of BEIR", BEIR, 0.5),
        (100, 100, "cutoffs of MTEB", MTEB, 0.5),
        (100, 100, "cutoffs of BEIR, all documents judged", BEIR, 1.0),
        (100, 100, "cutoffs of MTEB, all documents judged", MTEB, 1.0),
    ):
        qrels, runs = data(n_topics, n_documents, 5, judged_share=judged_share)
        ways = {package: evaluators(module, qrels, chosen) for package, module in packages.items()}
        compare(f"{n_topics} x {n_documents}, {name}", runs, ways, turns)
    qrels, runs = data(250, 1000, 10)
    best_first = [
        {topic: dict(sorted(documents.items(), key=lambda item: -item[1])) for topic, documents in run.items()}
        for run in runs
    ]
    for order, given in (("best first", best_first), ("in any order", runs)):
        ways = {package: evaluators(module, qrels, {"official"}) for package, module in packages.items()}
        compare(f"250 x 1000, official, {order}", given, ways, turns)
    ids = {kind: data(200, 100, 1, kind) for kind in (str, int)}
    ways = {kind.__name__: lambda _, kind=kind: irevalx.evaluate(*ids[kind], "map") for kind in ids}  # type: ignore[misc]
    compare("200 x 100, irevalx.evaluate, ids of type", [None], ways, turns)


if __name__ == "__main__":
    main()

"""Literal computation of weighted sums over ranks, AP and nDCG, and of all possible judgments of a few documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

Ranked = dict[str, dict[str, list[str]]]
Grades = dict[tuple[str, str], int]


def written(folder: Path, grades: Grades, runs: Ranked) -> list[Path]:
    """Write judgments and runs to files, and return the paths."""
    paths = [folder / "qrels", *(folder / run for run in runs)]
    paths[0].write_text("".join(f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in grades.items()))
    for path, (run, topics) in zip(paths[1:], runs.items(), strict=True):
        lines = [
            f"{topic} Q0 {docno} {rank} {-rank} {run}\n"
            for topic, docnos in topics.items()
            for rank, docno in enumerate(docnos, start=1)
        ]
        path.write_text("".join(lines))
    return paths


def weights_of(measure: str) -> Callable[[int], float]:
    """Return the function that maps a rank to its weight in the measure."""
    return {
        "P.2": lambda k: 1 / 2 if k <= 2 else 0.0,
        "P.10": lambda k: 1 / 10 if k <= 10 else 0.0,
        "rbp": lambda k: 0.1 * 0.9 ** (k - 1),
        "rbp.p=0.5,1=0.25,2=1": lambda k: 0.5 * 0.5 ** (k - 1),
        "dcg": lambda k: 1 / math.log2(k + 1),
        "dcg.1=5,2=3": lambda k: 1 / math.log2(k + 1),
    }[measure]


def gain_of(measure: str, grade: int) -> float:
    """Return the gain of a grade under a measure. Under P, grades of at least 1 have the gain 1."""
    if measure.startswith("P"):
        return float(grade >= 1)
    given: dict[str, dict[int, float]] = {"rbp.p=0.5,1=0.25,2=1": {1: 0.25, 2: 1}, "dcg.1=5,2=3": {1: 5, 2: 3}}
    gains = given.get(measure, {})
    return gains.get(grade, float(grade)) if grade >= 0 else 0.0


def value(measure: str, run: dict[str, list[str]], topic: str, grades: Grades) -> float:
    """Return the value of a measure for a topic of a run."""
    weight = weights_of(measure)
    return sum(
        weight(k) * gain_of(measure, grades.get((topic, docno), -1)) for k, docno in enumerate(run.get(topic, []), 1)
    )


def ways_to_judge(grades: Grades, unjudged: list[tuple[str, str]], greatest: int) -> Iterator[Grades]:
    """Yield the judgments with every possible assignment of grades to the unjudged documents."""
    for chosen in product(range(greatest + 1), repeat=len(unjudged)):
        yield grades | dict(zip(unjudged, chosen, strict=True))


def average_precision(docnos: list[str], topic: str, grades: Grades) -> float:
    """Return the average precision of a ranked list, computed by the definition."""
    relevant = {docno for (of_topic, docno), grade in grades.items() if of_topic == topic and grade >= 1}
    hits, total = 0, 0.0
    for rank, docno in enumerate(docnos, 1):
        if docno in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant) if relevant else 0.0


def ndcg_at(k: int, docnos: list[str], topic: str, grades: Grades) -> float:
    """Return nDCG@k of a ranked list, computed by the definition."""
    gains = sorted((max(grade, 0) for (of_topic, _), grade in grades.items() if of_topic == topic), reverse=True)
    best = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))
    result = sum(max(grades.get((topic, docno), 0), 0) / math.log2(r + 1) for r, docno in enumerate(docnos[:k], 1))
    return result / best if best else 0.0

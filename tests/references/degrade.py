"""Reduction of judgments to samples and pools, by loops over dictionaries that follow the definitions in the papers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal

Qrels = dict[str, dict[str, int]]
"""The grades of the documents of each topic, in the order of the file."""

Ranked = dict[str, list[str]]
"""The documents that a run retrieves for each topic, in rank order."""


def read_qrels(text: str) -> Qrels:
    """Parse judgments from lines TOPIC 0 DOCNO GRADE."""
    qrels: Qrels = {}
    for line in text.splitlines():
        topic, _, docno, grade = line.split()
        qrels.setdefault(topic, {})[docno] = int(grade)
    return qrels


def read_run(text: str) -> Ranked:
    """Parse a run, and return the documents of each topic by descending score and, if tied, by descending name."""
    result: dict[str, list[tuple[float, str]]] = {}
    for line in text.splitlines():
        topic, _, docno, _, score, _ = line.split()
        result.setdefault(topic, []).append((float(score), docno))
    return {topic: [docno for _, docno in sorted(results, reverse=True)] for topic, results in result.items()}


def shuffled(docnos: Sequence[str], seed: int, scheme: str, topic: str, draw: int) -> list[str]:
    """Return documents sorted by the SHA-256 digest of a text with the seed, the topic and the document ID."""

    def digest(docno: str) -> bytes:
        return hashlib.sha256(f"{seed} {scheme} {topic} {docno} {draw}".encode()).digest()

    return sorted(docnos, key=digest)


def uniform(qrels: Qrels, rate: str, seed: int, level: int = 1) -> Qrels:
    """Keep max(1, floor(p n + 1/2)) of the n judgments of each topic.

    Repeat the draw until the sample contains a relevant document.
    """
    reduced: Qrels = {}
    for topic, grades in qrels.items():
        judged = [docno for docno, grade in grades.items() if grade >= 0]
        number = max(1, int((Decimal(rate) * len(judged)).to_integral_value(ROUND_HALF_UP)))
        draw = 0
        sample = shuffled(judged, seed, "uniform", topic, draw)[:number]
        while any(grades[docno] >= level for docno in judged) and not any(grades[docno] >= level for docno in sample):
            draw += 1
            sample = shuffled(judged, seed, "uniform", topic, draw)[:number]
        reduced[topic] = {docno: grade if docno in sample else -1 for docno, grade in grades.items()}
    return reduced


def stratified(qrels: Qrels, fraction: str, seed: int, level: int = 1) -> Qrels:
    """Keep the first max(1, ceil(f R)) relevant documents and the first max(10, ceil(f N)) nonrelevant documents."""
    reduced: Qrels = {}
    for topic, grades in qrels.items():
        judged = [docno for docno, grade in grades.items() if grade >= 0]
        order = shuffled(judged, seed, "stratified", topic, 0)
        selected: set[str] = set()
        is_relevant: Callable[[str], bool] = lambda docno, grades=grades: grades[docno] >= level  # type: ignore[misc]  # noqa: E731
        for least, stratum in ((1, list(filter(is_relevant, order))), (10, [d for d in order if not is_relevant(d)])):
            number = max(least, math.ceil(Decimal(fraction) * len(stratum)))
            selected.update(stratum[:number])
        reduced[topic] = {docno: grade if docno in selected else -1 for docno, grade in grades.items()}
    return reduced


def pooled(runs: Sequence[Ranked], depth: int) -> dict[str, set[str]]:
    """Return the documents of each topic that any run ranks at ``depth`` or higher."""
    pool: dict[str, set[str]] = {}
    for run in runs:
        for topic, docnos in run.items():
            pool.setdefault(topic, set()).update(docnos[:depth])
    return pool


def shallow(qrels: Qrels, runs: Sequence[Ranked], depth: int) -> Qrels:
    """Keep only the judgments of documents in a pool of the given depth."""
    pool = pooled(runs, depth)
    return {
        topic: {docno: grade if docno in pool.get(topic, ()) else -1 for docno, grade in grades.items()}
        for topic, grades in qrels.items()
    }


def mixed(qrels: Qrels, runs: Sequence[Ranked], depth: int, seed: int) -> Qrels:
    """Keep the judgments of documents in a pool, and an equal number of other judgments."""
    pool = pooled(runs, depth)
    reduced: Qrels = {}
    for topic, grades in qrels.items():
        judged = [docno for docno, grade in grades.items() if grade >= 0]
        first = [docno for docno in judged if docno in pool.get(topic, ())]
        rest = [docno for docno in shuffled(judged, seed, "mixed", topic, 0) if docno not in first]
        selected = {*first, *rest[: len(first)]}
        reduced[topic] = {docno: grade if docno in selected else -1 for docno, grade in grades.items()}
    return reduced


def strata_by_depth(qrels: Qrels, runs: Sequence[Ranked], ends: Sequence[int], *, rest: bool) -> Qrels:
    """Return the stratum of each judged document, which depends on its best rank in any run."""
    results: Qrels = {}
    for topic, grades in qrels.items():
        for docno, grade in grades.items():
            ranks = [run[topic].index(docno) + 1 for run in runs if docno in run.get(topic, ())]
            strata = [number for number, end in enumerate(ends, start=1) if ranks and min(ranks) <= end]
            if grade >= 0 and (strata or rest):
                results.setdefault(topic, {})[docno] = strata[0] if strata else len(ends) + 1
    return results


def strata_by_runs(qrels: Qrels, runs: Sequence[Ranked], least: Sequence[int], *, rest: bool) -> Qrels:
    """Return the stratum of each judged document, which depends on the number of runs that retrieve it."""
    results: Qrels = {}
    for topic, grades in qrels.items():
        for docno, grade in grades.items():
            number_of_runs = sum(1 for run in runs if docno in run.get(topic, ()))
            strata = [number for number, at_least in enumerate(least, start=1) if number_of_runs >= at_least]
            if grade >= 0 and (strata or rest):
                results.setdefault(topic, {})[docno] = strata[0] if strata else len(least) + 1
    return results


def drawn_strata(qrels: Qrels, strata: Qrels, rates: Sequence[str], seed: int) -> dict[str, dict[str, tuple[int, int]]]:
    """Return strata with grades. Of D judged documents in a stratum, max(1, floor(pD + 1/2)) keep grades."""
    sample: dict[str, dict[str, tuple[int, int]]] = {}
    for topic, of_topic in strata.items():
        judged = [docno for docno, grade in qrels[topic].items() if grade >= 0]
        order = shuffled(judged, seed, "strata", topic, 0)
        selected: set[str] = set()
        for number, rate in enumerate(rates, start=1):
            documents = [docno for docno in order if of_topic.get(docno) == number]
            selected.update(documents[: max(1, int((Decimal(rate) * len(documents)).to_integral_value(ROUND_HALF_UP)))])
        sample[topic] = {
            docno: (number, qrels[topic][docno] if docno in selected else -1) for docno, number in of_topic.items()
        }
    return sample


def without_group(
    qrels: Qrels, runs: dict[str, Ranked], groups: dict[str, str], group: str, depth: int
) -> tuple[Qrels, Qrels]:
    """Return the judgments in the pool of all runs, and the judgments in the pool of all runs outside a group."""
    everybody = pooled(list(runs.values()), depth)
    others = pooled([run for name, run in runs.items() if groups[name] != group], depth)
    full = {t: {d: g for d, g in grades.items() if d in everybody.get(t, ())} for t, grades in qrels.items()}
    reduced = {t: {d: g for d, g in grades.items() if d in others.get(t, ())} for t, grades in full.items()}
    return full, reduced

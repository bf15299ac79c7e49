"""study --scheme imperfect: values equal those of a literal loop that deletes documents from the runs."""

from __future__ import annotations

import hashlib
import math
from random import Random

import pytest

import irevalx
from irevalx.errors import ArgumentError

TOPICS = [str(topic) for topic in range(8)]
_RANDOM = Random(6)
QRELS = {topic: {f"d{number}": _RANDOM.choice([0, 0, 1]) for number in range(21)} for topic in TOPICS}
RUNS = {
    run: {
        topic: {docno: -float(rank) for rank, docno in enumerate(_RANDOM.sample([f"d{n}" for n in range(40)], 30))}
        for topic in TOPICS
    }
    for run in ("x", "y", "z")
}
LEVELS = {"30%": 0.3, "50%": 0.5, "100%": 1.0}


def remaining(topic: str, share: float, seed: int) -> list[str]:
    """Return the judged documents in the collection: the first ones in the order of SHA-256."""
    digests = {docno: hashlib.sha256(f"{seed} imperfect {topic} {docno} 0".encode()).digest() for docno in QRELS[topic]}
    return sorted(digests, key=digests.__getitem__)[: max(1, math.floor(share * len(digests) + 0.5))]


def literal(run: str, share: float, seed: int) -> tuple[float, float, float]:
    """Return the means of average precision, P_5 and num_ret over topics, after documents have left the run."""
    sums = [0.0, 0.0, 0.0]
    for topic in TOPICS:
        left = set(QRELS[topic]) - set(remaining(topic, share, seed))
        ranked = [docno for docno in sorted(RUNS[run][topic], key=lambda d: -RUNS[run][topic][d]) if docno not in left]
        relevant = [QRELS[topic].get(docno, 0) for docno in ranked]
        precisions = [sum(relevant[:rank]) / rank for rank in range(1, len(ranked) + 1) if relevant[rank - 1]]
        sums[0] += sum(precisions) / sum(QRELS[topic].values()) / len(TOPICS)
        sums[1] += sum(relevant[:5]) / 5 / len(TOPICS)
        sums[2] += len(ranked)
    return sums[0], sums[1], sums[2]


def test_values() -> None:
    """Documents leave the runs, and their judgments count."""
    result = irevalx.lab.study(
        QRELS, RUNS, "map P.5 num_ret infAP", scheme="imperfect", levels=[*LEVELS], samples=2, seed=3
    )
    for place, share in enumerate(LEVELS.values()):
        for sample in (0, 1):
            for number, run in enumerate(RUNS):
                values = result.study.scores[place, sample, :, number]
                assert values[:3] == pytest.approx(literal(run, share, 3 + sample), abs=1e-12)
                assert values[3] == pytest.approx(values[0], abs=1e-4)
    assert result.study.judged[:, 0] == pytest.approx([6 / 21, 11 / 21, 1.0])
    assert (result.study.scores[0, :, 0] < result.study.full[0]).all()


def test_refusals() -> None:
    """Ties whose order depends on grades are refused."""
    with pytest.raises(ArgumentError, match="ties"):
        irevalx.lab.study(QRELS, RUNS, "map", scheme="imperfect", ties="best")

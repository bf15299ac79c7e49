"""Measures under ``--grades real`` again, as literal loops over one topic: the readable specification.

A ranking has a grade for each document in rank order, None for one without judgment; judgments have those of all judged
documents. Measures of what is relevant or not are not here: with grades of 1 from the level on and 0 below it they are
those of ``references.measures``, which the C program has been compared with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def gain_of(grade: float | None, gains: Mapping[float, float]) -> float:
    """What a document gains: what is given for its grade, or else the grade."""
    if grade is None:
        return 0.0
    return gains.get(grade, grade)


def dcg(ranking: Sequence[float | None], gains: Mapping[float, float], k: int | None = None) -> float:
    """Discounted cumulative gain of the first k documents."""
    total = 0.0
    for rank, grade in enumerate(ranking, 1):
        if k is None or rank <= k:
            total += gain_of(grade, gains) / math.log2(rank + 1)
    return total


def ideal(judgments: Sequence[float], gains: Mapping[float, float]) -> list[float]:
    """The gains above 0 of all judged documents, the greatest first."""
    gained = [gain_of(grade, gains) for grade in judgments]
    return sorted((gain for gain in gained if gain > 0), reverse=True)


def ideal_dcg(judgments: Sequence[float], gains: Mapping[float, float], k: int | None = None) -> float:
    """Discounted cumulative gain of the best possible ranking."""
    return dcg(ideal(judgments, gains), {}, k)


def ndcg(
    ranking: Sequence[float | None], judgments: Sequence[float], gains: Mapping[float, float], k: int | None = None
) -> float:
    """Normalised discounted cumulative gain."""
    best = ideal_dcg(judgments, gains, k)
    return dcg(ranking, gains, k) / best if best > 0 else 0.0


def ndcg_rel(ranking: Sequence[float | None], judgments: Sequence[float], gains: Mapping[float, float]) -> float:
    """The mean of dcg / ideal_dcg at each gaining document, and at the end for the others of the best ranking."""
    n_ideal = len(ideal(judgments, gains))
    total = 0.0
    n_gaining = 0
    for rank, grade in enumerate(ranking, 1):
        if gain_of(grade, gains) > 0:
            total += dcg(ranking, gains, rank) / ideal_dcg(judgments, gains, rank)
            n_gaining += 1
    if n_ideal > n_gaining:
        total += (n_ideal - n_gaining) * ndcg(ranking, judgments, gains)
    return total / n_ideal if total > 0 else 0.0


def r_ndcg(
    ranking: Sequence[float | None], judgments: Sequence[float], gains: Mapping[float, float], level: float
) -> float:
    """The mean of dcg / ideal_dcg over the ranks after which the ideal gain falls."""
    if not any(grade >= level for grade in judgments):
        return 0.0
    best = ideal(judgments, gains)
    if not best:
        return math.nan
    values = []
    for rank, gain in enumerate(best, 1):
        if rank == len(best) or best[rank] < gain:
            values.append(dcg(ranking, gains, rank) / ideal_dcg(judgments, gains, rank))
    if len(ranking) > len(best) + 1:
        values.append(ndcg(ranking, judgments, gains))
    return sum(values) / len(values)


def rbp(
    ranking: Sequence[float | None], judgments: Sequence[float], gains: Mapping[float, float], p: float = 0.9
) -> float:
    """Rank-biased precision; gains are brought to 0..1 where one of them is outside."""
    every = [0.0, *gains.values(), *(gain_of(grade, gains) for grade in judgments)]
    low, high = min(every), max(every)
    total = 0.0
    for rank, grade in enumerate(ranking, 1):
        gain = gain_of(grade, gains)
        if grade is not None and (low < 0 or high > 1):
            gain = (gain - low) / (high - low)
        total += gain * p ** (rank - 1)
    return (1 - p) * total


def err(ranking: Sequence[float | None], k: int, highest: float) -> float:
    """Expected reciprocal rank."""
    total = 0.0
    goes_on = 1.0
    for rank, grade in enumerate(ranking[:k], 1):
        satisfied = (2 ** max(grade or 0.0, 0.0) - 1) / 2**highest
        total += goes_on * satisfied / rank
        goes_on *= 1 - satisfied
    return total


def ndcg_burges(ranking: Sequence[float | None], judgments: Sequence[float], k: int) -> float:
    """Return ndcg at a cutoff with the gains 2**grade - 1."""
    result = dcg([2 ** (grade or 0.0) - 1 for grade in ranking], {}, k)
    best = dcg([2**grade - 1 for grade in sorted(judgments, reverse=True)], {}, k)
    return result / best

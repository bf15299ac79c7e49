"""Rank-biased overlap of two rankings that can have ties and different lengths.

A tie group fills the ranks from its top to its bottom. The variants differ in the contribution of an item at a depth
between them: in "w" a tie means equal rank, and the whole group is present from its top on; in "a" each item
contributes its expected presence over random tie-breaking; "b" is "a", corrected so that the overlap of a ranking with
itself is 1. Without ties they are the same.

Source: Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, TOIS 2010; Corsi and Urbano, The
Treatment of Ties in Rank-Biased Overlap, SIGIR 2024.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ratio
from irevalx.frozen import Frozen

Item = TypeVar("Item", bound=Hashable)

Ranking: TypeAlias = "Sequence[Sequence[Item]]"
"""Groups of tied items, the best first; no item twice."""

VARIANTS = ("w", "a", "b")
"""How ties are treated."""

_BATCH = 4_000_000
"""How many contributions are in memory at a time."""


OVERLAP_COLUMNS = tuple(f"rbo_{variant}_{what}" for variant in VARIANTS for what in ("ext", "min", "max"))
"""Names of overlaps: extrapolated, and the least and greatest for any continuation of the rankings."""


def ranking_of(scores: Mapping[Item, float]) -> Ranking[Item]:
    """Return items by descending score; equal scores are ties."""
    groups: dict[float, list[Item]] = {}
    for item, score in scores.items():
        groups.setdefault(score, []).append(item)
    return [groups[score] for score in sorted(groups, reverse=True)]


def rank_biased_overlap(x: Ranking[Item], y: Ranking[Item], p: float) -> dict[str, float]:
    """Return the overlaps of two rankings that are not empty, in [0, 1], by the names of ``OVERLAP_COLUMNS``.

    ``p`` is the persistence: the probability of looking at the next depth, in (0, 1).
    """
    short, long = sorted((_Places.of(x), _Places.of(y)), key=lambda places: len(places.items))
    overlaps = (value for variant in VARIANTS for value in _overlap(short, long, p, variant))
    return dict(zip(OVERLAP_COLUMNS, overlaps, strict=True))


class _Places(Frozen):
    """The items of a ranking in order, and the 1-based ranks that the tie group of each fills, shape (n_items,)."""

    items: list[Hashable]
    top: IntArray
    bottom: IntArray

    @classmethod
    def of(cls, ranking: Ranking[Item]) -> _Places:
        items: list[Hashable] = [item for group in ranking for item in group]
        sizes = np.array([len(group) for group in ranking], np.int64)
        last = np.cumsum(sizes)
        return cls(items, np.repeat(last - sizes + 1, sizes), np.repeat(last, sizes))

    def contributions(self, depth: IntArray, variant: str) -> FloatArray:
        """Return the contribution of each item at each depth: shape (n_items, n_depths)."""
        top, bottom = self.top[:, np.newaxis], self.bottom[:, np.newaxis]
        if variant == "w":
            return (depth >= top).astype(np.float64)
        return np.clip((depth - top + 1) / (bottom - top + 1), 0.0, 1.0)


def _overlap(short: _Places, long: _Places, p: float, variant: str) -> tuple[float, float, float]:
    """Return the extrapolated, the least and the greatest overlap."""
    n_short, n_long = len(short.items), len(long.items)
    depth = np.arange(1, n_long + 1)
    shared, weight_short, weight_long, unseen_first, unseen_mean = _sums(short, long, depth, variant)
    beyond = depth > n_short
    weight_short = np.where(beyond, depth, weight_short)  # the shorter ranking goes on with one more item a depth
    if variant == "w":
        divisor = (weight_short + weight_long) / 2
    else:
        divisor = depth.astype(np.float64) if variant == "a" else np.sqrt(weight_short) * np.sqrt(weight_long)
    least = shared / divisor  # the agreement at each depth, if the shorter ranking goes on with nothing shared
    at_short = float(least[n_short - 1])
    expected = shared + (depth - n_short) * at_short * unseen_mean
    extrapolated = np.where(beyond, expected / divisor, least)
    greatest = np.where(beyond, (shared + unseen_first) / divisor, least)
    common = float(shared[-1])
    at_long = (common + (n_long - n_short) * at_short) / n_long
    weight = p ** depth.astype(np.float64)
    scale = (1 - p) / p
    return (
        scale * (float(extrapolated @ weight) + at_long * p ** (n_long + 1) / (1 - p)),
        scale * (float(least @ weight) + common * _tail_of_logarithm(p, n_long)),
        scale * (float(greatest @ weight) + _greatest_beyond(common, n_short, n_long, p)),
    )


def _sums(short: _Places, long: _Places, depth: IntArray, variant: str) -> FloatArray:
    """Return five sums over items at some depths, shape (5, n_depths).

    Products of contributions, over items of both rankings; contributions to the shorter and to the longer ranking
    (squares in "b"); contributions to the longer ranking of its first items that the shorter one lacks, as many as the
    depth exceeds the shorter one's length; and the mean of all contributions above 0 of items that the shorter one
    lacks.
    """
    place = {item: number for number, item in enumerate(short.items)}
    shared = np.array([number for number, item in enumerate(long.items) if item in place], np.int64)
    in_short = np.array([place[long.items[number]] for number in shared.tolist()], np.int64)
    lacking = np.setdiff1d(np.arange(len(long.items)), shared)
    parts = []
    size = max(1, _BATCH // len(long.items))
    for start in range(0, depth.size, size):
        depths = depth[start : start + size]
        of_short, of_long = short.contributions(depths, variant), long.contributions(depths, variant)
        unseen = of_long[lacking]
        first = np.arange(lacking.size)[:, np.newaxis] < depths - len(short.items)
        power = 2 if variant == "b" else 1
        sums = (
            (of_short[in_short] * of_long[shared]).sum(axis=0),
            (of_short**power).sum(axis=0),
            (of_long**power).sum(axis=0),
            (unseen * first).sum(axis=0),
            ratio(unseen.sum(axis=0), np.count_nonzero(unseen, axis=0)),
        )
        parts.append(np.stack(sums))
    return np.concatenate(parts, axis=1)


def _tail_of_logarithm(p: float, n_long: int) -> float:
    """Return the sum of p^d/d over all depths d beyond n_long."""
    return math.log(1 / (1 - p)) - math.fsum(p**d / d for d in range(1, n_long + 1))


def _greatest_beyond(common: float, n_short: int, n_long: int, p: float) -> float:
    """Return what depths beyond n_long add if each ranking continues with the other's items, then with equal ones."""
    full = round(n_long + n_short - common)
    partly = math.fsum((2 * d - n_long - n_short + common) / d * p**d for d in range(n_long + 1, full + 1))
    return partly + p ** (full + 1) / (1 - p)

"""The interaction between pairs of runs and groups of topics.

The interaction is tested with Welch's F statistic and permuted group labels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.statistics.significance import RESAMPLES, batch_of, generator

LEAST_VARIANCE = 1e-12
"""The minimum variance of a group, relative to the largest squared difference if the latter is above 1."""

FEW_IN_GROUP = 10
"""The number of topics per group below which unequal variances alone can make an interaction significant. Of 500 draws
from robust03 and Cranfield (map and P.10; equal means, one group with three times the standard deviation of the others)
the following shares had p < 0.05: 0.05 to 0.08 with 10 and 20 topics in each group, 0.04 to 0.09 with 8, 0.06 to 0.13
with 5, and up to 0.15 with 3."""


class Interactions(Frozen):
    """Tests whether pairs of runs have the same mean difference in all groups of topics. The shape is (n_pairs,)."""

    f: FloatArray
    """Welch's F statistic of each pair."""
    within: FloatArray
    """The degrees of freedom within groups, for each pair."""
    p: FloatArray
    """The share of labellings whose F statistic is at least as large, or nan if all differences are equal."""
    labellings: int
    """The number of labellings that were evaluated, including the observed labelling."""
    is_random: bool
    """Whether the labellings were drawn at random. If not, all distinct labellings were evaluated."""


def interactions(d: FloatArray, groups: Sequence[IntArray], resamples: int = RESAMPLES, seed: int = 0) -> Interactions:
    """Test whether the mean differences of each pair are the same in all groups of topics.

    The shape of ``d`` is (n_pairs, n_topics), and each group is an array of topic indices. The group labels are
    permuted over the topics: in all distinct ways if there are at most ``resamples`` ways, and otherwise in
    ``resamples`` random ways, which are the same for each pair. The null hypothesis is that all differences come from
    one distribution. If there are fewer than two groups, f and p are nan.

    Source of the statistic: Welch, On the Comparison of Several Mean Values, Biometrika 1951. The F distribution is
    inaccurate for small groups. In 300 draws of random groups of topics (robust03 and Cranfield, map and P.10), the
    share of p-values below 0.05 was 0.02 to 0.10 with at least 5 topics per group, 0.26 to 0.36 with 3, and 0.87 to
    0.99 with 2; with permuted labels, the share was 0.02 to 0.08 in all cells.
    """
    undefined = np.full(len(d), np.nan)
    if len(groups) < 2:
        return Interactions(undefined, undefined, undefined, 0, is_random=False)
    sizes = np.array([len(places) for places in groups])
    d = d[:, np.concatenate(groups)]
    constant = (d == d[:, :1]).all(axis=1)
    d = d - d.mean(axis=1, keepdims=True)  # does not change F, but avoids a loss of digits in sums of squares
    squares = d**2
    least = LEAST_VARIANCE * np.maximum(1.0, squares.max(axis=1))[:, np.newaxis, np.newaxis]
    f, within = _welch(d[:, np.newaxis], squares[:, np.newaxis], sizes, least)
    as_great = f * (1 - 1e-9) - 1e-12  # a tolerance, so that the order of additions does not matter
    n_labellings = _n_labellings(sizes, resamples)
    n_as_great = np.zeros(len(d), np.int64)
    for order in _labellings(sizes, n_labellings, resamples, seed, batch_of(d)):
        permuted, _ = _welch(d[:, order], squares[:, order], sizes, least)
        n_as_great += np.count_nonzero(permuted >= as_great, axis=1)
    observed = int(n_labellings is None)  # the distinct labellings include the observed labelling
    total = n_labellings or resamples + 1
    p = np.where(constant, np.nan, (n_as_great + observed) / total)
    return Interactions(f[:, 0], within[:, 0], p, total, is_random=n_labellings is None)


def _welch(d: FloatArray, squares: FloatArray, sizes: IntArray, least: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Welch's F and its degrees of freedom within groups, for differences sorted by group.

    The shapes are (n_pairs, n).
    """
    # The array ``least`` contains the minimum variances. Its shape is (n_pairs, 1, 1).
    starts, n_groups = np.cumsum(sizes) - sizes, len(sizes)
    sums = np.add.reduceat(d, starts, axis=-1)
    means = sums / sizes
    variances = np.maximum((np.add.reduceat(squares, starts, axis=-1) - sums * means) / (sizes - 1), least)
    weights = sizes / variances
    shares = weights / weights.sum(axis=-1, keepdims=True)
    spread = ((1 - shares) ** 2 / (sizes - 1)).sum(axis=-1)
    middle = (shares * means).sum(axis=-1, keepdims=True)
    between = (weights * (means - middle) ** 2).sum(axis=-1) / (n_groups - 1)
    return between / (1 + 2 * (n_groups - 2) / (n_groups**2 - 1) * spread), (n_groups**2 - 1) / (3 * spread)


def _n_labellings(sizes: IntArray, most: int) -> int | None:
    """Return the number of distinct labellings, or None if there are more than ``most``."""
    logarithm = math.lgamma(sizes.sum() + 1) - sum(math.lgamma(size + 1) for size in sizes.tolist())
    if logarithm > math.log(most) + 1:
        return None
    number, left = 1, int(sizes.sum())
    for size in sizes.tolist():
        number, left = number * math.comb(left, size), left - size
    return number if number <= most else None


def _labellings(sizes: IntArray, n_labellings: int | None, resamples: int, seed: int, batch: int) -> Iterator[IntArray]:
    """Yield all distinct labellings, or random labellings, in batches. Each labelling is an order of the topics.

    The shape of a batch is (n, n_topics).
    """
    n_topics, total = int(sizes.sum()), n_labellings or resamples
    random, every = generator(seed), _all_labellings(tuple(range(n_topics)), sizes.tolist())
    for start in range(0, total, batch):
        rows = min(batch, total - start)
        if n_labellings is None:
            yield random.permuted(np.broadcast_to(np.arange(n_topics), (rows, n_topics)), axis=1)
        else:
            yield np.array([next(every) for _ in range(rows)], np.int64)


def _all_labellings(topics: tuple[int, ...], sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every assignment of topics to groups of the given sizes, as a list of topics in the order of the groups."""
    if len(sizes) == 1:
        yield topics
        return
    for chosen in combinations(topics, sizes[0]):
        taken = frozenset(chosen)
        left = tuple(topic for topic in topics if topic not in taken)
        for rest in _all_labellings(left, sizes[1:]):
            yield (*chosen, *rest)

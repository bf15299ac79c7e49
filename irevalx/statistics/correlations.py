"""Correlations between two evaluations of the same runs, and rank-biased overlap of rankings.

The functions receive scores of shape (..., n_runs) and return an array of shape (...), with one value for each row of
runs, so that many samples of judgments can be compared in one call. The shapes of the arguments x and y are broadcast.
Correlations of fewer than two runs are NaN.

Rank-biased overlap treats tied items as equally ranked: the whole group contributes from its top rank on. If the
persistence is 1, the result is average overlap: the mean of the agreements at depths 1 to k, where k is the length of
the shorter ranking. No rank beyond k counts, so that the extrapolated and minimum overlap are equal, and the residual
is 0.

Source: Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, TOIS 2010; for ties, variant "w" of
Corsi and Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024; for average overlap, Fagin, Kumar and
Sivakumar, Comparing Top k Lists, SIAM Journal on Discrete Mathematics 2003.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments, SlotArray
from irevalx.frozen import Frozen
from irevalx.statistics.significance import ALPHA, differences, paired_t, pairs_of_runs, without_noise

LEAST_GROUPS = 4
"""The minimum number of groups of points from which ``line_intervals`` computes intervals."""


def inversions(x: FloatArray, y: FloatArray) -> IntArray:
    """Count the discordant pairs of runs. A tied pair is not discordant."""
    numbers: IntArray = np.count_nonzero(_directions(x) * _directions(y) < 0, axis=-1)
    return numbers


def tau(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Kendall's tau in [-1, 1], where tied pairs count as concordant [Büttcher et al. 2007, section 4]."""
    n_runs = np.broadcast_shapes(x.shape[-1:], y.shape[-1:])[0]
    n_pairs = n_runs * (n_runs - 1) // 2
    return divided(n_pairs - 2 * inversions(x, y), n_pairs)


def tau_b(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Kendall's tau-b, in [-1, 1], or NaN if all runs are tied in x or in y."""
    return tau_b_over(x, y, np.ones(x.shape[-1], np.bool_))


def tau_b_over(x: FloatArray, y: FloatArray, counted: BoolArray) -> FloatArray:
    """Return Kendall's tau-b over the runs selected by the mask ``counted``, which has the shape (..., n_runs)."""
    first, second = pairs_of_runs(x.shape[-1])
    both = counted[..., first] & counted[..., second]
    directions_x, directions_y = _directions(x) * both, _directions(y) * both
    untied = np.count_nonzero(directions_x, axis=-1) * np.count_nonzero(directions_y, axis=-1)
    return divided((directions_x * directions_y).sum(axis=-1), np.sqrt(untied))


def tau_ap(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return tau_AP, Kendall's tau weighted towards the top of y [Yilmaz, Aslam & Robertson, SIGIR 2008].

    For each run that is below another run in y, consider the runs above it in y, and compute the fraction of them that
    are also above it in x. The mean of these fractions is scaled from [0, 1] to [-1, 1]. The value is NaN if all runs
    are tied in x or in y. Ties are handled as in Urbano & Marrero, ICTIR 2017: if runs are tied in y, a run ranked
    above one of them is ranked above each of them, so that the correlation of a scoring with itself is 1. A pair of
    runs tied in x but not in y is discordant.
    """
    x, y = np.broadcast_arrays(without_noise(x), without_noise(y))
    order = np.lexsort((-x, -y), axis=-1)
    x, y = (np.take_along_axis(side, order, axis=-1) for side in (x, y))
    above = y[..., np.newaxis, :] > y[..., :, np.newaxis]
    both = above & (x[..., np.newaxis, :] > x[..., :, np.newaxis])
    # no run is above the first run
    n_above, n_both = (np.count_nonzero(which, axis=-1)[..., 1:] for which in (above, both))
    shares = n_both / np.maximum(n_above, 1)
    n_runs = np.where(_varies(x), np.count_nonzero(n_above, axis=-1), 0)
    return 2 * divided(shares.sum(axis=-1), n_runs) - 1


def tau_ap_b(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the mean of tau_AP(x, y) and tau_AP(y, x), in [-1, 1] [Urbano & Marrero, ICTIR 2017: tau_AP,b]."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def rank_correlations(x: FloatArray, y: FloatArray) -> dict[str, FloatArray]:
    """Return a dictionary of ``tau``, ``tau_b``, ``tau_ap`` and ``tau_ap_b``, which share most of their computation."""
    x, y = np.broadcast_arrays(without_noise(x), without_noise(y))
    # With the runs first, the rows are adjacent in memory, which takes half the time.
    by_run = (np.ascontiguousarray(np.moveaxis(side, -1, 0)) for side in (x, y))
    above_x, above_y = (side[:, np.newaxis] > side for side in by_run)
    flags = above_x, above_y, above_x & above_y, above_x & np.swapaxes(above_y, 0, 1)
    n_x, n_y, both, below = (_counts(each, y) for each in flags)
    discordant = below.sum(axis=-1)
    untied_x, untied_y = n_x.sum(axis=-1), n_y.sum(axis=-1)
    n_pairs = x.shape[-1] * (x.shape[-1] - 1) // 2

    def top_weighted(n_above: IntArray) -> FloatArray:
        n_runs = np.where(untied_x * untied_y > 0, np.count_nonzero(n_above, axis=-1), 0)
        return 2 * divided((both / np.maximum(n_above, 1)).sum(axis=-1), n_runs) - 1

    one_way = top_weighted(n_y)
    return {
        "tau": divided(n_pairs - 2 * discordant, n_pairs),
        "tau_b": divided(both.sum(axis=-1) - discordant, np.sqrt(untied_x * untied_y)),
        "tau_ap": one_way,
        "tau_ap_b": (one_way + top_weighted(n_x)) / 2,
    }


def _counts(flags: BoolArray, scores: FloatArray) -> IntArray:
    """Count along the first axis. The result has the shape and the memory layout of scores (..., n_runs)."""
    counts = np.empty_like(scores, np.int64)  # the layout determines the order in which numpy adds floats
    counts[...] = np.moveaxis(flags.view(np.uint8).sum(axis=0, dtype=np.int32), 0, -1)
    return counts


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Pearson's linear correlation, in [-1, 1], or NaN if x or y is constant."""
    from_mean_x, from_mean_y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    spread = np.sqrt((from_mean_x * from_mean_x).sum(axis=-1)) * np.sqrt((from_mean_y * from_mean_y).sum(axis=-1))
    varies = _varies(x) & _varies(y)
    return np.clip(divided((from_mean_x * from_mean_y).sum(axis=-1), np.where(varies, spread, 0.0)), -1.0, 1.0)


def line_through(x: FloatArray, y: FloatArray) -> tuple[float | None, float | None, float | None]:
    """Return the intercept, slope and Pearson correlation of a least-squares line. Undefined values are None."""
    x, y = without_noise(x), without_noise(y)
    if np.ptp(x) == 0:
        return None, None, None
    from_mean = x - x.mean()
    slope = float((from_mean * (y - y.mean())).sum() / (from_mean * from_mean).sum())
    correlation = float(pearson(x, y))
    return float(y.mean()) - slope * float(x.mean()), slope, None if np.isnan(correlation) else correlation


def line_intervals(
    x: FloatArray, y: FloatArray, groups: Sequence[str]
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Return 95% intervals for the slope and the correlation of a line, using a jackknife over groups of points.

    Points in the same group depend on each other. Student's t distribution has one degree of freedom fewer than groups,
    and the correlation is Fisher-transformed. For 4 to 20 groups, the coverage is 0.93 to 0.97 for slopes and 0.87 to
    0.98 for correlations. If all points were treated as independent, the coverage could be as low as 0.76 and 0.71. An
    interval is None if there are fewer than ``LEAST_GROUPS`` groups, if a value is undefined, or if the points are on
    one line.
    """
    from scipy import stats

    names = np.array(groups)
    each = np.unique(names)
    if each.size < LEAST_GROUPS:
        return None, None
    lines = [line_through(x, y), *(line_through(x[names != name], y[names != name]) for name in each)]
    intervals: list[tuple[float, float] | None] = []
    for place, on_scale, back in ((1, float, float), (2, np.arctanh, np.tanh)):
        values = [line[place] for line in lines]
        if any(value is None or (place == 2 and abs(value) > 1 - 1e-9) for value in values):
            intervals.append(None)
            continue
        whole, *without = (float(on_scale(value)) for value in values if value is not None)
        pseudo = each.size * whole - (each.size - 1) * np.array(without)
        half = float(stats.t.ppf(0.975, each.size - 1) * pseudo.std(ddof=1) / np.sqrt(each.size))
        intervals.append((float(back(whole - half)), float(back(whole + half))))
    slope, correlation = intervals
    return slope, correlation


def rms(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the root mean square of y - x, which is at least 0."""
    root: FloatArray = np.sqrt(((y - x) ** 2).mean(axis=-1))
    return root


def bias(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the mean of y - x, which is positive if y overestimates x."""
    mean: FloatArray = (y - x).mean(axis=-1)
    return mean


def ranks(scores: FloatArray) -> IntArray:
    """Return the rank of each run: 1 plus the number of strictly better runs. The shape is (..., n_runs)."""
    scores = without_noise(scores)
    better = scores[..., np.newaxis, :] > scores[..., :, np.newaxis]
    rank: IntArray = 1 + np.count_nonzero(better, axis=-1)
    return rank


def changed(values_x: FloatArray, values_y: FloatArray) -> BoolArray:
    """Return whether each mean changes significantly from x to y (paired t test, p < 0.05) [Büttcher et al. 2007].

    The shape of the result is (..., n_runs).
    """
    d = differences(values_x, values_y)
    lacks_value = np.isnan(d)
    if not lacks_value.any():
        return paired_t(d) < ALPHA
    rows = zip(d.reshape(-1, d.shape[-1]), lacks_value.reshape(-1, d.shape[-1]), strict=True)
    return np.array([paired_t(row[~lacking]) < ALPHA for row, lacking in rows], np.bool_).reshape(d.shape[:-1])


def agree(x: FloatArray, y: FloatArray, names: Sequence[str]) -> dict[str, Any]:
    """Compare two scorings of at least two runs. Return correlations, errors, and the largest rise and fall in rank."""
    gain = ranks(x) - ranks(y)
    rise, fall = int(gain.max()), -int(gain.min())  # both are at least 0, because the first run cannot rise
    return {
        "tau": float(tau(x, y)),
        "tau_b": float(tau_b(x, y)),
        "tau_ap": float(tau_ap(x, y)),
        "tau_ap_b": float(tau_ap_b(x, y)),
        "pearson": float(pearson(x, y)),
        "rms": float(rms(x, y)),
        "bias": float(bias(x, y)),
        "rank_change": float(np.abs(gain).mean()),
        "rise": rise,
        "risen": min(name for name, gained in zip(names, gain, strict=True) if gained == rise) if rise else None,
        "fall": fall,
        "fallen": min(name for name, gained in zip(names, gain, strict=True) if gained == -fall) if fall else None,
        "inversions": int(inversions(x, y)),
    }


def _varies(scores: FloatArray) -> BoolArray:
    """Return whether any two runs have different scores. The shape is (...)."""
    return np.asarray(np.ptp(scores, axis=-1) > 0) if scores.shape[-1] else np.zeros(scores.shape[:-1], np.bool_)


def _directions(scores: FloatArray) -> IntArray:
    """Return the sign of each pair's difference, which is 1 if the first run is better. The shape is (..., n_pairs)."""
    first, second = pairs_of_runs(scores.shape[-1])
    scores = without_noise(scores)
    left, right = scores[..., first], scores[..., second]
    return (left > right).astype(np.int64) - (left < right)


def divided(numerator: FloatArray | IntArray, denominator: FloatArray | IntArray | int) -> FloatArray:
    """Return the quotient of two arrays, or NaN wherever the denominator is 0."""
    nothing = np.equal(denominator, 0)
    return np.where(nothing, np.nan, numerator / np.where(nothing, 1, denominator))


Item = TypeVar("Item", bound=Hashable)

Ranking: TypeAlias = "Sequence[Sequence[Item]]"
"""A ranking, given as groups of tied items. The best group comes first, and no item is repeated."""

OVERLAP_COLUMNS = ("rbo_w_ext", "rbo_w_min", "rbo_w_res")
"""The names of three overlaps: extrapolated, minimum and residual. The residual is the maximum minus the minimum over
all continuations of the rankings."""


def ranking_of(scores: Mapping[Item, float]) -> Ranking[Item]:
    """Rank items by descending score. Items with equal scores are tied."""
    groups: dict[float, list[Item]] = {}
    for item, score in scores.items():
        groups.setdefault(score, []).append(item)
    return [groups[score] for score in sorted(groups, reverse=True)]


def rank_biased_overlap(x: Ranking[Item], y: Ranking[Item], p: float) -> dict[str, float]:
    """Return the overlaps in ``OVERLAP_COLUMNS`` between two nonempty rankings. The persistence p is in (0, 1]."""
    numbers: dict[Item, int] = {}
    sides = []
    for ranking in (x, y):
        items = [numbers.setdefault(item, len(numbers)) for group in ranking for item in group]
        sides.append(Rankings.of([(np.array(items, np.int32), np.array([len(group) for group in ranking], np.int32))]))
    at = Agreements.of(*sides)
    extrapolated = float(at.extrapolated_overlaps(p)[0])
    bounds = (extrapolated, 0.0) if p == 1 else at.bounds(p)
    return dict(zip(OVERLAP_COLUMNS, (extrapolated, *bounds), strict=True))


class Rankings(Frozen):
    """Several rankings of numbered items, stored one after the other. The numbers have 32 bits to save memory."""

    lengths: IntArray
    """The number of items in each ranking, which can be 0."""
    items: SlotArray
    top: SlotArray
    bottom: SlotArray
    """The last rank in each item's group of tied items. The array ``top`` contains the first rank in the group."""

    @classmethod
    def of(cls, rankings: Sequence[tuple[SlotArray, SlotArray]]) -> Rankings:
        """Join one or more rankings, each given by its items in order and the sizes of its groups of tied items."""
        items, sizes = (np.concatenate(column) for column in zip(*rankings, strict=True))
        rows = Segments.of_lengths([each.size for each, _ in rankings])
        last = np.cumsum(sizes)
        ranks = (np.repeat(rank, sizes) - rows.spread(rows.offsets[:-1]) for rank in (last - sizes + 1, last))
        return cls(rows.lengths, items, *(rank.astype(np.int32) for rank in ranks))


class Agreements(Frozen):
    """The agreement between two rankings of the same items at each depth, for one or more pairs of rankings."""

    n_short: IntArray
    n_long: IntArray
    """The length of the longer ranking in each pair."""
    shared: IntArray
    """The number of items that both rankings contain at or above each depth. The shape is (n_pairs, n_depths)."""
    sizes: FloatArray
    """The mean number of items in the two rankings at or above each depth. The shape is (n_pairs, n_depths)."""

    @classmethod
    def of(cls, x: Rankings, y: Rankings) -> Agreements:
        """Compare each ranking in ``x`` with the corresponding ranking in ``y``."""
        rows_x, rows_y = Segments.of_lengths(x.lengths), Segments.of_lengths(y.lengths)
        n_short, n_long = np.minimum(x.lengths, y.lengths), np.maximum(x.lengths, y.lengths)
        n_items, n_depths = 1 + max(side.items.max(initial=-1) for side in (x, y)), int(n_long.max(initial=1))
        top_in_x = np.full((rows_x.n, n_items), n_depths + 1)
        top_in_x[rows_x.ids, x.items] = x.top
        both_within = np.maximum(top_in_x[rows_y.ids, y.items], y.top)  # least depth at which both rankings contain it
        counts = np.bincount(rows_y.ids * (n_depths + 2) + both_within, minlength=rows_y.n * (n_depths + 2))
        shared = counts.reshape(rows_y.n, -1).cumsum(axis=1)[:, 1:-1]
        # beyond its end, a ranking continues with one item per depth
        n_within = [np.tile(np.arange(1, n_depths + 1), (rows_x.n, 1)) for _ in range(2)]
        for within, rows, ranking in zip(n_within, (rows_x, rows_y), (x, y), strict=True):
            within[rows.ids, rows.position] = ranking.bottom
        return cls(n_short, n_long, shared, (n_within[0] + n_within[1]) / 2)

    def extrapolated_overlaps(self, p: float) -> FloatArray:
        """Return the extrapolated overlap of each pair, or NaN if a ranking is empty. Equal rankings have overlap 1."""
        pairs = np.arange(self.n_short.size)
        least = self.shared / self.sizes  # the agreement if the shorter ranking continues with other items
        at_short = least[pairs, self.n_short - 1]
        beyond = np.arange(1, least.shape[1] + 1) - self.n_short[:, np.newaxis]
        expected = np.where(beyond > 0, (self.shared + beyond * at_short[:, np.newaxis]) / self.sizes, least)
        expected_shared = self.shared[pairs, self.n_long - 1] + (self.n_long - self.n_short) * at_short
        at_long = expected_shared / np.maximum(self.n_long, 1)
        overlaps = np.full(pairs.size, np.nan)
        for pair in np.flatnonzero(self.n_short).tolist():
            agreements, last = expected[pair, : self.n_long[pair]], float(at_long[pair])
            weights = _weights(p, agreements.size, int(self.n_short[pair]))
            overlaps[pair] = last + float((agreements - last) @ weights)
        return overlaps

    def bounds(self, p: float) -> tuple[float, float]:
        """Return the minimum overlap of a single pair of rankings, and the residual, for p < 1."""
        [n_short], [n_long], [shared], [sizes] = self.n_short, self.n_long, self.shared, self.sizes
        common = float(shared[-1])
        weights, scale = _weights(p, n_long, n_short), (1 - p) / p
        # the sum of p^d/d over all depths d beyond the longer ranking
        tail = math.log(1 / (1 - p)) - math.fsum(p**d / d for d in range(1, n_long + 1))
        least = float((shared / sizes) @ weights) + scale * common * tail
        # for the maximum, each ranking continues with the other's items
        added = np.maximum(np.arange(1, n_long + 1) - n_short, 0)
        full = round(n_long + n_short - common)
        tail = math.fsum((full - d) / d * p**d for d in range(n_long + 1, full + 1))
        lacking = float((1 - (shared + added) / sizes) @ weights) + scale * tail
        return least, max(0.0, 1 - lacking - least)


def _weights(p: float, n_depths: int, n_short: int) -> FloatArray:
    """Return the weights of the depths 1 to ``n_depths``. Over all depths, the weights sum to 1."""
    depth = np.arange(1.0, n_depths + 1)
    return (depth <= n_short) / n_short if p == 1 else (1 - p) * p ** (depth - 1)

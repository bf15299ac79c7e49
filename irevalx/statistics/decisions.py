"""Significance decisions on pairs of runs, significance letters, rank sets, and sign probabilities.

Source: Bompada et al., On the Robustness of Relevance Measures with Incomplete Judgments, SIGIR 2007, section 4, for
the confusion of decisions; Moffat, Scholer and Thomas, Models and Metrics: IR Evaluation as a User Process, ADCS 2012,
for active, mixed and passive agreement and disagreement.

Carterette, Allan and Sitaraman, Minimal Test Collections for Retrieval Evaluation, SIGIR 2006, section 4.2, treat a
difference of scores as normally distributed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from itertools import combinations, compress
from typing import NamedTuple

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ratio
from irevalx.frozen import Frozen, cached_property, fields
from irevalx.statistics.corrections import CORRECTIONS
from irevalx.statistics.correlations import divided
from irevalx.statistics.significance import (
    ALPHA,
    FEW_TOPICS,
    differences,
    mean,
    paired_p_values,
    pairs_of_runs,
    without_noise,
)

_AT_ONCE = 100_000
"""The maximum number of topic differences that are processed at a time, chosen to fit the processor's cache."""

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


class DecisionRule(NamedTuple):
    """The test and the correction that decide whether two runs differ significantly at ``ALPHA``."""

    test: str = "wilcoxon"  # a key of ``TESTS``
    correction: str = "none"  # a key of ``CORRECTIONS``; the p-values of all pairs of runs are corrected
    least_topics: int = 0  # with fewer topics, no difference is significant
    seed: int = 0  # the seed of a test with random resamples


OF_PAPERS = DecisionRule()
"""The rule in papers about incomplete judgments: Wilcoxon's test on each pair of runs, without a correction."""

OF_COMPARE = DecisionRule("t", "holm", FEW_TOPICS)
"""The default rule of the command ``compare``."""


class Decisions(Frozen):
    """Whether the runs of each pair differ significantly, and which run is better. The shapes are (..., n_pairs)."""

    different: BoolArray
    """Whether the difference of each pair is significant."""
    direction: IntArray
    """1 if the first run has the higher mean, -1 if the second run has the higher mean, and 0 if the means are equal.
    """

    def of_pairs(self, chosen: BoolArray) -> Decisions:
        """Return the decisions about pairs that the mask ``chosen`` selects. The shape of the mask is (n_pairs,)."""
        return Decisions(self.different[..., chosen], self.direction[..., chosen])


def decide(values: FloatArray, chosen: BoolArray | None = None, rule: DecisionRule = OF_PAPERS) -> Decisions:
    """Decide which pairs of runs differ, by default all. The shape of ``values`` is (..., n_runs, n_topics)."""
    # Topics for which the value of a run is nan are excluded.
    *leading, n_runs, n_topics = values.shape
    flat = values.reshape(math.prod(leading), n_runs, n_topics)
    pairs = [side if chosen is None else side[chosen] for side in pairs_of_runs(n_runs)]
    has_value: BoolArray = np.asarray(~np.isnan(flat).any(axis=1))
    if has_value.all():
        different, direction = _decide_rows(flat, rule, *pairs)
    else:
        rows = zip(flat[:, np.newaxis], has_value, strict=True)
        each = [_decide_rows(row[..., known], rule, *pairs) for row, known in rows]
        different, direction = (np.concatenate(parts) for parts in zip(*each, strict=True))
    shape = (*leading, different.shape[-1])
    return Decisions(different.reshape(shape), direction.reshape(shape))


def decide_resampled(values: FloatArray, topics: IntArray, rule: DecisionRule = OF_PAPERS) -> Decisions:
    """Decide in each resample of topics which pairs of runs differ significantly.

    The shape of ``values`` is (n_runs, n_topics), and the shape of the indices ``topics`` is (n_resamples, n).
    """
    if np.isnan(values).any():
        return decide(np.moveaxis(values[:, topics], 1, 0), rule=rule)
    first, second = pairs_of_runs(len(values))
    d = differences(values[second], values[first])
    shape = (len(topics), len(d), topics.shape[1])
    return Decisions(*_decide_parts(lambda rows: d.take(topics[rows], axis=1), shape, rule))


def _decide_rows(
    values: FloatArray, rule: DecisionRule, first: IntArray, second: IntArray
) -> tuple[BoolArray, IntArray]:
    """Return whether each pair differs significantly, and which run is better. No value can be NaN.

    The shape of ``values`` is (n_rows, n_runs, n_topics), and the shape of the results is (n_rows, n_pairs).
    """
    by_run = values.swapaxes(0, 1)

    def part(rows: slice) -> FloatArray:
        return differences(by_run[second, rows], by_run[first, rows])

    return _decide_parts(part, (len(values), first.size, values.shape[2]), rule)


def _decide_parts(
    part: Callable[[slice], FloatArray], shape: tuple[int, int, int], rule: DecisionRule
) -> tuple[BoolArray, IntArray]:
    """Decide which pairs differ significantly, given a function that computes the differences of a range of rows.

        The shape of the function's result is (n_pairs, n_rows, n_topics). The shape of the decisions is (n_rows,
    n_pairs).
    """
    n_rows, n_pairs, n_topics = shape
    different = np.zeros((n_rows, n_pairs), np.bool_)
    direction = np.zeros(different.shape, np.int64)
    size = max(1, _AT_ONCE // max(1, n_pairs * n_topics))
    for start in range(0, n_rows if n_topics else 0, size):
        rows = slice(start, start + size)
        d = part(rows)
        different[rows] = _are_different(d, rule)
        direction[rows] = np.sign(mean(d, axis=-1)).T
    return different, direction


def _are_different(d: FloatArray, rule: DecisionRule) -> BoolArray:
    """Return whether the difference of each pair is significant. The p-values of each row are corrected separately.

    The shape of ``d`` is (n_pairs, n_rows, n_topics), and the shape of the result is (n_rows, n_pairs).
    """
    n_pairs, n_rows, n_topics = d.shape
    if n_topics < rule.least_topics or not d.size:
        return np.zeros((n_rows, n_pairs), np.bool_)
    # Under every correction, a p-value below ALPHA / n_pairs is significant, and a p-value above ALPHA is not.
    limits = {"least": ALPHA / (2 * n_pairs), "greatest": 2 * ALPHA}
    p = paired_p_values(rule.test, d.reshape(-1, n_topics), seed=rule.seed, **limits).reshape(n_pairs, n_rows).T
    correct = CORRECTIONS[rule.correction]
    return np.stack([correct(row) for row in p]) < ALPHA


class Confusion(Frozen):
    """The confusion of decisions under full and reduced judgments: numbers of pairs. The shape of each is (...)."""

    c11: IntArray
    """The number of pairs that differ significantly neither under full nor under reduced judgments."""
    c12: IntArray
    """The number of pairs that differ significantly under reduced judgments only."""
    c21: IntArray
    """The number of pairs that differ significantly under full judgments only."""
    c22: IntArray
    """The number of pairs that differ significantly under full and under reduced judgments."""
    active_disagreements: IntArray
    """The number of pairs that differ significantly under full and reduced judgments, but in opposite directions."""
    mixed_disagreements: IntArray
    """The number of pairs that differ significantly under either full or reduced judgments, and change direction."""
    passive_disagreements: IntArray
    """The number of pairs that never differ significantly, and whose direction changes."""

    @classmethod
    def sum(cls, parts: Sequence[Confusion]) -> Confusion:
        """Add up the counts of one or more confusions."""
        return cls(**{name: np.sum([getattr(part, name) for part in parts], axis=0) for name in fields(cls)})

    @cached_property
    def accuracy(self) -> FloatArray:
        """The fraction of decisions that are equal, regardless of direction, in [0, 1], or 0 if there are no pairs."""
        return ratio(self.c11 + self.c22, self.c11 + self.c12 + self.c21 + self.c22)

    @cached_property
    def g_mean(self) -> FloatArray:
        """The geometric mean of recall and precision of the decision "not different", in [0, 1].

        The value is 0 if only one of recall and precision is 0/0, and NaN if all pairs differ significantly under full
        and under reduced judgments.
        """
        recall, precision = ratio(self.c11, self.c11 + self.c12), ratio(self.c11, self.c11 + self.c21)
        all_differ = (self.c11 + self.c12 + self.c21 == 0) & (self.c22 > 0)
        return np.where(all_differ, np.nan, np.sqrt(recall * precision))

    @cached_property
    def columns(self) -> dict[str, FloatArray | IntArray]:
        """A dictionary that maps each name in ``DECISION_COLUMNS`` to its counts or rates."""
        return {
            "c11": self.c11,
            "c12": self.c12,
            "c21": self.c21,
            "c22": self.c22,
            # Bompada et al. call false positives false negatives, because their positive class is "not different".
            "fpr": divided(self.c12, self.c11 + self.c12),  # of pairs not significant under full judgments
            "fnr": divided(self.c21, self.c21 + self.c22),  # of pairs significant under full judgments
            "accuracy": self.accuracy,
            "g_mean": self.g_mean,
            "aa": self.c22 - self.active_disagreements,
            "ad": self.active_disagreements,
            "ma": self.c12 + self.c21 - self.mixed_disagreements,
            "md": self.mixed_disagreements,
            "pa": self.c11 - self.passive_disagreements,
            "pd": self.passive_disagreements,
        }


DECISION_COLUMNS = ("c11", "c12", "c21", "c22", "fpr", "fnr", "accuracy", "g_mean", "aa", "ad", "ma", "md", "pa", "pd")
"""The names of the statistics in ``Confusion.columns``."""


def confusion(full: Decisions, reduced: Decisions) -> Confusion:
    """Count the changes of decisions between two sets of judgments. The direction is unchanged if a difference is 0."""
    same = ~full.different & ~reduced.different
    only_reduced, only_full = ~full.different & reduced.different, full.different & ~reduced.different
    both = full.different & reduced.different
    opposite = full.direction * reduced.direction < 0
    return Confusion(
        c11=_count(same),
        c12=_count(only_reduced),
        c21=_count(only_full),
        c22=_count(both),
        active_disagreements=_count(both & opposite),
        mixed_disagreements=_count((only_reduced | only_full) & opposite),
        passive_disagreements=_count(same & opposite),
    )


def reversals(full: Decisions, reduced: Decisions) -> BoolArray:
    """Return whether the runs of each pair differ significantly in both evaluations, but in opposite directions.

    The shape is (..., n_pairs).
    """
    return full.different & reduced.different & (full.direction * reduced.direction < 0)


def _count(mask: BoolArray) -> IntArray:
    return np.asarray(np.count_nonzero(mask, axis=-1), np.int64)


def groups_of_runs(n_runs: int, different: Collection[tuple[int, int]], order: Sequence[int]) -> list[frozenset[int]]:
    """Return the maximal groups of runs that contain no pair in ``different``. The groups can overlap.

    The groups are sorted by the positions of their runs in ``order``, in which the best run is first. Source: Piepho,
    An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons, Journal of Computational and Graphical
    Statistics 2004.
    """
    groups = [frozenset(range(n_runs))]
    for first, second in different:
        unchanged = [group for group in groups if not {first, second} <= group]
        parts = (group - {run} for group in groups if {first, second} <= group for run in (first, second))
        # Before the split, no group contained another group. Therefore, only unchanged groups can contain a new part.
        groups = unchanged + [part for part in parts if not any(part <= group for group in unchanged)]
    places = {run: place for place, run in enumerate(order)}
    return sorted(groups, key=lambda group: sorted(places[run] for run in group))


def bars_of_groups(n_runs: int, different: Collection[tuple[int, int]]) -> list[list[list[int]]]:
    """Return the bars of a critical-difference diagram, arranged in columns. A bar is a list of runs.

    Two runs share a bar if and only if they are not a pair in ``different``. Runs are numbered from 0, the best run.
    Bars in the same column do not overlap. A group has no bar if other bars contain each pair of its runs.
    """
    groups = [group for group in groups_of_runs(n_runs, different, range(n_runs)) if len(group) > 1]
    for group in sorted(groups, key=len):
        others = [other for other in groups if other is not group]
        if all(any({*pair} <= other for other in others) for pair in combinations(group, 2)):
            groups = others
    columns: list[list[list[int]]] = []
    for bar in map(sorted, groups):
        free = next((column for column in columns if column[-1][-1] < bar[0]), None)
        if free is None:
            columns.append(free := [])
        free.append(bar)
    return columns


def letters_of_groups(n_runs: int, different: Collection[tuple[int, int]], order: Sequence[int]) -> list[str]:
    """Return the significance letters of each run.

    Two runs share a letter if and only if they are not a pair in ``different``. Letters are assigned in the order of
    ``groups_of_runs``.
    """
    groups = groups_of_runs(n_runs, different, order)
    turns = [divmod(number, len(ALPHABET)) for number in range(len(groups))]
    letters = [ALPHABET[place] + str(turn + 1) * (turn > 0) for turn, place in turns]  # a, ..., z, a2, ...
    return ["".join(compress(letters, (run in group for group in groups))) for run in range(n_runs)]


class RankSets(NamedTuple):
    """The range of possible ranks and the tier of each run."""

    rank_low: list[int]  # 1 plus the number of significantly better runs
    rank_high: list[int]  # the number of runs minus the number of significantly worse runs
    tier: list[int]  # from 1; every run of a tier is significantly better than every run of the following tiers


def rank_sets(better: BoolArray, order: Sequence[int]) -> RankSets:
    """Compute rank sets and tiers. ``better[i, j]`` is true if run i is significantly better than run j.

    ``order`` contains the runs from the best to the worst.
    """
    ranked = better[np.ix_(order, order)]
    begins_tier = [bool(ranked[:place, place:].all()) for place in range(len(order))]
    tier = np.empty(len(order), np.int64)
    tier[list(order)] = np.cumsum(begins_tier)
    return RankSets((1 + better.sum(axis=0)).tolist(), (len(order) - better.sum(axis=1)).tolist(), tier.tolist())


MOST_VALUES = 4096
"""The maximum number of different values of a sum whose exact distribution is computed value by value."""

_DECIMALS = 10
"""The number of decimals to which sums are compared. The error of each addend is up to half a unit of decimal 12."""

_MOST_STEPS = 64
"""The maximum number of grid steps between the values of one addend."""

_MOST_CELLS = 2**22
"""The maximum number of grid steps of all addends together."""


class SignProbabilities(Frozen):
    """The probabilities that a sum is below 0, equal to 0, and above 0."""

    below: float
    zero: float
    above: float
    exact: bool
    """Whether the probabilities are exact except for rounding, rather than approximations by a normal distribution."""

    @classmethod
    def normal(cls, mean: float, deviation: float) -> SignProbabilities:
        """Compute the probabilities for a normal distribution, whose standard deviation must be above 0."""
        below = 0.5 * math.erfc(mean / deviation / math.sqrt(2))
        return cls(below, 0.0, 1.0 - below, exact=False)


def sign_probabilities(start: float, values: FloatArray, chances: FloatArray) -> SignProbabilities:
    """Return the probabilities that the sum of ``start`` and independent random values is negative, zero or positive.

    The result is exact if the values are on a grid, like weights of precision, or if the sum has at most
    ``MOST_VALUES`` values (for example, if there are 12 documents with different weights). The shape of ``values`` and
    ``chances`` is (n, n_outcomes).
    """
    certain = chances.max(axis=1, initial=0.0) == 1
    start += float((values[certain] * chances[certain]).sum())
    values, chances = values[~certain], chances[~certain]
    # sums that differ from 0 only by rounding errors are treated as 0
    ends = np.round(start + np.array([values.min(axis=1).sum(), values.max(axis=1).sum()]), _DECIMALS)
    if ends[0] > 0 or ends[1] < 0:
        return SignProbabilities(float(ends[1] < 0), 0.0, float(ends[0] > 0), exact=True)
    distribution = _on_grid(start, values, chances)
    if distribution is None:
        distribution = _one_by_one(start, values, chances)
    if distribution is None:
        means = (values * chances).sum(axis=1)
        variance = float(((values - means[:, None]) ** 2 * chances).sum())
        return SignProbabilities.normal(start + float(means.sum()), math.sqrt(variance))
    sums, shares = np.round(distribution[0], _DECIMALS), distribution[1]
    below, above = float(shares[sums < 0].sum()), float(shares[sums > 0].sum())
    return SignProbabilities(below, max(0.0, 1.0 - below - above), above, exact=True)


def _on_grid(start: float, values: FloatArray, chances: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the possible values of a sum and their probabilities, or None if the addends are not on a coarse grid."""
    if not len(values):
        return np.array([start]), np.ones(1)
    least = values.min(axis=1)
    above = values - least[:, None]
    step = float(above.min(where=above > 1e-12, initial=math.inf))
    steps = np.rint(above / step)
    most = int(steps.max())
    if most > _MOST_STEPS or (most + 1) * len(values) > _MOST_CELLS or np.abs(above - steps * step).max() > 1e-12:
        return None
    shares = convolve(steps.astype(np.int64), chances)
    return start + least.sum() + step * np.arange(shares.size), shares


def convolve(steps: IntArray, chances: FloatArray) -> FloatArray:
    """Return the distribution of a sum of independent nonnegative integers with the probabilities ``chances``."""
    n_values = int(steps.max(axis=1).sum()) + 1
    shares = np.zeros((len(steps), int(steps.max()) + 1))
    np.add.at(shares, (np.arange(len(steps))[:, None], steps), chances)
    while len(shares) > 1:
        if len(shares) % 2:
            nothing = np.zeros((1, shares.shape[1]))
            nothing[0, 0] = 1.0
            shares = np.concatenate((shares, nothing))
        size = 2 * shares.shape[1] - 1
        waves = np.fft.rfft(shares, size, axis=1)
        shares = np.fft.irfft(waves[::2] * waves[1::2], size, axis=1)
    distribution: FloatArray = np.clip(shares[0][:n_values], 0.0, 1.0)
    return distribution


def _one_by_one(start: float, values: FloatArray, chances: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the possible values of a sum and their probabilities, or None if there are too many values."""
    sums, shares = np.array([start]), np.ones(1)
    for of_one, chance in zip(values, chances, strict=True):
        every = without_noise((sums[:, None] + of_one).ravel())
        sums, place = np.unique(every, return_inverse=True)
        if sums.size > MOST_VALUES:
            return None
        joined = np.zeros(sums.size)
        np.add.at(joined, place.ravel(), (shares[:, None] * chance).ravel())
        shares = joined
    return sums, shares

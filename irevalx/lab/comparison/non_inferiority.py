"""Noninferiority of runs to a baseline: tests whether the mean improvement over topics is above a negative margin.

Verdicts come from t intervals. If few topics differ, or all differ by the same amount, no interval is computed. In this
case, only exact sign flips test the direction, and a few small differences are not worse. docs/in-ci.md reports
simulations. If topics are clustered, intervals are cluster-robust, and the signs of all topics of a cluster are flipped
together. The rule for a few small differences is then not applied, because it requires independent topics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.statistics.clusters import ClusterDesign, Clusters
from irevalx.statistics.collection_means import on_these_collections
from irevalx.statistics.confidence_intervals import Ends, t_intervals
from irevalx.statistics.paired_comparisons import Comparisons
from irevalx.statistics.power import least_effect
from irevalx.statistics.significance import (
    FEW_TOPICS,
    RESAMPLES,
    exact_sign_flips,
    sign_flips,
    without_noise,
    without_spread,
)

NOT_WORSE, WORSE, CANNOT_TELL = "not worse", "worse", "cannot tell"
"""The possible verdicts on a run."""

_EXACT = 13
"""The maximum number of differing topics for which the p-value is computed from all sign flips."""

_SEED = 0
"""The seed of random sign flips, which is fixed so that verdicts are reproducible."""

_BEYOND = 20
"""The minimum number of random sign flips that are expected to be as far from zero as a mean with p = alpha."""

_MANY = 10_000
"""The effective number of topics from which the normal distribution replaces random sign flips. If all differences have
the same size, p-values around 0.05 are then too small by 2%, which is less than the error of random flips."""


def most_margins(n_topics: int) -> int:
    """Return the largest difference that a topic may have, in margins, if few topics differ."""
    return 5 if n_topics >= 100 else 2


class OverCollections(Comparisons):
    """Comparisons of means over collections, computed from the weighted values of the topics of all collections."""

    parts: Sequence[tuple[int, Clusters | None]] = ()
    """The number of topics and the clusters of topics in each collection."""


class Improvements(Frozen):
    """Improvements of runs over a baseline, with intervals and tests that generalise to the population of topics."""

    d: FloatArray
    """The rounded differences, which are positive for a better run. There is at least one topic. The shape is (n_rows,
    n_topics)."""
    alpha: float
    """The two-sided significance level of the test in each row."""
    clusters: Clusters | None = None
    """The clusters of dependent topics, or None if the topics are independent."""
    parts: Sequence[tuple[int, Clusters | None]] = ()
    """For means over collections, the number of topics and the clusters of each collection, in the order of the topics
    in ``d``. The differences are weighted so that the mean over topics equals the mean over collections."""

    def _t_interval(self, d: FloatArray) -> Ends:
        """Return t intervals for mean differences over topics or over collections.

        The shape of ``d`` is (n_rows, n_topics).
        """
        if not self.parts:
            [interval] = t_intervals(d, [1 - self.alpha], self.clusters)
            return interval
        sizes = np.array([n_topics for n_topics, _ in self.parts])
        weights = sizes.sum() / sizes.size / sizes
        each = [part / weight for part, weight in zip(np.split(d, np.cumsum(sizes)[:-1], axis=1), weights, strict=True)]
        return on_these_collections(each, [clusters for _, clusters in self.parts]).interval(self.alpha)

    def ratio_interval(self, runs: FloatArray, baseline: FloatArray) -> Ends:
        """Return the intervals of the ratios of the runs' means to the baseline's mean. See ``ratio_intervals``.

        For means over collections, the degrees of freedom depend on the ratio, and the bounds are found numerically.
        """
        if not self.parts:
            return ratio_intervals(runs, baseline, self.alpha, self.clusters)
        from scipy.optimize import brentq

        ends, sign = np.full((2, len(runs)), np.nan), np.sign(baseline.mean())
        for row, run in enumerate(runs if self._t_interval(sign * baseline[np.newaxis])[0] > 0 else ()):
            ratio = run.mean() / baseline.mean()
            for end, far in enumerate((ratio - 1.0, ratio + 1.0)):

                def excluded(r: float, end: int = end, run: FloatArray = run) -> float:
                    bound = self._t_interval(sign * (run - r * baseline)[np.newaxis])[end]
                    return float(np.nan_to_num(bound[0] * (-1) ** end))  # positive if r is outside the interval

                beyond = far
                while excluded(beyond) <= 0:
                    beyond += beyond - ratio  # twice as far
                ends[end, row] = brentq(excluded, ratio, beyond)
        return ends[0], ends[1]

    @cached_property
    def differing(self) -> IntArray:
        """The number of topics with a nonzero difference."""
        return np.asarray(np.count_nonzero(self.d, axis=1), np.int64)

    @cached_property
    def mean_of_differing(self) -> FloatArray:
        """The mean improvement over topics with a nonzero difference, or 0 if there are none."""
        return np.asarray(self.d.sum(axis=1) / np.maximum(1, self.differing))

    @cached_property
    def largest(self) -> FloatArray:
        """The largest absolute difference of any topic."""
        return np.asarray(np.abs(self.d).max(axis=1))

    @cached_property
    def greatest_mean(self) -> FloatArray:
        """An upper bound of the mean absolute difference if few topics differ, or nan if all topics differ.

        The bound is the upper Clopper-Pearson bound of the share of topics that differ, multiplied by the largest
        difference.
        """
        from scipy import special

        bound = special.betaincinv(self.differing + 1, self.d.shape[1] - self.differing, 1 - self.alpha / 2)
        return np.asarray(bound * self.largest)

    def differs_little(self, margin: float) -> BoolArray:
        """Return whether each run is not worse because it differs from the baseline by little and on few topics.

        At least 1 and fewer than ``FEW_TOPICS`` topics must differ, ``greatest_mean`` must be below the margin, and no
        topic may differ by more than ``most_margins`` times the margin. The result is False if topics are clustered,
        because the bound requires independent topics, and for means over collections.
        """
        if self.clusters is not None or self.parts:
            return np.zeros(len(self.d), np.bool_)
        is_little = (self.greatest_mean < margin) & (
            without_noise(self.largest - most_margins(self.d.shape[1]) * margin) <= 0
        )
        return np.asarray((self.differing > 0) & (self.differing < FEW_TOPICS) & is_little)

    @cached_property
    def without_spread(self) -> BoolArray:
        """Whether an interval is undefined: fewer than ``FEW_TOPICS`` topics differ, or all differ by the same amount.

        If topics are clustered, ``Clusters.without_spread`` decides.
        """
        return without_spread(self.d) if self.clusters is None else self.clusters.without_spread(self.d)

    @cached_property
    def interval(self) -> Ends:
        """The bounds of t intervals with the confidence level 1 - alpha, or nan if the interval is undefined."""
        low, high = self._t_interval(self.d)
        return np.where(self.without_spread, np.nan, low), np.where(self.without_spread, np.nan, high)

    @cached_property
    def p(self) -> FloatArray:
        """The p-values of sign-flip tests, which are exact if few topics differ, and based on random flips if many do.

        If topics are clustered, the signs of all topics of a cluster are flipped together. If there are too few
        clusters, the p-values are nan.
        """
        from scipy import special

        d = self.d
        if self.clusters is not None:
            if self.clusters.are_too_few:
                return np.full(len(d), np.nan)
            d = without_noise(self.clusters.sums(d))
        squares = d**2
        variances = squares.sum(axis=1)
        z = np.abs(d.sum(axis=1)) / np.sqrt(np.where(variances == 0, 1.0, variances))
        p: FloatArray = 2 * special.ndtr(-z)
        exact = self.without_spread | (np.count_nonzero(d, axis=1) <= _EXACT)
        drawn = (variances**2 < _MANY * (squares**2).sum(axis=1)) & ~exact
        for row in np.flatnonzero(exact):
            p[row] = exact_sign_flips(d[row])
        if drawn.any():
            resamples = max(RESAMPLES, math.ceil(_BEYOND / self.alpha))
            p[drawn] = sign_flips(d[drawn], resamples, _SEED)
        return p

    @cached_property
    def direction(self) -> IntArray:
        """The direction of each significant difference: 1 if the run is better, -1 if it is worse, and 0 if neither.

        The sign flips must agree with the interval, if the interval is defined.
        """
        low, high = self.interval
        sign = np.where(self.without_spread, np.sign(self.mean_of_differing), (low > 0) * 1.0 - (high < 0))
        return np.where(self.p < self.alpha, sign, 0).astype(np.int64)

    def loses_less(self, margin: float | FloatArray) -> BoolArray:
        """Return whether each run loses less than the margin, by its interval or because few topics differ by little.

        A relative margin is an array that contains a share of the baseline's value for each topic. The mean of this
        margin varies with the sample of topics, so the interval is computed for the mean of difference plus margin over
        topics.
        """
        low, at_least = self.interval[0], -margin
        if isinstance(margin, np.ndarray):
            low, _ = self._t_interval(self.d + margin)
            low, at_least = np.where(self.without_spread, np.nan, low), 0.0
        return np.asarray((self.differing == 0) | self.differs_little(float(np.mean(margin))) | (low > at_least))

    def equivalent(self, margin: float | FloatArray) -> BoolArray:
        """Return whether each run loses and gains less than the margin. An equivalent run is not worse."""
        return self.loses_less(margin) & replace(self, d=-self.d).loses_less(margin)

    def verdicts(self, margin: float | FloatArray) -> list[str]:
        """Return the verdict on each run, given a margin of at least 0.

        A run is not worse if no topic differs, if few topics differ by little, if the lower bound of the interval is
        above the negative margin, or if the interval is undefined and the run is significantly better. In all other
        cases, a run is worse if it is significantly worse.
        """
        is_better = self.without_spread & (self.direction > 0)
        not_worse = self.loses_less(margin) | is_better
        worse = ~not_worse & (self.direction < 0)
        verdicts = np.select([not_worse, worse], [NOT_WORSE, WORSE], CANNOT_TELL)
        return [str(verdict) for verdict in verdicts]

    @property
    def least_margins(self) -> FloatArray:
        """The margin with which a run as good as the baseline is not worse with a probability of 0.8.

        The margin is nan if the interval is undefined, and for means over collections.
        """
        n_topics = self.d.shape[1]
        if n_topics < 2 or self.parts:
            return np.full(len(self.d), np.nan)
        rows = self.d[:1] if self.clusters is None else self.d  # without clusters, all rows have the same design
        designs = [ClusterDesign.of(self.clusters, row[np.newaxis]) for row in rows]
        least = [least_effect(n_topics, alpha=self.alpha, two_sided=False, design=design) for design in designs]
        return np.where(self.without_spread, np.nan, self.d.std(axis=1, ddof=1) * least)


def ratio_intervals(runs: FloatArray, baseline: FloatArray, alpha: float, clusters: Clusters | None = None) -> Ends:
    """Return Fieller's interval for the ratio of each run's mean to the baseline's mean.

    The shape of ``runs`` is (n_rows, n_topics). An interval contains the ratios r for which the mean of run - r
    baseline is not significantly different from 0. If the baseline's mean is not significantly different from 0, the
    bounds are infinite and are returned as nan. If there are too few clusters, the bounds are also nan.
    """
    from scipy import special

    n_topics = baseline.size
    if clusters is None:
        scale = special.stdtrit(n_topics - 1, alpha / 2) ** 2 / n_topics / max(1, n_topics - 1)
        of_runs, of_baseline = runs - runs.mean(axis=1, keepdims=True), baseline - baseline.mean()
    elif clusters.are_too_few:
        return np.full(len(runs), np.nan), np.full(len(runs), np.nan)
    else:
        scale = special.stdtrit(clusters.freedom(), alpha / 2) ** 2
        of_runs, of_baseline = clusters.residuals(runs), clusters.residuals(baseline)
    means = runs.mean(axis=1)
    a = baseline.mean() ** 2 - scale * (of_baseline @ of_baseline)
    b = means * baseline.mean() - scale * (of_runs @ of_baseline)
    c = means**2 - scale * (of_runs**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        middle, half = b / a, np.sqrt(b**2 - a * c) / a
    has_bounds = a > 0
    return np.where(has_bounds, middle - half, np.nan), np.where(has_bounds, middle + half, np.nan)

"""Comparisons of pairs of runs: differences, intervals, effect sizes, wins and losses, and corrected p-values.

All values are on the scale of the measure. For a geometric mean, the logarithms of the values are tested. For a sum,
differences and intervals refer to the sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen, cached_property
from irevalx.statistics.clusters import FEWEST_CLUSTERS, Clusters
from irevalx.statistics.confidence_intervals import Ends, bca_intervals, bca_intervals_of_summaries, t_intervals
from irevalx.statistics.corrections import CORRECTIONS, SIMULTANEOUS, TUKEY, correction_named
from irevalx.statistics.randomised_tukey import (
    Tukey,
    least_tukey_p,
    mean_differences,
    randomised_tukey,
    randomised_tukey_of,
)
from irevalx.statistics.significance import (
    ALPHA,
    FEW_TOPICS,
    MEAN,
    RESAMPLES,
    TESTS,
    TOTAL,
    Scale,
    differences,
    paired_p_values,
    without_noise,
    without_spread,
)


class Method(Frozen):
    """The method by which runs are compared."""

    test: str = "t"
    """The name of a test in ``TESTS``."""
    correction: str = "holm"
    """The name of a correction in ``CORRECTIONS`` or ``SHORT_NAMES``, or ``TUKEY``."""
    interval: str = "t"
    """The name of an interval method in ``INTERVALS``."""
    alpha: float = ALPHA
    """The level at which a corrected p-value is significant if there are at least ``FEW_TOPICS`` topics. The confidence
    level of intervals is 1 - alpha."""
    resamples: int = RESAMPLES
    """The number of resamples in the permutation test, in randomised Tukey HSD, and for bootstrap intervals."""
    seed: int = 0

    @property
    def is_random(self) -> bool:
        """Whether the results depend on the random seed."""
        return (
            TESTS[self.test].exact is not None or correction_named(self.correction) == TUKEY or self.interval == "bca"
        )


class Comparisons(Frozen):
    """Comparisons of pairs of runs for one measure, corrected jointly. The shape of properties is (n_pairs,)."""

    values: FloatArray
    """The values of the runs. There must be at least one topic. The shape is (n_runs, n_topics)."""
    pairs: Sequence[tuple[int, int]]
    """The pairs of runs, given as indices of rows in ``values``. The second run is compared with the first. Tukey's
    p-values take all pairs of runs into account."""
    method: Method = Method()
    scale: Scale = MEAN
    processes: int = 1
    """The number of worker processes, which does not affect the results."""
    clusters: Clusters | None = None
    """The clusters of dependent topics, or None if topics are independent. Only the t test and the permutation test
    support clusters."""

    @cached_property
    def first(self) -> IntArray:
        """The index of the first run of each pair."""
        return np.array([first for first, _ in self.pairs], np.int64)

    @cached_property
    def second(self) -> IntArray:
        """The index of the second run of each pair."""
        return np.array([second for _, second in self.pairs], np.int64)

    @cached_property
    def tested(self) -> FloatArray:
        """The values on the scale on which the measure is tested. The shape is (n_runs, n_topics)."""
        return self.scale.transform(self.values)

    @cached_property
    def by_topic(self) -> FloatArray:
        """The differences between the tested values of each pair. The shape is (n_pairs, n_topics)."""
        return differences(self.tested[self.first], self.tested[self.second])

    @cached_property
    def summaries(self) -> FloatArray:
        """The summary values of the runs, as printed by the evaluator. The shape is (n_runs,)."""
        return self.scale.summarise(self.tested)

    @cached_property
    def difference(self) -> FloatArray:
        """The summary value of the second run minus the summary value of the first run."""
        return self.summaries[self.second] - self.summaries[self.first]

    @cached_property
    def effect_size(self) -> FloatArray:
        """Cohen's d of the paired differences, or NaN if it is undefined."""
        return effect_size(self.by_topic)

    @cached_property
    def wins(self) -> IntArray:
        """The number of topics for which the second run has the higher value."""
        return np.asarray(np.count_nonzero(self.by_topic > 0, axis=1), np.int64)

    @cached_property
    def ties(self) -> IntArray:
        """The number of topics for which both runs have the same value."""
        return np.asarray(np.count_nonzero(self.by_topic == 0, axis=1), np.int64)

    @cached_property
    def losses(self) -> IntArray:
        """The number of topics for which the second run has the lower value."""
        return np.asarray(np.count_nonzero(self.by_topic < 0, axis=1), np.int64)

    @cached_property
    def p(self) -> FloatArray:
        """The uncorrected p-values. For pairs that are ``without_spread``, sign flips replace the t test."""
        if not self.pairs:
            return np.zeros(0)
        p_values = paired_p_values if self.clusters is None else self.clusters.p_values
        return p_values(self.method.test, self.by_topic, self.method.resamples, self.method.seed)

    @cached_property
    def without_spread(self) -> BoolArray:
        """Whether the differences of a pair do not vary enough for a t test. See ``significance.without_spread``."""
        return without_spread(self.by_topic) if self.clusters is None else self.clusters.without_spread(self.by_topic)

    @property
    def flipped(self) -> FloatArray:
        """The differences whose signs a permutation test flips. The shape is (n_pairs, n_units).

        If topics are clustered, differences are summed over each cluster.
        """
        return self.by_topic if self.clusters is None else self.clusters.sums(self.by_topic)

    @property
    def are_tested(self) -> bool:
        """Whether p-values can be computed. If topics are clustered, tests require a minimum number of clusters."""
        return self.clusters is None or not self.clusters.are_too_few

    @property
    def why_untested(self) -> str:
        """A clause that states why p-values cannot be computed, or an empty string if they can be computed."""
        if self.are_tested:
            return ""
        return f"not tested, because a test requires at least {FEWEST_CLUSTERS} clusters: {self.clusters}"

    @property
    def units(self) -> str:
        """The independent units of the sample in words: topics or clusters."""
        return "topics" if self.clusters is None else "clusters"

    @property
    def topics_in_words(self) -> str:
        """A phrase that states the number of topics and, if topics are clustered, the number of clusters."""
        n_topics = self.values.shape[1]
        return f"{n_topics} topic{'s' * (n_topics != 1)}" if self.clusters is None else str(self.clusters)

    def test_in_words(self, test: str) -> str:
        """Return the description of a test. If topics are clustered, the description mentions the clusters."""
        return TESTS[test].words if self.clusters is None else _TESTS_OF_CLUSTERS[test]

    @property
    def by_sign_flips(self) -> BoolArray:
        """Whether sign flips replace the t test of each pair."""
        return self.without_spread & (self.method.test == "t" and self.are_tested)

    @cached_property
    def exact(self) -> BoolArray:
        """Whether the permutation test of each pair is exact. The value is False for all other tests."""
        exact = TESTS[self.method.test].exact
        return np.zeros(len(self.pairs), np.bool_) if exact is None else exact(self.flipped, self.method.resamples)

    @cached_property
    def tests(self) -> list[str]:
        """The test that computed the p-value of each pair."""
        return ["permutation" if flipped else self.method.test for flipped in self.by_sign_flips.tolist()]

    @cached_property
    def corrected_p(self) -> FloatArray:
        """The p-values after correction for multiple comparisons."""
        if not self.pairs:
            return np.zeros(0)
        if self._tukey is None:
            return CORRECTIONS[correction_named(self.method.correction)](self.p)
        return self._tukey.p_values(self._mean_differences)

    @cached_property
    def differ(self) -> BoolArray:
        """Whether each corrected p-value is below alpha. With fewer than ``FEW_TOPICS`` topics, the value is False."""
        return np.asarray((self.corrected_p < self.method.alpha) & (self.values.shape[1] >= FEW_TOPICS))

    @property
    def power(self) -> float:
        """The discriminative power: the fraction of pairs that differ, or 0 without any pair [Sakai, SIGIR 2006]."""
        return float(np.mean(self.differ)) if self.pairs else 0.0

    @property
    def power_uncorrected(self) -> float:
        """The fraction of pairs whose uncorrected p-value is below alpha, or 0 if there are no pairs."""
        return float(np.mean(self.p < self.method.alpha)) if self.pairs else 0.0

    @property
    def interval(self) -> Ends:
        """The bounds of the unadjusted interval of each difference, or NaN if the interval is undefined."""
        return self._intervals[0]

    @property
    def simultaneous_interval(self) -> Ends:
        """The bounds of the simultaneous interval of each difference, or NaN if the correction provides none."""
        return self._intervals[1]

    @cached_property
    def half_width(self) -> float:
        """The smallest significant difference by randomised Tukey HSD, or NaN for other methods or a geometric mean."""
        if self._tukey is None or not self.scale.is_linear:
            return math.nan
        return self._tukey.half_width(self.method.alpha) * (self.values.shape[1] if self.scale is TOTAL else 1)

    @cached_property
    def _tukey(self) -> Tukey | None:
        if correction_named(self.method.correction) != TUKEY:
            return None
        return randomised_tukey(self.tested, self.method.resamples, self.method.seed, self.processes)

    @property
    def _mean_differences(self) -> FloatArray:
        return mean_differences(self.tested[self.first], self.tested[self.second])

    @cached_property
    def _intervals(self) -> tuple[Ends, Ends]:
        n_pairs, n_topics = self.by_topic.shape
        method, scale = self.method, self.scale
        undefined = np.full(n_pairs, np.nan), np.full(n_pairs, np.nan)
        alone = 1 - method.alpha
        options = {"resamples": method.resamples, "seed": method.seed, "processes": self.processes}
        if not n_pairs or (method.interval == "t" and not scale.is_linear):
            return undefined, undefined
        if not scale.is_linear:
            x, y = self.tested[self.first], self.tested[self.second]
            [ends] = bca_intervals_of_summaries(x, y, scale, [alone], **options)
            return ends, undefined
        for_all = correction_named(method.correction) in SIMULTANEOUS and self._tukey is None
        confidences = [alone, 1 - method.alpha / n_pairs] if for_all else [alone]
        if method.interval == "t":
            of_means = t_intervals(self.by_topic, confidences, self.clusters)
            for end in (end for ends in of_means for end in ends):
                end[self.without_spread] = np.nan
        else:
            of_means = bca_intervals(self.by_topic, confidences, **options)
        if self._tukey is not None:
            half, middle = self._tukey.half_width(method.alpha), self._mean_differences
            of_means.append((without_noise(middle - half), without_noise(middle + half)))
        of_summaries = [(scale.of_mean(low, n_topics), scale.of_mean(high, n_topics)) for low, high in of_means]
        return of_summaries[0], of_summaries[1] if of_summaries[1:] else undefined


def share_arrangements(every: Sequence[Comparisons]) -> None:
    """Compute randomised Tukey HSD for several measures. Measures with values of equal shape share arrangements."""
    by_shape: dict[tuple[int, ...], list[Comparisons]] = {}
    for each in every:
        if correction_named(each.method.correction) == TUKEY and each.pairs:
            by_shape.setdefault(each.tested.shape, []).append(each)
    for members in by_shape.values():
        method, processes = members[0].method, members[0].processes
        values = [each.tested for each in members]
        for each, tukey in zip(
            members, randomised_tukey_of(values, method.resamples, method.seed, processes), strict=True
        ):
            vars(each)["_tukey"] = tukey  # the value of the cached property ``_tukey``


_TESTS_OF_CLUSTERS = {"t": "cluster-robust t test", "permutation": "a permutation test of flipped signs of clusters"}
"""The tests that can be applied to clusters of topics, and their descriptions."""


def effect_size(d: FloatArray) -> FloatArray:
    """Return Cohen's d, the mean of the paired differences divided by their standard deviation, or NaN if undefined.

    The shape of ``d`` is (..., n_topics).
    """
    constant = (d == d[..., :1]).all(axis=-1)
    deviation = np.ones(constant.shape) if d.shape[-1] < 2 else d.std(axis=-1, ddof=1)
    size: FloatArray = d.mean(axis=-1) / np.where(constant, 1.0, deviation)
    return np.where(constant & (d[..., 0] != 0), np.nan, size)  # the effect size is 0 if all differences are 0


def least_corrected_p(method: Method, n_runs: int, n_topics: int, n_pairs: int, *, exact: bool = False) -> float:
    """Return the lowest possible corrected p-value. If ``exact`` is true, resamples do not limit the p-value."""
    correction = correction_named(method.correction)
    if correction == TUKEY:
        return least_tukey_p(n_runs, n_topics, method.resamples)
    least = 2.0 ** min(0, 1 - n_topics) if exact else TESTS[method.test].least_p(n_topics, method.resamples)
    return float(CORRECTIONS[correction](np.full(n_pairs, least)).min(initial=1.0))

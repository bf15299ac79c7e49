"""Clusters of dependent topics: CR2 variances, degrees of freedom, sign flips, and rates of false positives."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from references.cluster_robust import cluster_robust
from references.judges import judge
from scipy import stats

import irevalx
from irevalx.arrays.segments import FloatArray
from irevalx.lab.comparison.non_inferiority import CANNOT_TELL, NOT_WORSE, WORSE, Improvements
from irevalx.statistics.clusters import ClusterDesign, Clusters
from irevalx.statistics.confidence_intervals import t_intervals
from irevalx.statistics.paired_comparisons import Comparisons, Method
from irevalx.statistics.power import half_width, least_effect, median_and_greatest, power_of_t, topics_to_find

DRAWS = int(os.environ.get("CLUSTER_DRAWS", "400"))
"""Samples of each cell of the simulations, times 2 or 5."""

SIZES: dict[str, Callable[[int], list[int]]] = {
    "equal": lambda n: [5] * n,
    "1 to 30": lambda n: np.rint(np.geomspace(1, 30, n)).astype(int).tolist(),
    "one of 30": lambda n: [30] + [2] * (n - 1),
}
"""The sizes of n clusters, as in the simulations."""


def clusters_of(sizes: list[int]) -> Clusters:
    """Return clusters of these sizes, whose topics are mixed."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    clusters = Clusters.of(np.random.default_rng(len(codes)).permutation(codes).tolist())
    assert clusters is not None
    return clusters


@pytest.mark.parametrize(("kind", "number"), [*product(SIZES, [6, 9, 20])])
def test_variance_and_degrees_of_freedom(kind: str, number: int) -> None:
    """The formulas for a mean equal the matrices of the definition, and so do p-values and intervals."""
    clusters = clusters_of(SIZES[kind](number))
    d = np.random.default_rng(number).normal(0.05, 1, (3, clusters.codes.size))
    [(low, high)] = t_intervals(d, [0.9], clusters)
    for row, of_pair in enumerate(d):
        variance, freedom = cluster_robust(clusters.codes.tolist(), of_pair.tolist())
        assert clusters.freedom() == pytest.approx(freedom, rel=1e-9)
        assert clusters.errors(d)[row] == pytest.approx(math.sqrt(variance), rel=1e-9)
        t = float(of_pair.mean()) / math.sqrt(variance)
        assert clusters.t_test(d)[row] == pytest.approx(2 * stats.t.sf(abs(t), freedom), rel=1e-7)
        half = stats.t.isf(0.05, freedom) * math.sqrt(variance)
        assert (low[row], high[row]) == pytest.approx((of_pair.mean() - half, of_pair.mean() + half), rel=1e-7)


def test_clusters_of_one_topic() -> None:
    """Clusters of one topic each are no clusters, and the general formulas then give Student's t test."""
    assert Clusters.of("abcdefg") is None
    d = np.random.default_rng(1).normal(0.2, 1, (1, 12))
    alone = Clusters(np.arange(12))
    test = stats.ttest_1samp(d[0], 0.0)
    assert alone.freedom() == pytest.approx(11, rel=1e-12)
    assert alone.t_test(d)[0] == pytest.approx(test.pvalue, rel=1e-12)
    assert cluster_robust(list(range(12)), d[0].tolist()) == pytest.approx((float(d.var(ddof=1)) / 12, 11), rel=1e-9)


def test_equal_clusters_as_statsmodels() -> None:
    """With clusters of equal sizes, CR1 of statsmodels is the same variance."""
    api = judge("statsmodels.api")
    clusters, d = clusters_of([4] * 8), np.random.default_rng(3).normal(0, 1, (1, 32))
    fitted = api.OLS(d[0], np.ones(32)).fit(cov_type="cluster", cov_kwds={"groups": clusters.codes})
    assert clusters.errors(d)[0] == pytest.approx(float(fitted.bse[0]), rel=1e-9)


def test_subsets_of_topics() -> None:
    """A subset keeps its clusters; without two topics of a cluster, there are no clusters."""
    clusters = Clusters.of(["a", "a", "b", "c", "c", "c"])
    assert clusters is not None
    assert str(clusters) == "6 topics in 3 clusters"
    rest = clusters.of_topics(np.array([False, True, True, False, True, True]))
    assert rest is not None
    assert rest.sizes.tolist() == [1, 1, 2]
    assert clusters.of_topics(np.array([0, 2, 3])) is None


def test_sign_flips_of_clusters() -> None:
    """All topics of a cluster change their signs at once: enumerated in a loop."""
    clusters = clusters_of([1, 2, 3, 4, 1, 2, 3])
    d = np.round(np.random.default_rng(5).normal(0.5, 1, (1, clusters.codes.size)), 3)
    sums = [
        sum(v for v, code in zip(d[0].tolist(), clusters.codes.tolist(), strict=True) if code == g) for g in range(7)
    ]
    flipped = [abs(sum(sign * s for sign, s in zip(signs, sums, strict=True))) for signs in product([1, -1], repeat=7)]
    expected = sum(value >= abs(sum(sums)) - 1e-9 for value in flipped) / 2**7
    assert clusters.p_values("permutation", d, 9999, 0)[0] == expected
    assert Comparisons(np.stack([0 * d[0], d[0]]), [(0, 1)], Method("permutation"), clusters=clusters).p[0] == expected
    improved = Improvements(d, 0.05, clusters)
    assert improved.p[0] == expected


def test_flips_replace_t_if_few_clusters_differ() -> None:
    """The topics of four clusters differ: no interval, and an exact sign-flip test of four sums."""
    clusters = clusters_of([3] * 8)
    d = np.where(clusters.codes < 4, 0.1, 0.0)[np.newaxis]
    compared = Comparisons(np.concatenate([0 * d, d]), [(0, 1)], clusters=clusters)
    assert compared.p.tolist() == [2 / 2**4]
    assert compared.by_sign_flips.all()
    assert np.isnan(compared.interval).all()
    assert Improvements(-d, 0.2, clusters).verdicts(0.01) == [WORSE]
    assert Improvements(-d, 0.05, clusters).verdicts(1.0) == [CANNOT_TELL]


def test_too_few_clusters() -> None:
    """With 5 clusters, there is neither a p-value nor an interval, and the gate cannot tell."""
    clusters = clusters_of([4] * 5)
    d = np.random.default_rng(7).normal(1, 0.1, (1, 20))
    for test in ("t", "permutation"):
        compared = Comparisons(np.concatenate([0 * d, d]), [(0, 1)], Method(test), clusters=clusters)
        assert np.isnan(compared.corrected_p).all()
        assert np.isnan(compared.interval).all()
        assert not compared.differ.any()
    assert Improvements(d, 0.05, clusters).verdicts(0.5) == [CANNOT_TELL]
    assert Improvements(-d, 0.05, clusters).verdicts(0.5) == [CANNOT_TELL]
    assert Improvements(0 * d, 0.05, clusters).verdicts(0.5) == [NOT_WORSE]
    assert "fewer than 6 clusters" in str(clusters.caution)
    assert "unreliable" in str(clusters_of([4] * 9).caution)
    assert "(1.5 degrees of freedom)" in str(clusters_of([90, 60, *[1] * 18]).caution)
    assert clusters_of([4] * 10).caution is None


def test_correlation_is_analysis_of_variance() -> None:
    """F and the intraclass correlation from sums of squares in loops; F is that of scipy."""
    clusters = clusters_of([1, 4, 2, 6, 3, 5, 2])
    noise, effects = np.random.default_rng(9).normal(0, 1, (2, clusters.codes.size))
    d = (noise + effects[clusters.codes])[np.newaxis]
    groups = [d[0][clusters.codes == code] for code in range(7)]
    f, p = stats.f_oneway(*groups)
    between = sum(len(group) * (group.mean() - d.mean()) ** 2 for group in groups) / 6
    within = sum(((group - group.mean()) ** 2).sum() for group in groups) / (23 - 7)
    size = (23 - sum(len(group) ** 2 for group in groups) / 23) / 6
    correlation = (between - within) / (between + (size - 1) * within)
    assert clusters.variance_ratios(d)[0][0] == pytest.approx(f, rel=1e-9)
    assert clusters.variance_ratios(d)[1][0] == pytest.approx(correlation, rel=1e-9)
    assert clusters.dependence(d)[0] == pytest.approx(p, rel=1e-7)
    effect = 1 + correlation * (sum(len(group) ** 2 for group in groups) / 23 - 1)
    assert clusters.design_effects(d)[0] == pytest.approx(effect, rel=1e-9)
    assert clusters.variance_ratios(0 * d)[1].tolist() == [0.0]
    assert clusters.dependence(0 * d).tolist() == [1.0]


def test_planned_topics() -> None:
    """Twice the topics are in twice as many clusters of the same sizes, with their degrees of freedom."""
    sizes = [1, 4, 2, 6, 3, 5, 2]
    clusters, twice = clusters_of(sizes), clusters_of(sizes * 2)
    assert clusters.freedom(46) == pytest.approx(cluster_robust(twice.codes.tolist(), [0.0] * 46)[1], rel=1e-9)
    assert clusters.freedom(15) == 0  # fewer than six clusters
    design = ClusterDesign(clusters, 2.0)
    shift, freedom = 0.5 * math.sqrt(46 / 2), clusters.freedom(46)
    critical = stats.t.isf(0.025, freedom)
    expected = stats.nct.sf(critical, freedom, shift) + stats.nct.cdf(-critical, freedom, shift)
    assert power_of_t(46, 0.5, design=design) == pytest.approx(expected, rel=1e-6)
    least = least_effect(46, 0.8, design=design)
    assert power_of_t(46, least, design=design) == pytest.approx(0.8, rel=1e-9)
    needed = int(topics_to_find(least, 0.8, design=design))
    assert 46 in {needed, needed + 1}  # up to rounding
    assert power_of_t(15, 9.0, design=design) == 0
    assert math.isnan(half_width(15, design=design))
    assert half_width(46, design=design) > half_width(46)


def test_interval_of_the_deviation_is_over_clusters() -> None:
    """If the topics of a cluster are equal, the interval is that of one topic per cluster."""
    values = np.random.default_rng(11).normal(0, 1, (3, 12))
    clusters = Clusters.of(np.repeat(np.arange(12), 50).tolist())
    alone, greatest, _ = median_and_greatest(values)
    of_clusters, greatest_of_clusters, _ = median_and_greatest(np.repeat(values, 50, axis=1), clusters=clusters)
    for of_topics, many in ((alone, of_clusters), (greatest, greatest_of_clusters)):
        assert many.low / many.value == pytest.approx(of_topics.low / of_topics.value, rel=0.01)
        assert many.high / many.value == pytest.approx(of_topics.high / of_topics.value, rel=0.01)


def drawn(
    clusters: Clusters, correlation: float, draws: int, skewed: bool, seed: int, real: FloatArray | None = None
) -> FloatArray:
    """Return differences with mean 0 and this intraclass correlation: shape (draws, n_topics).

    They are normal, exponential if ``skewed``, or drawn from ``real`` differences.
    """
    random = np.random.default_rng(seed)
    shape = (draws, clusters.number + clusters.codes.size)
    values = random.exponential(1, shape) - 1 if skewed else random.normal(0, 1, shape)
    if real is not None:
        values = random.choice((real - real.mean()) / real.std(), shape)
    of_clusters, of_topics = values[:, : clusters.number], values[:, clusters.number :]
    both: FloatArray = np.sqrt(correlation) * of_clusters[:, clusters.codes] + np.sqrt(1 - correlation) * of_topics
    return np.round(both, 12)


CELLS = [*product(SIZES, [6, 10, 20, 40], [0.0, 0.2, 0.8])]

FLIPPED = {"equal": 0.07, "1 to 30": 0.08, "one of 30": 0.09}
"""The largest false-positive rates of sign flips in the simulations that chose the method, for symmetric differences."""


def noise_of(share: float, draws: int) -> float:
    """Return the error of a simulated share that one of some dozen cells rarely exceeds."""
    return 3.3 * math.sqrt(share * (1 - share) / draws)


@pytest.mark.parametrize(("skewed", "most"), [(False, 0.07), (True, 0.14)])
def test_false_positives(skewed: bool, most: float) -> None:
    """The t test has at most these rates for all sizes and correlations; a t test over topics has far higher ones."""
    rates, naive = {}, {}
    for number, cell in enumerate(CELLS):
        clusters = clusters_of(SIZES[cell[0]](cell[1]))
        d = drawn(clusters, cell[2], DRAWS * 2, skewed, number)
        rates[cell] = float(np.mean(clusters.t_test(d) < 0.05))
        naive[cell] = float(np.mean(stats.ttest_1samp(d, 0.0, axis=1).pvalue < 0.05))
    assert max(rates.values()) <= most + 0.005 + noise_of(most, DRAWS * 2), rates
    assert max(naive.values()) > 0.6


@pytest.mark.slow
def test_false_positives_of_real_differences(robust03: Path) -> None:
    """Differences in average precision of pairs of runs of robust03, for topics and clusters drawn from them."""
    runs = sorted((robust03 / "runs").iterdir())[:4]
    scores = irevalx.evaluate(robust03 / "qrels.gz", runs, ["map"], complete=True)
    values = np.array([scores.per_topic("map", run) for run in scores.runs])
    for first, second in ((0, 1), (2, 3)):
        for number, cell in enumerate(CELLS):
            clusters = clusters_of(SIZES[cell[0]](cell[1]))
            d = drawn(clusters, cell[2], DRAWS * 2, False, number, values[second] - values[first])
            rate = float(np.mean(clusters.t_test(d) < 0.05))
            assert rate <= 0.075 + noise_of(0.07, DRAWS * 2), (runs[first], runs[second], cell)


@pytest.mark.parametrize("kind", SIZES)
def test_false_positives_of_sign_flips(kind: str) -> None:
    """Sign flips of clusters have at most these rates."""
    for number, correlation in product([6, 12], [0.0, 0.8]):
        clusters = clusters_of(SIZES[kind](number))
        p = clusters.p_values("permutation", drawn(clusters, correlation, DRAWS, False, number), 999, 0)
        assert np.mean(p < 0.05) <= FLIPPED[kind] + 0.005 + noise_of(FLIPPED[kind], DRAWS), (number, correlation)


POWERS = {"equal": [0.63, 0.68, 0.72, 0.78, 0.79], "1 to 30": [0.40, 0.50, 0.57, 0.72, 0.74]}
"""The power with 6, 8, 10, 20 and 40 clusters without correlation, if a t test over topics has a power of 0.8."""


@pytest.mark.parametrize("kind", POWERS)
def test_power_without_correlation(kind: str) -> None:
    """The price of clusters that are not needed is that of the simulations, and the planned power is within 0.03."""
    for number, expected in zip([6, 8, 10, 20, 40], POWERS[kind], strict=True):
        clusters = clusters_of(SIZES[kind](number))
        n_topics = clusters.codes.size
        effect = least_effect(n_topics, 0.8)
        power = float(np.mean(clusters.t_test(drawn(clusters, 0.0, DRAWS * 5, False, number) + effect) < 0.05))
        error = noise_of(0.7, DRAWS * 5)
        assert power == pytest.approx(expected, abs=0.03 + error), number
        assert power_of_t(n_topics, effect, design=ClusterDesign(clusters)) == pytest.approx(power, abs=0.03 + error), (
            number
        )


@pytest.mark.parametrize(("kind", "correlation"), [*product(POWERS, [0.2, 0.8])])
def test_planned_power(kind: str, correlation: float) -> None:
    """The power that the design effect of the true correlation predicts is the simulated power, within 0.03."""
    for number in (10, 20, 40):
        clusters = clusters_of(SIZES[kind](number))
        design = ClusterDesign(clusters, 1 + correlation * (clusters.mean_size - 1))
        effect = least_effect(clusters.codes.size, 0.8, design=design)
        power = np.mean(clusters.t_test(drawn(clusters, correlation, DRAWS * 5, False, number) + effect) < 0.05)
        assert power == pytest.approx(0.8, abs=0.03 + noise_of(0.8, DRAWS * 5)), number


@pytest.mark.parametrize("kind", SIZES)
def test_false_passes_of_the_gate(kind: str) -> None:
    """A run that loses exactly the margin is rarely "not worse", at a nominal rate of .025."""
    for number, correlation in product([10, 40], [0.0, 0.2, 0.8]):
        clusters = clusters_of(SIZES[kind](number))
        d = drawn(clusters, correlation, DRAWS * 5, False, number) - 0.1
        passes = float(np.mean(Improvements(d, 0.05, clusters).loses_less(0.1)))
        assert passes <= 0.028 + noise_of(0.028, DRAWS * 5), (number, correlation)

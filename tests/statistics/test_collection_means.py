"""Mean differences over collections: formulas in loops, other packages, coverage and false positives."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from references.cluster_robust import cluster_robust
from references.judges import judge
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.statistics.clusters import Clusters
from irevalx.statistics.collection_means import (
    families_of,
    on_collections_like_these,
    on_these_collections,
    without_one,
)

DRAWS = int(os.environ.get("COLLECTION_DRAWS", "150"))
"""Samples of each cell of the simulations."""

SIZES = [10, 17, 24, 8]


def samples(seed: int, n_pairs: int = 2) -> list[FloatArray]:
    """Return differences in four collections, with other means and deviations in each."""
    rng = np.random.default_rng(seed)
    return [rng.normal(0.1 * k, 0.5 + k, (n_pairs, n_topics)) for k, n_topics in enumerate(SIZES)]


def satterthwaite(each: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Return the mean of means, its standard error and its degrees of freedom, added up in loops."""
    total = squares = mean = 0.0
    for d in each:
        centre = sum(d) / len(d)
        v = sum((x - centre) ** 2 for x in d) / (len(d) - 1) / len(d)
        total, squares, mean = total + v, squares + v**2 / (len(d) - 1), mean + centre / len(each)
    return mean, math.sqrt(total) / len(each), total**2 / squares


def test_on_these_collections() -> None:
    """Mean, error, degrees of freedom, p and interval as in the loop."""
    each = samples(1)
    estimate = on_these_collections(each, [None] * 4)
    low, high = estimate.interval(0.1)
    for row in range(2):
        mean, error, freedom = satterthwaite([d[row].tolist() for d in each])
        half = stats.t.isf(0.05, freedom) * error
        p = 2 * stats.t.sf(abs(mean) / error, freedom)
        assert (estimate.difference[row], estimate.error[row], estimate.freedom[row]) == pytest.approx(
            (mean, error, freedom)
        )
        assert (estimate.p[row], low[row], high[row]) == pytest.approx((p, mean - half, mean + half))


def test_two_collections_as_welch() -> None:
    """With two collections, the test is Welch's test of the differences against the negated ones of the other."""
    x, y = samples(2, 1)[:2]
    expected = stats.ttest_ind(x[0], -y[0], equal_var=False)
    estimate = on_these_collections([x, y], [None, None])
    assert (estimate.p[0], estimate.freedom[0]) == pytest.approx((expected.pvalue, expected.df))


def test_clusters_in_collections() -> None:
    """The variance and the degrees of freedom of a collection with clusters are those of the matrices."""
    x, y = (np.random.default_rng(seed).normal(0, 1, (1, 24)) for seed in (3, 4))
    names = [topic // 3 for topic in range(24)]
    v, freedom = cluster_robust(names, x[0].tolist())
    other = float(y.var(ddof=1)) / 24
    estimate = on_these_collections([x, y], [Clusters.of(names), None])
    assert estimate.error[0] == pytest.approx(math.sqrt(v + other) / 2)
    assert estimate.freedom[0] == pytest.approx((v + other) ** 2 / (v**2 / freedom + other**2 / 23))
    few = on_these_collections([x, y], [Clusters.of([topic // 6 for topic in range(24)]), None])
    assert np.isnan(few.p).all()


def test_on_collections_like_these() -> None:
    """A t test over the means of collections, and with families the cluster-robust test of the matrices."""
    means = np.random.default_rng(5).normal(0.3, 1, (2, 7))
    estimate = on_collections_like_these(means, None)
    expected = stats.ttest_1samp(means, 0.0, axis=1)
    assert estimate.p == pytest.approx(expected.pvalue)
    assert np.array(estimate.interval(0.05)) == pytest.approx(np.array(expected.confidence_interval(0.95)))
    families = ["cqa", "fiqa", "cqa", "cqa", "nq", "bio", "bio"]
    related = on_collections_like_these(means, families_of(families))
    for row in range(2):
        variance, freedom = cluster_robust(families, means[row].tolist())
        t = means[row].mean() / math.sqrt(variance)
        assert related.freedom[row] == pytest.approx(freedom)
        assert related.p[row] == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    assert families_of("abc") is None


def test_mixed_model() -> None:
    """With equal numbers of topics, the estimate and its error are those of a mixed model with random collections."""
    judge("statsmodels.api")
    from statsmodels.regression.mixed_linear_model import MixedLM

    rng = np.random.default_rng(6)
    d = rng.normal(0.2, 1, (6, 30)) + rng.normal(0, 0.7, (6, 1))
    fitted = MixedLM(d.ravel(), np.ones(180), groups=np.repeat(np.arange(6), 30)).fit(reml=True, method="powell")
    estimate = on_collections_like_these(d.mean(axis=1)[np.newaxis], None)
    assert estimate.difference[0] == pytest.approx(float(fitted.fe_params[0]))
    assert estimate.error[0] == pytest.approx(float(fitted.bse_fe[0]), rel=1e-3)


def test_without_variation() -> None:
    """Equal runs have p = 1. Other differences without variation, few collections and few families are not tested."""
    same, constant = np.zeros((1, 5)), np.full((1, 5), 0.25)
    assert on_these_collections([same, same], [None, None]).p.tolist() == [1.0]
    assert np.isnan(on_these_collections([same, constant], [None, None]).p).all()
    assert np.isnan(on_these_collections([same, np.ones((1, 1))], [None, None]).p).all()
    assert on_these_collections([same, *samples(7, 1)], [None] * 5).p[0] < 1
    assert on_collections_like_these(np.zeros((1, 4)), None).p.tolist() == [1.0]
    assert np.isnan(on_collections_like_these(np.array([[0.1, 0.2]]), None).p).all()
    assert np.isnan(on_collections_like_these(np.array([[0.1, 0.2, 0.4]]), families_of("aab")).p).all()
    assert np.isfinite(on_collections_like_these(np.array([[0.1, 0.2, 0.4, 0.1]]), families_of("aabc")).p).all()


def test_without_one_collection() -> None:
    """The range of means of all other collections."""
    means = np.array([[0.1, 0.4, -0.2, 0.3]])
    rest = [sum(x for j, x in enumerate(means[0].tolist()) if j != i) / 3 for i in range(4)]
    assert [end[0] for end in without_one(means)] == pytest.approx([min(rest), max(rest)])
    assert np.isnan(without_one(means[:, :1])).all()


def _skewed(rng: np.random.Generator, n: int) -> FloatArray:
    """Return bounded differences with a mean of 0, of which many are 0 and few are large."""
    return np.where(rng.random(n) < 0.5, 0.0, np.minimum(rng.exponential(0.2, n), 1.0) - 0.2 * (1 - math.exp(-5)))


NOISE: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "normal": lambda rng, n: rng.normal(0, 0.2, n),
    "skewed": _skewed,
}


@pytest.mark.parametrize("kind", NOISE)
@pytest.mark.parametrize("number", [3, 13])
def test_coverage_on_these_collections(kind: str, number: int) -> None:
    """The 95% interval covers the mean of the true differences, as in the paper with the definitions: .91 to .96."""
    rng, covered = np.random.default_rng(number), 0
    for _ in range(DRAWS):
        effects = rng.normal(0, 0.02, number)
        sizes = rng.integers(20, 200, number)
        each = [(NOISE[kind](rng, n) + effect)[np.newaxis] for n, effect in zip(sizes, effects, strict=True)]
        [low], [high] = on_these_collections(each, [None] * number).interval(0.05)
        covered += bool(low <= effects.mean() <= high)
    spread = 3 * math.sqrt(0.05 * 0.95 / DRAWS)
    assert 0.92 - spread <= covered / DRAWS <= 0.975 + spread, covered / DRAWS


@pytest.mark.parametrize(("number", "related"), [(3, False), (5, False), (13, False), (13, True)])
def test_false_positives_on_collections_like_these(number: int, related: bool) -> None:
    """Normal effects: .04 to .05 without families and, if 40 % of the collections are related, .05 with families."""
    rng, n_family = np.random.default_rng(10 + number + related), round(0.4 * number) if related else 0
    like = these = 0
    families = families_of(["family"] * n_family + [str(k) for k in range(number - n_family)])
    for _ in range(DRAWS):
        effects = rng.normal(0, 0.03, number)
        effects[:n_family] = effects[:1] if n_family else 0
        each = [
            rng.normal(effect, 0.2, (1, n)) for n, effect in zip(rng.integers(50, 300, number), effects, strict=True)
        ]
        means = np.array([d.mean(axis=1) for d in each]).T
        like += bool(on_collections_like_these(means, families).p[0] < 0.05)
        these += bool(on_these_collections(each, [None] * number).p[0] < 0.05)
    spread = 3 * math.sqrt(0.05 * 0.95 / DRAWS)
    assert 0.03 - spread <= like / DRAWS <= 0.075 + spread, like / DRAWS
    assert these / DRAWS > 0.2, "the test on these collections is no test for collections like these"

"""Clusters of dependent topics: cluster-robust tests and intervals of mean differences, and intraclass correlations.

Topics of the same cluster, such as the turns of a conversation, depend on each other. Topics of different clusters are
independent. The variance of a mean over topics is the estimate CR2, with Bell and McCaffrey's degrees of freedom.
Sign-flip tests flip the signs of all topics of a cluster together.

Source: Bell and McCaffrey, Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples, Survey
Methodology 28(2), 2002, where the mean is the only coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen, cached_property
from irevalx.statistics.significance import FEW_TOPICS, exact_sign_flips, sign_flips, without_noise

FEWEST_CLUSTERS = 6
"""The minimum number of clusters for which p-values and intervals are computed."""

_FEW_CLUSTERS, _FEW_DEGREES = 10, 4
"""The numbers of clusters and of degrees of freedom below which a warning is issued."""

_ROUNDING = 1e-12
"""Sums over clusters are treated as equal if their difference, divided by the largest possible sum, is below this
value."""


class Clusters(Frozen):
    """The assignment of topics to clusters. At least one cluster contains several topics."""

    codes: IntArray
    """The index of each topic's cluster. Every index from 0 to the maximum occurs. The shape is (n_topics,)."""
    fewest: int = FEWEST_CLUSTERS
    """The minimum number of clusters for which p-values and intervals are computed."""

    @classmethod
    def of(cls, names: Iterable[Hashable]) -> Clusters | None:
        """Assign topics to clusters, given the name of each topic's cluster. Return None if all names are different."""
        numbers: dict[Hashable, int] = {}
        codes = [numbers.setdefault(name, len(numbers)) for name in names]
        return cls(np.array(codes, np.int64)) if len(numbers) < len(codes) else None

    def of_topics(self, places: IntArray | BoolArray) -> Clusters | None:
        """Return the clusters of a subset of the topics, or None if no two topics of the subset share a cluster."""
        return Clusters.of(self.codes[places].tolist())

    @cached_property
    def sizes(self) -> IntArray:
        """The number of topics of each cluster. The shape is (n_clusters,)."""
        return np.bincount(self.codes)

    @property
    def number(self) -> int:
        """The number of clusters."""
        return self.sizes.size

    @property
    def are_too_few(self) -> bool:
        """Whether there are fewer clusters than ``fewest``."""
        return self.number < self.fewest

    @property
    def mean_size(self) -> float:
        """The size of a topic's cluster, averaged over topics."""
        return float((self.sizes**2).sum()) / self.codes.size

    def __str__(self) -> str:
        plural = "s" * (self.number != 1)
        return f"{self.codes.size} topics in {self.number} cluster{plural}"

    @property
    def degrees(self) -> str:
        """A phrase that states the degrees of freedom of the variance."""
        return f"{self.freedom():.1f} degrees of freedom"

    @property
    def caution(self) -> str | None:
        """A warning that there are few clusters or few degrees of freedom, or None if there are enough."""
        if self.are_too_few:
            return f"{self}: with fewer than {FEWEST_CLUSTERS} clusters, neither p-values nor intervals are computed"
        if self.number >= _FEW_CLUSTERS and self.freedom() >= _FEW_DEGREES:
            return None
        return (
            f"{self} ({self.degrees}): p-values and intervals are unreliable with fewer than {_FEW_CLUSTERS} clusters "
            f"or {_FEW_DEGREES} degrees of freedom"
        )

    def freedom(self, n_topics: float | None = None) -> float:
        """Return the degrees of freedom of the CR2 variance.

        If ``n_topics`` is given, return the degrees of freedom for this number of topics in clusters with the same
        distribution of sizes. If there are fewer than ``fewest`` clusters, return 0.
        """
        total = self.codes.size if n_topics is None else n_topics
        times = total / self.codes.size
        if self.number * times < self.fewest or self.sizes.max() >= total:
            return 0.0
        shares = self.sizes**2 / (total - self.sizes)
        squares = times * float((self.sizes**2).sum()) - times * float((shares**2).sum())
        return total**2 / (squares + (times * float(shares.sum())) ** 2)

    def sums(self, d: FloatArray) -> FloatArray:
        """Return the sum of the differences in each cluster. The shape of the result is (..., n_clusters).

        The shape of ``d`` is (..., n_topics).
        """
        sums = np.zeros((self.number, *d.shape[:-1]))
        np.add.at(sums, self.codes, np.moveaxis(d, -1, 0))
        return np.moveaxis(sums, 0, -1)

    def residuals(self, d: FloatArray) -> FloatArray:
        """Return the adjusted residuals of clusters. The sum of squared residuals is the CR2 variance of the mean.

        There must be at least two clusters. The shape of ``d`` is (..., n_topics), and the shape of the result is (...,
        n_clusters).
        """
        n_topics = self.codes.size
        deviations = self.sums(d) - self.sizes * d.mean(axis=-1, keepdims=True)
        deviations[np.abs(deviations) <= _ROUNDING * n_topics * np.abs(d).max(axis=-1, keepdims=True)] = 0.0
        residuals: FloatArray = deviations / np.sqrt(1 - self.sizes / n_topics) / n_topics
        return residuals

    def errors(self, d: FloatArray) -> FloatArray:
        """Return the CR2 standard error of each mean, or NaN if the error is 0 or there are too few clusters."""
        if self.are_too_few:
            return np.full(d.shape[:-1], np.nan)
        errors = np.sqrt((self.residuals(d) ** 2).sum(axis=-1))
        return np.where(errors > 0, errors, np.nan)

    def without_spread(self, d: FloatArray) -> BoolArray:
        """Return whether the confidence interval of each pair's mean difference is undefined.

        The interval is undefined if a pair differs in fewer than ``FEW_TOPICS`` clusters, or if its standard error is
        0. If there are too few clusters, all intervals are undefined. The shape of ``d`` is (n_pairs, n_topics).
        """
        n_differing = np.count_nonzero(self.sums((d != 0) * 1.0), axis=-1)  # clusters with a nonzero difference
        return np.asarray((n_differing < FEW_TOPICS) | np.isnan(self.errors(d)))

    def t_test(self, d: FloatArray) -> FloatArray:
        """Return the p-value of the cluster-robust t test for each mean, or NaN if its standard error is NaN."""
        from scipy import special

        return np.asarray(2 * special.stdtr(self.freedom(), -np.abs(d.mean(axis=-1)) / self.errors(d)))

    def p_values(self, test: str, d: FloatArray, resamples: int, seed: int) -> FloatArray:
        """Return the p-value of the test on each pair, or NaN if there are too few clusters.

        The argument ``test`` is "t" or "permutation". If the interval of a pair is undefined (see ``without_spread``),
        the signs of clusters are flipped instead of the t test. The shape of ``d`` is (n_pairs, n_topics).
        """
        if self.are_too_few or not len(d):
            return np.full(len(d), np.nan)
        sums = without_noise(self.sums(d))
        if test == "permutation":
            return sign_flips(sums, resamples, seed)
        p = self.t_test(d)
        for row in np.flatnonzero(self.without_spread(d)):
            p[row] = exact_sign_flips(sums[row])
        return p

    def variance_ratios(self, d: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the F statistics of analyses of variance with clusters as groups, and the intraclass correlations.

        The correlations are at least 0. The F statistic is NaN if all differences are equal, and infinite if the
        differences are equal within each cluster. There must be at least two clusters.
        """
        n_topics, centred = self.codes.size, d - d.mean(axis=-1, keepdims=True)
        of_clusters = self.sums(centred) / self.sizes
        between = (self.sizes * of_clusters**2).sum(axis=-1) / (self.number - 1)
        within = ((centred - of_clusters[..., self.codes]) ** 2).sum(axis=-1) / (n_topics - self.number)
        size = (n_topics - self.mean_size) / (self.number - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            correlation = (between - within) / (between + (size - 1) * within)
            return between / within, np.nan_to_num(np.maximum(correlation, 0.0))

    def dependence(self, d: FloatArray) -> FloatArray:
        """Return the p-values of analyses of variance that test whether differences depend on the clusters."""
        from scipy import special

        f, _ = self.variance_ratios(d)
        return np.nan_to_num(special.fdtrc(self.number - 1, self.codes.size - self.number, f), nan=1.0)

    def design_effects(self, d: FloatArray) -> FloatArray:
        """Return the design effects: the variance of each mean divided by its variance if topics were independent."""
        return 1 + self.variance_ratios(d)[1] * (self.mean_size - 1)


class ClusterDesign(Frozen):
    """The dependence between the topics of a planned experiment."""

    clusters: Clusters | None = None
    """The clusters of topics, or None if the topics are independent."""
    effect: float = 1.0
    """The design effect: the variance of a mean over these clusters, divided by its variance over independent topics.
    """

    @classmethod
    def of(cls, clusters: Clusters | None, d: FloatArray) -> ClusterDesign:
        """Create a design with the median design effect of pairs. The shape of ``d`` is (n_pairs, n_topics)."""
        return cls() if clusters is None else cls(clusters, float(np.median(clusters.design_effects(d))))

    def freedom(self, n_topics: int) -> float:
        """Return the degrees of freedom of the t test with ``n_topics`` topics."""
        return n_topics - 1 if self.clusters is None else self.clusters.freedom(n_topics)

    def root(self, n_topics: int) -> float:
        """Return the square root of the effective number of topics: ``n_topics`` divided by the design effect."""
        return math.sqrt(n_topics / self.effect)


INDEPENDENT = ClusterDesign()

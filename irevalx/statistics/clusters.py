"""Clusters of dependent topics: cluster-robust tests and intervals of mean differences, and intraclass correlations.

Topics of a cluster, such as the turns of a conversation, depend on each other; different clusters are independent. The
variance of a mean over topics is CR2, with Bell and McCaffrey's degrees of freedom; sign flips change the signs of all
topics of a cluster at once.

Source: Bell and McCaffrey, Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples, Survey
Methodology 28(2), 2002, with the mean as the only coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen, cached_property
from irevalx.statistics.significance import FEW_TOPICS, exact_sign_flips, sign_flips, without_noise

FEWEST_CLUSTERS = 6
"""With fewer clusters, neither p-values nor intervals are computed."""

_FEW_CLUSTERS, _FEW_DEGREES = 10, 4
"""With fewer clusters or degrees of freedom, a warning is added."""

_ROUNDING = 1e-12
"""Sums over clusters that differ by less than this share of the largest possible sum are equal."""


class Clusters(Frozen):
    """The cluster of each topic. At least one cluster contains several topics."""

    codes: IntArray
    """The index of the cluster of each topic, shape (n_topics,). Each index from 0 to the largest one is used."""

    @classmethod
    def of(cls, names: Iterable[Hashable]) -> Clusters | None:
        """Return the clusters, given a name for each topic, or None if each topic is a cluster of its own."""
        numbers: dict[Hashable, int] = {}
        codes = [numbers.setdefault(name, len(numbers)) for name in names]
        return cls(np.array(codes, np.int64)) if len(numbers) < len(codes) else None

    def of_topics(self, places: IntArray | BoolArray) -> Clusters | None:
        """Return the clusters of a subset of the topics, or None if each topic is then a cluster of its own."""
        return Clusters.of(self.codes[places].tolist())

    @cached_property
    def sizes(self) -> IntArray:
        """The number of topics of each cluster: shape (n_clusters,)."""
        return np.bincount(self.codes)

    @property
    def number(self) -> int:
        """The number of clusters."""
        return self.sizes.size

    @property
    def are_too_few(self) -> bool:
        """Whether there are fewer than ``FEWEST_CLUSTERS``."""
        return self.number < FEWEST_CLUSTERS

    @property
    def mean_size(self) -> float:
        """The mean, over topics, of the size of the topic's cluster."""
        return float((self.sizes**2).sum()) / self.codes.size

    def __str__(self) -> str:
        plural = "s" * (self.number != 1)
        return f"{self.codes.size} topics in {self.number} cluster{plural}"

    @property
    def degrees(self) -> str:
        """The degrees of freedom in words."""
        return f"{self.freedom():.1f} degrees of freedom"

    @property
    def caution(self) -> str | None:
        """A sentence for a warning if there are few clusters or few degrees of freedom."""
        if self.are_too_few:
            return f"{self}: with fewer than {FEWEST_CLUSTERS} clusters, neither p-values nor intervals are computed"
        if self.number >= _FEW_CLUSTERS and self.freedom() >= _FEW_DEGREES:
            return None
        return (
            f"{self} ({self.degrees}): p-values and intervals are unreliable with fewer than {_FEW_CLUSTERS} clusters "
            f"or {_FEW_DEGREES} degrees of freedom"
        )

    def freedom(self, n_topics: float | None = None) -> float:
        """Return the degrees of freedom of the CR2 variance, for these topics or for clusters with the same sizes.

        With ``n_topics``, each size of a cluster is as frequent as among these clusters. The result is 0 for fewer than
        ``FEWEST_CLUSTERS``.
        """
        total = self.codes.size if n_topics is None else n_topics
        times = total / self.codes.size
        if self.number * times < FEWEST_CLUSTERS or self.sizes.max() >= total:
            return 0.0
        shares = self.sizes**2 / (total - self.sizes)
        squares = times * float((self.sizes**2).sum()) - times * float((shares**2).sum())
        return total**2 / (squares + (times * float(shares.sum())) ** 2)

    def sums(self, d: FloatArray) -> FloatArray:
        """Return the sums of differences of shape (..., n_topics) over each cluster: shape (..., n_clusters)."""
        sums = np.zeros((self.number, *d.shape[:-1]))
        np.add.at(sums, self.codes, np.moveaxis(d, -1, 0))
        return np.moveaxis(sums, 0, -1)

    def residuals(self, d: FloatArray) -> FloatArray:
        """Return the adjusted residuals of clusters, whose squares add up to the CR2 variance of the mean over topics.

        ``d`` has shape (..., n_topics), with at least two clusters; the shape of the result is (..., n_clusters).
        """
        n_topics = self.codes.size
        deviations = self.sums(d) - self.sizes * d.mean(axis=-1, keepdims=True)
        deviations[np.abs(deviations) <= _ROUNDING * n_topics * np.abs(d).max(axis=-1, keepdims=True)] = 0.0
        residuals: FloatArray = deviations / np.sqrt(1 - self.sizes / n_topics) / n_topics
        return residuals

    def errors(self, d: FloatArray) -> FloatArray:
        """Return CR2 standard errors of means, shape (...); nan if they are 0, or with too few clusters."""
        if self.are_too_few:
            return np.full(d.shape[:-1], np.nan)
        errors = np.sqrt((self.residuals(d) ** 2).sum(axis=-1))
        return np.where(errors > 0, errors, np.nan)

    def without_spread(self, d: FloatArray) -> BoolArray:
        """Return whether differences of shape (n_pairs, n_topics) have no interval.

        This is true of pairs that differ in fewer than ``FEW_TOPICS`` clusters, of pairs whose standard error is 0, and
        of all pairs if there are too few clusters.
        """
        n_differing = np.count_nonzero(self.sums((d != 0) * 1.0), axis=-1)  # clusters with a topic that differs
        return np.asarray((n_differing < FEW_TOPICS) | np.isnan(self.errors(d)))

    def t_test(self, d: FloatArray) -> FloatArray:
        """Return the p-values of the cluster-robust t test, shape (...); nan where ``errors`` are nan."""
        from scipy import special

        return np.asarray(2 * special.stdtr(self.freedom(), -np.abs(d.mean(axis=-1)) / self.errors(d)))

    def p_values(self, test: str, d: FloatArray, resamples: int, seed: int) -> FloatArray:
        """Return p-values of differences of shape (n_pairs, n_topics), as ``paired_p_values``; nan with few clusters.

        ``test`` is t or permutation. Sign flips of clusters replace the t test for pairs ``without_spread``.
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
        """Return the F statistics of an analysis of variance by cluster, and the intraclass correlations, shape (...).

        Correlations are at least 0. The F statistic is nan if nothing varies, and infinite if topics vary only between
        clusters. There must be at least two clusters.
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
        """Return p-values of whether differences depend on the clusters, by analysis of variance; 1 without F."""
        from scipy import special

        f, _ = self.variance_ratios(d)
        return np.nan_to_num(special.fdtrc(self.number - 1, self.codes.size - self.number, f), nan=1.0)

    def design_effects(self, d: FloatArray) -> FloatArray:
        """Return the ratios of the variance of a mean over these clusters to that over independent topics: (...)."""
        return 1 + self.variance_ratios(d)[1] * (self.mean_size - 1)


class Design(Frozen):
    """The dependence of topics in a planned experiment."""

    clusters: Clusters | None = None
    """Clusters of topics; None if topics are independent."""
    effect: float = 1.0
    """The design effect: the variance of a mean over these clusters divided by that over independent topics."""

    @classmethod
    def of(cls, clusters: Clusters | None, d: FloatArray) -> Design:
        """Return the design for differences of shape (n_pairs, n_topics), with the median of their design effects."""
        return cls() if clusters is None else cls(clusters, float(np.median(clusters.design_effects(d))))

    def freedom(self, n_topics: int) -> float:
        """Return the degrees of freedom of the t test over n topics."""
        return n_topics - 1 if self.clusters is None else self.clusters.freedom(n_topics)

    def root(self, n_topics: int) -> float:
        """Return the square root of the number of independent topics with the same variance of the mean."""
        return math.sqrt(n_topics / self.effect)


INDEPENDENT = Design()

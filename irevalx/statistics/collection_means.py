"""Mean differences over several collections of topics, with t tests and intervals.

If inference is limited to these collections, only the topics are a sample: the variance of the mean difference is the
sum of the variances in the collections, with Satterthwaite's degrees of freedom. If inference extends to similar
collections, the collections are a sample: the mean differences of the collections are tested by a t test or, if
collections belong to families, by a cluster-robust t test whose clusters are the families.

Source: Satterthwaite, An Approximate Distribution of Estimates of Variance Components, Biometrics Bulletin 2(6), 1946.
In simulations with 3 to 18 collections, 95% intervals on these collections covered the mean difference in 0.91 to 0.96
of the samples. The module ``tests/statistics/test_collection_means.py`` repeats the simulations.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen, replace
from irevalx.statistics.clusters import Clusters
from irevalx.statistics.confidence_intervals import Ends
from irevalx.statistics.significance import mean_and_error, without_noise

FEWEST_COLLECTIONS = 3
"""The minimum number of collections, or of families, for conclusions about similar collections."""

FEW_COLLECTIONS = 6
"""The number of collections below which conclusions about similar collections have a warning."""


class MeanDifferences(Frozen):
    """The mean differences of pairs of runs over collections. The shape of each array is (n_pairs,)."""

    difference: FloatArray
    error: FloatArray
    """The standard error of each difference, which is 0 if nothing varies, and NaN if it is undefined."""
    freedom: FloatArray
    """The degrees of freedom of each standard error, or NaN if they are undefined."""

    @property
    def p(self) -> FloatArray:
        """The p-value of a two-sided t test. If nothing varies, p is 1 for a difference of 0, and otherwise NaN."""
        from scipy import special

        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.asarray(2 * special.stdtr(self.freedom, -np.abs(self.difference) / self.error))
        return np.where(self.error == 0, np.where(without_noise(self.difference) == 0, 1.0, np.nan), p)

    def interval(self, alpha: float | FloatArray) -> Ends:
        """Return the bounds of t intervals with the confidence level 1 - alpha, or NaN if nothing varies."""
        from scipy import special

        half = -special.stdtrit(self.freedom, alpha / 2) * np.where(self.error > 0, self.error, np.nan)
        return self.difference - half, self.difference + half


def on_these_collections(each: Sequence[FloatArray], clusters: Sequence[Clusters | None]) -> MeanDifferences:
    """Average the mean differences over collections, with errors that treat only the topics as a sample.

    ``each`` contains the differences in each collection, with the shape (n_pairs, n_topics), and ``clusters`` contains
    the clusters of their topics. The errors are NaN if a collection contains only one topic or too few clusters.
    """
    means, variances, freedoms = [], [], []
    for d, of_topics in zip(each, clusters, strict=True):
        n_topics = d.shape[1]
        means.append(d.mean(axis=1))
        if of_topics is None:
            freedoms.append(n_topics - 1.0)
            constant = (d == d[:, :1]).all(axis=1)
            variances.append(np.where(constant, 0.0, mean_and_error(d)[1] ** 2) if n_topics > 1 else constant * np.nan)
        else:
            freedoms.append(of_topics.freedom())
            variances.append((of_topics.residuals(d) ** 2).sum(axis=1) * (np.nan if of_topics.are_too_few else 1.0))
    v, number = np.array(variances), len(each)
    total = v.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = total**2 / (v**2 / np.array(freedoms)[:, np.newaxis]).sum(axis=0)
    return MeanDifferences(np.mean(means, axis=0), np.sqrt(total) / number, freedom)


def families_of(names: Iterable[Hashable]) -> Clusters | None:
    """Group collections by the names of their families. Return None if no two collections belong to the same family."""
    families = Clusters.of(names)
    return None if families is None else replace(families, fewest=FEWEST_COLLECTIONS)


def on_collections_like_these(means: FloatArray, families: Clusters | None) -> MeanDifferences:
    """Average the mean differences over collections, with errors that treat the collections as a sample.

    The shape of ``means`` is (n_pairs, n_collections). The errors are NaN if there are too few collections or families.
    """
    n_pairs, number = means.shape
    enough = number >= FEWEST_COLLECTIONS and not (families is not None and families.are_too_few)
    centre, error, freedom = means.mean(axis=1), np.full(n_pairs, np.nan), np.nan
    if enough and families is None:
        error, freedom = mean_and_error(means)[1], number - 1.0
    elif enough and families is not None:
        error, freedom = np.sqrt((families.residuals(means) ** 2).sum(axis=1)), families.freedom()
    error = np.where((means == means[:, :1]).all(axis=1) & enough, 0.0, error)
    return MeanDifferences(centre, error, np.full(n_pairs, freedom))


def without_one(means: FloatArray) -> Ends:
    """Return the lowest and highest mean that result from leaving out one collection at a time.

    The means are NaN if there is only one collection. The shape of ``means`` is (n_pairs, n_collections).
    """
    n_pairs, number = means.shape
    if number < 2:
        return np.full(n_pairs, np.nan), np.full(n_pairs, np.nan)
    rest = without_noise((means.sum(axis=1, keepdims=True) - means) / (number - 1))
    return rest.min(axis=1), rest.max(axis=1)

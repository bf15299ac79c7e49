"""The model of relevance of ``bounds`` and ``leave-out``: probabilities fitted to the judgments, and their error.

Which runs retrieve a document, and at which rank, predicts its relevance; the weight of each run is fitted. With the
best rank and the number of runs alone, effective runs are underestimated, and confidence is not calibrated
(docs/what-to-judge.md).

Documents of a run that was not pooled are different: the judged ones were retrieved by pooled runs, the unjudged ones
by no pooled run, and the model is fitted to the former alone. Its error is estimated on groups of pooled runs: without
the unique documents of a group it is fitted again, and the number of relevant documents among these is compared with
the sum of their probabilities. docs/incomplete-judgments.md reports the coverage.

Source: Carterette, Robust Test Collections for Retrieval Evaluation, SIGIR 2007, estimates probabilities of relevance
from ranks by logistic regression, with the weights of runs learned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.declarations import spelled
from irevalx.errors import InputError
from irevalx.experiments.experiment import Experiment
from irevalx.frozen import Frozen
from irevalx.lab.bounding.relevance import Relevance

LEAST_GROUPS = 4
"""The least number of groups of pooled runs to estimate the factor; fewer were not tested."""

LEAST_TAU = 0.25
"""The least variation of the factor between groups: with few groups the estimate of tau is often 0."""

MOST_UNJUDGED = 0.01
"""The greatest share of unjudged documents of pooled runs within the depth of the pool."""

_MOST_UNJUDGED_AT_RANK = 0.05

_DEEPEST = 1000
"""The greatest depth of a pool that is considered."""

_MOST_EXPONENT = 5.0
"""The greatest exponent of a drawn factor."""

_PENALTY = 1.0
"""The penalty on squared coefficients; half of it is subtracted from the log-likelihood."""

_TOLERANCE = 1e-8
"""The tolerance of the fit; small, so that printed digits do not depend on the version of scikit-learn."""


class FittedRelevance:
    """Probabilities of relevance fitted to judgments, which contain unjudged documents, by logistic regression."""

    def __init__(self, experiment: Experiment, level: int) -> None:
        self._features, retrieved = features_of(experiment)
        self._relevant: BoolArray = experiment.grades >= level
        self._judged: BoolArray = retrieved & (experiment.grades >= 0)

    def fit(self, without: BoolArray | None = None) -> Relevance:
        """Fit to all judgments, or to the judgments without some; raises InputError as ``logistic_fit`` does."""
        judged = self._judged if without is None else self._judged & ~without
        return logistic_fit(self._features, judged, self._relevant)

    def factor(self, unique: Sequence[BoolArray]) -> GroupFactor:
        """Estimate the ratio of relevant to expected documents among the judged unique documents of each pooled group.

        Raises InputError if fewer than ``LEAST_GROUPS`` groups have unique documents, or none of these is relevant.
        """
        lost = [mask for mask in unique if mask.any()]
        if len(lost) < LEAST_GROUPS:
            raise InputError(
                f"estimating the relevance of documents that no pooled run retrieved requires at least {LEAST_GROUPS} "
                f"groups of pooled runs with unique judged documents, and there are only {len(lost)}; add the other "
                f"pooled runs, or define their groups with {spelled('group_by')}"
            )
        if not any((mask & self._relevant).any() for mask in lost):
            raise InputError(
                "the relevance of documents that no pooled run retrieved cannot be estimated: no unique document of "
                "any group of pooled runs is relevant"
            )
        relevant, expected, variance = np.array([self._counts(mask) for mask in lost]).T
        scale = float((relevant.sum() + 0.5) / (expected.sum() + 0.5))
        excess = ((relevant - scale * expected) ** 2).sum() - scale * variance.sum()
        tau = math.sqrt(max(0.0, float(excess / ((scale * expected) ** 2).sum())))
        return GroupFactor(scale=scale, tau=max(tau, LEAST_TAU), n_groups=len(lost))

    def _counts(self, lost: BoolArray) -> tuple[float, float, float]:
        """Return the number of relevant documents among these, and its fitted expectation and variance without them."""
        p = self.fit(lost).probability[lost]
        return float((lost & self._relevant).sum()), float(p.sum()), float((p * (1 - p)).sum())


class GroupFactor(Frozen, kw_only=True):
    """The common factor on fitted probabilities of all unjudged documents of a group that was not pooled."""

    scale: float
    """The number of relevant unique documents of pooled groups, divided by its fitted expectation."""
    tau: float
    """The standard deviation of the factor between groups, as a share of it."""
    n_groups: int
    """The number of groups behind both estimates."""

    def drawn(self, random: np.random.Generator, n_draws: int) -> FloatArray:
        """Draw factors for a new group: a log-t distribution, as ``tau`` is estimated from few groups."""
        spread = math.sqrt(math.log1p(self.tau**2) * (1 + 1 / self.n_groups))
        exponents = spread * random.standard_t(self.n_groups - 1, n_draws)
        factors: FloatArray = self.scale * np.exp(np.minimum(exponents, _MOST_EXPONENT))
        return factors


def unjudged_shares(experiment: Experiment) -> FloatArray:
    """Return the share of unjudged documents of each run within each depth: shape (n_runs, depth), depths from 1."""
    n_unjudged, n_retrieved = (counts.cumsum(axis=1) for counts in _by_rank(experiment))
    shares: FloatArray = n_unjudged / np.maximum(n_retrieved, 1)
    return shares


def judged_depth(experiment: Experiment) -> int:
    """Return the depth to which runs are judged, 0 for none.

    The share of unjudged documents is at most ``MOST_UNJUDGED`` within it, and ``_MOST_UNJUDGED_AT_RANK`` at it.
    """
    at_rank, retrieved = (counts.sum(axis=0) for counts in _by_rank(experiment))
    within = at_rank.cumsum() <= MOST_UNJUDGED * retrieved.cumsum()
    judged = np.flatnonzero(within & (at_rank <= _MOST_UNJUDGED_AT_RANK * retrieved))
    return int(judged[-1]) + 1 if judged.size else 0


def _by_rank(experiment: Experiment) -> tuple[IntArray, IntArray]:
    """Return the numbers of unjudged and of retrieved documents of each run at each rank: shape (n_runs, depth).

    A ranking can lack documents that are not in the judgments.
    """
    ranking, n_runs = experiment.ranking, len(experiment.runs)
    n_retrieved = ranking.n_ret.reshape(n_runs, len(experiment.topics))
    depth = min(_DEEPEST, max(1, int(n_retrieved.max(initial=0))))
    retrieved = (n_retrieved[:, :, np.newaxis] > np.arange(depth)).sum(axis=1)
    judged: BoolArray = (ranking.rank <= depth) & (ranking.row >= 0)
    judged[judged] = experiment.grades[ranking.row[judged]] >= 0
    cell = ranking.rows.ids[judged] // len(experiment.topics) * depth + ranking.rank[judged] - 1
    n_judged = np.bincount(cell, minlength=n_runs * depth).reshape(n_runs, depth)
    return retrieved - n_judged, retrieved


def features_of(experiment: Experiment) -> tuple[FloatArray, BoolArray]:
    """Return the features of each judgment, (n_judgments, n_runs + 2), and which documents any run retrieves.

    The features: 1/log2(rank + 1) for each run, 0 if it does not retrieve the document; the logarithm of the best rank;
    the share of the runs that retrieve it.
    """
    ranking, n_runs = experiment.ranking, len(experiment.runs)
    known = ranking.row >= 0
    row, rank, run = ranking.row[known], ranking.rank[known], ranking.rows.ids[known] // len(experiment.topics)
    features = np.zeros((experiment.judgments.rows.size, n_runs + 2))
    features[row, run] = 1 / np.log2(rank + 1)
    best = np.full(len(features), np.inf)
    np.minimum.at(best, row, rank)
    has: BoolArray = np.isfinite(best)
    features[has, -2] = np.log(best[has])
    features[:, -1] = np.count_nonzero(features[:, :n_runs], axis=1) / n_runs
    return features, has


def logistic_fit(features: FloatArray, judged: BoolArray, relevant: BoolArray) -> Relevance:
    """Fit probabilities of relevance: scikit-learn's logistic regression, with its default penalty.

    The covariance of the coefficients is the inverse of the information at the maximum (Laplace's approximation).
    Raises InputError if none of the judged documents is relevant, or all are.
    """
    from sklearn.linear_model import LogisticRegression

    known = relevant[judged]
    if not known.any() or known.all():
        raise InputError(
            "cannot fit probabilities: the runs must have retrieved both relevant and nonrelevant judged documents; "
            f"{np.count_nonzero(known)} of their {known.size} judged documents are relevant"
        )
    spread = features[judged].std(axis=0)
    scaled = (features - features[judged].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    model = LogisticRegression(C=1 / _PENALTY, solver="newton-cholesky", tol=_TOLERANCE).fit(scaled[judged], known)
    probability: FloatArray = model.predict_proba(scaled)[:, 1]
    with_constant = np.column_stack((scaled, np.ones(len(scaled))))
    rows, weight = with_constant[judged], (probability * (1 - probability))[judged]
    information = (rows * weight[:, None]).T @ rows
    information[np.arange(features.shape[1]), np.arange(features.shape[1])] += _PENALTY
    return Relevance(probability=probability, features=with_constant, covariance=np.linalg.inv(information))

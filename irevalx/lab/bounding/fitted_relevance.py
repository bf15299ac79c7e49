"""The model of relevance of ``bounds`` and ``leave-out``: probabilities fitted to the judgments, and their error.

Which runs retrieve a document, and at which rank, predicts its relevance; the weight of each run is fitted. With the
best rank and the number of runs alone, effective runs are underestimated, and confidence is not calibrated
(docs/what-to-judge.md).

Documents of a run that was not pooled are another matter. Those that are judged were retrieved by pooled runs, those
that are not were retrieved by no pooled run, and the fit knows only the former. How far it is off is measured on groups
of pooled runs: without the documents that only the group retrieved it is fitted again, and the number of relevant ones
among these is compared with the sum of their probabilities. docs/incomplete-judgments.md has its coverage.

Source: Carterette, Robust Test Collections for Retrieval Evaluation, SIGIR 2007, estimates probabilities of relevance
from ranks by logistic regression, with the weights of runs learned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError
from irevalx.experiments.experiment import Experiment
from irevalx.frozen import Frozen
from irevalx.lab.bounding.relevance import Relevance

LEAST_GROUPS = 4
"""Groups of pooled runs that the factor is estimated from; no fewer were tried."""

LEAST_TAU = 0.25
"""The factor varies at least by this share between groups: with few groups the estimate of tau is often 0."""

MOST_UNJUDGED = 0.01
"""The share of unjudged documents that pooled runs have at most within the depth of the pool."""

_MOST_UNJUDGED_AT_RANK = 0.05

_DEEPEST = 1000
"""The greatest depth of a pool that is looked for."""

_MOST_EXPONENT = 5.0
"""Of a factor that is drawn."""

_PENALTY = 1.0
"""On the squares of the coefficients, half of which is subtracted from the log-likelihood."""

_TOLERANCE = 1e-8
"""Of the fit; small, so that printed digits do not depend on the version of scikit-learn."""


class FittedRelevance:
    """Probabilities of relevance fitted to judgments by logistic regression.

    Parameters
    ----------
    experiment : runs and judgments; the unjudged documents in question are among the latter, with negative grades.
    level : the least relevant grade; at least 1.
    """

    def __init__(self, experiment: Experiment, level: int) -> None:
        self._features, retrieved = features_of(experiment)
        self._relevant: BoolArray = experiment.grades >= level
        self._judged: BoolArray = retrieved & (experiment.grades >= 0)

    def fit(self, without: BoolArray | None = None) -> Relevance:
        """Fit to all judgments, or to those that are left without some; raises InputError as ``logistic_fit`` does."""
        judged = self._judged if without is None else self._judged & ~without
        return logistic_fit(self._features, judged, self._relevant)

    def factor(self, found_alone: Sequence[BoolArray]) -> GroupFactor:
        """Estimate how far relevant documents that one group alone retrieved differ in number from what is fitted.

        Parameters
        ----------
        found_alone : for each group of pooled runs, the judged documents that only the group retrieved in the pool's
            depth; flat over the judgments.

        Raises
        ------
        InputError : fewer than ``LEAST_GROUPS`` groups have such documents, or none of these is relevant.
        """
        lost = [one for one in found_alone if one.any()]
        if len(lost) < LEAST_GROUPS:
            raise InputError(
                f"the relevance of documents that no pooled run retrieved is estimated from at least {LEAST_GROUPS} "
                f"groups of pooled runs with judged documents of their own, and there are {len(lost)}: add the other "
                "runs that were pooled, or name their groups with --group-by"
            )
        if not any((one & self._relevant).any() for one in lost):
            raise InputError(
                "the relevance of documents that no pooled run retrieved cannot be estimated: no document that a "
                "single group of pooled runs retrieved is relevant"
            )
        found, expected, variance = np.array([self._counts(one) for one in lost]).T
        scale = float((found.sum() + 0.5) / (expected.sum() + 0.5))
        excess = ((found - scale * expected) ** 2).sum() - scale * variance.sum()
        tau = math.sqrt(max(0.0, float(excess / ((scale * expected) ** 2).sum())))
        return GroupFactor(scale=scale, tau=max(tau, LEAST_TAU), n_groups=len(lost))

    def _counts(self, lost: BoolArray) -> tuple[float, float, float]:
        """Return how many of the documents are relevant, and their fitted number and its variance without them."""
        p = self.fit(lost).probability[lost]
        return float((lost & self._relevant).sum()), float(p.sum()), float((p * (1 - p)).sum())


class GroupFactor(Frozen, kw_only=True):
    """The factor on fitted probabilities of the unjudged documents of a group of runs that was not pooled.

    All documents of the group share it.

    Parameters
    ----------
    scale : the relevant documents that pooled groups retrieved alone, over their fitted number.
    tau : the standard deviation of the factor between groups, as a share of it.
    n_groups : the groups that both were estimated from.
    """

    scale: float
    tau: float
    n_groups: int

    def drawn(self, random: np.random.Generator, n_draws: int) -> FloatArray:
        """Draw factors for a new group: a log-t distribution, as ``tau`` is estimated from few groups."""
        spread = math.sqrt(math.log1p(self.tau**2) * (1 + 1 / self.n_groups))
        exponents = spread * random.standard_t(self.n_groups - 1, n_draws)
        factors: FloatArray = self.scale * np.exp(np.minimum(exponents, _MOST_EXPONENT))
        return factors


def unjudged_shares(experiment: Experiment) -> FloatArray:
    """Return the share of unjudged documents among the first ones of each run: shape (n_runs, depth), depths from 1."""
    n_unjudged, n_retrieved = (counts.cumsum(axis=1) for counts in _by_rank(experiment))
    shares: FloatArray = n_unjudged / np.maximum(n_retrieved, 1)
    return shares


def judged_depth(experiment: Experiment) -> int:
    """Return the depth to which runs are judged, 0 for none.

    It is the greatest one within which at most ``MOST_UNJUDGED`` of their documents are unjudged, and at which at most
    ``_MOST_UNJUDGED_AT_RANK`` are.
    """
    at_rank, retrieved = (counts.sum(axis=0) for counts in _by_rank(experiment))
    within = at_rank.cumsum() <= MOST_UNJUDGED * retrieved.cumsum()
    judged = np.flatnonzero(within & (at_rank <= _MOST_UNJUDGED_AT_RANK * retrieved))
    return int(judged[-1]) + 1 if judged.size else 0


def _by_rank(experiment: Experiment) -> tuple[IntArray, IntArray]:
    """Return how many documents of each run are unjudged, and how many it retrieves, at each rank.

    A ranking may lack documents that are not in the judgments.
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
    """Return what probabilities are fitted to, of each document that is in the judgments.

    Returns
    -------
    Shape (n_judgments, n_runs + 2): for each run 1/log2(rank + 1), 0 if it does not retrieve the document; the
    logarithm of the best rank; the share of the runs that retrieve it. And which documents some run retrieves.
    """
    ranking, n_runs = experiment.ranking, len(experiment.runs)
    found = ranking.row >= 0
    row, rank, run = ranking.row[found], ranking.rank[found], ranking.rows.ids[found] // len(experiment.topics)
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

    Parameters
    ----------
    features : as ``features_of`` returns them.
    judged, relevant : flat over the judgments; which documents it is fitted to, and which of them are relevant.

    Returns
    -------
    Flat over the judgments.

    Raises
    ------
    InputError : none of the judged documents is relevant, or all are.
    """
    from sklearn.linear_model import LogisticRegression

    known = relevant[judged]
    if not known.any() or known.all():
        raise InputError(
            "probabilities must be fitted to relevant and to nonrelevant documents that runs have, but got "
            f"{np.count_nonzero(known)} relevant ones of {known.size} judged"
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

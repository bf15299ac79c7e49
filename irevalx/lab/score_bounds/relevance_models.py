"""Relevance models fitted to the judgments, for pooled and for unpooled runs.

The relevance of a document is predicted from the runs that retrieve the document and from its ranks in these runs. A
weight is fitted for each run. A model with only the best rank and the number of runs underestimates effective runs, and
its probabilities are not calibrated (docs/bounds.md).

Documents of an unpooled run require a correction. Pooled runs retrieved the judged documents but not the unjudged
documents, and the model is fitted only to judged documents. The error of the model is estimated on groups of pooled
runs: the model is fitted again without the unique documents of a group, and the number of relevant documents among them
is compared with the sum of their probabilities. docs/reusability.md reports the coverage of the intervals.

Source: Carterette, Robust Test Collections for Retrieval Evaluation, SIGIR 2007, estimates probabilities of relevance
from ranks by logistic regression with learned weights of runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from os import PathLike

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.run_groups import groups_of, removals
from irevalx.experiments.strata import best_ranks
from irevalx.frozen import Frozen, replace
from irevalx.lab.score_bounds.probabilities import Relevance
from irevalx.wording import spelled

LEAST_GROUPS = 4
"""The minimum number of groups of pooled runs for an estimate of the factor. Smaller numbers were not tested."""

LEAST_TAU = 0.25
"""The minimum variation of the factor between groups. If there are few groups, the estimate of tau is often 0."""

MOST_UNJUDGED = 0.01
"""The maximum share of unjudged documents of pooled runs within the depth of the pool."""

_DEEPEST = 1000
"""The maximum depth of a pool that is considered."""

_MOST_EXPONENT = 5.0
"""The maximum exponent of a drawn factor."""

_PENALTY = 1.0
"""The penalty on squared coefficients. Half of the penalty is subtracted from the log-likelihood."""

_TOLERANCE = 1e-8
"""The tolerance of the fit, which is so small that printed digits do not depend on the version of scikit-learn."""


class FittedRelevance:
    """Probabilities of relevance that logistic regression fits to judgments, also for unjudged documents."""

    def __init__(self, experiment: GradedRuns, level: int) -> None:
        self._features, retrieved = features_of(experiment)
        self._relevant: BoolArray = experiment.grades >= level
        self._judged: BoolArray = retrieved & (experiment.grades >= 0)

    def fit(self, without: BoolArray | None = None) -> Relevance:
        """Fit the model to all judgments, except the judgments in the mask ``without``.

        Raise InputError if the judged documents are all relevant or all nonrelevant.
        """
        judged = self._judged if without is None else self._judged & ~without
        return logistic_fit(self._features, judged, self._relevant)

    def factor(self, unique: Sequence[BoolArray]) -> GroupFactor:
        """Estimate the factor, which is the number of relevant unique documents divided by the expected number.

        Raise InputError if there are too few groups, or if no unique document is relevant.
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
        """Return the number of relevant documents in the mask ``lost``, and its predicted mean and variance.

        The prediction uses a model that is fitted without these documents.
        """
        p = self.fit(lost).probability[lost]
        return float((lost & self._relevant).sum()), float(p.sum()), float((p * (1 - p)).sum())


class GroupFactor(Frozen, kw_only=True):
    """The factor that multiplies the fitted probabilities of an unpooled group's unjudged documents."""

    scale: float  # the number of relevant unique documents of pooled groups, divided by its fitted expectation
    tau: float  # the standard deviation of the factor between groups, divided by the factor
    n_groups: int  # the number of groups from which ``scale`` and ``tau`` are estimated

    def drawn(self, random: np.random.Generator, n_draws: int) -> FloatArray:
        """Draw factors for a new group from a log-t distribution, because tau is estimated from few groups."""
        spread = math.sqrt(math.log1p(self.tau**2) * (1 + 1 / self.n_groups))
        exponents = spread * random.standard_t(self.n_groups - 1, n_draws)
        # The exponential of a t variable has no finite mean.
        factors: FloatArray = self.scale * np.exp(np.minimum(exponents, _MOST_EXPONENT))
        return factors


def judged_depth(experiment: GradedRuns, most: float = MOST_UNJUDGED) -> int:
    """Return the last rank to which at most a share ``most`` of the runs' documents is unjudged, or 0 for none.

    At the last rank, the share can be five times as high.
    """
    at_rank, retrieved = (counts.sum(axis=0) for counts in _by_rank(experiment))
    within = at_rank.cumsum() <= most * retrieved.cumsum()
    judged = np.flatnonzero(within & (at_rank <= 5 * most * retrieved))
    return int(judged[-1]) + 1 if judged.size else 0


def _by_rank(experiment: GradedRuns) -> tuple[IntArray, IntArray]:
    """Return the numbers of unjudged and of retrieved documents of each run at each rank.

    The shape of each array is (n_runs, depth).
    """
    ranking, n_runs = experiment.ranking, len(experiment.runs)
    n_retrieved = ranking.n_ret.reshape(n_runs, len(experiment.topics))
    depth = min(_DEEPEST, max(1, int(n_retrieved.max(initial=0))))
    retrieved = (n_retrieved[:, :, np.newaxis] > np.arange(depth)).sum(axis=1)
    judged: BoolArray = (ranking.rank <= depth) & (ranking.row >= 0)
    judged[judged] = experiment.grades[ranking.row[judged]] >= 0
    cell = ranking.rows.ids[judged] // len(experiment.topics) * depth + ranking.rank[judged] - 1
    n_judged = np.bincount(cell, minlength=n_runs * depth).reshape(n_runs, depth)
    return retrieved - n_judged, retrieved  # documents that are not in the judgments can be missing from a ranking


def features_of(experiment: GradedRuns) -> tuple[FloatArray, BoolArray]:
    """Return the features of each judgment, and a mask of the retrieved documents.

    The shape of the features is (n_judgments, n_runs + 2).
    """
    ranking, n_runs = experiment.ranking, len(experiment.runs)
    known = ranking.row >= 0
    row, rank, run = ranking.row[known], ranking.rank[known], ranking.rows.ids[known] // len(experiment.topics)
    features = np.zeros((experiment.judgments.rows.size, n_runs + 2))
    features[row, run] = 1 / np.log2(rank + 1)
    best = best_ranks(ranking, len(features))
    has: BoolArray = best > 0
    features[has, -2] = np.log(best[has])
    features[:, -1] = np.count_nonzero(features[:, :n_runs], axis=1) / n_runs  # the share of runs with the document
    return features, has


def logistic_fit(features: FloatArray, judged: BoolArray, relevant: BoolArray) -> Relevance:
    """Fit a logistic regression. Raise InputError if the judged documents are all relevant or all nonrelevant."""
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
    information = (rows * weight[:, None]).T @ rows  # the inverse is the covariance (Laplace's approximation)
    information[np.arange(features.shape[1]), np.arange(features.shape[1])] += _PENALTY
    return Relevance(probability=probability, features=with_constant, covariance=np.linalg.inv(information))


LEAST_DEPTH = 10
"""The number of top documents by which pooled runs are distinguished from unpooled runs. Pools are at least as deep."""


def fitted_relevance(
    experiment: GradedRuns,
    level: int,
    n_new: int,
    groups: str | PathLike[str] | Mapping[str, str] | None,
    group_by: str | None,
) -> Relevance:
    """Fit the probability of relevance of each document.

    Raise InputError if a run other than the last ``n_new`` runs was not pooled.
    """
    n_pooled = len(experiment.runs) - n_new
    refuse_unpooled(experiment, n_pooled)
    if not n_new:
        return FittedRelevance(experiment, level).fit()
    return unpooled_relevance(experiment, groups_of(experiment.runs, groups, group_by), n_pooled, level)


class UnpooledRelevance(Relevance, kw_only=True):
    """Fitted probabilities, in which the documents that only one new group retrieved share a factor."""

    group: IntArray  # shape (n_documents,); the index of the new group, or ``ABSENT`` for other documents
    factor: GroupFactor  # the factor, which is drawn separately for each group
    n_groups: int  # the number of new groups

    def take(self, places: IntArray) -> UnpooledRelevance:
        """Return the probabilities of the documents with these indices."""
        probability, features = self.probability[places], self.features[places]
        return replace(self, probability=probability, features=features, group=self.group[places])

    def drawn(self, generator: np.random.Generator) -> FloatArray:
        """Draw coefficients and factors at random, and return the resulting probabilities."""
        factors = np.append(self.factor.drawn(generator, self.n_groups), 1.0)
        probability: FloatArray = np.minimum(super().drawn(generator) * factors[self.group], 1.0)
        return probability


def unpooled_relevance(experiment: GradedRuns, groups: Sequence[str], n_pooled: int, level: int) -> UnpooledRelevance:
    """Fit probabilities and the factor for new runs, which follow ``n_pooled`` pooled runs.

    Raise InputError if the factor cannot be estimated.
    """
    pooled = experiment.of_runs(np.arange(n_pooled))
    depth = max(LEAST_DEPTH, judged_depth(pooled))
    model = FittedRelevance(experiment, level)
    each = removals(pooled, groups[:n_pooled], depth)
    factor, fitted = model.factor([removal.removed for removal in each]), model.fit()
    within, new_groups = experiment.retrieved_within(depth), list(dict.fromkeys(groups[n_pooled:]))
    group = np.full(experiment.grades.size, ABSENT)
    for place in reversed(range(len(new_groups))):
        members = [n_pooled + r for r, name in enumerate(groups[n_pooled:]) if name == new_groups[place]]
        group[within[members].any(axis=0)] = place
    group[within[:n_pooled].any(axis=0)] = ABSENT
    return UnpooledRelevance(
        probability=fitted.probability,
        features=fitted.features,
        covariance=fitted.covariance,
        group=group,
        factor=factor,
        n_groups=len(new_groups),
    )


def refuse_unpooled(experiment: GradedRuns, n_pooled: int) -> None:
    """Raise InputError if some of the first ``n_pooled`` runs are judged to depth 10 and others are not.

    Runs that are not judged to this depth require a factor.
    """
    n_unjudged, n_retrieved = (counts[:n_pooled, :LEAST_DEPTH].sum(axis=1) for counts in _by_rank(experiment))
    unjudged = n_unjudged / np.maximum(n_retrieved, 1)
    # without a factor, the fitted number of relevant documents of these runs is two to three times too high
    unpooled = np.flatnonzero(unjudged > 2 * MOST_UNJUDGED)
    if unjudged.min() <= MOST_UNJUDGED and unpooled.size:
        r = int(unpooled[unjudged[unpooled].argmax()])
        run = experiment.runs[r]
        others = f" and {unpooled.size - 1} other runs" if unpooled.size > 1 else ""
        raise InputError(
            f"{run}: {unjudged[r]:.1%} of its first {LEAST_DEPTH} documents are unjudged, although other runs are "
            "judged to this depth; probabilities fitted to the judgments of other runs are too high for it. Give "
            f"{run}{others} with {spelled('new_runs')}, and as {spelled('runs')} all pooled runs, from at least "
            f"{LEAST_GROUPS} groups ({spelled('group_by')})"
        )

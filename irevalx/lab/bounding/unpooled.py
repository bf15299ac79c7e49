"""Runs that were not pooled: the probabilities of relevance of their documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.declarations import spelled
from irevalx.errors import InputError
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.group_names import groups_of
from irevalx.experiments.run_groups import removals
from irevalx.experiments.user_data import OpenedRuns
from irevalx.frozen import Frozen, replace
from irevalx.lab.bounding.fitted_relevance import (
    LEAST_GROUPS,
    MOST_UNJUDGED,
    FittedRelevance,
    GroupFactor,
    judged_depth,
    unjudged_shares,
)
from irevalx.lab.bounding.relevance import Relevance

LEAST_DEPTH = 10
"""The depth within which pooled runs are distinguished from others; pools are at least as deep."""


class Unpooled(Frozen):
    """Runs that were not pooled, if there are any."""

    runs: OpenedRuns | None
    groups: str | PathLike[str] | Mapping[str, str] | None
    """Of all runs, like ``group_by``."""
    group_by: str | None

    def beside(self, pooled: OpenedRuns) -> OpenedRuns:
        """Return the pooled runs, then the new ones."""
        if self.runs is None:
            return pooled
        return OpenedRuns([*pooled.runs, *self.runs.runs], [*pooled.names, *self.runs.names])

    def first(self, experiment: Experiment) -> int | None:
        """Return the index of the first new run among all runs; None if there is none."""
        return None if self.runs is None else len(experiment.runs) - len(self.runs.runs)

    def relevance(self, experiment: Experiment, level: int) -> Relevance:
        """Fit probabilities; raises InputError if there are runs that were not pooled and are not new runs."""
        first = self.first(experiment)
        refuse_unpooled(experiment, len(experiment.runs) if first is None else first)
        if first is None:
            return FittedRelevance(experiment, level).fit()
        return unpooled_relevance(experiment, groups_of(experiment.runs, self.groups, self.group_by), first, level)


class UnpooledRelevance(Relevance, kw_only=True):
    """Fitted probabilities; those of documents that only a new group retrieved share a factor."""

    group: IntArray
    """Shape (n_documents,); the index of the new group, ``ABSENT`` for other documents."""
    factor: GroupFactor
    """Drawn for each group separately."""
    n_groups: int
    """The number of new groups."""

    def take(self, places: IntArray) -> UnpooledRelevance:
        """Return the probabilities of the documents with these indices."""
        probability, features = self.probability[places], self.features[places]
        return replace(self, probability=probability, features=features, group=self.group[places])

    def drawn(self, generator: np.random.Generator) -> FloatArray:
        """Draw coefficients and factors, and return the probabilities with them."""
        factors = np.append(self.factor.drawn(generator, self.n_groups), 1.0)
        probability: FloatArray = np.minimum(super().drawn(generator) * factors[self.group], 1.0)
        return probability


def unpooled_relevance(experiment: Experiment, groups: Sequence[str], n_pooled: int, level: int) -> UnpooledRelevance:
    """Fit probabilities, and the factor for new runs, which follow ``n_pooled`` pooled ones; raises as ``factor``."""
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


def refuse_unpooled(experiment: Experiment, n_pooled: int) -> None:
    """Raise InputError if some of the first runs are judged to depth 10 and others are not.

    Without a factor, the fitted number of relevant documents of the others is two to three times too high.
    """
    shares = unjudged_shares(experiment)
    unjudged = shares[:n_pooled, min(LEAST_DEPTH, shares.shape[1]) - 1]
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

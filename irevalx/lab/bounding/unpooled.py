"""Runs that were not pooled, beside those that were: how probably their documents are relevant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import InputError, UsageError
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.group_names import groups_of
from irevalx.experiments.run_groups import removals
from irevalx.experiments.user_data import OpenedRuns, opened_runs
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
"""The depth within which runs that were pooled are told from others; pools are at least as deep."""


class Unpooled(Frozen):
    """Runs that were not pooled, if there are any.

    Parameters
    ----------
    runs : None if there are none.
    groups, group_by : of all runs.
    """

    runs: OpenedRuns | None
    groups: str | PathLike[str] | Mapping[str, str] | None
    group_by: str | None

    @classmethod
    def of(
        cls, new_runs: Any, groups: Any, group_by: Any, wanted: Any, min_retrieved: float, *, is_fitted: bool
    ) -> Unpooled:
        """Read the new runs; raises UsageError if keywords contradict each other."""
        if new_runs is None and not (groups is None and group_by is None):
            raise UsageError("groups and group_by require new_runs")
        if new_runs is not None and not is_fitted:
            raise UsageError("new_runs requires fit_probabilities")
        if new_runs is not None and (wanted is not None or min_retrieved):
            raise UsageError("new_runs excludes in_all, per_topic and min_retrieved")
        return cls(None if new_runs is None else opened_runs(new_runs), groups, group_by)

    def beside(self, pooled: OpenedRuns) -> OpenedRuns:
        """Return the pooled runs, then the new ones."""
        if self.runs is None:
            return pooled
        return OpenedRuns([*pooled.runs, *self.runs.runs], [*pooled.names, *self.runs.names])

    def first(self, experiment: Experiment) -> int | None:
        """Return the place of the first new run among all runs; None if there is none."""
        return None if self.runs is None else len(experiment.runs) - len(self.runs.runs)

    def relevance(self, experiment: Experiment, level: int) -> Relevance:
        """Fit probabilities; raises InputError if runs were not pooled and cannot be allowed for."""
        first = self.first(experiment)
        refuse_unpooled(experiment, len(experiment.runs) if first is None else first)
        if first is None:
            return FittedRelevance(experiment, level).fit()
        return unpooled_relevance(experiment, groups_of(experiment.runs, self.groups, self.group_by), first, level)


class UnpooledRelevance(Relevance, kw_only=True):
    """Fitted probabilities, of which the documents that only a new group retrieved share a factor.

    Parameters
    ----------
    group : shape (n_documents,); the place of the new group; ``ABSENT`` for other documents.
    factor : on the probabilities of each group's documents, drawn for each group on its own.
    n_groups : how many new groups there are.
    """

    group: IntArray
    factor: GroupFactor
    n_groups: int

    def take(self, places: IntArray) -> UnpooledRelevance:
        """Return those of some documents."""
        probability, features = self.probability[places], self.features[places]
        return replace(self, probability=probability, features=features, group=self.group[places])

    def drawn(self, generator: np.random.Generator) -> FloatArray:
        """Return the probabilities with other coefficients and factors, as they might be."""
        factors = np.append(self.factor.drawn(generator, self.n_groups), 1.0)
        found: FloatArray = np.minimum(super().drawn(generator) * factors[self.group], 1.0)
        return found


def unpooled_relevance(experiment: Experiment, groups: Sequence[str], n_pooled: int, level: int) -> UnpooledRelevance:
    """Fit probabilities, and the factor on those of new runs; raises InputError as ``factor`` does.

    Parameters
    ----------
    experiment : the pooled runs, then the new ones.
    groups : the group of each run.
    n_pooled : how many runs were pooled.
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


def refuse_unpooled(experiment: Experiment, n_pooled: int) -> None:
    """Raise InputError if some runs are judged to depth 10 and others are not, and these are not given as new runs.

    Without a factor their documents are taken for relevant two to three times as often as they are.
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
            f"{run}{others} with --new-run, and as RUN all pooled runs, from at least {LEAST_GROUPS} groups "
            "(--group-by)"
        )

"""Studies of an order of judging: what it has judged at each level, with all runs and without a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irevalx.api.user_warnings import warn
from irevalx.errors import UsageError
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.group_names import groups_of
from irevalx.experiments.samples import is_relevant
from irevalx.experiments.user_data import are_given
from irevalx.frozen import Frozen
from irevalx.lab.judging.orderings import Ordering, without_judgment_warning
from irevalx.lab.studies.groups_outside import FoundRow, OutsideRow, found_in_order, groups_outside
from irevalx.lab.studies.run_study import Study
from irevalx.lab.studies.schemes import Level, Scheme
from irevalx.orders.replays import Budget, Replay
from irevalx.process.workers import in_order

_USUAL = {"depth": 100, "across": False, "batch": 1, "unjudged": "skip"}
"""Keywords of orders of judging that are not given."""


class JudgedInOrder(Frozen):
    """What an order of judging has judged.

    Parameters
    ----------
    ordering : of all runs; None for a scheme that is no order.
    budgets : of the levels, ascending.
    replayed : what each seed has judged at each budget; nothing for a scheme that is no order.
    """

    ordering: Ordering | None = None
    budgets: Sequence[Budget] = ()
    replayed: Sequence[Replay] = ()

    @classmethod
    def of(
        cls,
        scheme: Scheme,
        runs: Any,
        experiment: Experiment,
        levels: Sequence[Level],
        seeds: Sequence[int],
        how: Mapping[str, Any],
        *,
        processes: int = 1,
    ) -> JudgedInOrder:
        """Replay an order on the judgments of an experiment.

        Parameters
        ----------
        scheme : the order; one that is none has nothing replayed.
        runs : those of the experiment, as ``irevalx.evaluate`` takes them.
        levels : in any order.
        how : depth, across, batch, unjudged and documents, as ``Ordering.of`` takes them.
        processes : how many share the seeds; the result is the same for any number.
        """
        if scheme.order is None:
            return cls()
        budgets = [Budget(one.number, one.is_share) for one in sorted(levels, key=lambda one: one.number)]
        ordering = Ordering.of(scheme.name, runs, level=int(experiment.level), **how)

        def replay(seed: int) -> Replay:
            return ordering.replay(experiment.judgments, budgets, seed)

        replayed = list(in_order(replay, lambda: seeds, processes))
        for line in without_judgment_warning(replayed[0], ordering.rules):
            warn(line)
        return cls(ordering, budgets, replayed)

    def found(self, study: Study) -> list[FoundRow]:
        """Return what was found at each level; nothing for a scheme that is no order."""
        if self.ordering is None:
            return []
        relevant = is_relevant(study.experiment.judgments, study.experiment.level)
        return found_in_order(study.scheme, study.levels, study.seeds, self.replayed, relevant)

    def outside(self, study: Study, groups: Any, group_by: str | None, *, processes: int = 1) -> list[OutsideRow]:
        """Return how far each group of runs is wronged without its documents; nothing where no groups are given."""
        if self.ordering is None or (groups is None and group_by is None):
            return []
        of_run = groups_of(study.experiment.runs, groups, group_by)
        return groups_outside(study, self.ordering, self.budgets, of_run, processes=processes)


def refuse_what_orders_have(
    scheme: Scheme, how: Mapping[str, Any], groups: Any, group_by: str | None, min_retrieved: float
) -> None:
    """Raise UsageError for keywords of orders of judging where the scheme is none, and for groups of fewer runs."""
    given = {name: how[name] != usual for name, usual in _USUAL.items()}
    given |= {"documents": are_given(how["documents"]), "groups": groups is not None, "group_by": group_by is not None}
    for name, is_given in given.items():
        if is_given and scheme.order is None:
            raise UsageError(f"{name} must be given together with an order of judging, but got {scheme.name}")
    if (given["groups"] or given["group_by"]) and min_retrieved:
        raise UsageError("groups of runs outside the pooling must not be given together with min_retrieved")

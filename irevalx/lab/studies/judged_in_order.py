"""Studies of an order of judging: what it has found at each level, and how groups outside the pooling are wronged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import FloatArray
from irevalx.errors import UsageError
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.group_names import groups_of
from irevalx.experiments.sample_values import values_of_sample
from irevalx.experiments.samples import is_relevant
from irevalx.experiments.user_data import are_given
from irevalx.frozen import Frozen
from irevalx.lab.judging.orderings import ordering_of, without_judgment_warning
from irevalx.lab.studies.run_study import Study
from irevalx.lab.studies.schemes import Scheme
from irevalx.orders.replays import USUAL, Level, Ordering, Replay
from irevalx.process.workers import in_order
from irevalx.reports.table import Table


class FoundRow(Frozen, kw_only=True):
    """What an order has found within a budget, over all topics.

    Parameters
    ----------
    judged : how many documents were judged.
    relevant : how many of them are relevant.
    share : that of all relevant documents of the judgments, from 0 to 1; 0 where none is.
    """

    scheme: str
    level: str
    sample: int
    seed: int
    judged: int
    relevant: int
    share: float


class OutsideRow(Frozen, kw_only=True):
    """What happens to a group of runs whose documents are not asked for.

    Parameters
    ----------
    runs : how many the group has.
    change : the mean score of these runs judged without them, less their mean score judged with all runs.
    others : the same of all other runs.
    places_lost : how many ranks a run of the group falls in the mean, 1 being the best.
    """

    scheme: str
    level: str
    measure: str
    group: str
    runs: int
    change: float
    others: float
    places_lost: float


class JudgedInOrder(Frozen):
    """What an order of judging has judged.

    Parameters
    ----------
    ordering : of all runs; None for a scheme that is no order.
    replayed : what each seed has judged at each level, ascending; nothing for a scheme that is no order.
    """

    ordering: Ordering | None = None
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
        processes: int,
    ) -> JudgedInOrder:
        """Replay an order on the judgments of an experiment.

        Parameters
        ----------
        scheme : the order; one that is none has nothing replayed.
        runs : those of the experiment, as ``irevalx.evaluate`` takes them.
        levels : ascending.
        how : depth, across, batch, unjudged and documents, as ``ordering_of`` takes them.
        """
        if scheme.order is None:
            return cls()
        ordering = ordering_of(scheme.name, runs, level=int(experiment.level), **how)

        def replay(seed: int) -> Replay:
            return ordering.replay(experiment.judgments, levels, seed)

        replayed = list(in_order(replay, lambda: seeds, processes))
        for line in without_judgment_warning(replayed[0], ordering.rules):
            warn(line)
        return cls(ordering, replayed)

    def found(self, study: Study) -> list[FoundRow]:
        """Count what was found, a row for each level and sample; nothing for a scheme that is no order."""
        if self.ordering is None:
            return []
        relevant = is_relevant(study.experiment.judgments, study.experiment.level)
        total = max(1, int(np.count_nonzero(relevant)))
        rows = []
        for i, level in enumerate(study.levels):
            for s, (seed, replayed) in enumerate(zip(study.seeds, self.replayed, strict=True)):
                kept = replayed.kept[i]
                n_found = int(np.count_nonzero(kept & relevant))
                rows.append(
                    FoundRow(
                        scheme=study.scheme,
                        level=level.text,
                        sample=s,
                        seed=seed,
                        judged=int(np.count_nonzero(kept)),
                        relevant=n_found,
                        share=n_found / total,
                    )
                )
        return rows

    def outside(self, study: Study, groups: Any, group_by: str | None, *, processes: int) -> list[OutsideRow]:
        """Judge in the same order without each group, and compare scores: means over samples.

        Nothing where no groups are given, and for a scheme that is no order.

        Parameters
        ----------
        groups, group_by : as ``groups_of`` takes them.
        processes : how many share the groups; the result is the same for any number.
        """
        ordering, experiment = self.ordering, study.experiment
        if ordering is None or (groups is None and group_by is None):
            return []
        of_run = groups_of(experiment.runs, groups, group_by)
        names = list(dict.fromkeys(of_run))
        members = np.array([[group == name for group in of_run] for name in names])

        def work(number: int) -> FloatArray:
            """Return the scores without a group: shape (n_levels, n_samples, n_measures, n_runs)."""
            without = ordering.of_runs(~members[number])
            found = np.empty(study.scores.shape)
            for s, seed in enumerate(study.seeds):
                replayed = without.replay(experiment.judgments, study.levels, seed)
                for i in range(len(study.levels)):
                    found[i, s] = experiment.scores(values_of_sample(experiment, replayed.sample(i)))
            return found

        rows = []
        every = in_order(work, lambda: range(len(names)), processes)
        for name, inside, scores in zip(names, members, every, strict=True):
            change = (scores - study.scores).mean(axis=1)
            lost = (_ranks(scores) - _ranks(study.scores)).mean(axis=1)
            rows += [
                OutsideRow(
                    scheme=study.scheme,
                    level=level.text,
                    measure=measure,
                    group=name,
                    runs=int(inside.sum()),
                    change=float(change[i, m][inside].mean()),
                    others=float(change[i, m][~inside].mean()),
                    places_lost=float(lost[i, m][inside].mean()),
                )
                for i, level in enumerate(study.levels)
                for m, measure in enumerate(experiment.measures)
            ]
        return rows


def _ranks(scores: FloatArray) -> FloatArray:
    """Return the rank of each run, 1 the greatest score; equal scores share theirs."""
    higher = (scores[..., np.newaxis, :] > scores[..., np.newaxis]).sum(axis=-1)
    equal = (scores[..., np.newaxis, :] == scores[..., np.newaxis]).sum(axis=-1)
    ranks: FloatArray = higher + (equal + 1) / 2
    return ranks


def found_for_people(rows: Sequence[FoundRow]) -> Table:
    """Return a row for each level, with means over samples."""
    cells = []
    for level, of_level in groupby(rows, key=lambda row: row.level):
        some = list(of_level)
        judged, relevant, share = (
            sum(getattr(row, name) for row in some) / len(some) for name in ("judged", "relevant", "share")
        )
        cells.append((level, round(judged), round(relevant), share))
    return Table(
        "documents judged, and the relevant ones among them",
        ("level", "judged", "relevant", "share"),
        cells,
        heads=("level", "judged", "relevant", "of all relevant ones"),
    )


def outside_for_people(rows: Sequence[OutsideRow]) -> Table:
    """Return a row for each group and level, of the first measure."""
    first = [row for row in rows if row.measure == rows[0].measure]
    cells = [(row.group, row.runs, row.level, row.change, row.others, row.places_lost) for row in first]
    return Table(
        "groups that take no part in the pooling",
        ("group", "runs", "level", "change", "others", "places_lost"),
        cells,
        n_labels=3,
        heads=("group", "runs", "level", "change", "of the others", "places lost"),
        notes=(
            f"change: of the mean {rows[0].measure} of a group's runs if their documents are not asked for, and of "
            "that of the other runs; places lost: by how many ranks a run of the group falls. Other measures: "
            "groups.csv.",
        ),
    )


def refuse_what_orders_have(
    scheme: Scheme, how: Mapping[str, Any], groups: Any, group_by: str | None, min_retrieved: float
) -> None:
    """Raise UsageError for keywords of orders of judging where the scheme is none, and for groups of fewer runs."""
    given = {name: value != getattr(USUAL, name) for name, value in how.items() if name != "documents"}
    given |= {"documents": are_given(how["documents"]), "groups": groups is not None, "group_by": group_by is not None}
    for name, is_given in given.items():
        if is_given and scheme.order is None:
            raise UsageError(f"{name} must be given together with an order of judging, but got {scheme.name}")
    if (given["groups"] or given["group_by"]) and min_retrieved:
        raise UsageError("groups of runs outside the pooling must not be given together with min_retrieved")

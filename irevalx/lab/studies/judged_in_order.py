"""Studies of a judging strategy: the relevant documents found at each level, and bias against unpooled groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.group_names import groups_of
from irevalx.experiments.sample_values import values_of_sample
from irevalx.experiments.samples import is_relevant
from irevalx.frozen import Frozen
from irevalx.lab.judging.orderings import ordering_of, without_judgment_warning
from irevalx.lab.studies.run_study import Study
from irevalx.lab.studies.schemes import Scheme
from irevalx.orders.replays import BudgetLevel, SimulatedJudging, StrategySimulation
from irevalx.process.workers import in_order
from irevalx.reports.table import Table


class RecallRow(NamedTuple):
    """The relevant documents that a strategy finds within a budget, over all topics."""

    scheme: str
    level: str
    sample: int
    seed: int
    judged: int  # documents
    relevant: int  # of the judged documents
    share: float  # of all relevant documents of the judgments; 0 if there are none


class UnpooledRunRow(NamedTuple):
    """Bias against a group of runs whose documents are not selected."""

    scheme: str
    level: str
    measure: str
    group: str
    runs: int  # in the group
    change: float  # mean value of the group's runs, judged without the group less judged with all runs
    others: float  # the same for all other runs
    places_lost: float  # mean number of ranks that a run of the group falls


class StrategyResult(Frozen):
    """What a judging strategy has judged; nothing for a scheme that is not a strategy."""

    ordering: StrategySimulation | None = None  # of all runs
    replayed: Sequence[SimulatedJudging] = ()  # for each seed, at each level ascending

    @classmethod
    def of(
        cls,
        scheme: Scheme,
        runs: Any,
        experiment: Experiment,
        levels: Sequence[BudgetLevel],
        seeds: Sequence[int],
        options: Mapping[str, Any],
        *,
        processes: int,
    ) -> StrategyResult:
        """Replay a strategy on the judgments of an experiment; ``options`` are those of ``ordering_of``."""
        if scheme.order is None:
            return cls()
        ordering, judgments = (
            ordering_of(scheme.name, runs, level=int(experiment.level), **options),
            experiment.judgments,
        )

        def replay(seed: int) -> tuple[Any, ...]:
            result = ordering.replay(judgments, levels, seed)
            return result.kept, result.inclusion, result.n_without  # without the judgments, which are large

        replayed = [SimulatedJudging(judgments, *parts) for parts in in_order(replay, lambda: seeds, processes)]
        for line in without_judgment_warning(replayed[0], ordering.rules):
            warn(line)
        return cls(ordering, replayed)

    def recall(self, study: Study) -> list[RecallRow]:
        """Count the relevant documents found, one row per level and sample."""
        relevant = is_relevant(study.experiment.judgments, study.experiment.level)
        total = max(1, int(np.count_nonzero(relevant)))
        rows = []
        for i, level in enumerate(study.levels):
            for sample, (seed, replayed) in enumerate(zip(study.seeds, self.replayed, strict=False)):
                judged = replayed.kept[i]
                n_relevant = int(np.count_nonzero(judged & relevant))
                counts = (int(np.count_nonzero(judged)), n_relevant, n_relevant / total)
                rows.append(RecallRow(study.scheme, level.text, sample, seed, *counts))
        return rows

    def unpooled(self, study: Study, groups: Any, group_by: str | None, *, processes: int) -> list[UnpooledRunRow]:
        """Compare values with the strategy that ignores a group of runs, one row per level, measure and group."""
        ordering, experiment = self.ordering, study.experiment
        if ordering is None or (groups is None and group_by is None):
            return []
        group_of_run = groups_of(experiment.runs, groups, group_by)
        members = {name: np.array([group == name for group in group_of_run]) for name in dict.fromkeys(group_of_run)}

        def without(group: BoolArray) -> FloatArray:
            """Return values without a group: shape (n_levels, n_samples, n_measures, n_runs)."""
            others, scores = ordering.of_runs(~group), np.empty(study.scores.shape)
            for s, seed in enumerate(study.seeds):
                replayed = others.replay(experiment.judgments, study.levels, seed)
                for i in range(len(study.levels)):
                    scores[i, s] = experiment.scores(values_of_sample(experiment, replayed.sample(i)))
            return scores

        rows = []
        scores_without = in_order(without, members.values, processes)
        for (name, group), scores in zip(members.items(), scores_without, strict=True):
            change = (scores - study.scores).mean(axis=1)
            lost = (_ranks(scores) - _ranks(study.scores)).mean(axis=1)
            for i, level in enumerate(study.levels):
                for m, measure in enumerate(experiment.measures):
                    means = (change[i, m][group], change[i, m][~group], lost[i, m][group])
                    labels = (study.scheme, level.text, measure, name, int(group.sum()))
                    rows.append(UnpooledRunRow(*labels, *(float(values.mean()) for values in means)))
        return rows


def _ranks(scores: FloatArray) -> FloatArray:
    """Return the rank of each run, 1 for the greatest score; tied runs share the mean of their ranks."""
    higher = (scores[..., np.newaxis, :] > scores[..., np.newaxis]).sum(axis=-1)
    equal = (scores[..., np.newaxis, :] == scores[..., np.newaxis]).sum(axis=-1)
    ranks: FloatArray = higher + (equal + 1) / 2
    return ranks


def recall_table(rows: Sequence[RecallRow]) -> Table:
    """Return a row for each level, with means over samples."""
    cells = []
    for level, of_level in groupby(rows, key=lambda row: row.level):
        judged, relevant, share = np.array([(row.judged, row.relevant, row.share) for row in of_level]).mean(axis=0)
        cells.append((level, round(judged), round(relevant), float(share)))
    return Table(
        "documents judged, and the relevant ones among them",
        ("level", "judged", "relevant", "share"),
        cells,
        heads=("level", "judged", "relevant", "of all relevant ones"),
    )


def unpooled_table(rows: Sequence[UnpooledRunRow]) -> Table:
    """Return a row for each group and level, under the first measure."""
    first = rows[0].measure
    cells = [
        (row.group, row.runs, row.level, row.change, row.others, row.places_lost)
        for row in rows
        if row.measure == first
    ]
    return Table(
        "groups that take no part in the pooling",
        ("group", "runs", "level", "change", "others", "places_lost"),
        cells,
        n_labels=3,
        heads=("group", "runs", "level", "change", "of the others", "places lost"),
        notes=(
            f"change: of the mean {first} of a group's runs if their documents are not asked for, and of "
            "that of the other runs; places lost: by how many ranks a run of the group falls. Other measures: "
            "groups.csv.",
        ),
    )

"""What an order of judging finds, and how far groups of runs are wronged that take no part in the pooling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.experiments.sample_values import values_of_sample
from irevalx.frozen import Frozen
from irevalx.lab.judging.orderings import Ordering, sample_at
from irevalx.lab.studies.run_study import Study
from irevalx.lab.studies.schemes import Level
from irevalx.orders.replays import Budget, Replay
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


def found_in_order(
    scheme: str, levels: Sequence[Level], seeds: Sequence[int], replayed: Sequence[Replay], relevant: BoolArray
) -> list[FoundRow]:
    """Count what was found, a row for each level and sample.

    Parameters
    ----------
    levels : ascending.
    replayed : for each seed, at each level.
    relevant : flat over the judgments; whether a document is.
    """
    total = max(1, int(np.count_nonzero(relevant)))
    rows = []
    for i, level in enumerate(levels):
        for s, (seed, one) in enumerate(zip(seeds, replayed, strict=True)):
            n_found = int(np.count_nonzero(one.kept[i] & relevant))
            n_judged = int(np.count_nonzero(one.kept[i]))
            share = n_found / total
            rows.append(
                FoundRow(
                    scheme=scheme,
                    level=level.text,
                    sample=s,
                    seed=seed,
                    judged=n_judged,
                    relevant=n_found,
                    share=share,
                )
            )
    return rows


def found_for_people(rows: Sequence[FoundRow]) -> Table:
    """Return a row for each level, with means over samples."""
    by_level: dict[str, list[FoundRow]] = {}
    for row in rows:
        by_level.setdefault(row.level, []).append(row)
    cells = [
        (
            level,
            *(sum(getattr(row, name) for row in of_level) / len(of_level) for name in ("judged", "relevant", "share")),
        )
        for level, of_level in by_level.items()
    ]
    return Table(
        "documents judged, and the relevant ones among them",
        ("level", "judged", "relevant", "share"),
        [(level, round(judged), round(relevant), share) for level, judged, relevant, share in cells],
        heads=("level", "judged", "relevant", "of all relevant ones"),
    )


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


def groups_outside(
    study: Study, ordering: Ordering, budgets: Sequence[Budget], groups: Sequence[str], *, processes: int = 1
) -> list[OutsideRow]:
    """Judge in the same order without each group, and compare scores: means over samples.

    Parameters
    ----------
    study : whose scheme is the order, and whose runs are those of the ordering.
    budgets : of the levels of the study.
    groups : of each run.
    processes : how many share the groups; the result is the same for any number.
    """
    experiment = study.experiment
    names = list(dict.fromkeys(groups))
    members = np.array([[of_run == name for of_run in groups] for name in names])

    def work(number: int) -> FloatArray:
        """Return the scores without a group: shape (n_levels, n_samples, n_measures, n_runs)."""
        without = ordering.of_runs(~members[number])
        found = np.empty(study.scores.shape)
        for s, seed in enumerate(study.seeds):
            replayed = without.replay(experiment.judgments, budgets, seed)
            for i in range(len(study.levels)):
                found[i, s] = experiment.scores(values_of_sample(experiment, sample_at(replayed, i)))
        return found

    rows = []
    with_all = study.scores
    for name, inside, scores in zip(names, members, in_order(work, lambda: range(len(names)), processes), strict=True):
        change = (scores - with_all).mean(axis=1)
        lost = (_ranks(scores) - _ranks(with_all)).mean(axis=1)
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

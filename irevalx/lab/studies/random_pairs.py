"""Decisions about random pairs of runs, each under the judgments of the documents that the two have found.

Source: Bompada et al., On the Robustness of Relevance Measures with Incomplete Judgments, SIGIR 2007, sections 4 and 5:
about 300 pairs of runs, the judgment pool from both runs for all topics being the full judgments of a pair.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from itertools import combinations

import numpy as np

from irevalx.experiments.experiment import Experiment
from irevalx.experiments.pools import judgments_of_some
from irevalx.frozen import replace
from irevalx.lab.studies.run_study import Study
from irevalx.process.terminal import progress_bar
from irevalx.process.workers import in_order
from irevalx.statistics.decisions import Confusion


def random_pairs(n_runs: int, n_pairs: int, seed: int) -> list[tuple[int, int]]:
    """Return different pairs of runs, or all there are if these are fewer.

    They are the first in the order of the SHA-256 of ``"SEED pairs I"``, I being the number of a pair.

    Parameters
    ----------
    n_runs, n_pairs : at least 2, and at least 1.
    """
    pairs = list(combinations(range(n_runs), 2))
    order = sorted(range(len(pairs)), key=lambda number: sha256(f"{seed} pairs {number}".encode()).digest())
    return [pairs[number] for number in sorted(order[:n_pairs])]


def with_random_pairs(
    study: Study,
    n_pairs: int,
    seed: int,
    reduce: Callable[[Experiment], Study],
    *,
    processes: int = 1,
    progress: bool = False,
) -> tuple[Study, str]:
    """Return a study whose decisions are those about random pairs, and a sentence that says so.

    The full judgments of a pair are those of the documents that one of the two runs has.

    Parameters
    ----------
    n_pairs, seed : as ``random_pairs`` takes them.
    reduce : studies two runs.
    processes : how many share the pairs; the result is the same for any number of at least 1.
    progress : whether to show how many pairs have been evaluated.
    """
    experiment = study.experiment
    pairs = random_pairs(len(experiment.runs), n_pairs, seed)

    def work(pair: tuple[int, int]) -> Confusion:
        return reduce(_of_pair(experiment, pair)).confusion

    found = []
    with progress_bar("pairs of runs evaluated", len(pairs), shown=progress) as advance:
        for one in in_order(work, lambda: pairs, processes):
            found.append(one)
            advance(1)
    note = (
        f"Pairwise decisions: of {len(pairs)} random pairs of runs, each with a pool of its own, the judged documents "
        "that one of the two has found."
    )
    return replace(study, confusion=Confusion.sum(found)), note


def _of_pair(experiment: Experiment, pair: tuple[int, int]) -> Experiment:
    """Return two of the runs, with the judgments of the documents that one of them has."""
    chosen, n_topics = list(pair), len(experiment.topics)
    rows = (np.array(chosen)[:, np.newaxis] * n_topics + np.arange(n_topics)).ravel()
    judgments, ranking = experiment.judgments, experiment.ranking.take(rows)
    is_judged = ranking.row >= 0
    found = np.zeros(judgments.rows.size, np.bool_)
    found[ranking.row[is_judged]] = True
    row = ranking.row.copy()
    row[is_judged] = (np.cumsum(found) - 1)[row[is_judged]]
    return replace(
        experiment,
        judgments=judgments_of_some(judgments, found),
        runs=tuple(experiment.runs[run] for run in chosen),
        ranking=replace(ranking, row=row),
        missing=experiment.missing[chosen],
    )

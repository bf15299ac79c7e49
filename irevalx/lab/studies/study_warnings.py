"""What a reader of a study must know: shallow pools, short runs, reversed decisions, few topics."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irevalx.experiments.experiment import Experiment
from irevalx.lab.studies.run_study import Study
from irevalx.statistics import correlations as agreement
from irevalx.statistics.bootstrap import bootstrap_warnings

SHORT = 0.5
"""A run with less than this share of the documents that the middle one of all runs has is short."""

MOVED = 0.05
"""A correlation that differs by more than this without a run is moved by this run alone."""


def study_warnings(study: Study, *, own_pool: bool = False) -> list[str]:
    """Return a line for each of these things.

    Parameters
    ----------
    own_pool : whether full judgments are those of the runs' own pool.
    """
    lines = [*(() if own_pool else _shallow_pool(study)), *_no_random_sample(study), *_without_value(study)]
    lines += [*_short_runs(study), *study.warnings()]
    return [*lines, *(bootstrap_warnings(len(study.experiment.topics)) if study.intervals is not None else [])]


def _shallow_pool(study: Study) -> Iterator[str]:
    """Yield a line if the deepest pool does not have all judgments."""
    kept = float(study.kept[-1].mean())
    if study.scheme in {"depth", "mixed"} and kept < 1:
        yield (
            f"the deepest pool ({study.levels[-1].text}) leaves {kept:.1%} of the judgments: full judgments are more "
            "than the pool of these runs; --own-pool takes their own pool for them, and irevalx-lab pool --judge "
            "makes its judgments"
        )


def _no_random_sample(study: Study) -> Iterator[str]:
    """Yield a line if measures take a sample for random that is none."""
    requests = study.experiment.requests
    if study.scheme != "stratified" or all(request.measure.can_use("qrels") for request in requests):
        return
    names = [name for request in requests if not request.measure.can_use("qrels") for name in request.names]
    yield (
        f"{', '.join(names)}: the scheme stratified is no random sample of the judgments, as relevant and nonrelevant "
        "documents are drawn at different rates; --strata divides them by what is known before they are judged"
    )


def _without_value(study: Study) -> Iterator[str]:
    """Yield a line for each measure that has no value for some topics of some samples."""
    n_values = study.scores.shape[0] * study.scores.shape[1] * len(study.experiment.topics)
    for measure, undefined in zip(study.experiment.measures, study.undefined.tolist(), strict=True):
        if undefined:
            yield (
                f"{measure}: {undefined} of {n_values} times a topic has no value, as its sample has no relevant "
                "document; its mean is over the others"
            )


def n_retrieved(experiment: Experiment) -> list[int]:
    """Return how many documents each run has for all topics together."""
    of_topics = np.where(experiment.missing, 0, experiment.ranking.n_ret.reshape(experiment.missing.shape))
    found: list[int] = of_topics.sum(axis=1).tolist()
    return found


def _short_runs(study: Study) -> Iterator[str]:
    """Yield a line for each short run without which Pearson's correlation of a measure with itself is another one."""
    runs = study.experiment.runs
    retrieved = n_retrieved(study.experiment)
    middle = float(np.median(retrieved))
    for number, run in enumerate(runs):
        if retrieved[number] >= SHORT * middle or len(runs) < 4:
            continue
        others = np.arange(len(runs)) != number
        without = agreement.pearson(study.full[:, others], study.scores[..., others]).mean(axis=1)
        change = np.abs(study.statistics["itself"]["pearson"].mean(axis=1) - without)
        if not (change > MOVED).any():
            continue
        level, measure = np.unravel_index(np.nanargmax(change), change.shape)
        yield (
            f"{run} has {retrieved[number]} documents, fewer than half of what the middle one of the runs has, and "
            f"moves Pearson's correlation of {study.experiment.measures[measure]} at {study.levels[level].text} by "
            f"{change[level, measure]:.2f} alone: --min-retrieved leaves out such runs"
        )

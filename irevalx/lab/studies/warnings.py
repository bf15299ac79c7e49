"""Warnings about the pools, samples, topics, undefined values, short runs and reversed differences of a study."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irevalx.experiments.ranked_runs import left_out
from irevalx.lab.command.notes import bootstrap_warnings, reversal_warnings
from irevalx.lab.studies.simulation import Study
from irevalx.statistics import correlations as agreement
from irevalx.wording import spelled

SHORT = 0.5  # a run that retrieves less than this share of the median over runs is short
MOVED = 0.05  # smallest change of a correlation by a single run that causes a warning


def study_warnings(study: Study, *, of_pools: bool = False) -> Iterator[str]:
    """Yield warnings about a study. ``of_pools`` is true if levels are pool depths, and the runs' pool is not used."""
    experiment, judged = study.experiment, float(study.judged[-1].mean())
    if of_pools and judged < 1:
        yield (
            f"the deepest pool ({study.levels[-1].text}) contains {judged:.1%} of the judgments: the full judgments "
            f"include documents outside the pool of these runs; {spelled('own_pool', True)} excludes them"
        )
    of_samples = [request for request in experiment.requests if not request.measure.can_use("qrels")]
    if study.scheme == "stratified" and of_samples:
        yield (
            f"{', '.join(name for request in of_samples for name in request.names)}: "
            f"{spelled('scheme', 'stratified')} does not draw a random sample of the judgments, because it samples "
            f"relevant and nonrelevant documents at different rates; {spelled('strata')} samples strata that are known "
            "before documents are judged"
        )
    without_relevant = study.without_relevant.mean(axis=1)
    if (most := float(without_relevant.max())) > 0:
        level = study.levels[int(without_relevant.argmax())].text
        yield (
            f"at level {level}, {most:.4g} of {len(experiment.topics)} topics (mean over samples) have no relevant "
            "document in the sample; most measures are 0 for such topics, so their means are too low"
        )
    each = zip(experiment.measures, study.without_value.tolist(), study.undefined.tolist(), strict=True)
    for measure, without_value, undefined in each:
        if without_value:
            yield left_out(measure, without_value, len(experiment.topics))
        if undefined:
            n_values = study.judged.size * (len(experiment.topics) - without_value)
            yield (
                f"{measure}: {undefined} of {n_values} topic values are undefined or infinite, because the sample "
                "contains no relevant document; the mean is over the other values"
            )
    yield from _short_runs(study)
    under = "under full and reduced judgments"
    yield from reversal_warnings(experiment.measures, experiment.runs, study.reversals, under, "samples")
    if study.intervals is not None:
        yield from bootstrap_warnings(len(experiment.topics))


def _short_runs(study: Study) -> Iterator[str]:
    """Yield a warning for each short run that alone changes Pearson's correlation of a measure with itself."""
    experiment = study.experiment
    n_retrieved = np.where(experiment.missing, 0, experiment.ranking.n_ret.reshape(experiment.missing.shape))
    retrieved = n_retrieved.sum(axis=1).tolist()
    median = float(np.median(retrieved))
    for number, run in enumerate(experiment.runs):
        if retrieved[number] >= SHORT * median or len(retrieved) < 4:
            continue
        others = np.arange(len(retrieved)) != number
        without = agreement.pearson(study.full[:, others], study.scores[..., others]).mean(axis=1)
        change = np.abs(study.statistics["itself"]["pearson"].mean(axis=1) - without)
        if not (change > MOVED).any():
            continue
        level, measure = np.unravel_index(np.nanargmax(change), change.shape)
        yield (
            f"{run} retrieves {retrieved[number]} documents, less than half of the median over runs, and alone changes "
            f"Pearson's correlation of {experiment.measures[measure]} at {study.levels[level].text} by "
            f"{change[level, measure]:.2f}: {spelled('min_retrieved')} leaves out such runs"
        )

"""Values of runs under a sample of strata, for measures of every kind of judgments that such a sample can be taken for.

The sample is at the same time graded judgments (what was not drawn is pooled and not judged), judgments with strata
(-R sampled), and judgments with the probability of drawing each document (-R prels).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.pools import renumbered
from irevalx.experiments.ranked_runs import RankedRuns, each_once, requests_of
from irevalx.experiments.samples import unjudge
from irevalx.experiments.strata import StrataSample
from irevalx.frozen import replace
from irevalx.judgments.graded import SAMPLED_DEPTH
from irevalx.judgments.with_probabilities import JudgmentsWithProbabilities
from irevalx.measures.declare import Measure
from irevalx.measures.select import RequestedMeasure, select_measures
from irevalx.ranking.ranking import Ranking
from irevalx.reading.formats import PRELS, QRELS, SAMPLED
from irevalx.settings import Settings

FORMATS = (QRELS.name, SAMPLED.name, PRELS.name)
"""The formats of judgments that a sample can be taken for; a measure takes the first one that it can use."""


def format_for(measure: Measure) -> str | None:
    """Return the format that a measure takes a sample for; None if it can use none of them."""
    return next((name for name in FORMATS if measure.can_use(name)), None)


def requests_of_samples(measures: Sequence[str], level: int) -> tuple[RequestedMeasure, ...]:
    """Read measures, including those that need strata or inclusion probabilities."""
    settings = Settings(level=level)
    each = (requests_of((text,), settings, _format_of(text, settings)) for text in measures)
    return each_once([request for requests in each for request in requests])


def _format_of(text: str, settings: Settings) -> str:
    """Return the format that the first measure of a text takes a sample for."""
    formats = (format_for(request.measure) for request in select_measures((text,), settings).measures)
    return next((name for name in formats if name is not None), None) or QRELS.name


def values_of_sample(experiment: Experiment, sample: StrataSample, pooled: BoolArray | None = None) -> FloatArray:
    """Evaluate all runs under a sample: shape (n_measures, n_runs, n_topics); nan if a topic has no value.

    ``pooled``, flat, is the pool for measures of graded judgments (None: all documents); other measures use the strata.
    """
    formats = [format_for(request.measure) for request in experiment.requests for _ in request.names]
    values = np.empty((len(formats), *experiment.missing.shape))
    for name in dict.fromkeys(formats):
        requests = tuple(request for request in experiment.requests if format_for(request.measure) == name)
        of_format = experiment if requests == experiment.requests else replace(experiment, requests=requests)
        if name == QRELS.name:
            of_measures = of_format.values(unjudge(experiment.judgments, sample.kept), pooled)
        elif name == SAMPLED.name:
            of_measures = _with_strata(of_format, sample)
        else:
            of_measures = _with_probabilities(of_format, sample)
        values[[of == name for of in formats]] = of_measures
    return values


def _with_strata(experiment: Experiment, sample: StrataSample) -> FloatArray:
    judgments = replace(experiment.judgments, strata=sample.stratum)
    ranking = _cut(experiment.ranking, SAMPLED_DEPTH)
    return replace(experiment, judgments=judgments, ranking=ranking).values(sample.grades, sample.in_stratum)


def _cut(ranking: Ranking, depth: int) -> Ranking:
    """Return the first documents of each topic."""
    if not (ranking.n_ret > depth).any():
        return ranking
    within = ranking.rank <= depth
    rows, n_ret = ranking.rows.keep(within), np.minimum(ranking.n_ret, depth)
    return replace(ranking, rows=rows, rank=ranking.rank[within], row=ranking.row[within], n_ret=n_ret)


def _with_probabilities(experiment: Experiment, sample: StrataSample) -> FloatArray:
    judgments, sampled = sample.judgments, sample.kept
    drawn = JudgmentsWithProbabilities(
        path=judgments.path,
        topics=judgments.topics,
        rows=judgments.rows.keep(sampled),
        docnos=judgments.docnos.take(sampled),
        grades=judgments.grades[sampled],
        probabilities=sample.probability[sampled],
        at_random=np.ones(np.count_nonzero(sampled), np.bool_),
        lines=judgments.lines[sampled],
    )
    return RankedRuns(
        judgments=drawn,
        runs=experiment.runs,
        topics=experiment.topics,
        ranking=replace(experiment.ranking, row=renumbered(experiment.ranking.row, sampled)),
        missing=experiment.missing,
        requests=experiment.requests,
        level=experiment.level,
    ).values()

"""The simulation of a study, which computes statistics of each sample at each level, and the topic bootstrap.

Source: Yilmaz and Aslam, Estimating Average Precision When Judgments Are Incomplete, KAIS 2008; Bompada et al., On the
Robustness of Relevance Measures with Incomplete Judgments, SIGIR 2007; Ahlgren and Grönqvist, IP&M 2008.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments import samples
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.strata import StrataSample, values_of_sample
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.plotting.ranges import measure_printed_as
from irevalx.lab.studies.schemes import IMPERFECT, TopicStrata, sample_of, values_of
from irevalx.process.workers import in_order
from irevalx.statistics import correlations as agreement
from irevalx.statistics.bootstrap import (
    STATISTICS,
    TopicDraws,
    agreement_draws,
    knee_interval,
    knee_places,
    quantile_interval,
)
from irevalx.statistics.decisions import DECISION_COLUMNS, Confusion, Decisions, confusion, decide, reversals
from irevalx.statistics.significance import ALPHA, MEAN
from irevalx.strategies.simulation import BudgetLevel, SimulatedJudging

CURVES = {
    "tau_b_itself": ("itself", "tau_b"),
    "tau_b_ap": ("AP", "tau_b"),
    "accuracy": ("itself", "accuracy"),
    "g_mean": ("itself", "g_mean"),
}
"""The reference and the statistic of each curve that has a knee."""


class StudyIntervals(Frozen):
    """Intervals for the means of statistics over samples.

    The bounds are the ``ALPHA``/2 and the 1 - ``ALPHA``/2 quantile over topic resamples.
    """

    # Lower and upper bounds by reference and statistic of ``STATISTICS``. The shape is (n_levels, n_measures).
    statistics: dict[str, dict[str, tuple[FloatArray, FloatArray]]]
    # The indices of the lower and the upper level by curve of tau-b and measure, or None for a bound beyond all levels.
    knees: dict[str, list[tuple[int | None, int | None]]]


class StudyBootstrap:
    """The statistics of topic resamples, averaged over samples. All samples share the topic resamples."""

    def __init__(
        self,
        experiment: GradedRuns,
        full: FloatArray,  # tested values under full judgments, shape (n_measures, n_runs, n_topics)
        average_precision: FloatArray,  # AP under full judgments, shape (n_runs, n_topics)
        n_levels: int,
        n_samples: int,
        draws: TopicDraws,
    ) -> None:
        self._experiment, self._full, self._average_precision = experiment, full, average_precision
        self._n_levels, self._n_samples, self._draws = n_levels, n_samples, draws
        self._means: dict[tuple[str, str], FloatArray] = {}

    def statistics(self, reduced: FloatArray) -> dict[tuple[str, str], FloatArray]:
        """Return the statistics of a sample over topic resamples, as ``{(reference, name): values}``.

        The shape of the values is (n_draws, n_measures).
        """
        of_measures = [
            {
                (reference, name): of_draws
                for reference, x, scale_x in (("itself", self._full[m], scale), ("AP", self._average_precision, MEAN))
                for name, of_draws in agreement_draws(x, reduced[m], self._draws, (scale_x, scale)).items()
            }
            for m, scale in enumerate(self._experiment.scales)
        ]
        return {key: np.stack([by_key[key] for by_key in of_measures], axis=1) for key in of_measures[0]}

    def add(self, level: int, statistics: Mapping[tuple[str, str], FloatArray]) -> None:
        """Add the statistics of a sample at a level, given the index of the level."""
        for key, of_draws in statistics.items():
            if key not in self._means:
                self._means[key] = np.zeros((self._n_levels, *of_draws.shape))
            self._means[key][level] += of_draws / self._n_samples

    def intervals(self) -> StudyIntervals:
        """Return the intervals for the means of all samples that were added."""
        means = self._means
        statistics: dict[str, dict[str, tuple[FloatArray, FloatArray]]] = {reference: {} for reference in REFERENCES}
        for reference, name in product(REFERENCES, STATISTICS):
            low, high = quantile_interval(np.moveaxis(means[reference, name], 1, 0))
            applies = are_comparable(self._experiment.measures, reference, name)
            statistics[reference][name] = np.where(applies, low, np.nan), np.where(applies, high, np.nan)
        knees = {
            curve: [knee_interval(of_measure, self._n_levels, ALPHA) for of_measure in knee_places(means[key]).T]
            for curve, key in CURVES.items()
            if key in means
        }
        return StudyIntervals(statistics, knees)


REFERENCES = {"AP": "AP under full judgments", "itself": "the measure itself under full judgments"}
"""The references with which a measure under reduced judgments is compared."""

ESTIMATES_OF_AP = frozenset({"map", "infAP", "indAP", "subAP", "xinfAP", "statAP"})
"""The measures that equal AP if the judgments are complete."""

OF_SCALE = frozenset({"rms", "bias"})
"""The statistics that are meaningless for measures on different scales."""

DECISIONS = ("accuracy", "g_mean", *(name for name in DECISION_COLUMNS if name not in {"accuracy", "g_mean"}))
"""The statistics of significance decisions. Statistics with knees come first."""

INVERSIONS = "inversions"
"""The name of the statistic that counts discordant pairs."""

LAST = (INVERSIONS, "tau_ap_b")
"""The statistics that were added last, whose columns come last, so that earlier columns keep their positions."""


def is_comparable(measure: str, reference: str, statistic: str) -> bool:
    """Return whether a statistic is meaningful: errors against AP require a measure that estimates AP.

    ``measure`` is the displayed name of a measure.
    """
    if reference != "AP" or statistic not in OF_SCALE:
        return True
    known = measure_printed_as(measure)
    return known is not None and known.name in ESTIMATES_OF_AP


def are_comparable(measures: Sequence[str], reference: str, statistic: str) -> BoolArray:
    """Return whether a statistic is meaningful for each measure. The shape is (n_measures,). See ``is_comparable``."""
    return np.array([is_comparable(measure, reference, statistic) for measure in measures], np.bool_)


class Study(Frozen):
    """The values and statistics of a study."""

    experiment: GradedRuns  # runs ranked against the full judgments
    scheme: str
    levels: tuple[BudgetLevel, ...]  # in ascending order
    seeds: tuple[int, ...]  # one seed for each sample
    judged: FloatArray  # shape (n_levels, n_samples); share of judgments that is kept
    full: FloatArray  # shape (n_measures, n_runs); values under full judgments
    average_precision: FloatArray  # shape (n_runs,); AP under full judgments
    scores: FloatArray  # shape (n_levels, n_samples, n_measures, n_runs)
    confusion: Confusion  # shape (n_levels, n_samples, n_measures); significance decisions against full judgments
    reversals: IntArray  # shape (n_measures, n_pairs); number of reduced judgments that reverse a significant sign
    without_value: IntArray  # shape (n_measures,); number of topics for which a run has no finite value
    undefined: IntArray  # shape (n_measures,); number of undefined values of other topics under reduced judgments
    without_relevant: IntArray  # shape (n_levels, n_samples); topics that lost all judged relevant documents
    intervals: StudyIntervals | None = None  # intervals of the means over samples; None unless topics were resampled

    @cached_property
    def statistics(self) -> dict[str, dict[str, FloatArray | IntArray]]:
        """The statistics, as ``{reference: {name: values}}``, with the shape (n_levels, n_samples, n_measures).

        Decisions against AP, and errors against AP of measures that do not estimate AP, are nan.
        """
        decisions = self.confusion.columns
        nothing = np.full(self.scores.shape[:3], np.nan)
        statistics: dict[str, dict[str, FloatArray | IntArray]] = {}
        for reference, x in (("AP", self.average_precision), ("itself", self.full)):
            statistics[reference] = {
                "tau_b": agreement.tau_b(x, self.scores),
                "tau": agreement.tau(x, self.scores),
                "tau_ap": agreement.tau_ap(x, self.scores),
                "pearson": agreement.pearson(x, self.scores),
                **{
                    name: np.where(
                        are_comparable(self.experiment.measures, reference, name), error(x, self.scores), np.nan
                    )
                    for name, error in (("rms", agreement.rms), ("bias", agreement.bias))
                },
                **{name: decisions[name] if reference == "itself" else nothing for name in DECISIONS},
                INVERSIONS: agreement.inversions(x, self.scores),
                "tau_ap_b": agreement.tau_ap_b(x, self.scores),
            }
        return statistics


class _Reduced(Frozen):
    """The values and statistics under one set of reduced judgments."""

    judged: float  # share of judgments that is kept
    scores: FloatArray  # shape (n_measures, n_runs)
    undefined: IntArray  # shape (n_measures,); number of topics without a value
    without_relevant: int  # number of topics that lost the judgments of all relevant documents
    decisions: Decisions  # shape (n_measures, n_pairs)
    resampled: dict[tuple[str, str], FloatArray] | None  # statistics of resampled topics; None if there are none


def run_study(
    experiment: GradedRuns,
    scheme: str,
    levels: Sequence[BudgetLevel],
    seeds: Sequence[int],
    *,
    done: Callable[[], None] = lambda: None,
    resamples: int = 0,  # resamples of topics, drawn with the first seed
    topic_strata: TopicStrata | None = None,
    rounding: Callable[[Fraction], int] = math.ceil,
    topic_rates: Sequence[Fraction] = (),
    replayed: Sequence[SimulatedJudging] = (),  # the judgments that a strategy selected, for each seed
    processes: int = 1,
) -> Study:
    """Evaluate all runs with reduced judgments, for each level (in ascending order) and each seed.

    The function ``done`` is called after each evaluation.
    """
    n_judged = max(1, int(np.count_nonzero(experiment.grades >= 0)))
    values = values_of_sample(experiment, StrataSample.of_everything(experiment.judgments))
    tested = experiment.tested(values)
    plain = experiment.with_measures(("map",))
    average_precision = plain.values()
    bootstrap = None
    if resamples:
        draws = TopicDraws.of(len(experiment.topics), resamples, seeds[0])
        bootstrap = StudyBootstrap(experiment, tested, average_precision[0], len(levels), len(seeds), draws)
    full = decide(tested)
    lacking: BoolArray = np.asarray(np.isnan(values).any(axis=1))
    orders = [samples.RandomOrder(experiment.judgments, seed, scheme) for seed in seeds]

    shape = (len(levels), len(seeds), len(experiment.measures))
    judged, scores = np.empty(shape[:2]), np.empty((*shape, len(experiment.runs)))
    undefined, without_relevant = np.zeros(shape[2], np.int64), np.zeros(shape[:2], np.int64)
    different = np.empty((*shape, full.different.shape[-1]), np.bool_)
    direction = np.empty(different.shape, np.int64)

    def work(item: tuple[int, int]) -> _Reduced:
        i, s = item
        if replayed:
            sample, pooled = replayed[s].sample(i), None
        else:
            how: dict[str, Any] = {"topic_strata": topic_strata, "rounding": rounding, "topic_rates": topic_rates}
            sample, pooled = sample_of(experiment, scheme, levels[i].number, orders[s], **how)
        values_of_level = np.where(lacking[:, np.newaxis], np.nan, values_of(experiment, scheme, sample, pooled))
        reduced_tested = experiment.tested(values_of_level)
        return _Reduced(
            judged=np.count_nonzero(sample.in_sample) / n_judged,
            scores=experiment.scores(values_of_level),
            undefined=(np.isnan(values_of_level).any(axis=1) & ~lacking).sum(axis=1),
            without_relevant=0 if scheme == IMPERFECT else _without_relevant(experiment, sample.in_sample),
            decisions=decide(reduced_tested),
            resampled=None if bootstrap is None else bootstrap.statistics(reduced_tested),
        )

    items = _in_turn(len(levels), len(seeds), processes)
    for (i, s), reduced in zip(items, in_order(work, lambda: items, processes), strict=True):
        judged[i, s], scores[i, s] = reduced.judged, reduced.scores
        undefined += reduced.undefined
        without_relevant[i, s] = reduced.without_relevant
        different[i, s], direction[i, s] = reduced.decisions.different, reduced.decisions.direction
        if bootstrap is not None and reduced.resampled is not None:
            bootstrap.add(i, reduced.resampled)
        done()
    decisions = Decisions(different, direction)
    return Study(
        experiment=experiment,
        scheme=scheme,
        levels=tuple(levels),
        seeds=tuple(seeds),
        judged=judged,
        full=experiment.scores(values),
        average_precision=plain.scores(average_precision)[0],
        scores=scores,
        confusion=confusion(full, decisions),
        reversals=reversals(full, decisions).sum(axis=(0, 1)),
        without_value=lacking.sum(axis=1),
        undefined=undefined,
        without_relevant=without_relevant,
        intervals=None if bootstrap is None else bootstrap.intervals(),
    )


def _without_relevant(experiment: GradedRuns, in_sample: BoolArray) -> int:
    """Count the evaluated topics that have relevant documents, but none in the sample."""
    judgments = experiment.judgments
    relevant = samples.is_relevant(judgments, experiment.level)
    lost = (judgments.rows.count(relevant) > 0) & (judgments.rows.count(relevant & in_sample) == 0)
    return sum(bool(lost[judgments.topic_index[topic]]) for topic in experiment.topics)


def _in_turn(n_levels: int, n_seeds: int, processes: int) -> list[tuple[int, int]]:
    """Return all pairs of a level and a seed, as indices.

    The order of the pairs lets each process sort the documents once for each seed.
    """
    return [
        (level, seed)
        for first in range(0, n_seeds, processes)
        for level in range(n_levels)
        for seed in range(first, min(first + processes, n_seeds))
    ]

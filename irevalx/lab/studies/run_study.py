"""Studies: all measures under many reduced judgments, against AP and against themselves under full judgments.

Source: Yilmaz and Aslam, Estimating Average Precision When Judgments Are Incomplete, KAIS 2008; Bompada et al., On the
Robustness of Relevance Measures with Incomplete Judgments, SIGIR 2007; Ahlgren and Grönqvist, IP&M 2008.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.experiments import samples
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.sample_values import values_of_sample
from irevalx.experiments.strata import StrataSample
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.judging.orderings import sample_at
from irevalx.lab.plot.ranges import measure_printed_as
from irevalx.lab.studies.schemes import Division, Level, draw, pooled_in
from irevalx.lab.studies.study_bootstrap import Resampling, StudyBootstrap, StudyIntervals
from irevalx.orders.replays import Replay
from irevalx.process.workers import in_order
from irevalx.statistics import correlations as agreement
from irevalx.statistics.decisions import Confusion, Decisions, confusion, decide, reversal_warnings, reversals
from irevalx.statistics.knees import THRESHOLD, Knee, find_knee

REFERENCES = {"AP": "AP under full judgments", "itself": "the measure itself under full judgments"}
"""The references that a measure under reduced judgments is compared with, and what they mean."""

ESTIMATES_OF_AP = frozenset({"map", "infAP", "indAP", "subAP", "xinfAP", "statAP"})
"""The measures that are AP where everything was judged, or estimate it; the others are something else."""

OF_SCALE = frozenset({"rms", "bias"})
"""Those of the statistics that say nothing of two measures on different scales."""

MOST_SAMPLES = 0.95
"""The share of samples that exceed the threshold where a level is called reliable."""

STATISTICS = ("tau_b", "tau", "tau_ap", "pearson", "rms", "bias")
"""The statistics of the comparison."""


def is_comparable(measure: str, reference: str, statistic: str) -> bool:
    """Return whether a statistic of a measure means something: not an error against AP that it does not estimate.

    Parameters
    ----------
    measure : as it is printed.
    """
    if reference != "AP" or statistic not in OF_SCALE:
        return True
    known = measure_printed_as(measure)
    return known is not None and known.name in ESTIMATES_OF_AP


class Study(Frozen):
    """The result of a study.

    Parameters
    ----------
    experiment : with the full judgments.
    scheme : its name.
    levels : ascending.
    seeds : one for each sample.
    kept : shape (n_levels, n_samples); the share of the judgments that is left.
    full : shape (n_measures, n_runs); scores under full judgments.
    average_precision : shape (n_runs,); AP under full judgments.
    scores : shape (n_levels, n_samples, n_measures, n_runs).
    confusion : shape (n_levels, n_samples, n_measures); how significant pairwise decisions go together
        with those under full judgments.
    reversals : shape (n_measures, n_pairs); for each pair of runs, under how many reduced judgments the two differ in
        the opposite direction as under full judgments.
    undefined : shape (n_measures,); how often a topic had no value under reduced judgments.
    intervals : of the means over samples; None unless topics were resampled.
    """

    experiment: Experiment
    scheme: str
    levels: tuple[Level, ...]
    seeds: tuple[int, ...]
    kept: FloatArray
    full: FloatArray
    average_precision: FloatArray
    scores: FloatArray
    confusion: Confusion
    reversals: IntArray
    undefined: IntArray
    intervals: StudyIntervals | None = None

    @property
    def judged(self) -> FloatArray:
        """The mean share of the judgments that is left: shape (n_levels,)."""
        share: FloatArray = self.kept.mean(axis=1)
        return share

    @property
    def accuracy(self) -> FloatArray:
        """The share of decisions that stay as they were: shape (n_levels, n_samples, n_measures)."""
        return self.confusion.accuracy

    @property
    def g_mean(self) -> FloatArray:
        """The g-mean of decisions: shape (n_levels, n_samples, n_measures)."""
        return self.confusion.g_mean

    @cached_property
    def statistics(self) -> dict[str, dict[str, FloatArray]]:
        """For each of ``REFERENCES``, each of ``STATISTICS``, of shape (n_levels, n_samples, n_measures)."""
        names = self.experiment.runs
        found = {}
        for reference, x in (("AP", self.average_precision), ("itself", self.full)):
            found[reference] = {
                "tau_b": agreement.tau_b(x, self.scores),
                "tau": agreement.tau(x, self.scores),
                "tau_ap": agreement.tau_ap(x, self.scores, names),
                "pearson": agreement.pearson(x, self.scores),
                "rms": agreement.rms(x, self.scores),
                "bias": agreement.bias(x, self.scores),
            }
        return found

    @cached_property
    def inversions(self) -> dict[str, IntArray]:
        """For each of ``REFERENCES`` the numbers of discordant pairs, of shape (n_levels, n_samples, n_measures)."""
        references = {"AP": self.average_precision, "itself": self.full}
        return {reference: agreement.inversions(x, self.scores) for reference, x in references.items()}

    def knees(self, of_samples: FloatArray) -> list[Knee]:
        """Return, for each measure, where the mean over samples exceeds ``THRESHOLD``.

        Parameters
        ----------
        of_samples : shape (n_levels, n_samples, n_measures).

        Notes
        -----
        Source: Bompada et al. 2007, Tables 3 and 5.
        """
        return [find_knee(curve) for curve in of_samples.mean(axis=1).T]

    def reliable_levels(self, of_samples: FloatArray) -> list[int | None]:
        """Return, for each measure, the place of the least level from which on most samples exceed ``THRESHOLD``.

        Most are at least ``MOST_SAMPLES``; None where there is no such level. A mean may exceed it where single
        samples do not, and whoever has judgments has a single sample.

        Parameters
        ----------
        of_samples : shape (n_levels, n_samples, n_measures).
        """
        enough = (of_samples > THRESHOLD).mean(axis=1) >= MOST_SAMPLES
        return [find_knee(of_measure.astype(np.float64)).knee for of_measure in enough.T]

    def warnings(self) -> list[str]:
        """Return a line for each measure under which pairs of runs differ in both directions."""
        names = self.experiment.measures, self.experiment.runs
        return reversal_warnings(*names, self.reversals, "under full and under reduced judgments")


class _Reduced(Frozen):
    """What comes of reduced judgments.

    Parameters
    ----------
    kept : the share of the judgments that is left.
    scores : shape (n_measures, n_runs).
    undefined : shape (n_measures,); for how many topics a measure has no value.
    decisions : which runs differ, shape (n_measures, n_pairs).
    resampled : the statistics of draws of topics; None where none are drawn.
    """

    kept: float
    scores: FloatArray
    undefined: IntArray
    decisions: Decisions
    resampled: dict[str, FloatArray] | None


def run_study(
    experiment: Experiment,
    scheme: str,
    levels: Sequence[Level],
    seeds: Sequence[int],
    *,
    done: Callable[[], None] = lambda: None,
    resampling: Resampling | None = None,
    division: Division | None = None,
    rounding: Callable[[Fraction], int] = math.ceil,
    replayed: Sequence[Replay] = (),
    processes: int = 1,
) -> Study:
    """Reduce the judgments again and again, and evaluate all runs each time.

    Parameters
    ----------
    scheme : its name.
    levels : in any order.
    seeds : one for each sample; ``depth`` leaves nothing to chance and takes only the first.
    done : is called after each of ``len(levels) * len(seeds)`` evaluations.
    resampling : of topics, for intervals; None for no intervals.
    division : of the judgments into strata, for the scheme ``strata``.
    rounding : how the shares of ``stratified`` become numbers of documents.
    replayed : for each seed what an order of judging has judged, at each of the levels in ascending order; none for
        schemes that are no orders.
    processes : how many share the work; the result is the same for any number of at least 1.
    """
    levels = sorted(levels, key=lambda level: level.number)
    seeds = seeds[:1] if scheme == "depth" and not replayed else seeds
    n_judged = max(1, int(np.count_nonzero(experiment.grades >= 0)))
    values = values_of_sample(experiment, StrataSample.of_everything(experiment.judgments))
    tested = experiment.tested(values)
    plain = experiment.with_measures(("map",))
    average_precision = plain.values()
    bootstrap = None
    if resampling is not None:
        sizes = len(levels), len(seeds)
        bootstrap = StudyBootstrap(experiment, tested, average_precision[0], *sizes, resampling)
    full = decide(tested)
    shape = (len(levels), len(seeds), len(experiment.measures))
    scores = np.empty((*shape, len(experiment.runs)))
    kept = np.empty(shape[:2])
    undefined = np.zeros(shape[2], np.int64)
    different = np.empty((*shape, full.different.shape[-1]), np.bool_)
    direction = np.empty(different.shape, np.int64)
    orders = [samples.RandomOrder(experiment.judgments, seed, scheme) for seed in seeds]

    def work(item: tuple[int, int]) -> _Reduced:
        i, s = item
        if replayed:
            sample, pooled = sample_at(replayed[s], i), None
        else:
            sample = draw(experiment, scheme, levels[i].number, orders[s], division, rounding)
            pooled = pooled_in(scheme, sample)
        reduced = values_of_sample(experiment, sample, pooled)
        reduced_tested = experiment.tested(reduced)
        return _Reduced(
            kept=np.count_nonzero(sample.kept) / n_judged,
            scores=experiment.scores(reduced),
            undefined=np.isnan(reduced).any(axis=1).sum(axis=1),
            decisions=decide(reduced_tested),
            resampled=None if bootstrap is None else bootstrap.statistics(reduced_tested),
        )

    items = _in_turn(len(levels), len(seeds), processes)
    for (i, s), one in zip(items, in_order(work, lambda: items, processes), strict=True):
        kept[i, s], scores[i, s] = one.kept, one.scores
        undefined += one.undefined
        different[i, s], direction[i, s] = one.decisions.different, one.decisions.direction
        if bootstrap is not None and one.resampled is not None:
            bootstrap.add(i, one.resampled)
        done()
    return Study(
        experiment=experiment,
        scheme=scheme,
        levels=tuple(levels),
        seeds=tuple(seeds),
        kept=kept,
        full=experiment.scores(values),
        average_precision=plain.scores(average_precision)[0],
        scores=scores,
        confusion=confusion(full, Decisions(different, direction)),
        reversals=reversals(full, Decisions(different, direction)).sum(axis=(0, 1)),
        undefined=undefined,
        intervals=None if bootstrap is None else bootstrap.intervals(),
    )


def _in_turn(n_levels: int, n_seeds: int, processes: int) -> list[tuple[int, int]]:
    """Return the places of every level and seed, the seeds of a level in ascending order.

    Of several processes one takes every n-th: as far as there are enough seeds it has all levels of a seed, whose
    random order it makes once.
    """
    return [
        (level, seed)
        for first in range(0, n_seeds, processes)
        for level in range(n_levels)
        for seed in range(first, min(first + processes, n_seeds))
    ]

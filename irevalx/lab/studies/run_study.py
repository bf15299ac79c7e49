"""Studies: all measures under many reduced judgments, against AP and against themselves under full judgments.

Source: Yilmaz and Aslam, Estimating Average Precision When Judgments Are Incomplete, KAIS 2008; Bompada et al., On the
Robustness of Relevance Measures with Incomplete Judgments, SIGIR 2007; Ahlgren and Grönqvist, IP&M 2008.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import combinations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.experiments import samples
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.pools import judgments_of_some, renumbered
from irevalx.experiments.sample_values import values_of_sample
from irevalx.experiments.strata import StrataSample
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.lab.plot.ranges import measure_printed_as
from irevalx.lab.studies.schemes import Division, draw
from irevalx.lab.studies.study_bootstrap import Resampling, StudyBootstrap, StudyIntervals
from irevalx.orders.replays import Level, Replay
from irevalx.process.workers import in_order
from irevalx.statistics import correlations as agreement
from irevalx.statistics.decisions import DECISION_COLUMNS, Confusion, Decisions, confusion, decide, reversals

REFERENCES = {"AP": "AP under full judgments", "itself": "the measure itself under full judgments"}
"""The references that a measure under reduced judgments is compared with, and what they mean."""

ESTIMATES_OF_AP = frozenset({"map", "infAP", "indAP", "subAP", "xinfAP", "statAP"})
"""The measures that are AP where everything was judged, or estimate it; the others are something else."""

OF_SCALE = frozenset({"rms", "bias"})
"""Those of the statistics that say nothing of two measures on different scales."""

DECISIONS = ("accuracy", "g_mean", *(name for name in DECISION_COLUMNS if name not in {"accuracy", "g_mean"}))
"""The statistics of decisions, the ones that have knees first."""

INVERSIONS = "inversions"
"""The statistic that is the number of discordant pairs."""

LAST = (INVERSIONS, "tau_ap_b")
"""The statistics that came last: programs see their columns after all others, so that these stay in their places."""


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

    @cached_property
    def statistics(self) -> dict[str, dict[str, FloatArray | IntArray]]:
        """For each of ``REFERENCES`` all statistics by name, shape (n_levels, n_samples, n_measures) each.

        Those of decisions compare a measure with itself only: against AP they are nan.
        """
        decisions = self.confusion.columns
        nothing = np.full(self.scores.shape[:3], np.nan)
        found: dict[str, dict[str, FloatArray | IntArray]] = {}
        for reference, x in (("AP", self.average_precision), ("itself", self.full)):
            found[reference] = {
                "tau_b": agreement.tau_b(x, self.scores),
                "tau": agreement.tau(x, self.scores),
                "tau_ap": agreement.tau_ap(x, self.scores),
                "pearson": agreement.pearson(x, self.scores),
                "rms": agreement.rms(x, self.scores),
                "bias": agreement.bias(x, self.scores),
                **{name: decisions[name] if reference == "itself" else nothing for name in DECISIONS},
                INVERSIONS: agreement.inversions(x, self.scores),
                "tau_ap_b": agreement.tau_ap_b(x, self.scores),
            }
        return found


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
    resampled: dict[tuple[str, str], FloatArray] | None


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
    levels : ascending.
    seeds : one for each sample.
    done : is called after each of ``len(levels) * len(seeds)`` evaluations.
    resampling : of topics, for intervals; None for no intervals.
    division : of the judgments into strata, for the scheme ``strata``.
    rounding : how the shares of ``stratified`` become numbers of documents.
    replayed : for each seed what an order of judging has judged, at each of the levels in ascending order; none for
        schemes that are no orders.
    processes : how many share the work; the result is the same for any number of at least 1.
    """
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
    orders = [samples.RandomOrder(experiment.judgments, seed, scheme) for seed in seeds]

    shape = (len(levels), len(seeds), len(experiment.measures))
    kept, scores = np.empty(shape[:2]), np.empty((*shape, len(experiment.runs)))
    undefined = np.zeros(shape[2], np.int64)
    different = np.empty((*shape, full.different.shape[-1]), np.bool_)
    direction = np.empty(different.shape, np.int64)

    def work(item: tuple[int, int]) -> _Reduced:
        i, s = item
        if replayed:
            sample, pooled = replayed[s].sample(i), None
        else:
            sample, pooled = draw(experiment, scheme, levels[i].number, orders[s], division, rounding)
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
    decisions = Decisions(different, direction)
    return Study(
        experiment=experiment,
        scheme=scheme,
        levels=tuple(levels),
        seeds=tuple(seeds),
        kept=kept,
        full=experiment.scores(values),
        average_precision=plain.scores(average_precision)[0],
        scores=scores,
        confusion=confusion(full, decisions),
        reversals=reversals(full, decisions).sum(axis=(0, 1)),
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


def random_pairs(n_runs: int, n_pairs: int, seed: int) -> list[tuple[int, int]]:
    """Return different pairs of runs, at least 1, or all there are if these are fewer.

    They are the first in the order of the SHA-256 of ``"SEED pairs I"``, I being the number of a pair.
    """
    pairs = list(combinations(range(n_runs), 2))
    order = sorted(range(len(pairs)), key=lambda number: sha256(f"{seed} pairs {number}".encode()).digest())
    return [pairs[number] for number in sorted(order[:n_pairs])]


def of_pair(experiment: Experiment, pair: tuple[int, int]) -> Experiment:
    """Return two of the runs, with the judgments of the documents that one of them has.

    These are the full judgments of a pair (Bompada et al. 2007, sections 4 and 5, who have about 300 pairs).
    """
    chosen, n_topics = list(pair), len(experiment.topics)
    rows = (np.array(chosen)[:, np.newaxis] * n_topics + np.arange(n_topics)).ravel()
    judgments, ranking = experiment.judgments, experiment.ranking.take(rows)
    found = np.zeros(judgments.rows.size, np.bool_)
    found[ranking.row[ranking.row >= 0]] = True
    return replace(
        experiment,
        judgments=judgments_of_some(judgments, found),
        runs=tuple(experiment.runs[run] for run in chosen),
        ranking=replace(ranking, row=renumbered(ranking.row, found)),
        missing=experiment.missing[chosen],
    )

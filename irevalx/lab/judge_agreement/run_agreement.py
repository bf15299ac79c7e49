"""Agreement between rankings of runs under human and machine judgments, and reranked runs.

A run is sorted by label, highest first; documents with the same label keep their order, and documents without a label
are treated as labelled 0. A judge that promises more gain than human labels confirm is no basis for comparing systems
that use it, or a similar judge, to rank documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError, Warn
from irevalx.experiments.labels import PairedLabels
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.frozen import Frozen, replace
from irevalx.lab.judge_agreement.document_agreement import (
    GAIN_STATISTICS,
    NO_INTERVAL,
    RUN_STATISTICS,
    SCORES_BEFORE,
    AgreementStatistic,
    LabelBootstrap,
    Statistics,
    none_if_nan,
)
from irevalx.ranking.ranking import Ranking
from irevalx.statistics import correlations as agreement
from irevalx.statistics.bootstrap import (
    STATISTICS,
    TopicDraws,
    agreement_draws,
    at_the_top,
    correlation_intervals,
    top_intervals,
)
from irevalx.statistics.decisions import confusion, decide
from irevalx.statistics.excess_bias import ExcessBias, excess_bias, excess_bias_of
from irevalx.statistics.prediction_powered_inference import prediction_powered
from irevalx.statistics.significance import MEAN, Scale, generator, holm, without_noise

SHUFFLES = 20
"""Number of shuffles of the machine labels, for the excess bias of labels that favour no group."""

_SHUFFLING = 1
"""The stream of random numbers of shuffles."""

HUMAN_TOPICS = (10, 25, 50)
"""Default numbers of topics that assessors judge."""

DRAWS = 200
"""Number of draws of topics that assessors judge."""

_DRAWING = 2
"""The stream of random numbers of these draws."""


class PairedEvaluations(Frozen):
    """The values of the same runs under human and machine labels, for a measure and the topics of both."""

    measure: str
    """Printed name of the measure."""

    runs: tuple[str, ...]
    human: FloatArray
    """Values on the scale of the tests, shape (n_runs, n_topics)."""

    machine: FloatArray
    scale: Scale
    shuffled: FloatArray
    """Summaries under shuffled machine labels, shape (n_shuffles, n_runs)."""

    @property
    def scores(self) -> tuple[FloatArray, FloatArray]:
        """The summaries of the runs, shape (n_runs,) each."""
        return self.scale.summarise(self.human), self.scale.summarise(self.machine)

    def statistics(
        self,
        bootstrap: LabelBootstrap,
        groups: Sequence[str] | None = None,
        progress: Callable[[int], None] = lambda draws: None,
        *,
        top: int | None = None,
    ) -> Iterator[AgreementStatistic]:
        """Yield the agreement of the two evaluations, with the group of each run and the number of best runs.

        ``progress`` is called with the number of resamples since its last call.
        """
        x, y = self.scores
        x_drawn, y_drawn = self.drawn_scores(bootstrap)
        if len(self.runs) > 1:
            yield from self._agreement(bootstrap)
            if top is not None:
                yield from self._at_the_top(top, bootstrap)
            yield from self._decisions(bootstrap, progress)
        gained, drawn = y - x, y_drawn - x_drawn
        rank_human, rank_machine = agreement.ranks(x), agreement.ranks(y)
        for r, run in enumerate(self.runs):
            low, high = bootstrap.interval(drawn[:, r])
            about = AgreementStatistic(statistic="bias", measure=self.measure, run=run)
            yield replace(about, value=float(gained[r]), low=low, high=high)
            yield replace(about, statistic="rank_human", value=int(rank_human[r]))
            yield replace(about, statistic="rank_machine", value=int(rank_machine[r]))
        if groups is not None:
            yield from self.group_statistics(groups, bootstrap)

    def group_statistics(self, groups: Sequence[str], bootstrap: LabelBootstrap) -> Iterator[AgreementStatistic]:
        """Yield the bias of each group, and its excess bias with p corrected for the number of groups."""
        scores, drawn = self.scores, self.drawn_scores(bootstrap)
        names = sorted(set(groups))
        members = [np.array([group == name for group in groups], np.bool_) for name in names]
        n_topics = self.human.shape[1]
        tested: list[ExcessBias] = []
        if len(self.shuffled) and n_topics > 1:
            human = np.broadcast_to(scores[0], self.shuffled.shape)
            for member in members:
                by_chance = float(excess_bias(human, self.shuffled, member).mean())
                tested.append(excess_bias_of(*scores, member, excess_bias(*drawn, member), n_topics, by_chance))
        corrected_p = holm(np.array([excess.p for excess in tested]))
        for number, (name, member) in enumerate(zip(names, members, strict=True)):
            about = AgreementStatistic(statistic="bias", measure=self.measure, group=name)
            value, of_draws = ((machine - human)[..., member].mean(axis=-1) for human, machine in (scores, drawn))
            low, high = bootstrap.interval(of_draws)
            yield replace(about, value=float(value), low=low, high=high)
            low, high = tested[number].interval(bootstrap.alpha) if tested else NO_INTERVAL
            excess = float(excess_bias(*scores, member))
            yield replace(about, statistic="excess_bias", value=excess, low=low, high=high)
            if tested:
                yield replace(about, statistic="excess_bias_shuffled", value=tested[number].shuffled)
                yield replace(about, statistic="excess_bias_p", value=float(corrected_p[number]))

    def of_first_runs(self, n_runs: int) -> PairedEvaluations:
        """Return the evaluations of the first runs alone."""
        return replace(
            self,
            runs=self.runs[:n_runs],
            human=self.human[:n_runs],
            machine=self.machine[:n_runs],
            shuffled=self.shuffled[:, :n_runs],
        )

    def drawn_scores(self, bootstrap: LabelBootstrap) -> tuple[FloatArray, FloatArray]:
        """Return the summaries over each resample, shape (n_draws, n_runs) each."""
        draws = bootstrap.draws(self.human.shape[1])
        human, machine = (
            self.scale.of_mean(draws.means(values), values.shape[1]) for values in (self.human, self.machine)
        )
        return human, machine

    def errors_left(self, human_topics: Sequence[int], seed: int) -> Iterator[AgreementStatistic]:
        """Yield the error of the runs' values if assessors judge n random topics, for measures that are means.

        Values are estimated like ``irevalx-lab estimate``: those of the machine, corrected by its error on the judged
        topics. ``rms_estimated`` is the root mean square, over draws and runs, of the distance to the human value of
        all topics; ``rms_human_alone`` is that of the mean of the judged topics; ``error_gone`` is the share of the
        machine's error (``rms``) that the estimate removes, negative if it adds error. Numbers below 2, or without a
        topic left for the machine, are ignored.
        """
        human, machine = self.human, self.machine
        n_topics = human.shape[1]
        alone = float(agreement.rms(*self.scores))
        for n in human_topics if self.scale is MEAN else ():
            if not 2 <= n < n_topics:
                continue
            rng = generator(seed, _DRAWING)
            drawn = np.array([rng.permutation(n_topics) for _ in range(DRAWS)])
            judged, others = drawn[:, :n], drawn[:, n:]
            parts = ((human, judged), (machine, judged), (machine, others))
            estimates = prediction_powered(*(values[:, part].reshape(-1, part.shape[1]) for values, part in parts))
            means = human.mean(axis=1).repeat(DRAWS)
            estimated = float(agreement.rms(means, estimates.estimate))
            human_alone = float(agreement.rms(means, estimates.classical))
            about = AgreementStatistic(statistic="rms_estimated", measure=self.measure, human_topics=n)
            yield replace(about, value=estimated)
            yield replace(about, statistic="rms_human_alone", value=human_alone)
            yield replace(about, statistic="error_gone", value=1 - estimated / alone if alone else None)

    def _agreement(self, bootstrap: LabelBootstrap) -> Iterator[AgreementStatistic]:
        draws, scales = bootstrap.draws(self.human.shape[1]), (self.scale, self.scale)
        of_draws = agreement_draws(self.human, self.machine, draws, scales) if bootstrap.resamples else {}
        ends: dict[str, tuple[float, float]] = {}
        if of_draws:
            drawn = self.drawn_scores(bootstrap)
            ends = correlation_intervals(agreement.rank_correlations, self.scores, drawn, bootstrap.alpha)
        for name in RUN_STATISTICS:
            low, high = NO_INTERVAL
            if name in ends:
                low, high = map(none_if_nan, ends[name])
            elif of_draws:
                low, high = bootstrap.interval(of_draws[name])
            value = none_if_nan(float(STATISTICS[name](*self.scores)))
            yield AgreementStatistic(statistic=name, measure=self.measure, value=value, low=low, high=high)

    def _at_the_top(self, k: int, bootstrap: LabelBootstrap) -> Iterator[AgreementStatistic]:
        """Yield the agreement on the k best runs by human labels."""
        scores, intervals = self.scores, dict[str, tuple[float, float]]()
        if bootstrap.resamples:
            intervals = top_intervals(k, scores, self.drawn_scores(bootstrap), bootstrap.alpha)
        for name, function in at_the_top(k).items():
            low, high = map(none_if_nan, intervals[name]) if intervals else NO_INTERVAL
            value = none_if_nan(float(function(*scores)))
            yield AgreementStatistic(statistic=name, measure=self.measure, value=value, low=low, high=high)

    def _decisions(self, bootstrap: LabelBootstrap, progress: Callable[[int], None]) -> Iterator[AgreementStatistic]:
        """Yield the agreement of significance decisions, which are repeated for each resample."""

        def columns(draws: TopicDraws | None) -> Statistics:
            human, machine = self.human, self.machine
            if draws is not None:
                human, machine = (np.moveaxis(values[:, draws.topics], 1, 0) for values in (human, machine))
                progress(len(draws.topics))
            return {**confusion(decide(human), decide(machine)).columns}

        n_numbers = self.human.size * len(self.runs)
        about = AgreementStatistic(statistic="", measure=self.measure)
        yield from bootstrap.statistics(columns, self.human.shape[1], n_numbers, about)


def evaluations(
    experiment: GradedRuns, labels: PairedLabels, warn: Warn = lambda line: None, *, shuffles: int = 0, seed: int = 0
) -> Iterator[PairedEvaluations]:
    """Evaluate the runs under both files, measure by measure, on topics with values in both; warns of other topics.

    With ``shuffles``, evaluates them under shuffled machine labels too. Raises InputError for a measure without topics.
    """
    values = (
        experiment.values(labels.human, labels.in_human),
        experiment.values(labels.machine, labels.in_machine),
    )
    rng = generator(seed, _SHUFFLING)
    shuffled = [experiment.values(labels.shuffled(rng), labels.in_machine) for _ in range(shuffles)]
    for m, (measure, scale) in enumerate(zip(experiment.measures, experiment.scales, strict=True)):
        human, machine = (side[m] for side in values)
        defined = np.isfinite(human).all(axis=0) & np.isfinite(machine).all(axis=0)
        if not defined.any():
            raise InputError(f"{measure} must have a value for at least one topic with both files, but has none")
        if left_out := int(np.count_nonzero(~defined)):
            warn(f"{measure}: {left_out} of {defined.size} topics are left out: with one of the files it has no value")
        human, machine = (scale.transform(side[:, defined]) for side in (human, machine))
        scores = [scale.summarise(scale.transform(values[m][:, defined])) for values in shuffled]
        yield PairedEvaluations(
            measure,
            experiment.runs,
            human,
            machine,
            scale,
            np.reshape(scores, (shuffles, len(experiment.runs))),
        )


def reranked(ranking: Ranking, labels: IntArray) -> Ranking:
    """Return a ranking with the documents of each topic sorted by label (flat over the judgments; negative is 0)."""
    assert ranking.tied is None
    rows, pooled = ranking.rows, ranking.row >= 0
    label = np.where(pooled, np.maximum(labels[np.where(pooled, ranking.row, 0)], 0), 0)
    above = label > 0
    rank = ranking.rank + rows.spread(rows.count(above)) - rows.running_count(above)
    order = np.lexsort((ranking.rank, -label, rows.ids))
    first = order[above[order]]
    rank[first] = rows.keep(above).position + 1
    order = np.lexsort((rank, rows.ids))
    return replace(ranking, rank=rank[order], row=ranking.row[order])


def with_reranked(experiment: GradedRuns, labels: IntArray) -> GradedRuns:
    """Return an experiment with all runs, followed by all runs reranked by the labels."""
    return replace(
        experiment,
        runs=experiment.runs * 2,
        ranking=Ranking.joined([experiment.ranking, reranked(experiment.ranking, labels)]),
        missing=np.concatenate((experiment.missing,) * 2),
    )


class Reranking:
    """Changes by reranking under human and machine labels, from evaluations of the runs of ``with_reranked``."""

    def __init__(self, evaluated: PairedEvaluations, bootstrap: LabelBootstrap) -> None:
        self.evaluated, self.bootstrap = evaluated, bootstrap
        self.runs = evaluated.runs[: len(evaluated.runs) // 2]
        self._n_topics = evaluated.human.shape[1]

    @cached_property
    def _drawn(self) -> tuple[FloatArray, FloatArray]:
        """Human and machine values over resamples, shape (n_draws, n_runs) each: runs before, then after reranking."""
        human, machine = self.evaluated.drawn_scores(self.bootstrap)
        return without_noise(human), without_noise(machine)  # equal runs have no line through them

    def statistics(self) -> Iterator[AgreementStatistic]:
        """Yield gains, promise, gain ratio and excess bias, for all runs together and for each run.

        ``gain_human`` and ``gain_machine`` are values after minus values before; ``promise`` is the machine's gain
        minus the human gain; ``gain_ratio`` is the human gain over the machine's, undefined if that is 0. Intervals use
        Student's t distribution with the variance over resamples, for the ratio that of its linear approximation (delta
        method). The excess bias is that of the reranked run among the other runs without reranking.
        """
        human, machine = (self._gained(scores) for scores in self.evaluated.scores)
        drawn_human, drawn_machine = (self._gained(scores) for scores in self._drawn)
        about = AgreementStatistic(statistic="", measure=self.evaluated.measure)
        of_all = (human.mean(), machine.mean(), drawn_human.mean(axis=1), drawn_machine.mean(axis=1))
        yield from self._gains(about, *of_all)
        tested = self._excess_biases()
        p = holm(np.array([excess.p for excess in tested]))
        for r, run in enumerate(self.runs):
            about = replace(about, run=run)
            yield from self._gains(about, human[r], machine[r], drawn_human[:, r], drawn_machine[:, r])
            for name, scores in zip(SCORES_BEFORE, self.evaluated.scores, strict=True):
                yield replace(about, statistic=name, value=float(scores[r]))
            if tested:
                low, high = tested[r].interval(self.bootstrap.alpha)
                name = "rerank_excess_bias"
                yield replace(about, statistic=name, value=tested[r].value, low=low, high=high)
                yield replace(about, statistic=f"{name}_shuffled", value=tested[r].shuffled)
                yield replace(about, statistic=f"{name}_p", value=float(p[r]))

    def _gained(self, scores: FloatArray) -> FloatArray:
        """Return the values of runs after minus before reranking, shape (..., n_runs)."""
        n_runs = len(self.runs)
        return scores[..., n_runs:] - scores[..., :n_runs]

    def _gains(
        self,
        about: AgreementStatistic,
        human: float,
        machine: float,
        drawn_human: FloatArray,
        drawn_machine: FloatArray,
    ) -> Iterator[AgreementStatistic]:
        share = human / machine if machine else None
        off_line = drawn_human - (share or 0.0) * drawn_machine
        values = (
            (human, drawn_human),
            (machine, drawn_machine),
            (machine - human, drawn_machine - drawn_human),
            (share, off_line / machine if machine else off_line),
        )
        for name, (value, drawn) in zip(GAIN_STATISTICS, values, strict=True):
            low, high = NO_INTERVAL if value is None else self._interval(float(value), drawn)
            yield replace(about, statistic=name, value=None if value is None else float(value), low=low, high=high)

    def _interval(self, value: float, drawn: FloatArray) -> tuple[float | None, float | None]:
        from scipy import special

        if len(drawn) < 2 or self._n_topics < 2:
            return NO_INTERVAL
        error = float(drawn.std(ddof=1)) * np.sqrt(self._n_topics / (self._n_topics - 1))
        half = float(special.stdtrit(self._n_topics - 1, 1 - self.bootstrap.alpha / 2)) * error
        return value - half, value + half

    def _excess_biases(self) -> list[ExcessBias]:
        """Return the excess bias of each reranked run among the other runs; empty for one run or topic."""
        n_runs, shuffled = len(self.runs), self.evaluated.shuffled
        if n_runs < 2 or self._n_topics < 2 or not len(shuffled) or self.bootstrap.resamples < 2:
            return []
        (human, machine), drawn = self.evaluated.scores, self._drawn
        biases = []
        for r in range(n_runs):
            runs: IntArray = np.where(np.arange(n_runs) == r, n_runs + r, np.arange(n_runs))
            member: BoolArray = np.arange(n_runs) == r
            by_chance = excess_bias(np.broadcast_to(human[runs], (len(shuffled), n_runs)), shuffled[:, runs], member)
            drawn_excess = excess_bias(drawn[0][:, runs], drawn[1][:, runs], member)
            scores = human[runs], machine[runs]
            biases.append(excess_bias_of(*scores, member, drawn_excess, self._n_topics, float(by_chance.mean())))
        return biases

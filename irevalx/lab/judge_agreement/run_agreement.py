"""Agreement between rankings of runs under human and machine judgments, and the evaluation of reranked runs.

Reranking sorts the documents of a run by label, highest first. Documents with the same label keep their order, and
documents without a label are treated as labelled 0. If reranking gains more under machine labels than under human
labels, the machine must not be used to compare systems that rank with the same or a similar judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import Warn
from irevalx.experiments.labels import PairedLabels
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.lab.agreement.paired_evaluations import PairedEvaluations, evaluate_under_both
from irevalx.lab.judge_agreement.document_agreement import NO_INTERVAL, LabelBootstrap, Statistics, none_if_nan
from irevalx.lab.judge_agreement.excess_bias import ExcessBias, excess_bias, excess_bias_of
from irevalx.lab.judge_agreement.parts import AgreementPart, Estimate, Estimates, Kind
from irevalx.ranking.ranking import Ranking
from irevalx.statistics.bootstrap import STATISTICS, TopicDraws
from irevalx.statistics.corrections import holm
from irevalx.statistics.correlations import ranks, rms
from irevalx.statistics.prediction_powered_inference import prediction_powered
from irevalx.statistics.significance import MEAN, generator, without_noise

RUN_STATISTICS = ("tau_b", "tau_ap", "tau_ap_b", "rms", "bias")
"""The statistics of agreement between human and machine values of runs."""

SHUFFLES = 20
"""The number of shuffles of the machine labels, which show the excess bias of labels that favour no group."""

_SHUFFLING = 1
"""The stream number of the random generator that shuffles labels."""

HUMAN_TOPICS = (10, 25, 50)
"""The default numbers of topics that assessors judge."""

DRAWS = 200
"""The number of draws of topics that assessors judge."""

_DRAWING = 2
"""The stream number of the random generator that draws topics."""


class RunAgreement(Frozen):
    """The statistics of runs under human (x) and machine labels (y) for a measure, with intervals over topics."""

    paired: PairedEvaluations
    bootstrap: LabelBootstrap
    shuffled: FloatArray  # the scores of runs under shuffled machine labels; shape (n_shuffles, n_runs)

    @cached_property
    def _draws(self) -> TopicDraws:
        return self.bootstrap.draws(self.paired.n_topics)

    @cached_property
    def _drawn(self) -> tuple[FloatArray, FloatArray]:
        """The scores of runs under human and machine labels in each resample. Each shape is (n_draws, n_runs)."""
        return self.paired.drawn_scores(self._draws)

    def of_first_runs(self, n_runs: int) -> RunAgreement:
        """Return the agreement on the first ``n_runs`` runs."""
        return replace(self, paired=self.paired.of_first_runs(n_runs), shuffled=self.shuffled[:, :n_runs])

    def statistics(
        self,
        progress: Callable[[int], None] = lambda draws: None,  # receives the number of resamples since the last call
        *,
        top: int | None = None,
    ) -> Iterator[AgreementPart]:
        """Yield the agreement on all runs, the agreement on the ``top`` best runs, and the statistics of each run."""
        x, y = self.paired.scores
        if len(self.paired.runs) > 1:
            yield self._of_all_runs(top)
            yield self._decisions(progress)
        drawn_x, drawn_y = self._drawn
        for r, (run, *of_run) in enumerate(zip(self.paired.runs, ranks(x), ranks(y), strict=True)):
            bias = Estimate(float(y[r] - x[r]), *self.bootstrap.interval(drawn_y[:, r] - drawn_x[:, r]))
            human, machine = (Estimate(int(rank)) for rank in of_run)
            yield self._part("run", {"bias": bias, "rank_human": human, "rank_machine": machine}, run=run)

    def group_statistics(self, groups: Sequence[str]) -> Iterator[AgreementPart]:
        """Yield the bias and the excess bias of each group. The p-values are corrected for the number of groups."""
        names, runs = sorted(set(groups)), np.arange(len(groups))
        members = [(runs, np.array([group == name for group in groups], np.bool_)) for name in names]
        biases = self._excess_biases(members, self._drawn)
        corrected_p = holm(np.array([excess.p for excess in biases]))
        for number, (name, (_, member)) in enumerate(zip(names, members, strict=True)):
            value, drawn = ((y - x)[..., member].mean(axis=-1) for x, y in (self.paired.scores, self._drawn))
            bias = Estimate(float(value), *self.bootstrap.interval(drawn))
            excess = {"excess_bias": Estimate(float(excess_bias(*self.paired.scores, member)))}
            if biases:
                excess = self._excess("excess_bias", biases[number], corrected_p[number])
            yield self._part("group", {"bias": bias, **excess}, group=name)

    def gain_statistics(self) -> Iterator[AgreementPart]:
        """Yield the gains of reranking, promise, gain ratio and excess bias, for all runs and for each run."""
        n_runs = len(self.paired.runs) // 2
        before_x, before_y = self.paired.scores
        of_draws = without_noise(self._drawn[0]), without_noise(self._drawn[1])  # a line cannot be fitted to equal runs
        human, machine, drawn_human, drawn_machine = (
            scores[..., n_runs:] - scores[..., :n_runs] for scores in (before_x, before_y, *of_draws)
        )
        of_all = self._gains(human.mean(), machine.mean(), drawn_human.mean(axis=1), drawn_machine.mean(axis=1))
        yield self._part("gains", of_all)
        each: IntArray = np.arange(n_runs)
        biases = []
        if n_runs > 1 and self.bootstrap.resamples > 1:
            biases = self._excess_biases(((np.where(each == r, n_runs + r, each), each == r) for r in each), of_draws)
        corrected_p = holm(np.array([excess.p for excess in biases]))
        for r, run in enumerate(self.paired.runs[:n_runs]):
            estimates = self._gains(human[r], machine[r], drawn_human[:, r], drawn_machine[:, r])
            estimates |= {"score_human": Estimate(float(before_x[r])), "score_machine": Estimate(float(before_y[r]))}
            if biases:
                estimates |= self._excess("rerank_excess_bias", biases[r], corrected_p[r])
            yield self._part("gains", estimates, run=run)

    def errors_left(self, human_topics: Sequence[int]) -> Iterator[AgreementPart]:
        """Yield the remaining error if assessors judge random topics, or nothing if the measure is not a mean."""
        (human, machine), n_topics = self.paired.values, self.paired.n_topics
        alone = float(rms(*self.paired.scores))
        for n in human_topics if self.paired.scales[0] is MEAN else ():
            if n >= n_topics:
                continue
            rng = generator(self.bootstrap.seed, _DRAWING)
            drawn = np.array([rng.permutation(n_topics) for _ in range(DRAWS)])
            judged, others = drawn[:, :n], drawn[:, n:]
            parts = ((human, judged), (machine, judged), (machine, others))
            estimates = prediction_powered(*(values[:, part].reshape(-1, part.shape[1]) for values, part in parts))
            means = human.mean(axis=1).repeat(DRAWS)
            estimated = float(rms(means, estimates.estimate))
            errors = estimated, float(rms(means, estimates.classical)), 1 - estimated / alone if alone else None
            names = ("rms_estimated", "rms_human_alone", "error_gone")
            yield self._part("remaining", dict(zip(names, map(Estimate, errors), strict=True)), human_topics=n)

    def _part(self, kind: Kind, statistics: Estimates, **about: Any) -> AgreementPart:
        """Return a part with statistics of the measure. ``about`` contains the fields that identify the subject."""
        return AgreementPart(kind, statistics, measure=self.paired.measure, **about)

    def _of_all_runs(self, top: int | None) -> AgreementPart:
        """Return correlations and errors of all runs, and the agreement on the ``top`` best runs by human labels."""
        values = {name: none_if_nan(float(STATISTICS[name](*self.paired.scores))) for name in RUN_STATISTICS}
        values |= {} if top is None else self.paired.at_the_top(top)
        resamples, alpha = self.bootstrap.resamples, self.bootstrap.alpha
        intervals = self.paired.intervals(self._draws, alpha, top=top) if resamples else {}
        estimates = {
            name: Estimate(value, *(map(none_if_nan, intervals[name]) if intervals else NO_INTERVAL))
            for name, value in values.items()
        }
        return self._part("values", estimates)

    def _decisions(self, progress: Callable[[int], None]) -> AgreementPart:
        """Return the agreement of significance decisions. Decisions are recomputed for each resample."""

        def columns(draws: TopicDraws | None) -> Statistics:
            progress(0 if draws is None else len(draws.topics))
            return {**self.paired.decisions(draws).columns}

        n_topics, n_runs = self.paired.n_topics, len(self.paired.runs)
        estimates = self.bootstrap.estimates(columns, n_topics, n_topics * n_runs**2)
        return self._part("decisions", estimates)

    def _excess_biases(
        self, groups: Iterable[tuple[IntArray, BoolArray]], drawn: tuple[FloatArray, FloatArray]
    ) -> list[ExcessBias]:
        """Return the excess bias of each group.

        Each item of ``groups`` contains the compared runs, and a mask of the runs in the group. The list is empty for a
        single topic or without shuffles.
        """
        n_topics, biases = self.paired.n_topics, []
        if not len(self.shuffled) or n_topics < 2:
            return []
        for runs, member in groups:
            human, machine = (scores[runs] for scores in self.paired.scores)
            shuffled = self.shuffled[:, runs]
            by_chance = float(excess_bias(np.broadcast_to(human, shuffled.shape), shuffled, member).mean())
            of_draws = excess_bias(drawn[0][:, runs], drawn[1][:, runs], member)
            biases.append(excess_bias_of(human, machine, member, of_draws, n_topics, by_chance))
        return biases

    def _excess(self, name: str, excess: ExcessBias, p: float) -> Estimates:
        return {
            name: Estimate(excess.value, *excess.interval(self.bootstrap.alpha)),
            f"{name}_shuffled": Estimate(excess.shuffled),
            f"{name}_p": Estimate(float(p)),
        }

    def _gains(self, human: float, machine: float, drawn_human: FloatArray, drawn_machine: FloatArray) -> Estimates:
        share = human / machine if machine else None
        off_line = drawn_human - (share or 0.0) * drawn_machine
        values = {
            "gain_human": (human, drawn_human),
            "gain_machine": (machine, drawn_machine),
            "promise": (machine - human, drawn_machine - drawn_human),
            "gain_ratio": (share, off_line / machine if machine else off_line),
        }
        return {name: self._t_estimate(value, drawn) for name, (value, drawn) in values.items()}

    def _t_estimate(self, value: float | None, drawn: FloatArray) -> Estimate:
        from scipy import special

        n_topics = self.paired.n_topics
        if value is None or len(drawn) < 2 or n_topics < 2:
            return Estimate(None if value is None else float(value))
        # The variance over resamples is smaller than the unbiased estimate by the factor (n - 1) / n.
        error = float(drawn.std(ddof=1)) * np.sqrt(n_topics / (n_topics - 1))
        half = float(special.stdtrit(n_topics - 1, 1 - self.bootstrap.alpha / 2)) * error
        return Estimate(float(value), float(value) - half, float(value) + half)


def run_agreements(
    experiment: GradedRuns,
    labels: PairedLabels,
    bootstrap: LabelBootstrap,
    warn: Warn = lambda line: None,
    *,
    shuffles: int = 0,
) -> Iterator[RunAgreement]:
    """Yield the agreement of the runs in each measure, with their scores under shuffled machine labels."""
    rng = generator(bootstrap.seed, _SHUFFLING)
    shuffled = [experiment.values(labels.shuffled(rng), labels.in_machine) for _ in range(shuffles)]
    for m, (paired, counted) in enumerate(evaluate_under_both(experiment, labels, warn)):
        scale = paired.scales[1]
        scores = [scale.summarise(scale.transform(values[m][:, counted])) for values in shuffled]
        yield RunAgreement(paired, bootstrap, np.reshape(scores, (shuffles, len(experiment.runs))))


def reranked(ranking: Ranking, labels: IntArray) -> Ranking:
    """Sort the documents of each topic by label. ``labels`` has a label for each judgment; negative labels are 0."""
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
    """Return an experiment that contains all runs, followed by the same runs after reranking."""
    return replace(
        experiment,
        runs=experiment.runs * 2,
        ranking=Ranking.joined([experiment.ranking, reranked(experiment.ranking, labels)]),
        missing=np.concatenate((experiment.missing,) * 2),
    )

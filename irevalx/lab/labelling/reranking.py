"""Runs reranked by a judge's labels: the gain that the judge promises, and the gain under human labels.

A run is sorted by label, highest first; documents with the same label keep their order, and documents without a label
are treated as labelled 0. A judge that promises more gain than human labels confirm is no basis for comparing systems
that use it, or a similar judge, to rank documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.experiment import Experiment
from irevalx.frozen import replace
from irevalx.lab.labelling.findings import (
    GAIN_STATISTICS,
    NO_INTERVAL,
    SCORES_BEFORE,
    AgreementStatistic,
    LabelBootstrap,
)
from irevalx.lab.labelling.run_agreement import PairedEvaluations
from irevalx.ranking.ranking import Ranking
from irevalx.statistics.corrections import holm
from irevalx.statistics.excess_bias import ExcessBias, excess_bias, excess_bias_of
from irevalx.statistics.significance import without_noise


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


def with_reranked(experiment: Experiment, labels: IntArray) -> Experiment:
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

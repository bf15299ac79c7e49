"""Runs reranked by a judge's labels: the gain that the judge promises, and the gain that people see.

A run is sorted by the judge's label, highest first; within a label documents keep their order, and those without a
label stand where a label of 0 would put them. A judge that sees more gain than people do is no ground for comparing
systems that use it, or one like it, to rank documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.experiment import Experiment
from irevalx.frozen import replace
from irevalx.lab.labelling.findings import GAIN_STATISTICS, NO_INTERVAL, SCORES_BEFORE, Finding, Resampling
from irevalx.lab.labelling.run_agreement import TwoEvaluations
from irevalx.ranking.ranking import Ranking
from irevalx.statistics.corrections import holm
from irevalx.statistics.excess_bias import ExcessBias, excess_bias, excess_bias_of
from irevalx.statistics.significance import without_noise


def reranked(ranking: Ranking, labels: IntArray) -> Ranking:
    """Return a ranking with the documents of each topic sorted by label; what is retrieved stays the same.

    Parameters
    ----------
    ranking : without documents whose order is left open (``tied``).
    labels : flat over the judgments; a document with a negative one, or that nobody pooled, counts as labelled 0.
    """
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
    """Return an experiment with each run twice: all as they are, and then all reranked by the labels."""
    return replace(
        experiment,
        runs=experiment.runs * 2,
        ranking=Ranking.joined([experiment.ranking, reranked(experiment.ranking, labels)]),
        missing=np.concatenate((experiment.missing,) * 2),
    )


class Reranking:
    """What reranking changes, by people and by the judge.

    Parameters
    ----------
    evaluated : of an experiment that ``with_reranked`` returned.
    resampling : of the topics, for intervals.

    Attributes
    ----------
    runs : their names, each once.
    """

    def __init__(self, evaluated: TwoEvaluations, resampling: Resampling) -> None:
        self.evaluated, self.resampling = evaluated, resampling
        self.runs = evaluated.runs[: len(evaluated.runs) // 2]
        self._n_topics = evaluated.human.shape[1]

    @cached_property
    def _drawn(self) -> tuple[FloatArray, FloatArray]:
        """Scores over draws of topics, human and machine: shape (n_draws, n_runs) each, before, then after."""
        human, machine = self.evaluated.drawn_scores(self.resampling)
        return without_noise(human), without_noise(machine)  # equal runs have no line through them

    def findings(self) -> Iterator[Finding]:
        """Yield for all runs together, and for each run, the gains, the promise, and how much of it people see.

        ``gain_human`` and ``gain_machine`` are scores after less scores before; ``promise`` is the machine's gain less
        that of people, and ``gain_ratio`` that of people over the machine's, which is not defined where the machine
        sees no gain. Intervals are of Student's t distribution with the variance that draws of topics have; that of the
        ratio is of its linear approximation (the delta method). Each run has its excess bias as well, as
        ``excess_bias`` has it: of its reranked form, among the other runs as they are.
        """
        human, machine = (self._gained(scores) for scores in self.evaluated.scores)
        drawn_human, drawn_machine = (self._gained(scores) for scores in self._drawn)
        about = Finding(statistic="", measure=self.evaluated.measure)
        of_all = (human.mean(), machine.mean(), drawn_human.mean(axis=1), drawn_machine.mean(axis=1))
        yield from self._gains(about, *of_all)
        tested = self._excess_biases()
        p = holm(np.array([one.p for one in tested]))
        for r, run in enumerate(self.runs):
            about = replace(about, run=run)
            yield from self._gains(about, human[r], machine[r], drawn_human[:, r], drawn_machine[:, r])
            for name, scores in zip(SCORES_BEFORE, self.evaluated.scores, strict=True):
                yield replace(about, statistic=name, value=float(scores[r]))
            if tested:
                low, high = tested[r].interval(self.resampling.alpha)
                name = "rerank_excess_bias"
                yield replace(about, statistic=name, value=tested[r].value, low=low, high=high)
                yield replace(about, statistic=f"{name}_shuffled", value=tested[r].shuffled)
                yield replace(about, statistic=f"{name}_p", value=float(p[r]))

    def _gained(self, scores: FloatArray) -> FloatArray:
        """Return the scores of runs after less those before, shape (..., n_runs)."""
        n_runs = len(self.runs)
        return scores[..., n_runs:] - scores[..., :n_runs]

    def _gains(
        self, about: Finding, human: float, machine: float, drawn_human: FloatArray, drawn_machine: FloatArray
    ) -> Iterator[Finding]:
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
        half = float(special.stdtrit(self._n_topics - 1, 1 - self.resampling.alpha / 2)) * error
        return value - half, value + half

    def _excess_biases(self) -> list[ExcessBias]:
        """Return the excess bias of each reranked run among the others as they are; nothing for one run or topic."""
        n_runs, shuffled = len(self.runs), self.evaluated.shuffled
        if n_runs < 2 or self._n_topics < 2 or not len(shuffled) or self.resampling.resamples < 2:
            return []
        (human, machine), drawn = self.evaluated.scores, self._drawn
        found = []
        for r in range(n_runs):
            runs: IntArray = np.where(np.arange(n_runs) == r, n_runs + r, np.arange(n_runs))
            member: BoolArray = np.arange(n_runs) == r
            by_chance = excess_bias(np.broadcast_to(human[runs], (len(shuffled), n_runs)), shuffled[:, runs], member)
            drawn_excess = excess_bias(drawn[0][:, runs], drawn[1][:, runs], member)
            scores = human[runs], machine[runs]
            found.append(excess_bias_of(*scores, member, drawn_excess, self._n_topics, float(by_chance.mean())))
        return found

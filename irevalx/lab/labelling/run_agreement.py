"""How the scores of runs with human and with machine labels agree, with intervals over topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.errors import InputError, Warn
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.label_files import TwoLabellings
from irevalx.frozen import Frozen, replace
from irevalx.lab.labelling.findings import NO_INTERVAL, RUN_STATISTICS, Finding, Resampling, Statistics, known
from irevalx.statistics import correlations as agreement
from irevalx.statistics.best_runs import at_the_top, top_intervals
from irevalx.statistics.bootstrap import (
    STATISTICS,
    TopicDraws,
    agreement_draws,
    correlation_intervals,
)
from irevalx.statistics.corrections import holm
from irevalx.statistics.decisions import confusion, decide
from irevalx.statistics.excess_bias import ExcessBias, excess_bias, excess_bias_of
from irevalx.statistics.prediction_powered import prediction_powered
from irevalx.statistics.scales import MEAN, Scale
from irevalx.statistics.significance import generator

SHUFFLES = 20
"""How often labels are shuffled, to learn what they would say of groups if they favoured none."""

_SHUFFLING = 1
"""The stream of random numbers for that; the draws of topics have another one."""

HUMAN_TOPICS = (10, 25, 50)
"""Numbers of topics that people might judge, unless others are asked for."""

DRAWS = 200
"""How often topics for people are drawn."""

_DRAWING = 2
"""The stream of random numbers for that."""


class TwoEvaluations(Frozen):
    """The values of the same runs with human and with machine labels, for a measure and the topics of both.

    Parameters
    ----------
    measure : its printed name.
    runs : their names.
    human, machine : shape (n_runs, n_topics); on the scale on which the measure is tested.
    scale : of the measure.
    shuffled : shape (n_shuffles, n_runs); the scores with shuffled machine labels.
    """

    measure: str
    runs: tuple[str, ...]
    human: FloatArray
    machine: FloatArray
    scale: Scale
    shuffled: FloatArray

    @property
    def scores(self) -> tuple[FloatArray, FloatArray]:
        """The summaries of the runs, shape (n_runs,) each."""
        return self.scale.summarise(self.human), self.scale.summarise(self.machine)

    def findings(
        self,
        resampling: Resampling,
        groups: Sequence[str] | None = None,
        progress: Callable[[int], None] = lambda draws: None,
        *,
        top: int | None = None,
    ) -> Iterator[Finding]:
        """Yield how the two evaluations agree.

        Parameters
        ----------
        groups : shape (n_runs,); the group of each run, two groups at least. None: runs have no groups.
        progress : is called with the number of draws of topics done since.
        top : of how many of the best runs there is more; None for nothing.
        """
        x, y = self.scores
        x_drawn, y_drawn = self.drawn_scores(resampling)
        if len(self.runs) > 1:
            yield from self._agreement(resampling)
            if top is not None:
                yield from self._at_the_top(top, resampling)
            yield from self._decisions(resampling, progress)
        gained, drawn = y - x, y_drawn - x_drawn
        rank_human, rank_machine = agreement.ranks(x), agreement.ranks(y)
        for r, run in enumerate(self.runs):
            low, high = resampling.interval(drawn[:, r])
            about = Finding(statistic="bias", measure=self.measure, run=run)
            yield replace(about, value=float(gained[r]), low=low, high=high)
            yield replace(about, statistic="rank_human", value=int(rank_human[r]))
            yield replace(about, statistic="rank_machine", value=int(rank_machine[r]))
        if groups is not None:
            yield from self.group_findings(groups, resampling)

    def group_findings(self, groups: Sequence[str], resampling: Resampling) -> Iterator[Finding]:
        """Yield the bias of each group, and its excess bias with p corrected for the number of groups."""
        scores, drawn = self.scores, self.drawn_scores(resampling)
        names = sorted(set(groups))
        members = [np.array([one == name for one in groups], np.bool_) for name in names]
        n_topics = self.human.shape[1]
        tested: list[ExcessBias] = []
        if len(self.shuffled) and n_topics > 1:
            human = np.broadcast_to(scores[0], self.shuffled.shape)
            for member in members:
                by_chance = float(excess_bias(human, self.shuffled, member).mean())
                tested.append(excess_bias_of(*scores, member, excess_bias(*drawn, member), n_topics, by_chance))
        corrected_p = holm(np.array([one.p for one in tested]))
        for number, (name, member) in enumerate(zip(names, members, strict=True)):
            about = Finding(statistic="bias", measure=self.measure, group=name)
            value, of_draws = ((machine - human)[..., member].mean(axis=-1) for human, machine in (scores, drawn))
            low, high = resampling.interval(of_draws)
            yield replace(about, value=float(value), low=low, high=high)
            low, high = tested[number].interval(resampling.alpha) if tested else NO_INTERVAL
            excess = float(excess_bias(*scores, member))
            yield replace(about, statistic="excess_bias", value=excess, low=low, high=high)
            if tested:
                yield replace(about, statistic="excess_bias_shuffled", value=tested[number].shuffled)
                yield replace(about, statistic="excess_bias_p", value=float(corrected_p[number]))

    def of_first_runs(self, n_runs: int) -> TwoEvaluations:
        """Return the same of the first runs alone."""
        return replace(
            self,
            runs=self.runs[:n_runs],
            human=self.human[:n_runs],
            machine=self.machine[:n_runs],
            shuffled=self.shuffled[:, :n_runs],
        )

    def drawn_scores(self, resampling: Resampling) -> tuple[FloatArray, FloatArray]:
        """Return the summaries over each draw of topics, shape (n_draws, n_runs) each."""
        draws = resampling.draws(self.human.shape[1])
        human, machine = (self.scale.of_mean(draws.means(of), of.shape[1]) for of in (self.human, self.machine))
        return human, machine

    def errors_left(self, human_topics: Sequence[int], seed: int) -> Iterator[Finding]:
        """Yield what error the scores of runs would have if people judged some topics, drawn at random, and no others.

        Scores are estimated as ``irevalx-lab estimate`` does: those of the machine, corrected by its error on the
        topics that people judged. ``rms_estimated`` is the root mean square over draws and runs of the distance to the
        score that people give all topics; ``rms_human_alone`` is that of the mean of the drawn topics, without a
        machine; and ``error_gone`` the share of the machine's own error (``rms``) that the estimate is rid of, below 0
        where it adds to it. These have no intervals.

        Parameters
        ----------
        human_topics : numbers of topics; those of at least 2 that leave one topic to the machine count.
        seed : of the draws.

        Notes
        -----
        For measures whose summary is the mean over topics; there is nothing for others.
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
            found = prediction_powered(*(of[:, which].reshape(-1, which.shape[1]) for of, which in parts))
            means = human.mean(axis=1).repeat(DRAWS)
            estimated, human_alone = (float(agreement.rms(means, of)) for of in (found.estimate, found.classical))
            about = Finding(statistic="rms_estimated", measure=self.measure, human_topics=n)
            yield replace(about, value=estimated)
            yield replace(about, statistic="rms_human_alone", value=human_alone)
            yield replace(about, statistic="error_gone", value=1 - estimated / alone if alone else None)

    def _agreement(self, resampling: Resampling) -> Iterator[Finding]:
        draws, scales = resampling.draws(self.human.shape[1]), (self.scale, self.scale)
        of_draws = agreement_draws(self.human, self.machine, draws, scales) if resampling.resamples else {}
        ends: dict[str, tuple[float, float]] = {}
        if of_draws:
            drawn = self.drawn_scores(resampling)
            ends = correlation_intervals(agreement.rank_correlations, self.scores, drawn, resampling.alpha)
        for name in RUN_STATISTICS:
            low, high = NO_INTERVAL
            if name in ends:
                low, high = map(known, ends[name])
            elif of_draws:
                low, high = resampling.interval(of_draws[name])
            value = known(float(STATISTICS[name](*self.scores)))
            yield Finding(statistic=name, measure=self.measure, value=value, low=low, high=high)

    def _at_the_top(self, k: int, resampling: Resampling) -> Iterator[Finding]:
        """Yield how the k best runs with human labels agree."""
        scores, intervals = self.scores, dict[str, tuple[float, float]]()
        if resampling.resamples:
            intervals = top_intervals(k, scores, self.drawn_scores(resampling), resampling.alpha)
        for name, function in at_the_top(k).items():
            low, high = map(known, intervals[name]) if intervals else NO_INTERVAL
            value = known(float(function(*scores)))
            yield Finding(statistic=name, measure=self.measure, value=value, low=low, high=high)

    def _decisions(self, resampling: Resampling, progress: Callable[[int], None]) -> Iterator[Finding]:
        """Yield how pairwise decisions go together; for intervals they are made anew for each draw."""

        def columns(draws: TopicDraws | None) -> Statistics:
            human, machine = self.human, self.machine
            if draws is not None:
                human, machine = (np.moveaxis(values[:, draws.topics], 1, 0) for values in (human, machine))
                progress(len(draws.topics))
            return {**confusion(decide(human), decide(machine)).columns}

        n_numbers = self.human.size * len(self.runs)
        about = Finding(statistic="", measure=self.measure)
        yield from resampling.findings(columns, self.human.shape[1], n_numbers, about)


def evaluations(
    experiment: Experiment, labels: TwoLabellings, warn: Warn = lambda line: None, *, shuffles: int = 0, seed: int = 0
) -> Iterator[TwoEvaluations]:
    """Evaluate the runs with both files, measure by measure, on the topics that have a value in both.

    Parameters
    ----------
    experiment : with the documents of both files.
    labels : the same documents.
    warn : is called with a line for each measure that has no value for some topics.
    shuffles : how often to shuffle the machine's labels, and to evaluate the runs with these too.
    seed : of that.

    Raises
    ------
    InputError : a measure has no topic with a value for all runs in both.
    """
    values = (
        experiment.values(labels.human, labels.in_human),
        experiment.values(labels.machine, labels.in_machine),
    )
    rng = generator(seed, _SHUFFLING)
    shuffled = [experiment.values(labels.shuffled(rng), labels.in_machine) for _ in range(shuffles)]
    for m, (measure, scale) in enumerate(zip(experiment.measures, experiment.scales, strict=True)):
        human, machine = (of_side[m] for of_side in values)
        defined = np.isfinite(human).all(axis=0) & np.isfinite(machine).all(axis=0)
        if not defined.any():
            raise InputError(f"{measure} must have a value for one topic at least with both files, but has none")
        if left_out := int(np.count_nonzero(~defined)):
            warn(f"{measure}: {left_out} of {defined.size} topics are left out: with one of the files it has no value")
        human, machine = (scale.transform(side[:, defined]) for side in (human, machine))
        scores = [scale.summarise(scale.transform(values[m][:, defined])) for values in shuffled]
        yield TwoEvaluations(
            measure,
            experiment.runs,
            human,
            machine,
            scale,
            np.reshape(scores, (shuffles, len(experiment.runs))),
        )

"""What two files of labels say of each other, and of runs: findings, one number each, with intervals over topics."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.errors import InputError, Warn, shown_name
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.label_files import TwoLabellings
from irevalx.judgments.graded import Judgments
from irevalx.statistics import correlations as agreement
from irevalx.statistics.bootstrap import TopicDraws, agreement_draws, quantile_interval
from irevalx.statistics.decisions import confusion, decide
from irevalx.statistics.label_agreement import at_level, coefficients, confusions_by_topic
from irevalx.statistics.scales import Scale
from irevalx.statistics.significance import ALPHA

MOST_CATEGORIES = 101
"""So many grades may lie between the least and the greatest, both included: those of 0 to 100."""

RUN_STATISTICS = ("tau_b", "tau_ap", "rms", "bias")
"""The statistics of agreement of the scores of runs."""

_BATCH = 4_000_000
"""How many numbers are in memory at a time."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A number, and what it is about; the fields are the columns of the table.

    Parameters
    ----------
    statistic : its name.
    topic : of which topic; None for all.
    level : the least grade that is relevant, for a statistic that depends on it.
    human, machine : two grades, for the number of documents that have them.
    measure, run, group : of which measure, and of which run or group of runs.
    value : None where it is not defined.
    low, high : its interval, where it has one.
    """

    statistic: str
    topic: str | None = None
    level: int | None = None
    human: int | None = None
    machine: int | None = None
    measure: str | None = None
    run: str | None = None
    group: str | None = None
    value: float | int | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """How intervals are made.

    Parameters
    ----------
    resamples : draws of topics; with 0 there are no intervals.
    seed : of the draws.
    alpha : an interval reaches from the alpha/2 to the 1 - alpha/2 quantile over the draws.
    """

    resamples: int = 0
    seed: int = 0
    alpha: float = ALPHA

    def draws(self, n_topics: int) -> TopicDraws:
        """Return the draws of so many topics."""
        return TopicDraws.of(n_topics, self.resamples, self.seed)

    def interval(self, of_draws: FloatArray) -> tuple[float | None, float | None]:
        """Return the interval of a statistic, shape (n_draws,)."""
        if not self.resamples:
            return None, None
        low, high = quantile_interval(np.asarray(of_draws, np.float64), self.alpha)
        return _known(float(low)), _known(float(high))


class LabelAgreement:
    """How two files label the documents that both label.

    Parameters
    ----------
    labels : both files, on the topics that both have.
    human, machine : the files as they were read, of which all labels are counted.

    Attributes
    ----------
    n_pairs, n_human, n_machine : numbers of documents that both, that people, and that the machine have labelled.
    categories : all whole numbers from the least to the greatest grade of these pairs.
    grades : shape (n_grades,); those that occur.
    confusions : shape (n_topics, n_grades, n_grades).

    Raises
    ------
    InputError : no document has a label in both files, or the grades are too many to be categories.
    """

    def __init__(self, labels: TwoLabellings, human: Judgments, machine: Judgments) -> None:
        pairs = labels.have_both
        rows = labels.judgments.rows
        self.n_pairs = int(pairs.sum())
        self.n_human, self.n_machine = (int((one.grades >= 0).sum()) for one in (human, machine))
        if not self.n_pairs:
            raise InputError(
                f"{shown_name(human.path)} and {shown_name(machine.path)} must have a document that both label, but "
                f"have none on the {rows.n} topics of both"
            )
        ours, theirs = labels.human[pairs], labels.machine[pairs]
        self.grades: IntArray = np.unique(np.concatenate((ours, theirs)))
        least, greatest = int(self.grades[0]), int(self.grades[-1])
        if greatest - least >= MOST_CATEGORIES:
            raise InputError(
                f"labels must be at most {MOST_CATEGORIES} different grades, but those of {shown_name(human.path)} "
                f"and {shown_name(machine.path)} reach from {least} to {greatest}"
            )
        self.categories = range(least, greatest + 1)
        self.levels = range(max(1, least + 1), greatest + 1)
        self.topics = [os.fsdecode(topic) for topic in labels.judgments.topics]
        self.confusions = confusions_by_topic(ours, theirs, self.grades.tolist(), rows.ids[pairs], rows.n)
        self._by_topic = [rows.count(mask).tolist() for mask in (pairs, labels.human >= 0, labels.machine >= 0)]

    @property
    def counts(self) -> FloatArray:
        """The pairs of all topics together, shape (n_grades, n_grades)."""
        total: FloatArray = self.confusions.sum(axis=0)
        return total

    @property
    def n_topics(self) -> int:
        """The number of topics that have pairs: those that are drawn for intervals."""
        return int((self.confusions.sum(axis=(1, 2)) > 0).sum())

    @property
    def levels_without_labels(self) -> list[int]:
        """The levels that are no human label's grade."""
        used = set(self.grades[self.counts.sum(axis=1) > 0].tolist())
        return [level for level in self.levels if level not in used]

    def findings(self, resampling: Resampling) -> Iterator[Finding]:
        """Yield numbers, coverage, confusion, coefficients, and what there is at each level, of all topics together."""
        yield from self._counted(None, self.counts, self.n_pairs, self.n_human, self.n_machine)
        with_pairs = self.confusions[self.confusions.sum(axis=(1, 2)) > 0]
        draws = resampling.draws(len(with_pairs))
        drawn: dict[tuple[str, int | None], list[FloatArray]] = {}
        for batch in draws.batches(max(1, _BATCH // self.grades.size**2)):
            counts = np.rint(batch.means(np.moveaxis(with_pairs, 0, -1)) * len(with_pairs))
            for key, of_draws in self._statistics(counts).items():
                drawn.setdefault(key, []).append(of_draws)
        for (name, level), value in self._statistics(self.counts).items():
            of_statistic = drawn.get((name, level), [])
            low, high = resampling.interval(np.concatenate(of_statistic)) if of_statistic else (None, None)
            yield Finding(statistic=name, level=level, value=_known(float(value)), low=low, high=high)

    def findings_by_topic(self) -> Iterator[Finding]:
        """Yield the same for each topic, without intervals."""
        for topic, counts, *numbers in zip(self.topics, self.confusions, *self._by_topic, strict=True):
            yield from self._counted(topic, counts, *numbers)
            for (name, level), value in self._statistics(counts).items():
                yield Finding(statistic=name, topic=topic, level=level, value=_known(float(value)))

    def _counted(
        self, topic: str | None, counts: FloatArray, pairs: int, n_human: int, n_machine: int
    ) -> Iterator[Finding]:
        """Yield what has no interval: numbers, coverage and confusion."""
        for name, number in (("pairs", pairs), ("pairs_human", n_human), ("pairs_machine", n_machine)):
            yield Finding(statistic=name, topic=topic, value=number)
        for name, number in (("coverage", n_human), ("coverage_machine", n_machine)):
            yield Finding(statistic=name, topic=topic, value=pairs / number if number else None)
        place = {grade: number for number, grade in enumerate(self.grades.tolist())}
        for a in self.categories:
            for b in self.categories:
                both_used = a in place and b in place
                number = int(counts[place[a], place[b]]) if both_used else 0
                yield Finding(statistic="confusion", topic=topic, human=a, machine=b, value=number)

    def _statistics(self, counts: FloatArray) -> dict[tuple[str, int | None], FloatArray]:
        """Return statistics by name and level; those of all grades have no level."""
        found: dict[tuple[str, int | None], FloatArray] = {
            (name, None): value for name, value in coefficients(counts, self.grades, len(self.categories)).items()
        }
        for level in self.levels:
            found |= {(name, level): value for name, value in at_level(counts, self.grades, level).items()}
        return found


@dataclass(frozen=True, eq=False)
class TwoEvaluations:
    """The values of the same runs with human and with machine labels, for a measure and the topics of both.

    Parameters
    ----------
    measure : its printed name.
    runs : their names.
    human, machine : shape (n_runs, n_topics); on the scale on which the measure is tested.
    scale : of the measure.
    """

    measure: str
    runs: tuple[str, ...]
    human: FloatArray
    machine: FloatArray
    scale: Scale

    @property
    def scores(self) -> tuple[FloatArray, FloatArray]:
        """The summaries of the runs, shape (n_runs,) each."""
        return self.scale.summarise(self.human), self.scale.summarise(self.machine)

    def findings(
        self,
        resampling: Resampling,
        groups: Sequence[str] | None = None,
        progress: Callable[[int], None] = lambda draws: None,
    ) -> Iterator[Finding]:
        """Yield how the two evaluations agree.

        Parameters
        ----------
        groups : shape (n_runs,); the group of each run, two groups at least. None: runs have no groups.
        progress : is called with the number of draws of topics done since.
        """
        x, y = self.scores
        draws = resampling.draws(self.human.shape[1])
        if len(self.runs) > 1:
            yield from self._agreement(x, y, draws, resampling)
            yield from self._decisions(draws, resampling, progress)
        gained = y - x
        x_drawn, y_drawn = (
            self.scale.of_mean(draws.means(values), values.shape[1]) for values in (self.human, self.machine)
        )
        drawn = y_drawn - x_drawn
        rank_human, rank_machine = agreement.ranks(x), agreement.ranks(y)
        for r, run in enumerate(self.runs):
            low, high = resampling.interval(drawn[:, r])
            about = Finding(statistic="bias", measure=self.measure, run=run)
            yield replace(about, value=float(gained[r]), low=low, high=high)
            yield replace(about, statistic="rank_human", value=int(rank_human[r]))
            yield replace(about, statistic="rank_machine", value=int(rank_machine[r]))
        for group in sorted(set(groups or ())):
            member = np.array([one == group for one in groups or ()], np.bool_)
            for name, others in (("bias", None), ("excess_bias", ~member)):
                value, of_draws = (
                    bias[..., member].mean(axis=-1) - (0.0 if others is None else bias[..., others].mean(axis=-1))
                    for bias in (gained, drawn)
                )
                low, high = resampling.interval(of_draws)
                yield Finding(statistic=name, measure=self.measure, group=group, value=float(value), low=low, high=high)

    def _agreement(self, x: FloatArray, y: FloatArray, draws: TopicDraws, resampling: Resampling) -> Iterator[Finding]:
        values = {
            "tau_b": agreement.tau_b(x, y),
            "tau_ap": agreement.tau_ap(x, y, self.runs),
            "rms": agreement.rms(x, y),
            "bias": agreement.bias(x, y),
        }
        drawn: Mapping[str, FloatArray] = {}
        if resampling.resamples:
            drawn = agreement_draws(self.human, self.machine, self.runs, draws, (self.scale, self.scale))
        for name in RUN_STATISTICS:
            low, high = resampling.interval(drawn[name]) if drawn else (None, None)
            yield Finding(statistic=name, measure=self.measure, value=_known(float(values[name])), low=low, high=high)

    def _decisions(
        self, draws: TopicDraws, resampling: Resampling, progress: Callable[[int], None]
    ) -> Iterator[Finding]:
        """Yield how the decisions which runs differ go together; for intervals they are made anew for each draw."""
        found = confusion(decide(self.human), decide(self.machine)).columns
        drawn: dict[str, list[AnyArray]] = {name: [] for name in found}
        for batch in draws.batches(max(1, _BATCH // max(1, self.human.size * len(self.runs)))):
            human, machine = (
                decide(np.moveaxis(values[:, batch.topics], 1, 0)) for values in (self.human, self.machine)
            )
            for name, of_batch in confusion(human, machine).columns.items():
                drawn[name].append(of_batch)
            progress(len(batch.topics))
        for name, value in found.items():
            low, high = resampling.interval(np.concatenate(drawn[name])) if drawn[name] else (None, None)
            yield Finding(statistic=name, measure=self.measure, value=value.item(), low=low, high=high)


def evaluations(
    experiment: Experiment, labels: TwoLabellings, warn: Warn = lambda line: None
) -> Iterator[TwoEvaluations]:
    """Evaluate the runs with both files, measure by measure, on the topics that have a value in both.

    Parameters
    ----------
    experiment : with the documents of both files.
    labels : the same documents.
    warn : is called with a line for each measure that has no value for some topics.

    Raises
    ------
    InputError : a measure has no topic with a value for all runs in both.
    """
    values = (
        experiment.values(labels.human, labels.in_human),
        experiment.values(labels.machine, labels.in_machine),
    )
    for m, (measure, scale) in enumerate(zip(experiment.measures, experiment.scales, strict=True)):
        human, machine = (of_side[m] for of_side in values)
        defined = np.isfinite(human).all(axis=0) & np.isfinite(machine).all(axis=0)
        if not defined.any():
            raise InputError(f"{measure} must have a value for one topic at least with both files, but has none")
        if left_out := int(np.count_nonzero(~defined)):
            warn(f"{measure}: {left_out} of {defined.size} topics are left out: with one of the files it has no value")
        human, machine = (scale.transform(side[:, defined]) for side in (human, machine))
        yield TwoEvaluations(measure, experiment.runs, human, machine, scale)


def _known(number: float) -> float | None:
    """Return a number, None in place of nan."""
    return None if math.isnan(number) else number

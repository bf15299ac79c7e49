"""Measure values of the same runs and topics under two sets of judgments, and the agreement of the two evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.errors import InputError, Warn
from irevalx.experiments.labels import PairedLabels
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.statistics.bootstrap import (
    STATISTICS,
    TopicDraws,
    at_the_top,
    correlation_intervals,
    quantile_interval,
    top_intervals,
)
from irevalx.statistics.correlations import changed, rank_correlations
from irevalx.statistics.decisions import (
    OF_COMPARE,
    OF_PAPERS,
    Confusion,
    DecisionRule,
    Decisions,
    confusion,
    decide,
    decide_resampled,
    reversals,
)
from irevalx.statistics.significance import ALPHA, Scale, pairs_of_runs

Intervals: TypeAlias = Mapping[str, tuple[float, float]]
"""The confidence interval of each statistic. The bounds are nan if the interval is undefined."""


class PairedEvaluations(Frozen):
    """The values of one measure for the same runs and topics under two sets of judgments, x and y."""

    measure: str
    """The printed name of the measure in y."""

    runs: tuple[str, ...]
    scales: tuple[Scale, Scale]
    values: tuple[FloatArray, FloatArray]
    """The values in x and y, on the tested scale. Each shape is (n_runs, n_topics), where n_topics is 0 if only
    summaries are known."""

    against: str | None = None
    """The name of the measure in x if it differs from the measure in y, and otherwise None."""

    summaries: tuple[FloatArray, FloatArray] | None = None
    """The summary values that a file contains, or None if summaries are computed from the values. Each shape is
    (n_runs,)."""

    rule: DecisionRule = OF_PAPERS
    """The rule that decides whether a pair of runs differs significantly."""

    only_y: FloatArray = np.empty((0, 0))
    """The values for topics that are judged only in y. The shape is (n_runs, n_topics)."""

    n_in_either: int = 0
    """The number of topics for which any run has a value in x or y, if the evaluations were read from files."""

    @property
    def n_topics(self) -> int:
        """The number of topics with values, or 0 if only summary values are known."""
        n_topics: int = self.values[0].shape[1]
        return n_topics

    @cached_property
    def scores(self) -> tuple[FloatArray, FloatArray]:
        """The summary values of the runs in x and y. Each shape is (n_runs,)."""
        if self.summaries is not None:
            return self.summaries
        x, y = (scale.summarise(values) for scale, values in zip(self.scales, self.values, strict=True))
        return x, y

    def of_first_runs(self, n_runs: int) -> PairedEvaluations:
        """Restrict the evaluations to the first ``n_runs`` runs. The summaries are computed from the values."""
        x, y = (values[:n_runs] for values in self.values)
        return replace(self, runs=self.runs[:n_runs], values=(x, y), summaries=None, only_y=self.only_y[:n_runs])

    @property
    def are_tested(self) -> bool:
        """Whether significance can be tested, which requires values of topics and the same measure in x and y."""
        return self.against is None and self.n_topics > 0

    @property
    def changed(self) -> float | None:
        """The share of runs whose values differ significantly, or None if significance cannot be tested."""
        return float(changed(*self.values).mean()) if self.are_tested else None

    @cached_property
    def _decided(self) -> tuple[Decisions, Decisions]:
        x, y = (decide(values, rule=self.rule) for values in self.values)
        return x, y

    def decisions(self, draws: TopicDraws | None = None) -> Confusion:
        """Return the agreement of significance decisions on pairs of runs.

        If ``draws`` is given, return the agreement in each resample of topics.
        """
        if draws is None:
            return confusion(*self._decided)
        return confusion(*(decide_resampled(values, draws.topics, self.rule) for values in self.values))

    @property
    def reversed_pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs that differ significantly in x and in y, but in opposite directions."""
        if not self.are_tested:
            return []
        are_reversed = reversals(*self._decided)
        first, second = (numbers[are_reversed].tolist() for numbers in pairs_of_runs(len(self.runs)))
        return [(self.runs[i], self.runs[j]) for i, j in zip(first, second, strict=True)]

    def at_the_top(self, k: int) -> dict[str, float | None]:
        """Return the statistics in ``TOP_STATISTICS`` for the k best runs in x. Replace nan by None."""
        values = {name: float(function(*self.scores)) for name, function in at_the_top(k).items()}
        return {name: None if np.isnan(value) else value for name, value in values.items()}

    def drawn_scores(self, draws: TopicDraws) -> tuple[FloatArray, FloatArray]:
        """Return the summary values in x and in y over each resample of topics. Each shape is (n_draws, n_runs)."""
        x, y = (draws.summaries(values, scale) for values, scale in zip(self.values, self.scales, strict=True))
        return x, y

    def intervals(self, draws: TopicDraws, alpha: float = ALPHA, *, top: int | None = None) -> Intervals:
        """Return confidence intervals for ``STATISTICS`` and, if ``top`` is given, for ``TOP_STATISTICS``."""
        drawn = self.drawn_scores(draws)
        ends = correlation_intervals(rank_correlations, self.scores, drawn, alpha)
        for name in STATISTICS.keys() - ends.keys():
            low, high = quantile_interval(STATISTICS[name](*drawn), alpha)
            ends[name] = float(low), float(high)
        of_top = {} if top is None else top_intervals(top, self.scores, drawn, alpha)
        return {name: ends[name] for name in STATISTICS} | of_top


def evaluate_under_both(
    experiment: GradedRuns, labels: PairedLabels, warn: Warn = lambda line: None, *, least: tuple[int, int] = (1, 0)
) -> Iterator[tuple[PairedEvaluations, BoolArray]]:
    """Yield the values of each measure, paired for human (x) and machine labels (y), and a mask of common topics."""
    in_both = labels.in_both[[labels.judgments.topic_index[topic] for topic in experiment.topics]]
    values = (
        experiment.values(labels.human, labels.in_human),
        experiment.values(labels.machine, labels.in_machine),
    )
    for measure, scale, human, machine in zip(experiment.measures, experiment.scales, *values, strict=True):
        defined = np.isfinite(machine).all(axis=0)
        both, alone = in_both & defined & np.isfinite(human).all(axis=0), ~in_both & defined
        for number, topics, words in zip(least, (both, alone), ("and human", "but no human"), strict=True):
            if (n_topics := np.count_nonzero(topics)) < number:
                have = (
                    ("no topic has", "only 1 topic has")[n_topics] if n_topics < 2 else f"only {n_topics} topics have"
                )
                raise InputError(
                    f"{have} machine labels and results {words} judgments; estimates of {measure} require at least "
                    f"{number}"
                )
        if left_out := int(np.count_nonzero(~both & ~alone)):
            warn(f"{measure}: {left_out} of {both.size} topics are left out: with one of the files it has no value")
        x, y, only_y = (
            scale.transform(of_topics) for of_topics in (human[:, both], machine[:, both], machine[:, alone])
        )
        yield PairedEvaluations(measure, experiment.runs, (scale, scale), (x, y), only_y=only_y, rule=OF_COMPARE), both

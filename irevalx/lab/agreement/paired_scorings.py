"""Two evaluations of the same runs, paired measure by measure over the topics that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.declarations import spelled
from irevalx.errors import ArgumentError, InputError, Warn, quote, shown_name
from irevalx.experiments.measure_scales import scale_named
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.agreement.scorings import EvaluatedRuns
from irevalx.statistics.best_runs import at_the_top, top_intervals
from irevalx.statistics.bootstrap import (
    TopicDraws,
    agreement_draws,
    correlation_intervals,
    quantile_interval,
)
from irevalx.statistics.correlations import changed, rank_correlations
from irevalx.statistics.decisions import Confusion, Decisions, confusion, decide, reversals
from irevalx.statistics.scales import Scale
from irevalx.statistics.significance import pairs_of_runs

Intervals: TypeAlias = Mapping[str, tuple[float, float]]
"""The ends of intervals by statistic."""


class PairedValues(Frozen):
    """The values of the same runs for a measure in two evaluations, over the same topics."""

    measure: str
    """The measure of the second evaluation."""

    against: str
    """The measure of the first evaluation, usually the same."""

    runs: tuple[str, ...]
    scores: tuple[FloatArray, FloatArray]
    """Summaries of the runs, shape (n_runs,) each."""

    scales: tuple[Scale, Scale]
    values: tuple[FloatArray, FloatArray] | None = None
    """Values of the shared topics on the scales of the tests, shape (n_runs, n_topics) each; None if a run has no
    values by topic."""

    n_topics: int = 0
    """Number of topics for which any run has a value in either evaluation, whether they count or not."""

    @property
    def n_shared(self) -> int | None:
        """Number of topics that count; None without values by topic."""
        return None if self.values is None else self.values[0].shape[1]

    @property
    def which_topics(self) -> str:
        """The topics of the scores, in words."""
        if self.n_shared is None:
            return "as the summaries of X and Y have them"
        if self.n_shared == self.n_topics:
            return f"all {self.n_topics} of X and Y"
        return f"{self.n_shared} of {self.n_topics}, those for which every run has a value in X and in Y"

    @property
    def changed(self) -> float | None:
        """The share of runs whose values differ significantly; None for two measures, or without values by topic."""
        if self.values is None or self.measure != self.against:
            return None
        return float(changed(*self.values).mean())

    @cached_property
    def _decisions(self) -> list[Decisions]:
        """Decisions in both evaluations; empty for two measures, or without values by topic."""
        return list(map(decide, self.values or ())) if self.measure == self.against else []

    @property
    def decisions(self) -> Confusion | None:
        """Agreement of significance decisions on pairs; None for two measures, or without values by topic."""
        return confusion(*self._decisions) if self._decisions else None

    @property
    def reversed_pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs with significant differences in opposite directions."""
        if not self._decisions:
            return []
        are_reversed = reversals(*self._decisions)
        first, second = (numbers[are_reversed].tolist() for numbers in pairs_of_runs(len(self.runs)))
        return [(self.runs[i], self.runs[j]) for i, j in zip(first, second, strict=True)]

    def at_the_top(self, k: int) -> dict[str, float | None]:
        """Return each of ``TOP_STATISTICS`` for the k best runs of the first evaluation; None if undefined."""
        values = {name: float(function(*self.scores)) for name, function in at_the_top(k).items()}
        return {name: None if np.isnan(value) else value for name, value in values.items()}

    def intervals(self, resamples: int, top: int | None = None, *, seed: int = 0) -> list[Intervals | None]:
        """Return intervals of ``STATISTICS``, and of ``TOP_STATISTICS`` (None without ``top``); None without values."""
        if self.values is None:
            return [None, None]
        draws = TopicDraws.of(self.values[0].shape[1], resamples, seed)
        intervals = {}
        for name, of_draws in agreement_draws(*self.values, draws, self.scales).items():
            low, high = quantile_interval(of_draws)
            intervals[name] = float(low), float(high)
        x, y = (draws.summaries(values, scale) for values, scale in zip(self.values, self.scales, strict=True))
        intervals |= correlation_intervals(rank_correlations, self.scores, (x, y))
        return [intervals, None if top is None else top_intervals(top, self.scores, (x, y))]


def pair_values(
    first: EvaluatedRuns, second: EvaluatedRuns, against: str | None = None, warn: Warn = lambda line: None
) -> list[PairedValues]:
    """Pair the values of two evaluations by measure (or with measure ``against`` of the first), over shared topics."""
    runs = _shared_runs(first, second)
    if against is not None and against not in first.measures:
        raise ArgumentError(
            f"{spelled('against')} must be one of the measures in {shown_name(first.path)} ({' '.join(first.measures)})"
            f", but got {quote(against)}"
        )
    measures = second.measures if against is not None else list(dict.fromkeys((*first.measures, *second.measures)))
    pairs, left_out = [], dict[str, None]()
    topics = [(first.all_topics(run), second.all_topics(run)) for run in runs]
    differ_in_topics = any(of_x and of_y and of_x != of_y for of_x, of_y in topics)
    for measure in measures:
        sides = ((first, against or measure), (second, measure))
        problem = _problem(sides, runs)
        if problem is None:
            paired, n_left_out = _paired(sides, runs)
            if paired is None:
                problem = "the evaluations have no topic in common"
            elif paired.values is None and differ_in_topics:
                problem = "it has no values by topic, and the evaluations differ in their topics"
            elif not np.isfinite(paired.scores).all():
                problem = "a score is no finite number"
            else:
                pairs.append(paired)
                left_out |= {n_left_out: None} if n_left_out else {}
        if problem is not None:
            warn(f"{measure} is left out: {problem}")
    if not pairs:
        raise InputError("two evaluations must have a measure in common, but there is none")
    for line in left_out:
        warn(line)
    return pairs


def _shared_runs(first: EvaluatedRuns, second: EvaluatedRuns) -> tuple[str, ...]:
    """Return the runs of both evaluations in the order of the first; raises InputError if one lacks a run."""
    for incomplete, other in ((first, second), (second, first)):
        if lacking := [run for run in other.values if run not in incomplete.values]:
            more = f" and {len(lacking) - 1} more" if lacking[1:] else ""
            raise InputError(
                f"both evaluations must have the same runs, but {shown_name(incomplete.path)} lacks "
                f"{quote(lacking[0])}{more}"
            )
    if len(first.values) < 2:
        raise InputError(
            f"evaluations must have at least two runs, but {shown_name(first.path)} has {len(first.values)}"
        )
    return tuple(first.values)


def _problem(sides: Sequence[tuple[EvaluatedRuns, str]], runs: Sequence[str]) -> str | None:
    """Return why a measure cannot be compared; None if it can."""
    for evaluated, measure in sides:
        lacking = [run for run in runs if measure not in evaluated.values[run]]
        if len(lacking) == len(runs):
            return f"{shown_name(evaluated.path)} does not have {measure}"
        if lacking:
            return f"{shown_name(evaluated.path)} does not have {measure} for {quote(lacking[0])}"
    return None


def _paired(sides: Sequence[tuple[EvaluatedRuns, str]], runs: tuple[str, ...]) -> tuple[PairedValues | None, str]:
    """Return the values of a measure (None if no topic is shared) and a line on the topics that are left out."""
    by_topic = [[evaluated.topics(run, measure) for run in runs] for evaluated, measure in sides]
    against, measure = (name for _, name in sides)
    scales = scale_named(against), scale_named(measure)
    every = [topics for side in by_topic for topics in side]
    if not all(every):
        return PairedValues(measure, against, runs, _summaries(sides, runs), scales), ""
    shared = [topic for topic in every[0] if all(np.isfinite(topics.get(topic, np.nan)) for topics in every)]
    if not shared:
        return None, ""
    values_x, values_y = (
        scale.transform(np.array([[topics[topic] for topic in shared] for topics in side]))
        for scale, side in zip(scales, by_topic, strict=True)
    )
    n_topics = len(set().union(*every))
    if n_topics == len(shared):
        scores, line = _summaries(sides, runs), ""
    else:
        scores = scales[0].summarise(values_x), scales[1].summarise(values_y)
        line = (
            f"{n_topics - len(shared)} of {n_topics} topics are left out: some run has no value for them in one of the "
            "evaluations"
        )
    return PairedValues(measure, against, runs, scores, scales, (values_x, values_y), n_topics), line


def _summaries(sides: Sequence[tuple[EvaluatedRuns, str]], runs: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    x, y = (np.array([evaluated.score(run, name) for run in runs]) for evaluated, name in sides)
    return x, y

"""Two scorings of the same runs, brought together measure by measure over the topics that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.errors import ArgumentError, InputError, Warn, quote, shown_name
from irevalx.experiments.measure_scales import scale_named
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.agreement.scorings import Scoring
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


class PairedScores(Frozen):
    """The scores of the same runs for a measure in two scorings, over the same topics.

    Parameters
    ----------
    measure : of the second scoring.
    against : the measure of the first scoring, as a rule the same.
    runs : their names.
    scores : shape (n_runs,) each; in the first and in the second scoring.
    scales : of the two measures.
    values : shape (n_runs, n_topics) each; values of the shared topics, on the scales on which the measures are tested;
        None where some run has no values by topic.
    n_topics : how many topics some run has a value for in one of the scorings, whether they count or not.
    """

    measure: str
    against: str
    runs: tuple[str, ...]
    scores: tuple[FloatArray, FloatArray]
    scales: tuple[Scale, Scale]
    values: tuple[FloatArray, FloatArray] | None = None
    n_topics: int = 0

    @property
    def n_shared(self) -> int | None:
        """How many topics count; None without values by topic."""
        return None if self.values is None else self.values[0].shape[1]

    @property
    def which_topics(self) -> str:
        """The topics that the scores are over, in words."""
        if self.n_shared is None:
            return "as the summaries of X and Y have them"
        if self.n_shared == self.n_topics:
            return f"all {self.n_topics} of X and Y"
        return f"{self.n_shared} of {self.n_topics}, those for which every run has a value in X and in Y"

    @property
    def changed(self) -> float | None:
        """The share of runs that score significantly otherwise; None for two measures, or without values by topic."""
        if self.values is None or self.measure != self.against:
            return None
        return float(changed(*self.values).mean())

    @cached_property
    def _decisions(self) -> list[Decisions]:
        """Decisions in both scorings; none for two measures, or without values by topic."""
        return list(map(decide, self.values or ())) if self.measure == self.against else []

    @property
    def decisions(self) -> Confusion | None:
        """How pairwise decisions in the two scorings go together; None for two measures, or without values by topic."""
        return confusion(*self._decisions) if self._decisions else None

    @property
    def reversed_pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs that differ in both scorings, but in opposite directions."""
        if not self._decisions:
            return []
        reversed_ = reversals(*self._decisions)
        first, second = (side[reversed_].tolist() for side in pairs_of_runs(len(self.runs)))
        return [(self.runs[one], self.runs[other]) for one, other in zip(first, second, strict=True)]

    def at_the_top(self, k: int) -> dict[str, float | None]:
        """Return each of ``TOP_STATISTICS`` for the k best runs of the first scoring; None where one is not defined."""
        values = {name: float(function(*self.scores)) for name, function in at_the_top(k).items()}
        return {name: None if np.isnan(value) else value for name, value in values.items()}

    def intervals(self, resamples: int, top: int | None = None, *, seed: int = 0) -> list[Intervals | None]:
        """Return intervals of each of ``STATISTICS``, and of each of ``TOP_STATISTICS``, over all topics there are.

        None stands for the latter without ``top``, and for both without values by topic.
        """
        if self.values is None:
            return [None, None]
        draws = TopicDraws.of(self.values[0].shape[1], resamples, seed)
        found = agreement_draws(*self.values, draws, self.scales)
        intervals = {}
        for name, of_draws in found.items():
            low, high = quantile_interval(of_draws)
            intervals[name] = float(low), float(high)
        x, y = (draws.summaries(values, scale) for values, scale in zip(self.values, self.scales, strict=True))
        intervals |= correlation_intervals(rank_correlations, self.scores, (x, y))
        return [intervals, None if top is None else top_intervals(top, self.scores, (x, y))]


def paired_scores(
    first: Scoring, second: Scoring, against: str | None = None, warn: Warn = lambda line: None
) -> list[PairedScores]:
    """Bring together the scores that two scorings give to the same runs.

    Where the scorings differ in their topics, or some run lacks one, only the topics that all runs have in both
    scorings count. So do topics that have a value for all of them.

    Parameters
    ----------
    against : the measure of the first scoring that stands against each of the second; by default it is the same.
    warn : is called with a line for each measure, and for the topics, that are left out.

    Raises
    ------
    InputError : a run is in one of them only, there are fewer than two runs, or no measure is in both.
    ArgumentError : the first scoring has no such measure to stand against the others.
    """
    runs = _shared_runs(first, second)
    if against is not None and against not in first.measures:
        raise ArgumentError(
            f"against must be one of the measures in {shown_name(first.path)} ({' '.join(first.measures)}), but got "
            f"{quote(against)}"
        )
    measures = second.measures if against is not None else list(dict.fromkeys((*first.measures, *second.measures)))
    found, left_out = [], dict[str, None]()
    differ_in_topics = _differ_in_topics(first, second, runs)
    for measure in measures:
        sides = ((first, against or measure), (second, measure))
        problem = _problem(sides, runs)
        if problem is None:
            paired, n_left_out = _paired(sides, runs)
            if paired is None:
                problem = "the scorings have no topic in common"
            elif paired.values is None and differ_in_topics:
                problem = "it has no values by topic, and the scorings differ in their topics"
            elif not np.isfinite(paired.scores).all():
                problem = "a score is no finite number"
            else:
                found.append(paired)
                left_out |= {n_left_out: None} if n_left_out else {}
        if problem is not None:
            warn(f"{measure} is left out: {problem}")
    if not found:
        raise InputError("two scorings must have a measure in common, but there is none")
    for line in left_out:
        warn(line)
    return found


def _shared_runs(first: Scoring, second: Scoring) -> tuple[str, ...]:
    """Return the runs of both scorings in the order of the first; raises InputError."""
    for one, other in ((first, second), (second, first)):
        if lacking := [run for run in other.values if run not in one.values]:
            more = f" and {len(lacking) - 1} more" if lacking[1:] else ""
            raise InputError(
                f"both scorings must have the same runs, but {shown_name(one.path)} lacks {quote(lacking[0])}{more}"
            )
    if len(first.values) < 2:
        raise InputError(f"scorings must have two runs at least, but {shown_name(first.path)} has {len(first.values)}")
    return tuple(first.values)


def _problem(sides: Sequence[tuple[Scoring, str]], runs: Sequence[str]) -> str | None:
    """Return why a measure cannot be compared."""
    for scoring, measure in sides:
        lacking = [run for run in runs if measure not in scoring.values[run]]
        if len(lacking) == len(runs):
            return f"{shown_name(scoring.path)} does not have {measure}"
        if lacking:
            return f"{shown_name(scoring.path)} does not have {measure} for {quote(lacking[0])}"
    return None


def _differ_in_topics(first: Scoring, second: Scoring, runs: Sequence[str]) -> bool:
    """Return whether some run has other topics in one scoring than in the other, as far as these say so."""
    topics = [(first.all_topics(run), second.all_topics(run)) for run in runs]
    return any(one and other and one != other for one, other in topics)


def _paired(sides: Sequence[tuple[Scoring, str]], runs: tuple[str, ...]) -> tuple[PairedScores | None, str]:
    """Return the scores of a measure, None if no topic is shared, and a line on the topics that are left out."""
    by_topic = [[scoring.topics(run, measure) for run in runs] for scoring, measure in sides]
    against, measure = (name for _, name in sides)
    scales = scale_named(against), scale_named(measure)
    every = [topics for side in by_topic for topics in side]
    if not all(every):
        return PairedScores(measure, against, runs, _summaries(sides, runs), scales), ""
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
            "scorings"
        )
    return PairedScores(measure, against, runs, scores, scales, (values_x, values_y), n_topics), line


def _summaries(sides: Sequence[tuple[Scoring, str]], runs: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    x, y = (np.array([scoring.score(run, name) for run in runs]) for scoring, name in sides)
    return x, y

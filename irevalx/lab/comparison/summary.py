"""Sentences that summarise a comparison, for use in a paper."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from irevalx.lab.comparison.conclusions import Conclusion, are
from irevalx.lab.comparison.pairs import ComparedPair, Comparison
from irevalx.reports.names import shorten
from irevalx.reports.report import judged_in_words, percent
from irevalx.statistics.power import POWER, least_effect
from irevalx.statistics.significance import FAMILYWISE, FEW_TOPICS, MEAN, TESTS, TUKEY, correction_named

_MOST_MEASURES = 5
"""Measures after the first with a sentence in the summary."""

LONG_NAME = 32
"""Maximum number of characters of a run's name; longer names are shortened."""


def summary_of(comparison: Comparison, digits: int) -> list[str]:
    """Return a paragraph on the first measure, with one sentence per further measure; empty without pairs."""
    n_pairs, n_baselines = len(comparison.measures[0].comparisons.pairs), len(comparison.baselines)
    if not n_pairs:
        return []
    short = shorten(comparison.measures[0].runs, LONG_NAME)
    first, *others = (
        Conclusion(of_measure, comparison.baseline, of_measure.name, digits, {} if short.key else short.of)
        for of_measure in comparison.measures
    )
    further: list[str] = []
    if len(others) <= _MOST_MEASURES:
        further = [
            _brief(it) if n_pairs == 1 else _of_baselines(it, n_baselines) if n_baselines > 1 else it.verdict(first)
            for it in others
        ]
    if n_pairs == 1:
        sentences = [*_of_pair(first)]
    else:
        sentences = [_of_baselines(first, n_baselines) if n_baselines > 1 else first.verdict()]
    return [" ".join([*sentences, *_power(first), *further])]


def _of_pair(it: Conclusion) -> Iterator[str]:
    """Yield sentences on the difference of a pair, its interval and test, topics, and coverage."""
    [pair], comparisons = it.of_measure.pairs, it.of_measure.comparisons
    method, (run, against) = comparisons.method, it.named(pair.run, pair.against)
    if len(it.of_measure.best_runs) == 2:
        yield f"{run} and {against} have the same {it.title} ({it.number(pair.mean)})."
    else:
        order = "higher" if pair.difference > 0 else "lower"
        interval = ""
        if math.isfinite(pair.low):
            of = "mean difference" if comparisons.scale is MEAN else "difference"
            kind = "t" if method.interval == "t" else "BCa bootstrap"
            interval = (
                f" ({percent(1 - method.alpha)} {kind} interval of the {of} over the population of topics: "
                f"{it.number(pair.low)} to {it.number(pair.high)})"
            )
        values = f"{it.number(pair.mean)} and {it.number(pair.mean_against)}"
        yield (
            f"{run} has a {order} {it.title} than {against}: {values}, a difference of {it.number(pair.difference)}"
            f"{interval}."
        )
    n_topics = comparisons.values.shape[1]
    test = "randomised Tukey HSD" if correction_named(method.correction) == TUKEY else TESTS[pair.test].words
    if pair.wins == pair.losses == 0:
        every = f"All {n_topics} topics have" if n_topics > 1 else "The only topic has"
        yield f"{every} the same value in both runs."
    else:
        level = f"at the level {method.alpha:g}"
        yield f"The difference is {_significant(pair)} {level} ({it.p(pair)}, {test} over {_topics(n_topics)})."
        better, worse = it.words
        ties = f" and equal on {pair.ties}" if pair.ties else ""
        yield f"{run} is {better} on {_topics(pair.wins)}{',' if ties else ' and'} {worse} on {pair.losses}{ties}."
    judged, coverage = (
        (pair.judged_among_retrieved, pair.judged_among_retrieved_against),
        it.of_measure.measured.coverage,
    )
    if coverage is not None and not coverage.of_relevant_only and not math.isnan(sum(judged)):
        yield judged_in_words({run: judged[0], against: judged[1]}, coverage.depth)
        if pair.depends_on_unjudged:
            yield "The conclusion depends on the unjudged documents."


def _brief(it: Conclusion) -> str:
    """Return a sentence on the difference of a pair under a further measure."""
    [pair] = it.of_measure.pairs
    interval = f" ({it.number(pair.low)} to {it.number(pair.high)})" if math.isfinite(pair.low) else ""
    return (
        f"Under {it.title}, the difference is {it.number(pair.difference)}{interval}, which is "
        f"{_significant(pair)} ({it.p(pair)})."
    )


def _of_baselines(it: Conclusion, n_baselines: int) -> str:
    """Return a sentence on the pairs of a run and one of several baselines."""
    comparisons, direction = it.of_measure.comparisons, it.of_measure.measured.direction
    n_up = int(np.count_nonzero(comparisons.differ & ((direction or 1) * comparisons.difference > 0)))
    n_different = int(np.count_nonzero(comparisons.differ))
    up, down = it.words
    of = f" of {len(comparisons.pairs)} differences between a run and one of the {n_baselines} baselines"
    return (
        f"Under {it.title}, {are(n_different, of)} statistically significant: the run is {up} in {n_up} and {down} in "
        f"{n_different - n_up}."
    )


def _power(it: Conclusion) -> Iterator[str]:
    """Yield a sentence on the smallest difference detectable with this number of topics."""
    comparisons, method = it.of_measure.comparisons, it.of_measure.comparisons.method
    n_pairs, n_topics = comparisons.by_topic.shape
    correction = correction_named(method.correction)
    if (
        comparisons.scale is not MEAN
        or n_topics < FEW_TOPICS
        or not it.of_measure.has_power
        or (correction == TUKEY and n_pairs > 1)
    ):
        return
    deviation = math.sqrt(float(np.median(comparisons.by_topic.var(axis=1, ddof=1))))
    if deviation == 0:
        return
    n_tests = n_pairs if correction in FAMILYWISE else 1
    least = least_effect(n_topics, POWER, method.alpha / n_tests) * deviation
    corrected = f" and Bonferroni's correction for {n_tests} pairs" if n_tests > 1 else ""
    pair = " for the median pair of runs" if n_pairs > 1 else ""
    yield (
        f"With {n_topics} topics{corrected}, the smallest difference that a t test detects with probability {POWER:g} "
        f"is {it.number(least)}{pair}."
    )


def _topics(n: int) -> str:
    return f"{n} topic{'s' * (n != 1)}"


def _significant(pair: ComparedPair) -> str:
    return "statistically significant" if pair.differ else "not statistically significant"

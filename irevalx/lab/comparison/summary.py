"""Sentences that summarise a comparison, for use in a paper."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from irevalx.frozen import Frozen
from irevalx.lab.comparison.conclusions import ALIKE, BETTER, WORSE, Conclusion
from irevalx.lab.comparison.pairs import ComparedMeasure, ComparedPair, Comparison
from irevalx.parameters import join_words
from irevalx.reports.names import shorten
from irevalx.reports.report import percent
from irevalx.statistics.power import POWER, least_effect
from irevalx.statistics.significance import FAMILYWISE, FEW_TOPICS, MEAN, TESTS, TUKEY, correction_named

_MOST_MEASURES = 5
"""Measures after the first with a sentence in the summary."""

_MOST_NAMES = 6
"""Runs that the summary names."""

LONG_NAME = 32
"""Maximum number of characters of a run's name; longer names are shortened."""


class _Summarised(Frozen):
    """A comparison, and the format of its numbers in sentences."""

    comparison: Comparison
    digits: int
    names: Mapping[str, str]
    """Short names of the runs."""

    def number(self, value: object) -> str:
        """Return a number in the format of tables."""
        text = f"{value:.{self.digits}f}" if isinstance(value, float) else str(value)
        return text.removeprefix("-") if float(text) == 0 else text

    def p(self, pair: ComparedPair) -> str:
        """Return the corrected p-value of a pair."""
        least = 10.0**-self.digits
        return f"p < {self.number(least)}" if pair.corrected_p < least else f"p = {self.number(pair.corrected_p)}"


def summary_of(comparison: Comparison, digits: int) -> list[str]:
    """Return a paragraph on the first measure, with one sentence per further measure; empty without pairs."""
    first, *others = comparison.measures
    if not first.comparisons.pairs:
        return []
    short = shorten(first.runs, LONG_NAME)
    about = _Summarised(comparison, digits, {run: run for run in first.runs} if short.key else short.of)
    sentences = _of_pair if len(first.comparisons.pairs) == 1 else _of_runs
    brief = _brief if sentences is _of_pair else _verdict
    further = [brief(about, of_measure, first) for of_measure in others[:_MOST_MEASURES]]
    return [" ".join([*sentences(about, first), *(further if len(others) <= _MOST_MEASURES else ())])]


def _of_pair(about: _Summarised, of_measure: ComparedMeasure) -> Iterator[str]:
    """Yield sentences on the difference of a pair, its interval and test, topics, coverage, and power."""
    pair, method = of_measure.pairs[0], about.comparison.method
    run, against = about.names[pair.run], about.names[pair.against]
    values = f"{about.number(pair.mean)} and {about.number(pair.mean_against)}"
    if len(of_measure.best_runs) == 2:
        yield f"{run} and {against} have the same {pair.measure} ({about.number(pair.mean)})."
    else:
        order = "higher" if pair.difference > 0 else "lower"
        interval = ""
        if math.isfinite(pair.low):
            of = "mean difference" if of_measure.comparisons.scale is MEAN else "difference"
            kind = "t" if method.interval == "t" else "BCa bootstrap"
            interval = (
                f" ({percent(1 - method.alpha)} {kind} interval of the {of} over the population of topics: "
                f"{about.number(pair.low)} to {about.number(pair.high)})"
            )
        yield (
            f"{run} has a {order} {pair.measure} than {against}: {values}, a difference of "
            f"{about.number(pair.difference)}{interval}."
        )
    n_topics = of_measure.comparisons.values.shape[1]
    test = "randomised Tukey HSD" if correction_named(method.correction) == TUKEY else TESTS[pair.test].words
    if pair.wins == pair.losses == 0:
        every = f"All {n_topics} topics have" if n_topics > 1 else "The only topic has"
        yield f"{every} the same value in both runs."
    else:
        level = f"at the level {method.alpha:g}"
        yield f"The difference is {_significant(pair)} {level} ({about.p(pair)}, {test} over {_topics(n_topics)})."
        better, worse = _words(of_measure)
        ties = f" and equal on {pair.ties}" if pair.ties else ""
        yield f"{run} is {better} on {_topics(pair.wins)}{',' if ties else ' and'} {worse} on {pair.losses}{ties}."
    yield from _coverage(of_measure, pair, run, against)
    yield from _power(about, of_measure)


def _brief(about: _Summarised, of_measure: ComparedMeasure, before: ComparedMeasure) -> str:
    """Return a sentence on the difference of a pair under a further measure."""
    pair = of_measure.pairs[0]
    interval = f" ({about.number(pair.low)} to {about.number(pair.high)})" if math.isfinite(pair.low) else ""
    return (
        f"Under {pair.measure}, the difference is {about.number(pair.difference)}{interval}, which is "
        f"{_significant(pair)} ({about.p(pair)})."
    )


def _coverage(of_measure: ComparedMeasure, pair: ComparedPair, run: str, against: str) -> Iterator[str]:
    """Yield a sentence on the judged documents of both runs, and a caution."""
    own, other = pair.judged_among_retrieved, pair.judged_among_retrieved_against
    coverage = of_measure.measured.coverage
    if coverage is None or coverage.of_relevant_only or math.isnan(own + other):
        return
    first = f"the first {coverage.depth} documents"
    if own == other:
        yield f"Of {first} of each run, {percent(own)} are judged."
    else:
        yield f"Of {first}, {percent(own)} are judged for {run} and {percent(other)} for {against}."
    if pair.depends_on_unjudged:
        yield "The conclusion depends on the unjudged documents."


def _of_runs(about: _Summarised, of_measure: ComparedMeasure) -> Iterator[str]:
    """Yield sentences on several runs: the best run or the baseline, and the power of the test."""
    yield _verdict(about, of_measure)
    yield from _power(about, of_measure)


def _verdict(about: _Summarised, of_measure: ComparedMeasure, before: ComparedMeasure | None = None) -> str:
    """Return a sentence on the runs that are significantly different from the baseline, or from the best run.

    ``before`` is the first measure, if the sentence is on a further one.
    """
    runs, n_others = of_measure.runs, len(of_measure.runs) - 1
    conclusion = Conclusion(of_measure, about.comparison.baseline)
    value = {run: about.number(score) for run, score in zip(runs, of_measure.scores, strict=True)}
    names = about.names
    if about.comparison.baselines[1:]:
        return _of_baselines(of_measure, len(about.comparison.baselines))
    if about.comparison.baseline is not None:
        baseline, (up, down) = about.comparison.baseline, _words(of_measure)
        n_up, n_down, n_alike = map(conclusion.verdicts.count, (BETTER, WORSE, ALIKE))
        return (
            f"Under {of_measure.name}, {_are(n_up, f' of {n_others} runs')} significantly {up} than {names[baseline]} "
            f"({value[baseline]}), {_are(n_down)} significantly {down}, and {_are(n_alike)} not significantly "
            "different."
        )
    best, order = conclusion.best, conclusion.extreme
    alike = [names[run] for run in conclusion.runs_that_are(ALIKE)]
    n_different = n_others - len(alike)
    verdict = "is significantly different from"
    if not alike:
        others = "both other runs" if n_others == 2 else f"all {n_others} other runs"
    elif not n_different:
        verdict, others = "is not significantly different from", "any other run"
    elif len(alike) <= _MOST_NAMES and before is None:
        others = f"{n_different} of the other runs, but not from {join_words(alike, 'and')}"
    else:
        others = f"{n_different} of the {n_others} other runs"
    tied, of_runs = of_measure.best_runs, f" of {len(runs)} runs" if before is None else ""
    if tied[1:]:
        if conclusion.is_of_equals:
            return f"All {len(runs)} runs have the same {of_measure.name} ({value[best]})."
        of_tied = join_words([names[run] for run in tied], "and") if len(tied) <= _MOST_NAMES else f"{len(tied)} runs"
        return (
            f"{of_tied} are tied with the {order} {of_measure.name}{of_runs} ({value[best]}); {names[best]} {verdict} "
            f"{others}."
        )
    also = "It also" if before is not None and tied == before.best_runs else names[best]
    return f"{also} has the {order} {of_measure.name}{of_runs} ({value[best]}) and {verdict} {others}."


def _of_baselines(of_measure: ComparedMeasure, n_baselines: int) -> str:
    """Return a sentence on the pairs of a run and one of several baselines."""
    comparisons, direction = of_measure.comparisons, of_measure.measured.direction
    n_up = int(np.count_nonzero(comparisons.differ & ((direction or 1) * comparisons.difference > 0)))
    n_different = int(np.count_nonzero(comparisons.differ))
    up, down = _words(of_measure)
    return (
        f"Under {of_measure.name}, {n_different} of {len(comparisons.pairs)} differences between a run and one of the "
        f"{n_baselines} baselines {'is' if n_different == 1 else 'are'} statistically significant: the run is {up} in "
        f"{n_up} and {down} in {n_different - n_up}."
    )


def _power(about: _Summarised, of_measure: ComparedMeasure) -> Iterator[str]:
    """Yield a sentence on the smallest difference detectable with this number of topics."""
    comparisons, method = of_measure.comparisons, about.comparison.method
    n_pairs, n_topics = comparisons.by_topic.shape
    correction = correction_named(method.correction)
    if (
        comparisons.scale is not MEAN
        or n_topics < FEW_TOPICS
        or not of_measure.has_power
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
        f"is {about.number(least)}{pair}."
    )


def _words(of_measure: ComparedMeasure) -> tuple[str, str]:
    return ("better", "worse") if of_measure.measured.direction else ("higher", "lower")


def _are(n: int, of: str = "") -> str:
    return f"{n}{of} {'is' if n == 1 else 'are'}"


def _topics(n: int) -> str:
    return f"{n} topic{'s' * (n != 1)}"


def _significant(pair: ComparedPair) -> str:
    return "statistically significant" if pair.differ else "not statistically significant"

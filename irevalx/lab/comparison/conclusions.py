"""Conclusions about runs that are compared in a measure. Tables, summaries and reports print the conclusions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irevalx.experiments.run_pairs import reversed_pair
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.comparison.pairs import ComparedMeasure, ComparedPair
from irevalx.reports.report import judged_in_words, percent
from irevalx.statistics.corrections import TUKEY, correction_named
from irevalx.statistics.decisions import RankSets, rank_sets
from irevalx.statistics.significance import MEAN
from irevalx.wording import first_names, join_words

REFERENCE, BETTER, WORSE, ALIKE = "reference", "better", "worse", "alike"
"""The verdicts on runs: the reference, significantly better than the reference, significantly worse, or not
significantly different. If neither higher nor lower values of the measure are better, "better" means higher."""

IF_RELEVANT = "if they were relevant half as often as judged documents"
"""The assumption about unjudged documents in cautions, as a clause (see ``RELATIVE_RELEVANCE``)."""

MOST_NAMES, FIRST_NAMES = 6, 3
"""The maximum number of runs that a sentence lists, and the number of runs that it lists if there are more."""


def listed(names: Sequence[str]) -> str:
    """Return the names of runs for a sentence. If there are too many runs, return their number and the first names."""
    if len(names) > MOST_NAMES:
        return f"{len(names)} runs ({', '.join(names[:FIRST_NAMES])}, ...)"
    return join_words(names, "and")


class Finding(NamedTuple):
    """A sentence of a report."""

    sentence: str
    measure: str = ""  # the measure, if the sentence is on its verdicts, which can depend on unjudged documents


class Conclusion(Frozen):
    """The best run, and the runs that differ significantly from a reference run.

    The reference is the baseline, or the best run if there is no baseline.

    The methods that return sentences are the only source of these sentences in tables, summaries and reports.
    """

    of_measure: ComparedMeasure
    baseline: str | None = None
    title: str = ""
    """The name of the measure, as it appears in sentences."""
    digits: int = 3
    """The number of decimals of values in sentences."""

    @property
    def best(self) -> str:
        """The name of the best run, or of the first best run if several runs are tied."""
        return self.of_measure.runs[self.of_measure.best_first[0]]

    @property
    def is_of_equals(self) -> bool:
        """Whether all runs have the same value."""
        return len(self.of_measure.best_runs) == len(self.of_measure.runs)

    @property
    def extreme(self) -> str:
        """The adjective that describes the value of the best run, for example "highest"."""
        return "lowest" if self.of_measure.measured.direction < 0 else "highest"

    @cached_property
    def verdicts(self) -> list[str]:
        """The verdict on each run, or "" for a run that was not tested against the reference."""
        comparisons, sign = self.of_measure.comparisons, self.of_measure.measured.direction or 1
        reference = self.of_measure.runs.index(self.best if self.baseline is None else self.baseline)
        verdicts = [""] * len(self.of_measure.runs)
        verdicts[reference] = REFERENCE
        for row, pair in enumerate(comparisons.pairs):
            if reference in pair:
                run, gain = (pair[1], sign) if pair[0] == reference else (pair[0], -sign)
                differs, is_gain = comparisons.differ[row], gain * comparisons.difference[row] > 0
                verdict = (BETTER if is_gain else WORSE) if differs else ALIKE
                verdicts[run] = verdict if comparisons.are_tested else ""
        return verdicts

    def runs_that_are(self, verdict: str) -> list[str]:
        """Return the names of the runs with a given verdict, in their original order."""
        return [run for run, each in zip(self.of_measure.runs, self.verdicts, strict=True) if each == verdict]

    @property
    def signs(self) -> list[str]:
        """The sign of each run: ``+`` or ``-`` if it is significantly better or worse, and otherwise an empty string.

        If neither higher nor lower values are better, the signs are ``>`` and ``<``.
        """
        better, worse = "+-" if self.of_measure.measured.direction else "><"
        return [{BETTER: better, WORSE: worse}.get(verdict, "") for verdict in self.verdicts]

    @cached_property
    def rank_sets(self) -> RankSets | None:
        """The rank sets and tiers of the runs, or None if rank sets are not defined.

        Rank sets require tests of all pairs, a correction that controls the familywise error rate, and a measure in
        which higher or lower values are better.
        """
        comparisons, n_runs = self.of_measure.comparisons, len(self.of_measure.runs)
        direction = self.of_measure.measured.direction if self.of_measure.is_familywise else 0
        is_of_all = self.baseline is None and len(comparisons.pairs) == n_runs * (n_runs - 1) // 2
        if not (is_of_all and direction and comparisons.are_tested):
            return None
        gain = direction * comparisons.difference * comparisons.differ
        better = np.zeros((n_runs, n_runs), np.bool_)
        better[comparisons.second, comparisons.first] = gain > 0
        better[comparisons.first, comparisons.second] = gain < 0
        return rank_sets(better, self.of_measure.best_first)

    def on_ranks(self) -> Iterator[str]:
        """Yield sentences that describe the top set and the tiers of three or more runs with rank sets.

        If there are no rank sets, or fewer than three runs, yield nothing.
        """
        sets, runs = self.rank_sets, self.of_measure.runs
        if sets is None or len(runs) < 3:
            return
        top = [run for run, low in zip(runs, sets.rank_low, strict=True) if low == 1]
        names, them = first_names(top, "run"), "any of them" if top[1:] else "it"
        which = f"{len(top)} of {len(runs)} runs ({names})"
        if len(top) == len(runs):
            which, them = f"all {len(runs)} runs", "another"
        yield f"Under {self.title}, the top set contains {which}: no run is significantly better than {them}."
        sizes = [str(sets.tier.count(tier)) for tier in range(1, max(sets.tier) + 1)]
        if sizes[1:]:
            tiers = f"Under {self.title}, there are {len(sizes)} tiers, of {join_words(sizes, 'and')} runs"
            yield f"{tiers}: every run of a tier is significantly better than every run of the following tiers."

    def pair_of(self, run: str) -> ComparedPair:
        """Return the comparison of a run with the reference. Without a baseline, the better run comes first."""
        reference = self.best if self.baseline is None else self.baseline
        return self._oriented(self._pairs[frozenset((run, reference))])

    @cached_property
    def _pairs(self) -> dict[frozenset[str], ComparedPair]:
        return {frozenset((pair.run, pair.against)): pair for pair in self.of_measure.pairs}

    @property
    def main_run(self) -> str:
        """The run whose difference from the reference is the main result.

        If there is a baseline, the main run is the best run that is significantly better than the baseline or, if there
        is none, the best run except the baseline. If there is no baseline, the main run is the best run that differs
        significantly from the overall best run or, if there is none, the second best run.
        """
        verdicts = {BETTER} if self.baseline is not None else {BETTER, WORSE}
        others = [run for run in self.of_measure.best_first if self.verdicts[run] != REFERENCE]
        return self.of_measure.runs[next((run for run in others if self.verdicts[run] in verdicts), others[0])]

    @property
    def oriented_pairs(self) -> list[ComparedPair]:
        """All comparisons of pairs. The first run is the better run or, if there is a baseline, not the baseline."""
        return [*map(self._oriented, self.of_measure.pairs)]

    def _oriented(self, pair: ComparedPair) -> ComparedPair:
        direction = self.of_measure.measured.direction if self.baseline is None else 0
        return reversed_pair(pair) if direction * pair.difference < 0 else pair

    @property
    def is_simultaneous(self) -> bool:
        """Whether there are simultaneous intervals for several comparisons."""
        pairs = self.of_measure.pairs
        return self.of_measure.is_corrected and any(not math.isnan(pair.simultaneous_low) for pair in pairs)

    def number(self, value: object) -> str:
        """Format a number for a sentence. Integers have no decimals, and 0 has no sign."""
        text = f"{value:.{self.digits}f}" if isinstance(value, float) else str(value)
        return text.removeprefix("-") if float(text) == 0 else text

    def value_of(self, run: str) -> str:
        """Return the summary value of a run as a string."""
        return self.number(self.of_measure.scores[self.of_measure.runs.index(run)])

    def p(self, pair: ComparedPair) -> str:
        """Return the corrected p-value of a pair as an equation or an inequality."""
        least = 10.0**-self.digits
        return f"p < {self.number(least)}" if pair.corrected_p < least else f"p = {self.number(pair.corrected_p)}"

    @property
    def words(self) -> tuple[str, str]:
        """The words for larger and smaller values: better and worse or, without a direction, higher and lower."""
        return ("better", "worse") if self.of_measure.measured.direction else ("higher", "lower")

    def leader(self, first: Conclusion | None = None) -> str:
        """Return a clause about the best run, which is shorter if it follows the conclusion ``first``."""
        runs, tied = self.of_measure.runs, self.of_measure.best_runs
        value = f"({self.value_of(self.best)})"
        if self.is_of_equals:
            return f"All {len(runs)} runs have the same {self.title} {value}"
        highest = f"the {self.extreme} {self.title}{f' of {len(runs)} runs' if first is None else ''} {value}"
        if tied[1:]:
            return f"{listed(tied)} are tied with {highest}"
        is_same = first is not None and tied == first.of_measure.best_runs
        return f"{'It also' if is_same else self.best} has {highest}"

    def verdict(self, first: Conclusion | None = None) -> str:
        """Return a sentence about the runs that differ significantly from the baseline or, without one, the best run.

        If ``first`` is given, the sentence follows this conclusion in the same paragraph.
        """
        if self.of_measure.comparisons.why_untested:
            return f"{self.leader(first)}; differences are {self.of_measure.comparisons.why_untested}."
        n_others = len(self.of_measure.runs) - 1
        better, worse, alike = (self.runs_that_are(each) for each in (BETTER, WORSE, ALIKE))
        if self.baseline is not None:
            which = f" ({listed(better)})" if 0 < len(better) < n_others else ""
            up, down = self.words
            baseline = self.baseline
            are_better = f"{are(len(better), f' of {n_others} runs{which}')} significantly {up} than {baseline}"
            return (
                f"Under {self.title}, {are_better} ({self.value_of(self.baseline)}), {are(len(worse))} significantly "
                f"{down}, and {are(len(alike))} not significantly different.{self._cautions()}"
            )
        leader = self.leader(first)
        if self.is_of_equals:
            return f"{leader}."
        n_different = n_others - len(alike)
        differs = f"is {'' if n_different else 'not '}significantly different from"
        if not alike:
            others = "both other runs" if n_others == 2 else f"all {n_others} other runs"
        elif not n_different:
            others = "any other run"
        elif len(alike) <= MOST_NAMES and first is None:
            others = f"{n_different} of the other runs, but not from {join_words(alike, 'and')}"
        else:
            others = f"{n_different} of the {n_others} other runs"
        it = f"; {self.best}" if self.of_measure.best_runs[1:] else " and"
        return f"{leader}{it} {differs} {others}.{self._cautions()}"

    def caution(self, pair: ComparedPair) -> str:
        """Return a sentence, preceded by a space, if the conclusion on a pair depends on unjudged documents, or ""."""
        if not pair.depends_on_unjudged:
            return ""
        return f" The conclusion depends on unjudged documents: {self.if_relevant(pair)}."

    def if_relevant(self, pair: ComparedPair) -> str:
        """Return a clause about the conclusion on a pair if unjudged documents were relevant.

        The conclusion must depend on unjudged documents.
        """
        if pair.if_relevant == 0:
            return f"{IF_RELEVANT}, the runs would not be significantly different"
        if pair.if_relevant is None or math.isnan(pair.if_relevant):
            return "a run has no judged documents"
        better = pair.run if pair.if_relevant > 0 else pair.against
        return f"{IF_RELEVANT}, {better} would be significantly better"

    def _cautions(self) -> str:
        """Return a sentence, preceded by a space, on the verdicts that depend on unjudged documents, or ""."""
        would: dict[str, list[str]] = {}
        pairs = {
            run: self.pair_of(run)
            for run, each in zip(self.of_measure.runs, self.verdicts, strict=True)
            if each not in {"", REFERENCE}
        }
        for run, pair in pairs.items():
            if pair.depends_on_unjudged and pair.if_relevant is not None:
                gain = pair.if_relevant if pair.run == run else -pair.if_relevant
                verdict = "not be significantly different" if gain == 0 else f"be significantly {self.words[gain < 0]}"
                would.setdefault("be unknown" if math.isnan(gain) else verdict, []).append(run)
        if not would:
            return ""
        n_dependent = sum(map(len, would.values()))
        each = join_words([f"{listed(runs)} would {verdict}" for verdict, runs in would.items()], "and")
        return f" Unjudged documents could change {n_dependent} of these conclusions: {IF_RELEVANT}, {each}."

    def on_pair(self, pair: ComparedPair) -> str:
        """Return a clause that states whether two runs differ, and by how much. The better run is named first."""
        run, against = pair.run, pair.against
        differ = "is significantly better than {}" if pair.differ else "and {} are not significantly different"
        if not self.of_measure.comparisons.are_tested:
            differ = "and {} are not tested"
        return f"{run} {differ.format(against)}: {self.difference(pair)}"

    def on_main_pair(self, more: str = "") -> Iterator[str]:
        """Yield sentences about ``main_run`` if there are several pairs. ``more`` is appended to the difference."""
        if not self.of_measure.comparisons.are_tested:
            return
        pair, best, main = self.pair_of(self.main_run), self.best, self.main_run
        by = f"{self.difference(pair)}{more}."
        if self.baseline is None:
            if pair.differ:
                of_main = f"{main}, the best run that differs significantly from it"
                yield f"{best} is significantly better than {of_main}: {by}"
            else:
                second = "" if self.main_run in self.of_measure.best_runs else ", the second best run,"
                yield f"{best} and {main}{second} are not significantly different: {by}"
            pairs = self.of_measure.pairs
            n_different = sum(bool(each.differ) for each in pairs)
            are_different = are(n_different, f" of {len(pairs)} pairs of runs")
            yield f"Under {self.title}, {are_different} significantly different."
            return
        baseline = self.baseline
        if self.best == self.baseline:
            verdict = "significantly worse than" if pair.differ else "not significantly different from"
            yield f"The best of the other runs, {main}, is {verdict} {best}: {by}"
        elif main == best and pair.differ:
            yield f"{best} is significantly better than {baseline}: {by}"
        else:
            yield f"{best} is not significantly different from {baseline}: {self.difference(self.pair_of(self.best))}."
            if main != best:
                yield f"{main} is the best run that is significantly better than {baseline}: {by}"

    def in_full(self, pair: ComparedPair) -> Iterator[str]:
        """Yield sentences about the only pair: the difference, the interval, the test, the topics and the coverage."""
        comparisons, run, against = self.of_measure.comparisons, pair.run, pair.against
        method, n_topics = comparisons.method, comparisons.values.shape[1]
        if len(self.of_measure.best_runs) == 2:
            yield f"{run} and {against} have the same {self.title} ({self.number(pair.mean)})."
        else:
            kind = "t" if method.interval == "t" else "BCa bootstrap"
            kind = f"{percent(1 - method.alpha)} {'simultaneous' if self.is_simultaneous else kind} interval"
            of = "mean difference" if comparisons.scale is MEAN else "difference"
            values = f"{self.number(pair.mean)} and {self.number(pair.mean_against)}"
            by = self.number(pair.difference) + self._range(pair, f"{kind} of the {of} over the population of topics: ")
            order = "higher" if pair.difference > 0 else "lower"
            yield f"{run} has a {order} {self.title} than {against}: {values}, a difference of {by}."
        if pair.wins == pair.losses == 0:
            every = f"All {n_topics} topics have" if n_topics > 1 else "The only topic has"
            yield f"{every} the same value in both runs."
        else:
            is_tukey = correction_named(method.correction) == TUKEY
            test = "randomised Tukey HSD" if is_tukey else comparisons.test_in_words(pair.test)
            tested = f"({self.p(pair)}, {test} over {comparisons.topics_in_words})"
            significant = f"{_significant(pair)} at the level {method.alpha:g} {tested}"
            yield f"The difference is {comparisons.why_untested or significant}."
            better, worse = self.words
            ties = f" and equal on {pair.ties}" if pair.ties else ""
            yield f"{run} is {better} on {_topics(pair.wins)}{',' if ties else ' and'} {worse} on {pair.losses}{ties}."
        judged, coverage = (
            (pair.judged_among_retrieved, pair.judged_among_retrieved_against),
            self.of_measure.measured.coverage,
        )
        if coverage is not None and not coverage.of_relevant_only and not math.isnan(sum(judged)):
            yield judged_in_words(dict(zip((run, against), judged, strict=True)), coverage.depth)
            yield from filter(None, [self.caution(pair).strip()])

    def in_brief(self, pair: ComparedPair) -> str:
        """Return a short sentence about the difference of the only pair in a further measure.

        The sentence follows the sentences of ``in_full`` about the first measure.
        """
        difference = f"{self.number(pair.difference)}{self._range(pair)}"
        test = self.of_measure.comparisons.why_untested or f"{_significant(pair)} ({self.p(pair)})"
        return f"Under {self.title}, the difference is {difference}, which is {test}.{self.caution(pair)}"

    def difference(self, pair: ComparedPair) -> str:
        """Return a difference with its interval, and with the corrected p-value if the interval is unadjusted."""
        low, high = sorted(end if pair.difference >= 0 else -end for end in self.ends(pair))
        by = f"{self.number(abs(pair.difference))} {self.title}"
        if not math.isnan(low):
            by += f" [{self.number(low)}, {self.number(high)}]"
        if not self.of_measure.is_corrected or math.isnan(pair.corrected_p):
            return by
        return f"{by} ({'simultaneous interval' if self.is_simultaneous else f'corrected {self.p(pair)}'})"

    def ends(self, pair: ComparedPair) -> tuple[float, float]:
        """Return the interval of a pair that tables display, which is the simultaneous interval if there is one."""
        return (pair.simultaneous_low, pair.simultaneous_high) if self.is_simultaneous else (pair.low, pair.high)

    def _range(self, pair: ComparedPair, kind: str = "") -> str:
        """Return the interval of a pair in parentheses, preceded by a space, or "" if the interval is undefined."""
        low, high = self.ends(pair)
        return f" ({kind}{self.number(low)} to {self.number(high)})" if math.isfinite(low) else ""


def are(n: int, of: str = "") -> str:
    """Return a number with the form of the verb "to be" that agrees with the number."""
    return f"{n}{of} {'is' if n == 1 else 'are'}"


def _topics(n: int) -> str:
    return f"{n} topic{'s' * (n != 1)}"


def _significant(pair: ComparedPair) -> str:
    return "statistically significant" if pair.differ else "not statistically significant"

"""Pairs of runs compared under measures: what the tables and the figures of a comparison are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.arrays.segments import BoolArray
from irevalx.declarations import spelled
from irevalx.errors import ArgumentError
from irevalx.experiments.coverage import Coverage, depend_on_unjudged
from irevalx.experiments.measured_values import MeasuredRuns
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.command.result import Result
from irevalx.reports.overview import coverage_note
from irevalx.statistics.corrections import TUKEY, correction_named
from irevalx.statistics.decisions import letters_of_groups
from irevalx.statistics.paired_comparisons import Comparisons, Method
from irevalx.statistics.significance import FEW_TOPICS, TESTS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWINGS = ("intervals", "topics", "matrix")
"""What a figure shows: the values of ``draw``."""


class ComparedPair(Frozen, kw_only=True):
    """How a run compares with another under a measure.

    Parameters
    ----------
    mean, mean_against : summaries of the runs, as the evaluator prints them.
    difference : mean - mean_against.
    low, high : the interval of the difference for this pair alone; nan if it is not defined.
    effect_size : Cohen's d of the paired differences; nan where it is not defined.
    wins, ties, losses : topics for which ``run`` has a better, the same, a worse value than ``against``; greater is
        better unless the measure says otherwise.
    p, corrected_p : the p-value of the test, before and after correction for the number of comparisons.
    differ : whether the runs are significantly different: the corrected p-value is below alpha.
    simultaneous_low, simultaneous_high : a simultaneous interval for all pairs; nan if there is none.
    test : the test that gave p: ``permutation`` if an exact sign-flip test replaced the t test.
    judged, judged_against : judged@K of both runs; K is the cutoff of the measure, or 10. nan if unknown.
    depends_on_unjudged : whether the conclusion would change if unjudged documents were relevant half as often as
        judged ones. Only for t tests of means of measures that treat unjudged documents as nonrelevant.
    """

    measure: str
    run: str
    against: str
    mean: float
    mean_against: float
    difference: float
    low: float
    high: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    p: float
    corrected_p: float
    differ: bool
    simultaneous_low: float
    simultaneous_high: float
    test: str
    judged: float
    judged_against: float
    depends_on_unjudged: bool


class ComparedMeasure(Frozen):
    """The comparisons of runs under one measure.

    Parameters
    ----------
    measured : the values of the runs.
    found : of the pairs asked for.
    """

    measured: MeasuredRuns
    found: Comparisons

    @property
    def name(self) -> str:
        """The printed name of the measure."""
        return self.measured.measure

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of all runs."""
        return self.measured.runs

    @property
    def scores(self) -> list[float]:
        """The summaries of the runs, as the evaluator prints them."""
        return [self.measured.as_printed(score) for score in self.found.summaries.tolist()]

    def names_of(self, row: int) -> dict[str, Any]:
        """Return the fields with which all rows on a pair begin."""
        first, second = self.found.pairs[row]
        return {"measure": self.name, "run": self.runs[second], "against": self.runs[first]}

    def scores_of(self, row: int, found: Comparisons | None = None) -> dict[str, Any]:
        """Return these and the scores of a pair, their difference and its interval, over all topics or over some."""
        found, as_printed = found or self.found, self.measured.as_printed
        first, second = found.pairs[row]
        low, high = found.interval
        return {
            **self.names_of(row),
            "mean": as_printed(float(found.summaries[second])),
            "mean_against": as_printed(float(found.summaries[first])),
            "difference": as_printed(float(found.difference[row])),
            "low": float(low[row]),
            "high": float(high[row]),
        }

    def judged_of(self, row: int, coverage: Coverage | None) -> dict[str, Any]:
        """Return the fields with judged@K of the runs of a pair."""
        first, second = self.found.pairs[row]
        judged = [math.nan] * len(self.runs) if coverage is None else coverage.judged_at
        return {"judged": judged[second], "judged_against": judged[first]}

    @cached_property
    def depends_on_unjudged(self) -> BoolArray:
        """Of which pairs the conclusion depends on unjudged documents."""
        measured = self.measured
        if measured.top_coverage is None or measured.request is None:
            return np.zeros(len(self.found.pairs), np.bool_)
        return depend_on_unjudged(self.found, measured.top_coverage, measured.request)

    @cached_property
    def pairs(self) -> list[ComparedPair]:
        """A row for each pair."""
        found = self.found
        low, high = found.simultaneous_interval
        wins, losses = (found.losses, found.wins) if self.measured.direction < 0 else (found.wins, found.losses)
        return [
            ComparedPair(
                **self.scores_of(row),
                effect_size=float(found.effect_size[row]),
                wins=int(wins[row]),
                ties=int(found.ties[row]),
                losses=int(losses[row]),
                p=float(found.p[row]),
                corrected_p=float(found.corrected_p[row]),
                differ=bool(found.differ[row]),
                simultaneous_low=float(low[row]),
                simultaneous_high=float(high[row]),
                test=found.tests[row],
                **self.judged_of(row, self.measured.coverage),
                depends_on_unjudged=bool(self.depends_on_unjudged[row]),
            )
            for row in range(len(found.pairs))
        ]

    @property
    def best_first(self) -> list[int]:
        """The numbers of the runs, the best first; by descending score where the measure says nothing of better."""
        scores, direction = self.scores, self.measured.direction or 1
        return sorted(range(len(scores)), key=lambda run: -direction * scores[run])

    @property
    def letters(self) -> list[str]:
        """The letters of the runs: those not significantly different share one; all pairs must have been compared."""
        different = [pair for pair, differ in zip(self.found.pairs, self.found.differ.tolist(), strict=True) if differ]
        return letters_of_groups(len(self.runs), different, self.best_first)

    @property
    def signs(self) -> list[str]:
        """For each run, ``+`` if it is significantly better than the baseline, and ``-`` if significantly worse.

        ``>`` and ``<`` where it has a greater or a smaller value of a measure that says nothing of better.
        """
        greater, smaller = {1: ("+", "-"), -1: ("-", "+"), 0: (">", "<")}[self.measured.direction]
        signs = [""] * len(self.runs)
        for row, (_, run) in enumerate(self.found.pairs):
            if self.found.differ[row]:
                signs[run] = greater if self.found.difference[row] > 0 else smaller
        return signs


class Comparison(Result):
    """Comparisons of runs under several measures; rows and tables are those of its kinds.

    Parameters
    ----------
    measures : with the same pairs of runs each.
    baseline : the run that all others are compared with; None if all pairs are compared.
    method : how runs are compared.
    """

    measures: Sequence[ComparedMeasure]
    baseline: str | None
    method: Method

    @property
    def seed(self) -> int | None:
        """The seed of random choices; None where none are made."""
        return self.method.seed if self.method.is_random else None

    @property
    def status(self) -> int:
        """The exit status of the command: 0, whatever differs; a gate has others."""
        return 0

    def about(self) -> dict[str, Any]:
        """Return how the values were made, for JSON."""
        method = self.method
        how = {
            "test": method.test,
            "correction": correction_named(method.correction),
            "interval": method.interval,
            "alpha": method.alpha,
            "topics": {one.name: one.found.values.shape[1] for one in self.measures},
            "pairs": len(self.measures[0].found.pairs),
            "baseline": self.baseline,
            "how_tested": self.how_tested,
        }
        return {**super().about(), **how}

    def coverage_heads(self, *, cautious: bool = False) -> dict[str, str]:
        """Return the heads of columns on coverage and cautions. Empty if coverage is unknown, or 1 for all runs."""
        if not self.judged_at or self._is_all_judged:
            return {}
        judged = f"judged@{next(iter(self.judged_at))}" if len(self.judged_at) == 1 else "judged"
        heads = {"judged": judged, "judged_against": f"{judged} against"}
        return heads | ({"depends_on_unjudged": "caution"} if cautious else {})

    def coverage_notes(self, *, cautious: bool = False) -> list[str]:
        """Return what the columns of ``coverage_heads`` are."""
        if self._is_all_judged:
            return self.coverage_of_runs
        by_depth: dict[int, list[str]] = {}
        for one in self.measures:
            if one.measured.coverage is not None:
                by_depth.setdefault(one.measured.coverage.depth, []).append(one.name)
        depths = "; ".join(f"{depth} for {', '.join(names)}" for depth, names in by_depth.items())
        notes = [f"judged: share of judged documents among the first K; K is {depths}."] if by_depth else []
        if len(by_depth) == 1:
            notes = [f"judged@{depth}: share of judged documents among the first {depth}." for depth in by_depth]
        return [*notes, *(["caution: the conclusion depends on unjudged documents."] if cautious else [])]

    @property
    def _is_all_judged(self) -> bool:
        """Whether all first documents of all runs are judged, so that columns would say nothing."""
        return all(share == 1 for judged in self.judged_at.values() for share in judged)

    @property
    def judged_at(self) -> dict[int, list[float]]:
        """judged@K of each run by K, the cutoff of a measure or 10, over the topics of the first such measure."""
        found: dict[int, list[float]] = {}
        for coverage in (one.measured.coverage for one in self.measures):
            if coverage is not None:
                found.setdefault(coverage.depth, coverage.judged_at)
        return found

    @property
    def coverage_of_runs(self) -> list[str]:
        """A note with judged@K of each run, for tables without a column for it."""
        return [coverage_note(depth, self.measures[0].runs, judged) for depth, judged in self.judged_at.items()]

    @property
    def how_tested(self) -> str:
        """A sentence on the test, the correction, the number of pairs and topics, and alpha."""
        method, n_pairs = self.method, len(self.measures[0].found.pairs)
        sizes = sorted({one.found.values.shape[1] for one in self.measures})
        topics = f"{sizes[0]} topics" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} topics"
        correction = correction_named(method.correction)
        if correction == TUKEY:
            test, n_runs = "Randomised Tukey HSD", len(self.measures[0].runs)
            corrected = f"for all pairs of the {n_runs} runs"
        else:
            test = self.test_in_words
            flipped = sum(int(one.found.by_sign_flips.sum()) for one in self.measures)
            if flipped:
                of = f"{flipped} of {n_pairs * len(self.measures)} comparisons"
                topics += (
                    f" (exact sign flips in {of}: fewer than {FEW_TOPICS} topics differ, or all by the same amount)"
                )
            pairs = f"{n_pairs} pairs" if n_pairs > 1 else "one pair"
            corrected = (
                f"p-values corrected for {pairs} by {correction.title()}" if correction != "none" else "no correction"
            )
        seed = "" if self.seed is None else f", seed {self.seed}"
        return f"{test} over {topics}, {corrected}, alpha {method.alpha:g}{seed}."

    @property
    def test_in_words(self) -> str:
        """The requested test, to begin a sentence."""
        words = TESTS[self.method.test].words
        return words[0].upper() + words[1:]

    @property
    def rows(self) -> Sequence[Any]:
        """The rows of the first table, with a field for each value."""
        raise NotImplementedError

    def figure(self, *, draw: str | None = None, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw the comparison.

        Raises
        ------
        ArgumentError : there is no figure of it, as of a gate and of groups of topics.
        """
        raise ArgumentError(
            f"there is no figure with {spelled('margin')} or {spelled('topic_groups')}; omit them to draw the pairs"
        )


def shown_columns(method: Method, rows: Sequence[Any], labels: Sequence[str], n_tests: int) -> tuple[str, ...]:
    """Return the columns that people see by default: the interval that goes with the correction, if there is one.

    Parameters
    ----------
    rows : of pairs, or of pairs in groups.
    labels : the columns that say what a row is about.
    n_tests : how many p-values of a measure are corrected together.
    """
    simultaneous = [math.isfinite(row.simultaneous_low) for row in rows]
    if n_tests == 1 and correction_named(method.correction) != TUKEY:
        simultaneous = [False] * len(rows)  # the same interval
    lacking = any(math.isfinite(row.low) and not has for row, has in zip(rows, simultaneous, strict=True))
    ends = ("low", "high") if lacking or not any(simultaneous) else ()
    if any(simultaneous):
        ends = (*ends, "simultaneous_low", "simultaneous_high")
    test = ("test",) if any(row.test != method.test for row in rows) else ()
    return (*labels, "difference", *ends, "corrected_p", *test, "differ")


def _is_unadjusted(method: Method, n_tests: int) -> bool:
    """Return whether the interval of a pair is not corrected though its p-value is."""
    return n_tests > 1 and correction_named(method.correction) != "none"


def heads_of(columns: Sequence[str], method: Method, n_tests: int) -> tuple[str, ...]:
    """Return what people see in place of the columns of pairs; parameters as for ``shown_columns``."""
    unadjusted = "unadjusted " if _is_unadjusted(method, n_tests) else ""
    heads = {"low": f"{unadjusted}low", "high": f"{unadjusted}high"}
    return tuple(heads.get(name, name.replace("_", " ")) for name in columns)


def notes_on_pairs(method: Method, columns: Sequence[str], n_tests: int, pair: str, pairs: str) -> list[str]:
    """Return which questions intervals and tests of pairs answer.

    Parameters
    ----------
    columns : that are shown.
    n_tests : as for ``shown_columns``.
    pair, pairs : what one p-value is of, and what they are corrected for.
    """
    correction, share = correction_named(method.correction), f"{100 * (1 - method.alpha):g} %"
    notes = []
    if "low" in columns:
        kind = "t" if method.interval == "t" else "bootstrap (BCa)"
        of_this = f"low to high: the {share} {kind} interval of the difference for this {pair} alone"
        if _is_unadjusted(method, n_tests):
            of_this = (
                f"unadjusted {of_this}, not corrected for comparing all {pairs}; it can exclude 0 even if differ is no"
            )
        notes.append(f"{of_this}.")
    if "simultaneous_low" in columns:
        notes.append(
            f"simultaneous low to high: intervals that contain the differences of all {pairs} at once with {share} "
            "confidence."
        )
    elif correction == "holm" and n_tests > 1:
        notes.append("Simultaneous intervals are not available for Holm's correction.")
    if "test" in columns:
        notes.append(
            "test: an exact sign-flip test (permutation) replaces the t test, and there is no t interval, if fewer "
            f"than {FEW_TOPICS} topics differ or all differ by the same amount."
        )
    if correction != TUKEY and (method.test, method.interval) != ("t", "t"):
        notes.append("The test and the interval use different methods, so they can disagree.")
    return notes

"""Comparisons of pairs of runs, from which the rows of tables and figures are created."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, compress
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.experiments.coverage import conclusions_if_relevant, conclusions_of, is_determined, why_undetermined
from irevalx.experiments.measured_runs import MeasureValues
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.lab.command.output import Result
from irevalx.reports.best import best_first, best_of, marked_as_best
from irevalx.reports.report import JUDGED, coverage_note, judged_among_retrieved, percent
from irevalx.statistics.corrections import FAMILYWISE, TUKEY, correction_named
from irevalx.statistics.decisions import letters_of_groups
from irevalx.statistics.paired_comparisons import Comparisons, Method
from irevalx.statistics.significance import FEW_TOPICS, TESTS
from irevalx.wording import first_names

ANY_OF_FIVE = 0.15
"""The share of comparisons of equal runs that are significant for at least one of five measures."""

MANY_UNJUDGED = 0.1
"""The share of unjudged documents in the top documents of both runs from which a note is added."""


class ComparedPair(NamedTuple):
    """The comparison of a pair of runs in one measure."""

    measure: str
    run: str
    against: str
    mean: float  # summary value of the run, as the evaluator prints it
    mean_against: float
    difference: float  # mean - mean_against
    low: float  # unadjusted interval of the difference; nan if undefined
    high: float
    effect_size: float  # Cohen's d of the paired differences; nan if undefined
    wins: int  # topics for which ``run`` has the better (by default, higher) value
    ties: int
    losses: int
    p: float
    corrected_p: float  # corrected for the number of comparisons
    differ: bool | None  # whether corrected_p is below alpha; None if the pair is not tested
    simultaneous_low: float  # simultaneous interval for all pairs; nan if not computed
    simultaneous_high: float
    test: str  # test that computed p; ``permutation`` if sign flips replaced the t test
    # share of judged documents in the run's top K; K is the cutoff of the measure, or 10 if there is none
    judged_among_retrieved: float  # nan if unknown
    judged_among_retrieved_against: float
    # whether the conclusion would change with more relevant documents, see ``compare``; None if the rule does not apply
    depends_on_unjudged: bool | None
    replicates: int = 1  # number of runs of the system, if systems are compared
    replicates_against: int = 1
    between_replicates: float = math.nan  # share of the variance that is between replicates
    group: str = ""  # topic group to which all values refer, if groups are compared
    topics: int | None = None  # topics of the group with values; None if there are no groups
    interaction_p: float | None = None  # corrected p-value of the interaction of the pair; nan if undefined
    # the conclusion with more relevant documents: 1 if ``run`` is significantly better, -1 if it is worse, otherwise 0;
    # nan if a run has no judged documents; None if the rule does not apply. Tables do not contain this field.
    if_relevant: float | None = None
    # if several collections are compared: what the values refer to ("these collections", "collections like these", or
    # "collection" for a single one), and the number of collections; wins, ties and losses of means count collections
    scope: str = ""
    collection: str = ""
    collections: int | None = None
    df: float | None = None  # degrees of freedom of the t test
    better: int | None = None  # collections in which the run is significantly better or worse
    worse: int | None = None
    least: float | None = None  # range of the mean difference if one collection is left out
    greatest: float | None = None


class PairInteraction(NamedTuple):
    """The test of whether the difference between two runs varies between topic groups."""

    measure: str
    run: str
    against: str
    groups: int  # number of compared groups, each with at least two topics
    f: float  # Welch's F statistic and its degrees of freedom; nan if undefined
    df_between: int
    df_within: float
    p: float  # p-value from permuted group labels; nan if undefined
    corrected_p: float  # p-value corrected for all pairs of the measure
    differ: bool  # whether corrected_p is below alpha
    labellings: int  # number of group labellings from which p is computed


LABELS = ("measure", "run", "against")
"""The columns that identify a pair: the measure and the two runs."""

PROBABILITIES = frozenset({"p", "corrected_p"})
"""The columns with probabilities, whose values near 0 are printed with more digits."""

PAIR_COLUMNS = ComparedPair._fields[: ComparedPair._fields.index("replicates")]
"""The columns of a comparison of two runs."""

SYSTEM_COLUMNS = ComparedPair._fields[: ComparedPair._fields.index("group")]
"""The columns of a comparison of two systems."""

COLLECTION_COLUMNS = (
    *("measure", "run", "against", "scope", "collection", "collections", "topics", "mean", "mean_against"),
    *("difference", "low", "high", "df", "p", "corrected_p", "differ", "wins", "ties", "losses", "better", "worse"),
    *("least", "greatest", "test"),
)
"""The columns of a comparison of two runs over several collections."""

GROUP_COLUMNS = (
    *("measure", "run", "against", "group", "topics", "mean", "mean_against", "difference", "low", "high", "p"),
    *("corrected_p", "differ", "interaction_p", "simultaneous_low", "simultaneous_high", "test"),
    *(JUDGED, f"{JUDGED}_against"),
)
"""The columns of a comparison of two runs in a group of topics."""


class ComparedMeasure(Frozen):
    """The comparisons of runs in one measure."""

    measured: MeasureValues
    """The measure values of the runs."""
    comparisons: Comparisons
    """The comparisons of the requested pairs of runs."""
    has_power: ClassVar[bool] = True
    """Whether the power of a t test over topics is meaningful for the comparisons."""

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
        """The summary values of the runs, as the evaluator prints them."""
        return [self.measured.as_printed(score) for score in self.comparisons.summaries.tolist()]

    def without_topics(self, missing: frozenset[str]) -> ComparedMeasure:
        """Return a copy of the comparisons without the topics in ``missing``."""
        places = np.array([topic not in missing for topic in self.measured.topics], np.bool_)
        if places.all():
            return self
        measured = self.measured.at_topics(places)
        of_topics = replace(self.comparisons, values=measured.values, clusters=measured.clusters)
        return replace(self, measured=measured, comparisons=of_topics)

    @property
    def is_corrected(self) -> bool:
        """Whether p-values are corrected, which requires several pairs or Tukey's test."""
        correction = correction_named(self.comparisons.method.correction)
        return correction == TUKEY or (len(self.comparisons.pairs) > 1 and correction != "none")

    @property
    def is_familywise(self) -> bool:
        """Whether the familywise error rate is controlled, by the correction or because there is a single pair."""
        return len(self.comparisons.pairs) < 2 or correction_named(self.comparisons.method.correction) in FAMILYWISE

    def names_of(self, row: int) -> dict[str, Any]:
        """Return the fields that name the measure and the runs of a pair."""
        first, second = self.comparisons.pairs[row]
        return {"measure": self.name, "run": self.runs[second], "against": self.runs[first]}

    def scores_of(self, row: int) -> dict[str, Any]:
        """Return the fields of a pair that need no test: names, summary values, difference, interval and coverage."""
        comparisons, as_printed, coverage = self.comparisons, self.measured.as_printed, self.measured.coverage
        first, second = comparisons.pairs[row]
        low, high = comparisons.interval
        judged = [math.nan] * len(self.runs) if coverage is None else coverage.judged_among_retrieved
        return {
            **self.names_of(row),
            "mean": as_printed(float(comparisons.summaries[second])),
            "mean_against": as_printed(float(comparisons.summaries[first])),
            "difference": as_printed(float(comparisons.difference[row])),
            "low": float(low[row]),
            "high": float(high[row]),
            JUDGED: judged[second],
            f"{JUDGED}_against": judged[first],
        }

    @cached_property
    def if_relevant(self) -> FloatArray:
        """The conclusion on each pair if more documents were relevant. The shape is (n_pairs,). See ComparedPair."""
        measured = self.measured
        if measured.top_coverage is None or measured.request is None:
            return conclusions_of(self.comparisons)
        return conclusions_if_relevant(self.comparisons, measured.top_coverage, measured.request)

    @property
    def depends_on_unjudged(self) -> BoolArray:
        """Whether the conclusion on each pair depends on unjudged documents. The shape is (n_pairs,)."""
        return np.asarray(self.if_relevant != conclusions_of(self.comparisons))

    @cached_property
    def caution_is_known(self) -> BoolArray:
        """Whether irevalx can determine ``depends_on_unjudged`` for each pair. The shape is (n_pairs,)."""
        measured = self.measured
        if measured.top_coverage is None or measured.request is None:
            return np.zeros(len(self.comparisons.pairs), np.bool_)
        return is_determined(self.comparisons, measured.request)

    @cached_property
    def pairs(self) -> list[ComparedPair]:
        """The comparison of each pair, as a row."""
        comparisons, depends_on_unjudged = self.comparisons, self.depends_on_unjudged
        low, high = comparisons.simultaneous_interval
        wins, losses = (
            (comparisons.losses, comparisons.wins)
            if self.measured.direction < 0
            else (comparisons.wins, comparisons.losses)
        )
        return [
            ComparedPair(
                **self.scores_of(row),
                effect_size=float(comparisons.effect_size[row]),
                wins=int(wins[row]),
                ties=int(comparisons.ties[row]),
                losses=int(losses[row]),
                p=float(comparisons.p[row]),
                corrected_p=float(comparisons.corrected_p[row]),
                differ=bool(comparisons.differ[row]) if comparisons.are_tested else None,
                simultaneous_low=float(low[row]),
                simultaneous_high=float(high[row]),
                test=comparisons.tests[row],
                depends_on_unjudged=bool(depends_on_unjudged[row]) if self.caution_is_known[row] else None,
                if_relevant=float(self.if_relevant[row]) + 0.0 if self.caution_is_known[row] else None,
            )
            for row in range(len(comparisons.pairs))
        ]

    @property
    def untested_pairs(self) -> list[ComparedPair]:
        """The comparison of each pair as a row, without intervals and results of tests."""
        numbers = ("low", "high", "effect_size", "p", "corrected_p", "simultaneous_low", "simultaneous_high")
        empty: dict[str, Any] = dict.fromkeys(numbers, math.nan)
        return [
            pair._replace(**empty, differ=None, test="", depends_on_unjudged=None, if_relevant=None)
            for pair in self.pairs
        ]

    @property
    def best_first(self) -> list[int]:
        """The indices of the runs, from the best to the worst run.

        If neither higher nor lower values are better, runs are in descending order of their values.
        """
        return best_first(self.scores, self.measured.direction)

    @property
    def best_runs(self) -> list[str]:
        """The names of the runs with the best value. If runs are tied for the best value, all of them are included."""
        return [self.runs[run] for run in best_of(self.scores, self.measured.direction)]

    @property
    def marked_as_best(self) -> list[int]:
        """The indices of the runs whose values are marked as best."""
        return marked_as_best(self.scores, self.measured.direction)

    @property
    def different(self) -> list[tuple[int, int]]:
        """The pairs of runs that differ significantly."""
        return [*compress(self.comparisons.pairs, self.comparisons.differ.tolist())]

    @property
    def letters(self) -> list[str]:
        """The significance letters of the runs. Runs that share a letter do not differ significantly.

        The letters require the comparison of all pairs. If there are too few clusters for tests, all letters are "".
        """
        if not self.comparisons.are_tested:
            return [""] * len(self.runs)
        return letters_of_groups(len(self.runs), self.different, self.best_first)


class Comparison(Result):
    """The base class of comparisons in one or more measures. Subclasses define the rows and the tables."""

    measures: Sequence[ComparedMeasure]
    """The comparisons in each measure. All measures have the same pairs of runs."""
    baselines: Sequence[str]
    """The names of the runs with which all other runs are compared, or an empty sequence if all pairs are compared."""
    method: Method
    """The method by which runs are compared."""
    untested: Sequence[ComparedMeasure] = ()
    """The measures that describe the judgments, whose values are displayed without tests."""

    has_cautions: ClassVar[bool] = True
    """Whether the comparisons state which conclusions depend on unjudged documents."""

    if TYPE_CHECKING:

        @property
        def rows(self) -> Sequence[Any]:
            """The rows of the first table. In each subclass, the rows are a field or a property."""

    @property
    def baseline(self) -> str | None:
        """The name of the only baseline, or None if there are several baselines or all pairs are compared."""
        return self.baselines[0] if len(self.baselines) == 1 else None

    @property
    def seed(self) -> int | None:
        """The random seed, or None if the results do not depend on random numbers."""
        is_exact = all(of_measure.comparisons.exact.all() for of_measure in self.measures)
        is_drawn = self.method.is_random if not is_exact else replace(self.method, test="t").is_random
        return self.method.seed if is_drawn else None

    def about(self) -> dict[str, Any]:
        """Return a description of how the values were computed, for JSON output."""
        method = self.method
        how = {
            "test": method.test,
            "correction": correction_named(method.correction),
            "interval": method.interval,
            "alpha": method.alpha,
            "topics": {of_measure.name: of_measure.comparisons.values.shape[1] for of_measure in self.measures},
            "pairs": len(self.measures[0].comparisons.pairs),
            "baseline": self.baseline or list(self.baselines) or None,
            "how_tested": self.how_tested,
        }
        clusters = {
            of_measure.name: {"clusters": of_topics.number, "degrees_of_freedom": of_topics.freedom()}
            for of_measure in self.measures
            if (of_topics := of_measure.comparisons.clusters) is not None
        }
        return {**super().about(), **how, **({"clusters": clusters} if clusters else {})}

    def coverage_heads(self, *, cautious: bool = False) -> dict[str, str]:
        """Return the headings of the columns with coverage and cautions.

        If the coverage is unknown or always 1, the dictionary is empty.
        """
        if not self.judged_among_retrieved or self.is_all_judged:
            return {}
        depths = [*self.judged_among_retrieved]
        judged = judged_among_retrieved("K" if depths[1:] else depths[0])
        heads = {JUDGED: judged, f"{JUDGED}_against": f"{judged} against"}
        return heads | ({"depends_on_unjudged": "caution"} if cautious else {})

    def coverage_notes(self, *, cautious: bool = False) -> list[str]:
        """Return notes that explain the coverage column and the cautions."""
        if self.is_all_judged:
            return self.coverage_of_runs
        by_depth: dict[int, list[str]] = {}
        for of_measure in self.measures:
            if of_measure.measured.coverage is not None:
                by_depth.setdefault(of_measure.measured.coverage.depth, []).append(of_measure.name)
        depths = "; ".join(f"{depth} for {', '.join(names)}" for depth, names in by_depth.items())
        k, each = ("K", f"; K is {depths}") if len(by_depth) > 1 else (next(iter(by_depth), 0), "")
        share = f"{judged_among_retrieved(k)}: share of judged documents among the first {k} retrieved{each}."
        notes = [share] if by_depth else []
        caution = ["caution: the conclusion depends on unjudged documents."] if cautious else []
        return [*notes, *caution, *self.notes_on_cautions]

    @property
    def without_caution(self) -> list[str]:
        """The names of measures for which dependence on unjudged documents is not determined."""
        return [of_measure.name for of_measure in self.measures if not of_measure.caution_is_known.any()]

    @property
    def note_on_measures(self) -> list[str]:
        """A note on the probability that two equal runs differ significantly in at least one of several measures."""
        # ``tests/lab/comparison/test_several_measures.py`` repeats the simulation with five measures.
        if not (others := len(self.measures) - 1) or not self.measures[0].comparisons.are_tested:
            return []
        return [
            f"p-values are not corrected for the number of measures ({others + 1}): if two runs do not differ, the "
            "probability of a significant difference under at least one measure is above alpha (at alpha 0.05, about "
            f"{ANY_OF_FIVE} with five measures)."
        ]

    @property
    def dependent(self) -> list[BoolArray]:
        """Whether the conclusion on each pair depends on unjudged documents, as one mask for each measure."""
        return [of_measure.depends_on_unjudged for of_measure in self.measures]

    @property
    def note_on_equally_unjudged(self) -> list[str]:
        """A note on pairs without a caution although many top documents of both runs are unjudged."""
        unjudged: dict[str, int] = {}
        for of_measure, dependent in zip(self.measures, self.dependent, strict=True):
            if (coverage := of_measure.measured.top_coverage) is not None:
                judged = np.array(coverage.judged_among_retrieved)[
                    np.array(of_measure.comparisons.pairs).reshape(-1, 2)
                ]
                rows = np.flatnonzero((judged < 1 - MANY_UNJUDGED + 1e-9).all(axis=1) & ~dependent).tolist()
                pairs = [of_measure.comparisons.pairs[row] for row in rows]
                unjudged |= {of_measure.runs[run]: coverage.depth for run in sorted({*chain.from_iterable(pairs)})}
        if not unjudged:
            return []
        return [
            f"At least {percent(MANY_UNJUDGED)} of the first {max(unjudged.values())} documents of "
            f"{first_names([*unjudged], 'run')} are unjudged. Cautions are printed only if one run has more unjudged "
            "documents than the other: conclusions on these runs can change without a caution."
        ]

    @property
    def notes_on_cautions(self) -> list[str]:
        """Notes on cautions that cannot be determined, and on pairs in which both runs have many unjudged documents."""
        return [*self.note_on_equally_unjudged, *self._notes_on_unknown_cautions]

    @property
    def _notes_on_unknown_cautions(self) -> list[str]:
        known = [coverage for of_measure in self.measures if (coverage := of_measure.measured.coverage)]
        if not known or self.is_all_judged or known[0].of_relevant_only:
            return []
        if not self.has_cautions or all(of_measure.measured.top_coverage is None for of_measure in self.measures):
            return ["Dependence on unjudged documents is not determined for systems of several runs and topic groups."]
        by_rule: dict[str, list[str]] = {}
        for of_measure in self.measures:
            if of_measure.name in self.without_caution:
                rule = why_undetermined(of_measure.comparisons, of_measure.measured.request)
                by_rule.setdefault(rule, []).append(of_measure.name)
        return [
            f"Dependence on unjudged documents is not determined for {first_names(names, 'measure')}: the rule "
            f"requires {rule}."
            for rule, names in by_rule.items()
        ]

    @property
    def is_all_judged(self) -> bool:
        """Whether all top documents of all runs are judged, in which case tables need no column for the coverage."""
        return all(share == 1 for judged in self.judged_among_retrieved.values() for share in judged)

    @property
    def judged_among_retrieved(self) -> dict[int, list[float]]:
        """A dictionary that maps K to the coverage of each run at K, where K is the cutoff of a measure, or 10.

        The coverage is averaged over the topics of the first measure with the cutoff K.
        """
        by_depth: dict[int, list[float]] = {}
        for coverage in (of_measure.measured.coverage for of_measure in self.measures):
            if coverage is not None:
                by_depth.setdefault(coverage.depth, coverage.judged_among_retrieved)
        return by_depth

    @property
    def coverage_of_runs(self) -> list[str]:
        """Notes that state the coverage of each run, for tables that have no column for the coverage."""
        return [
            coverage_note(depth, self.measures[0].runs, judged) for depth, judged in self.judged_among_retrieved.items()
        ]

    @property
    def how_tested(self) -> str:
        """A sentence that states the test, the correction, the numbers of pairs and topics, and alpha."""
        method, n_pairs = self.method, len(self.measures[0].comparisons.pairs)
        sizes = sorted({of_measure.comparisons.values.shape[1] for of_measure in self.measures})
        first, clusters = self.measures[0].comparisons, self.measures[0].comparisons.clusters
        if not first.are_tested:
            return f"Differences are {first.why_untested}."
        topics = first.topics_in_words if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} topics"
        correction = correction_named(method.correction)
        if correction == TUKEY:
            test, n_runs = "Randomised Tukey HSD", len(self.measures[0].runs)
            corrected = f"for all pairs of the {n_runs} runs"
        else:
            test, n_tests = self.test_in_words, n_pairs * len(self.measures)
            flipped = sum(int(of_measure.comparisons.by_sign_flips.sum()) for of_measure in self.measures)
            few = f"fewer than {FEW_TOPICS} {first.units} differ, or all by the same amount"
            if clusters is not None and method.test == "t":
                test = f"{test} (CR2, {clusters.degrees})"
            if 0 < flipped == n_tests:
                test, topics = "Exact sign-flip test", f"{topics} ({few})"
            elif flipped:
                topics += f" (exact sign flips in {flipped} of {n_tests} comparisons: {few})"
            exact = sum(int(of_measure.comparisons.exact.sum()) for of_measure in self.measures)
            if exact == n_tests > 0:
                test = f"Exact {first.test_in_words(method.test).removeprefix('a ')}"
            elif TESTS[method.test].exact is not None:
                topics += f" ({f'exact in {exact} of {n_tests} comparisons, otherwise ' * (exact > 0)}"
                topics += f"{method.resamples} resamples)"
            by = f"p-values corrected for {n_pairs} pairs by {correction.title()}"
            corrected = "" if n_pairs < 2 else "no correction" if correction == "none" else by
        seed = "" if self.seed is None else f"seed {self.seed}"
        return f"{', '.join(filter(None, (f'{test} over {topics}', corrected, f'alpha {method.alpha:g}', seed)))}."

    @property
    def p_in_words(self) -> str:
        """The phrase for the p-values that decide about significance."""
        return "corrected p" if self.measures[0].is_corrected else "p"

    @property
    def test_in_words(self) -> str:
        """The description of the requested test, with an initial capital letter."""
        words = self.measures[0].comparisons.test_in_words(self.method.test)
        return words[0].upper() + words[1:]

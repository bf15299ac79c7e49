"""Comparisons of runs under measures: which differ, by how much, and how many pairs a measure tells apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from irevalx.api import checks
from irevalx.api.scores import Scores
from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, quote
from irevalx.experiments.measured_values import measured_runs, measured_scores
from irevalx.experiments.seeds import MOST_DRAWS, chosen_seed
from irevalx.experiments.user_data import measures_of, ranked_runs_of
from irevalx.frozen import Frozen
from irevalx.lab.comparison.compared_pairs import ComparedMeasure, ComparedPair, Comparison
from irevalx.reports.table import Table
from irevalx.statistics.corrections import CORRECTIONS, SHORT_NAMES, TUKEY
from irevalx.statistics.intervals import INTERVALS
from irevalx.statistics.paired_comparisons import (
    Comparisons,
    Method,
    comparison_warnings,
    interval_warnings,
    variance_warnings,
)
from irevalx.statistics.significance import ALPHA, RESAMPLES, TESTS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VIEWS = ("pair", "run")
"""What a row of the table is about: the values of ``by``."""

_PROBABILITIES = frozenset({"p", "corrected_p"})


class ComparedRun(Frozen, kw_only=True):
    """The score of a run under a measure, and from which runs it differs.

    Parameters
    ----------
    best : whether no run scores better; never where all score the same, or the measure says nothing of better.
    groups : letters, of which runs that do not differ share one; with a baseline ``+`` or ``-`` where the run is better
        or worse than it, and ``>`` or ``<`` where the measure says nothing of better.
    """

    run: str
    measure: str
    score: float
    best: bool
    groups: str


class PowerOfMeasure(Frozen, kw_only=True):
    """The discriminative power of a measure.

    Parameters
    ----------
    different : pairs of runs that differ.
    power, power_uncorrected : the share of pairs that differ after and before correction, in [0, 1].
    needed : the difference that is needed; nan with corrections other than tukey.
    """

    measure: str
    pairs: int
    different: int
    power: float
    power_uncorrected: float
    needed: float


class AchievedLevel(Frozen, kw_only=True):
    """A pair of runs in the order of p-values."""

    rank: int
    run: str
    against: str
    p: float
    corrected_p: float


class DrawnComparison(Comparison):
    """Comparisons of runs, which can be drawn pair by pair."""

    shows_intervals: ClassVar[bool] = False
    """Whether tables have intervals, so that all has been said about them."""

    def figure(self, *, draw: str | None = None, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw the comparison.

        Parameters
        ----------
        draw : ``intervals`` of differences, ``topics`` (the differences of each topic), ``matrix`` (which runs differ,
            a row and a column for each run); None for intervals, or the matrix where a page has no room for all pairs.

        Raises
        ------
        ArgumentError : a page has no room for it, or it needs all pairs of runs.
        """
        from irevalx.lab.comparison.figures import comparison, what_to_draw
        from irevalx.lab.plot.page import Page, style

        page = Page(width, titled)
        what = what_to_draw(self, draw, page)
        if what == "intervals" and not self.shows_intervals:
            _warn_of_intervals(self.measures)
        with style():
            return comparison(self, what, page)


class ComparedPairs(DrawnComparison):
    """A row for each measure and pair of runs."""

    shows_intervals: ClassVar[bool] = True

    @property
    def rows(self) -> list[ComparedPair]:
        """A row for each measure and pair."""
        return [pair for of_measure in self.measures for pair in of_measure.pairs]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("comparison", ComparedPair, self.rows, n_labels=3, probabilities=_PROBABILITIES)]


class ComparedRuns(DrawnComparison):
    """A row for each run, in the order given: its scores, the best marked, and which runs it differs from."""

    @property
    def rows(self) -> list[ComparedRun]:
        """A row for each measure and run."""
        found = []
        for of_measure in self.measures:
            scores = of_measure.scores
            groups = of_measure.letters if self.baseline is None else of_measure.signs
            direction = of_measure.measured.direction
            compete = direction and len(set(scores)) > 1
            best = direction * max(direction * score for score in scores) if compete else math.nan
            found += [
                ComparedRun(run=run, measure=of_measure.name, score=score, best=score == best, groups=group)
                for run, score, group in zip(of_measure.runs, scores, groups, strict=True)
            ]
        return found

    def tables(self) -> list[Table]:
        """Return a table with a row for each run: for each measure the scores, the best marked, and the groups."""
        rows, runs = self.rows, self.measures[0].runs
        columns, heads, best = ["run"], ["run"], {}
        cells: list[Sequence[Any]] = [runs]
        for number, of_measure in enumerate(self.measures):
            own = rows[number * len(runs) : (number + 1) * len(runs)]
            name = of_measure.name
            if of_measure.measured.direction:
                best[name] = [place for place, row in enumerate(own) if row.best]
            columns += [name, f"{name}_{'groups' if self.baseline is None else 'differs'}"]
            heads += [name, ""]
            cells += [[row.score for row in own], [row.groups for row in own]]
        table = list(zip(*cells, strict=True))
        return [Table("runs", tuple(columns), table, best=best, heads=tuple(heads), for_paper=True)]


class DiscriminativePower(Comparison):
    """How many pairs of runs each measure tells apart."""

    @property
    def rows(self) -> list[PowerOfMeasure]:
        """A row for each measure."""
        return [
            PowerOfMeasure(
                measure=of_measure.name,
                pairs=len(of_measure.found.pairs),
                different=int(np.count_nonzero(of_measure.found.differ)),
                power=of_measure.found.power,
                power_uncorrected=of_measure.found.power_uncorrected,
                needed=of_measure.found.half_width,
            )
            for of_measure in self.measures
        ]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, and the pairs of each measure by their p-values."""
        tables = [Table.of("discriminative power", PowerOfMeasure, self.rows)]
        for of_measure in self.measures:
            title = "achieved significance levels" + (f": {of_measure.name}" if self.measures[1:] else "")
            levels = _by_achieved_level(of_measure)
            tables.append(Table.of(title, AchievedLevel, levels, n_labels=3, probabilities=_PROBABILITIES))
        return tables

    def figure(self, *, draw: str | None = None, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw the p-values of all pairs, sorted, before and after correction: a line for each measure.

        Parameters
        ----------
        draw : None; there is no other figure.
        """
        if draw is not None:
            raise checks.wrong("draw", "None: the figure of discriminative power is one of all p-values", draw)
        from irevalx.lab.comparison.figures import significance_levels
        from irevalx.lab.plot.page import Page, style

        with style():
            return significance_levels(self, Page(width, titled))


_RESULTS: dict[str, type[Comparison]] = {
    "pair": ComparedPairs,
    "run": ComparedRuns,
    "power": DiscriminativePower,
}


def compare(
    qrels: Any,
    runs: Any = None,
    measures: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    interval: str = "t",
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    power: bool = False,
    by: str = "pair",
    seed: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    threads: int = 1,
) -> Comparison:
    """Test whether runs differ.

    Parameters
    ----------
    qrels, runs, measures : as ``irevalx.evaluate`` takes them; at least two runs; without measures, map. Or ``Scores``
        in place of ``qrels``, without ``runs``; without measures, all that have a value for each topic.
    baseline : compare each run with this one; None for all pairs.
    test : a paired test over topics: ``t``, ``wilcoxon`` or ``permutation``.
    correction : of p-values for the number of comparisons under a measure: ``holm``, ``bonferroni``,
        ``benjamini-hochberg``, ``none``, or ``tukey``, a test of its own over all pairs of runs.
    interval : how intervals are made: ``bca`` or ``t``.
    alpha : runs differ when the corrected p-value is below it; in (0, 1).
    resamples : of random flips, of tukey, and of bootstrap intervals; at least 1.
    power : count the pairs that each measure tells apart.
    by : ``pair`` or ``run``: what a row of the table is about.
    seed : of random choices; None for a new one, which the result has.
    level : the least grade that is relevant.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format : the format of judgments, as ``irevalx.evaluate`` has it.
    threads : how many processes share the work; at least 1.

    Raises
    ------
    InputError : a measure has no value for any topic.
    IrevalxError : as ``irevalx.evaluate``.
    """
    method = Method(
        test=_one_of("test", test, TESTS),
        correction=_one_of("correction", correction, (*CORRECTIONS, *SHORT_NAMES, TUKEY)),
        interval=_one_of("interval", interval, INTERVALS),
        alpha=_probability("alpha", alpha),
        resamples=checks.whole_number("resamples", resamples, least=1, most=MOST_DRAWS),
        seed=chosen_seed(seed),
    )
    view = "power" if checks.flag("power", power) else _one_of("by", by, VIEWS)
    threads = checks.whole_number("threads", threads, least=1)
    names = measures_of(measures)
    notes: tuple[str, ...] = ()
    if isinstance(qrels, Scores):
        if runs is not None:
            raise ArgumentError("runs must not be given together with scores, which are of runs already")
        every = measured_scores(qrels, names, warn)
    else:
        ranked = ranked_runs_of(
            qrels,
            runs,
            names or ("map",),
            level=level,
            complete=complete,
            min_retrieved=min_retrieved,
            rel_format=rel_format,
            threads=threads,
        )
        every = measured_runs(ranked, warn)
        notes = ranked.notes([len(ranked.topics) - one.values.shape[1] for one in every])
    pairs = _pairs(every[0].runs, baseline)
    found = [ComparedMeasure(one, Comparisons(one.values, pairs, method, one.scale, threads)) for one in every]
    for line in dict.fromkeys(line for one in found for line in _warnings(one, shows_intervals=view == "pair")):
        warn(line)
    return _RESULTS[view](found, baseline, method, notes=notes)


def _pairs(runs: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """Return pairs of numbers of runs; the second is compared with the first."""
    numbers = range(len(runs))
    if baseline is None:
        return [(other, run) for run, other in combinations(numbers, 2)]
    if baseline not in runs:
        raise ArgumentError(f"baseline must be one of the runs ({' '.join(runs)}), but got {quote(baseline)}")
    base = runs.index(baseline)
    return [(base, run) for run in numbers if run != base]


def _by_achieved_level(of_measure: ComparedMeasure) -> list[AchievedLevel]:
    """Return the pairs by ascending p-value before correction, ties in the order of pairs."""
    found, runs = of_measure.found, of_measure.runs
    order = np.argsort(found.p, kind="stable").tolist()
    return [
        AchievedLevel(
            rank=rank,
            run=runs[found.second[row]],
            against=runs[found.first[row]],
            p=float(found.p[row]),
            corrected_p=float(found.corrected_p[row]),
        )
        for rank, row in enumerate(order, start=1)
    ]


def _warnings(one: ComparedMeasure, *, shows_intervals: bool) -> list[str]:
    """Return what a reader of one measure's comparisons must know, a line each."""
    found, (n_runs, n_topics), n_pairs = one.found, one.found.values.shape, len(one.found.pairs)
    kind = (found.method, found.scale, one.name)
    lines = comparison_warnings(*kind, n_runs=n_runs, n_topics=n_topics, n_pairs=n_pairs)
    lines += variance_warnings(found, one.name)
    return lines + (interval_warnings(*kind, n_topics=n_topics, n_pairs=n_pairs) if shows_intervals else [])


def _warn_of_intervals(measures: Sequence[ComparedMeasure]) -> None:
    """Warn of what a reader of intervals must know, where tables have had none."""
    sizes = [(one, one.found.values.shape[1], len(one.found.pairs)) for one in measures]
    lines = [
        line
        for one, n_topics, n_pairs in sizes
        for line in interval_warnings(one.found.method, one.found.scale, one.name, n_topics=n_topics, n_pairs=n_pairs)
    ]
    for line in dict.fromkeys(lines):
        warn(line)


def _one_of(what: str, value: Any, known: Iterable[str]) -> str:
    """Return one of several words."""
    words = list(known)
    if not isinstance(value, str) or value not in words:
        raise checks.wrong(what, f"one of {' '.join(words)}", value)
    return value


def _probability(what: str, value: Any) -> float:
    """Return a number above 0 and below 1."""
    number = checks.real_number(what, value)
    if number is None or not 0 < number < 1:
        raise checks.wrong(what, "a number above 0 and below 1", value)
    return number

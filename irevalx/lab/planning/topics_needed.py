"""Power: what differences a number of topics finds, and how many topics a difference needs."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from irevalx.api.user_warnings import warn
from irevalx.declarations import choice, declared, number, whole
from irevalx.errors import ArgumentError, InputError
from irevalx.experiments.measured_values import MeasuredRuns, measured_runs
from irevalx.experiments.user_data import measures_of, probability, ranked_runs_of
from irevalx.frozen import Frozen
from irevalx.lab.command.result import Result
from irevalx.lab.command.shared import AnyRelFormat, Complete, Level, Measures, MinRetrieved, Qrels, Runs, Threads
from irevalx.reports.table import Table
from irevalx.statistics.bootstrap import FEW_TOPICS
from irevalx.statistics.difference_deviations import Deviation, median_and_greatest
from irevalx.statistics.paired_power import (
    MOST_TOPICS,
    POWER,
    half_width,
    least_effect,
    topics_for_width,
    topics_to_find,
)
from irevalx.statistics.scales import MEAN
from irevalx.statistics.significance import ALPHA

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIFFERENCES = (0.01, 0.02, 0.05)
WIDTHS = (0.05,)
"""The differences to be found, and the widths of intervals, unless told otherwise."""

CORRECTIONS = ("none", "bonferroni")
"""How alpha is corrected for the number of comparisons: the values of ``correction``."""

_DIFFERENCE, _WIDTH = "difference", "interval width"


class TopicsAndSize(Frozen, kw_only=True):
    """So many topics find a difference of that size, or give intervals so wide.

    Parameters
    ----------
    pair : ``median`` of all pairs of runs, or ``greatest``: whose deviation it is.
    deviation : the standard deviation over topics of the difference of two runs.
    deviation_low, deviation_high : its interval; nan where that is not defined.
    goal : ``difference`` or ``interval width``.
    given : ``topics`` or ``size``; the other is the answer.
    topics : None if there would have to be more than a billion.
    size : of the difference or the width.
    low, high : the answer for ``deviation_low`` and ``deviation_high``; None or nan where there is none.
    """

    measure: str
    pair: str
    deviation: float
    deviation_low: float
    deviation_high: float
    goal: str
    given: str
    topics: int | None
    size: float
    low: float | None
    high: float | None


class DeviationsOfMeasure(Frozen):
    """How much differences of runs vary under a measure.

    Parameters
    ----------
    n_topics, n_pairs : over which they vary.
    by_pair : of the pairs ``median`` and ``greatest``; with a single pair it is its own median.
    greatest_pair : the names of the two runs.
    """

    measure: str
    n_topics: int
    n_pairs: int
    by_pair: dict[str, Deviation]
    greatest_pair: tuple[str, str]


class Power(Result):
    """What topics find, and how many are needed.

    Parameters
    ----------
    measures : the deviations under each.
    power : the probability with which a difference is to be found.
    alpha : of all comparisons together.
    comparisons : over which it is divided; 1 without correction.
    topics : numbers of topics; none for those at hand.
    differences, widths : for which topics are counted.
    """

    measures: Sequence[DeviationsOfMeasure]
    power: float
    alpha: float
    comparisons: int
    topics: Sequence[int]
    differences: Sequence[float]
    widths: Sequence[float]

    @property
    def alpha_of_each(self) -> float:
        """The level of one comparison."""
        return self.alpha / self.comparisons

    @property
    def rows(self) -> list[TopicsAndSize]:
        """For each measure and deviation: sizes for numbers of topics, then numbers of topics for sizes."""
        found = []
        for one in self.measures:
            for pair, deviation in one.by_pair.items():
                ends = (deviation.low, deviation.high)
                about: dict[str, Any] = {
                    "measure": one.measure,
                    "pair": pair,
                    "deviation": deviation.value,
                    "deviation_low": deviation.low,
                    "deviation_high": deviation.high,
                }
                for goal in (_DIFFERENCE, _WIDTH):
                    for n_topics in self.topics or [one.n_topics]:
                        unit = self._unit(goal, n_topics)
                        low, high = (unit * end for end in ends)
                        of: dict[str, Any] = {"given": "topics", "topics": n_topics, "size": unit * deviation.value}
                        found.append(TopicsAndSize(**about, goal=goal, **of, low=low, high=high))
                for goal, asked in ((_DIFFERENCE, self.differences), (_WIDTH, self.widths)):
                    for size in asked:
                        least, most = (self._topics(goal, size, end) for end in ends)
                        of = {"given": "size", "topics": self._topics(goal, size, deviation.value), "size": size}
                        found.append(TopicsAndSize(**about, goal=goal, **of, low=least, high=most))
        return found

    def _unit(self, goal: str, topics: int) -> float:
        """Return the difference that these topics find, or how wide their intervals are, in standard deviations."""
        if goal == _DIFFERENCE:
            return least_effect(topics, self.power, self.alpha_of_each)
        return 2 * half_width(topics, self.alpha_of_each)

    def _topics(self, goal: str, size: float, deviation: float) -> int | None:
        """Return the least number of topics that finds a difference, or makes intervals as narrow as that."""
        if math.isnan(deviation):
            return None
        units = size / deviation if deviation else math.inf
        if goal == _DIFFERENCE:
            number = topics_to_find(units, self.power, self.alpha_of_each)
        else:
            number = topics_for_width(units, self.alpha_of_each)
        return int(number) if math.isfinite(number) else None

    def about(self) -> dict[str, Any]:
        """Return how the values were made, for JSON."""
        how = {
            "power": self.power,
            "alpha": self.alpha,
            "comparisons": self.comparisons,
            "topics": {one.measure: one.n_topics for one in self.measures},
            "pairs": self.measures[0].n_pairs,
            "greatest_pair": {one.measure: list(one.greatest_pair) for one in self.measures},
        }
        return {**super().about(), **how}

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("topics and sizes", TopicsAndSize, self.rows, n_labels=2)]

    def tables_for_people(self) -> list[Table]:
        """Return a table of what numbers of topics find, and one of the topics needed."""
        rows, labels = self.rows, ("measure", "pair")
        found: dict[tuple[Any, ...], dict[str, TopicsAndSize]] = {}
        for row in rows:
            if row.given == "topics":
                key = (row.measure, row.pair, row.deviation, row.deviation_low, row.deviation_high, row.topics)
                found.setdefault(key, {})[row.goal] = row
        of_numbers = [
            (*key, goals[_DIFFERENCE].size, goals[_DIFFERENCE].low, goals[_DIFFERENCE].high, goals[_WIDTH].size)
            for key, goals in found.items()
        ]
        heads = ("deviation", "low", "high", "topics", "least difference", "low", "high", "interval width")
        columns = (*labels, "deviation", "low", "high", "topics", "least_difference", "least", "most", "interval_width")
        needed = [
            (row.measure, row.pair, f"{row.goal} {row.size:g}", row.topics, row.low, row.high)
            for row in rows
            if row.given == "size"
        ]
        notes = tuple(self._explained)
        return [
            Table("differences that these topics find", columns, of_numbers, n_labels=2, heads=(*labels, *heads)),
            Table("topics needed", (*labels, "for", "topics", "low", "high"), needed, n_labels=3, notes=notes),
        ]

    @property
    def _explained(self) -> list[str]:
        first = self.measures[0]
        share = f"{100 * (1 - self.alpha):g} %"
        each = f", alpha {self.alpha:g}"
        if self.comparisons > 1:
            each += f"/{self.comparisons} for {self.comparisons} comparisons (Bonferroni)"
        pairs = f"{first.n_pairs} pairs" if first.n_pairs > 1 else "one pair"
        lines = [
            f"Paired t test on two sides{each}; a difference is found with probability {self.power:g}.",
            "Interval widths are those expected of the t interval of one difference, at the same level.",
            "deviation: the standard deviation over topics of the difference of two runs, its median over "
            f"{pairs}; low to high: its {share} interval.",
        ]
        if first.n_pairs > 1:
            names = "; ".join(f"{one.measure}: {' and '.join(one.greatest_pair)}" for one in self.measures)
            lines.append(
                f"The pair with the largest deviation: {names}. Its interval is for the largest deviation of any of "
                f"the {first.n_pairs} pairs, over the population of topics."
            )
        return lines

    def figure(self, *, width: float = 7.0, titled: bool = True) -> "Figure":
        """Draw the power by the number of topics: a panel for each measure, a line for each difference.

        Lines are for the median deviation over pairs, and bands reach from its low to its high end.
        """
        from irevalx.lab.planning.figures import power_curves
        from irevalx.lab.plot.page import Page, style

        with style():
            return power_curves(
                {one.measure: (one.n_topics, one.by_pair["median"]) for one in self.measures},
                Page(width, titled),
                power=self.power,
                alpha=self.alpha,
                comparisons=self.comparisons,
                differences=self.differences,
                topics=self.topics,
            )


Probability = Annotated[float, number(above=0, below=1, metavar="P")]


@declared(
    example="irevalx-lab power qrels runs/* -m 'map P.10' --topics '50 100' --difference 0.02",
    more=(
        "With --figure, power by the number of topics: a panel for each measure, a line for each difference, for the "
        "median deviation."
    ),
    figure=True,
)
def power(
    qrels: Qrels,
    runs: Runs,
    measures: Measures = ("map",),
    *,
    topics: Annotated[Iterable[int], whole(2, MOST_TOPICS, several=True, metavar="N...")] = (),
    differences: Annotated[
        Iterable[float], number(above=0, several=True, metavar="D...", names=("--difference",))
    ] = DIFFERENCES,
    widths: Annotated[Iterable[float], number(above=0, several=True, metavar="W...", names=("--width",))] = WIDTHS,
    power: Probability = POWER,
    alpha: Probability = ALPHA,
    correction: Annotated[str, choice(*CORRECTIONS)] = "none",
    comparisons: Annotated[int | None, whole(1, metavar="C", requires="correction=bonferroni")] = None,
    level: Level = 1,
    complete: Complete = False,
    min_retrieved: MinRetrieved = 0.0,
    rel_format: AnyRelFormat = "qrels",
    threads: Threads = 1,
) -> Power:
    """Find out how many topics an experiment needs, and what differences it can find.

    Both depend on how much the difference of two runs varies over topics. The runs should resemble those to be
    compared; the standard deviation of differences is the median over their pairs, or the greatest. It determines the
    smallest difference that a given number of topics detects, the number of topics that detects a given difference, and
    the number of topics for an interval of a given width (Sakai, Topic Set Size Design, Information Retrieval Journal
    2016). A difference is detected if a two-sided paired t test is significant; power is the probability of detection.

    The deviation itself is estimated: low and high are the ends of its confidence interval, and the answers for these
    deviations. With few topics, the interval is wide. The pair with the largest deviation on these topics usually has a
    smaller one on others; the interval of the largest deviation accounts for that.

    Parameters
    ----------
    topics : compute the smallest difference that this number of topics detects, at least 2. [default: the number of
        topics of the runs]
    differences : compute the number of topics that detects a difference of this size.
    widths : compute the number of topics for intervals of this expected width.
    power : probability of detecting a difference; above `alpha`.
    alpha : significance level of the two-sided test; intervals have confidence level 1 - alpha.
    correction : "bonferroni" divides `alpha` by the number of comparisons.
    comparisons : number of comparisons. [default: all pairs of the runs]

    Raises
    ------
    ArgumentError : a measure is not a mean over topics, or an argument is invalid.
    InputError : there are fewer than two topics.
    IrevalxError : as for ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(30)}
    >>> runs = {"bm25": {t: {"A": 2.0, "B": 1.0} for t in qrels}, "dense": {t: {"A": 2.0, "C": 1.0} for t in qrels}}
    >>> result = irevalx.lab.power(qrels, runs, "P.2", differences=[0.1])
    >>> [(row.goal, row.topics, round(row.size, 3)) for row in result.rows if row.goal == "difference"]
    [('difference', 30, 0.135), ('difference', 53, 0.1)]
    """
    power = probability("power", power, least=alpha)
    differences, widths = differences or DIFFERENCES, widths or WIDTHS
    ranked = ranked_runs_of(
        qrels,
        runs,
        measures_of(measures),
        level=level,
        complete=complete,
        min_retrieved=min_retrieved,
        rel_format=rel_format,
        threads=threads,
    )
    every = measured_runs(ranked, warn)
    deviations = [_deviations_of(values, alpha) for values in every]
    n_comparisons = 1 if correction == "none" else comparisons or deviations[0].n_pairs
    notes = ranked.notes([len(ranked.topics) - of_measure.n_topics for of_measure in deviations])
    return Power(deviations, power, alpha, n_comparisons, tuple(topics), tuple(differences), tuple(widths), notes=notes)


def _deviations_of(one: MeasuredRuns, alpha: float) -> DeviationsOfMeasure:
    """Return how much the differences of runs vary, with intervals at 1 - alpha; warns of few topics.

    Raises
    ------
    ArgumentError : the measure is not averaged.
    InputError : there are fewer than two topics.
    """
    n_topics = one.values.shape[1]
    if one.scale is not MEAN:
        raise ArgumentError(f"measures must be averaged over topics, but {one.measure} is a {one.scale.name}")
    if n_topics < 2:
        raise InputError(f"power must be of two topics at least, but {one.measure} has values for {n_topics}")
    if n_topics < FEW_TOPICS:
        warn(f"{one.measure} has values for {n_topics} topics: below {FEW_TOPICS} deviations are known badly")
    median, greatest, (first, second) = median_and_greatest(one.values, alpha)
    n_pairs = len(one.runs) * (len(one.runs) - 1) // 2
    by_pair = {"median": median, "greatest": greatest} if n_pairs > 1 else {"median": median}
    return DeviationsOfMeasure(one.measure, n_topics, n_pairs, by_pair, (one.runs[first], one.runs[second]))

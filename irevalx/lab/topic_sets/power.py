"""The function ``power``, which computes the number of topics that an experiment requires, and its command."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from irevalx.declarations import choice, declared, number, whole
from irevalx.errors import ArgumentError, InputError, warn
from irevalx.experiments.measured_runs import MeasureValues, measure_runs
from irevalx.experiments.ranked_runs import EvaluationRules
from irevalx.experiments.topic_clusters import with_clusters
from irevalx.lab.command.common_options import (
    DEFAULT_OF_SCORES,
    ClusterBy,
    Measures,
    OptionalRuns,
    QrelsOrScores,
    TopicClusters,
)
from irevalx.lab.command.evaluation_options import EvaluationOptions, Unpack, evaluation_options
from irevalx.lab.command.output import DrawnResult
from irevalx.reports.table import Table
from irevalx.statistics.bootstrap import FEW_TOPICS
from irevalx.statistics.clusters import ClusterDesign, Clusters
from irevalx.statistics.power import (
    MOST_TOPICS,
    POWER,
    Deviation,
    half_width,
    least_effect,
    median_and_greatest,
    topics_for_width,
    topics_to_find,
)
from irevalx.statistics.significance import ALPHA, MEAN
from irevalx.wording import argument_error, spelled

DIFFERENCES = (0.01, 0.02, 0.05)
WIDTHS = (0.05,)
_ROUNDING = 1e-10
"""The amount up to which two values are treated as equal."""
GOALS = _DIFFERENCE, _WIDTH = "difference", "interval width"


class PowerRow(NamedTuple):
    """A detectable difference or an interval width for a number of topics, or the number of topics for one of these."""

    measure: str
    pair: str  # the "median" over all pairs of runs, or the pair with the "greatest" deviation
    deviation: float  # standard deviation over topics of the difference between two runs
    deviation_low: float  # interval of the deviation; nan if undefined
    deviation_high: float
    goal: str  # one of GOALS
    given: str  # the given quantity, "topics" or "size"; the other quantity is computed
    topics: int | None  # None if above a billion
    size: float  # the difference, or the width of the interval
    low: float | None  # result for deviation_low; None or nan if undefined
    high: float | None  # result for deviation_high


class Power(DrawnResult):
    """The result of ``power``: detectable differences for numbers of topics, and numbers of topics for differences."""

    rows: Sequence[PowerRow]  # by measure and pair: sizes for numbers of topics, then the reverse
    deviations: Mapping[str, Mapping[str, Deviation]]  # by measure and pair
    settings: Mapping[str, Any]  # description of the computation, for JSON
    differences: Sequence[float]  # differences that have a line in the figure
    topics: Sequence[int]  # numbers of topics that the axes of the figure include

    drawings: ClassVar[Mapping[str, str]] = {"power": "power_curves"}

    def about(self) -> dict[str, Any]:
        """Return a description of how the values were computed, for JSON output."""
        each = self.design_effects
        clusters = {name: {"clusters": of.number, "design_effects": effects} for name, of, effects in each}
        return {**super().about(), **self.settings, **({"clusters": clusters} if clusters else {})}

    @property
    def design_effects(self) -> list[tuple[str, Clusters, dict[str, float]]]:
        """The measures with clustered topics, each with the clusters and the design effects of the pairs."""
        return [
            (measure, clusters, {pair: deviation.design.effect for pair, deviation in of_pairs.items()})
            for measure, of_pairs in self.deviations.items()
            if (clusters := of_pairs["median"].design.clusters) is not None
        ]

    def tables(self) -> list[Table]:
        """Return a single table that contains ``rows``."""
        return [Table("topics and sizes", PowerRow._fields, self.rows, n_labels=2)]

    def tables_for_people(self) -> list[Table]:
        """Return tables of detectable differences, of standard deviations, and of required numbers of topics."""
        given_topics = [row for row in self.rows if row.given == "topics"]
        differences, widths = ([row for row in given_topics if row.goal == goal] for goal in GOALS)
        least = [
            (row.measure, row.pair, row.topics, row.size, row.low, row.high, width.size)
            for row, width in zip(differences, widths, strict=True)
        ]
        needed = [
            (row.measure, row.pair, f"{row.goal} {row.size:g}", row.topics, row.low, row.high)
            for row in self.rows
            if row.given == "size"
        ]
        deviations = [
            (row.measure, row.pair, row.deviation, row.deviation_low, row.deviation_high) for row in self.rows
        ]
        return [
            Table(
                "smallest differences that these numbers of topics detect",
                ("measure", "pair", "topics", "least_difference", "low", "high", "interval_width"),
                [*dict.fromkeys(least)],
                n_labels=2,
            ),
            Table(
                "standard deviation of the differences between two runs",
                ("measure", "pair", "deviation", "low", "high"),
                [*dict.fromkeys(deviations)],
                n_labels=2,
            ),
            Table(
                "topics needed",
                ("measure", "pair", "for", "topics", "low", "high"),
                needed,
                n_labels=3,
                notes=self._explanations(),
            ),
        ]

    def _explanations(self) -> tuple[str, ...]:
        alpha, comparisons, n_pairs = (self.settings[name] for name in ("alpha", "comparisons", "pairs"))
        corrected = f"/{comparisons} for {comparisons} comparisons (Bonferroni)" if comparisons > 1 else ""
        names = "; ".join(
            f"{measure}: {' and '.join(runs)}" for measure, runs in self.settings["greatest_pair"].items()
        )
        test = "cluster-robust t test" if self.design_effects else "paired t test"
        return (
            f"Two-sided {test}, alpha {alpha:g}{corrected}; a difference is detected with probability "
            f"{self.settings['power']:g}.",
            *(
                f"{measure}: {clusters}. The design effect is {' and '.join(effects)}: the variance of a mean, divided "
                "by the variance over the same number of independent topics. For other numbers of topics, clusters "
                "are assumed to have the same sizes."
                for measure, clusters, of_pairs in self.design_effects
                if (effects := [f"{effect:.2f} ({pair})" for pair, effect in of_pairs.items()])
            ),
            "Interval width: expected width of the t interval of one difference, at the same level.",
            "deviation: standard deviation of the per-topic differences between two runs (median over "
            f"{f'{n_pairs} pairs' if n_pairs > 1 else 'one pair'}); low to high: its {100 * (1 - alpha):g}% interval.",
            *(
                [
                    f"The pair with the largest deviation: {names}. Its interval is for the largest deviation of any "
                    f"of the {n_pairs} pairs, over the population of topics."
                ]
                if n_pairs > 1
                else []
            ),
        )


Probability = Annotated[float, number(above=0, below=1, metavar="P")]


@declared(
    example="irevalx-lab power qrels runs/* -m 'map P.10' --topics '50 100' --difference 0.02",
    more=(
        "The figure shows power by the number of topics: one panel per measure and one line per difference, for the "
        "median standard deviation."
    ),
    figure=True,
    scores=DEFAULT_OF_SCORES,
    evaluation=evaluation_options(),
)
def power(
    qrels: QrelsOrScores,
    runs: OptionalRuns = None,
    measures: Measures = (),
    *,
    topics: Annotated[Iterable[int], whole(2, MOST_TOPICS, several=True, metavar="N...")] = (),
    differences: Annotated[
        Iterable[float], number(above=0, several=True, metavar="D...", names=("--difference",))
    ] = DIFFERENCES,
    widths: Annotated[Iterable[float], number(above=0, several=True, metavar="W...", names=("--width",))] = WIDTHS,
    power: Probability = POWER,
    alpha: Probability = ALPHA,
    correction: Annotated[str, choice("none", "bonferroni")] = "none",
    comparisons: Annotated[int | None, whole(1, metavar="C", requires="correction=bonferroni")] = None,
    clusters: TopicClusters = None,
    cluster_by: ClusterBy = None,
    **evaluation: Unpack[EvaluationOptions],
) -> Power:
    """Compute how many topics an experiment needs, and which differences it can detect.

    The required number and the detectable differences depend on how much the difference between two runs varies over
    topics. The given runs should therefore be similar to the runs of the planned experiment. The standard deviation of
    the per-topic differences is estimated from these runs. The median of the standard deviation over all pairs of runs
    and the maximum are reported. The standard deviation determines the smallest difference that can be detected with a
    given number of topics, the number of topics needed to detect a given difference, and the number of topics needed
    for a confidence interval of a given width (Sakai, Topic Set Size Design, Information Retrieval Journal 2016). A
    difference is detected if a two-sided paired t test is significant. The power of the test is the probability that it
    detects the difference.

    The standard deviation is itself an estimate. The confidence interval of this estimate is reported. The columns low
    and high contain the results for standard deviations equal to the lower and upper limits of this interval. With few
    topics, the interval is wide. The pair with the largest standard deviation on these topics usually has a smaller one
    on other topics (selection bias). The confidence interval of the largest standard deviation accounts for this bias.

    If `clusters` or `cluster_by` is given, topics of the same cluster can depend on each other. The variance of a mean
    is multiplied by the design effect 1 + r (m - 1), where r is the intraclass correlation of the differences (by
    analysis of variance, at least 0) and m is the mean, over topics, of the size of the topic's cluster. Power refers
    to the cluster-robust t test of ``compare``, which requires at least 6 clusters. For other numbers of topics, the
    distribution of cluster sizes is assumed to be unchanged.

    Parameters
    ----------
    measures : measures, such as "map", "P.5,10" or "nDCG@10"; one or several. [default: map; with ``Scores`` that do
        not contain map, or that ``irevalx.evaluate`` returned, all measures that are averaged over topics]
    topics : compute the smallest difference detectable with this number of topics; at least 2. [default: the
        number of topics of the runs]
    differences : compute the number of topics needed to detect a difference of this size.
    widths : compute the number of topics needed for confidence intervals of this expected width.
    power : probability of detecting a difference; must be greater than `alpha`.
    alpha : significance level of the two-sided test; intervals have confidence level 1 - alpha.
    correction : "bonferroni" divides `alpha` by the number of comparisons.
    comparisons : number of comparisons. [default: all pairs of the runs]

    Raises
    ------
    ArgumentError : a measure is not a mean over topics, or an argument is invalid.
    InputError : there are fewer than two topics.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(30)}
    >>> runs = {"bm25": {t: {"A": 2.0, "B": 1.0} for t in qrels}, "dense": {t: {"A": 2.0, "C": 1.0} for t in qrels}}
    >>> result = irevalx.lab.power(qrels, runs, "P.2", differences=[0.1])
    >>> [(row.goal, row.topics, round(row.size, 3)) for row in result.rows if row.goal == "difference"]
    [('difference', 30, 0.135), ('difference', 53, 0.1)]
    """
    if power <= alpha:
        raise argument_error(spelled("power"), f"a number above {alpha:g} and below 1", power)
    differences, widths = differences or DIFFERENCES, widths or WIDTHS
    given = measure_runs(qrels, runs, measures, ("map",), EvaluationRules.of(**evaluation))
    are_selected = bool(measures) or given.ranked is not None
    measured = [values for values in given.measures if are_selected or values.scale is MEAN] or given.measures
    measured = with_clusters(measured, clusters, cluster_by)
    n_pairs = math.comb(len(measured[0].runs), 2)
    n_comparisons = 1 if correction == "none" else comparisons or n_pairs
    deviations, greatest_pairs, rows = {}, {}, list[PowerRow]()
    for values in measured:
        _check(values)
        median, greatest, runs_of_greatest = median_and_greatest(values.values, alpha, values.clusters)
        greatest_pairs[values.measure] = [values.runs[run] for run in runs_of_greatest]
        deviations[values.measure] = {"median": median, "greatest": greatest} if n_pairs > 1 else {"median": median}
        requested = tuple(topics) or (len(values.topics),), {_DIFFERENCE: differences, _WIDTH: widths}
        for pair, deviation in deviations[values.measure].items():
            rows += _rows(values.measure, pair, deviation, *requested, power=power, alpha=alpha / n_comparisons)
    settings = {
        "power": power,
        "alpha": alpha,
        "comparisons": n_comparisons,
        "topics": {values.measure: len(values.topics) for values in measured},
        "pairs": n_pairs,
        "greatest_pair": greatest_pairs,
    }
    return Power(rows, deviations, settings, tuple(differences), tuple(topics), notes=given.notes)


def _check(values: MeasureValues) -> None:
    """Raise an error for a single topic or a measure that is not a mean. Warn about few topics or no variation."""
    n_topics = len(values.topics)
    if values.scale is not MEAN:
        raise ArgumentError(
            f"{values.measure} is a {values.scale.name}, not a mean over topics, and has no power analysis"
        )
    if n_topics < 2:
        raise InputError(f"power analysis requires at least two topics; {values.measure} has values for {n_topics}")
    if n_topics < FEW_TOPICS:
        warn(
            f"{values.measure} has values for {n_topics} topics: with fewer than {FEW_TOPICS}, the standard deviation "
            "of differences is not reliable"
        )
    pairs = [
        (x, y)
        for x, y in combinations(range(len(values.runs)), 2)
        if np.ptp(values.values[x] - values.values[y]) < _ROUNDING
    ]
    if pairs:
        x, y = pairs[0]
        verb = "has" if len(pairs) == 1 else "have"
        warn(
            f"{values.measure}: {len(pairs)} of {math.comb(len(values.runs), 2)} pairs of runs {verb} the same "
            f"difference on all topics (for example {values.runs[x]} and {values.runs[y]}), so the standard "
            "deviation of this difference is 0; if the median deviation is 0, no number of topics is computed, and "
            "otherwise the numbers of topics are too low for other pairs of runs"
        )


def _rows(
    measure: str,
    pair: str,
    deviation: Deviation,
    topics: Iterable[int],
    sizes: Mapping[str, Iterable[float]],
    *,
    power: float,
    alpha: float,
) -> Iterator[PowerRow]:
    """Yield the rows for one deviation: sizes for each number of topics, then the number of topics for each size."""
    values, design = (deviation.value, deviation.low, deviation.high), deviation.design
    for goal in GOALS:
        for n in topics:
            if goal == _DIFFERENCE:
                unit = least_effect(n, power, alpha, design=design)
            else:
                unit = 2 * half_width(n, alpha, design=design)
            size, low, high = (unit * value if deviation.value else math.nan for value in values)
            yield PowerRow(measure, pair, *values, goal, "topics", n, size, low, high)
    for goal in GOALS:
        for size in sizes[goal]:
            n_topics, fewest, most = (_topics_for(goal, size, value, power, alpha, design) for value in values)
            yield PowerRow(measure, pair, *values, goal, "size", n_topics, size, fewest, most)


def _topics_for(
    goal: str, size: float, deviation: float, power: float, alpha: float, design: ClusterDesign
) -> int | None:
    """Return the number of topics that are needed to detect a difference, or for an interval of a given width.

    The number is None if no number of topics is sufficient, or if the standard deviation is 0 or unknown.
    """
    if math.isnan(deviation) or deviation == 0:
        return None
    units = size / deviation
    if goal == _DIFFERENCE:
        n_topics = topics_to_find(units, power, alpha, design=design)
    else:
        n_topics = topics_for_width(units, alpha, design=design)
    return int(n_topics) if math.isfinite(n_topics) else None

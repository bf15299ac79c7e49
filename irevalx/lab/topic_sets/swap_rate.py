"""The function ``swap_rate``, which estimates swap rates, and its command."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Annotated, Any, ClassVar, NamedTuple

from irevalx.checks import ValueType, real_number
from irevalx.declarations import Parameter, declared, flag, refined, whole
from irevalx.errors import ArgumentError, InputError
from irevalx.experiments.measured_runs import MeasureValues, measure_runs
from irevalx.experiments.ranked_runs import MEASURES, EvaluationRules
from irevalx.experiments.seeds_and_shares import MOST_DRAWS, chosen_seed
from irevalx.experiments.topic_clusters import with_clusters
from irevalx.frozen import replace
from irevalx.lab.command.common_options import (
    DEFAULT_OF_SCORES,
    ClusterBy,
    Measures,
    OptionalRuns,
    QrelsOrScores,
    Seed,
    TopicClusters,
    measures,
)
from irevalx.lab.command.evaluation_options import EvaluationOptions, Unpack, evaluation_options
from irevalx.lab.command.output import DrawnResult
from irevalx.lab.topic_sets.swaps import (
    DRAWS,
    FARTHEST,
    FEWEST,
    TOLERATED,
    WIDEST,
    Swaps,
    TopicSets,
    default_sizes,
    extrapolated_rates,
    least_reliable,
    swap_bins,
    topic_sets,
)
from irevalx.lab.topic_sets.swaps import own_sets as sets_of_pairs
from irevalx.lab.topic_sets.swaps import swap_rate as rate_on_sets
from irevalx.measures.selection import RequestedMeasure
from irevalx.reports.records import finite
from irevalx.reports.table import Table
from irevalx.statistics.significance import DECIMALS
from irevalx.wording import invalid_value, spelled

_OVER_SPLITS = (
    "The 95% intervals are for the rate over all splits of these topics into two sets of this size. They do not cover "
    "other topics."
)
_LONGEST_WIDTH = 100  # maximum number of characters in a bin width, including zeros


class SizeSwapRate(NamedTuple):
    """The swap rate of one measure for topic sets of one size."""

    measure: str
    topics: int  # number of topics in a set
    swap_rate: float  # share of swaps, where ties count as agreement
    swaps: int
    ties: int
    comparisons: int  # number of pairs of runs times number of pairs of topic sets
    share_tied: float  # share of comparisons in which the runs are tied on a set
    with_half_ties: float  # share of swaps, where each tie counts as half a swap
    low: float | None  # 95% interval over all splits of these topics; None if all splits were compared
    high: float | None
    without_ties: float | None  # share of swaps among comparisons without ties; None if there are none


class DifferenceSwapRate(NamedTuple):
    """The swap rate for similar differences on one of two topic sets. The last fields are explained in SizeSwapRate."""

    measure: str
    topics: int
    from_: float  # smallest difference in the bin; differences are below ``to``
    to: float
    percent: float  # ``from_`` as a percentage of the best run's value over all topics
    sigmas: float  # ``from_`` in standard deviations of the runs' values over all topics
    comparisons: int
    swaps: int
    rate: float
    few: bool  # whether there are too few comparisons for a reliable rate
    share_tied: float
    with_half_ties: float
    low: float | None
    high: float | None
    without_ties: float | None


class ReliableDifference(NamedTuple):
    """The smallest difference above which few comparisons are swaps."""

    measure: str
    topics: int
    from_: float | None  # None if there is no such difference


class ExtrapolatedSwapRate(NamedTuple):
    """The swap rate for larger topic sets, extrapolated from the rates with half ties of observed set sizes."""

    measure: str
    topics: int
    with_half_ties: float
    low: float | None  # range of rates that are extrapolated from single sizes; None if no size has a rate
    high: float | None  # above 0 and below 0.5


_EXTRAPOLATED = (
    "low, high: the lowest and the highest rate that are extrapolated from a single observed size. They are not a "
    "confidence interval, because they ignore the variation between samples of topics: in simulations with samples of "
    "20 and 40 topics, the range contained the rate of larger sets in 4% to 36% of the samples."
)


class SwapRates(DrawnResult):
    """The result of ``swap_rate``: the swap rate for each size of topic sets."""

    rows: Sequence[SizeSwapRate]  # by measure, in ascending order of size
    seed: int  # random seed of the topic sets
    extrapolated: Sequence[ExtrapolatedSwapRate] = ()

    drawings: ClassVar[Mapping[str, str]] = {"swaps": "rates_by_size"}

    def tables(self) -> list[Table]:
        """Return the table of ``rows`` and, if there are any, the table of extrapolated rates."""
        optional = ("swaps ties", "comparisons", "without_ties")
        rows = Table("swaps", SizeSwapRate._fields, self.rows, fits=True, optional=optional)
        if not self.extrapolated:
            return [rows]
        fields, note = ExtrapolatedSwapRate._fields, f"Extrapolated rates: {_EXTRAPOLATED}"
        return [rows, Table("extrapolated swap rates", fields, self.extrapolated, n_labels=2, notes=(note,))]


class SwapRatesByDifference(DrawnResult):
    """The result of ``swap_rate`` with ``bins``: the swap rate for each size of the difference on one topic set."""

    rows: Sequence[DifferenceSwapRate]  # by measure and set size, in ascending order of the difference
    reliable: Sequence[ReliableDifference]
    requests: Sequence[RequestedMeasure]  # the requested measures; empty if the values are scores
    seed: int  # random seed of the topic sets

    drawings: ClassVar[Mapping[str, str]] = {"swaps": "rates_by_difference"}

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, and the table of the smallest reliable differences."""
        columns = tuple(name.rstrip("_") for name in DifferenceSwapRate._fields)
        title = f"least difference from which on at most {TOLERATED:.0%} are swaps (blank: none)"
        note = f"Bins with fewer than {FEWEST} comparisons are ignored."
        return [
            Table("swaps by size of the difference", columns, self.rows, n_labels=4),
            Table(title, ("measure", "topics", "from"), self.reliable, notes=(note,)),
        ]

    def tables_for_people(self) -> list[Table]:
        """Return the tables with displayed titles. The first table contains only the rate for comparing measures."""
        columns = ("measure", "topics", "from", "to", "comparisons", "few", "swaps", "with_half_ties", "low", "high")
        first, second = self.tables()
        marked = [[*(row._asdict() | {"few": "few" if row.few else ""}).values()] for row in self.rows]
        title = f"smallest difference above which at most {TOLERATED:.0%} of comparisons are swaps (blank: none)"
        return [replace(first, rows=marked, optional=("swaps",)).showing(*columns), replace(second, title=title)]


def _bin_width(value: Any) -> Fraction:
    """Convert a bin width to the exact value of its decimal notation."""
    width = value if isinstance(value, Fraction) else Fraction(repr(real_number("", value)))
    if not 0 < width <= WIDEST or (width * 10**DECIMALS).denominator != 1:
        raise ValueError(value)
    return width


def _read_width(text: str) -> Fraction:
    if not re.fullmatch(r"[0-9]+\.?[0-9]*|\.[0-9]+", text) or len(text) > _LONGEST_WIDTH:
        raise ValueError(text)
    return Fraction(text)


_WIDTH = ValueType(
    f"a number above 0 and at most {WIDEST}, with at most {DECIMALS} decimals, such as 0.01", _bin_width, _read_width
)


@declared(
    example="irevalx-lab swap-rate qrels runs/* -m 'map bpref_10 RankEff' --sizes '10 25' --seed 1",
    more=(
        "The figure shows the swap rate (a tie is half a swap) with its interval, one line per measure. The axis is "
        "the size of the sets or, with --bins, the size of the difference; bins with few comparisons are omitted. With "
        "at most three set sizes, the difference is also drawn in percent of the best run's value and in standard "
        "deviations."
    ),
    figure=True,
    scores=DEFAULT_OF_SCORES,
    evaluation=evaluation_options(),
)
def swap_rate(
    qrels: QrelsOrScores,
    runs: OptionalRuns = None,
    measures: Annotated[Measures, measures(" ".join(MEASURES))] = (),
    *,
    sizes: Annotated[Iterable[int], whole(1, several=True, metavar="N...")] = (),
    draws: Annotated[int, whole(1, MOST_DRAWS, metavar="N")] = DRAWS,
    own_sets: Annotated[bool, flag()] = False,
    extrapolate: Annotated[Iterable[int], whole(1, several=True, metavar="N...", excludes="bins")] = (),
    bins: Annotated[float | Fraction | None, Parameter(kind=_WIDTH, metavar="WIDTH")] = None,
    clusters: Annotated[TopicClusters, refined(excludes="bins")] = None,
    cluster_by: Annotated[ClusterBy, refined(excludes=("clusters", "bins"))] = None,
    seed: Seed = None,
    **evaluation: Unpack[EvaluationOptions],
) -> SwapRates | SwapRatesByDifference:
    """Estimate how often two topic sets disagree on which of two runs is better.

    Every pair of runs is compared on many pairs of disjoint topic sets. A swap is a comparison in which one run has the
    higher mean on the first set and the other run on the second (Voorhees and Buckley, SIGIR 2002; Ahlgren and
    Grönqvist, IP&M 2008, section 6.1).

    The result has one row per measure and set size: the share of swaps, the number of swaps, the number of comparisons
    in which the runs are tied on a set (not counted as swaps), and the total number of comparisons. Measures with few
    distinct values yield many ties, which are not agreement. Therefore, the table also contains the share of ties
    (share tied), the swap rate with each tie counted as half a swap (with half ties), and the swap rate among
    comparisons without ties (without ties). Use one of the last two rates to compare measures. The rate with half ties
    has a 95% interval over all splits of these topics into two sets of this size. The interval does not generalise to
    other topics, and it is not reported if all splits were compared.

    If `bins` is given, comparisons are grouped by the size of the difference on one of the two sets, and the result
    contains one row per group. Each set is used once for the grouping. The size is reported as an absolute value, as a
    percentage of the best run's value, and in standard deviations of the runs' values over all topics (for sums, the
    values are scaled to the number of topics in a set). A row contains the numbers of comparisons and of swaps, the
    share of swaps, and the columns for ties described above. A second table contains the smallest difference above
    which at most 5% of the comparisons are swaps, with each tie counted as half a swap. Bins with fewer than 30
    comparisons are marked "few" and are excluded from the second table.

    If `clusters` or `cluster_by` is given, topics of the same cluster can depend on each other. Topic sets then contain
    whole clusters, and the size of a set (also in `sizes` and `extrapolate`) is its number of clusters.

    Parameters
    ----------
    measures : measures, such as "map", "P.5,10" or "nDCG@10"; one or several. [default: map, infAP, indAP, subAP,
        bpref, bpref_10, RankEff and ndcg; with ``Scores``, those of them that they contain; all measures of ``Scores``
        that contain none of them, or that ``irevalx.evaluate`` returned]
    sizes : number of topics in a set. [default: 1 2 3 4 5 10 ... up to half the topics]
    draws : number of pairs of topic sets of each size. If there are no more pairs than this number, all pairs are used.
    own_sets : draw topic sets for each pair of runs separately, as in Ahlgren and Grönqvist (2008). The rates are equal
        up to random variation, the intervals are narrower, and the computation takes longer. [default: all pairs are
        compared on the same sets]
    extrapolate : numbers of topics in larger sets, at most 5 times the largest of `sizes`, for which rates with half
        ties are estimated from the rates for `sizes`. The true differences of pairs of runs are assumed to be normally
        distributed. In simulations on robust03, the estimated rates were too high by up to 0.03, and for P.10 by up to
        0.05. The range of the rates that are fitted to each size alone shows how well the assumption fits; it is not a
        confidence interval, because it ignores the variation between samples of topics.
    bins : count swaps by the size of the difference on one of the sets instead, in bins of this width, starting at 0.

    Raises
    ------
    InputError : fewer than two topics have judgments, results and a value.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(10)}
    >>> runs = {"bm25": {t: {"A": 2.0, "B": 1.0} for t in qrels}, "dense": {t: {"A": 2.0, "C": 1.0} for t in qrels}}
    >>> result = irevalx.lab.swap_rate(qrels, runs, "P.2", sizes=[1, 4], seed=1)
    >>> [(row.topics, row.swaps, row.ties, row.comparisons) for row in result.rows]
    [(1, 0, 35, 45), (4, 0, 42, 1000)]
    """
    seed, sizes, larger = chosen_seed(seed), tuple(sizes), tuple(extrapolate)
    given = measure_runs(qrels, runs, measures, MEASURES, EvaluationRules.of(**evaluation))
    measured, notes = with_clusters(given.measures, clusters, cluster_by, are_tested=False), given.notes
    requests = () if given.ranked is None else given.ranked.requests
    for values in measured:
        _refuse_sizes(values, sizes, larger)
    shared_sets = cache(partial(topic_sets, draws=draws, seed=seed))  # the sets are equal for all measures
    width = None if bins is None else _bin_width(bins)
    by_size, by_difference, reliable = list[SizeSwapRate](), list[DifferenceSwapRate](), list[ReliableDifference]()
    for values in measured:
        # The sign of the difference between means is the sign of the sum of differences over the clusters of a set.
        tested = values.tested if values.clusters is None else values.clusters.sums(values.tested)
        for size in sizes or default_sizes(tested.shape[1]):
            sets: TopicSets = shared_sets(tested.shape[1], size)
            if own_sets:
                sets = sets_of_pairs(tested, size, draws=draws, seed=seed)
            if width is None:
                rate = rate_on_sets(tested, sets)
                counts = (size, rate.rate, rate.swaps, rate.ties, rate.comparisons)
                by_size.append(SizeSwapRate(values.measure, *counts, **_with_and_without_ties(rate)))
            else:
                rates = swap_bins(values.tested, sets, width, values.scale)
                by_difference += [
                    DifferenceSwapRate(
                        *(values.measure, size, each.least, each.limit, each.percent, each.sigmas),
                        *(each.comparisons, each.swaps, each.rate, each.is_small),
                        **_with_and_without_ties(each),
                    )
                    for each in rates
                ]
                reliable.append(ReliableDifference(values.measure, size, least_reliable(rates)))
    extrapolated = [row for values in measured for row in _extrapolated(values.measure, by_size, larger)]
    if any(row.low is not None for row in by_size) or any(row.low is not None for row in by_difference):
        notes = (_OVER_SPLITS, *notes)
    if any(values.clusters is not None for values in measured):
        of_measures = {f"{values.measure}: {values.clusters}" for values in measured if values.clusters is not None}
        notes = (f"Sets contain whole clusters, and topics is their number ({'; '.join(sorted(of_measures))}).", *notes)
    if width is None:
        return SwapRates(by_size, seed, extrapolated, notes=notes)
    return SwapRatesByDifference(by_difference, reliable, requests, seed, notes=notes)


def _extrapolated(measure: str, rows: Sequence[SizeSwapRate], larger: Sequence[int]) -> list[ExtrapolatedSwapRate]:
    observed = {row.topics: row.with_half_ties for row in rows if row.measure == measure}
    if not larger:
        return []
    rates = extrapolated_rates([*observed], [*observed.values()], larger).tolist()
    alone = [extrapolated_rates([size], [rate], larger).tolist() for size, rate in observed.items() if 0 < rate < 0.5]
    ranges = [(min(of_size), max(of_size)) for of_size in zip(*alone, strict=True)] or [(None, None)] * len(larger)
    return [
        ExtrapolatedSwapRate(measure, size, rate, *ends) for size, rate, ends in zip(larger, rates, ranges, strict=True)
    ]


def _with_and_without_ties(rate: Swaps) -> dict[str, Any]:
    """Return the fields that ``SizeSwapRate`` and ``DifferenceSwapRate`` have in common."""
    return {
        "share_tied": rate.share_tied,
        "with_half_ties": rate.rate_with_half_ties,
        "low": finite(rate.interval[0]),
        "high": finite(rate.interval[1]),
        "without_ties": finite(rate.rate_without_ties),
    }


def _refuse_sizes(values: MeasureValues, sizes: Sequence[int], larger: Sequence[int]) -> None:
    """Raise InputError if there are fewer than two topics, and ArgumentError if the topic sets are too large."""
    measure, n_topics, units = values.measure, len(values.topics), "topics"
    if values.clusters is not None:
        n_topics, units = values.clusters.number, "clusters of topics"
    if n_topics < 2:
        raise InputError(
            f"a swap rate requires at least two {units} with judgments, results and a value of {measure}; the number "
            f"is {n_topics}"
        )
    if sizes and max(sizes) > n_topics // 2:
        raise ArgumentError(
            invalid_value(
                "sizes",
                f"at most half of the {n_topics} {units} with judgments, results and a value of {measure}",
                max(sizes),
            )
        )
    if larger and max(larger) > (farthest := FARTHEST * max(sizes or default_sizes(n_topics))):
        raise ArgumentError(
            f"{spelled('extrapolate')} {max(larger)}: must be at most {farthest} for {measure}, {FARTHEST} times the "
            "largest topic set with an observed rate"
        )

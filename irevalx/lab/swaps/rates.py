"""Swap rates of runs under measures, by the size of topic sets or by the size of the difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from irevalx import parameters
from irevalx.api.inputs import GivenQrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, InputError
from irevalx.experiments.measured_values import MeasuredRuns, measured_runs
from irevalx.experiments.ranked_runs import MEASURES
from irevalx.experiments.seeds import MOST_DRAWS, chosen_seed
from irevalx.experiments.user_data import ranked_runs_of
from irevalx.frozen import Frozen, replace
from irevalx.lab.command.result import Result
from irevalx.measures.select import SelectedMeasure
from irevalx.reports.table import Table
from irevalx.statistics.significance import DECIMALS
from irevalx.statistics.swap_bins import (
    FEWEST,
    TOLERATED,
    WIDEST,
    SwapBin,
    least_reliable,
    swap_bins,
)
from irevalx.statistics.swaps import DRAWS, SwapRate, Swaps, TopicSets, default_sizes, topic_sets
from irevalx.statistics.swaps import own_sets as drawn_for_pairs
from irevalx.statistics.swaps import swap_rate as rate_on_sets

if TYPE_CHECKING:
    from matplotlib.figure import Figure


WIDTH_RULE = f"a number above 0 and at most {WIDEST}, with at most {DECIMALS} decimals, such as 0.01"
"""What the width of a bin must be."""

_OVER_SPLITS = (
    "The 95 % intervals are for the rate over all splits of these topics into two sets of this size. They do not cover "
    "other topics."
)


def is_width(number: Fraction) -> bool:
    """Return whether a number can be the width of a bin."""
    return 0 < number <= WIDEST and (number * 10**DECIMALS).denominator == 1


class RateOfSize(Frozen, kw_only=True):
    """How often two sets of this many topics disagree under a measure, as ``SwapRate`` has it.

    Parameters
    ----------
    swap_rate : the share of swaps, ties counted as agreement.
    share_tied : the share of comparisons in which the runs are tied on a set.
    with_half_ties : the share of swaps, a tie counted as half a swap; ``low`` and ``high`` are its 95 % interval over
        all splits of these topics into two sets of this size, None where all of them were compared.
    without_ties : the share of swaps among the other comparisons; None where all are ties.
    """

    measure: str
    topics: int
    swap_rate: float
    swaps: int
    ties: int
    comparisons: int
    share_tied: float
    with_half_ties: float
    low: float | None
    high: float | None
    without_ties: float | None


class RateOfDifference(Frozen, kw_only=True):
    """How often a difference of that size on the one set is reversed on the other, as ``SwapBin`` has it.

    Parameters
    ----------
    few : whether these are fewer comparisons than a rate needs.
    share_tied, with_half_ties, low, high, without_ties : as ``RateOfSize`` has them.
    """

    measure: str
    topics: int
    from_: float
    to: float
    percent: float
    sigmas: float
    comparisons: int
    swaps: int
    rate: float
    few: bool
    share_tied: float
    with_half_ties: float
    low: float | None
    high: float | None
    without_ties: float | None


class LeastReliable(Frozen):
    """The least difference from which on few are reversed; None where there is none."""

    measure: str
    topics: int
    from_: float | None


class SwapRates(Result):
    """Swap rates by the size of topic sets.

    Parameters
    ----------
    found : for each measure, ascending in size.
    seed : of the topic sets.
    """

    found: Mapping[str, Sequence[SwapRate]]
    seed: int

    @property
    def rows(self) -> list[RateOfSize]:
        """A row for each measure and size."""
        return [
            RateOfSize(
                measure=measure,
                topics=one.size,
                swap_rate=one.rate,
                ties=one.ties,
                **_counted(one),
            )
            for measure, rates in self.found.items()
            for one in rates
        ]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("swaps", RateOfSize, self.rows)]

    def figure(self, *, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw the share of swaps against the number of topics in a set, a line for each measure."""
        from irevalx.lab.plot.page import Page, style
        from irevalx.lab.swaps.figures import rates_by_size

        with style():
            return rates_by_size(self.found, Page(width, titled))


class SwapRatesByDifference(Result):
    """Swap rates by the size of the difference on one of two topic sets.

    Parameters
    ----------
    found : for each measure and size of the sets, ascending in the difference.
    requests : the measures.
    seed : of the topic sets.
    """

    found: Mapping[str, Mapping[int, Sequence[SwapBin]]]
    requests: Sequence[SelectedMeasure]
    seed: int

    @property
    def rows(self) -> list[RateOfDifference]:
        """A row for each measure, size of the sets, and size of the difference."""
        return [
            RateOfDifference(
                measure=measure,
                topics=size,
                from_=one.least,
                to=one.limit,
                percent=one.percent,
                sigmas=one.sigmas,
                rate=one.rate,
                few=one.is_small,
                **_counted(one),
            )
            for measure, by_size in self.found.items()
            for size, bins in by_size.items()
            for one in bins
        ]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, and from which difference on few are reversed."""
        least = [
            LeastReliable(measure, size, least_reliable(bins))
            for measure, by_size in self.found.items()
            for size, bins in by_size.items()
        ]
        title = f"least difference from which on at most {TOLERATED:.0%} are swaps (blank: none)"
        return [
            Table.of("swaps by size of the difference", RateOfDifference, self.rows, n_labels=4),
            Table.of(
                title, LeastReliable, least, notes=(f"Bins with fewer than {FEWEST} comparisons decide nothing.",)
            ),
        ]

    def tables_for_people(self) -> list[Table]:
        """Return both tables, the first with the rate that measures are compared by and no other."""
        shown = ("measure", "topics", "from", "to", "comparisons", "few", "swaps", "with_half_ties", "low", "high")
        first, second = self.tables()
        few = first.columns.index("few")
        rows = [
            [("few" if row[few] else "") if place == few else cell for place, cell in enumerate(row)]
            for row in first.rows
        ]
        return [replace(first, rows=rows).showing(*shown), second]

    def figure(self, *, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw the share of swaps against the difference on the one set, a line for each measure."""
        from irevalx.lab.plot.page import Page, style
        from irevalx.lab.plot.ranges import ranges_of
        from irevalx.lab.swaps.figures import rates_by_difference

        with style():
            return rates_by_difference(self.found, ranges_of(self.requests), Page(width, titled))


def swap_rate(
    qrels: GivenQrels,
    runs: Runs,
    measures: Measures = MEASURES,
    *,
    sizes: Iterable[int] = (),
    draws: int = DRAWS,
    own_sets: bool = False,
    bins: float | Fraction | None = None,
    seed: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
) -> SwapRates | SwapRatesByDifference:
    """Count how often two sets of topics disagree on which of two runs is better.

    Every pair of runs is compared on pairs of topic sets that share no topic; it is a swap when a run is better on one
    set and worse on the other [Voorhees and Buckley, SIGIR 2002; Ahlgren and Grönqvist, IP&M 2008, section 6.1].

    Parameters
    ----------
    qrels : the judgments: ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes; at
        least two.
    measures : such as "map", "P.5,10" or "nDCG@10"; one or several.
    sizes : how many topics a set has; none for 1 2 3 4 5 10 ... up to half the topics.
    draws : pairs of topic sets of each size, or all there are if these are fewer; at least 1.
    own_sets : draw topic sets for each pair of runs anew, as Ahlgren and Grönqvist do; otherwise all pairs are compared
        on the same sets.
    bins : count swaps by the size of the difference on the one set instead, in bins so wide; above 0, with at most 12
        decimals.
    seed : of the topic sets; None for a new one, which the result has.
    level : the least grade that is relevant.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format : the format of judgments that are files, such as "qrels", "beir", "json" or "sampled".

    Raises
    ------
    InputError : fewer than two topics have judgments, results and a value.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(10)}
    >>> runs = {"bm25": {t: {"A": 2.0, "B": 1.0} for t in qrels}, "dense": {t: {"A": 2.0, "C": 1.0} for t in qrels}}
    >>> found = irevalx.lab.swap_rate(qrels, runs, "P.2", sizes=[1, 4], seed=1)
    >>> [(row.topics, row.swaps, row.ties, row.comparisons) for row in found.rows]
    [(1, 0, 35, 45), (4, 0, 42, 1000)]
    """
    sizes = [parameters.whole_number("sizes", size, least=1) for size in sizes]
    draws = parameters.whole_number("draws", draws, least=1, most=MOST_DRAWS)
    width = None if bins is None else _width(bins)
    own_sets = parameters.flag("own_sets", own_sets)
    seed = chosen_seed(seed)
    ranked = ranked_runs_of(
        qrels,
        runs,
        measures,
        level=level,
        complete=complete,
        min_retrieved=min_retrieved,
        rel_format=rel_format,
    )
    every = measured_runs(ranked, warn)
    notes = ranked.notes([len(ranked.topics) - len(one.topics) for one in every])
    for one in every:
        _refuse_topics(one.measure, len(one.topics), sizes)
    shared_sets = cache(partial(topic_sets, draws=draws, seed=seed))  # the same for all measures

    def rate(one: MeasuredRuns, size: int) -> Any:
        """Return the rate, or the bins, of a measure for sets of a size."""
        if own_sets:
            sets: TopicSets = drawn_for_pairs(one.tested, size, draws=draws, seed=seed)
        else:
            sets = shared_sets(len(one.topics), size)
        return rate_on_sets(one.tested, sets) if width is None else swap_bins(one.tested, sets, width, one.scale)

    found = {one.measure: {size: rate(one, size) for size in sizes or default_sizes(len(one.topics))} for one in every}
    of_all = (rate for of_sizes in found.values() for rate in of_sizes.values())
    if any(not math.isnan(one.error) for rates in of_all for one in (rates if width else [rates])):
        notes = (_OVER_SPLITS, *notes)
    if width is None:
        return SwapRates({measure: list(of_sizes.values()) for measure, of_sizes in found.items()}, seed, notes=notes)
    return SwapRatesByDifference(found, ranked.requests, seed, notes=notes)


def _counted(one: Swaps) -> dict[str, Any]:
    """Return the fields that rows of both kinds have."""
    low, high = one.interval
    return {
        "comparisons": one.comparisons,
        "swaps": one.swaps,
        "share_tied": one.share_tied,
        "with_half_ties": one.rate_with_half_ties,
        "low": _known(low),
        "high": _known(high),
        "without_ties": _known(one.rate_without_ties),
    }


def _known(number: float) -> float | None:
    """Return a number; None for nan."""
    return None if math.isnan(number) else number


def _width(bins: Any) -> Fraction:
    """Return the width of a bin, exactly as a decimal number is written."""
    width = bins if isinstance(bins, Fraction) else Fraction(repr(parameters.real_number("bins", bins)))
    if not is_width(width):
        raise parameters.argument_error("bins", WIDTH_RULE, bins)
    return width


def _refuse_topics(measure: str, n_topics: int, sizes: Sequence[int]) -> None:
    """Raise InputError where a measure has no values for two topics, ArgumentError where two sets need more."""
    if n_topics < 2:
        raise InputError(
            f"a swap rate must have two topics at least, but {n_topics} has judgments, results and a value of {measure}"
        )
    if sizes and max(sizes) > n_topics // 2:
        raise ArgumentError(
            f"sizes must be at most half of the {n_topics} topics with judgments, results and a value of {measure}, "
            f"but got {max(sizes)}"
        )

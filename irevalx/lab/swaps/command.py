"""irevalx-lab swap-rate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from fractions import Fraction
from functools import partial

import click

from irevalx.errors import InputError, UsageError, quote
from irevalx.experiments.ranked_runs import defined_values
from irevalx.lab.command.input_files import Inputs
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import EXPERIMENT, FIGURE, TABLES_OUTPUT, chosen_seed, lab_command, seed_option
from irevalx.reading.formats import REL_FORMATS
from irevalx.reports.table import Table
from irevalx.statistics.significance import DECIMALS
from irevalx.statistics.swap_bins import TOLERATED, SwapBin, least_reliable, swap_bins
from irevalx.statistics.swaps import DRAWS, default_sizes, swap_rate, topic_sets


def _sizes(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[int, ...]:
    words = [word for value in values for word in value.replace(",", " ").split()]
    for word in words:
        if not (word.isascii() and word.isdigit() and int(word)):
            raise UsageError(f"--sizes must be numbers of topics, at least 1 each, but got {quote(word)}")
    return tuple(dict.fromkeys(int(word) for word in words))


def _width(ctx: click.Context, param: click.Parameter, value: str | None) -> Fraction | None:
    """Read the width of a bin, exactly as it is written."""
    if value is None:
        return None
    found = re.fullmatch(r"[0-9]+\.?[0-9]*|\.[0-9]+", value)
    width = Fraction(value) if found else Fraction(0)
    if not width or (width * 10**DECIMALS).denominator != 1:
        raise UsageError(
            f"--bins must be a number above 0 with at most {DECIMALS} decimals, such as 0.01, but got {quote(value)}"
        )
    return width


def _tables_of_bins(found: Mapping[str, Mapping[int, Sequence[SwapBin]]]) -> list[Table]:
    """Return error rates by size of difference, and from which size on they are small."""
    rows, reliable = [], []
    for measure, by_size in found.items():
        for size, bins in by_size.items():
            rows += [(measure, size, *astuple(one), one.rate) for one in bins]
            reliable.append((measure, size, least_reliable(bins)))
    columns = ("measure", "topics", "from", "to", "percent", "sigmas", "comparisons", "swaps", "rate")
    title = f"least difference from which on at most {TOLERATED:.0%} are swaps (blank: none)"
    return [
        Table("swaps by size of the difference", columns, rows, n_labels=4),
        Table(title, ("measure", "topics", "from"), reliable),
    ]


@lab_command(
    "swap-rate",
    *EXPERIMENT,
    click.option(
        "--sizes",
        multiple=True,
        metavar="N...",
        callback=_sizes,
        help="How many topics a set has: '5 10 25'.  [default: 1 2 3 4 5 10 ... up to half the topics]",
    ),
    click.option(
        "--draws",
        type=click.IntRange(1),
        metavar="N",
        default=DRAWS,
        help=f"Pairs of topic sets of each size, or all there are if these are fewer.  [default: {DRAWS}]",
    ),
    click.option(
        "--bins",
        metavar="WIDTH",
        callback=_width,
        help=(
            "Count swaps by the size of the difference on the one set instead, in bins so wide: from 0 to WIDTH, and "
            "so on."
        ),
    ),
    seed_option,
    *FIGURE,
    *TABLES_OUTPUT,
    example="irevalx-lab swap-rate qrels runs/* -m 'map bpref_10 RankEff' --sizes '10 25' --seed 1",
    formats=tuple(REL_FORMATS),
)
def command(
    inputs: Inputs, output: Output, *, sizes: tuple[int, ...], draws: int, bins: Fraction | None, seed: int | None
) -> None:
    """Count how often two sets of topics disagree on which of two runs is better.

    Every pair of runs is compared on many pairs of topic sets that share no topic; it is a swap when a run is better on
    one set and worse on the other. A row for each measure and size of the sets: the share of swaps, their number, the
    number of comparisons in which the runs are tied on a set (not a swap), and of all comparisons.

    With --bins, a row for each size of the difference on the one set (each of two sets is the one): absolute, in
    percent of the best run's score and in standard deviations of the runs' scores for all topics (of sums, what these
    are for as many topics as are in a set); comparisons, swaps and their share. A second table has the least difference
    from which on at most 5 % are swaps.

    With --figure, the share of swaps by size of the sets or, with --bins, of the difference; a line a measure. For at
    most three sizes the difference is also drawn in percent of the best run's score and in standard deviations.
    """
    experiment = inputs.ranked_runs()
    values = defined_values(experiment, inputs.messages.warn)
    for measure, of_measure in zip(experiment.measures, values, strict=True):
        _refuse_topics(measure, of_measure.shape[1], sizes)
    tested = {
        measure: scale.transform(of_measure)
        for measure, scale, of_measure in zip(experiment.measures, experiment.scales, values, strict=True)
    }
    seed = chosen_seed(seed)
    drawn = {
        n_topics: [topic_sets(n_topics, size, draws=draws, seed=seed) for size in sizes or default_sizes(n_topics)]
        for n_topics in {of_measure.shape[1] for of_measure in values}
    }
    if bins is not None:
        by_difference = {
            measure: {sets.shape[2]: swap_bins(of_measure, sets, bins, scale) for sets in drawn[of_measure.shape[1]]}
            for (measure, of_measure), scale in zip(tested.items(), experiment.scales, strict=True)
        }
        output.write_tables(_tables_of_bins(by_difference))
        if output.figure is not None:
            from irevalx.lab.plot.ranges import ranges_of
            from irevalx.lab.swaps.figures import rates_by_difference

            output.write_figure(partial(rates_by_difference, by_difference, ranges_of(experiment.requests)))
        return
    by_size = {
        measure: [swap_rate(of_measure, sets) for sets in drawn[of_measure.shape[1]]]
        for measure, of_measure in tested.items()
    }
    rows = [
        (measure, found.size, found.rate, found.swaps, found.ties, found.comparisons)
        for measure, rates in by_size.items()
        for found in rates
    ]
    columns = ("measure", "topics", "swap_rate", "swaps", "ties", "comparisons")
    output.write_tables([Table("swaps", columns, rows)])
    if output.figure is not None:
        from irevalx.lab.swaps.figures import rates_by_size

        output.write_figure(partial(rates_by_size, by_size))


def _refuse_topics(measure: str, n_topics: int, sizes: Sequence[int]) -> None:
    """Raise an error where a measure has values for too few topics.

    Raises
    ------
    InputError : there are not two.
    UsageError : two sets of one of these sizes need more.
    """
    if n_topics < 2:
        raise InputError(
            f"a swap rate must have two topics at least, but {n_topics} has judgments, results and a value of {measure}"
        )
    if sizes and max(sizes) > n_topics // 2:
        raise UsageError(
            f"--sizes must be at most half of the {n_topics} topics with judgments, results and a value of {measure}, "
            f"but got {max(sizes)}"
        )

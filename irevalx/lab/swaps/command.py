"""irevalx-lab swap-rate."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.errors import UsageError, quote
from irevalx.experiments.seeds import MOST_DRAWS
from irevalx.lab.command.kinds_of_values import COUNT, list_option
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import EXPERIMENT, FIGURE, TABLES_OUTPUT, complete_option, seed_option
from irevalx.lab.swaps.rates import WIDTH_RULE, is_width, swap_rate
from irevalx.reading.formats import REL_FORMATS
from irevalx.statistics.swaps import DRAWS

_MOST_FIGURES = 100
"""Figures that the width of a bin may have: the widest one, and zeros."""


def _width(ctx: click.Context, param: click.Parameter, value: str | None) -> Fraction | None:
    """Read the width of a bin, exactly as it is written."""
    if value is None:
        return None
    found = re.fullmatch(r"[0-9]+\.?[0-9]*|\.[0-9]+", value)
    width = Fraction(value) if found and len(value) <= _MOST_FIGURES else Fraction(0)
    if not is_width(width):
        raise UsageError(f"--bins must be {WIDTH_RULE}, but got {quote(value)}")
    return width


@command_of(
    "swap-rate",
    *EXPERIMENT,
    complete_option,
    list_option(
        "--sizes",
        of=COUNT,
        metavar="N...",
        help="How many topics a set has: '5 10 25'.  [default: 1 2 3 4 5 10 ... up to half the topics]",
    ),
    click.option(
        "--draws",
        type=click.IntRange(1, MOST_DRAWS),
        metavar="N",
        default=DRAWS,
        help=f"Pairs of topic sets of each size, or all there are if these are fewer.  [default: {DRAWS}]",
    ),
    option(
        "--own-sets",
        is_flag=True,
        help=(
            "Draw topic sets for each pair of runs anew, as Ahlgren and Grönqvist 2008 do: the same rates but for "
            "chance, narrower intervals, and more time.  [default: all pairs are compared on the same sets]"
        ),
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
def command(output: Output, **options: Any) -> None:
    """Count how often two sets of topics disagree on which of two runs is better.

    Every pair of runs is compared on many pairs of topic sets that share no topic; it is a swap when a run is better on
    one set and worse on the other. A row for each measure and size of the sets: the share of swaps, their number, the
    number of comparisons in which the runs are tied on a set (not a swap), and of all comparisons. A measure with few
    values ties often, and a tie is no agreement: share tied is the share of ties, with half ties the share of swaps
    where a tie counts as half a swap, with its 95 % interval over all splits of these topics into two sets of this
    size (none where all of them were compared; it does not cover other topics), and without ties the share of swaps
    among the other comparisons. Compare measures by one of these two.

    With --bins, a row for each size of the difference on the one set (each of two sets is the one): absolute, in
    percent of the best run's score and in standard deviations of the runs' scores for all topics (of sums, what these
    are for as many topics as are in a set); comparisons, swaps and their share, and the same about ties as without
    --bins. A second table has the least difference from which on at most 5 % are swaps, a tie as half a one; bins with
    fewer than 30 comparisons are marked (few) and do not count for it.

    With --figure, the share of swaps, a tie as half a one, with its interval, by size of the sets or, with --bins, by
    size of the difference, without bins that have few comparisons; a line a measure. For at most three sizes the
    difference is also drawn in percent of the best run's score and in standard deviations.
    """
    output.write(swap_rate(**options))

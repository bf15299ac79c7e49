"""irevalx-lab power."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import RealNumber
from irevalx.lab.command import parameters
from irevalx.lab.command.kinds_of_values import COUNT, list_option
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output
from irevalx.lab.planning.topics_needed import CORRECTIONS, DIFFERENCES, WIDTHS, power
from irevalx.reading.formats import REL_FORMATS
from irevalx.settings import Bound
from irevalx.statistics.paired_power import POWER
from irevalx.statistics.significance import ALPHA

_SIZE = RealNumber("D", Bound("a number above 0", lambda size: size > 0))
_SHARE = RealNumber("P", Bound("a number above 0 and below 1", lambda p: 0 < p < 1))


def _listed(sizes: tuple[float, ...]) -> str:
    return " ".join(f"{size:g}" for size in sizes)


@command_of(
    "power",
    parameters.qrels_argument,
    parameters.runs_argument,
    parameters.measures_option_with("map"),
    list_option(
        "--topics",
        of=COUNT,
        metavar="N...",
        help="Print the least difference that N topics find: '50 100'.  [default: as many as there are]",
    ),
    list_option(
        "--difference",
        "differences",
        of=_SIZE,
        metavar="D...",
        help=f"Count the topics that find a difference of D.  [default: {_listed(DIFFERENCES)}]",
    ),
    list_option(
        "--width",
        "widths",
        of=_SIZE,
        metavar="W...",
        help=f"Count the topics whose intervals are expected to be W wide.  [default: {_listed(WIDTHS)}]",
    ),
    click.option(
        "--power",
        type=_SHARE,
        metavar="P",
        default=POWER,
        help=f"Find differences with a probability of P.  [default: {POWER}]",
    ),
    click.option(
        "--alpha",
        type=_SHARE,
        metavar="P",
        default=ALPHA,
        help=f"The level of the test, and of intervals, which cover with probability 1 - P.  [default: {ALPHA}]",
    ),
    click.option(
        "--correction",
        type=click.Choice(CORRECTIONS),
        default=CORRECTIONS[0],
        help=f"Divide alpha by the number of comparisons.  [default: {CORRECTIONS[0]}]",
    ),
    option(
        "--comparisons",
        type=click.IntRange(1),
        metavar="C",
        requires="--correction bonferroni",
        help="The number of comparisons that are corrected for.  [default: all pairs of the runs]",
    ),
    parameters.level_option,
    parameters.complete_option,
    parameters.least_retrieved_option,
    parameters.threads_option,
    *parameters.FIGURE,
    *parameters.TABLES_OUTPUT,
    example="irevalx-lab power qrels runs/* -m 'map P.10' --topics '50 100' --difference 0.02",
    formats=tuple(REL_FORMATS),
)
def command(output: Output, **options: Any) -> None:
    """Find out how many topics an experiment needs, and what differences it can find.

    That depends on how much the difference of two runs varies over topics. RUNs are like those to be compared; the
    standard deviation of differences is the median over their pairs, or the greatest. From it follow the least
    difference that a number of topics finds, the topics that find a difference, and those that make an interval as
    narrow as asked for (Sakai 2016). To find a difference is to have a significant paired t test on two sides; power is
    the probability of that.

    The deviation itself is estimated: low and high are the ends of its interval, and what each answer would be there.
    Few topics leave them far apart. The pair that varies most on these topics varies less on others as a rule: the
    interval of the greatest deviation allows for that.

    With --figure, power by the number of topics: a panel for each measure, a line for each difference, for the median
    deviation.
    """
    output.write(power(**options))

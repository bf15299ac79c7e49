"""irevalx-lab swap-rate."""

from __future__ import annotations

import click

from irevalx.errors import InputError, UsageError, quote
from irevalx.lab.experiment import prepare
from irevalx.lab.judging.qrels_lines import QrelsLines
from irevalx.lab.output import Table, table_lines, write_lines
from irevalx.lab.parameters import (
    digits_option,
    format_option,
    fresh_seed,
    least_retrieved_option,
    level_option,
    measures_option,
    opened,
    options,
    output_option,
    qrels_argument,
    quiet_option,
    refuse_two_standard_inputs,
    runs_argument,
    seed_option,
    teller,
)
from irevalx.lab.statistics.swaps import DRAWS, default_sizes, swap_rate, topic_sets
from irevalx.reading.source import Source


def _sizes(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[int, ...]:
    words = [word for value in values for word in value.replace(",", " ").split()]
    for word in words:
        if not (word.isascii() and word.isdigit() and int(word)):
            raise UsageError(f"--sizes must be numbers of topics, at least 1 each, but got {quote(word)}")
    return tuple(dict.fromkeys(int(word) for word in words))


@click.command(
    "swap-rate",
    epilog="Example: irevalx-lab swap-rate qrels runs/* -m 'map bpref_10 RankEff' --sizes '10 25' --seed 1",
)
@options(
    qrels_argument,
    runs_argument,
    measures_option,
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
    seed_option,
    level_option,
    least_retrieved_option,
    format_option,
    digits_option,
    output_option,
    quiet_option,
)
def command(
    *,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    sizes: tuple[int, ...],
    draws: int,
    seed: int | None,
    level: int,
    least_retrieved: float,
    fmt: str,
    digits: int,
    output: str | None,
    quiet: bool,
) -> None:
    """Tell how often two sets of topics disagree on which of two runs is better.

    For every pair of runs and many pairs of topic sets that share no topic: a swap is the one set finding a run better
    that the other finds worse. A row a measure and size of sets: the share of swaps, their number, the number of
    comparisons in which the runs are tied on a set (which is no swap), and of all comparisons.
    """
    refuse_two_standard_inputs(qrels, *runs)
    warn = teller(quiet)
    experiment = prepare(
        QrelsLines.read(Source(qrels), warn).judgments,
        opened(runs, warn),
        measures,
        level=level,
        least_retrieved=least_retrieved,
        warn=warn,
    )
    n_topics = len(experiment.topics)
    if n_topics < 2:
        raise InputError(f"a swap rate must have two topics at least, but {n_topics} has judgments and results")
    if sizes and max(sizes) > n_topics // 2:
        raise UsageError(
            f"--sizes must be at most half of the {n_topics} topics with judgments and results, but got {max(sizes)}"
        )
    seed = fresh_seed() if seed is None else seed
    drawn = [topic_sets(n_topics, size, draws=draws, seed=seed) for size in sizes or default_sizes(n_topics)]
    rows = [
        (measure, found.size, found.rate, found.swaps, found.ties, found.comparisons)
        for measure, values in zip(experiment.measures, experiment.tested(experiment.values()), strict=True)
        for found in (swap_rate(values, sets) for sets in drawn)
    ]
    columns = ("measure", "topics", "swap_rate", "swaps", "ties", "comparisons")
    write_lines(table_lines([Table("swaps", columns, tuple(rows))], fmt, digits), output)

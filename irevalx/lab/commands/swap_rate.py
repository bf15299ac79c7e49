"""irevalx-lab swap-rate."""

from __future__ import annotations

import click

from irevalx.errors import InputError, UsageError, quote
from irevalx.lab.input_files import Inputs
from irevalx.lab.output import Output
from irevalx.lab.parameters import EXPERIMENT, TABLES_OUTPUT, chosen_seed, lab_command, seed_option
from irevalx.lab.statistics.swaps import DRAWS, default_sizes, swap_rate, topic_sets
from irevalx.reports.table import Table


def _sizes(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[int, ...]:
    words = [word for value in values for word in value.replace(",", " ").split()]
    for word in words:
        if not (word.isascii() and word.isdigit() and int(word)):
            raise UsageError(f"--sizes must be numbers of topics, at least 1 each, but got {quote(word)}")
    return tuple(dict.fromkeys(int(word) for word in words))


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
    seed_option,
    *TABLES_OUTPUT,
    example="irevalx-lab swap-rate qrels runs/* -m 'map bpref_10 RankEff' --sizes '10 25' --seed 1",
)
def command(inputs: Inputs, output: Output, *, sizes: tuple[int, ...], draws: int, seed: int | None) -> None:
    """Count how often two sets of topics disagree on which of two runs is better.

    Every pair of runs is compared on many pairs of topic sets that share no topic; it is a swap when a run is better on
    one set and worse on the other. A row for each measure and size of the sets: the share of swaps, their number, the
    number of comparisons in which the runs are tied on a set (not a swap), and of all comparisons.
    """
    experiment = inputs.experiment()
    n_topics = len(experiment.topics)
    if n_topics < 2:
        raise InputError(f"a swap rate must have two topics at least, but {n_topics} has judgments and results")
    if sizes and max(sizes) > n_topics // 2:
        raise UsageError(
            f"--sizes must be at most half of the {n_topics} topics with judgments and results, but got {max(sizes)}"
        )
    seed = chosen_seed(seed)
    drawn = [topic_sets(n_topics, size, draws=draws, seed=seed) for size in sizes or default_sizes(n_topics)]
    rows = [
        (measure, found.size, found.rate, found.swaps, found.ties, found.comparisons)
        for measure, values in zip(experiment.measures, experiment.tested(experiment.values()), strict=True)
        for found in (swap_rate(values, sets) for sets in drawn)
    ]
    columns = ("measure", "topics", "swap_rate", "swaps", "ties", "comparisons")
    output.write_tables([Table("swaps", columns, rows)])

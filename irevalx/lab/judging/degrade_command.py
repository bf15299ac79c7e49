"""irevalx-lab degrade."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.experiments import samples
from irevalx.lab.command.kinds_of_values import SHARE
from irevalx.lab.command.making import command_of
from irevalx.lab.command.order_options import (
    order_option,
    order_options,
    replay_options,
    strata_file_option,
    strata_option,
)
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.command.parameters import GRADED, LINES_OUTPUT, level_option, qrels_argument, seed_option
from irevalx.lab.judging.degraded import STRATA_FORMATS, degrade
from irevalx.reading.formats import SAMPLED


@command_of(
    "degrade",
    qrels_argument,
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str, shell_complete=complete_file),
    option(
        "--uniform",
        excludes=("--stratified", "--strata", "--order"),
        type=SHARE,
        metavar="RATE",
        help="Keep this share of each topic's judgments, drawn anew until one of them is relevant.",
    ),
    option(
        "--stratified",
        excludes=("--strata", "--order"),
        type=SHARE,
        metavar="FRACTION",
        help=(
            "Keep this share of each topic's relevant and of its nonrelevant documents, at least 1 and 10. With the "
            "same seed a smaller sample is a part of a greater one."
        ),
    ),
    option(
        "--round",
        "rounding",
        requires="--stratified",
        type=click.Choice(list(samples.ROUNDINGS)),
        default="up",
        help=(
            "With --stratified: round numbers of documents up, or to the nearest whole number, of two the greater one, "
            "as Ahlgren and Grönqvist do.  [default: up]"
        ),
    ),
    strata_option,
    strata_file_option,
    option(
        "--as",
        "sample_format",
        requires="--strata",
        type=click.Choice(list(STRATA_FORMATS)),
        default=SAMPLED.name,
        help=(
            "With --strata: write the stratum of each document, for irevalx -R sampled, or the probability with which "
            "it was drawn, for irevalx -R prels.  [default: sampled]"
        ),
    ),
    order_option(
        "Keep what is judged first when documents that runs have are judged in this order.",
        requires="--budget",
        excludes=("--strata",),
    ),
    option(
        "--budget",
        requires="--order",
        metavar="N",
        help=(
            "With --order: keep N judgments of each topic, or a share such as 10% of them; sampled has as many on "
            "average, and writes judgments for irevalx -R prels."
        ),
    ),
    *order_options("--order"),
    *replay_options("--order"),
    seed_option,
    level_option,
    option("--drop", is_flag=True, help="Leave out the lines of what was not kept, rather than giving it -1."),
    option(
        "--pool-out",
        metavar="FILE",
        help="Write a pool file of all documents of QRELS, for irevalx --pool: --drop loses what was pooled.",
    ),
    *LINES_OUTPUT,
    example="irevalx-lab degrade qrels --uniform 0.1 --seed 7 > tenth && irevalx -m infAP -m indAP tenth run",
    formats=GRADED,
)
def command(output: Output, *, pool_out: str | None, **options: Any) -> None:
    """Make judgments incomplete: keep a random sample of them, or those that an order of judging has first.

    Writes QRELS with the grade -1 (pooled, but unjudged) where a judgment was not drawn into the sample; other formats
    than qrels (-R) as lines TOPIC 0 DOCNO GRADE. With --strata it writes TOPIC IGNORED DOCNO STRATUM GRADE, for irevalx
    -R sampled: documents of no stratum are left out, and with the same seed a greater rate contains the smaller sample.

    With --order the judgments are replayed: documents that RUNs have among their first ones are judged one after
    another, and the order learns from the judgments as it would have learnt from people.
    """
    found = degrade(**options)
    if pool_out is not None:
        write_lines([found.pool.text], pool_out)
    output.write_text(found)

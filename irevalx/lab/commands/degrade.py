"""irevalx-lab samples."""

from __future__ import annotations

from fractions import Fraction

import click

from irevalx.errors import UsageError
from irevalx.lab.judging import samples
from irevalx.lab.judging.qrels_lines import QrelsLines
from irevalx.lab.judging.samples import RandomOrder
from irevalx.lab.output import write_lines
from irevalx.lab.parameters import (
    SHARE,
    fresh_seed,
    level_option,
    options,
    output_option,
    qrels_argument,
    quiet_option,
    seed_option,
    teller,
)
from irevalx.reading.source import Source


@click.command(
    "degrade",
    epilog="Example: irevalx-lab degrade qrels --uniform 0.1 --seed 7 > tenth && irevalx -m infAP -m indAP tenth run",
)
@options(
    qrels_argument,
    click.option(
        "--uniform",
        type=SHARE,
        metavar="RATE",
        help="Keep this share of each topic's judgments, drawn anew until one of them is relevant.",
    ),
    click.option(
        "--stratified",
        type=SHARE,
        metavar="FRACTION",
        help=(
            "Keep this share of each topic's relevant and of its nonrelevant documents, at least 1 and 10. With the "
            "same seed a smaller sample is a part of a greater one."
        ),
    ),
    seed_option,
    level_option,
    click.option("--drop", is_flag=True, help="Leave out the lines of what was not kept, rather than giving it -1."),
    click.option(
        "--pool-out",
        metavar="FILE",
        help="Write a pool file of all documents of QRELS, for irevalx --pool: --drop loses what was pooled.",
    ),
    output_option,
    quiet_option,
)
def command(
    *,
    qrels: str,
    uniform: Fraction | None,
    stratified: Fraction | None,
    seed: int | None,
    level: int,
    drop: bool,
    pool_out: str | None,
    output: str | None,
    quiet: bool,
) -> None:
    """Make judgments incomplete.

    Writes QRELS with the grade -1 (pooled, but unjudged) where a judgment was not drawn into the sample.
    """
    if (uniform is None) == (stratified is None):
        raise UsageError("one of --uniform and --stratified must be given")
    warn = teller(quiet)
    read = QrelsLines.read(Source(qrels), warn)
    judgments = read.judgments
    for line in samples.warnings_without_relevant(judgments, level):
        warn(line)
    seed = fresh_seed() if seed is None else seed
    if uniform is not None:
        kept = samples.uniform(judgments, uniform, RandomOrder(judgments, seed, "uniform"), level)
    else:
        assert stratified is not None
        kept = samples.stratified(judgments, stratified, RandomOrder(judgments, seed, "stratified"), level)
    grades = samples.unjudge(judgments, kept)
    if pool_out is not None:
        places = range(judgments.rows.size)
        write_lines(
            (b"%s %s\n" % (judgments.topics[judgments.rows.ids[i]], judgments.docnos.text(i)) for i in places), pool_out
        )
    write_lines(read.with_grades(grades, kept if drop else None), output)

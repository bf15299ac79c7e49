"""irevalx-lab degrade."""

from __future__ import annotations

from fractions import Fraction

import click

from irevalx.errors import UsageError
from irevalx.lab.input_files import Inputs
from irevalx.lab.judging import samples
from irevalx.lab.judging.samples import RandomOrder
from irevalx.lab.output import Output, write_lines
from irevalx.lab.parameters import (
    LINES_OUTPUT,
    SHARE,
    chosen_seed,
    lab_command,
    level_option,
    qrels_argument,
    seed_option,
)


@lab_command(
    "degrade",
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
    click.option(
        "--round",
        "rounding",
        type=click.Choice(list(samples.ROUNDINGS)),
        help=(
            "With --stratified: round numbers of documents up, or to the nearest whole number, of two the greater one, "
            "as Ahlgren and Grönqvist do.  [default: up]"
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
    *LINES_OUTPUT,
    example="irevalx-lab degrade qrels --uniform 0.1 --seed 7 > tenth && irevalx -m infAP -m indAP tenth run",
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    uniform: Fraction | None,
    stratified: Fraction | None,
    rounding: str | None,
    seed: int | None,
    drop: bool,
    pool_out: str | None,
) -> None:
    """Make judgments incomplete: keep a random sample of them.

    Writes QRELS with the grade -1 (pooled, but unjudged) where a judgment was not drawn into the sample.
    """
    if (uniform is None) == (stratified is None):
        raise UsageError("one of --uniform and --stratified must be given")
    if rounding is not None and stratified is None:
        raise UsageError("--round must be given together with --stratified")
    judgments, level = inputs.qrels_lines.judgments, inputs.level
    for line in samples.warnings_without_relevant(judgments, level):
        inputs.messages.warn(line)
    seed = chosen_seed(seed)
    if uniform is not None:
        kept = samples.uniform(judgments, uniform, RandomOrder(judgments, seed, "uniform"), level)
    else:
        assert stratified is not None
        order = RandomOrder(judgments, seed, "stratified")
        kept = samples.stratified(judgments, stratified, order, level, samples.ROUNDINGS[rounding or "up"])
    if pool_out is not None:
        topics = [judgments.topics[topic] for topic in judgments.rows.ids.tolist()]
        write_lines((b"%s %s\n" % line for line in zip(topics, judgments.docnos.texts(), strict=True)), pool_out)
    output.write_lines(inputs.qrels_lines.with_grades(samples.unjudge(judgments, kept), kept if drop else None))

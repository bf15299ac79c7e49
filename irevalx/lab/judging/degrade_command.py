"""irevalx-lab degrade."""

from __future__ import annotations

from fractions import Fraction

import click

from irevalx.cli.options import refuse_standard_input_twice
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError
from irevalx.experiments import samples
from irevalx.experiments.samples import RandomOrder
from irevalx.experiments.strata import SCHEME, Design, StrataSample
from irevalx.experiments.strata_lines import prels_lines, sampled_lines, warnings_of_sample
from irevalx.lab.command.input_files import Inputs
from irevalx.lab.command.making import lab_command
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.command.parameters import LINES_OUTPUT, SHARE, chosen_seed, level_option, qrels_argument, seed_option
from irevalx.lab.command.strata_options import (
    design_of,
    divided,
    ranking_of,
    strata_file_option,
    strata_option,
)
from irevalx.reading.formats import PRELS, SAMPLED
from irevalx.reading.source import Source

_LINES = {SAMPLED.name: sampled_lines, PRELS.name: prels_lines}
"""What writes a sample of strata, by format of judgments."""


@lab_command(
    "degrade",
    qrels_argument,
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str, shell_complete=complete_file),
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
    strata_option,
    strata_file_option,
    click.option(
        "--as",
        "sample_format",
        type=click.Choice(list(_LINES)),
        help=(
            "With --strata: write the stratum of each document, for irevalx -R sampled, or the probability with which "
            "it was drawn, for irevalx -R prels.  [default: sampled]"
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
    strata: str | None,
    strata_file: str | None,
    sample_format: str | None,
    seed: int | None,
    drop: bool,
    pool_out: str | None,
) -> None:
    """Make judgments incomplete: keep a random sample of them.

    Writes QRELS with the grade -1 (pooled, but unjudged) where a judgment was not drawn into the sample. With --strata
    it writes TOPIC IGNORED DOCNO STRATUM GRADE, for irevalx -R sampled: documents of no stratum are left out, and with
    the same seed a greater rate contains the smaller sample.
    """
    if sum(scheme is not None for scheme in (uniform, stratified, strata)) != 1:
        raise UsageError("one of --uniform, --stratified and --strata must be given")
    if rounding is not None and stratified is None:
        raise UsageError("--round must be given together with --stratified")
    refuse_standard_input_twice(inputs.qrels, strata_file, *inputs.runs)
    design = design_of(strata, strata_file, inputs.runs)
    if design is None and sample_format is not None:
        raise UsageError("--as must be given together with --strata")
    if design is not None and drop and sample_format != PRELS.name:
        raise UsageError("--drop must be given together with --as prels, or without --strata: strata are counted")
    read, level = inputs.qrels_lines, inputs.level
    judgments = read.judgments
    if pool_out is not None:
        topics = [judgments.topics[topic] for topic in judgments.rows.ids.tolist()]
        write_lines((b"%s %s\n" % line for line in zip(topics, judgments.docnos.texts(), strict=True)), pool_out)
    if design is not None:
        sample = _sample(inputs, design, strata_file, chosen_seed(seed))
        written = sample.kept if drop else sample.in_stratum
        output.write_lines(_LINES[sample_format or SAMPLED.name](read, sample, written))
        return
    for line in samples.warnings_without_relevant(judgments, level):
        inputs.messages.warn(line)
    seed = chosen_seed(seed)
    if uniform is not None:
        kept = samples.uniform(judgments, uniform, RandomOrder(judgments, seed, "uniform"), level)
    else:
        assert stratified is not None
        order = RandomOrder(judgments, seed, "stratified")
        kept = samples.stratified(judgments, stratified, order, level, samples.ROUNDINGS[rounding or "up"])
    output.write_lines(read.with_grades(samples.unjudge(judgments, kept), kept if drop else None))


def _sample(inputs: Inputs, design: Design, path: str | None, seed: int) -> StrataSample:
    """Draw a sample of strata; the file says what is in them unless the runs do."""
    judgments, warn = inputs.qrels_lines.judgments, inputs.messages.warn
    source = None if path is None else Source(path)
    stratum = divided(design, source, judgments, lambda: ranking_of(inputs.opened_runs, judgments, warn), warn)
    sample = StrataSample.drawn(design, judgments, stratum, RandomOrder(judgments, seed, SCHEME))
    for line in warnings_of_sample(sample, inputs.level):
        warn(line)
    return sample

"""irevalx-lab pool."""

from __future__ import annotations

from collections.abc import Iterator

import click
import numpy as np

from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.cli.options import refuse_standard_input_twice
from irevalx.errors import UsageError, shown_name
from irevalx.experiments import samples
from irevalx.experiments.pools import find_in_judgments, pool_of
from irevalx.experiments.qrels_lines import QrelsLines
from irevalx.lab.command.input_files import Inputs
from irevalx.lab.command.making import lab_command
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import LINES_OUTPUT, depth_option, runs_argument
from irevalx.reading.source import Source


@lab_command(
    "pool",
    runs_argument,
    depth_option,
    click.option(
        "--judge",
        metavar="QRELS",
        help=(
            "Write judgments instead: those of QRELS for the documents of the pool. Documents that only one of QRELS "
            "and the pool has get the grade -1."
        ),
    ),
    click.option(
        "--mix-seed",
        type=int,
        metavar="S",
        help="With --judge: of each topic keep as many judgments again, drawn from the others with this seed.",
    ),
    click.option("--drop", is_flag=True, help="With --judge: leave out the lines with the grade -1."),
    *LINES_OUTPUT,
    example="irevalx-lab pool runs/* --depth 10 > pool && irevalx --pool pool -m incomplete qrels run",
)
def command(inputs: Inputs, output: Output, *, depth: int, judge: str | None, mix_seed: int | None, drop: bool) -> None:
    """Pool the first documents of runs.

    Writes a line TOPIC DOCNO for each document that some run has among the first ones of a topic, as irevalx ranks
    them: a pool file for irevalx --pool.
    """
    if judge is None and (mix_seed is not None or drop):
        raise UsageError("--mix-seed and --drop must be given together with --judge")
    refuse_standard_input_twice(*inputs.runs, judge)
    warn = inputs.messages.warn
    if judge is None:
        pool = pool_of(inputs.opened_runs, depth, warn)
        output.write_lines(b"%s %s\n" % (topic, docno) for topic, docnos in pool.items() for docno in docnos)
        return
    read = QrelsLines.read(Source(judge), warn)
    judgments = read.judgments
    pool = pool_of(inputs.opened_runs, depth, warn)
    if unknown := sum(topic not in judgments.topic_index for topic in pool):
        warn(f"{unknown} of {len(pool)} pooled topics are left out: {shown_name(judge)} does not judge them")
    in_pool, others = find_in_judgments(judgments, pool)
    if mix_seed is None:
        kept = samples.shallow(judgments, in_pool[np.newaxis])
    else:
        order = samples.RandomOrder(judgments, mix_seed, "mixed")
        kept = samples.mixed(judgments, in_pool[np.newaxis], order)

    def lines() -> Iterator[bytes]:
        yield from read.with_grades(samples.unjudge(judgments, kept), kept if drop else None)
        if not drop:
            yield from (b"%s 0 %s %d\n" % (*pair, UNJUDGED_IN_FILES) for pair in others)

    output.write_lines(lines())

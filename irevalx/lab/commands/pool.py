"""irevalx-lab pool."""

from __future__ import annotations

from collections.abc import Iterator

import click
import numpy as np

from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.errors import UsageError, shown_name
from irevalx.lab.judging import samples
from irevalx.lab.judging.pools import find_in_judgments, pool_of
from irevalx.lab.judging.qrels_lines import QrelsLines
from irevalx.lab.output import write_lines
from irevalx.lab.parameters import (
    depth_option,
    opened,
    options,
    output_option,
    quiet_option,
    refuse_two_standard_inputs,
    runs_argument,
    teller,
)
from irevalx.reading.source import Source


@click.command(
    "pool",
    epilog="Example: irevalx-lab pool runs/* --depth 10 > pool && irevalx --pool pool -m incomplete qrels run",
)
@options(
    runs_argument,
    depth_option,
    click.option(
        "--judge",
        metavar="QRELS",
        help=(
            "Write the judgments that this pool would have had instead: those of QRELS that are in it. Its other "
            "documents, and those of the pool that QRELS does not have, get the grade -1."
        ),
    ),
    click.option(
        "--mix-seed",
        type=int,
        metavar="S",
        help="With --judge: of each topic keep as many judgments again, drawn from the others with this seed.",
    ),
    click.option("--drop", is_flag=True, help="With --judge: leave out the lines with the grade -1."),
    output_option,
    quiet_option,
)
def command(
    *,
    runs: tuple[str, ...],
    depth: int,
    judge: str | None,
    mix_seed: int | None,
    drop: bool,
    output: str | None,
    quiet: bool,
) -> None:
    """Pool the first documents of runs.

    Writes a line TOPIC DOCNO for each document that some run has among the first ones of a topic, as irevalx ranks
    them: a pool file for irevalx --pool.
    """
    if judge is None and (mix_seed is not None or drop):
        raise UsageError("--mix-seed and --drop must be given together with --judge")
    refuse_two_standard_inputs(*runs, judge)
    warn = teller(quiet)
    if judge is None:
        pool = pool_of(opened(runs, warn), depth, warn)
        write_lines((b"%s %s\n" % (topic, docno) for topic in pool for docno in pool[topic]), output)
        return
    read = QrelsLines.read(Source(judge), warn)
    judgments = read.judgments
    pool = pool_of(opened(runs, warn), depth, warn)
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

    write_lines(lines(), output)

"""irevalx-lab pool."""

from __future__ import annotations

from typing import Any

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import LINES_OUTPUT, depth_option, runs_argument
from irevalx.lab.judging.pooling import pool


@command_of(
    "pool",
    runs_argument,
    depth_option,
    option(
        "--judge",
        metavar="QRELS",
        shell_complete=complete_file,
        help=(
            "Write judgments instead: those of QRELS for the documents of the pool. Documents that only one of QRELS "
            "and the pool has get the grade -1."
        ),
    ),
    option(
        "--mix-seed",
        requires="--judge",
        type=int,
        metavar="S",
        help="With --judge: of each topic keep as many judgments again, drawn from the others with this seed.",
    ),
    option("--drop", requires="--judge", is_flag=True, help="With --judge: leave out the lines with the grade -1."),
    *LINES_OUTPUT,
    example="irevalx-lab pool runs/* --depth 10 > pool && irevalx --pool pool -m incomplete qrels run",
)
def command(output: Output, **options: Any) -> None:
    """Pool the first documents of runs.

    Writes a line TOPIC DOCNO for each document that some run has among the first ones of a topic, as irevalx ranks
    them: a pool file for irevalx --pool.
    """
    output.write_text(pool(**options))

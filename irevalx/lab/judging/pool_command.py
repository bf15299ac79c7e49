"""irevalx-lab pool."""

from __future__ import annotations

from typing import Any

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.lab.command.kinds_of_values import COUNT, list_option
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import GRADED, TABLES_OUTPUT, depth_option, level_option, runs_argument
from irevalx.lab.judging.pooling import pool, pool_sizes


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
    list_option(
        "--sizes",
        of=COUNT,
        excludes=("--depth", "--mix-seed", "--drop"),
        metavar="K...",
        help=(
            "Print how many documents pools of these depths have instead, in sum and for each topic; with --judge also "
            "how many of them were judged and are relevant: '1 2 5 10 20 50 100'."
        ),
    ),
    level_option,
    *TABLES_OUTPUT,
    example="irevalx-lab pool runs/* --depth 10 > pool && irevalx --pool pool -m incomplete qrels run",
    formats=GRADED,
)
def command(output: Output, *, sizes: tuple[int, ...], **options: Any) -> None:
    """Pool the first documents of runs.

    Writes a line TOPIC DOCNO for each document that some run has among the first ones of a topic, as irevalx ranks
    them: a pool file for irevalx --pool.
    """
    if sizes:
        del options["depth"], options["mix_seed"], options["drop"]
        output.write(pool_sizes(options.pop("runs"), sizes, **options))
    else:
        del options["level"]
        output.write_text(pool(**options))

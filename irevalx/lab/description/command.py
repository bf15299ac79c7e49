"""irevalx-lab describe."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.lab.command import parameters
from irevalx.lab.command.kinds_of_values import COUNT, list_option
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output
from irevalx.lab.description.described import describe
from irevalx.lab.description.describing import CUTOFFS, PARTS, RANKS
from irevalx.reading.formats import SAMPLED


@command_of(
    "describe",
    parameters.qrels_argument,
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str, shell_complete=complete_file),
    list_option(
        "--cutoffs",
        of=COUNT,
        metavar="K...",
        help=f"Print the share of judged documents among the first K.  [default: {' '.join(map(str, CUTOFFS))}]",
    ),
    list_option(
        "--ranks",
        of=COUNT,
        metavar="N...",
        help=(
            "The first ranks of the ranges for which unjudged documents are counted, from 1; the last range has no "
            f"end.  [default: {' '.join(map(str, RANKS))}]"
        ),
    ),
    parameters.depth_option,
    parameters.groups_option,
    parameters.group_by_option,
    option(
        "--show",
        type=click.Choice(PARTS),
        requires=dict.fromkeys(PARTS[1:], "RUN"),
        help="Print this table only; csv, tsv and jsonl have the judgments otherwise.",
    ),
    *parameters.real_grades_options,
    parameters.complete_option,
    *parameters.FIGURE,
    *parameters.TABLES_OUTPUT,
    example="irevalx-lab describe qrels runs/* --group-by '^[a-z]+' --depth 10 --show groups",
    formats=(*parameters.GRADED, SAMPLED.name),
)
def command(output: Output, **options: Any) -> None:
    """Describe judgments and runs.

    Of the judgments, a row for each topic: the documents pooled, judged, relevant and unjudged, and those of each grade
    (of real grades if there are at most 20). Of each run: topics, documents retrieved, judged and relevant, the share
    of judged documents among the first K, and the share of unjudged documents by rank, over the topics that every run
    has, as a line below the tables says; with -c over all judged topics. Of each group of runs: how much of the pool of
    all runs it has found, and found alone, judged or not, over all judged topics.

    With --figure, a panel for each: relevant documents by topic, sorted; the share of unjudged documents by rank, as
    Ahlgren and Grönqvist 2008, Figure 1; judged documents among the first K; what each group has found alone.
    """
    output.write(describe(**options))

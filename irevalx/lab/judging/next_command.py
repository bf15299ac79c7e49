"""irevalx-lab next."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.lab.command.making import command_of
from irevalx.lab.command.order_options import order_option, order_options
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import GRADED, TABLES_OUTPUT, level_option, runs_argument, seed_option
from irevalx.lab.judging.next_documents import next as next_documents


@command_of(
    "next",
    runs_argument,
    option(
        "--judged",
        metavar="QRELS",
        shell_complete=complete_file,
        help="What was judged so far; grades below 0 are no judgments.  [default: nothing]",
    ),
    order_option("The order of judging.", default="mtf"),
    option(
        "--n",
        type=click.IntRange(1),
        default=10,
        metavar="N",
        help="Ask for N documents of each topic or, with --across, in all.  [default: 10]",
    ),
    option(
        "--total",
        requires="--order sampled",
        type=click.IntRange(1),
        metavar="N",
        help="With --order sampled: how many documents of each topic the sample has in the end, on average.",
    ),
    *order_options(),
    seed_option,
    level_option,
    *TABLES_OUTPUT,
    example="irevalx-lab next runs/* --judged qrels --order mtf --n 5 > judge_these",
    formats=GRADED,
)
def command(output: Output, **options: Any) -> None:
    """Choose the documents to judge next.

    Writes a pool file, lines TOPIC DOCNO in the order in which they are to be judged, or with --format a table that
    says why: the score by which the order prefers a document, its best rank, how many RUNs have it, and with --docs the
    first words of its text.

    The order is replayed from the beginning on what was judged so far, N documents at a time, and goes on where the
    judgments end: called again with more of them, it asks for what comes next. Judgments that it would not have asked
    for teach it nothing. Orders with random choices must be called with the same --seed each time.

    With --order sampled the score is the probability with which a document was drawn. When all are judged, irevalx-lab
    degrade --order sampled --unjudged nonrel writes the sample with its probabilities, for irevalx -R prels; with the
    same RUNs, --depth and --seed, --budget in place of --total and --batch in place of --n.
    """
    found = next_documents(**options)
    if output.format_is_typed:
        output.write(found)
    else:
        output.write_text(found)

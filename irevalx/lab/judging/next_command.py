"""irevalx-lab next."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.lab.command.making import command_of
from irevalx.lab.command.order_options import across_option, explained_learning, order_option, order_options
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import GRADED, TABLES_OUTPUT, level_option, runs_argument, seed_option
from irevalx.lab.judging.next_documents import PER_TOPIC
from irevalx.lab.judging.next_documents import next as next_documents


@command_of(
    "next",
    runs_argument,
    option(
        "--judged",
        metavar="QRELS",
        shell_complete=complete_file,
        help=(
            "The judgments so far, from any source; grades below 0 are ignored. A judged document counts, "
            f"{explained_learning()}.  [default: no judgments]"
        ),
    ),
    order_option("The judging strategy.", default="mtf"),
    option(
        "--per-topic",
        excludes=("--in-all", "--n", "--across"),
        type=click.IntRange(1),
        metavar="N",
        help=f"Select N unjudged documents of each topic.  [default: {PER_TOPIC}]",
    ),
    option(
        "--in-all",
        excludes="--n",
        type=click.IntRange(1),
        metavar="N",
        help=("Select N unjudged documents in all, each from the topic whose next document the strategy prefers most."),
    ),
    option("--n", type=click.IntRange(1), metavar="N", hidden=True, help="--per-topic or, with --across, --in-all."),
    across_option(hidden=True),
    option(
        "--replay",
        is_flag=True,
        help=(
            "Replay the strategy from the beginning in batches of N documents, like degrade --order with --batch N: it "
            "learns only from documents that it selects itself. Writes the unjudged documents of the first batch that "
            "is not fully judged, which can be fewer than N. Always on with --order sampled, whose probabilities "
            "depend on the replay.  [default: off]"
        ),
    ),
    option(
        "--total",
        requires="--order sampled",
        type=click.IntRange(1),
        metavar="N",
        help="With --order sampled: the size of the whole sample of each topic, on average over samples.",
    ),
    *order_options(),
    seed_option,
    level_option,
    *TABLES_OUTPUT,
    example="irevalx-lab next runs/* --judged qrels --order mtf --per-topic 5 > judge_these",
    formats=GRADED,
)
def command(output: Output, **options: Any) -> None:
    """Choose the documents to judge next.

    Writes a pool file, lines TOPIC DOCNO in the order in which they are to be judged, or with --format a table that
    also contains the score by which the strategy prefers a document, its best rank, the number of RUNs that retrieve
    it, and with --docs the first words of its text.

    Selects exactly N documents that have no judgment; a message reports topics that have fewer left. Judged documents
    cost nothing, and the strategy uses their judgments, whoever selected them: extend an old collection with --judged.
    The strategy learns nothing from the N documents themselves until they are judged: a smaller N, called more often,
    follows it more closely.

    With --order sampled the score is the inclusion probability of a document; every call needs the same RUNs, --depth,
    --seed, --total and N. After all documents are judged, irevalx-lab degrade --order sampled --unjudged nonrel writes
    the sample with its probabilities, for irevalx -R prels; give it the same RUNs, --depth and --seed, --budget in
    place of --total and --batch in place of --per-topic.
    """
    found = next_documents(**options)
    if output.format_is_typed:
        output.write(found)
    else:
        output.write_text(found)

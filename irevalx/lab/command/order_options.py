"""The options that say which judged documents are kept: by strata, or in an order of judging."""

from __future__ import annotations

import click

from irevalx.cli.option_rules import Others, option
from irevalx.cli.values import complete_file
from irevalx.experiments.strata import EXAMPLE
from irevalx.lab.command.kinds_of_values import Parameter
from irevalx.orders.known_orders import LEARNING, ORDERS
from irevalx.orders.replays import UNJUDGED, USUAL
from irevalx.reading.file_format import join_words


def explained_orders() -> str:
    """Return what each order asks for next."""
    return "; ".join(f"{order.name}, {order.meaning}" for order in ORDERS.values())


def explained_learning() -> str:
    """Return what each order does with a document that was judged before."""
    return "; ".join(
        f"with {join_words([order.name for order in ORDERS.values() if order.learns == learns], 'and')}, {words}"
        for learns, words in LEARNING.items()
    )


def order_option(
    first_words: str, *, default: str | None = None, requires: Others = (), excludes: Others = ()
) -> Parameter:
    """Return the option ``--order``; its help begins with the first words."""
    return option(
        "--order",
        default=default,
        requires=requires,
        excludes=excludes,
        type=click.Choice(list(ORDERS)),
        metavar="ORDER",
        help=f"{first_words} The next document is, with {explained_orders()}."
        + (f"  [default: {default}]" if default else ""),
    )


def across_option(*requires: str, hidden: bool = False) -> Parameter:
    """Return the option ``--across``, which must be given together with one of these."""
    return option(
        "--across",
        requires=requires,
        is_flag=True,
        hidden=hidden,
        help=(
            "Select documents across topics: each from the topic whose next document the strategy prefers most. "
            "Numbers of documents and shares then apply to all topics together."
        ),
    )


def order_options(*requires: str, named_by: str = "--order") -> tuple[Parameter, ...]:
    """Return the options of candidates and texts, which must be given together with one of these.

    Parameters
    ----------
    named_by : the option that names the order.
    """
    return (
        option(
            "--depth",
            requires=requires,
            type=click.IntRange(1),
            default=USUAL.depth,
            metavar="K",
            help=f"The first K documents of each run and topic may be judged.  [default: {USUAL.depth}]",
        ),
        option(
            "--docs",
            "documents",
            requires=requires and tuple(f"{named_by} {name}" for name, order in ORDERS.items() if order.needs_texts),
            multiple=True,
            metavar="FILE",
            shell_complete=complete_file,
            help=(
                f"The text of documents, from which {named_by} cal learns: JSON lines (id and contents, among others) "
                "or TREC's SGML. May be repeated."
            ),
        ),
    )


def replay_options(*requires: str) -> tuple[Parameter, ...]:
    """Return the options of orders that are replayed on judgments, to be given together with one of these."""
    return (
        across_option(*requires),
        option(
            "--batch",
            requires=requires,
            type=click.IntRange(1),
            default=USUAL.batch,
            metavar="B",
            help=f"Ask for B documents before anything is learnt from their judgments.  [default: {USUAL.batch}]",
        ),
        option(
            "--unjudged",
            requires=requires,
            type=click.Choice(UNJUDGED),
            default=USUAL.unjudged,
            help=(
                "Documents without a judgment that the order asks for: pass them over, or count them as judged and not "
                f"relevant.  [default: {USUAL.unjudged}]"
            ),
        ),
    )


strata_option = option(
    "--strata",
    metavar="STRATA",
    help=(
        "Divide each topic's judged documents into strata and keep a share of each: by the best rank in any RUN "
        f"({EXAMPLE}), by how many of the runs have them ('runs 3+:100% 1-2:20% rest:5%'), or by the names in "
        "--strata-file ('1:100% 2:30%')."
    ),
)
strata_file_option = option(
    "--strata-file",
    requires="--strata",
    metavar="FILE",
    shell_complete=complete_file,
    help="The stratum of each document, a line TOPIC DOCNO STRATUM each.",
)

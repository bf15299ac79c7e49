"""irevalx-lab report."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.lab.command import parameters
from irevalx.lab.command.comparison_options import COMPARISON
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output
from irevalx.lab.page.made_report import FORMS
from irevalx.lab.page.reporting import DEPTH, MEASURES, MOST_SHOWN, report


@command_of(
    "report",
    parameters.qrels_argument,
    parameters.runs_argument,
    parameters.measures_option_with(
        *MEASURES,
        which="Measures as irevalx -m takes them; the first is that of the main result",
    ),
    *COMPARISON,
    click.option(
        "--seed",
        type=int,
        metavar="S",
        default=0,
        help="Make the same random choices as every other call with this seed.  [default: 0]",
    ),
    click.option(
        "--depth",
        type=click.IntRange(1, MOST_SHOWN),
        metavar="K",
        default=DEPTH,
        help=f"Show the first K documents of each ranking.  [default: {DEPTH}]",
    ),
    click.option(
        "--docs",
        "documents",
        multiple=True,
        metavar="FILE",
        shell_complete=complete_file,
        help=(
            "Show the texts of documents: JSON lines (id and contents, among others) or TREC's SGML, as complete "
            "--docs takes them. May be repeated."
        ),
    ),
    click.option(
        "--topic-texts",
        metavar="FILE",
        shell_complete=complete_file,
        help="Show the texts of topics: TREC's topics, JSON lines, or lines TOPIC and TEXT with a tab between them.",
    ),
    click.option(
        "--topic-groups",
        metavar="FILE",
        shell_complete=complete_file,
        help="Let topics be chosen by group; the group of each topic, as irevalx --topic-groups has it.",
    ),
    parameters.groups_option,
    parameters.group_by_option,
    click.option("--title", metavar="TEXT", help="The title of the page.  [default: the names of runs]"),
    *parameters.real_grades_options,
    parameters.complete_option,
    *parameters.ranking_options,
    parameters.threads_option,
    option(
        "--format",
        "form",
        type=click.Choice(FORMS),
        help="Write the page, or its data alone.  [default: html, or json where FILE ends in .json]",
    ),
    *parameters.LINES_OUTPUT,
    example="irevalx-lab report qrels runs/* -m 'map ndcg@10 judged@10' --baseline bm25 -o report.html",
    formats=parameters.GRADED,
)
def command(output: Output, *, form: str | None, **options: Any) -> None:
    """Make a page of an evaluation to look at.

    One file of HTML that needs no server and loads nothing: what was evaluated and what was found, in sentences; the
    scores of runs with intervals, and which of them differ; two runs against each other, topic by topic; the rankings
    of a topic side by side, with what each document gives or costs; how much was judged, and what the holes could do.

    The numbers are those of irevalx --ci and of compare, with the same options; intervals hold with probability 1 -
    alpha. The texts are shown of those documents that a ranking has among its first K.
    """
    import jinja2  # noqa: F401 - it is better missed now than after the work

    report(**options).write(output.path, form)

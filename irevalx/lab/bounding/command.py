"""irevalx-lab bounds."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from irevalx.cli.option_rules import option
from irevalx.lab.bounding.bounded_scores import DocumentsToJudge, bounds
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import (
    FIGURE,
    GRADED,
    TABLES_OUTPUT,
    complete_option,
    least_retrieved_option,
    level_option,
    measures_option_with,
    qrels_argument,
    runs_argument,
)


@command_of(
    "bounds",
    qrels_argument,
    runs_argument,
    measures_option_with(
        "P.10",
        which=(
            "Measures that are sums over ranks of weight times gain: P.K, rbp and dcg, with gains and parameters as "
            "for irevalx -m: 'P.10 rbp.p=0.8,1=0.5,2=1'"
        ),
    ),
    click.option(
        "--max-grade",
        type=click.IntRange(0),
        metavar="N",
        help="Unjudged documents may get grades from 0 to N.  [default: the greatest grade in QRELS]",
    ),
    click.option(
        "--by-topic", is_flag=True, help="Show each topic in tables for people too; other formats have them anyway."
    ),
    option(
        "--next",
        "n_next",
        excludes="--figure",
        type=click.IntRange(1),
        metavar="N",
        help=(
            "Write the N documents instead whose judgments would narrow the bounds of undecided pairs most, the best "
            "first: a pool file, or with --format a table."
        ),
    ),
    level_option,
    complete_option,
    least_retrieved_option,
    *FIGURE,
    *TABLES_OUTPUT,
    example="irevalx-lab bounds qrels runs/* -m P.10 --next 50 > judge_these",
    formats=GRADED,
)
def command(output: Output, **options: Any) -> None:
    """Find out whether unjudged documents could reverse a comparison, and which to judge next.

    For each run, and for each pair of runs, the score or difference with the judgments there are, and its least and
    greatest value over all ways to judge the unjudged documents: each topic, then all. A pair is decided if the
    difference has the same sign, or is 0, in all of them. The bounds are exact: they are reached, as a document that
    both runs have gets one grade in both. Unjudged documents that no run has retrieved do not count.

    The figure takes the judgments of QRELS away, gives them back in the order in which --next would ask for them, and
    beside it in the order of the best rank, and shows how many pairs are decided.

    The columns after decided are the unjudged document that narrows the bounds of the mean most, and by how much.
    """
    found = bounds(**options)
    form_typed = click.get_current_context().get_parameter_source("format") is ParameterSource.COMMANDLINE
    if isinstance(found, DocumentsToJudge) and not form_typed:
        output.write_text(found)
    else:
        output.write(found)

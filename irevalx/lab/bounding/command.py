"""irevalx-lab bounds."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.experiments import seeds
from irevalx.lab.bounding.bounded_scores import DRAWS, DocumentsToJudge, bounds
from irevalx.lab.command import parameters
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output


@command_of(
    "bounds",
    parameters.qrels_argument,
    parameters.runs_argument,
    parameters.measures_option_with(
        "P.10",
        which=(
            "Measures that are sums over ranks of weight times gain: P.K, rbp and dcg, with gains and parameters as "
            "for irevalx -m: 'P.10 rbp.p=0.8,1=0.5,2=1'. With probabilities also map, map_cut.K, ndcg and ndcg_cut.K"
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
        "--probabilities",
        excludes="--fit-probabilities",
        metavar="FILE",
        shell_complete=complete_file,
        help=(
            "Add what is probable: FILE has judgments whose grades are probabilities of relevance, such as complete "
            "--write-probabilities writes, or a machine's labels of 0 and 1. Unjudged documents that it lacks are not "
            "relevant."
        ),
    ),
    click.option(
        "--fit-probabilities",
        is_flag=True,
        help=(
            "Add what is probable: probabilities of relevance are fitted to the judgments there are, by the rank that "
            "each run gives a document, its best rank, and the number of runs."
        ),
    ),
    option(
        "--new-run",
        "new_runs",
        requires="--fit-probabilities",
        excludes=("--in-all", "--per-topic", "--min-retrieved", "--figure"),
        multiple=True,
        metavar="FILE",
        shell_complete=complete_file,
        help=(
            "A run that was not pooled, to be compared with RUN..., which are then all the runs that were. May be "
            "repeated. Its documents share a factor on their probabilities, which is estimated by leaving out in turn "
            "each group of RUN..., of which there must be four or more."
        ),
    ),
    parameters.groups_option,
    parameters.group_by_option,
    option(
        "--draws",
        requires=("--probabilities", "--fit-probabilities"),
        type=click.IntRange(1, seeds.MOST_DRAWS),
        default=DRAWS,
        metavar="N",
        help=f"Draw the judgments of unjudged documents N times, for map, ndcg and new runs.  [default: {DRAWS}]",
    ),
    parameters.seed_option,
    option(
        "--in-all",
        also="--next",
        excludes=("--per-topic", "--figure"),
        type=click.IntRange(1),
        metavar="N",
        help=(
            "Write the N unjudged documents instead whose judgments would narrow the bounds of undecided pairs most, "
            "over all topics and the best first: a pool file, or with --format a table. With probabilities: the "
            "documents whose judgments are expected to change the probabilities of pairs most."
        ),
    ),
    option(
        "--per-topic",
        excludes="--figure",
        type=click.IntRange(1),
        metavar="N",
        help="Like --in-all, but N documents of each topic, topic by topic.",
    ),
    parameters.level_option,
    parameters.complete_option,
    parameters.least_retrieved_option,
    *parameters.FIGURE,
    *parameters.TABLES_OUTPUT,
    example="irevalx-lab bounds qrels runs/* -m P.10 --in-all 50 > judge_these",
    formats=parameters.GRADED,
)
def command(output: Output, **options: Any) -> None:
    """Find out whether unjudged documents could reverse a comparison, and which to judge next.

    For each run, and for each pair of runs, the score or difference with the judgments there are, and its least and
    greatest value over all ways to judge the unjudged documents: each topic, then all. A pair is decided if the
    difference has the same sign, or is 0, in all of them. The bounds are exact: they are reached, as a document that
    both runs have gets one grade in both. Unjudged documents that no run has retrieved do not count.

    The figure takes the judgments of QRELS away, gives them back in the order in which --in-all would select them,
    and beside it in the order of the best rank, and shows how many pairs are decided.

    The columns after decided are the unjudged document that narrows the bounds of the mean most, and by how much.

    With probabilities of relevance further columns say what is probable: the mean and the standard deviation of the
    score or difference, and of the mean difference of a pair the probability that it keeps its sign; then the document
    that is expected to change most how probable it is that the first run is better, and by how much. Documents are
    taken for independent, but for the error of a fit, which they share; with --fit-probabilities, a run that was not
    pooled is refused unless it is given with --new-run, whose documents share a factor as well. by says how the
    probability was computed: exact (P, always; rbp and dcg, where few documents are left), from the normal
    distribution, or from draws. map and ndcg have no proven bounds: the judgments of unjudged documents are drawn,
    limits says drawn, and low and high are the least and the greatest value of the draws.
    """
    options["new_runs"] = options["new_runs"] or None
    found = bounds(**options)
    if isinstance(found, DocumentsToJudge) and not output.format_is_typed:
        output.write_text(found)
    else:
        output.write(found)

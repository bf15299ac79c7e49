"""irevalx-lab agree."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.values import complete_file
from irevalx.experiments.seeds import MOST_DRAWS
from irevalx.lab.agreement.agreements import agree
from irevalx.lab.command import parameters
from irevalx.lab.command.making import command_of, refuse_options
from irevalx.lab.command.output import Output
from irevalx.reading.formats import REL_FORMATS

_OF_EVALUATIONS = ("rel_format", "measures", "level", "complete", "min_retrieved")
"""The parameters that concern the evaluation of runs."""


@command_of(
    "agree",
    click.argument("x", metavar="X", type=str, shell_complete=complete_file),
    click.argument("y", metavar="Y", type=str, shell_complete=complete_file),
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str, shell_complete=complete_file),
    click.option(
        "--against",
        metavar="MEASURE",
        help="Compare every measure of Y with this one of X, named as irevalx prints it.  [default: with itself]",
    ),
    click.option(
        "--rbo",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        metavar="P",
        help=(
            "Add rank-biased overlap, P being the chance of looking at the next rank. X and Y may be two runs too. Of "
            "ties: rbo_w, a tie means equal rank; rbo_a, the mean over all ways of breaking ties; rbo_b, that "
            "corrected so that a ranking agrees with itself."
        ),
    ),
    parameters.top_option("X", "Y"),
    click.option(
        "--resamples",
        type=click.IntRange(0, MOST_DRAWS),
        metavar="B",
        default=0,
        help=(
            "Draw the topics B times with replacement, for 95 % intervals of the value over all topics there are. "
            "Intervals of correlations and of --top allow for the noise that drawing adds: they invert a test, and are "
            "wider than the quantiles of the draws.  [default: 0, no intervals]"
        ),
    ),
    parameters.seed_option,
    parameters.measures_option,
    *parameters.grades_options,
    parameters.complete_option,
    parameters.least_retrieved_option,
    *parameters.TABLES_OUTPUT,
    example="irevalx-lab agree qrels tenth runs/* -m 'map bpref infAP' --against map",
    formats=tuple(REL_FORMATS),
)
def command(output: Output, **options: Any) -> None:
    """Measure how far two scorings of the same runs agree.

    X and Y are files that irevalx or trec_eval printed, in trec_eval's format (with runid) or as csv, tsv, json or
    jsonl. With RUN they are two files of judgments instead, and the runs are evaluated with each.

    A row for each measure: Kendall's tau (a tie counts as concordant), tau-b, tau_AP of Y with X as the reference
    (tau_ap: tied runs of Y are not compared with each other), its symmetric form (tau_ap_b: the mean with X and with Y
    as the reference; Urbano and Marrero 2017), Pearson's correlation, root mean square error and bias of Y, the mean
    absolute change of a run's rank, the largest rise and fall and the runs that rise and fall that far, the share of
    runs whose scores differ significantly (paired t test over topics, p < 0.05), the numbers of runs and of inversions
    (pairs of runs that Y puts in the opposite order; Büttcher et al. 2007 print them with tau), and how pairwise
    decisions in X and in Y go together (Wilcoxon's test, p < 0.05): the pairs that differ in neither (c11 in csv and
    json), in Y only (new, c12), in X only (lost, c21), in both (c22); the rate of false differences (fpr: of the pairs
    that are the same in X, those that differ in Y) and of missed differences (fnr: of those that differ in X, those
    that do not in Y), which are the false negatives and the false positives of Bompada et al. (2007); accuracy and
    g-mean; and pairs that differ in both, one and none (active, mixed, passive), with the same run ahead or the other:
    aa ad ma md pa pd. These need values for each topic (irevalx -q), and the same measure. With --top K, how the best
    runs agree: top_tau_b, top_overlap and loss. With --rbo, extrapolated, least and greatest overlaps of the rankings
    of runs; for two runs, a row for each topic that both have, of their rankings of documents.

    With -R sampled each of X and Y is a sample of strata, five columns, or qrels: one stratum, of which the judged
    documents are a sample. Measures of grades, of strata and of probabilities then stand side by side, the strata
    giving the probabilities with which documents were drawn.
    """
    if not options["runs"]:
        refuse_options("together with RUN, or not at all", *_OF_EVALUATIONS)
        options = {name: value for name, value in options.items() if name not in _OF_EVALUATIONS}
    output.write(agree(**options))

"""irevalx-lab estimate."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.values import complete_file
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import (
    FIGURE,
    GRADED,
    TABLES_OUTPUT,
    alpha_option,
    complete_option,
    least_retrieved_option,
    level_option,
    measures_option_with,
    runs_argument,
)
from irevalx.lab.estimation.document_labels import SAMPLES
from irevalx.lab.estimation.estimated_scores import CORRECTION_NAMES, estimate
from irevalx.reading.file_format import listed


@command_of(
    "estimate",
    click.option(
        "--human",
        metavar="QRELS",
        required=True,
        shell_complete=complete_file,
        help=(
            "What people judged: some topics; or, with -R sampled or -R prels, a random sample of the documents of "
            "each topic, as degrade --strata draws one."
        ),
    ),
    click.option(
        "--machine",
        metavar="QRELS",
        required=True,
        shell_complete=complete_file,
        help=(
            "A machine's labels of the same topics, and of others: all topics together must be one random sample. Or, "
            "where people judged a sample of documents, of these and of all others."
        ),
    ),
    click.option(
        "--labels-format",
        type=click.Choice(GRADED),
        metavar="FORMAT",
        help=(
            f"The format of the machine's labels: {listed(GRADED, 'or')}.  [default: that of -R; qrels with -R sampled "
            "or prels]"
        ),
    ),
    runs_argument,
    measures_option_with("map"),
    click.option("--baseline", metavar="RUN", help="Compare each run with this one.  [default: compare all pairs]"),
    click.option(
        "--lambda",
        "weight",
        type=click.FloatRange(0, 1),
        metavar="L",
        help=(
            "Let machine labels count with this weight, from 0 (not at all) to 1 (as if the machine's error were the "
            "same for all topics).  [default: for each row the weight with the least standard error]"
        ),
    ),
    click.option(
        "--correction",
        type=click.Choice(CORRECTION_NAMES),
        default="holm",
        help=(
            "How p-values of differences are corrected for the number of comparisons of a measure; bh is "
            "benjamini-hochberg. bonferroni has simultaneous intervals as well.  [default: holm]"
        ),
    ),
    alpha_option,
    level_option,
    complete_option,
    least_retrieved_option,
    *FIGURE,
    *TABLES_OUTPUT,
    example="irevalx-lab estimate --human qrels --machine machine runs/* -m map --baseline bm25",
    formats=(*GRADED, *SAMPLES),
)
def command(output: Output, **options: Any) -> None:
    """Estimate scores and differences from what people judged, and a machine's labels of the rest.

    Some topics: the machine's scores of all topics are corrected by its error on the topics that people judged
    (prediction-powered inference). A row for the mean of each run, and for the difference of each pair: the estimate,
    its interval and standard error, the weight lambda of the machine's labels, the classical estimate from the human
    topics alone, the correlation of human and machine scores over topics, and effective_topics: how many human topics
    alone would have done as well. Of a difference also p, p corrected for the number of comparisons, and whether the
    runs differ; with --correction bonferroni an interval that holds for all differences at once.

    Some documents (-R sampled, -R prels): people labelled a random sample of the documents of each topic, drawn with
    known probabilities. The machine's score of a topic is corrected by its error on the drawn documents, each divided
    by its probability. Measures are P, rbp and dcg, sums over ranks of weight times gain. Rows have the estimate,
    the classical one from the sample alone, the machine's own score, the part of the standard error that is due to
    drawing documents (all of it, if no other topics are of interest), and effective_documents: how many people would
    have to label without a machine. Documents of no stratum have the machine's labels.

    Intervals and tests are from Student's t distribution. They hold however bad the machine is: where its labels are
    bad, lambda is near 0. But each interval is right on its own, not all of them together; the topics that people
    judged must be a random sample of all topics, not those that somebody found easy or important; and an interval of
    fewer than 40 human topics (25, of which documents were drawn) is too short.

    The figure shows the differences with their intervals; of many pairs, those with the run that has the greatest
    estimate.
    """
    output.write(estimate(**options))

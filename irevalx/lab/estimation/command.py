"""irevalx-lab estimate."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError
from irevalx.lab import PROGRAM
from irevalx.lab.command import parameters
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.estimation.document_labels import SAMPLES
from irevalx.lab.estimation.estimated_scores import CORRECTION_NAMES, estimate
from irevalx.lab.estimation.labelling_design import LabellingDesign
from irevalx.process.terminal import write_error
from irevalx.reading.file_format import join_words


@command_of(
    "estimate",
    click.option(
        "--human",
        metavar="QRELS",
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
        type=click.Choice(parameters.GRADED),
        metavar="FORMAT",
        help=(
            f"The format of the machine's labels: {join_words(parameters.GRADED, 'or')}.  [default: that of -R; qrels "
            "with -R sampled or prels]"
        ),
    ),
    parameters.runs_argument,
    parameters.measures_option_with("map"),
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
    parameters.alpha_option,
    option(
        "--design",
        excludes=("--baseline", "--lambda", "--correction", "--alpha", "--figure"),
        type=click.IntRange(1),
        metavar="N",
        help=(
            "Write instead which documents people should label, at most N: strata of the machine's grades and of "
            "ranks, with rates for degrade --strata --strata-file. --human, if given, has what they labelled already."
        ),
    ),
    option(
        "--pool-out",
        requires="--design",
        metavar="FILE",
        help="With --design: write a pool file of the documents that are drawn with --seed.",
    ),
    option(
        "--seed",
        requires="--design",
        type=int,
        metavar="S",
        help=(
            "With --design: make the same random choices as every other call with this seed.  [default: a new seed, "
            "which is printed]"
        ),
    ),
    parameters.level_option,
    parameters.complete_option,
    parameters.least_retrieved_option,
    *parameters.FIGURE,
    *parameters.TABLES_OUTPUT,
    example="irevalx-lab estimate --human qrels --machine machine runs/* -m map --baseline bm25",
    formats=(*parameters.GRADED, *SAMPLES),
)
def command(output: Output, *, pool_out: str | None, **options: Any) -> None:
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
    fewer than 40 human topics is too short, and from samples of documents fewer than 25 topics were not tried.

    --design asks where people's next labels help most. Documents that runs have at ranks that count are divided by the
    machine's grade and by their best rank; of each stratum a share is drawn that is proportional to the standard
    deviation of what errors of the machine there add to scores (Neyman allocation, for the sum of the variances of all
    runs), and one document of each topic at least. The machine's error is taken from --human, stratum by stratum, and
    for the same everywhere without it. It writes lines TOPIC DOCNO STRATUM, and the rates on standard error; with
    --format a table of the strata.

    The figure shows the differences with their intervals; of many pairs, those with the run that has the greatest
    estimate.
    """
    if options["design"] is None and options["human"] is None:
        raise UsageError("--human must be given, unless --design is")
    found = estimate(**options)
    if not isinstance(found, LabellingDesign):
        output.write(found)
        return
    if pool_out is not None:
        write_lines([found.pool.text], pool_out)
    write_error(f"{PROGRAM}: --strata '{found.strata}'")
    if output.format_is_typed:
        output.write(found)
    else:
        output.write_text(found)

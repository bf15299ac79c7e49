"""irevalx-lab complete."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.lab.command import parameters
from irevalx.lab.command.kinds_of_values import SHARE, list_option
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.completion.classifier_names import CLASSIFIERS, kld_threshold_option

OF_CLASSIFIERS = (
    *("--docs", "--classifier", "--class-weight", "--kld-threshold", "--probabilities", "--calibrated", "--holdout"),
    *("--write-probabilities", "--seed"),
)
"""The options that labels do not need."""


@command_of(
    "complete",
    parameters.qrels_argument,
    click.argument("runs", metavar="[RUN...]", nargs=-1, type=str, shell_complete=complete_file),
    parameters.documents_option,
    parameters.depth_option,
    parameters.labels_option_without(*OF_CLASSIFIERS),
    parameters.labels_replace_option,
    parameters.labels_format_option,
    option(
        "--pool",
        metavar="FILE",
        shell_complete=complete_file,
        help="A pool file, as for irevalx --pool, of more documents to predict; no run need be given then.",
    ),
    option(
        "--classifier",
        type=click.Choice(CLASSIFIERS),
        default="svm",
        help=(
            "A linear support vector machine for each topic, or the Kullback-Leibler divergence of a document from "
            "those judged relevant.  [default: svm]"
        ),
    ),
    option(
        "--class-weight",
        requires="--classifier svm",
        default="balanced",
        type=click.Choice(["balanced", "none"]),
        help=(
            "With svm: let the errors on relevant and on nonrelevant documents weigh the same in sum, or each error "
            "the same, as published.  [default: balanced]"
        ),
    ),
    kld_threshold_option("--classifier kld"),
    option("--mark", metavar="FILE", help="Write the predictions, and nothing else, to FILE too."),
    option(
        "--probabilities",
        requires="--mark",
        is_flag=True,
        help=(
            "With --mark: add the classifier's decision value as a fifth column. The higher it is, the surer is "
            "relevance; it is no calibrated probability."
        ),
    ),
    option(
        "--calibrated",
        requires=("--mark", "--report", "--write-probabilities"),
        excludes="--probabilities",
        is_flag=True,
        help=(
            "With --mark: add the probability of relevance as a fifth column, fitted to judged documents that are "
            "predicted from the others of their topic. With --report and two runs or more: add what map, P_5, P_10, "
            "P_20 and recip_rank are expected to be under these probabilities."
        ),
    ),
    option(
        "--write-probabilities",
        metavar="FILE",
        requires="--calibrated",
        help=(
            "With --calibrated: write to FILE all judged documents, with 0 or 1, and all predicted ones, with the "
            "probability of relevance: judgments for irevalx --grades probability."
        ),
    ),
    option(
        "--report",
        metavar="FILE",
        help=(
            "Write to FILE how many judgments were learned from and predicted for each topic: a table, or json if its "
            "name ends in .json."
        ),
    ),
    list_option(
        "--holdout",
        of=SHARE,
        requires="--report",
        metavar="SHARE...",
        help=(
            "With --report: how good predictions are when this share of each topic's judgments, drawn at random, is "
            "learned from and the others are predicted."
        ),
    ),
    parameters.seed_option,
    parameters.level_option,
    *parameters.LINES_OUTPUT,
    example=(
        "irevalx-lab complete qrels runs/* --docs docs.jsonl.gz --depth 50 > completed && irevalx completed runs/*"
    ),
    formats=parameters.GRADED,
)
def command(
    output: Output,
    *,
    mark: str | None,
    probabilities: bool,
    write_probabilities: str | None,
    report: str | None,
    **options: Any,
) -> None:
    """Predict missing judgments from the text of the documents, or take them from a file of labels.

    For each topic a classifier learns from the judged documents. QRELS is written with a prediction for every document
    that nobody judged and that has the grade -1, is among the first K of some RUN, or is in a pool file: N (see
    --level) where it is relevant, 0 where it is not. The lines of judged documents stay as they are. What cannot be
    predicted, for want of text or of relevant and nonrelevant documents to learn from, gets -1.

    With --labels nothing is learned, and no text is needed: these documents get the grades that they have in that file,
    and -1 where it has none.
    """
    from irevalx.lab.completion.filling_holes import complete

    found = complete(**options, expected=report is not None, progress=not output.quiet)
    if mark is not None:
        write_lines([found.predictions(decisions=probabilities or options["calibrated"])], mark)
    if write_probabilities is not None:
        write_lines([found.probabilities()], write_probabilities)
    if report is not None:
        Output(format="json" if report.endswith(".json") else "table", path=report).write(found.report)
    output.write_text(found)

"""irevalx-lab labels."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.values import complete_file
from irevalx.experiments.seeds import MOST_DRAWS
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import (
    FIGURE,
    GRADED,
    TABLES_OUTPUT,
    complete_option,
    group_by_option_with,
    groups_option,
    interval_alpha_option,
    labels_format_option,
    least_retrieved_option,
    level_option,
    measures_option_with,
    seed_option,
    top_option,
)
from irevalx.lab.labelling.comparing_labels import RESAMPLES, labels


@command_of(
    "labels",
    click.argument("human", metavar="HUMAN", type=str, shell_complete=complete_file),
    click.argument("machine", metavar="MACHINE", type=str, shell_complete=complete_file),
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str, shell_complete=complete_file),
    labels_format_option,
    click.option("--by-topic", is_flag=True, help="Add the agreement of labels for each topic, without intervals."),
    measures_option_with("map", which="With RUN: measures as irevalx -m takes them"),
    groups_option,
    group_by_option_with("no groups"),
    top_option("HUMAN", "MACHINE", requires="RUN"),
    click.option(
        "--resamples",
        type=click.IntRange(0, MOST_DRAWS),
        metavar="B",
        default=RESAMPLES,
        help=(
            "Draw the topics B times with replacement, for intervals; 0 for none. They are not centred: tau's lies low "
            f"and the error's high, as resampled rankings are noisier than the ranking itself.  [default: {RESAMPLES}]"
        ),
    ),
    interval_alpha_option,
    seed_option,
    level_option,
    complete_option,
    least_retrieved_option,
    *FIGURE,
    *TABLES_OUTPUT,
    example="irevalx-lab labels qrels machine runs/* -m 'map ndcg' --group-by '^[a-z]+' --seed 1",
    formats=GRADED,
)
def command(output: Output, **options: Any) -> None:
    """Measure how far a second file of labels, such as a machine's, agrees with judgments.

    HUMAN and MACHINE are judgments of the same documents; who made them does not matter, but HUMAN counts as the truth
    where there is one. Documents that both label are compared: the number of documents by grade, the share of equal
    grades, Cohen's kappa (plain, and with linear and quadratic weights), Krippendorff's alpha (nominal and ordinal) and
    Gwet's AC1; at each level of relevance precision, recall, F1 and kappa of the labels cut there. Coverage says how
    many of a file's labels that is. Kappa is low, and AC1 high, where one grade has nearly all labels.

    With RUN, how far the scores of runs agree under both files: tau-b, tau_AP, root mean square error and bias
    (MACHINE less HUMAN); pairwise decisions as in irevalx-lab agree: the rate of false differences (fpr: of the pairs
    that do not differ with HUMAN, those that do with MACHINE) and of missed differences (fnr: of those that differ
    with HUMAN, those that do not with MACHINE), and its other columns; the bias and the ranks of each run; and with
    --groups or --group-by of each group, with its excess_bias: how far its runs lie above the line of bias over human
    score through all other runs, as a machine that errs at random takes more from good runs than from bad ones. Above
    0 the machine favours the group, if it is more than excess_bias_shuffled, which labels that favour nobody have: the
    machine's, shuffled in each topic among documents of the same human grade. excess_bias_p takes this into account,
    and is corrected for the number of groups. The group of runs that use the machine themselves is the one to look at.
    """
    output.write(labels(**options, progress=not output.quiet))

"""irevalx-lab leave-out."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.errors import UsageError, quote
from irevalx.lab.command import parameters
from irevalx.lab.command.folders import make_folder
from irevalx.lab.command.kinds_of_values import list_option
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.completion.classifier_names import kld_threshold_option
from irevalx.lab.leaving_out.left_out_runs import FIGURES, LeftOutRuns
from irevalx.lab.leaving_out.without_groups import HOLES_DEPTH, WAYS, leave_out
from irevalx.process.system import file_name


@command_of(
    "leave-out",
    *parameters.EXPERIMENT,
    parameters.all_topics_option("all_topics"),
    parameters.groups_option,
    parameters.group_by_option,
    option(
        "--only",
        metavar="GROUP",
        help="Leave out this group alone; the summary is over its runs, and has tau-b and tau over all runs too.",
    ),
    parameters.depth_option,
    option(
        "--keep-in-pool",
        is_flag=True,
        help="Give what only the group has found the grade -1 (pooled, but unjudged), rather than leaving it out.",
    ),
    list_option(
        "--complete",
        of=click.Choice(WAYS),
        metavar=f"[{'|'.join(WAYS)}]...",
        help=(
            "Predict the judgments that are left out, as irevalx-lab complete does, take them from --labels, or take "
            "them all for nonrelevant; or (svm-expected, kld-expected) give P and recip_rank the value that is "
            "expected under probabilities of relevance. The summary has a row for each kind of judgments: biased (as "
            "the group leaves them), nonrelevant (which all others should improve on) and those asked for."
        ),
    ),
    parameters.documents_option,
    kld_threshold_option("--complete kld"),
    parameters.labels_option,
    parameters.labels_replace_option,
    parameters.labels_format_option,
    option(
        "--holes",
        type=click.IntRange(1),
        metavar="K",
        help=(
            "Add the share of holes among the first K documents of each run, when its group is left out, the bias of "
            f"the run, and a table of how the bias goes with the holes.  [default: {HOLES_DEPTH} with --complete "
            "labels, otherwise none]"
        ),
    ),
    option("--write", "folder", metavar="DIR", help="Write the judgments for each group to DIR/GROUP.qrels."),
    option(
        "--summary",
        is_flag=True,
        excludes=("--pivot", "--removed"),
        help="Print the summary only, one row per measure, and that of holes; csv, tsv and jsonl have none otherwise.",
    ),
    option(
        "--pivot",
        is_flag=True,
        excludes="--removed",
        help=(
            "Print a row for each run, with its scores under the full and under the other judgments side by side, as "
            "Büttcher et al. (2007) do in Table 5."
        ),
    ),
    option(
        "--removed",
        is_flag=True,
        excludes=("--complete", "--holes", "--write", "--figure"),
        help="Print how many documents each group takes with it for each topic, and evaluate nothing.",
    ),
    parameters.threads_option,
    *parameters.FIGURE,
    option(
        "--draw",
        requires="--figure",
        type=click.Choice(FIGURES),
        default=FIGURES[0],
        help=(
            "What --figure draws: how scores and ranks change, or the bias of runs against their share of holes.  "
            "[default: changes]"
        ),
    ),
    *parameters.TABLES_OUTPUT,
    example="irevalx-lab leave-out qrels runs/* --group-by '^[a-z]+' --depth 10 -m 'map bpref P.20 P.20:skip'",
    formats=parameters.GRADED,
)
def command(output: Output, *, draw: str, folder: str | None, **options: Any) -> None:
    """Judge each group of runs without the documents that only it has found.

    The judgments are first cut to the documents that some run has among its first K. Then, for each group, those that
    no other group has there are left out, all runs are evaluated again, and the scores and ranks of the group's runs
    are compared with those under the whole pool. So are pairwise decisions (Wilcoxon's test, p < 0.05),
    for the pairs of which a run was left out: false differences (fpr: of the pairs that do not differ under the full
    judgments, those that do without what the group has found) and missed differences (fnr: of those that differ under
    the full judgments, those that do not then); all columns are those of irevalx-lab agree.

    --complete asks whether it helps to fill what is left out, by classifiers that read the text or from a file of
    labels, and how the bias that is left goes with the share of holes (--holes).

    With --figure, a point for each run: how its score changes and how many ranks it gains, one row per measure; with
    --draw holes, its bias against its share of holes.
    """
    holes = options.pop("holes") or (HOLES_DEPTH if draw == "holes" else None)
    found = leave_out(**options, holes=holes, keep_judgments=folder is not None, progress=not output.quiet)
    if folder is not None:
        _write_judgments(found, folder)
    output.write(found, draw=draw)


def _write_judgments(found: LeftOutRuns, folder: str) -> None:
    """Write the judgments that each group is judged with, each group's to a file of its own.

    Raises
    ------
    UsageError : two groups would share a file.
    OutputError : it cannot be written.
    """
    file_of: dict[str, str] = {}
    for group in found.judgments:
        other = file_of.setdefault(file_name(group), group)
        if other != group:
            raise UsageError(
                f"--write must have a file for each group, but {quote(other)} and {quote(group)} share one"
            )
    for name, group in file_of.items():
        write_lines([found.judgments[group].text], make_folder(folder) / f"{name}.qrels")

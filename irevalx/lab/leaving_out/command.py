"""irevalx-lab leave-out."""

from __future__ import annotations

import shlex
from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError, quote
from irevalx.experiments import seeds
from irevalx.frozen import replace
from irevalx.lab import PROGRAM
from irevalx.lab.command import parameters
from irevalx.lab.command.folders import make_folder
from irevalx.lab.command.kinds_of_values import list_option
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.completion.classifier_names import kld_threshold_option
from irevalx.lab.leaving_out.left_out_runs import FIGURES, LeftOutRuns
from irevalx.lab.leaving_out.new_run_verdicts import TOLERANCE, NewRuns
from irevalx.lab.leaving_out.new_runs import DRAWS
from irevalx.lab.leaving_out.without_groups import HOLES_DEPTH, WAYS, leave_out
from irevalx.process.system import file_name
from irevalx.reading.formats import QRELS, TREC_RESULTS


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
    option(
        "--new-run",
        "new_runs",
        excludes=(
            "--complete",
            "--holes",
            "--only",
            "--summary",
            "--pivot",
            "--removed",
            "--write",
            "--min-retrieved",
            "--keep-in-pool",
            "--figure",
        ),
        multiple=True,
        metavar="FILE",
        shell_complete=complete_file,
        help=(
            "A run that was not pooled: print its coverage, the bias to expect of its scores with a 95 % interval, its "
            "scores with unjudged documents skipped and bounded, and for each measure a verdict. May be repeated; "
            "--groups and --group-by name its group too. RUN... are the runs that were pooled, to --depth."
        ),
    ),
    option(
        "--tolerance",
        requires="--new-run",
        type=click.FloatRange(0),
        default=TOLERANCE,
        metavar="X",
        help=f"The bias of a new run that is tolerated, up or down.  [default: {TOLERANCE}]",
    ),
    option(
        "--draws",
        requires="--new-run",
        type=click.IntRange(1, seeds.MOST_DRAWS),
        default=DRAWS,
        metavar="N",
        help=f"Draw the judgments of unjudged documents N times, to estimate the bias.  [default: {DRAWS}]",
    ),
    parameters.seed_option,
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

    --new-run asks whether the judgments can be used for a run that was not pooled. Its bias is estimated from the
    judged documents that each group of pooled runs retrieved alone; at least four groups are needed. The columns:
    score; condensed, with unjudged documents skipped; least and greatest, over all ways to judge them; bias, the score
    less the score if the run's group had been pooled, with the ends of a 95 % interval; verdict: fair (the interval is
    within --tolerance), underestimated, overestimated or cannot tell; and to_judge, the unjudged documents among the
    first --depth of the group's runs, which the command in the last lines lists.

    --complete asks whether it helps to fill what is left out, by classifiers that read the text or from a file of
    labels, and how the bias that is left goes with the share of holes (--holes).

    With --figure, a point for each run: how its score changes and how many ranks it gains, one row per measure; with
    --draw holes, its bias against its share of holes.
    """
    options["new_runs"] = options["new_runs"] or None
    holes = options.pop("holes") or (HOLES_DEPTH if draw == "holes" else None)
    found = leave_out(**options, holes=holes, keep_judgments=folder is not None, progress=not output.quiet)
    if folder is not None:
        _write_judgments(found, folder)
    if found.new is not None:
        found = replace(found, new=replace(found.new, commands=_commands(found.new)))
    output.write(found, draw=draw)


def _commands(new: NewRuns) -> dict[str, str]:
    """Return by group the command that lists the unjudged documents among the first ones of its new runs."""
    given = click.get_current_context().params
    groups = [one.group for one in new.coverage if one.is_new]
    formats = [("-R", given["rel_format"], QRELS.name), ("-T", given["results_format"], TREC_RESULTS.name)]
    words = [word for name, value, default in formats if value != default for word in (name, value)]
    commands = {}
    for group in dict.fromkeys(groups):
        files = given["new_runs"]
        if len(files) == len(groups):  # unless a file has several runs
            files = [file for file, of_file in zip(files, groups, strict=True) if of_file == group]
        n = new.depth * groups.count(group)
        options = ["--order", "depth", "--depth", str(new.depth), "--per-topic", str(n), "--judged", given["qrels"]]
        commands[group] = shlex.join([PROGRAM, "next", *words, *options, *files])
    return commands


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

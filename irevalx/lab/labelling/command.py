"""irevalx-lab labels."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError, quote
from irevalx.experiments.seeds import MOST_DRAWS
from irevalx.lab.command import parameters
from irevalx.lab.command.kinds_of_values import COUNT, list_option
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.labelling.comparing_labels import RESAMPLES, labels
from irevalx.lab.labelling.judge_findings import JudgeFindings
from irevalx.lab.labelling.judges import WRITTEN
from irevalx.lab.labelling.run_agreement import HUMAN_TOPICS

DRAWN = ("confusion", "judges", "rerank")
"""What ``--figure`` may draw."""

_RUN_TAKEN_FOR_MACHINE = "irevalx.lab.labels.run"
"""Where a run waits that stands in the place of MACHINE."""


def _machine(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return MACHINE; with --machine it is the first RUN."""
    if ctx.params.get("machines"):
        ctx.meta[_RUN_TAKEN_FOR_MACHINE] = value
        return None
    if value is None:
        raise click.MissingParameter(ctx=ctx, param=param, param_hint="'MACHINE'")
    return value


def _runs(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Return RUN, with --machine the one in the place of MACHINE first."""
    first = ctx.meta.get(_RUN_TAKEN_FOR_MACHINE)
    if first is None:
        return value
    ctx.set_parameter_source(param.name or "", ParameterSource.COMMANDLINE)
    return (first, *value)


def _by_name(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, tuple[str, ...]] | None:
    """Return files by name; those of a name that is repeated come after each other."""
    found: dict[str, tuple[str, ...]] = {}
    for value in values:
        name, equals, paths = value.partition("=")
        files = tuple(paths.split(","))
        if not (name and equals and all(files)):
            raise UsageError(f"{param.opts[0]} must be NAME=FILE or NAME=FILE,FILE, but got {quote(value)}")
        found[name] = (*found.get(name, ()), *files)
    return found or None


def _written(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Return the file of each combination."""
    found: dict[str, str] = {}
    for value in values:
        name, _, path = value.partition("=")
        if name not in WRITTEN or not path:
            raise UsageError(
                f"{param.opts[0]} must be NAME=FILE, NAME one of {', '.join(WRITTEN)}, but got {quote(value)}"
            )
        found[name] = path
    return found


@command_of(
    "labels",
    click.argument("human", metavar="HUMAN", type=str, shell_complete=complete_file),
    click.argument(
        "machine", metavar="[MACHINE]", required=False, type=str, callback=_machine, shell_complete=complete_file
    ),
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str, callback=_runs, shell_complete=complete_file),
    parameters.labels_format_option,
    option(
        "--machine",
        "machines",
        multiple=True,
        is_eager=True,
        metavar="NAME=FILE[,FILE]",
        callback=_by_name,
        shell_complete=complete_file,
        help=(
            "In place of MACHINE: a machine of this name, for each of several that --machine is given for. More files "
            "are repeated answers: the first counts, and all tell how reliable the machine is (self_kappa)."
        ),
    ),
    option(
        "--second-human",
        requires="--machine",
        metavar="FILE",
        shell_complete=complete_file,
        help="Judgments of other assessors: their agreement with HUMAN, for comparison with that of machines.",
    ),
    option(
        "--write",
        "written",
        requires="--machine",
        multiple=True,
        metavar="NAME=FILE",
        callback=_written,
        help=(
            "Write what several machines say together: vote, mean (the whole grade nearest to the mean), dawid_skene, "
            "or probability, that of relevance in Dawid and Skene's model. May be repeated."
        ),
    ),
    click.option("--by-topic", is_flag=True, help="Add the agreement of labels for each topic, without intervals."),
    parameters.measures_option_with("map", which="With RUN: measures as irevalx -m takes them"),
    parameters.groups_option,
    parameters.group_by_option_with("no groups"),
    parameters.top_option("HUMAN", "MACHINE", requires="RUN"),
    option(
        "--rerank",
        requires="RUN",
        is_flag=True,
        help=(
            "Rerank each run by the machine's labels, and add what that gains by people (gain_human) and by the "
            "machine (gain_machine), by how much the machine promises more (promise), and how much of its gain people "
            "see (gain_ratio)."
        ),
    ),
    list_option(
        "--human-topics",
        of=COUNT,
        requires=("--machine",),
        metavar="N...",
        help=(
            "With --machine and RUN: how much of a machine's error goes away if people judge N topics, and scores are "
            f"estimated as by irevalx-lab estimate.  [default: {' '.join(map(str, HUMAN_TOPICS))}]"
        ),
    ),
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
    parameters.interval_alpha_option,
    parameters.seed_option,
    parameters.level_option,
    parameters.complete_option,
    parameters.least_retrieved_option,
    *parameters.FIGURE,
    option(
        "--draw",
        requires="--figure",
        type=click.Choice(DRAWN),
        default=None,
        help=(
            "What --figure draws: the labels of one machine beside those of people, how each two judges agree, or runs "
            "before and after --rerank.  [default: confusion, with --machine judges]"
        ),
    ),
    *parameters.TABLES_OUTPUT,
    example="irevalx-lab labels qrels machine runs/* -m 'map ndcg' --group-by '^[a-z]+' --seed 1",
    formats=parameters.GRADED,
)
def command(output: Output, *, draw: str | None, written: dict[str, str], **options: Any) -> None:
    """Measure how far labels from elsewhere, such as a machine's, agree with judgments.

    HUMAN and MACHINE are judgments of the same documents; who made them does not matter, but HUMAN counts as the truth
    where there is one. Documents that both label are compared: the number of documents by grade, the share of equal
    grades, Cohen's kappa (plain, and with linear and quadratic weights), Krippendorff's alpha (nominal and ordinal) and
    Gwet's AC1; at each level of relevance precision, recall, F1 and kappa of the labels cut there. Coverage says how
    many of a file's labels that is. Kappa is low, and AC1 high, where one grade has nearly all labels.

    A label is a number or missing: a negative number and a word such as ERROR are missing. If some labels of a file are
    not whole and none exceeds 1, they are probabilities of relevance: they are cut at 0.5, and the labels of all other
    files at --level. If some exceed 1, each counts as the nearest whole grade, 1.5 as 1.

    With RUN, how far the scores of runs agree under both files: tau-b, tau_AP, tau_AP,b, root mean square error and
    bias (MACHINE less HUMAN); pairwise decisions as in irevalx-lab agree: the rate of false differences (fpr: of the
    pairs that do not differ with HUMAN, those that do with MACHINE) and of missed differences (fnr: of those that
    differ with HUMAN, those that do not with MACHINE), and its other columns; the bias and the ranks of each run; and
    with --groups or --group-by of each group, with its excess_bias: how far its runs lie above the line of bias over
    human score through all other runs, as a machine that errs at random takes more from good runs than from bad ones.
    Above 0 the machine favours the group, if it is more than excess_bias_shuffled, which labels that favour nobody
    have: the machine's, shuffled in each topic among documents of the same human grade. excess_bias_p takes this into
    account, and is corrected for the number of groups. The group of runs that use the machine themselves is the one to
    look at.

    With --rerank, each run is sorted by the machine's labels, highest first, and documents that it does not label as if
    it gave them 0. A machine that promises more than people see is no ground for comparing runs that use it. Beside
    that stands rerank_excess_bias, the excess bias of each reranked run among the others as they are.

    With --machine there is no MACHINE. Each of several machines is a judge, and so are other people (--second-human)
    and what two machines or more say together: majority vote, mean grade and Dawid and Skene's model. Each has all that
    a single machine has, the bias of its grades, and with RUN the error that is left if people judge some topics; each
    two have their agreement on documents that HUMAN labels; and each combination has by how much its kappa is above
    that of each machine. Nothing of HUMAN goes into combinations, which label all documents that some machine does.
    """
    found = labels(**{**options, "human_topics": options["human_topics"] or None}, progress=not output.quiet)
    if isinstance(found, JudgeFindings):
        for name, path in written.items():
            write_lines([found.text_of(name)], path)
    output.write(found, **({} if draw is None else {"draw": draw}))

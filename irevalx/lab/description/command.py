"""irevalx-lab describe."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import click

from irevalx.cli.options import refuse_standard_input_twice
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError, quote
from irevalx.experiments.group_names import groups_of
from irevalx.experiments.ranking_runs import rank_all, unique_names
from irevalx.lab.command.input_files import GRADED, Inputs
from irevalx.lab.command.making import lab_command
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import (
    FIGURE,
    TABLES_OUTPUT,
    depth_option,
    group_by_option,
    groups_option,
    level_option,
    qrels_argument,
)
from irevalx.lab.description.describing import (
    CUTOFFS,
    RANKS,
    Contribution,
    JudgmentsDescription,
    RunDescription,
    contributions,
    contributions_table,
    ranks_table,
    runs_table,
)
from irevalx.ranking.rank import RankingRules
from irevalx.reading.formats import SAMPLED


def _numbers(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[int, ...]:
    """Read ascending numbers of at least 1; raises UsageError."""
    words = [word for value in values for word in value.replace(",", " ").split()]
    for word in words:
        if not (word.isascii() and word.isdigit() and int(word)):
            raise UsageError(f"{param.opts[0]} must be numbers of at least 1, but got {quote(word)}")
    numbers = tuple(int(word) for word in words)
    if any(one >= other for one, other in pairwise(numbers)):
        raise UsageError(f"{param.opts[0]} must be ascending, but got {quote(' '.join(words))}")
    return numbers


@lab_command(
    "describe",
    qrels_argument,
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str, shell_complete=complete_file),
    click.option(
        "--cutoffs",
        multiple=True,
        metavar="K...",
        callback=_numbers,
        help=f"Print the share of judged documents among the first K.  [default: {' '.join(map(str, CUTOFFS))}]",
    ),
    click.option(
        "--ranks",
        multiple=True,
        metavar="N...",
        callback=_numbers,
        help=(
            "The first ranks of the ranges for which unjudged documents are counted, from 1; the last range has no "
            f"end.  [default: {' '.join(map(str, RANKS))}]"
        ),
    ),
    depth_option,
    groups_option,
    group_by_option,
    click.option(
        "--show",
        type=click.Choice(["judgments", "runs", "ranks", "groups"]),
        help="Print this table only; csv, tsv and jsonl have the judgments otherwise.",
    ),
    level_option,
    *FIGURE,
    *TABLES_OUTPUT,
    example="irevalx-lab describe qrels runs/* --group-by '^[a-z]+' --depth 10 --show groups",
    formats=(*GRADED, SAMPLED.name),
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    cutoffs: tuple[int, ...],
    ranks: tuple[int, ...],
    depth: int,
    groups: str | None,
    group_by: str | None,
    show: str | None,
) -> None:
    """Describe judgments and runs.

    Of the judgments, a row for each topic: the documents pooled, judged, relevant and unjudged, and those of each
    grade. Of each run: topics, documents retrieved, judged and relevant, the share of judged documents among the first
    K, and the share of unjudged documents by rank. Of each group of runs: how much of the pool of all runs it has
    found, and found alone.

    With --figure, a panel for each: relevant documents by topic, sorted; the share of unjudged documents by rank, as
    Ahlgren and Grönqvist 2008, Figure 1; judged documents among the first K; what each group has found alone.
    """
    if show not in {None, "judgments"} and not inputs.runs:
        raise UsageError(f"--show {show} must be given together with RUN")
    if ranks and ranks[0] != 1:
        raise UsageError(f"--ranks must begin with 1, but got {ranks[0]}")
    refuse_standard_input_twice(inputs.qrels, *inputs.runs, groups)
    level, warn = inputs.level, inputs.messages.warn
    judgments = inputs.graded_judgments
    of_judgments = JudgmentsDescription.of(judgments, level)
    tables = {"judgments": of_judgments.table()}
    described: list[RunDescription] = []
    found_alone: list[Contribution] = []
    if inputs.runs:
        ranked = list(rank_all(judgments, inputs.opened_runs, RankingRules(), warn=warn))
        names = unique_names(ranked, inputs.opened_runs, (), warn)
        described = [
            RunDescription.of(name, run, judgments, level=level, cutoffs=cutoffs or CUTOFFS, ranks=ranks or RANKS)
            for name, run in zip(names, ranked, strict=True)
        ]
        _warn_of_missing(described, len(judgments.topics), inputs)
        of_run = groups_of(names, groups, group_by)
        tables["runs"], tables["ranks"] = runs_table(described), ranks_table(described)
        found_alone = contributions(ranked, of_run, judgments, depth, level)
        tables["groups"] = contributions_table(found_alone)
    output.write_tables([tables[show]] if show else list(tables.values()))
    if output.figure is not None:
        from irevalx.lab.description.figures import Described, description

        output.write_figure(partial(description, Described(of_judgments, level, described, found_alone), show))


def _warn_of_missing(described: Sequence[RunDescription], n_topics: int, inputs: Inputs) -> None:
    """Warn of runs without results for judged topics."""
    for run in described:
        if run.missing:
            more = f" and {len(run.missing) - 1} more" if run.missing[1:] else ""
            inputs.messages.warn(
                f"{run.name}: {len(run.missing)} of {n_topics} judged topics have no results: {run.missing[0]}{more}"
            )

"""irevalx-lab agree."""

from __future__ import annotations

from dataclasses import replace

import click
from click.core import ParameterSource

from irevalx.errors import UsageError
from irevalx.lab.experiment import prepare
from irevalx.lab.judging.qrels_lines import QrelsLines
from irevalx.lab.output import Table, table_lines, write_lines
from irevalx.lab.paired_scorings import PairedScores, paired_scores
from irevalx.lab.parameters import (
    digits_option,
    format_option,
    least_retrieved_option,
    level_option,
    measures_option,
    opened,
    options,
    output_option,
    quiet_option,
    refuse_two_standard_inputs,
    teller,
)
from irevalx.lab.scorings import Scoring
from irevalx.lab.statistics.agreement import agree
from irevalx.reading.source import Source

COLUMNS = (
    *("measure", "tau", "tau_b", "tau_ap", "pearson", "rms", "bias"),
    *("rank_change", "rise", "risen", "fall", "fallen", "significant", "runs"),
)


@click.command(
    "agree",
    epilog="Example: irevalx-lab agree qrels tenth runs/* -m 'map bpref infAP' --against map",
)
@options(
    click.argument("x", metavar="X", type=str),
    click.argument("y", metavar="Y", type=str),
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str),
    click.option(
        "--against",
        metavar="MEASURE",
        help="Set every measure of Y against this one of X, called as irevalx prints it.  [default: against itself]",
    ),
    measures_option,
    level_option,
    least_retrieved_option,
    format_option,
    digits_option,
    output_option,
    quiet_option,
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    x: str,
    y: str,
    runs: tuple[str, ...],
    against: str | None,
    measures: tuple[str, ...],
    level: int,
    least_retrieved: float,
    fmt: str,
    digits: int,
    output: str | None,
    quiet: bool,
) -> None:
    """Tell how far two scorings of the same runs agree.

    X and Y are files that irevalx or trec_eval printed, in trec_eval's format (with runid) or as csv, tsv, json or
    jsonl. With RUN they are two files of judgments instead, and the runs are evaluated with each.

    A row a measure: Kendall's tau (a tie counts as concordant), tau-b and tau_AP, Pearson's correlation, root mean
    square error and bias of Y, the mean absolute change of a run's rank, the largest rise and fall and the runs that
    rise and fall so far, the share of runs that score significantly otherwise (paired t test over topics, p < 0.05;
    only where there are values for each topic, irevalx -q), and the number of runs.
    """
    refuse_two_standard_inputs(x, y, *runs)
    warn = teller(quiet)
    if runs:
        read = opened(runs, warn)
        first, second = (
            Scoring.of(
                path,
                prepare(
                    QrelsLines.read(Source(path), warn).judgments,
                    read,
                    measures,
                    level=level,
                    least_retrieved=least_retrieved,
                    warn=warn,
                ),
            )
            for path in (x, y)
        )
    else:
        _refuse_without_runs(ctx, "measures", "level", "least_retrieved")
        first, second = Scoring.read(Source(x)), Scoring.read(Source(y))
    table = agreement_table(paired_scores(first, second, against, warn))
    write_lines(table_lines([table], fmt, digits), output)


def agreement_table(found: list[PairedScores]) -> Table:
    """Return a row for each measure."""
    rows = []
    for paired in found:
        one = replace(agree(paired.x, paired.y, paired.runs), changed=paired.changed)
        correlations = (one.tau, one.tau_b, one.tau_ap, one.pearson)
        moved = (one.rank_change, one.rise, one.risen, one.fall, one.fallen)
        rows.append((paired.measure, *correlations, one.rms, one.bias, *moved, one.changed, one.n_runs))
    return Table("agreement", COLUMNS, tuple(rows))


def _refuse_without_runs(ctx: click.Context, *names: str) -> None:
    for param in ctx.command.params:
        if param.name in names and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{param.opts[-1]} must be given together with RUN, or not at all")

"""irevalx-lab agree."""

from __future__ import annotations

from dataclasses import replace

import click
from click.core import ParameterSource

from irevalx.cli.options import refuse_standard_input_twice
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError
from irevalx.lab.input_files import Inputs
from irevalx.lab.judging.qrels_lines import QrelsLines
from irevalx.lab.output import Output
from irevalx.lab.paired_scorings import PairedScores, paired_scores
from irevalx.lab.parameters import TABLES_OUTPUT, lab_command, least_retrieved_option, level_option, measures_option
from irevalx.lab.scorings import Scoring
from irevalx.lab.statistics.agreement import agree
from irevalx.reading.source import Source
from irevalx.reports.table import Table

COLUMNS = (
    *("measure", "tau", "tau_b", "tau_ap", "pearson", "rms", "bias"),
    *("rank_change", "rise", "risen", "fall", "fallen", "significant", "runs"),
)


@lab_command(
    "agree",
    click.argument("x", metavar="X", type=str, shell_complete=complete_file),
    click.argument("y", metavar="Y", type=str, shell_complete=complete_file),
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str, shell_complete=complete_file),
    click.option(
        "--against",
        metavar="MEASURE",
        help="Compare every measure of Y with this one of X, named as irevalx prints it.  [default: with itself]",
    ),
    measures_option,
    level_option,
    least_retrieved_option,
    *TABLES_OUTPUT,
    example="irevalx-lab agree qrels tenth runs/* -m 'map bpref infAP' --against map",
)
def command(inputs: Inputs, output: Output, *, x: str, y: str, against: str | None) -> None:
    """Measure how far two scorings of the same runs agree.

    X and Y are files that irevalx or trec_eval printed, in trec_eval's format (with runid) or as csv, tsv, json or
    jsonl. With RUN they are two files of judgments instead, and the runs are evaluated with each.

    A row for each measure: Kendall's tau (a tie counts as concordant), tau-b and tau_AP, Pearson's correlation, root
    mean square error and bias of Y, the mean absolute change of a run's rank, the largest rise and fall and the runs
    that rise and fall that far, the share of runs whose scores differ significantly (paired t test over topics,
    p < 0.05; only where there are values for each topic, irevalx -q), and the number of runs.
    """
    refuse_standard_input_twice(x, y, *inputs.runs)
    warn = inputs.messages.warn
    if inputs.runs:
        first, second = (
            Scoring.of(path, inputs.experiment_with(QrelsLines.read(Source(path), warn).judgments)) for path in (x, y)
        )
    else:
        _refuse_without_runs("measures", "level", "least_retrieved")
        first, second = Scoring.read(Source(x)), Scoring.read(Source(y))
    output.write_tables([agreement_table(paired_scores(first, second, against, warn))])


def agreement_table(found: list[PairedScores]) -> Table:
    """Return a table with a row for each measure that both scorings have."""
    rows = []
    for paired in found:
        one = replace(agree(paired.x, paired.y, paired.runs), changed=paired.changed)
        correlations = (one.tau, one.tau_b, one.tau_ap, one.pearson)
        moved = (one.rank_change, one.rise, one.risen, one.fall, one.fallen)
        rows.append((paired.measure, *correlations, one.rms, one.bias, *moved, one.changed, one.n_runs))
    return Table("agreement", COLUMNS, tuple(rows))


def _refuse_without_runs(*names: str) -> None:
    """Raise UsageError if one of these parameters was typed."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in names and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{parameter.opts[-1]} must be given together with RUN, or not at all")

"""irevalx-lab labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

import click

from irevalx.cli.options import refuse_standard_input_twice
from irevalx.cli.values import complete_file
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.experiments.group_names import groups_of
from irevalx.experiments.label_files import TwoLabellings, topic_warnings
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.input_files import GRADED, Inputs
from irevalx.lab.command.making import lab_command
from irevalx.lab.command.output import FORMATS, Output
from irevalx.lab.command.parameters import (
    FIGURE,
    TABLES_OUTPUT,
    chosen_seed,
    group_by_option_with,
    groups_option,
    interval_alpha_option,
    labels_format_option,
    least_retrieved_option,
    level_option,
    measures_option_with,
    seed_option,
)
from irevalx.lab.labelling.label_findings import Finding, LabelAgreement, Resampling, evaluations
from irevalx.lab.labelling.labels_tables import findings_table, tables_for_people
from irevalx.statistics.bootstrap import bootstrap_warnings

RESAMPLES = 1000

SKEWED = 0.2
"""Where kappa and AC1 differ by more than this, one grade has nearly all labels."""


@lab_command(
    "labels",
    click.argument("human", metavar="HUMAN", type=str, shell_complete=complete_file),
    click.argument("machine", metavar="MACHINE", type=str, shell_complete=complete_file),
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str, shell_complete=complete_file),
    labels_format_option,
    click.option("--by-topic", is_flag=True, help="Add the agreement of labels for each topic, without intervals."),
    measures_option_with("map", which="With RUN: measures as irevalx -m takes them"),
    groups_option,
    group_by_option_with("no groups"),
    click.option(
        "--resamples",
        type=click.IntRange(0),
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
    least_retrieved_option,
    *FIGURE,
    *TABLES_OUTPUT,
    example="irevalx-lab labels qrels machine runs/* -m 'map ndcg' --group-by '^[a-z]+' --seed 1",
    formats=GRADED,
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    human: str,
    machine: str,
    by_topic: bool,
    groups: str | None,
    group_by: str | None,
    resamples: int,
    alpha: float,
    seed: int | None,
) -> None:
    """Measure how far a second file of labels, such as a machine's, agrees with judgments.

    HUMAN and MACHINE are judgments of the same documents; who made them does not matter, but HUMAN counts as the truth
    where there is one. Documents that both label are compared: the number of documents by grade, the share of equal
    grades, Cohen's kappa (plain, and with linear and quadratic weights), Krippendorff's alpha (nominal and ordinal) and
    Gwet's AC1; at each level of relevance precision, recall, F1 and kappa of the labels cut there. Coverage says how
    many of a file's labels that is. Kappa is low, and AC1 high, where one grade has nearly all labels.

    With RUN, how far the scores of runs agree under both files: tau-b, tau_AP, root mean square error and bias (MACHINE
    less HUMAN), the decisions which runs differ as in irevalx-lab agree, the bias and the ranks of each run; and with
    --groups or --group-by of each group, with its bias less that of all other runs (excess_bias): above 0 where the
    machine favours the group. The group of runs that use the machine themselves is the one to look at. A machine that
    errs at random takes more from good runs than from bad ones, so compare groups of much the same scores.
    """
    refuse_standard_input_twice(human, machine, groups, *inputs.runs)
    warn = inputs.messages.warn
    ours, theirs = inputs.judgments_of(human), inputs.labels(machine)
    labels = TwoLabellings.of(ours, theirs, _common_topics(ours, theirs))
    resampling = Resampling(resamples=resamples, seed=chosen_seed(seed) if resamples else 0, alpha=alpha)
    agreement = LabelAgreement(labels, ours, theirs)
    found = list(agreement.findings(resampling))
    for line in chain(topic_warnings(ours, theirs), _warnings(agreement, found, ours, theirs, resampling)):
        warn(line)
    if by_topic:
        found += agreement.findings_by_topic()
    if inputs.runs:
        of_runs = list(_run_findings(inputs, labels, resampling, groups, group_by))
        for line in _group_warnings(of_runs):
            warn(line)
        found += of_runs
    if output.figure is not None:
        from irevalx.lab.labelling.figures import confusion_map

        cells = [one for one in found if one.statistic == "confusion" and one.topic is None]
        output.write_figure(
            partial(confusion_map, {(one.human or 0, one.machine or 0): int(one.value or 0) for one in cells})
        )
    if FORMATS[output.format].for_people:
        output.write_tables(tables_for_people(found))
    else:
        output.write_tables([findings_table(found)])


def _common_topics(human: Judgments, machine: Judgments) -> list[bytes]:
    topics = [topic for topic in human.topics if topic in machine.topic_index]
    if not topics:
        raise InputError(
            f"{shown_name(human.path)} and {shown_name(machine.path)} must have a topic in common, but have none"
        )
    return topics


def _run_findings(
    inputs: Inputs, labels: TwoLabellings, resampling: Resampling, groups: str | None, group_by: str | None
) -> list[Finding]:
    experiment = inputs.experiment_with(labels.judgments, least_runs=1)
    of_run = None
    if groups is not None or group_by is not None:
        of_run = groups_of(experiment.runs, groups, group_by)
        if len(set(of_run)) < 2:
            raise UsageError(f"there must be two groups at least, but all runs are in {quote(of_run[0])}")
    found: list[Finding] = []
    total = resampling.resamples * len(experiment.measures) if experiment.runs[1:] else 0
    with inputs.messages.progress("draws of topics", total=total) as progress:
        for evaluation in evaluations(experiment, labels, inputs.messages.warn):
            found += evaluation.findings(resampling, of_run, progress.advance)
    return found


def _warnings(
    agreement: LabelAgreement, found: Sequence[Finding], human: Judgments, machine: Judgments, resampling: Resampling
) -> Iterator[str]:
    """Yield what people should know before they believe the numbers."""
    ours, theirs = shown_name(human.path), shown_name(machine.path)
    if lacking := agreement.n_human - agreement.n_pairs:
        coverage = agreement.n_pairs / agreement.n_human
        yield (
            f"coverage {coverage:.4f}: {theirs} does not label {lacking} of the {agreement.n_human} documents that "
            f"{ours} labels, and nothing here is about them"
        )
    if others := agreement.n_machine - agreement.n_pairs:
        yield (
            f"{others} of the {agreement.n_machine} labels of {theirs} are of documents that {ours} does not label "
            "(coverage_machine); nobody knows how good these labels are"
        )
    if levels := agreement.levels_without_labels:
        which = ", ".join(map(str, levels[:10])) + (f" and {len(levels) - 10} more" if levels[10:] else "")
        yield f"level {which}: no human label has this grade"
    value = {one.statistic: one.value for one in found if one.level is None}
    kappa, ac1 = value["kappa"], value["ac1"]
    if kappa is not None and ac1 is not None and abs(kappa - ac1) > SKEWED:
        yield (
            f"kappa ({kappa:.4f}) and ac1 ({ac1:.4f}) differ by more than {SKEWED}: one grade has nearly all labels, "
            "so chance agreement is high for kappa and low for ac1"
        )
    if kappa is None:
        yield "kappa is not defined: all labels have the same grade"
    if resampling.resamples:
        yield from bootstrap_warnings(agreement.n_topics)


def _group_warnings(found: Sequence[Finding]) -> Iterator[str]:
    """Yield a line for each group that the machine favours, or the opposite."""
    for one in found:
        if one.statistic != "excess_bias" or one.low is None or one.high is None or one.low <= 0 <= one.high:
            continue
        does, score = ("favours", "worse") if one.low > 0 else ("disfavours", "better")
        yield (
            f"{one.measure}: excess_bias {one.value:+.4f} ({one.low:+.4f} to {one.high:+.4f}) of group "
            f"{quote(one.group or '')}: the machine {does} it, unless it errs at random and the runs are {score} anyway"
        )

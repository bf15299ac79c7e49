"""irevalx-lab estimate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import click
import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.cli.options import refuse_standard_input_twice
from irevalx.cli.values import complete_file
from irevalx.errors import InputError, UsageError, Warn, quote, shown_name
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.label_files import TwoLabellings
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.input_files import GRADED, Inputs
from irevalx.lab.command.making import lab_command
from irevalx.lab.command.output import FORMATS, Output
from irevalx.lab.command.parameters import (
    FIGURE,
    TABLES_OUTPUT,
    complete_option,
    interval_alpha_option,
    labels_format_option,
    least_retrieved_option,
    level_option,
    measures_option_with,
    runs_argument,
)
from irevalx.reports.table import Table
from irevalx.statistics.prediction_powered import FEW_TOPICS, HELPFUL, Estimates, prediction_powered
from irevalx.statistics.scales import MEAN

_ABOUT = ("measure", "run", "against")

COLUMNS = (
    *(*_ABOUT, "estimate", "low", "high", "standard_error", "lambda"),
    *("classical", "classical_low", "classical_high", "correlation"),
    *("human_topics", "machine_topics", "effective_topics"),
)


@dataclass(frozen=True, eq=False)
class Estimated:
    """The estimates of one measure.

    Parameters
    ----------
    measure : its printed name.
    about : of each row, the run and, for a difference, the other run.
    found : a row each.
    n_human, n_machine : numbers of topics.
    """

    measure: str
    about: Sequence[tuple[str, str | None]]
    found: Estimates
    n_human: int
    n_machine: int


@lab_command(
    "estimate",
    click.option(
        "--human",
        metavar="QRELS",
        required=True,
        shell_complete=complete_file,
        help="What people judged: some topics.",
    ),
    click.option(
        "--machine",
        metavar="QRELS",
        required=True,
        shell_complete=complete_file,
        help="A machine's labels of the same topics, and of others: all topics together must be one random sample.",
    ),
    labels_format_option,
    runs_argument,
    measures_option_with("map"),
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
    interval_alpha_option,
    level_option,
    complete_option,
    least_retrieved_option,
    *FIGURE,
    *TABLES_OUTPUT,
    example="irevalx-lab estimate --human qrels --machine machine runs/* -m map --baseline bm25",
    formats=GRADED,
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    human: str,
    machine: str,
    baseline: str | None,
    weight: float | None,
    alpha: float,
) -> None:
    """Estimate scores and differences from some topics that people judged and many that a machine labelled.

    The machine's scores of all topics are corrected by its error on the topics that people judged
    (prediction-powered inference). A row for the mean of each run, and for the difference of each pair: the estimate,
    its interval and standard error, the weight lambda of the machine's labels, the classical estimate from the human
    topics alone, the correlation of human and machine scores over topics, and effective_topics: how many human topics
    alone would have done as well.

    The interval holds however bad the machine is: where its labels are bad, lambda is near 0. But the topics that
    people judged must be a random sample of all topics, not those that somebody found easy or important; and an
    interval of fewer than 20 human topics is too short.
    """
    refuse_standard_input_twice(human, machine, *inputs.runs)
    ours, theirs = inputs.judgments_of(human), inputs.labels(machine)
    labels = TwoLabellings.of(ours, theirs, theirs.topics)
    _warn_of_files(ours, theirs, labels, inputs.messages.warn)
    experiment = inputs.experiment_with(labels.judgments, least_runs=1)
    for measure, scale in zip(experiment.measures, experiment.scales, strict=True):
        if scale is not MEAN:
            raise UsageError(f"a measure must be a mean over topics here, but got {quote(measure)}, a {scale.name}")
    pairs = _pairs(experiment, baseline)
    every = _values(experiment, labels, inputs.messages.warn)
    measures = [_estimated(experiment, values, pairs, alpha=alpha, weight=weight) for values in every]
    for line in _warnings(measures, fitted=weight is None):
        inputs.messages.warn(line)
    if output.figure is not None:
        from irevalx.lab.estimation.figures import estimated_intervals

        rows = [(one.measure, one.about, one.found) for one in measures]
        output.write_figure(partial(estimated_intervals, rows, alpha))
    table = _table(measures)
    output.write_tables(_tables_for_people(table) if FORMATS[output.format].for_people else [table])


@dataclass(frozen=True, eq=False)
class _Values:
    """The values of runs for a measure, shape (n_runs, n_topics) each: of topics of both, and of the machine's."""

    measure: str
    human: FloatArray
    machine: FloatArray
    more: FloatArray


def _values(experiment: Experiment, labels: TwoLabellings, warn: Warn) -> Iterator[_Values]:
    """Yield the values of each measure, without topics for which some run has none; raises InputError.

    Parameters
    ----------
    warn : is called with a line for each measure that has such topics.
    """
    chosen = [labels.judgments.topic_index[topic] for topic in experiment.topics]
    in_both = labels.in_both[chosen]
    every = (
        experiment.values(labels.human, labels.in_human),
        experiment.values(labels.machine, labels.in_machine),
    )
    for measure, human, machine in zip(experiment.measures, *every, strict=True):
        defined = np.isfinite(machine).all(axis=0)
        both, only_machine = in_both & defined & np.isfinite(human).all(axis=0), ~in_both & defined
        for least, mask, what in ((2, both, "that people judged too"), (1, only_machine, "that nobody judged")):
            if mask.sum() < least:
                raise InputError(
                    f"{measure} must have machine labels of at least {least} topic{'s' if least > 1 else ''} {what}, "
                    f"with results, but has {mask.sum()}"
                )
        if left_out := int((~both & ~only_machine).sum()):
            warn(f"{measure}: {left_out} of {in_both.size} topics are left out: with one of the files it has no value")
        yield _Values(measure, human[:, both], machine[:, both], machine[:, only_machine])


def _estimated(
    experiment: Experiment, values: _Values, pairs: Sequence[tuple[int, int]], *, alpha: float, weight: float | None
) -> Estimated:
    def rows(of_runs: FloatArray) -> FloatArray:
        """Return the values of each run, then the differences of each pair."""
        differences = [of_runs[run] - of_runs[against] for run, against in pairs]
        return np.stack([*of_runs, *differences])

    found = prediction_powered(rows(values.human), rows(values.machine), rows(values.more), alpha=alpha, weight=weight)
    runs = experiment.runs
    about = [*((run, None) for run in runs), *((runs[run], runs[against]) for run, against in pairs)]
    return Estimated(values.measure, about, found, values.human.shape[1], values.more.shape[1])


def _pairs(experiment: Experiment, baseline: str | None) -> list[tuple[int, int]]:
    """Return pairs of numbers of runs; the difference is that of the first to the second."""
    numbers = range(len(experiment.runs))
    if baseline is None:
        return list(combinations(numbers, 2))
    if baseline not in experiment.runs:
        raise UsageError(f"--baseline must be one of the runs ({' '.join(experiment.runs)}), but got {quote(baseline)}")
    base = experiment.runs.index(baseline)
    return [(run, base) for run in numbers if run != base]


def _warn_of_files(human: Judgments, machine: Judgments, labels: TwoLabellings, warn: Warn) -> None:
    """Warn of topics and documents that people judged and the machine did not label."""
    ours, theirs = shown_name(human.path), shown_name(machine.path)
    if lacking := sum(topic not in machine.topic_index for topic in human.topics):
        warn(f"{lacking} of {len(human.topics)} topics of {ours} are left out: {theirs} does not label them")
    judged = labels.human >= 0
    if lacking := int((judged & (labels.machine < 0)).sum()):
        warn(
            f"{theirs} does not label {lacking} of the {int(judged.sum())} documents that {ours} labels; they count as "
            "unjudged in the machine's scores"
        )


def _warnings(measures: Sequence[Estimated], *, fitted: bool) -> Iterator[str]:
    """Yield what people should know before they believe the numbers, each once."""
    n_rows = sum(len(one.about) for one in measures)
    weak = sum(int((one.found.effective_topics < HELPFUL * one.n_human).sum()) for one in measures)
    if weak:
        yield (
            f"effective_topics is less than {HELPFUL} times the human topics in {weak} of {n_rows} rows: the "
            "correlation of human and machine scores is too low there for the machine's labels to help"
        )
    if cut := sum(int(one.found.cut.sum()) for one in measures):
        yield f"lambda would be above 1 in {cut} of {n_rows} rows, and is cut there"
    if (fewest := min(one.n_human for one in measures)) < FEW_TOPICS:
        reason = ", and lambda is fitted to the same topics" if fitted else ""
        yield f"an interval of so few human topics ({fewest}) is too short: it is from the normal distribution{reason}"


def _table(measures: Sequence[Estimated]) -> Table:
    rows: list[tuple[Any, ...]] = []
    for one in measures:
        found = one.found
        numbers = (
            *(found.estimate, found.low, found.high, found.standard_error, found.weight),
            *(found.classical, found.classical_low, found.classical_high, found.correlation),
        )
        columns = [[_known(number) for number in column.tolist()] for column in (*numbers, found.effective_topics)]
        for (run, against), *values, effective in zip(one.about, *columns, strict=True):
            rows.append((one.measure, run, against, *values, one.n_human, one.n_machine, effective))
    return Table("estimates", COLUMNS, rows, n_labels=len(_ABOUT))


def _tables_for_people(table: Table) -> list[Table]:
    """Return the same as two tables that are less wide."""
    parts = {
        "estimates with machine labels (estimate) and from human topics alone (classical)": (
            *("estimate", "low", "high", "classical", "classical_low", "classical_high"),
        ),
        "how far machine labels help": (
            *("standard_error", "lambda", "correlation", "human_topics", "machine_topics", "effective_topics"),
        ),
    }
    tables = []
    for title, names in parts.items():
        columns = (*_ABOUT, *names)
        places = [COLUMNS.index(name) for name in columns]
        tables.append(Table(title, columns, [[row[place] for place in places] for row in table.rows], n_labels=3))
    return tables


def _known(number: float) -> float | None:
    """Return a number, None in place of nan."""
    return None if math.isnan(number) else number

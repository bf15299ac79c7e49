"""One judge's labels compared with human labels, on documents and on runs, with warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from irevalx.api.inputs import Qrels
from irevalx.api.user_warnings import warn
from irevalx.errors import InputError, Warn, quote, shown_name
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.group_names import two_groups_of
from irevalx.experiments.label_files import TwoLabellings, topic_warnings
from irevalx.experiments.ranking_runs import topics_compared
from irevalx.experiments.user_data import are_given, experiment_of
from irevalx.judgments.graded import Judgments
from irevalx.lab.labelling.document_agreement import DocumentAgreement
from irevalx.lab.labelling.findings import AgreementStatistic, LabelBootstrap
from irevalx.lab.labelling.reranking import Reranking, with_reranked
from irevalx.lab.labelling.run_agreement import SHUFFLES, PairedEvaluations, evaluations
from irevalx.process.terminal import progress_bar
from irevalx.statistics.bootstrap import bootstrap_warnings

SKEWED = 0.2
"""If kappa and AC1 differ by more than this, nearly all labels have one grade."""


def compare_judge(
    human: Judgments,
    machine: Judgments,
    name: str | None = None,
    warn: Warn = warn,
    *,
    bootstrap: LabelBootstrap,
    runs: Any,
    measures: Any,
    by_topic: bool,
    groups: str | PathLike[str] | Mapping[str, str] | None,
    group_by: str | None,
    top: int | None,
    rerank: bool,
    human_topics: Sequence[int],
    level: int,
    complete: bool,
    min_retrieved: float,
    progress: bool,
) -> tuple[list[AgreementStatistic], tuple[str, ...]]:
    """Return statistics of a judge's labels beside human labels, and notes on topics; keywords are those of ``labels``.

    Warnings contain the name of the judge; None for a single machine.
    """
    both = TwoLabellings.of(human, machine, common_topics(human, machine))
    agreement = DocumentAgreement(both, human, machine)
    of_documents = bootstrap if name is None else bootstrap.for_few_topics(agreement.n_topics)
    statistics = list(agreement.statistics(of_documents))
    prefix = "" if name is None else f"{name}: "
    for line in (*topic_warnings(human, machine), *_warnings(agreement, statistics, human, machine)):
        warn(f"{prefix}{line}")
    if bootstrap.resamples:
        for line in bootstrap_warnings(agreement.n_topics):
            warn(line)
    if by_topic:
        statistics += agreement.statistics_by_topic()
    topics = f"Topics: {agreement.which_topics(shown_name(human.path), shown_name(machine.path))}."
    if not are_given(runs):
        return statistics, (topics,)
    experiment = experiment_of(
        Qrels(both.judgments),
        runs,
        measures,
        level=level,
        complete=complete,
        min_retrieved=min_retrieved,
        least_runs=1,
    )
    grouped = groups is not None or group_by is not None
    of_runs = _run_statistics(
        experiment,
        both,
        bootstrap,
        groups=two_groups_of(experiment.runs, groups, group_by) if grouped else None,
        top=top,
        rerank=rerank,
        human_topics=human_topics,
        progress=progress,
        warn=warn,
    )
    for line in _group_warnings(of_runs, bootstrap.alpha, name or "the machine"):
        warn(line)
    which = topics_compared(len(experiment.topics), both.judgments.rows.n, experiment.lacking, "topics of both files")
    return statistics + of_runs, (topics, f"Topics of the run scores: {which}.")


def common_topics(human: Judgments, machine: Judgments) -> list[bytes]:
    """Return the topics of both; raises InputError if there is none."""
    topics = [topic for topic in human.topics if topic in machine.topic_index]
    if not topics:
        raise InputError(
            f"{shown_name(human.path)} and {shown_name(machine.path)} must have a topic in common, but have none"
        )
    return topics


def _run_statistics(
    experiment: Experiment,
    both: TwoLabellings,
    bootstrap: LabelBootstrap,
    *,
    groups: Sequence[str] | None,
    top: int | None,
    rerank: bool,
    human_topics: Sequence[int],
    progress: bool,
    warn: Warn,
) -> list[AgreementStatistic]:
    """Return statistics of the runs under human and machine labels; ``groups`` has the group of each run."""
    runs = experiment.runs
    shuffles = SHUFFLES if (groups or rerank) and bootstrap.resamples > 1 else 0
    evaluated = with_reranked(experiment, both.machine) if rerank else experiment
    by_measure = list(evaluations(evaluated, both, warn, shuffles=shuffles, seed=bootstrap.seed))
    statistics: list[AgreementStatistic] = []
    total = bootstrap.resamples * len(by_measure) if runs[1:] else 0
    with progress_bar("draws of topics", total, shown=progress) as advance:
        for paired in by_measure:
            original: PairedEvaluations = paired.of_first_runs(len(runs))
            statistics += original.statistics(bootstrap, groups, advance, top=top)
            if rerank:
                statistics += Reranking(paired, bootstrap).statistics()
            statistics += original.errors_left(human_topics, bootstrap.seed)
    return statistics


def _warnings(
    agreement: DocumentAgreement, statistics: Sequence[AgreementStatistic], human: Judgments, machine: Judgments
) -> Iterator[str]:
    """Yield cautions on coverage, missing grades and skewed grades."""
    ours, theirs = shown_name(human.path), shown_name(machine.path)
    if lacking := agreement.n_human - agreement.n_pairs:
        coverage = agreement.n_pairs / agreement.n_human
        yield (
            f"coverage {coverage:.4f}: {theirs} does not label {lacking} of the {agreement.n_human} documents that "
            f"{ours} labels; they are left out"
        )
    if others := agreement.n_machine - agreement.n_pairs:
        yield (
            f"{others} of the {agreement.n_machine} labels of {theirs} are of documents that {ours} does not label "
            "(coverage_machine); the quality of these labels is unknown"
        )
    if levels := agreement.levels_without_labels:
        which = ", ".join(map(str, levels[:10])) + (f" and {len(levels) - 10} more" if levels[10:] else "")
        yield f"level {which}: no human label has this grade"
    value = {statistic.statistic: statistic.value for statistic in statistics if statistic.level is None}
    kappa, ac1 = value["kappa"], value["ac1"]
    if kappa is not None and ac1 is not None and abs(kappa - ac1) > SKEWED:
        yield (
            f"kappa ({kappa:.4f}) and ac1 ({ac1:.4f}) differ by more than {SKEWED}: nearly all labels have "
            "one grade, so that chance agreement is high for kappa and low for ac1"
        )
    if kappa is None:
        yield "kappa is not defined: all labels have the same grade"


def _group_warnings(statistics: Sequence[AgreementStatistic], alpha: float, name: str) -> Iterator[str]:
    """Yield a line for each group that a machine favours or disfavours significantly."""
    biases = {(bias.measure, bias.group): bias for bias in statistics if bias.statistic == "excess_bias"}
    for p in statistics:
        if p.statistic != "excess_bias_p" or p.value is None or p.value >= alpha:
            continue
        bias = biases[p.measure, p.group]
        verb = "favours" if (bias.value or 0) > 0 else "disfavours"
        yield (
            f"{bias.measure}: {name} {verb} group {quote(bias.group or '')}: excess_bias {bias.value:+.4f} "
            f"({bias.low:+.4f} to {bias.high:+.4f}), p corrected for the groups {p.value:.4f}"
        )

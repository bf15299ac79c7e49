"""What one judge's labels say of documents and of runs, beside those of people, and warnings about them."""

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
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.lab.labelling.document_agreement import DocumentAgreement
from irevalx.lab.labelling.findings import Finding, Resampling
from irevalx.lab.labelling.reranking import Reranking, with_reranked
from irevalx.lab.labelling.run_agreement import SHUFFLES, TwoEvaluations, evaluations
from irevalx.process.terminal import progress_bar
from irevalx.statistics.bootstrap import bootstrap_warnings

SKEWED = 0.2
"""Where kappa and AC1 differ by more than this, one grade has nearly all labels."""


class Asked(Frozen, kw_only=True):
    """What is asked of each judge; the fields are keywords of ``labels``.

    Parameters
    ----------
    resampling : how intervals are made.
    human_topics : of how many topics to say what error would be left if people judged them.
    progress : whether to show on standard error how many draws have been made.
    """

    runs: Any
    measures: Any
    by_topic: bool
    groups: str | PathLike[str] | Mapping[str, str] | None
    group_by: str | None
    top: int | None
    rerank: bool
    resampling: Resampling
    level: int
    complete: bool
    min_retrieved: float
    human_topics: Sequence[int] = ()
    progress: bool = False


def compared(
    human: Judgments, machine: Judgments, asked: Asked, name: str | None = None, tell: Warn = warn
) -> tuple[list[Finding], tuple[str, ...]]:
    """Compare a judge's labels with those of people.

    Parameters
    ----------
    name : of the judge, in warnings; None for a machine alone.
    tell : is called with warnings.

    Returns
    -------
    Findings, and notes: on the topics of the labels, and with runs on those of their scores.

    Raises
    ------
    As ``labels``.
    """
    both = TwoLabellings.of(human, machine, common_topics(human, machine))
    agreement = DocumentAgreement(both, human, machine)
    resampling = asked.resampling if name is None else asked.resampling.for_few_topics(agreement.n_topics)
    found = list(agreement.findings(resampling))
    who = "" if name is None else f"{name}: "
    for line in (*topic_warnings(human, machine), *_warnings(agreement, found, human, machine)):
        tell(f"{who}{line}")
    if asked.resampling.resamples:
        for line in bootstrap_warnings(agreement.n_topics):
            tell(line)
    if asked.by_topic:
        found += agreement.findings_by_topic()
    topics = f"Topics: {agreement.which_topics(shown_name(human.path), shown_name(machine.path))}."
    if not are_given(asked.runs):
        return found, (topics,)
    experiment = experiment_of(
        Qrels(both.judgments),
        asked.runs,
        asked.measures,
        level=asked.level,
        complete=asked.complete,
        min_retrieved=asked.min_retrieved,
        least_runs=1,
    )
    of_runs = _run_findings(experiment, both, asked, tell)
    for line in _group_warnings(of_runs, asked.resampling.alpha, name or "the machine"):
        tell(line)
    which = topics_compared(len(experiment.topics), both.judgments.rows.n, experiment.lacking, "topics of both files")
    return found + of_runs, (topics, f"Topics of the scores of runs: {which}.")


def common_topics(human: Judgments, machine: Judgments) -> list[bytes]:
    """Return the topics of both; raises InputError if there is none."""
    topics = [topic for topic in human.topics if topic in machine.topic_index]
    if not topics:
        raise InputError(
            f"{shown_name(human.path)} and {shown_name(machine.path)} must have a topic in common, but have none"
        )
    return topics


def _run_findings(experiment: Experiment, both: TwoLabellings, asked: Asked, tell: Warn) -> list[Finding]:
    runs, resampling = experiment.runs, asked.resampling
    of_run = None
    if asked.groups is not None or asked.group_by is not None:
        of_run = two_groups_of(runs, asked.groups, asked.group_by)
    shuffles = SHUFFLES if (of_run or asked.rerank) and resampling.resamples > 1 else 0
    evaluated = experiment if not asked.rerank else with_reranked(experiment, both.machine)
    each = list(evaluations(evaluated, both, tell, shuffles=shuffles, seed=resampling.seed))
    found: list[Finding] = []
    total = resampling.resamples * len(each) if runs[1:] else 0
    with progress_bar("draws of topics", total, shown=asked.progress) as advance:
        for one in each:
            as_they_are: TwoEvaluations = one.of_first_runs(len(runs))
            found += as_they_are.findings(resampling, of_run, advance, top=asked.top)
            if asked.rerank:
                found += Reranking(one, resampling).findings()
            found += as_they_are.errors_left(asked.human_topics, resampling.seed)
    return found


def _warnings(
    agreement: DocumentAgreement, found: Sequence[Finding], human: Judgments, machine: Judgments
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


def _group_warnings(found: Sequence[Finding], alpha: float, name: str) -> Iterator[str]:
    """Yield a line for each group that a machine favours, or the opposite."""
    values = {(one.measure, one.group): one for one in found if one.statistic == "excess_bias"}
    for p in found:
        if p.statistic != "excess_bias_p" or p.value is None or p.value >= alpha:
            continue
        one = values[p.measure, p.group]
        does = "favours" if (one.value or 0) > 0 else "disfavours"
        yield (
            f"{one.measure}: {name} {does} group {quote(one.group or '')}: excess_bias {one.value:+.4f} "
            f"({one.low:+.4f} to {one.high:+.4f}), p corrected for the groups {p.value:.4f}"
        )

"""How far labels from elsewhere, such as a machine's, agree with judgments: of documents, and of the scores of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike

import numpy as np

from irevalx.api import checks
from irevalx.api.inputs import GivenQrels, Qrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.group_names import two_groups_of
from irevalx.experiments.label_files import TwoLabellings, topic_warnings
from irevalx.experiments.seeds import MOST_DRAWS, chosen_seed
from irevalx.experiments.user_data import are_given, experiment_of, graded_judgments_of, labels_of, probability
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.progress_bars import progress_bar
from irevalx.lab.labelling.label_findings import Finding, LabelFindings
from irevalx.lab.labelling.resampling import NO_INTERVAL, Resampling, known
from irevalx.lab.labelling.run_agreement import SHUFFLES, evaluations
from irevalx.process.system import as_text
from irevalx.statistics.bootstrap import TopicDraws, bootstrap_warnings
from irevalx.statistics.label_agreement import at_level, coefficients, confusions_by_topic
from irevalx.statistics.significance import ALPHA

RESAMPLES = 1000
"""Draws of topics for intervals, unless told otherwise."""

SKEWED = 0.2
"""Where kappa and AC1 differ by more than this, one grade has nearly all labels."""

MOST_CATEGORIES = 101
"""So many grades may lie between the least and the greatest, both included: those of 0 to 100."""


class DocumentAgreement:
    """How two files label the documents that both label.

    Parameters
    ----------
    labels : both files, on the topics that both have.
    human, machine : the files as they were read, of which all labels are counted.

    Attributes
    ----------
    n_pairs, n_human, n_machine : numbers of documents that both, that people, and that the machine have labelled.
    categories : all whole numbers from the least to the greatest grade of these pairs.
    grades : shape (n_grades,); those that occur.
    confusions : shape (n_topics, n_grades, n_grades).

    Raises
    ------
    InputError : no document has a label in both files, or the grades are too many to be categories.
    """

    def __init__(self, labels: TwoLabellings, human: Judgments, machine: Judgments) -> None:
        pairs = labels.have_both
        rows = labels.judgments.rows
        self.n_pairs = int(pairs.sum())
        self.n_human, self.n_machine = (int((one.grades >= 0).sum()) for one in (human, machine))
        if not self.n_pairs:
            raise InputError(
                f"{shown_name(human.path)} and {shown_name(machine.path)} must have a document that both label, but "
                f"have none on the {rows.n} topics of both"
            )
        ours, theirs = labels.human[pairs], labels.machine[pairs]
        self.grades: IntArray = np.unique(np.concatenate((ours, theirs)))
        least, greatest = int(self.grades[0]), int(self.grades[-1])
        if greatest - least >= MOST_CATEGORIES:
            raise InputError(
                f"labels must be at most {MOST_CATEGORIES} different grades, but those of {shown_name(human.path)} "
                f"and {shown_name(machine.path)} reach from {least} to {greatest}"
            )
        self.categories = range(least, greatest + 1)
        self.levels = range(max(1, least + 1), greatest + 1)
        self.topics = [as_text(topic) for topic in labels.judgments.topics]
        self.confusions = confusions_by_topic(ours, theirs, self.grades.tolist(), rows.ids[pairs], rows.n)
        self._by_topic = [rows.count(mask).tolist() for mask in (pairs, labels.human >= 0, labels.machine >= 0)]

    @property
    def counts(self) -> FloatArray:
        """The pairs of all topics together, shape (n_grades, n_grades)."""
        total: FloatArray = self.confusions.sum(axis=0)
        return total

    @property
    def n_topics(self) -> int:
        """The number of topics that have pairs: those that are drawn for intervals."""
        return int((self.confusions.sum(axis=(1, 2)) > 0).sum())

    @property
    def levels_without_labels(self) -> list[int]:
        """The levels that are no human label's grade."""
        used = set(self.grades[self.counts.sum(axis=1) > 0].tolist())
        return [level for level in self.levels if level not in used]

    def findings(self, resampling: Resampling) -> Iterator[Finding]:
        """Yield numbers, coverage, confusion, coefficients, and what there is at each level, of all topics together."""
        yield from self._counted(None, self.counts, self.n_pairs, self.n_human, self.n_machine)
        with_pairs = self.confusions[self.confusions.sum(axis=(1, 2)) > 0]

        def of_draws(draws: TopicDraws) -> Mapping[tuple[str, int | None], FloatArray]:
            return self._statistics(np.rint(draws.means(np.moveaxis(with_pairs, 0, -1)) * len(with_pairs)))

        intervals = resampling.intervals(len(with_pairs), self.grades.size**2, of_draws)
        for (name, level), value in self._statistics(self.counts).items():
            low, high = intervals.get((name, level), NO_INTERVAL)
            yield Finding(statistic=name, level=level, value=known(float(value)), low=low, high=high)

    def findings_by_topic(self) -> Iterator[Finding]:
        """Yield the same for each topic, without intervals."""
        for topic, counts, *numbers in zip(self.topics, self.confusions, *self._by_topic, strict=True):
            yield from self._counted(topic, counts, *numbers)
            for (name, level), value in self._statistics(counts).items():
                yield Finding(statistic=name, topic=topic, level=level, value=known(float(value)))

    def _counted(
        self, topic: str | None, counts: FloatArray, pairs: int, n_human: int, n_machine: int
    ) -> Iterator[Finding]:
        """Yield what has no interval: numbers, coverage and confusion."""
        for name, number in (("pairs", pairs), ("pairs_human", n_human), ("pairs_machine", n_machine)):
            yield Finding(statistic=name, topic=topic, value=number)
        for name, number in (("coverage", n_human), ("coverage_machine", n_machine)):
            yield Finding(statistic=name, topic=topic, value=pairs / number if number else None)
        place = {grade: number for number, grade in enumerate(self.grades.tolist())}
        for a in self.categories:
            for b in self.categories:
                both_used = a in place and b in place
                number = int(counts[place[a], place[b]]) if both_used else 0
                yield Finding(statistic="confusion", topic=topic, human=a, machine=b, value=number)

    def _statistics(self, counts: FloatArray) -> dict[tuple[str, int | None], FloatArray]:
        """Return statistics by name and level; those of all grades have no level."""
        found: dict[tuple[str, int | None], FloatArray] = {
            (name, None): value for name, value in coefficients(counts, self.grades, len(self.categories)).items()
        }
        for level in self.levels:
            found |= {(name, level): value for name, value in at_level(counts, self.grades, level).items()}
        return found


def labels(
    human: GivenQrels,
    machine: GivenQrels,
    runs: Runs | None = None,
    measures: Measures = "map",
    *,
    by_topic: bool = False,
    groups: str | PathLike[str] | Mapping[str, str] | None = None,
    group_by: str | None = None,
    top: int | None = None,
    resamples: int = RESAMPLES,
    alpha: float = ALPHA,
    seed: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    labels_format: str | None = None,
    progress: bool = False,
) -> LabelFindings:
    """Measure how far a second file of labels, such as a machine's, agrees with judgments.

    Parameters
    ----------
    human, machine : judgments of the same documents, ``{topic: {docno: grade}}``, or whatever else
        ``irevalx.Qrels.read`` takes; ``human`` counts as the truth where there is one.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes, to
        compare their scores under both; None for the documents alone.
    measures : of the runs' scores, such as "map", "P.5,10" or "nDCG@10"; one or several.
    by_topic : add the agreement of labels for each topic, without intervals.
    groups : the group of each run: a dictionary, or a file with a line ``RUN GROUP`` each; None for no groups.
    group_by : a regular expression that finds the group in the name of a run.
    top : with runs, add how so many of the best runs by ``human`` agree, as ``agree`` does; None for nothing.
    resamples : draws of the topics, for intervals; 0 for none.
    alpha : intervals reach from the alpha/2 to the 1 - alpha/2 quantile over the draws.
    seed : of the draws; None for a new one, which the result has.
    level : the least grade that is relevant for the measures.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format, labels_format : the formats of ``human`` and of ``machine``, if they are files: "qrels", "beir" or
        "json"; None for the same.
    progress : show on standard error how many draws have been made, on a terminal.

    Raises
    ------
    InputError : no topic or document has a label in both, there are too many grades, or a measure has no value.
    UsageError : there are groups without runs, or fewer than two groups.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> human = {"1": {"A": 1, "B": 0, "C": 1}, "2": {"D": 1, "E": 0}}
    >>> machine = {"1": {"A": 1, "B": 1, "C": 1}, "2": {"D": 1, "E": 0}}
    >>> found = {row.statistic: row.value for row in irevalx.lab.labels(human, machine, resamples=0).rows}
    >>> found["pairs"], found["agreement"], round(found["recall"], 2)
    (5, 0.8, 1.0)
    """
    with_groups = groups is not None or group_by is not None
    if with_groups and not are_given(runs):
        raise UsageError("groups and group_by must be given together with runs")
    if top is not None and not are_given(runs):
        raise UsageError("top must be given together with runs")
    top = None if top is None else checks.whole_number("top", top, least=2)
    resamples = checks.whole_number("resamples", resamples, least=0, most=MOST_DRAWS)
    alpha = probability("alpha", alpha)
    by_topic, progress = checks.flag("by_topic", by_topic), checks.flag("progress", progress)
    used_seed = chosen_seed(seed)
    ours, theirs = graded_judgments_of(human, rel_format), labels_of(machine, labels_format, rel_format)
    both = TwoLabellings.of(ours, theirs, _common_topics(ours, theirs))
    resampling = Resampling(resamples=resamples, seed=used_seed, alpha=alpha)
    agreement = DocumentAgreement(both, ours, theirs)
    found = list(agreement.findings(resampling))
    for line in (*topic_warnings(ours, theirs), *_warnings(agreement, found, ours, theirs)):
        warn(line)
    if resamples:
        for line in bootstrap_warnings(agreement.n_topics):
            warn(line)
    if by_topic:
        found += agreement.findings_by_topic()
    notes: tuple[str, ...] = ()
    if are_given(runs):
        experiment = experiment_of(
            Qrels(both.judgments),
            runs,
            measures,
            level=level,
            complete=complete,
            min_retrieved=min_retrieved,
            least_runs=1,
        )
        of_run = two_groups_of(experiment.runs, groups, group_by) if with_groups else None
        of_runs = _run_findings(experiment, both, resampling, of_run, top, progress=progress)
        for line in _group_warnings(of_runs, alpha):
            warn(line)
        found += of_runs
        notes = experiment.notes()
    return LabelFindings(found, used_seed if resamples else None, notes=notes)


def _common_topics(human: Judgments, machine: Judgments) -> list[bytes]:
    topics = [topic for topic in human.topics if topic in machine.topic_index]
    if not topics:
        raise InputError(
            f"{shown_name(human.path)} and {shown_name(machine.path)} must have a topic in common, but have none"
        )
    return topics


def _run_findings(
    experiment: Experiment,
    both: TwoLabellings,
    resampling: Resampling,
    of_run: list[str] | None,
    top: int | None,
    *,
    progress: bool,
) -> list[Finding]:
    shuffles = SHUFFLES if of_run and resampling.resamples > 1 else 0
    evaluated = list(evaluations(experiment, both, warn, shuffles=shuffles, seed=resampling.seed))
    total = resampling.resamples * len(evaluated) if experiment.runs[1:] else 0
    with progress_bar("draws of topics", total, shown=progress) as advance:
        return [finding for one in evaluated for finding in one.findings(resampling, of_run, advance, top=top)]


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


def _group_warnings(found: Sequence[Finding], alpha: float) -> Iterator[str]:
    """Yield a line for each group that the machine favours, or the opposite."""
    values = {(one.measure, one.group): one for one in found if one.statistic == "excess_bias"}
    for p in found:
        if p.statistic != "excess_bias_p" or p.value is None or p.value >= alpha:
            continue
        one = values[p.measure, p.group]
        does = "favours" if (one.value or 0) > 0 else "disfavours"
        yield (
            f"{one.measure}: the machine {does} group {quote(one.group or '')}: excess_bias {one.value:+.4f} "
            f"({one.low:+.4f} to {one.high:+.4f}), p corrected for the groups {p.value:.4f}"
        )

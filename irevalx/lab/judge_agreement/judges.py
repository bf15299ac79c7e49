"""Labels of judges, combined labels of several judges, and the evaluation of a single judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray
from irevalx.errors import InputError, UsageError, Warn, quote, shown_name, warn
from irevalx.experiments.inputs import QrelsText, are_given
from irevalx.experiments.labels import (
    RELEVANT,
    LabelReading,
    Labels,
    PairedLabels,
    grades_for,
    places_of,
    topic_warnings,
)
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import EvaluationRules, GradedRuns, topics_compared
from irevalx.experiments.run_groups import GivenGroups, two_groups_of
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.judge_agreement.document_agreement import DocumentAgreement, LabelBootstrap
from irevalx.lab.judge_agreement.group_bias import group_favours
from irevalx.lab.judge_agreement.parts import AgreementPart, Estimate, Estimates
from irevalx.lab.judge_agreement.run_agreement import SHUFFLES, run_agreements, with_reranked
from irevalx.process.terminal import progress_bar
from irevalx.statistics.label_agreement import MOST_ROUNDS, dawid_skene, mean_grade, nearest_grade, vote
from irevalx.wording import spelled

HUMAN, SECOND_HUMAN = "human", "second_human"
"""The names of the human judges."""

COMBINATIONS = ("vote", "mean", "dawid_skene")
"""The methods that combine the labels of several machines into integer grades."""

WRITTEN = (*COMBINATIONS, "probability")
"""The combined labels that can be written: ``COMBINATIONS``, and probabilities of relevance in Dawid and Skene's
model."""


class Judge(Frozen, kw_only=True):
    """The labels of a human or machine judge."""

    name: str
    labels: Judgments  # the grades of the first answer
    answers: tuple[Judgments, ...] = ()  # all answers, including the first one
    probability: FloatArray | None = None  # probability of relevance of each document; None for grades
    values: FloatArray | None = None  # the labels before thresholding or rounding; None if all are integer grades
    is_cut: bool = False  # whether the labels are binary because probabilities of relevance were thresholded
    n_rounded: int = 0  # the number of labels that are rounded to the nearest integer grade
    maximum: float = 1.0  # the label in the input that corresponds to 1 in ``values``
    first_answer: Labels | None = None  # the first answer before conversion; None for combinations of machines

    @classmethod
    def of(cls, name: str, answers: Sequence[Labels]) -> Judge:
        """Return the judge that gave the answers.

        If one answer contains probabilities, labels 0 and 1 in other answers are also read as probabilities.
        """
        if any(answer.probability is not None for answer in answers):
            answers = [answer.as_probabilities() for answer in answers]
        return cls(
            name=name,
            labels=answers[0].judgments,
            answers=tuple(answer.judgments for answer in answers),
            probability=answers[0].probability,
            values=answers[0].values,
            is_cut=answers[0].probability is not None,
            n_rounded=sum(answer.n_rounded for answer in answers),
            maximum=answers[0].maximum,
            first_answer=answers[0],
        )

    @property
    def numbers(self) -> AnyArray:
        """The labels of the judge before thresholding or rounding."""
        return self.labels.grades if self.values is None else self.values


class CombinedLabels(Frozen, kw_only=True):
    """The combined labels of several machines."""

    judges: tuple[Judge, ...] = ()  # a judge for each of ``COMBINATIONS``
    texts: Mapping[str, bytes] = {}  # the content of each file of ``WRITTEN``: sorted lines ``TOPIC 0 DOCNO GRADE``


def judges_of(
    reading: LabelReading, human: Any, machine: Any, machines: Any, second_human: Any, columns: Sequence[str]
) -> list[Judge]:
    """Read the labels of all judges: the human judge, one or more machines, and a second human assessor.

    ``columns`` names the columns of the table ``human`` with the labels of the human judge and of machines.
    """
    labels, *of_columns = reading.columns(human, columns) if columns else [reading.human(human)]
    if columns[2:]:
        machines = dict(zip(columns[1:], of_columns, strict=True))
    if machines is None:
        each = [labels, *(of_columns or [reading.machine(machine)])]
        return [Judge.of(shown_name(judge.judgments.path), [judge]) for judge in each]
    judges = [Judge.of(HUMAN, [labels]), *machines_of(machines, reading)]
    if second_human is not None:
        judges.insert(1, Judge.of(SECOND_HUMAN, [reading.human(second_human)]))
    return judges


def machines_of(machines: Mapping[str, Any], reading: LabelReading) -> list[Judge]:
    """Read the judgments of each machine. Raise UsageError if the name of a machine is invalid or a list is empty.

    A list of judgments contains the repeated answers of a machine.
    """
    if not machines:
        raise UsageError(f"{spelled('machines')} must contain at least one machine")
    reserved = {HUMAN, SECOND_HUMAN, *WRITTEN}
    judges = []
    for name, given in machines.items():
        if not name or name in reserved:
            raise UsageError(f"invalid name {quote(name)} of a machine: {', '.join(sorted(reserved))} are reserved")
        answers = given if isinstance(given, list | tuple) else (given,)
        if not answers:
            raise UsageError(f"machine {quote(name)} has no labels; give at least one file or dictionary")
        read = [answer if isinstance(answer, Labels) else reading.machine(answer) for answer in answers]
        judges.append(Judge.of(name, read))
    return judges


def binarise(judgments: Judgments, level: int) -> Judgments:
    """Return binary judgments. A grade of at least ``level`` becomes 1, and another grade becomes 0."""
    grades = np.where(judgments.grades < 0, UNJUDGED_IN_FILES, judgments.grades >= level).astype(np.int64)
    return replace(judgments, grades=grades)


def binarise_judge(judge: Judge, level: int) -> Judge:
    """Convert the grades of a judge to binary grades: 1 from ``level`` on, and 0 for lower grades."""
    if judge.is_cut:
        return judge
    answers = tuple(binarise(answer, level) for answer in judge.answers)
    return replace(judge, labels=binarise(judge.labels, level), answers=answers, is_cut=True)


def on_one_scale(judges: Sequence[Judge], level: int) -> tuple[list[Judge], int]:
    """Return the judges with comparable labels, and the relevance threshold for these labels.

    If a judge assigns probabilities, the labels of all judges become binary.
    """
    if not any(judge.is_cut for judge in judges):
        return list(judges), level
    return [binarise_judge(judge, level) for judge in judges], 1


class PairedNumbers(Frozen):
    """The labels of a judge and of the human judge on a common scale, for each document that the judge labels."""

    place: IntArray  # index of the document in the human labels, or ABSENT
    human_grade: IntArray  # negative if the document has no human grade
    machine_grade: IntArray  # negative if the document has no machine grade
    human: AnyArray  # the human label before rounding; unspecified if the grade is negative
    machine: AnyArray  # the machine label before rounding

    @classmethod
    def of(cls, human: Judge, judge: Judge, level: int) -> PairedNumbers:
        """Pair the labels of two judges.

        If one judge assigns probabilities, ``level`` is the relevance threshold for the grades of the other judge.
        """
        first, second = on_one_scale([human, judge], level)[0]
        place = places_of(judge.labels, human.labels)
        human_grade = np.where(place == ABSENT, UNJUDGED_IN_FILES, first.labels.grades[place])
        ours, theirs = (
            given.numbers if given.is_cut == scaled.is_cut else scaled.labels.grades
            for given, scaled in ((human, first), (judge, second))
        )
        return cls(place, human_grade, second.labels.grades, ours[place], theirs)

    @property
    def have_both(self) -> BoolArray:
        """Whether each document has labels of both judges."""
        return (self.human_grade >= 0) & (self.machine_grade >= 0)


def on_documents_of(labels: Judgments, others: Judgments) -> Judgments:
    """Return labels in which all documents without a grade in the judgments ``others`` are unjudged."""
    grades, _ = grades_for(labels, others)
    return replace(labels, grades=np.where(grades < 0, UNJUDGED_IN_FILES, labels.grades))


def notes_on_cuts(judges: Sequence[Judge], level: int) -> tuple[str, ...]:
    """Return sentences about thresholded or rounded labels. ``level`` is the relevance threshold for grades."""
    probabilistic = [judge.name for judge in judges if judge.is_cut]
    rounded = [f"{judge.name} ({judge.n_rounded} labels)" for judge in judges if judge.n_rounded]
    notes = []
    if probabilistic:
        notes.append(
            f"Labels of {', '.join(probabilistic)} are probabilities of relevance, cut at {RELEVANT}: documents with a "
            f"probability of at least {RELEVANT} are relevant. For comparison with these judges, the labels of other "
            f"judges are cut at {level} ({spelled('level')})."
        )
    if rounded:
        notes.append(
            f"Labels that are not integers are rounded to the nearest integer grade (1.5 to 1): {', '.join(rounded)}."
        )
    return tuple(notes)


def combine_labels(machines: Sequence[Judge], level: int) -> CombinedLabels:
    """Combine the labels of machines by vote, mean grade, and Dawid and Skene's model.

    A document has a combined label if at least one machine labels the document.
    """
    if len(machines) < 2:
        return CombinedLabels()
    machines, level = on_one_scale(machines, level)
    documents, labels = table_of(machines)
    grades: IntArray = np.unique(labels[labels >= 0])
    codes = np.where(labels < 0, -1, np.searchsorted(grades, labels))
    model = dawid_skene(codes, grades.size)
    if model.rounds == MOST_ROUNDS:
        warn(f"dawid_skene: the model has not converged after {MOST_ROUNDS} iterations")
    if len(machines) == 2:
        warn("dawid_skene: with two machines, the model cannot identify which one errs; it requires three")
    of_grades = {
        "vote": vote(labels),
        "mean": nearest_grade(mean_grade(labels)),
        "dawid_skene": grades[model.grades],
    }
    probability: FloatArray = np.minimum(model.probabilities[:, grades >= level].sum(axis=1), 1.0)
    texts = {name: _text(documents, [b"%d" % grade for grade in of_all.tolist()]) for name, of_all in of_grades.items()}
    texts["probability"] = _text(documents, [b"%.9g" % value for value in probability.tolist()])
    judges = []
    for name in COMBINATIONS:
        judgments = QrelsText.parsed(name, [texts[name]]).judgments
        assert isinstance(judgments, Judgments)
        of_model = probability if name == "dawid_skene" else None
        judges.append(Judge(name=name, labels=judgments, probability=of_model, is_cut=machines[0].is_cut))
    return CombinedLabels(judges=tuple(judges), texts=texts)


def table_of(judges: Sequence[Judge]) -> tuple[list[tuple[bytes, bytes]], IntArray]:
    """Return the documents that judges label, sorted by topic and ID, and the grades of each document.

    The shape of the grades is (n_documents, n_judges).
    """
    grades: dict[tuple[bytes, bytes], dict[int, int]] = {}
    for number, judge in enumerate(judges):
        judgments = judge.labels
        lines = zip(judgments.rows.ids.tolist(), judgments.docnos.texts(), judgments.grades.tolist(), strict=True)
        for topic, docno, grade in lines:
            if grade >= 0:
                grades.setdefault((judgments.topics[topic], docno), {})[number] = grade
    if not grades:
        raise InputError(f"{shown_name(judges[0].labels.path)}: no machine has labels")
    documents = sorted(grades)
    labels = np.full((len(documents), len(judges)), -1, np.int64)
    for row, document in enumerate(documents):
        for number, grade in grades[document].items():
            labels[row, number] = grade
    return documents, labels


def _text(documents: Sequence[tuple[bytes, bytes]], values: Sequence[bytes]) -> bytes:
    lines = zip(documents, values, strict=True)
    return b"".join(b"%s 0 %s %s\n" % (topic, docno, value) for (topic, docno), value in lines)


SKEWED = 0.2
"""The difference between kappa and AC1 above which a warning explains the difference."""

GREATEST_GRADE = 10
"""The label above which machine labels that exceed all human grades are probably percentages."""


class JudgeComparison(Frozen, kw_only=True):
    """The comparison of a judge with the human judge. The fields have the names of the arguments of ``labels``."""

    bootstrap: LabelBootstrap
    runs: Any
    measures: Any
    by_topic: bool
    groups: GivenGroups
    group_by: str | None
    top: int | None
    rerank: bool
    human_topics: Sequence[int]
    rules: EvaluationRules
    progress: bool

    def compare(
        self, human: Judgments, machine: Judgments, level: int, name: str | None = None, warn: Warn = warn
    ) -> tuple[list[AgreementPart], tuple[str, ...]]:
        """Return statistics of a judge's labels, and notes on topics. ``level`` is the relevance threshold."""
        both = PairedLabels.of(human, machine, common_topics(human, machine))
        agreement = DocumentAgreement(both, human, machine)
        parts = list(agreement.statistics(self.bootstrap))
        prefix = "" if name is None else f"{name}: "
        _, coefficients, *_ = parts
        cautions = _warnings(agreement, coefficients.statistics, human, machine)
        for line in (*topic_warnings(human, machine), *cautions):
            warn(f"{prefix}{line}")
        for line in self.bootstrap.warnings(agreement.n_topics):
            warn(line)
        if self.by_topic:
            parts += agreement.statistics_by_topic()
        topics = f"Topics: {agreement.which_topics(shown_name(human.path), shown_name(machine.path))}."
        if not are_given(self.runs):
            return parts, (topics,)
        rules = replace(self.rules, settings=replace(self.rules.settings, level=level))
        experiment = prepare_graded_runs(both.judgments, self.runs, self.measures, rules).ranked()
        of_runs = self._run_statistics(experiment, both, warn)
        of_groups = favour_warnings(of_runs, self.bootstrap.alpha, name or "the machine")
        for line in (*self.bootstrap.warnings_of_runs(len(experiment.topics)), *of_groups):
            warn(line)
        which = topics_compared(
            len(experiment.topics), both.judgments.rows.n, experiment.lacking, "topics of both judges"
        )
        return parts + of_runs, (
            topics,
            f"Topics of the run scores: {which}.",
            *_notes_on_unlabelled(both, of_groups=self._is_grouped, rerank=self.rerank),
        )

    @property
    def _is_grouped(self) -> bool:
        return self.groups is not None or self.group_by is not None

    def _run_statistics(self, experiment: GradedRuns, both: PairedLabels, warn: Warn) -> list[AgreementPart]:
        """Return statistics of the runs under human and machine labels."""
        runs = experiment.runs
        groups = two_groups_of(runs, self.groups, self.group_by) if self._is_grouped else None
        bootstrap = self.bootstrap if len(experiment.topics) > 1 else replace(self.bootstrap, resamples=0)
        shuffles = SHUFFLES if (groups or self.rerank) and bootstrap.resamples > 1 else 0
        evaluated = with_reranked(experiment, both.machine) if self.rerank else experiment
        by_measure = list(run_agreements(evaluated, both, bootstrap, warn, shuffles=shuffles))
        of_human = by_measure  # groups and reranked runs are compared only on documents with human labels
        if (groups or self.rerank) and ((both.machine >= 0) & (both.human < 0)).any():
            labels = both.of_human_documents
            of_human = list(run_agreements(evaluated, labels, bootstrap, shuffles=shuffles))
        favours = dict(group_favours(experiment, both, groups)) if groups else {}
        parts: list[AgreementPart] = []
        total = bootstrap.resamples * len(by_measure) if runs[1:] else 0
        with progress_bar("draws of topics", total, enabled=self.progress) as advance:
            for agreement, on_human in zip(by_measure, of_human, strict=True):
                original = agreement.of_first_runs(len(runs))
                of_groups = favours.get(agreement.paired.measure, {})
                parts += original.statistics(advance, top=self.top)
                parts += [
                    replace(part, statistics={**part.statistics, **of_groups.get(part.group or "", {})})
                    for part in (on_human.of_first_runs(len(runs)).group_statistics(groups) if groups else ())
                ]
                if self.rerank:
                    parts += on_human.gain_statistics()
                parts += original.errors_left(self.human_topics)
        return parts


def common_topics(human: Judgments, machine: Judgments) -> list[bytes]:
    """Return the topics that both judges label. Raise InputError if no topic has labels of both judges."""
    topics = [topic for topic in human.topics if topic in machine.topic_index]
    if not topics:
        raise InputError(f"{shown_name(human.path)} and {shown_name(machine.path)} have no topic in common")
    return topics


def _notes_on_unlabelled(both: PairedLabels, *, of_groups: bool, rerank: bool) -> Iterator[str]:
    """Yield a sentence for each judge about documents that only the other judge labels, which count as unjudged."""
    labelled = {"human": both.human >= 0, "machine": both.machine >= 0}
    kinds = [*["groups"] * of_groups, *["reranking"] * rerank]
    for judge, other in (("machine", "human"), ("human", "machine")):
        if n_lacking := int((labelled[other] & ~labelled[judge]).sum()):
            yield (
                f"{n_lacking} documents have a {other} label and no {judge} label. They count as unjudged in the run "
                f"scores under the {judge} labels, on which the bias, ranks and significance decisions of runs depend."
                + (
                    f" The statistics of {' and of '.join(kinds)} exclude the machine labels of these documents."
                    if judge == "human" and kinds
                    else ""
                )
                + f" To exclude this effect, remove these documents from the {other} labels."
            )


def _warnings(
    agreement: DocumentAgreement, coefficients: Estimates, human: Judgments, machine: Judgments
) -> Iterator[str]:
    """Yield warnings about coverage, missing grades and skewed grades."""
    ours, theirs = shown_name(human.path), shown_name(machine.path)
    if lacking := agreement.n_human - agreement.n_pairs:
        coverage = agreement.n_pairs / agreement.n_human
        yield (
            f"coverage {coverage:.4f}: {theirs} does not label {lacking} of the {agreement.n_human} documents that "
            f"{ours} labels; they are left out of the agreement on documents"
        )
    if others := agreement.n_machine - agreement.n_pairs:
        yield (
            f"{others} of the {agreement.n_machine} labels of {theirs} are of documents that {ours} does not label "
            "(coverage_machine); the quality of these labels is unknown"
        )
    used, greatest = set(agreement.grades[agreement.counts.sum(axis=1) > 0].tolist()), int(agreement.grades[-1])
    if greatest > max(GREATEST_GRADE, *used):
        yield (
            f"labels of {theirs} range up to {greatest}, but human grades only up to {max(used)}, so that agreement "
            f"and kappa are not informative; {spelled('labels_max', 100)} reads labels from 0 to 100 as probabilities "
            "of relevance"
        )
    elif levels := [level for level in agreement.levels if level not in used]:
        which = ", ".join(map(str, levels[:10])) + (f" and {len(levels) - 10} more" if levels[10:] else "")
        yield f"level {which}: no human label has this grade"
    of_pairs = [int(agreement.grades[agreement.counts.sum(axis=axis) > 0].max()) for axis in (1, 0)]
    of_files = [int(labels.grades.max()) for labels in (human, machine)]
    if of_pairs[0] != of_pairs[1] and of_files[0] != of_files[1] and greatest <= GREATEST_GRADE:
        yield (
            f"grades of {ours} range up to {of_files[0]}, and labels of {theirs} up to {of_files[1]}; agreement, kappa "
            "and alpha compare them as one scale. If the scales differ, use the table of labels cut at each level, or "
            "map the labels to the human grades first"
        )
    kappa, ac1 = coefficients["kappa"].value, coefficients["ac1"].value
    if kappa is not None and ac1 is not None and abs(kappa - ac1) > SKEWED:
        shares = [agreement.counts.sum(axis=axis).max() / agreement.n_pairs for axis in (1, 0)]
        yield (
            f"kappa ({kappa:.4f}) and ac1 ({ac1:.4f}) differ by more than {SKEWED}, because they estimate chance "
            f"agreement differently if one grade is frequent: the most frequent grade has {shares[0]:.0%} of the human "
            f"and {shares[1]:.0%} of the machine labels"
        )
    if kappa is None:
        yield "kappa is not defined: all labels have the same grade"


def favour_warnings(parts: Sequence[AgreementPart], alpha: float, name: str) -> Iterator[str]:
    """Yield a warning for each group or covariate that the machine favours or disfavours significantly."""
    for part in parts:
        p = part.statistics.get("favour_p", Estimate(None)).value
        if p is None or p >= alpha:
            continue
        labels, errors, topics = (part.statistics[f"favour_{of}"].or_nan for of in ("labels", "errors", "topics"))
        measure, judged, corrected = "", "", " corrected for the number of groups"
        what, documents = f"group {quote(part.group or '')}", "the group's documents"
        if part.kind == "covariate":
            what, documents = f"high values of {part.group}", "documents that exceed others by one standard deviation"
            corrected = ""
        elif part.kind == "group":
            share = part.statistics["favour_judged"].or_nan
            both = "human and machine labels"
            measure, judged = f"{part.measure}: ", f"; {share:.0%} of the group's first documents have {both}"
        yield (
            f"{measure}{name} {'favours' if labels > 0 else 'disfavours'} {what}: the labels of {documents} differ by "
            f"{labels:+.4f} from the labels of documents with the same human grade, and their errors by {errors:+.4f} "
            f"from the errors of other documents (p{corrected}: {p:.4f}; {topics:g} topics"
            f"{judged})"
        )

"""Judges by name, and the combined labels of several machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.api.user_warnings import warn
from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.declarations import spelled
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.experiments.label_files import grades_for
from irevalx.experiments.labels import RELEVANT, Labels
from irevalx.experiments.qrels_text import QrelsText
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.statistics.combined_labels import MOST_ROUNDS, dawid_skene, mean_grade, nearest_grade, vote

HUMAN, SECOND_HUMAN = "human", "second_human"
"""Names of human judges."""

COMBINATIONS = ("vote", "mean", "dawid_skene")
"""Combinations of several machines, with integer grades."""

WRITTEN = (*COMBINATIONS, "probability")
"""Combined labels that can be written: these, and probabilities of relevance in Dawid and Skene's model."""


class Judge(Frozen, kw_only=True):
    """The labels of a human or machine judge."""

    name: str
    labels: Judgments
    """Grades; those of the first answer, if there are several answers."""

    answers: tuple[Judgments, ...] = ()
    """All answers, including the first."""

    probability: FloatArray | None = None
    """Probabilities of relevance, flat over ``labels``; None for a judge with grades."""

    n_rounded: int = 0
    """Number of labels that are rounded to the nearest integer grade."""

    @classmethod
    def of(cls, name: str, answers: Sequence[Labels]) -> Judge:
        """Return the judge of at least one answer; if an answer has probabilities, labels 0 and 1 are probabilities."""
        if any(answer.probability is not None for answer in answers):
            answers = [answer.as_probabilities() for answer in answers]
        return cls(
            name=name,
            labels=answers[0].judgments,
            answers=tuple(answer.judgments for answer in answers),
            probability=answers[0].probability,
            n_rounded=sum(answer.n_rounded for answer in answers),
        )


class CombinedLabels(Frozen, kw_only=True):
    """The combined labels of several machines."""

    judges: tuple[Judge, ...] = ()
    """A judge for each of ``COMBINATIONS``."""

    texts: Mapping[str, bytes] = {}
    """The file of each of ``WRITTEN``: lines ``TOPIC 0 DOCNO GRADE``, by topic and document."""


def machines_of(machines: Mapping[str, Any], labels_format: str | None, rel_format: str) -> list[Judge]:
    """Read machines by name; a list of judgments is the repeated answers of a machine. Raises UsageError."""
    if not machines:
        raise UsageError(f"{spelled('machines')} must contain at least one machine")
    reserved = {HUMAN, SECOND_HUMAN, *WRITTEN}
    judges = []
    for name, given in machines.items():
        if not name or name in reserved:
            raise UsageError(
                f"a machine must have a name other than {', '.join(sorted(reserved))}, but got {quote(name)}"
            )
        answers = given if isinstance(given, list | tuple) else (given,)
        if not answers:
            raise UsageError(
                f"a machine must have at least one file or dictionary of labels, but {quote(name)} has none"
            )
        form = labels_format or rel_format
        judges.append(Judge.of(name, [Labels.read(answer, form, parameter="labels_format") for answer in answers]))
    return judges


def binarise(judgments: Judgments, level: int) -> Judgments:
    """Return judgments with grade 1 for grades of at least ``level``, and 0 for others."""
    grades = np.where(judgments.grades < 0, UNJUDGED_IN_FILES, judgments.grades >= level).astype(np.int64)
    return replace(judgments, grades=grades)


def binarise_judge(judge: Judge, level: int) -> Judge:
    """Return a judge with binary grades; a judge with probabilities already has them."""
    if judge.probability is not None:
        return judge
    answers = tuple(binarise(answer, level) for answer in judge.answers)
    return replace(judge, labels=binarise(judge.labels, level), answers=answers)


def on_documents_of(labels: Judgments, others: Judgments) -> Judgments:
    """Return labels with only the documents that have a grade in other judgments; others become unjudged."""
    grades, _ = grades_for(labels, others)
    return replace(labels, grades=np.where(grades < 0, UNJUDGED_IN_FILES, labels.grades))


def notes_on_cuts(judges: Sequence[Judge], level: int) -> tuple[str, ...]:
    """Return sentences on labels that are cut, with grades of other judges cut at ``level``, or rounded."""
    probabilistic = [judge.name for judge in judges if judge.probability is not None]
    rounded = [f"{judge.name} ({judge.n_rounded} labels)" for judge in judges if judge.n_rounded]
    notes = []
    if probabilistic:
        notes.append(
            f"Labels of {', '.join(probabilistic)} are probabilities of relevance, cut at {RELEVANT}: documents with a "
            f"probability of at least {RELEVANT} are relevant. For comparison, the labels of all other judges are cut "
            f"at {level} ({spelled('level')})."
        )
    if rounded:
        notes.append(
            f"Labels that are not integers are rounded to the nearest integer grade (1.5 to 1): {', '.join(rounded)}."
        )
    return tuple(notes)


def combine_labels(machines: Sequence[Judge], level: int) -> CombinedLabels:
    """Combine machines by majority vote, mean grade, and Dawid and Skene's model; nothing for a single machine.

    Each document that a machine labels has a combined label, of the first answers of the machines that label it. The
    label ``mean`` is the integer grade nearest to the mean, the lower one of two. ``probability`` is that of a grade of
    at least ``level``.
    """
    if len(machines) < 2:
        return CombinedLabels()
    documents, labels = _table(machines)
    grades: IntArray = np.unique(labels[labels >= 0])
    codes = np.where(labels < 0, -1, np.searchsorted(grades, labels))
    model = dawid_skene(codes, grades.size)
    if model.rounds == MOST_ROUNDS:
        warn(f"dawid_skene: the model has not converged after {MOST_ROUNDS} iterations")
    if len(machines) == 2:
        warn("dawid_skene: with two machines, the model cannot identify which one errs; it needs three")
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
        judges.append(Judge(name=name, labels=judgments, probability=probability if name == "dawid_skene" else None))
    return CombinedLabels(judges=tuple(judges), texts=texts)


def _table(machines: Sequence[Judge]) -> tuple[list[tuple[bytes, bytes]], IntArray]:
    """Return the documents of all machines by topic and ID, and their grades, shape (n_documents, n_machines)."""
    grades: dict[tuple[bytes, bytes], dict[int, int]] = {}
    for number, machine in enumerate(machines):
        judgments = machine.labels
        lines = zip(judgments.rows.ids.tolist(), judgments.docnos.texts(), judgments.grades.tolist(), strict=True)
        for topic, docno, grade in lines:
            if grade >= 0:
                grades.setdefault((judgments.topics[topic], docno), {})[number] = grade
    if not grades:
        raise InputError(f"{shown_name(machines[0].labels.path)} must have a label, but no machine has one")
    documents = sorted(grades)
    labels = np.full((len(documents), len(machines)), -1, np.int64)
    for row, document in enumerate(documents):
        for number, grade in grades[document].items():
            labels[row, number] = grade
    return documents, labels


def _text(documents: Sequence[tuple[bytes, bytes]], values: Sequence[bytes]) -> bytes:
    lines = zip(documents, values, strict=True)
    return b"".join(b"%s 0 %s %s\n" % (topic, docno, value) for (topic, docno), value in lines)

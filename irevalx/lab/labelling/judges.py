"""Judges: files of labels by name, what several of them say together, and the forms in which that is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.api.user_warnings import warn
from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.experiments.label_files import grades_for
from irevalx.experiments.labels import RELEVANT, Labels
from irevalx.experiments.qrels_text import QrelsText
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.statistics.combined_labels import MOST_ROUNDS, dawid_skene, mean_grade, nearest_grade, vote

HUMAN, SECOND_HUMAN = "human", "second_human"
"""What people are called among judges."""

COMBINATIONS = ("vote", "mean", "dawid_skene")
"""The judges that several machines are together, whose labels are whole grades."""

WRITTEN = (*COMBINATIONS, "probability")
"""What can be written: these, and Dawid and Skene's probability of relevance."""


class Judge(Frozen, kw_only=True):
    """A judge, person or machine, and its labels.

    Parameters
    ----------
    name : what it is called.
    labels : its grades; those that it has given first, where it has answered several times.
    answers : all of its answers, the first among them.
    probability : flat over ``labels``; the probability that a document is relevant. None: it gives grades.
    n_rounded : how many labels are not whole, and count as the nearest whole grade.
    """

    name: str
    labels: Judgments
    answers: tuple[Judgments, ...] = ()
    probability: FloatArray | None = None
    n_rounded: int = 0

    @classmethod
    def of(cls, name: str, answers: Sequence[Labels]) -> Judge:
        """Return the judge that has given some answers, one at least; if one has probabilities, 0 and 1 are such."""
        if any(one.probability is not None for one in answers):
            answers = [one.as_probabilities() for one in answers]
        return cls(
            name=name,
            labels=answers[0].judgments,
            answers=tuple(one.judgments for one in answers),
            probability=answers[0].probability,
            n_rounded=sum(one.n_rounded for one in answers),
        )


class CombinedLabels(Frozen, kw_only=True):
    """What several machines say together.

    Parameters
    ----------
    judges : a judge for each of ``COMBINATIONS``.
    texts : the file of each of ``WRITTEN``: lines ``TOPIC 0 DOCNO GRADE``, by topic and document.
    """

    judges: tuple[Judge, ...] = ()
    texts: Mapping[str, bytes] = {}


def machines_of(machines: Mapping[str, Any], labels_format: str | None, rel_format: str) -> list[Judge]:
    """Read machines.

    Parameters
    ----------
    machines : by name, judgments as ``irevalx.evaluate`` takes them, or a list of several: repeated answers.

    Raises
    ------
    UsageError : a name is that of people or of a combination, or there is no machine.
    IrevalxError : as ``Labels.read``.
    """
    if not machines:
        raise UsageError("machines must have one at least, but there is none")
    taken = {HUMAN, SECOND_HUMAN, *WRITTEN}
    for name in machines:
        if not name or name in taken:
            raise UsageError(f"a machine must have a name other than {', '.join(sorted(taken))}, but got {quote(name)}")
    return [_machine(name, given, labels_format or rel_format) for name, given in machines.items()]


def _machine(name: str, given: Any, form: str) -> Judge:
    each = given if isinstance(given, list | tuple) else (given,)
    read = [Labels.read(one, form, parameter="labels_format") for one in each]
    return Judge.of(name, read)


def cut(judgments: Judgments, level: int) -> Judgments:
    """Return judgments with the grades 1, from the level on, and 0."""
    grades = np.where(judgments.grades < 0, UNJUDGED_IN_FILES, judgments.grades >= level).astype(np.int64)
    return replace(judgments, grades=grades)


def cut_judge(judge: Judge, level: int) -> Judge:
    """Return a judge whose grades are cut; one that gives probabilities has 0 and 1 already."""
    if judge.probability is not None:
        return judge
    return replace(judge, labels=cut(judge.labels, level), answers=tuple(cut(one, level) for one in judge.answers))


def on_documents_of(labels: Judgments, others: Judgments) -> Judgments:
    """Return labels without those of documents that have no grade in other judgments; these stay without a grade."""
    grades, _ = grades_for(labels, others)
    return replace(labels, grades=np.where(grades < 0, UNJUDGED_IN_FILES, labels.grades))


def notes_on_cuts(judges: Sequence[Judge], level: int) -> tuple[str, ...]:
    """Return sentences that say which labels are cut or rounded, and where.

    Parameters
    ----------
    judges : of whose labels, as they were read.
    level : where grades are cut, if some judge gives probabilities.
    """
    sure = [judge.name for judge in judges if judge.probability is not None]
    rounded = [f"{judge.name} ({judge.n_rounded} labels)" for judge in judges if judge.n_rounded]
    notes = []
    if sure:
        notes.append(
            f"Labels of {', '.join(sure)} are probabilities of relevance, cut at {RELEVANT}: documents with a "
            f"probability of at least {RELEVANT} are relevant. For comparison, the labels of all other judges are cut "
            f"at {level} (--level)."
        )
    if rounded:
        notes.append(
            f"Labels that are not integers are rounded to the nearest integer grade (1.5 to 1): {', '.join(rounded)}."
        )
    return tuple(notes)


def combined(machines: Sequence[Judge], level: int) -> CombinedLabels:
    """Combine machines: majority vote, mean grade, and Dawid and Skene's model.

    Each document that some machine labels has a combined label, of the first answers of those that label it. Nothing of
    people goes into it. The label ``mean`` is the whole grade nearest to the mean, the lower one between two.

    Parameters
    ----------
    machines : one at least; of a single one there is nothing to combine.
    level : the least grade that is relevant, for ``probability``.

    Raises
    ------
    InputError : no machine labels any document.
    """
    if len(machines) < 2:
        return CombinedLabels()
    documents, labels = _table(machines)
    grades: IntArray = np.unique(labels[labels >= 0])
    codes = np.where(labels < 0, -1, np.searchsorted(grades, labels))
    model = dawid_skene(codes, grades.size)
    if model.rounds == MOST_ROUNDS:
        warn(f"dawid_skene: the model has not settled after {MOST_ROUNDS} rounds")
    if len(machines) == 2:
        warn("dawid_skene: of two machines the model cannot tell which one errs; three are needed")
    of_grades = {
        "vote": vote(labels),
        "mean": nearest_grade(mean_grade(labels)),
        "dawid_skene": grades[model.grades],
    }
    probability: FloatArray = np.minimum(model.probabilities[:, grades >= level].sum(axis=1), 1.0)
    texts = {name: _text(documents, [b"%d" % one for one in of_one.tolist()]) for name, of_one in of_grades.items()}
    texts["probability"] = _text(documents, [b"%.9g" % one for one in probability.tolist()])
    judges = []
    for name in COMBINATIONS:
        judgments = QrelsText.parsed(name, [texts[name]]).judgments
        assert isinstance(judgments, Judgments)
        judges.append(Judge(name=name, labels=judgments, probability=probability if name == "dawid_skene" else None))
    return CombinedLabels(judges=tuple(judges), texts=texts)


def _table(machines: Sequence[Judge]) -> tuple[list[tuple[bytes, bytes]], IntArray]:
    """Return the documents of all machines by topic and name, and their grades, shape (n_documents, n_machines)."""
    found: dict[tuple[bytes, bytes], dict[int, int]] = {}
    for number, machine in enumerate(machines):
        judgments = machine.labels
        lines = zip(judgments.rows.ids.tolist(), judgments.docnos.texts(), judgments.grades.tolist(), strict=True)
        for topic, docno, grade in lines:
            if grade >= 0:
                found.setdefault((judgments.topics[topic], docno), {})[number] = grade
    if not found:
        raise InputError(f"{shown_name(machines[0].labels.path)} must have a label, but no machine has one")
    documents = sorted(found)
    labels = np.full((len(documents), len(machines)), -1, np.int64)
    for row, document in enumerate(documents):
        for number, grade in found[document].items():
            labels[row, number] = grade
    return documents, labels


def _text(documents: Sequence[tuple[bytes, bytes]], values: Sequence[bytes]) -> bytes:
    lines = zip(documents, values, strict=True)
    return b"".join(b"%s 0 %s %s\n" % (topic, docno, value) for (topic, docno), value in lines)

"""Label files: a second set of judgments for the same documents.

One file contains labels by human assessors (called human), and the other contains labels by any other judge (called
machine), usually an LLM. A negative grade is a missing label.

Integer labels are grades. If a file contains a label that is not an integer, all labels are probabilities of relevance
if none exceeds 1, and a probability of at least ``RELEVANT`` is relevant; otherwise labels are rounded to the nearest
integer grade. If the maximum label is given, labels divided by it are probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.api.inputs import Qrels, judgments_given
from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import (
    ArgumentError,
    DuplicateDocumentError,
    MalformedLineError,
    MalformedNumberError,
    quote,
    shown_name,
    warn,
)
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Documents, Judgments
from irevalx.judgments.pool import PooledDocuments, with_pool
from irevalx.reading import formats
from irevalx.reading.judgment_formats import QRELS, SAMPLED
from irevalx.reading.label_words import LabelWords
from irevalx.statistics.label_agreement import nearest_grade
from irevalx.trec_eval import TREC_EVAL_10
from irevalx.wording import spelled


def refuse_duplicates(judgments: Judgments) -> None:
    """Raise DuplicateDocumentError if a document occurs twice in a topic, with both grades if they differ."""
    pairs = judgments.table.duplicates
    contradicting = pairs[judgments.grades[pairs[:, 0]] != judgments.grades[pairs[:, 1]]]
    if contradicting.size:
        lines = np.sort(judgments.lines[contradicting], axis=1)
        least = int(np.lexsort((lines[:, 0], lines[:, 1]))[0])
        first, second = contradicting[least][np.argsort(judgments.lines[contradicting[least]])].tolist()
        topic, docno = judgments.topics[judgments.rows.ids[first]], judgments.docnos.text(first)
        raise DuplicateDocumentError(
            f"{shown_name(judgments.path)}:{judgments.lines[second]}: conflicting grades of document {quote(docno)} in "
            f"topic {quote(topic)}: {judgments.grades[second]}, and {judgments.grades[first]} on line "
            f"{judgments.lines[first]}; keep one of them, and write the labels of different judges to different files"
        )
    if judgments.duplicates:
        raise judgments.duplicates[min(judgments.duplicates)]


def labels_of_topics(judgments: Judgments, topics: Sequence[bytes]) -> Judgments:
    """Return the judgments of a subset of the topics, given in ascending order."""
    rows, index = judgments.rows.take(np.array([judgments.topic_index[topic] for topic in topics], np.int64))
    return replace(
        judgments,
        topics=tuple(topics),
        rows=rows,
        docnos=judgments.docnos.take(index),
        grades=judgments.grades[index],
        lines=judgments.lines[index],
    )


def places_of(judgments: Documents, labels: Documents) -> IntArray:
    """Return the flat index of each document in other judgments; ABSENT for documents missing there."""
    return labels.places_of(judgments.topics, judgments.rows.ids, judgments.docnos)


def grades_for(judgments: Judgments, labels: Judgments) -> tuple[IntArray, BoolArray]:
    """Look up ``judgments`` in ``labels``: flat grades (negative if missing), and whether documents occur."""
    place = places_of(judgments, labels)
    there: BoolArray = place != ABSENT
    grades = np.full(place.size, UNJUDGED_IN_FILES, np.int64)
    grades[there] = np.maximum(labels.grades[place[there]], UNJUDGED_IN_FILES)
    return grades, there


class PairedLabels(Frozen):
    """The documents of two files of judgments, with the grades in both."""

    judgments: Judgments
    """The documents of both files, with the machine's grades."""
    human: IntArray
    """The human grade of each document; negative if there is none."""
    machine: IntArray
    """The machine grade of each document; negative if there is none."""
    in_human: BoolArray
    """Whether the human file contains each document. Other documents are outside its pool."""
    in_machine: BoolArray
    """Like ``in_human``, for the machine's file."""
    in_both: BoolArray
    """Whether both files contain each topic."""

    @classmethod
    def of(cls, human: Judgments, machine: Judgments, topics: Sequence[bytes]) -> PairedLabels:
        """Combine two files of judgments; topics are in ascending order, and all occur in the machine's file."""
        judged = labels_of_topics(machine, topics)
        both = with_pool(judged, PooledDocuments(human.path, human.topics, human.rows.ids, human.docnos))
        (grades_human, in_human), (grades_machine, in_machine) = (
            grades_for(both, labels) for labels in (human, machine)
        )
        in_both = np.array([topic in human.topic_index for topic in topics], np.bool_)
        return cls(both, grades_human, grades_machine, in_human, in_machine, in_both)

    @property
    def have_both(self) -> BoolArray:
        """A flat mask of the documents with a grade in both files."""
        return (self.human >= 0) & (self.machine >= 0)

    def shuffled(self, rng: np.random.Generator) -> IntArray:
        """Return the machine's grades, flat, shuffled among the documents of a topic that have the same human grade.

        Shuffling preserves the error rates of the machine for each grade and topic, but makes its errors independent of
        runs. Documents without a human label are shuffled among themselves; missing machine labels stay missing.
        """
        labelled = np.flatnonzero(self.machine >= 0)
        topic, human = self.judgments.rows.ids[labelled], self.human[labelled]
        grades = self.machine.copy()
        in_order, at_random = (np.lexsort((key, human, topic)) for key in (labelled, rng.random(labelled.size)))
        grades[labelled[in_order]] = self.machine[labelled[at_random]]
        return grades


def topic_warnings(human: Judgments, machine: Judgments) -> list[str]:
    """Return a line for each file with topics that are missing from the other file."""
    lines = []
    for judgments, other in ((human, machine), (machine, human)):
        lacking = [topic for topic in judgments.topics if topic not in other.topic_index]
        if lacking:
            more = f" and {len(lacking) - 1} more" if lacking[1:] else ""
            lines.append(
                f"{len(lacking)} of {len(judgments.topics)} topics are in {shown_name(judgments.path)} only, and are "
                f"left out: {quote(lacking[0])}{more}"
            )
    return lines


RELEVANT = 0.5
"""A document with at least this probability of relevance is treated as relevant."""

_MOST = 2.0**53
"""Larger labels are replaced by this number, which is rejected wherever grades are required."""


class Labels(Frozen):
    """The labels of a file; arrays are flat."""

    judgments: Judgments
    """The labels as integer grades; missing labels are negative."""
    probability: FloatArray | None = None
    """The probabilities of relevance, nan for missing labels; None if the labels are grades."""
    values: FloatArray | None = None
    """The labels before thresholding or rounding, nan for missing labels; None if all are integers."""
    n_rounded: int = 0
    """Number of labels that were rounded to the nearest integer."""
    first_not_whole: str = ""
    """The description of the first label that is not an integer, for messages."""

    @classmethod
    def read(
        cls,
        given: Any,
        rel_format: str,
        *,
        values: Mapping[str, float] | None = None,
        parameter: str = "rel_format",
        maximum: float | None = None,
    ) -> Labels:
        """Read labels like ``Qrels.read``; None and nan are missing labels. Messages call the format ``parameter``.

        ``values`` are the grades of labels in words. With ``maximum``, the highest possible label, labels are divided
        by it to obtain probabilities.
        """
        fmt = formats.rel_format(rel_format)
        if not {fmt.name, fmt.measures_of} & {QRELS.name, SAMPLED.name}:
            raise ArgumentError(
                f"rel_format {rel_format!r} has no grade for each document; choose one with grades, such as 'qrels'"
            )
        words = LabelWords(values)
        try:
            read = (
                given.judgments
                if isinstance(given, Qrels)
                else judgments_given(given, fmt, "label", TREC_EVAL_10, words=words)
            )
        except MalformedLineError as error:  # the message can name the format of the human judgments
            names_format = "-R" in error.message or spelled("rel_format") in error.message
            if parameter == "rel_format" or not names_format:
                raise
            raise MalformedLineError(f"{error.message} (for machine labels: {spelled(parameter)})") from None
        if not isinstance(read, Judgments):
            raise ArgumentError("labels must have exactly one grade for each document")
        words.report(read.path, warn)
        labels = cls._of(read) if maximum is None else cls._scaled(read, maximum)
        refuse_duplicates(labels.judgments)
        return labels

    @classmethod
    def _of(cls, judgments: Judgments) -> Labels:
        missing = ~(judgments.grades >= 0)  # also true if the grade is nan
        values = np.where(missing, 0.0, np.minimum(judgments.grades, _MOST))
        not_whole = np.flatnonzero(values != np.floor(values))
        if not not_whole.size:
            return cls(_with(judgments, values.astype(np.int64), missing))
        first = _described(judgments, int(not_whole[0]))
        if values.max() > 1:
            uncut = np.where(missing, np.nan, values)
            return cls(_with(judgments, nearest_grade(values), missing), None, uncut, int(not_whole.size), first)
        return cls._probable(judgments, np.where(missing, np.nan, values), first)

    @classmethod
    def _scaled(cls, judgments: Judgments, maximum: float) -> Labels:
        """Return labels divided by their maximum; raises MalformedNumberError for a label above it."""
        above = np.flatnonzero(judgments.grades > maximum)
        if above.size:
            raise MalformedNumberError(
                f"{_described(judgments, int(above[0]))} exceeds the highest possible label, {maximum:g} "
                f"({spelled('labels_max')})"
            )
        return cls._probable(judgments, np.where(judgments.grades >= 0, judgments.grades / maximum, np.nan), "")

    @classmethod
    def _probable(cls, judgments: Judgments, probability: FloatArray, first_not_whole: str) -> Labels:
        relevant = (probability >= RELEVANT).astype(np.int64)
        cut = _with(judgments, relevant, np.isnan(probability))
        return cls(cut, probability, probability, 0, first_not_whole)

    def as_probabilities(self) -> Labels:
        """Return labels that are all 0 or 1 as probabilities; other labels are unchanged."""
        grades = self.judgments.grades
        if self.probability is not None or grades.max(initial=0) > 1:
            return self
        probability = np.where(grades < 0, np.nan, grades.astype(np.float64))
        return replace(self, probability=probability, values=probability)

    @property
    def grades(self) -> Judgments:
        """The labels as integer grades; raises MalformedNumberError if a label is not an integer."""
        if self.first_not_whole:
            raise MalformedNumberError(
                f"{self.first_not_whole} is not an integer; this command requires integer grades: round mean grades, "
                f"and replace probabilities by 1 if they are at least {RELEVANT}, otherwise by 0"
            )
        return self.judgments


def _with(judgments: Judgments, grades: IntArray, missing: BoolArray) -> Judgments:
    return replace(judgments, grades=np.where(missing, UNJUDGED_IN_FILES, grades))


def _described(judgments: Judgments, place: int) -> str:
    """Return the description of a label for messages: its location and its number."""
    topic, docno = judgments.topics[int(judgments.rows.ids[place])], judgments.docnos.text(place)
    line = int(judgments.lines[place])
    where = f"{shown_name(judgments.path)}{f':{line}' if line else ''}"
    return f"{where}: topic {quote(topic)}: document {quote(docno)}: label {judgments.grades[place]:.9g}"

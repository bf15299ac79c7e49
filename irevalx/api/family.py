"""Judgments for subtopics, and of samples with inclusion probabilities, from dictionaries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from irevalx.api.checks import shown, wrong
from irevalx.api.python_values import grades_of, names_of, scores_of
from irevalx.api.user_warnings import warn
from irevalx.judgments.subtopics import SubtopicJudgments
from irevalx.judgments.with_probabilities import JudgmentsWithProbabilities
from irevalx.reading.prels_files import judgments_with_probabilities
from irevalx.reading.subtopic_files import subtopic_judgments
from irevalx.settings import Grades

_Rows: TypeAlias = "Sequence[tuple[Any, ...]]"
"""What dictionaries say, one row per judgment: topic, document, and what else the format has."""


def subtopics_of(given: Mapping[Any, Any], path: str = "qrels", *, grades: Grades = "whole") -> SubtopicJudgments:
    """Return ``{topic: {subtopic: {docno: grade}}}`` as judgments.

    Raises
    ------
    ArgumentError : an id is neither a string nor a whole number, or a grade is not the number that it must be.
    """
    rows = []
    for topic, subtopics in given.items():
        for subtopic, documents in _mapping(subtopics, f"{path}: what topic {shown(topic)} has", "{subtopic: ...}"):
            what = f"{path}: what subtopic {shown(subtopic)} of topic {shown(topic)} has"
            rows += [(topic, docno, subtopic, grade) for docno, grade in _mapping(documents, what, "{docno: grade}")]
    return _subtopics(rows, path, grades)


def probabilities_of(given: Mapping[Any, Any], path: str = "qrels") -> JudgmentsWithProbabilities:
    """Return ``{topic: {docno: (grade, method, probability)}}`` as judgments; a probability may be None or nan.

    Raises
    ------
    ArgumentError : an id is neither a string nor a whole number, or another value is not the number it must be.
    MalformedLineError : a probability that counts is 0.
    """
    rows = []
    for topic, documents in given.items():
        for docno, drawn in _mapping(documents, f"{path}: what topic {shown(topic)} has", "{docno: (grade, ...)}"):
            if not isinstance(drawn, Sequence) or isinstance(drawn, str | bytes) or len(drawn) != 3:
                what = f"{path}: topic {shown(topic)}: document {shown(docno)}"
                raise wrong(what, "a tuple (grade, method, probability)", drawn)
            rows.append((topic, docno, *drawn))
    topics, docnos, grades, methods, probabilities = _columns(rows, 5)
    return judgments_with_probabilities(
        path,
        names_of([topics], lambda place: f"{path}: a topic")[0],
        names_of([docnos], _about(rows, path, "a document"))[0],
        grades_of([grades], _about(rows, path, "grade")),
        grades_of([methods], _about(rows, path, "method")),
        scores_of([[_known(one) for one in probabilities]], _about(rows, path, "probability")),
        np.arange(1, len(rows) + 1),
        warn,
    )


def _subtopics(rows: _Rows, path: str, grades: Grades) -> SubtopicJudgments:
    topics, docnos, subtopics, numbers = _columns(rows, 4)
    part = subtopic_judgments(
        path,
        names_of([topics], lambda place: f"{path}: a topic")[0],
        names_of([subtopics], _about(rows, path, "a subtopic"))[0],
        names_of([docnos], _about(rows, path, "a document"))[0],
        grades_of([numbers], _about(rows, path, "grade"), grades=grades),
        np.arange(1, len(rows) + 1),
    )
    return SubtopicJudgments.joined(path, [part])


def _columns(rows: _Rows, n_columns: int) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(n_columns)]


def _mapping(given: Any, what: str, rule: str) -> Collection[tuple[Any, Any]]:
    if not isinstance(given, Mapping):
        raise wrong(what, f"a dictionary {rule}", given)
    return given.items()


def _about(rows: _Rows, path: str, what: str) -> Any:
    """Return what says, for a message, which value of all of them it is about."""
    return lambda place: f"{path}: topic {shown(rows[place][0])}: document {shown(rows[place][1])}: {what}"


def _known(probability: Any) -> Any:
    """Return a probability; nan where None or NA stands for one that is not known."""
    return float("nan") if probability is None or probability == "NA" else probability

"""Judgments and pools in tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from irevalx.errors import ArgumentError, Warn
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments, JudgmentsWithProbabilities, each_judgment_once
from irevalx.judgments.pool import PooledDocuments
from irevalx.judgments.subtopics import SubtopicJudgments
from irevalx.reading.column_names import DOCNO, GRADE, METHOD, PROBABILITY, SUBTOPIC, TOPIC, ColumnSpec
from irevalx.reading.grade_rules import refuse_wrong
from irevalx.reading.kinds.builder import Entries
from irevalx.reading.kinds.graded import judgments_with_probabilities
from irevalx.reading.kinds.grouped import subtopic_judgments
from irevalx.reading.sources.columns import ColumnTable
from irevalx.settings import Grades
from irevalx.trec_eval import Compat


def graded_table(table: ColumnTable, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole") -> Judgments:
    """Return table rows as judgments."""
    numbers, topics, docnos = _with_grades(table, grades, TOPIC, DOCNO)
    return each_judgment_once(Entries.of_rows(table.path, topics, docnos, numbers).judgments(), warn)


def pool_table(table: ColumnTable, compat: Compat, strict: bool, warn: Warn) -> PooledDocuments:
    """Return table rows as a pool."""
    topics, docnos = table.read(TOPIC, DOCNO)
    return Entries.of_rows(table.path, topics, docnos, np.zeros(topics.size)).pool()


def subtopic_table(
    table: ColumnTable, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole"
) -> SubtopicJudgments:
    """Return table rows as judgments for subtopics."""
    numbers, topics, docnos, subtopics = _with_grades(table, grades, TOPIC, DOCNO, SUBTOPIC)
    lines = np.arange(1, topics.size + 1)
    part = subtopic_judgments(table.path, topics, subtopics, docnos, numbers, lines)
    return SubtopicJudgments.joined(table.path, [part])


def _with_grades(table: ColumnTable, grades: Grades, *others: ColumnSpec) -> tuple[Any, ...]:
    """Return the column of grades and other columns; invalid grades raise ArgumentError."""
    if grades == "whole":
        return table.read(GRADE, *others)
    columns = table.read(replace(GRADE, kind="probabilities" if grades == "label" else "scores"), *others)

    def error(place: int, rule: str) -> ArgumentError:
        where = table.place(table.find(GRADE), place)
        return ArgumentError(f"{where} must be {rule}, but got {columns[0][place]:g}")

    refuse_wrong(columns[0], grades, error)
    return columns


def table_with_probabilities(
    table: ColumnTable, compat: Compat, strict: bool, warn: Warn
) -> JudgmentsWithProbabilities:
    """Return table rows as judgments with inclusion probabilities; missing probabilities are unknown.

    ``warn`` is called about probabilities out of range; a probability of 0 raises MalformedLineError.
    """
    topics, docnos, grades, methods, probabilities = table.read(TOPIC, DOCNO, GRADE, METHOD, PROBABILITY)
    lines = np.arange(1, topics.size + 1)
    return judgments_with_probabilities(table.path, topics, docnos, grades, methods, probabilities, lines, warn)

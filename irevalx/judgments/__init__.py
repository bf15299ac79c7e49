"""Judgments of documents, of each kind, and the judging pool.

    judged_documents          Documents: all that a ranking needs to know; JudgmentKind: properties of each kind
    graded                    Judgments: grades, perhaps in a sample of strata
    judgment_groups           GroupedJudgments: grades of several users
    preferences               preferences between documents, of groups of users
    subtopics                 grades for each subtopic, and the ideal lists of topics
    with_probabilities        grades of a sample with inclusion probabilities
    pool                      the pool, and judgments with it

Records without a ranking; ``reading`` makes them from files, ``ranking`` assesses rankings with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from irevalx.judgments.graded import Judgments
    from irevalx.judgments.judgment_groups import GroupedJudgments
    from irevalx.judgments.preferences import PreferenceJudgments
    from irevalx.judgments.subtopics import SubtopicJudgments
    from irevalx.judgments.with_probabilities import JudgmentsWithProbabilities

AnyJudgments: TypeAlias = (
    "Judgments | GroupedJudgments | PreferenceJudgments | SubtopicJudgments | JudgmentsWithProbabilities"
)
"""The kinds of judgments; mypy then reports each ``match`` that lacks a new one."""

"""The kinds of judgments, and the judging pool.

graded         Documents, JudgmentKind; Judgments, GroupedJudgments, InclusionJudgments
preferences    PreferenceJudgments
subtopics      SubtopicJudgments, ideal gains
pool           the pool, and judgments with it
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from irevalx.judgments.graded import GroupedJudgments, InclusionJudgments, Judgments
    from irevalx.judgments.preferences import PreferenceJudgments
    from irevalx.judgments.subtopics import SubtopicJudgments

AnyJudgments: TypeAlias = "Judgments | GroupedJudgments | PreferenceJudgments | SubtopicJudgments | InclusionJudgments"
"""The kinds of judgments. If a kind is added, mypy reports each ``match`` that does not handle it."""

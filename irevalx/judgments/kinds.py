"""All kinds of judgments: a new kind is named here, and mypy then names what has to know of it."""

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
"""What a file of judgments holds, depending on its format."""

"""All kinds of judgments: a new kind is named here, and whatever asks a question then needs a method for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from irevalx.judgments.drawn import DrawnJudgments
    from irevalx.judgments.graded import Judgments
    from irevalx.judgments.judgment_groups import GroupedJudgments
    from irevalx.judgments.preferences import PreferenceJudgments
    from irevalx.judgments.subtopics import SubtopicJudgments

AnyJudgments: TypeAlias = "Judgments | GroupedJudgments | PreferenceJudgments | SubtopicJudgments | DrawnJudgments"
"""What a file of judgments holds, depending on its format."""

Answer_co = TypeVar("Answer_co", covariant=True)


class Question(Protocol[Answer_co]):
    """Something that each kind of judgments answers in its own way, to be asked with ``judgments.ask``."""

    def for_grades(self, judgments: Judgments, /) -> Answer_co:
        """Answer for grades."""

    def for_groups(self, judgments: GroupedJudgments, /) -> Answer_co:
        """Answer for grades in groups."""

    def for_preferences(self, judgments: PreferenceJudgments, /) -> Answer_co:
        """Answer for preferences."""

    def for_subtopics(self, judgments: SubtopicJudgments, /) -> Answer_co:
        """Answer for judgments of subtopics."""

    def for_drawn(self, judgments: DrawnJudgments, /) -> Answer_co:
        """Answer for judgments of a drawn sample."""

"""What measures see of a ranking, for judgments of every kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from irevalx.arrays.segments import BoolArray, IntArray
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.kinds import AnyJudgments
from irevalx.ranking.rank import MOST_RETRIEVED
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rounding import ROUNDINGS
from irevalx.ranking.topics import SampledTopics, Topics
from irevalx.settings import Reading, Settings

if TYPE_CHECKING:
    from irevalx.judgments.drawn import DrawnJudgments
    from irevalx.judgments.judgment_groups import GroupedJudgments
    from irevalx.judgments.preferences import PreferenceJudgments
    from irevalx.judgments.subtopics import SubtopicJudgments
    from irevalx.ranking.assessed_preferences import Preferences
    from irevalx.ranking.divided_topics import DividedTopics
    from irevalx.ranking.drawn_topics import DrawnTopics
    from irevalx.ranking.grouped_topics import GroupedTopics

Assessed: TypeAlias = "Topics | GroupedTopics | Preferences | DividedTopics | DrawnTopics"
"""All that a measure may see, depending on the kind of judgments."""


class Assess(Frozen):
    """The question what measures see of a ranking; ``judgments.ask`` answers it.

    Parameters
    ----------
    ranking : made with the documents of the judgments; none of its topics has a failure.
    reading : of the unjudged; ``skip`` removes them first.
    grades : flat over judgments with a grade for each document; others than these have, negative ones unjudged. None:
        those that they have.
    pooled : flat over such judgments; false for documents to be outside the pool, as if the file did not have them.
        None: all true.
    """

    ranking: Ranking
    settings: Settings
    reading: Reading
    grades: IntArray | None = None
    pooled: BoolArray | None = None

    def for_grades(self, judgments: Judgments) -> Topics:
        """Assess with grades."""
        settings, grades = self.settings, judgments.grades if self.grades is None else self.grades
        topics = self.ranking.assess(judgments, grades, level=settings.level, reading=self.reading, pooled=self.pooled)
        if isinstance(topics, SampledTopics):
            topics = replace(topics, depth=depth(judgments, settings))
        return replace(
            topics,
            collection_size=settings.collection_size,
            round_recall=ROUNDINGS[settings.compat.recall_rounding],
        )

    def for_groups(self, judgments: GroupedJudgments) -> GroupedTopics:
        """Assess with the grades of each group."""
        from irevalx.ranking.grouped_topics import assess_by_group

        return assess_by_group(self.ranking, judgments, level=self.settings.level, reading=self.reading)

    def for_preferences(self, judgments: PreferenceJudgments) -> Preferences:
        """Assess with preferences, which have neither levels nor readings."""
        from irevalx.ranking.assessed_preferences import assess_preferences

        return assess_preferences(self.ranking, judgments)

    def for_subtopics(self, judgments: SubtopicJudgments) -> DividedTopics:
        """Assess with the judgments of each subtopic."""
        from irevalx.ranking.divided_topics import assess_subtopics

        return assess_subtopics(self.ranking, judgments, level=self.settings.level, reading=self.reading)

    def for_drawn(self, judgments: DrawnJudgments) -> DrawnTopics:
        """Assess with a drawn sample."""
        from irevalx.ranking.drawn_topics import assess_drawn

        return assess_drawn(self.ranking, judgments, level=self.settings.level, reading=self.reading)


def depth(judgments: AnyJudgments, settings: Settings) -> int:
    """Return how many documents of a topic count."""
    if settings.max_retrieved is not None:
        return settings.max_retrieved
    return MOST_RETRIEVED if judgments.default_depth is None else judgments.default_depth

"""What measures see of a ranking, for judgments of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray
from irevalx.frozen import replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.ranking.probable_topics import ExpectedTopics
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rounding import round_half_away, round_up_from_a_tenth
from irevalx.ranking.rules import MOST_RETRIEVED
from irevalx.ranking.topics import SampledTopics, Topics
from irevalx.settings import Settings, UnjudgedTreatment

if TYPE_CHECKING:
    from irevalx.ranking.assessed_preferences import Preferences
    from irevalx.ranking.grouped_topics import GroupedTopics
    from irevalx.ranking.topics_with_probabilities import TopicsWithProbabilities
    from irevalx.ranking.topics_with_subtopics import TopicsWithSubtopics

Assessed: TypeAlias = "Topics | GroupedTopics | Preferences | TopicsWithSubtopics | TopicsWithProbabilities"
"""All that a measure sees, by the kind of judgments."""


def assess(  # noqa: PLR0917
    judgments: AnyJudgments,
    ranking: Ranking,
    settings: Settings,
    reading: UnjudgedTreatment,
    grades: AnyArray | None = None,
    pooled: BoolArray | None = None,
    gain: Callable[[Topics], FloatArray] | None = None,
) -> Assessed:
    """Return what measures see of a ranking in a treatment of unjudged documents; none of its topics has a failure.

    ``grades`` (flat over judgments, negative is unjudged) replaces their own; ``pooled``, flat, is false for documents
    that are taken for unpooled. ``gain`` returns the gain of each document, by which ``--ties best`` and ``worst``
    order; None: by grade. Preferences have neither treatments nor levels.
    """
    if isinstance(judgments, Judgments):
        topics = ranking.assess(
            judgments,
            judgments.grades if grades is None else grades,
            level=settings.level,
            reading=reading,
            pooled=pooled,
            gain=gain,
            collection_size=settings.collection_size,
            round_recall=round_up_from_a_tenth if settings.compat.recall_rounded_up else round_half_away,
        )
        if isinstance(topics, SampledTopics):
            topics = replace(topics, depth=depth(judgments, settings))
        return ExpectedTopics.of(topics) if settings.grades == "probability" else topics
    # Other kinds are imported late: most evaluations have grades.
    from irevalx.judgments.judgment_groups import GroupedJudgments
    from irevalx.judgments.preferences import PreferenceJudgments
    from irevalx.judgments.subtopics import SubtopicJudgments
    from irevalx.judgments.with_probabilities import JudgmentsWithProbabilities
    from irevalx.ranking.assessed_preferences import assess_preferences
    from irevalx.ranking.grouped_topics import assess_by_group
    from irevalx.ranking.topics_with_probabilities import assess_with_probabilities
    from irevalx.ranking.topics_with_subtopics import assess_subtopics

    match judgments:
        case PreferenceJudgments():
            return assess_preferences(ranking, judgments)
        case GroupedJudgments():
            return assess_by_group(ranking, judgments, level=settings.level, reading=reading)
        case SubtopicJudgments():
            return assess_subtopics(ranking, judgments, level=settings.level, reading=reading)
        case JudgmentsWithProbabilities():
            return assess_with_probabilities(ranking, judgments, level=settings.level, reading=reading)


def depth(judgments: AnyJudgments, settings: Settings) -> int:
    """Return how many documents of a topic count."""
    if settings.max_retrieved is not None:
        return settings.max_retrieved
    return MOST_RETRIEVED if judgments.default_depth is None else judgments.default_depth

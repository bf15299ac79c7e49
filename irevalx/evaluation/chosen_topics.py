"""Selection of the topics of a run that are evaluated, and the warnings about the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ordered_sum
from irevalx.declarations import spelled
from irevalx.errors import EvaluationError, shown_name
from irevalx.frozen import Frozen
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.judgments.judged_documents import Documents
from irevalx.measures.select import RequestedMeasure, Selection
from irevalx.ranking.assess import depth
from irevalx.ranking.rank import in_topic_order
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import RankingRules
from irevalx.settings import Settings


class ChosenTopics(Frozen):
    """The topics of a run that are evaluated."""

    ranking: Ranking
    """Of these topics, ascending in byte order."""
    missing: BoolArray
    """Whether the run has no results for a topic, shape (n_topics,)."""
    failure: EvaluationError | None
    """Why the topics after these cannot be evaluated; None if all can."""


def ranking_rules(judgments: AnyJudgments, selection: Selection, settings: Settings, processes: int) -> RankingRules:
    """Return how the run is ranked for these measures."""
    return RankingRules(
        only=settings.topic,
        max_retrieved=depth(judgments, settings),
        keep_all=settings.level < 0 or selection.needs_all,
        look_up=selection.needs_documents,
        processes=processes,
        first_name_first=judgments.first_name_first,
        ties=settings.ties,
        ignore_identical_ids=settings.ignore_identical_ids,
        duplicates=settings.duplicates,
    )


def choose_topics(judgments: AnyJudgments, ranking: Ranking, settings: Settings, rules: RankingRules) -> ChosenTopics:
    """Choose the topics with judgments and results, or all judged ones, up to the first that cannot be evaluated."""
    documents = judgments.documents
    every = settings.complete and settings.compat.complete_evaluates_missing
    place = ranking.judged_topic
    is_ascending = place.size < 2 or not np.count_nonzero(place[1:] <= place[:-1])
    if not every and settings.topic is None and is_ascending:
        failures = {**judgments.failures(ranking.topics), **ranking.failures} if rules.look_up else {}
        if failures.keys().isdisjoint(ranking.topics):
            return ChosenTopics(ranking, np.zeros(len(ranking.topics), np.bool_), None)
    ranked = np.zeros(len(documents.topics), np.bool_)
    ranked[ranking.judged_topic] = True
    is_chosen = ranked | every
    if settings.topic is not None:
        is_chosen &= np.array([topic == settings.topic for topic in documents.topics], np.bool_)
    places = is_chosen.nonzero()[0]
    topics = [documents.topics[place] for place in places.tolist()]
    failures = {**judgments.failures(topics), **ranking.failures} if rules.look_up else {}
    failed = next((place for place, topic in enumerate(topics) if topic in failures), None) if failures else None
    return ChosenTopics(
        ranking=in_topic_order(ranking, documents, topics[:failed], rules),
        missing=~ranked[places[:failed]],
        failure=None if failed is None else failures[topics[failed]],
    )


class TopicCounts(Frozen):
    """Numbers of topics of a run and of the judgments."""

    judged: int
    """With judgments."""
    missing: int
    """Judged, without results."""
    retrieved: int
    """With results."""
    unjudged: int
    """With results, without judgments."""

    @classmethod
    def of(cls, documents: Documents, ranking: Ranking, n_others: int) -> TopicCounts:
        """Count topics, from the ranking of the judged ones that have results and the number of others."""
        n_judged, n_ranked = len(documents.topics), len(ranking.topics)
        return cls(judged=n_judged, missing=n_judged - n_ranked, retrieved=n_ranked + n_others, unjudged=n_others)

    def left_out(self, *, complete: bool) -> str | None:
        """Return the warning about topics without results or judgments, if any."""
        parts = []
        if self.missing:
            fate = (
                "count as 0"
                if complete
                else f"are left out of the averages ({spelled('complete', True)} counts them as 0)"
            )
            parts.append(f"{self.missing} of {plural_topics(self.judged, 'judged topic')} without results {fate}")
        if self.unjudged:
            parts.append(
                f"{self.unjudged} of the run's {plural_topics(self.retrieved, 'topic')} without judgments ignored"
            )
        return "; ".join(parts) or None


def plural_topics(count: int, noun: str) -> str:
    """Return a number with its noun: "2 topics".

    >>> plural_topics(1, "topic"), plural_topics(2, "topic")
    ('1 topic', '2 topics')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


class LevelCheck(Frozen):
    """A requirement of measures on each topic at a level: a document judged relevant, or one judged nonrelevant."""

    relevant: bool
    level: float
    measure: str
    """The first of the measures."""
    given_by: str
    """The source of the level: ``-l``, or the name of a measure."""

    def count(self, judgments: AnyJudgments, settings: Settings) -> tuple[int, int]:
        """Return how many topics lack such a document, and how many there are; 0 and 0 at levels up to 0."""
        lacks = (judgments.without_relevant if self.relevant else judgments.without_nonrelevant)(self.level)
        if lacks is None:
            return 0, 0
        is_requested = np.array([settings.topic in {None, topic} for topic in judgments.documents.topics], np.bool_)
        return int(np.count_nonzero(lacks & is_requested)), int(np.count_nonzero(is_requested))

    def warning(self, path: str, n_without: int, n_topics: int) -> str | None:
        """Return the warning about topics without such a document, if any; ``path`` is the judgments'."""
        if not n_without:
            return None
        has = "has" if n_without == 1 else "have"
        if self.relevant:
            return (
                f"{shown_name(path)}: {n_without} of {n_topics} topics {has} no relevant document at level "
                f"{self.level:g} ({self.given_by}); measures such as {self.measure} are 0 for such topics"
            )
        return (
            f"{shown_name(path)}: {n_without} of {n_topics} topics {has} no document judged nonrelevant; measures that "
            "compare relevant with nonrelevant documents (bpref, RankEff) are not informative for such topics"
        )


def level_checks(measures: Iterable[RequestedMeasure], settings: Settings) -> list[LevelCheck]:
    """Return the requirements of measures, once for each level: nonrelevant documents first, then relevant ones.

    Relevant documents are checked above the default level, and for real-valued grades.
    """
    checks: dict[tuple[bool, float], LevelCheck] = {}
    for selected in sorted(measures, key=lambda selected: not selected.measure.higher_is_better):  # counts last
        measure, level = selected.measure, settings.level if selected.level is None else selected.level
        given_by = "-l" if selected.level is None else selected.names[0]
        needs_relevant = measure.kernel and measure.uses_level and not measure.has_value
        if measure.needs_nonrelevant:
            checks.setdefault((False, level), LevelCheck(False, level, measure.name, given_by))
        if needs_relevant and (level > 1 or settings.grades == "real"):
            checks.setdefault((True, level), LevelCheck(True, level, measure.name, given_by))
    return sorted(checks.values(), key=lambda check: check.relevant)


def level_warnings(
    judgments: AnyJudgments, measures: Iterable[RequestedMeasure], settings: Settings, *, nonrelevant: bool = False
) -> Iterator[str]:
    """Yield the warnings about topics without relevant documents, and (``nonrelevant``) without nonrelevant ones."""
    for check in level_checks(measures, settings):
        if not check.relevant and not nonrelevant:
            continue
        greatest = judgments.greatest_grade if check.relevant and settings.grades == "real" else None
        if greatest is not None and greatest < check.level:
            yield (
                f"{shown_name(judgments.documents.path)}: no document is relevant: no grade reaches the level "
                f"{check.level:g} ({check.given_by}); the highest grade is {greatest:g}"
            )
        elif line := check.warning(judgments.documents.path, *check.count(judgments, settings)):
            yield line


def count_relevant(judgments: AnyJudgments, settings: Settings) -> float | None:
    """Return how many documents ``-c`` counts as relevant in the judgments; the expectation of probabilities."""
    if settings.grades == "probability" and isinstance(judgments, Judgments):
        return ordered_sum(np.maximum(judgments.grades, 0.0))
    return judgments.n_relevant


def relevant_by_topic(judgments: AnyJudgments, settings: Settings) -> IntArray | FloatArray | None:
    """Return ``count_relevant`` per judged topic; None without grades."""
    if not isinstance(judgments, Judgments):
        return None
    if settings.grades == "probability":
        return judgments.rows.sum(np.maximum(judgments.grades, 0.0))
    return judgments.rows.count(judgments.grades > 0)

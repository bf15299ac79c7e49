"""Which topics of a run are evaluated, and the warnings about the others."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ordered_sum
from irevalx.errors import EvaluationError, shown_name
from irevalx.frozen import Frozen
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.judgments.judged_documents import Documents
from irevalx.measures.select import Selection
from irevalx.ranking.assess import depth
from irevalx.ranking.rank import RankingRules, in_topic_order
from irevalx.ranking.ranking import Ranking
from irevalx.settings import Settings


class ChosenTopics(Frozen):
    """The topics of a run that are evaluated.

    Parameters
    ----------
    ranking : of these topics, ascending in byte order.
    missing : shape (n_topics,); whether the run has nothing for a topic.
    failure : why the topics after these cannot be evaluated; None when all can.
    """

    ranking: Ranking
    missing: BoolArray
    failure: EvaluationError | None


def ranking_rules(judgments: AnyJudgments, selection: Selection, settings: Settings, processes: int) -> RankingRules:
    """Return how the run is to be ranked for these measures.

    Parameters
    ----------
    processes : how many share the work; at least 1.
    """
    return RankingRules(
        only=settings.topic,
        max_retrieved=depth(judgments, settings),
        keep_all=settings.level < 0 or any(selected.needs_all for selected in selection.measures),
        look_up=any(selected.measure.kernel for selected in selection.measures),
        processes=processes,
        first_name_first=judgments.first_name_first,
        ties=settings.ties,
        ignore_identical_ids=settings.ignore_identical_ids,
        duplicates=settings.duplicates,
    )


def choose_topics(judgments: AnyJudgments, ranking: Ranking, settings: Settings, rules: RankingRules) -> ChosenTopics:
    """Choose the topics with judgments and results, or all judged ones, up to the first that cannot be evaluated.

    Parameters
    ----------
    ranking : of the judged topics that the run has results for, made by these rules.
    """
    documents = judgments.documents
    every = settings.complete and settings.compat.complete_evaluates_missing
    if not every and settings.topic is None and _are_ascending(ranking.judged_topic):
        failures = {**judgments.failures(ranking.topics), **ranking.failures} if rules.look_up else {}
        if failures.keys().isdisjoint(ranking.topics):
            return ChosenTopics(ranking, np.zeros(len(ranking.topics), np.bool_), None)
    ranked = np.zeros(len(documents.topics), np.bool_)
    ranked[ranking.judged_topic] = True
    wanted = ranked | every
    if settings.topic is not None:
        wanted &= np.array([topic == settings.topic for topic in documents.topics], np.bool_)
    places = wanted.nonzero()[0]
    topics = [documents.topics[place] for place in places.tolist()]
    failures = {**judgments.failures(topics), **ranking.failures} if rules.look_up else {}
    failed = next((place for place, topic in enumerate(topics) if topic in failures), None) if failures else None
    return ChosenTopics(
        ranking=in_topic_order(ranking, documents, topics[:failed], rules),
        missing=~ranked[places[:failed]],
        failure=None if failed is None else failures[topics[failed]],
    )


def _are_ascending(numbers: IntArray) -> bool:
    return numbers.size < 2 or not np.count_nonzero(numbers[1:] <= numbers[:-1])


class TopicCounts(Frozen):
    """How many topics a run and the judgments have.

    Parameters
    ----------
    judged : topics of the judgments.
    missing : those of them that the run has no results for.
    retrieved : topics of the run.
    unjudged : those of them that have no judgments.
    """

    judged: int
    missing: int
    retrieved: int
    unjudged: int

    @classmethod
    def of(cls, documents: Documents, ranking: Ranking, n_others: int) -> TopicCounts:
        """Count the topics of judgments and of a run.

        Parameters
        ----------
        ranking : of the judged topics that the run has results for.
        n_others : how many others it has results for.
        """
        n_judged, n_ranked = len(documents.topics), len(ranking.topics)
        return cls(judged=n_judged, missing=n_judged - n_ranked, retrieved=n_ranked + n_others, unjudged=n_others)

    def left_out(self, *, complete: bool) -> str | None:
        """Return the warning about topics without results and topics without judgments; None where there are none.

        Parameters
        ----------
        complete : whether topics without results count (``-c``).
        """
        parts = []
        if self.missing:
            fate = "count as 0" if complete else "are left out of the averages (-c counts them as 0)"
            parts.append(f"{self.missing} of {several(self.judged, 'judged topic')} without results {fate}")
        if self.unjudged:
            parts.append(f"{self.unjudged} of the run's {several(self.retrieved, 'topic')} without judgments ignored")
        return "; ".join(parts) or None


def several(count: int, noun: str) -> str:
    """Return a number with what it counts: "2 topics".

    >>> several(1, "topic"), several(2, "topic")
    ('1 topic', '2 topics')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def compared_levels(selection: Selection, settings: Settings) -> list[float]:
    """Return the levels of measures that say little about a topic without a document judged nonrelevant, each once."""
    levels = [selected.level for selected in selection.measures if selected.measure.needs_nonrelevant]
    return list(dict.fromkeys(settings.level if level is None else level for level in levels))


def count_without_nonrelevant(judgments: AnyJudgments, settings: Settings, level: float) -> tuple[int, int]:
    """Return how many topics have no document judged nonrelevant at a level, and how many there are.

    Both are 0 where that says nothing, as at levels up to 0.
    """
    none = judgments.without_nonrelevant(level)
    if none is None:
        return 0, 0
    asked = np.array([settings.topic in {None, topic} for topic in judgments.documents.topics], np.bool_)
    return int(np.count_nonzero(none & asked)), int(np.count_nonzero(asked))


def n_relevant(judgments: AnyJudgments, settings: Settings) -> float | None:
    """Return how many documents ``-c`` counts as relevant in the judgments: those that are expected to be."""
    if settings.grades == "probability" and isinstance(judgments, Judgments):
        return ordered_sum(np.maximum(judgments.grades, 0.0))
    return judgments.n_relevant


def relevant_by_topic(judgments: AnyJudgments, settings: Settings) -> IntArray | FloatArray | None:
    """Return, per judged topic, what ``n_relevant`` adds up; None where there are no grades."""
    if not isinstance(judgments, Judgments):
        return None
    if settings.grades == "probability":
        return judgments.rows.sum(np.maximum(judgments.grades, 0.0))
    return judgments.rows.count(judgments.grades > 0)


def unreached_level(judgments: AnyJudgments, selection: Selection, settings: Settings) -> str | None:
    """Return the warning where grades are real and none reaches the level of the measures; otherwise None."""
    if settings.grades != "real" or not any(
        selected.level is None and selected.measure.kernel and selected.measure.uses_level
        for selected in selection.measures
    ):
        return None
    greatest = judgments.greatest_grade
    if greatest is None or greatest >= settings.level:
        return None
    return (
        f"{shown_name(judgments.documents.path)}: nothing is relevant, as no grade reaches the level "
        f"{settings.level:g} (-l); the greatest is {greatest:g}"
    )


def without_nonrelevant(path: str, n_without: int, n_topics: int) -> str | None:
    """Return the warning about topics without a document judged nonrelevant; None where there are none.

    Parameters
    ----------
    path : of the judgments.
    """
    if not n_without:
        return None
    return (
        f"{shown_name(path)}: {n_without} of {n_topics} topics have no document judged nonrelevant; measures that "
        "compare relevant with nonrelevant documents (bpref, RankEff) say little there"
    )

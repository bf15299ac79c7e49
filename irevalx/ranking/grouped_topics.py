"""A ranking seen once for each judgment group."""

from __future__ import annotations

from irevalx.arrays.segments import FloatArray, Segments
from irevalx.frozen import Frozen, replace
from irevalx.judgments.judgment_groups import GroupedJudgments
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics
from irevalx.settings import UnjudgedTreatment


class GroupedTopics(Frozen):
    """Rankings of n topics, seen through the documents of each judgment group: all that a group measure may see.

    Parameters
    ----------
    groups : per topic, its judgment groups; at least one.
    each : what is elsewhere seen of a topic, flat over ``groups``: the ranking of the topic and the judgments of the
        group.
    """

    groups: Segments
    each: Topics

    def mean(self, of_group: FloatArray) -> FloatArray:
        """Per topic: the mean over its groups."""
        return self.groups.sum(of_group) / self.groups.lengths


def ranking_by_group(ranking: Ranking, judgments: GroupedJudgments) -> tuple[Segments, Ranking]:
    """Repeat the ranking of each topic for each of its judgment groups.

    Returns
    -------
    groups : per topic, its judgment groups.
    each : flat over ``groups``; a ranking made with ``judgments.judgments``, in which the documents of other groups are
        outside the pool.
    """
    groups, group = judgments.groups.take(ranking.judged_topic)
    each = ranking.take(groups.ids)
    return groups, replace(each, judged_topic=group, row=judgments.find(each.rows.spread(group), each.row))


def assess_by_group(
    ranking: Ranking, judgments: GroupedJudgments, *, level: float = 1, reading: UnjudgedTreatment = "nonrel"
) -> GroupedTopics:
    """Look at a ranking with the judgments of each group.

    Parameters
    ----------
    ranking : made with the documents of these judgments.
    level : the least grade that is relevant.
    reading : ``skip`` removes the documents that the group did not judge, so that the others move up (``-J``).
    """
    groups, each = ranking_by_group(ranking, judgments)
    grades = judgments.judgments.grades
    return GroupedTopics(groups, each.assess(judgments.judgments, grades, level=level, reading=reading))

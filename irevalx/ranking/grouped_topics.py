"""Rankings assessed once for each judgment group."""

from __future__ import annotations

from irevalx.arrays.segments import FloatArray, Segments
from irevalx.frozen import Frozen, replace
from irevalx.judgments.judgment_groups import GroupedJudgments
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics
from irevalx.settings import UnjudgedTreatment


class GroupedTopics(Frozen):
    """Rankings of n topics, assessed with each judgment group: all that a group measure sees."""

    groups: Segments
    """Per topic, its judgment groups; at least one."""
    each: Topics
    """Flat over ``groups``: the ranking of the topic with the judgments of the group."""

    def mean(self, of_group: FloatArray) -> FloatArray:
        """Per topic: the mean over its groups."""
        return self.groups.sum(of_group) / self.groups.lengths


def ranking_by_group(ranking: Ranking, judgments: GroupedJudgments) -> tuple[Segments, Ranking]:
    """Return the judgment groups of each topic, and the topic's ranking for each of them.

    Documents of other groups are unpooled in it.
    """
    groups, group = judgments.groups.take(ranking.judged_topic)
    each = ranking.take(groups.ids)
    return groups, replace(each, judged_topic=group, row=judgments.find(each.rows.spread(group), each.row))


def assess_by_group(
    ranking: Ranking, judgments: GroupedJudgments, *, level: float = 1, reading: UnjudgedTreatment = "nonrel"
) -> GroupedTopics:
    """Return what measures see of a ranking with the judgments of each group.

    ``skip`` removes documents that it did not judge.
    """
    groups, each = ranking_by_group(ranking, judgments)
    grades = judgments.judgments.grades
    return GroupedTopics(groups, each.assess(judgments.judgments, grades, level=level, reading=reading))

"""The input of measures for judgments by groups, by subtopics, with inclusion probabilities, or of preferences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments, ordered_sum
from irevalx.errors import EvaluationError
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments.graded import GroupedJudgments, InclusionJudgments
from irevalx.judgments.preferences import Group, PreferenceJudgments
from irevalx.judgments.subtopics import RelevantParts, SubtopicJudgments
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics, powers
from irevalx.settings import UnjudgedTreatment

_ROWS_AT_ONCE = 64
"""The number of documents that are compared with all others at a time. Pair scores use eight times as much memory as
preferences."""


class PreferenceCounts(Frozen):
    """Counts of the preferences of m judgment groups, by outcome. Each array has the shape (m,)."""

    fulfilled_ret: IntArray  # both documents were retrieved, and the preferred document is ranked higher
    possible_ret: IntArray  # both documents were retrieved
    implied: IntArray  # only the preferred document was retrieved
    denied: IntArray  # only the other document was retrieved
    neither: IntArray  # neither document was retrieved

    @property
    def fulfilled(self) -> IntArray:
        """The number of preferences with which the ranking agrees, if documents that were not retrieved rank last."""
        return self.fulfilled_ret + self.implied

    @property
    def possible_imp(self) -> IntArray:
        """The number of preferences with at least one retrieved document."""
        return self.possible_ret + self.implied + self.denied

    @property
    def possible(self) -> IntArray:
        """The number of all preferences."""
        return self.possible_imp + self.neither

    @classmethod
    def of(cls, pairs: Iterable[BoolArray], groups: Sequence[Group], n_ret: IntArray) -> PreferenceCounts:
        """Count the preferences in each group's matrix of pairs. IDs below ``n_ret`` belong to retrieved documents."""
        counts = []
        for preferred, group, limit in zip(pairs, groups, n_ret.tolist(), strict=True):
            n = int(np.searchsorted(group.ids, limit))
            both = preferred[:n, :n]
            fulfilled = both & (group.ids[:n, None] < group.ids[:n])
            parts = (fulfilled, both, preferred[:n, n:], preferred[n:, :n], preferred[n:, n:])
            counts.append([np.count_nonzero(part) for part in parts])
        return cls(*np.array(counts, np.int64).reshape(-1, 5).T)


class PairScores(Frozen):
    """The scores of the pairs of documents for which preferences exist, summed for each topic.

    The score of a pair is the fraction of its preferences, over all groups, with which the ranking agrees. The score is
    0 if neither document was retrieved.
    """

    total_ret: FloatArray  # the sum of the scores of pairs of retrieved documents
    count_ret: IntArray  # their number
    total: FloatArray  # the sum of the scores of pairs with at least one retrieved document
    count_imp: IntArray  # their number
    count: IntArray  # number of all pairs


class Preferences(Frozen):
    """The input of preference measures: the preferences and the rankings of n topics."""

    groups: Segments  # the judgment groups of each topic
    members: tuple[Group, ...]
    """The preferences of each group. The documents of a topic have the IDs 0, 1, ... in rank order, followed by the
    documents that were not retrieved in byte order."""
    n_ret: IntArray  # number of retrieved judged documents of each topic
    n_judged: IntArray  # number of judged documents of each topic

    @cached_property
    def tally(self) -> PreferenceCounts:
        """The counts of preferences in each group."""
        return PreferenceCounts.of(
            (group.preferred for group in self.members), self.members, self.groups.spread(self.n_ret)
        )

    def balanced_tally(self, few: IntArray, n_counted: IntArray) -> PreferenceCounts:
        """Count the preferences of the groups ``few``, limiting the nonrelevant documents to ``n_counted``."""
        members = [self.members[group] for group in few.tolist()]
        limits = zip(members, self.relevant[0][few].tolist(), n_counted[few].tolist(), strict=True)
        pairs = (group.balanced(relevant, counted) for group, relevant, counted in limits)
        return PreferenceCounts.of(pairs, members, self.groups.spread(self.n_ret)[few])

    @cached_property
    def relevant(self) -> tuple[IntArray, IntArray]:
        """The numbers of relevant documents, and of retrieved relevant documents, in each group without subgroups."""
        return self._counted([group.level > 0 for group in self.members])

    @cached_property
    def nonrelevant(self) -> tuple[IntArray, IntArray]:
        """The numbers of nonrelevant documents, and of retrieved nonrelevant documents, in each group."""
        return self._counted([group.nonrelevant for group in self.members])

    @cached_property
    def pairs(self) -> PairScores:
        """The scores of the pairs of each topic."""
        scores = [self._score_pairs(topic) for topic in range(self.groups.n)]
        totals = np.array([total for total, _ in scores]).reshape(-1, 2).T
        counts = np.array([count for _, count in scores], np.int64).reshape(-1, 3).T
        return PairScores(totals[0], counts[0], totals[1], counts[1], counts[2])

    def _counted(self, chosen: Sequence[BoolArray]) -> tuple[IntArray, IntArray]:
        retrieved = [
            mask & (group.ids < limit)
            for mask, group, limit in zip(chosen, self.members, self.groups.spread(self.n_ret).tolist(), strict=True)
        ]
        every, n_retrieved = (np.array([*map(np.count_nonzero, masks)], np.int64) for masks in (chosen, retrieved))
        return every, n_retrieved

    def _score_pairs(self, topic: int) -> tuple[tuple[float, float], tuple[int, int, int]]:
        n, n_ret = int(self.n_judged[topic]), int(self.n_ret[topic])
        better = np.zeros((n_ret, n), np.int32)  # how often a retrieved document is preferred to each document
        worse = np.zeros((n_ret, n), np.int32)
        neither = np.zeros((n - n_ret, n - n_ret), np.bool_)
        for group in self.members[self.groups.slice(topic)]:
            ids, times = _times(group)
            ret, rest = ids[ids < n_ret], ids[ids >= n_ret] - n_ret
            to_all: tuple[IntArray | slice, ...] = (slice(None), slice(None))
            to_rest = to_all
            if ids.size < n:  # otherwise, no rows and columns need to be selected, which is slow
                to_all, to_rest = np.ix_(ret, ids), np.ix_(rest, rest)
            better[to_all] += times[: ret.size]
            worse[to_all] += times[:, : ret.size].T
            neither[to_rest] |= times[ret.size :, ret.size :] > 0
        total_ret, count_ret, implied = 0.0, 0, [np.empty(0)]
        for first in range(0, n_ret, _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            known = better[rows] + worse[rows]
            counted = (known > 0) & (np.arange(n) > np.arange(n_ret)[rows, None])
            score = better[rows] / np.maximum(known, 1)
            score_ret = score[:, :n_ret][counted[:, :n_ret]]
            total_ret, count_ret = ordered_sum(score_ret, total_ret), count_ret + score_ret.size
            implied.append(score[:, n_ret:][counted[:, n_ret:]])
        score_imp = np.concatenate(implied)
        n_imp = count_ret + score_imp.size
        n_neither = int(np.count_nonzero(neither | neither.T)) // 2
        return (total_ret, ordered_sum(score_imp, total_ret)), (count_ret, n_imp, n_imp + n_neither)


def assess_preferences(ranking: Ranking, judgments: PreferenceJudgments) -> Preferences:
    """Return the input of preference measures. Topics with contradictory preferences must have been removed."""
    lengths: list[int] = []
    groups: list[Group] = []
    n_ret = []
    for place, topic in enumerate(ranking.judged_topic.tolist()):
        where = judgments.documents.rows.slice(topic)
        retrieved = ranking.row[ranking.rows.slice(place)]
        retrieved = retrieved[retrieved >= 0] - where.start
        ids = np.full(where.stop - where.start, ABSENT)
        ids[retrieved] = np.arange(retrieved.size)
        ids[ids == ABSENT] = np.arange(retrieved.size, ids.size)
        members = judgments.by_topic[topic]
        if isinstance(members, EvaluationError):
            raise members
        groups += [group.renumbered(ids) for group in members]
        lengths.append(len(members))
        n_ret.append(retrieved.size)
    return Preferences(
        groups=Segments.of_lengths(lengths),
        members=tuple(groups),
        n_ret=np.array(n_ret, np.int64),
        n_judged=judgments.documents.rows.lengths[ranking.judged_topic],
    )


def _times(group: Group) -> tuple[IntArray, IntArray | BoolArray]:
    """Return the distinct document IDs of a group, and how often each document is preferred to each other one."""
    new = np.flatnonzero(np.append(True, group.ids[1:] != group.ids[:-1]))
    preferred = group.preferred
    if new.size == group.ids.size:
        return group.ids, preferred
    return group.ids[new], np.add.reduceat(np.add.reduceat(preferred, new, axis=0, dtype=np.int64), new, axis=1)


class GroupedTopics(Frozen):
    """The input of measures for judgment groups: the rankings of n topics, assessed separately with each group."""

    groups: Segments  # the judgment groups of each topic, at least one
    each: Topics  # the ranking of each group's topic, assessed with the judgments of the group

    def mean(self, of_group: FloatArray) -> FloatArray:
        """Return the mean of a value over the groups of each topic."""
        return self.groups.sum(of_group) / self.groups.lengths


def ranking_by_group(ranking: Ranking, judgments: GroupedJudgments) -> tuple[Segments, Ranking]:
    """Return the judgment groups of each topic, and a ranking that contains one topic for each group.

    A document is unpooled in the topic of a group if this group did not judge the document.
    """
    groups, group = judgments.groups.take(ranking.judged_topic)
    each = ranking.take(groups.ids)
    return groups, replace(each, judged_topic=group, row=judgments.find(each.rows.spread(group), each.row))


def assess_by_group(
    ranking: Ranking, judgments: GroupedJudgments, *, level: float = 1, treatment: UnjudgedTreatment = "nonrel"
) -> GroupedTopics:
    """Return the input of measures for judgment groups. "skip" removes the documents that a group did not judge."""
    groups, each = ranking_by_group(ranking, judgments)
    grades = judgments.judgments.grades
    return GroupedTopics(groups, each.assess(judgments.judgments, grades, level=level, treatment=treatment))


class InclusionTopics(Frozen):
    """Rankings of n topics, whose judgments are a sample of documents with known inclusion probabilities."""

    rows: Segments  # the retrieved documents of the sample of each topic, in rank order
    rank: IntArray  # the rank of each document of ``rows``, starting at 1
    place: IntArray  # the index of each document of ``rows`` in ``sample``
    n_ret: IntArray  # number of retrieved documents of each topic, in the sample or not
    sample: Segments  # the documents of the sample of each topic, retrieved or not
    grade: IntArray  # the grade of each document of ``sample``, which can be negative
    probability: FloatArray  # the inclusion probability of each document of ``sample``, in (0, 1]
    any_at_random: BoolArray  # whether each topic contains a document that was drawn at random
    level: float = 1  # relevance level; negative grades are never relevant

    @cached_property
    def relevant(self) -> BoolArray:
        """Whether each document of ``sample`` is relevant."""
        return self.grade >= max(self.level, 0)

    @cached_property
    def stands_for(self) -> FloatArray:
        """The inverse inclusion probability of each relevant document of ``sample``, or 0 for other documents."""
        return np.where(self.relevant, 1.0 / self.probability, 0.0)

    @cached_property
    def estimated_relevant(self) -> FloatArray:
        """The estimated number of relevant documents for each topic."""
        return self.sample.sum(self.stands_for)


def assess_inclusion(
    ranking: Ranking,
    judgments: InclusionJudgments,
    *,
    level: float = 1,
    treatment: UnjudgedTreatment = "nonrel",
) -> InclusionTopics:
    """Return the input of measures for samples. "skip" removes documents outside the sample (``-J``)."""
    seen = ranking.of_judged(treatment)
    sample, index = judgments.rows.take(ranking.judged_topic)
    return InclusionTopics(
        rows=seen.rows,
        rank=seen.rank,
        place=sample.at(seen.rows.ids, judgments.rows.position[seen.row]),
        n_ret=seen.n_ret,
        sample=sample,
        grade=judgments.grades[index],
        probability=judgments.probabilities[index],
        any_at_random=sample.count(judgments.at_random[index]) > 0,
        level=level,
    )


class TopicsWithSubtopics(Frozen):
    """The input of measures for subtopics: rankings of n topics, with the subtopics of relevant documents."""

    rows: Segments  # the retrieved documents of each topic that are relevant for at least one subtopic, in rank order
    rank: IntArray  # the rank of each document of ``rows``, starting at 1
    parts: Segments  # the subtopics for which each document of ``rows`` is relevant, in ascending order
    subtopic: IntArray  # the index of each element of ``parts`` in ``subtopics``
    subtopics: Segments  # the subtopics of each topic for which any document is relevant
    n_relevant: IntArray  # the number of relevant documents of each subtopic, retrieved or not
    judged_topic: IntArray  # the index of each topic in the judgments
    judged: RelevantParts  # the relevant documents of all judged topics, with the ideal rankings

    @cached_property
    def seen_before(self) -> IntArray:
        """The number of higher-ranked documents that are relevant for the subtopic of each element of ``parts``."""
        by_subtopic = np.argsort(self.subtopic, kind="stable")
        seen = np.empty(self.subtopic.size, np.int64)
        lengths = np.bincount(self.subtopic, minlength=self.subtopics.size)
        seen[by_subtopic] = Segments.of_lengths(lengths).position
        return seen

    @cached_property
    def part_rank(self) -> IntArray:
        """The rank of the document to which each element of ``parts`` belongs."""
        return self.rank[self.parts.ids]

    @cached_property
    def _gains(self) -> dict[float, FloatArray]:
        return {}

    def gain(self, alpha: float) -> FloatArray:
        """Return the novelty gain of each document: the sum of (1 - alpha)^``seen_before`` over its subtopics."""
        if alpha not in self._gains:
            weight = powers(1.0 - alpha, int(self.seen_before.max(initial=0)) + 1)
            self._gains[alpha] = self.parts.sum(weight[self.seen_before])
        return self._gains[alpha]

    def ideal(self, alpha: float) -> tuple[Segments, FloatArray]:
        """Return the lengths and gains of the ideal rankings, which contain only documents with a positive gain."""
        lists, gains = self.judged.ideal(alpha)
        chosen, index = lists.take(self.judged_topic)
        return chosen, gains[index]


def assess_subtopics(
    ranking: Ranking, judgments: SubtopicJudgments, *, level: float = 1, treatment: UnjudgedTreatment = "nonrel"
) -> TopicsWithSubtopics:
    """Return the input of measures for subtopics. "skip" removes documents that have no judgment (``-J``)."""
    judged = judgments.relevant(level)
    seen = ranking.of_judged(treatment)
    relevant = judged.parts.lengths[seen.row] > 0
    rows = seen.rows.keep(relevant)
    parts, index = judged.parts.take(seen.row[relevant])
    subtopics, of_topic = judged.subtopics.take(ranking.judged_topic)
    # A topic can occur in several rankings. Each occurrence has its own row in ``subtopics``.
    shift = subtopics.offsets[:-1] - judged.subtopics.offsets[:-1][ranking.judged_topic]
    return TopicsWithSubtopics(
        rows=rows,
        rank=seen.rank[relevant],
        parts=parts,
        subtopic=judged.subtopic[index] + shift[rows.ids[parts.ids]],
        subtopics=subtopics,
        n_relevant=judged.n_relevant[of_topic],
        judged_topic=ranking.judged_topic,
        judged=judged,
    )

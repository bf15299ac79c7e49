"""Comparisons in groups of topics, and whether differences differ between groups."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from irevalx.api import checks
from irevalx.api.checks import identifier
from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import FloatArray
from irevalx.errors import InputError, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.lab.comparison.compared_pairs import ComparedMeasure, Comparison
from irevalx.process.system import as_bytes
from irevalx.reading.source import Source
from irevalx.reading.topic_groups import TopicGroups, group_warnings, groups_of_pairs, read_topic_groups
from irevalx.reports.table import Table
from irevalx.statistics.corrections import CORRECTIONS, correction_named
from irevalx.statistics.paired_comparisons import FEW_TOPICS, Comparisons, Method
from irevalx.statistics.significance import interaction

TopicGroupsOfUser = str | os.PathLike[str] | Mapping[str, str | Iterable[str]]
"""A file, or the group of each topic, or its groups."""


class ComparedInGroup(Frozen, kw_only=True):
    """How a run compares with another in a group of topics.

    Parameters
    ----------
    topics : of the group, for which all runs have a value.
    mean, mean_against, difference, low, high, p : as for pairs over all topics, over these.
    corrected_p : corrected for all pairs and groups of the measure.
    differ : whether it is below alpha, with 5 topics at least.
    interaction_p : the corrected p-value of the pair's interaction; nan where it is not defined.
    """

    measure: str
    run: str
    against: str
    group: str
    topics: int
    mean: float
    mean_against: float
    difference: float
    low: float
    high: float
    p: float
    corrected_p: float
    differ: bool
    interaction_p: float


class PairInteraction(Frozen, kw_only=True):
    """Whether the difference of two runs differs between groups of topics.

    Parameters
    ----------
    groups : with two topics at least, which are compared.
    f, df_between, df_within, p : of Welch's test; nan where it is not defined.
    corrected_p : corrected for all pairs of the measure.
    differ : whether it is below alpha.
    """

    measure: str
    run: str
    against: str
    groups: int
    f: float
    df_between: int
    df_within: float
    p: float
    corrected_p: float
    differ: bool


class ComparedGroups(Comparison):
    """A row for each measure, pair and group; and for each measure and pair the interaction.

    Parameters
    ----------
    in_groups : the rows.
    interactions : of each measure and pair.
    """

    in_groups: Sequence[ComparedInGroup]
    interactions: Sequence[PairInteraction]

    @property
    def rows(self) -> Sequence[ComparedInGroup]:
        """A row for each measure, pair and group."""
        return self.in_groups

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, and that of interactions."""
        named = frozenset({"p", "corrected_p", "interaction_p"})
        return [
            Table.of("groups of topics", ComparedInGroup, self.in_groups, n_labels=4, probabilities=named),
            Table.of("interactions", PairInteraction, self.interactions, n_labels=3, probabilities=named),
        ]

    def tables_for_people(self) -> list[Table]:
        """Return both tables with the usual columns."""
        shown = ("measure", "run", "against", "group", "topics", "difference", "low", "high", "corrected_p", "differ")
        of_pairs = {(row.measure, row.group) for row in self.in_groups}
        n_pairs, n_groups = len(self.measures[0].found.pairs), len(of_pairs) // len(self.measures)
        method, test = self.method, self.how_tested.partition(" over ")[0]
        correction = correction_named(method.correction).title()
        notes = (
            f"{test} in each group, p-values corrected for {n_pairs} pairs and {n_groups} groups, "
            f"interactions for the pairs, by {correction}; alpha {method.alpha:g}.",
            "interactions: Welch's F test of whether the difference is the same in all groups.",
        )
        first, second = self.tables()
        return [first.showing(*shown), replace(second, notes=notes)]


def topic_groups_of(given: TopicGroupsOfUser) -> tuple[TopicGroups, str]:
    """Return groups of topics as a user gives them, and what messages call them.

    Raises
    ------
    IrevalxError : as ``read_topic_groups`` and ``groups_of_pairs``.
    """
    if not isinstance(given, Mapping):
        path = os.fspath(given)
        return read_topic_groups(Source(path)), shown_name(path)
    pairs = [
        (identifier("topic_groups: a topic", topic), group)
        for topic, names in given.items()
        for group in checks.texts(partial("topic_groups[{!r}]".format, topic), names)
    ]
    return groups_of_pairs(pairs, "topic_groups"), "topic_groups"


def compared_in_groups(
    compared: Sequence[ComparedMeasure],
    given: TopicGroupsOfUser,
    baseline: str | None,
    method: Method,
    notes: tuple[str, ...],
) -> ComparedGroups:
    """Return comparisons in groups of topics.

    Raises
    ------
    InputError : no group has a topic.
    IrevalxError : as ``topic_groups_of``.
    """
    groups, where = topic_groups_of(given)
    topics = dict.fromkeys(topic for one in compared for topic in one.measured.topics)
    for line in group_warnings(groups, map(as_bytes, topics), where):
        warn(line)
    rows: list[ComparedInGroup] = []
    interactions: list[PairInteraction] = []
    for one in compared:
        numbers = {as_bytes(topic): number for number, topic in enumerate(one.measured.topics)}
        places = {
            group: np.array(sorted(numbers[topic] for topic in members if topic in numbers), np.int64)
            for group, members in groups.items()
            if not members.isdisjoint(numbers)
        }
        if not places:
            raise InputError(f"{where}: a group must have a topic with a value of {one.name}, but none has")
        if sum(map(len, places.values())) > len(frozenset(np.concatenate([*places.values()]).tolist())):
            warn(f"{where}: topics are in several groups, so that interactions are not tested")
            of_measure = _interactions(one, [], method)
        else:
            of_measure = _interactions(one, [place for place in places.values() if len(place) > 1], method)
        interactions += of_measure
        rows += _rows(one, places, method, of_measure)
    return ComparedGroups(compared, baseline, method, rows, interactions, notes=notes)


def _corrected(p: FloatArray, method: Method) -> FloatArray:
    """Correct p-values of those that are defined."""
    corrected, known = p.copy(), np.isfinite(p)
    corrected[known] = CORRECTIONS[correction_named(method.correction)](p[known])
    return corrected


def _interactions(one: ComparedMeasure, places: Sequence[np.ndarray], method: Method) -> list[PairInteraction]:
    found = [interaction([d[place] for place in places]) for d in one.found.by_topic]
    corrected = _corrected(np.array([of_pair.p for of_pair in found]), method)
    return [
        PairInteraction(
            **one.names_of(row),
            groups=len(places),
            f=of_pair.f,
            df_between=max(0, len(places) - 1),
            df_within=of_pair.within,
            p=of_pair.p,
            corrected_p=float(corrected[row]),
            differ=bool(corrected[row] < method.alpha),
        )
        for row, of_pair in enumerate(found)
    ]


def _rows(
    one: ComparedMeasure, places: Mapping[str, np.ndarray], method: Method, interactions: Sequence[PairInteraction]
) -> list[ComparedInGroup]:
    found = {
        group: Comparisons(one.found.values[:, place], one.found.pairs, method, one.found.scale)
        for group, place in places.items()
    }
    p = np.array([of_group.p for of_group in found.values()])
    corrected = _corrected(p.ravel(), method).reshape(p.shape)
    return [
        ComparedInGroup(
            **one.scores_of(row, of_group),
            group=group,
            topics=of_group.values.shape[1],
            p=float(p[place, row]),
            corrected_p=float(corrected[place, row]),
            differ=bool(corrected[place, row] < method.alpha and of_group.values.shape[1] >= FEW_TOPICS),
            interaction_p=interactions[row].corrected_p,
        )
        for row in range(len(one.found.pairs))
        for place, (group, of_group) in enumerate(found.items())
    ]

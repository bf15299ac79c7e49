"""Comparisons of runs within topic groups, and the interaction between pairs of runs and topic groups."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from irevalx import checks
from irevalx.arrays.segments import FloatArray
from irevalx.checks import identifier
from irevalx.errors import ArgumentError, InputError, quote, shown_name, warn
from irevalx.frozen import replace
from irevalx.lab.comparison.comparison_options import TopicGroupsInput
from irevalx.lab.comparison.interactions import FEW_IN_GROUP, Interactions, interactions
from irevalx.lab.comparison.pair_columns import default_columns, heads_of, notes_on_pairs
from irevalx.lab.comparison.pairs import GROUP_COLUMNS, ComparedMeasure, ComparedPair, PairInteraction
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.process.platform import as_bytes
from irevalx.reading.sources.files import Source
from irevalx.reading.topic_groups import TopicGroups, group_warnings, groups_of_pairs, read_topic_groups
from irevalx.reports.table import Table
from irevalx.statistics.confidence_intervals import Ends
from irevalx.statistics.corrections import CORRECTIONS, SIMULTANEOUS, correction_named
from irevalx.statistics.paired_comparisons import Comparisons, Method
from irevalx.statistics.significance import FEW_TOPICS
from irevalx.wording import spelled

if TYPE_CHECKING:
    from irevalx.lab.plotting.page import Page


class ComparedGroups(ComparedPairs, kw_only=True):
    """The result of a comparison within topic groups, with a row for each measure, pair and group."""

    in_groups: Sequence[ComparedPair]
    draws_labels: bool
    """Whether group labels were permuted at random, instead of in all possible ways."""
    has_cautions: ClassVar[bool] = False

    @property
    def rows(self) -> Sequence[ComparedPair]:
        """The comparison of each pair in each measure and group."""
        return self.in_groups

    def drawing(self, draw: str | None, page: Page) -> str:
        """Raise ArgumentError, because no figure shows comparisons within topic groups."""
        raise ArgumentError(f"{spelled('topic_groups')}: there is no figure of comparisons within topic groups")

    @property
    def seed(self) -> int | None:
        """The random seed of the comparison or of the permuted labels, or None if no random numbers are used."""
        return self.method.seed if self.draws_labels else super().seed

    def tables(self) -> list[Table]:
        """Return the table of comparisons and the table of interactions."""
        named = frozenset({"p", "corrected_p", "interaction_p"})
        return [
            Table.of("groups of topics", ComparedPair, self.rows, n_labels=4, probabilities=named).showing(
                *GROUP_COLUMNS
            ),
            Table.of("interactions", PairInteraction, self.interactions, n_labels=3, probabilities=named),
        ]

    def tables_for_people(self) -> list[Table]:
        """Return the table of comparisons and the table of interactions, with default columns."""
        first, second = self.tables()
        n_tests = math.prod(self._sizes)
        columns = default_columns(self.method, self.rows, ("measure", "run", "against", "group", "topics"), n_tests)
        notes = (
            self.how_tested,
            *notes_on_pairs(self.method, columns, n_tests, "pair in this group", "pairs and groups"),
            "interactions: whether the difference is the same in all groups; Welch's F statistic (f), tested by "
            f"{self._labellings}.",
            *self.note_on_measures,
            *self.coverage_notes(),
        )
        without_degrees = [name for name in second.columns if name not in {"df_between", "df_within", "labellings"}]
        coverage = self.coverage_heads()
        heads = (*heads_of(columns, self.method, n_tests), *coverage.values())
        topic_groups = first.showing(*columns, *coverage, heads=heads, title="topic groups", fits=True)
        return [topic_groups, second.showing(*without_degrees, notes=notes, fits=True)]

    @property
    def _sizes(self) -> tuple[int, int]:
        """The number of pairs and the number of groups."""
        return len(self.measures[0].comparisons.pairs), len({row.group for row in self.rows})

    @property
    def how_tested(self) -> str:
        """A sentence that states the test, the correction, and the numbers of pairs and groups."""
        n_pairs, n_groups = self._sizes
        return (
            f"{self.test_in_words} in each group, p-values corrected for {n_pairs} pairs and {n_groups} groups "
            f"(p-values of interactions: for the pairs only) by {correction_named(self.method.correction).title()}; "
            f"alpha {self.method.alpha:g}."
        )

    @property
    def _labellings(self) -> str:
        numbers = sorted({row.labellings for row in self.interactions} - {0})
        if not numbers:
            return "permuting the group labels; there were no labels to permute"
        if self.draws_labels:
            return f"permuting the group labels of topics at random ({numbers[-1]} labellings)"
        return f"permuting the group labels of topics in all {' or '.join(map(str, numbers))} ways"


def topic_groups_of(source: TopicGroupsInput) -> tuple[TopicGroups, str]:
    """Return the topics of each group, and the name of the input for error messages."""
    if not isinstance(source, Mapping):
        path = os.fspath(source)
        return read_topic_groups(Source(path)), shown_name(path)
    pairs = [
        (identifier("topic_groups: a topic", topic), group)
        for topic, names in source.items()
        for group in checks.texts(partial("topic_groups[{!r}]".format, topic), names)
    ]
    return groups_of_pairs(pairs, "topic_groups"), "topic_groups"


def compared_in_groups(
    compared: Sequence[ComparedMeasure],
    source: TopicGroupsInput,
    baselines: Sequence[str],
    method: Method,
    notes: tuple[str, ...],
) -> ComparedGroups:
    """Compare the runs within each topic group, and test the interactions."""
    groups, where = topic_groups_of(source)
    topics = dict.fromkeys(topic for of_measure in compared for topic in of_measure.measured.topics)
    lines = [*group_warnings(groups, map(as_bytes, topics), where)]
    rows: list[ComparedPair] = []
    tested: list[PairInteraction] = []
    draws_labels = False
    for of_measure in compared:
        numbers = {as_bytes(topic): number for number, topic in enumerate(of_measure.measured.topics)}
        places = {
            group: np.array(sorted(numbers[topic] for topic in members if topic in numbers), np.int64)
            for group, members in groups.items()
            if not members.isdisjoint(numbers)
        }
        if not places:
            raise InputError(f"{where}: no topic of any group has a value of {of_measure.name}")
        usable = {group: place for group, place in places.items() if len(place) > 1}
        if sum(map(len, places.values())) > len(frozenset(np.concatenate([*places.values()]).tolist())):
            lines.append(f"{where}: interactions are not tested, because some topics are in several groups")
            usable = {}
        else:
            lines += _lines_on_small_groups(places, where)
        welch = interactions(of_measure.comparisons.by_topic, [*usable.values()], method.resamples, method.seed)
        interaction_rows = _interactions(of_measure, welch, len(usable), method)
        tested += interaction_rows
        draws_labels |= welch.is_random
        rows += _rows(of_measure, places, method, interaction_rows)
    for line in dict.fromkeys(lines):  # most warnings are equal for all measures
        warn(line)
    return ComparedGroups(
        compared, baselines, method, in_groups=rows, interactions=tested, draws_labels=draws_labels, notes=notes
    )


def _lines_on_small_groups(places: Mapping[str, np.ndarray], where: str) -> Iterator[str]:
    """Yield warnings about groups with a single topic, which the interaction test excludes, and about small groups."""
    single = [quote(group) for group, place in places.items() if len(place) == 1]
    if single:
        yield f"{where}: the interaction test excludes groups with only one topic: {_listed(single)}"
    small = [f"{quote(group)} ({len(place)})" for group, place in places.items() if 1 < len(place) < FEW_IN_GROUP]
    if small and len(places) - len(single) > 1:
        yield (
            f"{where}: groups with fewer than {FEW_IN_GROUP} topics: {_listed(small)}; in groups this small, an "
            "interaction can be significant merely because differences vary more in one group than in another"
        )


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:5])} and {len(names) - 5} others" if names[6:] else ", ".join(names)


def corrected_where_defined(p: FloatArray, method: Method) -> FloatArray:
    """Correct the defined p-values together. Undefined p-values remain nan."""
    corrected, known = p.copy(), np.isfinite(p)
    corrected[known] = CORRECTIONS[correction_named(method.correction)](p[known])
    return corrected


def _interactions(
    of_measure: ComparedMeasure, tested: Interactions, n_groups: int, method: Method
) -> list[PairInteraction]:
    corrected = corrected_where_defined(tested.p, method)
    return [
        PairInteraction(
            **of_measure.names_of(row),
            groups=n_groups,
            f=float(tested.f[row]),
            df_between=max(0, n_groups - 1),
            df_within=float(tested.within[row]),
            p=float(tested.p[row]),
            corrected_p=float(corrected[row]),
            differ=bool(corrected[row] < method.alpha),
            labellings=tested.labellings,
        )
        for row in range(len(tested.p))
    ]


def _rows(
    of_measure: ComparedMeasure,
    places: Mapping[str, np.ndarray],
    method: Method,
    interactions: Sequence[PairInteraction],
) -> list[ComparedPair]:
    """Compare each pair of runs within each group. Return the comparisons as rows."""
    measured, every = of_measure.measured, of_measure.comparisons
    of_groups = [
        ComparedMeasure(
            replace(
                measured,
                coverage=None if measured.coverage is None else measured.coverage.of_topics(place),
                top_coverage=None,
            ),
            Comparisons(every.values[:, place], every.pairs, method, every.scale),
        )
        for place in places.values()
    ]
    p = np.array([of_group.comparisons.p for of_group in of_groups])
    corrected = corrected_where_defined(p.ravel(), method).reshape(p.shape)
    intervals = [_for_all(of_group.comparisons, p.size) for of_group in of_groups]
    return [
        of_group.pairs[row]._replace(
            group=group,
            topics=len(place),
            corrected_p=float(of_tests[row]),
            differ=bool(of_tests[row] < method.alpha) and len(place) >= FEW_TOPICS,
            interaction_p=interaction.corrected_p,
            simultaneous_low=float(low[row]),
            simultaneous_high=float(high[row]),
        )
        for row, interaction in enumerate(interactions)
        for (group, place), of_group, of_tests, (low, high) in zip(
            places.items(), of_groups, corrected, intervals, strict=True
        )
    ]


def _for_all(of_group: Comparisons, n_tests: int) -> Ends:
    """Return intervals that are simultaneous over all pairs and groups, or nan if the correction provides none."""
    method = of_group.method
    if correction_named(method.correction) not in SIMULTANEOUS:
        return of_group.simultaneous_interval
    alone = replace(method, correction="none", alpha=method.alpha / n_tests)
    return replace(of_group, method=alone).interval

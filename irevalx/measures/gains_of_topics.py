"""Gains of documents by their grades, in a ranking and in the ideal ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from irevalx.arrays.segments import FloatArray, Segments
from irevalx.frozen import Frozen, cached_property
from irevalx.measures.parameter_kinds import Gain
from irevalx.ranking.rounding import log2_of
from irevalx.ranking.topics import Topics
from irevalx.trec_eval.merge_sort import merge_sort
from irevalx.trec_eval.numbers import truncate_to_int

MOST_LEVELS = 1000
"""Up to this grade the table of gains of a topic has all levels below its highest grade, as in trec_eval; above it,
only the grades that occur."""


class GainsOfTopics(Frozen):
    """Gains of the retrieved documents of the topics, and of the ideal ranking."""

    gain: FloatArray
    """Flat over ``rows``; the mean of the documents that can be at a rank."""
    ideal: Segments
    """Per topic, the documents of the ideal ranking with a gain above 0."""
    ideal_gain: FloatArray
    """Flat over ``ideal``, descending per topic."""
    rows: Segments
    """Per topic, its retrieved documents."""
    discount: FloatArray
    """Flat over ``rows``; log2(rank + 1)."""
    of_pool: Callable[[Any, Callable[[], Any]], Any] = lambda key, compute: compute()
    """``Topics.of_pool`` if gains are grades."""

    @classmethod
    def of(cls, t: Topics, pairs: Sequence[Gain], *, scaled: bool = False) -> GainsOfTopics:
        """Return the gains of the topics; a grade without a pair is its own gain, and an unjudged document has none.

        ``scaled`` brings the gains of topics to 0..1 if necessary.
        """
        levels = tuple((pair.level, pair.value) for pair in pairs if pair.level is not None)
        key = "gains", levels, scaled
        if key not in t.cached:
            t.cached[key] = cls._of_levels(t, levels, scaled)
        gains: GainsOfTopics = t.cached[key]
        return gains

    @classmethod
    def _of_levels(cls, t: Topics, levels: tuple[tuple[float, float], ...], scaled: bool) -> GainsOfTopics:
        is_real = t.pool_grade.dtype.kind == "f"
        if not levels and not scaled:
            by_grade = np.maximum(t.grade, 0).astype(np.float64)
            return cls(t.over_ranks(by_grade), t.ideal, t.ideal_grade, t.rows, t.discount, t.of_pool)
        gain = np.zeros(t.documents.size)
        ideals: list[FloatArray] = []
        for topic in range(t.rows.n):
            where, grades = t.documents.slice(topic), t.pool_grade[t.pool.slice(topic)]
            counts = Counter(grades[grades >= 0].tolist())
            every = tuple(sorted(counts))
            if every and every[-1] <= MOST_LEVELS and not is_real:
                every = tuple(range(every[-1] + 1))
            table = _gain_table(levels, every, scaled, is_real)
            gain[where] = [table.by_level.get(grade, 0.0) for grade in t.grade[where].tolist()]
            ideals.append(table.ideal(counts))
        ideal = Segments.of_lengths([len(gains) for gains in ideals])
        return cls(t.over_ranks(gain), ideal, np.concatenate((np.empty(0), *ideals)), t.rows, t.discount)

    @cached_property
    def discounted(self) -> FloatArray:
        """Flat over ``rows``: gain / log2(rank + 1)."""
        return np.where(self.gain != 0, self.gain / self.discount, 0.0)

    @cached_property
    def ideal_discounted(self) -> FloatArray:
        """Flat over ``ideal``: gain / log2(rank + 1)."""
        discounted: FloatArray = self.of_pool(
            "ideal_discounted", lambda: self.ideal_gain / log2_of(self.ideal.position + 2)
        )
        return discounted

    @cached_property
    def dcg(self) -> FloatArray:
        """Per topic: discounted cumulative gain of the ranking."""
        return self.rows.sum(self.discounted)

    @cached_property
    def ideal_dcg(self) -> FloatArray:
        """Per topic: discounted cumulative gain of the ideal ranking."""
        dcg: FloatArray = self.of_pool("ideal_dcg", lambda: self.ideal.sum(self.ideal_discounted))
        return dcg

    def ideal_dcg_within(self, k: int) -> FloatArray:
        """Per topic: discounted cumulative gain of the first k documents of the ideal ranking."""

        def compute() -> FloatArray:
            return self.ideal.sum(np.where(self.ideal.position < k, self.ideal_discounted, 0.0))

        dcg: FloatArray = self.of_pool(("ideal_dcg", k), compute)
        return dcg


class _GainTable(Frozen):
    """The levels of a topic with their gains, in ascending order of gains as trec_eval compares them."""

    entries: tuple[tuple[float, float, bool], ...]
    """Level, gain, and whether documents of this level are counted here (a level can be given twice)."""

    @cached_property
    def by_level(self) -> dict[float, float]:
        """The gain of a grade; the first entry counts."""
        return {level: gain for level, gain, _ in reversed(self.entries)}

    def ideal(self, counts: Mapping[float, int]) -> FloatArray:
        """Return the gains of the ideal ranking, descending, from the numbers of documents by level.

        It ends at the first gain that is not above 0; like trec_eval, the last entry is checked before the counts.
        """
        gains: list[float] = []
        if not self.entries or not self.entries[-1][1] > 0:
            return np.empty(0)
        for level, gain, counted in reversed(self.entries):
            count = counts.get(level, 0) if counted else 0
            if count and not gain > 0:
                break
            gains.extend([gain] * count)
        return np.array(gains)


@lru_cache(maxsize=256)
def _gain_table(
    given: tuple[tuple[float, float], ...], every: tuple[float, ...], scaled: bool, is_real: bool
) -> _GainTable:
    """Return the table of a topic with ``every`` level, some of which have ``given`` gains."""
    entries: list[tuple[float, float, bool]] = []
    named: set[float] = set()
    for level, gain in given:
        entries.append((level, gain, level not in named))
        named.add(level)
    entries += [(level, float(level), True) for level in every if level not in named]
    # trec_eval compares gains by their difference cut to an integer, so that close ones may end up in the wrong order.
    if is_real:
        entries.sort(key=lambda entry: entry[1])
    else:
        entries = merge_sort(entries, lambda x, y: truncate_to_int(x[1] - y[1]))
    if scaled:
        low = min([0.0, *(gain for _, gain, _ in entries)])
        high = max([0.0, *(gain for _, gain, _ in entries)])
        if low < 0 or high > 1:
            entries = [(level, (gain - low) / (high - low), counted) for level, gain, counted in entries]
    return _GainTable(tuple(entries))

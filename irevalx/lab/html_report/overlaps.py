"""The rank-biased overlap of pairs of runs for each topic in the HTML report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from irevalx.arrays.segments import FloatArray, SlotArray, ordered_sum
from irevalx.frozen import Frozen
from irevalx.ranking.rank import ranking_order, without_documents
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds.runs import RunStream
from irevalx.statistics.correlations import Agreements, Rankings


class RunOverlaps(Frozen):
    """The rank-biased overlap between the complete rankings of two runs, for all pairs or for pairs with a baseline."""

    p: float
    """The persistence of rank-biased overlap."""
    values: FloatArray
    """The overlap of each pair of runs for each topic, or nan if a run has no results for the topic. The shape is
    (n_pairs, n_topics). See ``pairs_of`` for the order of pairs."""

    @classmethod
    def of(
        cls, runs: Sequence[RunStream], topics: Sequence[bytes], rules: RankingRules, p: float, baseline: int | None
    ) -> RunOverlaps:
        """Read runs, and compute their overlaps for the given topics."""
        places = {topic: place for place, topic in enumerate(topics)}
        numbers: list[dict[bytes, int]] = [{} for _ in topics]
        nothing = (np.empty(0, np.int32),) * 2
        rankings = []
        for run in runs:
            by_place = dict(_rankings(run.allowing(rules.duplicates), places, rules, numbers))
            rankings.append(Rankings.of([by_place.get(place, nothing) for place in range(len(topics))]))
        pairs = pairs_of(len(runs), baseline)
        overlaps = [Agreements.of(rankings[x], rankings[y]).extrapolated_overlaps(p) for x, y in pairs]
        return cls(p, np.reshape(overlaps, (len(overlaps), len(topics))))

    def means(self) -> list[float | None]:
        """Return the mean overlap of each pair over the topics that both runs contain, or None if there are none."""
        each = [row[~np.isnan(row)] for row in self.values]
        return [float(ordered_sum(row)) / row.size if row.size else None for row in each]


def pairs_of(n_runs: int, baseline: int | None) -> list[tuple[int, int]]:
    """Return all pairs of runs, or all pairs with the baseline, in ascending order of indices."""
    return [pair for pair in combinations(range(n_runs), 2) if baseline is None or baseline in pair]


def _rankings(
    run: RunStream, places: Mapping[bytes, int], rules: RankingRules, numbers: Sequence[dict[bytes, int]]
) -> Iterator[tuple[int, tuple[SlotArray, SlotArray]]]:
    """Yield the index of each topic and a run's ranking of the topic, as input for ``Rankings.of``.

    ``numbers`` contains the numbers of the documents of each topic, and is extended.
    """
    for part in run.results():
        results, _ = without_documents(part, rules)
        order, tied = ranking_order(results, rules.ties)
        docnos = results.docnos.take(np.arange(results.rows.size) if order is None else order).texts()
        for row, topic in enumerate(results.topics):
            within = results.rows.slice(row)
            documents = docnos[within][: rules.max_retrieved]
            if topic in places and len(documents):
                place = places[topic]
                starts = np.flatnonzero(np.append(True, ~tied[within.start : within.start + len(documents) - 1]))
                items = [numbers[place].setdefault(docno, len(numbers[place])) for docno in documents]
                sizes = np.diff(np.append(starts, len(documents)))
                yield place, (np.array(items, np.int32), sizes.astype(np.int32))

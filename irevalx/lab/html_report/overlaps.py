"""Rank-biased overlap of pairs of runs by topic, for the HTML report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from irevalx.arrays.segments import FloatArray, IntArray, Segments, ordered_sum
from irevalx.frozen import Frozen
from irevalx.ranking.rank import ranking_order, without_documents
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds.runs import RunStream
from irevalx.statistics.correlations import RankedItems, extrapolated_overlap


class RunOverlaps(Frozen):
    """The rank-biased overlap of the complete rankings of two runs, for all pairs or for the pairs with a baseline."""

    p: float
    """The persistence."""
    values: FloatArray
    """Shape (n_pairs, n_topics), in the order of ``pairs_of``; nan for a topic for which a run has no results."""

    @classmethod
    def of(
        cls, runs: Sequence[RunStream], topics: Sequence[bytes], rules: RankingRules, p: float, baseline: int | None
    ) -> RunOverlaps:
        """Read runs, and compute the overlaps for these topics."""
        places = {topic: place for place, topic in enumerate(topics)}
        numbers: list[dict[bytes, int]] = [{} for _ in topics]
        rankings = [
            _Rankings.of(dict(_rankings(run.allowing(rules.duplicates), places, rules, numbers)), len(topics))
            for run in runs
        ]
        shape = max(map(len, numbers)), max(int(ranking.lengths.max()) for ranking in rankings)
        overlaps = [_overlaps(rankings[x], rankings[y], *shape, p) for x, y in pairs_of(len(runs), baseline)]
        return cls(p, np.reshape(overlaps, (len(overlaps), len(topics))))

    def means(self) -> list[float | None]:
        """Return the mean of each pair over the topics that both runs contain; None without such a topic."""
        each = [row[~np.isnan(row)] for row in self.values]
        return [float(ordered_sum(row)) / row.size if row.size else None for row in each]


def pairs_of(n_runs: int, baseline: int | None) -> list[tuple[int, int]]:
    """Return all pairs of runs, or the pairs with a baseline, in ascending order."""
    return [pair for pair in combinations(range(n_runs), 2) if baseline is None or baseline in pair]


class _Rankings(Frozen):
    """The rankings of a run for all topics, one after the other, in 32-bit numbers to halve the memory."""

    lengths: IntArray
    """Number of documents of each topic."""
    items: npt.NDArray[np.int32]
    """The number of each document among the documents of its topic."""
    top: npt.NDArray[np.int32]
    bottom: npt.NDArray[np.int32]
    """The first and last rank of the tie group of each document."""

    @classmethod
    def of(cls, topics: Mapping[int, RankedItems], n_topics: int) -> _Rankings:
        """Join the rankings of topics."""
        lengths = np.zeros(n_topics, np.int64)
        lengths[list(topics)] = [ranking.items.size for ranking in topics.values()]
        columns = [(ranking.items, ranking.top, ranking.bottom) for _, ranking in sorted(topics.items())]
        return cls(lengths, *np.concatenate([np.empty((3, 0)), *columns], axis=1).astype(np.int32))


def _overlaps(x: _Rankings, y: _Rankings, n_items: int, n_depths: int, p: float) -> FloatArray:
    """Return ``rbo_w_ext`` of two runs by topic, as in ``rank_biased_overlap``; nan for a topic that a run lacks."""
    rows_x, rows_y = Segments.of_lengths(x.lengths), Segments.of_lengths(y.lengths)
    depth = np.arange(1, n_depths + 1)
    top_in_x = np.full((rows_x.n, n_items), n_depths + 1)
    top_in_x[rows_x.ids, x.items] = x.top
    both_within = np.maximum(top_in_x[rows_y.ids, y.items], y.top)  # the least depth at which both rankings contain it
    counts = np.bincount(rows_y.ids * (n_depths + 2) + both_within, minlength=rows_y.n * (n_depths + 2))
    shared = counts.reshape(rows_y.n, -1).cumsum(axis=1)[:, 1:-1]
    n_within = [np.tile(depth, (rows_x.n, 1)) for _ in range(2)]  # a shorter ranking continues with one item per depth
    for within, rows, ranking in zip(n_within, (rows_x, rows_y), (x, y), strict=True):
        within[rows.ids, rows.position] = ranking.bottom
    divisor = (n_within[0] + n_within[1]) / 2
    least = shared / divisor
    n_short, n_long = np.minimum(x.lengths, y.lengths), np.maximum(x.lengths, y.lengths)
    at_short = least[np.arange(rows_x.n), n_short - 1]
    beyond = depth - n_short[:, np.newaxis]
    extrapolated = np.where(beyond > 0, (shared + beyond * at_short[:, np.newaxis]) / divisor, least)
    at_long = (shared[np.arange(rows_x.n), n_long - 1] + (n_long - n_short) * at_short) / np.maximum(n_long, 1)
    overlaps = np.full(rows_x.n, np.nan)
    for topic in np.flatnonzero(n_short).tolist():
        agreements = extrapolated[topic, : n_long[topic]]
        overlaps[topic] = extrapolated_overlap(agreements, float(at_long[topic]), int(n_short[topic]), p)
    return overlaps


def _rankings(
    run: RunStream, places: Mapping[bytes, int], rules: RankingRules, numbers: Sequence[dict[bytes, int]]
) -> Iterator[tuple[int, RankedItems]]:
    """Yield the places of topics and their rankings; ``numbers`` has the number of each document by topic."""
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
                yield (
                    place,
                    RankedItems.in_order(np.array(items, np.int64), np.diff(np.append(starts, len(documents)))),
                )

"""Ranking of short lists of results without arrays, in a tenth of the time that arrays take."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import Segments
from irevalx.judgments.graded import Documents
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds.runs import RunStream, ShortList


def rank_short_list(run: RunStream, judgments: Documents, rules: RankingRules) -> tuple[Ranking, ShortList] | None:
    """Rank a short list of results. Return None if the run is not a short list or if the rules are not supported."""
    if run.short_list is None or not rules.are_plain or not judgments.table.is_small:
        return None
    results = run.short_list()
    if results is None or len(results.docnos) > rules.max_retrieved:
        return None
    place = judgments.topic_index.get(results.topic)
    if place is None:
        return None
    entry_of = judgments.table.entries_of(place)
    ranked = sorted(zip(results.scores, results.docnos, strict=True), reverse=True)  # by score, then by docno
    row = [entry_of.get(docno, ABSENT) for _, docno in ranked]
    rank = [rank for rank, entry in enumerate(row, 1) if entry >= 0 or rules.keep_all]
    if not rules.keep_all:
        row = [entry for entry in row if entry >= 0]
    ranking = Ranking(
        (judgments.topics[place],),
        np.array([place]),
        Segments.of_length(len(row)),
        np.array(rank, np.int64),
        np.array(row, np.int64),
        Segments.of_length(len(ranked)).lengths,
        {},
    )
    return ranking, results

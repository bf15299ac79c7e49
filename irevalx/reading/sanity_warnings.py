"""Sanity warnings: scores of a run that its RANK column contradicts, or that are all equal."""

from __future__ import annotations

import numpy as np

from irevalx.errors import shown_name
from irevalx.reading.decimals import integers
from irevalx.reading.lines import DataLines
from irevalx.reading.runs import AboutTies, Results

MOST_TOPICS = 1000
"""The number of first topics that are looked at."""


def sanity_warnings(lines: DataLines, results: Results) -> tuple[str, ...]:
    """Return a line where ranks contradict the scores of most topics, or all scores of most topics are equal.

    Ranks contradict scores where the two grow together: where their covariance is above 0. Topics count that have two
    documents or more, and ranks that are not all equal. Ranks and scores must be numbers; of scores that are none there
    is another message.

    Parameters
    ----------
    lines : of the first block; without the column ``RANK`` there is no warning.
    results : of the same lines.
    """
    if results.malformed.count or "RANK" not in lines:
        return ()
    rows, _ = results.rows.take(np.arange(min(results.rows.n, MOST_TOPICS)))
    score = results.scores[: rows.size]
    # Results have the lines in another order where a topic returns.
    rank, plain = integers(lines["RANK"].take(np.searchsorted(lines.numbers, results.lines_of(np.arange(rows.size)))))
    if not plain.all():
        return ()
    first = rows.at(rows.ids, np.zeros(rows.size, np.int64))
    with np.errstate(all="ignore"):
        by_rank, by_score = rank.astype(np.float64) - rank[first], score - score[first]
        n = np.maximum(rows.lengths, 1)
        covariance = rows.sum(by_rank * by_score) - rows.sum(by_rank) * rows.sum(by_score) / n
    ranked = rows.count(by_rank != 0) > 0
    alike = ranked & (rows.count(by_score != 0) == 0)
    n_ranked, n_alike = int(ranked.sum()), int(alike.sum())
    n_against = int((ranked & ~alike & (covariance > 0)).sum())
    path = shown_name(lines.path)
    if 2 * n_against > n_ranked:
        return (
            f"{path}: the RANK column contradicts the scores in {n_against} of the first {n_ranked} topics: is SCORE a "
            "distance rather than a similarity? The highest score is ranked first, and RANK is ignored",
        )
    if 2 * n_alike > n_ranked:
        return (
            AboutTies(
                f"{path}: all scores are equal in {n_alike} of the first {n_ranked} topics: their documents are ranked "
                "by DOCNO, and RANK is ignored (--ties says otherwise)"
            ),
        )
    return ()

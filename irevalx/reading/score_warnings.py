"""Warnings about scores and ranks: distances, equal scores, scores in the column of ranks."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments
from irevalx.declarations import is_parameter, spelled
from irevalx.errors import quote, shown_name
from irevalx.reading.runs import ResultRows, RunWarning

MOST_TOPICS = 1000
"""Number of first topics that are checked for warnings."""


def rank_warnings(path: str, results: ResultRows, *, strict: bool) -> tuple[RunWarning, ...]:
    """Return a warning if the ranks of most topics are probably scores.

    They are if the lowest rank is neither 0 nor 1, or if ranks decrease from line to line with gaps. ``results`` are
    those of the first block, with negated ranks as scores; ``strict`` makes the warning an error.
    """
    rows, rank = results.rows, -results.scores
    if not rows.n:
        return ()
    least = np.minimum.reduceat(rank, rows.offsets[:-1])
    falling = np.zeros(rows.size, np.bool_)
    falling[1:] = (rank[1:] < rank[:-1]) & (rows.ids[1:] == rows.ids[:-1])
    late = (least != 0) & (least != 1)
    dense = rank[rows.offsets[:-1]] - least == rows.lengths - 1
    descending = (rows.lengths > 1) & (rows.count(falling) == rows.lengths - 1) & ~dense
    odd = late | descending
    n_odd = int(np.count_nonzero(odd))
    if 2 * n_odd <= rows.n:
        return ()
    row = int(odd.argmax())
    line = results.lines_of(np.array([rows.offsets[row]]))[0]
    how = f"the lowest rank is {least[row]:.0f}" if late[row] else "ranks decrease from line to line"
    warning = (
        f"{shown_name(path)}:{line}: in topic {quote(results.topics[row])} {how}; are these scores? The document with "
        f"the lowest rank comes first; for scores, use {spelled('results_format', 'scored')} or a fourth column"
    )
    return (RunWarning(warning, "ranks for scores", is_error=strict),)


def looked_at(rows: Segments) -> int:
    """Return how many of the first results are checked."""
    return int(rows.offsets[min(rows.n, MOST_TOPICS)])


def has_equal_ends(results: Segments, scores: FloatArray) -> BoolArray:
    """Return, per topic, whether its first and last of several documents have equal scores."""
    if results.n == 1:  # as in many small calls
        return np.array([scores.size > 1 and scores[0] == scores[-1]])
    alike: BoolArray = results.lengths > 1
    if np.count_nonzero(alike):
        first, last = results.offsets[:-1][alike], results.offsets[1:][alike] - 1
        alike[alike] = scores[first] == scores[last]
    return alike


def score_warnings(
    path: str, results: Segments, scores: FloatArray, rank: IntArray | None = None
) -> tuple[RunWarning, ...]:
    """Return a warning if ranks contradict the scores of most topics, or if all scores of most topics are equal.

    Ranks contradict scores if their covariance is positive. ``results`` are the first rows of the run, ``scores`` their
    flat scores, and ``rank`` the ranks of the checked results. Topics with one document, and for contradictions those
    with equal ranks, are ignored.
    """
    rows, _ = results.take(np.arange(min(results.n, MOST_TOPICS)))
    score = scores[: rows.size]
    first = rows.at(rows.ids, np.zeros(rows.size, np.int64))
    several = rows.lengths > 1
    with np.errstate(all="ignore"):
        by_score = score - score[first]
    alike = several & (rows.count(by_score != 0) == 0)
    n_several, n_alike = int(several.sum()), int(alike.sum())
    named, ranked = shown_name(path), np.zeros(rows.n, np.bool_)
    warnings: list[RunWarning] = []
    if rank is not None:
        with np.errstate(all="ignore"):
            by_rank = rank.astype(np.float64) - rank[first]
            n = np.maximum(rows.lengths, 1)
            covariance = rows.sum(by_rank * by_score) - rows.sum(by_rank) * rows.sum(by_score) / n
        ranked = rows.count(by_rank != 0) > 0
        n_ranked = int(ranked.sum())
        n_against = int((ranked & ~alike & (covariance > 0)).sum())
        if 2 * n_against > n_ranked:
            text = (
                f"{named}: the RANK column contradicts the scores in {n_against} of the first {n_ranked} topics: is "
                "SCORE a distance rather than a similarity? The document with the highest score is ranked first, and "
                f"RANK is ignored. To rank by RANK, use {spelled('results_format', 'msmarco')} with a file of the "
                "columns TOPIC DOCNO RANK (awk "
                "'{print $1, $3, $4}')"
            )
            return (RunWarning(text, "distance"),)
        if n_several and not n_ranked:
            warnings.append(
                RunWarning(
                    f"{named}: RANK is the same on all lines of a topic, so {spelled('ties', 'rank')} has no effect",
                    "ranks",
                )
            )
    if 2 * n_alike > n_several:
        ignored = ", and RANK is ignored" if ranked.any() else ""
        hint = f" (change this with {spelled('ties')})" if is_parameter("ties") else ""
        warnings.append(
            RunWarning(
                f"{named}: all scores are equal in {n_alike} of the first {n_several} topics: their documents are "
                f"ranked by DOCNO{ignored}{hint}",
                "ties",
            )
        )
    return tuple(warnings)

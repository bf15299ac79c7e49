"""The order of a run: by score, ties by name."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import order_by_name
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments
from irevalx.reading.runs import Results
from irevalx.trec_eval.merge_sort import merge_sort


def ranked_order(results: Results, *, first_name_first: bool = False) -> IntArray | None:
    """Return the permutation of the flat axis that ranks each topic; None where the lines are in that order already.

    With a nan among the scores of a topic the rule contradicts itself, and the order is the one that trec_eval's sort
    arrives at.
    """
    rows, scores, inexact = results.rows, results.scores, results.close
    is_nan = np.isnan(scores)
    with_nan = rows.count(is_nan).nonzero()[0] if np.count_nonzero(is_nan) else np.empty(0, np.int64)
    comparable = rows.ids[1:] == rows.ids[:-1]
    if with_nan.size:
        comparable &= ~np.isin(rows.ids[1:], with_nan)
    order = _by_score(rows, scores, None, comparable)
    while (places := _too_close(scores, inexact, order, comparable, results.error)).size:
        scores, inexact = scores.copy(), inexact.copy()
        scores[places] = results.exact(places)
        inexact[places] = False
        order = _by_score(rows, scores, order, comparable)
    order = _ties_by_name(results, scores, order, comparable, first_name_first)
    if with_nan.size:
        order = np.arange(rows.size) if order is None else order
        for row in with_nan.tolist():
            order[rows.slice(row)] = _order_with_nan(results, rows.slice(row), first_name_first)
    return order


def _by_score(rows: Segments, scores: FloatArray, order: IntArray | None, comparable: BoolArray) -> IntArray | None:
    """Sort the rows that are out of order by descending score.

    Parameters
    ----------
    scores : flat, shape (n,).
    order : the permutation so far; None for none.
    comparable : shape (n - 1,); whether two neighbours are of one topic, without nan.
    """
    ranked = _permuted(scores, order)
    rising = np.zeros(rows.size, np.bool_)
    rising[1:] = comparable & ~(ranked[:-1] >= ranked[1:])
    wrong = rows.count(rising).nonzero()[0]
    if not wrong.size:
        return order
    if order is None and wrong.size == rows.n:
        return rows.descending(scores)
    order = np.arange(rows.size) if order is None else order
    sub, index = rows.take(wrong)
    order[index] = order[index][sub.descending(scores[order[index]])]
    return order


def _too_close(
    scores: FloatArray, inexact: BoolArray, order: IntArray | None, comparable: BoolArray, error: float
) -> IntArray:
    """Return the flat places of inexact scores that may equal a neighbour's, or belong on its other side.

    Parameters
    ----------
    inexact : flat; whether a score may be off, in relation to its size by up to ``error``.
    """
    if not np.count_nonzero(inexact):
        return np.empty(0, np.int64)
    ranked, open_ = _permuted(scores, order), _permuted(inexact, order)
    before, after = ranked[:-1], ranked[1:]
    with np.errstate(invalid="ignore"):  # infinity less infinity, which is exact
        close = comparable & (before - after <= 2 * error * np.maximum(np.abs(before), np.abs(after)))
    close &= open_[1:] | open_[:-1]
    places = _members(close)
    places = places if order is None else order[places]
    return places[inexact[places]]


def _ties_by_name(
    results: Results, scores: FloatArray, order: IntArray | None, comparable: BoolArray, first_name_first: bool
) -> IntArray | None:
    """Sort documents with equal scores by name."""
    ranked = _permuted(scores, order)
    ties = comparable & (ranked[:-1] == ranked[1:])
    if not np.count_nonzero(ties):
        return order
    order = np.arange(results.rows.size) if order is None else order
    tied = _members(ties)
    group = np.cumsum(~np.append(False, ties)[tied])
    names = results.docnos.take(order[tied])
    order[tied] = order[tied][order_by_name(names, group, descending=not first_name_first)]
    return order


def _permuted(x: AnyArray, order: IntArray | None) -> AnyArray:
    return x if order is None else x[order]


def _members(pairs: BoolArray) -> IntArray:
    """Return the places of which some pair with a neighbour is true; ``pairs`` has shape (n - 1,)."""
    return np.flatnonzero(np.append(pairs, False) | np.append(False, pairs))


def _order_with_nan(results: Results, where: slice, first_name_first: bool) -> IntArray:
    inexact = np.flatnonzero(results.close[where])
    precise = results.scores[where].copy()
    precise[inexact] = results.exact(where.start + inexact)
    scores = precise.tolist()
    docnos = results.docnos.take(where).texts()
    by_docno = sorted(range(len(docnos)), key=docnos.__getitem__)
    if np.isnan(precise).all():  # then the rule is about names alone, and contradicts itself nowhere
        by_docno.sort(key=docnos.__getitem__, reverse=not first_name_first)
        return np.array(by_docno, np.int64) + np.int64(where.start)

    def compare(i: int, j: int) -> int:
        if scores[i] > scores[j]:
            return -1
        if scores[i] < scores[j]:
            return 1
        last_first = (docnos[i] < docnos[j]) - (docnos[i] > docnos[j])
        return -last_first if first_name_first else last_first

    order: IntArray = np.array(merge_sort(by_docno, compare), np.int64)
    return order + np.int64(where.start)

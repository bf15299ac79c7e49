"""The order of a run: by score, and tied documents by name, by rank or by their place in the file."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import order_by_name
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments
from irevalx.reading.runs import ResultRows
from irevalx.settings import Ties
from irevalx.trec_eval.merge_sort import merge_sort


def ranking_order(
    results: ResultRows, ties: Ties = "name", *, first_name_first: bool = False
) -> tuple[IntArray | None, BoolArray]:
    """Return the permutation that ranks each topic, and whether neighbours are tied, shape (n - 1,).

    The permutation is None if the lines are ranked already. Ties that depend on grades stay in file order; for "rank"
    the results must have ranks, and names break their ties. With nan among the scores of a topic the order is the
    result of trec_eval's sort, whose rule contradicts itself, without ties.
    """
    rows, scores, inexact = results.rows, results.scores, results.close
    is_nan = np.isnan(scores)
    with_nan = rows.count(is_nan).nonzero()[0] if np.count_nonzero(is_nan) else np.empty(0, np.int64)
    comparable = rows.ids[1:] == rows.ids[:-1] if rows.n > 1 else np.ones(max(0, rows.size - 1), np.bool_)
    if with_nan.size:
        comparable &= ~np.isin(rows.ids[1:], with_nan)
    order = _by_score(rows, scores, None, comparable)
    while (places := _too_close(scores, inexact, order, comparable, results.error)).size:
        scores, inexact = scores.copy(), inexact.copy()
        scores[places] = results.exact(places)
        inexact[places] = False
        order = _by_score(rows, scores, order, comparable)
    by_score = _permuted(scores, order)
    tied = comparable & (by_score[:-1] == by_score[1:])
    if np.count_nonzero(tied):
        order = _ties_in_order(results, tied, np.arange(rows.size) if order is None else order, ties, first_name_first)
    if with_nan.size:
        order = np.arange(rows.size) if order is None else order
        for row in with_nan.tolist():
            order[rows.slice(row)] = _order_with_nan(results, rows.slice(row), ties, first_name_first)
    return order, tied


def _by_score(rows: Segments, scores: FloatArray, order: IntArray | None, comparable: BoolArray) -> IntArray | None:
    """Sort the rows that are out of order by descending score; ``order`` is the permutation so far.

    ``comparable``, shape (n - 1,), is whether two neighbours are of one topic, without nan.
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
    """Return the flat places of inexact scores (relative error ``error``) that can tie with or pass a neighbour."""
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


def _ties_in_order(
    results: ResultRows, pairs: BoolArray, order: IntArray, ties: Ties, first_name_first: bool
) -> IntArray:
    """Return an order by score with tied documents in their order.

    ``pairs``, shape (n - 1,), are the tied neighbours.
    """
    tied = _members(pairs)
    group = np.cumsum(~np.append(False, pairs)[tied])
    places = order[tied]
    if ties not in {"name", "rank"}:
        places = places[np.lexsort((places, group))]
    else:
        places = places[order_by_name(results.docnos.take(places), group, descending=not first_name_first)]
    if ties == "rank" and results.ranks:
        places = places[np.lexsort((results.ranks(places), group))]
    order[tied] = places
    return order


def _permuted(x: AnyArray, order: IntArray | None) -> AnyArray:
    return x if order is None else x[order]


def _members(pairs: BoolArray) -> IntArray:
    """Return the places of both members of the true neighbour pairs, shape (n - 1,)."""
    return np.flatnonzero(np.append(pairs, False) | np.append(False, pairs))


def _order_with_nan(results: ResultRows, where: slice, ties: Ties, first_name_first: bool) -> IntArray:
    inexact = np.flatnonzero(results.close[where])
    precise = results.scores[where].copy()
    precise[inexact] = results.exact(where.start + inexact)
    scores = precise.tolist()
    docnos = results.docnos.take(where).texts()
    by_docno = sorted(range(len(docnos)), key=docnos.__getitem__)
    keys: list[bytes] | list[int] = docnos
    if ties == "first":
        keys = list(range(len(docnos)))
    elif ties == "rank" and results.ranks:
        keys = results.ranks(np.arange(where.start, where.stop)).tolist()
    last_first = ties not in {"first", "rank"} and not first_name_first
    if np.isnan(precise).all():  # then the rule is about names alone, and contradicts itself nowhere
        by_docno.sort(key=keys.__getitem__, reverse=last_first)
        return np.array(by_docno, np.int64) + np.int64(where.start)

    def compare(i: int, j: int) -> int:
        if scores[i] > scores[j]:
            return -1
        if scores[i] < scores[j]:
            return 1
        rising = (keys[i] > keys[j]) - (keys[i] < keys[j])  # type: ignore[operator]
        return -rising if last_first else rising

    order: IntArray = np.array(merge_sort(by_docno, compare), np.int64)
    return order + np.int64(where.start)

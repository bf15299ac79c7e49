"""Measures that are sums over ranks of weight times gain, such as P, rbp and dcg.

The weights do not depend on the judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen
from irevalx.measures.gain import dcg
from irevalx.measures.parameter_kinds import Gain
from irevalx.measures.precision import precision
from irevalx.measures.selection import RequestedMeasure
from irevalx.measures.user_models import persistence_of, rank_biased_precision
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import log2_of
from irevalx.wording import invalid_value, spelled

ALL_RANKS = int(np.iinfo(np.int64).max)
"""The depth of measures that evaluate every document of a run."""


class WeightedMeasure(Frozen):
    """A measure that is a weighted sum of gains: the gain of each document is multiplied by the weight of its rank."""

    name: str
    depth: int | None
    """The number of evaluated ranks, or None for all ranks."""
    weights: Callable[[int], FloatArray]
    """A function that returns the weights of ranks 1 to n."""
    gains: Callable[[IntArray], FloatArray]
    """A function that returns the gain of each grade, given grades of at least 0."""
    greatest_gain: float
    """The highest possible gain of an unjudged document. The lowest possible gain is 0."""


def weighted_measures(
    requests: Sequence[RequestedMeasure], level: float, grades: Collection[int], greatest: int
) -> list[WeightedMeasure]:
    """Convert measures to weighted sums. ``greatest`` is the highest possible grade of an unjudged document."""
    return [
        measure
        for request in requests
        for measure in _of_request(request, level if request.level is None else request.level, grades, greatest)
    ]


def weighted_among(requests: Sequence[RequestedMeasure], level: float, grades: IntArray) -> list[WeightedMeasure]:
    """Return the requested measures that are weighted sums. ``grades`` contains the grades of judged documents."""
    weighted: list[WeightedMeasure] = []
    for request in requests:
        with suppress(UsageError):
            weighted += weighted_measures([request], level, set(grades.tolist()), int(grades.max(initial=0)))
    return weighted


def not_weighted(request: RequestedMeasure) -> str:
    """Return the error message for a measure that is not a weighted sum of gains."""
    return (
        f"measure {quote(request.names[0])} is not supported: it must be a weighted sum of gains over ranks (P, rbp or "
        "dcg, with unjudged documents kept in the ranking)"
    )


def counted_documents(ranking: Ranking, measure: WeightedMeasure) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the judgment, the topic and the weight of each retrieved judged document at a rank that has a weight."""
    if ranking.tied is not None:
        raise UsageError(
            f"{spelled('ties', ranking.tied.ties)} cannot be used here: it orders tied documents by their grades, but "
            "each document requires one rank"
        )
    counted = (ranking.row >= 0) & (ranking.rank <= (measure.depth or ALL_RANKS))
    rank = ranking.rank[counted]
    weight = measure.weights(int(rank.max(initial=0)))[rank - 1]
    return ranking.row[counted], ranking.rows.ids[counted], weight


def _of_request(
    request: RequestedMeasure, level: float, grades: Collection[int], greatest: int
) -> list[WeightedMeasure]:
    measure, values = request.measure, request.parameters.values
    if request.treatment != "nonrel" or measure not in {precision, rank_biased_precision, dcg}:
        raise UsageError(not_weighted(request))
    if measure is precision:
        if level < 1:
            raise UsageError(invalid_value("level", "at least 1", level))
        gain_of, most = partial(_is_relevant, level), float(greatest >= level)
        return [
            WeightedMeasure(name, k, partial(_weights_of_precision, k), gain_of, most)
            for name, k in zip(request.names, values, strict=True)
        ]
    [name], [pairs] = request.names, values
    given = _gains_given(name, pairs)
    if measure is dcg:
        return [_discounted_gain(name, given, greatest)]
    return [_rank_biased(name, pairs, given, {*grades, greatest}, greatest)]


def _weights_of_precision(k: int, n: int) -> FloatArray:
    return np.where(np.arange(n) < k, 1 / k, 0.0)


def _is_relevant(level: float, grades: IntArray) -> FloatArray:
    return (grades >= level).astype(np.float64)


def _discounted_gain(name: str, given: dict[float, float], greatest: int) -> WeightedMeasure:
    not_given = greatest
    while not_given in given:
        not_given -= 1
    possible = [gain for grade, gain in given.items() if grade <= greatest]
    greatest_gain = max([0.0, float(max(not_given, 0)), *possible])
    return WeightedMeasure(name, None, _discounts, partial(_gains_of, given=given), greatest_gain)


def _discounts(n: int) -> FloatArray:
    return 1 / log2_of(np.arange(2, n + 2))


def _rank_biased(
    name: str, values: Sequence[Gain], given: dict[float, float], grades: Collection[int], greatest: int
) -> WeightedMeasure:
    for grade in sorted(grades):
        if grade > 1 and grade not in given:
            raise UsageError(
                f"measure {quote(name)} needs a gain between 0 and 1 for grade {grade}, as in rbp.1=0.5,2=1"
            )
    for level, gain in given.items():
        if gain > 1:
            raise UsageError(
                f"measure {quote(name)}: gain {gain:g} of grade {level} is too high; gains can be at most 1 here"
            )
    p = persistence_of(values)
    if not 0 <= p <= 1:
        raise UsageError(f"measure {quote(name)}: p must be between 0 and 1, not {p:g}")
    possible = [given.get(grade, float(grade)) for grade in (0, 1, *given) if grade <= greatest]
    return WeightedMeasure(name, None, partial(_powers, p), partial(_gains_of, given=given), max([0.0, *possible]))


def _powers(p: float, n: int) -> FloatArray:
    factors = np.full(n, p)
    factors[:1] = 1.0 - p
    products: FloatArray = np.multiply.accumulate(factors)
    return products


def _gains_given(name: str, values: Sequence[Gain]) -> dict[float, float]:
    """Return the gain of each grade that the parameters specify. If a grade occurs twice, use its first gain."""
    given: dict[float, float] = {}
    for pair in values:
        if pair.level is None:
            continue
        if pair.level < 0 or pair.value < 0 or (pair.level == 0 and pair.value != 0):
            raise UsageError(
                f"measure {quote(name)}: invalid gain {pair.key}={pair.value:g}: gains must be at least 0, grade 0 "
                "must have a gain of 0, and unjudged documents must have none"
            )
        given.setdefault(pair.level, pair.value)
    return given


def _gains_of(grades: IntArray, given: dict[float, float]) -> FloatArray:
    """Return the gain of each document, given its grade. A grade without a specified gain is its own gain."""
    gains = grades.astype(np.float64)
    for grade, gain in given.items():
        gains[grades == grade] = gain
    return gains

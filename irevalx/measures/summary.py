"""From one value a topic to the `all` row. All sums run in topic order, from left to right."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ordered_sum
from irevalx.frozen import Frozen

LEAST = 0.00001
"""What a geometric mean takes for a value below it, and for a topic without results."""


class Population(Frozen):
    """Which topics an average is over.

    Parameters
    ----------
    tag : what the run calls itself.
    n_topics : what sums are divided by: the topics evaluated, or under ``-c`` all judged topics.
    n_evaluated : topics with a value; the others of ``n_topics`` count 0.
    n_relevant : under ``-c``, the judgments above 0 of all judged topics; otherwise None.
    """

    tag: bytes
    n_topics: int
    n_evaluated: int
    n_relevant: int | None = None


Values: TypeAlias = "FloatArray | IntArray | list[bytes]"
"""One value a topic."""

Summary: TypeAlias = Callable[["Values", Population], float | int | bytes]
"""Turns the values of the evaluated topics into that of the `all` row."""


def as_list(values: Values) -> list[Any]:
    """Return the values as Python numbers, or bytes."""
    return values if isinstance(values, list) else values.tolist()


def mean(values: Values, population: Population) -> float:
    """Return the sum divided by the number of topics."""
    return ordered_sum(np.asarray(values)) / population.n_topics


def geometric_mean(values: Values, population: Population) -> float:
    """Return exp of the mean logarithm; values below 0.00001, and topics without one, count as 0.00001."""
    return exp_mean(logarithms(values), population)


def logarithms(values: Values) -> FloatArray:
    """Return the logarithms of the values, those below 0.00001 counting as 0.00001."""
    return np.array([math.log(value) for value in np.maximum(np.asarray(values), LEAST).tolist()])


def exp_mean(values: Values, population: Population) -> float:
    """Return exp of the mean of logarithms, which may be infinite; topics without one count as log(0.00001)."""
    absent = (population.n_topics - population.n_evaluated) * math.log(LEAST)
    try:
        return math.exp((ordered_sum(np.asarray(values)) + absent) / population.n_topics)
    except OverflowError:
        return math.inf


def total(values: Values, population: Population) -> int:
    """Return the sum of counts."""
    return sum(as_list(values))


def real_total(values: Values, population: Population) -> float:
    """Return the sum of what need not be whole numbers."""
    return ordered_sum(np.asarray(values))


def relevant_total(values: Values, population: Population) -> int:
    """Return the sum of counts; under ``-c`` the judgments above 0 of all judged topics, whatever the level."""
    return total(values, population) if population.n_relevant is None else population.n_relevant


def topic_count(values: Values, population: Population) -> int:
    """Return the number of topics averaged over."""
    return population.n_topics


def run_tag(values: Values, population: Population) -> bytes:
    """Return what the run calls itself."""
    return population.tag

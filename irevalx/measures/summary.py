"""From one value a topic to the `all` row. All sums run in topic order, from left to right.

A summary is a record: what declares one says all that help, evaluation and z-scores have to know of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ordered_sum
from irevalx.frozen import Frozen, replace

LEAST = 0.00001
"""What a geometric mean takes for a value below it, and for a topic without results."""


class Population(Frozen):
    """Which topics a summary is over.

    Parameters
    ----------
    tag : what the run calls itself.
    n_topics : what sums are divided by: the topics evaluated, or under ``-c`` all judged topics; 0 where none of them
        can have a value.
    n_evaluated : topics with a value; the others of ``n_topics`` count 0.
    n_relevant : under ``-c``, the judgments above 0 of all judged topics; otherwise None.
    """

    tag: bytes
    n_topics: int
    n_evaluated: int
    n_relevant: int | None = None


Values: TypeAlias = "FloatArray | IntArray | list[bytes]"
"""One value a topic: shape (n_topics,), or a list of as many texts."""

Combine: TypeAlias = Callable[["Values", Population], float | int | bytes]
"""Turns what is summarised, one element a topic, into the value of the `all` row."""

Scale: TypeAlias = Callable[["Values"], "Values"]
"""Turns the values into what is summarised, one element a topic."""


def as_list(values: Values) -> list[Any]:
    """Return the values as Python numbers, or bytes."""
    return values if isinstance(values, list) else values.tolist()


def _unchanged(values: Values) -> Values:
    return values


class Summary(Frozen, kw_only=True):
    """How the values of the topics become that of the `all` row; called with them and the population, it returns that.

    Parameters
    ----------
    combine : called with what ``scale`` returns, or with z-scores of it, which are real numbers.
    effect_of_complete : what ``-c`` does to the `all` row, as the help says it; ``{missing}`` in it stands for what the
        measure counts for a topic without results.
    scale : the scale on which values are combined and z-scores are made: for a geometric mean, their logarithms.
    of_all_judged : whether the values of all judged topics are combined, whatever the run holds, and not those of the
        evaluated ones.
    """

    combine: Combine
    effect_of_complete: str
    scale: Scale = _unchanged
    of_all_judged: bool = False

    def __call__(self, values: Values, population: Population) -> float | int | bytes:
        """Return the value of the `all` row."""
        return self.combine(self.scale(values), population)

    @property
    def of_zscores(self) -> Summary:
        """The summary of z-scores, which were made of values on this scale already."""
        return replace(self, scale=_unchanged)


def summary(
    effect_of_complete: str, *, scale: Scale = _unchanged, of_all_judged: bool = False
) -> Callable[[Combine], Summary]:
    """Return a decorator that makes a summary of the function below it, which combines; see ``Summary``."""
    return lambda combine: Summary(
        combine=combine, effect_of_complete=effect_of_complete, scale=scale, of_all_judged=of_all_judged
    )


def _logarithms(values: Values) -> FloatArray:
    """Return the logarithms of the values, those below 0.00001 counting as 0.00001."""
    numbers = np.maximum(np.asarray(values), LEAST)
    return np.fromiter(map(math.log, numbers), np.float64, numbers.size)


@summary("the mean is over all judged topics; one without results counts {missing}")
def mean(values: Values, population: Population) -> float:
    """Return the sum divided by the number of topics; 0 where no topic has a value."""
    return ordered_sum(np.asarray(values)) / (population.n_topics or 1)


@summary(f"the mean is over all judged topics; one without results counts {LEAST:.5f}", scale=_logarithms)
def geometric_mean(values: Values, population: Population) -> float:
    """Return exp of the mean of logarithms, which may be infinite; topics without one count as log(0.00001)."""
    missing = (population.n_topics - population.n_evaluated) * math.log(LEAST)
    try:
        return math.exp((ordered_sum(np.asarray(values)) + missing) / population.n_topics)
    except OverflowError:
        return math.inf


@summary("a topic without results adds {missing}")
def total(values: Values, population: Population) -> float | int:
    """Return the sum; that of counts is a whole number."""
    numbers = np.asarray(values)
    return ordered_sum(numbers) if numbers.dtype.kind == "f" else sum(numbers.tolist())


total_of_all_judged = replace(
    total, effect_of_complete="no effect: the all row is over all judged topics", of_all_judged=True
)


@summary("no effect: the all row is over all judged topics", of_all_judged=True)
def root_of_squares(values: Values, population: Population) -> float:
    """Return the standard error of a sum over topics, whose standard errors these are: the root of summed squares."""
    errors = np.asarray(values)
    return math.sqrt(ordered_sum(errors * errors))


@summary("the all row counts every judgment above 0 in the file, whatever -l says")
def relevant_total(values: Values, population: Population) -> float | int | bytes:
    """Return the sum of counts; under ``-c`` the judgments above 0 of all judged topics, whatever the level."""
    return total(values, population) if population.n_relevant is None else population.n_relevant


@summary("counts all judged topics")
def topic_count(values: Values, population: Population) -> int:
    """Return the number of topics averaged over."""
    return population.n_topics


@summary("no effect")
def run_tag(values: Values, population: Population) -> bytes:
    """Return what the run calls itself."""
    return population.tag

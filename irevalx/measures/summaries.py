"""Summaries, which compute the `all` row from the values of topics. Sums are computed in the order of topics.

A summary is computed incrementally: ``add`` receives the values of further topics, in topic order, and ``finish``
computes the `all` row. The result does not depend, in any bit, on how the topics are divided. Help, evaluation and
z-scores use only the fields of the record ``Summary``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ordered_sum
from irevalx.frozen import Frozen, replace

LEAST = 0.00001
"""The value that replaces missing values and values below it in a geometric mean."""


class Population(Frozen):
    """The topics over which a summary is computed."""

    tag: bytes
    n_topics: int
    """The divisor of means: the number of evaluated topics or, under ``-c``, of all judged topics. The divisor is 0 if
    no topic can have a value."""
    n_evaluated: int
    """The number of topics that have a value. The value of all other topics is 0."""
    n_relevant: float | None = None
    """The number of grades above 0 in all judged topics, or None if ``-c`` is not given."""


Values: TypeAlias = "FloatArray | IntArray | list[bytes]"
"""The values of topics: an array of shape (n_topics,), or a list of byte strings."""

Total: TypeAlias = "float | int"
"""The total of the values of topics, which is an integer for counts."""

Combine: TypeAlias = Callable[["Total", "Values"], "Total"]
"""A function that adds the scaled values of further topics to a total and returns the new total."""

Finish: TypeAlias = Callable[["Total", Population], float | int | bytes]
"""A function that computes the value of the `all` row from the total over all topics."""

Scale: TypeAlias = Callable[["Values"], "Values"]
"""A function that converts the values of topics to another scale."""


def as_list(values: Values) -> list[Any]:
    """Return values as a list of Python numbers or byte strings."""
    return values if isinstance(values, list) else values.tolist()


def _unchanged(values: Values) -> Values:
    return values


def add_up(total: Total, values: Values) -> Total:
    """Add values to a total, from left to right."""
    numbers = np.asarray(values)
    return ordered_sum(numbers, total) if numbers.dtype.kind == "f" else total + sum(numbers.tolist())


class Summary(Frozen, kw_only=True):
    """The computation of the `all` row from topic values."""

    finish: Finish
    effect_of_complete: str
    """The description of the effect of ``-c`` for the help. ``{missing}`` is the value of a topic without results."""
    scale: Scale = _unchanged
    """The function that converts values to the scale of totals and z-scores. For a geometric mean, this is the
    logarithm."""
    combine: Combine = add_up
    """A function that adds scaled values, or their z-scores, to a total."""
    start: Total = 0
    """The initial total, which is also the total over no topics."""
    of_all_judged: bool = False
    """Whether the total includes the values of all judged topics, and not only of evaluated topics."""

    def add(self, total: Total, values: Values) -> Total:
        """Add the values of further topics to ``total``, which initially is ``start``, and return the new total."""
        return self.combine(total, self.scale(values))

    def __call__(self, values: Values, population: Population) -> float | int | bytes:
        """Return the value of the `all` row, given the values of all topics."""
        return self.finish(self.add(self.start, values), population)

    @property
    def of_zscores(self) -> Summary:
        """The summary to use for z-scores, whose values are already scaled."""
        return replace(self, scale=_unchanged)


def summary(effect_of_complete: str, **declared: Any) -> Callable[[Finish], Summary]:
    """Return a decorator that turns a function into a Summary, with the function as ``finish``."""
    return lambda finish: Summary(finish=finish, effect_of_complete=effect_of_complete, **declared)


def _logarithms(values: Values) -> FloatArray:
    """Return the logarithms of the values. Values below 0.00001 are replaced by 0.00001."""
    numbers = np.maximum(np.asarray(values), LEAST)
    return np.fromiter(map(math.log, numbers), np.float64, numbers.size)


@summary("the mean is over all judged topics; a topic without results counts as {missing}")
def mean(added: Total, population: Population) -> float:
    """Return the mean over topics, or 0 if no topic can have a value."""
    return added / (population.n_topics or 1)


@summary(f"the mean is over all judged topics; a topic without results counts as {LEAST:.5f}", scale=_logarithms)
def geometric_mean(added: Total, population: Population) -> float:
    """Return the geometric mean, which can be infinite. The value of missing topics is 0.00001."""
    missing = (population.n_topics - population.n_evaluated) * math.log(LEAST)
    try:
        return math.exp((added + missing) / population.n_topics)
    except OverflowError:
        return math.inf


def negative_values(name: str, values: Values) -> str | None:
    """Return a warning if values of a geometric mean are negative, or None if all values are nonnegative."""
    numbers = np.asarray(values)
    if not (n_negative := int(np.count_nonzero(numbers < 0))):
        return None
    return (
        f"{name}: {n_negative} of {numbers.size} values are negative; the geometric mean replaces them by {LEAST:.5f}"
    )


@summary("a topic without results adds {missing}")
def total(added: Total, population: Population) -> float | int:
    """Return the sum over topics, which is an integer for counts."""
    return added


total_of_all_judged = replace(
    total, effect_of_complete="no effect: the all row always includes all judged topics", of_all_judged=True
)


def _add_up_squares(total: Total, values: Values) -> Total:
    errors = np.asarray(values, np.float64)
    return ordered_sum(errors * errors, total)


@summary("no effect: the all row always includes all judged topics", combine=_add_up_squares, of_all_judged=True)
def root_of_squares(added: Total, population: Population) -> float:
    """Return the standard error of a sum over topics: the square root of the topics' summed squared errors."""
    return math.sqrt(added)


@summary("the all row counts every judgment above 0 in the file, regardless of -l")
def relevant_total(added: Total, population: Population) -> float | int:
    """Return the sum over topics or, under ``-c``, the number of grades above 0 in all judged topics."""
    return added if population.n_relevant is None else population.n_relevant


@summary("all judged topics are counted")
def topic_count(added: Total, population: Population) -> int:
    """Return the number of topics over which means are computed."""
    return population.n_topics


@summary("no effect")
def run_tag(added: Total, population: Population) -> bytes:
    """Return the run tag, which does not depend on values."""
    return population.tag

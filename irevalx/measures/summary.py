"""From one value per topic to the `all` row. All sums run in topic order, from left to right.

A summary is a record: what declares one says all that help, evaluation and z-scores have to know of it. It is a fold:
``add`` takes the values of some topics at a time, in topic order, and ``finish`` makes the `all` row when all are in.
Where the topics are divided makes no difference, to the last bit.
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
    n_relevant: float | None = None


Values: TypeAlias = "FloatArray | IntArray | list[bytes]"
"""One value per topic: shape (n_topics,), or a list of as many texts."""

Total: TypeAlias = "float | int"
"""What the values of some topics come to; a whole number where they are counts."""

Combine: TypeAlias = Callable[["Total", "Values"], "Total"]
"""Turns the total of some topics, and what is summarised of those after them, into the total of both."""

Finish: TypeAlias = Callable[["Total", Population], float | int | bytes]
"""Turns the total of all topics into the value of the `all` row."""

Scale: TypeAlias = Callable[["Values"], "Values"]
"""Turns the values into what is summarised, one element per topic."""


def as_list(values: Values) -> list[Any]:
    """Return the values as Python numbers, or bytes."""
    return values if isinstance(values, list) else values.tolist()


def _unchanged(values: Values) -> Values:
    return values


def add_up(total: Total, values: Values) -> Total:
    """Return a total with further values added, one after the other."""
    numbers = np.asarray(values)
    return ordered_sum(numbers, total) if numbers.dtype.kind == "f" else total + sum(numbers.tolist())


class Summary(Frozen, kw_only=True):
    """How the values of the topics become that of the `all` row; called with them and the population, it returns that.

    Parameters
    ----------
    finish : called with the total.
    effect_of_complete : what ``-c`` does to the `all` row, as the help says it; ``{missing}`` in it stands for what the
        measure counts for a topic without results.
    scale : the scale on which values are combined and z-scores are made: for a geometric mean, their logarithms.
    combine : called with what ``scale`` returns, or with z-scores of it, which are real numbers.
    start : the total of no topics.
    of_all_judged : whether the values of all judged topics are combined, whatever the run holds, and not those of the
        evaluated ones.
    """

    finish: Finish
    effect_of_complete: str
    scale: Scale = _unchanged
    combine: Combine = add_up
    start: Total = 0
    of_all_judged: bool = False

    def add(self, total: Total, values: Values) -> Total:
        """Return the total with the values of further topics.

        Parameters
        ----------
        total : of the topics before these; ``start`` for the first ones.
        """
        return self.combine(total, self.scale(values))

    def __call__(self, values: Values, population: Population) -> float | int | bytes:
        """Return the value of the `all` row."""
        return self.finish(self.add(self.start, values), population)

    @property
    def of_zscores(self) -> Summary:
        """The summary of z-scores, which were made of values on this scale already."""
        return replace(self, scale=_unchanged)


def summary(effect_of_complete: str, **declared: Any) -> Callable[[Finish], Summary]:
    """Return a decorator that makes a summary of the function below it, which finishes it; see ``Summary``."""
    return lambda finish: Summary(finish=finish, effect_of_complete=effect_of_complete, **declared)


def _logarithms(values: Values) -> FloatArray:
    """Return the logarithms of the values, those below 0.00001 counting as 0.00001."""
    numbers = np.maximum(np.asarray(values), LEAST)
    return np.fromiter(map(math.log, numbers), np.float64, numbers.size)


@summary("the mean is over all judged topics; one without results counts {missing}")
def mean(added: Total, population: Population) -> float:
    """Return the sum divided by the number of topics; 0 where no topic has a value."""
    return added / (population.n_topics or 1)


@summary(f"the mean is over all judged topics; one without results counts {LEAST:.5f}", scale=_logarithms)
def geometric_mean(added: Total, population: Population) -> float:
    """Return exp of the mean of logarithms, which may be infinite; topics without one count as log(0.00001)."""
    missing = (population.n_topics - population.n_evaluated) * math.log(LEAST)
    try:
        return math.exp((added + missing) / population.n_topics)
    except OverflowError:
        return math.inf


def negative_values(name: str, values: Values) -> str | None:
    """Return the warning about values that a geometric mean cannot use; None where there are none.

    Parameters
    ----------
    name : of the measure.
    """
    numbers = np.asarray(values)
    if not (n_negative := int(np.count_nonzero(numbers < 0))):
        return None
    return f"{name}: {n_negative} of {numbers.size} values are negative; the geometric mean counts them as {LEAST:.5f}"


@summary("a topic without results adds {missing}")
def total(added: Total, population: Population) -> float | int:
    """Return the sum; that of counts is a whole number."""
    return added


total_of_all_judged = replace(
    total, effect_of_complete="no effect: the all row is over all judged topics", of_all_judged=True
)


def _add_up_squares(total: Total, values: Values) -> Total:
    """Return a total with the squares of further values added, one after the other."""
    errors = np.asarray(values, np.float64)
    return ordered_sum(errors * errors, total)


@summary("no effect: the all row is over all judged topics", combine=_add_up_squares, of_all_judged=True)
def root_of_squares(added: Total, population: Population) -> float:
    """Return the standard error of a sum over topics, whose standard errors these are: the root of summed squares."""
    return math.sqrt(added)


@summary("the all row counts every judgment above 0 in the file, whatever -l says")
def relevant_total(added: Total, population: Population) -> float | int:
    """Return the sum of counts; under ``-c`` the judgments above 0 of all judged topics, whatever the level."""
    return added if population.n_relevant is None else population.n_relevant


@summary("counts all judged topics")
def topic_count(added: Total, population: Population) -> int:
    """Return the number of topics averaged over."""
    return population.n_topics


@summary("no effect")
def run_tag(added: Total, population: Population) -> bytes:
    """Return what the run calls itself."""
    return population.tag

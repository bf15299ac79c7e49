"""What a plan is made of: the test, and how much differences of runs vary under a measure."""

from __future__ import annotations

import numpy as np

from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, InputError
from irevalx.experiments.measured_values import MeasuredRuns
from irevalx.frozen import Frozen
from irevalx.statistics.bootstrap import FEW_TOPICS
from irevalx.statistics.difference_deviations import Deviation, deviations_of_pairs, median_and_greatest
from irevalx.statistics.scales import MEAN
from irevalx.statistics.significance import pairs_of_runs


class Design(Frozen):
    """The test that is planned.

    Parameters
    ----------
    power : with which a difference is to be found.
    alpha : of all comparisons together.
    comparisons : over which it is divided; 1 without correction.
    """

    power: float
    alpha: float
    comparisons: int

    @property
    def alpha_of_each(self) -> float:
        """The level of one comparison."""
        return self.alpha / self.comparisons


class DeviationsOfMeasure(Frozen):
    """How much differences of runs vary under a measure.

    Parameters
    ----------
    n_topics, n_pairs : over which they vary.
    median, greatest : over pairs.
    greatest_pair : the names of the two runs.
    """

    measure: str
    n_topics: int
    n_pairs: int
    median: Deviation
    greatest: Deviation
    greatest_pair: tuple[str, str]

    @property
    def by_pair(self) -> dict[str, Deviation]:
        """Both by name; with a single pair it is its own median."""
        return {"median": self.median, **({"greatest": self.greatest} if self.n_pairs > 1 else {})}


def deviations_of(one: MeasuredRuns, alpha: float) -> DeviationsOfMeasure:
    """Return how much the differences of runs vary, with intervals at 1 - alpha; warns of few topics.

    Raises
    ------
    ArgumentError : the measure is not averaged.
    InputError : there are fewer than two topics.
    """
    n_topics = one.values.shape[1]
    if one.scale is not MEAN:
        raise ArgumentError(f"measures must be averaged over topics, but {one.measure} is a {one.scale.name}")
    if n_topics < 2:
        raise InputError(f"power must be of two topics at least, but {one.measure} has values for {n_topics}")
    if n_topics < FEW_TOPICS:
        warn(f"{one.measure} has values for {n_topics} topics: below {FEW_TOPICS} deviations are known badly")
    median, greatest = median_and_greatest(one.values, alpha)
    first, second = pairs_of_runs(len(one.runs))
    place = int(np.argmax(deviations_of_pairs(one.values)))
    pair = one.runs[first[place]], one.runs[second[place]]
    return DeviationsOfMeasure(one.measure, n_topics, len(first), median, greatest, pair)

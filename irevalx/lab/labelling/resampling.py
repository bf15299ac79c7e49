"""How the intervals of findings are made: topics drawn with replacement."""

from __future__ import annotations

import math

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen
from irevalx.statistics.bootstrap import TopicDraws, quantile_interval
from irevalx.statistics.significance import ALPHA

AT_ONCE = 1_000_000
"""How many numbers are in memory at a time."""


class Resampling(Frozen, kw_only=True):
    """How intervals are made.

    Parameters
    ----------
    resamples : draws of topics; with 0 there are no intervals.
    seed : of the draws.
    alpha : an interval reaches from the alpha/2 to the 1 - alpha/2 quantile over the draws.
    """

    resamples: int = 0
    seed: int = 0
    alpha: float = ALPHA

    def draws(self, n_topics: int) -> TopicDraws:
        """Return the draws of so many topics."""
        return TopicDraws.of(n_topics, self.resamples, self.seed)

    def interval(self, of_draws: FloatArray) -> tuple[float | None, float | None]:
        """Return the interval of a statistic, shape (n_draws,)."""
        if not self.resamples:
            return None, None
        low, high = quantile_interval(np.asarray(of_draws, np.float64), self.alpha)
        return known(float(low)), known(float(high))


def known(number: float) -> float | None:
    """Return a number, None in place of nan."""
    return None if math.isnan(number) else number

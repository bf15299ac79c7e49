"""How the intervals of findings are made: topics drawn with replacement."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

import numpy as np

from irevalx.arrays.segments import AnyArray
from irevalx.frozen import Frozen, replace
from irevalx.statistics.bootstrap import TopicDraws, quantile_interval
from irevalx.statistics.significance import ALPHA

AT_ONCE = 1_000_000
"""How many numbers are in memory at a time."""

NO_INTERVAL = None, None
"""The ends of what has no interval."""

Key = TypeVar("Key", bound=Hashable)


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

    def for_few_topics(self, n_topics: int) -> Resampling:
        """Return the same with wider intervals, as few topics need.

        The share that each side leaves out is that of Student's t distribution with the unbiased variance in terms of
        the normal distribution, which quantiles of draws come to.

        Notes
        -----
        Source: Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69, 2015: expanded
        percentile intervals.
        """
        from scipy import special

        if n_topics < 2:
            return self
        t = float(special.stdtrit(n_topics - 1, self.alpha / 2))
        return replace(self, alpha=2 * float(special.ndtr(t * math.sqrt(n_topics / (n_topics - 1)))))

    def draws(self, n_topics: int) -> TopicDraws:
        """Return draws of this number of topics."""
        return TopicDraws.of(n_topics, self.resamples, self.seed)

    def interval(self, of_draws: AnyArray) -> tuple[float | None, float | None]:
        """Return the interval of a statistic, shape (n_draws,)."""
        if not self.resamples:
            return NO_INTERVAL
        low, high = quantile_interval(np.asarray(of_draws, np.float64), self.alpha)
        return known(float(low)), known(float(high))

    def intervals(
        self, n_topics: int, numbers_each: int, statistics: Callable[[TopicDraws], Mapping[Key, AnyArray]]
    ) -> dict[Key, tuple[float | None, float | None]]:
        """Return intervals of several statistics, which are worked out for some draws at a time.

        Parameters
        ----------
        numbers_each : how many numbers a draw needs in memory.
        statistics : from draws of topics, to arrays of shape (n_draws,), by name.

        Returns
        -------
        Their intervals by name; nothing without draws.
        """
        drawn: dict[Key, list[AnyArray]] = {}
        for batch in self.draws(n_topics).batches(max(1, AT_ONCE // max(1, numbers_each))):
            for key, of_batch in statistics(batch).items():
                drawn.setdefault(key, []).append(of_batch)
        return {key: self.interval(np.concatenate(parts)) for key, parts in drawn.items()}


def known(number: float) -> float | None:
    """Return a number, None in place of nan."""
    return None if math.isnan(number) else number

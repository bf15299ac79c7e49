"""Agreement statistics with intervals over resampled topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import AnyArray
from irevalx.frozen import Frozen, replace
from irevalx.statistics.bootstrap import TopicDraws, quantile_interval
from irevalx.statistics.significance import ALPHA

RUN_STATISTICS = ("tau_b", "tau_ap", "tau_ap_b", "rms", "bias")
"""Statistics of the agreement of runs' values."""

OF_SEVERAL = ("judge", "against", "human_topics")
"""Fields that only results of several judges use."""

GAIN_STATISTICS = ("gain_human", "gain_machine", "promise", "gain_ratio")
"""Gains of reranking by machine labels, under human and machine labels."""

SCORES_BEFORE = ("score_human", "score_machine")
"""Values of a run before reranking, under human and machine labels."""


AT_ONCE = 1_000_000
"""Maximum number of values in memory."""

NO_INTERVAL = None, None
"""Ends of a missing interval."""

Statistics: TypeAlias = "dict[Any, AnyArray]"
"""Statistics by name, or by name and level."""


class AgreementStatistic(Frozen, kw_only=True):
    """A value, the subject of the value, and its interval over topics; fields are the columns of the table."""

    judge: str | None = None
    """The judge, if there are several."""

    against: str | None = None
    """The other judge of a comparison."""

    statistic: str
    topic: str | None = None
    """None for all topics."""

    level: int | None = None
    """Relevance threshold, for statistics that depend on it."""

    human: int | None = None
    """With ``machine``, the pair of grades whose documents are counted."""

    machine: int | None = None
    measure: str | None = None
    run: str | None = None
    group: str | None = None
    human_topics: int | None = None
    """Number of topics that assessors would judge."""

    value: float | int | None = None
    """None if undefined."""

    low: float | None = None
    """None without an interval."""

    high: float | None = None


_OF_ALL = AgreementStatistic(statistic="")


class LabelBootstrap(Frozen, kw_only=True):
    """Resampled topics, and the level of intervals."""

    resamples: int = 0
    """0 for no intervals."""

    seed: int = 0
    alpha: float = ALPHA
    """Intervals extend from the alpha/2 to the 1 - alpha/2 quantile over the resamples."""

    def for_few_topics(self, n_topics: int) -> LabelBootstrap:
        """Return the bootstrap with wider intervals: expanded percentile intervals.

        The share outside on each side is that of Student's t distribution with the unbiased variance, in terms of the
        normal distribution (Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69,
        2015).
        """
        from scipy import special

        if n_topics < 2:
            return self
        t = float(special.stdtrit(n_topics - 1, self.alpha / 2))
        return replace(self, alpha=2 * float(special.ndtr(t * math.sqrt(n_topics / (n_topics - 1)))))

    def draws(self, n_topics: int) -> TopicDraws:
        """Return resamples of this number of topics."""
        return TopicDraws.of(n_topics, self.resamples, self.seed)

    def interval(self, of_draws: AnyArray) -> tuple[float | None, float | None]:
        """Return the interval of a statistic over resamples, shape (n_draws,)."""
        if not self.resamples:
            return NO_INTERVAL
        low, high = quantile_interval(np.asarray(of_draws, np.float64), self.alpha)
        return none_if_nan(float(low)), none_if_nan(float(high))

    def statistics(
        self,
        compute: Callable[[TopicDraws | None], Statistics],
        n_topics: int,
        numbers_each: int,
        about: AgreementStatistic = _OF_ALL,
    ) -> Iterator[AgreementStatistic]:
        """Yield statistics with intervals, in batches of resamples that each need ``numbers_each`` values in memory.

        ``compute`` returns the statistics of resamples, arrays of shape (n_draws,), or of the topics themselves (None).
        """
        drawn: dict[Any, list[AnyArray]] = {}
        for batch in self.draws(n_topics).batches(max(1, AT_ONCE // max(1, numbers_each))):
            for key, of_batch in compute(batch).items():
                drawn.setdefault(key, []).append(of_batch)
        for key, value in compute(None).items():
            name, level = key if isinstance(key, tuple) else (key, None)
            low, high = self.interval(np.concatenate(drawn[key])) if drawn else NO_INTERVAL
            yield replace(about, statistic=name, level=level, value=none_if_nan(value.item()), low=low, high=high)


def none_if_nan(number: float) -> float | None:
    """Return a number, or None for nan."""
    return None if math.isnan(number) else number

"""A finding: one number, what it is about, and its interval over topics drawn with replacement."""

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
"""The statistics of agreement of the scores of runs."""

OF_SEVERAL = ("judge", "against", "human_topics")
"""Fields of findings that several judges have alone."""

GAIN_STATISTICS = ("gain_human", "gain_machine", "promise", "gain_ratio")
"""What reranking by the machine's labels gains, by people and by the machine."""

SCORES_BEFORE = ("score_human", "score_machine")
"""The scores of a run before reranking, by people and by the machine."""


AT_ONCE = 1_000_000
"""How many numbers are in memory at a time."""

NO_INTERVAL = None, None
"""The ends of what has no interval."""

Statistics: TypeAlias = "dict[Any, AnyArray]"
"""Statistics by name, or by name and level."""


class Finding(Frozen, kw_only=True):
    """A number, and what it is about; the fields are the columns of the table.

    Parameters
    ----------
    judge : of which judge, where there are several.
    against : which other judge it is compared with.
    statistic : its name.
    topic : of which topic; None for all.
    level : the least grade that is relevant, for a statistic that depends on it.
    human, machine : two grades, for the number of documents that have them.
    measure, run, group : of which measure, and of which run or group of runs.
    human_topics : how many topics people would judge.
    value : None where it is not defined.
    low, high : its interval, where it has one.
    """

    judge: str | None = None
    against: str | None = None
    statistic: str
    topic: str | None = None
    level: int | None = None
    human: int | None = None
    machine: int | None = None
    measure: str | None = None
    run: str | None = None
    group: str | None = None
    human_topics: int | None = None
    value: float | int | None = None
    low: float | None = None
    high: float | None = None


_OF_ALL = Finding(statistic="")


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

    def findings(
        self,
        statistics: Callable[[TopicDraws | None], Statistics],
        n_topics: int,
        numbers_each: int,
        about: Finding = _OF_ALL,
    ) -> Iterator[Finding]:
        """Yield several statistics with their intervals, which are worked out for some draws at a time.

        Parameters
        ----------
        statistics : of draws of topics, arrays of shape (n_draws,); of None, those of the topics as they are.
        numbers_each : how many numbers a draw needs in memory.
        about : what they are of.
        """
        drawn: dict[Any, list[AnyArray]] = {}
        for batch in self.draws(n_topics).batches(max(1, AT_ONCE // max(1, numbers_each))):
            for key, of_batch in statistics(batch).items():
                drawn.setdefault(key, []).append(of_batch)
        for key, value in statistics(None).items():
            name, level = key if isinstance(key, tuple) else (key, None)
            low, high = self.interval(np.concatenate(drawn[key])) if drawn else NO_INTERVAL
            yield replace(about, statistic=name, level=level, value=known(value.item()), low=low, high=high)


def known(number: float) -> float | None:
    """Return a number, None in place of nan."""
    return None if math.isnan(number) else number

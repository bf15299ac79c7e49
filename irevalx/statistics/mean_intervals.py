"""Confidence intervals of means over topics, of one run on its own."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen
from irevalx.settings import IntervalMethod
from irevalx.statistics.bootstrap import TopicDraws
from irevalx.statistics.significance import RESAMPLES, generator
from irevalx.statistics.student_t import t_quantile

_DRAWN_AT_ONCE = 4_000_000
"""How many drawn topics are in memory at a time."""

_EQUAL = 1e-12
"""Means nearer than this are equal."""


class MeanIntervals(Frozen, kw_only=True):
    """Confidence intervals of means."""

    confidence: float
    method: IntervalMethod = "t"
    """Bootstrap: bias-corrected and accelerated."""
    seed: int = 0
    resamples: int = RESAMPLES

    def of(self, values: FloatArray) -> FloatArray:
        """Return the ends of intervals of the means of values of shape (n_means, n_topics): shape (n_means, 2).

        t: mean -+ t(1 - alpha/2, n - 1) s / sqrt(n). Bootstrap: Efron, Better Bootstrap Confidence Intervals, JASA
        1987; all means share the resamples. nan with fewer than 2 topics, if all values are the same, and if one is not
        finite.
        """
        ends = np.full((len(values), 2), np.nan)
        if values.shape[1] < 2:
            return ends
        defined = np.isfinite(values).all(axis=1) & (values != values[:, :1]).any(axis=1)
        if defined.any():
            ends[defined] = (self._t if self.method == "t" else self._bootstrap)(values[defined])
        return ends

    def _t(self, values: FloatArray) -> FloatArray:
        n_topics = values.shape[1]
        error = values.std(axis=1, ddof=1) / np.sqrt(n_topics)
        half = t_quantile(n_topics - 1, self.confidence) * error
        return np.stack((values.mean(axis=1) - half, values.mean(axis=1) + half), axis=1)

    def _bootstrap(self, values: FloatArray) -> FloatArray:
        from statistics import NormalDist  # which takes a while to import

        normal = NormalDist()
        means, drawn = values.mean(axis=1), self._drawn_means(values)
        slack = _EQUAL * np.abs(values).max(axis=1)
        below = (drawn < means - slack).mean(axis=0) / 2 + (drawn <= means + slack).mean(axis=0) / 2
        deviations = values - means[:, np.newaxis]
        acceleration = (deviations**3).sum(axis=1) / (6 * (deviations**2).sum(axis=1) ** 1.5)
        ends = np.empty((len(values), 2))
        for place, (share_below, skew) in enumerate(zip(below.tolist(), acceleration.tolist(), strict=True)):
            if not 0 < share_below < 1:
                ends[place] = np.nan
                continue
            bias = normal.inv_cdf(share_below)
            for side, probability in enumerate(((1 - self.confidence) / 2, (1 + self.confidence) / 2)):
                shifted = bias + normal.inv_cdf(probability)
                ends[place, side] = np.quantile(drawn[:, place], normal.cdf(bias + shifted / (1 - skew * shifted)))
        return ends

    def _drawn_means(self, values: FloatArray) -> FloatArray:
        """Return the means over topics drawn with replacement: shape (n_draws, n_means)."""
        n_topics, random = values.shape[1], generator(self.seed)
        size = max(1, _DRAWN_AT_ONCE // n_topics)
        sizes = [min(size, self.resamples - start) for start in range(0, self.resamples, size)]
        batches = (TopicDraws(random.integers(0, n_topics, (rows, n_topics))) for rows in sizes)
        return np.concatenate([batch.means(values) for batch in batches])

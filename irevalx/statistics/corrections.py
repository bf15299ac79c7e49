"""Corrections for multiple comparisons: of p-values of shape (n,), and randomised Tukey HSD, a test of its own.

Randomised Tukey HSD gives p-values and intervals that hold simultaneously for all pairs. Under the null hypothesis the
m scores of a topic could have come from any run. An arrangement permutes the m scores within each topic, independently;
D is the greatest less the least mean over runs.

Source: Carterette, Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments, TOIS
30(1), 2012; Sakai, Evaluation with Informational and Navigational Intents, WWW 2012. Their programs divide by the
number of random arrangements and can print 0; here the observed arrangement is one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.process.workers import in_order
from irevalx.statistics.significance import generator, without_noise

_BATCH = 2_000_000
"""How many scores are permuted at a time; each batch has its own random stream, in any process."""

_WORTH_SHARING = 20_000_000
"""From this number of scores to permute on, forking processes is worth it."""


def bonferroni(p: FloatArray) -> FloatArray:
    """Multiply each p by their number: bounds the probability of any false difference."""
    return np.minimum(1.0, p * p.size)


def holm(p: FloatArray) -> FloatArray:
    """Multiply the i-th smallest p by n - i + 1, step by step [Holm 1979]."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Bound the false discovery rate [Benjamini & Hochberg 1995]."""
    from scipy import stats

    return stats.false_discovery_control(p, method="bh")


def uncorrected(p: FloatArray) -> FloatArray:
    """Return p unchanged."""
    return p


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "benjamini-hochberg": benjamini_hochberg,
    "none": uncorrected,
}
"""Corrections of the p-values of a test, by the name that ``--correction`` takes."""

SHORT_NAMES = {"bh": "benjamini-hochberg"}
"""Other names of corrections."""

TUKEY = "tukey"
"""The correction that replaces the test: ``randomised_tukey``."""

SIMULTANEOUS = frozenset({"bonferroni", TUKEY})
"""The corrections with simultaneous intervals."""

FAMILYWISE = frozenset({"holm", "bonferroni"})
"""The corrections that multiply the least p-value by the number of comparisons."""


def correction_named(name: str) -> str:
    """Return the long name of a correction."""
    return SHORT_NAMES.get(name, name)


class Tukey(Frozen):
    """The null distribution of D."""

    greatest: FloatArray
    """D of each arrangement, the observed one included, shape (n_arrangements,); descending, rounded."""
    n_topics: int

    def p_values(self, means: FloatArray) -> FloatArray:
        """Return the share of arrangements with D at least the mean difference of each pair, shape (n_pairs,).

        1 with fewer than 2 topics.
        """
        if self.n_topics < 2:
            return np.ones(len(means))
        as_far: IntArray = np.searchsorted(-self.greatest, -np.abs(means), side="right")
        return as_far / self.greatest.size

    def half_width(self, alpha: float) -> float:
        """Return q: the intervals d - q to d + q hold for all pairs with probability 1 - alpha.

        nan with fewer than 2 topics.
        q is the ceil(alpha M)-th greatest D of M, so that the interval of a pair excludes 0 exactly if its p-value is
        below alpha.
        """
        if self.n_topics < 2:
            return math.nan
        place = math.ceil(Fraction(repr(alpha)) * self.greatest.size)
        return float(self.greatest[place - 1])


def mean_differences(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the means over topics of y - x of shape (n_pairs, n_topics): shape (n_pairs,).

    Only the mean is rounded: errors of rounded differences, such as thirds, would add up and make equal means unequal.
    """
    return without_noise(np.asarray((y - x).mean(axis=1), np.float64))


def randomised_tukey(values: FloatArray, resamples: int, seed: int = 0, processes: int = 1) -> Tukey:
    """Permute scores (n_runs, n_topics) within topics: all (m!)^n ways if at most ``resamples``, else random ones.

    The observed arrangement is added to the random ones; results do not depend on ``processes``.
    """
    n_topics = values.shape[1]
    if arrangements_fit(len(values), n_topics, resamples):
        greatest = [_greatest(sums) for sums in _all_arrangements(values)]
    else:
        greatest = [_greatest(values[np.newaxis].sum(axis=2))]
        greatest += _of_random_arrangements(values, resamples, seed, processes)
    of_means = without_noise(np.concatenate(greatest) / max(1, n_topics))
    return Tukey(-np.sort(-of_means), n_topics)


def least_tukey_p(n_runs: int, n_topics: int, resamples: int) -> float:
    """Return the least p-value that ``randomised_tukey`` can give."""
    if n_topics < 2:
        return 1.0
    if arrangements_fit(n_runs, n_topics, resamples):
        return float(math.factorial(n_runs)) ** (1 - n_topics)
    return 1 / (1 + resamples)


def arrangements_fit(n_runs: int, n_topics: int, resamples: int) -> bool:
    """Return whether there are at most ``resamples`` arrangements."""
    bits = n_topics * math.log2(math.factorial(n_runs)) if n_runs else 0.0
    return bits < 64 and math.factorial(n_runs) ** n_topics <= resamples


def _all_arrangements(values: FloatArray) -> Iterator[FloatArray]:
    """Yield the sums over topics of all arrangements, in batches of shape (n, n_runs)."""
    n_runs, n_topics = values.shape
    orders = np.array(list(permutations(range(n_runs))), np.int64)
    n_arrangements = len(orders) ** n_topics
    batch = max(1, _BATCH // max(1, values.size))
    for start in range(0, n_arrangements, batch):
        numbers = np.arange(start, min(start + batch, n_arrangements))
        chosen = np.stack(np.unravel_index(numbers, (len(orders),) * n_topics), axis=1)
        yield values.T[np.arange(n_topics)[:, np.newaxis], orders[chosen]].sum(axis=1)


def _of_random_arrangements(values: FloatArray, resamples: int, seed: int, processes: int) -> Iterator[FloatArray]:
    """Yield the ranges of the sums of random arrangements, in batches."""
    batch = max(1, _BATCH // max(1, values.size))
    n_batches = math.ceil(resamples / batch)

    def work(number: int) -> FloatArray:
        shape = (min(batch, resamples - number * batch), *values.shape)
        arranged = generator(seed, number).permuted(np.broadcast_to(values, shape), axis=1)
        return _greatest(arranged.sum(axis=2))

    sharing = min(processes, n_batches) if resamples * values.size >= _WORTH_SHARING else 1
    return in_order(work, lambda: range(n_batches), sharing)


def _greatest(sums: FloatArray) -> FloatArray:
    """Return the range of the sums over topics of each row, shape (n, n_runs)."""
    ranges: FloatArray = np.ptp(sums, axis=1)
    return ranges

"""The randomised Tukey HSD test of all pairs of runs.

Randomised Tukey HSD computes p-values and intervals that are simultaneous for all pairs. Under the null hypothesis, the
m scores of a topic could have come from any run. An arrangement permutes the m scores within each topic, independently.
D is the maximum minus the minimum mean over runs.

Source: Carterette, Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments, TOIS
30(1), 2012; Sakai, Evaluation with Informational and Navigational Intents, WWW 2012. The programs of these authors
divide by the number of random arrangements and can print 0. Here, the observed arrangement is one of the arrangements.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.process.progress import counted
from irevalx.process.workers import in_order
from irevalx.statistics.significance import generator, without_noise

_BATCH = 2_000_000
"""The number of scores permuted in a batch. Each batch has its own random numbers, independent of processes."""

_IN_CACHE = 30_000
"""The number of scores that are permuted before their sums are computed, chosen to fit the processor's cache."""

_WORTH_SHARING = 20_000_000
"""The minimum number of permuted scores for which several processes are used."""


class Tukey(Frozen):
    """The distribution of D, the largest difference between two means, under the null hypothesis."""

    greatest: FloatArray
    """The rounded D of each arrangement, including the observed one, in descending order."""
    n_topics: int

    def p_values(self, means: FloatArray) -> FloatArray:
        """Return the p-value of each pair: the share of arrangements in which D is at least the mean difference."""
        if self.n_topics < 2:
            return np.ones(len(means))
        as_far: IntArray = np.searchsorted(-self.greatest, -np.abs(means), side="right")
        return as_far / self.greatest.size

    def half_width(self, alpha: float) -> float:
        """Return the half-width q of simultaneous intervals d - q to d + q with the confidence level 1 - alpha."""
        if self.n_topics < 2:
            return math.nan
        # If q is the ceil(alpha M)-th largest D of M, an interval excludes 0 if and only if its p-value is below alpha.
        place = math.ceil(Fraction(repr(alpha)) * self.greatest.size)
        return float(self.greatest[place - 1])


def mean_differences(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the mean of y - x over topics for each pair. The shape of x and y is (n_pairs, n_topics)."""
    # The errors of rounded differences, such as thirds, would add up and make equal means unequal.
    return without_noise(np.asarray((y - x).mean(axis=1), np.float64))


def randomised_tukey(values: FloatArray, resamples: int, seed: int = 0, processes: int = 1) -> Tukey:
    """Permute scores within topics, in all (m!)^n ways if there are at most ``resamples``, and otherwise at random."""
    [tukey] = randomised_tukey_of([values], resamples, seed, processes)
    return tukey


def randomised_tukey_of(
    measures: Sequence[FloatArray], resamples: int, seed: int = 0, processes: int = 1
) -> list[Tukey]:
    """Compute randomised Tukey HSD for measures with values of equal shape, which share the random arrangements."""
    n_runs, n_topics = measures[0].shape
    if arrangements_fit(n_runs, n_topics, resamples):
        greatest = [np.concatenate([np.ptp(sums, axis=1) for sums in _all_arrangements(x)]) for x in measures]
    else:
        drawn = _of_random_arrangements(measures, resamples, seed, processes)
        observed = [[np.ptp(x[np.newaxis].sum(axis=2), axis=1) for x in measures]]
        greatest = [np.concatenate(of_measure) for of_measure in zip(*observed, *drawn, strict=True)]
    return [Tukey(-np.sort(-without_noise(ranges / max(1, n_topics))), n_topics) for ranges in greatest]


def least_tukey_p(n_runs: int, n_topics: int, resamples: int) -> float:
    """Return the lowest possible p-value of randomised Tukey HSD."""
    if n_topics < 2:
        return 1.0
    if arrangements_fit(n_runs, n_topics, resamples):
        return float(math.factorial(n_runs)) ** (1 - n_topics)
    return 1 / (1 + resamples)


def arrangements_fit(n_runs: int, n_topics: int, resamples: int) -> bool:
    """Return whether the number of possible arrangements is at most ``resamples``."""
    bits = n_topics * math.log2(math.factorial(n_runs)) if n_runs else 0.0
    return bits < 64 and math.factorial(n_runs) ** n_topics <= resamples


def _all_arrangements(values: FloatArray) -> Iterator[FloatArray]:
    """Yield the sums over topics for all arrangements, in batches of shape (n, n_runs)."""
    n_runs, n_topics = values.shape
    orders = np.array(list(permutations(range(n_runs))), np.int64)
    n_arrangements = len(orders) ** n_topics
    batch = max(1, _BATCH // max(1, values.size))
    for start in range(0, n_arrangements, batch):
        numbers = np.arange(start, min(start + batch, n_arrangements))
        chosen = np.stack(np.unravel_index(numbers, (len(orders),) * n_topics), axis=1)
        yield values.T[np.arange(n_topics)[:, np.newaxis], orders[chosen]].sum(axis=1)


def _of_random_arrangements(
    measures: Sequence[FloatArray], resamples: int, seed: int, processes: int
) -> Iterator[list[FloatArray]]:
    """Yield batches of the range (maximum minus minimum) of the runs' sums in random arrangements, for each measure."""
    shape, size = measures[0].shape, max(1, measures[0].size)
    batch, at_a_time = max(1, _BATCH // size), max(1, _IN_CACHE // size)
    n_batches = math.ceil(resamples / batch)
    places, flat = np.arange(measures[0].size).reshape(shape), [of_measure.ravel() for of_measure in measures]

    def work(number: int) -> list[FloatArray]:
        random, n_left = generator(seed, number), min(batch, resamples - number * batch)
        ranges = np.empty((len(measures), n_left))
        arranged, values = np.empty((at_a_time, *shape), np.int64), np.empty((at_a_time, *shape))
        for start in range(0, n_left, at_a_time):
            n = min(at_a_time, n_left - start)
            random.permuted(np.broadcast_to(places, (n, *shape)), axis=1, out=arranged[:n])
            for row, of_measure in zip(ranges, flat, strict=True):
                of_measure.take(arranged[:n], out=values[:n], mode="clip")  # the other modes copy the array ``out``
                row[start : start + n] = np.ptp(values[:n].sum(axis=2), axis=1)
        return list(ranges)

    sharing = min(processes, n_batches) if resamples * size >= _WORTH_SHARING else 1
    return counted(in_order(work, lambda: range(n_batches), sharing), "random permutations", n_batches)

"""The sign of a sum of independent random values: exact if it can be computed, otherwise normal.

Carterette, Allan and Sitaraman, Minimal Test Collections for Retrieval Evaluation, SIGIR 2006, section 4.2, take a
difference of scores for normal.
"""

from __future__ import annotations

import math

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.statistics.significance import without_noise

MOST_VALUES = 4096
"""Most values of a sum whose distribution is computed value by value."""

_DECIMALS = 10
"""The decimals of a sum that count: each addend may be wrong by half a unit of the twelfth one."""

_MOST_STEPS = 64
"""Most grid steps of an addend."""

_MOST_CELLS = 2**22
"""Most grid steps of all addends together."""


class SignChances(Frozen):
    """The probabilities that a sum is below 0, 0, and above 0."""

    below: float
    zero: float
    above: float
    exact: bool
    """Exact but for rounding errors; otherwise normal."""

    @classmethod
    def normal(cls, mean: float, deviation: float) -> SignChances:
        """Return the probabilities of the normal distribution; ``deviation`` is above 0."""
        below = 0.5 * math.erfc(mean / deviation / math.sqrt(2))
        return cls(below, 0.0, 1.0 - below, exact=False)


def sign_chances(start: float, values: FloatArray, chances: FloatArray) -> SignChances:
    """Return the probabilities of the signs of ``start`` plus independent values.

    Sums that are 0 but for rounding are 0.

    ``values`` and ``chances`` have shape (n, n_outcomes); rows of chances add up to 1. The result is exact if the
    values are on a grid, as weights of precision are, or if the sum has at most ``MOST_VALUES`` values (12 documents
    with different weights, for example).
    """
    certain = chances.max(axis=1, initial=0.0) == 1
    start += float((values[certain] * chances[certain]).sum())
    values, chances = values[~certain], chances[~certain]
    ends = np.round(start + np.array([values.min(axis=1).sum(), values.max(axis=1).sum()]), _DECIMALS)
    if ends[0] > 0 or ends[1] < 0:
        return SignChances(float(ends[1] < 0), 0.0, float(ends[0] > 0), exact=True)
    distribution = _on_grid(start, values, chances)
    if distribution is None:
        distribution = _one_by_one(start, values, chances)
    if distribution is None:
        means = (values * chances).sum(axis=1)
        variance = float(((values - means[:, None]) ** 2 * chances).sum())
        return SignChances.normal(start + float(means.sum()), math.sqrt(variance))
    sums, shares = np.round(distribution[0], _DECIMALS), distribution[1]
    below, above = float(shares[sums < 0].sum()), float(shares[sums > 0].sum())
    return SignChances(below, max(0.0, 1.0 - below - above), above, exact=True)


def _on_grid(start: float, values: FloatArray, chances: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the values of the sum and their probabilities, if all values are a few equal steps from the least one."""
    if not len(values):
        return np.array([start]), np.ones(1)
    least = values.min(axis=1)
    above = values - least[:, None]
    step = float(above.min(where=above > 1e-12, initial=math.inf))
    steps = np.rint(above / step)
    most = int(steps.max())
    if most > _MOST_STEPS or (most + 1) * len(values) > _MOST_CELLS or np.abs(above - steps * step).max() > 1e-12:
        return None
    shares = convolve(steps.astype(np.int64), chances)
    return start + least.sum() + step * np.arange(shares.size), shares


def convolve(steps: IntArray, chances: FloatArray) -> FloatArray:
    """Return the distribution of a sum of independent integers of shape (n, n_outcomes), from 0 up; n is at least 1."""
    n_values = int(steps.max(axis=1).sum()) + 1
    shares = np.zeros((len(steps), int(steps.max()) + 1))
    np.add.at(shares, (np.arange(len(steps))[:, None], steps), chances)
    while len(shares) > 1:
        if len(shares) % 2:
            nothing = np.zeros((1, shares.shape[1]))
            nothing[0, 0] = 1.0
            shares = np.concatenate((shares, nothing))
        size = 2 * shares.shape[1] - 1
        waves = np.fft.rfft(shares, size, axis=1)
        shares = np.fft.irfft(waves[::2] * waves[1::2], size, axis=1)
    distribution: FloatArray = np.clip(shares[0][:n_values], 0.0, 1.0)
    return distribution


def _one_by_one(start: float, values: FloatArray, chances: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the values of the sum and their probabilities, if there are not too many values."""
    sums, shares = np.array([start]), np.ones(1)
    for of_one, chance in zip(values, chances, strict=True):
        every = without_noise((sums[:, None] + of_one).ravel())
        sums, place = np.unique(every, return_inverse=True)
        if sums.size > MOST_VALUES:
            return None
        joined = np.zeros(sums.size)
        np.add.at(joined, place.ravel(), (shares[:, None] * chance).ravel())
        shares = joined
    return sums, shares

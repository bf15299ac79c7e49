"""Integers, powers and logarithms of arrays like in C programs."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.trec_eval.numbers import LONG_MIN


def truncate(x: FloatArray) -> IntArray:
    """Truncate like C's conversion to ``long``; nan and overflow give the smallest one, as on x86."""
    fits = np.abs(x) < 2.0**63
    return np.where(fits, np.where(fits, x, 0.0).astype(np.int64), LONG_MIN)


def round_half_away(x: FloatArray) -> IntArray:
    """Round like C's ``lround``, halves away from zero; nan and overflow as ``truncate``."""
    with np.errstate(invalid="ignore"):
        whole = np.trunc(x)
        return truncate(whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0))


def round_up_from_a_tenth(x: FloatArray) -> IntArray:
    """Round up from a remainder of a tenth on, like trec_eval 9 for recall."""
    return truncate(x + 0.9)


def log2_of(k: IntArray) -> FloatArray:
    """Return log2 of integers from 1 up like the C library; ``np.log2`` can differ in the last bit."""
    try:
        return _log2_table(1024)[k]
    except IndexError:
        return _log2_table(1 << int(k.max()).bit_length())[k]


@lru_cache(maxsize=2)
def _log2_table(size: int) -> FloatArray:
    return np.array([-math.inf, *map(math.log2, range(1, size))])


def powers(x: float, n: int) -> FloatArray:
    """Return the first n powers of x, from x**0 = 1 up, as a running product."""
    factors = np.full(n, x)
    factors[:1] = 1.0
    return np.multiply.accumulate(factors)

"""Whole numbers as names: their decimal digits, written for all of them at once."""

from __future__ import annotations

from functools import cache

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.segments import AnyArray, IntArray

LONGEST = 20
"""Characters of the longest number of 64 bits: 20 digits, or a sign and 19."""

_GROUP = 4
"""Digits that are written together."""

_POWERS = np.array([10**exponent for exponent in range(1, LONGEST)], np.uint64)


def decimal_names(numbers: AnyArray) -> Names:
    """Return whole numbers as their decimal digits, with a minus sign below 0.

    Parameters
    ----------
    numbers : shape (n,); of any type of whole numbers of at most 64 bits.

    >>> decimal_names(np.array([7, -120, 0])).texts()
    [b'7', b'-120', b'0']
    """
    negative = numbers < 0
    size = numbers.astype(np.uint64)
    size[negative] = np.uint64(0) - size[negative]  # two's complement, which the smallest number needs
    n_digits: IntArray = np.searchsorted(_POWERS, size, side="right") + 1
    cells = np.full((numbers.size, LONGEST), ord("0"), np.uint8)
    groups = _digit_groups()
    for end in range(LONGEST, 0, -_GROUP):
        size, group = size // np.uint64(10**_GROUP), size % np.uint64(10**_GROUP)
        cells[:, end - _GROUP : end] = groups[group.astype(np.int64)]
        if not size.any():
            break
    length = n_digits + negative
    first = LONGEST * np.arange(numbers.size) + LONGEST - length
    flat = np.zeros(cells.size + 2 * PADDING, np.uint8)
    flat[PADDING:-PADDING] = cells.ravel()
    flat[PADDING + first[negative]] = ord("-")
    return Names(flat, PADDING + first, length)


@cache
def _digit_groups() -> AnyArray:
    """Return all groups of digits as characters, from 0000 up; shape (10000, 4)."""
    place = 10 ** np.arange(_GROUP - 1, -1, -1)
    return (ord("0") + np.arange(10**_GROUP)[:, np.newaxis] // place % 10).astype(np.uint8)

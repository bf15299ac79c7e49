"""Which names are the same: for each the place of the first one that is."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import Names, numbered
from irevalx.arrays.segments import IntArray, WordArray

_FEWEST_SLOTS = 1 << 16
_NAMES_FOR_SLOT = 16
"""There are far fewer different names than names, or else the table grows from round to round."""

_TOP_BITS = 64


def first_places(names: Names) -> IntArray:
    """Return, for each name, the place of the first that has the same bytes; shape (n,).

    Names choose slots of a small table by their keys, so that most find the first one of their kind at once; what
    others were quicker to take a slot from goes into the next round. Keys only say where to look; bytes decide.
    """
    first = _first_with_key(names.keys())
    if names.take(first).same(names).all():
        return first
    number, distinct = numbered(names)  # different names with one key
    first_of_number = np.empty(distinct.size, np.int64)
    first_of_number[number[::-1]] = np.arange(names.size)[::-1]
    return first_of_number[number]


def _first_with_key(keys: WordArray) -> IntArray:
    """Return, for each key, the place of the first one that is equal."""
    first = np.empty(keys.size, np.int64)
    left = np.arange(keys.size)
    shift = 0
    while left.size:
        bits = max(_FEWEST_SLOTS, left.size // _NAMES_FOR_SLOT).bit_length()
        slots = np.zeros(1 << bits, np.int64)
        slot = ((keys[left] << np.uint64(shift)) >> np.uint64(_TOP_BITS - bits)).astype(np.int64)
        slots[slot[::-1]] = left[::-1]  # the first one is written last
        found = slots[slot]
        same = keys[found] == keys[left]
        first[left[same]] = found[same]
        left = left[~same]
        shift = (shift + 7) % 32
    return first

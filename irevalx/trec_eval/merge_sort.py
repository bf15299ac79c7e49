"""The C library's merge sort, for comparisons that are no order.

With a consistent comparison every stable sort gives the same result and ``sorted`` is the better choice. trec_eval also
sorts with comparisons that contradict themselves (scores that are nan, gains compared after truncation), and then the
result is that of one particular algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def merge_sort(items: Sequence[T], compare: Callable[[T, T], int]) -> list[T]:
    """Sort as glibc's ``qsort`` does: halve (the smaller half first), sort both, merge taking left while compare <= 0.

    Parameters
    ----------
    items : any length.
    compare : negative, zero or positive as the first argument goes before, with or after the second; it need not be
        consistent.
    """
    if len(items) < 2:
        return list(items)
    middle = len(items) // 2
    left = merge_sort(items[:middle], compare)
    right = merge_sort(items[middle:], compare)
    merged: list[T] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if compare(left[i], right[j]) <= 0:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]

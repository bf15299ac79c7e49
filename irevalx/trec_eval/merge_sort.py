"""glibc's merge sort, for inconsistent comparisons.

With a consistent comparison every stable sort gives the same result, and ``sorted`` is faster. trec_eval also sorts
with inconsistent comparisons (scores that are nan, gains compared after truncation), and then the result depends on the
algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def merge_sort(items: Sequence[T], compare: Callable[[T, T], int]) -> list[T]:
    """Return the items in the order of glibc's ``qsort``; ``compare`` can be inconsistent.

    It splits them into two halves (the first is the smaller one), sorts both, and merges them, taking from the first
    while ``compare`` is not positive.
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

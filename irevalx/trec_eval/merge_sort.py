"""The C library's merge sort, for comparisons that contradict themselves.

With a consistent comparison every stable sort gives the same result, and ``sorted`` is the better choice. trec_eval
also sorts with comparisons that are not consistent (scores that are nan, gains compared after truncation), and then the
result depends on the algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def merge_sort(items: Sequence[T], compare: Callable[[T, T], int]) -> list[T]:
    """Return the items in the order that glibc's ``qsort`` gives them.

    It divides them in two (the first part is the smaller one), sorts both, and merges, taking from the first as long
    as ``compare`` is not positive.

    Parameters
    ----------
    items : any number of them.
    compare : returns a number below, equal to or above 0 where its first argument goes before, with or after its
        second; it may contradict itself.
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

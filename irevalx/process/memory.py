"""Settings of the C library, so that freed memory is reused for later arrays and not returned to the system."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""The parameters of ``mallopt``, from ``malloc.h``."""

_LARGEST_BLOCK = 1 << 25
"""The maximum number of bytes in an array whose memory is kept."""

_KEPT = 1 << 28
"""The maximum number of bytes of freed memory that are kept."""

_SMALL_ARRAYS = 1 << 22
"""The number of bytes in the arrays of a small evaluation."""

_BIG_ARRAY = 1 << 24
"""The minimum number of bytes in an array for which NumPy requests huge pages."""


def keep_freed_memory() -> None:
    """Let glibc keep up to 256 MB of freed memory for later arrays. Other C libraries are not affected.

    By default, glibc maps new memory for the large arrays of each block, and the page faults take longer than the
    computation. NumPy requests huge pages for larger arrays. Five such arrays are allocated and freed without being
    written to, so that the arrays of the first blocks use huge pages.
    """
    with suppress(ImportError, OSError, AttributeError, TypeError, MemoryError):
        from ctypes import CDLL

        mallopt = CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK)
        mallopt(_TRIM_THRESHOLD, _KEPT)
        tuple(np.empty(_BIG_ARRAY, np.uint8) for _ in range(5))


@cache
def keep_some_freed_memory() -> None:
    """Let glibc keep up to 8 MB of freed memory. Page faults take up to a quarter of the time of small evaluations."""
    # By default, glibc returns freed memory above 128 KB to the system. The limit rises to twice the size of the
    # largest array that was freed, so that freeing one array of 4 MB is sufficient.
    np.empty(_SMALL_ARRAYS, np.uint8)

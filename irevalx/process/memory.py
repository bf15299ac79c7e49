"""The memory of big arrays, which is kept for the next ones rather than given back to the system."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""The parameters of ``mallopt``, as ``malloc.h`` numbers them."""

_LARGEST_BLOCK = 1 << 25
"""Bytes of an array, at most, whose memory is kept."""

_KEPT = 1 << 28
"""Bytes of freed memory that are kept, at most."""

_SMALL_ARRAYS = 1 << 22
"""Bytes that the arrays of a small evaluation may take."""

_BIG_ARRAY = 1 << 24
"""Bytes of an array for which numpy asks for huge pages."""


def keep_freed_memory() -> None:
    """Let the C library keep up to 256 MB of freed memory for the next arrays; nothing happens where it is not glibc.

    A run is read in blocks, and each block needs the same dozens of arrays as the one before. By itself glibc maps the
    memory of big arrays anew each time, and the system then hands out each of their pages again, which takes longer
    than the work on the arrays.

    numpy asks for huge pages where an array is big, which those of a block are not. Five big arrays that nothing is
    written to cost nothing, and leave memory of huge pages for the first blocks.
    """
    with suppress(ImportError, OSError, AttributeError, TypeError, MemoryError):
        from ctypes import CDLL

        mallopt = CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK)
        mallopt(_TRIM_THRESHOLD, _KEPT)
        tuple(np.empty(_BIG_ARRAY, np.uint8) for _ in range(5))


@cache
def keep_some_freed_memory() -> None:
    """Let the C library keep up to 8 MB of freed memory for the next small arrays.

    glibc gives freed memory back once it exceeds 128 KB, or twice the size of the biggest array (up to 32 MB) that has
    been freed so far. So it is enough to free one. Without it, each of many small evaluations would ask the system for
    the same pages again, in up to a quarter of its time.
    """
    np.empty(_SMALL_ARRAYS, np.uint8)

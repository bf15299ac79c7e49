"""Reuse of freed memory for subsequent arrays, instead of its return to the system."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Parameters of ``mallopt``, from ``malloc.h``."""

_LARGEST_BLOCK = 1 << 25
"""Maximum number of bytes of an array whose memory is kept."""

_KEPT = 1 << 28
"""Maximum number of bytes of freed memory that are kept."""

_SMALL_ARRAYS = 1 << 22
"""Bytes of the arrays of a small evaluation."""

_BIG_ARRAY = 1 << 24
"""Bytes of an array for which numpy requests huge pages."""


def keep_freed_memory() -> None:
    """Let glibc keep up to 256 MB of freed memory for the next arrays; no effect with other C libraries.

    By default, glibc maps memory for the large arrays of each block anew, and page faults take longer than the work on
    these arrays. numpy requests huge pages for larger arrays. Five of these arrays, which are not written to, leave
    huge pages for the arrays of the first blocks.
    """
    with suppress(ImportError, OSError, AttributeError, TypeError, MemoryError):
        from ctypes import CDLL

        mallopt = CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK)
        mallopt(_TRIM_THRESHOLD, _KEPT)
        tuple(np.empty(_BIG_ARRAY, np.uint8) for _ in range(5))


@cache
def keep_some_freed_memory() -> None:
    """Let glibc keep up to 8 MB of freed memory; page faults take up to a quarter of the time of small evaluations."""
    # glibc returns freed memory above 128 KB, or above twice the size of the largest array freed so far (up to 32 MB).
    np.empty(_SMALL_ARRAYS, np.uint8)

"""Keep the memory of big arrays from being given back to the system after every use."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST_BLOCK = 1 << 25
_KEPT = 1 << 28
_FOR_HUGE_PAGES = 1 << 24


def keep_freed_memory() -> None:
    """Tell the C library to keep up to 256 MB of freed memory for the next array. Does nothing where it is not glibc.

    A run is read in blocks, and each block needs the same dozens of arrays as the one before. glibc maps big arrays
    anew each time, and the system then hands out every page of them again, which takes longer than the work itself.

    numpy asks for huge pages where an array is big, as those of a block are not. Arrays that nobody writes to cost
    nothing; the memory that they leave behind gives the first blocks huge pages too, and a page in place of hundreds.
    """
    with suppress(ImportError, OSError, AttributeError, TypeError, MemoryError):
        from ctypes import CDLL

        mallopt = CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK)
        mallopt(_TRIM_THRESHOLD, _KEPT)
        tuple(np.empty(_FOR_HUGE_PAGES, np.uint8) for _ in range(5))

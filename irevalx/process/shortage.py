"""Lack of memory during computations and imports, and the message about it."""

from __future__ import annotations

import errno

OUT_OF_MEMORY = 70
"""The exit status: EX_SOFTWARE of ``sysexits.h``, the closest one."""

_WORDS_OF_THE_LOADER = "failed to map segment"
"""The message of the C library if there is no memory for a module."""


def shortage(error: MemoryError | ImportError | OSError) -> str:
    """Return the message about an error that was caused by lack of memory; raise any other error again."""
    if isinstance(error, ImportError):
        is_shortage = _WORDS_OF_THE_LOADER in str(error)
    else:
        is_shortage = isinstance(error, MemoryError) or error.errno == errno.ENOMEM
    if not is_shortage:
        raise error
    # numpy's message describes the array, Python's is empty.
    detail = f": {error}" if isinstance(error, MemoryError) and str(error) else ""
    return f"there must be enough memory, but there is not{detail}"

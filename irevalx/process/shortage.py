"""Lack of memory: how it shows, in what is computed and while modules load, and the message about it."""

from __future__ import annotations

import errno

OUT_OF_MEMORY = 70
"""The status to end with: EX_SOFTWARE of ``sysexits.h``, which has nothing closer."""

_WORDS_OF_THE_LOADER = "failed to map segment"
"""Of the C library, where there is no room for a module."""


def shortage(error: MemoryError | ImportError | OSError) -> str:
    """Return the message about an error that means a lack of memory; raise it again where it means another thing."""
    if isinstance(error, ImportError):
        is_shortage = _WORDS_OF_THE_LOADER in str(error)
    else:
        is_shortage = isinstance(error, MemoryError) or error.errno == errno.ENOMEM
    if not is_shortage:
        raise error
    # numpy says for what there is no room, Python says nothing.
    wanted = f": {error}" if isinstance(error, MemoryError) and str(error) else ""
    return f"there must be enough memory, but there is not{wanted}"

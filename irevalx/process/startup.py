"""Preparation of the process before other modules are loaded: Ctrl-C, exhausted memory, and NumPy's threads.

Python can raise KeyboardInterrupt at any point. A module that is being imported can suppress, convert or print this
exception. Therefore, Ctrl-C ends the process directly. The exception is raised only in contexts that must clean up.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 128 + 2
"""The exit status that shells report for a program that was ended by Ctrl-C."""

_CLEAR_LINE = b"\r\x1b[K"


def end_on_interrupt() -> None:
    """Make Ctrl-C end this process with the status ``INTERRUPTED``, unless the parent process ignores Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: object) -> None:
    if os.isatty(2):  # erase the progress line, if any
        os.write(2, _CLEAR_LINE)
    os._exit(INTERRUPTED)


@contextmanager
def raising_interrupts() -> Iterator[None]:
    """Make Ctrl-C raise KeyboardInterrupt in this context, for clean-up."""
    ends = signal.getsignal(signal.SIGINT) is _end
    if ends:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if ends:
            signal.signal(signal.SIGINT, _end)


def start_numpy() -> None:
    """Import NumPy with a single thread for linear algebra, because starting the unused threads takes 20 to 30 ms.

    If pyarrow is imported later, it uses the system's memory allocator, because pyarrow's own allocator keeps 40 MB of
    unused memory.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    import numpy  # noqa: F401, ICN001 - later imports use this module


OUT_OF_MEMORY = 70
"""The exit status if memory is exhausted, which is EX_SOFTWARE in ``sysexits.h``."""

_WORDS_OF_THE_LOADER = "failed to map segment"
"""The message of the C library if there is not enough memory to load a module."""


def shortage(error: MemoryError | ImportError | OSError) -> str:
    """Return a message if memory is exhausted. If the error has another cause, raise the same error again."""
    if isinstance(error, ImportError):
        is_shortage = _WORDS_OF_THE_LOADER in str(error)
    else:
        is_shortage = isinstance(error, MemoryError) or error.errno == errno.ENOMEM
    if not is_shortage:
        raise error
    # NumPy's message describes the array, while Python's message is empty.
    detail = f": {error}" if isinstance(error, MemoryError) and str(error) else ""
    return f"out of memory{detail}"

"""Process start: Ctrl-C, lack of memory and numpy's threads, before other modules load.

Python raises KeyboardInterrupt at any point. Modules that are being imported can suppress, convert or print this
exception; therefore, it is raised only where clean-up is required.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 128 + 2
"""The exit status in a shell of a program that was ended by Ctrl-C."""

_CLEAR_LINE = b"\r\x1b[K"


def end_on_interrupt() -> None:
    """Make Ctrl-C end this process with the status ``INTERRUPTED``, unless the parent process ignores Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: object) -> None:
    if os.isatty(2):  # there can be a progress line
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
    """Import NumPy without threads for linear algebra, which are not needed and take 20 to 30 ms to start."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import numpy  # noqa: F401, ICN001 - later imports use this module


OUT_OF_MEMORY = 70
"""The exit status: EX_SOFTWARE of ``sysexits.h``, the closest one."""

_WORDS_OF_THE_LOADER = "failed to map segment"
"""The message of the C library if there is no memory for a module."""


def shortage(error: MemoryError | ImportError | OSError) -> str:
    """Return the message about an error caused by lack of memory; reraise all other errors."""
    if isinstance(error, ImportError):
        is_shortage = _WORDS_OF_THE_LOADER in str(error)
    else:
        is_shortage = isinstance(error, MemoryError) or error.errno == errno.ENOMEM
    if not is_shortage:
        raise error
    # numpy's message describes the array, Python's is empty.
    detail = f": {error}" if isinstance(error, MemoryError) and str(error) else ""
    return f"out of memory{detail}"

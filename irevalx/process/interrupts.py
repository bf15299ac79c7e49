"""Interrupts: Ctrl-C ends a command immediately and silently, also while modules are imported.

Python raises KeyboardInterrupt at any point. Modules that are being imported can suppress it, convert it to another
error, or print it; therefore it is raised only where clean-up is needed.
"""

from __future__ import annotations

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

"""Ctrl-C ends a command at once and without a word, also while modules load.

Python raises KeyboardInterrupt wherever the program happens to be. Modules that load may swallow that, take it for
another error, or print it; so it is raised only where something has to be undone.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 128 + 2
"""What a shell shows for a program that Ctrl-C ended."""

_CLEAR_LINE = b"\r\x1b[K"


def end_on_interrupt() -> None:
    """Make Ctrl-C end this process with the status ``INTERRUPTED``, unless whoever started it wants it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: object) -> None:
    if os.isatty(2):  # a line about progress may stand there
        os.write(2, _CLEAR_LINE)
    os._exit(INTERRUPTED)


@contextmanager
def raising_interrupts() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt in here, so that what has to be undone is undone on the way out."""
    ends = signal.getsignal(signal.SIGINT) is _end
    if ends:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if ends:
            signal.signal(signal.SIGINT, _end)

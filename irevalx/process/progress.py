"""A line that says how far a long call has come."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

PATIENCE = 2.0
"""Seconds before anything is shown."""

PAUSE = 0.1
"""Seconds between two lines."""


class Progress:
    """Counts lines and runs, and shows them when the work takes long.

    Parameters
    ----------
    n_runs : how many runs there are.
    show : shows a line in place of the one before; an empty one at the end. None shows nothing.
    clock : seconds since whenever.
    """

    def __init__(self, n_runs: int, show: Callable[[str], None] | None, clock: Callable[[], float] = monotonic) -> None:
        self._n_runs = n_runs
        self._show = show
        self._clock = clock
        self._run = 1
        self._lines = 0
        self._next = clock() + PATIENCE
        self._shown = False

    def lines(self, more: int) -> None:
        """Count lines that have been read."""
        self._lines += more
        if self._show and self._clock() >= self._next:
            run = f"run {self._run} of {self._n_runs}: " if self._n_runs > 1 else ""
            self._show(f"irevalx: {run}{self._lines:,} lines read")
            self._shown = True
            self._next = self._clock() + PAUSE

    def clear(self) -> None:
        """Leave nothing on the screen, so that something else can be written there."""
        if self._show and self._shown:
            self._show("")
            self._shown = False

    def end_of_run(self) -> None:
        """Go on to the next run."""
        self._run += 1
        self._lines = 0

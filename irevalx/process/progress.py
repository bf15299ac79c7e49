"""Progress line on the terminal, with a bar for several runs."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

PATIENCE = 2.0
"""Seconds before the first line."""

PAUSE = 0.1
"""Minimum number of seconds between lines."""

WIDTH = 20
"""Number of characters of the bar."""


class Progress:
    """Counts the lines read, and displays the count if the work takes long.

    ``program`` begins the line, ``show`` replaces the line shown before (None: nothing is shown), and ``clock`` returns
    seconds.
    """

    def __init__(
        self,
        program: str,
        *,
        n_runs: int = 1,
        show: Callable[[str], None] | None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._program = program
        self._n_runs = n_runs
        self._show = show
        self._clock = clock
        self._run = 1
        self._done = 0
        self._next = clock() + PATIENCE
        self._is_shown = False

    def advance(self, more: int = 1) -> None:
        """Count lines that were read since the last call."""
        self._done += more
        if self._show and self._clock() >= self._next:
            runs = ""
            if self._n_runs > 1:
                bar = "#" * int(WIDTH * ((self._run - 1) / self._n_runs))
                runs = f"[{bar:.<{WIDTH}}] run {self._run} of {self._n_runs}: "
            self._show(f"{self._program}: {runs}{self._done:,} lines read")
            self._is_shown = True
            self._next = self._clock() + PAUSE

    def next_run(self) -> None:
        """Reset the count for the next run."""
        self._run += 1
        self._done = 0

    def clear(self) -> None:
        """Erase the progress line."""
        if self._show and self._is_shown:
            self._show("")
            self._is_shown = False

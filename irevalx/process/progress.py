"""Progress: a line on the terminal that says how far a long call is, with a bar where there are several runs."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

PATIENCE = 2.0
"""Seconds before anything is shown."""

PAUSE = 0.1
"""Seconds between two lines."""

WIDTH = 20
"""Characters of the bar."""


class Progress:
    """Counts the lines that are read, and shows it when the work takes long.

    Parameters
    ----------
    program : begins the line.
    n_runs : how many runs they are counted for, one after the other.
    show : shows a line in place of the one before; an empty line leaves nothing. None shows nothing.
    clock : returns seconds since a fixed moment.
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
        """Count what has been done since the last call."""
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
        """Count from 0 again, for the next run."""
        self._run += 1
        self._done = 0

    def clear(self) -> None:
        """Leave nothing on the screen, so that something else can be written there."""
        if self._show and self._is_shown:
            self._show("")
            self._is_shown = False

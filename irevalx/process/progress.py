"""Progress: a line on the terminal that says how far a long call is, with a bar where its length is known."""

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
    """Counts what is done, and shows it when the work takes long.

    Parameters
    ----------
    program : begins the line.
    unit : what is counted, and what is done with it: "lines read".
    total : how many of them there are; None where that is not known.
    n_runs : how many runs they are counted for, one after the other.
    show : shows a line in place of the one before; an empty line leaves nothing. None shows nothing.
    clock : returns seconds since a fixed moment.
    """

    def __init__(
        self,
        program: str,
        unit: str,
        *,
        total: int | None = None,
        n_runs: int = 1,
        show: Callable[[str], None] | None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._program = program
        self._total = total
        self._unit = unit if total is None else f"of {total:,} {unit}"
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
            run = f"run {self._run} of {self._n_runs}: " if self._n_runs > 1 else ""
            self._show(f"{self._program}: {self._bar()}{run}{self._done:,} {self._unit}")
            self._is_shown = True
            self._next = self._clock() + PAUSE

    def _bar(self) -> str:
        """Return a bar that is as full as the work is done; nothing where it is not known how much there is."""
        if self._total:
            share = self._done / self._total
        elif self._n_runs > 1:
            share = (self._run - 1) / self._n_runs
        else:
            return ""
        return f"[{'#' * int(WIDTH * share):.<{WIDTH}}] "

    def next_run(self) -> None:
        """Count from 0 again, for the next run."""
        self._run += 1
        self._done = 0

    def clear(self) -> None:
        """Leave nothing on the screen, so that something else can be written there."""
        if self._show and self._is_shown:
            self._show("")
            self._is_shown = False

"""The progress line on the terminal, which contains a bar if there are several runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TypeVar

Item = TypeVar("Item")

PATIENCE = 2.0
"""The number of seconds before the progress line appears."""

PAUSE = 0.1
"""The minimum number of seconds between two updates of the line."""

WIDTH = 20
"""The number of characters in the bar."""


class Progress:
    """A counter of the lines that were read. The count is displayed if reading takes longer than ``PATIENCE`` seconds.

    The progress line begins with ``program``. The function ``show`` displays a new line in place of the previous one.
    If ``show`` is None, nothing is displayed. ``clock`` returns the time in seconds.
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
        """Add the number of lines that were read since the last call."""
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


SHOW: ContextVar[Callable[[str], None] | None] = ContextVar("SHOW", default=None)
"""The function with which ``counting`` displays its progress line, or None if progress is not displayed."""


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that counts items. After ``PATIENCE`` seconds, a bar with the remaining time is displayed."""
    show, start = SHOW.get(), monotonic()
    following, n_done, is_shown = start + PATIENCE, 0, False

    def advance(more: int) -> None:
        nonlocal following, n_done, is_shown
        n_done += more
        if show and n_done and (now := monotonic()) >= following:
            left = round((now - start) * (total - n_done) / n_done)
            bar = "#" * (WIDTH * n_done // total)
            show(f"{what}  [{bar:-<{WIDTH}}]  {n_done / total:4.0%}  {left // 60:02}:{left % 60:02} left")
            following, is_shown = now + PAUSE, True

    try:
        yield advance
    finally:
        if show and is_shown:
            show("")


def counted(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    """Yield ``items``, and display a progress bar."""
    with counting(what, total) as advance:
        for item in items:
            advance(1)
            yield item

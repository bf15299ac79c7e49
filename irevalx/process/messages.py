"""Messages on standard error, with escapes for control characters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from irevalx.errors import IrevalxError, printable
from irevalx.process.progress import Progress
from irevalx.process.terminal import is_terminal, show_progress, write_error


class Messages:
    """Warnings, errors and progress, on lines that begin with the program's name; ``quiet`` shows only errors."""

    def __init__(self, program: str, *, quiet: bool) -> None:
        self.warnings: list[str] = []
        """Every warning so far, shown or not."""
        self._program = program
        self._quiet = quiet
        self._progress: Progress | None = None

    def warn(self, line: str) -> None:
        """Show a warning."""
        self.warnings.append(line)
        if not self._quiet:
            self._tell(line)

    def complain(self, error: Exception) -> None:
        """Show an error that does not end the program."""
        self._tell(error.message if isinstance(error, IrevalxError) else str(error))

    @contextmanager
    def progress(self, n_runs: int) -> Iterator[Progress]:
        """Show progress on a terminal while runs are evaluated, and erase it at the end."""
        show = show_progress if is_terminal() and not self._quiet else None
        self._progress = Progress(self._program, n_runs=n_runs, show=show)
        try:
            yield self._progress
        finally:
            self._progress.clear()

    def _tell(self, line: str) -> None:
        if self._progress:
            self._progress.clear()
        write_error(f"{self._program}: {printable(line)}")

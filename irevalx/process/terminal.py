"""Standard output and standard error; the only module that prints."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from irevalx.errors import OutputError
from irevalx.process.system import is_closed_pipe

_CHUNK_SIZE = 1 << 20
"""Number of bytes per write, which limits memory."""


def write(lines: Iterable[bytes]) -> None:
    """Write lines to standard output as they are generated.

    Raises BrokenPipeError if the pipe was closed, and OutputError for other errors.
    """
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        for chunk in _chunks(lines):
            rest = memoryview(chunk)
            while rest:
                rest = rest[sys.stdout.buffer.write(rest) :]  # without a buffer (python -u) a write can be partial
        sys.stdout.buffer.flush()
    except OSError as error:
        raise _output_error(error) from None


def _chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines joined to chunks of at least ``_CHUNK_SIZE`` bytes."""
    size, chunk = 0, []
    for line in lines:
        chunk.append(line)
        size += len(line)
        if size >= _CHUNK_SIZE:
            yield b"".join(chunk)
            size, chunk = 0, []
    yield b"".join(chunk)


def echo(text: str) -> None:
    """Write text to standard output; raises as ``write`` does."""
    import click

    try:
        click.echo(text, nl=False)
    except OSError as error:
        raise _output_error(error) from None


def write_error(line: str) -> None:
    """Write a line to standard error; results are not lost where that cannot be written."""
    import click

    with suppress(OSError, ValueError):
        click.echo(line, err=True)


def silence_warnings() -> None:
    """Hide warnings of Python packages, unless ``python -W`` or PYTHONWARNINGS requests them.

    They are for programmers; the commands print their own warnings.
    """
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def is_terminal() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def show_progress(line: str) -> None:
    """Replace the line on standard error; an empty line erases it."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()


@contextmanager
def progress_bar(what: str, total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances a progress bar with the remaining time.

    ``what`` is its label and ``total`` its length. There is no bar unless ``shown`` and standard error is a terminal.
    """
    if not (shown and total and is_terminal()):
        yield lambda done: None
        return
    import click

    with click.progressbar(range(total), label=what, file=sys.stderr) as bar:
        yield bar.update


def _output_error(error: OSError) -> OSError | OutputError:
    """Return the exception for a failed write; BrokenPipeError, which ends the program silently, for a closed pipe."""
    if is_closed_pipe(error):
        return BrokenPipeError()
    return OutputError(f"cannot write to standard output: {error.strerror}")

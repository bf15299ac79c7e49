"""Standard output and standard error: the only module that prints."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

import click

from irevalx.errors import OutputError
from irevalx.process.system import is_closed_pipe

_CHUNK_SIZE = 1 << 20
"""Bytes that are written at once, and so need not be in memory with all others."""


def write(lines: Iterable[bytes]) -> None:
    """Write lines, each with its newline, to standard output, as they are made.

    Raises
    ------
    BrokenPipeError : nobody reads it any more.
    OutputError : it cannot be written.
    """
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        for chunk in _chunks(lines):
            rest = memoryview(chunk)
            while rest:
                rest = rest[sys.stdout.buffer.write(rest) :]  # without a buffer (python -u) only a part may be written
        sys.stdout.buffer.flush()
    except OSError as error:
        raise _output_error(error) from None


def _chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines together, as soon as they have ``_CHUNK_SIZE`` bytes."""
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
    try:
        click.echo(text, nl=False)
    except OSError as error:
        raise _output_error(error) from None


def write_error(line: str) -> None:
    """Write a line to standard error; results are not lost where that cannot be written."""
    with suppress(OSError, ValueError):
        click.echo(line, err=True)


def silence_warnings() -> None:
    """Keep the warnings of Python's packages from standard error, unless ``python -W`` or PYTHONWARNINGS asks for them.

    They are for programmers; what a user should know the commands say themselves.
    """
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def is_terminal() -> bool:
    """Return whether somebody may be looking at standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


def show_progress(line: str) -> None:
    """Write a line to standard error in place of the one before; an empty line erases it."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()


@contextmanager
def progress_bar(what: str, total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Give a function that is called with how much has been done since; a bar with the time left shows it.

    Parameters
    ----------
    what : is done.
    total : how much there is to do.
    shown : whether progress is asked for; there is no bar where standard error is no terminal either.
    """
    if not (shown and total and is_terminal()):
        yield lambda done: None
        return
    with click.progressbar(range(total), label=what, file=sys.stderr) as bar:
        yield bar.update


def _output_error(error: OSError) -> OSError | OutputError:
    """Return the exception to raise: that of a closed pipe ends the program quietly, another one is an error."""
    if is_closed_pipe(error):
        return BrokenPipeError()
    return OutputError(f"cannot write to standard output: {error.strerror}")

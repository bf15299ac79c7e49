"""Standard output and standard error: the only module that prints."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from contextlib import suppress

import click

from irevalx.errors import OutputError


def write(lines: Iterable[bytes]) -> None:
    """Write lines, each with its newline, to standard output.

    Raises
    ------
    BrokenPipeError : nobody reads it any more.
    OutputError : it cannot be written.
    """
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        rest = memoryview(b"".join(lines))
        while rest:
            rest = rest[sys.stdout.buffer.write(rest) :]  # without a buffer (python -u) only a part may be written
        sys.stdout.buffer.flush()
    except OSError as error:
        raise _output_error(error) from None


def echo(text: str) -> None:
    """Write text to standard output; raises as ``write`` does."""
    try:
        click.echo(text, nl=False)
    except OSError as error:
        raise _output_error(error) from None


def tell(line: str) -> None:
    """Write a line to standard error; results are not lost where that cannot be written."""
    with suppress(OSError, ValueError):
        click.echo(line, err=True)


def is_terminal() -> bool:
    """Return whether somebody may be looking at standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


def show_progress(line: str) -> None:
    """Write a line to standard error in place of the one before; an empty line erases it."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()


def _output_error(error: OSError) -> OSError | OutputError:
    """Return the exception to raise: that of a closed pipe ends the program quietly, another one is an error."""
    if isinstance(error, BrokenPipeError):
        return error
    return OutputError(f"cannot write to standard output: {error.strerror}")

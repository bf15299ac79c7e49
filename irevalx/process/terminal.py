"""Standard output and standard error: the only module that prints."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import click

from irevalx.errors import OutputError
from irevalx.process.interrupts import raising_interrupts


def write(lines: Iterator[bytes]) -> None:
    """Write lines to standard output.

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
    """Write a line to standard error. That it cannot be written is no reason to lose results."""
    with suppress(OSError, ValueError):
        click.echo(line, err=True)


def show_progress(line: str) -> None:
    """Write a line over the one before, to standard error."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()


@contextmanager
def progress_bar(length: int, label: str, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error, if that is a terminal, while something is done.

    Parameters
    ----------
    length : how many things there are to do.
    label : what they are.

    Yields
    ------
    What is to be told how many more of them are done.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda more: None
        return
    with raising_interrupts(), click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update


def _output_error(error: OSError) -> OSError | OutputError:
    """Return what to raise: a closed pipe ends quietly, anything else is an error."""
    if isinstance(error, BrokenPipeError):
        return error
    return OutputError(f"cannot write to standard output: {error.strerror}")

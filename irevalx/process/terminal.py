"""Standard output and error, messages, and the exit status. No other module prints."""

from __future__ import annotations

import errno
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from time import monotonic
from typing import Any

import click

from irevalx.errors import IrevalxError, OutputError, UsageError, printable, visible
from irevalx.process.platform import (
    as_bytes,
    as_text,
    call_every_second,
    encodable,
    is_closed_pipe,
    own_arguments,
    prepare_output,
)
from irevalx.process.progress import PATIENCE, SHOW, Progress, counting
from irevalx.process.startup import INTERRUPTED, OUT_OF_MEMORY, shortage

_CHUNK_SIZE = 1 << 20
"""The approximate number of bytes that are written at a time, which limits memory use."""


def write(lines: Iterable[bytes]) -> None:
    """Write lines to standard output. Raise BrokenPipeError if the pipe was closed, or OutputError if writing fails."""
    show_progress.end()
    if writes_to_terminal():
        lines = (as_bytes(visible(as_text(line), keep="\t\n")) for line in lines)
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        for chunk in _chunks(lines):
            rest = memoryview(chunk)
            while rest:
                rest = rest[sys.stdout.buffer.write(rest) :]  # under python -u, a write can be partial
        sys.stdout.buffer.flush()
    except OSError as error:
        raise _output_error(error) from None


def _text_for(stream: Any, text: str) -> str:
    """Return a string with characters replaced that the stream cannot encode or that control a terminal."""
    text = encodable(text, getattr(stream, "encoding", None) or "utf-8")
    return visible(text, keep="\t\n") if _is_terminal(stream) else text


def _chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines joined into chunks of at least ``_CHUNK_SIZE`` bytes."""
    size, chunk = 0, []
    for line in lines:
        chunk.append(line)
        size += len(line)
        if size >= _CHUNK_SIZE:
            yield b"".join(chunk)
            size, chunk = 0, []
    yield b"".join(chunk)


def echo(text: str) -> None:
    """Write a string to standard output. Raise the same exceptions as ``write``."""
    try:
        click.echo(_text_for(sys.stdout, text), nl=False)
    except OSError as error:
        raise _output_error(error) from None


def write_error(line: str) -> None:
    """Write a line to standard error. If writing fails, the error is ignored, so that results are not lost."""
    with suppress(OSError, ValueError):
        click.echo(_text_for(sys.stderr, line), err=True)


def silence_warnings() -> None:
    """Hide warnings of Python packages, unless ``python -W`` or PYTHONWARNINGS requests them."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def output_width() -> int | None:
    """Return the width of the terminal on standard output, or None if standard output is not a terminal."""
    if not writes_to_terminal():
        return None
    import shutil

    return shutil.get_terminal_size((0, 0)).columns or None


def writes_to_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return _is_terminal(sys.stdout)


def is_terminal() -> bool:
    """Return whether standard error is a terminal."""
    return _is_terminal(sys.stderr)


def _is_terminal(stream: Any) -> bool:
    with suppress(AttributeError, ValueError, OSError):
        return bool(stream.isatty())
    return False


class _ProgressLine:
    """A progress line on standard error."""

    def __init__(self) -> None:
        self._is_shown = self._is_elapsed_time = self._is_timed = False

    def __call__(self, line: str) -> None:
        """Replace the current progress line. An empty string erases the line."""
        if line or self._is_shown:
            with suppress(OSError, ValueError, RuntimeError):  # a signal can interrupt a write to the same stream
                sys.stderr.write(f"\r{line}\x1b[K")
                sys.stderr.flush()
        self._is_shown, self._is_elapsed_time = bool(line), False

    @contextmanager
    def elapsed_time(self, what: str, *, enabled: bool) -> Iterator[None]:
        """Display the elapsed time every second after ``PATIENCE`` seconds, unless another line is shown."""
        start = monotonic()

        def tick() -> None:
            if self._is_elapsed_time or not self._is_shown:
                seconds = round(monotonic() - start)
                self(f"{what}  {seconds // 60:02}:{seconds % 60:02} elapsed")
                self._is_elapsed_time = True

        self._is_timed = enabled
        if enabled:
            call_every_second(tick, PATIENCE)
        try:
            yield
        finally:
            self.end()

    def end(self) -> None:
        """Stop displaying the elapsed time, because results are written or the work has ended."""
        if self._is_timed:
            call_every_second(None)
            self("")
        self._is_timed = False


show_progress = _ProgressLine()
"""The progress line of this process."""


@contextmanager
def progress_bar(what: str, total: int, *, enabled: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances a progress bar. The bar is displayed only if standard error is a terminal."""
    token = SHOW.set(show_progress if enabled and is_terminal() else None)
    try:
        with counting(what, total) as advance:
            yield advance
    finally:
        SHOW.reset(token)


def _output_error(error: OSError) -> OSError | OutputError:
    """Return the exception for a failed write: BrokenPipeError, which ends the program silently, or OutputError."""
    if is_closed_pipe(error):
        return BrokenPipeError()
    return OutputError(f"cannot write to standard output: {error.strerror}")


BROKEN_PIPE = 128 + 13
"""The exit status that shells report for a program that was ended by a closed pipe, as trec_eval is."""


def run_program(command: click.Command, name: str, argv: Sequence[str] | None = None) -> int:
    """Run a command with ``argv`` (default: the arguments of the process), and return the exit status."""
    variable = f"_{name.replace('-', '_').upper()}_COMPLETE"
    if instruction := os.environ.get(variable):  # set by a shell that requests completion
        from click.shell_completion import shell_complete

        return shell_complete(command, {}, name, variable, instruction)
    prepare_output()
    context = copy_context()  # commands set context variables, such as the notation of parameters
    return context.run(_run, command, name, own_arguments() if argv is None else argv)


def _run(command: click.Command, name: str, argv: Sequence[str]) -> int:
    try:
        # command.main is not used, because it handles closed pipes and interrupts differently.
        with command.make_context(name, list(argv)) as ctx:
            return int(command.invoke(ctx) or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except BrokenPipeError:
        # The rest of the buffer cannot be written. Without this redirection, Python would report an error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (IrevalxError, click.UsageError, MemoryError, ImportError, OSError) as error:
        return _print_error(name, error)


_CLICK_MESSAGES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"Missing (argument|option) (.+)\.", lambda match: f"missing {match[1]} {match[2].replace(chr(39), '')}"),
    (r"Option '(.+)' does not take a value\.", lambda match: f"option {match[1]} takes no value"),
    (
        r"Invalid value for '(.+?)': '(.*)' is not one of (.+)\.",
        lambda match: f"{match[1]} {match[2]}: must be one of {match[3].replace(chr(39), '')}",
    ),
)
"""Patterns of Click's messages, and functions that return the messages in the style of irevalx."""


def _usage_message(text: str) -> str:
    """Rephrase a message of Click in the style of irevalx."""
    for pattern, in_our_words in _CLICK_MESSAGES:
        if match := re.fullmatch(pattern, text):
            return in_our_words(match)
    return text


def _print_error(name: str, error: IrevalxError | click.UsageError | MemoryError | ImportError | OSError) -> int:
    """Print an error, and return its exit status. Errors that do not concern users are raised again."""
    if isinstance(error, IrevalxError):
        line, status = error.message, error.exit_status
    elif isinstance(error, click.UsageError):
        line, status = _usage_message(error.format_message()), UsageError.exit_status
    else:
        line, status = shortage(error), OUT_OF_MEMORY
    write_error(f"{name}: {printable(line)}")
    return status


class Messages:
    """The output of warnings, errors and progress on lines that begin with the program's name.

    If ``quiet`` is true, only errors are displayed. If ``hold`` is true, warnings are stored but not displayed.
    """

    def __init__(self, program: str, *, quiet: bool, hold: bool = False) -> None:
        self.warnings: list[str] = []
        """All warnings so far, including warnings that were not displayed."""
        self._program = program
        self._quiet = quiet
        self._hold = hold
        self._progress: Progress | None = None

    def warn(self, line: str) -> None:
        """Display a warning, unless the same warning was issued before."""
        if line in self.warnings:
            return
        self.warnings.append(line)
        if not (self._quiet or self._hold):
            self._print_line(line)

    def complain(self, error: Exception) -> None:
        """Print an error that does not end the program."""
        self._print_line(error.message if isinstance(error, IrevalxError) else str(error))

    @contextmanager
    def progress(self, n_runs: int) -> Iterator[Progress]:
        """Show progress on a terminal while runs are evaluated, and erase the progress line at the end."""
        show = show_progress if is_terminal() and not self._quiet else None
        self._progress = Progress(self._program, n_runs=n_runs, show=show)
        try:
            yield self._progress
        finally:
            self._progress.clear()

    def _print_line(self, line: str) -> None:
        if self._progress:
            self._progress.clear()
        if show := SHOW.get():
            show("")
        write_error(f"{self._program}: {printable(line)}")

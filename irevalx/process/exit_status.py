"""Exit status of a command, from its result or its exception."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from irevalx.errors import IrevalxError, UsageError, printable
from irevalx.process.interrupts import INTERRUPTED
from irevalx.process.shortage import OUT_OF_MEMORY, shortage
from irevalx.process.system import own_arguments, prepare_output
from irevalx.process.terminal import write_error

BROKEN_PIPE = 128 + 13
"""The exit status in a shell of a program that was ended by a closed pipe, like trec_eval."""


def run_program(command: click.Command, name: str, argv: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit status.

    ``command`` returns its status (None for 0), ``name`` is its name in messages, and ``argv`` defaults to the
    arguments of the process.
    """
    variable = f"_{name.replace('-', '_').upper()}_COMPLETE"
    if instruction := os.environ.get(variable):  # a shell asks for completion
        from click.shell_completion import shell_complete

        return shell_complete(command, {}, name, variable, instruction)
    prepare_output()
    return _run(command, name, own_arguments() if argv is None else argv)


def _run(command: click.Command, name: str, argv: Sequence[str]) -> int:
    try:
        # Not command.main, which handles closed pipes and interrupts differently.
        with command.make_context(name, list(argv)) as ctx:
            return int(command.invoke(ctx) or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except BrokenPipeError:
        # The rest of the buffer cannot be written; Python must not report that at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (IrevalxError, click.UsageError, MemoryError, ImportError, OSError) as error:
        return _told(name, error)


def _told(name: str, error: IrevalxError | click.UsageError | MemoryError | ImportError | OSError) -> int:
    """Print the error and return its status; errors that users cannot fix are raised again."""
    if isinstance(error, IrevalxError):
        line, status = error.message, error.exit_status
    elif isinstance(error, click.UsageError):
        line, status = error.format_message(), UsageError.exit_status
    else:
        line, status = shortage(error), OUT_OF_MEMORY
    write_error(f"{name}: {printable(line)}")
    return status

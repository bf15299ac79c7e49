"""From what a command does, or raises, to the status that the process ends with."""

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
"""What a shell shows for a program that the closed pipe ended, as it does trec_eval."""


def run_program(command: click.Command, name: str, argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    command : returns its exit status; None stands for 0.
    name : what it is called, in help and messages.
    argv : the arguments without the program's name; those of the process if not given.

    Returns
    -------
    The exit status.
    """
    variable = f"_{name.replace('-', '_').upper()}_COMPLETE"
    if instruction := os.environ.get(variable):  # a shell asks for completion
        from click.shell_completion import shell_complete

        return shell_complete(command, {}, name, variable, instruction)
    prepare_output()
    return _run(command, name, own_arguments() if argv is None else argv)


def _run(command: click.Command, name: str, argv: Sequence[str]) -> int:
    try:
        # Not command.main: it would answer a closed pipe and an interrupt in its own way.
        with command.make_context(name, list(argv)) as ctx:
            return int(command.invoke(ctx) or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except BrokenPipeError:
        # What is left in the buffer has nowhere to go; Python must not complain about it on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (IrevalxError, click.UsageError, MemoryError, ImportError, OSError) as error:
        return _told(name, error)


def _told(name: str, error: IrevalxError | click.UsageError | MemoryError | ImportError | OSError) -> int:
    """Say what went wrong, and return the status; an error that no user can do anything about is raised again."""
    if isinstance(error, IrevalxError):
        line, status = error.message, error.exit_status
    elif isinstance(error, click.UsageError):
        line, status = error.format_message(), UsageError.exit_status
    else:
        line, status = shortage(error), OUT_OF_MEMORY
    write_error(f"{name}: {printable(line)}")
    return status

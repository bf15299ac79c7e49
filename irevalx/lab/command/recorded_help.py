"""Help and completion of commands from a record of their options, without the imports of their functions.

A command imports NumPy and dozens of modules to declare its options. Therefore, ``python docs/generate`` writes the
options of all commands to ``recorded_help.json``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import click

from irevalx.command_line.completion import CompletedText, NamedOption
from irevalx.errors import UsageError
from irevalx.lab.command.help import HelpCommand

FILE = "recorded_help.json"
"""The name of the record, next to this module."""


@cache
def record() -> Mapping[str, Any]:
    """Return the commands and their parameters, as in the file."""
    import json
    from pkgutil import get_data  # importlib.resources takes longer to import

    return dict(json.loads(get_data(__name__, FILE) or b""))


class RecordedCommand(HelpCommand):
    """A command that prints recorded help and completes words. Other calls are passed to ``complete_command``."""

    def __init__(self, name: str, complete_command: Callable[[], click.Command]) -> None:
        entry, parameters = record()["commands"][name], record()["parameters"]
        params = [_parameter(**parameters[key]) for key in entry["parameters"]]
        super().__init__(name, params=params, help=entry["help"], epilog=entry["epilog"])
        self._complete_command = complete_command

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> click.Context:
        """Parse arguments for completion, print requested help, or return the context of the complete command."""
        if extra.get("resilient_parsing"):
            return super().make_context(info_name, args, parent, **extra)
        with suppress(UsageError, click.UsageError):  # the complete command reports them
            super().make_context(info_name, [*args], parent, **extra)
        return self._complete_command().make_context(info_name, args, parent, **extra)


def _parameter(
    names: Sequence[str], choices: Sequence[str] = (), completion: str = "", **attributes: Any
) -> click.Parameter:
    """Return the argument or option of a recorded parameter."""
    if not attributes.get("is_flag"):
        attributes["type"] = CompletedText(choices, completion)
    return NamedOption(names, **attributes) if len(names) > 1 else click.Argument(names, **attributes)

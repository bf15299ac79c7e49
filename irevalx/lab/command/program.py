"""The command group irevalx-lab. Each command is imported only when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any

import click

from irevalx import __version__
from irevalx.command_line.help import printing
from irevalx.command_line.suggestions import nearest
from irevalx.errors import UsageError, not_installed, quote
from irevalx.lab import COMMANDS, PROGRAM, QUESTIONS
from irevalx.lab.command.help import HelpCommand
from irevalx.process.startup import start_numpy
from irevalx.process.terminal import echo, run_program

EXTRA = frozenset({"jinja2", "matplotlib", "scipy", "sklearn"})
"""The packages that are installed with the optional extra ``irevalx[lab]``."""

_COMMAND, _HELP = "irevalx.command", "irevalx.help"
"""The keys of a context that contain the name of the requested command and whether the arguments contain -h."""

PAPERS_BEHIND = (
    "ahlgren-gronqvist-2008",
    "bompada-2007",
    "buttcher-2007",
    "yilmaz-aslam-2006",
    "yilmaz-aslam-2008",
)
"""The papers whose experiments the commands can repeat, as keys of the bibliography."""

GUESSES = {
    "judge": "next or labels",
    "judging": "next",
    "overlap": "describe or agree",
    "reusability": "leave-out",
    "robustness": "study",
    "significance": "compare",
    "t-test": "compare",
    "test": "compare",
    "ttest": "compare",
}
"""Words that users may try as command names, each with the commands to suggest."""

_LONGEST = max(map(len, COMMANDS))


@cache
def complete_command(name: str) -> click.Command:
    """Import and return a command. A command is created once."""
    start_numpy()
    function = getattr(import_module(f"irevalx.lab.{COMMANDS[name].function}"), name.replace("-", "_"))
    from irevalx.lab.command.declaration import command_from

    return command_from(function)


class Group(HelpCommand, click.Group):
    """A command group whose commands are imported only when they are called."""

    def is_long(self, ctx: click.Context) -> bool:
        """Return True, because Click would otherwise shorten the list of commands."""
        return True

    format_options, format_epilog = click.Group.format_options, click.Group.format_epilog

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, or None if there is no command with this name.

        For help and completion, the command is not imported.
        """
        if name not in COMMANDS:
            return None
        if ctx.resilient_parsing or ctx.meta.get(_HELP):
            from irevalx.lab.command.recorded_help import RecordedCommand

            return RecordedCommand(name, partial(complete_command, name))
        return complete_command(name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the requested command and its arguments.

        If the command is unknown, raise UsageError and suggest the most similar command.
        """
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            hint = f"; did you mean {GUESSES[args[0]]}?" if args[0] in GUESSES else nearest(args[0], COMMANDS)
            raise UsageError(f"unknown command {quote(args[0])}{hint}")
        ctx.meta[_COMMAND], ctx.meta[_HELP] = args[0], not set(ctx.help_option_names).isdisjoint(args)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the requested command. Raise UsageError if a package that the command imports is not installed."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            if missing not in EXTRA:
                raise
            raise UsageError(f"{ctx.meta.get(_COMMAND, PROGRAM)} needs {not_installed(missing, 'lab')}") from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, grouped by task, without importing the commands."""
        for question in QUESTIONS:
            with formatter.section(question):
                commands = [(name, entry.summary) for name, entry in COMMANDS.items() if entry.question == question]
                formatter.write_dl([(f"{name:<{_LONGEST}}", summary) for name, summary in commands])


def _citations(ctx: click.Context) -> str:
    from irevalx.measures.bibliography import bibtex_of_papers

    return bibtex_of_papers(PAPERS_BEHIND)


_PRINTS: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
"""The attributes of options that print a text and then end the program."""


@click.group(
    cls=Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"{PROGRAM} COMMAND -h explains a command in brief, and {PROGRAM} COMMAND --help all of its options. "
    f"man {PROGRAM}-COMMAND describes it in full.",
)
@click.option(
    "-v",
    "--version",
    callback=printing(lambda ctx: f"{ctx.find_root().info_name} {__version__}\n"),
    help="Show the version and exit.",
    **_PRINTS,
)
@click.option(
    "--cite",
    callback=printing(_citations),
    help="Print how to cite irevalx and the papers behind the lab, in BibTeX, and exit.",
    **_PRINTS,
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Measure how reliable evaluation is when relevance judgments are incomplete.

    The commands accept the same input as irevalx (judgments and runs in TREC's formats, plain or compressed; - is
    standard input), and write files that irevalx and other commands can read.
    """
    if ctx.invoked_subcommand is None:
        echo(ctx.get_help() + "\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run irevalx-lab with the given arguments, or with the arguments of the process. Return the exit status."""
    return run_program(command, PROGRAM, argv)

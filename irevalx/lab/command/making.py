"""How a function becomes a command of irevalx-lab."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
from click.core import ParameterSource

from irevalx import declarations
from irevalx.api.inputs import read_runs
from irevalx.api.user_warnings import IrevalxWarning
from irevalx.cli.option_rules import check_rules, option
from irevalx.cli.options import refuse_standard_input_twice
from irevalx.cli.values import complete_file
from irevalx.declarations import typed_in_shell
from irevalx.errors import ArgumentError, MalformedLineError, UsageError
from irevalx.frozen import fields
from irevalx.lab import PROGRAM
from irevalx.lab.command.helped import Helped
from irevalx.lab.command.kinds_of_values import Parameter
from irevalx.lab.command.output import Output, paths_in
from irevalx.process.messages import Messages
from irevalx.reading.file_format import join_words
from irevalx.reading.formats import QRELS, REL_FORMATS, RESULTS_FORMATS, TREC_RESULTS


def _format_of_judgments_option(formats: Sequence[str]) -> Parameter:
    """Return the option ``-R`` of a command that can use judgments in these formats."""
    usable = join_words(formats, "or")

    def refuse_others(ctx: click.Context, param: click.Parameter, value: str) -> str:
        if value not in formats:
            raise UsageError(
                f"{PROGRAM} {ctx.info_name} must have judgments in the format {usable}, but got -R {value}"
            )
        return value

    rule = "Any can be used here" if set(formats) == set(REL_FORMATS) else f"Here it must be {usable}"
    return click.option(
        "-R",
        "--rel-format",
        "rel_format",
        type=click.Choice(list(REL_FORMATS)),
        metavar="FORMAT",
        default=QRELS.name,
        callback=refuse_others,
        help=f"The format of judgments, as for irevalx: {', '.join(REL_FORMATS)}. {rule}.  [default: {QRELS.name}]",
    )


_format_of_runs_option = option(
    "-T",
    "--results-format",
    "results_format",
    requires="RUN",
    type=click.Choice(list(RESULTS_FORMATS)),
    metavar="FORMAT",
    default=TREC_RESULTS.name,
    help=f"The format of runs, as for irevalx: {', '.join(RESULTS_FORMATS)}.  [default: {TREC_RESULTS.name}]",
)


def command_of(
    name: str, *parameters: Parameter, example: str, formats: Sequence[str] = (QRELS.name,)
) -> Callable[[Callable[..., int | None]], click.Command]:
    """Make a function a command of irevalx-lab; its docstring is the help.

    The function is called with ``Output``, which the parameters named like its fields fill, and with all other
    parameters by name: those of the public function behind the command. What that warns of is shown as messages. What
    it returns is the exit status; None stands for 0.

    Parameters
    ----------
    name : of the command.
    parameters : in the order of the help; ``quiet_option`` is one of them. Every command has ``-R`` before them,
        and ``-T`` where it has runs.
    example : a command line.
    formats : of the judgments that it can use; the others are refused by name.
    """

    def decorate(function: Callable[..., int | None]) -> click.Command:
        def call(**values: Any) -> int | None:
            check_rules(click.get_current_context())
            messages = click.get_current_context().obj = Messages(PROGRAM, quiet=values["quiet"])
            output = Output(**{name: values.pop(name) for name in fields(Output) if name in values})
            if output.figure is not None:
                import matplotlib as mpl  # noqa: F401 - it is better missed now than after the work
            refuse_standard_input_twice(*_names_of_files(values))
            options = {
                p.name or "": declarations.Parameter(name=p.name or "", names=tuple(p.opts[::-1]))
                for p in click.get_current_context().command.params
            }
            with typed_in_shell(options), shown_as_messages(messages):
                try:
                    _read_runs(values, values.pop("results_format", TREC_RESULTS.name))
                    return function(output, **values)
                except ArgumentError as error:  # arguments of a public function are options here
                    raise UsageError(error.message) from error
                except MalformedLineError as error:
                    raise MalformedLineError(error.message) from error

        declared: Callable[..., Any] = call
        for parameter in (*reversed(parameters), _format_of_judgments_option(formats)):
            declared = parameter(declared)
        if any(parameter.name == "runs" for parameter in getattr(declared, "__click_params__")):  # noqa: B009
            declared = _format_of_runs_option(declared)
        return click.command(name, cls=Helped, help=function.__doc__, epilog=f"Example: {example}")(declared)

    return decorate


def _read_runs(values: dict[str, Any], form: str) -> None:
    """Read the runs among the values of parameters, unless their format is the default one."""
    for name in ("runs", "new_runs"):
        if values.get(name) and form != TREC_RESULTS.name:
            values[name] = read_runs(values[name], form, strict=False)


def _names_of_files(values: dict[str, Any]) -> Iterator[str | None]:
    """Yield the values of parameters that are completed as files are."""
    for parameter in click.get_current_context().command.params:
        if parameter._custom_shell_complete is complete_file:  # noqa: SLF001 - Click has no other name for it
            yield from paths_in(values[parameter.name or ""])


@contextmanager
def shown_as_messages(messages: Messages) -> Iterator[None]:
    """Show what irevalx warns of as messages of the command, each as often as it is said."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", IrevalxWarning)
        show = warnings.showwarning

        def tell(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if isinstance(message, IrevalxWarning):
                messages.warn(message.line)
            else:
                show(message, category, *where, **more)

        warnings.showwarning = tell
        yield


def refuse_options(rule: str, *names: str) -> None:
    """Raise UsageError if one of these parameters was typed, each of which is allowed by the rule only."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in names and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{parameter.opts[-1]} must be given {rule}")

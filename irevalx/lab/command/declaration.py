"""A public function -> a command of irevalx-lab: its declared parameters become arguments and options."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import click
from click.core import ParameterSource

from irevalx.api.inputs import read_runs
from irevalx.cli.option_rules import option
from irevalx.cli.options import refuse_standard_input_twice
from irevalx.cli.values import complete_file, complete_measure
from irevalx.declarations import (
    NO_DEFAULT,
    Parameter,
    check_rules,
    collect,
    declaration_of,
    in_shell_words,
    typed_in_shell,
)
from irevalx.errors import ArgumentError, UsageError, quote
from irevalx.frozen import fields
from irevalx.lab import PROGRAM
from irevalx.lab.command.helped import Helped
from irevalx.lab.command.kinds_of_values import complete_figure
from irevalx.lab.command.making import shown_as_messages
from irevalx.lab.command.output import Output, paths_in
from irevalx.lab.command.shared import FIGURE_OUTPUT, LINES_OUTPUT, RESULTS_FORMAT, TABLES_OUTPUT
from irevalx.process.messages import Messages
from irevalx.reading.formats import TREC_RESULTS

_RUNS = ("runs", "new_runs")
"""The parameters that take runs, which ``-T`` is for."""


_collect_once = cache(collect)  # which removes the declarations from the annotations


def command_from(function: Callable[..., Any]) -> click.Command:
    """Make a command of a declared function."""
    declaration = declaration_of(function)
    command = declaration.command
    run = command.run
    own = _collect_once(run).parameters if run else {}
    output = {**(FIGURE_OUTPUT if command.figure else {}), **(TABLES_OUTPUT if command.tables else LINES_OUTPUT)}
    parameters = {**declaration.parameters, **own, **output}
    if not parameters.keys().isdisjoint(_RUNS):
        parameters = {"results_format": RESULTS_FORMAT, **parameters}
    parameters = {key: parameter for key, parameter in parameters.items() if parameter.in_shell}

    def call(**values: Any) -> int | None:
        context = click.get_current_context()
        messages = context.obj = Messages(PROGRAM, quiet=values["quiet"])
        with typed_in_shell(parameters), shown_as_messages(messages):
            try:
                check_rules(parameters, values, set(_given(context, values)))
                refuse_standard_input_twice(*_files(parameters, values))
                out = Output(**{key: values.pop(key) for key in fields(Output) if key in values})
                if out.figure is not None:
                    import matplotlib as mpl  # noqa: F401 - a missing package is reported before the work
                _read_runs(values, values.pop("results_format", TREC_RESULTS.name))
                if run is None:
                    out.write_result(function(**values))
                return None if run is None else run(out, **values)
            except ArgumentError as error:  # arguments are options here
                raise UsageError(error.message) from error

    made: Callable[..., Any] = call
    for parameter in reversed(parameters.values()):
        made = _click_parameter(parameter, parameters)(made)
    description = in_shell_words("\n\n".join(filter(None, (declaration.description, command.more))), parameters)
    return click.command(
        function.__name__.replace("_", "-"), cls=Helped, help=description, epilog=f"Example: {command.example}"
    )(made)


def _click_parameter(parameter: Parameter, parameters: Mapping[str, Parameter]) -> Callable[..., Any]:
    """Return the argument or option of a parameter."""
    default = parameter.default if parameter.shell_default is NO_DEFAULT else parameter.shell_default
    word = parameter.names[0] if parameter.names else ""
    choices = parameter.kind.choices if parameter.kind else ()
    attributes: dict[str, Any] = {
        "type": _Text(parameter),
        "metavar": parameter.metavar or (f"[{'|'.join(choices)}]" if choices else None),
        "required": not parameter.has_default,
        "is_eager": parameter.is_eager,
    }
    if parameter.is_repeated:
        attributes["callback"] = lambda ctx, param, texts: _read_several(parameter, default, texts)
    elif not parameter.is_flag:
        attributes["default"] = None if default is NO_DEFAULT else default
    if word and not word.startswith("-"):
        attributes["metavar"] = f"{word}..." if parameter.several else word
        return click.argument(parameter.name, nargs=-1 if parameter.several else 1, **attributes)
    attributes |= {"also": parameter.also, "hidden": parameter.hidden, "help": _help(parameter, parameters, default)}
    if parameter.is_flag:
        attributes |= {"is_flag": True, "type": None, "metavar": None}
    return option(
        *(parameter.names or (parameter.typed,)), parameter.name, multiple=parameter.is_repeated, **attributes
    )


def _help(parameter: Parameter, parameters: Mapping[str, Parameter], default: Any) -> str:
    words = in_shell_words(parameter.shell_help or parameter.help, parameters)
    words = f"{words[:1].upper()}{words[1:]}"
    shown = (
        default is not NO_DEFAULT
        and not parameter.is_flag
        and not callable(default)
        and default not in (None, False, (), "")
    )
    if not shown or "[default" in words:
        return words
    values = default if isinstance(default, tuple | list) else [default]
    return (
        f"{words}  [default: {' '.join(f'{value:g}' if isinstance(value, float) else str(value) for value in values)}]"
    )


class _Text(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The type of an argument or option: what its declaration says."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        self.name = "TEXT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value of a text; a default is a value already, and several values are read together later."""
        return self.parameter.read(value) if isinstance(value, str) and not self.parameter.is_repeated else value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Return the choices that begin so, or what else the declaration says."""
        from click.shell_completion import CompletionItem

        complete: dict[str, Callable[..., list[Any]]] = {
            "file": complete_file,
            "measure": complete_measure,
            "figure": complete_figure,
        }
        if self.parameter.completion:
            return complete[self.parameter.completion](ctx, param, incomplete)
        choices = self.parameter.kind.choices if self.parameter.kind else ()
        return [CompletionItem(name) for name in choices if name.startswith(incomplete)]


def _read_several(parameter: Parameter, default: Any, texts: Sequence[str]) -> Any:
    if parameter.entries:
        return _entries(parameter, texts) or default
    if parameter.separators:
        texts = [word for text in texts for word in re.split(f"[{parameter.separators}]+", text) if word]
    values = tuple(map(parameter.read, texts))
    return values or (() if default is NO_DEFAULT or default is None else default)


def _entries(parameter: Parameter, texts: Sequence[str]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for text in texts:
        entry = parameter.read(text)
        if entries.keys() & entry:
            raise UsageError(f"{parameter.typed} must be given once for each name, but got {quote(text)} as well")
        entries |= entry
    return entries


def _given(context: click.Context, values: Mapping[str, Any]) -> Iterator[str]:
    for name in values:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            yield name


def _files(parameters: Mapping[str, Parameter], values: Mapping[str, Any]) -> Iterator[str | None]:
    for name, parameter in parameters.items():
        if parameter.completion == "file":
            yield from paths_in(values[name])


def _read_runs(values: dict[str, Any], form: str) -> None:
    """Read runs in another format than the default one."""
    for name in _RUNS:
        if values.get(name) and form != TREC_RESULTS.name:
            values[name] = read_runs(values[name], form, strict=False)

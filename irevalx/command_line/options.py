"""The conversion of declared parameters to options of Click, and to their names in messages and help."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import groupby
from typing import Any

import click

from irevalx.command_line.completion import CompletedText, NamedOption
from irevalx.declarations import NO_DEFAULT, Parameter
from irevalx.errors import STANDARD_INPUT, UsageError, quote, shell_word
from irevalx.wording import Notation, join_words, spelled_rule, written_in


class ShellNotation(Notation, kw_only=True):
    """The notation of a command line, in which messages write parameters as options and arguments."""

    options: Mapping[str, str]  # the option or argument for each parameter
    command: str  # the name of the command, such as "irevalx-lab compare"

    @classmethod
    def of(
        cls,
        parameters: Mapping[str, Parameter],
        command: str = "",
        typed: Iterable[str] = (),
        names: Mapping[str, Sequence[str]] | None = None,
    ) -> ShellNotation:
        """Return the notation for a command line that consists of the words ``typed``.

        Messages use the name of an option that was typed. ``names`` contains the names of options that are not
        declared.
        """
        heads = {word.partition("=")[0] for word in typed if word.startswith("-")}
        options = {}
        for name, parameter in parameters.items():
            every = (names or {}).get(name, parameter.option_names)
            options[name] = next((each for each in reversed(every) if each in heads), every[0])
        meanings = {each.means: name for name, each in parameters.items() if each.means}
        return cls(names=parameters.keys(), meanings=meanings, options=options, command=command)

    def written(self, name: str, value: object = None) -> str:
        """Return the option for a parameter, followed by its value if ``value`` is given."""
        option = self.options.get(name) or f"--{name.replace('_', '-')}"
        if isinstance(value, Mapping):
            return " ".join(f"{option} {shell_word(f'{key}={entry}')}" for key, entry in value.items())
        return option if value is None or value is True else f"{option} {shell_word(str(value))}"

    def invalid(self, name: str, rule: str, value: object) -> str:
        """Return the message about an invalid value of an option."""
        return f"{self.written(name)} {shell_word(str(value))}: must be {rule}"

    def missing(self, names: Sequence[str], note: str) -> str:
        """Return the message about a missing option or argument.

        If there are several ``names``, one of the options must be given.
        """
        by_kind = groupby(map(self.written, names), lambda name: "option" if name.startswith("-") else "argument")
        words = " or ".join(f"{kind} {join_words([*several], 'or')}" for kind, several in by_kind)
        return f"missing {words}{note}{self.command and f' (see {self.command} -h)'}"

    def of_function(self, function: Notation) -> Notation:
        """Return this notation, because functions called by a command also refer to the options of the command."""
        return self


def typed_in_shell(parameters: Mapping[str, Parameter], command: str = "") -> AbstractContextManager[None]:
    """Return a context in which messages refer to parameters by the names of a command's options."""
    return written_in(ShellNotation.of(parameters, command))


_REFERENCE = re.compile(r"(?<!`)`(\w+)(?:=\"?([^`\"]+)\"?)?`(?!`)")


def in_shell_words(words: str, notation: ShellNotation) -> str:
    """Replace references to parameters, as in `` `name="value"` ``, in the text of a docstring by options."""

    def option(match: re.Match[str]) -> str:
        return notation.rule(match[1] if match[2] is None else f"{match[1]}={match[2]}")

    words = _REFERENCE.sub(lambda match: option(match) if match[1] in notation.options else match[0], words)
    return re.sub("``([^`]*)``", r"\1", words)


def click_parameter(parameter: Parameter, notation: ShellNotation, **more: Any) -> Callable[..., Any]:
    """Return the decorator that adds the Click argument or option for a parameter. ``more`` is passed to Click.

    In help texts, other parameters are written as options, in the given notation.
    """
    default = parameter.default if parameter.shell_default is NO_DEFAULT else parameter.shell_default
    word = parameter.names[0] if parameter.names else ""
    choices = parameter.kind.choices if parameter.kind else ()
    attributes: dict[str, Any] = {
        "type": _Text(parameter),
        "metavar": parameter.metavar or (f"[{'|'.join(choices)}]" if choices else None),
        "required": default is NO_DEFAULT,
    }
    if parameter.is_repeated:
        attributes["callback"] = lambda ctx, param, texts: _read_several(parameter, default, texts)
    elif not parameter.is_flag and default is not NO_DEFAULT:
        attributes["default"] = default
    if word and not word.startswith("-"):
        metavar = f"{word}..." if parameter.several else word
        attributes["metavar"] = metavar if default is NO_DEFAULT else f"[{metavar}]"
        return click.argument(parameter.name, nargs=-1 if parameter.several else 1, **attributes)
    attributes |= {"also": parameter.also, "hidden": parameter.hidden, "help": _help(parameter, notation, default)}
    if parameter.is_flag:
        attributes |= {"is_flag": True, "type": None, "metavar": None}
    names = parameter.names or (parameter.option,)
    attributes |= {"cls": NamedOption, "multiple": parameter.is_repeated, **more}
    return click.option(*names, parameter.name, **attributes)


def _help(parameter: Parameter, notation: ShellNotation, default: Any) -> str:
    words = in_shell_words(parameter.shell_help or parameter.help, notation)
    words = f"{words[:1].upper()}{words[1:]}"
    if default is NO_DEFAULT or default is None or parameter.is_flag or callable(default) or "[default" in words:
        return words
    values = default if isinstance(default, tuple | list) else [default]
    typed = " ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
    return f"{words}  [default: {typed}]" if typed else words


class _Text(CompletedText):
    """The Click type of a declared parameter."""

    def __init__(self, parameter: Parameter) -> None:
        super().__init__(parameter.kind.choices if parameter.kind else (), parameter.completion)
        self.parameter = parameter

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert a string to a value. Default values, and values of repeated options, are returned unchanged."""
        return self.parameter.read(value) if isinstance(value, str) and not self.parameter.is_repeated else value


def _read_several(parameter: Parameter, default: Any, texts: Sequence[str]) -> Any:
    if parameter.entries:
        return _entries(parameter, texts) or default
    if parameter.separators:
        separator = f"[{parameter.separators}]+"
        texts = [word for text in texts for word in [w for w in re.split(separator, text) if w] or [text]]
    values = tuple(map(parameter.read, texts))
    return values or (() if default is NO_DEFAULT or default is None else default)


def _entries(parameter: Parameter, texts: Sequence[str]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for text in texts:
        entry = parameter.read(text)
        if entries.keys() & entry and not parameter.several:
            raise UsageError(f"{spelled_rule(parameter.name)} {quote(text)}: this name has already been given")
        for name, value in entry.items():
            entries[name] = (*entries.get(name, ()), *value) if parameter.several else value
    return entries


def refuse_standard_input_twice(*paths: str | None) -> None:
    """Raise UsageError if two paths refer to standard input or to the same pipe. Files that are None are ignored."""
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input (-) can be given for only one file")
    seen: dict[tuple[int, int], str] = {}
    for path in filter(None, paths):
        with suppress(OSError, ValueError):
            status = os.stat(0 if path == STANDARD_INPUT else path)  # noqa: PTH116 - pathlib takes a while to import
            file = status.st_dev, status.st_ino
            if stat.S_ISFIFO(status.st_mode) and file in seen:
                both = f"{quote(seen[file])} and {quote(path)}"
                raise UsageError(f"a pipe can be given for only one file: {both}")
            seen[file] = path

"""Parameters as options of a command, in messages and in help."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import groupby

from irevalx.declarations import Parameter
from irevalx.errors import shell_word
from irevalx.wording import Notation, join_words, written_in


class ShellNotation(Notation, kw_only=True):
    """Parameters as options and arguments of a command."""

    options: Mapping[str, str]  # the option or argument of each parameter, as typed if it was typed
    command: str  # the command, such as "irevalx-lab compare"

    @classmethod
    def of(
        cls,
        parameters: Mapping[str, Parameter],
        command: str = "",
        typed: Iterable[str] = (),
        names: Mapping[str, Sequence[str]] | None = None,
    ) -> ShellNotation:
        """Return the notation for a command line with the words ``typed``.

        ``names`` contains the names of options other than the declared ones.
        """
        heads = {word.partition("=")[0] for word in typed if word.startswith("-")}
        options = {}
        for name, parameter in parameters.items():
            every = (names or {}).get(name, parameter.option_names)
            options[name] = next((each for each in reversed(every) if each in heads), every[0])
        meanings = {each.means: name for name, each in parameters.items() if each.means}
        return cls(names=parameters.keys(), meanings=meanings, options=options, command=command)

    def written(self, name: str, value: object = None) -> str:
        """Return an option, or an option with a value."""
        option = self.options.get(name) or f"--{name.replace('_', '-')}"
        return option if value is None or value is True else f"{option} {value}"

    def invalid(self, name: str, rule: str, value: object) -> str:
        """Return the message about an invalid value of an option."""
        return f"{self.written(name)} {shell_word(str(value))}: must be {rule}"

    def missing(self, names: Sequence[str], note: str) -> str:
        """Return the message about a missing option or argument, of which several names are alternatives."""
        by_kind = groupby(map(self.written, names), lambda name: "option" if name.startswith("-") else "argument")
        words = " or ".join(f"{kind} {join_words([*several], 'or')}" for kind, several in by_kind)
        return f"missing {words}{note}{self.command and f' (see {self.command} -h)'}"

    def of_function(self, function: Notation) -> Notation:
        """Return the notation of the command, which calls the function."""
        return self


def typed_in_shell(parameters: Mapping[str, Parameter], command: str = "") -> AbstractContextManager[None]:
    """Write these parameters as options of a command."""
    return written_in(ShellNotation.of(parameters, command))


_REFERENCE = re.compile(r"(?<!`)`(\w+)(?:=\"?([^`\"]+)\"?)?`(?!`)")


def in_shell_words(words: str, parameters: Mapping[str, Parameter]) -> str:
    """Return the text of a docstring, with `` `name` `` and `` `name="value"` `` replaced by options."""
    notation = ShellNotation.of(parameters)

    def option(match: re.Match[str]) -> str:
        return notation.rule(match[1] if match[2] is None else f"{match[1]}={match[2]}")

    words = _REFERENCE.sub(lambda match: option(match) if match[1] in parameters else match[0], words)
    return re.sub("``([^`]*)``", r"\1", words)

"""Options that need other parameters, exclude them, or have older names: said where they are declared.

Both programs declare their options so:

    option("--draw", requires="--figure", excludes="--power")
    option("--digits", requires=("--format table", "--format latex"))
    option("--scheme", type=click.Choice(["uniform", "strata"]), requires={"strata": "--strata"})

The rules are checked when all have been read. A parameter is named as it is typed, an argument by its metavar
(``RUN``). With a value after it (``--by run``) it is there when it has this value, be it by default; without one when
it was typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import click
from click.core import ParameterSource

from irevalx.errors import UsageError, quote
from irevalx.reading.file_format import join_words

Function = TypeVar("Function", bound=Callable[..., Any])

Others: TypeAlias = "str | Sequence[str] | Mapping[str, str | Sequence[str]]"
"""Other parameters; with a mapping, those that matter for some values of an option, by value."""


class ConstrainedOption(click.Option):
    """An option that says what it must be given together with, what it must not, and what else it may be called.

    Parameters
    ----------
    requires : one of these must be given too.
    excludes : none of these may be given too.
    also : another long name, an older one or that of the other program, which works and is not shown.
    """

    def __init__(
        self, *args: Any, requires: Others = (), excludes: Others = (), also: str | None = None, **attrs: Any
    ) -> None:
        super().__init__(*args, **attrs)
        self.also = [] if also is None else [also]
        self.requires = _by_value(requires)
        self.excludes = _by_value(excludes)

    @property
    def every_name(self) -> list[str]:
        """All names that it may be typed with, those first that are shown."""
        return [*self.opts, *self.also]

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser know the names that are not shown, too."""
        shown, self.opts = self.opts, self.every_name
        super().add_to_parser(parser, ctx)
        self.opts = shown


def option(*names: str, **attrs: Any) -> Callable[[Function], Function]:
    """Return ``click.option``, which takes ``requires`` and ``excludes`` too."""
    return click.option(*names, cls=ConstrainedOption, **attrs)


def unknown_option(name: str, known: Iterable[str], program: str = "irevalx") -> UsageError:
    """Build the error for an option that there is not, with a hint at the one whose name is most like it, if any is.

    Parameters
    ----------
    known : the names of options.
    """
    hint = nearest(name, [one for one in known if one.startswith("--")])
    if name == "-a" and program == "irevalx":  # of trec_eval up to version 7
        hint = "; -m all_trec prints all measures of trec_eval"
    return UsageError(f"an option must be one that {program} knows, but got {quote(name)}{hint}")


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a hint at the known word that is most like an unknown one; nothing where none is."""
    import difflib

    alike = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {alike[0]}?" if alike else ""


def check_rules(ctx: click.Context) -> None:
    """Refuse what has been given without what it requires, or together with what it excludes.

    Raises
    ------
    UsageError : names the parameters of the first rule that is broken.
    LookupError : a rule names a parameter that the command does not have.
    """
    for ruled in ctx.command.params:
        if isinstance(ruled, ConstrainedOption):
            for this, others in _rules_that_hold(ctx, ruled, ruled.requires):
                if not any(_is_given(ctx, other) for other in others):
                    raise UsageError(f"{this} must be given together with {_listed(others)}{_got_instead(ctx, others)}")
            for this, others in _rules_that_hold(ctx, ruled, ruled.excludes):
                for other in [other for other in others if _is_given(ctx, other)]:
                    raise UsageError(f"{this} and {other} must not be given together")


def _by_value(others: Others) -> dict[str, tuple[str, ...]]:
    """Return other parameters by the values of the option that they matter for; by the empty text, for any."""
    if not others:
        return {}
    by_value = others if isinstance(others, Mapping) else {"": others}
    return {value: (names,) if isinstance(names, str) else tuple(names) for value, names in by_value.items()}


def _rules_that_hold(
    ctx: click.Context, ruled: ConstrainedOption, rules: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the option, as far as it is given with the value that a rule is about, and the others that it names."""
    for value, others in rules.items():
        this = f"{ruled.opts[0]} {value}".rstrip()
        if _is_given(ctx, this):
            yield this, others


def _is_given(ctx: click.Context, name: str) -> bool:
    """Return whether a parameter is given: ``--figure``, ``--by run``, ``RUN``."""
    parameter, text = _find(ctx, name)
    value = ctx.params.get(parameter.name or "")
    if text:
        return text in map(str, value if isinstance(value, tuple) else [value])
    if value is None or value is False or value == ():
        return False
    return ctx.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE


def _find(ctx: click.Context, name: str) -> tuple[click.Parameter, str]:
    """Return the parameter that a rule names, and the value after it; empty where there is none."""
    first, _, value = name.partition(" ")
    for parameter in ctx.command.params:
        is_argument = isinstance(parameter, click.Argument)
        if first in parameter.opts or (is_argument and (parameter.metavar or "").strip("[].") == first):
            return parameter, value
    raise LookupError(f"{ctx.command.name} must have each parameter that its rules name, but it lacks {first}")


def _listed(names: Sequence[str]) -> str:
    """Return parameters as a sentence has them, one of several values once: ``--mark or --report``, ``--by a or b``."""
    first = names[0].partition(" ")[0]
    if all(name.startswith(f"{first} ") for name in names):
        names = [names[0], *(name.partition(" ")[2] for name in names[1:])]
    return join_words(names, "or")


def _got_instead(ctx: click.Context, names: Sequence[str]) -> str:
    """Return which value an option has where it must have one of others; nothing where it is not about one option."""
    options = {name.partition(" ")[0] for name in names}
    if len(options) > 1 or not all(" " in name for name in names):
        return ""
    [name] = options
    value = ctx.params.get(_find(ctx, name)[0].name or "")
    return "" if value is None or isinstance(value, tuple) else f", but got {name} {value}"

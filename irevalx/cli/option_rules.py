"""Options that require or exclude other parameters, or have older names.

Both programs declare their options like this:

    option("--draw", requires="--figure", excludes="--power")
    option("--digits", requires=("--format table", "--format latex"))
    option("--scheme", type=click.Choice(["uniform", "strata"]), requires={"strata": "--strata"})

Rules are checked when all options are parsed. They name a parameter as it is typed, and an argument by its metavar
(``RUN``). With a value (``--by run``) a rule applies if the parameter has this value, even by default; without one, if
the parameter was typed.
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
"""Other parameters; a mapping has them by the value of the option that they apply to."""


class ConstrainedOption(click.Option):
    """An option with rules and an alternative name.

    ``requires`` lists parameters of which one must be given, ``excludes`` those that must not be given, and ``also`` is
    another long name, older or of the other program, that the help does not show.
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
        """All names, those shown in the help first."""
        return [*self.opts, *self.also]

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add all names to the parser."""
        visible, self.opts = self.opts, self.every_name
        super().add_to_parser(parser, ctx)
        self.opts = visible


def option(*names: str, **attrs: Any) -> Callable[[Function], Function]:
    """Return ``click.option`` with ``requires`` and ``excludes``."""
    return click.option(*names, cls=ConstrainedOption, **attrs)


def unknown_option(name: str, known: Iterable[str], program: str = "irevalx") -> UsageError:
    """Return the error about an unknown option, with a suggestion if the name of a known one is close."""
    hint = nearest(name, [option_name for option_name in known if option_name.startswith("--")])
    if name == "-a" and program == "irevalx":  # an option of trec_eval up to version 7
        hint = "; -m all_trec prints all measures of trec_eval"
    return UsageError(f"an option must be one that {program} knows, but got {quote(name)}{hint}")


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a suggestion of the closest known word; "" if none is close."""
    import difflib

    alike = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {alike[0]}?" if alike else ""


def check_rules(ctx: click.Context) -> None:
    """Raise UsageError for the first broken rule, and LookupError for a rule with an unknown parameter."""
    for ruled in ctx.command.params:
        if isinstance(ruled, ConstrainedOption):
            for this, others in _rules_that_hold(ctx, ruled, ruled.requires):
                if not any(_is_given(ctx, other) for other in others):
                    raise UsageError(f"{this} must be given together with {_listed(others)}{_got_instead(ctx, others)}")
            for this, others in _rules_that_hold(ctx, ruled, ruled.excludes):
                for other in [other for other in others if _is_given(ctx, other)]:
                    raise UsageError(f"{this} and {other} must not be given together")


def _by_value(others: Others) -> dict[str, tuple[str, ...]]:
    """Return rules as a dictionary by the value of the option; "" stands for any value."""
    if not others:
        return {}
    by_value = others if isinstance(others, Mapping) else {"": others}
    return {value: (names,) if isinstance(names, str) else tuple(names) for value, names in by_value.items()}


def _rules_that_hold(
    ctx: click.Context, ruled: ConstrainedOption, rules: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the option with its value, and the other parameters, for each rule that applies."""
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
    """Return the parameter and the value that a rule names; "" without a value."""
    first, _, value = name.partition(" ")
    for parameter in ctx.command.params:
        is_argument = isinstance(parameter, click.Argument)
        if first in parameter.opts or (is_argument and (parameter.metavar or "").strip("[].") == first):
            return parameter, value
    raise LookupError(f"{ctx.command.name} must have each parameter that its rules name, but it lacks {first}")


def _listed(names: Sequence[str]) -> str:
    """Return parameters as a phrase, with the name once for several values: ``--mark or --report``, ``--by a or b``."""
    first = names[0].partition(" ")[0]
    if all(name.startswith(f"{first} ") for name in names):
        names = [names[0], *(name.partition(" ")[2] for name in names[1:])]
    return join_words(names, "or")


def _got_instead(ctx: click.Context, names: Sequence[str]) -> str:
    """Return the value of an option that a rule requires to have another value; "" if rules name several options."""
    options = {name.partition(" ")[0] for name in names}
    if len(options) > 1 or not all(" " in name for name in names):
        return ""
    [name] = options
    value = ctx.params.get(_find(ctx, name)[0].name or "")
    return "" if value is None or isinstance(value, tuple) else f", but got {name} {value}"

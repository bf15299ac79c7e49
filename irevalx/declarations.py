"""Declarations of parameters in the annotations of public functions.

A function declares a parameter in its signature and explains it in its docstring:

    @declared(example="irevalx-lab power qrels runs/* --topics 50")
    def power(..., comparisons: Annotated[int | None, whole(1, metavar="C", requires="correction=bonferroni")] = None):
        '''...
        comparisons : number of comparisons. [default: all pairs of the runs]
        '''

Checks, options, help and messages are derived from the declarations. Type checkers see ``int | None``. The arguments of
calls from Python are checked, and irevalx.lab.command.declaration creates the option. A module with declarations must
not import ``annotations`` from ``__future__``.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import update_wrapper
from typing import Any, ParamSpec, TypeAlias, TypeVar

from irevalx.checks import ValueType, read_real, read_whole, real_number, whole_number, whole_rule
from irevalx.checks import flag as checked_flag
from irevalx.checks import text as checked_text
from irevalx.errors import ArgumentError, UsageError
from irevalx.frozen import Frozen, replace
from irevalx.process.platform import path_text
from irevalx.signatures import default_of, description, explanations, with_explanations, with_keywords
from irevalx.wording import Notation, argument_error, called_with, current_notation, join_words, spelled_rule

P = ParamSpec("P")
Value = TypeVar("Value")

Others: TypeAlias = "str | Sequence[str] | Mapping[str, str | Sequence[str]]"
"""The parameters that a rule of a parameter refers to: names (``"figure"``), or names with a value (``"by=run"``). If
the rule depends on the value of the parameter, a dictionary maps the value to the other parameters."""

NO_DEFAULT = object()
"""The default of a required parameter."""

FLAG_RULE = "True or False"


class Parameter(Frozen, kw_only=True):
    """A parameter of a function, and the corresponding option of the command."""

    kind: ValueType | None = None  # the accepted values, or None if the function itself checks the value
    names: tuple[str, ...] = ()
    """The names of the option (``-l``, ``--level``), or the metavar of a positional argument. If the tuple is empty,
    the name of the option is ``--name``."""
    several: bool = False
    """Whether the parameter takes several values. The function receives a tuple, and the shell accepts several words or
    repetitions."""
    entries: bool = False
    """Whether the value is a dictionary. Each use of the option adds an entry, which ``kind`` converts."""
    separators: str = ", "  # the separators of several values in one word of the shell, or "" if each word is one value
    metavar: str | None = None
    requires: Others = ()
    """The parameters of which at least one must also be given. If the caller supports none, the rule is ignored."""
    excludes: Others = ()  # parameters that must not also be given
    single: bool | Sequence[str] = False
    """Whether the parameter, or which of its values, cannot be combined with several collections."""
    help: str = ""
    """The explanation of the parameter, if the docstring contains none. `` `name` `` and `` `name=value` `` refer to
    parameters."""
    shell_default: Any = NO_DEFAULT  # the default in the shell, if it differs from the function's default
    shell_help: str = ""  # the explanation in the shell, if it differs from ``help``
    completion: str = ""
    """The kind of shell completion: "file" (JSON output also contains the digest of the file), "measure", or "suffix"
    (the choices are file suffixes). Other choices are always completed."""
    in_shell: bool = True  # whether the command has an option for the parameter
    means: str = ""  # the name by which messages of shared code refer to the parameter, if that name differs
    also: str | None = None  # an older option name that is accepted and not shown
    hidden: bool = False
    name: str = ""
    default: Any = NO_DEFAULT

    @property
    def is_flag(self) -> bool:
        """Whether the parameter is a boolean. The option of a boolean parameter has no value."""
        return self.kind is not None and self.kind.rule == FLAG_RULE

    @property
    def is_repeated(self) -> bool:
        """Whether the option can be repeated in the shell."""
        return self.several or self.entries

    @property
    def option(self) -> str:
        """The main name of the option, regardless of the name that was used on the command line."""
        return self.names[0] if self.names else f"--{self.name.replace('_', '-')}"

    @property
    def option_names(self) -> Sequence[str]:
        """All names of the option. The first name is displayed in the help."""
        return (*(self.names or (self.option,)), *(self.also or "").split())

    def checked(self, value: Any) -> Any:
        """Check an argument from Python, and return its value. Raise ArgumentError if the argument is invalid."""
        if self.kind is None or (value is None and self.default is None):
            return value
        if not self.several:
            return self._checked(value)
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            value = (value,)
        checked = [self._checked(item) for item in value]
        return tuple(sorted(checked) if isinstance(value, set | frozenset) else checked)

    def _checked(self, value: Any) -> Any:
        assert self.kind is not None
        try:
            return self.kind.check(value)
        except (ValueError, TypeError, OverflowError) as error:
            if not self.kind.rule and isinstance(error, ArgumentError):
                raise ArgumentError(f"{self.name}{error.message}") from None
            raise argument_error(self.name, self.kind.rule, value) from None

    def read(self, text: str) -> Any:
        """Convert the string given for an option to a value. Raise UsageError if the string is invalid."""
        if self.kind is None:
            return text
        try:
            return self.kind.check(self.kind.read(text))
        except (ValueError, TypeError, OverflowError):
            raise UsageError(current_notation().invalid(self.name, self.kind.rule, text)) from None


def whole(least: int | None = None, most: int | None = None, **more: Any) -> Parameter:
    """Declare a parameter whose value is a 64-bit integer within bounds."""

    def check(value: Any) -> int:
        return whole_number("", value, least=least, most=most)

    return Parameter(kind=ValueType(whole_rule(least, most), check, read_whole), **more)


def number(
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
    **more: Any,
) -> Parameter:
    """Declare a parameter whose value is a finite real number within bounds."""
    words = (("above", above), ("at least", least), ("below", below), ("at most", most))
    bounds = [f"{word} {bound:g}" for word, bound in words if math.isfinite(bound)]
    rule = f"a number {'of ' if bounds and bounds[0].startswith('at') else ''}{' and '.join(bounds)}".rstrip()

    def check(value: Any) -> float:
        real = real_number("", value)
        if real is None or not (above < real < below and least <= real <= most and math.isfinite(real)):
            raise ValueError(value)
        return real

    return Parameter(kind=ValueType(rule, check, read_real), **more)


def choice(*names: str, **more: Any) -> Parameter:
    """Declare a parameter whose value is one of the strings ``names``."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in names:
            raise ValueError(value)
        return value

    return Parameter(kind=ValueType(join_words(names, "or"), check, choices=names), **more)


def flag(**more: Any) -> Parameter:
    """Declare a boolean parameter. The option for the parameter takes no value."""
    return Parameter(kind=ValueType(FLAG_RULE, lambda value: checked_flag("", value)), **more)


def text(rule: str = "a string", **more: Any) -> Parameter:
    """Declare a parameter whose value is a string."""
    return Parameter(kind=ValueType(rule, lambda value: checked_text("", value)), **more)


def file(**more: Any) -> Parameter:
    """Declare a file or another input that the function itself reads. File names can contain spaces."""
    return Parameter(**{"metavar": "FILE", "completion": "file", "separators": "", **more})


def path(**more: Any) -> Parameter:
    """Declare a parameter whose value is the path of a file."""

    def check(value: Any) -> str:
        if not isinstance(value, str | os.PathLike):
            raise TypeError(value)
        return path_text(value)

    return file(kind=ValueType("the path of a file", check), **more)


def refined(**changes: Any) -> Callable[[Parameter], Parameter]:
    """Return a function that changes a shared declaration, as in ``Annotated[Seed, refined(requires="sample")]``."""
    return lambda shared: replace(shared, **changes)


# -- Declarations of a function


class CommandText(Frozen, kw_only=True):
    """The properties of a command that its function does not declare."""

    example: str = ""  # a command line for the end of the help
    run: Callable[..., int | None] | None = None
    """The function that calls the public function and writes the results, for commands with additional output, or None
    for other commands. The function receives ``Output``, the options that its own signature declares, and the arguments
    of the public function as keywords. The function returns the exit status."""
    arrange: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    """The function that replaces values before the public function is called, if an option stands for another argument.
    The function returns the replaced parameters with their values."""
    more: str = ""  # paragraphs of the help after the description
    figure: bool = False  # whether the result can be plotted
    scores: str = ""
    """A sentence about the default measures of score files that replace judgments and runs, or "" if the command does
    not read score files."""
    score_files: tuple[str, ...] = ()
    """The parameters that accept score files, for commands in which these do not replace judgments and runs."""
    score_names: tuple[str, ...] = ()  # the parameters, other than measures, that name a measure of score files
    collections: bool = False  # whether several collections, named in a column of score files, can be compared
    tables: bool = True  # whether the command writes tables; otherwise, the command writes lines
    without: tuple[str, ...] = ()  # the output options that the command does not support
    default_output: str = ""  # the output without ``--format``, described for the help, or "" if it is a table


class Declaration(Frozen):
    """The description of a function, and a dictionary of its parameters in the order of the signature."""

    parameters: dict[str, Parameter]
    description: str  # the docstring before its first section
    command: CommandText

    def complete(self, function: Any) -> None:
        """Attach this declaration to a function, and add the explanations of shared parameters to its docstring."""
        function.declaration = self
        function.__doc__ = with_explanations(function, {name: each.help for name, each in self.parameters.items()})


def declaration_of(function: Any) -> Declaration:
    """Return the declaration of a declared function or class."""
    declaration: Declaration = function.declaration
    return declaration


def declared(
    shared: Mapping[str, Parameter] | None = None, evaluation: Mapping[str, Parameter] | None = None, **command: Any
) -> Callable[[Callable[P, Value]], Callable[P, Value]]:
    """Return a decorator that checks the arguments of a function. The signature or ``shared`` declares the parameters.

    ``command`` contains fields of CommandText. ``evaluation`` declares the keywords that the function receives as
    ``**evaluation``. The keywords are expanded in the function's signature and docstring.
    """

    def decorate(function: Callable[P, Value]) -> Callable[P, Value]:
        declaration = collect(function, CommandText(**command), shared)
        parameters = declaration.parameters
        parameters.update(evaluation or {})
        keywords_of_function = Notation(
            names=parameters.keys(), meanings={each.means: name for name, each in parameters.items() if each.means}
        )
        code = function.__code__
        positional = code.co_varnames[: code.co_argcount]
        known = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *parameters}

        def checked(*args: P.args, **keywords: P.kwargs) -> Value:
            given = dict(zip(positional, args, strict=False)) | keywords
            if evaluation and not known.issuperset(given):
                raise TypeError(
                    f"{function.__name__}() got an unexpected keyword argument {min(given.keys() - known)!r}"
                )
            if len(args) > len(positional) or len(given) < len(args) + len(keywords):
                return function(*args, **keywords)  # Python raises TypeError
            values = {
                name: parameters[name].checked(value) if name in parameters else value for name, value in given.items()
            }
            with called_with(keywords_of_function):
                check_rules(
                    parameters, values, [name for name in values if _differs(values[name], parameters.get(name))]
                )
                return function(**values)  # type: ignore[arg-type, call-arg]

        declaration.complete(function)
        update_wrapper(checked, function)  # with the declaration
        if evaluation:
            checked.__signature__ = with_keywords(function, evaluation)  # type: ignore[attr-defined]
        return checked

    return decorate


def documented(shared: Mapping[str, Parameter]) -> Callable[[Callable[P, Value]], Callable[P, Value]]:
    """Return a decorator that only adds the declarations and explanations of shared parameters to a function.

    The decorated function must check the arguments itself.
    """

    def decorate(function: Callable[P, Value]) -> Callable[P, Value]:
        collect(function, None, shared).complete(function)
        return function

    return decorate


def _differs(value: Any, parameter: Parameter | None) -> bool:
    if parameter is None or parameter.default is NO_DEFAULT or parameter.default is None:
        return parameter is not None and value is not parameter.default
    try:
        return value is not parameter.default and bool(value != parameter.default)
    except Exception:  # noqa: BLE001 - a comparison of data frames has no truth value
        return True


def collect(
    declaring: Any, command: CommandText | None = None, shared: Mapping[str, Parameter] | None = None
) -> Declaration:
    """Return the declarations in the annotations of ``declaring``, and replace each annotation by its plain type."""
    hints, texts = declaring.__annotations__, explanations(declaring.__doc__ or "")
    parameters = {}
    for name, hint in list(hints.items()):
        if name == "return":
            continue
        parameter = (shared or {}).get(name, Parameter())
        for metadata in getattr(hint, "__metadata__", ()):
            parameter = metadata if isinstance(metadata, Parameter) else metadata(parameter)
        hints[name] = getattr(hint, "__origin__", hint)
        default = default_of(declaring, name, NO_DEFAULT)
        if hints[name] is hint and name not in (shared or {}):
            continue
        if name in texts:
            parameter = replace(parameter, help=texts[name])
        parameters[name] = replace(parameter, name=name, default=default)
    return Declaration(parameters, description(declaring.__doc__ or ""), command or CommandText())


# -- Rules between parameters


def check_rules(parameters: Mapping[str, Parameter], values: Mapping[str, Any], given: Collection[str]) -> None:
    """Raise ArgumentError if a parameter is given without one that it requires, or with one that it excludes."""

    def is_given(other: str) -> bool:
        name, has_value, wanted_value = other.partition("=")
        value = values.get(name, parameters[name].default)
        if has_value:
            return wanted_value in map(str, value if isinstance(value, tuple | list) else [value])
        is_empty = value is None or value is False or (isinstance(value, tuple | list) and not value)
        return name in given and not is_empty

    for this, others, are_excluded in _rules(parameters, values):
        known = [other for other in others if other.partition("=")[0] in parameters]
        matches = [other for other in known if is_given(other)] if known and is_given(this) else None
        if matches and are_excluded:
            raise ArgumentError(f"{spelled_rule(this)} cannot be combined with {spelled_rule(matches[0])}")
        if matches == [] and not are_excluded:
            raise ArgumentError(f"{spelled_rule(this)} requires {_spelled_any(known)}")


def refuse_several(parameters: Mapping[str, Parameter], values: Mapping[str, Any]) -> None:
    """Raise ArgumentError if a value other than the default cannot be combined with several collections."""
    for name, parameter in parameters.items():
        value = values.get(name, parameter.default)
        is_refused = parameter.single if isinstance(parameter.single, bool) else value in parameter.single
        if is_refused and value and _differs(value, parameter):
            rule = spelled_rule(f"{name}={value}" if isinstance(parameter.single, Sequence) else name)
            raise ArgumentError(f"{rule} cannot be combined with several collections; use it with one collection")


def _rules(parameters: Mapping[str, Parameter], names: Iterable[str]) -> Iterator[tuple[str, Sequence[str], bool]]:
    """Yield each rule: a parameter or "NAME=VALUE", the parameters it refers to, and whether they are excluded."""
    for parameter in [parameters[name] for name in names if name in parameters]:
        for are_excluded, rules in ((False, parameter.requires), (True, parameter.excludes)):
            by_value = rules if isinstance(rules, Mapping) else {"": rules}
            for value, others in by_value.items():
                if others:
                    this = f"{parameter.name}={value}" if value else parameter.name
                    yield this, (others,) if isinstance(others, str) else tuple(others), are_excluded


def _spelled_any(rules: Sequence[str]) -> str:
    """Join parameters with "or". If all are values of one parameter, write the name of this parameter only once."""
    first, has_value, _ = rules[0].partition("=")
    if has_value and len(rules) > 1 and all(rule.startswith(f"{first}=") for rule in rules):
        return join_words([spelled_rule(rules[0]), *(rule.partition("=")[2] for rule in rules[1:])], "or")
    return join_words([spelled_rule(rule) for rule in rules], "or")

"""Phrases for messages, which refer to a parameter by the keyword or the option that the caller uses.

Code names a parameter with ``spelled("level")`` or ``spelled("grades", "real")``. The notation determines how the
parameter is written. By default, parameters are written as Python keywords. The commands install another notation, in
which parameters are written as options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

from irevalx.errors import LONGEST_QUOTE, ArgumentError, UsageError, printable, quote, shell_word
from irevalx.frozen import Frozen

# -- Parameters


class Notation(Frozen):
    """The form in which messages write parameters and their values. By default, the form is that of Python keywords."""

    names: Collection[str] | None = None  # the parameters that the caller can pass, or None if they are unknown
    meanings: Mapping[str, str] = {}  # maps names of parameters in shared code to the caller's names, if they differ

    def written(self, name: str, value: object = None) -> str:
        """Return the name of a parameter, followed by its value if ``value`` is given."""
        literal = f'"{value}"' if isinstance(value, str) else str(value)
        return name if value is None else f"{name}={literal}"

    def invalid(self, name: str, rule: str, value: object) -> str:
        """Return the message about an invalid value of a parameter."""
        return argument_error(name, rule, value).message

    def missing(self, names: Sequence[str], note: str) -> str:
        """Return the message about a missing parameter. If several names are given, one is required."""
        return f"missing argument {join_words(names, 'or')}{note}"

    def of_function(self, function: Notation) -> Notation:
        """Return the notation to use during a call of a public function that has the notation ``function``."""
        return function

    def rule(self, rule: str) -> str:
        """Return a rule, such as "by=run" or "ties=expected and max_retrieved", in this notation."""
        if " and " in rule:
            return " and ".join(map(self.rule, rule.split(" and ")))
        name, has_value, value = rule.partition("=")
        return self.written(name, {"True": True}.get(value, value) if has_value else None)


_notation: ContextVar[Notation] = ContextVar("notation", default=Notation())  # noqa: B039 - it is immutable


def current_notation() -> Notation:
    """Return the notation of the caller."""
    return _notation.get()


def use_notation(notation: Notation) -> None:
    """Set the notation of messages for the rest of a program. A program calls this function once."""
    _notation.set(notation)


@contextmanager
def written_in(notation: Notation) -> Iterator[None]:
    """Return a context in which messages use a notation."""
    token = _notation.set(notation)
    try:
        yield
    finally:
        _notation.reset(token)


@contextmanager
def called_with(function: Notation) -> Iterator[None]:
    """Return a context for a call of a public function.

    Messages use the keywords of the function or the options of the command.
    """
    with written_in(_notation.get().of_function(function)):
        yield


def spelled(name: str, value: object = None) -> str:
    """Return a parameter, or a parameter with a value, in the notation of the caller.

    >>> spelled("level"), spelled("grades", "real"), spelled("complete", True)
    ('level', 'grades="real"', 'complete=True')
    """
    notation = current_notation()
    return notation.written(notation.meanings.get(name, name), value)


def spelled_rule(rule: str) -> str:
    """Return a rule, such as "by=run", with its parameters in the notation of the caller."""
    return current_notation().rule(rule)


def is_parameter(name: str) -> bool:
    """Return whether the caller can pass a parameter. If the caller is unknown, return True."""
    notation = current_notation()
    return notation.names is None or name in notation.names or name in notation.meanings


def invalid_value(name: str, rule: str, value: object) -> str:
    """Return the message about an invalid value of a parameter.

    >>> invalid_value("level", "at least 1", 0)
    'level must be at least 1, not 0'
    """
    notation = current_notation()
    text = ",".join(map(str, value)) if isinstance(value, tuple | list) else value
    return notation.invalid(notation.meanings.get(name, name), rule, text)


def missing(*names: str, note: str = "") -> UsageError:
    """Return an error that reports a missing parameter. If several names are given, one is required."""
    notation = current_notation()
    return UsageError(notation.missing([notation.meanings.get(name, name) for name in names], note))


def no_such(name: str, noun: str, value: str, known: Sequence[str]) -> str:
    """Return the message about a parameter whose value names something unknown, such as a run."""
    return f"{spelled(name)} {shell_word(value)}: no such {noun}; the {noun}s are {first_names(known, noun)}"


# -- Values and lists

What: TypeAlias = "str | Callable[[], str]"
"""The name of an argument, or of a component, in a message: a string, or a function that returns the string."""


def argument_error(what: What, rule: str, got: object) -> ArgumentError:
    """Return an error that reports an invalid argument.

    The message has the form ``what`` must be ``rule``, not ``got``.
    """
    return ArgumentError(f"{what() if callable(what) else what} must be {rule}, not {short_repr(got)}")


def short_repr(value: object) -> str:
    """Return a value for use in a message: a quoted string, the type of a collection, or a truncated repr."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, type) or (hasattr(value, "__iter__") and not isinstance(value, bytes)):
        return f"{'the class' if isinstance(value, type) else 'an object of type'} {_type_name(value)}"
    try:
        text = printable(repr(value))
    except ValueError:  # Python refuses to print integers of thousands of digits
        return f"an object of type {_type_name(value)}"
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 3]}..."


def _type_name(value: object) -> str:
    return value.__name__ if isinstance(value, type) else type(value).__name__


def join_words(words: Sequence[str], word: str) -> str:
    """Join words to a phrase, such as "a, b and c" if ``word`` is "and"."""
    *others, last = words
    return f"{', '.join(others)} {word} {last}" if others else last


MOST_NAMED = 6
"""The maximum number of names that a note lists."""


def first_names(names: Sequence[str], noun: str) -> str:
    """Return a phrase with the first names and the number of further names.

    >>> first_names(["map", "bpref"], "measure"), first_names([*"abcdefgh"], "measure")
    ('map and bpref', 'a, b, c, d, e, f and 2 more measures')
    >>> first_names([*"abcdefg"], "measure")
    'a, b, c, d, e, f and g'
    """
    n_named = MOST_NAMED + (len(names) == MOST_NAMED + 1)  # the last name is listed, because "1 more" would be as long
    more = [f"{len(names) - n_named} more {noun}s"] if len(names) > n_named else []
    return join_words([*names[:n_named], *more], "and")


def counts_by_run(counts: Mapping[str, int]) -> str:
    """Return the count of each run as a phrase, or the extreme counts if there are more than ``MOST_NAMED`` runs.

    >>> counts_by_run({"bm25": 3, "dense": 1}), counts_by_run({run: ord(run) - 96 for run in "abcdefgh"})
    ('bm25 3, dense 1', 'from 1 (a) to 8 (h) in 8 runs')
    """
    if len(counts) <= MOST_NAMED:
        return ", ".join(f"{run} {count}" for run, count in counts.items())
    least, most = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    return f"from {counts[least]} ({least}) to {counts[most]} ({most}) in {len(counts)} runs"


def more_such(number: int, noun: str) -> str:
    """Return the end of a message that describes the first case.

    The phrase states the number of further cases, and is "" if ``number`` is 0.

    >>> more_such(2, "line"), more_such(0, "line")
    (' (2 more such lines)', '')
    """
    return f" ({number} more such {noun}{'s' * (number > 1)})" if number else ""

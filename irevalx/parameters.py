"""What arguments must be: each function returns what it was given, ready for use, or refuses it in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from operator import index
from typing import Any, TypeAlias

from irevalx.errors import LONGEST_QUOTE, ArgumentError, printable, quote
from irevalx.process.system import as_bytes

_TRUTH_VALUES = ("bool_", "bool")
"""The names of numpy's type, which is not imported for this."""

What: TypeAlias = "str | Callable[[], str]"
"""What a message calls an argument, or the place in it: as text, or as what returns the text if there is a message."""


def argument_error(what: What, rule: str, got: object) -> ArgumentError:
    """Build the error for something that must be something else.

    Parameters
    ----------
    what : the argument, or the place in it.
    rule : what it must be.
    got : what was given.
    """
    return ArgumentError(f"{what() if callable(what) else what} must be {rule}, but got {short_repr(got)}")


def short_repr(value: object) -> str:
    """Return a value as a message shows it: text in quotes, else as Python writes it; of a collection, its type."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, type) or (hasattr(value, "__iter__") and not isinstance(value, bytes)):
        return f"{'the class' if isinstance(value, type) else 'an object of type'} {_type_name(value)}"
    try:
        text = printable(repr(value))
    except ValueError:  # Python does not write numbers of many thousand digits
        return f"an object of type {_type_name(value)}"
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 3]}..."


def _type_name(value: object) -> str:
    return value.__name__ if isinstance(value, type) else type(value).__name__


def whole_number(what: What, value: Any, *, least: int | None = None, most: int | None = None) -> int:
    """Return a whole number of 64 bits; numpy's will do, booleans will not.

    Parameters
    ----------
    least, most : the smallest and the greatest that are allowed; None for any.

    Raises
    ------
    ArgumentError
    """
    if type(value) is not int and (isinstance(value, bool) or not isinstance(value, Integral)):
        raise argument_error(what, _whole(least, most), value)
    number = index(value)
    if not is_long(number):
        raise argument_error(what, _whole(None, most), value)
    if (least is not None and number < least) or (most is not None and number > most):
        raise argument_error(what, _whole(least, most), value)
    return number


def _whole(least: int | None, most: int | None) -> str:
    """Return what a whole number must be, in words."""
    bounds = [f"at {name} {bound}" for name, bound in (("least", least), ("most", most)) if bound is not None]
    return f"a whole number of {' and '.join(bounds) or '64 bits'}"


def is_long(value: int) -> bool:
    """Return whether a whole number fits into 64 bits."""
    return -(2**63) <= value < 2**63


def real_number(what: What, value: Any) -> float | None:
    """Return a number, or None for None; what else the number must be is not looked at.

    Raises
    ------
    ArgumentError
    """
    if value is None:
        return None
    if not isinstance(value, Real) or isinstance(value, bool):
        raise argument_error(what, "a number or None", value)
    try:
        return float(value)
    except OverflowError:
        raise argument_error(what, "a number of 64 bits", value) from None


def flag(what: What, value: Any) -> bool:
    """Return a truth value; 0 and 1 will do.

    Raises
    ------
    ArgumentError
    """
    if value is True or value is False:
        return bool(value)
    if (isinstance(value, Integral) or type(value).__name__ in _TRUTH_VALUES) and value in (0, 1):
        return bool(value)
    raise argument_error(what, "True or False", value)


def text(what: What, value: Any) -> str:
    """Return a string.

    Raises
    ------
    ArgumentError
    """
    if isinstance(value, str):
        return value
    raise argument_error(what, "a string", value)


def texts(what: What, value: Any) -> tuple[str, ...]:
    """Return a string alone or several strings; those of a set in ascending order.

    Raises
    ------
    ArgumentError
    """
    if isinstance(value, str):
        return (encodable(what, value),)
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise argument_error(what, "a string or several strings", value)
    several = tuple(value)
    for one in several:
        if not isinstance(one, str):
            raise argument_error(what, "a string or several strings", one)
        encodable(what, one)
    return tuple(sorted(several)) if isinstance(value, set | frozenset) else several


def named_choice(what: What, value: Any, choices: Sequence[str]) -> str:
    """Return one of some words.

    Raises
    ------
    ArgumentError : it is none of them.
    """
    if value not in choices:
        raise argument_error(what, " or ".join(choices), value)
    return str(value)


def encodable(what: What, value: str) -> str:
    """Return a string that can be bytes; raises ArgumentError for surrogates that stand for nothing."""
    try:
        as_bytes(value)
    except UnicodeEncodeError:
        raise argument_error(what, "text that can be encoded", value) from None
    return value


def identifier(what: What, value: Any, *, whole: bool = True) -> str:
    """Return the id of a topic or a document as text: a string as it is, a whole number in decimal digits.

    Parameters
    ----------
    whole : whether whole numbers will do.

    Raises
    ------
    ArgumentError : it is neither, or missing.
    """
    if isinstance(value, str):
        return encodable(what, value)
    if whole and isinstance(value, Integral) and not isinstance(value, bool):
        try:
            return str(index(value))
        except ValueError:  # the limit of Python
            raise argument_error(what, "a whole number of fewer digits", value) from None
    raise argument_error(what, "a string or a whole number" if whole else "a string", value)

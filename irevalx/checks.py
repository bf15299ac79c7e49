"""Checks of the values of parameters: integers, real numbers, booleans, strings and names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from typing import Any

from irevalx.frozen import Frozen
from irevalx.process.platform import as_bytes
from irevalx.trec_eval import c_double
from irevalx.wording import What, argument_error, join_words

_TRUTH_VALUES = ("bool_", "bool")
"""The names of NumPy's boolean type in its versions. Comparing names avoids an import of NumPy."""


class ValueType(Frozen):
    """The values that a parameter accepts."""

    rule: str
    """The phrase that describes valid values in messages, such as "an integer of at least 1", or "" if ``check`` raises
    ArgumentError with a phrase of its own."""
    check: Callable[[Any], Any]  # returns the checked Python argument, or raises ValueError or TypeError
    read: Callable[[str], Any] = str  # converts the string given in the shell, or raises ValueError
    choices: tuple[str, ...] = ()


def whole_number(what: What, value: Any, *, least: int | None = None, most: int | None = None) -> int:
    """Return a 64-bit integer within the bounds. Raise ArgumentError for any other value, including booleans."""
    if not is_whole(value):
        raise argument_error(what, whole_rule(least, most), value)
    number = index(value)
    if not is_long(number):
        raise argument_error(what, whole_rule(None, most), value)
    if (least is not None and number < least) or (most is not None and number > most):
        raise argument_error(what, whole_rule(least, most), value)
    return number


def whole_rule(least: int | None, most: int | None) -> str:
    """Return the phrase that describes an integer within bounds, such as "an integer of at least 1"."""
    bounds = [f"at {name} {bound}" for name, bound in (("least", least), ("most", most)) if bound is not None]
    return f"an integer of {' and '.join(bounds)}" if bounds else "a 64-bit integer"


def read_whole(text: str) -> int:
    """Convert a string to an integer. Raise ValueError if the string is not an integer."""
    if not re.fullmatch(r"[+-]?[0-9]{1,19}", text):
        raise ValueError(text)
    return int(text)


def is_whole(value: Any) -> bool:
    """Return whether a value is an integer. A boolean is not an integer."""
    if type(value) is int:
        return True
    from numbers import Integral  # imported here, because irevalx -h does not need it

    return isinstance(value, Integral) and not isinstance(value, bool)


def is_long(value: int) -> bool:
    """Return whether an integer fits into 64 bits."""
    return -(2**63) <= value < 2**63


def real_number(what: What, value: Any) -> float | None:
    """Return a finite or infinite real number as a float, or None if ``value`` is None. Callers check the range."""
    if value is None:
        return None
    from numbers import Real

    if not isinstance(value, Real) or isinstance(value, bool):
        raise argument_error(what, "a number or None", value)
    try:
        return float(value)
    except OverflowError:
        raise argument_error(what, "a 64-bit number", value) from None


def read_real(text: str) -> float:
    """Convert a string to a finite real number. Raise ValueError if the string contains anything else."""
    value, is_plain = c_double(as_bytes(text))
    if not is_plain:
        raise ValueError(text)
    return value


def flag(what: What, value: Any) -> bool:
    """Return a boolean. The integers 0 and 1 are converted, and ArgumentError is raised for all other values."""
    if value is True or value is False:
        return bool(value)
    if (is_whole(value) or type(value).__name__ in _TRUTH_VALUES) and value in (0, 1):
        return bool(value)
    raise argument_error(what, "True or False", value)


def text(what: What, value: Any) -> str:
    """Return ``value`` unchanged. Raise ArgumentError if ``value`` is not a string."""
    if isinstance(value, str):
        return value
    raise argument_error(what, "a string", value)


def texts(what: What, value: Any) -> tuple[str, ...]:
    """Return a string or a collection of strings as a tuple. The strings of a set are sorted in ascending order."""
    if isinstance(value, str):
        return (encodable(what, value),)
    is_table = isinstance(value, Mapping) or hasattr(value, "columns")  # iterating would yield column names
    if isinstance(value, bytes) or is_table or not isinstance(value, Iterable):
        raise argument_error(what, "a string or several strings", value)
    several = tuple(value)
    for string in several:
        if not isinstance(string, str):
            raise argument_error(what, "a string or several strings", string)
        encodable(what, string)
    return tuple(sorted(several)) if isinstance(value, set | frozenset) else several


def named_choice(what: What, value: Any, choices: Sequence[str]) -> str:
    """Return ``value`` unchanged. Raise ArgumentError if ``value`` is not one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise argument_error(what, join_words([*map(repr, choices)], "or"), value)
    return value


def encodable(what: What, value: str) -> str:
    """Return the string ``value``.

    Raise ArgumentError if the string contains a surrogate that does not represent a byte.
    """
    try:
        as_bytes(value)
    except UnicodeEncodeError:
        raise argument_error(what, "text without lone surrogates", value) from None
    return value


def identifier(what: What, value: Any, *, whole: bool = True) -> str:
    """Return a topic ID or document ID as a string. If ``whole`` is true, integers are converted to digits."""
    if isinstance(value, str):
        return encodable(what, value)
    if whole and is_whole(value):
        try:
            return str(index(value))
        except ValueError:  # Python limits the number of digits
            raise argument_error(what, "an integer with fewer digits", value) from None
    raise argument_error(what, "a string or an integer" if whole else "a string", value)

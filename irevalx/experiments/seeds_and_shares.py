"""Validation of two parameters that many experiments have: random seeds, and shares between 0 and 1."""

from __future__ import annotations

import re
import secrets
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

from irevalx import checks
from irevalx.checks import ValueType
from irevalx.declarations import Parameter
from irevalx.wording import argument_error

MOST_SEEDS = 2**32

MOST_DRAWS = 10**7
"""The maximum number of resamples. More resamples would take too long and add only insignificant digits."""


def chosen_seed(seed: Any) -> int:
    """Return the seed, or a new random seed if ``seed`` is None."""
    if seed is None:
        return secrets.randbelow(MOST_SEEDS)
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise argument_error("seed", "an integer or None", seed)
    return int(seed)


_LONGEST = 100
"""The maximum number of characters of a share. Python does not parse numbers with thousands of digits."""

_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(%?)")

_RULE = "a share above 0 and at most 1, such as 0.1 or 10%"


def read_share(text: str) -> Fraction | None:
    """Parse a share above 0 and at most 1, such as 0.07 or 7%. Return an exact fraction, or None for any other text."""
    match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    number = Fraction(match[1]) / (100 if match[2] else 1) if match else Fraction(0)
    return number if 0 < number <= 1 else None


def share_of(what: str, value: Any) -> Fraction:
    """Convert a share above 0 and at most 1 to a fraction. A float is read as its shortest decimal representation."""
    if isinstance(value, Fraction):
        fraction = value
    else:
        number = checks.real_number(what, value) if isinstance(value, Real) else None
        fraction = Fraction(0) if number is None or not 0 < number <= 1 else Fraction(repr(number))
    if not 0 < fraction <= 1:
        raise argument_error(what, "a share above 0 and at most 1, such as 0.1", value)
    return fraction


def share(**more: Any) -> Parameter:
    """Declare a parameter whose value is a share. On the command line, the share can also be a percentage."""
    return Parameter(kind=ValueType(_RULE, lambda value: share_of("", value), read_share), **more)

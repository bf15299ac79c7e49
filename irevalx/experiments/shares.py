"""Shares of something, exactly as they are written."""

from __future__ import annotations

import re
from fractions import Fraction
from numbers import Real
from typing import Any

from irevalx import parameters

_LONGEST = 100
"""Characters of a share at most: Python reads no numbers of thousands of digits."""

_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(%?)")


def read_share(text: str) -> Fraction | None:
    """Return a share above 0 and at most 1, exactly as it is written: ``0.07``, ``7%``; None where it is none."""
    found = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    share = Fraction(found[1]) / (100 if found[2] else 1) if found else Fraction(0)
    return share if 0 < share <= 1 else None


def share_of(what: str, value: Any) -> Fraction:
    """Return a share above 0 and at most 1, a float as the decimal number that it is written as.

    Raises
    ------
    ArgumentError : it is no such number.
    """
    if isinstance(value, Fraction):
        share = value
    else:
        number = parameters.real_number(what, value) if isinstance(value, Real) else None
        share = Fraction(0) if number is None or not 0 < number <= 1 else Fraction(repr(number))
    if not 0 < share <= 1:
        raise parameters.argument_error(what, "a share above 0 and at most 1, such as 0.1", value)
    return share

"""Numbers as C reads and prints them (``strtol``, ``strtod``, ``printf``), and a record of those that are not plain."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TypeVar

from irevalx.errors import MalformedNumberError

LONG_MAX = 2**63 - 1
LONG_MIN = -(2**63)
INT_MIN = -(2**31)

_OF_DECIMALS, _OF_HEXADECIMALS = b"0123456789+-.eE", b"0123456789abcdefABCDEF+-.xXpP"
"""The characters that numbers have."""

_BEFORE_HEXADECIMALS = (b"0x", b"0X", b"-0x", b"-0X", b"+0x", b"+0X")
"""How hexadecimal numbers begin."""

_FEW = 100
"""The number of texts that tell whether a file repeats itself."""

Number = TypeVar("Number", int, float)

_compiled = cache(re.compile)
"""Compiles a pattern when it is first needed: most calls need none."""

_LONG = rb"[ \t\n\v\f\r]*([+-]?[0-9]+)"
_DOUBLE = rb"""(?ix)[ \t\n\v\f\r]*
    (?P<sign>[+-]?)
    (?: (?P<hex>0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)
      | (?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)
      | (?P<infinity>inf(?:inity)?)
      | (?P<nan>nan(?:\([0-9a-z_]*\))?)
    )"""


def c_long(text: bytes) -> tuple[int, bool]:
    """Read an integer as C's ``atol`` does.

    Returns
    -------
    value : the leading integer, 0 where there is none; the nearest number of 64 bits where it is beyond them.
    plain : whether the text is that integer and nothing else.
    """
    match = _compiled(_LONG).match(text)
    if match is None:
        return 0, False
    negative, digits = match[1].startswith(b"-"), match[1].lstrip(b"+-").lstrip(b"0")
    # More digits than a long has need not be read, and Python refuses to read very many.
    exact = int(digits or b"0") if len(digits) < 20 else LONG_MAX + 2
    value = min(max(-exact if negative else exact, LONG_MIN), LONG_MAX)
    return value, match.span(1) == (0, len(text)) and abs(value) == exact


def c_double(text: bytes) -> tuple[float, bool]:
    """Read a number as C's ``strtod`` does in the C locale.

    Returns
    -------
    value : the longest prefix that is a number (decimal, hexadecimal, infinity or nan), 0.0 where there is none.
    plain : whether the whole text was consumed and the value is finite.
    """
    try:
        # What Python reads as a number of these characters alone, C reads as the same number.
        if not text.strip(_OF_DECIMALS):
            value = float(text)
        elif text.startswith(_BEFORE_HEXADECIMALS) and not text.strip(_OF_HEXADECIMALS):
            value = float.fromhex(text.decode())
        else:
            return _leading_number(text)
    except (ValueError, OverflowError):
        return _leading_number(text)
    return value, math.isfinite(value)


def c_longs(texts: Sequence[bytes]) -> tuple[Sequence[int], Sequence[bool]]:
    """Read integers, at least one, each as ``c_long`` does."""
    return _each(c_long, texts)


def c_doubles(texts: Sequence[bytes]) -> tuple[Sequence[float], Sequence[bool]]:
    """Read numbers, at least one, each as ``c_double`` does."""
    if not b"".join(texts).translate(None, _OF_DECIMALS):
        try:
            values = list(map(float, texts))
        except ValueError:
            return _each(c_double, texts)
        return values, list(map(math.isfinite, values))
    return _each(c_double, texts)


def _each(
    read: Callable[[bytes], tuple[Number, bool]], texts: Sequence[bytes]
) -> tuple[Sequence[Number], Sequence[bool]]:
    """Return what a function reads, and whether each text is plain; what repeats itself is read once."""
    first = texts[:_FEW]
    if len(set(first)) < len(first):
        known = {text: read(text) for text in set(texts)}
        read = known.__getitem__
    values, plain = zip(*map(read, texts), strict=True)
    return values, plain


def _leading_number(text: bytes) -> tuple[float, bool]:
    """Return what ``c_double`` does, of any text."""
    match = _compiled(_DOUBLE).match(text)
    if match is None:
        return 0.0, False
    if match["decimal"]:
        value = float(match["decimal"])
    elif match["hex"]:
        try:
            value = float.fromhex(match["hex"].decode())
        except OverflowError:
            value = math.inf
    else:
        value = math.inf if match["infinity"] else math.nan
    value = math.copysign(value, -1.0 if match["sign"] == b"-" else 1.0)
    return value, match.start("sign") == 0 and match.end() == len(text) and math.isfinite(value)


def c_format(template: str, value: float) -> str:
    """Return a number as C's ``printf`` prints it: as ``%`` does, but a nan shows its sign.

    >>> c_format("%6.4f", -math.nan)
    '  -nan'
    """
    text = template % value
    if math.isnan(value) and math.copysign(1.0, value) < 0:
        return "-nan".rjust(len(text))
    return text


def truncate_to_int(x: float) -> int:
    """Return what C makes of a number as an ``int`` of 32 bits: rounded towards zero.

    A nan, and a number beyond 32 bits, give the smallest ``int``, as on x86.
    """
    if math.isnan(x) or not -(2.0**31) - 1 < x < 2.0**31:
        return INT_MIN
    return int(x)


class MalformedNumbers:
    """Numbers of one file that are not plain: the message about the first is kept, and the others are counted.

    Parameters
    ----------
    what : what the numbers are, for messages: "score".
    rule : what they must be: "a finite number".
    strict : whether the first one is an error.
    if_real : what messages say too of one that is a plain real number.
    """

    def __init__(self, what: str, rule: str, *, strict: bool, if_real: str = "") -> None:
        self.what = what
        self.rule = rule
        self.strict = strict
        self.if_real = if_real
        self.first = ""
        self.count = 0

    def add(self, count: int, where: str, shown: str, read_as: str, hint: str = "") -> None:
        """Note some numbers.

        Parameters
        ----------
        count : how many they are, at least 1.
        where : where the first of them is: path:line: topic.
        shown : its text in quotes.
        read_as : the number that C makes of it.
        hint : what the message says in the end.

        Raises
        ------
        MalformedNumberError : under ``strict``.
        """
        problem = f"{where}: {self.what} must be {self.rule}, but got {shown}"
        if self.strict:
            raise MalformedNumberError(f"{problem}{hint}")
        self.count += count
        self.first = self.first or f"{problem}, read as {read_as} as trec_eval does{hint}"

    @classmethod
    def joined(cls, parts: Sequence[MalformedNumbers]) -> MalformedNumbers:
        """Return those of several parts of a file, in order."""
        together = cls(parts[0].what, parts[0].rule, strict=parts[0].strict) if parts else cls("", "", strict=False)
        together.first = next((part.first for part in parts if part.first), "")
        together.count = sum(part.count for part in parts)
        return together

    def message(self) -> str | None:
        """Return a line that names the first malformed number and counts the others; None where there is none."""
        if self.count < 2:
            return self.first or None
        others = self.count - 1
        return f"{self.first} ({others} more such {self.what}{'s' if others > 1 else ''} in this file)"


def malformed_number_warnings(parts: Iterable[MalformedNumbers]) -> tuple[str, ...]:
    """Return the message about the malformed numbers of a file; nothing where there are none.

    Parameters
    ----------
    parts : those of each part of the file, in order.
    """
    found = [part for part in parts if part.count]
    return (MalformedNumbers.joined(found).message() or "",) if found else ()

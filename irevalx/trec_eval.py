"""Emulation of the C program: differences between its versions, strtol, strtod, printf, and the merge sort of glibc.

If the comparison is consistent, all stable sorts yield the same result, and ``sorted`` is faster. trec_eval also sorts
with inconsistent comparisons (scores that are NaN, and gains that are compared after truncation). In these cases, the
result depends on the algorithm.

Each difference between the versions is a named field of ``Compat``, and no other module compares versions.
docs/differences.md lists the differences between irevalx and both versions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TypeVar

from irevalx.errors import MalformedNumberError
from irevalx.frozen import Frozen
from irevalx.process.platform import as_bytes

T = TypeVar("T")


def merge_sort(items: Sequence[T], compare: Callable[[T, T], int]) -> list[T]:
    """Sort items like glibc's ``qsort``. The comparison function ``compare`` can be inconsistent."""
    # Like glibc, divide the items into two halves, of which the first is the smaller one, and take the item from the
    # first half if two items compare as equal.
    if len(items) < 2:
        return list(items)
    middle = len(items) // 2
    left = merge_sort(items[:middle], compare)
    right = merge_sort(items[middle:], compare)
    merged: list[T] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if compare(left[i], right[j]) <= 0:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


LONG_MAX = 2**63 - 1
LONG_MIN = -(2**63)
INT_MIN = -(2**31)

_OF_DECIMALS, _OF_HEXADECIMALS = b"0123456789+-.eE", b"0123456789abcdefABCDEF+-.xXpP"
"""The characters that can occur in decimal numbers, and those that can occur in hexadecimal numbers."""

_BEFORE_HEXADECIMALS = (b"0x", b"0X", b"-0x", b"-0X", b"+0x", b"+0X")
"""The prefixes of hexadecimal numbers."""

_FEW = 100
"""The number of strings that are checked for repetitions."""

Number = TypeVar("Number", int, float)

_compiled = cache(re.compile)
"""A function that compiles a pattern on first use, because most calls need no pattern."""

_LONG = rb"[ \t\n\v\f\r]*([+-]?[0-9]+)"
_DOUBLE = rb"""(?ix)[ \t\n\v\f\r]*
    (?P<sign>[+-]?)
    (?: (?P<hex>0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)
      | (?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)
      | (?P<infinity>inf(?:inity)?)
      | (?P<nan>nan(?:\([0-9a-z_]*\))?)
    )"""


def c_long(text: bytes) -> tuple[int, bool]:
    """Parse an integer like C's ``atol``, clipped to 64 bits. Also return whether the string was a valid integer."""
    match = _compiled(_LONG).match(text)
    if match is None:
        return 0, False
    negative, digits = match[1].startswith(b"-"), match[1].lstrip(b"+-").lstrip(b"0")
    # Integers with too many digits for a long are not parsed, since Python limits the number of digits.
    exact = int(digits or b"0") if len(digits) < 20 else LONG_MAX + 2
    value = min(max(-exact if negative else exact, LONG_MIN), LONG_MAX)
    return value, match.span(1) == (0, len(text)) and abs(value) == exact


def c_double(text: bytes) -> tuple[float, bool]:
    """Parse a number like C's ``strtod`` in the C locale.

    Also return whether the whole string is a finite number. The value is the longest prefix that is a number (decimal,
    hexadecimal, infinity or NaN), or 0.0.
    """
    try:
        # If a number contains no other characters, Python and C parse it identically.
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
    """Parse a nonempty list of integers like ``c_long``."""
    return _each(c_long, texts)


def c_doubles(texts: Sequence[bytes]) -> tuple[Sequence[float], Sequence[bool]]:
    """Parse a nonempty list of numbers like ``c_double``."""
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
    """Return the values, and whether each string contains nothing but a number. Repeated strings are parsed once."""
    first = texts[:_FEW]
    if len(set(first)) < len(first):
        known = {text: read(text) for text in set(texts)}
        read = known.__getitem__
    values, plain = zip(*map(read, texts), strict=True)
    return values, plain


def _leading_number(text: bytes) -> tuple[float, bool]:
    """Parse the number at the beginning of a string. The result is the same as for ``c_double``."""
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
    """Format a number like C's ``printf``, which prints the sign of NaN, unlike the operator % in Python.

    >>> c_format("%6.4f", -math.nan)
    '  -nan'
    """
    text = template % value
    if math.isnan(value) and math.copysign(1.0, value) < 0:
        return "-nan".rjust(len(text))
    return text


def truncate_to_int(x: float) -> int:
    """Convert a number to a C ``int`` by truncation. For NaN and numbers that overflow, return the smallest ``int``."""
    if math.isnan(x) or not -(2.0**31) - 1 < x < 2.0**31:
        return INT_MIN
    return int(x)


class MalformedNumbers:
    """A counter of the malformed numbers in a file, which also stores the message about the first malformed number.

    ``what`` is the noun for the numbers ("score"), and ``rule`` describes valid numbers ("a finite number"). If
    ``strict`` is true, the first malformed number is an error. ``if_real`` is a hint for messages about real numbers
    where integers are expected.
    """

    def __init__(self, what: str, rule: str, *, strict: bool, if_real: str = "") -> None:
        self.what = what
        self.rule = rule
        self.strict = strict
        self.if_real = if_real
        self.first = ""
        self.count = 0

    def add(self, count: int, where: str, quoted: str, read_as: str, hint: str = "") -> None:
        """Count malformed numbers. C reads the first one as ``read_as``. Raise MalformedNumberError if strict."""
        problem = f"{where}: invalid {self.what} {quoted}"
        if self.strict:
            raise MalformedNumberError(f"{problem}: must be {self.rule}{hint}")
        self.count += count
        self.first = self.first or f"{problem} (not {self.rule}), read as {read_as}, like trec_eval{hint}"

    @classmethod
    def joined(cls, parts: Sequence[MalformedNumbers]) -> MalformedNumbers:
        """Combine the malformed numbers that were counted separately in several parts of a file."""
        together = cls(parts[0].what, parts[0].rule, strict=parts[0].strict) if parts else cls("", "", strict=False)
        together.first = next((part.first for part in parts if part.first), "")
        together.count = sum(part.count for part in parts)
        return together

    def message(self) -> str | None:
        """Return a message with the first malformed number and the count of further ones, or None if there is none."""
        if self.count < 2:
            return self.first or None
        others = self.count - 1
        noun = "value" if " " in self.what else self.what
        return f"{self.first} ({others} more such {noun}{'s' if others > 1 else ''} in this file)"


def malformed_number_warnings(parts: Iterable[MalformedNumbers]) -> tuple[str, ...]:
    """Return the warning about malformed numbers in the parts of a file, or an empty tuple if there are none."""
    with_malformed = [part for part in parts if part.count]
    return (MalformedNumbers.joined(with_malformed).message() or "",) if with_malformed else ()


class Compat(Frozen, kw_only=True):
    """The behaviour of one version of trec_eval in the cases in which the versions differ."""

    version: str  # the emulated version of trec_eval
    single_precision_scores: bool  # whether scores are 32-bit floats, so that scores with smaller differences are tied
    comments: bool  # whether lines that start with ``#`` are skipped (in runs also if indented)
    complete_evaluates_missing: bool
    """Whether, under ``-c``, a topic without results is evaluated and printed as if one unjudged document had been
    retrieved. If this is false, such a topic only counts as 0 in the averages."""
    recall_rounded_up: bool
    """Whether, for iprec_at_recall and 11pt_avg, recall x of R relevant documents requires x R + 0.9 documents,
    truncated. If this is false, x R is rounded to the nearest integer, halves away from zero."""
    integer_gain_levels_only: bool
    """Whether a gain is ignored if its level is not an integer. If this is false, the gain is assigned to the level
    that C's ``atol`` reads."""
    absent_measures: frozenset[str]  # the measures that this version does not contain

    def gain_level(self, key: str) -> int | None:
        """Return the relevance level of ``key=gain``, or None if this version ignores the pair."""
        text = as_bytes(key)
        if self.integer_gain_levels_only and not re.fullmatch(rb"[+-]?[0-9]+", text):
            return None
        return c_long(text)[0]

    def blank_without_results(self, name: str) -> bool:
        """Return whether version 10.0 prints 0 or an empty string for a measure in a topic without results."""
        return name in {"num_ret", "utility", "rbp_resid", "relstring"} or name.startswith("unj")


TREC_EVAL_9 = Compat(
    version="9.0.8",
    single_precision_scores=True,
    comments=False,
    complete_evaluates_missing=False,
    recall_rounded_up=True,
    integer_gain_levels_only=False,
    absent_measures=frozenset({"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"}),
)

TREC_EVAL_10 = Compat(
    version="10.0",
    single_precision_scores=False,
    comments=True,
    complete_evaluates_missing=True,
    recall_rounded_up=False,
    integer_gain_levels_only=True,
    absent_measures=frozenset(),
)

COMPAT = {"9": TREC_EVAL_9, "10": TREC_EVAL_10}
"""The behaviour that each value of ``--compat`` selects."""

"""Parsing of a column of decimal numbers, eight characters at a time and without a loop over the strings.

A 64-bit word holds eight characters, and NumPy processes one word of every string at once. This technique, which
processes all characters of a word together (to locate a character, to check for digits, to compute a number from eight
digits in three multiplications), is known as SWAR, "SIMD within a register": see Johnny Lee's "Fast numeric string to
int" and Daniel Lemire's notes on parsing eight digits. This module also supports decimal points and strings of any
length.

Words are little-endian: the first character is the lowest byte, so a word in hexadecimal notation reads backwards.
``-12.5`` goes through the following steps. Each step is a function below, with this example:

    ============================  ======================  ====================================================
    its last eight characters     ``0x352e323130303030``  "000012.5": the sign is noted, zeros are prepended
    the decimal point             ``0x0080000000000000``  a bit in its byte
    the digits without it         ``0x3532313030303030``  "00000125", and 1 digit after the point
    their values                  ``0x0502010000000000``  0 0 0 0 0 1 2 5
    numbers of two digits         ``0x0019000100000000``  0, 0, 1, 25
    numbers of four digits        ``0x0000007d00000000``  0, 125
    the number of eight digits    ``0x000000000000007d``  125; 125 / 10, with the sign: -12.5
    ============================  ======================  ====================================================

A string of more than eight characters consists of several words. The last word contains the last eight characters.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import WORD, Names, words_of
from irevalx.arrays.segments import BoolArray, ByteArray, FloatArray, IntArray, WordArray

EXACT = 0
"""The state of a value that equals the result of ``strtod``."""

CLOSE = 1
"""The state of a value that is not exact, because the number has too many digits. The relative error of the value is at
most ``ERROR``."""

OTHER = 2
"""The state of a string that is not a plain decimal number or that is too long for this module."""

ERROR = 2.0**-50
"""The maximum relative error of a value whose state is ``CLOSE``."""

_LONGEST = 24
"""The maximum number of characters in a number, not counting the sign."""

_TEXTS_AT_ONCE = 1 << 18
"""The maximum number of strings that are parsed at a time, which limits memory. Most blocks contain fewer strings."""

_EXACT_INTEGERS = np.uint64(2**53)
"""The integer below which all integers are exact in 64-bit floating point."""

_EXACT_POWERS = 22
"""The highest exponent of a power of ten that is exact in 64-bit floating point."""

_POWERS_OF_TEN = np.array([10.0**n for n in range(_LONGEST + 1)])

_LAST_BYTES: WordArray = np.array([0] + [2**64 - (1 << 8 * (8 - n)) for n in range(1, 9)], np.uint64)
"""Masks for the last n characters of a word."""


def _in_every_byte(byte: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([byte]) * WORD, "little"))


_ZEROS, _POINTS = _in_every_byte(ord("0")), _in_every_byte(ord("."))
_ONES, _SIXES, _THREES = _in_every_byte(1), _in_every_byte(6), _in_every_byte(0x33)
_HIGH_BITS, _HIGH_NIBBLES, _LOW_NIBBLES = _in_every_byte(0x80), _in_every_byte(0xF0), _in_every_byte(0x0F)

_NUMBERS_BELOW_100 = np.uint64(0x00FF00FF00FF00FF)
"""The mask of the lower byte in each pair of bytes."""

_NUMBERS_BELOW_10_000 = np.uint64(0x0000FFFF0000FFFF)
"""The mask of the lower two bytes in each group of four bytes."""

_BYTES_ABOVE = np.uint64(0x0706050403020100)
"""A factor that counts bytes: if a word contains 1 in one byte and 0 in all others, the highest byte of the product is
the number of bytes above that byte.
"""

_ONE, _NIBBLE, _SEVEN, _BYTE, _TOP_BYTE = (np.uint64(n) for n in (1, 4, 7, 8, 56))


def decimals(texts: Names) -> tuple[FloatArray, ByteArray]:
    """Parse n decimal numbers without exponents. No string can be empty.

    Return the values and the states ``EXACT``, ``CLOSE`` or ``OTHER``. A value is 0.0 if its state is ``OTHER``. If a
    number is the quotient of an integer below 2**53 and a power of ten up to 10**22, it is rounded once, like the
    result of ``strtod``. The shapes are (n,).

    >>> values, states = decimals(Names.of([b"-12.5", b"+3", b"0.12345678901234567", b"1e5"]))
    >>> values.tolist(), states.tolist()
    ([-12.5, 3.0, 0.12345678901234568, 0.0], [0, 0, 1, 2])
    """
    if texts.size <= _TEXTS_AT_ONCE:
        return _read(texts)
    values, states = np.empty(texts.size), np.empty(texts.size, np.uint8)
    for first in range(0, texts.size, _TEXTS_AT_ONCE):
        chunk = slice(first, first + _TEXTS_AT_ONCE)
        values[chunk], states[chunk] = _read(texts.take(chunk))
    return values, states


def _read(texts: Names) -> tuple[FloatArray, ByteArray]:
    """Parse all strings at once, with the same result as ``decimals``."""
    buffer, start, length = texts.buffer, texts.start, texts.length
    first = buffer[start]
    negative = first == ord("-")
    signed = negative | (first == ord("+"))
    if signed.any():
        length = length - signed
    end = texts.start + texts.length
    n_words = max(1, min(-(-int(length.max(initial=0)) // WORD), _LONGEST // WORD))
    words = [_last_characters(words_of(buffer), end, length, place) for place in range(n_words)]
    digits, fraction, points, valid = _without_point(words)
    valid &= (length > points) & (length <= WORD * n_words)
    low = _eight_digits(digits[0])
    if n_words > 1:
        low += _eight_digits(digits[1]) * np.uint64(10**8)
    values = low.astype(np.float64)
    exact = low < _EXACT_INTEGERS
    if n_words > 2:
        high = _eight_digits(digits[2])
        values += high.astype(np.float64) * 1e16
        exact &= (high == 0) & (fraction <= _EXACT_POWERS)
    values /= _POWERS_OF_TEN[fraction]
    np.negative(values, out=values, where=negative)
    states = np.where(exact, np.uint8(EXACT), np.uint8(CLOSE))
    if not valid.all():
        states[~valid] = OTHER
        values[~valid] = 0.0
    return values, states


def integers(texts: Names) -> tuple[IntArray, BoolArray]:
    """Parse n integers. No string can be empty.

    Return the values, and whether each string is a plain integer of up to 15 digits. The value of any other string is
    0. The shapes are (n,).

    >>> values, plain = integers(Names.of([b"2", b"-1", b"1.0"]))
    >>> values.tolist(), plain.tolist()
    ([2, -1, 0], [True, True, False])
    """
    digit = texts.buffer[texts.start] - np.uint8(ord("0"))
    if (texts.length == 1).all() and (digit <= 9).all():
        return digit.astype(np.int64), np.ones(digit.size, np.bool_)
    values, states = decimals(texts)
    plain = (states == EXACT) & (np.abs(values) < 1e15)
    # The strings must be searched for decimal points, because the values of "1." and "1.0" are integers.
    for place in range(min(int(texts.length.max(initial=0)), _LONGEST + 1)):
        inside = texts.length > place
        plain &= ~(inside & (texts.buffer[np.where(inside, texts.start + place, 0)] == ord(".")))
    return np.where(plain, values, 0.0).astype(np.int64), plain


def _last_characters(words: WordArray, end: IntArray, length: IntArray, place: int) -> WordArray:
    """Return eight characters of each string, counted from the end and padded with the character 0.

    ``words`` contains the word at each offset of the buffer, ``end`` contains the end of each string, and ``length``
    contains the length of each string without its sign. ``place`` 0 requests the last eight characters, and ``place`` 1
    the eight characters before them. The shapes are (n,).

    >>> texts = Names.of([b"-12.5"])
    >>> word = _last_characters(words_of(texts.buffer), texts.start + texts.length, texts.length - 1, 0)
    >>> f"{word[0]:#018x}"
    '0x352e323130303030'
    """
    characters = words[end - WORD * (place + 1)]
    if length.min(initial=_LONGEST + 1) >= WORD * (place + 1):
        return characters
    mask = _LAST_BYTES[np.clip(length - WORD * place, 0, WORD)]
    return (characters & mask) | (_ZEROS & ~mask)


def _without_point(words: list[WordArray]) -> tuple[list[WordArray], IntArray, IntArray, BoolArray]:
    """Remove the decimal point, and move the characters before it up by one position.

    ``words`` begins with the last eight characters. Return the words without the decimal point, the number of digits
    after the point, the number of points (0 or 1), and whether all other characters are digits. The shapes are (n,).

    >>> digits, fraction, points, valid = _without_point([np.array([0x352E323130303030], np.uint64)])
    >>> f"{digits[0][0]:#018x}", fraction.tolist(), points.tolist(), valid.tolist()
    ('0x3532313030303030', [1], [1], [True])
    """
    n = words[0].size
    fraction = np.zeros(n, np.int64)
    dotted = np.zeros(n, np.bool_)
    valid = np.ones(n, np.bool_)
    digits = []
    for place, word in enumerate(words):
        before = words[place + 1] if place + 1 < len(words) else np.full(1, _ZEROS)
        carried = before >> _TOP_BYTE
        # If the point is in a later word, all characters of this word move up. The last word has no later word.
        closed = np.where(dotted, (word << _BYTE) | carried, word) if place else word
        if not dotted.all():
            point = _first_point(word)
            here = (point != 0) & ~dotted
            before_point = (point >> _SEVEN) - _ONE
            after_point = ~((point << _ONE) - _ONE)
            partly = (word & after_point) | ((word & before_point) << _BYTE) | carried
            digits_after = ((point >> _SEVEN) * _BYTES_ABOVE) >> _TOP_BYTE
            fraction += np.where(here, WORD * place + digits_after.astype(np.int64), 0)
            closed = np.where(here, partly, closed)
            dotted |= here
        valid &= _are_digits(closed)
        digits.append(closed)
    return digits, fraction, dotted.astype(np.int64), valid


def _first_point(word: WordArray) -> WordArray:
    """Return words that mark the first point by the high bit of its byte, or 0 if there is no point.

    XOR turns a point into a zero byte. Subtracting 1 then borrows in this byte, which sets its high bit.

    >>> f"{_first_point(np.array([0x352E323130303030], np.uint64))[0]:#018x}"
    '0x0080000000000000'
    """
    x = word ^ _POINTS
    points = (x - _ONES) & ~x & _HIGH_BITS
    points &= ~points + _ONE  # keep the lowest bit; borrowing can also set higher bits
    return points


def _are_digits(word: WordArray) -> BoolArray:
    """Return whether all characters are digits.

    A character is a digit (0x30 to 0x39) if its high nibble is 3 and remains 3 after 6 is added.

    >>> _are_digits(np.array([0x3532313030303030, 0x352E323130303030], np.uint64)).tolist()
    [True, False]
    """
    is_digit: BoolArray = ((word & _HIGH_NIBBLES) | (((word + _SIXES) & _HIGH_NIBBLES) >> _NIBBLE)) == _THREES
    return is_digit


def _eight_digits(word: WordArray) -> WordArray:
    """Convert eight digits to a number: combine pairs of digits, then pairs of two-digit numbers, then both halves.

    >>> digits = np.array([0x3532313030303030], np.uint64)
    >>> values = digits & _LOW_NIBBLES
    >>> f"{values[0]:#018x}"
    '0x0502010000000000'
    >>> pairs = _joined(values, 10, 8) & _NUMBERS_BELOW_100
    >>> f"{pairs[0]:#018x}"
    '0x0019000100000000'
    >>> fours = _joined(pairs, 100, 16) & _NUMBERS_BELOW_10_000
    >>> f"{fours[0]:#018x}"
    '0x0000007d00000000'
    >>> f"{_joined(fours, 10_000, 32)[0]:#018x}", _eight_digits(digits).tolist()
    ('0x000000000000007d', [125])
    """
    pairs = _joined(word & _LOW_NIBBLES, 10, 8) & _NUMBERS_BELOW_100
    fours = _joined(pairs, 100, 16) & _NUMBERS_BELOW_10_000
    return _joined(fours, 10_000, 32)


def _joined(numbers: WordArray, base: int, bits: int) -> WordArray:
    """Combine adjacent numbers in words: for each pair a, b, replace b by ``base`` * a + b.

    A word contains one number per ``bits`` bits. The caller must mask the other numbers in the result. One
    multiplication suffices, because ``x * (base << bits | 1)`` equals ``(x * base << bits) + x``. The factor is 2561
    for digits, 6553601 for numbers of two digits and 42949672960001 for numbers of four digits.
    """
    factor = np.uint64(base << bits | 1)
    return (numbers * factor) >> np.uint64(bits)

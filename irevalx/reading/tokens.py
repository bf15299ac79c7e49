"""Blocks of lines to columns of tokens and numbers, without a loop over lines. This is where the time goes.

A block in which every line has exactly the columns of its format, separated by single spaces or tabs, is cut at its
separators. Any other block (comments, blank lines, extra columns, several spaces, CR LF) is cut at the changes between
separator and token, line by line in arrays. Both ways give the same columns.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names, words_of
from irevalx.arrays.segments import BoolArray, ByteArray, FloatArray, IntArray, WordArray
from irevalx.frozen import Frozen

NEWLINE = ord("\n")
COMMENT = ord("#")
SPACE = ord(" ")
TAB = ord("\t")


class Shape(Frozen):
    """How the lines of a format are made.

    Parameters
    ----------
    columns : how many there are, at least.
    more : whether anything may follow them.
    blank_lines : whether lines without a token are skipped.
    comments : "none", "line" (``#`` is the first byte) or "indented" (``#`` is the first byte that is no separator).
    """

    columns: int
    more: bool
    blank_lines: bool
    comments: str


class WrongLineError(Exception):
    """A line does not have the columns of its format.

    Parameters
    ----------
    line : 0-based within the block.
    """

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class Tokens(Frozen):
    """The columns of the data lines of a block.

    Parameters
    ----------
    buffer : the block, padded.
    start, end : shape (lines, columns); where each token lies in the buffer. Without ``start``, each begins behind the
        one before and a single separator.
    line : shape (lines,); the 0-based line of the block.
    """

    buffer: ByteArray
    start: IntArray | None
    end: IntArray
    line: IntArray

    def column(self, number: int) -> Names:
        """Return the tokens of a column, counted from 0."""
        if self.start is not None:
            start = np.ascontiguousarray(self.start[:, number])
        elif number:
            start = self.end[:, number - 1] + 1
        else:
            start = np.empty(len(self.end), np.int64)
            start[:1] = PADDING
            start[1:] = self.end[:-1, -1] + 1
        return Names(self.buffer, start, self.end[:, number] - start)

    def last(self, number: int) -> bytes | None:
        """Return the last token of a column, but the first; None where there is no line."""
        if not self.line.size:
            return None
        start = None if self.start is None else self.start[-1:]
        return Tokens(self.buffer, start, self.end[-1:], self.line[-1:]).column(number).text(0)


def tokenise(block: bytes, shape: Shape) -> Tokens:
    """Cut a block into its columns.

    Parameters
    ----------
    block : whole lines, without NUL bytes; each ends with a newline.

    Raises
    ------
    WrongLineError : the first line that has too few or too many tokens.
    """
    padding = bytes([SPACE]) * PADDING
    buffer = np.frombuffer(b"".join((padding, block, padding)), np.uint8)
    tokens = _regular(buffer, shape)
    return _any(buffer, shape) if tokens is None else tokens


def _regular(buffer: ByteArray, shape: Shape) -> Tokens | None:
    """Cut a block whose lines are all alike; None if it is not such a block."""
    text = buffer[PADDING:-PADDING]
    separator = text <= SPACE
    if not text.size or separator[0] or (separator[1:] & separator[:-1]).any():
        return None
    ends = np.flatnonzero(separator)
    ends += PADDING
    if ends.size % shape.columns:
        return None
    end = ends.reshape(-1, shape.columns)
    if (buffer[end[:, -1]] != NEWLINE).any():
        return None
    between = end.size - len(end) - np.count_nonzero(text == SPACE)
    if between and between != np.count_nonzero(text == TAB):
        return None
    tokens = Tokens(buffer, None, end, np.arange(len(end)))
    if shape.comments != "none" and (buffer[tokens.column(0).start] == COMMENT).any():
        return None
    return tokens


def _any(buffer: ByteArray, shape: Shape) -> Tokens:
    """Cut any block."""
    # Tab, newline, vertical tab, form feed and carriage return are neighbours; below tab, subtraction wraps around.
    separator = ((buffer - np.uint8(TAB)) < 5) | (buffer == SPACE)
    edges = np.flatnonzero(np.diff(separator)) + 1
    starts, ends = edges[::2], edges[1::2]
    newlines = np.flatnonzero(buffer == NEWLINE)
    counts = np.bincount(np.searchsorted(newlines, starts), minlength=newlines.size)
    first = np.cumsum(counts) - counts
    data = np.ones(newlines.size, np.bool_)
    filled = counts > 0
    if shape.comments != "none":
        at = starts[first[filled]]
        comment = buffer[at] == COMMENT
        if shape.comments == "line":
            comment &= (buffer[at - 1] == NEWLINE) | (at == PADDING)
        data[filled] = ~comment
    if shape.blank_lines:
        data &= filled
    wrong = data & ((counts < shape.columns) | ((counts > shape.columns) & (not shape.more)))
    if wrong.any():
        raise WrongLineError(int(np.argmax(wrong)))
    token = first[data][:, None] + np.arange(shape.columns)
    return Tokens(buffer, starts[token], ends[token], np.flatnonzero(data))


EXACT = 0
"""The number is what ``strtod`` gives."""

CLOSE = 1
"""The number has so many digits that it may be off by ``ERROR``; whoever needs to know asks ``strtod``."""

ODD = 2
"""The text is no plain decimal number, or longer than this module reads."""

ERROR = 2.0**-50
"""The greatest relative error of a number that is ``CLOSE``."""

_LONGEST = 24
_EXACT_INTEGERS = np.uint64(2**53)
_POWERS_OF_TEN = np.array([10.0**n for n in range(_LONGEST + 1)])
_EXACT_POWERS = 22

_KEPT: WordArray = np.array([0] + [2**64 - (1 << 8 * (8 - n)) for n in range(1, 9)], np.uint64)
"""Masks for the last n characters of a word."""


def _every_byte(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


_ZEROS, _DOTS, _ONES, _HIGH_BITS = _every_byte(0x30), _every_byte(0x2E), _every_byte(0x01), _every_byte(0x80)
_HIGH_NIBBLES, _LOW_NIBBLES, _SIXES, _THREES = (
    _every_byte(0xF0),
    _every_byte(0x0F),
    _every_byte(0x06),
    _every_byte(0x33),
)
_BYTES_ABOVE = np.uint64(0x0706050403020100)
_BYTE, _TOP_BYTE, _NIBBLE, _ONE, _SEVEN = (np.uint64(n) for n in (8, 56, 4, 1, 7))


def decimals(texts: Names) -> tuple[FloatArray, ByteArray]:
    """Read decimal numbers without exponents, eight characters at a time.

    Returns
    -------
    values : shape (n,); what the texts say, as far as ``states`` vouches for it; 0.0 where that is ``ODD``.
    states : shape (n,); ``EXACT``, ``CLOSE`` or ``ODD``.

    Notes
    -----
    A whole number below 2**53 divided by a power of ten up to 22 is rounded once, and so is what ``strtod`` gives.
    """
    buffer, start, length = texts.buffer, texts.start, texts.length
    first = buffer[start]
    negative = first == ord("-")
    signed = negative | (first == ord("+"))
    if signed.any():
        length = length - signed
    end = texts.start + texts.length
    n_words = max(1, min(-(-int(length.max(initial=0)) // 8), _LONGEST // 8))
    loaded = [_last_characters(words_of(buffer), end, length, place) for place in range(n_words)]
    digits, fraction, dots, valid = _without_dot(loaded)
    valid &= (length > dots) & (length <= 8 * n_words)
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
        states[~valid] = ODD
        values[~valid] = 0.0
    return values, states


def integers(texts: Names) -> tuple[IntArray, BoolArray]:
    """Read whole numbers.

    Returns
    -------
    values : shape (n,); 0 where the text is no plain number of up to 15 digits.
    plain : shape (n,); whether it is.
    """
    digit = texts.buffer[texts.start] - np.uint8(ord("0"))
    if (texts.length == 1).all() and (digit <= 9).all():
        return digit.astype(np.int64), np.ones(digit.size, np.bool_)
    values, states = decimals(texts)
    plain = (states == EXACT) & (np.abs(values) < 1e15)
    # A number that has a fraction is recognised by its text, since 1. and 1.0 are whole.
    for place in range(min(int(texts.length.max(initial=0)), _LONGEST + 1)):
        inside = texts.length > place
        plain &= ~(inside & (texts.buffer[np.where(inside, texts.start + place, 0)] == ord(".")))
    return np.where(plain, values, 0.0).astype(np.int64), plain


def _last_characters(words: WordArray, end: IntArray, length: IntArray, place: int) -> WordArray:
    """Return the eight characters that end ``8 * place`` before the end, filled up with the character 0 in front."""
    characters = words[end - 8 * (place + 1)]
    if length.min(initial=_LONGEST + 1) >= 8 * (place + 1):
        return characters
    kept = _KEPT[np.clip(length - 8 * place, 0, 8)]
    return (characters & kept) | (_ZEROS & ~kept)


def _without_dot(loaded: list[WordArray]) -> tuple[list[WordArray], IntArray, IntArray, BoolArray]:
    """Close the gap that the decimal point leaves.

    Parameters
    ----------
    loaded : words of characters, the last eight first; in a word the last character is the highest byte.

    Returns
    -------
    digits : the words without the point.
    fraction : how many digits follow it.
    dots : 1 where there is one.
    valid : whether nothing but digits is left.
    """
    n = loaded[0].size
    fraction = np.zeros(n, np.int64)
    dotted = np.zeros(n, np.bool_)
    valid = np.ones(n, np.bool_)
    digits = []
    for place, word in enumerate(loaded):
        before = loaded[place + 1] if place + 1 < len(loaded) else np.full(1, _ZEROS)
        carried = before >> _TOP_BYTE
        closed = (word << _BYTE) | carried
        if not dotted.all():
            x = word ^ _DOTS
            dot = (x - _ONES) & ~x & _HIGH_BITS
            dot &= ~dot + _ONE  # the lowest one; the others may be an echo of it
            here = (dot != 0) & ~dotted
            below = (dot >> _SEVEN) - _ONE
            partly = (word & ~((dot << _ONE) - _ONE)) | ((word & below) << _BYTE) | carried
            fraction += np.where(here, 8 * place + (((dot >> _SEVEN) * _BYTES_ABOVE) >> _TOP_BYTE).astype(np.int64), 0)
            closed = np.where(here, partly, np.where(dotted, closed, word))
            dotted |= here
        valid &= ((closed & _HIGH_NIBBLES) | (((closed + _SIXES) & _HIGH_NIBBLES) >> _NIBBLE)) == _THREES
        digits.append(closed)
    return digits, fraction, dotted.astype(np.int64), valid


def _eight_digits(word: WordArray) -> WordArray:
    """Return the number that eight digits make: pairs, then fours, then all."""
    word = ((word & _LOW_NIBBLES) * np.uint64(2561)) >> np.uint64(8)
    word = ((word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    return ((word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)

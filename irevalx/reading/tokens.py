"""Blocks of lines to columns of tokens, without a loop over lines. Here and in ``decimals`` is where the time goes.

A block in which every line has exactly the columns of its format, separated by single spaces or tabs, is cut at its
separators. Any other block (comments, blank lines, extra columns, several spaces, CR LF) is cut where separators and
tokens meet, and its tokens are counted line by line. Both ways give the same columns.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.segments import ByteArray, IntArray
from irevalx.frozen import Frozen
from irevalx.reading.layout import Comments, Shape

NEWLINE = ord("\n")
COMMENT = ord("#")
SPACE = ord(" ")
TAB = ord("\t")


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
    start, end : shape (lines, columns); where each token lies in the buffer. Without ``start``, each begins after the
        one before and a single separator.
    line : shape (lines,); the 0-based line of the block.
    """

    buffer: ByteArray
    start: IntArray | None
    end: IntArray
    line: IntArray

    def column(self, number: int) -> Names:
        """Return the tokens of a column, counted from 0; one per line."""
        if self.start is not None:
            start = np.ascontiguousarray(self.start[:, number])
        elif number:
            start = self.end[:, number - 1] + 1
        else:
            start = np.empty(len(self.end), np.int64)
            start[:1] = PADDING
            start[1:] = self.end[:-1, -1] + 1
        return Names(self.buffer, start, self.end[:, number] - start)

    def text(self, row: int, number: int) -> bytes:
        """Return one token; data line and column are counted from 0."""
        end = self.end[row, number]
        if self.start is not None:
            start = self.start[row, number]
        elif number:
            start = self.end[row, number - 1] + 1
        else:
            start = self.end[row - 1, -1] + 1 if row else np.int64(PADDING)
        return self.buffer[start:end].tobytes()


def tokenise(block: bytes, shape: Shape) -> Tokens:
    """Cut a block into its columns.

    Parameters
    ----------
    block : whole lines, without NUL bytes; each ends with a newline.
    shape : how its lines are made.

    Raises
    ------
    WrongLineError : the first line that has too few or too many tokens.
    """
    padding = bytes([SPACE]) * PADDING
    buffer = np.frombuffer(b"".join((padding, block, padding)), np.uint8)
    tokens = _cut_at_separators(buffer, shape)
    return _cut_where_they_meet(buffer, shape) if tokens is None else tokens


def _cut_at_separators(buffer: ByteArray, shape: Shape) -> Tokens | None:
    """Cut a block whose lines are all alike, with one separator after each token; None if it is not such a block."""
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
    # Spaces and tabs are all that may stand between tokens here: other bytes below a space may be part of one.
    between = end.size - len(end) - np.count_nonzero(text == SPACE)
    if between and between != np.count_nonzero(text == TAB):
        return None
    tokens = Tokens(buffer, None, end, np.arange(len(end)))
    if shape.comments is not Comments.NONE and (buffer[tokens.column(0).start] == COMMENT).any():
        return None
    return tokens


def _cut_where_they_meet(buffer: ByteArray, shape: Shape) -> Tokens:
    """Cut any block: where separators and tokens meet.

    Raises
    ------
    WrongLineError : the first line that has too few or too many tokens.
    """
    # Tab, newline, vertical tab, form feed and carriage return are neighbours; below tab, subtraction wraps around.
    separator = ((buffer - np.uint8(TAB)) < 5) | (buffer == SPACE)
    edges = np.flatnonzero(np.diff(separator)) + 1
    starts, ends = edges[::2], edges[1::2]
    newlines = np.flatnonzero(buffer == NEWLINE)
    counts = np.bincount(np.searchsorted(newlines, starts), minlength=newlines.size)
    first = np.cumsum(counts) - counts
    data = np.ones(newlines.size, np.bool_)
    filled = counts > 0
    if shape.comments is not Comments.NONE:
        at = starts[first[filled]]
        comment = buffer[at] == COMMENT
        if shape.comments is Comments.AT_LINE_START:
            comment &= (buffer[at - 1] == NEWLINE) | (at == PADDING)
        data[filled] = ~comment
    if shape.blank_lines:
        data &= filled
    wrong = data & ((counts < shape.columns) | ((counts > shape.columns) & (not shape.more)))
    if wrong.any():
        raise WrongLineError(int(np.argmax(wrong)))
    token = first[data][:, None] + np.arange(shape.columns)
    return Tokens(buffer, starts[token], ends[token], np.flatnonzero(data))

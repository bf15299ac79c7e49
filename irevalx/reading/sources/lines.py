"""Division of lines into columns, conversion of columns to numbers, and errors about malformed lines.

Reading spends most of its time in this module and in ``decimals``. If every line of a block contains exactly the
columns of the format, separated by single spaces or tabs, the block is split at the separators. Other blocks (with
comments, blank lines, extra columns, several spaces, or CR LF) are split at the edges between separators and tokens,
and their tokens are counted line by line. The two methods return the same columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.segments import ByteArray, FloatArray, IntArray
from irevalx.errors import MalformedLineError, quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.reading.layout import CommentStyle, Layout, encoding_hint, kind_of_file, number_hint, word_for
from irevalx.reading.sources.blocks import Block
from irevalx.reading.sources.decimals import CLOSE, OTHER, decimals, integers
from irevalx.reading.sources.first_lines import separated_by_tabs
from irevalx.reading.sources.rows import Hint
from irevalx.trec_eval import Compat, MalformedNumbers, c_double, c_doubles, c_longs

_NEWLINE, _COMMENT, _SPACE, _TAB = map(ord, "\n# \t")

_SUBJECTS = ("TOPIC", "DOCNO", "MEASURE")
"""The columns that messages about a line quote, such as its topic and document."""

Number = TypeVar("Number", int, float)

_SAMPLE = 1 << 11
"""The number of bytes, from the start of a block and again from a malformed line, that are searched to find a hint."""

ReadDoubles: TypeAlias = Callable[[Sequence[bytes]], tuple[Sequence[float], Sequence[bool]]]
"""A function that converts strings to numbers, and also returns whether each string is a plain number."""


class DataLines(Frozen):
    """The data lines of a block, split into columns."""

    path: str  # the path as the user wrote it
    names: tuple[str, ...]  # the names of the columns
    block: Block
    buffer: ByteArray  # the text of the block with padding
    start: IntArray | None
    """The offset at which each column of each line starts, or None if all tokens are separated by a single byte. The
    shape is (lines, columns)."""
    end: IntArray  # the offset at which each column of each line ends
    line: IntArray  # the 0-based line number of each data line in the block
    uneven: int | None = None
    """The index of the first data line that has more or fewer columns than the first line of the file, or None if there
    is no such line."""

    @cached_property
    def numbers(self) -> IntArray:
        """The 1-based line numbers in the file. The shape is (lines,)."""
        return self.line + self.block.first_line

    @property
    def size(self) -> int:
        """The number of data lines."""
        return self.line.size

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Names:
        column = self.names.index(name)
        start = _starts(self.end, column) if self.start is None else np.ascontiguousarray(self.start[:, column])
        return Names(self.buffer, start, self.end[:, column] - start)

    def text(self, row: int, name: str) -> bytes:
        """Return the string in a column of a data line, given the line's 0-based index."""
        column = self.names.index(name)
        if self.start is not None:
            start = self.start[row, column]
        elif row or column:
            start = self.end.ravel()[row * len(self.names) + column - 1] + 1
        else:
            start = np.int64(PADDING)
        return self.buffer[start : self.end[row, column]].tobytes()

    def whole(self, row: int) -> bytes:
        """Return the whole text of a data line, given the line's 0-based index."""
        return _line_with(self.block.text, int(self.end[row, -1]) - 1 - PADDING)

    def number_hint(self, row: int, text: bytes) -> str:
        """Return a hint about a malformed number in a data line, given the line's 0-based index."""
        fields = [self.text(row, name) for name in self.names]
        return number_hint(text, fields if "DOCNO" in self else (), is_first=int(self.numbers[row]) == 1)

    def where(self, row: int) -> str:
        """Return the location of a data line as path:line, given the line's 0-based index."""
        return f"{shown_name(self.path)}:{self.numbers[row]}"

    def describe(self, row: int) -> str:
        """Return the location, topic and document of a data line for messages, given the line's 0-based index."""
        subjects = [f"{word_for(name)} {quote(self.text(row, name))}" for name in _SUBJECTS if name in self]
        return ": ".join((self.where(row), *subjects))


def cut_lines(
    path: str,
    block: Block,
    layout: Layout,
    compat: Compat,
    *,
    columns: str | None = None,
    hint: Hint = lambda line, lines, layout: "",
    expected: int | None = None,
) -> DataLines:
    """Split the lines of a block into columns. Raise MalformedLineError if a line is malformed or contains NUL.

    ``columns`` selects one of the alternatives in the layout. ``expected`` is the number of columns in the first line
    of the file.
    """
    refuse_nul(path, block)
    names = columns or layout.columns[0]
    whole = block.text
    buffer = padded(whole)
    comments, n_columns = layout.comments_in(compat), len(names.split())
    cut, uneven = _split_at_separators(buffer, n_columns, comments), None
    if cut is None:
        cut, wrong, uneven = _split_at_boundaries(buffer, n_columns, layout, comments, expected)
        if wrong.size and layout.tabs and (by_tabs := _split_at_tabs(whole, n_columns)):
            return DataLines(path, tuple(names.split()), block, buffer, *by_tabs)
        for line in wrong[:1].tolist():
            newlines = np.flatnonzero(buffer == _NEWLINE) - PADDING
            text = _line_with(whole, int(newlines[line]))
            sample = sample_of(whole, int(newlines[line]) - len(text))
            problem = f"{layout.rule(columns)}, {line_text(text)}{after_colon(hint(text, sample, layout))}"
            raise MalformedLineError(f"{shown_name(path)}:{block.first_line + line}: {problem}")
    elif expected not in {None, n_columns}:
        uneven = 0
    return DataLines(path, tuple(names.split()), block, buffer, *cut, uneven)


def line_text(text: bytes, n_columns: int | None = None) -> str:
    """Return the end of a message about a line with an unexpected number of columns."""
    if not text.strip():
        return "but the line is blank; remove it"
    number = len(text.split()) if n_columns is None else n_columns
    return f"but the line has {number}: {quote(text)}"


def refuse_nul(path: str, block: Block) -> None:
    """Raise MalformedLineError if a block contains a NUL byte."""
    nul = block.text.find(b"\0")
    if nul >= 0:
        line = block.first_line + block.text.count(b"\n", 0, nul)
        text = _line_with(block.text, nul)
        what = block.begins_file and kind_of_file(block.text)
        problem = f"the line contains a NUL byte: {quote(text)}{after_colon(what or encoding_hint(text))}"
        raise MalformedLineError(f"{shown_name(path)}:{line}: {problem}")


def padded(text: bytes) -> ByteArray:
    """Return a text with a padding of spaces at both ends, as ``Names`` requires."""
    padding = bytes([_SPACE]) * PADDING
    return np.frombuffer(b"".join((padding, text, padding)), np.uint8)


_Cut: TypeAlias = "tuple[IntArray | None, IntArray, IntArray]"
"""A tuple of the attributes ``start``, ``end`` and ``line`` of ``DataLines``."""


def _starts(end: IntArray, column: int) -> IntArray:
    """Return the offset of the token in a column for each line of a block in which single bytes separate tokens."""
    if column:
        return end[:, column - 1] + 1
    start = np.empty(len(end), np.int64)
    start[:1] = PADDING
    start[1:] = end[:-1, -1] + 1
    return start


def _split_at_separators(buffer: ByteArray, n_columns: int, comments: CommentStyle) -> _Cut | None:
    """Split a block in which single bytes separate tokens. Return None if the block has another structure."""
    text = buffer[PADDING:-PADDING]
    separator = text <= _SPACE
    if not text.size or separator[0] or (separator[1:] & separator[:-1]).any():
        return None
    ends = np.flatnonzero(separator)
    ends += PADDING
    if ends.size % n_columns:
        return None
    end = ends.reshape(-1, n_columns)
    if (buffer[end[:, -1]] != _NEWLINE).any():
        return None
    # Only spaces and tabs separate tokens here, because other bytes below a space can be part of a token.
    between = end.size - len(end) - np.count_nonzero(text == _SPACE)
    if between and between != np.count_nonzero(text == _TAB):
        return None
    if comments is not CommentStyle.NONE and (buffer[_starts(end, 0)] == _COMMENT).any():
        return None
    return None, end, np.arange(len(end))


def _split_at_tabs(text: bytes, n_columns: int) -> _Cut | None:
    """Split lines at tabs. Return None unless each line consists of ``n_columns`` nonblank fields."""
    start, end, place = [], [], PADDING
    for line in text.split(b"\n")[:-1]:
        fields = line.strip().split(b"\t")
        if len(fields) != n_columns or not all(map(bytes.strip, fields)):
            return None
        at = place + len(line) - len(line.lstrip())
        for field in fields:
            begin = at + len(field) - len(field.lstrip())
            start.append(begin)
            end.append(begin + len(field.strip()))
            at += len(field) + 1
        place += len(line) + 1
    shape = (-1, n_columns)
    ends = np.array(end, np.int64).reshape(shape)
    return np.array(start, np.int64).reshape(shape), ends, np.arange(len(ends))


def _split_at_boundaries(
    buffer: ByteArray, n_columns: int, layout: Layout, comments: CommentStyle, expected: int | None
) -> tuple[_Cut, IntArray, int | None]:
    """Split a block at the boundaries of columns. Return the columns, the malformed lines, and ``DataLines.uneven``."""
    # Tab, newline, vertical tab, form feed and carriage return have consecutive codes. For codes below tab, the
    # subtraction wraps around.
    separator = ((buffer - np.uint8(_TAB)) < 5) | (buffer == _SPACE)
    edges = np.flatnonzero(np.diff(separator)) + 1
    starts, ends = edges[::2], edges[1::2]
    newlines = np.flatnonzero(buffer == _NEWLINE)
    counts = np.bincount(np.searchsorted(newlines, starts), minlength=newlines.size)
    first = np.cumsum(counts) - counts
    data = np.ones(newlines.size, np.bool_)
    filled = counts > 0
    if comments is not CommentStyle.NONE:
        at = starts[first[filled]]
        comment = buffer[at] == _COMMENT
        if comments is CommentStyle.AT_LINE_START:
            comment &= (buffer[at - 1] == _NEWLINE) | (at == PADDING)
        data[filled] = ~comment
    if layout.blank_lines:
        data &= filled
    wrong = data & ((counts < n_columns) | ((counts > n_columns) & (not layout.more)))
    data &= ~wrong
    token = first[data][:, None] + np.arange(n_columns)
    other = [] if expected is None else (counts[data] != expected).nonzero()[0][:1].tolist()
    cut = starts[token], ends[token], np.flatnonzero(data)
    return cut, np.flatnonzero(wrong), other[0] if other else None


def columns_in(block: Block, layout: Layout, compat: Compat) -> str | None:
    """Return the alternative of a layout's columns that fits the first data line of a block, or None."""
    comments = layout.comments_in(compat)
    numbers = {len(columns.split()): columns for columns in layout.columns}
    start = 0
    while start < len(block.text):
        line = _line_with(block.text, start)
        start += len(line) + 1
        fields = line.split(None, max(numbers))
        for number in numbers if layout.tabs else ():
            if separated_by_tabs(line, number):
                return numbers[number]
        begin = line.lstrip() if comments is CommentStyle.AFTER_SPACES else line
        if fields and not (begin.startswith(b"#") and comments is not CommentStyle.NONE):
            return numbers.get(len(fields))
    return None


def whole_numbers(
    texts: Names, malformed: MalformedNumbers, lines: DataLines, rows: IntArray | None = None
) -> IntArray:
    """Parse integers like C's ``atol``, and count malformed numbers.

    ``rows`` contains the data lines of the numbers.
    """
    values, plain = integers(texts)
    rest = (~plain).nonzero()[0]
    if rest.size:
        numbers = read_others(texts, rest, c_longs, malformed, lines, rows)
        values[rest] = np.array(numbers, np.int64)
    return values


def real_numbers(
    texts: Names, malformed: MalformedNumbers, lines: DataLines, read: ReadDoubles = c_doubles
) -> FloatArray:
    """Parse real numbers like C's ``strtod``. ``read`` parses the strings that are not plain decimal numbers."""
    values, states = decimals(texts)
    for place in np.flatnonzero(states == CLOSE).tolist():
        values[place] = float(texts.text(place))
    rest = (states == OTHER).nonzero()[0]
    if rest.size:
        values[rest] = read_others(texts, rest, read, malformed, lines)
    return values


def read_others(
    texts: Names,
    places: IntArray,
    read: Callable[[Sequence[bytes]], tuple[Sequence[Number], Sequence[bool]]],
    malformed: MalformedNumbers,
    lines: DataLines,
    rows: IntArray | None = None,
) -> Sequence[Number]:
    """Parse the strings that ``decimals`` does not support, given their indices, and count malformed numbers."""
    selected = texts.take(places).texts()
    values, plain = read(selected)
    n_malformed = plain.count(False)
    if n_malformed:
        first = plain.index(False)
        read_as = f"{values[first]:g}" if read is c_doubles else str(values[first])
        row = int(places[first] if rows is None else rows[places[first]])
        is_real = bool(malformed.if_real) and c_double(selected[first])[1]
        hint = malformed.if_real if is_real else lines.number_hint(row, selected[first])
        malformed.add(n_malformed, lines.describe(row), quote(selected[first]), read_as, hint)
    return values


def as_precise(x: FloatArray, compat: Compat) -> FloatArray:
    """Round scores or levels of preferences to the precision of the emulated trec_eval: 32 bits in version 9."""
    if not compat.single_precision_scores:
        return x
    with np.errstate(over="ignore"):
        return x.astype(np.float32).astype(np.float64)


def sample_of(text: bytes, place: int) -> bytes:
    """Return the first lines of a text, followed by some lines from the offset ``place`` on."""
    parts = [text[: min(place, _SAMPLE)], text[place : place + _SAMPLE]]
    return b"".join(part[: part.rfind(b"\n") + 1] or part[:_SAMPLE] + b"\n" * bool(part) for part in parts)


def after_colon(text: str) -> str:
    """Return a colon and a hint, which can be appended to a message, or "" if there is no hint."""
    return f": {text}" if text else ""


def _line_with(text: bytes, place: int) -> bytes:
    """Return the line that contains the byte at offset ``place``, without the newline."""
    end = text.find(b"\n", place)
    return text[text.rfind(b"\n", 0, place) + 1 : len(text) if end < 0 else end]

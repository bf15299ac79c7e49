"""What the readers of all formats share: lines to columns, columns to numbers, and the errors about both.

Here and in ``decimals`` is where the time goes. A block in which every line has exactly the columns of its format,
separated by single spaces or tabs, is cut at its separators. Any other block (comments, blank lines, extra columns,
several spaces, CR LF) is cut where separators and tokens meet, and its tokens are counted line by line. Both ways give
the same columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.segments import ByteArray, FloatArray, IntArray
from irevalx.errors import MalformedLineError, quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.reading.beginnings import separated_by_tabs
from irevalx.reading.blocks import Block
from irevalx.reading.csv_lines import from_csv
from irevalx.reading.decimals import CLOSE, OTHER, decimals, integers
from irevalx.reading.hints import encoding_hint, kind_of_file, number_hint
from irevalx.reading.layout import Comments, Layout, word_for
from irevalx.trec_eval.numbers import MalformedNumbers, c_double, c_doubles, c_longs
from irevalx.trec_eval.versions import Compat

_NEWLINE, _COMMENT, _SPACE, _TAB = map(ord, "\n# \t")

_SUBJECTS = ("TOPIC", "DOCNO", "MEASURE")
"""The columns that say what a line is about."""

Number = TypeVar("Number", int, float)

Hint: TypeAlias = Callable[[bytes, bytes, Layout], str]
"""Returns what a malformed line looks like, given lines of the file and the layout; "" where it is nothing known."""

_SAMPLE = 1 << 11
"""The number of bytes, of the first lines of a block and from a malformed line on, that a hint is made of."""

ReadDoubles: TypeAlias = Callable[[Sequence[bytes]], tuple[Sequence[float], Sequence[bool]]]
"""Reads texts as numbers, and tells of each whether it is a plain number."""


class DataLines(Frozen):
    """The data lines of a block, cut into columns.

    Parameters
    ----------
    path : the file as the user named it.
    names : of the columns, in order.
    block : what was cut.
    buffer : the text of the block, padded.
    start, end : shape (lines, columns); where each token lies in the buffer. Without ``start``, each begins after the
        one before and a single separator.
    line : shape (lines,); the 0-based line of the block.
    uneven : the first data line, counted from 0, with another number of columns than the first of the file; None if
        there is none.
    """

    path: str
    names: tuple[str, ...]
    block: Block
    buffer: ByteArray
    start: IntArray | None
    end: IntArray
    line: IntArray
    uneven: int | None = None

    @cached_property
    def numbers(self) -> IntArray:
        """The 1-based line of the file; shape (lines,)."""
        return self.line + self.block.first_line

    @property
    def size(self) -> int:
        """How many there are."""
        return self.line.size

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Names:
        column = self.names.index(name)
        start = _starts(self.end, column) if self.start is None else np.ascontiguousarray(self.start[:, column])
        return Names(self.buffer, start, self.end[:, column] - start)

    def text(self, row: int, name: str) -> bytes:
        """Return one column of a data line, counted from 0."""
        column = self.names.index(name)
        if self.start is not None:
            start = self.start[row, column]
        elif row or column:
            start = self.end.ravel()[row * len(self.names) + column - 1] + 1
        else:
            start = np.int64(PADDING)
        return self.buffer[start : self.end[row, column]].tobytes()

    def whole(self, row: int) -> bytes:
        """Return a data line, counted from 0, as the file has it."""
        return _line_with(self.block.text, int(self.end[row, -1]) - 1 - PADDING)

    def number_hint(self, row: int, text: bytes) -> str:
        """Return what a text that is no number looks like in a data line, counted from 0."""
        fields = [self.text(row, name) for name in self.names]
        return number_hint(text, fields if "DOCNO" in self else (), is_first=int(self.numbers[row]) == 1)

    def where(self, row: int) -> str:
        """Return where a data line is, counted from 0: path:line."""
        return f"{shown_name(self.path)}:{self.numbers[row]}"

    def describe(self, row: int) -> str:
        """Return what a data line is about, counted from 0: path:line: topic: document."""
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
    """Cut the lines of a block into columns.

    Parameters
    ----------
    path : of the file, for messages.
    layout : how a line is made.
    compat : whether lines are comments as in trec_eval 9 or 10.
    columns : those that the file has, where the layout has several to choose from.
    hint : what a message says too.
    expected : how many columns the first data line of the file has; None where that is not known.

    Raises
    ------
    MalformedLineError : a line does not have its columns, or holds a NUL byte; or the header is not there.
    """
    nul = block.text.find(b"\0")
    if nul >= 0:
        line = block.first_line + block.text.count(b"\n", 0, nul)
        text = _line_with(block.text, nul)
        what = block.begins_file and kind_of_file(block.text)
        problem = f"the line contains a NUL byte: {quote(text)}{_after_colon(what or encoding_hint(text))}"
        raise MalformedLineError(f"{shown_name(path)}:{line}: {problem}")
    names = columns or layout.columns[0]
    if layout.header and block.begins_file:
        block = _without_header(path, block, layout, hint)
    whole = from_csv(path, block, layout.separator) if layout.separator else block.text
    padding = bytes([_SPACE]) * PADDING
    buffer = np.frombuffer(b"".join((padding, whole, padding)), np.uint8)
    comments, n_columns = layout.comments_in(compat), len(names.split())
    cut, uneven = _cut_at_separators(buffer, n_columns, comments), None
    if cut is None:
        cut, wrong, uneven = _cut_where_they_meet(buffer, n_columns, layout, comments, expected)
        if wrong.size and layout.tabs and (by_tabs := _cut_at_tabs(whole, n_columns)):
            return DataLines(path, tuple(names.split()), block, buffer, *by_tabs)
        for line in wrong[:1].tolist():
            newlines = np.flatnonzero(buffer == _NEWLINE) - PADDING
            text = _line_with(whole, int(newlines[line]))
            sample = _sample(whole, int(newlines[line]) - len(text))
            problem = f"{layout.rule(columns)}, but got {quote(text)}{_after_colon(hint(text, sample, layout))}"
            raise MalformedLineError(f"{shown_name(path)}:{block.first_line + line}: {problem}")
    elif expected not in {None, n_columns}:
        uneven = 0
    return DataLines(path, tuple(names.split()), block, buffer, *cut, uneven)


_Cut: TypeAlias = "tuple[IntArray | None, IntArray, IntArray]"
"""``start``, ``end`` and ``line`` of ``DataLines``."""


def _starts(end: IntArray, column: int) -> IntArray:
    """Return where the tokens of a column begin, each after the one before and a single separator."""
    if column:
        return end[:, column - 1] + 1
    start = np.empty(len(end), np.int64)
    start[:1] = PADDING
    start[1:] = end[:-1, -1] + 1
    return start


def _cut_at_separators(buffer: ByteArray, n_columns: int, comments: Comments) -> _Cut | None:
    """Cut a block whose lines are all alike, with one separator after each token; None if it is not such a block."""
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
    # Spaces and tabs are all that may stand between tokens here: other bytes below a space may be part of one.
    between = end.size - len(end) - np.count_nonzero(text == _SPACE)
    if between and between != np.count_nonzero(text == _TAB):
        return None
    if comments is not Comments.NONE and (buffer[_starts(end, 0)] == _COMMENT).any():
        return None
    return None, end, np.arange(len(end))


def _cut_at_tabs(text: bytes, n_columns: int) -> _Cut | None:
    """Cut a block in which each line has a field more than tabs; None if it is not such a block."""
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


def _cut_where_they_meet(
    buffer: ByteArray, n_columns: int, layout: Layout, comments: Comments, expected: int | None
) -> tuple[_Cut, IntArray, int | None]:
    """Cut any block: where separators and tokens meet.

    Returns
    -------
    cut : into columns.
    wrong : the lines with too few or too many tokens.
    uneven : as ``DataLines`` has it.
    """
    # Tab, newline, vertical tab, form feed and carriage return are neighbours; below tab, subtraction wraps around.
    separator = ((buffer - np.uint8(_TAB)) < 5) | (buffer == _SPACE)
    edges = np.flatnonzero(np.diff(separator)) + 1
    starts, ends = edges[::2], edges[1::2]
    newlines = np.flatnonzero(buffer == _NEWLINE)
    counts = np.bincount(np.searchsorted(newlines, starts), minlength=newlines.size)
    first = np.cumsum(counts) - counts
    data = np.ones(newlines.size, np.bool_)
    filled = counts > 0
    if comments is not Comments.NONE:
        at = starts[first[filled]]
        comment = buffer[at] == _COMMENT
        if comments is Comments.AT_LINE_START:
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
    """Return which columns of a layout the first data line of a block has; None where it has others, or is none."""
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
        begin = line.lstrip() if comments is Comments.AFTER_SPACES else line
        if fields and not (begin.startswith(b"#") and comments is not Comments.NONE):
            return numbers.get(len(fields))
    return None


def whole_numbers(
    texts: Names, malformed: MalformedNumbers, lines: DataLines, rows: IntArray | None = None
) -> IntArray:
    """Read a column as C's ``atol`` reads it.

    Parameters
    ----------
    texts : shape (n,).
    malformed : gets those that are no plain numbers.
    lines : that they stand in, for the message.
    rows : shape (n,); which of the lines these are; None for all.
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
    """Read a column as C's ``strtod`` reads it.

    Parameters
    ----------
    texts, malformed, describe : as for ``whole_numbers``.
    read : what reads texts that are not plain decimals, as ``c_doubles`` does.
    """
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
    """Return numbers that are not read in words of eight characters, and note those that are not plain.

    Parameters
    ----------
    texts : of a column.
    places : of the texts to read, ascending; at least one.
    read : ``c_longs`` or ``c_doubles``.
    malformed, lines, rows : as for ``whole_numbers``.
    """
    some = texts.take(places).texts()
    values, plain = read(some)
    n_malformed = plain.count(False)
    if n_malformed:
        first = plain.index(False)
        read_as = f"{values[first]:g}" if read is c_doubles else str(values[first])
        row = int(places[first] if rows is None else rows[places[first]])
        is_real = bool(malformed.if_real) and c_double(some[first])[1]
        hint = malformed.if_real if is_real else lines.number_hint(row, some[first])
        malformed.add(n_malformed, lines.describe(row), quote(some[first]), read_as, hint)
    return values


def as_precise(x: FloatArray, compat: Compat) -> FloatArray:
    """Round to what the version keeps of scores and of the levels of preferences: 32-bit numbers in 9."""
    if not compat.single_precision_scores:
        return x
    with np.errstate(over="ignore"):
        return x.astype(np.float32).astype(np.float64)


def _without_header(path: str, block: Block, layout: Layout, hint: Hint) -> Block:
    """Return the first block of a file without its first line.

    Raises
    ------
    MalformedLineError : that line is not the header.
    """
    line, newline, rest = block.text.partition(b"\n")
    if newline and line.split() != layout.header.encode().split():
        problem = f"the first line must be the header {layout.header}, not {quote(line)}"
        what = hint(line, _sample(block.text, 0), layout)
        raise MalformedLineError(f"{shown_name(path)}:1: {problem}{_after_colon(what)}")
    return Block(rest, 2)


def _sample(text: bytes, place: int) -> bytes:
    """Return the first lines of a text and some from a place on, which is where a line begins."""
    parts = [text[: min(place, _SAMPLE)], text[place : place + _SAMPLE]]
    return b"".join(part[: part.rfind(b"\n") + 1] or part[:_SAMPLE] + b"\n" * bool(part) for part in parts)


def _after_colon(text: str) -> str:
    return f": {text}" if text else ""


def _line_with(text: bytes, place: int) -> bytes:
    """Return the line that has this byte, without its newline."""
    end = text.find(b"\n", place)
    return text[text.rfind(b"\n", 0, place) + 1 : len(text) if end < 0 else end]

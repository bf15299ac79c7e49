"""Blocks of whole topics from files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np

from irevalx.errors import MalformedLineError, UnreadableFileError, quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.reading.layout import long_line_hint
from irevalx.reading.sources.files import CHUNK_SIZE, LONGEST_LINE, NEWLINE, Source


class TopicRows(Protocol):
    """Blocks of lines of a file that end between topics, for one or several processes."""

    @property
    def topics(self) -> Collection[bytes]:
        """The topics of these lines."""


Part = TypeVar("Part", bound=TopicRows)

MOST_SHARE = 1 << 26
"""Maximum size of a range in bytes; a worker reports progress after each range."""


class Block(Frozen):
    """A block of whole lines of a file."""

    text: bytes  # each line ends with a newline
    line: int  # 1-based number of the first line, counted from the beginning of the range, or of the file without one
    share: FileRange | None = None  # the range of the file that it was read from, if the file is read in ranges
    columns: str | None = None  # the columns of the file, if its first data line decides on them

    @property
    def first_line(self) -> int:
        """The 1-based line number of the first line of the range; this can require counting the lines before it."""
        return self.line + (self.share.lines_before if self.share else 0)

    @property
    def begins_file(self) -> bool:
        """Whether it is the first block of the file."""
        return self.line == 1 and not (self.share and self.share.begin)


def line_counter(source: Source) -> Callable[[int], int]:
    """Return a function that counts the lines of a file before an offset, if possible from the previous offset on."""
    place, lines = 0, 0

    def up_to(end: int) -> int:
        nonlocal place, lines
        if end < place:
            place, lines = 0, 0
        if end > place:
            lines += sum(map(count_lines, source.chunks(CHUNK_SIZE, text=False, begin=place, end=end)))
            place = end
        return lines

    return up_to


class FileRange(Frozen):
    """A byte range of an uncompressed file for one process; it begins and ends between topics."""

    source: Source
    begin: int
    end: int  # exclusive
    count: Callable[[int], int]  # returns the number of lines before a byte offset

    @cached_property
    def lines_before(self) -> int:
        """The number of lines before the range."""
        return self.count(self.begin)

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the range, split like the blocks of ``blocks_of``."""
        chunks = self.source.chunks(CHUNK_SIZE, begin=self.begin, end=self.end)
        for block in whole_topics(chunks, where=lambda line: _place(self.source, line + self.lines_before)):
            yield Block(block.text, block.line, self)


def file_ranges(source: Source, processes: int) -> list[FileRange]:
    """Return the byte ranges of an uncompressed file for several processes; empty if it cannot be divided.

    The first range begins with the first block of ``blocks_of``, because warnings refer to this block.
    """
    size = source.size
    if not source.is_plain_file:
        return []
    number = processes * -(-size // (processes * MOST_SHARE))
    try:
        least = _read_for_first_block(source)
        places = [max(least, part * size // number) for part in range(number)]
        begins = [0, *filter(None, (_topic_between(source, *pair) for pair in pairwise(places)))]
    except (UnreadableFileError, MalformedLineError):  # the error is raised when the file is read
        return []
    count = line_counter(source)
    return [FileRange(source, begin, end, count) for begin, end in pairwise([*begins, size])] if begins[1:] else []


def _read_for_first_block(source: Source) -> int:
    """Return the number of bytes that ``blocks_of`` reads before its first block; shorter files can differ."""
    sizes: list[int] = []

    def chunks() -> Iterator[bytes]:
        for chunk in source.chunks(CHUNK_SIZE):
            sizes.append(len(chunk))
            yield chunk

    next(whole_topics(chunks()))
    return sum(sizes)


def _topic_between(source: Source, least: int, end: int) -> int:
    """Return the offset of the last topic that begins between two offsets; 0 if no topic begins there."""
    size = CHUNK_SIZE
    begin = end
    while begin > least:
        begin = max(end - size, least)
        text = b"".join(source.chunks(CHUNK_SIZE, text=False, begin=begin, end=end))
        cut = _start_of_last_topic(text)
        if cut > text.find(NEWLINE) + 1:  # the first line, and its topic, can begin before the text
            return begin + cut
        size *= 2
    return 0


def first_word(line: bytes) -> list[bytes]:
    """Return the topic of a line, which is its first word; empty for a blank line."""
    return line.split(None, 1)[:1]


def blocks_of(source: Source, topic_of: Callable[[bytes], object] = first_word) -> Iterator[Block]:
    """Yield blocks that end between topics, if topics are contiguous; afterwards, ``whole_file`` can read any input."""
    return whole_topics(source.chunks(CHUNK_SIZE, again=True), topic_of, lambda line: _place(source, line))


def whole_file(source: Source, *, in_lines: bool = True) -> Block:
    """Return the file as one block that ends with the first chunk that contains a NUL byte, which is an error.

    If the file consists of lines, a line longer than ``LONGEST_LINE`` raises MalformedLineError.
    """
    read: list[bytes] = []
    length = 0
    for chunk in source.chunks(CHUNK_SIZE):
        read.append(chunk)
        length = _last_line(read, length, lambda line: _place(source, line)) if in_lines else 0
        if b"\0" in chunk:
            break
    return Block(b"".join(read), 1)


def whole_topics(
    chunks: Iterable[bytes],
    topic_of: Callable[[bytes], object] = first_word,
    where: Callable[[int], str] = "line {}".format,
) -> Iterator[Block]:
    """Yield blocks of whole topics with about the size of a chunk, or of a single topic if it is larger.

    A line longer than ``LONGEST_LINE`` raises MalformedLineError; ``where`` returns its location, given its number.
    """
    pieces: list[bytes] = []
    size = length = 0
    least = 1
    line = 1
    for chunk in chunks:
        pieces.append(chunk)
        size += len(chunk)
        length = _last_line(pieces, length, where, line)
        if size < least:
            continue
        text = b"".join(pieces)
        cut = _start_of_last_topic(text, topic_of)
        if cut == 0:
            # A single topic so far: search again at twice the size, so that a long topic is not copied repeatedly.
            pieces, least = [text], 2 * size
            if b"\0" in chunk:
                break  # the file is invalid, and gigabytes of NUL bytes can follow
            continue
        block = Block(text[:cut], line)
        yield block
        line += count_lines(block.text)
        pieces, size, least = [text[cut:]], size - cut, 1
    if size:
        text = b"".join(pieces)
        pieces.clear()  # so that a long topic is in memory only once
        yield Block(text, line)


def _place(source: Source, line: int) -> str:
    return f"{shown_name(source.path)}:{line}"


def _last_line(pieces: Sequence[bytes], length: int, where: Callable[[int], str], first: int = 1) -> int:
    """Return the length of the incomplete last line of these pieces, given its length before the last piece.

    A line longer than ``LONGEST_LINE`` raises MalformedLineError; ``first`` is the number of the first line.
    """
    *others, last = pieces
    end = last.find(NEWLINE)
    length += len(last) if end < 0 else end
    if length > LONGEST_LINE:
        text = b"".join(others)
        begin = text[text.rfind(NEWLINE) + 1 :] or last
        raise MalformedLineError(
            f"{where(first + count_lines(text))}: the line is longer than {LONGEST_LINE >> 20} MiB: {quote(begin)}: "
            f"{long_line_hint(begin)}"
        )
    return length if end < 0 else len(last) - 1 - last.rfind(NEWLINE)


def each_topic_once(
    parts: Iterable[Part], read_again: Callable[[], Iterable[Part]], unread: Iterable[object] = ()
) -> list[Part]:
    """Return parts of a file with disjoint topics; if lines of a topic are scattered, the file is read as a whole."""
    collected: list[Part] = []
    if until_topic_returns(parts, collected):
        for _ in unread:  # a pipe can only be read again after its end
            pass
        return list(read_again())
    return collected


def until_topic_returns(parts: Iterable[Part], collected: list[Part]) -> list[Part]:
    """Append parts to ``collected`` until a part repeats an earlier topic; return that part in a list."""
    seen: set[bytes] = set()
    for part in parts:
        if not seen.isdisjoint(part.topics):
            return [part]
        seen.update(part.topics)
        collected.append(part)
    return []


def count_lines(text: bytes) -> int:
    """Return the number of newlines; several times faster than ``bytes.count``."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(NEWLINE)))


def _start_of_last_topic(text: bytes, topic_of: Callable[[bytes], object] = first_word) -> int:
    """Return the offset of the last topic with a complete line; 0 if no other topic precedes it.

    The search proceeds backwards in increasing steps: lines between two lines of a topic are assumed to belong to it.
    Otherwise, a topic occurs in two blocks, and ``each_topic_once`` reads the file again as a whole.
    """
    end = text.rfind(NEWLINE) + 1
    if end == 0:
        return 0
    start = _line_with(text, end - 1)
    topic = topic_of(text[start:end])
    if not topic:
        return start
    leap = 64
    other = -1  # offset of the last line that is known to belong to another topic
    while start > 0:
        at = _line_with(text, start - leap) if leap < start else 0
        if at > other and topic_of(text[at : text.index(NEWLINE, at)]) == topic:
            start = at
            leap *= 2
            continue
        other = max(other, at)
        if leap <= 1:
            break
        leap //= 2
    return start


def _line_with(text: bytes, place: int) -> int:
    """Return the offset of the line that contains this byte."""
    return text.rfind(NEWLINE, 0, place) + 1

"""Division of files into blocks of lines, in which no topic is split across blocks."""

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
    """A block of lines that contains whole topics, or the result of parsing a block."""

    @property
    def topics(self) -> Collection[bytes]:
        """The topics in this block."""


Part = TypeVar("Part", bound=TopicRows)

MOST_SHARE = 1 << 26
"""The maximum size in bytes of a file range. Worker processes report their progress after each range."""


class Block(Frozen):
    """A block of whole lines from a file."""

    text: bytes  # each line ends with a newline
    line: int  # the 1-based number of the first line in the range, or in the file if there is no range
    share: FileRange | None = None  # the range that contains the block, if the file is read in ranges
    columns: str | None = None  # the columns of the file, if the first data line determines them

    @property
    def first_line(self) -> int:
        """The 1-based line number of the first line. If necessary, the lines before the range are counted."""
        return self.line + (self.share.lines_before if self.share else 0)

    @property
    def begins_file(self) -> bool:
        """Whether the file begins with this block."""
        return self.line == 1 and not (self.share and self.share.begin)


def line_counter(source: Source) -> Callable[[int], int]:
    """Return a function that counts the lines before an offset, continuing from the previous call if possible."""
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
    """A byte range of an uncompressed file, which is read by one process. No topic is split across ranges."""

    source: Source
    begin: int
    end: int  # the offset after the last byte of the range
    count: Callable[[int], int]  # returns the number of lines before an offset

    @cached_property
    def lines_before(self) -> int:
        """The number of lines before the range."""
        return self.count(self.begin)

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the range, each of which contains whole topics."""
        chunks = self.source.chunks(CHUNK_SIZE, begin=self.begin, end=self.end)
        for block in whole_topics(chunks, where=lambda line: _place(self.source, line + self.lines_before)):
            yield Block(block.text, block.line, self)


def file_ranges(source: Source, processes: int) -> list[FileRange]:
    """Divide an uncompressed file into byte ranges for several processes. If this is impossible, return [].

    The first range contains at least the first block that ``blocks_of`` yields, so that warnings about this block do
    not depend on the number of processes.
    """
    size = source.size
    if not source.is_plain_file:
        return []
    number = processes * -(-size // (processes * MOST_SHARE))
    try:
        least = _read_for_first_block(source)
        places = [max(least, part * size // number) for part in range(number)]
        begins = [0, *filter(None, (_topic_between(source, *pair) for pair in pairwise(places)))]
    except (UnreadableFileError, MalformedLineError):  # raised again when the file is read
        return []
    count = line_counter(source)
    return [FileRange(source, begin, end, count) for begin, end in pairwise([*begins, size])] if begins[1:] else []


def _read_for_first_block(source: Source) -> int:
    """Return the number of bytes that ``blocks_of`` reads before it yields the first block."""
    sizes: list[int] = []

    def chunks() -> Iterator[bytes]:
        for chunk in source.chunks(CHUNK_SIZE):
            sizes.append(len(chunk))
            yield chunk

    next(whole_topics(chunks()))
    return sum(sizes)


def _topic_between(source: Source, least: int, end: int) -> int:
    """Return the offset of the last topic that starts between two offsets, or 0 if no topic starts between them."""
    size = CHUNK_SIZE
    begin = end
    while begin > least:
        begin = max(end - size, least)
        text = b"".join(source.chunks(CHUNK_SIZE, text=False, begin=begin, end=end))
        cut = _start_of_last_topic(text)
        if cut > text.find(NEWLINE) + 1:  # the first line and its topic can start before ``begin``
            return begin + cut
        size *= 2
    return 0


def first_word(line: bytes) -> list[bytes]:
    """Return a list with the first word of a line, which is the topic, or an empty list for a blank line."""
    return line.split(None, 1)[:1]


def blocks_of(source: Source, topic_of: Callable[[bytes], object] = first_word) -> Iterator[Block]:
    """Yield blocks of a file. If topics are contiguous, no topic is split. A pipe can be read again afterwards."""
    return whole_topics(source.chunks(CHUNK_SIZE, again=True), topic_of, lambda line: _place(source, line))


def whole_file(source: Source, *, in_lines: bool = True) -> Block:
    """Read a whole file as one block. Reading stops after the first chunk that contains a NUL byte.

    The caller reports the NUL byte as an error, so that the rest of the file is not needed. If ``in_lines`` is true,
    raise MalformedLineError if a line is longer than ``LONGEST_LINE``.
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
    """Yield blocks of whole topics. A block is about as large as a chunk, or as large as a topic that exceeds a chunk.

    Raise MalformedLineError if a line is longer than ``LONGEST_LINE``. ``where`` returns the location of a line for the
    message, given the line number.
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
            # All text belongs to a single topic. Search again at twice the size, so that a long topic is not copied
            # repeatedly.
            pieces, least = [text], 2 * size
            if b"\0" in chunk:
                break  # the file is invalid; more NUL bytes can follow
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
    """Return the length of the incomplete last line. ``length`` is the length of the line without the last piece.

    Raise MalformedLineError if a line is longer than ``LONGEST_LINE``. ``first`` is the number of the first line.
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
    """Return the parsed parts of a file. If a topic occurs in two parts, parse the whole file as one part instead."""
    collected: list[Part] = []
    if until_topic_returns(parts, collected):
        for _ in unread:  # a pipe must be read to its end first
            pass
        return list(read_again())
    return collected


def until_topic_returns(parts: Iterable[Part], collected: list[Part]) -> list[Part]:
    """Append parts to ``collected`` until a part repeats a topic.

    Return a list of the part that repeats a topic, or an empty list.
    """
    seen: set[bytes] = set()
    for part in parts:
        if not seen.isdisjoint(part.topics):
            return [part]
        seen.update(part.topics)
        collected.append(part)
    return []


def count_lines(text: bytes) -> int:
    """Return the number of newlines, in a fraction of the time of ``bytes.count``."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(NEWLINE)))


def _start_of_last_topic(text: bytes, topic_of: Callable[[bytes], object] = first_word) -> int:
    """Return the offset of the last topic in the complete lines of ``text``, or 0 if no other topic precedes it.

    The search goes backwards in increasing steps. The assumption is that all lines between two lines of a topic belong
    to the topic. If this assumption is wrong, a topic occurs in two blocks, and ``each_topic_once`` reads the file
    again as a whole.
    """
    end = text.rfind(NEWLINE) + 1
    if end == 0:
        return 0
    start = _line_with(text, end - 1)
    topic = topic_of(text[start:end])
    if not topic:
        return start
    leap = 64
    other = -1  # the offset of the last line known to belong to another topic
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
    """Return the offset of the start of the line that contains the byte at ``place``."""
    return text.rfind(NEWLINE, 0, place) + 1

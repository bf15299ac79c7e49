"""Files to blocks of whole topics, counted in lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np

from irevalx.errors import UnreadableFileError
from irevalx.frozen import Frozen, cached_property
from irevalx.reading.source import CHUNK_SIZE, NEWLINE, Source


class HasTopics(Protocol):
    """What is made of some lines of a file."""

    @property
    def topics(self) -> Collection[bytes]:
        """The topics of these lines."""


Part = TypeVar("Part", bound=HasTopics)

MOST_SHARE = 1 << 26
"""Bytes of a file after which a process tells how far it is."""


class Block(Frozen):
    """Some lines of a file.

    Parameters
    ----------
    text : whole lines, each with its newline.
    line : the 1-based number of the first, counted from the beginning of the share, or of the file.
    share : what it is a part of, where the file is read in shares.
    """

    text: bytes
    line: int
    share: Share | None = None

    @property
    def first_line(self) -> int:
        """The 1-based number of the first line in the file; to know it, a process may have to count those before."""
        return self.line + (self.share.lines_before if self.share else 0)

    @property
    def begins_file(self) -> bool:
        """Whether it begins where the file does."""
        return self.line == 1 and not (self.share and self.share.begin)


def line_counter(source: Source) -> Callable[[int], int]:
    """Return what counts the lines of a plain file that end before a byte, when a message asks for their number.

    It counts on from the byte that was asked for last, if that helps.
    """
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


class Share(Frozen):
    """The part of a plain file that one process reads; it begins and ends between topics.

    Parameters
    ----------
    source : the file.
    begin, end : the first byte, and the one after the last.
    count : counts the lines before a byte.
    """

    source: Source
    begin: int
    end: int
    count: Callable[[int], int]

    @cached_property
    def lines_before(self) -> int:
        """How many lines of the file are before it."""
        return self.count(self.begin)

    def blocks(self) -> Iterator[Block]:
        """Read it as ``blocks_of`` reads a file; raises as that does."""
        for block in whole_topics(self.source.chunks(CHUNK_SIZE, begin=self.begin, end=self.end)):
            yield Block(block.text, block.line, self)


def shares_of(source: Source, processes: int) -> list[Share]:
    """Return the parts of a plain file that several processes read in turn, one after the other in the file.

    There is one for each process, or the same number for each where the file is big; fewer where a topic is longer than
    a share. The first one begins with the first block that ``blocks_of`` yields: warnings are about that block.

    Parameters
    ----------
    processes : how many there are.

    Returns
    -------
    Nothing where the file is compressed, cannot be read, or is not made of several topics.
    """
    size = source.size
    if not source.is_plain_file:
        return []
    number = processes * -(-size // (processes * MOST_SHARE))
    try:
        least = _read_for_first_block(source)
        places = [max(least, part * size // number) for part in range(number)]
        begins = [0, *filter(None, (_topic_between(source, *pair) for pair in pairwise(places)))]
    except UnreadableFileError:  # so is what one process says about it
        return []
    count = line_counter(source)
    return [Share(source, begin, end, count) for begin, end in pairwise([*begins, size])] if begins[1:] else []


def _read_for_first_block(source: Source) -> int:
    """Return how many bytes ``blocks_of`` reads before it yields: a file that ends earlier may be cut elsewhere."""
    sizes: list[int] = []

    def chunks() -> Iterator[bytes]:
        for chunk in source.chunks(CHUNK_SIZE):
            sizes.append(len(chunk))
            yield chunk

    next(whole_topics(chunks()))
    return sum(sizes)


def _topic_between(source: Source, least: int, end: int) -> int:
    """Return the byte with which the last topic begins of the lines between two bytes; 0 if no topic begins there."""
    size = CHUNK_SIZE
    begin = end
    while begin > least:
        begin = max(end - size, least)
        text = b"".join(source.chunks(CHUNK_SIZE, text=False, begin=begin, end=end))
        cut = _start_of_last_topic(text)
        if cut > text.find(NEWLINE) + 1:  # the first line may have begun before the text, and its topic too
            return begin + cut
        size *= 2
    return 0


def blocks_of(source: Source, *, again: bool = True) -> Iterator[Block]:
    """Read a file as blocks that end between topics, as far as the lines of a topic stand together.

    Parameters
    ----------
    again : whether it may have to be read once more, as ``whole_file``; what cannot be sought is kept for that.

    Raises
    ------
    UnreadableFileError
    """
    return whole_topics(source.chunks(CHUNK_SIZE, again=again))


def whole_file(source: Source) -> Block:
    """Read a file as one block; nothing after the first chunk with a NUL byte, which is an error, whatever follows.

    Raises
    ------
    UnreadableFileError
    """
    read = []
    for chunk in source.chunks(CHUNK_SIZE):
        read.append(chunk)
        if b"\0" in chunk:
            break
    return Block(b"".join(read), 1)


def whole_topics(chunks: Iterable[bytes]) -> Iterator[Block]:
    """Cut a file between topics, as far as the lines of a topic stand together.

    Parameters
    ----------
    chunks : the file, cut anywhere, with a newline at its end.

    Yields
    ------
    Blocks that end where a topic does, of about the size of a chunk or, where a topic is longer, that of the topic.
    Nothing comes after a block of one topic, or of part of a line, that has a NUL byte.
    """
    pieces: list[bytes] = []
    size = 0
    wanted = 1
    line = 1
    for chunk in chunks:
        pieces.append(chunk)
        size += len(chunk)
        if size < wanted:
            continue
        text = b"".join(pieces)
        cut = _start_of_last_topic(text)
        if cut == 0:
            # One topic so far: look again when there is twice as much, so that a long one is not copied too often.
            pieces, wanted = [text], 2 * size
            if b"\0" in chunk:
                break  # an error, whatever follows: it could be NUL for gigabytes
            continue
        block = Block(text[:cut], line)
        yield block
        line += count_lines(block.text)
        pieces, size, wanted = [text[cut:]], size - cut, 1
    if size:
        text = b"".join(pieces)
        pieces.clear()  # which a long topic would have twice, as long as its block is in use
        yield Block(text, line)


def each_topic_once(
    parts: Iterable[Part], read_again: Callable[[], Iterable[Part]], unread: Iterable[object] = ()
) -> list[Part]:
    """Collect the parts of a file, in no two of which there is the same topic.

    As soon as a topic returns, its lines do not stand together, and only the whole file can be grouped: it is read
    again.

    Parameters
    ----------
    parts : what was made of each block, with its ``topics``.
    read_again : returns what is made of the whole file, in parts without a common topic.
    unread : the blocks that have not been looked at yet. A pipe can be read again when it has been read to its end.
    """
    collected: list[Part] = []
    if until_topic_returns(parts, collected):
        for _ in unread:
            pass
        return list(read_again())
    return collected


def until_topic_returns(parts: Iterable[Part], collected: list[Part]) -> list[Part]:
    """Collect the parts of a file until one has a topic of one before it.

    Parameters
    ----------
    collected : gets the parts before that, one by one.

    Returns
    -------
    That part; nothing if no topic returns.
    """
    seen: set[bytes] = set()
    for part in parts:
        if not seen.isdisjoint(part.topics):
            return [part]
        seen.update(part.topics)
        collected.append(part)
    return []


def count_lines(text: bytes) -> int:
    """Return the number of newlines (several times as fast as ``bytes.count``)."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(NEWLINE)))


def _start_of_last_topic(text: bytes) -> int:
    """Return where the lines of the last topic begin that has a whole line; 0 if there is no other before it.

    The search leaps back over lines, which are taken to belong together if the first and the last of them are of one
    topic. Where that is wrong a topic returns, which ``each_topic_once`` finds out.
    """
    end = text.rfind(NEWLINE) + 1
    if end == 0:
        return 0
    start = _line_with(text, end - 1)
    fields = text[start:end].split(None, 1)
    if not fields:
        return start
    topic = fields[0]
    leap = 64
    other = -1  # the last line that is known to be of another topic begins here
    while start > 0:
        at = _line_with(text, start - leap) if leap < start else 0
        if at > other and _has_topic(text, at, topic):
            start = at
            leap *= 2
            continue
        other = max(other, at)
        if leap <= 1:
            break
        leap //= 2
    return start


def _line_with(text: bytes, place: int) -> int:
    """Return where the line with this byte begins."""
    return text.rfind(NEWLINE, 0, place) + 1


def _has_topic(text: bytes, start: int, topic: bytes) -> bool:
    """Return whether the first token of the line that begins here is this topic."""
    return text[start : text.index(NEWLINE, start)].split(None, 1)[:1] == [topic]

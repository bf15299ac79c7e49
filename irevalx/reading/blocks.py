"""Files to blocks of whole topics, counted in lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Protocol, TypeVar

import numpy as np

from irevalx.frozen import Frozen
from irevalx.reading.source import CHUNK_SIZE, Source


class HasTopics(Protocol):
    """What is made of some lines of a file."""

    @property
    def topics(self) -> Collection[bytes]:
        """The topics of these lines."""


Part = TypeVar("Part", bound=HasTopics)

_NEWLINE = b"\n"


class Block(Frozen):
    """Some lines of a file.

    Parameters
    ----------
    text : whole lines, each with its newline.
    first_line : the 1-based number of the first.
    """

    text: bytes
    first_line: int


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
    """Read a file as one block.

    Raises
    ------
    UnreadableFileError
    """
    return one_block(source.chunks(CHUNK_SIZE))


def whole_topics(chunks: Iterable[bytes]) -> Iterator[Block]:
    """Cut a file between topics, as far as the lines of a topic stand together.

    Parameters
    ----------
    chunks : the file, cut anywhere, with a newline at its end.

    Yields
    ------
    Blocks that end where a topic does, of about the size of a chunk or, where a topic is longer, that of the topic.
    Nothing comes behind a block of one topic, or of part of a line, that has a NUL byte.
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


def one_block(chunks: Iterable[bytes]) -> Block:
    """Return a whole file; nothing behind the first chunk that has a NUL byte, which is an error, whatever follows."""
    read = []
    for chunk in chunks:
        read.append(chunk)
        if b"\0" in chunk:
            break
    return Block(b"".join(read), 1)


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
    seen: set[bytes] = set()
    for part in parts:
        if not seen.isdisjoint(part.topics):
            for _ in unread:
                pass
            return list(read_again())
        seen.update(part.topics)
        collected.append(part)
    return collected


def count_lines(text: bytes) -> int:
    """Return the number of newlines (several times as fast as ``bytes.count``)."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(_NEWLINE)))


def _start_of_last_topic(text: bytes) -> int:
    """Return where the lines of the last topic begin that has a whole line; 0 if there is no other before it.

    The search leaps back over lines, which are taken to belong together if the first and the last of them are of one
    topic. Where that is wrong a topic returns, which ``each_topic_once`` finds out.
    """
    end = text.rfind(_NEWLINE) + 1
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
    return text.rfind(_NEWLINE, 0, place) + 1


def _has_topic(text: bytes, start: int, topic: bytes) -> bool:
    """Return whether the first token of the line that begins here is this topic."""
    return text[start : text.index(_NEWLINE, start)].split(None, 1)[:1] == [topic]

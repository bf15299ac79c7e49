"""A path or standard input, plain or compressed, as blocks of whole lines."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol, cast

from irevalx.errors import STANDARD_INPUT, UnreadableFileError, quote, shown_name

BLOCK_SIZE = 1 << 22


class Readable(Protocol):
    """All that is asked of a stream."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to so many bytes; none at the end."""


_MAGIC: tuple[tuple[str, tuple[bytes, ...], Callable[[Readable], Readable]], ...] = (
    ("gzip", (b"\x1f\x8b\x08",), lambda stream: gzip.GzipFile(fileobj=cast(BinaryIO, stream))),
    # A topic may well begin with "BZh1": what follows in a real bzip2 file is a block or the end of the stream.
    (
        "bzip2",
        tuple(b"BZh%d" % level + mark for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")),
        lambda stream: bz2.BZ2File(cast(BinaryIO, stream)),
    ),
    ("xz", (b"\xfd7zXZ\x00",), lambda stream: lzma.LZMAFile(cast(BinaryIO, stream))),  # noqa: SIM115 - ends with the file
)
_LONGEST_MAGIC = max(len(start) for _, starts, _ in _MAGIC for start in starts)


def read_blocks(path: str, size: int = BLOCK_SIZE) -> Iterator[bytes]:
    """Read a file, decompressing what is gzip, bzip2 or xz by its content (never by its name).

    Parameters
    ----------
    path : a file name (a pipe or ``/dev/fd/N`` will do), or ``-`` for standard input.
    size : about how many bytes to read at a time.

    Yields
    ------
    Blocks that end with a newline; the last line gets one if the file has none. An empty stream yields nothing.

    Raises
    ------
    UnreadableFileError : the file is missing, a directory, empty (a pipe or standard input may be empty), or its
        compressed data is damaged or cut short.
    """
    kind = ""
    try:
        with _open(path) as raw:
            stream, kind = _decompressed(raw)
            rest: list[bytes] = []
            while chunk := stream.read(size):
                complete, newline, tail = chunk.rpartition(b"\n")
                if newline:
                    yield b"".join((*rest, complete, newline))
                    rest = []
                if tail:
                    rest.append(tail)
            if rest:
                yield b"".join((*rest, b"\n"))
    except EOFError:
        raise UnreadableFileError(
            f"{shown_name(path)}: {kind} data must be complete, but the file is cut short"
        ) from None
    except (zlib.error, lzma.LZMAError) as error:
        raise UnreadableFileError(f"{shown_name(path)}: {kind} data must be intact, but is damaged ({error})") from None
    except OSError as error:
        if kind:
            raise UnreadableFileError(
                f"{shown_name(path)}: {kind} data must be intact, but is damaged ({error})"
            ) from None
        raise UnreadableFileError(f"cannot read {quote(path)}: {error.strerror or error}") from None
    except ValueError as error:  # a NUL byte in the name
        raise UnreadableFileError(f"cannot read {quote(path)}: {error}") from None


def _open(path: str) -> BinaryIO:
    if path == STANDARD_INPUT:
        return os.fdopen(os.dup(0), "rb")
    raw = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)), "rb")
    status = os.fstat(raw.fileno())
    if stat.S_ISREG(status.st_mode) and status.st_size == 0:
        raw.close()
        raise UnreadableFileError(f"cannot read {quote(path)}: the file is empty")
    return raw


class _Rejoined:
    """A stream whose first bytes have been read already; what cannot be sought cannot be rewound."""

    def __init__(self, head: bytes, rest: Readable) -> None:
        self.head = head
        self.rest = rest

    def read(self, size: int = -1, /) -> bytes:
        if not self.head:
            return self.rest.read(size)
        end = len(self.head) if size < 0 else size
        head, self.head = self.head[:end], self.head[end:]
        return head


def _decompressed(raw: BinaryIO) -> tuple[Readable, str]:
    head = raw.read(_LONGEST_MAGIC)
    stream = _Rejoined(head, raw)
    for kind, starts, open_stream in _MAGIC:
        if head.startswith(starts):
            return open_stream(stream), kind
    return stream, ""

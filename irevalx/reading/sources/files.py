"""Reading of files and standard input, plain or compressed, in chunks of bytes."""

from __future__ import annotations

import io
import os
import stat
import sys
import weakref
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, cast

from irevalx.errors import STANDARD_INPUT, EmptyFileError, UnreadableFileError, quote, shown_name
from irevalx.frozen import cached_property
from irevalx.process.platform import as_bytes, can_seek, is_open_already, is_pipe
from irevalx.reading.sources.compression import Readable, compression_of, decompressed

CHUNK_SIZE = 1 << 20

LONGEST_LINE = 1 << 22
"""The maximum number of bytes in a line, which limits the memory for files without line breaks."""

NEWLINE = b"\n"

MARK = b"\xef\xbb\xbf"
"""The byte-order mark in UTF-8."""

_PARQUET = b"PAR1"
"""The first bytes of Parquet files."""

_OF_TEXT = frozenset(bytes([byte]) for byte in (*b" \t\n\v\f\r", *range(0x20, 0x7F), *range(0x80, 0x100)))
"""The bytes that occur in text. If one of them follows ``_PARQUET``, the file is a text file."""

_HEAD_SIZE = 4096
"""The number of bytes that are read from the start of a file to identify its type."""


class Source:
    """A file that can be read again, even if it is a pipe.

    The content of the file determines how the file is decompressed. ``path`` can be a pipe, ``/dev/fd/N``, or ``-`` for
    standard input. If ``content`` is given, no file is opened, and ``path`` is only a name.
    """

    def __init__(self, path: str, content: bytes | None = None) -> None:
        self.path = path
        self._content = content
        self._is_decoded = False
        self._skips_mark = False
        self._spool: BinaryIO | None = None
        self._begin: int | None = None
        self._begun: BinaryIO | None = None

    def without_mark(self) -> Source:
        """Skip the byte-order mark in all subsequent reads, and return this source."""
        self._skips_mark = True
        return self

    def in_memory(self) -> Source:
        """Read the decompressed content into memory, and return it as a source."""
        source = Source(self.path, b"".join(self.chunks(text=not self.is_parquet)))
        source._is_decoded = True  # even if the content looks compressed
        return source

    @property
    def size(self) -> int:
        """The size in bytes of a regular file (which several processes can read at once), or 0 for any other file."""
        if self._content is not None or self.path == STANDARD_INPUT or is_open_already(self.path):
            return 0
        try:
            status = os.stat(self.path)  # noqa: PTH116 - pathlib takes a while to import
        except (OSError, ValueError):
            return 0
        return status.st_size if stat.S_ISREG(status.st_mode) else 0

    @property
    def is_plain_file(self) -> bool:
        """Whether the file is an uncompressed file on disk, so that a library can open its path."""
        return self.size > 0 and compression_of(self._head()) is None

    def refuse_missing(self) -> None:
        """Raise UnreadableFileError if the file does not exist."""
        if self._content is None and self.path != STANDARD_INPUT and not is_open_already(self.path):
            try:
                os.stat(self.path)  # noqa: PTH116 - pathlib takes a while to import
            except (FileNotFoundError, NotADirectoryError) as error:
                raise UnreadableFileError(self._unreadable(error.strerror)) from None
            except (OSError, ValueError):
                pass  # the error is raised when the file is read

    @cached_property
    def is_parquet(self) -> bool:
        """Whether the file starts like a Parquet file. The value is False if the file cannot be read."""
        head = self.beginning  # a text file can also begin with PAR1, followed by more text
        return head.startswith(_PARQUET) and head[len(_PARQUET) : len(_PARQUET) + 1] not in _OF_TEXT

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes of the decompressed content. The value is empty if the file cannot be read."""
        try:
            return self._first_bytes()
        except (OSError, ValueError, UnreadableFileError):
            return b""

    def content(self) -> bytes:
        """Return the content without a byte-order mark and with a complete last line.

        Raise the same errors as ``chunks``.
        """
        return b"".join(self.chunks()).removeprefix(MARK)

    def first_line(self) -> bytes:
        """Return the content at least up to the end of the first nonblank line, or less if the input cannot seek.

        A line that is longer than ``LONGEST_LINE`` is truncated.
        """
        text = b""
        for chunk in self.chunks() if self.size or self._content is not None else ():
            text += chunk
            if (NEWLINE in chunk and NEWLINE in text.removeprefix(MARK).lstrip()) or len(text) > LONGEST_LINE:
                break
        return text or self.beginning

    def _first_bytes(self) -> bytes:
        """Return the first bytes of the decompressed content."""
        head = self._head()
        name = shown_name(self.path)
        if self._is_decoded or not compression_of(head):
            return head[:_HEAD_SIZE]
        with suppress(UnreadableFileError):  # bzip2 decodes whole blocks of up to 900 KB
            return decompressed(io.BytesIO(head), name).read(_HEAD_SIZE)
        with self._open() as raw:
            if can_seek(raw):
                return decompressed(raw, name).read(_HEAD_SIZE)
            copied = self._spooled(raw)
            while copied.read(CHUNK_SIZE):
                pass
        with self._open() as copy:
            return decompressed(copy, name).read(_HEAD_SIZE)

    def _head(self) -> bytes:
        """Return the first bytes before decompression. If the input cannot seek, the next read returns them again."""
        if self._begun is None:
            raw = self._open()
            if can_seek(raw):
                with raw:
                    return raw.read(_HEAD_SIZE)
            self._begun = raw
        return cast("io.BufferedReader", self._begun).peek(_HEAD_SIZE)

    def sha256(self) -> str | None:
        """Return the SHA-256 digest of the file before decompression, or None if the file cannot be read."""
        import hashlib

        digest = hashlib.sha256()
        try:
            with self._open() as raw:
                stream: Readable = raw if can_seek(raw) else self._spooled(raw)
                while chunk := stream.read(CHUNK_SIZE):
                    digest.update(chunk)
        except (OSError, ValueError):
            return None
        return digest.hexdigest()

    def chunks(
        self, size: int = CHUNK_SIZE, *, again: bool = False, text: bool = True, begin: int = 0, end: int | None = None
    ) -> Iterator[bytes]:
        """Yield the content, or the raw bytes from ``begin`` to ``end``, in chunks of about ``size`` bytes.

        If ``again`` is true and the input cannot seek, it is copied to a temporary file, so that it can be read again.
        If ``text`` is true, a missing newline is added to the last line. Raise UnreadableFileError if the file is
        missing, damaged or empty. A pipe and standard input can be empty.
        """
        last: bytes | None = None
        try:
            with self._open() as raw:
                may_be_empty = self.path == STANDARD_INPUT or self._content is not None or is_pipe(raw)
                stream: Readable = raw
                if again and not can_seek(raw):
                    stream = self._spooled(raw)
                if begin:
                    raw.seek(begin)
                elif not self._is_decoded:
                    stream = decompressed(stream, shown_name(self.path))
                left = sys.maxsize if end is None else end - begin
                while chunk := stream.read(min(size, left)):
                    if last is None and self._skips_mark and not begin:
                        yield chunk.removeprefix(MARK)
                    else:
                        yield chunk
                    last = chunk[-1:]
                    left -= len(chunk)
            if last is None and not may_be_empty:
                raise EmptyFileError(f"cannot read {quote(self.path)}: the file is empty")
            if text and last not in {NEWLINE, None}:
                yield NEWLINE
        except OSError as error:
            raise UnreadableFileError(self._unreadable(error.strerror or error)) from None
        except ValueError as error:  # a NUL byte in the name
            raise UnreadableFileError(f"cannot read {quote(self.path)}: {error}") from None

    def _unreadable(self, problem: object) -> str:
        """Return the message that a file cannot be read because of ``problem``."""
        known = (
            "; only irevalx and irevalx-lab compare, gate and report accept paths of several collections, and not with "
            "--scores, which reads the collections from a column"
        )
        return f"cannot read {quote(self.path)}: {problem}" + known * ("{collection}" in self.path)

    def _open(self) -> BinaryIO:
        if self._begun is not None:
            begun, self._begun = self._begun, None
            return begun
        if self._content is not None:
            return io.BytesIO(self._content)
        if self._spool is not None:
            self._spool.seek(0)
            return os.fdopen(os.dup(self._spool.fileno()), "rb")
        if self.path == STANDARD_INPUT:
            raw = os.fdopen(os.dup(0), "rb")
            if can_seek(raw):
                self._begin = raw.tell() if self._begin is None else raw.seek(self._begin)
            return raw
        return open(self.path, "rb")  # noqa: PTH123 - pathlib takes a while to import

    def _spooled(self, raw: Readable) -> Readable:
        import tempfile

        # The copy is unbuffered, so that a failed write is not repeated when the file is closed.
        self._spool = cast(BinaryIO, tempfile.TemporaryFile(buffering=0))  # noqa: SIM115 - lives as long as the source
        weakref.finalize(self, self._spool.close)
        return _Copied(raw, self._spool, shown_name(self.path))


def stem_of(path: str) -> str:
    """Return the name of a file without its directory, its compression extension and its last extension."""
    name = os.path.basename(path)  # noqa: PTH119 - pathlib takes a while to import
    stem = name
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        stem = stem.removesuffix(suffix)
    return stem.rpartition(".")[0] or stem or name


def as_column(name: str) -> bytes:
    """Convert a name to a single word. Each sequence of blanks is replaced by an underscore."""
    return b"_".join(as_bytes(name).split()) or b"_"


def name_of_file(path: str) -> bytes:
    """Return the default name of a run that is read from a file.

    >>> name_of_file("runs/bm25.parquet")
    b'bm25'
    """
    return b"run" if path == STANDARD_INPUT else as_column(stem_of(path))


class _Copied:
    """A stream whose bytes are copied to a temporary file while they are read."""

    def __init__(self, stream: Readable, copy: BinaryIO, name: str) -> None:
        self.stream = stream
        self.copy = copy
        self.name = name

    def read(self, size: int, /) -> bytes:
        """Read at most ``size`` bytes, and write them to the copy."""
        chunk = self.stream.read(size)
        try:
            rest = memoryview(chunk)
            while rest:
                rest = rest[self.copy.write(rest) :]
        except OSError as error:
            raise UnreadableFileError(f"cannot keep {self.name} in a temporary file: {error.strerror}") from None
        return chunk

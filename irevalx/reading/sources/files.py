"""Files or standard input, plain or compressed, as chunks of bytes.

ISA-L (extra ``fast``) decodes gzip in about a third of zlib's time, and ``backports.zstd`` (same extra) decodes zstd
before Python 3.14. A compressed file is a sequence of streams, with padding between and after them as each format
permits. Byte offsets in messages are offsets into the compressed file, starting at 0.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import BinaryIO, Protocol, TypeAlias, cast

from irevalx.errors import STANDARD_INPUT, UnreadableFileError, not_installed, quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.process.platform import as_bytes, can_seek, is_open_already, is_pipe

PIECE = 1 << 14
"""Number of compressed bytes decoded at a time: the precision of offsets in messages about damaged files."""


class Readable(Protocol):
    """A binary stream that can be read."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes; empty at the end."""


class Decoder(Protocol):
    """A decoder of a stream, with the interface of ``bz2``, ``lzma``, ``zstd`` and ``isal``.

    ``needs_input`` is True if there is no more output without more input; after ``eof``, ``unused_data`` contains the
    input after the end of the stream.
    """

    @property
    def eof(self) -> bool: ...  # noqa: D102
    @property
    def needs_input(self) -> bool: ...  # noqa: D102
    @property
    def unused_data(self) -> bytes: ...  # noqa: D102
    def decompress(self, data: bytes, /, max_length: int) -> bytes: ...  # noqa: D102


MakeDecoder: TypeAlias = Callable[[bytes], Decoder]
"""Returns the decoder of a stream, given its first bytes."""


class Compression(Frozen):
    """A compression format."""

    name: str  # for messages
    starts: tuple[bytes, ...]  # the first bytes of a stream
    decoder: Callable[[], tuple[MakeDecoder, tuple[type[Exception], ...]]]
    """Imports the module and returns a decoder factory, given the first bytes of a stream, and the exceptions raised
    for damaged data; raises ImportError if the module is missing."""

    padding: int  # streams can be followed by a multiple of this number of zeros; 0 for none
    ends_with_padding: bool  # whether padding must be the end of the file
    follows: str  # what can follow a stream, for messages


class _GzipDecoder:
    """The decoder of ``zlib`` with the interface of ``Decoder``."""

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=zlib.MAX_WBITS + 16)  # with the header and the checksum of gzip
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, /, max_length: int) -> bytes:
        decoded = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = len(decoded) < max_length and not self._inner.unconsumed_tail
        return decoded


def _gzip_decoder() -> tuple[MakeDecoder, tuple[type[Exception], ...]]:
    import zlib
    from importlib import import_module

    try:
        isal = import_module("isal.igzip_lib")
    except ImportError:
        return lambda start: _GzipDecoder(), (zlib.error,)

    def make(start: bytes) -> Decoder:
        # ISA-L takes no notice of reserved flags, which gzip and zlib refuse.
        is_reserved = len(start) > _GZIP_FLAGS and start[_GZIP_FLAGS] >= _GZIP_RESERVED
        return _GzipDecoder() if is_reserved else cast("Decoder", isal.IgzipDecompressor(flag=isal.DECOMP_GZIP))

    return make, (isal.IsalError, zlib.error)


def _bzip2_decoder() -> tuple[MakeDecoder, tuple[type[Exception], ...]]:
    import bz2

    return lambda start: bz2.BZ2Decompressor(), (OSError,)


def _xz_decoder() -> tuple[MakeDecoder, tuple[type[Exception], ...]]:
    import lzma

    return lambda start: lzma.LZMADecompressor(lzma.FORMAT_XZ), (lzma.LZMAError,)


def _zstd_decoder() -> tuple[MakeDecoder, tuple[type[Exception], ...]]:
    from importlib import import_module

    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    return lambda start: cast("Decoder", zstd.ZstdDecompressor()), (zstd.ZstdError,)


_GZIP_FLAGS, _GZIP_RESERVED = 3, 0x20
"""The offset of the flags in a gzip stream, and the first reserved flag."""

# A topic may well begin with "BZh1": what follows in a real bzip2 file is a block or the end of the stream.
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
COMPRESSIONS = (
    Compression(
        name="gzip",
        starts=(b"\x1f\x8b\x08",),
        decoder=_gzip_decoder,
        padding=1,
        ends_with_padding=True,
        follows="another one, or zeros to the end of the file",
    ),
    Compression(
        name="bzip2",
        starts=tuple(b"BZh%d" % level + block for level in range(1, 10) for block in _BZIP2_BLOCKS),
        decoder=_bzip2_decoder,
        padding=0,
        ends_with_padding=True,
        follows="another one",
    ),
    Compression(
        name="xz",
        starts=(b"\xfd7zXZ\x00",),
        decoder=_xz_decoder,
        padding=4,
        ends_with_padding=False,
        follows="another one, or zeros, a multiple of four of them",
    ),
    Compression(
        name="zstd",
        starts=(b"\x28\xb5\x2f\xfd", *(bytes([byte]) + b"\x2a\x4d\x18" for byte in range(0x50, 0x60))),
        decoder=_zstd_decoder,
        padding=0,
        ends_with_padding=True,
        follows="another one",
    ),
)

LONGEST_START = max(len(start) for compression in COMPRESSIONS for start in compression.starts)
"""Number of first bytes that identify a compression format."""


def compression_of(head: bytes) -> Compression | None:
    """Return the compression format of a file with these first bytes; None if it is not compressed."""
    return next((compression for compression in COMPRESSIONS if head.startswith(compression.starts)), None)


class Decompressed:
    """The decompressed content of a file, decoded while reading; raises UnreadableFileError without a decoder."""

    def __init__(self, compression: Compression, ahead: ReadAhead, name: str) -> None:
        self._compression = compression
        self._input = ahead
        self._name = name
        try:
            self._make, self._damage = compression.decoder()
        except ImportError:
            needed = f"Python 3.14 or {not_installed('backports.zstd', 'fast')}"
            raise UnreadableFileError(f"{name}: {compression.name} data needs {needed}") from None
        self._decoder = self._make(self._input.look_ahead(LONGEST_START))
        self._begin = 0
        self._ended = False

    def read(self, size: int, /) -> bytes:
        """Return ``size`` bytes, fewer only at the end; memory use does not depend on the size of the content."""
        pieces = []
        while size > 0 and not self._ended:
            piece = self._decode(size)
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _decode(self, most: int) -> bytes:
        """Return at most ``most`` bytes, possibly none."""
        if self._decoder.eof:
            self._input.give_back(self._decoder.unused_data)
            self._ended = not self._at_another_stream()
            if self._ended:
                return b""
            self._begin = self._input.offset
            self._decoder = self._make(self._input.look_ahead(LONGEST_START))
        given = b""
        if self._decoder.needs_input:
            given = self._input.piece()
            if not given:
                raise UnreadableFileError(
                    f"{self._name}: truncated {self._compression.name} data: the file ends at byte "
                    f"{self._input.offset}, within the stream that begins at byte {self._begin}"
                )
        try:
            return self._decoder.decompress(given, max_length=most)
        except self._damage as error:
            raise UnreadableFileError(
                f"{self._name}: corrupt {self._compression.name} data before byte {self._input.offset}, in the stream "
                f"that begins at byte {self._begin} ({error})"
            ) from None

    def _at_another_stream(self) -> bool:
        """Skip padding and return whether another stream follows; False at the end of the file."""
        end = self._input.offset
        zeros = self._input.skip_zeros()
        compression = self._compression
        if zeros and (not compression.padding or zeros % compression.padding):
            raise self._wrong_follower(f"{zeros} zeros", end)
        start = self._input.look_ahead(LONGEST_START)
        if not start:
            return False
        # A file that ends within the first bytes of a stream is for the decoder, which finds it cut short.
        begins = any(start.startswith(whole) or whole.startswith(start) for whole in compression.starts)
        if not begins or (zeros and compression.ends_with_padding):
            raise self._wrong_follower(quote(start), self._input.offset)
        return True

    def _wrong_follower(self, got: str, offset: int) -> UnreadableFileError:
        return UnreadableFileError(
            f"{self._name}: unexpected {got} at byte {offset}, after a stream of {self._compression.name} data; "
            f"expected {self._compression.follows}"
        )


class ReadAhead:
    """A stream that returns bytes read ahead first; ``offset`` is the number of consumed bytes."""

    def __init__(self, head: bytes, stream: Readable) -> None:
        self.offset = 0
        self._ahead = head
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes, starting with the bytes read ahead."""
        if not self._ahead:
            return self._stream.read(size)
        head, self._ahead = self._ahead[:size], self._ahead[size:]
        return head

    def piece(self) -> bytes:
        """Return the next piece; empty at the end."""
        piece = self._ahead or self._stream.read(PIECE)
        self._ahead = b""
        self.offset += len(piece)
        return piece

    def give_back(self, rest: bytes) -> None:
        """Return the last bytes of the most recent piece to the stream."""
        self._ahead = rest
        self.offset -= len(rest)

    def look_ahead(self, size: int) -> bytes:
        """Return the next ``size`` bytes, fewer at the end, without consuming them."""
        while len(self._ahead) < size and (more := self._stream.read(PIECE)):
            self._ahead += more
        return self._ahead[:size]

    def skip_zeros(self) -> int:
        """Consume zeros up to the next other byte, and return their number."""
        begin = self.offset
        while piece := self.piece():
            if rest := piece.lstrip(b"\0"):
                self.give_back(rest)
                break
        return self.offset - begin


def decompressed(stream: Readable, name: str) -> Readable:
    """Return the stream itself, or its decompressed content if its first bytes identify a compression format.

    ``name`` is the file's name in messages.
    """
    head = stream.read(LONGEST_START)
    compression = compression_of(head)
    ahead = ReadAhead(head, stream)
    return ahead if compression is None else Decompressed(compression, ahead, name)


CHUNK_SIZE = 1 << 20
NEWLINE = b"\n"

MARK = b"\xef\xbb\xbf"
"""A byte-order mark in UTF-8."""

_PARQUET = b"PAR1"
"""The first bytes of Parquet files."""

_OF_TEXT = frozenset(bytes([byte]) for byte in (*b" \t\n\v\f\r", *range(0x20, 0x7F), *range(0x80, 0x100)))
"""The bytes that can follow in a line of text."""

_HEAD_SIZE = 4096
"""Number of first bytes that identify the type of a file."""


class Source:
    """A file that can be read again, even if it is a pipe; compression is detected from its content.

    ``path`` can be a pipe, ``/dev/fd/N``, or ``-`` for standard input. With ``content``, no file is opened and the path
    is only a name.
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
        """Skip a byte-order mark whenever the file is read."""
        self._skips_mark = True
        return self

    def in_memory(self) -> Source:
        """Return the decompressed content as a source that can be read any number of times."""
        source = Source(self.path, b"".join(self.chunks(CHUNK_SIZE, text=not self.is_parquet)))
        source._is_decoded = True  # even if the content looks compressed
        return source

    @property
    def size(self) -> int:
        """Size in bytes of a regular file, which several processes can read at once; 0 for other files."""
        if self._content is not None or self.path == STANDARD_INPUT or is_open_already(self.path):
            return 0
        try:
            status = os.stat(self.path)  # noqa: PTH116 - pathlib takes a while to import
        except (OSError, ValueError):
            return 0
        return status.st_size if stat.S_ISREG(status.st_mode) else 0

    @property
    def is_plain_file(self) -> bool:
        """Whether the file is an uncompressed file on disk, which libraries can open by name."""
        return self.size > 0 and compression_of(self._head()) is None

    def refuse_missing(self) -> None:
        """Raise UnreadableFileError if there is no such file."""
        if self._content is None and self.path != STANDARD_INPUT and not is_open_already(self.path):
            try:
                os.stat(self.path)  # noqa: PTH116 - pathlib takes a while to import
            except (FileNotFoundError, NotADirectoryError) as error:
                raise UnreadableFileError(f"cannot read {quote(self.path)}: {error.strerror}") from None
            except (OSError, ValueError):
                pass  # the error is raised when the file is read

    @cached_property
    def is_parquet(self) -> bool:
        """Whether the file starts like a Parquet file; False if it cannot be read.

        A Parquet file starts with ``PAR1`` and a byte that is neither printable nor white space, since text files can
        contain a topic that begins with PAR1.
        """
        head = self.beginning
        return head.startswith(_PARQUET) and head[len(_PARQUET) : len(_PARQUET) + 1] not in _OF_TEXT

    @cached_property
    def beginning(self) -> bytes:
        """Some of the first decompressed bytes; empty if the file cannot be read."""
        try:
            return self._first_bytes(_HEAD_SIZE)
        except (OSError, ValueError, UnreadableFileError):
            return b""

    def first_line(self) -> bytes:
        """Return the content up to the end of its first line; for input without seek, possibly less."""
        text = b""
        for chunk in self.chunks(CHUNK_SIZE) if self.size or self._content is not None else ():
            text += chunk
            if NEWLINE in chunk:
                break
        return text or self.beginning

    def _first_bytes(self, size: int) -> bytes:
        """Return some of the first decompressed bytes.

        A bzip2 block has up to 900 KB and is decoded as a whole, so input without seek is spooled.
        """
        head = self._head()
        name = shown_name(self.path)
        if self._is_decoded or not compression_of(head):
            return head[:size]
        with suppress(UnreadableFileError):
            return decompressed(io.BytesIO(head), name).read(size)
        with self._open() as raw:
            if can_seek(raw):
                return decompressed(raw, name).read(size)
            copied = self._spooled(raw)
            while copied.read(CHUNK_SIZE):
                pass
        with self._open() as copy:
            return decompressed(copy, name).read(size)

    def _head(self) -> bytes:
        """Return some of the first raw bytes, without consuming them if the input has no seek."""
        if self._begun is None:
            raw = self._open()
            if can_seek(raw):
                with raw:
                    return raw.read(_HEAD_SIZE)
            self._begun = raw
        return cast("io.BufferedReader", self._begun).peek(_HEAD_SIZE)

    def sha256(self) -> str | None:
        """Return the SHA-256 digest of the raw file; None if it cannot be read.

        Input without seek is spooled to a temporary file.
        """
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
        self, size: int, *, again: bool = False, text: bool = True, begin: int = 0, end: int | None = None
    ) -> Iterator[bytes]:
        """Yield the content in chunks of about ``size`` bytes, or bytes ``begin`` to ``end`` (exclusive).

        ``again`` spools input without seek, so that it can be read again after it was read to its end. ``text``
        completes a last line without newline. UnreadableFileError is raised for a missing or empty file (a pipe or
        standard input can be empty), damaged compression, or insufficient space for the temporary file.
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
                raise UnreadableFileError(f"cannot read {quote(self.path)}: the file is empty")
            if text and last not in {NEWLINE, None}:
                yield NEWLINE
        except OSError as error:
            raise UnreadableFileError(f"cannot read {quote(self.path)}: {error.strerror or error}") from None
        except ValueError as error:  # a NUL byte in the name
            raise UnreadableFileError(f"cannot read {quote(self.path)}: {error}") from None

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

        # Without a buffer: what could not be written must not be written again when the file is closed.
        self._spool = cast(BinaryIO, tempfile.TemporaryFile(buffering=0))  # noqa: SIM115 - lives as long as the source
        weakref.finalize(self, self._spool.close)
        return _Copied(raw, self._spool, shown_name(self.path))


def stem_of(path: str) -> str:
    """Return a file name without its directory, compression extension and last extension."""
    name = os.path.basename(path)  # noqa: PTH119 - pathlib takes a while to import
    stem = name
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        stem = stem.removesuffix(suffix)
    return stem.rpartition(".")[0] or stem or name


def as_column(name: str) -> bytes:
    """Return a name as one word without blanks."""
    return b"_".join(as_bytes(name).split()) or b"_"


def name_of_file(path: str) -> bytes:
    """Return the default name of a run in a file.

    >>> name_of_file("runs/bm25.parquet")
    b'bm25'
    """
    return b"run" if path == STANDARD_INPUT else as_column(stem_of(path))


class _Copied:
    """A stream that is copied to a temporary file as it is read."""

    def __init__(self, stream: Readable, copy: BinaryIO, name: str) -> None:
        self.stream = stream
        self.copy = copy
        self.name = name

    def read(self, size: int, /) -> bytes:
        """Read some bytes and write them to the copy."""
        chunk = self.stream.read(size)
        try:
            rest = memoryview(chunk)
            while rest:
                rest = rest[self.copy.write(rest) :]
        except OSError as error:
            raise UnreadableFileError(f"cannot keep {self.name} in a temporary file: {error.strerror}") from None
        return chunk

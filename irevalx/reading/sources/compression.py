"""Decompression of files while they are read.

The library ISA-L, which the extra ``fast`` installs, decodes gzip in about a third of zlib's time. Before Python 3.14,
``backports.zstd``, from the same extra, decodes zstd. A compressed file is a sequence of streams, and some formats
permit padding after each stream. Messages contain byte offsets into the compressed file, starting at 0.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol, TypeAlias, cast

from irevalx.errors import UnreadableFileError, not_installed, quote
from irevalx.frozen import Frozen

PIECE = 1 << 14
"""The number of compressed bytes that are decoded at a time. In messages about damaged files, this number limits the
precision of offsets."""


class Readable(Protocol):
    """A binary stream that can be read."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes, or an empty byte string at the end."""


class Decoder(Protocol):
    """The interface of decoders, which is that of ``bz2``, ``lzma``, ``zstd`` and ``isal``.

    ``needs_input`` is True if the decoder has no output until it receives more input. After ``eof``, ``unused_data``
    contains the input that follows the stream.
    """

    @property
    def eof(self) -> bool: ...  # noqa: D102
    @property
    def needs_input(self) -> bool: ...  # noqa: D102
    @property
    def unused_data(self) -> bytes: ...  # noqa: D102
    def decompress(self, data: bytes, /, max_length: int) -> bytes: ...  # noqa: D102


MakeDecoder: TypeAlias = Callable[[bytes], Decoder]
"""A function that returns the decoder of a stream, given the first bytes of the stream."""


class Compression(Frozen):
    """A compression format."""

    name: str  # the name shown in messages
    starts: tuple[bytes, ...]  # the first bytes of a stream
    decoder: Callable[[], tuple[MakeDecoder, tuple[type[Exception], ...]]]
    """A function that imports the decoder's module. The result is a function that creates a decoder, and the exceptions
    that decoders raise for damaged data. If the module is missing, ImportError is raised."""
    padding: int = 0  # the number of zeros that can follow a stream is a multiple of this number
    ends_with_padding: bool = True  # whether padding can occur only at the end of the file
    follows: str = "another one"  # the description of what can follow a stream, for messages


class _GzipDecoder:
    """The decoder of ``zlib``, adapted to the interface of ``Decoder``."""

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=zlib.MAX_WBITS + 16)  # 16 stands for the gzip header and checksum
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
        # ISA-L ignores reserved flags, which gzip and zlib reject.
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
"""The offset of the flags in a gzip stream, and the lowest reserved flag."""

# These bytes follow "BZh1" in a bzip2 file. They must be checked, because a topic can also begin with "BZh1".
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
COMPRESSIONS = (
    Compression(
        name="gzip",
        starts=(b"\x1f\x8b\x08",),
        decoder=_gzip_decoder,
        padding=1,
        follows="another one, or zeros to the end of the file",
    ),
    Compression(
        name="bzip2",
        starts=tuple(b"BZh%d" % level + block for level in range(1, 10) for block in _BZIP2_BLOCKS),
        decoder=_bzip2_decoder,
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
    ),
)

LONGEST_START = max(len(start) for compression in COMPRESSIONS for start in compression.starts)
"""The number of bytes from the start of a file that identify its compression format."""


def compression_of(head: bytes) -> Compression | None:
    """Return the compression format of a file whose first bytes are ``head``, or None if it is not compressed."""
    return next((compression for compression in COMPRESSIONS if head.startswith(compression.starts)), None)


class Decompressed:
    """A stream of the decompressed content. Raise UnreadableFileError if the decoder's module is not installed."""

    def __init__(self, compression: Compression, ahead: ReadAhead, name: str) -> None:
        self._compression = compression
        self._input = ahead
        self._name = name
        try:
            self._make, self._damage = compression.decoder()
        except ImportError:
            needed = f"Python 3.14 or {not_installed('backports.zstd', 'fast')}"
            raise UnreadableFileError(f"{name}: {compression.name} data needs {needed}") from None
        self._decoder = self._make(self._input.look_ahead())
        self._begin = 0
        self._ended = False

    def read(self, size: int, /) -> bytes:
        """Return ``size`` bytes, or fewer at the end. Memory use does not depend on the size of the content."""
        pieces = []
        while size > 0 and not self._ended:
            piece = self._decode(size)
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _decode(self, most: int) -> bytes:
        """Return at most ``most`` bytes, possibly none. The end is reached when ``_ended`` is true."""
        if self._decoder.eof:
            self._input.give_back(self._decoder.unused_data)
            self._ended = not self._at_another_stream()
            if self._ended:
                return b""
            self._begin = self._input.offset
            self._decoder = self._make(self._input.look_ahead())
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
        """Skip padding, and return whether another stream follows. Raise UnreadableFileError if other data follow."""
        end = self._input.offset
        zeros = self._input.skip_zeros()
        compression = self._compression
        if zeros and (not compression.padding or zeros % compression.padding):
            raise self._wrong_follower(f"{zeros} zeros", end)
        start = self._input.look_ahead()
        if not start:
            return False
        # If the file ends within the first bytes of a stream, the decoder reports that it is truncated.
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
    """A stream with a buffer of bytes that were read ahead. ``offset`` is the number of consumed bytes."""

    def __init__(self, head: bytes, stream: Readable) -> None:
        self.offset = 0
        self._ahead = head
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes. Bytes that were read ahead come first."""
        if not self._ahead:
            return self._stream.read(size)
        head, self._ahead = self._ahead[:size], self._ahead[size:]
        return head

    def piece(self) -> bytes:
        """Return the next piece, or an empty byte string at the end."""
        piece = self._ahead or self._stream.read(PIECE)
        self._ahead = b""
        self.offset += len(piece)
        return piece

    def give_back(self, rest: bytes) -> None:
        """Put the last bytes of the most recent piece back into the stream, so that they are read again."""
        self._ahead = rest
        self.offset -= len(rest)

    def look_ahead(self) -> bytes:
        """Return the next ``LONGEST_START`` bytes, or fewer at the end of the file, without consuming them."""
        while len(self._ahead) < LONGEST_START and (more := self._stream.read(PIECE)):
            self._ahead += more
        return self._ahead[:LONGEST_START]

    def skip_zeros(self) -> int:
        """Consume all zero bytes before the next nonzero byte, and return their number."""
        begin = self.offset
        while piece := self.piece():
            if rest := piece.lstrip(b"\0"):
                self.give_back(rest)
                break
        return self.offset - begin


def decompressed(stream: Readable, name: str) -> Readable:
    """Return a stream of the decompressed content, or of the content itself if it is not compressed."""
    head = stream.read(LONGEST_START)
    compression = compression_of(head)
    ahead = ReadAhead(head, stream)
    return ahead if compression is None else Decompressed(compression, ahead, name)
